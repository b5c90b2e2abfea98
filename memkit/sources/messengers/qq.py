"""QQ loader: the messages of one chat or of all, as the program for computers exports them as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memkit.core.instants import from_clocks
from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, conversation
from memkit.sources.contents import opened
from memkit.sources.format import Format
from memkit.sources.messengers.dated_lines import decoded, headed
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.text_file import as_utf8
from memkit.sources.values import short_name

_FIRST, _LIST, _WITH = "消息记录（", "消息分组:", "消息对象:"
_LINE = re.compile(r"={20,}")  # around what a chat is called
_HEAD = re.compile(
    r"(?P<at>\d{4}-\d\d-\d\d \d{1,2}:\d\d:\d\d)(?P<half> [AP]M)? (?P<who>.{0,200}?)"
    r"(?:\((?P<number>\d{4,12})\)|<(?P<mail>[^<>\s]{3,200})>)?"
)
_PROGRAM = ("10000", "1000000")  # the accounts that tell who joined, and what was taken back


class _Message(NamedTuple):
    """A message, or, without a time, the chat that those after it are of."""

    at: str
    account: str
    speaker: str
    text: str


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of each chat with their speakers. What the program tells is left out."""
    failures: list[Failure] = []
    with opened(path, options) as stream, as_utf8(stream, options.limits) as text:
        chat, ids = _chat(path, "", options), RecordIds()
        for message in _messages(decoded(text, path, options, failures), options):
            yield from failures
            failures.clear()
            if message.at:
                yield from _turn(chat, message, ids, options)
            else:
                chat, ids = _chat(path, message.text, options), RecordIds()
    yield from failures


def _chat(path: Path, title: str, options: ReadOptions) -> Conversation:
    source = f"qq:{title}" if title else path.as_posix()
    return conversation(path, source, title or path.stem, options, whole=False, by_clock=True)


def _messages(lines: Iterator[str], options: ReadOptions) -> Iterator[_Message]:
    """The messages and the names of chats in these lines. A message begins after a blank line."""
    before = ""

    def begun(line: str) -> _Message | None:
        nonlocal before
        above, before = before, line
        found = None if above.strip() and not _LINE.fullmatch(above) else _HEAD.fullmatch(line)
        if found and (at := _time(found, options)):
            return _Message(at, found["number"] or found["mail"] or found["who"], found["who"], "")
        if line.startswith(_WITH) and _LINE.fullmatch(above):
            return _Message("", "", "", line.removeprefix(_WITH).strip())
        return None

    for now, rest in headed(lines, begun, options.limits):
        yield now._replace(text=now.text or _said(rest))


def _said(lines: list[str]) -> str:
    """What stands between two heads, without the name of the next chat."""
    for number, line in enumerate(lines):
        if _LINE.fullmatch(line) and any(one.startswith(_LIST) for one in lines[number + 1 : number + 2]):
            lines = lines[:number]
            break
    return "\n".join(lines).replace("\r", "\n").strip()


def _time(head: re.Match[str], options: ReadOptions) -> str:
    form = "%Y-%m-%d %I:%M:%S %p" if head["half"] else "%Y-%m-%d %H:%M:%S"
    with suppress(ValueError, OverflowError):
        return from_clocks(datetime.strptime(head["at"] + (head["half"] or ""), form), options.timezone)
    return ""


def _turn(chat: Conversation, message: _Message, ids: RecordIds, options: ReadOptions) -> Iterator[Draft | Failure]:
    speaker = chosen_name(short_name(message.speaker or message.account)) or "unknown"
    if message.account in _PROGRAM:
        if not options.include_system:
            return
        speaker = "system"
    id = ids.next(message.at, message.account, message.text)
    yield from chat.turn(speaker, message.text, id=id, at=message.at)


def _matches(sample: Sample) -> bool:
    beginning = sample.text.lstrip("\ufeff\n\r ")
    return beginning.startswith((_FIRST, _LIST)) and _WITH in beginning[:4000]


FORMAT = Format("qq", "Chats of QQ, as text", read, _matches, ("*.txt",))
