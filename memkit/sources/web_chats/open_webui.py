"""Open WebUI loader: chats as it exports them, one or all; Qwen Chat, which is made from it, exports them so, too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text, conversation, names_of, records
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.values import tags_of
from memkit.sources.web_chats.branches import way_to

Record = dict[str, Any]

_SPEAKERS = ("user", "assistant")
_ANSWER = "answer"  # of the parts of what Qwen says; others are thinking and searches
# What the model thought and which tools it called, as it stands in an answer.
_FOLD, _END = re.compile(r'<details type="(reasoning|tool_calls|code_interpreter)"[^<>]{0,2000}>'), "</details>"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The turns of each chat, along its current branch. Thinking, and calls of tools, are left out."""
    number = 0
    for found in records(path, options, ".*"):
        if isinstance(found, Failure):
            yield found
            continue
        for one in map(as_dict, as_list(found["data"]) if "data" in found else [found]):
            number += 1
            yield from _chat(path, one, number, options)


def _chat(path: Path, found: Record, number: int, options: ReadOptions) -> Iterator[Draft | Failure]:
    said, id = as_dict(found.get("chat")), found.get("id")
    if not said:
        yield Failure(path.as_posix(), f"conversation {number} has no messages (no 'chat')")
        return
    chat = conversation(
        path,
        f"open-webui:{id}" if id else f"{path.as_posix()}#{number}",
        found.get("title") or said.get("title"),
        options,
        times=(found.get("created_at"), found.get("updated_at")),
        tags=tags_of(as_text(one) for one in as_list(as_dict(found.get("meta")).get("tags"))),
    )
    for message in _branch(said):
        speaker = message.get("role")
        if speaker == "system" and not options.include_system:
            continue
        if speaker in (*_SPEAKERS, "system"):
            text = _text(message, options) or names_of(message.get("files"), "name")
            yield from chat.turn(str(speaker), text, id=message.get("id"), at=message.get("timestamp"))


def _branch(said: Record) -> list[Record]:
    """The messages up to the current one."""
    history = as_dict(said.get("history"))
    known = {id: as_dict(one) for id, one in as_dict(history.get("messages")).items()}
    parents = {id: str(one.get("parentId")) for id, one in known.items()}
    current = history.get("currentId") or said.get("currentId")
    way = way_to(str(current), parents)
    return [known[id] for id in way] if way else [as_dict(one) for one in as_list(said.get("messages"))]


def _text(message: Record, options: ReadOptions) -> str:
    text = as_text(message.get("content"))
    if not text.strip():
        parts = map(as_dict, as_list(message.get("content_list")))
        kept = (one for one in parts if options.include_thinking or one.get("phase") in (None, _ANSWER))
        text = "\n\n".join(filter(None, (as_text(one.get("content")) for one in kept)))
    return _unfolded(text, options)


def _unfolded(text: str, options: ReadOptions) -> str:
    """The text without what was thought and called; a fold without its end is text."""
    kept, at = [], 0
    for fold in _FOLD.finditer(text):
        if fold.start() < at:
            continue
        if (end := text.find(_END, fold.end())) < 0:
            break
        shown = options.include_thinking if fold[1] == "reasoning" else options.include_tools
        kept.append(text[at : end + len(_END)] if shown else text[at : fold.start()])
        at = end + len(_END)
    return "".join([*kept, text[at:]])


def _matches(sample: Sample) -> bool:
    whole = sample.has_keys("chat", "title") or sample.has_keys("data", "success")
    return whole and '"history"' in sample.text and '"parentId"' in sample.text


FORMAT = Format("open-webui", "Chats of Open WebUI and of Qwen Chat, as they export them", read, _matches, ("*.json",))
