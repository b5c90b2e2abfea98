"""Shared parts of the loaders of documents: files of Office, errors of libraries, the time between pages."""

from __future__ import annotations

import logging
import re
import struct
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TypeVar
from zipfile import BadZipFile, ZipFile

from memkit.core.types import LeftOut
from memkit.sources.authors import authors
from memkit.sources.contents import whole
from memkit.sources.documents.compound import MAGIC
from memkit.sources.html_tokens import html_tokens
from memkit.sources.limits import OverLimit, took_too_long
from memkit.sources.notes.note import Note, Section
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.zips import opened_zip, unpacked

Part = TypeVar("Part")

# What libraries raise for a damaged file, beside errors of their own.
BROKEN: tuple[type[Exception], ...] = (
    *(ValueError, TypeError, AttributeError, LookupError, ArithmeticError, AssertionError, RuntimeError),
    *(SyntaxError, EOFError, struct.error, zlib.error, BadZipFile),
)
_PRESENTATION = (
    "presentation|präsentation|présentation|presentación|apresentação|presentazione|presentatie|prezentacja|sunusu"
    "|презентация|презентація|プレゼンテーション|演示文稿|簡報|프레젠테이션"
)
# What programs give as a title: nothing, what they make, words of their template, the file that they made it of.
_NO_TITLE = re.compile(
    r"\(?(?:untitled|document|microsoft word|title|anonymous|unspecified|(?:presentation|document) (?:name|title))\)?"
    rf"|(?:{_PRESENTATION})(?: standard)?(?: de| do| di| programu)? (?:microsoft )?powerpoint"
    rf"|(?:microsoft )?powerpoint[ -]?(?:{_PRESENTATION})|microsoft (?:word|powerpoint) - .*"
    r"|[a-z]:\\.*|/[^/]+/.*|.*\.(?:tmp|docx?|pptx?|xlsx?|od[tp]|rtf|indd|qxd|dvi|tex)",
    re.IGNORECASE,
)
# What programs give as the author: nobody, themselves, the account of the machine or what it was sold with.
_ACCOUNT = (
    "user|users|utente|usuarios?|usuário|utilisateur|utilizador|benutzer|gebruiker|använd(?:are|aren)|bruker|bruger"
    "|käyttäjä|użytkownik|uživatel|felhasználó|utilizator|kullanıcı(?:sı)?|χρήστης|пользователь|користувач|потребител"
    "|用户|使用者|ユーザー|사용자|مستخدم|משתמש"
)
_NO_AUTHOR = re.compile(
    r"anonymous|unknown|author|(?:your|user|author(?:'s)?) ?name|python-docx|openpyxl|xlsxwriter|(?:apache )?poi"
    r"|(?:microsoft|ms)(?: corporation)?|(?:(?:microsoft|ms) )?office user|windows(?: (?:\d+|xp|vista|nt)(?: [\w.]+)*)?"
    rf"|(?:windows[ -]?|microsoft[ -]?|微软)?(?:{_ACCOUNT})\d*|(?:{_ACCOUNT})(?: \w{{1,9}})?[ -]windows|微软中国"
    r"|(?:administra(?:tors?|dor|teur|tore)|админ(?:истратор)?|адміністратор|admin|root|owner|guest|管理员|管理者)\d*"
    r"|(?:hp|hewlett[- ]packard|dell|lenovo|acer|asus|toshiba|samsung|compaq|pc)(?:[ -]?(?:pc|company|customer|\d+))?",
    re.IGNORECASE,
)
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # the name of what is in a locked file
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")


@contextmanager
def quiet(library: str) -> Iterator[None]:
    """Keeps what a library logs from the terminal: it quotes the file, with whatever control characters that has."""
    log, nowhere = logging.getLogger(library), logging.NullHandler()
    before, log.propagate = log.propagate, False
    log.addHandler(nowhere)
    try:
        yield
    finally:
        log.removeHandler(nowhere)
        log.propagate = before


@contextmanager
def damaged(what: str, *errors: type[Exception]) -> Iterator[None]:
    """What a library raises for a damaged file, and these errors of its own, becomes a ValueError with a sentence."""
    try:
        yield
    except OverLimit:
        raise
    except (*BROKEN, *errors) as error:
        raise ValueError(f"the {what} cannot be read: {str(error) or type(error).__name__}") from error


def timed(parts: Iterable[Part], options: ReadOptions) -> Iterator[Part]:
    """The pages (slides, rows) of a document. Raises OverLimit if they take longer than a file may."""
    for part in parts:
        if options.timer.is_over(options.limits):
            raise took_too_long(options.limits)
        yield part


def office_file(path: Path, options: ReadOptions) -> BytesIO | None:
    """The bytes of a file of Office for a library that unpacks it; None if it is locked by a password.

    Raises OverLimit if unpacking would be too much (zipfile unpacks no more of a part than its entry says, so what the
    entries say is a bound), and ValueError for an older file of Office with the name of a newer one.
    """
    data = whole(path, options)
    if data.startswith(MAGIC):  # a locked file is no zip, but a compound file around one
        if _ENCRYPTED not in data:
            raise ValueError("it is of an Office before 2007: give it the name of such a file (.doc, .xls or .ppt)")
        return None
    with opened_zip(BytesIO(data), options.limits) as archive:
        for entry in archive.infolist():
            if entry.filename.endswith((".xml", ".rels")) and entry.file_size > options.limits.note_size:
                raise OverLimit("note_size", options.limits, f"bytes in {entry.filename!r} when it is unpacked")
        if sum(entry.file_size for entry in archive.infolist()) > options.limits.file_size:
            raise OverLimit("file_size", options.limits, "bytes when it is unpacked")
        root = archive.NameToInfo.get("_rels/.rels")
        if root and _STRICT.search(unpacked(archive, root, options.limits)):
            return _transitional(archive, options)
    return BytesIO(data)


def locked(path: Path) -> LeftOut:
    """What is said of a document that asks for a password."""
    return LeftOut(path.as_posix(), "locked by a password")


def remark(text: str, author: str = "", kind: str = "Comment", on: str = "") -> str:
    """What somebody wrote beside a document: `Comment of Rosa on A2: When?`."""
    return f"{kind}{f' of {author}' if author else ''}{f' on {on}' if on else ''}: {text}"


def _transitional(archive: ZipFile, options: ReadOptions) -> BytesIO:
    """A file that Office saved as *Strict Open XML*, with the names of what it usually saves, which libraries know."""
    stream = BytesIO()
    with ZipFile(stream, "w") as written:
        for entry in archive.infolist():
            data = unpacked(archive, entry, options.limits)
            is_xml = entry.filename.endswith((".xml", ".rels"))
            written.writestr(
                entry.filename, _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data) if is_xml else data
            )
    stream.seek(0)
    return stream


def office_properties(stream: BytesIO, options: ReadOptions, part: str = "docprops/core.xml") -> dict[str, str]:
    """The properties that a file of Office has in a part, such as `title`, `creator`, `created` and `modified`.

    The libraries invent those that are missing: a title, and as the time of the last change that of reading.
    """
    found: dict[str, str] = {}
    with opened_zip(stream, options.limits) as archive:
        entry = next((one for one in archive.infolist() if one.filename.lower().endswith(part)), None)
        text = unpacked(archive, entry, options.limits).decode("utf-8-sig", "replace") if entry else ""
    name = ""
    for token in html_tokens(text):
        if token.tag:
            name = "" if token.ends else token.tag.rpartition(":")[2]
        elif name and token.text.strip():
            found.setdefault(name, token.text.strip())
    stream.seek(0)
    return found


def office_note(path: Path, about: Mapping[str, str], *, text: str = "", sections: Iterable[Section] = ()) -> Note:
    """The note of a file of Office with these properties: its text, or the sections it has.

    Control characters, which programs leave in documents and nobody sees, are no part of it.
    """
    return Note(
        source=path.as_posix(),
        title=given_title(about.get("title"), path),
        text=_CONTROL.sub("", text),
        sections=tuple(replace(one, text=_CONTROL.sub("", one.text)) for one in sections),
        created=about.get("created"),
        updated=about.get("modified"),
        tags=[tag for tag in re.split(r"[,;]", about.get("keywords", "")) if tag.strip()],
        aliases=[path.stem],
        author=given_author(about.get("creator")),
        kind="document",
    )


def is_office(sample: Sample, part: str, files: Collection[str] = ()) -> bool:
    """Whether it is a file of Office with a part of this name, or by its ending (`*.docx`) one that is locked."""
    locked = f"*{sample.suffix}" in files and sample.head.startswith(MAGIC)
    return locked or (sample.is_zip and part in sample.entries)


def given_title(value: object, path: Path) -> str:
    """The title in the properties of a document, or the name of the file where a program has set it."""
    title = str(value or "").strip()
    return path.stem if not title or _NO_TITLE.fullmatch(title) else title


def given_author(value: object) -> str:
    """The author in the properties of a document; empty where a program has set it."""
    author = str(value or "").strip()
    return "" if _NO_AUTHOR.fullmatch(author) else ", ".join(authors(author))


def markdown_table(rows: Iterable[list[str]]) -> str:
    """Rows of cells as a table in Markdown; those without words are left out."""
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in cells if any(row)]
    return (
        "\n".join([lines[0], "|" + " --- |" * max(map(len, cells)), *lines[1:]]) if len(lines) > 1 else "".join(lines)
    )
