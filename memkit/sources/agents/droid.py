"""Droid loader: what `droid exec --output-format stream-json` prints, an event in each line. Its sessions: `pi`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry, entries
from memkit.sources.chat import Message, as_dict, told
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.values import without
from memkit.text.words import short_id

_EVENTS = frozenset({"system", "message", "tool_call", "tool_result", "completion", "error"})
_REMINDER = ("<system-reminder>", "</system-reminder>")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What a person and the model said in a run; its last answer, which its end repeats, once."""
    session, cwd, messages = "", None, list[Message]()
    for entry in entries(path, options):
        if isinstance(entry, Failure):
            yield entry
            continue
        session = session or _session(entry)
        cwd = cwd or entry.get("cwd")
        message = _message(entry, options)
        answers = (one.text for one in reversed(messages) if one.speaker == "assistant")
        if entry.get("type") != "completion" or message.text.strip() != next(answers, "").strip():
            messages.append(message)
    source = f"droid:{session}" if session else path.as_posix()
    yield from told(path, source, messages, options, meta={"cwd": cwd}, whole=False)


def _session(entry: Entry) -> str:
    return str(entry.get("session_id") or entry.get("sessionId") or "")


def _message(entry: Entry, options: ReadOptions) -> Message:
    """The message of an event; its text is empty where nobody speaks."""
    kind, at = str(entry.get("type")), entry.get("timestamp")
    speaker, text = "", ""
    if kind == "message":
        speaker, text = str(entry.get("role")), str(entry.get("text") or "")
        if not options.include_system:
            text = without(text, *_REMINDER) if speaker == "user" else text if speaker == "assistant" else ""
    elif kind == "completion":
        speaker, text = "assistant", str(entry.get("finalText") or "")
    elif kind in ("tool_call", "tool_result") and options.include_tools:
        speaker, text = "tool", json.dumps(entry.get("parameters", entry.get("value")), ensure_ascii=False)
        text = f"{entry.get('toolName')}: {text}" if kind == "tool_call" else text
    # A run that goes on with a session calls its end as the one before did.
    id = entry.get("id") if kind == "message" else None
    return Message(speaker, text, id or short_id(speaker, str(at), text), at)


def _matches(sample: Sample) -> bool:
    events = [one for one in sample.objects if one.get("type") in _EVENTS]
    spoken = (one for one in events if {"role", "text"} <= one.keys() or "finalText" in one)
    return bool(events) and len(events) == len(sample.objects) and bool(_session(as_dict(events[0]))) and any(spoken)


FORMAT = Format(
    "droid", "Runs of Factory's Droid (`droid exec --output-format stream-json`)", read, _matches, ("*.jsonl",)
)
