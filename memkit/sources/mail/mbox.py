"""mbox loader: many mails in one file, as Thunderbird, Gmail's Takeout and mailing lists keep them. One at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from memkit.core.types import Failure
from memkit.sources.contents import opened
from memkit.sources.format import Format
from memkit.sources.limits import OverLimit
from memkit.sources.mail.message import Mail, Record, drafts, parsed
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

# `From rosa@example.org Mon Nov  7 18:44:27 2016`: only a line with a time begins a mail, for sentences begin so, too.
_BEGINS = re.compile(rb"From (?:\S.*)?\d\d?:\d\d.*\d{4}[^\n]{0,20}\s*")
_ESCAPED = re.compile(rb"^>(?=>*From )", re.MULTILINE)
_HEADER = re.compile(r">?[\w-]+[ \t]*:|>From ")
_BLANK = (b"\n\n", b"\n\r\n")  # how a blank line ends, with the end of the line before it
_LONGEST_BEGINNING = 300
_BLOCK = 1 << 20
_LONGEST_LINE = 1 << 20


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The mails with what their senders wrote: quotes, signatures and footers of lists are folded away."""
    yield from drafts(_mails(path, options), path, options)


def _mails(path: Path, options: ReadOptions) -> Iterator[Mail | Failure]:
    most = options.limits.note_size
    held: list[bytes] = []
    size, start, line = 0, 1, 1
    with opened(path, options) as stream:
        for block, begins in _blocks(stream):
            if begins:
                if any(map(bytes.strip, held)) or size > most:
                    yield _mail(path, held, size, start, options)
                held, size, start = [], 0, line
            size += len(block)
            line += block.count(b"\n")
            if size <= most:
                held.append(block.partition(b"\n")[2] if begins else block)
    if any(map(bytes.strip, held)) or size > most:
        yield _mail(path, held, size, start, options)


def _blocks(stream: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """The file in pieces of whole lines, each with whether a mail begins with it."""
    before = b"\n\n"  # the end of the block before
    while block := stream.read(_BLOCK):
        block += stream.readline(_LONGEST_LINE)
        at, begins = 0, before.endswith(_BLANK) and _begins(block, 0)
        found = block.find(b"\nFrom ")
        while found >= 0:
            here = found + 1
            if (before + block[max(0, here - 3) : here]).endswith(_BLANK) and _begins(block, here):
                yield block[at:here], begins
                at, begins = here, True
            found = block.find(b"\nFrom ", here)
        yield block[at:], begins
        before = (before + block)[-3:]


def _begins(block: bytes, at: int) -> bool:
    """Whether the line that starts here is that before a mail."""
    end = block.find(b"\n", at)
    end = len(block) if end < 0 else end
    return end - at < _LONGEST_BEGINNING and _BEGINS.fullmatch(block, at, end) is not None


def _mail(path: Path, held: list[bytes], size: int, line: int, options: ReadOptions) -> Mail | Failure:
    if size > options.limits.note_size:
        return Failure(path.as_posix(), f"a mail: {OverLimit('note_size', options.limits, 'bytes')}", line=line)
    data = b"".join(held)
    if b"\n>" in data:
        data = _ESCAPED.sub(b"", data)
    found = parsed(data, options, source=path.as_posix())
    return Failure(found.source, found.reason, line=line) if isinstance(found, Failure) else found


def _matches(sample: Sample) -> bool:
    if sample.suffix == ".eml" or not sample.head.startswith(b"From "):
        return False
    first, _, second = sample.head[: 2 * _LONGEST_BEGINNING].partition(b"\n")
    begins = len(first) <= _LONGEST_BEGINNING and _BEGINS.fullmatch(first) is not None
    return begins and _HEADER.match(second.decode("ascii", "replace")) is not None


FORMAT = Format(
    "mbox",
    "Mails in one file: Thunderbird, Gmail's Takeout, archives of lists",
    read,
    _matches,
    ("*.mbox", "*.mbx", "mbox", "inbox", "sent", "*.txt"),
)
