"""Time limits for calls that may hang, such as a request to a server: the caller waits so long, and then goes on."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Event, Lock, Thread
from typing import Any, TypeVar

Result = TypeVar("Result")

_lock = Lock()
_hanging: dict[Hashable, Event] = {}  # calls that have outlived their limit, by key; the event is set when they end


def within(seconds: float, key: Hashable, work: Callable[[], Result]) -> Result:
    """The result of `work()`, which runs in a thread of its own. Raises TimeoutError if it takes longer.

    Nothing can stop a thread that hangs, so only one may hang for each key: while it does, the next call raises
    TimeoutError at once. The process can end without waiting for it.
    """
    with _lock:
        if (late := _hanging.get(key)) is not None and not late.is_set():
            raise TimeoutError("an earlier call has not been answered yet")
    done = Event()
    answer: list[Any] = []
    trouble: list[BaseException] = []

    def run() -> None:
        try:
            answer.append(work())
        except BaseException as error:  # noqa: BLE001 (raised again below, on the thread that waits)
            trouble.append(error)
        finally:
            done.set()

    Thread(target=run, daemon=True, name=f"memkit {key}").start()
    if not done.wait(seconds):
        with _lock:
            _hanging[key] = done
        raise TimeoutError(f"there was no answer within {seconds:g} seconds")
    if trouble:
        raise trouble[0]
    result: Result = answer[0]
    return result
