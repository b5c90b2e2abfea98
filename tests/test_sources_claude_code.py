"""Claude Code: a record is known by its id across files, and a session is the union of what its files hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from growth import takes_at_most

from memkit import MemoryDatabase
from memkit.core.types import Draft
from memkit.sources import ReadOptions, detect, read

NOW = "2026-03-01T12:00:00Z"
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes records as a session's file, and returns its path."""

    def write(name: str, *records: dict[str, Any]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(one) + "\n" for one in records))
        return path

    return write


@pytest.fixture
def db() -> Iterator[MemoryDatabase]:
    with MemoryDatabase(embed="none") as db:
        yield db


def said(id: str, parent: str | None = None, session: str = "s1", **more: Any) -> dict[str, Any]:
    """A record: a prompt if its id begins with u, else an answer. It says its own id."""
    kind = "user" if id.startswith("u") else "assistant"
    record = {"type": kind, "uuid": id, "parentUuid": parent, "sessionId": session, "isSidechain": False}
    return {**record, "timestamp": "2026-02-01T09:00:00Z", "message": {"role": kind, "content": f"Said {id}."}, **more}


def test_a_session_that_was_fetched_from_the_web_is_the_one_on_the_disk(write, db, tmp_path):
    records = [said("u1"), said("a1", "u1"), said("u2", "a1")]
    own = write("s1.jsonl", *records)
    fetched = tmp_path / "web" / "session.json"
    fetched.parent.mkdir()
    fetched.write_text(json.dumps({"loglines": records}))
    assert detect(fetched) == "claude-code"
    assert [changed(db, path) for path in (fetched, own, fetched)] == [(3, 0, 0), (0, 0, 0), (0, 0, 0)]
    fetched.write_text('{"loglines": [')
    assert next(one.reason for one in read(fetched, format="claude-code")).startswith("broken JSON")


def changed(db: MemoryDatabase, path: Path) -> tuple[int, int, int]:
    report = db.ingest(path, now=NOW)
    return report.added, report.updated, report.removed


def kept(db: MemoryDatabase) -> list[tuple[str, str]]:
    """The ids of the records that can be recalled, with the source of their documents."""
    select = """
    select m.source_id, d.source from memories as m join documents as d on d.key = m.document_key
    where m.archived_at is null order by m.key
    """
    return [tuple(row) for row in db.conn.execute(select)]


def metas(path: Path) -> dict[str | None, dict[str, Any]]:
    return {one.source_id: dict(one.meta) for one in read(path) if isinstance(one, Draft)}


def test_two_sessions_in_one_file_by_turns_are_both_kept(write: Write, db: MemoryDatabase) -> None:
    path = write("a.jsonl", said("u1"), said("u2", session="s2"), said("a1", "u1"), said("a2", "u2", "s2"))
    assert changed(db, path) == (4, 0, 0)
    assert changed(db, path) == (0, 0, 0)
    assert sorted(kept(db)) == [
        ("a1", "claude-code:s1"), ("a2", "claude-code:s2"), ("u1", "claude-code:s1"), ("u2", "claude-code:s2"),
    ]  # fmt: skip


def test_a_session_in_two_files_is_the_union_of_both(write: Write, db: MemoryDatabase) -> None:
    one = write("one.jsonl", said("u1"), said("a1", "u1"))
    two = write("two.jsonl", said("u2", "a1"), said("a2", "u2"))
    assert (changed(db, one), changed(db, two)) == ((2, 0, 0), (2, 0, 0))
    assert (changed(db, one), changed(db, two), changed(db, one)) == ((0, 0, 0),) * 3
    assert [id for id, _ in kept(db)] == ["u1", "a1", "u2", "a2"]


def test_a_file_that_grows_adds_what_is_new(write: Write, db: MemoryDatabase) -> None:
    assert changed(db, write("a.jsonl", said("u1"))) == (1, 0, 0)
    assert changed(db, write("a.jsonl", said("u1"), said("a1", "u1"))) == (1, 0, 0)


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("names", [("a.jsonl", "b.jsonl"), ("b.jsonl", "a.jsonl")])
def test_a_resumed_session_with_another_id_stores_the_copies_once(
    write: Write, db: MemoryDatabase, names: tuple[str, str], together: bool
) -> None:
    first = [said("u1"), said("a1", "u1")]
    copies = [{**one, "sessionId": "s2"} for one in first]
    paths = [write(names[0], *first), write(names[1], *copies, said("u2", "a1", "s2"))]
    if together:
        assert changed(db, paths[0].parent) == (3, 0, 0)
    else:
        assert [changed(db, path)[0] for path in paths] == [2, 1]
    assert changed(db, paths[0].parent) == (0, 0, 0)
    assert sorted(id for id, _ in kept(db)) == ["a1", "u1", "u2"]


def test_many_files_with_the_same_records_store_them_once(write: Write, db: MemoryDatabase) -> None:
    records = [said(f"u{number}") for number in range(700)]
    for number in range(4):
        path = write(f"{number}.jsonl", *[{**one, "sessionId": f"s{number}"} for one in records])
    assert changed(db, path.parent) == (700, 0, 0)
    assert changed(db, path.parent) == (0, 0, 0)


def test_a_fork_names_the_session_that_its_copies_are_from(write: Write, db: MemoryDatabase) -> None:
    fork = write(
        "b.jsonl",
        said("copied", session="s2", forkedFrom={"sessionId": "s1", "messageUuid": "u1"}),
        said("u2", "copied", "s2"),
    )
    assert changed(db, fork) == (2, 0, 0)
    assert kept(db) == [("u1", "claude-code:s1"), ("u2", "claude-code:s2")]


def test_two_records_with_one_id_and_other_words_are_both_kept(write: Write, db: MemoryDatabase) -> None:
    path = write("a.jsonl", said("u1"), said("u1", message={"content": "Other words."}), said("u1"))
    assert changed(db, path) == (2, 0, 0)
    assert changed(db, path) == (0, 0, 0)


def test_a_record_without_an_id_is_known_by_its_time_and_words(write: Write, db: MemoryDatabase) -> None:
    bare = {key: value for key, value in said("u1").items() if key != "uuid"}
    path = write("a.jsonl", bare)
    assert changed(db, path) == (1, 0, 0)
    assert changed(db, write("a.jsonl", said("u0"), bare)) == (1, 0, 0)


def test_the_parts_of_a_long_turn_stay_apart(write: Write, db: MemoryDatabase) -> None:
    path = write("a.jsonl", said("u1", message={"content": ("The gate is shut. " * 100 + "\n\n") * 4}))
    added, *_ = changed(db, path)
    assert added > 2
    assert changed(db, path) == (0, 0, 0)


def test_a_prompt_that_was_typed_anew_marks_what_came_before_as_rewound(write: Write, db: MemoryDatabase) -> None:
    before = [said("u1"), said("a1", "u1"), said("u2", "a1"), said("a2", "u2")]
    after = [*before, said("u3", "a1"), said("a3", "u3"), said("a4", "a1")]  # two answers to one are no rewind
    path = write("a.jsonl", *before)
    assert changed(db, path) == (4, 0, 0)
    path = write("a.jsonl", *after)
    assert [id for id, meta in metas(path).items() if meta.get("rewound")] == ["u2", "a2"]
    assert changed(db, path) == (3, 2, 0)
    assert changed(db, path) == (0, 0, 0)
    # Another file of this session does not know of it, and does not take the mark away.
    assert changed(db, write("b.jsonl", *before)) == (0, 0, 0)
    assert db.conn.execute("select count(*) from memories where meta ->> 'rewound'").fetchone()[0] == 2


def test_what_follows_a_compaction_belongs_to_the_branch_before_it(write: Write) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "c", "logicalParentUuid": "a2"}
    path = write(
        "a.jsonl", said("u1"), said("a1", "u1"), said("u2", "a1"), said("a2", "u2"), boundary,
        said("us", "c", isCompactSummary=True), said("u3", "us"), said("u4", "a1"),
    )  # fmt: skip
    assert [id for id, meta in metas(path).items() if meta == {"rewound": True}] == ["u2", "a2", "u3"]


def test_a_sub_agent_is_a_conversation_of_its_own_that_no_person_has_begun(write: Write) -> None:
    inside = {"isSidechain": True}
    path = write(
        "a.jsonl", said("u1"), said("u8", **inside), said("a1", "u1"), said("a8", "u8", **inside),
        said("u9", agentId="x9", **inside), said("a9", "u9", agentId="x9", **inside),
    )  # fmt: skip
    found = [(one.document.source, one.speaker, one.source_id) for one in read(path)]
    assert found == [
        ("claude-code:s1", "user", "u1"),
        ("claude-code:s1#u8", "assistant", "u8"),
        ("claude-code:s1", "assistant", "a1"),
        ("claude-code:s1#u8", "assistant", "a8"),
        ("claude-code:s1#x9", "assistant", "u9"),
        ("claude-code:s1#x9", "assistant", "a9"),
    ]
    assert metas(path)["a8"] == {"sidechain": True}


INJECTED = [
    "Caveat: The messages below were generated by the user while running local commands. DO NOT respond.",
    "<command-name>/clear</command-name>",
    "<command-message>init</command-message>",
    "<local-command-stdout>On branch main</local-command-stdout>",
    "<local-command-caveat>Caveat: x</local-command-caveat>",
    "<bash-input>ls</bash-input>",
    "<task-notification>done</task-notification>",
    "[Request interrupted by user]",
    "[Request interrupted by user for tool use]",
    "<system-reminder>Be brief.</system-reminder>",
]


@pytest.mark.parametrize("text", INJECTED)
def test_text_that_nobody_typed_is_left_out(write: Write, text: str) -> None:
    path = write("a.jsonl", said("u1", message={"content": [{"type": "text", "text": text}]}))
    assert list(read(path)) == []
    assert [one.text for one in read(path, options=ReadOptions(include_system=True))] == [text]


def test_words_beside_what_was_added_stay(write: Write) -> None:
    opened = "<ide_opened_file>The user opened gate.py</ide_opened_file>"
    path = write(
        "a.jsonl",
        said("u1", message={"content": [{"type": "text", "text": opened}, {"type": "text", "text": "Fix it."}]}),
        said("u2", message={"content": "[Request interrupted by user] is what it says. Caveat: I typed this."}),
    )
    assert [one.text for one in read(path)] == [
        "Fix it.",
        "[Request interrupted by user] is what it says. Caveat: I typed this.",
    ]


def test_words_whose_time_is_none_were_said_when_those_before_were(write: Write) -> None:
    path = write("a.jsonl", said("u1"), said("a1", "u1", timestamp="[trimmed]"))
    assert [(one.text, one.happened_at) for one in read(path)] == [
        ("Said u1.", "2026-02-01T09:00:00Z"), ("Said a1.", "2026-02-01T09:00:00Z"),
    ]  # fmt: skip


def test_records_of_a_program_that_writes_alike_are_not_of_claude_code(write: Write) -> None:
    assert detect(write("a.jsonl", said("u1", message={"role": "user", "parts": [{"text": "x"}]}))) == "qwen-code"


def test_an_error_of_the_api_is_no_answer(write: Write) -> None:
    path = write(
        "a.jsonl",
        said("a1", isApiErrorMessage=True),
        said("a2", message={"model": "<synthetic>", "content": "No response requested."}),
    )
    assert list(read(path)) == []


def test_what_was_typed_while_the_model_was_busy_counts(write: Write) -> None:
    queued = {"type": "queued_command", "prompt": "And the fence."}
    path = write("a.jsonl", said("u1"), said("u2", "u1", type="attachment", attachment=queued, message=None))
    assert [(one.speaker, one.text) for one in read(path)] == [("user", "Said u1."), ("user", "And the fence.")]


def test_a_title_that_was_given_names_the_session(write: Write) -> None:
    path = write(
        "a.jsonl", said("u1"), {"type": "ai-title", "aiTitle": "A guess", "sessionId": "s1"},
        {"type": "custom-title", "customTitle": "The gate", "sessionId": "s1"},
        {"type": "summary", "summary": "Summed up", "leafUuid": "u1"},
    )  # fmt: skip
    assert [one.title for one in read(path)] == ["The gate"]


def test_the_tree_grows_with_the_file(write: Write) -> None:
    def session(size: int) -> Path:
        records = [said(f"u{n}", f"u{n - n % 3 - 1}") for n in range(size)]
        summaries = [{"type": "summary", "summary": "x", "leafUuid": f"u{n}"} for n in range(size)]
        return write(f"{size}.jsonl", *records, *summaries)

    large, small = session(800), session(100)
    assert takes_at_most(12, lambda: list(read(large)), lambda: list(read(small)))


def test_what_is_noted_of_a_sub_agent_is_named_and_not_refused(tmp_path):
    file = tmp_path / "agent-a0ad.meta.json"
    file.write_text('{"agentType": "general-purpose", "spawnDepth": 1}')
    assert detect(file) == "claude-code"
    with MemoryDatabase(embed="none") as db:
        for source in (file, tmp_path):
            report = db.ingest(source)
            assert (report.added, len(report.left_out), [*report.failures]) == (0, 1, [])
