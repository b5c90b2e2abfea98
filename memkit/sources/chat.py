"""Shared parts of the chat loaders: turns of a conversation, and JSON files that may be inside a zip."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple, TypeVar

from memkit.core.dates import iso
from memkit.core.types import DocumentDraft, Draft, Failure, Meta
from memkit.sources.contents import opened, read_whole
from memkit.sources.cut_zips import is_zip
from memkit.sources.json_file import BrokenJSON, load_json
from memkit.sources.limits import ReadLimits
from memkit.sources.options import ReadOptions
from memkit.sources.values import LONGEST_NAME, clean, plain, readable, short_name, without
from memkit.sources.zips import bounded, entries, opened_zip, unpacked
from memkit.text.chunking import parts
from memkit.text.extract.guard import strip_context

T = TypeVar("T")
LONGEST_TURN = 500  # tokens
_TITLE_LENGTH = 60
_LONGEST_QUOTED = 400  # characters of a line
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

        A context that memkit added to the message is removed, because the speaker did not write it. The names of files
        that were sent with it (`attachment`) stand behind it in brackets, so that words find them.
        """
        text = strip_context(text).strip()
        text = with_files(text, str(meta.get("attachment") or "").split(", "))
        given = {name: value for name, value in meta.items() if value is not None}
        about = {name: value if value is True else value and short_name(value) for name, value in given.items()}
        if not text:
            return
        try:
            happened_at = iso(at) if at else None
            pieces = parts(readable(text), LONGEST_TURN)
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
                tags=self.document.tags,
                project=self.document.project,
                happened_at=happened_at,
                meta={**about, "part": number, "parts": len(pieces)} if len(pieces) > 1 else about,
            )


class Message(NamedTuple):
    """What was said once in a conversation."""

    speaker: str
    text: str
    id: object = None
    at: object = None
    meta: Mapping[str, Any] = {}


def told(
    path: Path, source: str, messages: Sequence[Message], options: ReadOptions, title: object = None, **about: Any
) -> Iterator[Draft | Failure]:
    """The drafts of a conversation. Without a title, its first words are; for `about` see `conversation`.

    What has no time, or one that is none, was said when the message before it was.
    """
    first = next((one.text for one in messages if one.text.strip()), "")
    chat = conversation(path, source, title or short_title(strip_context(first)), options, **about)
    at = None
    for one in messages:
        at = time_or_none(one.at) or at
        yield from chat.turn(one.speaker, one.text, id=one.id, at=at, **one.meta)


def short_title(text: str) -> str:
    """The beginning of a conversation's first message, as its title."""
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1].rstrip() + "…"


def conversation(
    path: Path,
    source: str,
    title: object,
    options: ReadOptions,
    *,
    kind: str = "chat",
    times: tuple[object, object] = (None, None),
    meta: Meta | None = None,
    tags: tuple[str, ...] = (),
    whole: bool = True,
    shared: str | None = None,
    by_clock: bool = False,
) -> Conversation:
    """A conversation with this title. `times` are when it was created and updated; an invalid time is ignored.

    For `whole`, `shared` and `by_clock` see DocumentDraft.
    """
    document = DocumentDraft(
        source=clean(source),
        kind=kind,
        title=short_name(title) or None if title else None,
        project=options.project,
        created_at=time_or_none(times[0]),
        updated_at=time_or_none(times[1]),
        meta=plain({key: value for key, value in (meta or {}).items() if value}, options.limits),
        tags=tags,
        whole=whole,
        shared=shared and clean(shared),
        file=path.as_posix(),
        by_clock=by_clock,
    )
    return Conversation(path, document)


def time_or_none(value: object) -> str | None:
    """The time as ISO text; None if it is missing or invalid."""
    with suppress(ValueError):
        return iso(value) if value else None
    return None


def edited(at: object, read: Callable[[object], str | None] | None = None) -> str | bool | None:
    """When a message was edited, for its `edited`: True if that is no time, None if there is nothing.

    `read` gives the time as ISO text, if not `time_or_none`.
    """
    return ((read or time_or_none)(at) or True) if at else None


def as_dict(value: object) -> dict[str, Any]:
    """The value if it is a dict, else an empty dict: exports do not always have the expected shape."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The value if it is a list, else an empty list."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """The value if it is text, else an empty text."""
    return value if isinstance(value, str) else ""


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


def quotation(text: str) -> str:
    """Words of somebody else in a message, as a quotation: `I` in them is not who sent it.

    Each line is marked, and a very long one is several, so that no part of the message is without the mark.
    """
    lines: list[str] = []
    for line in text.split("\n"):
        lines += wrap(line, _LONGEST_QUOTED) if len(line) > _LONGEST_QUOTED else [line]
    return "\n".join(f"> {line}" if line.strip() else line for line in lines)


def names_of(attached: object, key: str) -> str:
    """The names of attached files in brackets, for a message that says nothing else. A lone picture says nothing."""
    names = (as_dict(one).get(key) for one in as_list(attached))
    return " ".join(f"[{name}]" for name in names if isinstance(name, str) and name and not _PICTURE.search(name))


def with_files(text: str, names: Iterable[str]) -> str:
    """What was said, and behind it the files that came with it, unless it names them. Pictures and sounds are none."""
    told = [f"[{name}]" for one in names if (name := short_name(one)) and name not in text and not _MEDIA.search(name)]
    return f"{text}\n\n{' '.join(told)}" if text and told else text


# Without an ending it is no name of a file, but what the program calls it.
_MEDIA = re.compile(
    r"(?:\A[^.]*|\.(?:png|jpe?g|gif|webp|heic|bmp|tiff?|mp[34g]|m4[av]|mov|opus|ogg|oga|aac|wav|amr|webm|3gp|tgs))\Z",
    re.IGNORECASE,
)
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|webp|heic|bmp|tiff?)\Z", re.IGNORECASE)


def records(path: Path, options: ReadOptions, wanted: str) -> Iterator[dict[str, Any] | Failure]:
    """The objects in a JSON file, or in those files of a zip whose names match the pattern `wanted`."""
    for source, data in files(path, options, wanted):
        yield from _objects(source, data, options.limits)


def each_chat(
    path: Path,
    options: ReadOptions,
    wanted: str,
    one: Callable[[Path, dict[str, Any], ReadOptions], Iterator[Draft | Failure]],
) -> Iterator[Draft | Failure]:
    """What `one` gives for each of the `records` that has a list of `messages`, and what could not be read."""
    for found in records(path, options, wanted):
        if isinstance(found, Failure):
            yield found
        elif isinstance(found.get("messages"), list):
            yield from one(path, found, options)


def files(path: Path, options: ReadOptions, wanted: str) -> Iterator[tuple[str, bytes]]:
    """A file, or those files of a zip whose names match the pattern `wanted`, each with its path."""
    with opened(path, options) as stream:
        if not is_zip(stream):
            yield path.as_posix(), read_whole(stream, options.limits)
            return
        with opened_zip(stream, options.limits) as archive:
            found = ((one.filename, unpacked(archive, one, options.limits)) for one in entries(archive, wanted))
            for inner, data in bounded(found, options.limits):
                yield f"{path.as_posix()}/{inner}", data


def whole_records(found: Iterable[T | Failure]) -> Generator[Failure, None, list[T]]:
    """Yields the failures among records, and returns the others: `rows = yield from whole_records(...)`."""
    whole: list[T] = []
    for one in found:
        if isinstance(one, Failure):
            yield one
        else:
            whole.append(one)
    return whole


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
