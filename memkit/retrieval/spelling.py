"""Spelling: a word that no memory has is read as the nearest one that some have, and the question says so.

"Who planted the quinse?" finds nothing by words. One letter further is `quince`, which many memories have. A word is
left as it is if a memory has it, if a dictionary knows it, or if it is short. British and American spellings of known
words are one word (`colour`, `color`), and so are parts that a memory writes together or apart (`data base`).

The candidates are made from the word, not from the words of the database, so that a question cannot learn what stands
in a project that it is not asked in (P. Norvig, How to Write a Spelling Corrector, 2007).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from string import ascii_lowercase

from memkit.core.errors import IndexDamaged
from memkit.core.patterns import pattern
from memkit.retrieval.channels.fulltext import undamaged
from memkit.storage.connection import Connection
from memkit.storage.filters import Scope, eligible_among
from memkit.storage.store import keys_json
from memkit.text.words import STOP_WORDS, fold, quoted, words

LEAST, LEAST_NAME = 5, 6  # letters of a word, and of one with a capital inside the question, that is looked at
LEAST_PART = 3  # letters of each part of a compound
MOST = 3  # words of a question that are read otherwise
LONGEST = 500  # characters of a question; a longer text is a message
ENGLISH = 0.7  # of the other words in lower case are English in a question in English
SOME, COUNTED, ALL = 50, 1000, -1  # memories with a word that are looked into, that are counted, or without a limit

SELECT_HAVING = "select rowid from memories_fts where memories_fts match :query limit :limit"
SELECT_TEXTS = """
select coalesce(title, '') || ' ' || coalesce(speaker, '') || ' ' || text from memories
where key in (select value from json_each(:keys))
"""

_WORD = pattern(r"(?<![\w'’@#/.:-])[^\W\d_]+(?![\w@/:]|['’.-]\w)")
# The endings and letters in which American and British English differ, each way.
_REGIONAL = (
    ("our", "or"), ("yse", "yze"), ("is", "iz"), ("ll", "l"), ("re", "er"), ("ogue", "og"), ("ence", "ense"),
    ("ae", "e"), ("oe", "e"), ("mme", "m"), ("grey", "gray"), ("ium", "um"), ("que", "ck"), ("yre", "ire"),
)  # fmt: skip


@dataclass(frozen=True)
class Spelling:
    """That `written` in a question is read as `read`."""

    written: str
    read: str


def respelled(conn: Connection, text: str, scope: Scope) -> tuple[str, tuple[str, ...]]:
    """The question with words that memories have in place of those that none has, and a sentence that says so."""
    if not isinstance(text, str) or len(text) > LONGEST:
        return text, ()
    index = _Index(conn, scope)
    try:
        with undamaged():
            found = list(islice(chain(_joined(index, text), _words(index, text)), MOST))
    except IndexDamaged:
        return text, ()  # full-text search will say so
    for one in found:
        text = re.sub(rf"(?<!\w){re.escape(one.written)}(?!\w)", one.read, text)
    return text, tuple(f"Nothing has {one.written!r}, so it was read as {one.read!r}." for one in found)


class _Index:
    """The words of the memories that a question may find."""

    def __init__(self, conn: Connection, scope: Scope):
        self._conn, self._scope = conn, scope

    def has(self, said: str) -> bool:
        """Whether a memory has a word, or words in a row, in any of their forms."""
        return any(self._keys(said, limit) for limit in (1, ALL))

    def best(self, candidates: Iterable[str]) -> str | None:
        """The candidate that most memories have; of several the first by the alphabet."""
        counted = ((-len(self._keys(one, COUNTED)), one) for one in set(candidates))
        return next((one for count, one in sorted(counted) if count and self._is_word(one)), None)

    def _is_word(self, candidate: str) -> bool:
        """Whether a candidate is of words, and not only has the stems of some: the index knows no others."""
        from memkit.text.extract.dictionary import is_known

        unknown = {word for word in candidate.split() if not is_known(word)}
        if not unknown:
            return True
        texts = self._conn.execute(SELECT_TEXTS, {"keys": keys_json(self._keys(candidate, SOME))})
        return any(unknown <= set(words(row[0])) for row in texts)

    def _keys(self, said: str, limit: int) -> set[int]:
        """The memories with these words that may be found, among the first ones that have them."""
        asked = {"query": quoted(said), "limit": limit}
        keys = [row[0] for row in self._conn.execute(SELECT_HAVING, asked)]
        return eligible_among(self._conn, keys, self._scope) if keys else set()


def _words(index: _Index, text: str) -> Iterator[Spelling]:
    """The single words that no memory has, each as what it is read."""
    from memkit.text.extract.dictionary import is_unheard_of

    for match in _WORD.finditer(text):
        written = match[0]
        name = written[0].isupper() and match.start() > 0
        if len(written) < (LEAST_NAME if name else LEAST) or not _is_latin(written) or index.has(written):
            continue
        word = fold(written)
        near = index.best(_regional(word)) or index.best(_apart(word))
        if near is None and is_unheard_of(written) and not _is_foreign(text.replace(written, "")):
            near = index.best(_one_away(word, name))
        if near:
            yield Spelling(written, near.capitalize() if written[0].isupper() else near)


def _is_foreign(text: str) -> bool:
    """Whether a text is in another language than English: there, a letter less may make another form of a word."""
    from memkit.text.extract.dictionary import is_known
    from memkit.text.extract.words import FUNCTION

    plain = [word for word in _WORD.findall(text) if word.islower()]
    return sum(word in FUNCTION or is_known(word) for word in plain) < ENGLISH * len(plain)


def _joined(index: _Index, text: str) -> Iterator[Spelling]:
    """Two words in a row that some memory writes as one, and none writes in this way."""
    for one, other in pairwise(_WORD.finditer(text)):
        said, parts = text[one.start() : other.end()], (one[0], other[0])
        name = all(part[0].isupper() for part in parts)
        if said == " ".join(parts) and not name and all(map(_may_be_part, parts)):
            together = fold("".join(parts))
            if index.has(together) and not index.has(said) and index.best([together]):
                yield Spelling(said, together)


def _may_be_part(word: str) -> bool:
    return len(word) >= LEAST_PART and _is_latin(word) and word.lower() not in STOP_WORDS


def _is_latin(word: str) -> bool:
    return fold(word).isascii()


def _regional(word: str) -> Iterator[str]:
    """The other spelling of a word in American or British English, wherever it may be."""
    for british, american in _REGIONAL:
        for old, new in ((british, american), (american, british)):
            yield from (word[: at.start()] + new + word[at.end() :] for at in re.finditer(old, word))


def _apart(word: str) -> Iterator[str]:
    """A word as two."""
    return (f"{word[:at]} {word[at:]}" for at in range(LEAST_PART, len(word) - LEAST_PART + 1))


def _one_away(word: str, name: bool) -> Iterator[str]:
    """All words that are one letter away: one more, one less, another one, or two that have changed places.

    With another letter, a name is another name: Columbia and Colombia.
    """
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        yield from (before + letter + after for letter in ascii_lowercase)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in ("" if name else ascii_lowercase))
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
