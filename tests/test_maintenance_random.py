"""Any life leaves a sound database: things are taken in, kept up, undone, restored, decided and forgotten at random."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from random import Random

import pytest
from conftest import check_graph, check_indexes
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemkitError, MemoryDatabase
from memkit.maintenance.policy import STEP_NAMES
from memkit.storage.row_rules import COLUMNS, problem

NAMES = ("Rosa", "Otto", "my sister", "I", "user", "Uppsala", "Zoë", "北京")
SENTENCES = ("{a} loves {b}.", "I'm a {a}.", "{a} works at {b}.", "{a} moved from {b} to Lund.", "I used to like {b}.")
POLICY = {
    "episodes.compact_kinds": "episode, turn, fact",
    "episodes.least_tokens": "5",
    "observe.observer_tokens": "20",
    "observe.reflector_tokens": "30",
    "prune.user.cap": "2",
    "prune.user.min_age_days": "1",
}
DEEDS = (
    *("remember", "ingest", "maintain", "one step", "undo", "restore"),
    *("accept", "refuse", "forget", "forget for good", "vacuum", "feedback"),
)


class Life:
    """A database to which things happen, each some time after the last; `random` picks what it happens to."""

    def __init__(self, db: MemoryDatabase, random: Random):
        self.db, self.random, self.time = db, random, datetime(2026, 1, 1)
        db.set_policy(settings=POLICY)

    def do(self, deed: str) -> None:
        """Does it; what cannot be done is refused in words."""
        self.time += timedelta(hours=self.random.choice((1, 12, 30, 200)))
        with suppress(MemkitError):
            getattr(self, deed.replace(" ", "_"))(f"{self.time.isoformat()}Z")

    def text(self) -> str:
        """Some sentences about some names."""
        pick = self.random.choice
        return " ".join(pick(SENTENCES).format(a=pick(NAMES), b=pick(NAMES)) for _ in range(self.random.randint(1, 4)))

    def any_of(self, query: str) -> str:
        """An id that the query finds."""
        found = [row[0] for row in self.db.conn.execute(query)]
        return self.random.choice(found) if found else "none"

    def remember(self, now: str) -> None:
        self.db.remember(self.text(), kind=self.random.choice(("episode", "fact")), now=now)

    def ingest(self, now: str) -> None:
        turn = {"session": "s", "kind": "turn", "timestamp": now}
        self.db.ingest([{**turn, "id": n, "speaker": "AB"[n % 2], "text": self.text()} for n in range(3)], now=now)

    def maintain(self, now: str) -> None:
        self.db.maintain(now=now, only=STEP_NAMES)

    def one_step(self, now: str) -> None:
        self.db.maintain(now=now, only=[self.random.choice(STEP_NAMES)])

    def undo(self, now: str) -> None:
        self.db.undo(self.any_of("select id from maintenance union select run from maintenance"), now=now)

    def restore(self, now: str) -> None:
        self.db.unprune(self.any_of("select memory_id from pruned"), now=now)

    def accept(self, now: str) -> None:
        self.db.accept(self.any_of("select id from proposals where state = 'open'"), now=now)

    def refuse(self, now: str) -> None:
        self.db.refuse(self.any_of("select id from proposals where state = 'open'"), now=now)

    def forget(self, now: str) -> None:
        self.db.forget(self.any_of("select id from memories"), now=now)

    def forget_for_good(self, now: str) -> None:
        self.db.forget(self.any_of("select id from memories"), hard=True, now=now)

    def vacuum(self, now: str) -> None:
        self.db.vacuum(now=now)

    def feedback(self, now: str) -> None:
        self.db.feedback(self.any_of("select id from memories"), self.random.random() < 0.5, now=now)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(DEEDS), min_size=3, max_size=14), st.randoms(use_true_random=False))
def test_whatever_happens_in_whatever_order_the_database_is_sound(deeds: list[str], random: Random) -> None:
    with MemoryDatabase() as db:
        life = Life(db, random)
        for deed in ("remember", "ingest", *deeds):
            life.do(deed)
            assert db.conn.execute("pragma foreign_key_check").fetchall() == []
            check_graph(db)
        check_indexes(db)
        for table in COLUMNS:  # an export of any life can be restored, and doctor finds nothing in it
            found = {problem(table, dict(row)) for row in db.conn.execute(f"select * from {table}")}
            assert found <= {None}, table
        db.recall("Rosa")
