"""WhatsApp loader: an exported chat of any phone and language, as text or as the zip with its media."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from memkit.core.instants import from_clocks
from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure, Restated
from memkit.sources.chat import Conversation, conversation
from memkit.sources.contents import opened
from memkit.sources.cut_zips import is_zip
from memkit.sources.format import Format
from memkit.sources.messengers.dated_lines import (
    LRM,
    Message,
    decoded,
    head,
    is_chat,
    messages,
    order_of,
    without_marks,
)
from memkit.sources.messengers.revisions import Revisions
from memkit.sources.messengers.whatsapp_words import (
    FILE_ATTACHED,
    YOU,
    is_deleted,
    is_encryption,
    is_notice,
    without_edited,
)
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.text_file import as_utf8
from memkit.sources.values import short_name
from memkit.sources.zips import entries, is_hidden, opened_zip, unpacked

_TEXTS = r".*\.txt"  # in the zip
_FIRST_LINES = 1000  # among which an iPhone has written such a mark
_MOST_NAMES = 10_000
_PROGRAM = "system"  # who speaks where WhatsApp itself does
_NAMED = re.compile(r".*?(?: with | mit | con | avec | com | met | med | ile | с | - )\s*(?P<name>.+)", re.IGNORECASE)
_COPY = re.compile(r"\s*(?:\(\d+\)|[-_]\d)$")
_ANGLE = r"<[^<>:\n]{2,24}:\s?(?P<angle>[^<>\n]{1,200}\.\w{1,5})>"
_ATTACHED = re.compile(  # as an iPhone writes it, and as Android does
    rf"{_ANGLE}|(?P<plain>[^<>\n]{{0,200}}\.\w{{1,5}}) \((?P<words>[^()\n]{{2,30}})\)"
)
# What an iPhone writes behind the words that were sent with a file, or behind its name: `plan.pdf • <mark>3 pages
# <mark>document omitted`.
_BEHIND = re.compile(rf"(?:•\s?{LRM}[^{LRM}\n]{{1,40}})?{LRM}(?:{_ANGLE}|(?P<told>[^{LRM}\n]{{1,80}}))\Z")
# What it tells of a call, in two parts: `<mark>Missed voice call, <mark>Tap to call back`. No file, no address.
_CALL = re.compile(rf"{LRM}+(?![^\n]*(?:\.\w|://|<))[^{LRM}\n]+{LRM}[^\n]+\s*")
_ANSWER = re.compile(rf"(?<=\n){LRM}[^\W\d_]{{2,20}}:[ ]")  # of a poll: `<mark>OPTION: Yes (12 votes)`
_VOTES = re.compile(r"[ ]\([^()\n]{1,30}\)$", re.MULTILINE)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure | Restated]:
    """The messages with their speakers. Left out are deleted messages, and what WhatsApp itself says."""
    with opened(path, options) as stream:
        if not is_zip(stream):
            stream.seek(0)
            with as_utf8(stream, options.limits) as text:
                yield from _chat(path, _title(path), text, options)
            return
        with opened_zip(stream, options.limits) as archive:
            for entry in entries(archive, _TEXTS):
                data = unpacked(archive, entry, options.limits)
                if is_chat(data[: 1 << 16].decode("utf-8", "replace")):
                    inner = Path(entry.filename)
                    title = _title(path) if inner.name == "_chat.txt" else _title(inner)
                    yield from _chat(path, title, BytesIO(data), options)


def _title(path: Path) -> str | None:
    """The name of the chat, as the phone wrote it into the name of the file; None if it is not there.

    An iPhone's file is called `_chat.txt`, and its zip, or the folder that it unpacks to, by the chat.
    """
    for stem in (path.stem, path.parent.name) if path.stem == "_chat" else (path.stem,):
        if "whatsapp" in stem.lower():
            found = _NAMED.fullmatch(stem)
            return _COPY.sub("", found["name"] if found else stem).strip() or None
    return None


def _chat(
    path: Path, title: str | None, stream: BinaryIO, options: ReadOptions
) -> Iterator[Draft | Failure | Restated]:
    """The turns of one chat. The file is read up to three times.

    All of it decides how its dates are written, and whether the name under which its group is told of also speaks.
    """
    order = order_of(decoded(stream, path, options))
    stream.seek(0)
    members = _members(decoded(stream, path, options))
    stream.seek(0)
    source = f"whatsapp:{title}" if title else path.as_posix()
    chat = conversation(path, source, title or path.stem.strip("_"), options, whole=False, by_clock=True)
    ids, revisions = RecordIds(), Revisions(chat.document)
    failures: list[Failure] = []
    text = decoded(stream, path, options, failures)
    for message in messages(text, order.day_first(path, options.day_first), options.limits):
        yield from failures
        failures.clear()
        if message.at != revisions.at:
            yield from revisions.moment(message.at)
        yield from _turn(chat, message, members, ids, revisions, options)
    yield from revisions.end()
    yield from failures


class _Members(NamedTuple):
    """Of an iPhone's chat, the names of those who speak, and the one under which it tells what happened in a group."""

    names: tuple[str, ...] = ()
    group: str | None = None

    def are_told_of(self, message: Message) -> bool:
        """Whether WhatsApp tells here what somebody has done, as if it were a message: `Ann: <mark>Ann added Bob`."""
        if not message.text.startswith(LRM):
            return False
        if not message.is_marked and _CALL.fullmatch(message.text):
            return True
        told = without_marks(message.text).lower()
        return message.speaker == self.group or told.startswith((*self.names, "~", *YOU))


def _members(text: Iterator[str]) -> _Members:
    """Who is in the chat, by the whole file. Nobody, if no iPhone wrote it."""
    names: set[str] = set()
    group, marked, speaks = None, False, False
    for number, line in enumerate(text):
        if number == _FIRST_LINES and not marked:
            break
        found = head(line)
        speaker, colon, said = line[found.end :].partition(":") if found else ("", "", "")
        if not colon:
            continue
        typed = not said.lstrip(" ").startswith(LRM)
        marked = marked or not typed
        if not names:
            group = speaker if not typed and _is_notice(said.lstrip(" ")) else None
        speaks = speaks or (typed and speaker == group)
        if len(names) < _MOST_NAMES:
            names.add(f"{without_marks(speaker).strip(' ~').lower()} ")
    return _Members(tuple(names) if marked else (), None if speaks else group)


def _is_notice(text: str) -> bool:
    """Whether it is the notice on encryption, or another of WhatsApp's own on the chat."""
    plain = without_marks(text)
    return is_notice(plain) or (text.startswith(LRM) and is_encryption(plain))


def _turn(
    chat: Conversation,
    message: Message,
    members: _Members,
    ids: RecordIds,
    revisions: Revisions,
    options: ReadOptions,
) -> Iterator[Draft | Failure]:
    text = without_marks(message.text)
    at = from_clocks(message.at, options.timezone)
    if is_deleted(text):
        if message.speaker:
            revisions.revised(chosen_name(short_name(message.speaker)), at)
        return
    if message.speaker is None or _is_notice(message.text) or members.are_told_of(message):
        if not options.include_system:
            return
        message.speaker = _PROGRAM
    text, edited = without_edited(message.text)
    text, attached = _without_attachment(text, message.is_marked)
    local, known_by = message.at.isoformat(), text
    if _ANSWER.search(message.text):  # a poll, whose votes are others in a later export
        text, known_by = _as_list(message.text)
    id = ids.next(local, message.speaker, known_by)
    speaker = _PROGRAM if message.speaker == _PROGRAM else chosen_name(short_name(message.speaker))
    revisions.said(speaker, id)
    if edited or message.is_marked or known_by != text:  # with and without its file it is told in other words
        revisions.revised(speaker, at)
    yield from chat.turn(
        speaker,
        text,
        id=id,
        at=at,
        **({"edited": True} if edited else {}),
        **({"attachment": attached} if attached else {}),
    )


def _without_attachment(text: str, is_marked: bool) -> tuple[str, str]:
    """What was written with a picture or another file, and the name of that, or what the phone says in its place.

    Alone, it is told as the phone tells it. A file whose name the phone writes twice is told by its name.
    """
    said, text = without_marks(text), text.rstrip().rstrip(LRM).rstrip()
    behind = _BEHIND.search(text)
    if behind and (is_marked or behind["angle"]) and (typed := without_marks(text[: behind.start()])):
        attached = behind["angle"] or without_marks(behind["told"])
        return typed, typed if attached.endswith(f"-{typed}") else attached
    found = _ATTACHED.match(said)
    if found is None or (found["plain"] and found["words"].lower() not in FILE_ATTACHED):
        return said, ""
    return said[found.end() :].strip() or said, found["angle"] or found["plain"]


def _as_list(poll: str) -> tuple[str, str]:
    """A poll with its answers as a list, and the same without the votes."""
    text = without_marks(_ANSWER.sub("- ", poll))
    return text, _VOTES.sub("", text)


def _matches(sample: Sample) -> bool:
    if sample.is_zip:  # the chat and its media lie beside each other; with folders it is a zip of many things
        folders = {name.rpartition("/")[0] for name in sample.entries if not is_hidden(name)}
        return len(folders) == 1 and any(is_chat(one.text) for one in sample.inside(_TEXTS))
    return sample.suffix in (".txt", "") and is_chat(sample.text)


FORMAT = Format("whatsapp", "WhatsApp's exported chats, or the zip of one", read, _matches, ("*.txt", "*.zip"))
