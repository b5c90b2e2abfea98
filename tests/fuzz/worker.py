"""A process that tries inputs of several targets in turn, and tells its parent what came of them."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from collections import Counter
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from fuzz import cases as as_text
from fuzz import targets, trial

KEPT = 2  # findings of one kind that are told in full, for each target


class Task(NamedTuple):
    """A block of a target's inputs."""

    name: str
    block: int


class Finding(NamedTuple):
    """Something that must not happen: where, what, and the inputs that do it, as text."""

    name: str
    block: int
    number: int
    sign: str
    said: str
    inputs: str


def work(seed: int, asked: Connection, told: Connection, at: Any) -> None:
    """Tries the blocks that it is asked for. `at` is shared with the parent: the number of the input now tried."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    log = os.open("fuzz-findings/worker.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)  # what hosts print is no finding
    os.dup2(log, 2)
    faulthandler.enable(sys.stderr)
    faulthandler.register(signal.SIGUSR1, sys.stderr)
    trial.limit_memory()
    seen: Counter[str] = Counter()

    def note(number: int) -> None:
        at.value = number

    while (task := asked.recv()) is not None:
        cases = targets.cases(task.name, seed, task.block)
        found = []
        for number, outcome in trial.tried(task.name, cases, note):
            seen[f"{task.name} {outcome.sign}"] += 1
            if seen[f"{task.name} {outcome.sign}"] <= KEPT:
                found.append((number, outcome))
            elif not outcome.sign.startswith("Slow"):
                told.send(Finding(*task, number, outcome.sign, "", ""))
        for number, outcome in found:
            note(-1)
            fewest = trial.smaller(task.name, cases[: number + 1], outcome.sign)
            if fewest:
                told.send(Finding(*task, number, outcome.sign, outcome.said, as_text.dumped(fewest)))
            elif not outcome.sign.startswith("Slow"):
                said = f"It did not happen again.\n{outcome.said}"
                told.send(Finding(*task, number, outcome.sign, said, as_text.dumped(cases[: number + 1])))
        told.send(None)
