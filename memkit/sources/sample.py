"""Sample of a file: its beginning, and what that shows. Formats are recognised by it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from memkit.core.errors import BadSource
from memkit.core.opening import open_regular
from memkit.sources.encoding import encoding, marked
from memkit.sources.gzips import BrokenGzip, inner_path, is_gzip, unpacked_head
from memkit.sources.json_file import decode_next
from memkit.sources.limits import LIMITS, OverLimit
from memkit.sources.read_only import columns, read_only, tables
from memkit.sources.tars import begins_as_tar
from memkit.sources.zips import BrokenZip, opened_zip, unpacked
from memkit.storage.driver import MAGIC, sqlite3

HEAD = 256 * 1024  # bytes at the start of a file that are examined
_LINES = 50
_PLAIN = {".txt", ".text", ".log", ".csv", ".tsv", ".md"}
_GUESSED = 10_000  # bytes from which the encoding of plain text is guessed
_LOOKED_INTO = 100  # files in a zip whose beginnings are examined
# A text that is cut off extends to the end: otherwise a search would begin anew at each quote in it.
_TOKEN = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z))(\s*:)?|[{}\[\]]', re.DOTALL)
_ZIP = b"PK\x03\x04"


class Damaged(BadSource):
    """A file whose format is known, but that is damaged, or goes over a limit. `reason` says what, without the path."""

    def __init__(self, path: Path, reason: str):
        self.reason = reason
        super().__init__(f"{path}: {reason}.")


class Unknown(BadSource):
    """A file of no known format. `reason` says what it looks like, without the path; `advice` what can be done."""

    def __init__(self, path: Path, reason: str, advice: str = ""):
        self.reason = reason
        super().__init__(f"{path} is {reason}." + (f" {advice}" if advice else ""))


@dataclass(frozen=True)
class Sample:
    """The first bytes of a file, and lazily what they show. `text_column` is the column that holds the text of rows.

    `opener` opens a file that lies in another one.
    """

    path: Path
    head: bytes
    text_column: str = "text"
    opener: Callable[[], BinaryIO] | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """The name of the file, in lower case."""
        return self.path.name.lower()

    @property
    def suffix(self) -> str:
        """The ending of the file's name, in lower case, with its dot."""
        return self.path.suffix.lower()

    @property
    def is_database(self) -> bool:
        """Whether it is a SQLite database."""
        return self.head.startswith(MAGIC)

    @property
    def is_zip(self) -> bool:
        """Whether it is a zip."""
        return self.head.startswith(_ZIP)

    @property
    def is_tar(self) -> bool:
        """Whether it is a tar, also one that is packed with gzip."""
        return begins_as_tar(self.head)

    @cached_property
    def text(self) -> str:
        """The beginning as text, without a byte order mark and leading white space; what is no text is replaced.

        Lines end with a line feed, also those of an old Mac, which end with a carriage return. Of a zip or tar there is
        none: what lies in it as it is is not its own.
        """
        if self.is_zip or self.is_tar:
            return ""
        text = self.head.decode(self._encoding(), "replace").lstrip()
        return text if "\n" in text else text.replace("\r", "\n")

    def _encoding(self) -> str:
        """That of the beginning: of a file of plain text also what it looks like, if it is not in UTF-8."""
        if (name := marked(self.head)) or self.suffix not in _PLAIN or b"\0" in self.head:
            return name or "utf-8"
        with suppress(ValueError):  # it is in none
            return encoding(self.head[: self.head.rfind(b"\n", 0, _GUESSED) + 1])
        return "utf-8"

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the outermost objects of JSON, or of all of the first lines of JSONL; empty for other text."""
        if not self.text.startswith(("{", "[")):
            return frozenset()
        found = keys(self.text)
        for line in self.text.split("\n")[:_LINES]:
            if line.startswith("{"):
                found |= keys(line)
        return frozenset(found)

    def has_keys(self, *wanted: str) -> bool:
        """Whether it is JSON with all these keys. Never for objects with a text: those are rows."""
        return self.keys.issuperset(wanted) and self.text_column not in self.keys

    @cached_property
    def objects(self) -> tuple[Mapping[str, Any], ...]:
        """The objects in the first lines of JSONL; empty for other text."""
        if not self.text.startswith("{"):
            return ()
        found = []
        for line in self.text.split("\n")[:_LINES]:
            with suppress(ValueError, RecursionError):  # the last one may be cut off
                found.append(decode_next(line, 0)[0])
        return tuple(one for one in found if isinstance(one, dict))

    @cached_property
    def tables(self) -> Mapping[str, frozenset[str]]:
        """The columns of each table and view of a SQLite database, by the table's name; empty for other files.

        Raises Damaged if it cannot be read.
        """
        if not self.is_database:
            return {}
        try:
            with read_only(self.path.absolute()) as conn:
                return {name: _columns(conn, name) for name in tables(conn)}
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise Damaged(self.path, f"the database cannot be read: {error}") from error

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """The names of the files in a zip; empty for other files. Raises Damaged if they cannot be read."""
        if not self.is_zip:
            return ()
        try:
            with self._opened() as stream, opened_zip(stream, LIMITS) as archive:
                return tuple(dict.fromkeys(one.filename for one in archive.filelist if not one.filename.endswith("/")))
        except (BrokenZip, OverLimit) as error:
            raise Damaged(self.path, str(error)) from error

    def inside(self, wanted: str) -> list[Sample]:
        """Samples of the files in a zip whose own names match a pattern, at most 100; of another file it itself.

        Raises Damaged.
        """
        if not self.is_zip:
            return [self]
        names = [name for name in sorted(self.entries) if re.fullmatch(wanted, name.rsplit("/", 1)[-1])][:_LOOKED_INTO]
        if not names:
            return []
        try:
            with self._opened() as stream, opened_zip(stream, LIMITS) as archive:
                return [
                    Sample(
                        self.path / name, unpacked(archive, archive.getinfo(name), LIMITS, most=HEAD), self.text_column
                    )
                    for name in names
                ]
        except (BrokenZip, OverLimit) as error:
            raise Damaged(self.path, str(error)) from error

    def _opened(self) -> BinaryIO:
        return self.opener() if self.opener else open_regular(self.path)


def _columns(conn: Any, name: str) -> frozenset[str]:
    """The columns of a table; none of a view that needs functions which only its program has, as some of Calibre's."""
    try:
        return frozenset(columns(conn, name))
    except sqlite3.OperationalError as error:
        if str(error).startswith(("no such function", "no such collation")):
            return frozenset()
        raise


def sample(path: Path, text_column: str = "text") -> Sample:
    """The sample of a file, of a gzip that of what is in it. Raises OSError if it cannot be opened.

    Raises Unknown for a gzip of a zip or a database, and Damaged for one that cannot be read.
    """
    with open_regular(path) as stream:
        head = stream.read(HEAD)
    if not is_gzip(head):
        return Sample(path, head, text_column)
    try:
        head = unpacked_head(head, HEAD)
    except BrokenGzip as error:
        raise Damaged(path, str(error)) from error
    if begins_as_tar(head):
        return Sample(path, head, text_column)
    return packed_sample(inner_path(path), head, text_column, "gzip")


def packed_sample(
    path: Path, head: bytes, text_column: str, packing: str, opener: Callable[[], BinaryIO] | None = None
) -> Sample:
    """The sample of what is packed in a file, by its path there. Raises Unknown for databases and gzips.

    An archive in a file is looked into if there is an `opener` for it: books and files of Office are zips.
    """
    seen = Sample(path, head, text_column, opener)
    if ((seen.is_zip or seen.is_tar) and not opener) or seen.is_database or is_gzip(head):
        raise unpack_first(path, packing)
    return seen


def unpack_first(path: Path, packing: str) -> Unknown:
    """The error for what cannot be read as long as it is packed."""
    return Unknown(path, f"packed in a {packing}; to read it, unpack that first")


def keys(text: str) -> set[str]:
    """The keys of the outermost objects in the beginning of a JSON text; the text may end in the middle."""
    level = 2 if text.startswith("[") else 1
    depth, found = 0, set()
    for token in _TOKEN.finditer(text):
        if token[1] is None:
            depth += 1 if token[0] in "{[" else -1
        elif token[2] and depth == level:
            found.add(token[1][1:-1])
    return found
