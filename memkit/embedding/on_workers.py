"""Embedding on Dask workers: the texts of a batch are shared out, and their vectors come back in order.

Embedding is what takes the hours of a first import with a transformer model. Reading, names and every write stay in
the process that holds the file, so the file has one writer, and an import that is interrupted goes on like any other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from memkit.core.errors import BadArgument, EmbedderFailed, MemkitError, NeedsPackage
from memkit.embedding import Embedder, load_embedder
from memkit.embedding.sentence_words import SentenceReader, reader_of

if TYPE_CHECKING:
    import numpy as np
    from distributed import Client

LOCAL = "local"  # in place of an address: worker processes on this machine, one for each core
PART = 25  # texts of one task: a task costs about a millisecond, and a worker that is lost loses one part
FEW = 5  # so many texts are embedded here: the way to a worker would take longer


class OnWorkers:
    """An embedding model that works on the workers of a Dask `client`; a few texts at once are embedded here.

    `name` is what the workers load the model by; None sends them the model itself. `workers` is the number of their
    threads when it was made.
    """

    def __init__(self, model: Embedder, name: str | None, client: Client):
        self._model, self._client = model, client
        self._sent: str | Embedder = model if name is None else name
        self.id, self.version, self.dims = model.id, model.version, model.dims
        self.instant = bool(getattr(model, "instant", False))
        self.workers = max(1, sum(client.nthreads().values()))

    @property
    def sentence_reader(self) -> SentenceReader | None:
        """The model, if what it reads can be stored: it is so quick that sharing out its texts would take longer."""
        return reader_of(self._model)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """An array (texts, dims) of float32, in the order of the texts. Raises EmbedderFailed.

        Dask gives the part of a worker that died to another one.
        """
        import numpy as np

        if len(texts) <= FEW:
            return self._model.encode(texts)
        parts = [list(texts[start : start + PART]) for start in range(0, len(texts), PART)]
        work = partial(encode_part, self._sent, (self.id, self.version))
        futures = self._client.map(work, parts, pure=False)
        try:
            return np.concatenate(self._client.gather(futures))
        finally:
            self._client.cancel(futures)  # of those that are done this only says that nobody waits for them


def encode_part(model: str | Embedder, expected: tuple[str, str], texts: Sequence[str]) -> np.ndarray:
    """The vectors (texts, dims) of one part, made in a worker by `model`, an embedder or its name.

    Raises EmbedderFailed if the worker has no such model, or one of another id or version than `expected`: its vectors
    could not be compared with the others.
    """
    try:
        loaded = load_embedder(model) if isinstance(model, str) else model
        found = (loaded.id, loaded.version)
        if found != expected:
            raise EmbedderFailed(
                "A Dask worker has the embedding model {!r} in version {}, ".format(*found)
                + "and this process {!r} in version {}. Install the same on both.".format(*expected),
                "is another one on a worker",
            )
        return loaded.encode(texts)
    except EmbedderFailed:
        raise
    except MemkitError as error:  # not every one of these can be sent from process to process
        raise EmbedderFailed(f"On a Dask worker: {error}", "is not loaded on a worker") from None


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A Dask client of the scheduler at this address, such as "tcp://10.0.0.7:8786"; "local" starts workers here.

    They end with the block. Raises NeedsPackage without Dask, BadArgument if nobody answers at the address.
    """
    try:
        import distributed
    except ImportError as error:
        raise NeedsPackage("distributed", "Embedding on workers", "'datasette-memkit[dask]'") from error
    if address == LOCAL:
        cores = os.cpu_count() or 1
        options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
        with distributed.LocalCluster(n_workers=cores, **options) as cluster, distributed.Client(cluster) as client:
            yield client
        return
    try:
        client = distributed.Client(address, timeout=10)
    except (OSError, ValueError, TypeError) as error:
        raise BadArgument(
            f"No Dask scheduler answers at {address!r}. Give its address as tcp://HOST:8786, or local."
        ) from error
    with client:
        if not client.nthreads():
            raise BadArgument(f"The Dask scheduler at {address!r} has no workers yet. Start one: dask worker {address}")
        yield client
