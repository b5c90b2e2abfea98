"""Exports of Zulip."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts, written

from memkit import MemoryDatabase
from memkit.core.types import Draft
from memkit.sources import ReadOptions, detect, read

REALM = {
    "zerver_realm": [{"id": 2, "string_id": "garden"}],
    "zerver_userprofile": [
        {"id": 11, "full_name": "Rosa Marsh"},
        {"id": 12, "full_name": "Ben"},
        {"id": 13, "full_name": "Ida"},
    ],
    "zerver_userprofile_crossrealm": [{"id": 5, "email": "notification-bot@zulip.example"}],
    "zerver_stream": [{"id": 21, "name": "trees"}],
    "zerver_recipient": [
        {"id": 31, "type": 2, "type_id": 21},
        {"id": 32, "type": 1, "type_id": 12},
        {"id": 33, "type": 1, "type_id": 11},
        {"id": 34, "type": 3, "type_id": 1},
    ],
    "zerver_subscription": [{"user_profile": one, "recipient": 34} for one in (11, 12, 13)],
}


def message(id: int, sender: int, to: int, content: str, subject: str = "", **more: Any) -> dict[str, Any]:
    return {"id": id, "sender": sender, "recipient": to, "subject": subject, "content": content,
            "date_sent": 1554100000.5 + id, **more}  # fmt: skip


MESSAGES = [
    message(101, 11, 31, "Ask @**Ben|12** and @_**Ida** in #**trees>plums**", "quince", last_edit_time=1554200000.0),
    message(102, 12, 31, "**late**", "quince"),
    message(103, 5, 31, "Ben renamed the channel", "quince"),
    message(104, 12, 31, "Ripe", "plums"),
    message(105, 11, 32, "To you"),
    message(106, 12, 33, "And back"),
    message(107, 13, 34, "To both"),
]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    root = tmp_path / "zulip-export-1"
    written(root / "realm.json", REALM)
    written(root / "messages-000001.json", {"zerver_message": MESSAGES, "zerver_usermessage": []})
    written(root / "attachment.json", {"zerver_attachment": []})
    return root


TOLD = [
    ("trees > quince", "Rosa Marsh", "Ask @Ben and @Ida in #trees>plums", "2019-04-01T06:28:21Z"),
    ("trees > quince", "Ben", "**late**", "2019-04-01T06:28:22Z"),
    ("trees > plums", "Ben", "Ripe", "2019-04-01T06:28:24Z"),
    ("Ben, Rosa Marsh", "Rosa Marsh", "To you", "2019-04-01T06:28:25Z"),
    ("Ben, Rosa Marsh", "Ben", "And back", "2019-04-01T06:28:26Z"),
    ("Ben, Ida, Rosa Marsh", "Ida", "To both", "2019-04-01T06:28:27Z"),
]


def told(path: Path) -> list[tuple[str | None, str | None, str, str | None]]:
    return [(one.title, one.speaker, one.text, one.happened_at) for one in read(path) if isinstance(one, Draft)]


def test_each_topic_and_each_conversation_is_a_chat(export: Path) -> None:
    assert detect(export / "messages-000001.json") == "zulip"
    assert told(export / "messages-000001.json") == told(export) == TOLD
    assert len({one.document.source for one in drafts(export)}) == 4
    assert drafts(export)[0].meta == {"edited": "2019-04-02T10:13:20Z"}
    system = [one for one in drafts(export, ReadOptions(include_system=True)) if one.speaker == "system"]
    assert [one.text for one in system] == ["Ben renamed the channel"]


def test_an_export_is_read_as_the_tar_that_it_is(export: Path) -> None:
    path = export.parent / "zulip-export-1.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(export, export.name)
    assert told(path) == TOLD


def test_a_later_export_adds_what_is_new(export: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(export).added == 6
        written(
            export / "messages-000001.json", {"zerver_message": [*MESSAGES[3:], message(108, 11, 31, "Yes", "plums")]}
        )
        report = db.ingest(export)
        assert (report.added, report.removed) == (1, 0)
