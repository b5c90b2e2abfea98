"""Amp loader: a thread in a file, as `~/.local/share/amp/threads` has it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.chat import Message, as_dict, as_list, records, said, told
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What was said in a thread; tools and thinking are left out unless the options ask."""
    for thread in records(path, options, ".*"):
        if isinstance(thread, Failure):
            yield thread
            continue
        found = [as_dict(one) for one in as_list(thread.get("messages"))]
        messages = [
            Message(
                str(one.get("role")),
                said(one.get("content"), options),
                one.get("messageId"),
                as_dict(one.get("meta")).get("sentAt") or thread.get("created"),
            )
            for one in found
            if one.get("role") in ("user", "assistant")
        ]
        source = f"amp:{thread.get('id') or path.stem}"
        times = (thread.get("created"), None)
        yield from told(path, source, messages, options, thread.get("title"), times=times)


def _matches(sample: Sample) -> bool:
    return sample.has_keys("id", "created", "messages") and '"messageId"' in sample.text


FORMAT = Format("amp", "Threads of Amp", read, _matches, ("*.json",))
