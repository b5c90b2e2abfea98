"""An export that lies unpacked among other files: it is one source, and each of the others is one, too."""

from __future__ import annotations

import json
import plistlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest
from chat_files import unpacked

from memkit import MemoryDatabase
from memkit.sources import formats

JOPLIN = "The quince blooms.\n\nid: {0}\nparent_id:\nuser_created_time: 2025-03-01T10:00:00.000Z\ntype_: 1"
SLACK = {"type": "message", "user": "U1", "ts": "1740823200.000100", "text": "The quince blooms."}
EXPORTS: Mapping[str, Mapping[str, str]] = {
    "notion": {f"Quince {'a' * 32}.md": "# Quince\n\nThe quince blooms.\n", f"Trees {'b' * 32}.csv": "Name\nQuince\n"},
    "joplin": {f"{'c' * 32}.md": JOPLIN.format("c" * 32), "resources/p.png": ""},
    "slack": {
        "users.json": json.dumps([{"id": "U1", "name": "rosa"}]),
        "channels.json": json.dumps([{"id": "C1", "name": "garden"}]),
        "garden/2025-03-01.json": json.dumps([SLACK]),
    },
    "simplenote": {
        "source/notes.json": json.dumps({"activeNotes": [{"id": "a1", "content": "The quince blooms."}]}),
        "The quince blooms..txt": "The quince blooms.",
    },
    "bear": {
        "Quince.textbundle/text.md": "The quince blooms.",
        "Quince.textbundle/info.json": json.dumps({"net.shinyfrog.bear": {"uniqueIdentifier": "A1"}}),
        "Quince.textbundle/assets/letter.pdf": "",
    },
    "day-one": {"A1.doentry": plistlib.dumps({"UUID": "A1", "Entry Text": "The quince blooms."}).decode()},
}
OTHERS = {
    "letter.md": "Otto sold the boat.",
    "mails/a.eml": "From: kofi@example.org\nDate: 1 Mar 2025 10:00:00 +0000\nSubject: Pear\n\nA pear is ripe.\n",
    "rows.csv": "id,text\n1,Aiko moved to Lund.\n",
    "more/rows.json": '[{"id": "2", "text": "Mina planted a medlar."}]',
}
SAID = ("The quince blooms.", "Otto sold the boat.", "A pear is ripe.", "Aiko moved to Lund.", "Mina planted a medlar.")


def said(db: MemoryDatabase) -> Counter[str]:
    return Counter(row[0].strip() for row in db.conn.execute("select text from memories where archived_at is null"))


@pytest.mark.parametrize("place", ["", "Downloads", "a/b"])
@pytest.mark.parametrize("format", EXPORTS)
def test_it_and_what_lies_beside_it_are_there_once(format: str, place: str, tmp_path: Path) -> None:
    unpacked(tmp_path / "mine" / place, {**EXPORTS[format], **OTHERS})
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(tmp_path / "mine")
        assert not report.failed
        assert said(db) == Counter(SAID)
        again = db.ingest(tmp_path / "mine", sync=True)
        assert (again.added, again.updated, again.removed) == (0, 0, 0)
        (tmp_path / "mine" / place / "letter.md").unlink()
        db.ingest(tmp_path / "mine", sync=True)
        assert said(db) == Counter({*SAID} - {"Otto sold the boat."})


@pytest.mark.parametrize("place", ["", "mine/"])
@pytest.mark.parametrize("format", sorted(EXPORTS.keys() - {"day-one", "joplin"}))
def test_so_it_is_in_a_zip(format: str, place: str, tmp_path: Path) -> None:
    with ZipFile(tmp_path / "all.zip", "w") as archive:
        for name, text in {**EXPORTS[format], **OTHERS}.items():
            archive.writestr(place + name, text)
    with MemoryDatabase(embed="none") as db:
        assert not db.ingest(tmp_path / "all.zip").failed
        assert said(db) == Counter(SAID)
        again = db.ingest(tmp_path / "all.zip")
        assert (again.added, again.updated, again.removed) == (0, 0, 0)


def test_what_is_not_read_beside_an_export_in_a_zip_is_said(tmp_path: Path) -> None:
    entry = {"uuid": "A1", "text": "The quince blooms.", "creationDate": "2025-03-01T10:00:00Z"}
    with ZipFile(tmp_path / "journal.zip", "w") as archive:
        archive.writestr("Journal.json", json.dumps({"metadata": {"version": "1.0"}, "entries": [entry]}))
        archive.writestr("photos/a.jpg", "")
        for name, text in OTHERS.items():
            archive.writestr(name, text)
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(tmp_path / "journal.zip")
        assert said(db) == Counter(SAID[:1])
        beside = "beside an export in its zip; to read them, unpack it"
        assert report.left_out_text == f"1 .eml ({beside}), 1 .md ({beside})"


@pytest.mark.parametrize("format", sorted(EXPORTS.keys() - {"bear", "day-one"}))
def test_of_a_format_that_is_named_only_the_export_is_read(format: str, tmp_path: Path) -> None:
    unpacked(tmp_path, {**EXPORTS[format], **OTHERS})
    with MemoryDatabase(embed="none") as db:
        db.ingest(tmp_path, format=format)
        assert said(db) == Counter(SAID[:1])


def test_an_export_in_folders_is_read_once(tmp_path: Path) -> None:
    inner = {f"Home {'d' * 32}/{name}": text for name, text in EXPORTS["notion"].items()}
    unpacked(tmp_path, {f"Home {'d' * 32}.md": "# Home\n\nOtto sold the boat.\n", **inner})
    with MemoryDatabase(embed="none") as db:
        db.ingest(tmp_path)
        assert said(db) == Counter(SAID[:2])


def test_each_format_that_is_told_by_single_names_says_which_files_are_its_own() -> None:
    whole = {"day-one", "maildir", "opencode"}  # whose folders hold nothing else: a program's own, or those of mails
    assert {name for name, format in formats().items() if format.folder and not format.own} == whole
