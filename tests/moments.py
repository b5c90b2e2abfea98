"""A process that ends itself at a counted moment: the same moments on every machine, however fast and busy it is."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from memkit.storage import driver

OF_FILES = {"open", "os.mkdir", "os.remove", "os.rename", "os.rmdir"}


class Moments:
    """Moments of this process, counted in `seen`. At the `last` one it sends itself the signal."""

    def __init__(self, last: int = 0, sent: int = signal.SIGKILL):
        self.last, self.sent, self.seen = last, sent, 0

    def note(self, *_: Any) -> None:
        """One more."""
        self.seen += 1
        if self.seen == self.last:
            os.kill(os.getpid(), self.sent)

    def of_statements(self) -> Moments:
        """A moment is a statement that begins, on any connection that memkit opens from here on."""
        connect = driver.connect

        def connected(*arguments: Any, **options: Any) -> Any:
            conn = connect(*arguments, **options)
            conn.set_trace_callback(self.note)
            return conn

        driver.connect = connected
        return self

    def of_files(self, folder: str) -> Moments:
        """A moment is something in a folder that is opened, made, renamed or deleted."""
        sys.addaudithook(
            lambda event, about: self.note() if event in OF_FILES and str(about[0]).startswith(folder) else None
        )
        return self
