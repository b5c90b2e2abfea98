"""A second process: another Python that does some of the work of a long run, and changes nothing but how long it takes.

Work is a function of a module. Its first argument is what both processes were told (`tell`), the others are a part of
the work. Parts may be done in any order, here or there; each result is given back where it is asked for. What the other
process does not do, because there is none, because it has died, hangs or cannot do it, is done here.

`multiprocessing` would import the user's own script once more, or copy a process that has threads. This is a new Python
that imports only what its parts need.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Condition, Thread
from typing import IO, Any, TypeVar

Item = TypeVar("Item")
Part = tuple[Callable[..., Any], Any]  # a function and its argument

SWITCH = "MEMKIT_PROCESSES"  # environment variable: 1 for no second process
AHEAD = 2  # parts that the other process has: one that it works on, and the next
WAITING = 32  # parts of a run that may be done ahead of where it is
PATIENCE = 10.0  # seconds for a part: somebody may wait for a lock meanwhile
PIPE = 1 << 20  # bytes that a pipe holds, where the system lets us say so: without, each would wait for the other
START = "import sys; sys.path[:] = {!r}; from memkit.core.second_process import serve; serve()"
NOTHING = object()  # no result yet


class Task:
    """A part of the work, and its result once it is done."""

    __slots__ = ("argument", "result", "taken", "work")

    def __init__(self, work: Callable[..., Any], argument: Any):
        self.work, self.argument = work, argument
        self.taken = False  # somebody works on it
        self.result: Any = NOTHING

    @property
    def done(self) -> bool:
        """Whether it has a result."""
        return self.result is not NOTHING


class SecondProcess:
    """Another process, once it is started; without one, each part is done here when its result is asked for."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}  # what was told, and what the parts that are done here keep there
        self._told: dict[str, Any] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._threads: list[Thread] = []
        self._changed = Condition()  # guards what follows
        self._works = False
        self._tasks: deque[Task] = deque()  # that nobody has begun
        self._sent: deque[Task] = deque()  # that the other process has

    def __enter__(self) -> SecondProcess:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the other process."""
        self._give_up()
        for thread in self._threads:
            thread.join()
        if self._process is not None:
            with suppress(OSError), self._process:  # closes the pipes, one of which may be broken
                pass

    @property
    def works(self) -> bool:
        """Whether there is another process."""
        return self._works

    def start(self) -> None:
        """Starts the other process, if there is a processor for it, and nobody has switched it off."""
        if self._process is not None or not is_useful():
            return
        with suppress(OSError, RuntimeError):  # no process, or no thread, can be started
            self._process = _started()
            self._works = True
            self.tell(**self._told)
            for loop in (self._send, self._receive):
                thread = Thread(target=loop, args=(self._process,), daemon=True)
                thread.start()
                self._threads.append(thread)
            return
        self._give_up()

    def tell(self, **values: Any) -> None:
        """Values that parts find under their names from now on, in both processes."""
        self._told |= values
        self._known |= values
        self._wait_for(Task(dict.update, values))

    def begin(self, work: Callable[..., Any], argument: Any) -> Task:
        """A part that may be done from now on."""
        return self._wait_for(Task(work, argument))

    def result(self, task: Task) -> Any:
        """The result of a part. While the other process works on it, later parts are done here."""
        while True:
            with self._changed:
                if task.done:
                    return task.result
                mine = self._next_here(task)
                if mine is None:
                    if not self._changed.wait(PATIENCE):
                        self._give_up()
                    continue
            found = mine.work(self._known, mine.argument)
            with self._changed:
                mine.result = found

    def in_order(self, items: Iterable[tuple[Item, Part]]) -> Iterator[tuple[Item, Any]]:
        """Each item with the result of its part. With another process, parts are taken ahead of what is given."""
        waiting: deque[tuple[Item, Task]] = deque()
        for item, part in items:
            waiting.append((item, self.begin(*part)))
            while len(waiting) > (WAITING if self._works else 0):
                first, task = waiting.popleft()
                yield first, self.result(task)
        for first, task in waiting:
            yield first, self.result(task)

    # ------------------------------------------------------------------------------------------ who does what

    def _wait_for(self, task: Task) -> Task:
        with self._changed:
            if self._works:
                self._tasks.append(task)
                self._changed.notify_all()
        return task

    def _next_here(self, task: Task) -> Task | None:
        """The part to do here: this one, or the last of those that nobody has begun, if the other process has it."""
        found = task
        if task.taken:
            later = (one for one in reversed(self._tasks) if one.work is not dict.update)
            if (last := next(later, None)) is None:
                return None
            found = last
        found.taken = True
        with suppress(ValueError):  # without another process, none is waiting
            self._tasks.remove(found)
        return found

    def _next_there(self) -> Task | None:
        """The next part for the other process, once it has room; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: not self._works or (self._tasks and len(self._sent) < AHEAD))
            if not self._works:
                return None
            task = self._tasks.popleft()
            task.taken = True
            self._sent.append(task)
            return task

    def _give_up(self) -> None:
        """Leaves to this process whatever is not done."""
        with self._changed:
            self._works = False
            for task in self._sent:
                task.taken = False
            self._sent.clear()
            self._tasks.clear()
            self._changed.notify_all()
        if self._process is not None:
            self._process.kill()

    # ------------------------------------------------------------------------------------------ two threads

    def _send(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        with suppress(OSError):
            while task := self._next_there():
                _write(process.stdin, (task.work, task.argument))
            return
        self._give_up()

    def _receive(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout
        with suppress(OSError, EOFError):
            while True:
                done, result = _read(process.stdout)
                with self._changed:
                    if not self._works:
                        return
                    task = self._sent.popleft()
                    if done:
                        task.result = result
                    else:
                        task.taken = False  # to be done here, where its error is raised
                    self._changed.notify_all()
        self._give_up()


def is_useful() -> bool:
    """Whether a second process has a processor, can be started by the name of this Python, and was not switched off."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # A program that brings its own Python would be started once more itself.
    python = Path(sys.executable or "").stem.lower().startswith(("python", "pypy")) and not hasattr(sys, "frozen")
    return cores > 1 and python and os.environ.get(SWITCH) != "1"


def _started() -> subprocess.Popen[bytes]:
    # Its path is given to it before it imports anything: what lies in the current folder is not to be imported.
    start = START.format([place for place in sys.path if isinstance(place, str)])
    process = subprocess.Popen(
        [sys.executable, "-c", start], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        for pipe in filter(None, (process.stdin, process.stdout)):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE)
    return process


def _write(pipe: IO[bytes], value: Any) -> None:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    pipe.write(len(data).to_bytes(8, "little"))
    pipe.write(data)
    pipe.flush()


def _read(pipe: IO[bytes]) -> Any:
    """The next value. Raises EOFError at the end, which may be in the middle of one."""
    size = int.from_bytes(pipe.read(8), "little")
    data = pipe.read(size)
    if not size or len(data) < size:
        raise EOFError
    return pickle.loads(data)


# ---------------------------------------------------------------------------------------------- in the other process


def serve() -> None:
    """Does the parts that come in, until the process that sends them ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that people see
    parts, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a part prints is no result
    known: dict[str, Any] = {}
    with suppress(EOFError, BrokenPipeError):
        while True:
            _write(results, _done(known, *_read(parts)))


def _done(known: dict[str, Any], work: Callable[..., Any], argument: Any) -> tuple[bool, Any]:
    """Whether a part could be done, and its result."""
    try:
        return True, work(known, argument)
    except Exception:  # noqa: BLE001 (the other process tries it, and raises what it raises)
        return False, None
