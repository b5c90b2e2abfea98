"""Messages, posts and comments of LinkedIn: the zip of one's data, unpacked, and a table of it."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts

from memkit import MemoryDatabase
from memkit.core.roles import is_nobody
from memkit.core.types import LeftOut
from memkit.sources import ReadOptions, detect, read

OLD = (
    "CONVERSATION ID",
    "CONVERSATION TITLE",
    "FROM",
    "SENDER PROFILE URL",
    "TO",
    "DATE",
    "SUBJECT",
    "CONTENT",
    "FOLDER",
)
NEW = (*OLD, "ATTACHMENTS", "IS MESSAGE DRAFT", "IS CONVERSATION DRAFT")
ME, BO, CY = "Ida Moss, PhD", "Bo Ek", "Cy Low"


def table(path: Path, columns: tuple[str, ...], *rows: dict[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def said(chat: str, who: str, to: str, text: str, at: str, **more: str) -> dict[str, str]:
    return {
        "CONVERSATION ID": chat, "FROM": who, "TO": to, "DATE": f"2021-06-15 {at} UTC", "CONTENT": text,
        "SENDER PROFILE URL": "https://www.linkedin.com/in/x", **more,
    }  # fmt: skip


MESSAGES = (
    said("a", BO, ME, "Thanks &amp; bye", "16:37:00"),
    said("a", ME, BO, "Hi Bo,  It blooms.", "15:45:19"),
    said("b", ME, CY, "Hello", "15:00:00"),
    said(
        "c", "Ad", ME, '<p class="spinmail-quill-editor__spin-break">Buy</p>', "15:00:00", **{"SENDER PROFILE URL": ""}
    ),
    said("d", "Di Ad", ME, "Hey %FIRSTNAME%, buy", "15:00:00", **{"SENDER PROFILE URL": ""}),
    said("a", "", ME, "Message request accepted", "14:00:00", **{"SENDER PROFILE URL": ""}),
    said("e", "LinkedIn Member", ME, "<p>Who <strong>am</strong> I?</p>", "15:00:00", **{"SENDER PROFILE URL": ""}),
)
COMMENT = {"Date": "2021-06-16 03:28:40", "Link": "https://www.linkedin.com/feed/update/1", "Message": "Congrats"}
POST = {
    "Date": "2021-06-15 08:40:56", "ShareLink": "https://www.linkedin.com/feed/update/2", "SharedURL": "https://a.example",
    "ShareCommentary": 'It blooms."\r\n""\r\n"And smells.',
}  # fmt: skip


@pytest.fixture
def export(tmp_path: Path) -> Path:
    root = tmp_path / "export"
    table(root / "messages.csv", OLD, *MESSAGES)
    table(root / "Comments.csv", ("Date", "Link", "Message"), COMMENT)
    shares = ("Date", "ShareLink", "ShareCommentary", "SharedURL", "MediaURL", "Visibility")
    table(root / "Shares.csv", shares, POST, {"Date": "2021-06-16 15:00:02", "ShareLink": "https://x"})
    table(
        root / "Connections.csv", ("First Name", "Last Name", "Connected On"), {"First Name": "Bo", "Last Name": "Ek"}
    )
    table(root / "Jobs" / "Saved Jobs.csv", ("Job Title", "Company"), {"Job Title": "Gardener"})
    return root


def told(path: Path) -> list[tuple[Any, ...]]:
    return [(one.title, one.speaker, one.happened_at, one.text) for one in drafts(path)]


WRITTEN = [
    ("Comments on LinkedIn", "user", "2021-06-16T03:28:40Z", "Congrats"),
    ("Posts on LinkedIn", "user", "2021-06-15T08:40:56Z", "It blooms.\n\nAnd smells.\n\nhttps://a.example"),
]
SAID = [
    ("Bo Ek", "Ida Moss", "2021-06-15T15:45:19Z", "Hi Bo,\nIt blooms."),
    ("Bo Ek", "Bo Ek", "2021-06-15T16:37:00Z", "Thanks & bye"),
    ("Cy Low", "Ida Moss", "2021-06-15T15:00:00Z", "Hello"),
    ("LinkedIn Member", "LinkedIn Member", "2021-06-15T15:00:00Z", "Who am I?"),
]


def test_an_export_gives_messages_posts_and_comments(export: Path) -> None:
    assert told(export) == WRITTEN + SAID
    packed = Path(shutil.make_archive(str(export.parent / "Basic_LinkedInDataExport"), "zip", export))
    assert detect(packed) == "linkedin"
    assert told(packed) == WRITTEN + SAID


def test_a_table_alone_is_read(export: Path) -> None:
    assert [detect(export / name) for name in ("messages.csv", "Comments.csv", "Shares.csv")] == ["linkedin"] * 3
    assert told(export / "messages.csv") == SAID


def test_advertising_and_other_tables_are_left_out_and_said(export: Path) -> None:
    found = read(export / "messages.csv", options=ReadOptions(skipped=Counter()))
    left = [one.reason for one in found if isinstance(one, LeftOut)]
    assert left == ["2 messages that are advertising"]
    found = read(export, options=ReadOptions(skipped=Counter()))
    left = [one.reason for one in found if isinstance(one, LeftOut)]
    assert left == ["2 tables without messages, 2 messages that are advertising"]


def test_drafts_are_left_out_and_line_breaks_stay(tmp_path: Path) -> None:
    draft = said("a", ME, BO, "No", "16:00:00", **{"IS MESSAGE DRAFT": "Yes"})
    sent = said(
        "a", ME, BO, "One\nand  two", "16:00:01", **{"IS MESSAGE DRAFT": "No", "ATTACHMENTS": "https://x/plan.pdf"}
    )
    path = table(tmp_path / "messages.csv", NEW, draft, sent)
    assert [text for *_, text in told(path)] == ["One\nand  two\n\n[plan.pdf]"]


def test_a_member_without_a_name_is_nobody() -> None:
    assert is_nobody("LinkedIn Member")


def test_a_grown_export_gives_each_message_once(export: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(export).added == 6
        assert db.ingest(export).unchanged == 6
        table(export / "messages.csv", OLD, *MESSAGES, said("b", CY, ME, "Hello", "16:00:00"))
        report = db.ingest(export)
        assert (report.added, report.updated, report.removed) == (1, 0, 0)
        table(export / "messages.csv", OLD, MESSAGES[0])
        assert db.ingest(export).removed == 0
