"""Which project that which is read belongs to: now, and when it is read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import NOW, LetterEmbedder, check_indexes
from hypothesis import given
from hypothesis import strategies as st
from test_ingest import EDITS, counts, edit, jsonl, note, state

from memkit import MemoryDatabase
from memkit.ingestion.projects import NAMED, Projects
from memkit.storage.store import setting


def projects(db: MemoryDatabase) -> dict[str, str]:
    """The project of each memory that is not archived, by its text up to the first colon."""
    rows = db.conn.execute("select text, project from memories where archived_at is null")
    return {row[0].split(":")[0]: row[1] for row in rows}


def documents(db: MemoryDatabase) -> set[str]:
    """The projects of all documents."""
    return {row[0] for row in db.conn.execute("select project from documents")}


def test_what_is_read_again_without_a_project_stays_where_it_is(mem: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path / "n", "a.md", "one")
    rows = jsonl(tmp_path / "r.jsonl", [{"text": "row"}, {"text": "turn", "session": "s"}])
    mem.ingest([tmp_path / "n", rows], project="garden")
    assert counts(mem.ingest([tmp_path / "n", rows])) == (0, 0, 3, 0, 0)
    assert projects(mem) == {"one": "garden", "row": "garden", "turn": "garden"}
    assert documents(mem) == {"garden"}


def test_what_changes_stays_in_its_project(mem: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path / "n", "a.md", "one", "two", "three")
    rows = jsonl(tmp_path / "r.jsonl", [{"id": "a", "text": "plum"}])
    mem.ingest([tmp_path / "n", rows], project="garden")
    note(tmp_path / "n", "a.md", "zero", "one", "changed", "three")
    jsonl(rows, [{"id": "a", "text": "pear"}])
    mem.ingest([tmp_path / "n", rows])
    assert projects(mem) == dict.fromkeys(("zero", "one", "changed", "three", "pear"), "garden")


def test_what_is_new_belongs_to_the_project_last_named_for_its_folder_or_file(
    mem: MemoryDatabase, tmp_path: Path
) -> None:
    note(tmp_path / "n", "a.md", "one")
    rows = jsonl(tmp_path / "r.jsonl", [{"text": "row"}])
    mem.ingest([tmp_path / "n", rows], project="garden")
    note(tmp_path / "n" / "deep", "b.md", "two")
    jsonl(rows, [{"text": "row"}, {"text": "another"}, {"text": "turn", "session": "s"}])
    mem.ingest([tmp_path / "n", rows])
    assert projects(mem) == dict.fromkeys(("one", "two", "row", "another", "turn"), "garden")
    mem.ingest(tmp_path / "n", project="kitchen")
    note(tmp_path / "n", "c.md", "three")
    mem.ingest(tmp_path / "n" / "c.md")
    assert [projects(mem)[name] for name in ("one", "two", "three", "row")] == ["kitchen"] * 3 + ["garden"]


def test_the_nearest_folder_decides_and_what_lies_beside_it_is_left_alone(mem: MemoryDatabase, tmp_path: Path) -> None:
    inside = tmp_path / "n" / "garden"
    inside.parent.mkdir()
    note(inside, "a.md", "one")
    mem.ingest(inside, project="garden")
    note(inside, "b.md", "two")
    note(tmp_path / "n", "c.md", "three")
    note(tmp_path / "n" / "gardening", "d.md", "four")
    mem.ingest(tmp_path / "n")
    assert projects(mem) == {"one": "garden", "two": "garden", "three": "global", "four": "global"}
    mem.ingest(tmp_path / "n", project="all")
    mem.ingest(inside, project="global")
    note(inside, "e.md", "five")
    mem.ingest(tmp_path / "n")
    assert projects(mem) == {"one": "global", "two": "global", "five": "global", "three": "all", "four": "all"}


def test_new_chats_of_an_export_belong_to_the_project_of_the_others(mem: MemoryDatabase, tmp_path: Path) -> None:
    def session(name: str) -> None:
        message = {"role": "user", "content": f"{name}: hello"}
        line = {"sessionId": name, "uuid": name, "type": "user", "message": message, "timestamp": NOW}
        jsonl(tmp_path / "chats" / f"{name}.jsonl", [line])

    (tmp_path / "chats").mkdir()
    session("first")
    mem.ingest(tmp_path / "chats", project="work")
    session("second")
    mem.ingest(tmp_path / "chats")
    assert projects(mem) == {"first": "work", "second": "work"}


def test_a_row_belongs_to_the_project_it_names_and_no_other_row_does(mem: MemoryDatabase, tmp_path: Path) -> None:
    rows = [{"text": "own", "project": "p"}, {"text": "none"}, {"text": "grouped", "group": "g"}]
    path = jsonl(tmp_path / "r.jsonl", rows)
    mem.ingest(path)
    assert projects(mem) == {"own": "p", "none": "global", "grouped": "g"}
    assert counts(mem.ingest(path, project="x")) == (0, 1, 2, 0, 0)
    jsonl(path, [*rows, {"text": "new"}])
    assert counts(mem.ingest(path)) == (1, 0, 3, 0, 0)
    assert projects(mem) == {"own": "p", "none": "x", "grouped": "g", "new": "x"}
    jsonl(path, [{"text": "own", "project": "q"}, {"text": "grouped"}])
    mem.ingest(path)
    assert projects(mem) == {"own": "q", "none": "x", "grouped": "g", "new": "x"}  # silence moves nothing


def test_a_turn_without_a_project_belongs_to_that_of_its_chat(mem: MemoryDatabase) -> None:
    mem.ingest([{"text": "one", "session": "s", "project": "p"}, {"text": "two", "session": "s"}])
    mem.ingest([{"text": "three", "session": "s"}, {"text": "four", "session": "t"}])
    assert projects(mem) == {"one": "p", "two": "p", "three": "p", "four": "global"}


def test_rows_from_python_share_no_project_but_keep_their_own(mem: MemoryDatabase) -> None:
    mem.ingest([{"text": "quince"}], project="garden")
    mem.ingest([{"text": "soup"}], project="kitchen")
    mem.ingest([{"text": "quince"}, {"text": "soup"}, {"text": "star"}])
    assert projects(mem) == {"quince": "garden", "soup": "kitchen", "star": "global"}


def test_equal_texts_in_two_projects_stay_apart(mem: MemoryDatabase) -> None:
    rows = [{"text": "x", "kind": "fact"}, {"text": "x", "kind": "note"}]
    mem.ingest([{**rows[0], "project": "a"}, {**rows[1], "project": "b"}])
    assert counts(mem.ingest(rows[::-1])) == (0, 0, 2, 0, 0)
    found = mem.conn.execute("select kind, project from memories order by key").fetchall()
    assert [tuple(row) for row in found] == [("fact", "a"), ("note", "b")]


def test_a_value_of_a_slot_changes_in_the_project_it_is_in(mem: MemoryDatabase) -> None:
    mem.ingest([{"id": 1, "text": "Stockholm", "slot": "user", "key": "city"}], project="travel")
    mem.ingest([{"id": 1, "text": "Lisbon", "slot": "user", "key": "city"}])
    rows = mem.conn.execute("select text, project, valid_until from memories").fetchall()
    assert [tuple(row) for row in rows] == [("Lisbon", "travel", None)]


@pytest.mark.parametrize("again", [None, "kitchen"])
def test_a_dry_run_tells_of_moves_and_names_no_project(mem: MemoryDatabase, tmp_path: Path, again: str | None) -> None:
    note(tmp_path / "n", "a.md", "one")
    mem.ingest(tmp_path / "n", project="garden")
    told = counts(mem.ingest(tmp_path / "n", project=again, dry_run=True))
    note(tmp_path / "n", "b.md", "two")
    mem.ingest(tmp_path / "n")
    assert projects(mem) == {"one": "garden", "two": "garden"}
    assert told == ((0, 0, 1, 0, 0) if again is None else (0, 1, 0, 0, 0))


ROWS = st.lists(
    st.fixed_dictionaries(
        {"id": st.integers(0, 5), "text": st.sampled_from("abc")},
        optional={"project": st.sampled_from("pq"), "session": st.just("s")},
    ),
    max_size=5,
    unique_by=lambda row: row["id"],
)


@pytest.mark.slow
@given(edits=EDITS)
def test_any_edits_of_a_folder_end_as_if_it_had_been_read_afresh_into_the_project_named_first(
    edits: list[dict[str, list[str] | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("notes") / "n"
    with MemoryDatabase(embed=LetterEmbedder()) as edited, MemoryDatabase(embed=LetterEmbedder()) as afresh:
        note(folder, "first.md", "first")
        edited.ingest(folder, project="garden")
        for files in edits:
            edit(folder, files)
            told = edited.ingest(folder, sync=True, dry_run=True)
            assert counts(edited.ingest(folder, sync=True)) == counts(told)
        check_indexes(edited)
        afresh.ingest(folder, project="garden")
        assert state(edited)[:2] == state(afresh)[:2]
        assert projects(edited) == projects(afresh)


@given(states=st.lists(ROWS, min_size=2, max_size=4))
def test_reading_rows_again_without_a_project_moves_only_those_that_name_one(
    states: list[list[dict[str, object]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("rows") / "r.jsonl"
    with MemoryDatabase(embed="none") as db:
        db.ingest(jsonl(path, states[0]), project="garden")
        for rows in states[1:]:
            before = _by_row(db)
            db.ingest(jsonl(path, rows))
            after = _by_row(db)
            for row in rows:
                place = str(row["id"]), row.get("session")
                if "project" in row:
                    assert after[place] == row["project"]
                else:
                    assert place not in before or after[place] == before[place]
            assert before.keys() <= after.keys()


def test_two_readings_at_once_both_leave_what_was_named(tmp_path: Path) -> None:
    with (
        MemoryDatabase(tmp_path / "m.db", embed="none") as db,
        MemoryDatabase(tmp_path / "m.db", embed="none") as other,
    ):
        one, two = Projects(db.conn, {"/a": "garden"}), Projects(other.conn, {"/b": "kitchen"})
        one.keep(db.conn)
        two.keep(other.conn)
        one.keep(db.conn)
        assert setting(db.conn, NAMED) == {"/a": "garden", "/b": "kitchen"}


def _by_row(db: MemoryDatabase) -> dict[tuple[str, str | None], str]:
    """The project of each row, by its id and session."""
    rows = db.conn.execute("""
    select m.source_id, iif(d.source like '%#s', 's', null), m.project
    from memories as m join documents as d on d.key = m.document_key
    """)
    return {(row[0], row[1]): row[2] for row in rows}
