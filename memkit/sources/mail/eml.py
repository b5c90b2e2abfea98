"""eml loader: one mail in a file, as mail programs save it; `.emlx` is Apple Mail's."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path

from memkit.sources.contents import whole
from memkit.sources.encoding import marked
from memkit.sources.format import Format
from memkit.sources.mail.message import Record, drafts, parsed
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_COUNTED = re.compile(rb"(\d+)\s*\n")  # how many bytes the mail has, before it and a list of properties
_HEADER = re.compile(
    r"^(From|To|Cc|Subject|Date|Sender|Reply-To|Received|Return-Path|Delivered-To|Message-ID|MIME-Version|"
    r"Content-Type|X-[\w-]+)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_FIRST = re.compile(r"(?:\d+\s*\n)?(?:From [^\n]{1,400}\n)?[A-Za-z][\w-]*[ \t]*:")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """What the sender of a mail wrote: quotes and signatures are folded away."""
    data = whole(path, options, "note_size")
    if (charset := marked(data)) and charset.startswith(("utf-16", "utf-32")):  # an editor saved it so
        data = data.decode(charset, "replace").encode()
    data = data.removeprefix(BOM_UTF8)
    if counted := _COUNTED.match(data):
        data = data[counted.end() : counted.end() + int(counted[1])]
    yield from drafts([parsed(data, options, source=path.as_posix())], path, options)


def has_headers(text: str, least: int) -> bool:
    """Whether a text begins with at least so many headers of a mail."""
    head = text[:20_000].replace("\r\n", "\n").partition("\n\n")[0]
    return _FIRST.match(head) is not None and len({name.lower() for name in _HEADER.findall(head)}) >= least


def _matches(sample: Sample) -> bool:
    least = {".eml": 1, ".emlx": 1, "": 4}.get(sample.suffix.rstrip("."))
    return least is not None and has_headers(sample.text, least)


FORMAT = Format("eml", "A mail in a file", read, _matches, ("*.eml", "*.emlx"), has_any_name=True)
