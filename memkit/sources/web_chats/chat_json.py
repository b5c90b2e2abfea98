"""Chats as JSON, one or several in a file: a title, and messages with roles.

So do LM Studio, LibreChat, Le Chat of Mistral and smaller programs keep or export them, each with its own names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import Message, as_dict, as_list, as_text, said, time_or_none, told
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.json_file import load_json
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.web_chats.branches import way_to

Record = dict[str, Any]

_SPEAKERS = {"user": "user", "human": "user", "system": "system", "developer": "system", "tool": "tool"}
_SPEAKERS |= dict.fromkeys(("assistant", "model", "ai", "bot", "gpt"), "assistant")
_IDS, _PARENTS = ("id", "messageId", "_id", "uuid"), ("parentMessageId", "parentId")
_TIMES = ("createdAt", "created_at", "timestamp", "create_time")
_STEP = re.compile(r"(\d{13})-")  # the moment of a step of LM Studio, in its id
_THOUGHT = ("thinking", "think", "reasoning")
_SAYS_WHO = re.compile(r'"role"\s*:\s*"(?:user|human|assistant|model)"|"isCreatedByUser"\s*:')
_MESSAGE = ("role", "content", "chatId", "createdAt")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The turns of each chat, along its current branch. Thinking, prompts of the system and tools are left out."""
    found = load_json(whole(path, options), options.limits)
    if isinstance(found, dict) or any("messages" in as_dict(one) for one in as_list(found)):
        chats = list(map(as_dict, found if isinstance(found, list) else [found]))
    else:  # a list of the messages of one chat
        chats = [{"messages": found}]
    for number, chat in enumerate(chats, 1):
        yield from _chat(path, chat, number if len(chats) > 1 else 0, options)


def _chat(path: Path, found: Record, number: int, options: ReadOptions) -> Iterator[Draft | Failure]:
    messages = list(_flat(found.get("messages")))
    if not messages:
        yield Failure(path.as_posix(), f"chat {number or 1} has no messages (no 'messages')")
        return
    id = _first(found, "conversationId", "id", "chatId") or next(
        filter(None, (one.get("chatId") for one in messages)), ""
    )
    source = f"chat:{id}" if id else path.as_posix() + (f"#{number}" if number else "")
    begun = _first(found, *_TIMES)
    turns = [turn for one in _branch(messages) if (turn := _turn(one, options))]
    if turns and turns[0].at is None:
        turns[0] = turns[0]._replace(at=begun)
    times = (begun, _first(found, "updatedAt", "updated_at"))
    yield from told(path, source, turns, options, _first(found, "title", "name"), times=times)


def _flat(messages: object) -> Iterator[Record]:
    """The messages, those below others too; of several versions of one that which was chosen."""
    for one in map(as_dict, as_list(messages)):
        versions, chosen = as_list(one.get("versions")), one.get("currentlySelected")
        if versions:
            one = as_dict(versions[chosen] if isinstance(chosen, int) and 0 <= chosen < len(versions) else versions[-1])
        yield one
        if isinstance(one.get("children"), list):
            yield from _flat([inner for inner in one["children"] if isinstance(inner, dict)])


def _branch(messages: list[Record]) -> list[Record]:
    """The messages up to the one that was written last; all of them if none names the one before it."""
    known = {str(id): one for one in messages if (id := _first(one, *_IDS))}
    parents = {id: str(_first(one, *_PARENTS)) for id, one in known.items()}
    if len(known) < len(messages) or not set(parents.values()) & set(known):
        return messages
    last = max(reversed(known), key=lambda id: time_or_none(_first(known[id], *_TIMES)) or "")
    return [known[id] for id in way_to(last, parents)]


def _turn(message: Record, options: ReadOptions) -> Message | None:
    mine = message.get("isCreatedByUser")
    role = ("user" if mine else "assistant") if isinstance(mine, bool) else as_text(message.get("role")).lower()
    speaker = _SPEAKERS.get(role)
    left_out = {"system": not options.include_system, "tool": not options.include_tools}.get(speaker or "", False)
    if speaker is None or left_out:
        return None
    steps = [as_dict(one) for one in as_list(message.get("steps"))]
    shown = [message, *(one for one in steps if options.include_thinking or not _is_thought(one))]
    text = "\n\n".join(filter(str.strip, (_text(one, options) for one in shown)))
    moment = next((int(one[1]) for step in steps if (one := _STEP.match(as_text(step.get("stepIdentifier"))))), None)
    return Message(speaker, text, _first(message, *_IDS) or None, _first(message, *_TIMES) or moment)


def _is_thought(step: Record) -> bool:
    return as_dict(step.get("style")).get("type") in _THOUGHT


def _text(message: Record, options: ReadOptions) -> str:
    """The text of a message, or of a step of one."""
    for content in (message.get("content"), message.get("contentChunks"), message.get("text")):
        blocks = content
        if isinstance(content, list):  # `text` is a text, or an object with one
            texts = ((as_dict(one), as_dict(as_dict(one).get("text")).get("value")) for one in content)
            blocks = [one | {"text": value} if isinstance(value, str) else one for one, value in texts]
        if (text := said(blocks, options)).strip():
            return text
    return ""


def _first(found: Record, *keys: str) -> Any:
    """What stands under the first of these keys that has something; empty if none has."""
    return next((found[key] for key in keys if isinstance(found.get(key), str | int | float) and found[key]), "")


def _matches(sample: Sample) -> bool:
    named = sample.has_keys("messages") and ("title" in sample.keys or "name" in sample.keys)
    return (named or sample.has_keys(*_MESSAGE)) and _SAYS_WHO.search(sample.text) is not None


FORMAT = Format(
    "chat-json",
    "Chats with models as JSON: those of LM Studio, LibreChat, Le Chat and others, messages with roles",
    read,
    _matches,
    ("*.json",),
)
