"""Microsoft Copilot loader: the activity history of an account, as Microsoft's privacy dashboard exports it (CSV)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.chat import conversation, whole_records
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import Row, has_columns, rows
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

_COLUMNS = ("Conversation", "Time", "Author", "Message")
_PERSON = "Human"
_OFFERED = re.compile(r"\[([^\[\]\n]{1,500})\]\(ca://[^()\s]*\)")  # what one could ask next, by a click


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The turns of each conversation, the oldest first. There are no ids: a conversation is known by its title."""
    said = yield from whole_records(rows(path, options))
    # A prompt and its answer have one time, and the answer stands first: to sort them would turn them around.
    if said and said[0].get("Time", "") >= said[-1].get("Time", ""):
        said.reverse()
    chats: dict[str, list[Row]] = defaultdict(list)
    for row in said:
        chats[row.get("Conversation", "").strip()].append(row)
    for title, turns in chats.items():
        chat = conversation(path, f"microsoft-copilot:{title}", title, options, whole=False)
        ids = RecordIds()
        for row in turns:
            speaker = "user" if row.get("Author") == _PERSON else "assistant"
            at, text = row.get("Time"), _OFFERED.sub(r"\1", row.get("Message", ""))
            yield from chat.turn(speaker, text, id=ids.next(at, speaker, text), at=at)


def _matches(sample: Sample) -> bool:
    return has_columns(sample, *_COLUMNS)


FORMAT = Format(
    "microsoft-copilot",
    "Chats with Microsoft Copilot: the activity history that the privacy dashboard exports",
    read,
    _matches,
    ("*.csv",),
)
