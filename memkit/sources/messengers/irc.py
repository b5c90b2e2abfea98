"""IRC loader: logs of channels and queries, as irssi, WeeChat, ZNC, HexChat, mIRC and bots write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import NamedTuple

from memkit.core.instants import from_clocks
from memkit.core.patterns import pattern
from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.core.written_dates import written_date
from memkit.sources.chat import conversation
from memkit.sources.contents import opened
from memkit.sources.format import Format
from memkit.sources.messengers.dated_lines import decoded, is_level
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.text_file import as_utf8
from memkit.sources.values import short_name

_COLOURS = pattern(r"\x03(?:\d{1,2}(?:,\d{1,2})?)?|[\x02\x0f\x11\x16\x1d-\x1f]")
# `23:52 `, `[23:52:01] `, `2005-01-08T23:33:54  `, `2020-01-08 23:33:54\t`, `Jan 07 05:32:42 `, `[15 Jan 08:42] `
_TIME = pattern(
    r"\[?(?:(?P<full>\d{4}-\d\d-\d\d)[T ]"
    r"|(?P<month>[^\W\d]{3,10})\.? +(?P<day>\d{1,2}) |(?P<early>\d{1,2}) (?P<late>[^\W\d]{3,10})\.? )?"
    r"(?P<clock>\d\d:\d\d(?::\d\d)?)(?P<zone>Z|[+-]\d\d:?\d\d)?\]?(?P<gap>[ \t]+)(?P<rest>\S.*)"
)
_NICK = r"[ ~&@%+!]?(?P<who>[^\s<>!]{1,64})"  # behind the mark of its rank
_SAID = pattern(rf"<{_NICK}(?:![^\s>]{{1,200}})?>[ \t]+(?P<text>.*)")
_DONE = pattern(rf"\*(?P<gap>[ \t]){_NICK} (?P<text>.+)")
_COLUMNS = pattern(rf"{_NICK}\t(?P<text>.*)")  # of WeeChat, which writes tabs between them
_ARROWS = ("-->", "<--", "--")  # in the column of who says it: what WeeChat itself tells
_OPENED = pattern(  # of irssi, HexChat and mIRC: from here on this is the day, or the year
    r"(?:--- (?:Log opened|Day changed)|\*{4} BEGIN LOGGING AT|(?P<session>Session (?:Start|Time):)) "
    r"(?:\S{2,12} )?(?P<month>[^\W\d]{3,12})\.? +(?P<day>\d{1,2})(?: [\d:]{5,8})?(?: [A-Z]{2,5})? (?P<year>\d{4})"
)
_IDENT = pattern(r"Session Ident: (?P<name>\S+)")
_CLOSED = pattern(r"--- Log closed |\*{4} ENDING LOGGING AT |Session Close: ")
# What HexChat and mIRC tell behind the same star that stands before what somebody does.
_TOLD = pattern(
    r"(?:Now talking |Topic |Set by |Disconnected|You(?:'ve|r)? |Joins: |Parts: |Quits: |Attempting to |Rejoined "
    r"|Channel )"
    r"|\S+ (?:[(\[]\S+@\S+[)\]]|sets? (?:mode|ban|exempt|invite|quiet)|gives (?:channel|voice)"
    r"|removes (?:channel|voice|ban|exempt|quiet)|is now known as |was kicked by |changes topic to "
    r"|has (?:quit\b|joined [#&]|left(?: [#&(]|$)|kicked |changed the topic|invited ))"
)
_DATE = pattern(r"(?<!\d)((?:19|20)\d\d)[-_./]?(\d\d)[-_./]?(\d\d)(?!\d)")  # in the path of a log of one day
_CHANNEL = pattern(r"[#&]+[^\s,/]*")
_EVENT = pattern(r"(?:\*{3}|-!-|-->|<--)[ \t]")  # who comes and goes, where the program has a mark for that alone
_LOOKED_AT = 60  # lines


class _Line(NamedTuple):
    """A line: when, and who says what; without a speaker the program tells it.

    Behind a `star` stands what somebody does, and in logs of HexChat (where a tab follows it) and mIRC what they tell.
    """

    when: re.Match[str]
    speaker: str = ""
    text: str = ""
    star: str = ""


@dataclass
class _Days:
    """The day of each line: it tells it, or one before it does, or the path."""

    day: date | None = None
    rolls: bool = False  # whether a new day is only seen by the clock, as in mIRC's logs
    before: str = ""

    def opened(self, found: re.Match[str]) -> None:
        """A line that tells the day."""
        self.day = _date(found["day"], found["month"], found["year"]) or self.day
        self.rolls, self.before = found["session"] is not None, ""

    def of(self, found: re.Match[str]) -> date | None:
        """The day of a line."""
        if found["full"]:
            return date.fromisoformat(found["full"])
        if month := found["month"] or found["late"]:
            return self._in_year(found["day"] or found["early"], month)
        if self.rolls and self.day and found["clock"][:2] < self.before[:2]:
            self.day += timedelta(days=1)
        self.before = found["clock"]
        return self.day

    def _in_year(self, day: str, month: str) -> date | None:
        """The day of a line without a year: that of the line before it, or the next one if its month comes first."""
        if self.day is None:
            return None
        told = _date(day, month, str(self.day.year))
        if told and told.month < self.day.month:
            told = _date(day, month, str(told.year + 1))
        self.day = told or self.day
        return told


def _date(day: str, month: str, year: str) -> date | None:
    with suppress(ValueError):
        return date.fromisoformat(written_date(f"{int(day)} {month} {year}") or "")
    return None


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What somebody says and does (`/me`); who comes and goes, modes, topics and notices are left out."""
    chat = conversation(path, path.as_posix(), _title(path), options, whole=False, by_clock=True)
    days, ids = _Days(_day_of(path)), RecordIds()
    failures: list[Failure] = []
    with opened(path, options) as stream, as_utf8(stream, options.limits) as text:
        for line, said in _messages(decoded(text, path, options, failures, _as_text), days):
            yield from failures
            failures.clear()
            try:
                day = days.of(line.when)
                clock = time.fromisoformat(line.when["clock"])
            except ValueError as error:
                yield Failure(path.as_posix(), f"message of {line.speaker}: {error}")
                continue
            if not line.speaker:
                continue
            local = datetime.combine(day, clock) if day else None
            speaker = chosen_name(short_name(line.speaker))
            yield from chat.turn(
                speaker,
                said,
                id=ids.next(local or line.when["clock"], speaker, said),
                at=from_clocks(local, options.timezone, line.when["zone"]) if local else None,
                clock=None if local else line.when["clock"],
            )
    yield from failures


def _as_text(line: bytes) -> str:
    """Everybody in a channel types in an encoding of his own: each line may have another."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def _messages(given: Iterator[str], days: _Days) -> Iterator[tuple[_Line, str]]:
    """The lines of a log, each with what is said in it. One without a time continues the line before."""
    now: _Line | None = None
    rest: list[str] = []
    for raw in given:
        line = _COLOURS.sub("", raw)
        found = _parsed(line)
        is_mark = found is None and bool(_OPENED.match(line) or _CLOSED.match(line) or _IDENT.match(line))
        if found is None and not is_mark:
            rest.append(line.strip())
            continue
        if now:
            yield now, "\n".join([now.text, *rest]).strip()
        now, rest = found, []
        if is_mark and (opening := _OPENED.match(line)):
            days.opened(opening)
        elif found and (found.star == "*\t" or (found.star and days.rolls)) and _TOLD.match(found.text):
            now = _Line(found.when)
    if now:
        yield now, "\n".join([now.text, *rest]).strip()


def _parsed(line: str) -> _Line | None:
    """A line of a log; None if no time stands before it."""
    found = _TIME.fullmatch(line)
    if found is None:
        return None
    rest = found["rest"]
    if said := _SAID.fullmatch(rest):
        return _Line(found, said["who"], said["text"])
    if done := _DONE.fullmatch(rest):
        star = f"*{done['gap']}" if not found["full"] else "*"
        return _Line(found, done["who"], f"{done['who']} {done['text']}", star)
    if found["full"] and "\t" in found["gap"] and (columns := _COLUMNS.fullmatch(rest)):
        return _Line(found, "" if columns["who"] in _ARROWS else columns["who"], columns["text"])
    return _Line(found)


def _day_of(path: Path) -> date | None:
    """The day in the name of a file, or of its folders (`2020/12/01.log`)."""
    for found in reversed(list(_DATE.finditer("/".join(path.parts[-3:])))):
        with suppress(ValueError):
            return date(*map(int, found.groups()))
    return None


def _title(path: Path) -> str:
    """The channel, by the name of the file or of its folder, which may have folders of years and months in it."""
    stem = _DATE.sub("", path.stem).strip("._- ")
    folder = next((one.name for one in path.parents if not _is_time(one.name)), "")
    for name in (stem, folder):
        if channel := _CHANNEL.search(name):
            return channel[0]
    return stem if stem and not stem.isdigit() else folder or path.stem


def _is_time(folder: str) -> bool:
    """Whether a folder is one of a year or a month: `2020`, `07`, `2020-07`."""
    return folder.replace("-", "").isdigit()


def _matches(sample: Sample) -> bool:
    lines = [_COLOURS.sub("", line) for line in sample.text.replace("\r", "").split("\n", _LOOKED_AT)[:_LOOKED_AT]]
    lines = [line for line in lines if line.strip()]
    found = [one for one in map(_parsed, lines) if one]
    told = [one for one in found if one.speaker or _EVENT.match(one.when["rest"])]
    if not told or any(is_level(one.speaker) for one in told) or not (_parsed(lines[0]) or _OPENED.match(lines[0])):
        return False
    in_columns = any(one.speaker and "\t" in one.when["gap"] for one in told)
    if in_columns and sample.suffix != ".weechatlog" and not any(f"\t{arrow}\t" in sample.text for arrow in _ARROWS):
        return False  # a table that begins with times
    return 2 * len(told) >= len(lines)


FORMAT = Format(
    "irc",
    "Logs of IRC, as irssi, WeeChat, ZNC, HexChat, mIRC and bots write them",
    read,
    _matches,
    ("*.log", "*.weechatlog", "*.txt"),
)
