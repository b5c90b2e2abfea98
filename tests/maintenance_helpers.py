"""What tests of a memory's life share: a frozen clock, some episodes, and what a database holds."""

from __future__ import annotations

from typing import Any

from memkit import MemoryDatabase
from memkit.ingestion.own_slots import EXTRACTOR
from memkit.maintenance.dates import days_later

START = "2026-03-01T12:00:00Z"
TABLES = (
    "memories",
    "mentions",
    "evidence",
    "links",
    "access",
    "extractions",
    "fingerprints",
    "feedback",
    "recall_hits",
)
CURRENT = (
    "select id, subject, predicate, object, confidence, valid_from, valid_until from current_relations order by id"
)

SAID = (
    "Rosa lives in Lisbon, and her street is quiet in the mornings.",
    "We talked about the weather, which was mild and grey all day long.",
    "Hana works at Nightshade as a cook, and likes the kitchen there.",
    "Nothing much happened afterwards, so that everybody went home early in the evening.",
    "The train to Porto was late again, and the coffee on it was cold.",
    "Somebody had left an umbrella in the hall, a green one with a broken handle.",
)


def day(number: float) -> str:
    """The moment so many days after START."""
    return days_later(START, number)


def add_session(db: MemoryDatabase, number: float, said: tuple[str, ...] = SAID, **fields: Any) -> list[str]:
    """The ids of raw episodes of one session, an hour apart, on that day."""
    return [
        db.remember(
            text,
            kind="episode",
            happened_at=day(number + hour / 24),
            now=day(number + hour / 24),
            meta={"session": f"session {number}"},
            **fields,
        ).id
        for hour, text in enumerate(said)
    ]


def rows(db: MemoryDatabase, *tables: str) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of these tables (those that hang on memories, if none are named), and the relations that hold.

    That a text was read for slots is left out: undo leaves it as it is.
    """
    found = {
        name: sorted((tuple(row) for row in db.conn.execute(f"select * from {name}")), key=repr)
        for name in tables or TABLES
    }
    if "extractions" in found:
        found["extractions"] = [row for row in found["extractions"] if EXTRACTOR not in row]
    return {**found, "relations": facts(db)}


def facts(db: MemoryDatabase) -> list[tuple[Any, ...]]:
    """The relations that hold now."""
    return [tuple(row) for row in db.conn.execute(CURRENT)]


def of_compression(db: MemoryDatabase, compression: str) -> list[Any]:
    """The rows of the memories that are raw, compressed or distilled, and not archived."""
    query = "select * from memories where compression = ? and archived_at is null order by key"
    return db.conn.execute(query, (compression,)).fetchall()


def links(db: MemoryDatabase, type: str) -> set[tuple[str, str]]:
    """The links of a type, as ids."""
    query = """
        select a.id, b.id
        from links as l join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key
        where l.type = ?
    """
    return {tuple(row) for row in db.conn.execute(query, (type,))}
