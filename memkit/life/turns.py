"""Whose turn it is to maintain a database: one at a time, and nobody waits for one who has died."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from memkit import store
from memkit.driver import writing
from memkit.errors import Busy
from memkit.life.ages import days_between, hours_later
from memkit.text import text_hash

SETTING = "maintainer"  # JSON: machine, process, run, until
HOURS = 1.0  # after so long without a sign of life somebody is taken to have died, wherever that was

Clock = Callable[[], str]  # the time on the wall, whatever time a run takes for now


@contextmanager
def turn(conn: Any, run: str, clock: Clock) -> Iterator[None]:
    """Within this block nobody else maintains the database. Raises Busy if somebody does already."""
    take(conn, run, clock)
    try:
        yield
    finally:
        _leave(conn, run)


def take(conn: Any, run: str, clock: Clock) -> None:
    """Says that this run is at work, for HOURS from now. Raises Busy if another one is."""
    with writing(conn):
        other = store.setting(conn, SETTING)
        if other and other["run"] != run and _is_at_work(other, clock()):
            raise Busy(
                f"Another process ({other['process']}) has been maintaining this database. What is due will be done "
                f"there. If that process hangs, end it."
            )
        _say(conn, run, clock)


def keep(conn: Any, run: str, clock: Clock) -> None:
    """Says that this run is still at work, if it is its turn; inside a transaction."""
    if (store.setting(conn, SETTING) or {}).get("run") == run:
        _say(conn, run, clock)


def _say(conn: Any, run: str, clock: Clock) -> None:
    mine = {"machine": _machine(), "process": os.getpid(), "run": run, "until": hours_later(clock(), HOURS)}
    store.set_setting(conn, SETTING, mine)


def _leave(conn: Any, run: str) -> None:
    with writing(conn):
        if (store.setting(conn, SETTING) or {}).get("run") == run:
            store.set_setting(conn, SETTING, None)


def _is_at_work(other: dict[str, Any], now: str) -> bool:
    """Whether somebody lives who said that they are at work; a clock that jumped makes nobody wait for ever."""
    lately = 0 < days_between(now, other["until"]) * 24 <= HOURS
    return lately and (other["machine"] != _machine() or _lives(other["process"]))


def _lives(process: int) -> bool:
    if os.name == "nt":  # there, to ask is to end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _machine() -> str:
    """Which machine this is, without its name."""
    return text_hash("machine", socket.gethostname())
