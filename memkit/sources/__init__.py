"""Loaders: notes, chats, tables and other files are read as drafts of memories, one at a time.

`read(source)` yields a `Draft` for each passage, turn or row, a `DocumentDraft` for a note or notebook without text, a
`Failure` for each record that cannot be read, a `ReadWarning` for what is wrong with one that can, a `LeftOut` for each
file of a folder that is not read, and a `Restated` for a moment of a chat without ids at which a message was edited or
deleted. `formats()` lists the formats; most have a small file of their own.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any, BinaryIO

from memkit.core.dates import iso
from memkit.core.errors import BadSource, one_of
from memkit.core.files import expanded, whole_path
from memkit.core.formatting import counted
from memkit.core.opening import open_regular
from memkit.core.types import DocumentDraft, Draft, Failure, LeftOut, ReadWarning, Restated, Unchanged
from memkit.sources import folder, zip_folder
from memkit.sources.contents import opened
from memkit.sources.cut_zips import is_zip
from memkit.sources.detect import detect, detected, is_source
from memkit.sources.format import Format
from memkit.sources.guard import guarded, reason
from memkit.sources.gzips import ENDING, Gzipped, inner_path, is_gzip
from memkit.sources.hookspecs import hookimpl
from memkit.sources.journals import Journals
from memkit.sources.limits import ReadLimits, Timer
from memkit.sources.notes.page_blocks import PageBlocks
from memkit.sources.options import Reader, ReadOptions
from memkit.sources.registry import FORMATS, formats
from memkit.sources.sample import HEAD, Damaged, Unknown, packed_sample, sample, unpack_first
from memkit.sources.tables import rows
from memkit.sources.tables.triples import TripleDraft
from memkit.sources.tars import Tarred, is_tar
from memkit.sources.zips import Packed
from memkit.storage.driver import MAGIC

__all__ = [
    "FORMATS",
    "Format",
    "ReadLimits",
    "ReadOptions",
    "Reader",
    "TripleDraft",
    "check_format",
    "detect",
    "formats",
    "hookimpl",
    "read",
]

# A document by itself has no text.
MemoryRecord = Draft | DocumentDraft | Failure | ReadWarning | LeftOut | Restated | Unchanged
Record = MemoryRecord | TripleDraft  # what a reader yields


def read(
    source: str | os.PathLike[str] | Iterable[Any],
    *,
    format: str | None = None,
    project: str | None = None,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (a frozen value)
) -> Iterator[Record]:
    """The drafts of a file, of all files in a folder, of an iterable of dicts or texts, or of a pandas DataFrame.

    Yields the kinds of `Record` lazily (`TripleDraft` for a file of triples). Raises BadSource at the call for a source
    that does not exist or has no known format, for an unknown `format`, and for a table or query of a file that is not
    a SQLite database.
    """
    options = replace(
        options, project=project or options.project, timer=Timer(), journals=Journals(), blocks=PageBlocks()
    )
    check_format(format)
    if options.table or options.sql:
        _check_database(source, format, "sql" if options.sql else "table")
    if not isinstance(source, str | os.PathLike):
        return rows.read_iterable(source, options)
    path = whole_path(source)
    if not str(source) or not os.path.exists(path):  # Path.exists raises for a long name
        raise BadSource(f"There is no file or folder {str(source)!r}.")
    if not path.is_dir() and format == "folder":
        raise BadSource(f"{str(source)!r} is a file, not a folder.")
    if options.files and not path.is_dir() and (same := options.files.same(path)):
        return iter(same)
    name = format or _detected(path, options)
    if path.is_dir() and (name == "folder" or not is_source(formats()[name], path)):
        return _read_folder(path, name, options)
    if path.is_dir() and not format and formats()[name].own:
        return _read_folder(path, "folder", options, root_too=True)
    found = _reading(path, formats()[name], options, path.name)
    return options.files.watched(path, found) if options.files else found


def check_format(format: str | None) -> None:
    """Raises BadSource for the name of a format that memkit does not know."""
    if format is not None and format not in formats() and format != "folder":
        raise BadSource(one_of("format", format, formats()))


def _check_database(source: Any, format: str | None, option: str) -> None:
    """Raises BadSource if a table or a query is given for a source that is not a SQLite database."""
    what = f"{str(source)!r} is not one" if isinstance(source, str | os.PathLike) else "a list of rows is not one"
    if format not in (None, "sqlite"):
        what = f"the format {format!r} is not one"
    elif isinstance(source, str | os.PathLike):
        with suppress(OSError), open_regular(expanded(source)) as stream:
            what = "" if stream.read(len(MAGIC)) == MAGIC else what
    if what:
        raise BadSource(f"The option {option!r} needs a SQLite database, but {what}. Remove it, or give the database.")


def _detected(path: Path, options: ReadOptions) -> str:
    try:
        return "sqlite" if options.table or options.sql else detect(path, options.text_column)
    except OSError as error:
        raise BadSource(f"{path} cannot be read: {error.strerror}") from error
    except BadSource as error:
        raise BadSource(f"{error} What is read: memkit formats") from error


def _read_folder(root: Path, format: str, options: ReadOptions, *, root_too: bool = False) -> Iterator[Record]:
    """The drafts of all files that hold memories, and a LeftOut for each file that is not read.

    With `root_too`, the folder itself is an export, too.
    """
    options = replace(options, root=root)
    read = partial(_one_of_many, root, None if format == "folder" else format)
    found = folder.sources(root, options, root_too=root_too)
    for path, records in options.readers.read(found, read, options) if options.readers else zip(found, repeat(None)):
        if isinstance(path, Failure | LeftOut):
            yield path
        elif options.files:
            yield from options.files.same(path) or options.files.watched(path, read(path, options))
        else:
            yield from read(path, options) if records is None else records


def _in_zip(path: Path, options: ReadOptions, export: Format | None = None) -> Iterator[Record]:
    """The drafts of the files in a zip, as of those in a folder; of those that do not belong to the `export` in it."""
    for one in zip_folder.sources(path, options, export):
        if isinstance(one, Packed):
            yield from _one_of_many(path, None, one.path, replace(options, packed=one))
        else:
            yield one


def _may_be(format: Format, name: str) -> bool:
    """Whether a file of a folder is read by a format. Logs and what has no ending are so only under its own names."""
    return _may_be_named(format, name) or Path(name).suffix not in ("", ".log")


def _may_be_named(format: Format, name: str) -> bool:
    return format.has_any_name or format.has_name(name)


def _packed_format(packed: Packed, options: ReadOptions) -> str:
    head = packed.head(options.limits, HEAD)
    seen = packed_sample(packed.path, head, options.text_column, "zip", partial(packed.opened, options.limits))
    found = detected(seen)
    if (seen.is_zip or seen.is_tar) and formats()[found].holds_files:
        raise unpack_first(packed.path, "zip")
    return found


def _one_of_many(root: Path, format: str | None, path: Path, options: ReadOptions) -> Iterator[Record]:
    source = path.as_posix()
    try:
        packed = _packed_format(options.packed, options) if isinstance(options.packed, Packed) else ""
        known = formats()[format or packed or detect(path, options.text_column)]
        if known.missing:
            yield LeftOut(source, f"to read them: pip install '{known.missing}'", needs=known.missing)
        elif known is FORMATS["sqlite"] and format is None:
            yield LeftOut(source, "databases of some program; to read one, name it itself")
        elif known is FORMATS["zip"] and format is None:
            yield LeftOut(source, "archives of files; to read one, name it itself")
        elif format is None and not (_may_be(known, path.name.lower().removesuffix(ENDING)) or path.is_dir()):
            yield LeftOut(source, folder.NO_FORMAT)  # named like `Bookmarks` of Chrome, and something else
        else:
            yield from _reading(path, known, options, path.relative_to(root).as_posix() if path != root else path.name)
    except Damaged as error:
        yield Failure(source, error.reason)
    except Unknown as error:
        yield LeftOut(source, error.reason)
    except BadSource as error:
        yield Failure(source, str(error))
    except Exception as error:  # noqa: BLE001 (a file that cannot even be recognised must not stop the others)
        yield Failure(source, reason(error))


def _reading(path: Path, format: Format, options: ReadOptions, name: str) -> Iterator[Record]:
    if format.missing:
        raise BadSource(f"To read {path.name}, a {format.name} file, run: pip install '{format.missing}'")
    try:
        path.as_posix().encode()
    except UnicodeEncodeError:
        return iter([Failure(ascii(path.as_posix()), "the file's name is not valid UTF-8")])
    file = path
    if options.skipped is not None:
        options = replace(options, skipped=Counter())
    is_archive = format.holds_files and _begins(path, lambda stream: is_zip(stream) or is_tar(stream))
    if is_archive and not _begins(path, is_zip):
        wanted = folder.wanted()[0]
        tar = Tarred(path, partial(opened, path, options), lambda name: wanted.match(Path(name).name.lower()))
        options = replace(options, packed=tar)
    elif _begins(path, lambda stream: is_gzip(stream.read(3))):
        if sample(path).is_tar:  # raises for other archives in it
            raise Unknown(path, "packed in a gzip; to read it, unpack that first")
        path = inner_path(file)
        options = replace(options, packed=Gzipped(path, partial(opened, file, options)))
        name = Path(name).with_name(path.name).as_posix()
    found = _in_zip(path, options) if is_archive else format.read(path, options, name)
    if not is_archive and path.suffix.lower() == ".zip" and _begins(path, is_zip):
        found = chain(found, _in_zip(path, options, format) if format.own else zip_folder.beside(path, options, format))
    found = guarded(path, found, options)
    found = _dated(found, file) if options.mtime else found
    return found if options.skipped is None else _with_left_out(found, file, options.skipped)


NOTHING = "nothing in it to remember"


def _with_left_out(records: Iterator[Record], path: Path, skipped: Counter[str]) -> Iterator[Record]:
    """The records of a file, and one LeftOut for all that its reader passes over, or if it finds nothing at all."""
    nothing = True
    for one in records:
        nothing = False
        yield one
    if skipped or nothing:
        named = [(count, *what.partition(" ")) for what, count in skipped.most_common()]
        told = ", ".join(counted(count, things) + space + which for count, things, space, which in named)
        yield LeftOut(path.as_posix(), told or NOTHING)


def _begins(path: Path, asked: Callable[[BinaryIO], bool]) -> bool:
    """Whether the beginning of a file answers this; not for a folder, nor for a file in a zip."""
    with suppress(OSError), open_regular(path) as stream:
        return asked(stream)
    return False


def _dated(records: Iterator[Record], path: Path) -> Iterator[Record]:
    """The records; a draft without a date gets the time of the file's last change."""
    changed: str | None = None
    with suppress(OSError, ValueError):  # a file that is gone; a time that no calendar has
        changed = iso(os.stat(path).st_mtime)
    for one in records:
        yield replace(one, happened_at=changed) if isinstance(one, Draft) and not one.happened_at else one
