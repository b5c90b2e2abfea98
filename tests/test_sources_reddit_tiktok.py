"""What one wrote on Reddit and TikTok, as their data come."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts, written

from memkit import MemoryDatabase
from memkit.core.types import LeftOut
from memkit.sources import ReadOptions, detect, read


def told(path: Path) -> list[tuple[str | None, str | None, str | None, str]]:
    return [(one.title, one.speaker, one.happened_at, one.text) for one in drafts(path)]


# ------------------------------------------------------------------------------------------------------------ Reddit


def table(path: Path, *rows: dict[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, [*rows[0]])
        out.writeheader()
        out.writerows(rows)
    return path


AT = "2024-01-12 17:2{}:56 UTC"
HEAD = {"ip": "", "subreddit": "garden", "gildings": "0"}


def comment(id: str, body: str, minute: int = 0, **more: str) -> dict[str, str]:
    link = "https://www.reddit.com/r/garden/comments/1/x/"
    return {
        "id": id, "permalink": f"{link}{id}/", "date": AT.format(minute), **HEAD, "link": link, "parent": "",
        "body": body, "media": "", **more,
    }  # fmt: skip


POST = {
    "id": "p1", "permalink": "https://www.reddit.com/r/garden/comments/p1/x/", "date": AT.format(3), **HEAD,
    "title": "My quince", "url": "https://i.redd.it/q.jpg", "body": "It blooms.",
}  # fmt: skip
MESSAGE = {
    "id": "m1", "permalink": "https://www.reddit.com/message/m1", "thread_id": "t1", "date": AT.format(4), "ip": "",
    "from": "Ida_Moss", "to": "rosa", "subject": "re: seeds", "body": "I have some.",
}  # fmt: skip
CHAT = {
    "message_id": "c1", "created_at": AT.format(5), "updated_at": "", "username": "rosa", "message": "Hello",
    "thread_parent_message_id": "", "channel_url": "sendbird_1", "subreddit": "", "channel_name": "Seeds",
    "conversation_type": "direct",
}  # fmt: skip
VOTE = {"id": "x", "permalink": "https://www.reddit.com/r/garden/comments/2/", "direction": "up"}


@pytest.fixture
def export(tmp_path: Path) -> Path:
    folder = tmp_path / "export_rosa_20240201"
    said = [
        comment("b", 'By the "wall",\nI think', 1, parent="a"),
        comment("a", "Where?"),
        comment("d", "[removed]", 2),
    ]
    table(folder / "comments.csv", *said)
    table(
        folder / "comment_headers.csv",
        {key: said[0][key] for key in ("id", "permalink", "date", "subreddit", "parent")},
    )
    table(folder / "posts.csv", POST)
    table(folder / "messages.csv", MESSAGE)
    table(folder / "chat_history.csv", CHAT)
    table(folder / "comment_votes.csv", VOTE)
    return folder


SAID = [
    ("Seeds", "rosa", "2024-01-12T17:25:56Z", "Hello"),
    ("Comments in r/garden", "user", "2024-01-12T17:20:56Z", "Where?"),
    ("Comments in r/garden", "user", "2024-01-12T17:21:56Z", 'By the "wall",\nI think'),
    ("seeds", "Ida_Moss", "2024-01-12T17:24:56Z", "I have some."),
    ("Posts in r/garden", "user", "2024-01-12T17:23:56Z", "My quince\n\nIt blooms.\n\nhttps://i.redd.it/q.jpg"),
]


def test_the_data_of_reddit_as_folder_and_zip(export: Path) -> None:
    assert told(export) == SAID
    packed = Path(shutil.make_archive(str(export), "zip", export))
    assert detect(packed) == "reddit"
    assert told(packed) == SAID
    found = read(export, options=ReadOptions(skipped=Counter()))
    assert [one.reason for one in found if isinstance(one, LeftOut)] == ["2 tables without messages"]


def test_a_table_of_reddit_alone(export: Path) -> None:
    names = ("comments.csv", "posts.csv", "messages.csv", "chat_history.csv")
    assert [detect(export / name) for name in names] == ["reddit"] * 4
    assert detect(table(export / "other.csv", VOTE)) == "csv"
    second = drafts(export / "comments.csv")[1]
    assert (second.source_id, second.meta["reply_to"]) == ("b", "a")


def test_a_comment_that_was_edited_is_changed_and_one_that_is_gone_stays(export: Path, tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(export).added == 5
        later = tmp_path / "export_rosa_20240301"
        table(later / "comments.csv", comment("a", "Where does it grow?"), comment("e", "Thanks", 6))
        table(later / "comment_headers.csv", {"id": "a"})
        report = db.ingest(later)
        assert (report.added, report.updated, report.removed) == (1, 1, 0)
        assert len(db) == 6


# ------------------------------------------------------------------------------------------------------------ TikTok

CHATS = {
    "Chat History with ida.moss:": [
        {"Date": "2025-03-11 16:17:00", "From": "rosa.marsh", "Content": "In March."},
        {"Date": "2025-03-11 16:16:20", "From": "ida.moss", "Content": "When?"},
    ],
    "Chat History with :": [{"Date": "2025-03-10 10:00:00", "From": "", "Content": "Write to me"}],
}
NOW: dict[str, Any] = {
    "App Settings": {"Block List": {"BlockList": None}},
    "Comment": {"Comments": {"App": 1, "CommentsList": [
        {"date": "2025-04-13 14:56:28", "comment": "Lovely", "photo": "N/A", "url": ""}]}},
    "Direct Message": {"Direct Messages": {"ChatHistory": CHATS}},
    "Post": {"Posts": {"VideoList": [
        {"Date": "2025-05-01 10:00:00", "Link": "https://www.tiktokv.com/share/video/1", "Title": "My quince"},
        {"Date": "2025-05-02 10:00:00", "Link": "https://www.tiktokv.com/share/video/2", "Title": "N/A"}]}},
    "Profile": {"Profile Info": {"ProfileMap": {"userName": "rosa.marsh"}}},
    "Your Activity": {"Watch History": {"VideoList": [{"Date": "2025-04-01 00:00:00", "Link": "x", "Title": "a dog"}]}},
    "About": "TikTok, tiktok",
}  # fmt: skip
BEFORE = {
    "Activity": {"Video Browsing History": {"VideoList": [{"Date": "2021-04-01 00:00:00", "VideoLink": "tiktok"}]}},
    "Comment": {"Comments": {"CommentsList": [{"Date": "2021-04-13 14:56:28", "Comment": "Lovely"}]}},
    "Direct Messages": {"Chat History": {"ChatHistory": CHATS}},
    "Profile": {"Profile Information": {"ProfileMap": {"userName": "rosa.marsh"}}},
}
MESSAGES = [
    ("ida.moss", "ida.moss", "2025-03-11T16:16:20Z", "When?"),
    ("ida.moss", "rosa.marsh", "2025-03-11T16:17:00Z", "In March."),
    ("TikTok", "unknown", "2025-03-10T10:00:00Z", "Write to me"),
]


def test_messages_comments_and_posts_of_tiktok(tmp_path: Path) -> None:
    path = written(tmp_path / "user_data_tiktok.json", NOW)
    assert detect(path) == "tiktok"
    assert told(path) == [
        *MESSAGES,
        ("Comments on TikTok", "rosa.marsh", "2025-04-13T14:56:28Z", "Lovely"),
        ("Posts on TikTok", "rosa.marsh", "2025-05-01T10:00:00Z", "My quince"),
    ]


def test_older_data_of_tiktok_in_a_zip(tmp_path: Path) -> None:
    written(tmp_path / "in/user_data.json", BEFORE)
    packed = Path(shutil.make_archive(str(tmp_path / "TikTok_Data_1"), "zip", tmp_path / "in"))
    assert detect(packed) == "tiktok"
    assert told(packed) == [*MESSAGES, ("Comments on TikTok", "rosa.marsh", "2021-04-13T14:56:28Z", "Lovely")]


def test_later_data_of_tiktok_add_what_is_new(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(written(tmp_path / "1/user_data.json", BEFORE)).added == 4
        report = db.ingest(written(tmp_path / "2/user_data_tiktok.json", NOW))
        assert (report.added, report.unchanged, report.removed) == (2, 3, 0)
