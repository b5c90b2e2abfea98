"""Recordings of meetings: what the name of a file says of when one began, and how the meeting was called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from memkit.core.instants import from_clocks, parse_iso, to_iso
from memkit.core.patterns import pattern
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, conversation
from memkit.sources.events.activity_page import shown_time
from memkit.sources.options import ReadOptions

_ZOOM = pattern(r"GMT(\d{8})-(\d{6})")
_TEAMS = pattern(r"(?P<title>.*?)-(?P<day>\d{8})_(?P<clock>\d{6})(?P<zone>UTC)?(?![0-9A-Za-z])")
# Google Meet: `Garden club - 2026_03_30 14_00 CET - Transcript`, before that `Garden club (2024-03-01 at 06:03 GMT-8)`.
_MEET = pattern(
    r"(?P<title>.+?) ?[-–(] ?(?P<day>\d{4}[/_-]\d\d[/_-]\d\d) (?:at )?(?P<clock>\d\d[:_-]\d\d) "
    r"(?P<zone>[A-Z]{2,5}[+-]?[\d:_]*)"
)


class Recording(NamedTuple):
    """How a meeting is called, when its recording began if that is known, and whether only a clock told it."""

    title: str
    began: str | None = None
    by_clock: bool = False

    def at(self, seconds: float) -> str | None:
        """The moment that long after it began; the day if no more is known."""
        with suppress(OverflowError):
            if self.began and "T" in self.began:
                return to_iso(parse_iso(self.began) + timedelta(seconds=seconds))
        return self.began

    def conversation(self, path: Path, options: ReadOptions) -> Conversation:
        """The conversation of which this file is the transcript."""
        source, times = path.as_posix(), (self.began, None)
        return conversation(path, source, self.title, options, kind="transcript", times=times, by_clock=self.by_clock)

    def said(
        self, chat: Conversation, speaker: str, text: str, seconds: float, *, id: str, end: float | None = None
    ) -> Iterator[Draft | Failure]:
        """What was said that long after it began; without a speaker, nobody's."""
        offsets = {"start": clock(seconds), "end": None if end is None else clock(end)}
        for one in chat.turn(speaker, text, id=id, at=self.at(seconds), **offsets):
            yield one if speaker or isinstance(one, Failure) else replace(one, speaker=None)


def clock(seconds: float) -> str:
    """How long after the beginning: `01:02:03`."""
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def recording(path: Path, options: ReadOptions) -> Recording:
    """What the name of a file tells of a recording."""
    return named_recording(path.stem, options) or Recording(path.stem)


def named_recording(name: str, options: ReadOptions) -> Recording | None:
    """What a name tells of a recording; None if it is not such a name."""
    with suppress(ValueError, OverflowError):  # digits that are no date
        if zoom := _ZOOM.search(name):
            return Recording(name, to_iso(datetime.strptime(f"{zoom[1]}{zoom[2]}+0000", "%Y%m%d%H%M%S%z")))
        if teams := _TEAMS.match(name):
            local = datetime.strptime(f"{teams['day']}{teams['clock']}", "%Y%m%d%H%M%S")
            began = from_clocks(local, options.timezone, "Z" if teams["zone"] else None)
            return Recording(teams["title"] or name, began, by_clock=not teams["zone"])
        if meet := _MEET.match(name):
            day, clock = (meet[one].translate(_MARKS) for one in ("day", "clock"))
            told = shown_time(f"{day} {clock.replace('-', ':')}:00 {meet['zone'].replace('_', ':')}", options)
            return Recording(meet["title"], told) if told else None
    return None


_MARKS = str.maketrans("/_", "--")
