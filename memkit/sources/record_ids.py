"""Ids for records that have none: the same record of two exports has the same id, wherever it stands in them."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b


class RecordIds:
    """Ids by time, speaker and text. Equal records of one moment are counted, in the order of the file."""

    def __init__(self) -> None:
        self._at: object = None
        self._seen: Counter[str] = Counter()

    def next(self, at: object, speaker: str, text: str) -> str:
        """The id of the next record."""
        if at != self._at:
            self._at = at
            self._seen.clear()
        told = "\0".join((str(at), speaker, text)).encode("utf-8", "surrogatepass")
        id = blake2b(told, digest_size=8).hexdigest()
        self._seen[id] += 1
        return id if self._seen[id] == 1 else f"{id}-{self._seen[id]}"
