"""Shared parts of the chat loaders: turns of a conversation, and JSON files that may be inside a zip."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memkit.core.dates import iso
from memkit.core.types import DocumentDraft, Draft, Failure, Meta
from memkit.sources.contents import opened, read_whole
from memkit.sources.json_file import BrokenJSON, load_json
from memkit.sources.limits import OverLimit, ReadLimits
from memkit.sources.options import ReadOptions
from memkit.sources.values import LONGEST_NAME, clean, plain, short_name, sound, without
from memkit.sources.zips import entries, opened_zip, unpacked
from memkit.text.chunking import parts
from memkit.text.extract.guard import strip_context

LONGEST_TURN = 500  # tokens
_THINKING = ("<antThinking>", "</antThinking>")


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation while it is read: its file and its document."""

    path: Path
    document: DocumentDraft

    def turn(
        self, speaker: str, text: str, *, id: object = None, at: object = None, **meta: Any
    ) -> Iterator[Draft | Failure]:
        """The drafts of a message: none if it is empty, several with the same `source_id` if it is long.

        A context that memkit added to the message is removed, because the speaker did not write it.
        """
        text = strip_context(text).strip()
        about = {name: value and short_name(value) for name, value in meta.items()}
        if not text:
            return
        try:
            happened_at = iso(at) if at else None
            pieces = parts(sound(text), LONGEST_TURN)
        except ValueError as error:
            yield Failure(self.path.as_posix(), f"message {id or text[:30]!r} of {self.document.source}: {error}")
            return
        for number, piece in enumerate(pieces, 1):
            yield Draft(
                text=piece,
                document=self.document,
                source_id=clean(str(id))[:LONGEST_NAME] if id else None,
                kind="turn",
                title=self.document.title,
                speaker=short_name(speaker),
                project=self.document.project,
                happened_at=happened_at,
                meta={**about, "part": number, "parts": len(pieces)} if len(pieces) > 1 else about,
            )


def conversation(
    path: Path,
    source: str,
    title: object,
    options: ReadOptions,
    *,
    kind: str = "chat",
    times: tuple[object, object] = (None, None),
    meta: Meta | None = None,
) -> Conversation:
    """A conversation with this title. `times` are when it was created and updated; an invalid time is ignored."""
    document = DocumentDraft(
        source=clean(source),
        kind=kind,
        title=short_name(title) or None if title else None,
        project=options.project,
        created_at=time_or_none(times[0]),
        updated_at=time_or_none(times[1]),
        meta=plain({key: value for key, value in (meta or {}).items() if value}, options.limits),
        file=path.as_posix(),
    )
    return Conversation(path, document)


def time_or_none(value: object) -> str | None:
    """The time as ISO text; None if it is missing or invalid."""
    with suppress(ValueError):
        return iso(value) if value else None
    return None


def as_dict(value: object) -> dict[str, Any]:
    """The value if it is a dict, else an empty dict: exports do not always have the expected shape."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The value if it is a list, else an empty list."""
    return value if isinstance(value, list) else []


def said(content: object, options: ReadOptions) -> str:
    """The text of a message's content in Anthropic's form: text, or a list of blocks."""
    if isinstance(content, str):
        return content if options.include_thinking else without(content, *_THINKING)
    if not isinstance(content, list):
        return ""
    return "\n\n".join(text for block in content if (text := _block(block, options).strip()))


def _block(block: object, options: ReadOptions) -> str:
    if not isinstance(block, dict):
        return said(block, options) if isinstance(block, str) else ""
    kind = block.get("type")
    if kind == "text" and block.get("text") is not None:
        return said(str(block["text"]), options)
    if kind == "thinking" and options.include_thinking:
        return str(block.get("thinking") or "")
    if kind == "tool_use" and options.include_tools:
        return f"{block.get('name')}: {json.dumps(block.get('input'), ensure_ascii=False)}"
    if kind == "tool_result" and options.include_tools:
        return said(block.get("content"), options)
    return ""


def records(path: Path, options: ReadOptions, wanted: str) -> Iterator[dict[str, Any] | Failure]:
    """The objects in a JSON file, or in those files of a zip whose names match the pattern `wanted`."""
    with opened(path, options) as stream:
        if not zipfile.is_zipfile(stream):
            yield from _objects(path.as_posix(), read_whole(stream, options.limits), options.limits)
            return
        total = 0
        with opened_zip(stream, options.limits) as archive:
            for entry in entries(archive, wanted):
                data = unpacked(archive, entry, options.limits)
                total += len(data)
                if total > options.limits.file_size:
                    raise OverLimit("file_size", options.limits, "bytes when it is unpacked")
                yield from _objects(f"{path.as_posix()}/{entry.filename}", data, options.limits)


def _objects(source: str, data: bytes, limits: ReadLimits) -> Iterator[dict[str, Any] | Failure]:
    try:
        found = load_json(data, limits)
    except BrokenJSON as error:
        yield Failure(source, str(error), line=error.line)
    else:
        for number, item in enumerate(found if isinstance(found, list) else [found], 1):
            if isinstance(item, dict):
                yield item
            else:
                yield Failure(source, f"item {number} is not a conversation")
