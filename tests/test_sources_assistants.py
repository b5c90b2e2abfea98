"""Exports of assistants on the web: Gemini, DeepSeek, Grok, Microsoft Copilot, Open WebUI, and Claude's newest."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts, written
from growth import reads_in_proportion

from memkit import MemoryDatabase
from memkit.sources import ReadOptions, detect

Told = list[tuple[str | None, str | None, str | None, str]]


def told(path: Path, options: ReadOptions | None = None) -> Told:
    return [(one.title, one.speaker, one.happened_at, one.text) for one in drafts(path, options)]


# ------------------------------------------------------------------------------------------------------------ Gemini

ASKED, ANSWERED = "2026-02-02T07:24:02Z", "Beside a quince grow leeks.\n\n- and mint"
HTML = "<p>Beside a <strong>quince</strong> grow leeks.</p><ul><li>and mint</li></ul>"


def activity(title: str, time: str = "2026-02-02T07:24:02.806Z", *answers: str, **more: Any) -> dict[str, Any]:
    return {
        "header": "Gemini Apps", "title": title, "time": time, "products": ["Gemini Apps"],
        **({"safeHtmlItem": [{"html": one} for one in answers]} if answers else {}), **more,
    }  # fmt: skip


def cell(above: str, time: str, below: str) -> str:
    return (
        '<div class="outer-cell mdl-cell mdl-cell--12-col"><div class="mdl-grid"><div class="header-cell mdl-cell">'
        '<p class="mdl-typography--title">Gemini Apps<br></p></div>'
        '<div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">'
        f'{above}<br>{time}<br>{below}</div><div class="content-cell mdl-cell mdl-typography--caption">'
        "<b>Products:</b><br>&emsp;Gemini Apps<br></div></div></div>"
    )


def test_gemini_says_what_was_asked_and_what_it_answered(tmp_path: Path) -> None:
    later = activity("Prompted And\n\nmint?", "2026-02-02T08:00:00.000Z", "<p>Yes.</p>", "<p>Often.</p>")
    path = written(tmp_path / "MyActivity.json", [later, activity("Prompted Beside it?", ASKED, HTML)])
    assert detect(path) == "gemini"
    title, at = "Gemini, 2026-02-02", "2026-02-02T08:00:00Z"
    assert told(path) == [
        (title, "user", ASKED, "Beside it?"),
        (title, "assistant", ASKED, ANSWERED),
        (title, "user", at, "And\n\nmint?"),
        (title, "assistant", at, "Yes."),
        (title, "assistant", at, "Often."),
    ]


def test_a_page_of_gemini_gives_the_same_as_its_json(tmp_path: Path) -> None:
    file = [{"name": "Attached 1 file."}, {"name": "-  plan.pdf", "url": "plan-1.pdf"}]
    sketch = [{"name": "Attached 1 file."}, {"name": "-  sketch.png", "url": "sketch-1.png"}]
    json = written(
        tmp_path / "a/MyActivity.json",
        [
            activity("Prompted ", "2026-02-02T07:25:00Z", "<p>A tree.</p>", subtitles=sketch),
            activity("Prompted Beside\nit?", ASKED, HTML + "<div>x</div>", subtitles=file),
        ],
    )
    page = written(
        tmp_path / "b/MyActivity.html",
        cell(
            'Prompted\u00a0<br>Attached 1 file.<br>-&nbsp; <a href="sketch-1.png">sketch.png</a>',
            "Feb 2, 2026, 8:25:00\u202fAM CET", "<p>A tree.</p>",
        )
        + cell(
            'Prompted\u00a0Beside\nit?<br>Attached 1 file.<br>-&nbsp; <a href="plan-1.pdf">plan.pdf</a>',
            "Feb 2, 2026, 8:24:02\u202fAM CET", HTML + "<div>x</div>",
        ),
    )  # fmt: skip
    assert detect(page) == "gemini"
    assert told(page) == told(json)
    assert told(page)[0][3] == "Beside\nit?\n\n[plan.pdf]"
    assert told(page)[2][3] == "sketch.png"
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(json).added == 4
        assert (db.ingest(page).added, db.ingest(page).unchanged) == (0, 4)


def test_prompts_that_tell_their_conversation_are_together(tmp_path: Path) -> None:
    one, other = "https://gemini.google.com/app/c/aaa111aaa", "https://gemini.google.com/app/bbb222bbb?hl=en"
    path = written(
        tmp_path / "MyActivity.json",
        [
            activity("Prompted And then?", "2026-02-03T00:00:00Z", "<p>Prune.</p>", titleUrl=one),
            activity("Prompted Where?", "2026-02-02T00:00:01Z", "<p>There.</p>", details=[{"name": other}]),
            activity("Prompted When?", "2026-02-02T00:00:00Z", "<p>In March.</p>", titleUrl=one),
        ],
    )
    assert [(one.document.source, one.text) for one in drafts(path)] == [
        ("gemini:aaa111aaa", "When?"), ("gemini:aaa111aaa", "In March."),
        ("gemini:aaa111aaa", "And then?"), ("gemini:aaa111aaa", "Prune."),
        ("gemini:bbb222bbb", "Where?"), ("gemini:bbb222bbb", "There."),
    ]  # fmt: skip


def test_what_gemini_tells_of_its_use_is_nobody_s_words(tmp_path: Path) -> None:
    path = written(
        tmp_path / "MyActivity.json",
        [
            activity("Gave feedback: Good response"),
            activity("Selected preferred draft"),
            activity("Created Gemini Canvas titled The bed", ASKED, "<p>Leeks in the south.</p>"),
        ],
    )
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(path)
        assert [(one.speaker, one.text) for one in drafts(path)] == [
            ("assistant", "Created Gemini Canvas titled The bed\n\nLeeks in the south.")
        ]
        assert "2 notes on the use of Gemini" in str(report.left_out)


@pytest.mark.parametrize("title", ["送信したメッセージ: {}", "Has dicho: {}", "Eingegebener Prompt: {}", "Skickade {}"])
def test_the_words_before_a_prompt_are_not_the_person_s_in_any_language(tmp_path: Path, title: str) -> None:
    asked = ["Where?", "When?", "What is it: a quince?", "Who?", "Why?"]
    entries = [activity(title.format(one), f"2026-02-02T07:0{n}:00Z", "<p>So.</p>") for n, one in enumerate(asked)]
    path = written(tmp_path / "MyActivity.json", entries[::-1])
    assert [text for _, speaker, _, text in told(path) if speaker == "user"] == asked


def test_other_activity_is_no_chat_with_gemini(tmp_path: Path) -> None:
    search = {"header": "Search", "title": "Searched for Gemini", "time": ASKED, "products": ["Search"]}
    assert detect(written(tmp_path / "MyActivity.json", [search])) == "google-takeout"
    page = cell("Searched for Gemini", "Feb 2, 2026, 8:24:02 AM CET", "").replace("Gemini Apps", "Search")
    assert detect(written(tmp_path / "MyActivity.html", page)) == "google-takeout"


# ---------------------------------------------------------------------------------------------------------- DeepSeek


def node(id: str, parent: str | None, at: str, *fragments: tuple[str, str | None], **more: Any) -> dict[str, Any]:
    said = [{"type": kind, "content": text} for kind, text in fragments]
    message = {"model": "deepseek-chat", "inserted_at": at, "files": [], "fragments": said, **more}
    return {"id": id, "parent": parent, "children": [], "message": message if fragments or more else None}


def deepseek(*nodes: dict[str, Any], id: str = "c1") -> dict[str, Any]:
    return {
        "id": id, "title": "Quince", "updated_at": "2026-01-01T11:00:00+08:00",
        "inserted_at": "2026-01-01T10:00:00+08:00",
        "mapping": {one["id"]: one for one in (node("root", None, ""), *nodes)},
    }  # fmt: skip


FIRST, SECOND, THIRD = (f"2026-01-01T10:0{n}:00.000000+08:00" for n in range(3))
DEEPSEEK = deepseek(
    node("1", "root", FIRST, ("REQUEST", "Where does it grow?")),
    node("2", "1", SECOND, ("THINK", "Hm."), ("SEARCH", None), ("TOOL_SEARCH", "quince"), ("RESPONSE", "In the bed.")),
    node("3", "1", THIRD, ("RESPONSE", "By the wall.")),
    node("4", "3", THIRD, files=[{"file_name": "plan.pdf"}]),
)


def test_deepseek_is_read_along_the_branch_that_was_written_last(tmp_path: Path) -> None:
    path = written(tmp_path / "conversations.json", [DEEPSEEK])
    assert detect(path) == "deepseek"
    assert told(path) == [
        ("Quince", "user", "2026-01-01T02:00:00Z", "Where does it grow?"),
        ("Quince", "assistant", "2026-01-01T02:02:00Z", "By the wall."),
        ("Quince", "user", "2026-01-01T02:02:00Z", "[plan.pdf]"),
    ]


def test_what_deepseek_thinks_and_looks_for_is_no_answer(tmp_path: Path) -> None:
    nodes = [one for id, one in DEEPSEEK["mapping"].items() if id in "12"]
    path = written(tmp_path / "conversations.json", [deepseek(*nodes)])
    assert [text for *_, text in told(path)] == ["Where does it grow?", "In the bed."]
    assert told(path, ReadOptions(include_thinking=True))[1][3] == "Hm.\n\nIn the bed."


def test_two_conversations_of_deepseek_in_a_zip_number_their_messages_alike(tmp_path: Path) -> None:
    other = deepseek(node("1", "root", FIRST, ("REQUEST", "And the leek?")), id="c2")
    chats = written(tmp_path / "in/conversations.json", [DEEPSEEK, other])
    with zipfile.ZipFile(tmp_path / "deepseek_data.zip", "w") as archive:
        archive.write(chats, "conversations.json")
        archive.writestr("user.json", '{"user_id": "u", "email": "rosa@example.org", "mobile": null}')
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(tmp_path / "deepseek_data.zip").added == 4
        assert db.ingest(chats).unchanged == 4


# -------------------------------------------------------------------------------------------------------------- Grok


def response(id: str, sender: str, text: str, at: object, parent: str | None = None) -> dict[str, Any]:
    about = {"_id": id, "conversation_id": "g1", "message": text, "sender": sender, "create_time": at}
    return {"response": about | ({"parent_response_id": parent} if parent else {}), "share_link": None}


def date(second: int) -> dict[str, Any]:
    return {"$date": {"$numberLong": str(1775718694833 + second * 1000)}}


def grok(*responses: dict[str, Any]) -> dict[str, Any]:
    about = {"id": "g1", "title": "Quince", "create_time": "2026-04-09T07:11:34.833912Z", "modify_time": None}
    return {"conversations": [{"conversation": about, "responses": [*responses]}], "projects": [], "tasks": []}


def test_a_chat_of_grok_with_its_current_branch(tmp_path: Path) -> None:
    card = '<grok:render card_id="1"><argument name="citation_id">1</argument></grok:render>'
    path = written(
        tmp_path / "prod-grok-backend.json",
        grok(
            response("r1", "human", "Where does it grow?", date(0)),
            response("r2", "ASSISTANT", "In the bed.", date(5), "r1"),
            response("r3", "grok-3", f"By the wall.{card}", date(9), "r1"),
            response("r4", "human", "Thanks", "2026-04-09T07:12:00Z", "r3"),
        ),
    )
    assert detect(path) == "grok-export"
    assert told(path) == [
        ("Quince", "user", "2026-04-09T07:11:34Z", "Where does it grow?"),
        ("Quince", "assistant", "2026-04-09T07:11:43Z", "By the wall."),
        ("Quince", "user", "2026-04-09T07:12:00Z", "Thanks"),
    ]


def test_an_old_chat_of_grok_without_parents_is_read_as_it_stands(tmp_path: Path) -> None:
    chat = grok(response("r1", "human", "Where?", date(0)), response("r2", "assistant", "There.", date(5)))
    chats = written(tmp_path / "in/prod-grok-backend.json", chat)
    with zipfile.ZipFile(tmp_path / "grok.zip", "w") as archive:
        archive.write(chats, "ttl/30d/export_data/u/prod-grok-backend.json")
        archive.writestr("ttl/30d/export_data/u/prod-mc-auth-mgmt-api.json", '{"sessions": []}')
    assert [text for *_, text in told(tmp_path / "grok.zip")] == ["Where?", "There."]


# ------------------------------------------------------------------------------------------------- Microsoft Copilot

HEAD = "\ufeffConversation,Time,Author,Message\r\n"
COPILOT = [
    '"Gate",2026-07-27T10:00:00,AI,"Oil it.\n\nWant [more on oil](ca://s?q=more_on_oil)?"',
    '"Gate",2026-07-27T10:00:00,Human,"It, too, ""creaks"""',
    'Gate,2026-07-26T23:20:56,AI,Shut it.',
    'Gate,2026-07-26T23:20:56,Human,The gate swings',
]  # fmt: skip


def test_copilot_s_history_is_turned_around(tmp_path: Path) -> None:
    path = written(tmp_path / "copilot-activity-history.csv", HEAD + "\r\n".join(COPILOT))
    assert detect(path) == "microsoft-copilot"
    assert told(path) == [
        ("Gate", "user", "2026-07-26T23:20:56Z", "The gate swings"),
        ("Gate", "assistant", "2026-07-26T23:20:56Z", "Shut it."),
        ("Gate", "user", "2026-07-27T10:00:00Z", 'It, too, "creaks"'),
        ("Gate", "assistant", "2026-07-27T10:00:00Z", "Oil it.\n\nWant more on oil?"),
    ]


def test_a_later_history_of_copilot_adds_what_is_new_and_takes_nothing(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(written(tmp_path / "copilot-1.csv", HEAD + "\r\n".join(COPILOT[2:]))).added == 2
        report = db.ingest(written(tmp_path / "copilot-2.csv", HEAD + "\r\n".join(COPILOT[:3])))
        assert (report.added, report.unchanged, report.removed) == (2, 1, 0)
        assert len(db) == 4


# -------------------------------------------------------------------------------------------- Open WebUI and Qwen Chat


def said(id: str, parent: str | None, role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "parentId": parent, "childrenIds": [], "role": role, "content": content, **more}


def web_chat(current: str, *messages: dict[str, Any]) -> dict[str, Any]:
    history = {"messages": {one["id"]: one for one in messages}, "currentId": current}
    return {
        "id": "o1", "user_id": "u", "title": "Quince", "created_at": 1743456789, "updated_at": 1743456795,
        "chat": {"title": "Quince", "models": ["llama3"], "history": history, "messages": []},
        "archived": False, "meta": {"tags": ["garden"]},
    }  # fmt: skip


THOUGHT = '<details type="reasoning" done="true" duration="1">\n<summary>Thought</summary>\n&gt; Hm.\n</details>\n'


def test_a_chat_of_open_webui_with_its_current_branch(tmp_path: Path) -> None:
    chat = web_chat(
        "m3",
        said("m1", None, "user", "Where does it grow?", timestamp=1743456789),
        said("m2", "m1", "assistant", "In the bed.", timestamp=1743456790),
        said("m3", "m1", "assistant", f"{THOUGHT}By the wall.", timestamp=1743456791),
    )
    path = written(tmp_path / "chat-export-1743456800.json", [chat])
    assert detect(path) == "open-webui"
    assert told(path) == [
        ("Quince", "user", "2025-03-31T21:33:09Z", "Where does it grow?"),
        ("Quince", "assistant", "2025-03-31T21:33:11Z", "By the wall."),
    ]
    assert "Hm." in told(path, ReadOptions(include_thinking=True))[1][3]
    assert drafts(path)[0].tags == ("garden",)


def test_chats_of_qwen_say_their_answers_in_parts(tmp_path: Path) -> None:
    parts = [{"phase": "think", "content": "Hm."}, {"phase": "answer", "content": "By the wall."}]
    chat = web_chat("m2", said("m1", None, "user", "Where?"), said("m2", "m1", "assistant", "", content_list=parts))
    path = written(tmp_path / "chat-export.json", {"success": True, "request_id": "r", "data": [chat]})
    assert detect(path) == "open-webui"
    assert [text for *_, text in told(path)] == ["Where?", "By the wall."]


# ------------------------------------------------------------------------------------------------------------ Claude


def test_what_claude_remembers_in_files(tmp_path: Path) -> None:
    files = [{"path": "/profile.md", "content": "- [stated] Lives in Ashby"}]
    remembered = {"account_uuid": "a", "conversations_memory": "Rosa gardens.", "memory_files": files}
    path = written(tmp_path / "memories.json", [remembered])
    assert detect(path) == "claude"
    assert [text for *_, text in told(path)] == ["Rosa gardens.", "- [stated] Lives in Ashby"]


def test_a_chat_of_claude_design(tmp_path: Path) -> None:
    given = [{"id": "1", "name": "Brand", "content": "Use green."}, {"id": "2", "name": "a.png", "type": "image"}]
    blocks = [{"type": "thinking", "text": ""}, {"type": "text", "text": "I begin."}, {"type": "error", "message": "x"}]
    id = "0a1b2c3d-0000-4000-8000-000000000001"
    chat = {
        "uuid": id, "title": "Chat", "project": {"uuid": "p", "name": "The garden's page"},
        "created_at": "2026-08-14T06:36:35+00:00", "updated_at": "2026-08-14T06:40:00+00:00",
        "messages": [
            {"uuid": "d0", "role": "user", "created_at": "2026-08-14T06:36:35+00:00",
             "content": {"role": "user", "content": "Redo it.", "attachments": given}},
            {"uuid": "d1", "role": "assistant",
             "content": {"content": "", "timestamp": "2026-08-14T06:37:10.000Z", "contentBlocks": blocks}},
        ],
    }  # fmt: skip
    path = written(tmp_path / f"design_chats/{id}.json", chat)
    assert detect(path) == "claude"
    assert told(path) == [
        ("The garden's page", "user", "2026-08-14T06:36:35Z", "Redo it.\n\n[Brand]\n> Use green."),
        ("The garden's page", "assistant", "2026-08-14T06:37:10Z", "I begin."),
    ]


# ---------------------------------------------------------------------------------------------------------- long files


def folds(size: int) -> str:
    return json.dumps([web_chat("m1", said("m1", None, "assistant", '<details type="reasoning">' * size))])


LONG: dict[str, tuple[str, Callable[[int], str]]] = {
    "folds.json": ("open-webui", folds),
    "breaks.html": ("gemini", lambda size: cell("Prompted x", "y", "<br>" * size)),
    "offers.csv": ("microsoft-copilot", lambda size: f'{HEAD}A,2026-01-01T00:00:00,AI,"{"[a](ca://" * size}"'),
    "subpage_a.html": ("snapchat", lambda size: "<h6>2024-01-01 00:00:00 UTC</h6>".join(
        ['<div style="background: #f2f2f2;"><span>' + "<hr><p>" * size, ""])),
    "chat.txt": ("zoom", lambda size: "09:03:42 From " + "a to " * size + "b:"),
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_reading_grows_with_the_length(tmp_path: Path, name: str) -> None:
    assert reads_in_proportion(tmp_path, *LONG[name], name, 400)
