"""The ingestion pipeline: reads a source into drafts, writes them in batches, and connects them to the graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sized
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from os import PathLike
from os.path import exists
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.errors import BadSource, Busy, DiskFull
from memkit.core.files import whole_path
from memkit.core.formatting import counted
from memkit.core.progress import expected, phase
from memkit.core.second_process import SecondProcess
from memkit.core.types import Failure
from memkit.graph import stored_arrays
from memkit.ingestion import own_voice as voice
from memkit.ingestion.counting_ahead import CountingAhead
from memkit.ingestion.entity_linking import connect
from memkit.ingestion.known_clocks import at_known_times
from memkit.ingestion.plain_paths import give_plain_paths
from memkit.ingestion.relation_extraction import drafts_of, ingest_triples
from memkit.ingestion.report import IngestReport
from memkit.ingestion.writer import Progress, ingest
from memkit.sources import MemoryRecord, Record, TripleDraft, check_format, read
from memkit.sources.file_states import FileStates
from memkit.sources.on_workers import Readers
from memkit.sources.options import named_options
from memkit.storage import vectors
from memkit.storage.connection import Connection

if TYPE_CHECKING:
    from distributed import Client

    from memkit.embedding import Embedder


class Intake:
    """A source to ingest: path(s) or an iterable of rows, and the options for reading it. Raises BadSource at once.

    `roots` are its absolute paths, `named` their project if one was given.

    Of several paths, one that cannot be read at all is a failure in the report, and the others are read. `run` writes
    the memories. `files` says which of them need not be read again. The workers of a Dask `client` read the files of a
    folder.
    """

    def __init__(
        self,
        source: Any,
        *,
        project: str | None,
        format: str | None,
        options: Mapping[str, Any],
        files: FileStates | None = None,
        client: Client | None = None,
    ):
        paths = _paths(source)
        readers = Readers(client) if client else None
        chosen = replace(
            named_options(options, getattr(source, "columns", None)), files=files, readers=readers, skipped=Counter()
        )
        each = dict.fromkeys(paths) or [source]
        reader = partial(read, format=format, project=project, options=chosen)
        check_format(format)
        self._readers = [reader(one) if len(each) == 1 else _tolerant(reader, one) for one in each]
        self.roots = [whole_path(path).as_posix() for path in paths]
        self._zone_given = chosen.timezone is not None
        self._rows = len(source) if not paths and isinstance(source, Sized) else None
        self.named = dict.fromkeys(self.roots, project) if project else {}
        self.triples: list[TripleDraft] = []  # triples: no drafts of memories

    def records(self) -> Iterator[MemoryRecord]:
        """All that is read, in order, but for triples: they are in `triples` afterwards."""
        return drafts_of(chain.from_iterable(self._readers), self.triples)

    def run(
        self,
        conn: Connection,
        embedder: Embedder | None,
        now: str,
        *,
        sync: bool = False,
        dry_run: bool = False,
        own_voice: bool | None = None,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Writes the memories, then the entities and relations in them, then the given triples; returns a report.

        A DiskFull and a Busy tell how much is stored: the same again does the rest.
        """
        with _telling(progress) as advanced, SecondProcess() as other:
            phase("reading", self._rows if self._rows is not None else expected(map(Path, self.roots)))
            counting = CountingAhead(other)
            if not dry_run:
                give_plain_paths(conn)
            report = ingest(
                conn,
                at_known_times(conn, self.records(), zone_given=self._zone_given),
                embedder,
                now,
                roots=self.roots,
                sync=sync,
                named=self.named,
                dry_run=dry_run,
                progress=advanced,
                other=other,
                counting=counting,
            )
            if not dry_run:
                phase("making vectors")
                vectors.fill(conn, embedder, now)
                if own_voice is not None:
                    voice.keep(conn, self.roots, own_voice)
                moved = report.total > report.added or report.removed > 0
                connect(conn, now, embedder=embedder, moved=moved, other=other, counting=counting)
                if self.triples:
                    report.relations, failures = ingest_triples(conn, self.triples, now)
                    report.failures += failures
                    connect(conn, now, keys=[], embedder=embedder)
                stored_arrays.store(conn)
            return report


@contextmanager
def _telling(progress: Progress | None) -> Iterator[Progress]:
    """A function to tell of records that were written; a DiskFull and a Busy say how many these are."""
    written = 0

    def advanced(count: int) -> None:
        nonlocal written
        written += count
        if progress:
            progress(count)

    try:
        yield advanced
    except (DiskFull, Busy) as error:
        if not written:
            raise
        stored = f"Stored before that: {counted(written, 'records')}. The same again does the rest."
        raise type(error)(f"{error} {stored}") from error


def _tolerant(reader: Callable[[Any], Iterator[Record]], path: Any) -> Iterator[Record]:
    """The records of one path among others; a Failure if it cannot be read at all."""
    try:
        yield from reader(path)
    except BadSource as error:
        name = whole_path(path).as_posix()
        yield Failure(name, str(error).removeprefix(f"{name} is ").removeprefix(f"{name}: "))


def _paths(source: Any) -> list[Any]:
    """The paths in a source; empty for an iterable of rows. A list of texts is paths if all of them exist as files."""
    if isinstance(source, str | PathLike):
        return [source]
    if isinstance(source, list | tuple) and source and all(isinstance(one, str | PathLike) for one in source):
        return list(source) if all(isinstance(one, PathLike) or exists(one) for one in source) else []
    return []
