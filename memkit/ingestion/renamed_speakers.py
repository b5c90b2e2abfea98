"""Renamed speakers: who was saved as a contact, or under another name, says in a later export all that was said before.

In a chat without ids a message is known by its speaker, too. So all messages of somebody who was renamed are new, and
the old ones would stand beside them. What tells that one name is the other: the old one does not speak in the export at
all, and most of what it said in the time of the export, the other one says there, at the same moments. Each of these
messages is there once then; what nobody says there any more, as it was deleted or edited, stays under the old name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memkit.storage.connection import Connection

SELECT_SPEAKERS = """
select distinct speaker from memories
where document_key = :document and archived_at is null and kind = 'turn' and speaker is not null
"""
SELECT_SAID = """
select key, speaker, happened_at, text_hash, created_at from memories
where document_key = :document and archived_at is null and kind = 'turn'
    and speaker is not null and happened_at is not null
order by key
"""
_FEWEST = 2  # messages that tell it: a single `ok` may be two people's


@dataclass
class Export:
    """Who speaks in an export of a chat, and from when to when."""

    speakers: set[str] = field(default_factory=set)
    first: str = ""
    last: str = ""

    def add(self, speaker: str, at: str) -> None:
        """A message of the export."""
        self.speakers.add(speaker)
        self.first, self.last = min(self.first or at, at), max(self.last, at)


def said_twice(conn: Connection, document: int, export: Export, now: str) -> list[int]:
    """The keys of those messages that stand under the former name of who says them, too.

    `now` is when the rows of this run were made. If the other name still speaks after the end of the export, that is an
    older one, whose messages are the former.
    """
    others = {row[0] for row in conn.execute(SELECT_SPEAKERS, {"document": document})} - export.speakers
    if not others:
        return []
    rows = conn.execute(SELECT_SAID, {"document": document}).fetchall()
    new: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in rows:
        if row["created_at"] == now and row["speaker"] in export.speakers:
            new[row["happened_at"], row["text_hash"]].append(row)
    return [key for other in sorted(others) for key in _twice(other, rows, new, export)]


def _twice(other: str, rows: list[Any], new: dict[tuple[str, str], list[Any]], export: Export) -> Iterator[int]:
    said = [row for row in rows if row["speaker"] == other and export.first <= row["happened_at"] <= export.last]
    twins = [new.get((row["happened_at"], row["text_hash"]), []) for row in said]
    names = Counter(name for some in twins for name in {twin["speaker"] for twin in some}).most_common(2)
    if not names or (len(names) > 1 and names[0][1] == names[1][1]):
        return
    name = names[0][0]
    taken: set[int] = set()
    pairs = []
    for row, some in zip(said, twins, strict=True):
        twin = next((one["key"] for one in some if one["speaker"] == name and one["key"] not in taken), None)
        if twin is not None:
            taken.add(twin)
            pairs.append((row["key"], twin))
    if len(pairs) < _FEWEST or 2 * len(pairs) <= len(said):
        return
    goes_on = max(row["happened_at"] for row in rows if row["speaker"] == other) > export.last
    yield from (twin if goes_on else old for old, twin in pairs)
