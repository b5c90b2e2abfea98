"""Zoom loader: what was written in the chat of a meeting, and what was said in it, as Zoom saves them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from memkit.core.instants import from_clocks
from memkit.core.patterns import alternatives, pattern
from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import conversation
from memkit.sources.format import Format
from memkit.sources.messengers.dated_lines import headed, is_level
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.recordings import recording
from memkit.sources.sample import Sample
from memkit.sources.text_file import text_of
from memkit.sources.values import short_name

# What stands before who says something, and before to whom: `From Rosa to Everyone`. In Chinese nothing stands first.
_BETWEEN = {
    "From": ("to",), "De": ("a", "à", "para"), "Da": ("a",), "Von": ("an",), "Van": ("aan",), "Od": ("do",),
    "От": ("кому", "до"), "От кого": ("кому",), "Від": ("кому", "до"), "開始": ("終了",),
    "": ("對", "对", "到"),
}  # fmt: skip
_FROM = alternatives(filter(None, _BETWEEN))
_HEAD = pattern(rf"(?P<at>\d\d:\d\d:\d\d)(?P<gap>[ \t]+)(?:(?P<from>{_FROM})\s+)?(?P<rest>\S.*)")
_CAPTION = pattern(r"\[(?P<who>[^\[\]]{1,100})\] (?P<at>\d\d:\d\d:\d\d)")  # what was said, in the lines below
_RECORDED = pattern(r"(?P<who>[^\t:]{1,100}):\t(?P<text>.*)")  # as a recording in the cloud has it
_ALONE = pattern(r"\s*[(（](?:[^()（）]{1,40})[)）]\Z")  # `(Direct Message)` behind to whom
_REACTION = pattern(r'\s*(?:Reacted to|Removed an? \S+ reaction from) ".*"(?: with .{1,40})?\s*', re.DOTALL)
_REPLY = pattern(r'\s*Replying to "[^\n]*"\s*\n')
_FOLDER = pattern(r"(\d{4})-(\d\d)-(\d\d) (\d\d)\.(\d\d)\.(\d\d) ?(.*)")  # in which Zoom saves: when, and which meeting
_LOOKED_AT = 40  # lines


class _Message(NamedTuple):
    at: str
    speaker: str
    to: str  # whom alone; empty if everybody could read it
    text: str


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages with their speakers; reactions are left out. Only the clock is told, the day by names, if at all."""
    text = text_of(path, options)
    meeting = _FOLDER.fullmatch(path.parent.name)
    chat = conversation(path, path.as_posix(), (meeting and meeting[7]) or path.stem, options, by_clock=bool(meeting))
    ids, before, days = RecordIds(), "", 0
    for message, below in headed(text.split("\n"), _begun, options.limits):
        days += message.at[:2] < before[:2]  # past midnight
        before = message.at
        whole = "\n".join([message.text, *(line.removeprefix("\t") for line in below)])
        said = _REPLY.sub("", whole, count=1).strip()
        if _REACTION.fullmatch(said):
            continue
        speaker = chosen_name(short_name(message.speaker))
        yield from chat.turn(
            speaker,
            said,
            id=ids.next(f"{days} {message.at}", speaker, said),
            at=(at := _time(path, meeting, message.at, days, options)),
            clock=None if at else message.at,
            to=message.to or None,
        )


def _begun(line: str) -> _Message | None:
    """The message that begins in a line; None if none does. In newer files the text stands below it, behind a tab."""
    if line.startswith("\t"):
        return None
    if caption := _CAPTION.fullmatch(line.rstrip()):
        return None if is_level(caption["who"]) else _Message(caption["at"], caption["who"].strip(), "", "")
    head = _HEAD.fullmatch(line)
    if head is None:
        return None
    recorded = _RECORDED.fullmatch(head["rest"])
    if recorded and not head["from"]:
        if is_level(recorded["who"].strip()):
            return None
        return _Message(head["at"], recorded["who"].strip(), "", recorded["text"])
    names, colon, text = head["rest"].partition(" : ")
    if not colon:
        if not (ends := head["rest"].rstrip()).endswith(":"):
            return None
        names, text = ends[:-1], ""
    who, to = _people(names.strip(), head["from"] or "")
    return _Message(head["at"], who, to, text) if who else None


def _people(names: str, first: str) -> tuple[str, str]:
    """Who says something, and to whom alone."""
    words = "|".join(_BETWEEN.get(first, ()))
    found = re.fullmatch(rf"(.+)\s+(?:{words})\s+(.+)", names, re.IGNORECASE) if words else None
    if found is None:
        return (names if first else ""), ""
    return found[1].strip(), _ALONE.sub("", found[2]).strip() if _ALONE.search(found[2]) else ""


def _time(path: Path, meeting: re.Match[str] | None, clock: str, days: int, options: ReadOptions) -> str | None:
    """When a message was written: by the day in the name of the folder, or so long after a recording began."""
    hours, minutes, seconds = map(int, clock.split(":"))
    into = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    with suppress(ValueError, OverflowError):
        if meeting:
            day = datetime(*map(int, meeting.groups()[:3]))  # type: ignore[arg-type]
            return from_clocks(day + into, options.timezone)
    return recording(path, options).at(into.total_seconds())


def _matches(sample: Sample) -> bool:
    lines = [line for line in sample.text.replace("\r", "").split("\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip()]
    return bool(lines) and _begun(lines[0]) is not None


FORMAT = Format("zoom", "The chat or the captions of a meeting, as Zoom saves them", read, _matches, ("*.txt",))
