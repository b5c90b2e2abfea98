"""Partitioned search: how memories are split into lists, each of which full-text search ranks on its own."""

from __future__ import annotations

from collections.abc import Callable

from memkit.retrieval.question import Question
from memkit.storage.filters import Scope

Part = tuple[str, Scope, int]  # a list's name, the memories that it may hold, and how many of them

# (scope, question, the most memories that are wanted, the strategy's own limit) -> the lists
Lists = Callable[[Scope, Question, int, int], list[Part]]


def one(scope: Scope, question: Question, most: int, limit: int) -> list[Part]:
    """All memories in one list."""
    return [("", scope, most)]


LISTS: dict[str, Lists] = {"one": one}
