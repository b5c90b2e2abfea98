"""Chats of Skype and of Snapchat, as their exports have them: packed, unpacked, and as a file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts, written

from memkit import MemoryDatabase
from memkit.sources import detect


def told(path: Path) -> list[tuple[Any, ...]]:
    return [(one.document.source, one.title, one.speaker, one.happened_at, one.text) for one in drafts(path)]


def sent(
    id: str, who: str, content: str, kind: str = "RichText", named: str | None = None, **more: Any
) -> dict[str, Any]:
    return {
        "id": id, "displayName": named, "originalarrivaltime": f"2024-03-04T11:{id}:34.567Z", "messagetype": kind,
        "content": content, "from": who, "properties": None, **more,
    }  # fmt: skip


QUOTE = (
    '<quote author="bo" authorname="Bo Ek" timestamp="1"><legacyquote>[1] Bo Ek: </legacyquote>Does it\nbloom?'
    "<legacyquote>\n\n&lt;&lt;&lt; </legacyquote></quote>It does"
)
FILE = (
    '<URIObject type="File.1" uri="https://x"><Title>Title: plan.pdf</Title>To view, go to: <a href="https://x">https://x'
    '</a><OriginalName v="plan &amp; more.pdf"/><FileSize v="1"/></URIObject>'
)
SKYPE = {
    "userId": "8:live:ida",
    "exportDate": "2024-03-05T10:00",
    "conversations": [
        {
            "id": "8:live:bo",
            "displayName": "Bo Ek",
            "threadProperties": None,
            "MessageList": [
                sent("24", "8:live:ida", FILE, "RichText/Media_GenericFile"),
                sent("23", "8:live:ida", QUOTE),
                sent(
                    "22",
                    "8:live:bo",
                    '5 &lt; 6, see <a href="https://a.example/q?x=1&amp;y">this</a> <ss type="smile">:)</ss>',
                ),
                sent("21", "8:live:ida", "5 < 6 <b>", "Text", properties={"edittime": "1"}),
                sent("20", "8:live:bo", '<partlist type="ended"></partlist>', "Event/Call"),
                sent("19", "8:live:bo", "", properties={"deletetime": "1"}),
            ],
        },
        {
            "id": "19:abc@thread.skype",
            "displayName": None,
            "threadProperties": {"topic": "Garden"},
            "MessageList": [
                sent("31", "8:cy", "Hello", named="Cy Low"),
                sent("30", "19:abc@thread.skype", "<addmember/>", "ThreadActivity/AddMember"),
            ],
        },
    ],
}
TOLD = [
    ("skype:8:live:bo", "Bo Ek", "user", "2024-03-04T11:21:34Z", "5 < 6 <b>"),
    ("skype:8:live:bo", "Bo Ek", "Bo Ek", "2024-03-04T11:22:34Z", "5 < 6, see [this](https://a.example/q?x=1&y) :)"),
    ("skype:8:live:bo", "Bo Ek", "user", "2024-03-04T11:23:34Z", "> Does it\n> bloom?\n\nIt does"),
    ("skype:8:live:bo", "Bo Ek", "user", "2024-03-04T11:24:34Z", "plan & more.pdf"),
    ("skype:19:abc@thread.skype", "Garden", "Cy Low", "2024-03-04T11:31:34Z", "Hello"),
]


@pytest.mark.parametrize("kind", ["", "tar", "zip"])
def test_skype_gives_messages_and_no_calls(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path / "export" / "messages.json", SKYPE)
    assert detect(path) == "skype"
    if kind:
        path = Path(shutil.make_archive(str(tmp_path / "8_live_ida_export"), kind, path.parent))
    assert told(path) == TOLD


def test_a_grown_export_of_skype_gives_each_message_once(tmp_path: Path) -> None:
    path = written(tmp_path / "messages.json", SKYPE)
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(path).added == 5
        assert db.ingest(path).unchanged == 5
        grown = json.loads(json.dumps(SKYPE))
        grown["conversations"][1]["MessageList"] = [
            sent("32", "8:cy", "Bye", named="Cy Low"),
            sent("31", "8:cy", "Hello!", named="Cy Low"),
        ]
        report = db.ingest(written(path, grown))
        assert (report.added, report.updated, report.removed) == (1, 1, 0)


def snap(
    who: str, text: str | None, at: str, *, own: bool = False, kind: str = "TEXT", title: str | None = None
) -> dict[str, Any]:
    return {
        "From": who,
        "Media Type": kind,
        "Created": f"2024-04-20 {at} UTC",
        "Content": text,
        "Conversation Title": title,
        "IsSender": own,
        "Created(microseconds)": 1713576562686 + int(at[-2:]),
    }


SNAPCHAT = {
    "bo_ek": [
        snap("ida_m", "It&#39;s late", "01:29:23", own=True),
        snap("bo_ek", "Was he good?", "01:29:22"),
        snap("ida_m", "", "01:29:24", own=True, kind="MEDIA"),
        snap("bo_ek", "", "01:29:25", kind="STATUSERASEDMESSAGE"),
    ],
    "0f3c": [snap("cy", "Hello", "01:29:26", title="Garden")],
}
SNAPS = [
    ("snapchat:bo_ek", "Bo Ek", "Bo Ek", "2024-04-20T01:29:22Z", "Was he good?"),
    ("snapchat:bo_ek", "Bo Ek", "Ida Moss", "2024-04-20T01:29:22Z", "It's late"),
    ("snapchat:bo_ek", "Bo Ek", "Ida Moss", "2024-04-20T01:29:22Z", "media"),
    ("snapchat:0f3c", "Garden", "cy", "2024-04-20T01:29:22Z", "Hello"),
]


@pytest.fixture
def my_data(tmp_path: Path) -> Path:
    root = tmp_path / "mydata"
    written(root / "json" / "chat_history.json", SNAPCHAT)
    written(root / "json" / "snap_history.json", {"bo_ek": [{"From": "bo_ek", "Media Type": "IMAGE"}]})
    written(root / "json" / "friends.json", {"Friends": [{"Username": "bo_ek", "Display Name": "Bo Ek"}]})
    written(root / "json" / "account.json", {"Basic Information": {"Username": "ida_m", "Name": "Ida Moss"}})
    written(root / "html" / "chat_history.html", "<html><body><p>Was he good?</p></body></html>")
    written(root / "index.html", "<html><body>My Data</body></html>")
    return root


def test_snapchat_gives_the_saved_chats(my_data: Path) -> None:
    assert told(my_data) == SNAPS
    packed = Path(shutil.make_archive(str(my_data.parent / "mydata~1"), "zip", my_data))
    assert detect(packed) == "snapchat"
    assert told(packed) == SNAPS
    assert told(my_data / "json" / "chat_history.json") == SNAPS


def test_snapchat_before_2023_kept_what_was_sent_and_received_apart(tmp_path: Path) -> None:
    got = {"From": "bo_ek", "Media Type": "TEXT", "Created": "2022-07-22 19:28:21 UTC", "Text": "Hello"}
    own = {"To": "bo_ek", "Media Type": "TEXT", "Created": "2022-07-22 19:29:00 UTC", "Text": "Hi"}
    history = {"Received Saved Chat History": [got], "Sent Saved Chat History": [own]}
    assert told(written(tmp_path / "chat_history.json", history)) == [
        ("snapchat:bo_ek", "bo_ek", "bo_ek", "2022-07-22T19:28:21Z", "Hello"),
        ("snapchat:bo_ek", "bo_ek", "user", "2022-07-22T19:29:00Z", "Hi"),
    ]


def test_a_grown_history_of_snapchat_gives_each_message_once(my_data: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(my_data).added == 4
        assert db.ingest(my_data).unchanged == 4
        written(
            my_data / "json" / "chat_history.json", {"bo_ek": [*SNAPCHAT["bo_ek"], snap("bo_ek", "Bye", "01:29:59")]}
        )
        report = db.ingest(my_data)
        assert (report.added, report.updated, report.removed) == (1, 0, 0)


def shown(who: str, kind: str, text: str, at: str) -> str:
    return (
        '<div style="background: #f2f2f2; border-radius: 7px; padding: 3px; margin-bottom:4px;"><span><div style="x">'
        f'<div style="display: flex;"><button class="saved">Saved</button><h4 style="float: left ">{who}</h4></div>'
        f'<div><svg><path d="M1"/></svg><span style="font-weight: bold; padding-top: 13px;">{kind}</span></div></div>'
        f"<hr style='margin-top:-1em'><p>{text}</p>"
        f'<h6 style="color: gray; display: flex;">2024-04-20 {at} UTC</h6></span></div>'
    )


def page(heading: str, *messages: str) -> str:
    return f'<body><img class="ghost" src="x"><h1> {heading}</h1>{"".join(messages)}</body>'


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    html = tmp_path / "mydata" / "html"
    bo = (
        shown("ida_m", "TEXT", "It&#39;s late<br>&lt;3", "01:29:23"),
        shown("bo_ek", "TEXT", "Was he good?", "01:29:22"),
        shown("bo_ek", "TEXT", "", "01:29:21"),
        shown("bo_ek", "IMAGE", "", "01:29:20"),
        shown("bo_ek", "STATUSERASEDMESSAGE", "", "01:29:19"),
    )
    written(html / "chat_history" / "subpage_bo_ek.html", page("Chat History with bo_ek", *bo))
    group = page("Chat history with Garden", shown("cy", "TEXT", "Hello", "01:29:26"))
    written(html / "chat_history" / "subpage_0f3c.html", group)
    snaps = page("Snap History with bo_ek", shown("bo_ek", "IMAGE", "", "01:29:20"))
    written(html / "snap_history" / "subpage_bo_ek.html", snaps)
    written(html / "chat_history.html", page("Chat History Metadata"))
    written(
        html / "friends.html",
        "<table><tr><th>Username</th></tr><tr><td>bo_ek</td><td>Bo Ek</td><td>x</td></tr></table>",
    )
    account = "<tr><th><b>Username:</b></th><th> ida_m</th></tr><tr><th><b>Name:</b></th><th> Ida Moss</th></tr>"
    written(html / "account.html", f"<table>{account}</table>")
    written(tmp_path / "mydata" / "index.html", "<html><body>My Data</body></html>")
    return tmp_path / "mydata"


BO = [
    ("snapchat:bo_ek", "Bo Ek", "Bo Ek", "2024-04-20T01:29:22Z", "Was he good?"),
    ("snapchat:bo_ek", "Bo Ek", "Ida Moss", "2024-04-20T01:29:23Z", "It's late\n<3"),
]
GARDEN = ("snapchat:0f3c", "Garden", "cy", "2024-04-20T01:29:26Z", "Hello")


def test_pages_of_snapchat_give_the_saved_chats_without_json(pages: Path) -> None:
    assert told(pages) == [GARDEN, *BO]
    packed = Path(shutil.make_archive(str(pages.parent / "mydata~2"), "zip", pages))
    assert detect(packed) == "snapchat"
    assert told(packed) == [GARDEN, *BO]
    alone = pages / "html" / "chat_history" / "subpage_bo_ek.html"
    assert detect(alone) == "snapchat"
    assert told(alone) == BO


def test_the_other_pages_of_snapchat_are_no_notes(pages: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(pages.parent).added == 3


def test_what_pages_of_snapchat_have_told_is_there_once_when_it_comes_as_json(pages: Path, tmp_path: Path) -> None:
    bo = [
        snap("ida_m", "It&#39;s late\n<3", "01:29:23", own=True),
        snap("bo_ek", "Was he good?", "01:29:22"),
        snap("bo_ek", "Only here", "01:29:30"),
    ]
    later = tmp_path / "later" / "json"
    written(later / "chat_history.json", {"bo_ek": bo})
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(pages).added == 3
        report = db.ingest(later.parent)
        assert (report.added, report.removed) == (1, 0)
