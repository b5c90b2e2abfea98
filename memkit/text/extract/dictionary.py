"""A dictionary of common English words, which are no names where a capital says little, and of well-known names."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from memkit.core.patterns import pattern

_DERIVED = pattern(
    r"\A(?:sub|un|re|pre|over|under|anti|micro|auto|de|non|inter|multi|meta|back|cross|hyper|ultra)(?=[a-z]{4})"
    r"|(?:ing|ings|ed|ly|ness|ity|ities|ism|isms|tion|tions|ment|ments|able|ible|ize|izes|ise|ical|less|ful|ers|es|oses)\Z"
)
_PLAIN = pattern(r"(?<![\w'’@#/.:-])[^\W\d_]+(?![\w@/:]|['’.-]\w)")  # a word that is no part of a name or an address
_ENGLISH = 0.7  # of the words in lower case are English in an English text
_SHORTEST_PART = 3  # letters of a word in a compound


def is_common(word: str) -> bool:
    """Whether a word (in any case) is in the dictionary, as it is or as a plural. Words that are also names are not."""
    word = word.lower()
    return word in _words() or (word.endswith("s") and word[:-1] in _words())


def is_known(word: str) -> bool:
    """Whether a word (in any case) is in the dictionary, perhaps as a word that is also a name."""
    return is_common(word) or word.lower().capitalize() in _words()


@lru_cache(maxsize=1 << 14)
def is_unheard_of(word: str) -> bool:
    """Whether an English text has no such word: it is not in the dictionary, no compound of words, and not derived."""
    word, known = word.lower(), _words()
    if is_known(word) or _DERIVED.search(word):
        return False
    longest = _longest()  # no part is longer: a text of one endless word is not looked up at each of its letters
    cuts = range(max(_SHORTEST_PART, len(word) - longest), min(longest, len(word) - _SHORTEST_PART) + 1)
    return not any(word[:cut] in known and is_common(word[cut:]) for cut in cuts)


def is_foreign(text: str) -> bool:
    """Whether a text is in another language than English: of its words in lower case, few are English."""
    from memkit.text.extract.words import FUNCTION

    plain = [word for word in _PLAIN.findall(text) if word.islower()]
    return sum(word in FUNCTION or is_known(word) for word in plain) < _ENGLISH * len(plain)


@cache
def well_known() -> tuple[str, ...]:
    """The names that everybody knows, as they are written, in any script."""
    lines = Path(__file__).with_name("well_known.txt").read_text("utf-8").split("\n")
    names = ",".join(line for line in lines if not line.startswith("#")).split(",")
    return tuple(filter(None, map(str.strip, names)))


def is_well_known_name(name: str) -> bool:
    """Whether a name is a well-known one, as it is written there."""
    return name in _well_known_names()


@cache
def _well_known_names() -> frozenset[str]:
    return frozenset(well_known())


def is_well_known(word: str) -> bool:
    """Whether one word, in any case, is a well-known name and no other English word: `ubuntu`, but not `chrome`."""
    word = word.lower()
    return word in _well_known_words() and not is_known(word)


@cache
def _well_known_words() -> frozenset[str]:
    return frozenset(name.lower() for name in well_known() if " " not in name)


def begins_well_known(word: str) -> bool:
    """Whether a well-known name begins with this word (in lower case)."""
    return word in _beginnings()


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(name.lower().split()[0] for name in well_known())


@cache
def _longest() -> int:
    return 1 + max(map(len, _words()))  # and the s of a plural


@cache
def _words() -> frozenset[str]:
    # The words of the licence at its top are English, too.
    return frozenset(Path(__file__).with_name("english.txt").read_text("utf-8").split())
