"""Dated lines: text in which a line that begins with a date begins a message, and other lines continue it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

from memkit.core.patterns import pattern
from memkit.core.types import Failure
from memkit.sources.date_order import DateOrder, full_year
from memkit.sources.jsonl_lines import lines
from memkit.sources.limits import OverLimit, ReadLimits
from memkit.sources.options import ReadOptions

T = TypeVar("T")

LRM = "\u200e"  # an iPhone writes it before what no person typed
# Marks of the direction of writing: in names, in dates of Arabic and Hebrew phones, before lines that an iPhone wrote.
MARKS = "\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"
_M = f"[{MARKS}]*"
_HEAD = pattern(
    rf"{_M}(?P<bracket>\[)?{_M}(?P<a>\d{{1,4}}){_M}(?P<mark>[./-]){_M}[ ]?(?P<b>\d{{1,2}})"
    rf"{_M}(?P=mark){_M}[ ]?(?P<c>\d{{1,4}})"
    r"(?P<before>[^\d\[\]:\n]{1,18})"
    r"(?P<hour>\d{1,2})(?:[:.]|\s?h\s?)(?P<minute>\d\d)(?:[:.](?P<second>\d\d))?"
    r"(?P<after>[^\d\[\]:\n-]{0,16}?)"
    rf"(?(bracket)\]{_M}[ ]?|(?: - |:[ ]))"
)
_SPOKEN = pattern(r"(?P<speaker>[^:\n]{1,120}?):(?:[ ](?P<text>.*)|$)", re.DOTALL)
_DAY_IN_NAME = pattern(r"\b(20\d\d)(-?)(\d\d)\2(\d\d)-(?:WA\d|\d\d-\d\d)")
_LEVELS = pattern(r"(?:[\w-]+\.)?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL)", re.IGNORECASE)
_LONGEST_HEAD = 120  # characters
_LOOKED_AT = 40  # lines of a sample
_NO_MARKS = pattern(f"[{MARKS}]")
# The words for the halves of the day, letters only, and the first hour of each.
_HALVES: dict[int, str] = {
    0: "am vm fm öö de sa pg pd πμ ص قظ 上午 凌晨 清晨 早上 오전 午前 ก่อนเที่ยง лш дп проб पूर्वाह्न לפנהצ",
    11: "中午",
    12: "pm nm em ös du ch ptg md μμ م بظ 下午 傍晚 晚上 오후 午後 หลังเที่ยง пп слоб अपराह्न אחהצ",
}


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text)).lower()


_HALF = {_letters(word): hour for hour, words in _HALVES.items() for word in words.split()}


class Head(NamedTuple):
    """The beginning of a message: its three numbers of a date as they stand, and its time of the day."""

    date: tuple[int, int, int]
    time: tuple[int, int, int]
    mark: str
    half: bool  # whether the clock has two halves of a day
    seconds: bool
    end: int  # where the message begins in the line

    @property
    def year_first(self) -> bool:
        """Whether the date begins with its year."""
        return self.date[0] > 31

    def at(self, day_first: bool) -> datetime:
        """The local time. Raises ValueError for a date that is not in the calendar."""
        a, b, c = self.date
        if self.year_first:
            return datetime(full_year(a), b, c, *self.time)
        return datetime(full_year(c), *((b, a) if day_first else (a, b)), *self.time)


def head(line: str) -> Head | None:
    """The head of a message at the beginning of a line; None if there is none."""
    if not line or line[0].isalpha():  # most lines that continue a message: a pattern takes longer
        return None
    found = _HEAD.match(line)
    if found is None:
        return None
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    around = found["after"] + " " + found["before"]
    start = None
    if around != " , ":  # the clock of 24 hours, as most have it
        start = next((_HALF[word] for key in ("after", "before") if (word := _letters(found[key])) in _HALF), None)
    if start is not None:
        hour = start + (hour - start) % 12
    if hour > 23 or minute > 59 or second > 59:
        return None
    dated = (int(found["a"]), int(found["b"]), int(found["c"]))
    if not _possible(dated):
        return None
    return Head(
        dated,
        (hour, minute, second),
        found["mark"],
        start is not None,
        found["second"] is not None,
        found.end(),
    )


def _possible(dated: tuple[int, int, int]) -> bool:
    a, b, c = dated
    first, second = (b, c) if a > 31 else (a, b)
    return 1 <= first <= 31 and 1 <= second <= 31 and min(first, second) <= 12 and (c <= 31 if a > 31 else True)


@dataclass(slots=True)
class Message:
    """A message with its local time. `speaker` is None where the program itself speaks.

    `is_marked` is whether its head begins with a mark of direction, as an iPhone writes the head of one with a file.
    """

    at: datetime
    speaker: str | None
    text: str
    is_marked: bool = False


def headed(given: Iterable[str], begun: Callable[[str], T | None], limits: ReadLimits) -> Iterator[tuple[T, list[str]]]:
    """What begins in a line, as `begun` reads it, and the lines that continue it; those before the first are left out.

    Raises OverLimit for a message without an end.
    """
    now: T | None = None
    rest: list[str] = []
    size = 0
    for line in given:
        found = begun(line)
        if found is not None:
            if now is not None:
                yield now, rest
            now, rest, size = found, [], 0
        elif now is not None:
            rest.append(line)
            size += len(line)
            if size > limits.line_size:
                raise OverLimit("line_size", limits, "characters in a message")
    if now is not None:
        yield now, rest


def messages(given: Iterable[str], order: bool, limits: ReadLimits) -> Iterator[Message]:
    """The messages in these lines. `order` is whether days come first. Raises OverLimit for one without an end."""
    for now, rest in headed(given, partial(_begun, order=order), limits):
        now.text = "\n".join([now.text, *rest])
        yield now


def _begun(line: str, order: bool) -> Message | None:
    found = head(line)
    if found is None:
        return None
    try:
        now = spoken(found.at(order), line[found.end :])
    except ValueError:  # no date of the calendar: text that only looks like one
        return None
    now.is_marked = line.startswith(LRM)
    return now


def spoken(at: datetime, rest: str) -> Message:
    """The message in the rest of a line: `Rosa: It blooms.`, or a line of the program without a speaker."""
    found = _SPOKEN.match(rest)
    name = name_of(found["speaker"]) if found else ""
    # A quotation mark that is not closed: the colon stands in the name of a group in a line of the program.
    if found is None or not name or name.count('"') % 2 or name.count("“") != name.count("”"):
        return Message(at, None, rest)
    return Message(at, name, found["text"] or "")


def name_of(text: str) -> str:
    """A name without marks of direction, and without the `~` before a name that is not in the address book."""
    return without_marks(text).removeprefix("~").strip()


def without_marks(text: str) -> str:
    """The text without marks of direction, and without blanks around it."""
    return (text if text.isascii() else _NO_MARKS.sub("", text)).strip()


def order_of(given: Iterable[str]) -> DateOrder:
    """What a file's lines show of the order of its dates. It stops as soon as that is settled."""
    order = DateOrder()
    for line in given:
        found = head(line)
        if found is None or found.year_first:
            continue
        a, b, c = found.date
        order.see(a, b, full_year(c))
        if named := _DAY_IN_NAME.search(line, found.end):
            try:
                known = date(int(named[1]), int(named[3]), int(named[4]))
            except ValueError:
                continue
            order.compare(a, b, full_year(c), known)
        if order.settled is not None:
            break
        # Where the month stands first, numbers have slashes between them and clocks have two halves.
        if found.mark != "/" or not found.half:
            order.likely = True
    return order


def _utf8(line: bytes) -> str:
    return line.decode("utf-8", "replace")


def decoded(
    stream: BinaryIO,
    path: Path,
    options: ReadOptions,
    failures: list[Failure] | None = None,
    as_text: Callable[[bytes], str] = _utf8,
) -> Iterator[str]:
    """The lines of a file, each `as_text`. A line that is too long is left out, and noted in `failures`."""
    for number, line in lines(stream, options.limits.line_size, blank=True):
        if line is not None:
            yield as_text(line).rstrip("\r\n")
        elif failures is not None:
            reason = "the line is too long; to read it all the same: --limit line_size=N"
            failures.append(Failure(path.as_posix(), reason, line=number))


def is_chat(text: str) -> bool:
    """Whether the beginning of a text is a chat: it begins with a head, and several lines are said by somebody.

    That of a large group may begin with hundreds who joined. Then most of what follows is said.
    """
    if head(text[:_LONGEST_HEAD]) is None:
        return False
    lines = text.split("\n")
    heads, names = _spoken_by(lines[:_LOOKED_AT])
    if heads > 1 and not names:
        heads, names = _spoken_by(lines)
        if len(names) <= heads / 2:
            return False
    return heads > 1 and bool(names) and not any(map(is_level, names))


def _spoken_by(lines: Iterable[str]) -> tuple[int, list[str]]:
    """How many of these lines begin a message, and the names of those who speak in them."""
    heads = [(line, found) for line in lines if (found := head(line))]
    names = [spoken(datetime.min, line[found.end :]).speaker for line, found in heads]
    return len(heads), [name for name in names if name]


def is_level(name: str) -> bool:
    """Whether a name is that of a level, as the lines of a program's log have it."""
    return _LEVELS.fullmatch(name) is not None
