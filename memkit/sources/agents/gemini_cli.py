"""Gemini CLI loader: chats as one JSON object, and since 0.40 as lines of which later ones replace earlier ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry, entries
from memkit.sources.chat import Message, as_dict, as_list, records, told
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

_SPEAKERS = {"user": "user", "gemini": "assistant", "model": "assistant"}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of a chat; notices, tools and thoughts are left out unless the options ask."""
    lines = path.suffix.lower() == ".jsonl"
    chat = _Chat()
    for found in entries(path, options) if lines else records(path, options, ".*"):
        if isinstance(found, Failure):
            yield found
        else:
            chat.take(found)
    about = chat.about
    source = f"gemini-cli:{about['sessionId']}" if about.get("sessionId") else path.as_posix()
    ids = RecordIds()
    messages = [_message(one, options, id in chat.rewound, ids) for id, one in chat.messages.items()]
    yield from told(
        path, source, [one for one in messages if one.text], options, about.get("summary"),
        times=(about.get("startTime"), about.get("lastUpdated")), whole=False, shared=source,
    )  # fmt: skip


class _Chat:
    """A chat while its lines are read: what they say of it, and its messages by their ids."""

    def __init__(self) -> None:
        self.about: Entry = {}
        self.messages: dict[str, Entry] = {}
        self.rewound: set[str] = set()

    def take(self, entry: Entry) -> None:
        """A line: a message, which may replace an earlier one, or something about the chat."""
        if "$rewindTo" in entry:  # the message that is given up, with all after it
            ids = list(self.messages)
            first = ids.index(str(entry["$rewindTo"])) if str(entry["$rewindTo"]) in self.messages else len(ids)
            self.rewound.update(ids[first:])
            return
        if ("id" in entry and "sessionId" not in entry) or {"role", "parts"} <= entry.keys():
            self._add(entry)
            return
        more = as_dict(entry.get("$set")) if "$set" in entry else entry
        # This list is what the model is shown. It may be shorter than what was said, so nothing is taken away by it.
        for one in (*as_list(more.get("messages")), *as_list(more.get("history"))):
            self._add(as_dict(one))
        self.about |= {key: value for key, value in more.items() if key not in ("messages", "history")}

    def _add(self, message: Entry) -> None:
        self.messages[str(message.get("id") or f"#{len(self.messages)}")] = message


def _message(one: Entry, options: ReadOptions, rewound: bool, ids: RecordIds) -> Message:
    kind = str(one.get("type") or one.get("role"))
    speaker = _SPEAKERS.get(kind, kind)
    texts = [_text(one.get("content")) or _text(one.get("parts"))]
    if kind not in _SPEAKERS and not options.include_system:
        texts = []
    if options.include_thinking:
        texts = [*(str(as_dict(thought).get("description") or "") for thought in as_list(one.get("thoughts"))), *texts]
    if options.include_tools:
        texts += [f"{call.get('name')}: {call.get('args')}" for call in map(as_dict, as_list(one.get("toolCalls")))]
    text = "\n\n".join(text for text in texts if text.strip())
    id = one.get("id") or ids.next(None, speaker, text)
    return Message(speaker, text, id, one.get("timestamp") or one.get("ts"), {"rewound": True} if rewound else {})


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(
        text for part in as_list(content) if isinstance(text := as_dict(part).get("text") or part, str) and text.strip()
    )


def _matches(sample: Sample) -> bool:
    keys: Any = {"sessionId", "projectHash"}
    if '"parts"' in sample.text and ({"history"} <= sample.keys or sample.name.startswith("checkpoint-")):
        return True  # what `/chat save` keeps
    return sample.has_keys(*keys, "messages") or any(keys <= one.keys() for one in sample.objects[:1])


FORMAT = Format("gemini-cli", "Chats of the Gemini CLI", read, _matches, ("*.json", "*.jsonl"))
