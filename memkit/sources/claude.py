"""Claude loader: the data export as `conversations.json`, one conversation, `projects.json`, or the zip of them all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, conversation, records, said
from memkit.sources.options import ReadOptions

Message = dict[str, Any]

_PARENT, _LEAF = "parent_message_uuid", "current_leaf_message_uuid"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The turns of each conversation along its current branch, and the description and documents of each project."""
    for number, found in enumerate(records(path, options, r"(conversations|projects).*\.json"), 1):
        if isinstance(found, Failure):
            yield found
        elif isinstance(found.get("chat_messages"), list):
            yield from _conversation(path, found, number, options)
        elif "docs" in found or "prompt_template" in found:
            yield from _project(path, found, options)
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
        yield from chat.turn(speaker, text, id=message.get("uuid"), at=message.get("created_at"))


def branch(messages: list[Message], leaf: object) -> list[Message]:
    """The messages from the first to the current leaf; all messages if none names its parent."""
    known = {str(message.get("uuid")): message for message in messages}
    parents = {id: str(message.get(_PARENT)) for id, message in known.items()}
    if not set(parents.values()) & set(known):
        return messages
    at = str(leaf) if str(leaf) in known else str(messages[-1].get("uuid"))
    chain: dict[str, Message] = {}
    while at in known and at not in chain:
        chain[at] = known[at]
        at = parents[at]
    return list(chain.values())[::-1]


def _text(message: Message, options: ReadOptions) -> str:
    """The text of a message and of its attachments."""
    texts = [said(message.get("content"), options) or said(message.get("text"), options)]
    for attached in map(as_dict, as_list(message.get("attachments"))):
        if content := attached.get("extracted_content"):
            texts.append(f"[{attached.get('file_name') or 'attachment'}]\n{content}")
    return "\n\n".join(text for text in texts if text)


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
