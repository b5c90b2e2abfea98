"""Read guard: whatever happens in the reader of one file stays a failure of this file.

A document is passed on whole or not at all: what a broken file has said of it so far would otherwise be taken for all
that it says, and the rest of its memories be archived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from memkit.core.errors import BadSource
from memkit.core.formatting import counted
from memkit.core.types import Draft, Failure, ReadWarning
from memkit.sources.contents import opened
from memkit.sources.cut_zips import is_cut
from memkit.sources.json_file import BrokenJSON
from memkit.sources.limits import OverLimit, took_too_long
from memkit.sources.options import ReadOptions
from memkit.storage.driver import sqlite3

_SINGLE_FAILURES = 5  # of a file from which nothing could be read: more are not listed one by one


def guarded(path: Path, records: Iterable[Any], options: ReadOptions) -> Iterator[Any]:
    """The records of one file under the limits; if its reader raises, a Failure with the reason is the last of them.

    Rows before the failure have been passed on, and the reason says how many. Raises BadSource where the reader does:
    the file is not what the caller says it is.
    """
    yield from one_diagnosis(_guarded(path, records, options))


def one_diagnosis(records: Iterator[Any]) -> Iterator[Any]:
    """The records; if there are only failures, and many, one that stands for all: the file is not what it seemed."""
    held: list[Failure] = []
    for record in records:
        if isinstance(record, Failure):
            held.append(record)
            continue
        yield from held
        yield record
        yield from records
        return
    if len(held) > _SINGLE_FAILURES:
        alike = f"; {counted(len(held) - 1, 'more records')} could not be read either, and none could"
        held = [replace(held[0], reason=held[0].reason + alike)]
    yield from held


def _guarded(path: Path, records: Iterable[Any], options: ReadOptions) -> Iterator[Any]:
    run = _Run(path, options)
    try:
        for record in run.timed(iter(records)):
            yield from run.passed(record)
        yield from run.held
    except BadSource:
        raise
    except Exception as error:  # noqa: BLE001 (a reader's own mistake with one file must not stop all others)
        yield from run.stopped(error)
    if is_cut(path, partial(opened, path, options)):
        yield Failure(run.source, CUT)
    if run.unlisted:
        yield Failure(run.source, f"{counted(run.unlisted, 'more records')} could not be read")


class _Run:
    """One file while it is read: what has been counted, and the records of the document that is not complete yet."""

    def __init__(self, path: Path, options: ReadOptions):
        self.path, self.source = path, path.as_posix()
        self.limits, self.timer = options.limits, options.timer
        self.held: list[Any] = []
        self.document: str | None = None  # the source of the document that is held
        self.drafts = self.failures = self.unlisted = 0

    def timed(self, records: Iterator[Any]) -> Iterator[Any]:
        """The records. Raises OverLimit if the reader itself, without what is done with them, takes too long."""
        self.timer.reset(_size(self.path))
        while True:
            self.timer.start()
            record = next(records, None)
            self.timer.stop()
            if record is None:
                return
            if self.timer.is_over(self.limits):
                raise took_too_long(self.limits)
            yield record

    def passed(self, record: Any) -> list[Any]:
        """What can be passed on now that this record is known."""
        if isinstance(record, Failure | ReadWarning):
            self.failures += 1
            if self.failures > self.limits.failures:
                self.unlisted += 1
                return []
        document = record.document if isinstance(record, Draft) else None
        ready: list[Any] = []
        if document is not None:
            if self.drafts == self.limits.records:
                raise OverLimit("records", self.limits, "records")
            self.drafts += 1
            if document.source != self.document:
                ready, self.held = self.held, []
                self.document = document.source if document.whole else None
        if self.document is None:
            return [*ready, record]
        self.held.append(record)
        if len(self.held) > self.limits.passages:
            raise OverLimit("passages", self.limits, "passages or turns of one document")
        return ready

    def stopped(self, error: Exception) -> Iterator[Failure | ReadWarning]:
        """What was said about the unfinished document, and the failure of the file."""
        yield from (record for record in self.held if isinstance(record, Failure | ReadWarning))
        read = self.drafts - sum(isinstance(record, Draft) for record in self.held)
        if self.timer.is_over(self.limits):
            # The reader was interrupted in the middle of a query.
            error = took_too_long(self.limits)
        so_far = f"; {counted(read, 'records')} before it were read" if read else ""
        yield Failure(self.source, reason(error) + so_far, line=error.line if isinstance(error, BrokenJSON) else None)


def _size(path: Path) -> int:
    """The bytes of a file; 0 for what is none, such as a file in a zip."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def reason(error: Exception) -> str:
    """Why a file could not be read, for its line in the report."""
    if isinstance(error, UnicodeError):
        return f"not valid UTF-8: {error}"
    if isinstance(error, OSError):
        return error.strerror or str(error) or type(error).__name__
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, MemoryError):
        return "it needs more memory than this machine can give"
    if isinstance(error, sqlite3.Error):
        return f"the database cannot be read: {error}"
    if isinstance(error, ValueError):
        return str(error)
    return f"{UNEXPECTED} ({type(error).__name__}: {error})"


CUT = "the zip is cut off, as by a download that was not finished: only what is whole in it was read"
UNEXPECTED = "its content is not as this format should be"
