"""Debouncing: work waits until the user stops typing, on whatever thread the changes arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Lock
from typing import Any

PAUSE = 0.08  # seconds without a change before the work begins


class Overtaken(Exception):
    """Raised by work that notices that its result is no longer needed."""


class Latest:
    """Runs work after its inputs have stopped changing; only the result for the last change is shown.

    `later()` reports a change. With a running event loop, the work begins after a pause; without one (a script, a test,
    another thread), at once. `now()` does waiting work immediately. Every change has a number, and the result of an
    older change is dropped. (Tasks are not cancelled: JupyterLab sends changes on several threads, and a task can only
    be cancelled on its own thread.) With `aside` the work runs in a thread, so that the user can go on typing; the
    event loop shows the result.
    """

    def __init__(
        self, work: Callable[[], Any], show: Callable[[Any], None], pause: float = PAUSE, *, aside: bool = False
    ):
        self.work, self.show, self.pause, self.aside = work, show, pause, aside
        self.changes = 0
        self._shown = 0
        self._lock = Lock()
        self._waiting: set[asyncio.Task[None]] = set()

    def later(self, _: Any = None) -> None:
        """Reports a change: the work is done after a pause, or at once without an event loop."""
        with self._lock:
            self.changes += 1
            change = self.changes
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._do(change)
            return
        task = loop.create_task(self._after_a_pause(change))
        self._waiting.add(task)  # the event loop does not keep references to its tasks
        task.add_done_callback(self._waiting.discard)

    def now(self) -> None:
        """Shows the answer to the last change, if it is not shown yet."""
        self._do(self.changes)

    async def _after_a_pause(self, change: int) -> None:
        await asyncio.sleep(self.pause)
        if self._wanted(change) and self.aside:
            self._take(change, await asyncio.to_thread(self._worked))
        else:
            self._do(change)

    def _do(self, change: int) -> None:
        if self._wanted(change):
            self._take(change, self._worked())

    def _worked(self) -> tuple[Any, ...]:
        """The result as a tuple of one, or an empty tuple if the work was overtaken."""
        try:
            return (self.work(),)
        except Overtaken:
            return ()

    def _wanted(self, change: int) -> bool:
        return self._shown < change == self.changes

    def _take(self, change: int, results: tuple[Any, ...]) -> None:
        with self._lock:
            wanted = self._wanted(change)
            if wanted and results:
                self._shown = change
        if wanted:
            for result in results:
                self.show(result)
