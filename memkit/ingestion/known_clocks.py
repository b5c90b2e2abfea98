"""Known clocks: what an export tells by the clock of another time zone is told at the times at which it is known.

A phone exports a chat by its own clock and does not say where it is; what it exported in Berlin at nine it exports in
New York at three. The machine that reads it may have moved as well. So each message would stand twice, or all times
would change with every journey.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timezone
from itertools import groupby

from memkit.core.batches import batched
from memkit.core.instants import parse_iso, to_iso
from memkit.core.types import Draft, Restated
from memkit.ingestion.clock_differences import DAY, KnownWords, Spoken, likely
from memkit.sources import MemoryRecord
from memkit.storage.connection import Connection
from memkit.storage.store import dumps
from memkit.text.words import text_hash

SELECT_DOCUMENT = "select key from documents where source = :source"
# `+` keeps SQLite from reading the whole chat to find a few rows.
SELECT_TIMES = """
select source_id, happened_at from memories
where source_id in (select value from json_each(:ids)) and +document_key = :document and happened_at is not null
"""
# What was forgotten comes first: of equal ones the last is taken first.
SELECT_SPOKEN = """
select speaker, text_hash, cast(strftime('%s', happened_at) as integer), source_id from memories
where document_key = :document and kind = 'turn' and source_id is not null and happened_at >= :first
order by archived_at is null, key
"""
_TOGETHER = 1000  # messages that are compared at once


class EndOfFile:
    """All of a file was told: what comes next is compared with what is stored of it."""


def at_known_times(
    conn: Connection, items: Iterable[MemoryRecord], *, zone_given: bool
) -> Iterator[MemoryRecord | EndOfFile]:
    """The records, and among them those of known chats with the ids that they have and at the times that they have.

    New messages are moved as far as those before them. Where the user said what zone it is (`zone_given`), the times of
    the export hold. An EndOfFile comes before a second file of a chat.
    """
    exports: dict[str, tuple[str | None, _Export | None]] = {}
    for (source, file), records in groupby(items, _export):
        if source is not None and (source not in exports or exports[source][0] != file):
            if source in exports:
                yield EndOfFile()
            known = conn.execute(SELECT_DOCUMENT, {"source": source}).fetchone()
            exports[source] = file, _Export(conn, known[0], zone_given) if known else None
        if source is not None and (export := exports[source][1]):
            yield from export.told(records)
        else:
            yield from records


def _export(item: MemoryRecord) -> tuple[str | None, str | None]:
    """The document and the file of what is told by a clock without a zone."""
    if isinstance(item, Draft | Restated) and item.document.by_clock:
        return item.document.source, item.document.file
    return None, None


class _Export:
    """A file of a chat that is known, and how far its clock is ahead of the one by which it is known, in seconds."""

    def __init__(self, conn: Connection, document: int, zone_given: bool):
        self.conn, self.document, self.zone_given = conn, document, zone_given
        self.ahead = 0
        self.differences: list[int] = []  # that the last messages told
        self.known: KnownWords | None = None  # what was said since the first message that has another time or id
        self.ids: dict[str, str] = {}  # by which messages are known, by those that they have here

    def told(self, records: Iterable[MemoryRecord]) -> Iterator[MemoryRecord]:
        """The records as they are known."""
        for some in batched(records, _TOGETHER):
            yield from some if self._are_known([one for one in some if isinstance(one, Draft)]) else self._moved(some)

    def _are_known(self, drafts: list[Draft]) -> bool:
        """Whether all have the ids and times that they have here: most exports are only longer than the one before."""
        ids = dumps([one.source_id for one in drafts])
        times = dict(self.conn.execute(SELECT_TIMES, {"document": self.document, "ids": ids}).fetchall())
        return all(times.get(one.source_id) == one.happened_at for one in drafts)

    def _moved(self, items: list[MemoryRecord]) -> Iterator[MemoryRecord]:
        spoken = [_spoken(one) for one in items]
        self.known = self.known or self._since(min((one.at for one in spoken if one), default=0))
        found = self.known.differences(spoken)
        differences = likely(found)
        if differences and self.known.are_said(spoken, differences):
            self.differences, self.ahead = differences, differences[0]
        for item, said, difference in zip(items, spoken, found, strict=True):
            self.ahead = difference if difference in self.differences else self.ahead
            if isinstance(item, Draft) and said:
                yield self._as_known(item, said, self.known)
            else:
                yield self._restated(item) if isinstance(item, Restated) else item

    def _since(self, at: int) -> KnownWords:
        about = {"document": self.document, "first": _iso(at - DAY)}
        return KnownWords(map(Spoken._make, self.conn.execute(SELECT_SPOKEN, about)))

    def _as_known(self, draft: Draft, said: Spoken, known: KnownWords) -> Draft:
        at, id = known.take(said, [self.ahead, *self.differences]) or (said.at - self.ahead, said.id)
        self.ids[said.id] = id
        at = said.at if self.zone_given else at
        return draft if (at, id) == (said.at, said.id) else replace(draft, source_id=id, happened_at=_iso(at))

    def _restated(self, one: Restated) -> Restated:
        at = _seconds(one.happened_at) - (0 if self.zone_given else self.ahead)
        ids = tuple(self.ids.get(id, id) for id in one.source_ids)
        return replace(one, source_ids=ids, happened_at=_iso(at))


def _spoken(item: MemoryRecord) -> Spoken | None:
    if isinstance(item, Draft) and item.source_id and item.happened_at:
        return Spoken(item.speaker, text_hash(item.text), _seconds(item.happened_at), item.source_id)
    return None


def _seconds(when: str) -> int:
    return int(parse_iso(when).timestamp())


def _iso(seconds: int) -> str:
    return to_iso(datetime.fromtimestamp(min(max(seconds, _FIRST), _LAST), timezone.utc))


_FIRST, _LAST = _seconds("0001-01-01"), _seconds("9999-12-31T23:59:59Z")  # that the calendar has
