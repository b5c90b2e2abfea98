"""Zed loader: a text thread of Zed's assistant, as `~/.local/share/zed/conversations` has it.

It is one text, and a list says where in it, in bytes, each message begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import Message, as_dict, as_list, records, told
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_MARK = re.compile(r'"zed"\s*:\s*"context"')


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of a thread. Files that a command put into one are only named, unless tools are asked for."""
    for thread in records(path, options, ".*"):
        if isinstance(thread, Failure):
            yield thread
            continue
        source = f"zed:{thread['id']}" if isinstance(thread.get("id"), str) else path.as_posix()
        yield from told(path, source, list(_messages(thread, options)), options, thread.get("summary"))


def _messages(thread: dict[str, Any], options: ReadOptions) -> Iterator[Message]:
    text = str(thread.get("text") or "").encode("utf-8", "replace")
    put_in = [] if options.include_tools else _put_in(thread)
    about = as_dict(thread.get("message_metadata"))  # before version 0.4, apart from the messages
    found = [one for one in map(as_dict, as_list(thread.get("messages"))) if isinstance(one.get("start"), int)]
    found.sort(key=lambda one: one["start"])
    ends = [one["start"] for one in found[1:]] + [len(text)]
    for one, end in zip(found, ends, strict=True):
        id = one.get("id")
        known = as_dict(one.get("metadata")) or as_dict(about.get(str(id)))
        role = known.get("role")
        if role in ("user", "assistant") or (role == "system" and options.include_system):
            number = f"{as_dict(id).get('replica_id')}/{as_dict(id).get('value')}" if isinstance(id, dict) else str(id)
            yield Message(str(role), _without(text, max(0, one["start"]), end, put_in), number)


def _put_in(thread: dict[str, Any]) -> list[tuple[int, int, str]]:
    """Where in the text a command put something, in order, and what it is called."""
    found = []
    for one in map(as_dict, as_list(thread.get("slash_command_output_sections"))):
        place = as_dict(one.get("range"))
        start, end = place.get("start"), place.get("end")
        if isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
            found.append((start, end, str(one.get("label") or "")))
    return sorted(found)


def _without(text: bytes, start: int, end: int, put_in: list[tuple[int, int, str]]) -> str:
    """A part of the text, with names in place of what was put in; one within another is a part of it."""
    kept, at = [], start
    for first, last, label in put_in:
        if at <= first < end:
            kept += [text[at:first], f"[{label}]".encode("utf-8", "replace") if label else b""]
        if first < end:
            at = max(at, last)
    return b"".join([*kept, text[at:end]]).decode("utf-8", "replace")


def _matches(sample: Sample) -> bool:
    return {"zed", "version"} <= sample.keys and _MARK.search(sample.text[:1000]) is not None


FORMAT = Format("zed", "Text threads of Zed's assistant", read, _matches, ("*.json",))
