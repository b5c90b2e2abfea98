"""Maintenance lock: only one run at a time in a database. The lock of a process that has died does not count."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from memkit.core.errors import Busy
from memkit.core.processes import is_running
from memkit.maintenance.dates import days_between, hours_later
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.text.words import text_hash

SETTING = "maintainer"  # JSON: machine, process, run, until
HOURS = 1.0  # a run that has not renewed its lock for so long counts as dead, on any machine

# The runs of this process. One that has ended holds no lock, even if there was no room on the disk to give it back.
_at_work: set[str] = set()

Clock = Callable[[], str]  # returns the real time, which may differ from the `now` of a run


@contextmanager
def turn(conn: Connection, run: str, clock: Clock) -> Iterator[None]:
    """Holds the lock in this block, so that nobody else maintains the database. Raises Busy if somebody does."""
    try:
        acquire(conn, run, clock)
        try:
            yield
        finally:
            _leave(conn, run)
    finally:
        _at_work.discard(run)


def acquire(conn: Connection, run: str, clock: Clock) -> None:
    """Takes or renews the lock of this run for HOURS from now. Raises Busy if another run holds it."""
    _at_work.add(run)
    with writing(conn):
        other = store.setting(conn, SETTING, {})
        if other.get("run") != run and _is_at_work(other, clock()):
            raise Busy(
                f"Another process ({other['process']}) is maintaining this database and does the steps that are due. "
                f"Wait for it. If it hangs, end it."
            )
        _say(conn, run, clock)


def renew(conn: Connection, run: str, clock: Clock) -> None:
    """Renews the lock if this run holds it. Call it inside a transaction."""
    if store.setting(conn, SETTING, {}).get("run") == run:
        _say(conn, run, clock)


def _say(conn: Connection, run: str, clock: Clock) -> None:
    mine = {"machine": _machine(), "process": os.getpid(), "run": run, "until": hours_later(clock(), HOURS)}
    store.set_setting(conn, SETTING, mine)


def _leave(conn: Connection, run: str) -> None:
    with writing(conn):
        if store.setting(conn, SETTING, {}).get("run") == run:
            store.set_setting(conn, SETTING, None)


def _is_at_work(other: dict[str, Any], now: str) -> bool:
    """Whether the lock's holder still runs. A lock for more than HOURS (a clock that jumped) does not count.

    Neither does a lock that is none, in a file from elsewhere.
    """
    try:
        if not 0 < days_between(now, other["until"]) * 24 <= HOURS:
            return False
        if other["machine"] != _machine():
            return True
        return other["run"] in _at_work if other["process"] == os.getpid() else is_running(other["process"])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return False


def _machine() -> str:
    """A hash of the machine's name, so that the name itself is not stored."""
    return text_hash("machine", socket.gethostname())
