"""Run context: everything that a maintenance step needs, in one value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memkit.core.clock import utc_now
from memkit.maintenance import lock
from memkit.maintenance.policy import Policy
from memkit.maintenance.summaries import Extractive, Summariser
from memkit.storage import vectors
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

if TYPE_CHECKING:
    from memkit.embedding import Embedder


@dataclass(frozen=True)
class RunContext:
    """A maintenance run: the connection, the policy, the time, the run's id, and the summariser.

    `embedder` makes the vectors of new texts. It is None if the database has no vectors, or if its model is not
    available. The age of memories is measured from `now` (canonical UTC text); the lock uses the real time of `clock`.
    """

    conn: Connection
    policy: Policy
    now: str
    run: str
    embedder: Embedder | None = None
    summariser: Summariser = field(default_factory=Extractive)
    clock: lock.Clock = utc_now

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction of this run. It also renews the run's lock, so that no other run takes it."""
        with writing(self.conn):
            lock.renew(self.conn, self.run, self.clock)
            yield

    def embed(self, keys: Iterable[int]) -> None:
        """Makes new vectors for memories whose text or neighbours changed. Without an embedder, drops the old ones."""
        vectors.refresh(self.conn, self.embedder, keys)
