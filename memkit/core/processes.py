"""Processes of the operating system: whether the one that left a lock or a file behind still runs."""

from __future__ import annotations

import os


def is_running(process: int) -> bool:
    """Whether a process with this number runs. On Windows always true, because asking would end the process."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it runs, and belongs to another user
        return True
    return True
