"""Antigravity loader: `transcript.jsonl`, the steps of a conversation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry, entries
from memkit.sources.chat import Message, told
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.values import between

# In a prompt, the words that were typed; beside them stands what the person has set, and what is open.
_TYPED = ("<USER_REQUEST>", "</USER_REQUEST>")
_LOGS = (".system_generated", "logs")  # where a transcript lies in the folder of its conversation


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What was typed and answered; steps, notices and thoughts are left out unless the options ask."""
    messages = []
    for entry in entries(path, options):
        if isinstance(entry, Failure):
            yield entry
        else:
            messages.append(_message(entry, options))
    session = path.parents[2].name if path.parts[-3:-1] == _LOGS else path.stem
    said = [one for one in messages if one.text.strip()]
    yield from told(path, f"antigravity:{session}", said, options, times=(said[0].at if said else None, None))


def _message(entry: Entry, options: ReadOptions) -> Message:
    """The message of a step; its text is empty where nobody speaks."""
    kind, at, id = entry.get("type"), entry.get("created_at"), entry.get("step_index")
    text, thought = (value if isinstance(value := entry.get(key), str) else "" for key in ("content", "thinking"))
    speaker = "tool"
    if kind == "USER_INPUT":
        speaker, typed = "user", between(text, *_TYPED)
        text = "\n\n".join(typed) if typed and not options.include_system else text
    elif kind == "PLANNER_RESPONSE":
        speaker = "assistant"
        text = "\n\n".join(filter(None, (thought, text))) if options.include_thinking else text
    elif entry.get("source") == "SYSTEM":
        speaker = "system"
    wanted = {"tool": options.include_tools, "system": options.include_system}
    return Message(speaker, text if wanted.get(speaker, True) else "", None if id is None else f"step {id}", at)


def _matches(sample: Sample) -> bool:
    return any({"step_index", "source", "type", "status"} <= one.keys() for one in sample.objects)


FORMAT = Format("antigravity", "Conversations of Antigravity (`transcript.jsonl`)", read, _matches, ("*.jsonl",))
