"""A model may take its time: nobody waits for the write lock meanwhile, and what has no vector yet gets one later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
from conftest import NOW, LetterEmbedder, check_indexes, texts, vectors_by_id

from memkit import MemoryDatabase
from memkit.graph import description_similarity, entities
from memkit.graph.name_similarity import KnownNames
from memkit.storage import driver, vectors
from memkit.storage.driver import sqlite3

LATER = "2026-06-01T12:00:00Z"


class Watched(LetterEmbedder):
    """An embedder that does something each time before it embeds."""

    def __init__(self) -> None:
        self.before: Callable[[], object] = lambda: None
        self.times = 0

    def encode(self, texts: list[str]) -> np.ndarray:
        self.times += 1
        self.before()
        return super().encode(texts)


class Hosted(Watched):
    """An embedder that has to be asked how long its vectors are, as a hosted model has."""

    @cached_property
    def dims(self) -> int:
        self.times += 1
        self.before()
        return 26

    @property
    def version(self) -> str:
        return f"{self.dims}d"


@pytest.fixture
def embedder() -> Watched:
    return Watched()


@pytest.fixture
def db(tmp_path: Path, embedder: Watched) -> Iterator[MemoryDatabase]:
    with MemoryDatabase(tmp_path / "m.db", embed=embedder) as db:
        db.ingest([{"id": str(n), "text": f"Rosa saw pear {n}.", "session": "s"} for n in range(6)], now=NOW)
        db.relate("Rosa", "lives in", "Lisbon", now=NOW)
        db.conn.execute("update entities set description = 'a gardener' where name = 'Rosa'")
        yield db


def lacking(db: MemoryDatabase) -> int:
    """How many memories have no vector."""
    key = vectors.active_model(db.conn)["key"]
    return int(db.conn.execute(vectors.COUNT_WITHOUT_VECTOR, {"model_key": key}).fetchone()[0])


def first(db: MemoryDatabase) -> str:
    return str(db.memories().index[0])


def end() -> None:
    raise KeyboardInterrupt


def described(db: MemoryDatabase, *names: str) -> dict[str, str]:
    """Writes entities of this description, as the extraction by a model does; returns what is ambiguous."""
    known = KnownNames(db.conn, db._writing_embedder())
    with driver.writing(db.conn):
        about = dict.fromkeys(names, "pulls teeth at the harbour")
        kinds = dict.fromkeys(names, entities.THING)
        entities.ensure(db.conn, kinds, LATER, source="model", descriptions=about, likeness=known)
    return known.unsure


WRITES: dict[str, Callable[[MemoryDatabase], object]] = {
    "ingest": lambda db: db.ingest(["Otto planted a quince."], now=LATER),
    "ingest again": lambda db: db.ingest([{"id": "2", "text": "Rosa saw a plum.", "session": "s"}], now=LATER),
    "remember": lambda db: db.remember("Otto planted a quince.", now=LATER),
    "describe": lambda db: described(db, "Lisbet", "Bistel"),
    "correct": lambda db: db.correct(first(db), "Rosa saw a plum.", now=LATER),
    "forget": lambda db: db.forget(first(db), hard=True, now=LATER),
    "extract": lambda db: db.extract(now=LATER),
    "reindex": lambda db: (db.conn.execute("delete from embeddings"), db.reindex()),
    "maintain": lambda db: (db.ingest([f"Otto planted quince {n}." for n in range(9)]), db.maintain(now=LATER)),
}


def from_elsewhere(db: MemoryDatabase) -> Callable[[], None]:
    """A write by somebody who does not wait."""

    def write() -> None:
        with closing(sqlite3.connect(db.file, timeout=0)) as other:
            other.execute("create table if not exists mine (at text)")
            other.execute("insert into mine values ('now')")
            other.commit()

    return write


def written_elsewhere(db: MemoryDatabase) -> int:
    return int(db.conn.execute("select count(*) from mine").fetchone()[0])


@pytest.mark.parametrize("name", WRITES)
def test_nobody_waits_for_the_write_lock_while_a_model_embeds(db: MemoryDatabase, embedder: Watched, name: str) -> None:
    embedder.before, embedder.times = from_elsewhere(db), 0
    WRITES[name](db)
    assert embedder.times > 0
    assert written_elsewhere(db) == embedder.times
    assert lacking(db) == 0
    check_indexes(db)


@pytest.mark.parametrize("name", WRITES)
def test_nobody_waits_while_a_model_is_asked_for_its_dimensions(db: MemoryDatabase, name: str) -> None:
    db.conn.execute("update models set version = '26d'")
    embedder = Hosted()
    embedder.before = from_elsewhere(db)
    with MemoryDatabase(db.file, embed=embedder) as db:
        WRITES[name](db)
        assert embedder.times > 1
        assert written_elsewhere(db) == embedder.times


def test_an_ingest_makes_the_vectors_that_the_last_one_had_no_time_for(db: MemoryDatabase, embedder: Watched) -> None:
    embedder.before = end
    rows = [{"id": str(n), "text": f"Rosa picked plum {n}.", "session": "s"} for n in range(3, 9)]
    with pytest.raises(KeyboardInterrupt):
        db.ingest(rows, now=LATER)
    assert "Rosa picked plum 8." in texts(db)
    assert lacking(db) > 0
    embedder.before = lambda: None
    db.ingest(["Otto planted a quince."], now=LATER)
    assert lacking(db) == 0
    made = vectors_by_id(db)
    db.conn.execute("delete from embeddings")
    db.reindex()
    assert {id: vector.tolist() for id, vector in vectors_by_id(db).items()} == {
        id: vector.tolist() for id, vector in made.items()
    }


def test_the_same_ingest_again_makes_the_first_vectors_of_a_file(tmp_path: Path, embedder: Watched) -> None:
    """A process may end between the first memories and the first vectors: then the file has not even a model."""
    with MemoryDatabase(tmp_path / "m.db", embed=embedder) as db:
        embedder.before = end
        with pytest.raises(KeyboardInterrupt):
            db.ingest(["Otto planted a quince."], now=NOW)
        assert vectors.active_model(db.conn) is None
        embedder.before = lambda: None
        assert db.ingest(["Otto planted a quince."], now=NOW).unchanged == 1
        assert lacking(db) == 0


def test_remembering_makes_the_vector_of_the_memory_before(db: MemoryDatabase, embedder: Watched) -> None:
    embedder.before = end
    with pytest.raises(KeyboardInterrupt):
        db.remember("Otto planted a quince.", now=LATER)
    assert lacking(db) == 1
    embedder.before = lambda: None
    db.remember("Otto planted a medlar.", now=LATER)
    assert lacking(db) == 0


def test_a_text_is_embedded_once_also_in_a_transaction_around_the_ingest(tmp_path: Path, embedder: Watched) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed=embedder) as db:
        for text in ("Otto planted a quince.", "Otto planted a medlar."):
            embedder.times = 0
            with driver.writing(db.conn):
                db.ingest([text], now=NOW)
            assert embedder.times == 1
        assert lacking(db) == 0


def test_nothing_is_embedded_for_a_transaction_that_is_undone(db: MemoryDatabase, embedder: Watched) -> None:
    embedder.times = 0
    with suppress(ZeroDivisionError), driver.writing(db.conn):
        db.remember("Otto planted a quince.", now=LATER)
        raise ZeroDivisionError
    assert embedder.times == 0
    db.remember("Otto planted a medlar.", now=LATER)
    assert lacking(db) == 0


def test_a_text_that_changes_while_it_is_embedded_gets_no_vector_of_the_old_one(
    db: MemoryDatabase, embedder: Watched
) -> None:
    def change() -> None:
        embedder.before = lambda: None
        with MemoryDatabase(db.file, embed="none") as other:
            other.conn.execute("update memories set text = 'zzzz' where text = 'aaaa'")
            other.conn.execute("delete from memories where text = 'eeee'")

    embedder.before = change
    db.ingest(["aaaa", "eeee", "iiii"], now=LATER)
    db.ingest(["oooo"], now=LATER)
    assert lacking(db) == 0
    assert db.conn.execute("pragma foreign_key_check").fetchall() == []
    made = {text: vectors_by_id(db)[id] for id, text in db.conn.execute("select id, text from memories")}
    assert made["zzzz"].argmax() == 25
    assert "eeee" not in made


def several(db: MemoryDatabase, *names: str) -> int:
    return len({db.about(name).id for name in names})


def test_who_is_described_alike_is_one_and_can_be_two_again(db: MemoryDatabase) -> None:
    described(db, "Lisbet")
    assert described(db, "Bistel") == {}  # of the same letters
    assert several(db, "Lisbet", "Bistel") == 1
    db.unmerge("Bistel")
    described(db, "Kukkukkukk")
    db.ingest(["Bistel came by."], now=LATER)
    assert several(db, "Lisbet", "Bistel", "Kukkukkukk") == 3


def test_several_are_described_alike_in_one_write(db: MemoryDatabase) -> None:
    described(db, "Lisbet", "Bistel", "Tisbel", "Kukkukkukk")
    assert several(db, "Lisbet", "Bistel", "Tisbel", "Kukkukkukk") == 2


def test_where_several_are_described_alike_none_is_taken(db: MemoryDatabase) -> None:
    with driver.writing(db.conn):
        for name in ("Lisbet", "Tisbel"):
            entities.ensure(
                db.conn, {name: "thing"}, NOW, source="model", descriptions={name: "pulls teeth at the harbour"}
            )
    assert list(described(db, "Bistel")) == ["Bistel"]
    assert several(db, "Lisbet", "Bistel", "Tisbel") == 3


def test_only_the_oldest_are_compared_and_always_the_new_one(
    db: MemoryDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    described(db, "Lisbet", "Kukkukkukk", "Wawwawwaww")
    monkeypatch.setattr(description_similarity, "MOST_COMPARED", 3)
    described(db, "Bistel", "Zuzzuzzuzz")
    assert several(db, "Lisbet", "Bistel", "Zuzzuzzuzz") == 3  # two are new, and Rosa is the oldest
    described(db, "Tisbel")
    assert several(db, "Lisbet", "Tisbel") == 1


def test_without_a_model_descriptions_are_not_compared(db: MemoryDatabase, embedder: Watched) -> None:
    def fail() -> None:
        raise OSError

    embedder.before = fail
    described(db, "Lisbet", "Bistel")
    assert several(db, "Lisbet", "Bistel") == 2
