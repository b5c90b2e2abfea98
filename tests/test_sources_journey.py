"""Entries of Journey: each is a note of its moment, in its own file or in the zip of all."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from chat_files import drafts

from memkit import MemoryDatabase
from memkit.sources import detect

NOWHERE = 1.7976931348623157e308
ENTRY: dict[str, Any] = {
    "id": "1625494049547-4BbDhzcByTFSg6MW", "date_modified": 1625494100149, "date_journal": 1625133600000,
    "timezone": "Europe/Vienna", "text": '<p dir="auto">Planted the quince.</p><ul><li>Water</li></ul>',
    "preview_text": "", "mood": 0, "lat": 48.2, "lon": 16.37, "address": "Plum Lane, Wien", "folder": "",
    "favourite": True, "weather": {"description": "Light rain"}, "photos": ["x.jpg"], "tags": ["garden"],
}  # fmt: skip
OTHER = {**ENTRY, "id": "1625494049548-4BbDhzcByTFSg6MX", "text": "# A day\na < b", "lat": NOWHERE, "lon": NOWHERE,
         "date_journal": 1625220000000, "address": "", "weather": {}, "favourite": False}  # fmt: skip


def written(folder: Path, *entries: dict[str, Any]) -> Path:
    for one in entries:
        (folder / f"{one['id']}.json").write_text(json.dumps(one))
    return folder / f"{entries[0]['id']}.json"


def test_an_entry_is_a_note_of_its_moment(tmp_path: Path) -> None:
    path = written(tmp_path, ENTRY)
    assert detect(path) == "journey"
    (found,) = drafts(path)
    assert (found.text, found.happened_at) == ("Planted the quince.\n\n- Water", "2021-07-01T10:00:00Z")
    assert found.tags == ("garden", "starred")
    fields = found.document.fields
    assert (fields["place"], fields["weather"], fields["coordinates"]) == (
        "Plum Lane, Wien",
        "Light rain",
        "48.2, 16.37",
    )
    (plain,) = drafts(written(tmp_path, OTHER))
    assert plain.text.endswith("a < b")
    assert "coordinates" not in plain.document.fields


def test_the_zip_is_its_files_and_an_edited_entry_is_there_once(tmp_path: Path) -> None:
    path = tmp_path / "journey-1.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for one in (ENTRY, OTHER):
            archive.writestr(f"{one['id']}.json", json.dumps(one))
        archive.writestr("x.jpg", b"x")
    assert detect(path) == "journey"
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(path).added == 2
        assert db.ingest(written(tmp_path, ENTRY)).added == 0
        edited = {**ENTRY, "text": "<p>Planted two quinces.</p>", "date_modified": 1725494100149}
        report = db.ingest(written(tmp_path, edited))
        assert len(db) == 2, report
        assert [hit.memory.text for hit in db.recall("quinces", 1)] == ["Planted two quinces."]


def test_rows_with_a_text_are_rows(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([{"text": "a", "date_journal": 1}]))
    assert detect(tmp_path / "a.json") == "json"
