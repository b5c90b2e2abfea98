"""Cursor loader: transcripts of its agent, the agent's `store.db`, and the editor's `state.vscdb`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.agents import cursor_databases
from memkit.sources.agents.entries import Entry, entries
from memkit.sources.chat import Message, as_dict, said, told
from memkit.sources.contents import opened
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.values import between
from memkit.storage.driver import MAGIC

# In a prompt, the words that were typed; beside them stands what the program knows of the editor.
_TYPED = ("<user_query>", "</user_query>")
_REDACTED = "[REDACTED]"  # stands for thinking that is not shown


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of all chats in the file; tools and thinking are left out unless the options ask."""
    with opened(path, options) as stream:
        is_database = stream.read(len(MAGIC)) == MAGIC
    if is_database:
        yield from cursor_databases.read(path, options, _words)
        return
    inside = "subagents" in path.parts  # an agent, and no person, asks a sub-agent
    messages = []
    for entry in entries(path, options):
        if isinstance(entry, Failure):
            yield entry
        elif text := _words(entry, as_dict(entry.get("message")).get("content"), options):
            speaker = "assistant" if inside else str(entry.get("role"))
            messages.append(Message(speaker, text, meta={"sidechain": True} if inside else {}))
    yield from told(path, path.as_posix(), messages, options)


def _words(message: Entry, content: object, options: ReadOptions) -> str:
    """What a message says; empty if it is left out."""
    role = message.get("role")
    if role not in ("user", "assistant") and not (options.include_tools if role == "tool" else options.include_system):
        return ""
    text = said(content, options)
    typed = between(text, *_TYPED) if role == "user" else []
    text = "\n\n".join(typed) if typed else text.strip().removesuffix(_REDACTED)
    return text.strip()


def _matches(sample: Sample) -> bool:
    if sample.is_database:
        return cursor_databases.matches(sample)
    first = sample.objects[:1]
    return any("role" in one and isinstance(one.get("message"), dict) and "uuid" not in one for one in first)


FORMAT = Format(
    "cursor",
    "Cursor's chats: transcripts, `store.db`, `state.vscdb`",
    read,
    _matches,
    ("*.jsonl", "*.db", "state.vscdb"),
)
