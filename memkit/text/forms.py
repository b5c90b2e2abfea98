"""Forms of words in any language, by their letters: other endings, and what is written together with a word.

Most languages change the end of a word, so that its forms begin with the same letters: `Мариной` and `Марина`. Arabic
and Hebrew also put the article, `and` or a preposition before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from memkit.text.words import fold

ENDING = 3  # letters of an ending at most
_STEM = 4  # letters that two forms share at least, or all but one
_SHARE = 0.6  # of the letters of the longer form that both share
_SURE = 6  # letters in common after which both endings may have more than one letter
_ATTACHED = {
    "arabic": ("ال", "وال", "بال", "كال", "فال", "لل", "و", "ب", "ل", "ف", "ك"),
    "hebrew": ("ה", "ו", "ב", "ל", "מ", "ש", "כ", "וה", "שה", "מה"),
}
# Letters that people write for each other, and that the index keeps apart: in Russian, Arabic and Persian, and Greek.
_EXCHANGED = (
    ("ё", "е"), ("أ", "ا"), ("إ", "ا"), ("آ", "ا"), ("ة", "ه"), ("ى", "ي"), ("ی", "ي"), ("ک", "ك"), ("ؤ", "و"),
    ("ά", "α"), ("έ", "ε"), ("ή", "η"), ("ί", "ι"), ("ό", "ο"), ("ύ", "υ"), ("ώ", "ω"),
)  # fmt: skip


def spellings(word: str) -> Iterator[str]:
    """The same word in lower case with other letters that people write for some of its own: `елка` for `ёлка`."""
    plain = word
    for written, other in _EXCHANGED:
        plain = plain.replace(written, other)
        for old, new in ((written, other), (other, written)):
            yield from (word[: at.start()] + new + word[at.end() :] for at in re.finditer(old, word))
    if plain != word:
        yield plain


def in_common(one: str, other: str) -> int:
    """How many letters two words share at their beginning, apart from accents, if they may be forms of one; else 0.

    >>> in_common("марина", "мариной"), in_common("coche", "cock")
    (5, 0)
    """
    one, other = fold(one), fold(other)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    shorter, longer = sorted((len(one) - common, len(other) - common))
    longest = max(len(one), len(other))
    alike = longer <= ENDING and common >= max(min(_STEM, longest - 1), _SHARE * longest)
    return common if alike and (shorter <= 1 or common >= _SURE) else 0


def beginning(word: str) -> str:
    """The letters with which each form of a word begins."""
    return word[: max(min(_STEM, len(word) - 1), len(word) - ENDING)]


def attached(word: str) -> tuple[str, ...]:
    """What may be written before a word of this script, together with it; empty for most scripts."""
    first = word[:1]
    return _ATTACHED["arabic"] if "ء" <= first <= "ي" else _ATTACHED["hebrew"] if "א" <= first <= "ת" else ()
