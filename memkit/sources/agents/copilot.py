"""GitHub Copilot loader: chats of VS Code (exported, or as it keeps them), and sessions of the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry, entries
from memkit.sources.chat import (
    Conversation,
    Message,
    as_dict,
    as_list,
    conversation,
    records,
    short_title,
    time_or_none,
    told,
)
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_EVENTS = {"user.message": "user", "assistant.message": "assistant"}
_CHANGES = ({"kind", "v"}, {"kind", "k"})  # lines of VS Code: a chat, and what has changed in it


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The prompts and answers; tools, progress and thinking are left out unless the options ask."""
    if path.suffix.lower() != ".jsonl":
        for found in records(path, options, ".*"):
            yield from [found] if isinstance(found, Failure) else _chat(path, found, options)
        return
    chat: Any = {}
    events = _Events(path, options)
    for entry in entries(path, options):
        if isinstance(entry, Failure):
            yield entry
        elif "kind" in entry:
            chat = _changed(chat, entry)
        else:
            yield from events.take(entry)
    if chat:
        yield from _chat(path, as_dict(chat), options)


# --------------------------------------------------------------------------------------------------------- VS Code


def _changed(chat: Any, change: Entry) -> Any:
    """A chat after one line of its log: the whole of it, a value that is set, items that are added, or one removed."""
    kind, value = change.get("kind"), change.get("v")
    way = as_list(change.get("k"))
    if kind == 0 or not way:
        return value if kind == 0 else chat
    at = chat
    for step in way[:-1]:
        at = _step(at, step)
    last = way[-1]
    if kind == 2:
        items = _step(at, last)
        if isinstance(items, list):
            length = change.get("i")
            items[length if isinstance(length, int) and 0 <= length <= len(items) else len(items) :] = as_list(value)
        elif isinstance(at, dict):
            at[str(last)] = as_list(value)
    elif isinstance(at, dict):
        at.pop(str(last), None) if kind == 3 else at.update({str(last): value})
    elif isinstance(at, list) and isinstance(last, int) and 0 <= last < len(at):
        at[last] = value
    return chat


def _step(at: Any, key: object) -> Any:
    if isinstance(at, dict):
        return at.get(str(key))
    return at[key] if isinstance(at, list) and isinstance(key, int) and 0 <= key < len(at) else None


def _chat(path: Path, found: Entry, options: ReadOptions) -> Iterator[Draft | Failure]:
    requests = [as_dict(one) for one in as_list(found.get("requests"))]
    id = found.get("sessionId") or (requests[0].get("requestId") if requests else None)
    source = f"copilot:{id}" if id else path.as_posix()
    messages = [message for request in requests for message in _exchange(request, options)]
    times = (found.get("creationDate"), found.get("lastMessageDate"))
    yield from told(path, source, messages, options, found.get("customTitle"), times=times)


def _exchange(request: Entry, options: ReadOptions) -> Iterator[Message]:
    """A prompt, and its answer."""
    at, prompt = request.get("timestamp"), as_dict(request.get("message"))
    texts = [as_dict(part).get("text") for part in as_list(prompt.get("parts"))]
    text = prompt.get("text") or "".join(one for one in texts if isinstance(one, str))
    if isinstance(text, str):
        yield Message("user", text, request.get("requestId"), at)
    answer = "".join(_without_empty_blocks([_part(part, options) for part in as_list(request.get("response"))]))
    yield Message("assistant", answer, request.get("responseId"), at)


def _without_empty_blocks(parts: list[str]) -> list[str]:
    """The parts without blocks of code that hold nothing: the marks around a file that was changed."""
    written = [at for at, part in enumerate(parts) if part.strip()]
    inside = False
    for at, after in zip(written, [*written[1:], *written[-1:]], strict=True):
        if _is_fence(parts[at]):
            if not inside and after > at and _is_fence(parts[after]):
                parts[at] = parts[after] = ""
            else:
                inside = not inside
    return parts


def _is_fence(part: str) -> bool:
    return part.strip() == "```"


def _part(part: object, options: ReadOptions) -> str:
    """The text of a part of an answer. Markdown has no kind; what an answer refers to stands as its name."""
    about = as_dict(part)
    kind, value = about.get("kind"), about.get("value")
    if kind in ("markdownContent", "markdownVuln"):
        value = about.get("content")
    elif kind == "inlineReference":
        return _reference(as_dict(about.get("inlineReference")), about.get("name"))
    elif kind == "thinking" and not options.include_thinking:
        return ""
    elif kind not in (None, "thinking"):
        message = about.get("invocationMessage")
        message = as_dict(message).get("value") or message
        tool = kind == "toolInvocationSerialized" and options.include_tools
        return f"\n\n{message}\n\n" if tool and isinstance(message, str) else "\n\n"
    value = as_dict(value).get("value") if isinstance(value, dict) else value
    value = "".join(one for one in value if isinstance(one, str)) if isinstance(value, list) else value
    return value if isinstance(value, str) else ""


def _reference(reference: Entry, name: object) -> str:
    """What an answer refers to: a symbol or a file, in code marks."""
    where = as_dict(reference.get("location")).get("uri") or reference.get("uri") or reference
    file = str(as_dict(where).get("path") or "").rsplit("/", 1)[-1]
    name = reference.get("name") or name or file
    return f"`{name}`" if isinstance(name, str) and name else ""


# ------------------------------------------------------------------------------------------------ the command line


class _Events:
    """A session of the command line, one event after another."""

    def __init__(self, path: Path, options: ReadOptions):
        self.path, self.options = path, options
        self.about: Entry = {}
        self.chat: Conversation | None = None
        self.at: str | None = None

    def take(self, event: Entry) -> Iterator[Draft | Failure]:
        """The drafts of an event."""
        self.at = time_or_none(event.get("timestamp")) or self.at
        kind, data = str(event.get("type")), as_dict(event.get("data"))
        if kind == "session.start":
            self.about = self.about or data
        speaker, text = _EVENTS.get(kind, ""), data.get("content")
        if kind == "system.message" and self.options.include_system:
            speaker = "system"
        if kind == "assistant.reasoning" and self.options.include_thinking:
            speaker = "assistant"
        if kind == "tool.execution_start" and self.options.include_tools:
            speaker, text = "tool", f"{data.get('toolName')}: {data.get('arguments')}"
        if speaker and isinstance(text, str) and text.strip():
            self.chat = self.chat or self._begun(text)
            more = {"sidechain": True} if data.get("parentToolCallId") else {}
            yield from self.chat.turn(speaker, text, id=event.get("id"), at=self.at, **more)

    def _begun(self, text: str) -> Conversation:
        about = as_dict(self.about.get("context"))
        source = f"copilot:{self.about.get('sessionId') or self.path.parent.name}"
        meta = {"cwd": about.get("cwd"), "branch": about.get("branch")}
        times = (self.about.get("startTime"), None)
        return conversation(self.path, source, short_title(text), self.options, times=times, meta=meta, whole=False)


def _matches(sample: Sample) -> bool:
    first = sample.objects[0] if sample.objects else {}
    if any(keys <= first.keys() for keys in _CHANGES):
        return isinstance(first.get("v"), dict) and "requests" in first["v"]
    if isinstance(first.get("type"), str) and isinstance(first.get("data"), dict) and "id" in first:
        return str(first["type"]).startswith(("session.", "user.message"))
    return sample.has_keys("requests", "responderUsername")


FORMAT = Format(
    "copilot", "Chats of GitHub Copilot: VS Code's, and the command line's", read, _matches, ("*.json", "*.jsonl")
)
