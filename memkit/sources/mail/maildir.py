"""Maildir loader: a folder of mails with `cur` and `new`, and the folders in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

from memkit.core.types import Failure
from memkit.sources.contents import opened, whole
from memkit.sources.format import Format
from memkit.sources.guard import reason
from memkit.sources.mail.message import Mail, Record, drafts, parsed
from memkit.sources.options import ReadOptions

_MAILS = ("cur", "new")
_MESSAGE_ID = re.compile(rb"^Message-ID:\s*(<[^<>\s]+>)", re.IGNORECASE | re.MULTILINE)
_HEADERS = 16_384  # bytes in which they mostly end
_LOOKED_AT = 20  # names in a folder


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The mails of a Maildir and of the folders in it, with what their senders wrote.

    A folder is a tag; a mail that lies in several, as where labels of Gmail are folders, has the tags of all.
    """
    options = options if options.root else replace(options, root=path)
    yield from drafts(_mails(path, options), path, options)


def _mails(root: Path, options: ReadOptions) -> Iterator[Mail | Failure]:
    labels = _labels(root, options)
    for file, own in _files(root):
        try:
            data = whole(file, options, "note_size")
        except (OSError, ValueError) as error:
            yield Failure(file.as_posix(), reason(error))
            continue
        yield parsed(data, options, source=file.as_posix(), labels=tuple(labels.get(_id(data), own)))


def _files(root: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The files of a Maildir, each with the tags of its folder."""
    for here, inner, names in os.walk(root):
        inner.sort()
        folder = Path(here)
        if folder.name in _MAILS:
            labels = tuple(part.strip(".").replace(".", "/") for part in folder.parent.relative_to(root).parts)
            yield from ((folder / name, labels) for name in sorted(names) if not name.startswith("."))


def _labels(root: Path, options: ReadOptions) -> dict[bytes, dict[str, None]]:
    """The tags of all folders in which a mail lies, by its id, for mails that lie in folders."""
    found: dict[bytes, dict[str, None]] = {}
    for file, labels in _files(root):
        if labels:
            with suppress(OSError, ValueError), opened(file, options) as stream:
                found.setdefault(_id(stream.read(_HEADERS)), {}).update(dict.fromkeys(labels))
    found.pop(b"", None)
    return found


def _id(data: bytes) -> bytes:
    """The id in the headers of a mail; empty if it has none there."""
    headers = data[:_HEADERS].replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    found = _MESSAGE_ID.search(headers)
    return found[1] if found else b""


def _is_maildir(path: Path, names: frozenset[str]) -> bool:
    """Whether a folder has the folders of a Maildir; with `cur` alone, whether the names in it are those of mails."""
    if "cur" not in names or not (path / "cur").is_dir():
        return False
    return bool(names & {"new", "tmp"}) or any(
        ":2," in one.name for one in islice((path / "cur").iterdir(), _LOOKED_AT)
    )


FORMAT = Format("maildir", "A Maildir: a folder of mails", read, folder=_is_maildir)
