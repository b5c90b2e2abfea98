"""Bulk exports of Mattermost."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from chat_files import drafts, written

from memkit import MemoryDatabase
from memkit.core.types import Failure
from memkit.sources import detect, read


def post(user: str, message: str, at: int, **more: Any) -> dict[str, Any]:
    return {"user": user, "message": message, "create_at": at, "reactions": None, "replies": None, **more}


IN = {"team": "allotment", "channel": "garden"}
ANSWER = {"user": "ben", "message": "Ida did", "create_at": 1705311120000}
LINES: list[tuple[str, Any]] = [
    ("version", 1),
    ("team", {"name": "allotment", "display_name": "Allotment"}),
    ("channel", {"team": "allotment", "name": "garden", "display_name": "The garden", "type": "O"}),
    ("user", {"username": "rosa", "first_name": "Rosa", "last_name": "Marsh"}),
    ("user", {"username": "ben", "first_name": "", "last_name": "", "nickname": "Benny"}),
    ("post", {**IN, **post("rosa", "rosa joined the channel.", 1705310000000)}),
    ("post", {**IN, **post("ben", "added to the channel", 1705310000001, type="system_add_to_channel")}),
    ("post", {**IN, **post("rosa", "Who planted it?", 1705311000000, edit_at=1705311000500, replies=[ANSWER])}),
    ("direct_channel", {"members": ["rosa", "ben"]}),
    ("direct_post", {"channel_members": ["rosa", "ben"],
                     **post("ben", "The plan", 1705400000000, attachments=[{"path": "data/a/plan.pdf"}])}),
]  # fmt: skip


def export(lines: list[tuple[str, Any]] = LINES) -> str:
    return "\n".join(json.dumps({"type": kind, kind: about}) for kind, about in lines) + "\n"


def test_posts_answers_and_direct_messages(tmp_path: Path) -> None:
    path = written(tmp_path / "export.jsonl", export())
    assert detect(path) == "mattermost"
    first, answer, direct = drafts(path)
    assert [(one.title, one.speaker, one.text, one.happened_at) for one in (first, answer, direct)] == [
        ("The garden", "Rosa Marsh", "Who planted it?", "2024-01-15T09:30:00Z"),
        ("The garden", "Benny", "Ida did", "2024-01-15T09:32:00Z"),
        ("Benny, Rosa Marsh", "Benny", "The plan\n\n[plan.pdf]", "2024-01-16T10:13:20Z"),
    ]
    assert (first.meta, answer.meta["reply_to"]) == ({"edited": "2024-01-15T09:30:00Z"}, first.source_id)
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.write(path, "import.jsonl")
        archive.writestr("data/a/plan.pdf", b"%PDF")
    assert detect(tmp_path / "export.zip") == "mattermost"
    assert [one.source_id for one in drafts(tmp_path / "export.zip")] == [
        one.source_id for one in (first, answer, direct)
    ]


def test_a_later_export_adds_what_is_new_and_changes_what_was_edited(tmp_path: Path) -> None:
    path = written(tmp_path / "export.jsonl", export())
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(path).added == 3
        assert db.ingest(path).unchanged == 3
        more = [*LINES, ("post", {**IN, **post("ben", "So late?", 1705500000000)})]
        written(path, export(more).replace("Ida did", "Nils did"))
        later = db.ingest(path)
        assert (later.added, later.updated, later.unchanged, later.removed) == (1, 1, 2, 0)


def test_a_line_that_is_cut_off_fails_alone(tmp_path: Path) -> None:
    found = list(read(written(tmp_path / "export.jsonl", export() + '{"type":"post","post":{"te')))
    assert [one.line for one in found if isinstance(one, Failure)] == [11]
    assert len(found) == 4
