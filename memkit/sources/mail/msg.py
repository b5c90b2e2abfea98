"""msg loader: a mail that Outlook has saved, by the library olefile (the extra `documents`)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

from memkit.core.types import Failure
from memkit.sources.contents import whole
from memkit.sources.documents.compound import MAGIC
from memkit.sources.epochs import since_1601
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.mail.message import Mail, Record, decoded, drafts, parsed
from memkit.sources.mail.quotes import Folding
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

# Numbers of properties (MS-OXPROPS), as they stand in the names of streams.
_SUBJECT, _BODY, _HTML, _HEADERS, _ID = "0037", "1000", "1013", "007D", "1035"
_SENDER, _ADDRESSES, _TO = "0C1A", ("5D01", "0065", "0C1F"), "0E04"
_FILE_NAMES = ("3707", "3704")  # of an attachment: the long one, and one of eight letters
_SENT, _RECEIVED, _CODE_PAGE = 0x0039, 0x0E06, 0x3FFD
_ENTRY = struct.Struct("<HHIq")  # type, number, flags, value
_UNICODE, _BYTES, _CODED = "001F", "0102", "001E"
_STREAM = "__substg1.0_"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """What the sender of the mail wrote: quotes and signatures are folded away."""
    import olefile

    with olefile.OleFileIO(BytesIO(whole(path, options, "note_size"))) as file:
        yield from drafts([_mail(_Properties(file), path, options)], path, options)


class _Properties:
    """The properties of a message in an open file."""

    def __init__(self, file: Any):
        self.file = file
        self.streams = {tuple(name) for name in file.listdir()}
        found = self.bytes("__properties_version1.0")[32:]
        rows = _ENTRY.iter_unpack(found[: len(found) // _ENTRY.size * _ENTRY.size])
        self.numbers = {number: value for _, number, _, value in rows}

    def bytes(self, *name: str) -> bytes:
        """A stream; empty if there is none."""
        return bytes(self.file.openstream(list(name)).read()) if name in self.streams else b""

    def text(self, number: str, *folder: str) -> str:
        """A property that is text, or bytes of text; empty if there is none."""
        if data := self.bytes(*folder, f"{_STREAM}{number}{_UNICODE}"):
            return data.decode("utf-16-le", "replace").rstrip("\0")
        data = self.bytes(*folder, f"{_STREAM}{number}{_CODED}") or self.bytes(*folder, f"{_STREAM}{number}{_BYTES}")
        page = self.numbers.get(_CODE_PAGE, 0) & 0xFFFF
        return decoded(data.rstrip(b"\0"), f"cp{page}" if page and page != 65001 else None)

    def time(self) -> str | None:
        """When the message was sent, or else when it came."""
        ticks = self.numbers.get(_SENT) or self.numbers.get(_RECEIVED) or 0
        return since_1601(ticks / 10)

    def attachments(self) -> Iterator[str]:
        """The names of what is attached."""
        for folder in sorted({name[0] for name in self.streams if name[0].startswith("__attach_")}):
            if name := next(filter(None, (self.text(number, folder) for number in _FILE_NAMES)), ""):
                yield name


def _mail(held: _Properties, path: Path, options: ReadOptions) -> Mail | Failure:
    """The mail: its headers as they came over the net, if it did, and what Outlook says of it."""
    headers = held.text(_HEADERS).encode("utf-8", "replace")
    found = parsed(headers.strip() + b"\n\n", options, source=path.as_posix())
    if isinstance(found, Failure):
        return found
    folding = Folding(held.text(_SUBJECT))
    body = held.text(_BODY) or html_markdown(held.text(_HTML), skipped=folding.hides)
    address = next((text for number in _ADDRESSES if "@" in (text := held.text(number))), found.address)
    return replace(
        found,
        id=found.id or held.text(_ID).strip("<>"),
        subject=folding.subject or found.subject,
        sender=held.text(_SENDER) or found.sender or address,
        address=address,
        text=folding.folded(body),
        at=held.time() or found.at,
        to=found.to or tuple(one.strip() for one in held.text(_TO).split(";") if one.strip()),
        attachments=tuple(held.attachments()),
    )


def _matches(sample: Sample) -> bool:
    return sample.suffix == ".msg" and sample.head.startswith(MAGIC)


FORMAT = Format("msg", "A mail saved by Outlook", read, _matches, ("*.msg",), needs=("olefile",), extra="documents")
