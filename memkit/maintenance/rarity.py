"""Rarity of words in a database: how few memories have a word, so that a summary keeps what only a few say.

It comes from the full-text index (the number of memories that contain a word) and from the word counts of entity
extraction, which still include memories that were summarised and removed. A new database has few words, so EXPECTED
further memories are assumed. In these, the frequency of a word follows from its rank in the vocabulary of the built-in
model (Zipf's law: that list is sorted by frequency).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import log

from memkit.embedding import wordpiece
from memkit.embedding.static import FOLDER
from memkit.storage.connection import Connection
from memkit.storage.store import dumps
from memkit.text.compress import terms
from memkit.text.summarize import Rarity
from memkit.text.words import STOP_WORDS, content_words, fold, has_cjk, quoted

EXPECTED = 200  # assumed memories with ordinary words
FREQUENT = 100  # words up to this rank are in every one of them
MOST = 1000  # memories are counted up to this; a word in more of them is common
COUNT_WORD = """
select count(*) from (select 1 from memories_fts where memories_fts match :query limit :most)
"""
COUNT_PAIR = """
select count(*) from (select 1 from memories_cjk where memories_cjk match :query limit :most)
"""
COUNT_READ = """
select coalesce(sum(lower + upper), 0) from word_cases where word in (select value from json_each(:words))
"""
COUNT_MEMORIES = "select coalesce(max(seq), 0) from sqlite_sequence where name = 'memories'"  # including deleted ones


def rarity_in(conn: Connection, texts: Iterable[str]) -> Rarity:
    """The rarity of each term of these texts, as a function: log(1 + all memories / memories with the term).

    A stop word has rarity 0.
    """
    total = conn.execute(COUNT_MEMORIES).fetchone()[0]
    share = {word: usual_share(word) for word in sorted({word for text in texts for word in content_words(text)})}
    forms: dict[str, set[str]] = {}
    for word in share:
        for term in terms(word):
            forms.setdefault(term, set()).add(word)

    def worth(term: str, words: set[str]) -> float:
        expected = EXPECTED * max(share[word] for word in words)
        return log(1 + (total + EXPECTED) / max(_count(conn, term, words) + expected, 1))

    known = {term: worth(term, words) for term, words in forms.items() if not words <= STOP_WORDS}
    return lambda term: known.get(term, 0.0)


def _count(conn: Connection, term: str, words: set[str]) -> int:
    """The number of memories with a term in any of these forms, or of times it was read, whichever is larger."""
    if has_cjk(term):
        return int(conn.execute(COUNT_PAIR, {"query": f"text : {quoted(term)}", "most": MOST}).fetchone()[0])
    query = "text : (" + " OR ".join(map(quoted, sorted(words))) + ")"
    stands = int(conn.execute(COUNT_WORD, {"query": query, "most": MOST}).fetchone()[0])
    return max(stands, int(conn.execute(COUNT_READ, {"words": dumps(sorted(words))}).fetchone()[0]))


def usual_share(word: str) -> float:
    """The expected share of texts (0 to 1) with a word, from its rank in the vocabulary; 0 for an unknown word."""
    place = _vocabulary().get(fold(word))
    return 0.0 if place is None else min(1.0, FREQUENT / max(place, 1))


@lru_cache(1)
def _vocabulary() -> dict[str, int]:
    return wordpiece.read(FOLDER / "tokenizer.json")
