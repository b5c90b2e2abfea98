"""Progress bar of a notebook: HTML that a thread of its own draws again, so that it also moves while one batch lasts.

It is an output that is replaced, and no widget: a notebook that is saved, or whose kernel dies, has no model to miss.
"""

from __future__ import annotations

from contextvars import copy_context
from html import escape
from threading import Event, Thread
from time import monotonic
from uuid import uuid4

EVERY = 0.5  # seconds between two drawings
STYLE = "width:16em;max-width:100%;vertical-align:middle;accent-color:var(--jp-brand-color1)"


class NotebookBar:
    """What a long job does, how much of it is done, of how much, and for how long; shown after `patience` seconds."""

    def __init__(self, total: int | None, unit: str, patience: float):
        self._unit, self._patience, self._begun = unit, patience, monotonic()
        self._id = f"memkit-{uuid4().hex}"
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

    def __enter__(self) -> NotebookBar:
        # The thread draws into the output of the cell that this thread runs: a kernel knows it by the context.
        self._thread = Thread(target=copy_context().run, args=(self._draw,), name="memkit-progress", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _draw(self) -> None:
        from IPython.display import display, update_display

        if self._over.wait(self._patience):
            return
        display(self._bundle(), raw=True, display_id=self._id)  # type: ignore[no-untyped-call]
        while not self._over.wait(EVERY):
            update_display(self._bundle(), raw=True, display_id=self._id)  # type: ignore[no-untyped-call]
        update_display({"text/plain": ""}, raw=True, display_id=self._id)  # type: ignore[no-untyped-call]

    def _bundle(self) -> dict[str, str]:
        sentence = self.sentence()
        known = f' value="{self._done}" max="{self._total}"' if self._total and self._done <= self._total else ""
        drawn = f'<progress aria-label="{escape(sentence)}" style="{STYLE}"{known}></progress>'
        return {"text/plain": sentence, "text/html": f"<div>{drawn} <span>{escape(sentence)}</span></div>"}

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
