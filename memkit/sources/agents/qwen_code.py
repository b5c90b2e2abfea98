"""Qwen Code loader: session files with one JSON object per line, which name the one that they follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry, entries
from memkit.sources.agents.linked_session import LinkedSession
from memkit.sources.chat import Message, as_dict, as_list, told
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.text.words import short_id

SHARED = "qwen-code"  # with it the sources of all sessions begin
_SPEAKERS = {"user": "user", "assistant": "assistant", "tool_result": "tool", "system": "system"}
_OF_THE_PROGRAM = ("goal_runtime", "cron", "notification")  # messages of the user that nobody typed
_ASIDE = "session_artifact"  # begins the kinds of entries after which nothing goes on


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What was typed and answered; tools, thoughts and what the program adds are left out unless the options ask."""
    session, about, title = LinkedSession(), Entry(), None
    for entry in entries(path, options):
        if isinstance(entry, Failure):
            yield entry
            continue
        about = about or entry
        title = as_dict(entry.get("systemPayload")).get("customTitle") or title
        id = str(entry.get("uuid") or "")
        if id and not str(entry.get("subtype")).startswith(_ASIDE):
            session.add(id, entry.get("parentUuid"))
        session.messages.append(_message(id, entry, options))
    source = f"{SHARED}:{about.get('sessionId') or path.stem}"
    yield from told(
        path, source, session.told(), options, title, times=(about.get("timestamp"), None), whole=False, shared=SHARED,
        meta={"cwd": about.get("cwd"), "branch": about.get("gitBranch")},
    )  # fmt: skip


def _message(id: str, entry: Entry, options: ReadOptions) -> Message:
    """The message of an entry; its text is empty where nobody speaks."""
    kind = str(entry.get("type"))
    parts = [as_dict(part) for part in as_list(as_dict(entry.get("message")).get("parts"))]
    texts = [part.get("text") for part in parts if options.include_thinking or not part.get("thought")]
    if kind == "user" and not options.include_system:
        typed = as_dict(entry.get("systemPayload")).get("displayText")  # without what the program put behind it
        texts = [] if entry.get("subtype") in _OF_THE_PROGRAM else [typed] if typed else texts
    if options.include_tools:
        calls = (as_dict(part.get("functionCall")) for part in parts)
        results = (as_dict(part.get("functionResponse")) for part in parts)
        texts += [f"{call.get('name')}: {call.get('args')}" for call in calls if call]
        texts += [str(result["response"]) for result in results if result.get("response")]
    if kind not in _SPEAKERS or (kind == "system" and not options.include_system):
        texts = []
    text = "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())
    at = entry.get("timestamp")
    return Message(_SPEAKERS.get(kind, kind), text, id or short_id(kind, str(at), text), at)


def _matches(sample: Sample) -> bool:
    return any(
        {"uuid", "sessionId", "type"} <= one.keys()
        and ("parts" in as_dict(one.get("message")) or ("systemPayload" in one and "message" not in one))
        for one in sample.objects
    )


FORMAT = Format("qwen-code", "Sessions of Qwen Code", read, _matches, ("*.jsonl",))
