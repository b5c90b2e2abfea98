"""Chat exports: the current branch, who spoke and when; tools, system messages and thoughts only if asked for."""

import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.core.types import Draft, Failure
from memkit.sources import ReadOptions, detect, read
from memkit.text.words import est_tokens

EVERYTHING = ReadOptions(include_tools=True, include_system=True, include_thinking=True)


@pytest.fixture
def write(tmp_path):
    """Writes an object as a JSON file (a list to a .jsonl: one a line) and returns its path."""

    def write(value, name="conversations.json"):
        path = tmp_path / name
        lines = name.endswith(".jsonl")
        path.write_text("\n".join(map(json.dumps, value)) if lines else json.dumps(value), encoding="utf-8")
        return path

    return write


def turns(path, options=EVERYTHING):
    return [(x.speaker, x.text) for x in read(path, options=options)]


# ----------------------------------------------------------------------------------------------------------- ChatGPT


def node(id, parent, role, *parts, **message):
    content = message.pop("content", {"content_type": "text", "parts": list(parts)})
    message = {"id": f"m-{id}", "author": {"role": role}, "content": content, "create_time": 1710000000.5, **message}
    return {id: {"id": id, "parent": parent, "children": [], "message": message if role else None}}


ABOUT = {"content_type": "user_editable_context", "user_profile": "I am Ada."}
THOUGHTS = {"content_type": "thoughts", "thoughts": [{"content": "Hm."}]}
GPT = {
    "title": "Quince \n jelly",
    "conversation_id": "c1",
    "create_time": 1710000000.0,
    "update_time": "someday",
    "current_node": "answer2",
    "mapping": {
        **node("root", None, None),
        **node("system", "root", "system", "You are helpful."),
        **node("about", "system", "user", content=ABOUT),
        **node("first", "about", "user", "How long to cook quinces?"),
        **node("edited", "about", "user", "How long do quinces cook?"),
        **node("answer1", "first", "assistant", "An hour."),
        **node("thought", "edited", "assistant", content=THOUGHTS),
        **node("search", "thought", "assistant", content={"content_type": "code", "text": "search()"}, recipient="web"),
        **node("result", "search", "tool", "Forty minutes, they say."),
        **node("answer2", "result", "assistant", "Forty ", {"content_type": "image_asset_pointer"}, "minutes."),
    },
}  # fmt: skip


def test_chatgpt_follows_the_branch_that_is_current(write):
    path = write([GPT])
    assert turns(path, ReadOptions()) == [
        ("user", "How long do quinces cook?"),
        ("assistant", "Forty\n\nminutes."),
    ]


def test_chatgpt_gives_all_the_rest_if_asked(write):
    assert turns(write([GPT])) == [
        ("system", "You are helpful."),
        ("system", "I am Ada."),
        ("user", "How long do quinces cook?"),
        ("assistant", "Hm."),
        ("tool", "search()"),
        ("tool", "Forty minutes, they say."),
        ("assistant", "Forty\n\nminutes."),
    ]


def test_a_chatgpt_turn_knows_its_id_its_time_and_its_conversation(write):
    draft = next(iter(read(write([GPT]), project="kitchen")))
    assert (draft.source_id, draft.kind, draft.happened_at) == ("m-edited", "turn", "2024-03-09T16:00:00Z")
    assert (draft.title, draft.project, draft.sequential) == ("Quince jelly", "kitchen", True)
    document = draft.document
    assert (document.source, document.kind, document.title) == ("chatgpt:c1", "chat", "Quince jelly")
    assert (document.created_at, document.updated_at) == ("2024-03-09T16:00:00Z", None)


def test_without_a_current_node_the_newest_answer_counts(write):
    later = {**GPT, "current_node": None, "mapping": dict(GPT["mapping"])}
    later["mapping"].update(node("answer1", "first", "assistant", "An hour.", create_time=1710000099))
    assert turns(write([later]), ReadOptions())[1] == ("assistant", "An hour.")


def test_without_parents_all_messages_count_in_their_order(write):
    flat = {**GPT, "mapping": {**node("a", None, "user", "One."), **node("b", None, "assistant", "Two.")}}
    assert turns(write([flat])) == [("user", "One."), ("assistant", "Two.")]


def test_a_circle_of_messages_is_read_once(write):
    circle = {**GPT, "mapping": {**node("a", "b", "user", "One."), **node("b", "a", "assistant", "Two.")}}
    assert len(turns(write([{**circle, "current_node": "b"}]))) == 2


def test_a_bad_time_and_a_missing_mapping_are_failures_and_the_rest_goes_in(write):
    bad = {**GPT, "mapping": {**node("a", None, "user", "One.", create_time="soon"), **node("b", "a", "user", "Two.")}}
    path = write([{"title": "empty"}, "nonsense", {**bad, "current_node": "b"}])
    found = list(read(path, format="chatgpt"))
    assert [x.text for x in found if isinstance(x, Draft)] == ["Two."]
    assert [x.reason for x in found if isinstance(x, Failure)] == [
        "conversation 1 has no messages (no 'mapping')",
        "item 2 is not a conversation",
        "message 'm-a' of chatgpt:c1: 'soon' is not a time; write it like 2024-05-31 or 2024-05-31T18:00:00Z",
    ]


def test_a_long_turn_becomes_parts_with_one_id(write):
    long = {**GPT, "mapping": node("a", None, "user", "Quinces need time. " * 300)}
    found = list(read(write([long])))
    assert len(found) == 3
    assert {x.source_id for x in found} == {"m-a"}
    assert max(est_tokens(x.text) for x in found) <= 500
    assert [x.meta for x in found] == [{"part": n, "parts": 3} for n in (1, 2, 3)]


def test_the_zip_is_read_like_the_file_in_it(tmp_path, write):
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("user.json", "{}")
        out.writestr("data/conversations.json", json.dumps([GPT]))
    assert detect(archive) == "chatgpt"
    assert list(read(archive)) == list(read(write([GPT])))


def test_a_damaged_zip_is_a_failure(tmp_path):
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("conversations.json", json.dumps([GPT]) * 50)
    data = bytearray(archive.read_bytes())
    data[100:110] = b"0123456789"
    archive.write_bytes(data)
    assert [type(x) for x in read(archive, format="chatgpt")] == [Failure]


def test_broken_json_is_a_failure_with_its_line(tmp_path):
    path = tmp_path / "conversations.json"
    path.write_text('[{"mapping":\n oops')
    assert [str(x) for x in read(path)] == [f"{path}:2: broken JSON: Expecting value"]


def chat(*nodes, current):
    return {
        "conversation_id": "c2",
        "title": "Jelly",
        "current_node": current,
        "mapping": {k: v for n in nodes for k, v in n.items()},
    }


def test_what_is_written_to_a_canvas_is_a_turn_of_the_assistant(write):
    created = {"name": "Recipe", "type": "document", "content": "Cook for forty minutes."}
    updates = {"updates": [{"pattern": ".*", "replacement": "Cook for an hour."}]}
    comments = {"comments": [{"pattern": "hour", "comment": "Too long?"}]}
    written = [
        node(name, before, "assistant", content={"content_type": "code", "text": json.dumps(value)}, recipient=to)
        for name, before, value, to in (
            ("a", None, created, "canmore.create_textdoc"),
            ("b", "a", updates, "canmore.update_textdoc"),
            ("c", "b", comments, "canmore.comment_textdoc"),
        )
    ]
    broken = node("d", "c", "assistant", "no JSON", recipient="canmore.update_textdoc")
    path = write([chat(*written, broken, current="d")])
    assert [(x.speaker, x.text, dict(x.meta)) for x in read(path)] == [
        ("assistant", "Recipe\n\nCook for forty minutes.", {"canvas": True}),
        ("assistant", "Cook for an hour.", {"canvas": True}),
        ("assistant", "Too long?", {"canvas": True}),
        ("assistant", "no JSON", {"canvas": True}),
    ]


def test_what_chatgpt_notes_about_a_person_is_kept_and_marked(write):
    path = write([chat(node("a", None, "assistant", "Ada likes quinces.", recipient="bio"), current="a")])
    assert [(x.text, dict(x.meta)) for x in read(path)] == [("Ada likes quinces.", {"memory": True})]


def test_what_chatgpt_writes_for_its_own_page_is_left_out(write):
    """Cards of products, sources and pictures stand between signs of their own; the names that they show are words."""
    card = (
        '\ue200products\ue202{"selections":[["turn0product1","Quill pen"],["turn0product2","Reed \\"B\\" pen"]]}\ue201'
    )
    link = "\ue200url\ue202Pens\ue202https://example.org/pens\ue201"
    said = f"\ue203Ink dries.\ue204\ue200cite\ue202turn0search1\ue202turn0search2\ue201 {card} {link}\ue200map\ue201"
    path = write([chat(node("a", None, "assistant", said), current="a")])
    words = 'Ink dries. Quill pen, Reed "B" pen [Pens](https://example.org/pens)'
    assert [x.text for x in read(path)] == [words]


def test_a_voice_is_its_transcript_a_lone_picture_is_nothing_and_a_lone_file_its_name(write):
    voice = {"content_type": "audio_transcription", "text": "How long?", "direction": "in"}
    sound = {"content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": {}}
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    files = {"attachments": [{"name": "quince.PNG"}, {"name": "recipe.pdf"}]}
    path = write([chat(
        node("a", None, "user", voice, sound), node("b", "a", "user", picture),
        node("c", "b", "user", picture, metadata=files), node("d", "c", "user", picture, "See.", metadata=files),
        current="d",
    )])  # fmt: skip
    assert turns(path, ReadOptions()) == [("user", "How long?"), ("user", "[recipe.pdf]"), ("user", "See.")]


def test_only_the_assistant_calls_tools(write):
    path = write([chat(node("a", None, "user", "Hello.", recipient="web"), current="a")])
    assert turns(path, ReadOptions()) == [("user", "Hello.")]


def test_the_parts_of_a_large_export_are_read_together(tmp_path, write):
    second = {**GPT, "conversation_id": "c3"}
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for number, one in enumerate((GPT, second)):
            out.writestr(f"conversations-00{number}.json", json.dumps([one]))
        out.writestr("shared_conversations.json", json.dumps([{"id": "x"}]))
    assert detect(archive) == "chatgpt"
    assert [x.document.source for x in read(archive)] == ["chatgpt:c1", "chatgpt:c1", "chatgpt:c3", "chatgpt:c3"]
    write([GPT], "conversations-000.json")
    write([second], "conversations-001.json")
    archive.unlink()
    assert len(list(read(tmp_path))) == 4


# ------------------------------------------------------------------------------------------------------------ Claude


def message(uuid, sender, *blocks, parent=None, **rest):
    return {"uuid": uuid, "sender": sender, "content": list(blocks), "parent_message_uuid": parent, **rest}


RECIPE = {"file_name": "r.txt", "extracted_content": "Salt."}
CLAUDE = {
    "uuid": "c1",
    "name": "Bread",
    "created_at": "2024-01-15T10:30:00+01:00",
    "current_leaf_message_uuid": "m4",
    "chat_messages": [
        message("m1", "human", {"type": "text", "text": "Rye?"}, parent="0000", created_at="2024-01-15T10:30:00Z"),
        message("m2", "assistant", {"type": "text", "text": "Wheat."}, parent="m1"),
        message(
            "m3",
            "assistant",
            {"type": "thinking", "thinking": "Rye, of course."},
            {"type": "tool_use", "name": "bake", "input": {"for": "an hour"}},
            {"type": "tool_result", "content": [{"type": "text", "text": "Baked."}]},
            {"type": "text", "text": "<antThinking>Really.</antThinking>Rye."},
            parent="m1",
        ),
        message("m4", "human", parent="m3", text="Thanks.", attachments=[RECIPE]),
    ],
}  # fmt: skip


def test_claude_follows_the_current_branch_and_leaves_thoughts_and_tools_out(write):
    assert turns(write([CLAUDE]), ReadOptions()) == [
        ("user", "Rye?"),
        ("assistant", "Rye."),
        ("user", "Thanks.\n\n[r.txt]\n> Salt."),
    ]


def test_claude_gives_thoughts_and_tools_if_asked(write):
    assert turns(write([CLAUDE]))[1][1].split("\n\n") == [
        "Rye, of course.",
        'bake: {"for": "an hour"}',
        "Baked.",
        "<antThinking>Really.</antThinking>Rye.",
    ]


def test_a_claude_turn_knows_its_id_its_time_and_its_conversation(write):
    first = next(iter(read(write([CLAUDE]))))
    assert (first.source_id, first.happened_at, first.title) == ("m1", "2024-01-15T10:30:00Z", "Bread")
    assert (first.document.source, first.document.created_at) == ("claude:c1", "2024-01-15T09:30:00Z")


def test_one_conversation_alone_is_read_as_well(write):
    assert list(read(write(CLAUDE, "one.json"))) == list(read(write([CLAUDE], "one.json")))


def test_without_parents_all_claude_messages_count(write):
    flat = {**CLAUDE, "chat_messages": [{**m, "parent_message_uuid": None} for m in CLAUDE["chat_messages"]]}
    assert len(turns(write([flat]))) == 4


def test_claude_projects_are_notes(write):
    project = {
        "uuid": "p1",
        "name": "House",
        "description": "Paint it.",
        "docs": [{"filename": "a.md", "content": "Red."}],
    }
    found = list(read(write([project], "projects.json")))
    assert [(x.text, x.document.source, x.document.kind) for x in found] == [
        ("Paint it.", "claude:project:p1", "note"),
        ("Red.", "claude:project:p1", "note"),
    ]


def test_an_artifact_is_part_of_the_answer(write):
    def artifact(**written):
        return {"type": "tool_use", "name": "artifacts", "input": {"id": "a", **written}}

    said = [
        message("m1", "assistant", {"type": "text", "text": "Here:"},
                artifact(command="create", title="Recipe", content="Rye."), {"type": "tool_result", "content": "OK"}),
        message("m2", "assistant", artifact(command="update", old_str="Rye.", new_str="Wheat."), parent="m1"),
    ]  # fmt: skip
    path = write([{"uuid": "c", "chat_messages": said}])
    assert turns(path, ReadOptions()) == [("assistant", "Here:\n\nRecipe\n\nRye."), ("assistant", "Wheat.")]
    assert "artifacts: {" in turns(path)[0][1]


def test_a_message_of_nothing_but_files_is_their_names(write):
    said = [
        message("m1", "human", text="", files=[{"file_name": "a.pdf"}, {"file_name": "b.png"}]),
        message("m2", "human", text="", files=[{"file_name": "b.png"}]),
    ]
    assert turns(write([{"uuid": "c", "chat_messages": said}])) == [("user", "[a.pdf]")]


def test_a_time_of_claude_whose_zone_is_cut_off_is_a_time(write):
    said = [message("m1", "human", text="Rye?", created_at="2023-10-07T07:03:01.693863+")]
    assert [x.happened_at for x in read(write([{"uuid": "c", "chat_messages": said}]))] == ["2023-10-07T07:03:01Z"]


def test_claude_memories_and_projects_of_a_zip(tmp_path, write):
    remembered = {"conversations_memory": "Ada bakes.", "project_memories": {"p1": "Rye only."}, "account_uuid": "u1"}
    project = {"uuid": "p1", "name": "House", "docs": [{"uuid": "d1", "filename": "a.md", "content": "Red."}]}
    archive = tmp_path / "data-batch-0000.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("users.json", json.dumps([{"uuid": "u1"}]))
        out.writestr("conversations.json", json.dumps([CLAUDE]))
        out.writestr("memories.json", json.dumps([remembered]))
        out.writestr("projects/0190cafe-aaaa-7bbb-8ccc-0123456789ab.json", json.dumps(project))
    assert detect(archive) == "claude"
    found = [(x.document.source, x.document.kind, x.speaker, x.text) for x in read(archive)]
    assert sorted(found)[-3:] == [
        ("claude:memories:project:p1", "note", "assistant", "Rye only."),
        ("claude:memories:u1", "note", "assistant", "Ada bakes."),
        ("claude:project:p1", "note", "user", "Red."),
    ]
    path = write([remembered], "memories.json")
    assert detect(path) == "claude"
    assert len(list(read(path))) == 2


# ------------------------------------------------------------------------------------------------------- Claude Code


def entry(kind, content, **rest):
    return {"type": kind, "sessionId": "s1", "message": {"role": kind, "content": content}, **rest}


SESSION = [
    {"type": "file-history-snapshot", "messageId": "x"},
    entry("user", "Fix the   gate", uuid="u1", timestamp="2024-02-01T09:00:00Z", cwd="/garden", gitBranch="main"),
    entry("assistant", [{"type": "thinking", "thinking": "Which one?"}], uuid="a1"),
    entry(
        "assistant", [{"type": "text", "text": "Looking."}, {"type": "tool_use", "name": "ls", "input": {}}], uuid="a2"
    ),
    entry("user", [{"type": "tool_result", "content": "gate.py"}], uuid="u2"),
    entry("assistant", "In a side room.", uuid="a3", isSidechain=True),
    entry("user", "<command-name>/clear</command-name>", uuid="u3"),
    entry("user", "Caveat: whatever", uuid="u4", isMeta=True),
    entry("user", "And the fence.<system-reminder>Be brief.</system-reminder>", uuid="u5"),
]


def test_claude_code_keeps_what_was_said(write):
    path = write(SESSION, "s.jsonl")
    assert detect(path) == "claude-code"
    found = list(read(path))
    assert [(x.speaker, x.text, x.source_id) for x in found] == [
        ("user", "Fix the   gate", "u1"),
        ("assistant", "Looking.", "a2"),
        ("assistant", "In a side room.", "a3"),
        ("user", "And the fence.", "u5"),
    ]
    assert [(x.document.source, dict(x.meta)) for x in found if x.meta] == [("claude-code:s1#a3", {"sidechain": True})]
    document = found[0].document
    assert (document.source, document.title, document.kind) == ("claude-code:s1", "Fix the gate", "chat")
    assert (document.created_at, document.meta) == ("2024-02-01T09:00:00Z", {"cwd": "/garden", "branch": "main"})


def test_claude_code_gives_the_rest_if_asked(write):
    found = turns(write(SESSION, "s.jsonl"))
    assert len(found) == 8
    assert ("tool", "gate.py") in found


def test_a_summary_of_one_of_its_records_is_the_title_and_one_of_another_file_is_not(write):
    summary = {"type": "summary", "summary": "The gate", "leafUuid": "u5"}
    assert next(iter(read(write([*SESSION, summary], "s.jsonl")))).title == "The gate"
    path = write([{**summary, "leafUuid": "of another file"}, *SESSION], "s.jsonl")
    assert next(iter(read(path))).title == "Fix the gate"


def test_a_broken_line_of_a_session_is_reported_with_its_number(write):
    path = write(SESSION, "s.jsonl")
    path.write_text(path.read_text() + "\n{oops\n")
    assert [x.line for x in read(path) if isinstance(x, Failure)] == [10]


# ----------------------------------------------------------------------------------------------------- whatever comes

KEYS = """
id uuid title name mapping current_node conversation_id chat_messages current_leaf_message_uuid parent_message_uuid
message author role content parts parent create_time metadata text type thinking input docs attachments sender sessionId
content_type recipient created_at
""".split()
ANYTHING = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.sampled_from(["user", "text", "a", "b"])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b", *KEYS]), inner)),
    max_leaves=25,
)


@given(st.sampled_from(["chatgpt", "claude", "claude-code"]), ANYTHING, ANYTHING, ANYTHING)
def test_any_json_is_drafts_and_failures(tmp_path_factory, format, inner, message, rest):
    nodes = {"a": {"parent": "b", "message": message}, "b": {"message": rest}, "c": rest}
    found = {
        "mapping": nodes,
        "current_node": inner,
        "title": rest,
        "id": inner,
        "chat_messages": [message, rest, inner],
    }
    found |= {"type": "user", "message": message, "summary": inner, "timestamp": rest, "sessionId": rest}
    path = tmp_path_factory.mktemp("any") / "any.json"
    path.write_text(json.dumps(found))
    for options in (ReadOptions(), EVERYTHING):
        for x in read(path, format=format, options=options):
            assert isinstance(x, Draft | Failure)
            if isinstance(x, Draft):
                (x.text + (x.title or "") + (x.source_id or "") + x.document.source).encode()
