"""Loaders: notes, chats, tables and other files are read as drafts of memories, one at a time.

`read(source)` yields a `Draft` for each passage, turn or row, a `DocumentDraft` for a note or notebook without text,
and a `Failure` for each record that cannot be read. `FORMATS` lists the readers; most have a small file of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from memkit.core.errors import BadSource, one_of
from memkit.core.opening import open_regular
from memkit.core.types import DocumentDraft, Draft, Failure
from memkit.sources import (
    chatgpt,
    claude,
    claude_code,
    folder,
    llm_logs,
    markdown,
    memkit_export,
    notebook,
    rows,
    sqlite_table,
    triples,
)
from memkit.sources.detect import Damaged, detect
from memkit.sources.guard import guarded, reason
from memkit.sources.limits import ReadLimits, Timer
from memkit.sources.options import Reader, ReadOptions
from memkit.sources.triples import TripleDraft
from memkit.storage.driver import MAGIC

__all__ = ["FORMATS", "ReadLimits", "ReadOptions", "Reader", "TripleDraft", "check_format", "detect", "read"]

Record = Draft | DocumentDraft | Failure | TripleDraft  # what a reader yields

FORMATS: Mapping[str, Reader] = {
    "chatgpt": chatgpt.read,
    "claude": claude.read,
    "claude-code": claude_code.read,
    "csv": rows.read_csv,
    "json": rows.read_json,
    "jsonl": rows.read_jsonl,
    "llm": llm_logs.read,
    "markdown": markdown.read,
    "memkit": memkit_export.read,
    "notebook": notebook.read,
    "sqlite": sqlite_table.read,
    "triples": triples.read,
    "tsv": rows.read_csv,
}


def read(
    source: str | os.PathLike[str] | Iterable[Any],
    *,
    format: str | None = None,
    project: str | None = None,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (a frozen value)
) -> Iterator[Record]:
    """The drafts of a file, of all files in a folder, of an iterable of dicts or texts, or of a pandas DataFrame.

    Yields `Draft`, `DocumentDraft` and `Failure` lazily; for a file of triples `TripleDraft`. Raises BadSource at the
    call for a source that does not exist or has no known format, for an unknown `format`, and for a table or query of a
    file that is not a SQLite database.
    """
    options = replace(options, project=project or options.project, timer=Timer())
    check_format(format)
    if options.table or options.sql:
        _check_database(source, format, "sql" if options.sql else "table")
    if not isinstance(source, str | os.PathLike):
        return rows.read_iterable(source, options)
    path = Path(source).expanduser().absolute()
    if not str(source) or not os.path.exists(path):  # Path.exists raises for a long name
        raise BadSource(f"There is no file or folder {str(source)!r}.")
    if path.is_dir():
        return _read_folder(path, format, options)
    if format == "folder":
        raise BadSource(f"{str(source)!r} is a file, not a folder.")
    return _reading(path, FORMATS[format or _detected(path, options)], options, path.name)


def check_format(format: str | None) -> None:
    """Raises BadSource for the name of a format that memkit does not know."""
    if format is not None and format not in FORMATS and format != "folder":
        raise BadSource(one_of("format", format, FORMATS))


def _check_database(source: Any, format: str | None, option: str) -> None:
    """Raises BadSource if a table or a query is given for a source that is not a SQLite database."""
    what = f"{str(source)!r} is not one" if isinstance(source, str | os.PathLike) else "a list of rows is not one"
    if format not in (None, "sqlite"):
        what = f"the format {format!r} is not one"
    elif isinstance(source, str | os.PathLike):
        with suppress(OSError), open_regular(Path(source).expanduser()) as stream:
            what = "" if stream.read(len(MAGIC)) == MAGIC else what
    if what:
        raise BadSource(f"The option {option!r} needs a SQLite database, but {what}. Remove it, or give the database.")


def _detected(path: Path, options: ReadOptions) -> str:
    try:
        return "sqlite" if options.table or options.sql else detect(path, options.text_column)
    except OSError as error:
        raise BadSource(f"{path} cannot be read: {error.strerror}") from error
    except BadSource as error:
        raise BadSource(f"{error} Formats: {', '.join(FORMATS)}.") from error


def _read_folder(root: Path, format: str | None, options: ReadOptions) -> Iterator[Record]:
    """The drafts of all files that may hold memories. Files that no reader knows are skipped without a failure."""
    format = None if format == "folder" else format
    options = replace(options, root=root)
    for path in folder.files(root, options):
        if isinstance(path, Failure):
            yield path
            continue
        try:
            name = format or detect(path, options.text_column)
        except Damaged as error:
            yield Failure(path.as_posix(), error.reason)
            continue
        except BadSource:
            continue
        except Exception as error:  # noqa: BLE001 (a file that cannot even be recognised must not stop the others)
            yield Failure(path.as_posix(), reason(error))
            continue
        if format is None and name == "sqlite":  # perhaps some program's database: read only if named itself
            continue
        try:
            yield from _reading(path, FORMATS[name], options, path.relative_to(root).as_posix())
        except BadSource as error:
            yield Failure(path.as_posix(), str(error))


def _reading(path: Path, reader: Reader, options: ReadOptions, name: str) -> Iterator[Record]:
    try:
        path.as_posix().encode()
    except UnicodeEncodeError:
        return iter([Failure(ascii(path.as_posix()), "the file's name is not valid UTF-8")])
    return guarded(path, reader(path, options, name), options)
