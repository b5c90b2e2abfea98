"""Grok loader: chats of grok.com and X, as xAI sends them (`prod-grok-backend.json`), or the zip that contains them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text, conversation, records, time_or_none
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.values import without
from memkit.sources.web_chats.branches import way_to

Record = dict[str, Any]

_FILES = r"prod-grok-backend.*\.json"  # in the zip
_CARD = ("<grok:render", "</grok:render>")  # a source or a picture, for its own page
_PEOPLE = ("human", "user")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The turns of each conversation, along the branch that was written last. Thinking is left out."""
    for found in records(path, options, _FILES):
        if isinstance(found, Failure):
            yield found
            continue
        for number, one in enumerate(map(as_dict, as_list(found.get("conversations"))), 1):
            yield from _conversation(path, one, number, options)


def _conversation(path: Path, found: Record, number: int, options: ReadOptions) -> Iterator[Draft | Failure]:
    about = as_dict(found.get("conversation"))
    id = about.get("id") or about.get("_id")
    times = (_time(about.get("create_time")), _time(about.get("modify_time")))
    source = f"grok:{id}" if id else f"{path.as_posix()}#{number}"
    chat = conversation(path, source, about.get("title"), options, times=times)
    said = [as_dict(as_dict(one).get("response")) for one in as_list(found.get("responses"))]
    for message in _branch(said, about.get("leaf_response_id")):
        speaker = "user" if as_text(message.get("sender")).lower() in _PEOPLE else "assistant"
        text = without(as_text(message.get("message")), *_CARD)
        yield from chat.turn(speaker, text, id=message.get("_id"), at=_time(message.get("create_time")))


def _branch(messages: list[Record], leaf: object) -> list[Record]:
    """The messages from the first to the current one; all messages if none names its parent."""
    known = {str(one.get("_id")): one for one in messages}
    parents = {id: str(one.get("parent_response_id")) for id, one in known.items()}
    if not set(parents.values()) & set(known):
        return messages
    newest = max(known, key=lambda id: _time(known[id].get("create_time")) or "")
    return [known[id] for id in way_to(str(leaf) if str(leaf) in known else newest, parents)]


def _time(value: object) -> str | None:
    """A time as text, or as MongoDB writes it: `{"$date": {"$numberLong": "1775718694833"}}`."""
    while isinstance(value, dict):
        value = value.get("$date") or value.get("$numberLong")
    return time_or_none(int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value)


def _matches(sample: Sample) -> bool:
    return any(
        one.has_keys("conversations") and '"responses"' in one.text and '"conversation"' in one.text
        for one in sample.inside(_FILES)
    )


FORMAT = Format("grok-export", "Grok's data export, or the zip of it", read, _matches, ("*.json", "*.zip"))
