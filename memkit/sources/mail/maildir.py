"""Maildir loader: a folder of mails with `cur` and `new`, and the folders in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from memkit.core.types import Failure
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.guard import reason
from memkit.sources.mail.message import Mail, Record, drafts, parsed
from memkit.sources.options import ReadOptions

_MAILS = ("cur", "new")
_LOOKED_AT = 20  # names in a folder


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The mails of a Maildir and of the folders in it, with what their senders wrote. A folder is a tag."""
    options = options if options.root else replace(options, root=path)
    yield from drafts(_mails(path, options), path, options)


def _mails(root: Path, options: ReadOptions) -> Iterator[Mail | Failure]:
    for here, inner, names in os.walk(root):
        inner.sort()
        folder = Path(here)
        if folder.name not in _MAILS:
            continue
        labels = tuple(part.strip(".").replace(".", "/") for part in folder.parent.relative_to(root).parts)
        for name in sorted(names):
            if name.startswith("."):
                continue
            file = folder / name
            try:
                data = whole(file, options, "note_size")
            except (OSError, ValueError) as error:
                yield Failure(file.as_posix(), reason(error))
                continue
            yield parsed(data, options, source=file.as_posix(), labels=labels)


def _is_maildir(path: Path, names: frozenset[str]) -> bool:
    """Whether a folder has the folders of a Maildir; with `cur` alone, whether the names in it are those of mails."""
    if "cur" not in names or not (path / "cur").is_dir():
        return False
    return bool(names & {"new", "tmp"}) or any(
        ":2," in one.name for one in islice((path / "cur").iterdir(), _LOOKED_AT)
    )


FORMAT = Format("maildir", "A Maildir: a folder of mails", read, folder=_is_maildir)
