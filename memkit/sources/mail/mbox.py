"""mbox loader: many mails in one file, as Thunderbird, Gmail's Takeout and mailing lists keep them. One at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import DocumentDraft, Draft, Failure
from memkit.sources.contents import opened
from memkit.sources.format import Format
from memkit.sources.limits import OverLimit
from memkit.sources.mail.message import Mail, drafts, parsed
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

# `From rosa@example.org Mon Nov  7 18:44:27 2016`: only a line with a time begins a mail, for sentences begin so, too.
_BEGINS = re.compile(rb"From (?:\S.*)?\d\d?:\d\d.*\d{4}[^\n]{0,20}\s*")
_ESCAPED = re.compile(rb">+From ")
_HEADER = re.compile(r">?[\w-]+[ \t]*:|>From ")
_LONGEST_BEGINNING = 300
_LONGEST_LINE = 1 << 20


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | DocumentDraft | Failure]:
    """The mails with what their senders wrote: quotes, signatures and footers of lists are folded away."""
    yield from drafts(_mails(path, options), path, options)


def _mails(path: Path, options: ReadOptions) -> Iterator[Mail | Failure]:
    held: list[bytes] = []
    size, start, blank = 0, 1, True
    with opened(path, options) as stream:
        number = 0
        while line := stream.readline(_LONGEST_LINE):
            number += line.endswith(b"\n")
            if blank and len(line) <= _LONGEST_BEGINNING and _BEGINS.fullmatch(line):
                if size:
                    yield _mail(path, held, size, start, options)
                held, size, start = [], 0, number
            elif size <= options.limits.note_size:
                held.append(line[1:] if line.startswith(b">") and _ESCAPED.match(line) else line)
            size += len(line)
            blank = line in (b"\n", b"\r\n")
    if any(map(bytes.strip, held)):
        yield _mail(path, held, size, start, options)


def _mail(path: Path, held: list[bytes], size: int, line: int, options: ReadOptions) -> Mail | Failure:
    if size > options.limits.note_size:
        return Failure(path.as_posix(), f"a mail: {OverLimit('note_size', options.limits, 'bytes')}", line=line)
    found = parsed(b"".join(held), options, source=path.as_posix())
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
