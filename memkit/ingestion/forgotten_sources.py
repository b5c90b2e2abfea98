"""Forgotten sources: files, folders and documents that a person took back. An ingest leaves them out and says so.

The name of one that was deleted for good is kept as a hash only.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from memkit.core.formatting import counted
from memkit.core.types import FORGOTTEN_BEFORE, DocumentDraft, LeftOut
from memkit.storage import store
from memkit.storage.connection import Connection

SETTING = "forgotten_sources"  # each with the run that forgot it, and the name by which it was forgotten


class Forgotten:
    """The forgotten sources of a database, and what an ingest left out of them."""

    def __init__(self, conn: Connection):
        self._conn = conn
        stored = store.setting(conn, SETTING, {})
        self.runs: dict[str, str] = {name: run for name, run in stored.items() if isinstance(run, str)}
        self.left: dict[str, str] = {}  # documents that were left out, each with its file
        self._known: dict[str, str | None] = {}

    def above(self, source: str | None) -> str | None:
        """The forgotten source that a document or a file is, or is in; None if there is none."""
        if not self.runs or not source:
            return None
        if source not in self._known:
            is_here = source in self.runs or hashed(source) in self.runs
            self._known[source] = source if is_here else self.above(_around(source))
        return self._known[source]

    def leaves_out(self, document: DocumentDraft) -> bool:
        """Whether a document is forgotten, or the file that it is read from; then it is noted."""
        gone = bool(self.above(document.source) or self.above(document.file))
        if gone:
            self.left[document.source] = document.file or document.source
        return gone

    def left_out(self) -> Iterable[LeftOut]:
        """The files of which something was left out."""
        for file, count in Counter(self.left.values()).items():
            part = f"{counted(count, 'documents')} in it forgotten before"
            yield LeftOut(file, FORGOTTEN_BEFORE if self.above(file) else part)

    def add(self, names: Iterable[str], run: str) -> None:
        """Marks these sources as forgotten by a run; those that are marked already stay those of their run."""
        self._write({**dict.fromkeys(names, run), **self.runs})

    def within(self, names: Collection[str]) -> list[str]:
        """The forgotten sources that are one of these, or in one of them."""
        by_hash = set(map(hashed, names))
        return [one for one in self.runs if one in by_hash or one in names or is_in(one, names)]

    def lift(self, names: Collection[str]) -> None:
        """Lets these sources be read again."""
        gone = {*names, *map(hashed, names)}
        self._write({name: run for name, run in self.runs.items() if name not in gone})

    def _write(self, runs: Mapping[str, str]) -> None:
        self.runs, self._known = dict(runs), {}
        store.set_setting(self._conn, SETTING, self.runs)


def hashed(name: str) -> str:
    """The name of a source that was deleted for good."""
    return "#" + hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def is_in(source: str, paths: Collection[str]) -> bool:
    """Whether a source is one of these paths, or in one of them."""
    while source:
        if source in paths:
            return True
        source = _around(source)
    return False


def lift_run(conn: Connection, run: str) -> None:
    """Lets all that a run forgot be read again."""
    forgotten = Forgotten(conn)
    if names := [name for name, by in forgotten.runs.items() if by == run]:
        forgotten.lift(names)


def _around(source: str) -> str:
    """What a source is in: `notes/a.jsonl` of `notes/a.jsonl#4`, then `notes`; empty if it is in nothing."""
    place = source.rfind("#")
    if place > source.rfind("/"):
        return source[:place]
    above = os.path.dirname(source) if os.path.isabs(source) else ""
    return "" if above == source else above
