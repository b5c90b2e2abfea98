"""Waiting until somebody has stopped typing, whatever thread the typing arrives on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Lock
from typing import Any

PAUSE = 0.08  # seconds without a change before there is an answer


class Overtaken(Exception):
    """Raised by work that has noticed that nobody waits for it any more."""


class Latest:
    """Does some work once its cause has stopped changing; only the last work's result is shown.

    `later()` says that something has changed: where an event loop runs, the work begins after a pause, elsewhere (a
    script, a test, another thread) at once. `now()` does work that is still waiting. Every change has a number; work
    that is overtaken, before it began or while it ran, is passed over. (Nothing is cancelled: JupyterLab sends changes
    on several threads, and a task can only be cancelled on its own.) With `aside` the work runs in a thread, and typing
    goes on meanwhile; the result is shown by the loop.
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
        """Something has changed."""
        with self._lock:
            self.changes += 1
            change = self.changes
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._do(change)
            return
        task = loop.create_task(self._after_a_pause(change))
        self._waiting.add(task)  # a loop alone does not keep its tasks
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
        """The result as a tuple of one, or nothing, where the work was overtaken."""
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
