"""Spool: texts in a file without a name, so that any number of them can be gone over again without being held."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile


class Spool:
    """Public texts in their order, without those that come again soon. They are read by one reader at a time."""

    def __init__(self) -> None:
        self._file = TemporaryFile()  # noqa: SIM115 (closed by `close`); it goes with the process, also if that is killed
        self._end = 0

    def extend(self, texts: Iterable[str]) -> None:
        """Adds some texts, each once."""
        self._file.seek(self._end)
        self._end += self._file.write(json.dumps(list(dict.fromkeys(texts))).encode() + b"\n")

    def __iter__(self) -> Iterator[str]:
        """All texts, from the first."""
        self._file.seek(0)
        for line in self._file:
            yield from json.loads(line)

    def close(self) -> None:
        """Gives the room on the disk back."""
        self._file.close()
