"""A note that is renamed or moved is the same note: its memories keep their ids, and what was made of them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.source_files import name_in
from memkit.ingestion.renamed import is_gone

QUINCE = """# Quince

The quince blooms late in May.

## Care

Prune it in winter.

## Fruit

It is ripe in October.
"""
PEAR = "# Pear\n\nThe pear is ripe in September. See [[quince]].\n"


@pytest.fixture
def db() -> MemoryDatabase:
    return MemoryDatabase(embed="none")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (folder := tmp_path / "notes").mkdir()
    (folder / "quince.md").write_text(QUINCE)
    (folder / "pear.md").write_text(PEAR)
    return folder


def ids(db: MemoryDatabase) -> dict[str, str]:
    """The last lines of the memories that are not archived, with their ids."""
    rows = db.conn.execute("select id, text from memories where archived_at is null").fetchall()
    return {text.strip().rsplit("\n", 1)[-1]: id for id, text in rows}


def counts(report: object) -> tuple[int, int, int]:
    return report.added, report.updated, report.removed  # type: ignore[attr-defined]


@pytest.mark.parametrize("sync", [False, True])
@pytest.mark.parametrize("new", ["Quince tree.md", "trees/quince.md", "trees/deep/q #2.md"])
def test_a_renamed_note_keeps_its_memories(db: MemoryDatabase, folder: Path, new: str, sync: bool) -> None:
    db.ingest(folder)
    before, document = ids(db), db.conn.execute("select id from documents where title = 'Quince'").fetchone()[0]
    (folder / new).parent.mkdir(parents=True, exist_ok=True)
    (folder / "quince.md").rename(folder / new)
    assert counts(db.ingest(folder, sync=sync, dry_run=True)) == (0, 3, 0)
    assert counts(db.ingest(folder, sync=sync)) == (0, 3, 0)
    assert ids(db) == before
    (row,) = db.conn.execute("select id, source from documents where title = 'Quince'")
    assert tuple(row) == (document, (folder / new).as_posix())
    assert f"{new}#Care" in [row[0] for row in db.conn.execute("select source_id from memories")]
    assert counts(db.ingest(folder, sync=sync)) == (0, 0, 0)


def test_a_note_that_is_renamed_and_edited_keeps_what_it_still_says(db: MemoryDatabase, folder: Path) -> None:
    db.ingest(folder)
    before = ids(db)
    (folder / "quince.md").unlink()
    (folder / "q.md").write_text(QUINCE.replace("Prune it in winter.", "Prune it in March."))
    assert counts(db.ingest(folder, dry_run=True)) == (0, 3, 0)
    assert counts(db.ingest(folder)) == (0, 3, 0)
    after = ids(db)
    assert after["Prune it in March."] == before["Prune it in winter."]
    assert {line: id for line, id in after.items() if line in before} == {
        line: id for line, id in before.items() if line != "Prune it in winter."
    }


def test_what_was_forgotten_of_a_note_stays_forgotten(db: MemoryDatabase, folder: Path) -> None:
    db.ingest(folder)
    before = ids(db)
    db.forget(before.pop("Prune it in winter."))
    (folder / "quince.md").rename(folder / "q.md")
    db.ingest(folder, sync=True)
    assert ids(db) == before


def test_a_note_all_of_which_was_forgotten_stays_forgotten(db: MemoryDatabase, folder: Path) -> None:
    db.ingest(folder)
    (pear,) = (row[0] for row in db.conn.execute("select id from memories where text like '%pear is ripe%'"))
    db.forget(pear)
    (folder / "pear.md").rename(folder / "tree.md")
    assert db.ingest(folder).added == 0
    assert all("pear is ripe" not in hit.memory.text for hit in db.recall("when is the pear ripe?").hits)


def test_a_copy_is_a_note_of_its_own(db: MemoryDatabase, folder: Path) -> None:
    db.ingest(folder)
    before = ids(db)
    (folder / "copy.md").write_text(QUINCE)
    assert counts(db.ingest(folder)) == (3, 0, 0)
    assert set(before.values()) < {row[0] for row in db.conn.execute("select id from memories")}
    assert db.conn.execute("select count(*) from documents").fetchone()[0] == 3


def test_another_note_in_the_place_of_one_that_is_gone_is_new(db: MemoryDatabase, folder: Path) -> None:
    db.ingest(folder)
    (folder / "quince.md").unlink()
    (folder / "fig.md").write_text("# Fig\n\nThe fig is ripe in August.\n\n## Care\n\nPrune it in winter.\n")
    assert counts(db.ingest(folder, sync=True)) == (2, 0, 3)


def test_two_notes_of_the_same_words_are_renamed_one_to_one(db: MemoryDatabase, folder: Path) -> None:
    (folder / "a.md").write_text("Water the seedlings.")
    (folder / "b.md").write_text("Water the seedlings.")
    db.ingest(folder)
    known = {row[0] for row in db.conn.execute("select id from memories")}
    (folder / "a.md").rename(folder / "c.md")
    (folder / "b.md").rename(folder / "d.md")
    assert counts(db.ingest(folder, sync=True)) == (0, 2, 0)
    assert {row[0] for row in db.conn.execute("select id from memories where archived_at is null")} == known


def test_names_that_are_exchanged_stay_edits(db: MemoryDatabase, folder: Path) -> None:
    db.ingest(folder)
    (folder / "pear.md").write_text(QUINCE)
    (folder / "quince.md").write_text(PEAR)
    db.ingest(folder, sync=True)
    assert sorted(ids(db)) == sorted(
        ["The quince blooms late in May.", "Prune it in winter.", "It is ripe in October.",
         "The pear is ripe in September. See [[quince]]."]
    )  # fmt: skip


def test_a_note_from_elsewhere_does_not_take_what_was_read_from_a_folder_that_is_not_there(
    db: MemoryDatabase, folder: Path, tmp_path: Path
) -> None:
    db.ingest(folder)
    before = ids(db)
    folder.rename(tmp_path / "not mounted")
    (backup := tmp_path / "backup").mkdir()
    (backup / "quince.md").write_text(QUINCE)
    assert counts(db.ingest(backup)) == (3, 0, 0)
    (tmp_path / "not mounted").rename(folder)
    assert counts(db.ingest(folder, sync=True)) == (0, 0, 0)
    assert set(before.values()) <= {row[0] for row in db.conn.execute("select id from memories")}


def test_the_words_and_links_of_a_renamed_note_are_found_under_its_new_name(db: MemoryDatabase, folder: Path) -> None:
    db.ingest(folder)
    (folder / "quince.md").rename(folder / "trees.md")
    db.ingest(folder, sync=True)
    hit = db.recall("When does the quince bloom?")[0]
    assert (hit.memory.text.split("\n")[0], hit.memory.source_id) == ("# Quince", "trees.md#Quince")
    assert db.conn.execute("select count(*) from mentions where role = 'title'").fetchone()[0] > 0


def test_the_notes_of_a_later_archive_are_those_of_the_one_that_is_gone(db: MemoryDatabase, tmp_path: Path) -> None:
    texts = {"garden/quince.md": QUINCE, "garden/pear.md": PEAR}
    changed = {**texts, "garden/quince.md": QUINCE.replace("October", "November")}
    reports = []
    for name, files in (("may.zip", texts), ("june.zip", texts), ("july.zip", changed)):
        for old in tmp_path.glob("*.zip"):
            old.unlink()
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for path, text in files.items():
                archive.writestr(path, text)
        reports.append(counts(db.ingest(tmp_path / name)))
    assert reports == [(4, 0, 0), (0, 0, 0), (0, 1, 0)]
    assert db.conn.execute("select count(*) from memories").fetchone()[0] == 4


def test_a_note_that_is_named_itself_may_have_been_renamed(db: MemoryDatabase, folder: Path) -> None:
    db.ingest(folder / "quince.md")
    (folder / "quince.md").rename(folder / "q.md")
    assert counts(db.ingest(folder / "q.md")) == (0, 3, 0)


def test_a_file_in_an_archive_that_is_there_is_not_gone(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("quince.md", QUINCE)
    (tmp_path / "b.md").write_text(QUINCE)
    gone = {
        "a.zip/quince.md": False, "b.md": False, "b.md#session": False, "c.md": True, "c#d.md": True, "d/e.md": True,
        "z.zip/quince.md": True,
    }  # fmt: skip
    assert {name: is_gone(f"{tmp_path}/{name}") for name in gone} == gone
    assert not is_gone("contact:Rosa")
    assert not is_gone("a.md")


@given(st.text("a#/.", max_size=8), st.text("a#", max_size=5))
@settings(max_examples=200)
def test_the_name_of_a_file_stands_before_its_headings(name: str, heading: str) -> None:
    found = name_in(f"/root/{name}", f"{name}#{heading}")
    assert f"{name}#{heading}".startswith(found)
    assert f"/root/{name}".endswith(found)
    assert len(found) >= len(name) or not name


NAMES = st.sampled_from(["a.md", "b.md", "c.md", "sub/a.md", "sub/d #1.md"])
TEXTS = st.lists(st.sampled_from(["Water.", "# A\n\nPrune.", "## B\n\nSow.", "## C\n\nReap."]), min_size=1, max_size=3)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), NAMES, TEXTS),
        st.tuples(st.just("move"), NAMES, NAMES),
        st.tuples(st.just("remove"), NAMES, st.none()),
        st.tuples(st.just("read"), st.booleans(), st.none()),
    ),
    max_size=12,
)


def said(db: MemoryDatabase) -> list[tuple[str, ...]]:
    """What is not archived: source, id in the source, text and place of each memory."""
    return sorted(
        tuple(map(str, row))
        for row in db.conn.execute(
            "select d.source, m.source_id, m.text, m.position from memories as m"
            " join documents as d on d.key = m.document_key where m.archived_at is null"
        )
    )


@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_whatever_happens_to_files_a_sync_has_what_a_first_reading_has(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, object, object]]
) -> None:
    folder = tmp_path_factory.mktemp("notes")
    (folder / "sub").mkdir()
    (folder / "always.md").write_text("Here.")  # a folder that is empty all at once may not be mounted
    with MemoryDatabase(embed="none") as db, MemoryDatabase(embed="none") as fresh:
        for step, one, other in [*steps, ("read", True, None)]:
            path = folder / str(one)
            if step == "write":
                path.write_text("\n\n".join(other))  # type: ignore[call-overload]
            elif step == "move" and path.exists():
                path.rename(folder / str(other))
            elif step == "remove":
                path.unlink(missing_ok=True)
            elif step == "read":
                counted, done = (db.ingest(folder, sync=bool(one), dry_run=dry) for dry in (True, False))
                assert counts(counted) == counts(done)
        fresh.ingest(folder)
        assert said(db) == said(fresh)
        assert counts(db.ingest(folder, sync=True)) == (0, 0, 0)
