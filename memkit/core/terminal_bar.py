"""Progress bar of a terminal: a line on stderr that is written over, and gone when the job is over."""

from __future__ import annotations

import sys
from shutil import get_terminal_size

from memkit.core.job_bar import JobBar

WIDTH = 20  # characters of the bar itself


class TerminalBar(JobBar):
    """A bar in the last line of a terminal."""

    _shown = 0  # characters that stand there

    def draw(self) -> None:
        bar = "" if self.share is None else f"[{'#' * round(WIDTH * self.share):-<{WIDTH}}] "
        self._write(f"{bar}{self.sentence()}"[: get_terminal_size().columns - 1])

    def remove(self) -> None:
        self._write("", end="\r")

    def _write(self, line: str, end: str = "") -> None:
        sys.stderr.write(f"\r{line:<{self._shown}}{end}")
        sys.stderr.flush()
        self._shown = len(line)
