"""What a step of upkeep works with: one value, so that a step is a function of it and of nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memkit import vectors
from memkit.clock import utc_now
from memkit.driver import writing
from memkit.life import turns
from memkit.life.policy import Policy
from memkit.life.summaries import Extractive, Summariser

if TYPE_CHECKING:
    from memkit.embed import Embedder


@dataclass(frozen=True)
class Work:
    """A run of upkeep: the connection, the policy, the time that it is, the run's id, and who makes summaries.

    `embedder` makes the vectors of what is written; None where the database has none, or its model is not to be had.
    `now` is what memories are as old as; how long the run itself takes is read off the `clock`.
    """

    conn: Any
    policy: Policy
    now: str
    run: str
    embedder: Embedder | None = None
    summariser: Summariser = field(default_factory=Extractive)
    clock: turns.Clock = utc_now

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction of this run, which shows that the run lives: nobody takes its turn from it meanwhile."""
        with writing(self.conn):
            turns.keep(self.conn, self.run, self.clock)
            yield

    def embed(self, keys: Iterable[int]) -> None:
        """New vectors for memories whose text or neighbours have changed; none, where nobody can make them."""
        row = vectors.active_model(self.conn)
        if row is None:
            return
        if self.embedder is None:
            vectors.drop(self.conn, keys)
        else:
            vectors.write(self.conn, self.embedder, row["key"], keys)
