"""Kimi Code loader: the `wire.jsonl` of a session, in which each line is something that happened."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memkit.core.patterns import pattern
from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry, entries
from memkit.sources.chat import Message, as_dict, as_list, told
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

_GIT = pattern(r"\A\s*<git-context>.*?(?:</git-context>|\Z)\s*", re.DOTALL)  # stands before what a sub-agent is asked
_MAIN = "main"  # the folder of the agent to whom a person speaks; a sub-agent has one of its own


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What was typed, and what the model answered; its thoughts, tools and notices only if the options ask."""
    ids, messages = RecordIds(), list[Message]()
    agents = path.name == "wire.jsonl" and path.parents[1].name == "agents"  # a folder for each, in that of the session
    agent = path.parent.name if agents else _MAIN
    about: Entry = {}
    for entry in entries(path, options):
        if isinstance(entry, Failure):
            yield entry
        elif entry.get("type") == "metadata":
            about = about or entry
        else:
            speaker, text, id = _said(entry, options)
            at = entry.get("time")
            sidechain = {"sidechain": True} if agent != _MAIN else {}
            messages.append(Message(speaker, text, id or ids.next(at, speaker, text), at, sidechain))
    session = path.parents[2].name if agents else path.stem
    source = f"kimi:{session}" if agent == _MAIN else f"kimi:{session}#{agent}"
    times = (about.get("created_at"), None)
    kept = [one for one in messages if one.text.strip()]
    yield from told(path, source, kept, options, times=times, whole=False, shared=source)


def _said(entry: Entry, options: ReadOptions) -> tuple[str, str, object]:
    """The speaker, the text and the id of an entry; the text is empty where nobody speaks."""
    kind, message, event = entry.get("type"), as_dict(entry.get("message")), as_dict(entry.get("event"))
    if kind == "context.append_message":
        origin = as_dict(message.get("origin"))
        asked = origin.get("name") == "subagent"  # by an agent, and no person
        if message.get("role") != "user" or not (
            options.include_system or asked or origin.get("kind") in ("user", None)
        ):
            return "", "", None
        parts = (as_dict(part).get("text") for part in as_list(message.get("content")))
        said = "\n\n".join(part for part in parts if isinstance(part, str))
        return ("assistant", _GIT.sub("", said), None) if asked else ("user", said, None)
    part = as_dict(event.get("part"))
    text = part.get("text") or (part.get("think") if options.include_thinking else None)
    if kind == "context.append_loop_event" and event.get("type") == "content.part" and isinstance(text, str):
        return "assistant", text, event.get("uuid")
    if event.get("type") == "tool.call" and options.include_tools:
        return "tool", f"{event.get('name')}: {event.get('args')}", event.get("uuid")
    return "", "", None


def _matches(sample: Sample) -> bool:
    return any(one.get("type") == "metadata" and "protocol_version" in one for one in sample.objects[:1])


FORMAT = Format("kimi", "Sessions of Kimi Code (`wire.jsonl`)", read, _matches, ("*.jsonl",))
