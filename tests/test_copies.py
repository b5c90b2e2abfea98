"""The same notes in two zips, such as exports of two months, are each one note."""

from __future__ import annotations

import io
import itertools
import json
import os
import tarfile
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


def test_two_wikis_each_keep_their_tiddlers(db: MemoryDatabase, tmp_path: Path) -> None:
    mine = wiki(tmp_path / "mine.html", Quince=("0501", "It is green."))
    work = wiki(tmp_path / "work.html", Quince=("0601", "It is yellow."))
    for path, project in ((mine, "private"), (work, "work"), (mine, "private")):
        db.ingest(path, project=project)
    found = db.conn.execute("select text, project from memories where archived_at is null order by text").fetchall()
    assert [tuple(row) for row in found] == [("It is green.", "private"), ("It is yellow.", "work")]


def test_a_wiki_that_was_put_back_is_as_its_page_says(db: MemoryDatabase, tmp_path: Path) -> None:
    for day, text in (("0601", "It is yellow."), ("0501", "It is green.")):
        db.ingest(wiki(tmp_path / "wiki.html", Quince=(day, text)))
    assert texts(db) == ["It is green."]


def export(folder: Path, day: str, text: str) -> Path:
    """An export of Claude, of one chat that was changed on this day of 2025."""
    at = "2025-03-01T10:00:00Z"
    said = {"uuid": "m1", "sender": "human", "text": text, "created_at": at}
    chat = {"uuid": "c1", "name": "Quince", "created_at": at, "updated_at": f"2025-{day}T10:00:00Z"}
    path = folder / "conversations.json"
    folder.mkdir()
    path.write_text(json.dumps([{**chat, "chat_messages": [said]}]))
    return path


def test_an_earlier_version_in_an_export_is_named_and_brings_nothing_back(db: MemoryDatabase, tmp_path: Path) -> None:
    new = export(tmp_path / "june", "06-01", "When does it bloom?")
    old = export(tmp_path / "may", "05-01", "When?")
    db.ingest(new)
    report = db.ingest(old)
    assert counts(report) == (0, 0, 0, 0)
    assert [one.reason for one in report.left_out] == ["an earlier version of what is known"]
    assert texts(db) == ["When does it bloom?"]


def test_an_earlier_version_is_not_passed_over_in_another_project(db: MemoryDatabase, tmp_path: Path) -> None:
    db.ingest(export(tmp_path / "june", "06-01", "When does it bloom?"), project="work")
    report = db.ingest(export(tmp_path / "may", "05-01", "When?"), project="private")
    assert not report.left_out
    assert "When?" in texts(db)


def tarred(path: Path, at: int, **notes: str) -> Path:
    """A tar of notes, changed on this day of January."""
    with tarfile.open(path, "w:gz" if path.suffix in (".gz", ".tgz") else "w") as archive:
        for name, text in notes.items():
            (info := tarfile.TarInfo(f"garden/{name}.md")).size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    os.utime(path, (1_700_000_000 + at * 86_400,) * 2)
    return path


@pytest.mark.parametrize("ending", ["tar", "tgz", "tar.gz"])
def test_notes_in_two_tars_or_in_a_tar_and_a_zip_are_there_once(
    db: MemoryDatabase, tmp_path: Path, ending: str
) -> None:
    first = tarred(tmp_path / f"may.{ending}", 1, quince=QUINCE, pear=PEAR)
    second = tarred(tmp_path / f"june.{ending}", 2, quince=CHANGED, pear=PEAR)
    third = zipped(tmp_path / "july.zip", 3, quince=CHANGED, pear=PEAR)
    assert [counts(db.ingest(path)) for path in (first, second, third)] == [(3, 0, 0, 0), (0, 1, 2, 0), (0, 0, 3, 0)]
    assert texts(db) == sorted(
        ["The quince blooms late in May.", "Prune it in March.", "The pear is ripe in September."]
    )


def test_notes_in_zips_of_two_projects_are_there_in_each(db: MemoryDatabase, tmp_path: Path) -> None:
    for name in ("work", "private"):
        report = db.ingest(zipped(tmp_path / f"{name}.zip", 1, quince=QUINCE, pear=PEAR), project=name)
        assert counts(report) == (3, 0, 0, 0)


def evernote(path: Path, text: str, updated: str = "") -> None:
    """An export with one note of New Year's Day."""
    changed = f"<updated>{updated}</updated>" if updated else ""
    path.write_text(
        f"<en-export><note><title>Peas</title><content><![CDATA[<en-note>{text}</en-note>]]></content>"
        f"<created>20240101T100000Z</created>{changed}</note></en-export>"
    )


@pytest.mark.parametrize("before", ["", "20240101T100000Z", "20240201T100000Z"])
@pytest.mark.parametrize(("old", "new"), [("a", "b"), ("b", "a")])
def test_of_two_exports_in_a_folder_the_later_version_of_a_note_stays(
    db: MemoryDatabase, tmp_path: Path, before: str, old: str, new: str
) -> None:
    evernote(tmp_path / f"{old}.enex", "Sow in March.", before)
    evernote(tmp_path / f"{new}.enex", "Sow in April.", "20240301T100000Z")
    db.ingest(tmp_path)
    assert texts(db) == ["Sow in April."]
    again = db.ingest(tmp_path)
    assert (again.added, again.updated, again.removed) == (0, 0, 0)
    assert [one.reason for one in again.left_out] == ["an earlier version of what is known"]
    assert texts(db) == ["Sow in April."]


@pytest.mark.parametrize("names", [*itertools.permutations("abc")])
def test_of_three_exports_in_a_folder_that_were_read_one_by_one_the_latest_stays(
    db: MemoryDatabase, tmp_path: Path, names: tuple[str, ...]
) -> None:
    for number, (name, month) in enumerate(zip(names, ("March", "April", "May"), strict=True), 1):
        evernote(tmp_path / f"{name}.enex", f"Sow in {month}.", f"20240{number}01T100000Z")
        db.ingest(tmp_path)
        assert texts(db) == [f"Sow in {month}."]
        again = db.ingest(tmp_path)
        assert (again.added, again.updated, again.removed) == (0, 0, 0)


def test_of_two_versions_of_the_same_time_in_a_folder_the_first_stays(db: MemoryDatabase, tmp_path: Path) -> None:
    evernote(tmp_path / "a.enex", "Sow in March.")
    evernote(tmp_path / "b.enex", "Sow in April.")
    for _ in range(3):
        report = db.ingest(tmp_path)
        assert (report.updated, report.removed) == (0, 0)
        assert [one.reason for one in report.left_out] == ["another version, of the same time, of what is known"]
        assert texts(db) == ["Sow in March."]
    evernote(tmp_path / "a.enex", "Sow in May.")
    assert db.ingest(tmp_path).updated == 1
    assert texts(db) == ["Sow in May."]


def test_the_same_note_in_two_exports_is_unchanged(db: MemoryDatabase, tmp_path: Path) -> None:
    for name in ("a.enex", "b.enex"):
        evernote(tmp_path / name, "Sow in March.")
    assert counts(db.ingest(tmp_path)) == (1, 0, 1, 0)
    report = db.ingest(tmp_path)
    assert (report.updated, report.left_out) == (0, [])
