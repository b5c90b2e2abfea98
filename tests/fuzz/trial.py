"""One trial: inputs in a world of their own; what came of it; and fewer or smaller inputs with the same outcome."""

from __future__ import annotations

import resource
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fuzz.soundness import Harmed
from fuzz.targets import target

SLOW = 2.0  # seconds in which the processor works on one input
GROWTH = 400 * 1024  # KiB of memory for one input
TRIES = 200  # to make a finding smaller

# In memory if there is such a place: the trials measure no disk, and should wear none out.
FOLDERS = next((str(path) for path in (Path("/dev/shm"),) if path.is_dir()), None)


@dataclass(frozen=True)
class Outcome:
    """What went wrong: `sign` tells one kind from another, `said` is the trace for people."""

    sign: str
    said: str


class Slow(Exception):
    """One input took longer than SLOW seconds of the processor."""


class Large(Exception):
    """One input took more memory than GROWTH."""


def outcome(error: BaseException) -> Outcome:
    """The exception, and the last line of memkit that it went through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/memkit/" in frame.filename] or list(frames)
    where = f"{ours[-1].filename.rsplit('/memkit/', 1)[-1]}:{ours[-1].name}" if ours else ""
    what = str(error)[:60] if isinstance(error, Harmed | Slow | Large) else ""
    said = "".join(traceback.format_exception(error)).encode("utf-8", "backslashreplace").decode()
    return Outcome(f"{type(error).__name__} {where} {what}".strip(), said[-6000:])


def tried(name: str, cases: list[Any], noting: Callable[[int], None] = lambda _: None) -> Iterator[tuple[int, Outcome]]:
    """The outcomes of inputs that share a world, each with the number of its input; a check follows the last one."""
    with TemporaryDirectory(prefix="memkit-fuzz-", dir=FOLDERS) as folder:
        world = target(name).World(Path(folder))
        try:
            for number, case in enumerate(cases):
                noting(number)
                try:
                    _measured(world, case)
                except Exception as error:  # noqa: BLE001 (to see every one of them is the purpose)
                    yield number, outcome(error)
            try:
                world.check()
            except Exception as error:  # noqa: BLE001
                yield len(cases) - 1, outcome(error)
        finally:
            world.close()


def _measured(world: Any, case: Any) -> None:
    started, grown = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    world.run(case)
    if time.process_time() - started > SLOW:
        raise Slow(type(world).__module__)
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - grown > GROWTH:
        raise Large(type(world).__module__)


def again(name: str, cases: list[Any], sign: str) -> bool:
    """Whether these inputs, tried anew, have the same outcome; a slow one must be slow twice more."""
    for _ in range(2 if sign.startswith("Slow") else 1):
        if all(found.sign != sign for _, found in tried(name, cases)):
            return False
    return True


def smaller(name: str, cases: list[Any], sign: str) -> list[Any]:
    """As few and as small inputs as can be found in some tries that still have this outcome; none if it is gone."""
    if again(name, cases[-1:], sign):
        cases = cases[-1:]
    elif not again(name, cases, sign):
        return []
    left = 10 if sign.startswith("Slow") else TRIES
    going = True
    while going:
        going = False
        for fewer in _fewer(cases):
            left -= 1
            if left < 0:
                return cases
            if again(name, fewer, sign):
                cases, going = fewer, True
                break
    return cases


def _fewer(value: Any) -> Iterator[Any]:
    """The same value with less in it: without a half, without one part, with a smaller part, with a shorter text."""
    if isinstance(value, str | bytes | list) and len(value) > 1:
        size = len(value)
        step = size // 2
        while step:
            yield from (value[:at] + value[at + step :] for at in range(0, size, step))
            step = step // 2 if isinstance(value, list) or size < 40 or step > 8 else 0
    if isinstance(value, list):
        for at, part in enumerate(value):
            yield from ([*value[:at], smaller, *value[at + 1 :]] for smaller in _fewer(part))
    if isinstance(value, dict):
        for name in value:
            if isinstance(value[name], dict | list | str | bytes):
                yield from ({**value, name: smaller} for smaller in _fewer(value[name]))


def limit_memory(size: int = 6 << 30) -> None:
    """From here on, this process gets a MemoryError instead of all the memory of the machine."""
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
