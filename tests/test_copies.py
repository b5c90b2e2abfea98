"""The same notes in two zips, such as exports of two months, are each one note."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from memkit import MemoryDatabase

QUINCE = "# Quince\n\nThe quince blooms late in May.\n\n## Care\n\nPrune it in winter.\n"
PEAR = "# Pear\n\nThe pear is ripe in September.\n"
CHANGED = QUINCE.replace("winter", "March")


@pytest.fixture
def db() -> MemoryDatabase:
    return MemoryDatabase(embed="none")


def zipped(path: Path, at: int, **notes: str) -> Path:
    """A zip of notes, changed on this day of January."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in notes.items():
            archive.writestr(f"garden/{name}.md", text)
    os.utime(path, (1_700_000_000 + at * 86_400,) * 2)
    return path


def counts(report: object) -> tuple[int, int, int, int]:
    return report.added, report.updated, report.unchanged, report.removed  # type: ignore[attr-defined]


def texts(db: MemoryDatabase) -> list[str]:
    found = db.conn.execute("select text from memories where archived_at is null")
    return sorted(text.strip().rsplit("\n", 1)[-1] for (text,) in found)


def test_notes_that_come_again_in_another_zip_are_there_once(db: MemoryDatabase, tmp_path: Path) -> None:
    first = zipped(tmp_path / "may.zip", 1, quince=QUINCE, pear=PEAR)
    second = zipped(tmp_path / "june.zip", 2, quince=QUINCE, pear=PEAR, plum="# Plum\n\nThe plum is blue.")
    assert counts(db.ingest(first)) == (3, 0, 0, 0)
    assert counts(db.ingest(second, dry_run=True)) == (1, 0, 3, 0)
    assert counts(db.ingest(second)) == (1, 0, 3, 0)
    for path in (first, second, first):
        assert counts(db.ingest(path))[::3] == (0, 0)
    assert texts(db) == sorted(
        ["The quince blooms late in May.", "Prune it in winter.", "The pear is ripe in September.", "The plum is blue."]
    )


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_later_zip_says_how_a_note_is_now(db: MemoryDatabase, tmp_path: Path, order: tuple[int, int]) -> None:
    zips = [
        zipped(tmp_path / "may.zip", 1, quince=QUINCE, pear=PEAR),
        zipped(tmp_path / "june.zip", 2, quince=CHANGED, pear=PEAR),
    ]
    reports = [db.ingest(zips[place]) for place in order]
    assert counts(reports[1]) == ((0, 1, 2, 0) if order == (0, 1) else (0, 0, 1, 0))
    assert [one.reason for one in reports[1].left_out] == (
        [] if order == (0, 1) else [f"an earlier version of what is in {tmp_path.as_posix()}/june.zip/garden/quince.md"]
    )
    now = sorted(["The quince blooms late in May.", "Prune it in March.", "The pear is ripe in September."])
    assert texts(db) == now
    for path in (*zips, *zips):
        assert counts(db.ingest(path))[:2] == (0, 0)
    assert texts(db) == now
    zips[1].unlink()  # what is left says how it was
    db.ingest(zips[0])
    assert "Prune it in winter." in texts(db)
    assert len(texts(db)) == 3


def test_notes_of_one_name_in_zips_of_other_notes_are_two_notes(db: MemoryDatabase, tmp_path: Path) -> None:
    readme = "# Garden\n\nWhat grows here.\n\n## Owner\n\n{} owns it.\n"
    mine = zipped(tmp_path / "mine.zip", 1, README=readme.format("Rosa"), quince=QUINCE)
    yours = zipped(tmp_path / "yours.zip", 2, README=readme.format("Ben"), pear=PEAR)
    db.ingest(mine)
    assert counts(db.ingest(yours)) == (3, 0, 0, 0)
    assert {"Rosa owns it.", "Ben owns it."} < {*texts(db)}


def test_what_was_forgotten_does_not_come_back_in_another_zip(db: MemoryDatabase, tmp_path: Path) -> None:
    db.ingest(zipped(tmp_path / "may.zip", 1, quince=QUINCE, pear=PEAR))
    (key,) = db.conn.execute("select id from memories where text like '%winter%'").fetchone()
    db.forget(key)
    again = zipped(tmp_path / "june.zip", 2, quince=QUINCE, pear=PEAR)
    assert counts(db.ingest(again)) == (0, 0, 3, 0)
    assert "Prune it in winter." not in texts(db)


def test_a_copy_of_a_zip_that_is_a_source_changes_nothing_at_a_sync(db: MemoryDatabase, tmp_path: Path) -> None:
    for name, day, quince in (("may", 1, QUINCE), ("june", 2, CHANGED)):
        db.add_source(zipped(tmp_path / f"{name}.zip", day, quince=quince, pear=PEAR))
    db.sync()
    said = texts(db)
    assert said == sorted(["The quince blooms late in May.", "Prune it in March.", "The pear is ripe in September."])
    assert db.sync(again=True).changed == 0
    assert texts(db) == said


def wiki(path: Path, **tiddlers: tuple[str, str]) -> Path:
    """A page of TiddlyWiki, of tiddlers with the day of their last change and their text."""
    stored = [
        {"title": title, "created": "20230101000000000", "modified": f"2023{day}000000000", "text": text}
        for title, (day, text) in tiddlers.items()
    ]
    path.write_text(
        '<!doctype html><html><head><meta name="application-name" content="TiddlyWiki" /></head><body>'
        f'<script class="tiddlywiki-tiddler-store" type="application/json">{json.dumps(stored)}</script></body></html>'
    )
    return path


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_wiki_that_was_saved_twice_is_there_once_and_as_it_was_last(
    db: MemoryDatabase, tmp_path: Path, order: tuple[int, int]
) -> None:
    saved = [
        wiki(tmp_path / "may.html", Quince=("0501", "It is green."), Pear=("0501", "It is hard."), Bud=("0501", "")),
        wiki(
            tmp_path / "june.html",
            Quince=("0601", "It is yellow."),
            Pear=("0501", "It is hard."),
            Bud=("0602", "Open."),
        ),
    ]
    for place in (*order, *order):
        db.ingest(saved[place])
    assert texts(db) == ["It is hard.", "It is yellow.", "Open."]


def test_an_earlier_version_in_an_export_is_named_and_brings_nothing_back(db: MemoryDatabase, tmp_path: Path) -> None:
    def export(name: str, day: str, text: str) -> Path:
        made = {
            "uuid": "c1",
            "name": "Quince",
            "created_at": "2025-03-01T10:00:00Z",
            "updated_at": f"2025-{day}T10:00:00Z",
        }
        said = {"uuid": "m1", "sender": "human", "text": text, "created_at": "2025-03-01T10:00:00Z"}
        path = tmp_path / name / "conversations.json"
        path.parent.mkdir()
        path.write_text(json.dumps([{**made, "chat_messages": [said]}]))
        return path

    new, old = export("june", "06-01", "When does it bloom?"), export("may", "05-01", "When?")
    db.ingest(new)
    report = db.ingest(old)
    assert counts(report) == (0, 0, 0, 0)
    assert [one.reason for one in report.left_out] == ["an earlier version of what is known"]
    assert texts(db) == ["When does it bloom?"]
