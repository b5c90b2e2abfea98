"""Rooms of Matrix, as Element exports them as JSON: alone, and in a zip with what was attached."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from chat_files import drafts

from memkit import MemoryDatabase
from memkit.core.types import Draft
from memkit.sources import detect, read

ROOM = "!garden:example.org"


def event(id: str, who: str, content: dict[str, Any], type: str = "m.room.message", **more: Any) -> dict[str, Any]:
    at = 1700000000000 + int(id) * 1000
    return {
        "type": type, "room_id": ROOM, "sender": f"@{who}:example.org", "event_id": f"${id}",
        "origin_server_ts": at, "content": content, **more,
    }  # fmt: skip


def said(text: str, kind: str = "m.text", **more: Any) -> dict[str, Any]:
    return {"msgtype": kind, "body": text, **more}


POLL = {"question": {"org.matrix.msc1767.text": "When?"}, "answers": [{"org.matrix.msc1767.text": "May"}]}
EVENTS = [
    event("1", "bo", {"membership": "join", "displayname": "Bo Ek"}, "m.room.member", state_key="@bo:example.org"),
    event("2", "bo", said("It blooms"), unsigned={"m.relations": {"m.replace": {"origin_server_ts": 1700000100000}}}),
    event(
        "3",
        "ida",
        said("> <@bo:example.org> It blooms\n\nYes\n> no", **{"m.relates_to": {"m.in_reply_to": {"event_id": "$2"}}}),
    ),
    event("4", "ida", said("plan.pdf", "m.file")),
    event("5", "ida", said("Look", "m.image", filename="tree.jpg")),
    event("6", "bo", {}, unsigned={"redacted_because": {}}),
    event("7", "bo", {"m.relates_to": {"rel_type": "m.annotation", "key": "x", "event_id": "$2"}}, "m.reaction"),
    event("8", "bo", said("* It blooms now", **{"m.relates_to": {"rel_type": "m.replace", "event_id": "$2"}})),
    event("12", "bo", {"membership": "leave"}, "m.room.member", state_key="@bo:example.org"),
    event("9", "bot", said("Frost tonight", "m.notice")),
    event("10", "bo", {"org.matrix.msc3381.poll.start": POLL}, "org.matrix.msc3381.poll.start"),
]


def export(*events: dict[str, Any]) -> str:
    about = {"room_name": "Garden", "room_creator": "Bo Ek", "topic": "Trees", "export_date": "1/1/2024"}
    return json.dumps(about | {"exported_by": "Ida", "messages": list(events)})


def told(path: Path) -> list[tuple[Any, ...]]:
    return [(one.document.source, one.speaker, one.text, one.meta) for one in drafts(path)]


def test_a_room_gives_what_was_said_in_it(tmp_path: Path) -> None:
    path = tmp_path / "matrix - Garden - Chat Export.json"
    path.write_text(export(*EVENTS), "utf-8")
    assert detect(path) == "element"
    room = f"matrix:{ROOM}"
    assert told(path) == [
        (room, "Bo Ek", "It blooms", {"edited": "2023-11-14T22:15:00Z"}),
        (room, "ida", "Yes\n> no", {"reply_to": "$2"}),
        (room, "ida", "plan.pdf", {"attachment": "plan.pdf"}),
        (room, "ida", "Look", {"attachment": "tree.jpg"}),
        (room, "bot (name)", "Frost tonight", {"bot": True}),
        (room, "Bo Ek", "When?\n- May", {}),
    ]
    [first, *_] = [one for one in read(path) if isinstance(one, Draft)]
    assert (first.title, first.happened_at) == ("Garden", "2023-11-14T22:13:22Z")


def test_a_zip_of_a_room_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "matrix - Garden - Chat Export.json"
    path.write_text(export(*EVENTS), "utf-8")
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.write(path, "matrix - Garden/export.json")
        archive.writestr("matrix - Garden/images/tree.jpg", b"x")
    assert detect(tmp_path / "export.zip") == "element"
    assert told(tmp_path / "export.zip") == told(path)


def test_a_later_export_gives_each_message_once(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(export(*EVENTS), "utf-8")
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(path).added == 6
        path.write_text(
            export(event("2", "bo", said("It bloomed")), *EVENTS[9:], event("11", "ida", said("Ripe"))), "utf-8"
        )
        report = db.ingest(path)
        assert (report.added, report.removed) == (1, 0)
        assert {text for (text,) in db.conn.execute("select text from memories")} >= {"It bloomed", "plan.pdf", "Ripe"}
