"""mbox loader: many mails in one file, as Thunderbird, Gmail's Takeout and mailing lists keep them. One at a time."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
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
# `From -`, `From 184434@xxx` or `From ` alone, as Thunderbird and Gmail write it, too: then a header must follow.
_BARE = re.compile(rb"From (?:-|\S{1,200}@\S{1,90})?[ \t]*\r?\n[\w-]+[ \t]*:")
# Mozilla's own begins a mail without a blank line before it, too.
_MOZILLA = re.compile(rb"From -[^\n]{0,60}\n[\w-]+[ \t]*:")
_ESCAPED = re.compile(rb"^>(?=>*From )", re.MULTILINE)
_HEADER = re.compile(r">?[\w-]+[ \t]*:|>From ")
_BLANK = (b"\n\n", b"\n\r\n")  # how a blank line ends, with the end of the line before it
_LONGEST_BEGINNING = 300
_BLOCK = 1 << 20
_LONGEST_LINE = 1 << 20
_FEW = 9  # lines in a row that begin as the one before a mail does


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
    if (first := stream.read(len(BOM_UTF8))) == BOM_UTF8:
        first = b""
    while block := first + stream.read(_BLOCK):
        first = b""
        block += stream.readline(_LONGEST_LINE)
        for _ in range(_FEW):
            if not block.startswith(b"From ", block.rfind(b"\n", 0, -1) + 1):
                break
            block += stream.readline(_LONGEST_LINE)  # by which the line before it is known
        at, begins = 0, _begins(block, 0, before.endswith(_BLANK))
        found = block.find(b"\nFrom ")
        while found >= 0:
            here = found + 1
            if _begins(block, here, (before + block[max(0, here - 3) : here]).endswith(_BLANK)):
                yield block[at:here], begins
                at, begins = here, True
            found = block.find(b"\nFrom ", here)
        yield block[at:], begins
        before = (before + block)[-3:]


def _begins(block: bytes, at: int, after_blank: bool) -> bool:
    """Whether the line that starts here is that before a mail."""
    if not after_blank:
        return _MOZILLA.match(block, at) is not None
    end = block.find(b"\n", at)
    end = len(block) if end < 0 else end
    if end - at >= _LONGEST_BEGINNING:
        return False
    return (_BEGINS.fullmatch(block, at, end) or _BARE.match(block, at)) is not None


def _mail(path: Path, held: list[bytes], size: int, line: int, options: ReadOptions) -> Mail | Failure:
    if size > options.limits.note_size:
        return Failure(path.as_posix(), f"a mail: {OverLimit('note_size', options.limits, 'bytes')}", line=line)
    data = b"".join(held)
    if b"\n>" in data:
        data = _ESCAPED.sub(b"", data)
    found = parsed(data, options, source=path.as_posix())
    return Failure(found.source, found.reason, line=line) if isinstance(found, Failure) else found


def _matches(sample: Sample) -> bool:
    head = sample.head[: 2 * _LONGEST_BEGINNING].removeprefix(BOM_UTF8)
    if sample.suffix == ".eml" or not head.startswith(b"From "):
        return False
    _, _, second = head.partition(b"\n")
    return _begins(head, 0, True) and _HEADER.match(second.decode("ascii", "replace")) is not None


FORMAT = Format(
    "mbox",
    "Mails in one file: Thunderbird, Gmail's Takeout, archives of lists",
    read,
    _matches,
    ("*.mbox", "*.mbx", "mbox", "inbox", "sent", "*.txt"),
    has_any_name=True,
)
