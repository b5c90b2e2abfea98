"""Job bar: what a long job does, and how far it is.

A thread of its own draws it, so that it also moves while one batch lasts.
"""

from __future__ import annotations

from contextvars import copy_context
from threading import Event, Thread
from time import monotonic
from typing import TypeVar

EVERY = 0.5  # seconds between two drawings

Bar = TypeVar("Bar", bound="JobBar")


class JobBar:
    """What a long job does, how much of it is done, of how much, and for how long; shown after `patience` seconds.

    Where it is drawn, a subclass says.
    """

    def __init__(self, total: int | None, unit: str, patience: float):
        self._unit, self._patience, self._begun = unit, patience, monotonic()
        self._over = Event()
        self.phase("", total)

    def phase(self, name: str, total: int | None = None, done: int = 0, unit: str | None = None) -> None:
        """Begins another part of the job, of which `done` are done already."""
        self._name, self._total, self._done, self._since = name, total, done, monotonic()
        self._before, self._unit = done, unit or self._unit

    def tell(self, done: int, total: int | None = None) -> None:
        """Counts what was done since the last call; `total` once it is known."""
        self._total = total or self._total
        self._done += done

    def __enter__(self: Bar) -> Bar:
        # A kernel knows by the context into the output of which cell the thread draws.
        self._thread = Thread(target=copy_context().run, args=(self._show,), name="memkit-progress", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _show(self) -> None:
        if self._over.wait(self._patience):
            return
        self.begin()
        while not self._over.wait(EVERY):
            self.draw()
        self.remove()

    def begin(self) -> None:
        """Draws it for the first time."""
        self.draw()

    def draw(self) -> None:
        """Draws it again."""
        raise NotImplementedError

    def remove(self) -> None:
        """Takes it away when the job is over."""
        raise NotImplementedError

    @property
    def share(self) -> float | None:
        """How much of this part of the job is done, from 0 to 1; None where nobody knows."""
        return self._done / self._total if self._total and self._done <= self._total else None

    def sentence(self) -> str:
        """`finding names · 8,000 of 20,000 memories · 0:12, about 0:18 left`; as much of it as is known."""
        now, done, total = monotonic(), self._done, self._total
        of = f" of {total:,}" if total and done <= total else ""
        time = _clock(now - self._begun)
        if of and done > self._before:
            left = (now - self._since) * (total - done) / (done - self._before)  # type: ignore[operator]
            time += f", about {_clock(left)} left"
        count = f"{done:,}{of} {self._unit}" if done or of else ""
        return " · ".join(filter(None, (self._name, count, time)))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"
