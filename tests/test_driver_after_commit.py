"""What waits for the end of a transaction is done once it is committed, all of it, and never if it is undone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memkit import MemoryDatabase
from memkit.storage.driver import after_commit, writing


def write(db: MemoryDatabase, *works: Callable[[], object], undone: bool = False) -> None:
    """A transaction at whose end these are to be called."""
    with writing(db.conn):
        for work in works:
            after_commit(db.conn, work)
        if undone:
            raise KeyError


def test_all_that_waits_is_called_and_the_first_error_is_told(mem: MemoryDatabase) -> None:
    done: list[bool] = []

    def fails() -> None:
        raise ValueError("the first")

    with pytest.raises(ValueError, match="the first"):
        write(mem, fails, lambda: done.append(mem.conn.in_transaction))
    assert done == [False]
    write(mem)
    assert done == [False]  # nothing waits any longer


def test_nothing_is_called_if_the_transaction_or_a_part_of_it_is_undone(mem: MemoryDatabase) -> None:
    done: list[str] = []
    with pytest.raises(KeyError):
        write(mem, lambda: done.append("undone"), undone=True)
    with writing(mem.conn):
        with pytest.raises(KeyError):
            write(mem, lambda: done.append("a part"), undone=True)
        write(mem, lambda: done.append("kept"))
        assert done == []
    assert done == ["kept"]
    after_commit(mem.conn, lambda: done.append("at once"))
    assert done == ["kept", "at once"]


def test_nothing_is_called_if_the_commit_fails_and_the_next_transaction_calls_only_its_own(mem: MemoryDatabase) -> None:
    done: list[str] = []

    row = "(memory_key, model_key, vector, code) values (987654, 987654, zeroblob(4), zeroblob(1))"

    def fails() -> None:
        with writing(mem.conn):
            mem.conn.execute("pragma defer_foreign_keys = on")  # so that the commit finds it
            after_commit(mem.conn, lambda: done.append("of the one that failed"))
            mem.conn.execute(f"insert into embeddings {row}")

    with pytest.raises(Exception, match="FOREIGN KEY"):
        fails()
    assert not mem.conn.in_transaction
    write(mem, lambda: done.append("of the next"))
    assert done == ["of the next"]
