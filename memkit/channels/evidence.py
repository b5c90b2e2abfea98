"""What the question's words and meaning say of memories that are known already: the evidence of relations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memkit.store import keys_json
from memkit.text import quoted
from memkit.understand import Question

# The + keeps SQLite from asking the index once for every key.
SCORE_WORDS = """
select rowid, -bm25(memories_fts, 1, 1, 1, 1, 0) from memories_fts
where memories_fts match :query and +rowid in (select value from json_each(:keys))
"""
SCORE_CJK = """
select rowid, -bm25(memories_cjk, 1, 1, 0, 0.2) from memories_cjk
where memories_cjk match :query and +rowid in (select value from json_each(:keys))
"""


def bm25(conn: Any, words: Sequence[str], cjk: Sequence[str], keys: Sequence[int]) -> dict[int, float]:
    """BM25 of these memories for any of the words and CJK terms, by key; those without one are missing.

    The index of words and the one of character pairs are both asked where the question has both (M08, M15).
    """
    found: dict[int, float] = {}
    for query, terms in ((SCORE_WORDS, [quoted(word) for word in words]), (SCORE_CJK, list(cjk))):
        if terms and keys:
            for key, score in conn.execute(query, {"query": " OR ".join(terms), "keys": keys_json(keys)}):
                found[key] = found.get(key, 0.0) + score
    return {key: score for key, score in found.items() if score > 0}


def cosines(conn: Any, question: Question, keys: Sequence[int]) -> dict[int, float]:
    """The cosine of the question and each of these memories that has a vector; none without an embedder."""
    if question.vector is None or question.model_key is None or not keys:
        return {}
    from memkit.channels import vector

    return vector.cosines(conn, question.model_key, question.vector, list(keys))
