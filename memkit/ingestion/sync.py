"""Sync: the sources that belong to a database, and taking in what has changed in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.arguments import shown
from memkit.core.errors import BadSource, MemkitError, NotFound
from memkit.core.files import whole_path
from memkit.core.formatting import counted
from memkit.core.frames import pandas
from memkit.core.types import Failure
from memkit.core.version import __version__
from memkit.ingestion.forgotten_sources import is_in
from memkit.ingestion.pipeline import Intake
from memkit.ingestion.report import IngestReport
from memkit.ingestion.source_list import SOURCES, Source, sources
from memkit.ingestion.writer import Progress
from memkit.sources import check_format
from memkit.sources.file_states import FileStates
from memkit.sources.guard import reason
from memkit.sources.options import named_options
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

if TYPE_CHECKING:
    import pandas as pd

    from memkit.embedding import Embedder

STATES = "file_states"  # setting: for each source, how its files were when they were last read


@dataclass(frozen=True)
class SyncReport:
    """What a sync did: an IngestReport for each source, by its path."""

    reports: Mapping[str, IngestReport]

    @property
    def changed(self) -> int:
        """How many memories were added, updated or removed."""
        return sum(one.added + one.updated + one.removed for one in self.reports.values())

    def to_df(self) -> pd.DataFrame:
        """The report as a pandas DataFrame, a row for each source: its path in `source`, then those of its ingest.

        Raises NeedsPackage if pandas is not installed.
        """
        rows = [one.to_df() for one in (*self.reports.values(), IngestReport())]  # the last one for the columns alone
        frame = pandas().concat(rows, ignore_index=True).iloc[:-1]
        frame.insert(0, "source", list(self.reports))
        return frame

    def __repr__(self) -> str:
        return f"<SyncReport {counted(len(self.reports), 'sources')}, {counted(self.changed, 'memories')} changed>"


def add_source(conn: Connection, path: str | Path, format: str | None, project: str | None, options: Any) -> Source:
    """Notes that a file or folder belongs to this database. Raises BadSource, BadArgument or TypeError at once."""
    full = whole_path(path)
    if not os.path.exists(full):  # also for what can be no path
        raise BadSource(f"There is no file or folder {shown(str(path))}.")
    check_format(format)
    named_options(options)
    with writing(conn):
        states = store.setting(conn, STATES, {})
        if states.pop(full.as_posix(), None) is not None:  # added before, perhaps with other options
            store.set_setting(conn, STATES, states)
        return _keep(conn, Source(full.as_posix(), format, project, dict(options)))


def remove_source(conn: Connection, path: str | Path) -> None:
    """Forgets a source; the memories from it stay. Raises NotFound for a path that is none."""
    full = whole_path(path).as_posix()
    with writing(conn):
        known, states = store.setting(conn, SOURCES, {}), store.setting(conn, STATES, {})
        named = {one for one in known if whole_path(one).as_posix() == full}  # it may have been stored with `..`
        if not named:
            raise NotFound(f"{full} is no source of this database. Its sources: {', '.join(known) or 'none'}")
        for setting, value in ((SOURCES, known), (STATES, states)):
            store.set_setting(conn, setting, {one: about for one, about in value.items() if one not in named})


def unfollow(conn: Connection, paths: Collection[str]) -> list[str]:
    """Lets the sources at or below these paths be sources no longer; returns them."""
    gone = [one for one in store.setting(conn, SOURCES, {}) if is_in(one, paths)]
    for name in (SOURCES, STATES) if gone else ():
        left = {one: about for one, about in store.setting(conn, name, {}).items() if one not in gone}
        store.set_setting(conn, name, left)
    return gone


def read_again(conn: Connection, paths: Collection[str]) -> None:
    """Lets the next sync read all files of the sources that these paths are in."""
    states = store.setting(conn, STATES, {})
    left = {one: about for one, about in states.items() if not any(is_in(path, [one]) for path in paths)}
    if left != states:
        store.set_setting(conn, STATES, left)


def _keep(conn: Connection, source: Source) -> Source:
    about = {name: value for name, value in asdict(source).items() if name != "path" and value not in (None, "", {})}
    store.set_setting(conn, SOURCES, {**store.setting(conn, SOURCES, {}), source.path: about})
    return source


def sync(
    conn: Connection,
    embedder: Callable[[], Embedder | None],
    now: str,
    *,
    again: bool = False,
    progress: Progress | None = None,
) -> SyncReport:
    """Takes in what has changed in all sources, archives what has vanished from them, and returns a report.

    A file with the size and the time of its last reading is passed over, unless `again`. A source that is not there, or
    that is empty though it was not before, is a failure, and what it held stays: a disk may not be mounted.
    """
    states = {} if again else store.setting(conn, STATES, {})
    return SyncReport(
        {one.path: _sync_one(conn, one, states.get(one.path), embedder, now, progress) for one in sources(conn)},
    )


def _sync_one(
    conn: Connection,
    source: Source,
    kept: Any,
    embedder: Callable[[], Embedder | None],
    now: str,
    progress: Progress | None,
) -> IngestReport:
    if (why := _gone(source)) is not None:
        return IngestReport(failures=[Failure(source.path, why)])
    files = FileStates(_known(source, kept))
    try:
        intake = Intake(source.path, project=source.project, format=source.format, options=source.options, files=files)
    except (MemkitError, TypeError) as error:  # the other sources are read all the same
        return IngestReport(failures=[Failure(source.path, str(error))])
    report = intake.run(conn, embedder(), now, sync=True, progress=progress)
    about: dict[str, Any] = {
        "read_at": now,
        "files": len(files.found),
        "failed": report.failed,
        "left_out": report.left_out_text,
    }
    states = {"by": _by(source), "files": {path: list(state) for path, state in files.found.items()}}
    with writing(conn):
        _keep(conn, replace(source, **about))
        if states != kept:  # of ten thousand files it is a megabyte
            store.set_setting(conn, STATES, {**store.setting(conn, STATES, {}), source.path: states})
    return report


def _gone(source: Source) -> str | None:
    """Why a source should not be read now; None if it can be."""
    path = Path(source.path)
    try:
        if not path.exists():
            return "it is not there; what it held stays"
        if source.files and path.is_dir() and not any(path.iterdir()):
            return "it is empty now; what it held stays, until: memkit ingest --sync"
    except (OSError, ValueError) as error:  # no permission, or no path at all in a file from elsewhere
        return f"it cannot be read: {reason(error)}; what it held stays"
    return None


def _known(source: Source, kept: Any) -> Mapping[str, Any]:
    """The states of a source's files; none if they were read by another version of memkit, or in another way."""
    fits = isinstance(kept, dict) and kept.get("by") == _by(source) and isinstance(kept.get("files"), dict)
    return kept["files"] if fits else {}


def _by(source: Source) -> str:
    return f"{__version__} {source.format} {sorted(source.options.items())}"
