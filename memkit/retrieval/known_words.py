"""Known words: which words the memories have that a question may find, and in how many of them.

A word is first made, from one of the question, and then looked for. So a question cannot learn what stands in a project
that it is not asked in.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

from memkit.storage.connection import Connection
from memkit.storage.filters import Scope, eligible_among
from memkit.storage.store import keys_json
from memkit.text.words import LETTER, fold, quoted, words

TOGETHER = 16  # candidates; hardly any of those one letter away from a word is one
SOME, COUNTED, ALL = 50, 1000, -1  # memories with a word that are looked into, that are counted, or without a limit

SELECT_HAVING = "select rowid from memories_fts where memories_fts match :query limit :limit"
SELECT_TEXTS = """
select coalesce(title, '') || ' ' || coalesce(speaker, '') || ' ' || text from memories
where key in (select value from json_each(:keys))
"""


class KnownWords:
    """The words of the memories that a question may find."""

    def __init__(self, conn: Connection, scope: Scope):
        self._conn, self._scope = conn, scope

    def has(self, said: str) -> bool:
        """Whether a memory has a word, or words in a row, in any of their forms."""
        for limit in (1, COUNTED, ALL):
            having = self._having(quoted(said), limit)
            if self._eligible(having):
                return True
            if len(having) != limit:  # these are all that have it
                return False
        return False

    def best(self, candidates: Iterable[str]) -> str | None:
        """The candidate that most memories have; of several the first by the alphabet."""
        counted = ((-len(self._keys(quoted(one), COUNTED)), one) for one in self._there({*candidates}))
        return next((one for count, one in sorted(counted) if count and self._is_word(one)), None)

    def beginning_with(self, letters: str, more: int) -> Counter[str]:
        """The words in lower case that begin with these letters, and in how many of 50 memories: at most `more` longer.

        An accent makes no difference, although the index keeps those of other letters than Latin ones.
        """
        keys = self._keys(f"{quoted(letters)} *", COUNTED)
        marked = "".join(f"{re.escape(letter)}[\u0300-\u036f]*" for letter in fold(letters))
        begun = re.compile(rf"(?<!\w){marked}{LETTER}{{0,{2 * more}}}(?!{LETTER})")
        texts = (unicodedata.normalize("NFD", text.lower()) for text in self._texts(keys))
        found = Counter(word for text in texts for word in set(begun.findall(text)))
        composed = {unicodedata.normalize("NFC", word): n for word, n in found.items()}
        return Counter({word: n for word, n in composed.items() if len(word) <= len(letters) + more})

    def _there(self, candidates: set[str]) -> Iterator[str]:
        """The candidates, without most of those that no memory has: they are looked for together."""
        ordered = sorted(candidates)
        for start in range(0, len(ordered), TOGETHER):
            some = ordered[start : start + TOGETHER]
            if self._having(" OR ".join(map(quoted, some)), 1):
                yield from some

    def _is_word(self, candidate: str) -> bool:
        """Whether a candidate is of words, and not only has the stems of some: the index knows no others."""
        from memkit.text.extract.dictionary import is_known

        unknown = {word for word in candidate.split() if not is_known(word)}
        if not unknown:
            return True
        return any(unknown <= set(words(text)) for text in self._texts(self._keys(quoted(candidate), SOME)))

    def _texts(self, keys: set[int]) -> Iterable[str]:
        chosen = {"keys": keys_json(sorted(keys)[:SOME])}
        return (text for (text,) in self._conn.execute(SELECT_TEXTS, chosen))

    def _keys(self, query: str, limit: int) -> set[int]:
        """The memories that match and may be found, among the first ones that match."""
        return self._eligible(self._having(query, limit))

    def _having(self, query: str, limit: int) -> list[int]:
        return [row[0] for row in self._conn.execute(SELECT_HAVING, {"query": query, "limit": limit})]

    def _eligible(self, keys: list[int]) -> set[int]:
        return eligible_among(self._conn, keys, self._scope) if keys else set()
