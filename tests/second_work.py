"""Work for tests of the second process, which imports it as it imports memkit's own."""

from __future__ import annotations

import os
import time
from typing import Any


def square(known: dict[str, Any], number: int) -> tuple[int, int]:
    """The square of a number, and the process that found it."""
    time.sleep(known.get("seconds", 0))
    return number * number, os.getpid()


def dies_there(known: dict[str, Any], number: int) -> int:
    """The same, but any process other than the one that is told as `here` ends over it."""
    if os.getpid() != known["here"]:
        os._exit(1)
    return number * number


def prints(_: dict[str, Any], text: str) -> str:
    """Says a text, as a part never should."""
    print(text)  # noqa: T201 (it is what is tested)
    return text
