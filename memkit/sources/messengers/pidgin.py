"""Pidgin loader: logs of conversations as pages, as it keeps them unless text is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import NamedTuple

from memkit.core.instants import from_clocks
from memkit.core.patterns import pattern
from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import conversation
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.values import short_name

_TITLE = pattern(
    r"<title>Conversation with (?P<who>[^<\n]{1,300}?) at [^<\n]{5,100} on [^<\n]{1,300} \([^()<\n]{1,30}\)</title>"
)
# Each stands at the beginning of a line; what has no name in bold is told by the program.
_HEAD = pattern(
    r"^(?:<(?:font|span)[^<>\n]{0,60}>)?<(?:font|span)[^<>\n]{0,60}>\((?P<at>[^()\n]{5,40})\)</(?:font|span)>"
    r"(?: ?<b> ?(?P<who>[^<\n]{1,300}?)</b></(?:font|span)>)?",
    re.MULTILINE,
)
_CLOCK = pattern(
    r"(?:(?P<date>\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}),? )?(?P<h>\d{1,2}):(?P<m>\d\d):(?P<s>\d\d)(?: ?(?P<half>[AP])M)?"
)
# The name of a file tells when a conversation began, and the zone of its clock: `2017-05-11.191514+0200CEST.html`.
_NAME = pattern(r"(?P<day>\d{4}-\d\d-\d\d)\.\d{6}(?P<zone>[+-]\d{4})?")
_AUTOMATIC = pattern(r"\s*<[^<>]{1,40}>\Z")  # `Rosa <AUTO-REPLY>`
_DOES = "***"  # stands before the name of who does something (`/me`)
_LOOKED_AT = 4000  # characters


class _Log(NamedTuple):
    """What the name of a file tells: the day on which a conversation began, and the zone of its clock."""

    day: date | None
    zone: str | None


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages with their speakers; what the program tells (who signed off, errors) is left out."""
    page = whole(path, options).decode("utf-8", "replace")
    title = _TITLE.search(page)
    who = unescape(title["who"]).strip() if title else path.parent.name
    log = _log(path)
    chat = conversation(path, path.as_posix(), who, options, whole=False, by_clock=log.zone is None)
    found = [*_HEAD.finditer(page)]
    ids, day, before = RecordIds(), log.day, timedelta()
    for one, end in zip(found, [*(each.start() for each in found[1:]), len(page)], strict=True):
        clock = _CLOCK.fullmatch(one["at"])
        into = _into(clock) if clock else None
        if clock and into is not None and not clock["date"]:
            day, before = (day + timedelta(days=1) if day and into < before else day), into
        named = unescape(one["who"] or "").strip()
        if not named.endswith(":") and not named.startswith(_DOES):
            continue
        speaker = chosen_name(short_name(_AUTOMATIC.sub("", named.removeprefix(_DOES).removesuffix(":"))))
        text = html_markdown(page[one.end() : end]).strip()
        said = f"{speaker} {text}" if text and named.startswith(_DOES) else text
        told = _told(clock["date"], day) if clock and clock["date"] else day
        at = _moment(told, into, log.zone, options) if told and into is not None else None
        id = ids.next(at or one["at"], speaker, said)
        yield from chat.turn(speaker, said, id=id, at=at, clock=None if at else one["at"])


def _log(path: Path) -> _Log:
    found = _NAME.match(path.name)
    try:
        return _Log(date.fromisoformat(found["day"]), found["zone"]) if found else _Log(None, None)
    except ValueError:
        return _Log(None, None)


def _into(clock: re.Match[str]) -> timedelta:
    """How long after midnight."""
    hour = int(clock["h"]) % 12 + 12 * (clock["half"] == "P") if clock["half"] else int(clock["h"])
    return timedelta(hours=hour, minutes=int(clock["m"]), seconds=int(clock["s"]))


def _told(numbers: str, day: date | None) -> date | None:
    """The day before a message that came late, in the order of numbers in which it is the nearest to the log's."""
    a, b, c = (int(one) for one in re.split(r"[-/.]", numbers))
    days = []
    for year, month, number in ((a, b, c),) if a > 31 else ((c, a, b), (c, b, a)):
        try:
            days.append(date(year + 2000 if year < 100 else year, month, number))
        except ValueError:
            continue
    if len(set(days)) > 1 and day is None:
        return None
    return min(days, key=lambda one: abs(one - day) if day else timedelta(), default=None)


def _moment(day: date, into: timedelta, zone: str | None, options: ReadOptions) -> str:
    return from_clocks(datetime.combine(day, datetime.min.time()) + into, options.timezone, zone)


def _matches(sample: Sample) -> bool:
    beginning = sample.text[:_LOOKED_AT]
    return _TITLE.search(beginning) is not None and _HEAD.search(beginning) is not None


FORMAT = Format("pidgin", "Pidgin's logs of conversations, as pages", read, _matches, ("*.html", "*.htm"))
