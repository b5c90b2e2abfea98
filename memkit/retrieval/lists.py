"""Partitioned search: how memories are split into lists, each of which full-text search ranks on its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from memkit.retrieval.question import Question
from memkit.storage.filters import Scope


class Part(NamedTuple):
    """A list: its name, the memories that it may hold, how many of them, and words to search for besides the terms."""

    name: str
    scope: Scope
    most: int
    also: tuple[str, ...] = ()


# (scope, question, the most memories that are wanted, the strategy's own limit) -> the lists
Lists = Callable[[Scope, Question, int, int], list[Part]]


def one(scope: Scope, question: Question, most: int, limit: int) -> list[Part]:
    """All memories in one list."""
    return [Part("", scope, most)]


LISTS: dict[str, Lists] = {"one": one}
