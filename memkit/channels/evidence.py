"""What the question's words and meaning say of memories that are known already: the evidence of relations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memkit.scope import Scope
from memkit.strategies import Fulltext
from memkit.understand import Question


def bm25(conn: Any, question: Question, keys: Sequence[int], scope: Scope, words: Fulltext) -> dict[int, float]:
    """BM25 of these memories for the question's words, by key; those without one are missing (M07).

    The index of words and the one of character pairs are both asked where the question has both (M08, M15).
    """
    if not keys or not question.has_word:
        return {}
    from memkit.channels import fulltext

    return fulltext.search(
        conn,
        question.terms,
        question.cjk,
        scope,
        limit=len(keys),
        weights=words.columns,
        common=words.common,
        among=keys,
    )


def cosines(conn: Any, question: Question, keys: Sequence[int]) -> dict[int, float]:
    """The cosine of the question and each of these memories that has a vector; none without an embedder."""
    if question.vector is None or question.model_key is None or not keys:
        return {}
    from memkit.channels import vector

    return vector.cosines(conn, question.model_key, question.vector, list(keys))
