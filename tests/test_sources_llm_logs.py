"""The log of `llm`, made by hand in both layouts: turns once, with their fragments, and nothing written."""

import json
import sqlite3

import pytest

from memkit.sources import ReadOptions, detect, read

OLD = """
create table conversations (id text primary key, name text, model text);
create table responses (id text primary key, model text, prompt text, system text, response text,
    conversation_id text, datetime_utc text);
create table fragments (id integer primary key, hash text, content text, source text);
create table prompt_fragments (response_id text, fragment_id integer, "order" integer);
"""
NEW = """
create table threads (id text primary key, name text, tip_message_hash text, datetime_utc text);
create table turns (id text primary key, thread_id text, parent_message_hash text, tip_message_hash text, model text,
    datetime_utc text);
create table messages (hash text primary key, parent_hash text, role text);
create table parts (id integer primary key, message_hash text, position integer, type text, text text, payload text);
"""


@pytest.fixture
def log(tmp_path):
    """A log that was begun in the old layout and went on in the new one; turn `r1` stands in both."""
    path = tmp_path / "logs.db"
    conn = sqlite3.connect(path)
    conn.executescript(OLD + NEW)
    fragments = [(1, "h1", "Quinces are hard.", "fruit.txt"), (2, "h2", "long " * 2000, None)]
    conn.executemany("insert into fragments values (?, ?, ?, ?)", fragments)
    conn.execute("insert into conversations values ('t1', 'Old talk', 'm')")
    conn.executemany(
        "insert into responses values (?, 'm', ?, ?, ?, 't1', ?)",
        [
            ("r1", "Moved?", None, "Yes.", "2024-01-01T10:00:00+00:00"),
            ("r0", "Raw?", "Be brief.", "No.", "2024-01-01T09:00:00+00:00"),
        ],
    )
    conn.executemany("insert into prompt_fragments values ('r0', ?, ?)", [(2, 1), (1, 0)])
    conn.execute("insert into threads values ('t1', 'New talk', 'c', null)")
    conn.executemany(
        "insert into turns values (?, 't1', ?, ?, 'm2', ?)",
        [("r1", "u1", "a1", "2024-01-01T10:00:00+00:00"), ("r2", "x2", "a2", "2024-01-01T11:00:00+00:00")],
    )
    chain = ["s", "u1", "a1", "u2", "c2", "x2", "a2"]
    roles = ["system", "user", "assistant", "user", "assistant", "tool", "assistant"]
    conn.executemany("insert into messages values (?, ?, ?)", zip(chain, [None, *chain[:-1]], roles, strict=True))
    text_ref = json.dumps({"text_ref": [{"literal": "About: "}, {"fragment": 1}, {"literal": " So?"}]})
    call = json.dumps({"name": "cook", "arguments": {"minutes": 40}})
    conn.executemany(
        "insert into parts (message_hash, position, type, text, payload) values (?, ?, ?, ?, ?)",
        [
            ("s", 0, "text", "Be kind.", None),
            ("u1", 0, "text", "Moved?", None),
            ("a1", 1, "text", "Yes.", None),
            ("a1", 0, "reasoning", "Let me see.", None),
            ("u2", 0, "text", None, text_ref),
            ("c2", 0, "tool_call", None, call),
            ("x2", 0, "tool_result", None, json.dumps({"name": "cook", "output": "soft"})),
            ("a2", 0, "text", "Soft now.", None),
        ],
    )
    conn.commit()
    conn.close()
    return path


def test_both_layouts_are_one_thread_and_a_turn_in_both_is_read_once(log):
    assert detect(log) == "llm"
    found = list(read(log))
    assert [(x.source_id, x.text[:30]) for x in found] == [
        ("r0:user", "Quinces are hard.\n[h2: 10000 c"),
        ("r0:assistant", "No."),
        ("r1:user", "Moved?"),
        ("r1:assistant", "Yes."),
        ("r2:assistant", "Soft now."),
    ]
    assert {x.document.source for x in found} == {"llm:t1"}
    assert {x.document.kind for x in found} == {"log"}
    assert found[2].happened_at == "2024-01-01T10:00:00Z"
    assert (found[2].meta, found[0].meta) == ({"model": "m2"}, {"model": "m"})


def test_system_prompts_and_tools_if_asked(log):
    found = list(read(log, options=ReadOptions(include_tools=True, include_system=True)))
    assert [(x.source_id, x.text) for x in found if x.speaker in ("system", "tool")] == [
        ("r0:system", "Be brief."),
        ("r1:system", "Be kind."),
        ("r2:tool", "soft"),
    ]


def test_a_question_comes_with_the_fragment_that_it_borrows(log):
    conn = sqlite3.connect(log)
    conn.execute("insert into turns values ('r3', 't2', 'u2', 'c2', 'm2', '2024-01-02T11:00:00+00:00')")
    conn.commit()
    conn.close()
    found = list(read(log, options=ReadOptions(include_tools=True)))
    assert [(x.source_id, x.text, x.document.source) for x in found][-2:] == [
        ("r3:user", "About: Quinces are hard. So?", "llm:t2"),
        ("r3:tool", 'cook: {"minutes": 40}', "llm:t2"),
    ]


@pytest.mark.parametrize("layout", [OLD, NEW, OLD + NEW])
def test_an_empty_log_is_read_in_either_layout(tmp_path, layout):
    conn = sqlite3.connect(tmp_path / "logs.db")
    conn.executescript(layout)
    conn.close()
    assert detect(tmp_path / "logs.db") == "llm"
    assert list(read(tmp_path / "logs.db")) == []


def test_reading_a_log_changes_nothing(log):
    before = log.read_bytes()
    list(read(log))
    assert log.read_bytes() == before
    assert [path.name for path in log.parent.iterdir()] == ["logs.db"]


@pytest.mark.parametrize("layout", ["old", "new"])
def test_a_conversation_is_called_after_the_message_and_not_after_what_memkit_put_in_front(log, layout):
    """`llm` calls a conversation after the start of its first prompt."""
    put = "<memkit-context>\nFrom memory, as of 2026-01-01. " + "Rosa likes quinces. " * 9 + "\n</memkit-context>\n\n"
    name = " ".join(put.split())[:99] + "…"
    with sqlite3.connect(log) as conn:
        conn.execute("delete from " + ("turns" if layout == "old" else "responses"))
        conn.execute("delete from prompt_fragments")
        conn.executemany("update conversations set name = ? where id = 't1'", [(name,)])
        conn.execute("update threads set name = ?", [name])
        conn.execute("update responses set prompt = ? || prompt where id = 'r0'", [put])
        conn.execute("update parts set text = ? || text where message_hash = 'u1'", [put])
    conn.close()
    assert {draft.title for draft in read(log)} == {"Raw?" if layout == "old" else "Moved?"}
