"""Loader of sessions of Pi, of OpenClaw, which is made of it, and of Factory's Droid, which writes them alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry, entries
from memkit.sources.agents.linked_session import LinkedSession
from memkit.sources.chat import Message, as_dict, said, told
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.values import without
from memkit.text.words import short_id

SHARED = "pi"  # with it the sources of all sessions begin
_HEADERS = ("session", "session_start")
_ADDED = ("<system-reminder>", "</system-reminder>")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What a person and the model said. A fork begins with copies of another session's messages: each is one memory."""
    session, about, title = LinkedSession(), Entry(), None
    for entry in entries(path, options):
        if isinstance(entry, Failure):
            yield entry
        elif entry.get("type") in _HEADERS:
            about = about or entry
        else:
            if entry.get("type") == "session_info":
                title = entry.get("name") or title
            id = str(entry.get("id") or "")
            if id:
                session.add(id, entry.get("parentId"))
            session.messages.append(_message(id, entry, options))
    source = f"{SHARED}:{about.get('id') or path.stem}"
    yield from told(
        path, source, session.told(), options, title or about.get("sessionTitle") or about.get("title"),
        times=(about.get("timestamp"), None), meta={"cwd": about.get("cwd")}, whole=False, shared=SHARED,
    )  # fmt: skip


def _message(id: str, entry: Entry, options: ReadOptions) -> Message:
    """The message of an entry; its text is empty where nobody speaks."""
    message = as_dict(entry.get("message")) if entry.get("type") == "message" else {}
    speaker, at = str(message.get("role")), entry.get("timestamp") or message.get("timestamp")
    text = said(message.get("content"), options)
    if speaker == "user" and not options.include_system:
        text = without(text, *_ADDED)
    if speaker not in ("user", "assistant", "system"):
        speaker = "tool"  # its results, and what was run by hand
    wanted = {"tool": options.include_tools, "system": options.include_system}
    return Message(speaker, text if wanted.get(speaker, True) else "", id or short_id(speaker, str(at), text), at)


def _matches(sample: Sample) -> bool:
    return any(
        one.get("type") in _HEADERS and "id" in one and ("cwd" in one or "version" in one) for one in sample.objects[:1]
    )


FORMAT = Format("pi", "Sessions of Pi, OpenClaw and Factory's Droid", read, _matches, ("*.jsonl",))
