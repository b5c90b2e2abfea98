"""Facts about the graph as one project's memories tell it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import NotFound
from memkit.graph.adjacency import graph
from memkit.graph.project_view import TABLES, view_of_project

ROSA = (
    ("garden", "Rosa works at Harbour Mill. Rosa likes quinces."),
    ("diary", "Rosa is married to Otto. Otto lives in Porto."),
    ("global", "Rosa met Theo in Lisbon."),
)


@pytest.fixture(scope="module")
def told() -> Iterator[MemoryDatabase]:
    """Rosa, as two projects and the memories of none tell of her."""
    with MemoryDatabase(embed="none") as db:
        for project, text in ROSA:
            db.remember(text, project=project, now="2025-01-01T00:00:00Z")
        db.relate("Theo", "sibling_of", "Ida", now="2025-01-01T00:00:00Z")
        yield db


def said(db: MemoryDatabase, project: str | None) -> set[str]:
    """What holds about Rosa."""
    return {str(one) for one in db.about("Rosa", project=project).relations}


def test_a_card_has_what_the_project_says_and_what_belongs_to_none(told: MemoryDatabase) -> None:
    garden, diary = said(told, "garden"), said(told, "diary")
    assert garden & diary == said(told, "nowhere")
    assert garden | diary == said(told, None)
    assert any("Harbour Mill" in one for one in garden - diary)
    assert any("Otto" in one for one in diary - garden)
    memories = told.about("Rosa", project="garden").memories
    assert {one.text for one in memories} == {ROSA[0][1], ROSA[2][1]}


def test_a_name_that_only_another_project_knows_is_not_known_and_not_suggested(told: MemoryDatabase) -> None:
    assert told.about("Otto", project="diary").name == "Otto"
    for name in ("Otto", "Ottos", told.about("Otto").id):
        with pytest.raises(NotFound) as refused:
            told.about(name, project="garden")
        assert "Otto," not in str(refused.value)
        assert "like it" not in str(refused.value)


def test_a_way_leads_over_what_the_project_knows(told: MemoryDatabase) -> None:
    assert told.path("Rosa", "Porto", project="diary")
    assert told.path("Rosa", "Theo", project="diary")
    with pytest.raises(NotFound):
        told.path("Rosa", "Porto", project="garden")


def test_what_was_said_by_hand_belongs_to_the_project_of_the_memory_that_says_so_or_to_none(
    told: MemoryDatabase,
) -> None:
    assert [str(one) for one in told.about("Ida").relations] == ["Theo -sibling of-> Ida"]
    with pytest.raises(NotFound):
        told.about("Ida", project="garden")
    with MemoryDatabase(embed="none") as db:
        said = db.remember("Theo has a sister, Ida.", project="garden")
        db.relate("Theo", "sibling_of", "Ida", memory=said.id)
        db.relate("Theo", "sibling_of", "Ida", quote="so they say")
        (relation,) = db.about("Ida", project="garden").relations
        assert [one.memory_id for one in relation.evidence] == [said.id]
        with pytest.raises(NotFound):
            db.about("Ida", project="diary")


def test_an_entity_has_the_name_that_the_project_uses(told: MemoryDatabase) -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember("Rosalind Kessler lives in Porto.", project="diary")
        db.remember("Rosa likes the old quince. I saw Rosa in Lund.", project="garden")
        db.merge("Rosalind Kessler", "Rosa")
        assert db.about("Rosa").name == "Rosalind Kessler"
        assert db.about("Rosalind Kessler", project="diary").aliases == ("Rosalind Kessler",)
        card = db.about("Rosa", project="garden")
        assert (card.name, card.aliases) == ("Rosa", ("Rosa",))
        with pytest.raises(NotFound):
            db.about("Rosalind Kessler", project="garden")


def test_a_description_is_left_out_because_nobody_knows_whose_it_is(told: MemoryDatabase) -> None:
    told.conn.execute("update entities set description = 'married to Otto' where name = 'Rosa'")
    assert told.about("Rosa").description == "married to Otto"
    assert told.about("Rosa", project="garden").description is None


def test_a_narrowed_connection_only_reads_and_caches_nothing(told: MemoryDatabase) -> None:
    narrowed = view_of_project(told.conn, "garden")
    with pytest.raises(ValueError, match="only reads"):
        narrowed.execute("update memories set text = ''")
    with pytest.raises(ValueError, match="only reads"):
        graph(narrowed)
    assert narrowed.execute("with recursive n(i) as (select 1) select count(*) from n, memories").fetchone()[0] == 2
    before = told.conn.total_changes
    told.about("Rosa", project="garden")
    assert (told.conn.total_changes, told.conn.in_transaction) == (before, False)


def test_a_file_that_is_only_read_can_be_narrowed(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as db:
        for project, text in ROSA:
            db.remember(text, project=project)
    with MemoryDatabase(path, read_only=True) as db:
        told = said(db, "garden")
        assert told
        assert not any("Otto" in one for one in told)


def test_where_there_is_one_project_narrowing_to_it_changes_nothing() -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember(
            "Rosa works at Harbour Mill, and Theo lives in Porto.", project="garden", now="2025-01-01T00:00:00Z"
        )
        db.remember("Rosa met Theo in Porto.", project="garden", now="2025-01-01T00:00:00Z")
        now = "2025-02-01T00:00:00Z"
        whole, part = db.about("Rosa", now=now), db.about("Rosa", project="garden", now=now)
        assert replace(whole, aliases=()) == replace(part, aliases=())
        assert str(db.path("Rosa", "Porto")) == str(db.path("Rosa", "Porto", project="garden"))


@given(st.text())
def test_any_text_may_be_a_project(project: str) -> None:
    with MemoryDatabase(embed="none") as db:
        conn = view_of_project(db.conn, project)
        assert [conn.execute(f"select count(*) from {name}").fetchone()[0] for name in TABLES] == [0] * len(TABLES)
