"""The upkeep of a MemoryDatabase: what is done with memories after they are stored, and how it is taken back."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from memkit import caches
from memkit.clock import utc_now
from memkit.driver import writing

if TYPE_CHECKING:
    from memkit.life.log import Change


class Upkeep:
    """What a MemoryDatabase does with its memories over time. Whatever it changes is written down and can be undone."""

    if TYPE_CHECKING:
        conn: Any
        embedder: Any

        def _turn(self) -> AbstractContextManager[Any]: ...
        def _embed_again(self, conn: Any, keys: set[int]) -> None: ...

    # ------------------------------------------------------------------------------------------ what was done

    def maintenance(
        self, *, memory: str | None = None, run: str | None = None, step: str | None = None, limit: int = 100
    ) -> list[Change]:
        """What upkeep has changed, newest first: all of it, of a memory (its id) or what was made from it, of a run."""
        from memkit.life import log

        with self._turn() as conn:
            return log.changes(conn, memory=memory, run=run, step=step, limit=limit)

    def undo(self, id: str, *, now: str | None = None) -> list[Change]:
        """The changes that are undone now: the one with this id, or all of the run with this id.

        Raises NotFound for an id that is neither, MemkitError where a later change has to be undone first or what was
        before is no longer kept.
        """
        from memkit.life import log

        with self._turn() as conn:
            with writing(conn):
                undone, around = log.undo(conn, id, now or utc_now())
                self._embed_again(conn, around)
            caches.forget(conn)
            return undone
