"""Notes that are parts of others: by the folder they lie in, or by what their front matter says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.graph import nesting
from memkit.retrieval.registry import strategy
from memkit.retrieval.strategies import Expand

NOW, LATER = "2025-06-01T12:00:00Z", "2025-07-01T12:00:00Z"


def write(folder: Path, notes: dict[str, str]) -> Path:
    for name, text in notes.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def parts(db: MemoryDatabase) -> set[tuple[str, str]]:
    """Which title is part of which."""
    query = """
    select a.title, b.title from links as l
        join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key
    where l.type = 'part_of'
    """
    return {tuple(row) for row in db.conn.execute(query)}


def rows(db: MemoryDatabase) -> list[list[tuple]]:
    tables = ("entities", "links", "relations", "evidence")
    return [[tuple(row) for row in db.conn.execute(f"select * from {table}")] for table in tables]


GARDEN = {
    "garden/garden.md": "A walled yard.",
    "garden/trees.md": "All of them were planted late.",
    "garden/trees/quince.md": "It bears in October.",
    "garden/trees/soil/chalk.md": "White and hard.",
    "garden/tools/spade.md": "It hangs in the shed.",
    "Diary/2025-05-01.md": "It rained.",
}


def test_a_note_is_part_of_its_folders_note(db: MemoryDatabase, tmp_path: Path) -> None:
    """Of a note in the folder or beside it; a folder without one ties its notes to nothing, however deep it lies."""
    db.ingest(write(tmp_path, GARDEN), now=NOW)
    assert parts(db) == {("trees", "garden"), ("quince", "trees")}
    (said,) = db.about("quince", now=LATER).relations
    assert str(said) == "quince -part of-> trees"
    assert (said.method, said.evidence[0].quote) == ("folder", "in the folder trees")
    assert str(db.path("quince", "garden")) == "quince -part of-> trees -part of-> garden"


def test_what_a_note_says_itself_goes_before_where_it_lies(db: MemoryDatabase, tmp_path: Path) -> None:
    own = {"garden/trees/quince.md": '---\nup: "[[spade]]"\n---\nIt bears in October.'}
    db.ingest(write(tmp_path, {**GARDEN, **own}), now=NOW)
    assert parts(db) == {("trees", "garden"), ("quince", "spade")}


def test_the_same_again_changes_nothing(db: MemoryDatabase, tmp_path: Path) -> None:
    db.ingest(write(tmp_path, GARDEN), now=NOW)
    before = rows(db)
    db.ingest(tmp_path, now=LATER)
    assert rows(db) == before


def test_links_follow_notes_that_come_change_and_go(db: MemoryDatabase, tmp_path: Path) -> None:
    db.ingest(write(tmp_path, {"garden/trees/quince.md": "It bears in October."}), now=NOW)
    assert parts(db) == set()
    db.ingest(write(tmp_path, GARDEN), now=NOW)
    write(tmp_path, {"garden/trees/quince.md": "# The old quince\n\nIt bears late.\n\n## Pests\n\nNone."})
    db.ingest(tmp_path, now=LATER)
    assert parts(db) == {("trees", "garden"), ("The old quince", "trees")}
    assert [str(one) for one in db.about("The old quince", now=LATER).relations] == ["The old quince -part of-> trees"]
    (tmp_path / "garden/trees.md").unlink()
    db.ingest(tmp_path, sync=True, now=LATER)
    assert parts(db) == set()
    assert db.graph_stats().relations == 0


def test_a_circle_is_not_closed_by_a_folder_and_one_that_was_written_ends(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {
        "yard/yard.md": '---\npart_of: "[[quince]]"\n---\nA walled yard.',
        "yard/quince.md": "It bears in October.",
        "one.md": '---\npart_of: "[[two]]"\n---\nThe first.',
        "two.md": '---\npart_of: "[[one]]"\n---\nThe second.',
    }
    db.ingest(write(tmp_path, notes), now=NOW)
    assert parts(db) == {("yard", "quince"), ("one", "two"), ("two", "one")}
    deep = strategy("engram").replace(expand=Expand(depth=6, children=8))
    found = [hit.memory.title for hit in db.recall("the first", strategy=deep, now=LATER)]
    assert sorted(found) == ["one", "two"]


@pytest.mark.parametrize(
    "field", ["up: [[Trees]]", "parent: '[[Trees]]'", "part_of:\n  - '[[Trees]]'", "part_of: [[Trees|all of them]]"]
)
def test_a_parent_is_found_however_it_is_written(db: MemoryDatabase, tmp_path: Path, field: str) -> None:
    """Without quotes a link is a list in a list to YAML."""
    notes = {"Trees.md": "Planted late.", "Quince.md": f"---\n{field}\n---\nIt bears in October."}
    db.ingest(write(tmp_path, notes), now=NOW)
    assert parts(db) == {("Quince", "Trees")}


def test_several_parents_without_quotes_are_several(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {"Trees.md": "Late.", "Fruit.md": "Sour.", "Quince.md": "---\nup:\n- [[Trees]]\n- [[Fruit]]\n---\nOctober."}
    db.ingest(write(tmp_path, notes), now=NOW)
    assert parts(db) == {("Quince", "Trees"), ("Quince", "Fruit")}


NAMES = st.sampled_from(["a", "b", "c"])
PLACES = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
FIELDS = st.none() | NAMES


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(PLACES, FIELDS, max_size=8))
def test_folders_never_close_a_circle(tmp_path_factory: pytest.TempPathFactory, notes: dict[str, str | None]) -> None:
    folder = tmp_path_factory.mktemp("vault")
    texts = {
        f"{place}.md": (f"---\nup: '[[{up}]]'\n---\n" if up else "") + f"# N {place.replace('/', ' ')}\n\nSaid."
        for place, up in notes.items()
    }
    with MemoryDatabase(embed="none") as db:
        db.ingest(write(folder, texts), now=NOW)
        links = db.conn.execute("select from_key, to_key from links where type = 'part_of' and why = ?", ("folder",))
        by_folder = dict(tuple(row) for row in links)
        for start in by_folder:
            seen, here = {start}, by_folder[start]
            while here in by_folder:
                assert here not in seen
                seen.add(here)
                here = by_folder[here]
        before = rows(db)
        nesting.link_folder_notes(db.conn, LATER)
        assert rows(db) == before
