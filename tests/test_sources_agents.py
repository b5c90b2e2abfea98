"""Logs of agents: who spoke and when; what the program adds, tools and thinking only if asked for."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts
from growth import takes_at_most
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.types import Draft, Failure
from memkit.sources import ReadOptions, detect, read

EVERYTHING = ReadOptions(include_tools=True, include_system=True, include_thinking=True)
NOW = "2026-03-01T12:00:00Z"
Write = Callable[..., Path]
AT = "2026-02-01T09:00:{:02}Z"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a value as a file and returns its path: text as it is, a list to a .jsonl as lines."""

    def write(name: str, value: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = isinstance(value, list) and name.endswith(".jsonl")
        text = "".join(json.dumps(one) + "\n" for one in value) if lines else json.dumps(value)
        path.write_text(value if isinstance(value, str) else text, encoding="utf-8")
        return path

    return write


def turns(path: Path, options: ReadOptions = ReadOptions()) -> list[tuple[str | None, str]]:  # noqa: B008
    return [(one.speaker, one.text) for one in drafts(path, options)]


def taken_in(*paths: Path) -> list[tuple[int, int, int]]:
    """What each file changes in one database, one after another, and then all once more."""
    with MemoryDatabase(embed="none") as db:
        found = []
        for path in (*paths, *paths):
            report = db.ingest(path, now=NOW)
            found.append((report.added, report.updated, report.removed))
        assert found[len(paths) :] == [(0, 0, 0)] * len(paths)
        return found[: len(paths)]


# ------------------------------------------------------------------------------------------------------------- Codex


def line(kind: str, at: int = 0, **payload: Any) -> dict[str, Any]:
    return {"timestamp": AT.format(at), "type": kind, "payload": payload}


def item(role: str, text: str, at: int = 0, **more: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return line("response_item", at, type="message", role=role, content=[{"type": kind, "text": text}], **more)


META = line("session_meta", id="s1", timestamp=AT.format(0), cwd="/garden", git={"branch": "main"})
ROLLOUT = [
    META,
    item("developer", "Be brief."),
    item("user", "# AGENTS.md instructions for /garden\n\n<INSTRUCTIONS>x</INSTRUCTIONS>"),
    item("user", "<environment_context>\n  <cwd>/garden</cwd>\n</environment_context>"),
    line("turn_context", cwd="/garden"),
    line("event_msg", 5, type="user_message", message="Fix the gate."),
    item("user", "Fix the gate.", 5),
    line("response_item", 6, type="reasoning", summary=[{"type": "summary_text", "text": "Which one?"}]),
    line("response_item", 6, type="function_call", name="shell", arguments='{"command": "ls"}'),
    line("response_item", 7, type="function_call_output", output="gate.py"),
    line("event_msg", 8, type="agent_message", message="Done."),
    item("assistant", "Done.", 8),
    line("compacted", 9, message="", replacement_history=[{"role": "user", "content": "Fix the gate."}]),
    item("user", "Thanks.", 10),
    item("assistant", "Done.", 11),
]


def test_codex_takes_each_message_once_and_leaves_out_what_nobody_typed(write: Write) -> None:
    path = write("rollout-2026.jsonl", ROLLOUT)
    assert detect(path) == "codex"
    assert turns(path) == [
        ("user", "Fix the gate."), ("assistant", "Done."), ("user", "Thanks."), ("assistant", "Done."),
    ]  # fmt: skip
    first = drafts(path)[0]
    assert (first.happened_at, first.title, first.document.source) == (AT.format(5), "Fix the gate.", "codex:s1")
    assert first.document.meta == {"cwd": "/garden", "branch": "main"}
    assert ("tool", 'shell\n{"command": "ls"}') in turns(path, EVERYTHING)
    assert ("assistant", "Which one?") in turns(path, EVERYTHING)
    assert ("developer", "Be brief.") in turns(path, EVERYTHING)


def test_codex_files_that_grow_or_come_again_change_nothing(write: Write) -> None:
    before = write("a.jsonl", ROLLOUT[:10])
    assert taken_in(before, write("b.jsonl", ROLLOUT)) == [(1, 0, 0), (3, 0, 0)]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_fork_of_codex_stores_what_it_copied_once(write: Write, order: tuple[int, int]) -> None:
    meta = line("session_meta", 30, id="s2", timestamp=AT.format(30), forked_from_id="s1")
    copied = [{**one, "timestamp": AT.format(31)} for one in ROLLOUT]
    fork = [meta, *copied, item("user", "Another way.", 40), item("assistant", "Done.", 41)]
    paths = [write("a.jsonl", ROLLOUT), write("b.jsonl", fork)]
    found = {one.text: (one.document.source, one.happened_at) for one in drafts(paths[1])}
    assert found["Thanks."] == ("codex:s1", None)  # when the fork was made is not when it was said
    assert found["Another way."] == ("codex:s2", AT.format(40))
    changes = taken_in(*(paths[number] for number in order))
    assert sum(added for added, *_ in changes) == 6
    with MemoryDatabase(embed="none") as db:
        for number in order:
            db.ingest(paths[number], now=NOW)
        times = db.conn.execute("select text, happened_at from memories where text = 'Thanks.'").fetchall()
        assert [tuple(row) for row in times] == [("Thanks.", AT.format(10))]


def test_old_codex_files_have_bare_messages_and_one_time(write: Write) -> None:
    head = {"id": "s0", "timestamp": AT.format(1), "instructions": None}
    said = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]} for text in "AB"]
    path = write("rollout-2025.jsonl", [head, {"record_type": "state"}, *said])
    assert detect(path) == "codex"
    assert [(one.text, one.happened_at, one.document.source) for one in drafts(path)] == [
        ("A", AT.format(1), "codex:s0"), ("B", AT.format(1), "codex:s0"),
    ]  # fmt: skip
    bare = [
        {"timestamp": AT.format(2), "role": "user", "content": "Hello?", "model": "m"},
        {"timestamp": AT.format(3), "type": "tool_result", "name": "git", "result": "main"},
        {"timestamp": AT.format(4), "type": "error", "text": "a mishap"},
        {"timestamp": "[trimmed]", "role": "assistant", "content": "Hello."},
    ]
    path = write("session.jsonl", bare)
    assert detect(path) == "codex"
    assert [(one.speaker, one.happened_at) for one in drafts(path)] == [
        ("user", AT.format(2)), ("assistant", AT.format(4)),
    ]  # fmt: skip


def test_old_codex_files_may_name_their_fields_otherwise(write: Write) -> None:
    said = [{"created_at": AT.format(2), "role": "user", "message": "Hello?", "model": "m"},
            {"created_at": AT.format(3), "role": "assistant", "content": "Hello."}]  # fmt: skip
    path = write("session.jsonl", said)
    assert detect(path) == "codex"
    assert [(one.text, one.happened_at) for one in drafts(path)] == [("Hello?", AT.format(2)), ("Hello.", AT.format(3))]


def test_a_prompt_from_an_editor_is_its_words(write: Write) -> None:
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- gate.py\n\n## My request for Codex:\nFix it.\n"
    assert turns(write("a.jsonl", [META, item("user", text)])) == [("user", "Fix it.")]


def test_no_person_asks_a_sub_agent_of_codex(write: Write) -> None:
    meta = line("session_meta", id="s3", timestamp=AT.format(0), source={"subagent": {"thread_spawn": {}}})
    (draft,) = drafts(write("a.jsonl", [meta, item("user", "Look for the gate.")]))
    assert (draft.speaker, dict(draft.meta)) == ("assistant", {"sidechain": True})


@pytest.mark.parametrize(
    "value",
    [
        [{"timestamp": AT.format(0), "text": "a row"}],
        [{"role": "user", "content": "an example for training"}],
        [{"type": "event", "payload": {"text": "x"}}],
        [{"id": 1, "timestamp": "2026", "instructions": "x", "text": "a row"}],
    ],
)
def test_other_lines_are_not_of_codex(write: Write, value: Any) -> None:
    assert detect(write("a.jsonl", value)) == "jsonl"


# ------------------------------------------------------------------------------------------------------------ Gemini

GEMINI = {
    "sessionId": "g1", "projectHash": "h", "startTime": AT.format(0), "summary": "The gate",
    "messages": [
        {"id": "m1", "timestamp": AT.format(1), "type": "user", "content": [{"text": "Fix"}, {"text": "the gate."}]},
        {"id": "m2", "timestamp": AT.format(2), "type": "gemini", "content": "", "thoughts": [{"description": "Hm."}],
         "toolCalls": [{"name": "ls", "args": {"in": "/garden"}}]},
        {"id": "m3", "timestamp": AT.format(3), "type": "info", "content": "Request cancelled."},
        {"id": "m4", "timestamp": AT.format(4), "type": "model", "parts": [{"text": "Done."}]},
    ],
}  # fmt: skip


def test_gemini_keeps_what_was_said(write: Write) -> None:
    path = write("session-1.json", GEMINI)
    assert detect(path) == "gemini-cli"
    assert turns(path) == [("user", "Fix\nthe gate."), ("assistant", "Done.")]
    assert turns(path, EVERYTHING)[1:3] == [
        ("assistant", "Hm.\n\nls: {'in': '/garden'}"), ("info", "Request cancelled."),
    ]  # fmt: skip
    last = drafts(path)[-1]
    assert (last.source_id, last.happened_at, last.title) == ("m4", AT.format(4), "The gate")
    assert last.document.source == "gemini-cli:g1"


def test_a_chat_that_gemini_saved_is_read(write: Write) -> None:
    said = [{"role": "user", "parts": [{"text": "Fix it."}, {"inlineData": {}}], "ts": 1769936400},
            {"role": "model", "parts": [{"functionCall": {}}]}, {"role": "model", "parts": [{"text": "Done."}]},
            {"role": "model", "parts": [{"text": "Done."}]}]  # fmt: skip
    for name, value in (("saved.json", {"history": said}), ("checkpoint-a.json", said)):
        path = write(name, value)
        assert detect(path) == "gemini-cli"
        assert turns(path) == [("user", "Fix it."), ("assistant", "Done."), ("assistant", "Done.")]
        assert (drafts(path)[1].happened_at, drafts(path)[1].document.source) == (
            "2026-02-01T09:00:00Z", path.as_posix(),
        )  # fmt: skip
        assert taken_in(path) == [(3, 0, 0)]


def test_lines_of_gemini_replace_each_other_and_a_shorter_list_takes_nothing_away(write: Write) -> None:
    head = {key: value for key, value in GEMINI.items() if key != "messages"}
    lines = [
        {**head, "kind": "main"},
        {"id": "m1", "timestamp": AT.format(1), "type": "user", "content": "Fix the gate."},
        {"id": "m2", "timestamp": AT.format(2), "type": "gemini", "content": "Do"},
        {"id": "m2", "timestamp": AT.format(2), "type": "gemini", "content": "Done."},
        {"$set": {"messages": [{"id": "m0", "type": "user", "content": "Compressed."}]}},
        {"id": "m3", "timestamp": AT.format(3), "type": "user", "content": "No, not so."},
        {"id": "m4", "timestamp": AT.format(4), "type": "gemini", "content": "Sorry."},
        {"$rewindTo": "m3"},
        {"id": "m5", "timestamp": AT.format(5), "type": "user", "content": "Thanks."},
        {"$set": {"summary": "All about the gate"}},
    ]
    path = write("session-1.jsonl", lines)
    assert detect(path) == "gemini-cli"
    found = drafts(path)
    assert [(one.source_id, bool(one.meta.get("rewound"))) for one in found] == [
        ("m1", False), ("m2", False), ("m0", False), ("m3", True), ("m4", True), ("m5", False),
    ]  # fmt: skip
    assert (found[1].text, found[0].title) == ("Done.", "All about the gate")
    with MemoryDatabase(embed="none") as db:
        for known, change in ((lines[:3], (2, 0, 0)), (lines, (4, 1, 0)), (lines, (0, 0, 0))):
            report = db.ingest(write("session-1.jsonl", known), now=NOW)
            assert (report.added, report.updated, report.removed) == change


# ----------------------------------------------------------------------------------------------------------- Copilot

EXPORT = {
    "requesterUsername": "rosa", "responderUsername": "GitHub Copilot",
    "requests": [
        {"requestId": "r1", "responseId": "a1", "timestamp": 1769936400000, "message": {"text": "Fix the gate."},
         "response": [
             {"kind": "thinking", "value": "Which one?"},
             {"kind": "toolInvocationSerialized", "invocationMessage": {"value": "Reading"}},
             {"value": "It is in "}, {"kind": "inlineReference", "inlineReference": {"path": "/garden/gate.py"}},
             {"value": ", done.", "supportHtml": False}, {"kind": "undoStop"}, {"value": {"value": "Enjoy."}}]},
        {"requestId": "r2", "message": {"parts": [{"text": "Thanks"}, {"text": "."}]}, "response": []},
    ],
}  # fmt: skip


def test_copilot_exports_have_prompts_and_the_text_of_answers(write: Write) -> None:
    path = write("chat.json", EXPORT)
    assert detect(path) == "copilot"
    assert turns(path) == [
        ("user", "Fix the gate."), ("assistant", "It is in `gate.py`, done.\n\nEnjoy."), ("user", "Thanks."),
    ]  # fmt: skip
    first, answer, _ = drafts(path)
    assert (first.source_id, answer.source_id, first.happened_at) == ("r1", "a1", "2026-02-01T09:00:00Z")
    assert first.document.source == "copilot:r1"
    assert turns(path, EVERYTHING)[1] == ("assistant", "Which one?\n\nReading\n\nIt is in `gate.py`, done.\n\nEnjoy.")


def test_the_marks_around_a_file_that_was_changed_are_no_code(write: Write) -> None:
    edit = [{"value": "\n```\n"}, {"kind": "codeblockUri"}, {"kind": "textEditGroup"}, {"value": "\n```\n"}]
    code = [{"value": "\n```\n"}, {"value": "oil(gate)"}, {"value": "\n```\n"}]
    response = [{"value": "Oiled:"}, *edit, *edit, *code, *edit, {"value": "Done."}]
    path = write("chat.json", {**EXPORT, "requests": [{"message": {"text": "Oil it."}, "response": response}]})
    (_, (_, answer)) = turns(path)
    assert [line for line in answer.split("\n") if line] == ["Oiled:", "```", "oil(gate)", "```", "Done."]


def test_the_log_of_a_vs_code_chat_is_played_back(write: Write) -> None:
    begun = {"sessionId": "v1", "creationDate": 1769936400000, "requests": []}
    asked = {"requestId": "r1", "message": {"text": "Fix it."}, "response": []}
    log = [
        {"kind": 0, "v": begun},
        {"kind": 1, "k": ["customTitle"], "v": "The gate"},
        {"kind": 2, "k": ["requests"], "v": [asked]},
        {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "Do"}]},
        {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "Done."}], "i": 0},
        {"kind": 1, "k": ["requests", 0, "timestamp"], "v": 1769936405000},
        {"kind": 1, "k": ["requests", 7, "timestamp"], "v": 0},
        {"kind": 3, "k": ["inputState"]},
    ]
    path = write("v1.jsonl", log)
    assert detect(path) == "copilot"
    assert turns(path) == [("user", "Fix it."), ("assistant", "Done.")]
    assert {(one.title, one.happened_at) for one in drafts(path)} == {("The gate", "2026-02-01T09:00:05Z")}


def test_the_events_of_copilots_command_line(write: Write) -> None:
    def event(kind: str, id: str, **data: Any) -> dict[str, Any]:
        return {"type": kind, "id": id, "timestamp": AT.format(int(id)), "data": data}

    events = [
        event("session.start", "1", sessionId="c1", context={"cwd": "/garden", "branch": "main"}),
        event("system.message", "2", content="Be brief."),
        event("user.message", "3", content="Fix the gate.", transformedContent="<time>now</time> Fix the gate."),
        event("assistant.message", "4", content="", toolRequests=[{"name": "ls"}]),
        event("tool.execution_start", "5", toolName="ls", arguments={}),
        event("assistant.message", "6", content="Found.", parentToolCallId="x"),
        {**event("assistant.message", "7", content="Done."), "timestamp": "[trimmed]"},
    ]
    path = write("events.jsonl", events)
    assert detect(path) == "copilot"
    assert [(one.speaker, one.text, dict(one.meta)) for one in drafts(path)] == [
        ("user", "Fix the gate.", {}), ("assistant", "Found.", {"sidechain": True}), ("assistant", "Done.", {}),
    ]  # fmt: skip
    last = drafts(path)[-1]
    assert (last.document.source, last.happened_at) == ("copilot:c1", AT.format(7).replace("07Z", "06Z"))
    assert len(drafts(path, EVERYTHING)) == 5
    assert taken_in(path, write("more.jsonl", [*events, event("user.message", "8", content="Thanks.")])) == [
        (3, 0, 0), (1, 0, 0),
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ Cursor


def cursor_said(role: str, *texts: str) -> dict[str, Any]:
    return {"role": role, "message": {"content": [{"type": "text", "text": text} for text in texts]}}


def test_transcripts_of_cursor_have_the_words_that_were_typed(write: Write) -> None:
    path = write(
        "agent-transcripts/x/x.jsonl",
        [
            cursor_said(
                "user", "<attached_files>gate.py</attached_files>", "<user_query>\nFix the gate.\n</user_query>"
            ),
            cursor_said("assistant", "Done.\n\n[REDACTED]"),
            cursor_said("assistant", "[REDACTED]"),
            cursor_said("user", "Thanks."),
        ],
    )
    assert detect(path) == "cursor"
    assert turns(path) == [("user", "Fix the gate."), ("assistant", "Done."), ("user", "Thanks.")]
    inside = write("agent-transcripts/x/subagents/y.jsonl", [cursor_said("user", "Look for it.")])
    assert [(one.speaker, dict(one.meta)) for one in drafts(inside)] == [("assistant", {"sidechain": True})]


def store(path: Path, messages: list[dict[str, Any]], *, about: dict[str, Any]) -> Path:
    """A `store.db`: messages by their hashes, an inner node, and a root that names them in order."""

    def blob(data: bytes) -> str:
        id = sha256(data).hexdigest()
        conn.execute("insert or ignore into blobs values (?, ?)", (id, data))
        return id

    def node(ids: list[str]) -> bytes:
        return b"\x10\x05" + b"".join(b"\x0a\x20" + bytes.fromhex(id) for id in ids) + b"\x4a\x07/garden"

    with closing(sqlite3.connect(path)) as conn:
        conn.execute("create table blobs (id text primary key, data blob)")
        conn.execute("create table meta (key text primary key, value text)")
        ids = [blob(json.dumps(one).encode()) for one in messages]
        blob(json.dumps({"role": "user", "content": "Left behind."}).encode())
        root = blob(node([blob(node(ids[:2])), *ids[2:]]))
        value = json.dumps({**about, "latestRootBlobId": root}).encode().hex()
        conn.execute("insert into meta values ('0', ?)", (value,))
        conn.commit()
    return path


def test_the_store_of_cursors_agent_is_read_from_its_root(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "<user_query>Fix the gate.</user_query>"}]},
        {"role": "assistant", "content": [{"type": "tool-call", "toolName": "ls"}, {"type": "text", "text": "Done."}]},
        {"role": "user", "content": "Thanks."},
    ]
    path = store(tmp_path / "store.db", messages, about={"agentId": "x", "name": "Gate", "createdAt": 1769936400000})
    assert detect(path) == "cursor"
    assert turns(path) == [("user", "Fix the gate."), ("assistant", "Done."), ("user", "Thanks.")]
    assert {(one.document.source, one.title, one.happened_at) for one in drafts(path)} == {
        ("cursor:x", "Gate", "2026-02-01T09:00:00Z")
    }


def test_a_store_without_messages_and_one_that_refers_to_itself_are_read_to_the_end(tmp_path: Path) -> None:
    path = store(tmp_path / "store.db", [], about={"agentId": "x"})
    with closing(sqlite3.connect(path)) as conn:
        ((id,),) = conn.execute("select id from blobs where length(data) between 40 and 60").fetchall()[:1]
        conn.execute("update blobs set data = ? where data not like '{%'", (b"\x0a\x20" + bytes.fromhex(id),))
        conn.commit()
    assert turns(path) == []


@given(st.binary(max_size=200))
def test_any_bytes_are_a_node_of_a_store(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = store(tmp_path_factory.mktemp("any") / "store.db", [], about={"agentId": "x"})
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("update blobs set data = ? where data not like '{%'", (data,))
        conn.commit()
    assert all(isinstance(one, Draft) for one in read(path))


def test_the_chats_of_cursors_editor(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    chat = {"composerId": "c1", "name": "The gate", "createdAt": 1769936400000}
    listed = [{"bubbleId": "b2", "type": 1}, {"bubbleId": "b1", "type": 2}, {"bubbleId": "gone", "type": 2}]
    old = {"composerId": "c2", "conversation": [{"type": 1, "bubbleId": "b", "text": "Inline."}]}
    tabs = {"tabs": [{"tabId": "t", "chatTitle": "Oldest", "bubbles": [{"type": "ai", "rawText": "In a tab."}]}]}
    rows = {
        "composerData:c1": json.dumps({**chat, "fullConversationHeadersOnly": listed}),
        "composerData:c2": json.dumps(json.dumps(old)),  # as a text in JSON
        "composerData:c3": "no JSON",
        "bubbleId:c1:b1": json.dumps({"type": 2, "text": "Done.", "createdAt": "2026-02-01T09:00:07Z"}).encode(),
        "bubbleId:c1:b2": json.dumps({"type": 1, "text": "Fix the gate."}),
        "bubbleId:c1:left": json.dumps({"type": 1, "text": "Taken back."}),
    }
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("create table cursorDiskKV (key text unique, value blob)")
        conn.execute("create table ItemTable (key text unique, value blob)")
        conn.executemany("insert into cursorDiskKV values (?, ?)", rows.items())
        key = "workbench.panel.aichat.view.aichat.chatdata"
        conn.execute("insert into ItemTable values (?, ?)", (key, json.dumps(tabs)))
        conn.commit()
    assert detect(path) == "cursor"
    assert [(one.document.source, one.title, one.speaker, one.text, one.happened_at) for one in drafts(path)] == [
        ("cursor:c1", "The gate", "user", "Fix the gate.", "2026-02-01T09:00:00Z"),
        ("cursor:c1", "The gate", "assistant", "Done.", "2026-02-01T09:00:07Z"),
        ("cursor:c2", "Inline.", "user", "Inline.", None),
        ("cursor:t", "Oldest", "assistant", "In a tab.", None),
    ]


# ---------------------------------------------------------------------------------------------------------- OpenCode


def test_the_storage_of_opencode_is_one_source(write: Write, tmp_path: Path) -> None:
    root = tmp_path / "storage"
    time = lambda second: {"time": {"created": 1769936400000 + 1000 * second}}  # noqa: E731
    write("storage/session/p/ses_1.json", {"id": "s1", "title": "The gate", "directory": "/garden", **time(0)})
    write("storage/message/s1/b.json", {"id": "m1", "sessionID": "s1", "role": "user", **time(1)})
    write("storage/message/s1/a.json", {"id": "m2", "sessionID": "s1", "role": "assistant", **time(2)})
    short = {"id": "m3", "sessionID": "s1", "role": "user", **time(3), "summary": {"body": "Thanks."}}
    write("storage/message/s1/c.json", short)
    write("storage/part/m1/2.json", {"id": "p2", "type": "text", "text": "Called the tool.", "synthetic": True})
    write("storage/part/m1/1.json", {"id": "p1", "type": "text", "text": "Fix the gate."})
    write("storage/part/m2/1.json", {"id": "p3", "type": "reasoning", "text": "Hm."})
    write("storage/part/m2/2.json", {"id": "p4", "type": "tool", "tool": "ls", "state": {"input": {}}})
    write("storage/part/prt_5.json", {"id": "p5", "messageID": "m2", "type": "text", "text": "Done."})
    write("storage/part/prt_6.json", "{broken")
    (root / "part/m1/3.json").symlink_to("/etc/passwd")
    assert detect(root) == "opencode"
    found = list(read(root))
    assert [one.reason for one in found if isinstance(one, Failure)] == [
        "broken JSON: Expecting property name enclosed in double quotes"
    ]
    kept = [one for one in found if isinstance(one, Draft)]
    assert [(one.speaker, one.text, one.source_id) for one in kept] == [
        ("user", "Fix the gate.", "m1"), ("assistant", "Done.", "m2"), ("user", "Thanks.", "m3"),
    ]  # fmt: skip
    assert (kept[0].document.source, kept[0].title, kept[0].happened_at) == (
        "opencode:s1", "The gate", "2026-02-01T09:00:01Z",
    )  # fmt: skip
    assert [x.text for x in read(root, options=EVERYTHING) if isinstance(x, Draft)][1] == "Hm.\n\nls: {}\n\nDone."
    assert len([one for one in read(tmp_path) if isinstance(one, Draft)]) == 3


def test_the_id_of_a_session_of_opencode_leads_nowhere_else(write: Write, tmp_path: Path) -> None:
    write("message/x.json", {"id": "m", "role": "user", "summary": {"body": "Elsewhere."}})
    for number, id in enumerate(("..", "../../message", "/etc", "a\0b")):
        write(f"storage/session/p/{number}.json", {"id": id})
    write("storage/message/x.json", {})
    write("storage/part/x.json", {})
    assert turns(tmp_path / "storage") == []


def test_the_database_of_opencode(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as conn:
        conn.executescript("""
            create table session (id text, title text, directory text, time_created int, time_updated int);
            create table message (id text, session_id text, time_created int, data text);
            create table part (id text, message_id text, session_id text, data text);
            insert into session values ('s1', 'The gate', '/garden', 1769936400000, null);
            insert into message values ('m2', 's1', 1769936402000, '{"role": "assistant"}');
            insert into message values ('m1', 's1', 1769936401000, '{"role": "user"}');
            insert into part values ('p1', 'm1', 's1', '{"type": "text", "text": "Fix the gate."}');
            insert into part values ('p2', 'm2', 's1', '{"type": "text", "text": "Done."}');
            insert into part values ('p3', 'm2', 's1', 'no JSON');
        """)
    assert detect(path) == "opencode"
    assert [(one.speaker, one.text, one.happened_at) for one in drafts(path)] == [
        ("user", "Fix the gate.", "2026-02-01T09:00:01Z"), ("assistant", "Done.", "2026-02-01T09:00:02Z"),
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- Cline

TASK = [
    {"ts": 1769936400000, "type": "say", "say": "text", "text": "Fix the gate."},
    {"ts": 1769936401000, "type": "say", "say": "api_req_started", "text": "{}"},
    {"ts": 1769936402000, "type": "say", "say": "text", "text": "I look", "partial": True},
    {"ts": 1769936403000, "type": "say", "say": "text", "text": "I look at it.", "partial": False},
    {"ts": 1769936404000, "type": "say", "say": "reasoning", "text": "Hm."},
    {"ts": 1769936405000, "type": "ask", "ask": "tool", "text": '{"tool": "readFile"}'},
    {"ts": 1769936406000, "type": "ask", "ask": "followup", "text": '{"question": "Which gate?", "options": ["a"]}'},
    {"ts": 1769936407000, "type": "say", "say": "user_feedback", "text": "The old one."},
    {"ts": 1769936408000, "type": "say", "say": "completion_result", "text": "Done."},
    {"ts": 1769936409000, "type": "ask", "ask": "completion_result", "text": ""},
]


def test_cline_keeps_what_was_said(write: Write) -> None:
    path = write("tasks/17/ui_messages.json", TASK)
    assert detect(path) == "cline"
    assert turns(path) == [
        ("user", "Fix the gate."), ("assistant", "I look at it."), ("assistant", "Which gate?"),
        ("user", "The old one."), ("assistant", "Done."),
    ]  # fmt: skip
    last = drafts(path)[-1]
    assert (last.happened_at, last.document.source) == ("2026-02-01T09:00:08Z", "cline:17")
    assert ("assistant", "Hm.") in turns(path, EVERYTHING)


def test_what_cline_sends_is_read_only_where_nothing_is_shown(write: Write, tmp_path: Path) -> None:
    sent = [
        {"role": "user", "content": [{"type": "text", "text": "<task>\nFix the gate.\n</task>"},
                                     {"type": "text", "text": "<environment_details>now</environment_details>"}]},
        {"role": "assistant", "content": "<thinking>Hm.</thinking>I look.\n<read_file><path>a</path></read_file>"},
        {"role": "user", "content": [{"type": "text", "text": "[read_file] Result:"}, {"type": "text", "text": "x"}]},
        {"role": "assistant", "content": "<attempt_completion>\n<result>\nDone.\n</result>\n</attempt_completion>"},
    ]  # fmt: skip
    path = write("tasks/17/api_conversation_history.json", sent)
    assert detect(path) == "cline"
    assert turns(path) == [("user", "Fix the gate."), ("assistant", "I look."), ("assistant", "Done.")]
    write("tasks/17/ui_messages.json", TASK)
    assert len(drafts(tmp_path)) == 5


# ------------------------------------------------------------------------------------------------------------- aider

AIDER = """
# aider chat started at 2024-08-05 19:33:02

> Aider v0.47.2-dev
> Added gate.py to the chat.

#### /add fence.py

> Added fence.py to the chat.

#### Fix the gate.
#### And the fence.

Sure:

```
> a quotation
```

> Tokens: 2k sent

#### /ask why?

####  why?

It was old.

# aider chat started at 2024-08-06 08:00:00

#### /undo

# aider chat started at 2024-08-06 09:00:00

#### Thanks.
"""


def test_aider_keeps_sessions_apart_and_what_is_told_to_aider_out(write: Write) -> None:
    path = write(".aider.chat.history.md", AIDER)
    assert detect(path) == "aider"
    found = drafts(path, ReadOptions(timezone="Europe/Paris"))
    assert [(one.speaker, one.text) for one in found] == [
        ("user", "Fix the gate.\nAnd the fence."), ("assistant", "Sure:\n\n```\n> a quotation\n```"),
        ("user", "why?"), ("assistant", "It was old."), ("user", "Thanks."),
    ]  # fmt: skip
    assert [found[0].happened_at, found[-1].happened_at] == ["2024-08-05T17:33:02Z", "2024-08-06T07:00:00Z"]
    assert found[0].document.source.endswith("history.md#2024-08-05 19:33:02")
    assert found[-1].title == "Thanks."


def test_what_aider_prints_before_anybody_asked_is_no_answer(write: Write) -> None:
    shown = "> aider --show-repo\nHere are summaries of my files.\n\ngate.py:\n    def oil"
    asked = "#### Oil it.\n\nOiled:\n```\nnot ended\n> Tokens: 2k sent\n\n#### Thanks.\n"
    start = "# aider chat started at 2024-08-0{} 08:00:00\n\n{}\n\n"
    path = write("history.md", start.format(1, shown) + start.format(2, asked))
    assert turns(path) == [("user", "Oil it."), ("assistant", "Oiled:\n```\nnot ended"), ("user", "Thanks.")]
    assert turns(path, EVERYTHING)[0] == ("tool", shown.removeprefix("> "))


def test_a_history_of_aider_grows_and_is_found_in_its_folder(write: Write, tmp_path: Path) -> None:
    write(".aider.chat.history.md", AIDER.strip())
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(tmp_path, now=NOW).added == 5
        write(".aider.chat.history.md", AIDER.strip() + "\n\nYou are welcome.\n")
        report = db.ingest(tmp_path, now=NOW)
        assert (report.added, report.updated, report.removed) == (1, 0, 0)


def test_a_note_that_speaks_of_aider_is_a_note(write: Write) -> None:
    assert detect(write("a.md", "I ran it.\n\n# aider chat started at 2024-08-05 19:33:02\n")) == "markdown"


# ---------------------------------------------------------------------------------------------- ShareGPT, AI Studio

SHAREGPT = [
    {"id": "a_0", "conversations": [
        {"from": "system", "value": "Be brief."}, {"from": "human", "value": "Who?"}, {"from": "gpt", "value": "Rosa."},
        {"from": "tool", "value": "found"}]},
    {"id": "a_0", "conversations": [{"from": "human", "value": "When?"}]},
    {"conversations": [{"from": "human", "value": "Where?"}]},
]  # fmt: skip


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_sharegpt_conversations_are_told_apart_also_if_they_share_an_id(write: Write, name: str) -> None:
    path = write(name, SHAREGPT)
    assert detect(path) == "sharegpt"
    assert turns(path) == [("user", "Who?"), ("assistant", "Rosa."), ("user", "When?"), ("user", "Where?")]
    sources = [one.document.source.partition("#")[2] for one in drafts(path)]
    assert sources[:3] == ["a_0", "a_0", "a_0-2"]
    assert len(drafts(path, EVERYTHING)) == 6
    assert taken_in(path) == [(4, 0, 0)]


def test_conversations_of_another_shape_are_not_sharegpts(write: Write) -> None:
    path = write("a.jsonl", [{"conversations": [{"role": "user", "content": "x"}]}])
    assert detect(path) == "jsonl"


def test_ai_studio_keeps_what_was_said(write: Write) -> None:
    chunks = [
        {"role": "user", "text": "Who?", "createTime": AT.format(1)},
        {"role": "model", "text": "Hm.", "isThought": True},
        {"role": "model", "text": "Otto.", "branchChildren": [{"id": "x"}]},
        {"role": "model", "parts": [{"text": "Ro"}, {"text": "sa."}]},
        {"role": "user", "driveDocument": {"id": "d"}},
    ]
    prompt = {"runSettings": {}, "systemInstruction": {"text": "Be brief."}, "chunkedPrompt": {"chunks": chunks}}
    path = write("Quince.json", prompt)
    assert detect(path) == "ai-studio"
    assert [(one.speaker, one.text, dict(one.meta)) for one in drafts(path)] == [
        ("user", "Who?", {}), ("assistant", "Otto.", {"rewound": True}), ("assistant", "Rosa.", {}),
    ]  # fmt: skip
    assert {(one.title, one.happened_at) for one in drafts(path)} == {("Quince", AT.format(1))}
    assert turns(path, EVERYTHING)[:1] == [("system", "Be brief.")]


# ------------------------------------------------------------------------------------------------------------ growth

LONG: dict[str, tuple[str, Callable[[int], Any]]] = {
    "codex": ("a.jsonl", lambda n: [META, *(item("user", "Again.", 5) for _ in range(n))]),
    "gemini": ("a.jsonl", lambda n: [{"sessionId": "g", "projectHash": "h"}, *(
        {"id": str(k), "type": "user", "content": "x"} for k in range(n))]),
    "copilot": ("a.jsonl", lambda n: [{"kind": 0, "v": {"requests": []}}, *(
        {"kind": 2, "k": ["requests"], "v": [{"message": {"text": "x"}}]} for _ in range(n))]),
    "aider": (".aider.chat.history.md", lambda n: AIDER[:45] + "#### x\n\ny\n" * n),
    "aider's marks": (".aider.chat.history.md", lambda n: AIDER[:45] + "#### /" + "a " * n),
    "cline": ("ui_messages.json", lambda n: [{"ts": 1, "type": "say", "say": "text", "text": "x"}] * n),
    "cline's tags": ("api_conversation_history.json", lambda n: [
        {"role": "assistant", "content": "<a_b>" * n}, {"role": "assistant", "content": "<result>" * n},
        {"role": "user", "content": "<task>" * n}, {"role": "assistant", "content": "<thinking>" * n}]),
    "cursor": ("a.jsonl", lambda n: [cursor_said("user", "<user_query>" * n)]),
    "sharegpt": ("a.json", lambda n: [{"id": "a", "conversations": [{"from": "human", "value": "x"}]}] * n),
}  # fmt: skip


@pytest.mark.parametrize("shape", LONG)
def test_reading_logs_grows_with_their_length(write: Write, shape: str) -> None:
    name, made = LONG[shape]
    large, small = write(f"large/{name}", made(1600)), write(f"small/{name}", made(200))
    assert takes_at_most(20, lambda: drafts(large), lambda: drafts(small))


# ------------------------------------------------------------------------ sessions whose entries name what they follow


def qwen(id: str, after: str | None, kind: str, *parts: dict[str, Any], at: int = 0, **more: Any) -> dict[str, Any]:
    message = {"role": "model" if kind == "assistant" else kind, "parts": parts}
    about = {"uuid": id, "parentUuid": after, "sessionId": "q1", "timestamp": AT.format(at), "type": kind}
    return {**about, "cwd": "/garden", "gitBranch": "main", "message": message, **more}


QWEN = [
    qwen("u1", None, "user", {"text": "Fix the gate."}, {"text": "<qwen:context>\nIt rains.\n</qwen:context>"},
         systemPayload={"displayText": "Fix the gate."}),
    qwen("a1", "u1", "assistant", {"text": "Which one?", "thought": True},
         {"functionCall": {"name": "read_file", "args": {"path": "gate"}}}, at=1),
    qwen("t1", "a1", "tool_result", {"functionResponse": {"name": "read_file", "response": {"output": "rust"}}}, at=2),
    qwen("a2", "t1", "assistant", {"text": "Paint it."}, at=3),
    {**qwen("s1", "u1", "system", at=4), "subtype": "rewind"},
    qwen("u2", "s1", "user", {"text": "Only oil it."}, at=5),
    qwen("n1", "u2", "user", {"text": "A task has ended."}, at=6, subtype="notification"),
    qwen("a3", "n1", "assistant", {"text": "Oiled."}, at=7),
    {**qwen("s2", "a3", "system", at=8, systemPayload={"customTitle": "The gate"}), "subtype": "custom_title"},
    {**qwen("s3", "a3", "system", at=9), "subtype": "session_artifact_snapshot"},
]  # fmt: skip


def test_qwen_code_says_what_was_typed_and_what_was_taken_back(write: Write) -> None:
    path = write("q1.jsonl", QWEN)
    assert detect(path) == "qwen-code"
    found = drafts(path)
    assert [(one.speaker, one.text, one.meta) for one in found] == [
        ("user", "Fix the gate.", {}),
        ("assistant", "Paint it.", {"rewound": True}),
        ("user", "Only oil it.", {}),
        ("assistant", "Oiled.", {}),
    ]
    assert {(one.title, one.document.source) for one in found} == {("The gate", "qwen-code:q1")}
    assert found[0].document.meta == {"cwd": "/garden", "branch": "main"}
    told = turns(path, EVERYTHING)
    assert ("assistant", "Which one?\n\nread_file: {'path': 'gate'}") in told
    assert ("tool", "{'output': 'rust'}") in told
    assert ("user", "A task has ended.") in told


def pi(id: str, after: str | None, role: str, *content: Any, at: int = 0) -> dict[str, Any]:
    message = {"role": role, "content": list(content)}
    return {"type": "message", "id": id, "parentId": after, "timestamp": AT.format(at), "message": message}


PI = [
    {"type": "session", "version": 3, "id": "p1", "timestamp": AT.format(0), "cwd": "/garden"},
    {"type": "model_change", "id": "m", "parentId": None, "modelId": "x"},
    pi("a", "m", "user", {"type": "text", "text": "<system-reminder>Be brief.</system-reminder>Fix the gate."}),
    pi("b", "a", "assistant", {"type": "thinking", "thinking": "Which?"}, {"type": "text", "text": "Paint it."}, at=1),
    pi("c", "b", "toolResult", {"type": "text", "text": "rust"}, at=2),
    pi("d", "a", "assistant", {"type": "text", "text": "Oil it."}, at=3),
    {"type": "compaction", "id": "e", "parentId": "d", "summary": "About a gate."},
    pi("f", "gone", "user", {"type": "text", "text": "Thanks."}, at=4),
    {"type": "session_info", "id": "g", "parentId": "f", "name": "The gate"},
]


def test_pi_says_what_was_typed_and_what_was_taken_back(write: Write) -> None:
    path = write("p1.jsonl", PI[:7])
    assert detect(path) == "pi"
    assert [(one.speaker, one.text, one.meta) for one in drafts(path)] == [
        ("user", "Fix the gate.", {}),
        ("assistant", "Paint it.", {"rewound": True}),
        ("assistant", "Oil it.", {}),
    ]
    assert ("tool", "rust") in turns(path, EVERYTHING)


def test_what_follows_an_entry_that_is_not_there_takes_nothing_back(write: Write) -> None:
    found = drafts(write("p1.jsonl", PI))
    assert [one.meta for one in found] == [{}] * 4
    assert {(one.title, one.document.source) for one in found} == {("The gate", "pi:p1")}


def test_droid_writes_as_pi_does(write: Write) -> None:
    header = {"type": "session_start", "id": "d1", "title": "x", "sessionTitle": "The gate", "cwd": "/garden"}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "rust"}
    path = write("d1.jsonl", [header, *PI[2:4], pi("z", "b", "user", result)])
    assert detect(path) == "pi"
    assert [(one.speaker, one.title) for one in drafts(path)] == [("user", "The gate"), ("assistant", "The gate")]


DROID = [
    {"type": "system", "subtype": "init", "session_id": "d1", "cwd": "/garden", "tools": ["Execute"]},
    {"type": "message", "id": "a", "session_id": "d1", "role": "user", "timestamp": AT.format(1),
     "text": "<system-reminder>Be brief.</system-reminder>Oil the gate."},
    {"type": "message", "id": "b", "session_id": "d1", "role": "assistant", "timestamp": AT.format(2), "text": "Ok."},
    {"type": "tool_call", "session_id": "d1", "toolName": "Execute", "parameters": {"command": "oil"}},
    {"type": "tool_result", "session_id": "d1", "value": {"stdout": "rust"}},
    {"type": "completion", "session_id": "d1", "timestamp": AT.format(5), "finalText": "It is quiet now.", "id": "end"},
]  # fmt: skip


def test_a_run_of_droid_says_who_spoke(write: Write) -> None:
    path = write("run.jsonl", DROID)
    assert detect(path) == "droid"
    assert turns(path) == [("user", "Oil the gate."), ("assistant", "Ok."), ("assistant", "It is quiet now.")]
    first, _, last = drafts(path)
    assert (first.document.source, first.document.meta, first.title) == (
        "droid:d1",
        {"cwd": "/garden"},
        "Oil the gate.",
    )
    assert (first.source_id, last.happened_at) == ("a", AT.format(5))
    assert turns(path, EVERYTHING)[2:4] == [
        ("tool", 'Execute: {"command": "oil"}'), ("tool", '{"stdout": "rust"}'),
    ]  # fmt: skip
    assert turns(path, EVERYTHING)[0][1].startswith("<system-reminder>")


def test_the_end_of_a_run_of_droid_repeats_its_last_answer(write: Write) -> None:
    repeated = {**DROID[5], "finalText": "Ok."}
    first, second = write("one.jsonl", [*DROID[:3], repeated]), write("two.jsonl", [DROID[0], DROID[5]])
    assert turns(first) == [("user", "Oil the gate."), ("assistant", "Ok.")]
    assert taken_in(first, second) == [(2, 0, 0), (1, 0, 0)]  # a run that went on with the session


@pytest.mark.parametrize("row", [
    {"type": "message", "role": "user", "text": "Oil it."},  # of no session
    {"type": "note", "session_id": "d1", "role": "user", "text": "Oil it."},
    {"type": "completion", "session_id": "d1"},
])  # fmt: skip
def test_other_lines_are_not_of_droid(write: Write, row: dict[str, Any]) -> None:
    assert detect(write("run.jsonl", [row])) != "droid"


def test_a_fork_begins_with_copies_that_are_no_memories_of_their_own(write: Write) -> None:
    fork = [{**PI[0], "id": "p2"}, *PI[1:4], pi("h", "b", "user", {"type": "text", "text": "And the fence."}, at=9)]
    assert taken_in(write("p1.jsonl", PI), write("p2.jsonl", fork)) == [(4, 0, 0), (1, 0, 0)]


# -------------------------------------------------------------------------------------------------- Kimi, Amp, Goose


def kimi(kind: str, at: int, **more: Any) -> dict[str, Any]:
    return {"type": kind, "time": 1_785_612_800_000 + at * 1000, **more}


def kimi_asked(text: str, at: int, **origin: str) -> dict[str, Any]:
    message = {"role": "user", "content": [{"type": "text", "text": text}], "origin": origin}
    return kimi("context.append_message", at, message=message)


def kimi_answered(at: int, id: str, **part: str) -> dict[str, Any]:
    return kimi("context.append_loop_event", at, event={"type": "content.part", "uuid": id, "part": part})


KIMI = [
    {"type": "metadata", "protocol_version": "1.4", "created_at": 1_785_612_800_000},
    kimi("turn.prompt", 1, input=[{"type": "text", "text": "Fix the gate."}]),
    kimi_asked("Fix the gate.", 1, kind="user"),
    kimi_asked("It rains.", 1, kind="injection"),
    kimi_answered(2, "e1", type="think", think="Which one?"),
    kimi_answered(3, "e2", type="text", text="Oiled."),
    kimi("context.apply_compaction", 4, summary="About a gate."),
    kimi_asked("Fix the gate.", 5, kind="user"),
]


def test_kimi_takes_each_message_once(write: Write) -> None:
    path = write("session_1/agents/main/wire.jsonl", KIMI)
    assert detect(path) == "kimi"
    assert turns(path) == [("user", "Fix the gate."), ("assistant", "Oiled."), ("user", "Fix the gate.")]
    first = drafts(path)[0]
    assert (first.happened_at, first.document.source) == ("2026-08-01T19:33:21Z", "kimi:session_1")
    assert {("user", "It rains."), ("assistant", "Which one?")} <= set(turns(path, EVERYTHING))
    assert taken_in(path) == [(3, 0, 0)]


GIT = "<git-context>\nBranch: main\nRecent commits: oil the gate\n</git-context>\n\n"  # nobody wrote it


def test_what_a_sub_agent_of_kimi_is_told_no_person_typed(write: Write) -> None:
    told = [KIMI[0], kimi_asked(GIT + "Count the gates.", 1, kind="system_trigger", name="subagent"), KIMI[5]]
    found = drafts(write("session_1/agents/agent-0/wire.jsonl", told))
    assert [(one.speaker, one.text, one.meta) for one in found] == [
        ("assistant", "Count the gates.", {"sidechain": True}),
        ("assistant", "Oiled.", {"sidechain": True}),
    ]
    assert found[0].document.source == "kimi:session_1#agent-0"


def test_a_thread_of_amp(write: Write) -> None:
    thread = {
        "id": "T-1",
        "title": "The gate",
        "created": 1_785_612_800_000,
        "messages": [
            {"role": "user", "messageId": 1, "content": [{"type": "text", "text": "Fix the gate."}]},
            {"role": "assistant", "messageId": 2, "content": [{"type": "tool_use", "name": "edit", "input": {}}]},
            {"role": "user", "messageId": 3, "content": [{"type": "tool_result", "content": "rust"}]},
            {"role": "assistant", "messageId": 4, "content": [{"type": "text", "text": "Oiled."}],
             "meta": {"sentAt": 1_785_612_860_000}},
        ],
    }  # fmt: skip
    path = write("T-1.json", thread)
    assert detect(path) == "amp"
    assert [(one.speaker, one.text, one.happened_at, one.title) for one in drafts(path)] == [
        ("user", "Fix the gate.", "2026-08-01T19:33:20Z", "The gate"),
        ("assistant", "Oiled.", "2026-08-01T19:34:20Z", "The gate"),
    ]
    assert taken_in(path) == [(2, 0, 0)]


GOOSE = [
    ("user", [{"type": "text", "text": "Fix the gate."}], {"userVisible": True}),
    ("user", [{"type": "text", "text": "<turn-context>rain</turn-context>"}], {"userVisible": False}),
    ("assistant", [{"type": "toolRequest", "id": "t", "toolCall": {}}, {"type": "text", "text": "Oiled."}], {}),
    ("user", [{"type": "toolResponse", "id": "t", "toolResult": {}}], {}),
]


def test_sessions_of_goose_in_its_database_and_in_lines(write: Write, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "sessions.db")) as conn:
        conn.execute("create table sessions (id text primary key, name text, working_dir text, created_at, updated_at)")
        conn.execute("create table messages (id integer primary key, session_id, role, content_json, created_timestamp,"
                     " metadata_json)")  # fmt: skip
        conn.execute("insert into sessions values ('g1', 'The gate', '/garden', '2026-08-01 19:33:20', null)")
        rows = [
            (who, json.dumps(said), 1_785_612_800 + at, json.dumps(about))
            for at, (who, said, about) in enumerate(GOOSE)
        ]
        conn.executemany("insert into messages values (null, 'g1', ?, ?, ?, ?)", rows)
        conn.commit()
    lines = [{"working_dir": "/garden", "description": "The gate", "message_count": 4}]
    lines += [
        {"role": who, "created": 1_785_612_800 + at, "content": said, "metadata": about}
        for at, (who, said, about) in enumerate(GOOSE)
    ]
    for path in (tmp_path / "sessions.db", write("g1.jsonl", lines)):
        assert detect(path) == "goose"
        assert [(one.speaker, one.text, one.happened_at, one.title) for one in drafts(path)] == [
            ("user", "Fix the gate.", "2026-08-01T19:33:20Z", "The gate"),
            ("assistant", "Oiled.", "2026-08-01T19:33:22Z", "The gate"),
        ]
        assert drafts(path)[0].document.meta == {"cwd": "/garden"}
        assert taken_in(path) == [(2, 0, 0)]


def test_two_objects_in_one_line_are_both_read(write: Write) -> None:
    """A program that is ended before it has written the end of a line goes on in it the next time."""
    one, two = json.dumps(QWEN[0]), json.dumps(QWEN[3])
    for told in (one + two, f"{one} {two} \n"):
        path = write("q1.jsonl", told)
        assert turns(path) == [("user", "Fix the gate."), ("assistant", "Paint it.")]
    found = list(read(write("q1.jsonl", f"{one}\n{one}{two[:-9]}\n{two}\n")))
    assert [type(one).__name__ for one in found] == ["Failure", "Draft", "Draft"]


# ------------------------------------------------------------------------------- Kiro, Hermes, Grok, Antigravity


def test_a_session_of_continue_is_one_of_kiro_s_kind(write: Write) -> None:
    said = [
        {"message": {"role": "system", "content": "You are an agent."}, "contextItems": []},
        {"message": {"role": "user", "content": "Fix the gate."}, "contextItems": [{"name": "a.py", "content": "x"}]},
        {"message": {"role": "thinking", "content": "Hm."}, "contextItems": []},
        {"message": {"role": "assistant", "content": "Oiled.", "toolCalls": []}, "contextItems": []},
    ]
    path = write("s1.json", {"sessionId": "s1", "title": "The gate", "workspaceDirectory": "/garden", "history": said})
    assert detect(path) == "kiro"
    assert turns(path) == [("user", "Fix the gate."), ("assistant", "Oiled.")]
    assert drafts(path)[0].document.meta == {"cwd": "/garden"}


def test_a_session_of_kiro_and_one_of_hermes(write: Write) -> None:
    said = [
        {"role": "user", "content": "Fix the gate.", "id": "m1"},
        {"role": "user", "content": ""},
        {"role": "tool", "content": "rust"},
        {"role": "assistant", "content": [{"type": "text", "text": "Oiled."}], "id": "m2"},
    ]
    about = {"sessionId": "s1", "title": "The gate", "workspacePath": "/garden"}
    kiro = write("s1.json", {**about, "history": [{"message": one} for one in said]})
    began = {"session_id": "s1", "session_start": "2026-08-01T19:33:20Z", "cwd": "/garden"}
    hermes = write("s2.json", {**began, "messages": said})
    for path, source, at in ((kiro, "kiro:s1", None), (hermes, "hermes:s1", "2026-08-01T19:33:20Z")):
        assert detect(path) == "kiro"
        assert turns(path) == [("user", "Fix the gate."), ("assistant", "Oiled.")]
        first = drafts(path)[0]
        assert (first.document.source, first.happened_at, first.document.meta) == (source, at, {"cwd": "/garden"})
        assert taken_in(path) == [(2, 0, 0)]
    assert ("tool", "rust") in turns(kiro, EVERYTHING)


GROK = [
    {"type": "system", "content": "You are Grok."},
    {"type": "user", "content": [{"type": "text", "text": "OS: rain"}], "synthetic_reason": "environment_context"},
    {"type": "user", "content": [{"type": "text", "text": "Fix the gate."}], "prompt_index": 0},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Oil?"}]},
    {"type": "assistant", "content": "", "tool_calls": [], "model_id": "grok-9"},
    {"type": "tool_result", "content": "rust"},
    {"type": "assistant", "content": "Oiled.", "model_id": "grok-9"},
]


def test_a_session_of_grok_has_its_title_and_time_from_the_file_beside_it(write: Write) -> None:
    path = write("g1/chat_history.jsonl", GROK)
    assert detect(path) == "grok"
    assert turns(path) == [("user", "Fix the gate."), ("assistant", "Oiled.")]
    assert drafts(path)[0].document.source == "grok:g1"
    about = {"info": {"id": "g7", "cwd": "/garden"}, "session_summary": "The gate", "created_at": AT.format(0)}
    beside = write("g1/summary.json", about)
    first = drafts(path)[0]
    assert (first.document.source, first.title, first.happened_at) == ("grok:g7", "The gate", AT.format(0))
    assert [text for _, text in turns(path, EVERYTHING)][:4] == ["You are Grok.", "OS: rain", "Fix the gate.", "Oil?"]
    write("g1/summary.json", {**about, "session_kind": "subagent"})
    assert [(one.speaker, one.meta) for one in drafts(path)] == [("assistant", {"sidechain": True})] * 2
    beside.write_text("[")
    assert turns(path) == [("user", "Fix the gate."), ("assistant", "Oiled.")]
    assert taken_in(path) == [(2, 0, 0)]


ANTIGRAVITY = [
    {"source": "USER_EXPLICIT", "type": "USER_INPUT",
     "content": "<USER_REQUEST>\nFix the gate.\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>rain</USER_SETTINGS_CHANGE>"},
    {"source": "SYSTEM", "type": "CONVERSATION_HISTORY"},
    {"source": "MODEL", "type": "PLANNER_RESPONSE", "thinking": "Oil?", "tool_calls": [{"name": "list_dir"}]},
    {"source": "MODEL", "type": "RUN_COMMAND", "content": "rust"},
    {"source": "SYSTEM", "type": "SYSTEM_MESSAGE", "content": "not sent by the user"},
    {"source": "MODEL", "type": "PLANNER_RESPONSE", "content": "Oiled."},
]  # fmt: skip


def test_a_conversation_of_antigravity(write: Write) -> None:
    steps = [
        {"step_index": at, "status": "DONE", "created_at": AT.format(at), **one} for at, one in enumerate(ANTIGRAVITY)
    ]
    path = write("c1/.system_generated/logs/transcript.jsonl", steps)
    assert detect(path) == "antigravity"
    assert [(one.speaker, one.text, one.happened_at) for one in drafts(path)] == [
        ("user", "Fix the gate.", "2026-02-01T09:00:00Z"),
        ("assistant", "Oiled.", "2026-02-01T09:00:05Z"),
    ]
    assert drafts(path)[0].document.source == "antigravity:c1"
    assert [text for _, text in turns(path, EVERYTHING)][1:4] == ["Oil?", "rust", "not sent by the user"]
    assert taken_in(path) == [(2, 0, 0)]


def test_records_of_claude_without_ids_are_its_turns(write: Write) -> None:
    """What `claude -p --output-format stream-json` prints has no uuids, and calls its session otherwise."""
    path = write("p1.jsonl", [
        {"type": "system", "subtype": "init", "session_id": "s1"},
        {"type": "user", "message": {"content": "Fix the gate."}, "timestamp": AT.format(0), "session_id": "s1"},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "Oiled."}]}, "session_id": "s1"},
        {"type": "result", "result": "Oiled.", "session_id": "s1"},
    ])  # fmt: skip
    assert detect(path) == "claude-code"
    assert turns(path) == [("user", "Fix the gate."), ("assistant", "Oiled.")]
    assert drafts(path)[0].document.source == "claude-code:s1"
    assert taken_in(path) == [(2, 0, 0)]


# ----------------------------------------------------------------------------------------------------- whatever comes

KEYS = """
id type role content text payload timestamp message messages sessionId $set $rewindTo kind v k i requests response data
session_meta response_item forked_from_id source parentToolCallId conversations chunkedPrompt chunks ts say
parts event part origin parentId parentUuid uuid subtype systemPayload functionCall functionResponse metadata meta
history session_id session_start summary info step_index created_at completion finalText tool_call
""".split()
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["user", "a", "0", *KEYS]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=20,
)


LINES = "codex gemini-cli copilot cursor sharegpt qwen-code pi droid kimi goose grok antigravity".split()


@given(st.sampled_from(LINES), st.lists(ANYTHING, max_size=4))
def test_any_lines_are_drafts_and_failures(tmp_path_factory: pytest.TempPathFactory, format: str, value: Any) -> None:
    path = tmp_path_factory.mktemp("any") / "any.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in value))
    for found in read(path, format=format, options=EVERYTHING):
        assert isinstance(found, Draft | Failure)
        assert "is not as this format should be" not in getattr(found, "reason", "")


@given(st.sampled_from(["cline", "ai-studio", "gemini-cli", "copilot", "sharegpt", "amp", "kiro"]), ANYTHING)
def test_any_json_is_drafts_and_failures(tmp_path_factory: pytest.TempPathFactory, format: str, value: Any) -> None:
    path = tmp_path_factory.mktemp("any") / "any.json"
    path.write_text(json.dumps(value))
    for found in read(path, format=format, options=EVERYTHING):
        assert isinstance(found, Draft | Failure)
        assert "is not as this format should be" not in getattr(found, "reason", "")


def test_a_number_in_a_store_is_not_so_many_bytes(tmp_path: Path) -> None:
    path = store(tmp_path / "store.db", [cursor_said("user", "Fix the gate.")], about={"agentId": "x"})
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("update blobs set data = 10000000000 where data like '{%'")
        conn.commit()
    assert turns(path) == []


# ------------------------------------------------------------------------------------------------------------ Zed

ZED_TEXT = "Wer hat sie gepflanzt? Quitte über alles\nplan.md\nI live in Bath.\nAnd when?\nRosa did.\nThanks 🌳\n"


def zed_start(words: str) -> int:
    return len(ZED_TEXT[: ZED_TEXT.index(words)].encode())


def zed(version: str = "0.4.0") -> dict[str, Any]:
    roles = [("Wer", "user"), ("Rosa", "assistant"), ("Thanks", "user")]
    section = {"range": {"start": zed_start("plan.md"), "end": zed_start("\nAnd when")}, "icon": "File"}
    inner = {"range": {"start": zed_start("I live"), "end": zed_start("I live") + 3}, "icon": "File", "label": "inner"}
    thread = {
        "id": "abc", "zed": "context", "version": version, "text": ZED_TEXT, "summary": "Quinces",
        "slash_command_output_sections": [inner, {**section, "label": "plan.md"}],
    }  # fmt: skip
    if version == "0.4.0":
        messages = [
            {
                "id": {"replica_id": 0, "value": n},
                "start": zed_start(words),
                "metadata": {"role": role, "status": "Done"},
            }
            for n, (words, role) in enumerate(roles)
        ]
        return {**thread, "messages": messages[::-1]}
    messages = [{"id": n, "start": zed_start(words)} for n, (words, _) in enumerate(roles)]
    about = {str(n): {"role": role, "status": "Done"} for n, (_, role) in enumerate(roles)}
    return {**thread, "messages": messages, "message_metadata": about}


@pytest.mark.parametrize("version", ["0.3.0", "0.4.0"])
def test_zed_says_in_bytes_where_messages_begin(write: Write, version: str) -> None:
    path = write("Quinces - 1.zed.json", zed(version))
    assert detect(path) == "zed"
    asked = "Wer hat sie gepflanzt? Quitte über alles\n{}\nAnd when?"
    rest = [("assistant", "Rosa did."), ("user", "Thanks 🌳")]
    assert turns(path) == [("user", asked.format("[plan.md]")), *rest]
    assert turns(path, EVERYTHING) == [("user", asked.format("plan.md\nI live in Bath.")), *rest]
    (first, *_) = drafts(path)
    assert (first.document.source, first.document.title, first.happened_at) == ("zed:abc", "Quinces", None)


def test_a_thread_of_zed_that_goes_on_adds_what_is_new(write: Write) -> None:
    whole, begun = zed(), zed()
    begun["messages"] = [one for one in begun["messages"] if one["id"]["value"] < 2]
    begun["text"] = ZED_TEXT[: ZED_TEXT.index("Thanks")]
    with MemoryDatabase(embed="none") as db:
        reports = [db.ingest(write("a.zed.json", one), now=NOW) for one in (begun, whole, whole)]
    assert [(one.added, one.updated, one.removed) for one in reports] == [(2, 0, 0), (1, 0, 0), (0, 0, 0)]
