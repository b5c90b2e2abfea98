"""How much work something is, and how it grows. No test holds seconds against a limit: machines differ."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from memkit.sources import read

Work = Callable[[], Any]
Made = Callable[[int], str]  # the text of a file of some length


def steps(work: Work) -> int:
    """How many lines Python runs, each round of a loop anew: alike everywhere. What a library does is one call."""
    counted = 0

    def note(_frame: Any, event: str, _arg: Any) -> Any:
        nonlocal counted
        counted += event == "line"
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        work()
    finally:
        sys.settrace(before)
    return counted


def takes_at_most(times: float, large: Work, small: Work) -> bool:
    """Whether one work takes at most so many times the processor's time of the other.

    For what can't be counted, such as the steps of a regular expression. Whatever else runs makes a measurement longer,
    never shorter: each is the best of several. So this is the same on a slow machine as on a fast one, if the bound is
    some times the figure that is expected.
    """
    least = [float("inf"), float("inf")]
    for _ in range(5):
        for place, work in ((0, small), (0, small), (0, small), (1, large)):
            least[place] = min(least[place], _seconds(work))
        if least[1] <= times * least[0]:
            return True
    return False


def _seconds(work: Work) -> float:
    """The processor's time of this work, without the garbage collector: it looks through all that other tests left."""
    gc.disable()
    try:
        start = time.thread_time()
        work()
        return time.thread_time() - start
    finally:
        gc.enable()


def grows_in_proportion(work: Callable[[str], Any], text: str) -> bool:
    """Whether work on a text of any shape grows with its length, not with the square of it.

    The whole text takes about 16 times as long as a sixteenth of it, or 256 times where something grows with the
    square. 64 lies between them.
    """
    number = count()  # never the same text again: it might be remembered
    part = text[: len(text) // 16]
    return takes_at_most(64, lambda: work(f"{next(number)}\n{text}"), lambda: work(f"{next(number)}\n{part}"))


def reads_in_proportion(
    folder: Path, format: str, made: Callable[[int], str], name: str = "a.txt", n: int = 200
) -> bool:
    """Whether reading a file that is made for `8 * n` takes no more than some times as long as one for `n`."""
    paths = [folder / str(size) / name for size in (n, 8 * n)]
    for path, size in zip(paths, (n, 8 * n), strict=True):
        path.parent.mkdir()
        path.write_text(made(size), encoding="utf-8", newline="")
    small, large = (lambda path=path: list(read(path, format=format)) for path in paths)
    return takes_at_most(20, large, small)
