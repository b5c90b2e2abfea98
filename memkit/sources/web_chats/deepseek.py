"""DeepSeek loader: the data export as `conversations.json`, or the zip that contains it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text, conversation, names_of
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.web_chats.chatgpt import FILES, branch, each_mapping

_SPEAKERS = {"REQUEST": "user", "RESPONSE": "assistant"}  # by the kind of a fragment; others are searches and tools
_THINKING = "THINK"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The turns of each conversation, along the branch that was written last. Thinking and searches are left out."""
    return each_mapping(path, options, _conversation)


def _conversation(path: Path, found: dict[str, Any], number: int, options: ReadOptions) -> Iterator[Draft | Failure]:
    id = found.get("id")
    times = (found.get("inserted_at"), found.get("updated_at"))
    source = f"deepseek:{id}" if id else f"{path.as_posix()}#{number}"
    chat = conversation(path, source, found.get("title"), options, times=times)
    for node_id, node in branch(found["mapping"], None):
        message = as_dict(node.get("message"))
        speaker, text = _said(message, options)
        # The nodes of each conversation are numbered from 1.
        yield from chat.turn(speaker, text, id=f"{id}/{node_id}", at=message.get("inserted_at"))


def _said(message: dict[str, Any], options: ReadOptions) -> tuple[str, str]:
    """Who says what in a message; of one that only has files, their names."""
    speaker, texts = "assistant", []
    for fragment in map(as_dict, as_list(message.get("fragments"))):
        kind = as_text(fragment.get("type"))
        speaker = _SPEAKERS.get(kind, speaker)
        if kind in _SPEAKERS or (kind == _THINKING and options.include_thinking):
            texts.append(as_text(fragment.get("content")).strip())
    files = names_of(message.get("files"), "file_name")
    return ("user" if files and not texts else speaker), "\n\n".join(filter(None, texts)) or files


def _matches(sample: Sample) -> bool:
    return any(one.has_keys("mapping", "inserted_at") for one in sample.inside(FILES))


FORMAT = Format("deepseek", "DeepSeek's data export, or the zip of it", read, _matches, ("*.json", "*.zip"))
