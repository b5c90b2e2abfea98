"""Payloads of the wrong type: any node of a valid file is replaced by any value; it is read, or fails alone."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memkit import MemoryDatabase
from memkit.core.types import Failure
from memkit.sources import FORMATS, ReadOptions, guard, read

NOW = "2026-03-01T12:00:00Z"
ALL = ReadOptions(include_tools=True, include_system=True, include_thinking=True)

# JSON, and what Python's parser takes for it. The text of a number is kept as it is.
VALUES = [
    "null", "true", "0", "-1", "1.5", "NaN", "Infinity", "-1e999", "9" * 400, '""', '"x"', '"\\ud800"', '"a\\u0000b"',
    "[]", "[null]", "[[1]]", '[{"type": "text", "text": {"a": 1}}]', "{}", '{"text": [NaN]}', '{"id": {"a": [1]}}',
    '"2025-01-01"', "[" * 150 + "]" * 150, '{"\\ud800": 1e999}',
]  # fmt: skip

CHATGPT = {
    "conversation_id": "c", "title": "Garden", "create_time": 1700000000.5, "update_time": 1700000001,
    "current_node": "b",
    "mapping": {
        "a": {"id": "a", "parent": None, "children": ["b"], "message": {
            "id": "m1", "author": {"role": "user"}, "create_time": 1700000000, "recipient": "all",
            "content": {"content_type": "text", "parts": ["Who planted it?", {"text": "heard"}]},
            "metadata": {"is_visually_hidden_from_conversation": False}}},
        "b": {"id": "b", "parent": "a", "children": [], "message": {
            "id": "m2", "author": {"role": "assistant"}, "create_time": None, "content": {
                "content_type": "thoughts", "thoughts": [{"content": "Rosa."}], "text": "Rosa did.", "result": "r"}}},
    },
}  # fmt: skip
CLAUDE = {
    "uuid": "u", "name": "Garden", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-02T00:00:00Z",
    "current_leaf_message_uuid": "m2",
    "chat_messages": [
        {"uuid": "m1", "sender": "human", "created_at": "2025-01-01T00:00:00Z", "parent_message_uuid": "0",
         "text": "Who?", "attachments": [{"file_name": "a.txt", "extracted_content": "Rosa."}]},
        {"uuid": "m2", "sender": "assistant", "parent_message_uuid": "m1", "content": [
            {"type": "text", "text": "Rosa."}, {"type": "thinking", "thinking": "Hm."},
            {"type": "tool_use", "name": "find", "input": {"q": [1]}},
            {"type": "tool_result", "content": [{"type": "text", "text": "found"}]}]},
    ],
}  # fmt: skip
PROJECT = {
    "uuid": "p", "name": "Garden", "description": "Of the quince.", "prompt_template": "Be kind.",
    "created_at": "2025-01-01T00:00:00Z", "updated_at": None,
    "docs": [{"uuid": "d", "filename": "a.md", "content": "It blooms.", "created_at": "2025-01-01T00:00:00Z"}],
}  # fmt: skip
SESSION = {
    "type": "user", "sessionId": "s", "uuid": "1", "timestamp": "2025-01-01T00:00:00Z", "cwd": "/garden",
    "gitBranch": "main", "isMeta": False, "isSidechain": False, "isCompactSummary": False, "summary": "Trees",
    "message": {"content": [{"type": "text", "text": "Rosa."}, {"type": "tool_result", "content": "found"}]},
}  # fmt: skip
NOTEBOOK = {
    "nbformat": 4,
    "cells": [
        {"id": "a", "cell_type": "markdown", "source": ["# Trees\n", "The quince."]},
        {"id": "b", "cell_type": "code", "source": "1 + 1", "outputs": [
            {"output_type": "stream", "text": ["2"]}, {"output_type": "error", "ename": "E", "evalue": "v"},
            {"output_type": "display_data", "data": {"text/plain": ["3"]}}]},
    ],
}  # fmt: skip
ROW = {
    "text": "Rosa planted it.", "id": "r", "title": "T", "timestamp": "2025-01-01", "session": "s", "speaker": "Rosa",
    "project": "garden", "kind": "fact", "category": "c", "tags": ["a"], "importance": 5, "confidence": 0.5,
    "slot": "user", "key": "k", "valid_from": "2025-01-01", "valid_until": "2026-01-01", "expires_at": "2027-01-01",
    "mood": {"now": ["dry"]},
}  # fmt: skip
TRIPLE = {
    "passage_id": "r", "subject": "Rosa", "predicate": "planted", "object": "quince", "confidence": 0.5,
    "valid_from": "2025", "valid_until": "2026-01-01", "quote": "Rosa planted it.",
}  # fmt: skip

VALID = {
    "chatgpt": ("json", [CHATGPT]),
    "claude": ("json", [CLAUDE, PROJECT]),
    "claude-code": ("jsonl", SESSION),
    "notebook": ("ipynb", NOTEBOOK),
    "json": ("json", [ROW]),
    "jsonl": ("jsonl", ROW),
    "triples": ("jsonl", TRIPLE),
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each node of a JSON value."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy with another value at a place."""
    if not path:
        return new
    whole = copy.deepcopy(value)
    at = whole
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = new
    return whole


def changed(value: Any) -> Iterator[str]:
    """The JSON of the value with each node replaced by each of VALUES, and with each node left out."""
    for path in places(value):
        text = json.dumps(replaced(value, path, "<here>"))
        yield from (text.replace('"<here>"', other) for other in VALUES)
    for path in places(value):
        if path and isinstance(path[-1], str):
            text = json.dumps(replaced(value, path, "<here>"))
            yield text.replace(f'{json.dumps(path[-1])}: "<here>"', '"left out": 1')


@pytest.mark.parametrize("format", VALID)
def test_any_value_at_any_place_is_read_or_fails_alone(tmp_path: Path, format: str) -> None:
    ending, value = VALID[format]
    texts = [json.dumps(value), *changed(value)]
    for number, text in enumerate(texts):
        (tmp_path / f"{number:05}.{ending}").write_text(text, "ascii")
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(tmp_path, format=format, now=NOW, include_tools=True, include_thinking=True)
        assert [str(one) for one in report.failures if guard.UNEXPECTED in one.reason] == []
        assert report.added or report.relations or format == "triples"
        assert db.conn.execute("pragma integrity_check").fetchone()[0] == "ok"
        bad = "select count(*) from memories where not json_valid(meta) or not json_valid(tags)"
        assert db.conn.execute(bad).fetchone()[0] == 0
        kinds = "select distinct typeof({}) from memories"
        for column in ("text", "kind", "title", "speaker", "source_id", "happened_at", "category", "project"):
            assert {kind for (kind,) in db.conn.execute(kinds.format(column))} <= {"text", "null"}, column
    valid = tmp_path / f"00000.{ending}"
    assert not [one for one in read(valid, format=format, options=ALL) if isinstance(one, Failure)]


def test_each_format_of_json_has_its_payloads() -> None:
    assert {*VALID} == {*FORMATS} - {"csv", "tsv", "llm", "markdown", "memkit", "sqlite"}
