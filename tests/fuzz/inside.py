"""Changes inside of a file, which stays what it is: an archive that unpacks, a database that opens, markup that parses.

Bytes that are changed anywhere mostly make a file that nobody can open, and its reader is never asked.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import sqlite3
import tarfile
import warnings
import zipfile
import zlib
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

from compound_files import MAGIC, compound, streams_of

from fuzz import values

_DEEPEST = 2  # archives in archives
_NUMBERS = ("0", "-1", "1e9", "99999999999999999999", "4294967296", "007", "1.5", "", "٣")
_DIGITS = re.compile(r"\d+")


def changed(random: Random, data: bytes, depth: int = _DEEPEST) -> bytes:
    """The file with something in it changed; if it is of no kind that is known here, its bytes are."""
    made = None
    with suppress(Exception):  # a part that cannot be written as it was changed is not what is looked for
        if data.startswith(b"PK") and depth:
            made = _zip(random, data, depth)
        elif data.startswith(b"SQLite format 3\0"):
            made = _database(random, data)
        elif data.startswith(MAGIC):
            made = _compound(random, data)
        elif data.startswith(b"\x1f\x8b") and depth:
            made = gzip.compress(changed(random, gzip.decompress(data), depth - 1), mtime=0)
        elif data[257:262] == b"ustar" and depth:
            made = _tar(random, data, depth)
        elif data[:1] in (b"{", b"["):
            made = json.dumps(values.changed(random, json.loads(data))).encode()
        elif data[:1] == b"<" and random.random() < 0.7:
            made = _markup(random, data)
        elif data[:1] != b"%":  # of a PDF
            made = relined(random, data.decode()).encode("utf-8", "surrogatepass")
    return (values.mutated(random, data) if made is None else made)[: values.LONGEST]


# ------------------------------------------------------------------------------------------------------------ text


def relined(random: Random, text: str) -> str:
    """A text with some of its lines dropped, doubled, swapped or moved, or with another value or number in them."""
    lines = text.splitlines(keepends=True)
    for _ in range(random.choice((1, 1, 2, 4))):
        at, other = (random.randrange(len(lines) + 1) for _ in range(2))
        line = lines[at] if at < len(lines) else "\n"
        kind = random.randrange(8)
        if kind == 0:
            del lines[at : at + random.choice((1, 1, 3))]
        elif kind == 1:
            lines[at:at] = [line] * random.choice((1, 2, 200))
        elif kind == 2:
            lines[at : at + 1] = lines[other : other + 1]
        elif kind == 3:
            lines.insert(other, line)
        elif kind == 4:
            lines[at : at + 1] = [line.strip("\n")]  # goes on in the next one
        elif kind == 5 and re.search(r"[:=,|]", line):
            head, mark, _ = re.split(r"([:=,|])", line, maxsplit=1)
            lines[at : at + 1] = [f"{head}{mark}{values.text(random, 4)}\n"]
        elif kind == 6 and (found := [*_DIGITS.finditer(line)]):
            one = random.choice(found)
            lines[at : at + 1] = [line[: one.start()] + random.choice((*_NUMBERS, *values.TIMES)) + line[one.end() :]]
        else:
            lines[at : at + 1] = [values.spliced(random, line)]
    return "".join(lines)


def _markup(random: Random, data: bytes) -> bytes:
    """XML with an element that is gone, there many times, nested, or has other words; other text, with other lines."""
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        return relined(random, data.decode()).encode("utf-8", "surrogatepass")
    above = {child: parent for parent in root.iter() for child in parent}
    one = random.choice([*above] or [root])
    parent, kind = above.get(one, root), random.randrange(6)
    if kind == 0 and one is not root:
        parent.remove(one)
    elif kind == 1 and one is not root:
        parent.extend([one] * random.choice((1, 3, 300)))
    elif kind == 2 and one is not root:
        for _ in range(random.choice((3, 40, 400))):
            outer = ElementTree.Element(one.tag, one.attrib)
            outer.append(one)
            one = outer
        parent.append(one)
    elif kind == 3 and one.attrib:
        one.attrib[random.choice([*one.attrib])] = random.choice((*_NUMBERS, _written(random)))
    elif kind == 4:
        one.tag = random.choice([*above] or [root]).tag
    else:
        one.text = random.choice((*_NUMBERS, _written(random)))
    return ElementTree.tostring(root, "utf-8")


def _written(random: Random) -> str:
    """A hostile text of characters that XML allows."""
    return re.sub(r"[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "", values.valid_text(random, 4))


# -------------------------------------------------------------------------------------------------------- archives


def _members(random: Random, files: list[tuple[str, bytes]], depth: int) -> list[tuple[str, bytes]]:
    """The files of an archive: one is gone, there twice, has another name, has the bytes of another, or others."""
    at = random.randrange(len(files))
    name, data = files[at]
    kind = random.randrange(12)
    if kind == 0:
        return files[:at] + files[at + 1 :]
    if kind == 1:
        return files + files[at : at + 1] * random.choice((1, 50))
    if kind == 2:
        hostile = random.choice(("../../x.md", "/etc/x.json", "a\\b.md", "x" * 300, "", values.valid_text(random, 2)))
        return [*files[:at], (hostile, data), *files[at + 1 :]]
    if kind == 3:
        return [*files[:at], (name, random.choice(files)[1]), *files[at + 1 :]]
    if kind == 4:
        return [*files[:at], (name, b""), *files[at + 1 :]]
    return [*files[:at], (name, changed(random, data, depth - 1)), *files[at + 1 :]]


def _zip(random: Random, data: bytes, depth: int) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [(one.filename, archive.read(one)) for one in archive.filelist]
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w") as archive:
        warnings.simplefilter("ignore")  # that a name is there twice
        for name, content in _members(random, files, depth):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _tar(random: Random, data: bytes, depth: int) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        files = [(one.name, found.read()) for one in archive if (found := archive.extractfile(one))]
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in _members(random, files, depth):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def _compound(random: Random, data: bytes) -> bytes:
    """A file of Outlook with another stream, or with other bytes in one."""
    streams = streams_of(data)
    name = random.choice([*streams])
    if random.random() < 0.15:
        del streams[name]
    elif random.random() < 0.15:
        streams[name] = random.choice([*streams.values()])
    elif name.startswith("__properties") or random.random() < 0.3:
        streams[name] = values.mutated(random, streams[name])
    else:
        streams[name] = values.spliced(random, streams[name].decode("utf-16-le", "replace")).encode(
            "utf-16-le", "surrogatepass"
        )
    return compound(streams)


# -------------------------------------------------------------------------------------------------------- databases


def _database(random: Random, data: bytes) -> bytes:
    """A database with other values in its cells, or with a table, a column or a row more or less."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "changed.db"
        path.write_bytes(data)
        with closing(sqlite3.connect(path, isolation_level=None)) as conn:
            conn.text_factory = bytes
            for _ in range(random.choice((1, 1, 2, 3))):
                with suppress(sqlite3.Error):  # a constraint, for example
                    _changed_table(random, conn)
        return path.read_bytes()


def _changed_table(random: Random, conn: sqlite3.Connection) -> None:
    tables = [row[0].decode() for row in conn.execute("select name from sqlite_master where type = 'table'")]
    table = random.choice(tables)
    columns = [row[1].decode() for row in conn.execute(f'pragma table_info("{table}")')]
    column, kind = random.choice(columns), random.randrange(14)
    if kind == 0:
        conn.execute(f'alter table "{table}" drop column "{column}"')
    elif kind == 1:
        conn.execute(f'drop table "{table}"')
    elif kind == 2:
        conn.execute(f'delete from "{table}" where rowid % 2 = ?', (random.randrange(2),))
    elif kind == 3:
        own = [name for name in columns if name not in ("id", "key")] or columns
        names = ", ".join(f'"{name}"' for name in own)
        for _ in range(random.choice((1, 5))):
            conn.execute(f'insert into "{table}" ({names}) select {names} from "{table}"')
    elif kind == 4:
        conn.execute(f'update "{table}" set "{column}" = "{random.choice(columns)}"')
    else:
        rows = conn.execute(f'select rowid, "{column}" from "{table}"').fetchall()
        key, value = random.choice(rows)
        conn.execute(f'update "{table}" set "{column}" = ? where rowid = ?', (_cell(random, value), key))


def _cell(random: Random, value: Any) -> Any:
    """Another value for a cell: JSON and packed bytes are changed inside."""
    if isinstance(value, bytes) and random.random() < 0.7:
        with suppress(ValueError):
            return json.dumps(values.changed(random, json.loads(value)))
        with suppress(zlib.error):
            return zlib.compress(values.mutated(random, zlib.decompress(value, wbits=47)))
        return values.mutated(random, value)
    found = values.scalar(random)
    if isinstance(found, str):
        found = found.encode("utf-8", "surrogatepass")
        return found if random.random() < 0.2 else sqlite3.Binary(found).tobytes().decode("utf-8", "replace")
    return found if found is None or (isinstance(found, int | float) and abs(found) < 2**63) else str(found)
