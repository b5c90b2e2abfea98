"""Meanwhile: work that another thread does while this one goes on.

It helps where both let the interpreter go: numpy and SQLite do. It saves time, and no work.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TypeVar

Value = TypeVar("Value")


def meanwhile(work: Callable[[], Value]) -> Callable[[], Value]:
    """A function that waits for what `work` returns, which another thread does from now on; it raises what it raises.

    Where no thread can be started, the work is done when it is asked for.

    >>> meanwhile(lambda: 6 * 7)()
    42
    """
    found: list[Value] = []

    def run() -> None:
        with suppress(MemoryError):  # whoever asks tries again, and sees it
            found.append(work())

    thread = Thread(target=run, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        return work

    def result() -> Value:
        thread.join()
        return found[0] if found else work()

    return result
