"""ShareGPT loader: conversations as lists of `from` and `value`, as data sets for training have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import entries
from memkit.sources.chat import Message, as_dict, as_list, records, told
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.text.words import short_id

_SPEAKERS = {"human": "user", "user": "user", "system": "system", "tool": "tool", "observation": "tool"}
_SPEAKERS |= {"function_call": "tool", "function": "tool", "function_response": "tool"}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The turns of each conversation. An id that comes twice is counted: two conversations may have it."""
    seen: Counter[str] = Counter()
    lines = path.suffix.lower() == ".jsonl"
    for number, found in enumerate(entries(path, options) if lines else records(path, options, ".*"), 1):
        if isinstance(found, Failure):
            yield found
            continue
        rows = as_list(found.get("conversations") or found.get("items"))
        if not rows:
            yield Failure(path.as_posix(), f"conversation {number} has no turns (no 'conversations')")
            continue
        id = str(found.get("id") or short_id(*(str(as_dict(row).get("value")) for row in rows)))
        seen[id] += 1
        source = f"{path.as_posix()}#{id}" + (f"-{seen[id]}" if seen[id] > 1 else "")
        yield from told(path, source, [*_messages(rows, options)], options)


def _messages(rows: list[Any], options: ReadOptions) -> Iterator[Message]:
    for row in map(as_dict, rows):
        speaker = _SPEAKERS.get(str(row.get("from")), "assistant")
        left_out = {"system": not options.include_system, "tool": not options.include_tools}.get(speaker, False)
        if isinstance(row.get("value"), str) and not left_out:
            yield Message(speaker, row["value"])


def _matches(sample: Sample) -> bool:
    return '"from"' in sample.text and '"value"' in sample.text and sample.has_keys("conversations")


FORMAT = Format("sharegpt", "Conversations in ShareGPT's shape", read, _matches, ("*.json", "*.jsonl"))
