"""Kills a process at a random moment of an operation, and looks what is left."""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from operations import Operation, done, file_of, must_be_same, whole

from memkit import MemoryDatabase


class Life(NamedTuple):
    """How a forked process ended: whether by the kill, what it told, how long it worked, and what it said of itself."""

    killed: bool
    told: list[str]
    seconds: float
    trouble: str


def live(operation: Operation, folder: Path, after: float | None) -> Life:
    """Does the operation in a forked process, which is warm because this one is, and kills it after so many seconds."""
    reads, writes = os.pipe()
    process = os.fork()
    if not process:
        _child(operation, folder, writes)
    os.close(writes)
    os.read(reads, 1)  # it begins
    began = time.monotonic()
    if after is not None:
        select.select([], [], [], after)
        os.kill(process, signal.SIGKILL)
    with os.fdopen(reads, "rb") as stream:
        said = stream.read()
    _, status = os.waitpid(process, 0)
    took = time.monotonic() - began
    lines = said.decode("utf-8", "replace").split("\n")[:-1]
    trouble = [line for line in lines if line.startswith("!")]
    return Life(os.WIFSIGNALED(status), [line for line in lines if not line.startswith("!")], took, "\n".join(trouble))


def _child(operation: Operation, folder: Path, writes: int) -> None:
    """Never returns."""
    try:
        os.write(writes, b".")
        with MemoryDatabase(file_of(folder)) as db:
            operation.do(db, folder, lambda text: (os.write(writes, f"{text}\n".encode()), None)[1])
    except BaseException:  # noqa: BLE001 (the parent is told, and ends the test)
        os.write(writes, f"!{traceback.format_exc()}".replace("\n", "\n!").encode() + b"\n")
    finally:
        os._exit(0)


class Kills:
    """An operation that is killed again and again."""

    def __init__(self, operation: Operation, folder: Path, random: Random):
        self.operation, self.random = operation, random
        self.fresh, self.folder, undisturbed = folder / "fresh", folder / "killed", folder / "undisturbed"
        self.fresh.mkdir(parents=True)
        operation.prepare(self.fresh)
        shutil.copytree(self.fresh, undisturbed)
        first = live(operation, undisturbed, None)
        if first.trouble:
            raise RuntimeError(first.trouble)
        self.seconds = first.seconds
        whole(operation, undisturbed, first.told)
        self.wanted: Any = operation.result(undisturbed)
        shutil.copytree(self.fresh, self.folder)
        self.told: list[str] = []
        self.kills = self.finished = 0

    def once(self) -> None:
        """One kill, and all checks; then, half of the time, the operation is done to its end and compared."""
        while True:
            found = live(self.operation, self.folder, self.random.random() * self.seconds)
            self.told += found.told
            if found.trouble:
                raise RuntimeError(found.trouble)
            whole(self.operation, self.folder, self.told)
            if found.killed:
                break
            self._compared()
        self.kills += 1
        if self.random.random() < 0.5:
            self._compared()

    def _compared(self) -> None:
        """Does it to its end: the result is as without any kill. Then all begins again."""
        must_be_same(self.wanted, done(self.operation, self.folder))
        self.finished += 1
        shutil.rmtree(self.folder)
        shutil.copytree(self.fresh, self.folder)
        self.told = []


def warm() -> None:
    """Loads in this process what an operation needs, so that a forked one begins at once."""
    with MemoryDatabase() as db:
        db.remember("Rosa planted the quince.")
        db.recall("who planted the quince?")
        db.maintain()

    sys.stdout.flush()
