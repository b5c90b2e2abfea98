"""The graph after notes were edited and read again is that of a first reading of them as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit import MemoryDatabase

LINKS = """
select a.text, b.text, l.type, l.why from links as l
    join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key
where a.archived_at is null and b.archived_at is null
"""
MENTIONS = """
select m.text, e.name, x.role, x.surface from mentions as x
    join memories as m on m.key = x.memory_key join entities as e on e.key = x.entity_key
where m.archived_at is null
"""
RELATIONS = "select subject, predicate, object from current_relations"


def told(db: MemoryDatabase, query: str) -> list[tuple[str, ...]]:
    return sorted(map(tuple, db.conn.execute(query)))


def read_day_by_day(folder: Path, *days: dict[str, str | None]) -> MemoryDatabase:
    """A database of a folder that was read after each day on which these notes got new texts, or went."""
    db = MemoryDatabase(embed="none")
    for number, notes in enumerate(days, 1):
        for name, text in notes.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text, "utf-8")
        db.ingest(folder, sync=True, now=f"2026-03-{number:02}T10:00:00Z")
    return db


def check_as_if_new(db: MemoryDatabase, folder: Path) -> None:
    """Checks that links, mentions and relations are those of a first reading."""
    with MemoryDatabase(embed="none") as new:
        new.ingest(folder, sync=True, now="2026-03-20T10:00:00Z")
        for query in (LINKS, MENTIONS, RELATIONS):
            assert told(db, query) == told(new, query)


QUINCE = "---\nup: '[[Orchard]]'\n---\nThe quince stands near the wall."


@pytest.mark.parametrize(
    "orchard",
    ["# New\n\nIt was laid out anew.", "# Before all\n\nThere was a meadow.\n\n# Old\n\nMany trees."],
    ids=["another text", "a section before"],
)
def test_a_field_links_to_a_note_whose_beginning_was_written_anew(tmp_path: Path, orchard: str) -> None:
    """The link led to the passage that had been the first one, which is no more or stands further down."""
    before = {"Orchard.md": "# Old\n\nMany trees.", "Quince.md": QUINCE}
    db = read_day_by_day(tmp_path, before, {"Orchard.md": orchard})
    assert [link[2:] for link in told(db, LINKS)] == [("part_of", "front matter")]
    check_as_if_new(db, tmp_path)


def test_a_field_links_to_a_note_that_comes_later_and_not_to_one_that_went(tmp_path: Path) -> None:
    orchard = {"Orchard.md": "# Old\n\nMany trees."}
    db = read_day_by_day(tmp_path, {"Quince.md": QUINCE}, orchard)
    assert [link[2:] for link in told(db, LINKS)] == [("part_of", "front matter")]
    check_as_if_new(db, tmp_path)
    (tmp_path / "Orchard.md").unlink()
    db.ingest(tmp_path, sync=True)
    assert told(db, LINKS) == []


def test_a_folder_is_no_mention_of_its_note_however_often_a_note_in_it_is_read(tmp_path: Path) -> None:
    notes: dict[str, str | None] = {
        "Orchard/Orchard.md": "All of the trees.",
        "Orchard/Quince.md": "It stands near the wall.",
        "Orchard/Plum.md": "It bears fruit.",
    }
    again = {name: f"{text} It is old." for name, text in notes.items()}
    db = read_day_by_day(tmp_path, notes, again)
    check_as_if_new(db, tmp_path)
