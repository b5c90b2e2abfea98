"""A write by hand is one piece: stopped at any statement, it leaves everything as it was, and can be done again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from conftest import NOW, LetterEmbedder, check_indexes, everything

from memkit import MemoryDatabase
from memkit.core.errors import BadArgument, BadSource, NotFound
from memkit.storage import driver

LATER = "2026-03-02T12:00:00Z"
WRITES = ("insert", "update", "delete")


class Stopped(Exception):
    """What happens in the middle."""


class Stopping(driver.CachingConnection):
    """A connection that stops before one of the statements that write."""

    left = -1  # statements until then; negative: never

    def execute(self, statement: str, *given: Any) -> Any:
        """A cursor."""
        self._count(statement)
        return super().execute(statement, *given)

    def executemany(self, statement: str, *given: Any) -> Any:
        """A cursor."""
        self._count(statement)
        return super().executemany(statement, *given)

    def _count(self, statement: str) -> None:
        if statement.split(None, 1)[0].lower() in WRITES:
            if self.left == 0:
                raise Stopped
            self.left -= 1


@dataclass
class Known:
    """A database, and the ids in it that deeds are about."""

    db: MemoryDatabase
    tree: str
    pond: str
    gone: str
    merge: str
    contradiction: str


def filled() -> Known:
    """Memories, relations, a name merged, one memory pruned, and two decisions that wait."""
    conn = driver.sqlite3.connect(":memory:", isolation_level=None, factory=Stopping)
    driver.prepare(conn)
    db = MemoryDatabase(conn=conn, embed=LetterEmbedder())
    db.set_policy(settings={"feedback.adjust": "true", "prune.user.cap": "1", "prune.user.min_age_days": "0"})
    tree = db.remember("Rosa planted the quince in 2019, and Hana watered it.", now=NOW).id
    pond = db.remember("The pond is beside the quince.", now=NOW).id
    old = db.remember("Rosa likes the rain.", slot="user", key="weather", importance=1, now="2020-01-01T00:00:00Z").id
    db.remember("Rosa likes the sun.", slot="user", key="season", now=NOW)
    db.relate("Rosa", "lives in", "Lund", now=NOW)
    db.relate("Rosa Grizan", "knows", "Otto", now=NOW)
    db.merge("Rosa", "Rosa Grizan", now=NOW)
    db.remember("Rosa Grizan has a boat.", now=NOW)
    db.prune(apply=True, now=LATER)
    for text in ("The medlar bears late in October.", "The medlar bears quite late in October."):
        db.remember(text, now=NOW)
    for place in ("Lisbon", "Porto"):
        db.relate("Otto", "born in", place, valid_from="1980", now=NOW)
    db.maintain(only="propose", now=LATER)
    decisions = {one.kind: one.id for one in db.proposals()}
    return Known(db, tree, pond, old, decisions["merge"], decisions["contradiction"])


DEEDS: dict[str, Callable[[Known], object]] = {
    "remember": lambda at: at.db.remember("Hana Mori built the shed with Otto.", title="The Shed", now=LATER),
    "remember in a slot": lambda at: at.db.remember("snow", slot="user", key="season", now=LATER),
    "correct": lambda at: at.db.correct(at.tree, "Hana planted the quince in 2018.", now=LATER),
    "relate": lambda at: at.db.relate("Rosa", "lives in", "Zyx", memory=at.tree, quote="Rosa planted", now=LATER),
    "link": lambda at: at.db.link(at.tree, at.pond, why="beside", now=LATER),
    "supersede": lambda at: at.db.supersede(at.tree, at.pond, now=LATER),
    "merge": lambda at: at.db.merge("Hana", "Otto", now=LATER),
    "unmerge": lambda at: at.db.unmerge("Rosa", now=LATER),
    "forget": lambda at: at.db.forget(at.tree, now=LATER),
    "unprune": lambda at: at.db.unprune(at.gone, now=LATER),
    "feedback": lambda at: at.db.feedback(at.tree, True, "who planted it?", now=LATER),
    "accept a merge": lambda at: at.db.accept(at.merge, now=LATER),
    "accept a side": lambda at: at.db.accept(at.contradiction, text="Otto was born in Faro.", now=LATER),
    "refuse": lambda at: at.db.refuse(at.merge, now=LATER),
}


def is_stopped(at: Known, deed: Callable[[Known], object], number: int) -> bool:
    """Does it, and stops before the statement with this number; whether there is one."""
    at.db.conn.left = number
    try:
        deed(at)
    except Stopped:
        return True
    finally:
        at.db.conn.left = -1
    return False


def contents(at: Known) -> dict[str, list[tuple[Any, ...]]]:
    """All that is there but when the tables were made, and the name that each database has of its own."""
    found = everything(at.db)
    settings = [row for row in found["settings"] if row[0] != "database"]
    return {**found, "settings": settings, "_sqlite_migrations": []}


def without_vectors(found: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """The same, without what a model makes after the transaction, and without how often something was written."""
    return {
        name: rows
        for name, rows in found.items()
        if "embeddings" not in name and name not in ("sqlite_sequence", "models")
    }


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_stopped_at_any_statement_it_leaves_nothing_or_lacks_vectors_only(deed: Callable[[Known], object]) -> None:
    at, undisturbed = filled(), filled()
    before = contents(at)
    deed(undisturbed)
    after = contents(undisturbed)
    number = 0
    while is_stopped(at, deed, number):
        if (found := contents(at)) != before:
            assert without_vectors(found) == without_vectors(after), f"stopped before statement {number}"
            at.db.ingest([], now=LATER)
            made = [sorted(row[1:] for row in of["embeddings"]) for of in (contents(at), after)]
            assert made[0] == made[1], f"stopped before statement {number}"
            at = filled()
        number += 1
    assert contents(at) == after != before
    check_indexes(at.db)


# ---------------------------------------------------------------------------------------------- corrections


def test_a_correction_is_recalled_in_place_of_what_it_corrects(mem: MemoryDatabase) -> None:
    fields = {"kind": "episode", "title": "Trees", "tags": ["garden"], "importance": 8}
    old = mem.remember("Rosa planted the quince.", now=NOW, **fields)
    new = mem.correct(old.id, "Hana planted the quince.", why="Rosa says so", importance=9, now=LATER)
    assert mem.recall("who planted the quince?", now=LATER).ids == [new.id]
    assert (new.kind, new.title, new.tags, new.importance) == ("episode", "Trees", ("garden",), 9)
    assert mem.memory(old.id).valid_until == LATER
    links = mem.conn.execute("select type, from_key, to_key, why from links").fetchall()
    assert [tuple(row) for row in links] == [("supersedes", new.key, old.key, "Rosa says so")]


def test_a_corrected_part_of_a_document_is_a_fact_of_no_document(mem: MemoryDatabase) -> None:
    mem.ingest([{"id": "a", "text": "The pond is deep."}])
    new = mem.correct(mem.recall("pond")[0].memory.id, "The pond is shallow.")
    assert (new.kind, new.source_id, new.document_key) == ("fact", None, None)


def test_a_corrected_value_of_a_slot_is_its_value(mem: MemoryDatabase) -> None:
    past = mem.remember("Bern", slot="user", key="city", now=NOW)
    mem.remember("Lund", slot="user", key="city", now=LATER)
    mem.correct(past.id, "Basel", now="2026-03-03T12:00:00Z")  # history has no say in what is so now
    value = "select text from current_memories where slot_key = 'city'"
    assert [row[0] for row in mem.conn.execute(value)] == ["Lund"]
    mem.correct(mem.recall("Lund")[0].memory.id, "Malmö", now="2026-03-04T12:00:00Z")
    assert [row[0] for row in mem.conn.execute(value)] == ["Malmö"]


@pytest.mark.parametrize(
    ("text", "fields", "error"),
    [
        ("Rosa planted\r\n the quince. ", {}, BadSource),
        (" ", {}, BadSource),
        ("Hana did.", {"importance": 99}, BadSource),
        ("Hana did.", {"colour": "red"}, BadArgument),
        ("Hana did.", {"why": None}, BadArgument),
    ],
)
def test_what_corrects_nothing_changes_nothing(
    mem: MemoryDatabase, text: str, fields: dict[str, Any], error: type[Exception]
) -> None:
    old = mem.remember("Rosa planted the quince.", now=NOW)
    before = everything(mem)
    with pytest.raises(error):
        mem.correct(old.id, text, now=LATER, **fields)
    with pytest.raises(NotFound):
        mem.correct("nosuch", "Hana did.")
    assert everything(mem) == before
