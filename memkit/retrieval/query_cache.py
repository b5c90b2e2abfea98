"""Query cache: the last answers to questions, kept for a while by the designs whose authors keep them (K35)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from time import monotonic
from typing import NamedTuple, TypeVar

from memkit.storage.caches import unchanged
from memkit.storage.connection import Connection

Answer = TypeVar("Answer")


class QueryCache(NamedTuple):
    """How many answers are kept, the least recently used leave first, and for how many seconds each."""

    most: int
    seconds: float

    def answer(
        self, conn: Connection, question: Hashable, find: Callable[[], Answer], good: Callable[[Answer], bool]
    ) -> Answer:
        """`find()`, or what it gave for this question before, if the database has not changed since.

        `question` is all that the answer depends on besides the database. Only `good` answers are kept. Nothing is
        kept inside a transaction, which may be rolled back. All callers get the same object.
        """
        kept: OrderedDict[Hashable, tuple[float, Answer]] = unchanged(conn, "answers", OrderedDict)
        now = monotonic()
        if question in kept and now - kept[question][0] < self.seconds:
            kept.move_to_end(question)
            return kept[question][1]
        found = find()
        kept.pop(question, None)
        if good(found):
            kept[question] = now, found
        if len(kept) > self.most:
            kept.popitem(last=False)
        return found
