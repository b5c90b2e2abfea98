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
    waiting: deque[tuple[Item, _Sent | None]] = deque()
    at_work, most = 0, AHEAD * threads(client)
    try:
        for item, part in items:
            waiting.append((item, None if part is None else _Sent(part, client.submit(work, part, pure=False))))
            at_work += part is not None
            while waiting and (at_work > most or waiting[0][1] is None):
                first, sent = waiting.popleft()
                at_work -= sent is not None
                yield first, None if sent is None else _answer(client, work, sent, waiting)
        while waiting:
            first, sent = waiting.popleft()
            yield first, None if sent is None else _answer(client, work, sent, waiting)
    finally:
        client.cancel([sent.future for _, sent in waiting if sent is not None])


def _answer(
    client: Client, work: Callable[[Any], Any], sent: _Sent, waiting: Iterable[tuple[Any, _Sent | None]]
) -> Any:
    """What the workers made of a part. If they died, it is tried once more when no other part is at work.

    For Dask counts the death of a worker against all parts that the worker had, not only the one that it died over.
    """
    found = _result(client, sent.future)
    if not isinstance(found, _Killed):
        return found
    for _, other in waiting:
        if other is not None:
            _result(client, other.future)
    return _result(client, client.submit(work, sent.part, pure=False))


def _result(client: Client, future: Future[Any]) -> Any:
    from asyncio import CancelledError  # brings 15 ms of modules that a run without workers does not need

    from distributed import KilledWorker
    from distributed import TimeoutError as TooLong

    last = monotonic()
    while True:
        try:
            return future.result(timeout=LOOK)
        except TooLong:
            last = monotonic() if client.nthreads() else last
            if monotonic() - last > PATIENCE:
                return Lost("no Dask worker is left")
        except KilledWorker as error:
            return _Killed(f"KilledWorker: {error}")
        except (Exception, CancelledError) as error:  # noqa: BLE001 (of the work, of a worker that died, of the network)
            return Lost(f"{type(error).__name__}: {error}")
