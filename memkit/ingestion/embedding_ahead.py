"""Embedding ahead: a second process makes the vectors of one batch while this one writes the rows of the next."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import chain

from memkit.core.errors import EmbedderFailed, EmbedderMismatch
from memkit.core.second_process import SecondProcess, Task
from memkit.embedding import Embedder
from memkit.ingestion import parts
from memkit.storage import sentences, vectors
from memkit.storage.caches import state_of
from memkit.storage.connection import Connection
from memkit.storage.driver import after_commit

PART = 250  # texts: the process that waits for them may do some


class EmbeddingAhead:
    """The vectors of a run, made in a second process if there is one, and if the model is the built-in one."""

    def __init__(self, conn: Connection, embedder: Embedder | None, other: SecondProcess, now: str):
        self.conn, self.embedder, self.other, self.now = conn, embedder, other, now
        self._begun: list[tuple[vectors.Unembedded, list[Task]]] = []

    def follow(self, keys: Sequence[int], *, fresh: bool) -> None:
        """Makes the vectors of memories once they are committed, as `vectors.follow` does; `settle` stores them."""
        with suppress(EmbedderFailed):
            if self.embedder and self.other.works and self._is_built_in(self.embedder):
                if not fresh:
                    vectors.drop(self.conn, keys)
                vectors.check(self.conn, self.embedder)
                after_commit(self.conn, partial(self._begin, keys))
                return
        vectors.follow(self.conn, self.embedder, keys, self.now, fresh=fresh)

    def settle(self) -> None:
        """Stores what was begun. Call it in the next transaction, before vectors are dropped in it."""
        import numpy as np

        begun, self._begun = self._begun, []
        for texts, tasks in begun:
            own, found = zip(*map(self.other.result, tasks), strict=True)
            made = vectors.mixed(texts, np.concatenate(own), list(chain.from_iterable(found)))
            # What this run has changed since is made anew; only what others have changed is looked for.
            if made.state[0] == (now := state_of(self.conn))[0]:
                made = made._replace(state=now)
            with suppress(EmbedderFailed, EmbedderMismatch):
                assert self.embedder
                vectors.store(self.conn, vectors.register(self.conn, self.embedder, self.now, active=True), made)

    @property
    def waits(self) -> bool:
        """Whether there is something to settle."""
        return bool(self._begun)

    def _is_built_in(self, embedder: Embedder) -> bool:
        """Whether another process has the same model, and it may store what it reads."""
        reader = sentences.reader(self.conn, embedder)
        return reader is not None and reader is parts.built_in_reader()

    def _begin(self, keys: Sequence[int]) -> None:
        texts = vectors.unembedded(self.conn, keys)
        rows = [tuple(row[3:]) for row in texts.rows]
        some = (rows[at : at + PART] for at in range(0, max(1, len(rows)), PART))
        self._begun.append((texts, [self.other.begin(parts.embed, part) for part in some]))
