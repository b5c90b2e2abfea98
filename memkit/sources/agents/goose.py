"""Goose loader: its database of sessions, and the older files with one JSON object per line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry, entries
from memkit.sources.chat import Message, as_dict, said, told
from memkit.sources.format import Format
from memkit.sources.json_file import json_within
from memkit.sources.options import ReadOptions
from memkit.sources.read_only import columns, read_only
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

SELECT_SESSIONS = "select * from sessions order by created_at, id"
SELECT_MESSAGES = "select * from messages where session_id = :id order by id"
_SPEAKERS = ("user", "assistant")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What a person and the model said; what only the model is shown, tools and thinking are left out."""
    yield from _lines(path, options) if path.suffix.lower() == ".jsonl" else _database(path, options)


def _lines(path: Path, options: ReadOptions) -> Iterator[Draft | Failure]:
    about: Entry = {}
    rows: list[Entry] = []
    for entry in entries(path, options):
        if isinstance(entry, Failure):
            yield entry
        elif "role" in entry:
            rows.append(entry)
        else:
            about = about or entry
    yield from _session(path, {**about, "id": path.stem}, rows, options)


def _database(path: Path, options: ReadOptions) -> Iterator[Draft | Failure]:
    with read_only(path, options) as conn:
        names = {table: columns(conn, table) for table in ("sessions", "messages")}
        for values in conn.execute(SELECT_SESSIONS).fetchall():
            session = dict(zip(names["sessions"], values, strict=True))
            found = (dict(zip(names["messages"], row, strict=True)) for row in conn.execute(SELECT_MESSAGES, session))
            rows = [
                {
                    "id": one.get("message_id"),
                    "role": one.get("role"),
                    "created": one.get("created_timestamp"),
                    "content": json_within(one.get("content_json"), options.limits),
                    "metadata": json_within(one.get("metadata_json"), options.limits),
                }
                for one in found
            ]
            yield from _session(path, session, rows, options)


def _session(path: Path, session: Entry, rows: list[Entry], options: ReadOptions) -> Iterator[Draft | Failure]:
    ids, messages = RecordIds(), list[Message]()
    for row in rows:
        speaker, text, at = str(row.get("role")), said(row.get("content"), options), row.get("created")
        shown = as_dict(row.get("metadata")).get("userVisible") is not False
        if (speaker in _SPEAKERS or options.include_tools) and (shown or options.include_system):
            messages.append(Message(speaker, text, row.get("id") or ids.next(at, speaker, text), at))
    yield from told(
        path, f"goose:{session.get('id')}", messages, options, session.get("name") or session.get("description"),
        times=(session.get("created_at"), session.get("updated_at")), meta={"cwd": session.get("working_dir")},
    )  # fmt: skip


def _matches(sample: Sample) -> bool:
    tables = sample.tables
    return (
        {"id", "working_dir"} <= tables.get("sessions", frozenset())
        and {"session_id", "role", "content_json"} <= tables.get("messages", frozenset())
    ) or any("working_dir" in one and "message_count" in one and "role" not in one for one in sample.objects[:1])


FORMAT = Format("goose", "Sessions of Goose: its database, or files of it", read, _matches, ("*.db", "*.jsonl"))
