"""Triggers that act (K32): what a message calls for changes what is looked up, and how deep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW

from memkit import MemoryDatabase
from memkit.frontends.agents import tools
from memkit.frontends.agents.conversation import READ, said_before
from memkit.frontends.agents.hook import advise
from memkit.retrieval.channels import fulltext
from memkit.retrieval.context.triggers import deeper
from memkit.retrieval.registry import STRATEGIES

TALK = ["How do we deploy the Kira app to staging?", "Which server does the Kira deploy use?"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "memory.db"
    with MemoryDatabase(file) as db:
        db.ingest([{"text": f"Note {n}: nothing of the sort, only weather {n}."} for n in range(40)], now=NOW)
        db.ingest([{"text": f"The quince by the gate was planted again, row {n}."} for n in range(6)], now=NOW)
        db.remember("Ana", slot="user", key="name", now=NOW)
        db.remember("Give short answers.", kind="preference", importance=9, now=NOW)
        db.remember("The Kira app was deployed to staging.", kind="episode", happened_at="2025-05-01", now=NOW)
        db.remember("The quince was planted by the gate.", now=NOW)
        db.relate("Rosa", "lives_in", "Porto", now=NOW)
    return file


@pytest.fixture
def db(path: Path) -> Any:
    with MemoryDatabase(path) as opened:
        yield opened


def test_K32_where_a_session_begins_the_page_says_who_the_user_is_and_what_happened_last(db: MemoryDatabase) -> None:
    first = db.context("Where was the quince planted?", history=[], now=NOW)
    assert "session_start" in first.triggers
    page = str(first)
    assert page.index("Of the user:") < page.index("What happened last:") < page.index("What was said:")
    assert "- name: Ana" in page
    assert "Give short answers." in page
    assert "The Kira app was deployed to staging." in page
    for other in ({}, {"history": TALK}):  # a question by itself, and a later message
        later = db.context("Where was the quince planted?", now=NOW, **other)
        assert "session_start" not in later.triggers
        assert "Of the user:" not in str(later)
    assert "quince" in str(later)


def test_K32_what_is_told_of_the_user_is_the_slot_and_then_what_is_most_important_and_sure(db: MemoryDatabase) -> None:
    db.remember("Speak slowly.", kind="preference", importance=9, confidence=0.5, now=NOW)
    db.remember("Use no emoji.", kind="preference", importance=8, now=NOW)
    page = str(db.context("Where was the quince planted?", history=[], now=NOW))
    told = [line for line in page.partition("What happened last:")[0].splitlines() if line.startswith("- ")]
    assert [line.rpartition(": ")[2].lstrip("- ") for line in told] == [
        "Ana",
        "Give short answers.",
        "Use no emoji.",
        "Speak slowly.",
    ]


def test_K32_nothing_of_another_project_is_told_at_the_start(db: MemoryDatabase) -> None:
    db.remember("Secret likes.", kind="preference", project="other", now=NOW)
    db.remember("Secret was shipped.", kind="episode", happened_at="2025-06-01", project="other", now=NOW)
    for narrow in (False, True):
        page = str(db.context("quince by the gate?", history=[], project="mine", only_project=narrow, now=NOW))
        assert "Give short answers." in page
        assert "Secret" not in page.partition("What was said:")[0]


def test_K32_a_new_topic_is_read_without_the_messages_before_it(db: MemoryDatabase) -> None:
    found = db.context("Quince?", history=TALK, now=NOW)
    assert "topic_change" in found.triggers
    assert found.recall is not None
    assert found.recall.question == "Quince?"
    assert "a new topic" in str(found)
    follows = db.context("And when was that?", history=TALK, now=NOW)
    assert follows.recall is not None
    assert follows.recall.question.startswith(TALK[-1])  # it says nothing by itself, so it is about the same


def test_K32_a_name_alone_brings_what_is_known_of_it(db: MemoryDatabase) -> None:
    assert "Rosa lives in Porto" in str(db.context("Rosa", now=NOW))
    assert "Rosa lives in Porto" not in str(db.context("Rosa", now=NOW, triggers=False))


def test_K32_remember_when_searches_deeper_with_twice_the_room(db: MemoryDatabase) -> None:
    plain = db.context("When was the quince planted?", now=NOW)
    deep = db.context("Do you remember when the quince was planted?", now=NOW)
    assert (plain.budget, deep.budget) == (2000, 4000)
    assert "searched further back" in str(deep)
    assert "searched further back" not in str(plain)
    assert db.context("Do you remember when the quince was planted?", budget=500, now=NOW).budget == 500
    assert plain.recall is not None
    assert deep.recall is not None
    assert len(deep.recall) > len(plain.recall)


@pytest.mark.parametrize("name", STRATEGIES)
def test_K32_a_deeper_strategy_reads_more_and_prefers_nothing_recent(name: str) -> None:
    before, after = STRATEGIES[name], deeper(STRATEGIES[name])
    assert (after.rank.recency, after.rank.later) == ("none", False)
    for channel in ("fulltext", "vector", "sentence"):
        if getattr(before, channel):
            assert getattr(after, channel).limit == 2 * getattr(before, channel).limit
    if before.graph:
        assert after.graph is not None
        assert after.graph.depth == before.graph.depth + 1


def test_K32_three_quarters_of_the_window_call_for_compacting(db: MemoryDatabase) -> None:
    history = ["word " * 400] * 4
    assert "compact" in db.context("Where was the quince planted?", history=history, window=2000, now=NOW).triggers
    assert "compact" not in db.context("Where was the quince planted?", history=history, window=9000, now=NOW).triggers


def test_K32_one_setting_switches_it_off(db: MemoryDatabase) -> None:
    db.set_policy(settings={"triggers.act": "false"})
    found = db.context("Do you remember when Rosa moved?", history=[], now=NOW)
    assert (found.triggers, found.budget) == ((), 2000)
    assert found.to_dict()["triggers"] == []
    assert "session_start" in db.triggers("hello").names  # to be asked, they still answer


def test_K32_an_agents_tool_searches_further_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    search = fulltext.search

    def spy(*args: Any, limit: int, **named: Any) -> Any:
        asked.append(limit)
        return search(*args, limit=limit, **named)

    monkeypatch.setattr(fulltext, "search", spy)
    offered = tools.Tools(str(path))
    offered.recall("quince")
    usual = max(asked)
    asked.clear()
    offered.recall("do you remember when the quince was planted?")
    assert max(asked) == 2 * usual
    with MemoryDatabase(path) as db:
        db.set_policy(settings={"triggers.act": "false"})
    asked.clear()
    offered.recall("do you remember when the quince was planted?")
    assert max(asked) == usual


# ---------------------------------------------------------------------------------------------- an agent's conversation


def transcript(folder: Path, *records: Any) -> Path:
    file = folder / "session.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return file


def claude(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}, **more}


def codex(text: str) -> dict[str, Any]:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    return {"type": "response_item", "payload": said}


def test_what_was_said_before_is_read_from_the_end_of_a_transcript(tmp_path: Path) -> None:
    file = transcript(
        tmp_path,
        claude("x" * READ),
        claude("one"),
        {"type": "assistant", "message": {"role": "assistant", "content": "an answer"}},
        {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "a result"}]}},
        claude("Caveat: the messages below"),
        claude("<command-name>/clear</command-name>"),
        claude("meta", isMeta=True),
        claude("by another", isSidechain=True),
        codex("two"),
        claude("<memkit-context>\nFrom memory.\n</memkit-context>\nthree"),
        ["no record"],
        claude("now"),
    )
    assert said_before({"transcript_path": str(file)}, "now") == ["one", "two", "three"]
    assert said_before({"transcript_path": str(file)}, "other") == ["one", "two", "three", "now"]


def test_what_was_said_before_may_be_unknown(tmp_path: Path) -> None:
    assert said_before({}, "x") is None
    assert said_before({"transcript_path": 3}, "x") is None
    assert said_before({"transcript_path": str(tmp_path)}, "x") is None  # a folder
    assert said_before({"transcript_path": str(tmp_path / "none.jsonl")}, "x") == []
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b"\xff\xfe\n{\n" + b"[" * 100_000)
    assert said_before({"transcript_path": str(broken)}, "x") == []


def test_the_hook_of_an_agent_knows_where_a_session_begins(path: Path, tmp_path: Path) -> None:
    def told(*records: Any) -> str:
        hook = {"prompt": "Where was the quince planted?", "transcript_path": str(transcript(tmp_path, *records))}
        return [advice.text for advice in advise(hook, str(path))][-1]

    assert "- name: Ana" in told()
    assert "- name: Ana" not in told(claude("Which rose is that?"))
    assert "quince" in told(claude("Which rose is that?"))
