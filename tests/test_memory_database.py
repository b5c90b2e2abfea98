"""What a database is asked beside recall: how much there is, one memory, a table of them, what there is to choose."""

from __future__ import annotations

import pytest
from conftest import NOW

from memkit import MemoryDatabase
from memkit.core.errors import NotFound


@pytest.fixture
def db() -> MemoryDatabase:
    made = MemoryDatabase(embed="none")
    made.remember("Rosa planted the quince.", project="garden", happened_at="2019-03-01", now=NOW)
    made.remember("Otto lends the ladder.", kind="note", happened_at="2025-05-01", now=NOW)
    made.relate("Rosa", "lives_in", "Kingsferry", valid_from="2020-01-01", valid_until="2024-06-01", now=NOW)
    return made


def test_its_length_is_the_number_of_memories_that_hold(db: MemoryDatabase) -> None:
    db.remember("Otto has the key.", valid_until="2024-01-01", now=NOW)
    db.remember("Otto is away.", expires_at="2024-01-01", now=NOW)
    assert len(db) == 2
    db.forget(db.recall("quince").ids[0])
    assert len(db) == len(db.memories()) == 1


def test_an_empty_database_is_a_database() -> None:
    with MemoryDatabase(embed="none") as empty:
        assert len(empty) == 0
        assert empty
        assert empty.memories().empty
        assert empty.choices().memories == 0
        assert empty.neighborhood().nodes == ()


def test_get_gives_none_where_memory_raises(db: MemoryDatabase) -> None:
    (id,) = db.recall("quince", 1).ids
    assert db.get(id) == db.memory(id)
    assert db.get("nonsense") is None
    with pytest.raises(NotFound):
        db.memory("nonsense")


def test_memories_are_a_table_of_what_a_recall_could_find(db: MemoryDatabase) -> None:
    db.remember("Hana keeps the shop.", project="shop", happened_at="2021-03-01", now=NOW)
    db.remember("Otto has the key.", happened_at="2023-01-01", valid_until="2024-01-01", now=NOW)
    found = db.memories(kind="note", since="2025-01-01")
    assert list(found["text"]) == ["Otto lends the ladder."]
    assert found["happened_at"].dt.year.tolist() == [2025]
    assert found.index.name == "id"
    assert not {"key", "document_key", "position"} & set(found.columns)
    assert [len(db.memories(**only)) for only in ({}, {"kind": "note"}, {"since": "2025-01-01"})] == [3, 1, 1]
    assert db.memories(as_of="2023-06-01")["happened_at"].dt.year.tolist() == [2019, 2021, 2023]
    assert "Otto has the key." in db.memories(everything=True)["text"].tolist()
    assert db.memories(project="garden")["project"].tolist() == ["garden", "global"]
    assert db.memories(kind=["fact", "note"], until="2020-01-01")["text"].tolist() == ["Rosa planted the quince."]


def test_names_lead_to_ids(db: MemoryDatabase) -> None:
    assert db.entity_ids(["ROSA", "Nobody"]) == {"ROSA": db.about("Rosa").id}


def test_a_fact_turns_when_it_begins_and_when_it_ends(db: MemoryDatabase) -> None:
    assert db.turning_days() == ["2020-01-01", "2024-06-01"]
    assert [fact.text for fact in db.timeline("Rosa").facts] == ["Rosa lives in Kingsferry"]
    assert "Kingsferry" in {node.entity.name for node in db.neighborhood("Rosa", as_of="2022-01-01").nodes}
    assert "Kingsferry" not in {node.entity.name for node in db.neighborhood("Rosa", as_of="2025-01-01").nodes}


def test_a_typo_in_a_filter_is_told(db: MemoryDatabase) -> None:
    assert db.filter_warnings(project="garden", kinds="note") == ()
    (said,) = db.filter_warnings(project="gardn")
    assert "Did you mean 'garden'?" in said
    (said,) = db.filter_warnings(kinds=["note", "fatc"])
    assert "Did you mean 'fact'?" in said


def test_what_stands_around_a_memory(db: MemoryDatabase) -> None:
    (id,) = db.recall("quince", 1).ids
    assert "Rosa" in {mention["name"] for mention in db.surroundings(id).mentions}
    with pytest.raises(NotFound):
        db.surroundings("nonsense")
