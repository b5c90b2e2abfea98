"""Starts workers, gives them blocks of inputs, and notices findings, workers that die, and inputs that hang."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import wait

from fuzz import cases as as_text
from fuzz import targets
from fuzz.worker import Finding, Task, work

HANGS = 60.0  # seconds of the clock without a sign of life: much, because the machine may be shared

Told = Callable[[Finding], None]


class Worker:
    """A process at work, and what it is working on."""

    def __init__(self, seed: int):
        self.seed = seed
        fork = multiprocessing.get_context("fork")
        self.asked, asked = fork.Pipe()
        self.told, told = fork.Pipe()
        self.at = fork.Value("i", -1)
        self.process = fork.Process(target=work, args=(seed, asked, told, self.at), daemon=True)
        self.process.start()
        asked.close()
        told.close()
        self.task: Task | None = None
        self.seen, self.since = -1, time.monotonic()

    def ask(self, task: Task | None) -> None:
        """Gives it a block to try; None ends it."""
        self.task, self.seen, self.since = task, -1, time.monotonic()
        self.asked.send(task)

    def hangs(self) -> bool:
        """Whether it has been at the same input for too long."""
        if self.at.value != self.seen or self.at.value < 0:
            self.seen, self.since = self.at.value, time.monotonic()
        return time.monotonic() - self.since > HANGS

    def kill(self) -> None:
        """Ends it, after it has said on standard error where it is."""
        os.kill(self.process.pid or 0, signal.SIGUSR1)
        time.sleep(0.3)
        self.process.kill()
        self.process.join()


def run(plan: Plan, seed: int, jobs: int, on_finding: Told, on_block: Callable[[Task], None]) -> None:
    """Tries all blocks with so many processes at once. A process that dies or hangs is a finding, and is replaced."""
    tasks = iter(plan)
    idle = [Worker(seed) for _ in range(jobs)]
    busy: list[Worker] = []
    started: dict[Worker, float] = {}
    more = True
    while True:
        while idle and more:
            task = next(tasks, None)
            more = task is not None
            if task is not None:
                idle[-1].ask(task)
                started[idle[-1]] = time.monotonic()
                busy.append(idle.pop())
        if not busy:
            break
        wait([one.told for one in busy] + [one.process.sentinel for one in busy], timeout=1.0)
        for one in list(busy):
            done = _heard(one, on_finding)
            if done is None:
                continue
            busy.remove(one)
            assert one.task is not None
            plan.took(one.task, time.monotonic() - started.pop(one))
            on_block(one.task)
            idle.append(one if done else Worker(seed))
    for one in idle:
        one.ask(None)
        one.process.join()


def _heard(one: Worker, on_finding: Told) -> bool | None:
    """True if its block is done, False if it is dead (then that was told as a finding), None if it is at work."""
    try:
        while one.told.poll():
            said = one.told.recv()
            if said is None:
                return True
            on_finding(said)
    except (EOFError, OSError):
        pass
    how = ""
    if one.hangs():
        how = "Hang"
        one.kill()
    elif not one.process.is_alive():
        how = f"Died {one.process.exitcode}"
    if not how:
        return None
    on_finding(_fatal(one, how))
    return False


def _fatal(one: Worker, how: str) -> Finding:
    assert one.task is not None
    number = max(one.at.value, 0)
    inputs = targets.cases(one.task.name, one.seed, one.task.block)[number : number + 1]
    return Finding(*one.task, number, how, how, as_text.dumped(inputs))


# The share of the time that a target gets, if it is not 1: cheap inputs are tried in greater numbers.
SHARES = {"text": 8.0, "read": 6.0, "settings": 3.0, "sql": 2.0, "question": 2.0}


class Plan:
    """Which block comes next: the next one of the target that is furthest from its share, until the time is over."""

    def __init__(
        self, names: Sequence[str], *, first: int = 0, blocks: int | None = None, seconds: float | None = None
    ):
        self.next = dict.fromkeys(names, first)
        self.spent = dict.fromkeys(names, 0.0)
        self.last = None if blocks is None else first + blocks
        self.end = None if seconds is None else time.monotonic() + seconds

    def __iter__(self) -> Iterator[Task]:
        while self.end is None or time.monotonic() < self.end:
            open = [name for name, block in self.next.items() if self.last is None or block < self.last]
            if not open:
                return
            name = min(open, key=lambda name: self.spent[name])
            self.next[name] += 1
            self.spent[name] += 0.01  # several workers begin at once
            yield Task(name, self.next[name] - 1)

    def took(self, task: Task, seconds: float) -> None:
        """Counts the time that a block took."""
        self.spent[task.name] += seconds / SHARES.get(task.name, 1.0)
