"""The ids of memories with equal texts: each has its own, and the last one is found as fast as the first."""

from __future__ import annotations

from growth import steps

from memkit import MemoryDatabase

NOW = "2026-03-01T12:00:00Z"


def taken_in(count: int) -> MemoryDatabase:
    db = MemoryDatabase(embed="none")
    db.ingest([{"text": "ok"}] * count, now=NOW)
    return db


def test_equal_texts_are_taken_in_in_a_time_that_grows_with_their_number() -> None:
    taken_in(10).close()
    few = steps(lambda: taken_in(2000).close())
    assert steps(lambda: taken_in(6000).close()) < 4 * few


def test_equal_texts_have_ids_of_their_own_and_the_same_ones_again() -> None:
    with taken_in(2500) as one, taken_in(2500) as other:
        ids = [row[0] for row in one.conn.execute("select id from memories order by key")]
        assert len({*ids}) == 2500
        assert ids == [row[0] for row in other.conn.execute("select id from memories order by key")]
        again = one.ingest([{"text": "ok"}] * 2500, now=NOW)
        assert (again.added, again.unchanged) == (0, 2500)
