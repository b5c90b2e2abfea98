"""Work on Dask workers, in order: some of it is sent ahead, and what comes back keeps the order of what was sent."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from distributed import Client, Future

Item = TypeVar("Item")
Result = TypeVar("Result")
AHEAD = 3  # parts for each thread of the workers: one that it works on, and what waits for it
LOOK = 2.0  # seconds: so often a wait asks whether there are workers at all
PATIENCE = 60.0  # seconds without any worker: one that was killed is started again in a few


class Lost(Exception):
    """No worker gave an answer: the work itself failed there, or each worker died over it, or none is left."""


class _Killed(Lost):
    """Several workers died that had been given the part."""


class _Sent(NamedTuple):
    part: Any
    future: Future[Any]


def threads(client: Client) -> int:
    """How many parts the workers do at once: at least 1."""
    each: Iterable[int] = client.nthreads().values()
    return max(1, sum(each))


def in_order(
    client: Client, work: Callable[[Any], Result], items: Iterable[tuple[Item, Any]]
) -> Iterator[tuple[Item, Result | Lost | None]]:
    """Each item with the result of `work` on what stands beside it; without an answer, with a Lost that says why.

    What has None beside it is not sent. Items are taken only a few parts ahead of what is given, so endless ones are
    fine. Dask gives the part of a worker that died to another one.
    """
    workers = _Workers(client, work)
    waiting: deque[tuple[Item, _Sent | None]] = deque()
    at_work, most = 0, AHEAD * threads(client)
    try:
        for item, part in items:
            waiting.append((item, None if part is None else workers.send(part)))
            at_work += part is not None
            while waiting and (at_work > most or waiting[0][1] is None):
                first, sent = waiting.popleft()
                at_work -= sent is not None
                yield first, workers.answer(sent, waiting)
        while waiting:
            first, sent = waiting.popleft()
            yield first, workers.answer(sent, waiting)
    finally:
        client.cancel([sent.future for _, sent in waiting if sent is not None])


class _Workers:
    """The workers of a client at one kind of work."""

    def __init__(self, client: Client, work: Callable[[Any], Any]):
        self._client, self._work = client, work
        self._none_since: float | None = None

    def send(self, part: Any) -> _Sent:
        return _Sent(part, self._client.submit(self._work, part, pure=False))

    def answer(self, sent: _Sent | None, waiting: Iterable[tuple[Any, _Sent | None]]) -> Any:
        """What they made of a part, or a Lost. If they died, it is tried once more when no other part is at work.

        For Dask counts the death of a worker against all parts that the worker had, not only the one that it died over.
        """
        if sent is None:
            return None
        found = self._result(sent)
        if not isinstance(found, _Killed):
            return found
        for _, other in waiting:
            if other is not None:
                self._result(other)
        return self._result(self.send(sent.part))

    def _result(self, sent: _Sent) -> Any:
        from asyncio import CancelledError  # brings 15 ms of modules that a run without workers does not need

        from distributed import KilledWorker
        from distributed import TimeoutError as TooLong

        while sent.future.done() or self._are_left():
            try:
                return sent.future.result(timeout=LOOK)
            except TooLong:
                continue
            except KilledWorker as error:
                return _Killed(f"KilledWorker: {error}")
            except (Exception, CancelledError) as error:  # noqa: BLE001 (of the work, of a worker, of the network)
                return Lost(f"{type(error).__name__}: {error}")
        return Lost("no Dask worker is left")

    def _are_left(self) -> bool:
        """Whether there is a worker, or there was one less than PATIENCE ago; one wait is enough for all parts."""
        if self._client.nthreads():
            self._none_since = None
        elif self._none_since is None:
            self._none_since = monotonic()
        return self._none_since is None or monotonic() - self._none_since <= PATIENCE
