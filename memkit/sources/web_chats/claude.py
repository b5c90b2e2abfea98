"""Claude loader: the data export, as files of conversations, projects and memories, or the zip of them all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import (
    as_dict,
    as_list,
    as_text,
    conversation,
    names_of,
    quotation,
    records,
    said,
    time_or_none,
)
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.web_chats.branches import way_to

# In the zip. Newer ones have a file for each project, named by its id.
FILES = r"(?:conversations|projects|memories).*\.json|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json"
Message = dict[str, Any]

_PARENT, _LEAF = "parent_message_uuid", "current_leaf_message_uuid"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The turns of each conversation along its current branch, each project's own words, and what Claude remembers."""
    for number, found in enumerate(records(path, options, FILES), 1):
        if isinstance(found, Failure):
            yield found
        elif isinstance(found.get("chat_messages"), list):
            yield from _conversation(path, found, number, options)
        elif "conversations_memory" in found or "project_memories" in found:
            yield from _memories(path, found, options)
        elif "docs" in found or "prompt_template" in found:
            yield from _project(path, found, options)
        elif isinstance(found.get("messages"), list):
            yield from _design(path, found, options)
        else:
            yield Failure(path.as_posix(), f"item {number} has no messages (no 'chat_messages')")


def _conversation(path: Path, found: Message, number: int, options: ReadOptions) -> Iterator[Draft | Failure]:
    id = found.get("uuid")
    source = f"claude:{id}" if id else f"{path.as_posix()}#{number}"
    times = (found.get("created_at"), found.get("updated_at"))
    chat = conversation(path, source, found.get("name"), options, times=times)
    for message in branch([m for m in found["chat_messages"] if isinstance(m, dict)], found.get(_LEAF)):
        sender = str(message.get("sender") or "user")
        speaker, text = "user" if sender == "human" else sender, _text(message, options)
        yield from chat.turn(speaker, text, id=message.get("uuid"), at=_time(message.get("created_at")))


def branch(messages: list[Message], leaf: object) -> list[Message]:
    """The messages from the first to the current leaf; all messages if none names its parent."""
    known = {str(message.get("uuid")): message for message in messages}
    parents = {id: str(message.get(_PARENT)) for id, message in known.items()}
    if not set(parents.values()) & set(known):
        return messages
    at = str(leaf) if str(leaf) in known else str(messages[-1].get("uuid"))
    return [known[id] for id in way_to(at, parents)]


def _time(value: object) -> object:
    """The time of a message; of one whose zone is cut off, what is left."""
    return value[:_SECONDS] if isinstance(value, str) and time_or_none(value) is None else value


_SECONDS = len("2025-01-01T00:00:00")


def _text(message: Message, options: ReadOptions) -> str:
    """The text of a message with its artifacts and the text of attachments; of one that only has files, their names."""
    content = message.get("content")
    blocks = [_block(block, options) for block in content] if isinstance(content, list) else [said(content, options)]
    texts = [text for text in blocks if text.strip()] or [said(message.get("text"), options)]
    for attached in map(as_dict, as_list(message.get("attachments"))):
        if content := attached.get("extracted_content"):
            texts.append(f"[{attached.get('file_name') or 'attachment'}]\n{quotation(str(content))}")
    text = "\n\n".join(text for text in texts if text)
    return text or names_of([*as_list(message.get("attachments")), *as_list(message.get("files"))], "file_name")


def _block(block: object, options: ReadOptions) -> str:
    about = as_dict(block)
    if about.get("type") == "tool_use" and about.get("name") == "artifacts" and not options.include_tools:
        written = as_dict(about.get("input"))
        texts = [written.get("title"), written.get("content") or written.get("new_str")]
        return "\n\n".join(text for text in texts if isinstance(text, str) and text) if texts[1] else ""
    return said([block], options)


def _memories(path: Path, found: Message, options: ReadOptions) -> Iterator[Draft | Failure]:
    """What Claude remembers of a person, and for each project."""
    account = found.get("account_uuid")
    about = conversation(path, f"claude:memories:{account}", "What Claude remembers", options, kind="note")
    yield from about.turn("assistant", as_text(found.get("conversations_memory")), id=account or "memories")
    for file in map(as_dict, as_list(found.get("memory_files"))):
        name = as_text(file.get("path"))
        yield from about.turn("assistant", as_text(file.get("content")), id=f"{account}:{name}", filename=name or None)
    for id, text in as_dict(found.get("project_memories")).items():
        source = f"claude:memories:project:{id}"
        project = conversation(path, source, "What Claude remembers of a project", options, kind="note")
        yield from project.turn("assistant", as_text(text), id=id)


def _project(path: Path, found: Message, options: ReadOptions) -> Iterator[Draft | Failure]:
    """A project's description, instructions and documents."""
    id, created = found.get("uuid"), found.get("created_at")
    times = (created, found.get("updated_at"))
    chat = conversation(path, f"claude:project:{id}", found.get("name"), options, kind="note", times=times)
    yield from chat.turn("user", str(found.get("description") or ""), id=id, at=created)
    yield from chat.turn("user", str(found.get("prompt_template") or ""), id=f"{id}:instructions", at=created)
    for doc in map(as_dict, as_list(found.get("docs"))):
        file = doc.get("filename")
        given = {"id": doc.get("uuid") or f"{id}:{file}", "at": doc.get("created_at") or created}
        yield from chat.turn("user", str(doc.get("content") or ""), **given, filename=file)


def _design(path: Path, found: Message, options: ReadOptions) -> Iterator[Draft | Failure]:
    """A chat beside a canvas of Claude Design; it is called `Chat`, and its project has a name."""
    project = as_dict(found.get("project")).get("name")
    times = (found.get("created_at"), found.get("updated_at"))
    chat = conversation(path, f"claude:{found.get('uuid')}", project or found.get("title"), options, times=times)
    for message in map(as_dict, found["messages"]):
        content = as_dict(message.get("content"))
        blocks = [said([one], options) for one in as_list(content.get("contentBlocks"))]
        given = [one for one in map(as_dict, as_list(content.get("attachments"))) if as_text(one.get("content"))]
        texts = [as_text(content.get("content")) or "\n\n".join(filter(str.strip, blocks))]
        texts += [f"[{one.get('name') or 'attachment'}]\n{quotation(as_text(one.get('content')))}" for one in given]
        speaker = "assistant" if message.get("role") == "assistant" else "user"
        at = message.get("created_at") or content.get("timestamp")
        yield from chat.turn(speaker, "\n\n".join(filter(None, texts)), id=message.get("uuid"), at=at)


_SHAPES = (
    ("chat_messages",),
    ("conversations_memory",),
    ("uuid", "docs"),
    ("uuid", "prompt_template"),
    ("uuid", "project", "messages"),
)


def _matches(sample: Sample) -> bool:
    return any(one.has_keys(*keys) for one in sample.inside(FILES) for keys in _SHAPES)


FORMAT = Format(
    "claude", "Claude's data export: chats, projects and memories, or the zip", read, _matches, ("*.json", "*.zip")
)
