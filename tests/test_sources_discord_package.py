"""The package of one's data that Discord sends: the zip, unpacked, in any language, and a channel of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts, written

from memkit import MemoryDatabase
from memkit.core.types import Draft, Failure, LeftOut
from memkit.sources import detect, read

GARDEN, DIRECT, FIRST = "400000000000000001", "400000000000000002", "400000000000000003"
README = "Welcome to your Discord Data Package!\n\nSee https://support.discord.com/hc/articles/360004957991\n"


def said(id: int, text: str, at: str = "2024-01-02 10:20:30", attached: str = "") -> dict[str, Any]:
    return {"ID": id, "Timestamp": at, "Contents": text, "Attachments": attached}


def package(root: Path, messages: str = "messages", account: str = "account") -> Path:
    """A package; the names of its folders are those of a language."""
    friend = {"id": "200000000000000002", "username": "bo", "global_name": "Bo Ek"}
    me = {"id": "200000000000000001", "username": "ida", "global_name": "Ida Moss", "relationships": [{"user": friend}]}
    written(root / "README.txt", README)
    written(root / account / "user.json", me)
    written(root / "servers" / "index.json", {"50": "Allotment"})
    written(root / "activity" / "analytics" / "events-2024.json", '{"event_type": "app_opened"}\n{"event_type": "x"}\n')
    there = root / messages
    label = "Direct Message with bo#0"
    written(there / "index.json", {GARDEN: "garden in Allotment", DIRECT: label, FIRST: "Direct Message with cy#1234"})
    channel = {"id": GARDEN, "type": "GUILD_TEXT", "name": "garden", "guild": {"id": "50", "name": "Allotment"}}
    written(there / f"c{GARDEN}" / "channel.json", channel)
    newest_first = [
        said(
            502,
            "It blooms <@200000000000000002> <:leaf:700000000000000001> <@299999999999999999>",
            "2024-01-03 08:00:00",
        ),
        said(501, "", attached="https://cdn.example/1/plan.pdf?ex=1"),
    ]
    written(there / f"c{GARDEN}" / "messages.json", newest_first)
    people = [me["id"], friend["id"]]
    written(there / f"c{DIRECT}" / "channel.json", {"id": DIRECT, "type": "DM", "recipients": people})
    rows = 'ID,Timestamp,Contents,Attachments\r\n503,2020-05-01 10:00:00.123000+00:00,"Hello, ""Bo""\nagain",\r\n'
    written(there / f"c{DIRECT}" / "messages.csv", rows)
    written(there / f"c{FIRST}" / "channel.json", {"id": FIRST, "type": 1})
    written(there / f"c{FIRST}" / "messages.json", [said(504, "Hi")])
    return root


TOLD = {
    (f"discord:{GARDEN}", "Allotment / garden", "Ida Moss", "2024-01-02T10:20:30Z", "501", "plan.pdf"),
    (
        f"discord:{GARDEN}", "Allotment / garden", "Ida Moss", "2024-01-03T08:00:00Z", "502",
        "It blooms @Bo Ek :leaf: <@299999999999999999>",
    ),
    (f"discord:{DIRECT}", "Bo Ek", "Ida Moss", "2020-05-01T10:00:00Z", "503", 'Hello, "Bo"\nagain'),
    (f"discord:{FIRST}", "cy", "Ida Moss", "2024-01-02T10:20:30Z", "504", "Hi"),
}  # fmt: skip


def told(path: Path) -> set[tuple[Any, ...]]:
    return {
        (one.document.source, one.title, one.speaker, one.happened_at, one.source_id, one.text) for one in drafts(path)
    }


@pytest.mark.parametrize(("messages", "account"), [("messages", "account"), ("Wiadomości", "Konto")])
def test_a_package_gives_what_somebody_said_in_each_channel(tmp_path: Path, messages: str, account: str) -> None:
    root = package(tmp_path / "package", messages, account)
    assert told(root) == TOLD
    packed = Path(shutil.make_archive(str(tmp_path / "package-1"), "zip", root))
    assert detect(packed) == "discord-package"
    assert told(packed) == TOLD
    assert told(root / messages) == TOLD


def test_what_else_is_in_a_package_is_left_out_and_said(tmp_path: Path) -> None:
    root = package(tmp_path / "package")
    left = {Path(one.source).relative_to(root).as_posix(): one.reason for one in read(root) if isinstance(one, LeftOut)}
    assert left["README.txt"] == "what Discord says about the package"
    assert set(left) == {"README.txt", "account/user.json", "servers/index.json", "activity/analytics/events-2024.json"}


@pytest.mark.parametrize("inner", [f"c{GARDEN}/messages.json", f"c{DIRECT}/messages.csv"])
def test_a_channel_alone_is_read_without_the_names(tmp_path: Path, inner: str) -> None:
    root = package(tmp_path / "package")
    alone = tmp_path / Path(inner).parent
    shutil.copytree(root / "messages" / Path(inner).parent, alone)
    assert detect(tmp_path / inner) == "discord-package"
    drafts = [one for one in read(tmp_path / inner) if isinstance(one, Draft)]
    assert {(one.document.source, one.speaker) for one in drafts} == {(f"discord:{alone.name[1:]}", "user")}


def test_a_broken_channel_fails_alone(tmp_path: Path) -> None:
    root = package(tmp_path / "package")
    written(root / "messages" / f"c{FIRST}" / "messages.json", '[{"ID": 1,')
    found = list(read(root))
    assert [one.source for one in found if isinstance(one, Failure)] == [
        f"{root.as_posix()}/messages/c{FIRST}/messages.json"
    ]
    assert len([one for one in found if isinstance(one, Draft)]) == 3


def test_a_later_package_and_the_export_of_the_channel_give_each_message_once(tmp_path: Path) -> None:
    root = package(tmp_path / "package")
    grown = package(tmp_path / "later")
    written(
        grown / "messages" / f"c{GARDEN}" / "messages.json",
        [said(505, "Ripe"), said(501, "", attached="https://x/plan.pdf")],
    )
    exported = {
        "guild": {"name": "Allotment"},
        "channel": {"id": GARDEN, "name": "garden"},
        "messages": [
            {"id": "505", "type": "Default", "timestamp": "2024-01-02T10:20:30+00:00", "content": "Ripe",
             "author": {"name": "ida", "nickname": "Ida Moss"}},
        ],
    }  # fmt: skip
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(root).added == 4
        assert db.ingest(root).unchanged == 4
        report = db.ingest(grown)
        assert (report.added, report.updated, report.removed) == (1, 0, 0)
        assert db.ingest(written(tmp_path / "garden.json", exported)).unchanged == 1
