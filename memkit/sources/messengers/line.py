"""LINE loader: a chat as the app exports it, in any of its languages: days, and below them time, speaker and text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memkit.core.instants import from_clocks
from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import conversation
from memkit.sources.contents import opened
from memkit.sources.date_order import DateOrder, full_year
from memkit.sources.format import Format
from memkit.sources.limits import ReadLimits
from memkit.sources.messengers.dated_lines import Head, decoded, head, headed
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.text_file import as_utf8
from memkit.sources.values import short_name

# `2024/01/02(火)`, `2015/12/25 Fri`, `2024.02.01 Thursday`, `Sat, 11/01/2025`
_DAY = re.compile(
    r"(?:[^\W\d]{1,12}\.?, )?(?P<a>\d{1,4})[/.](?P<b>\d{1,2})[/.](?P<c>\d{1,4})"
    r"(?: ?[(（]?[^\W\d][^\t\n\d]{0,20}[)）]?)?"
)
_SAID = re.compile(r"(?P<time>[^\t\n]{0,12}\d{1,2}:\d\d[^\t\n]{0,6})\t(?P<rest>.*)", re.DOTALL)
_TITLE = re.compile(
    r"\ufeff?\[LINE\] ?(?:Chat history (?:with|in) (?P<english>.+)|(?P<japanese>.+?)(?:との|の)トーク(?:履歴)?"
    r"|(?:與|与)(?P<chinese>.+?)的(?:聊天|聊天記錄|聊天记录)|(?P<other>.+))\s*"
)
_LOOKED_AT = 4000  # characters


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages with their speakers. What the program tells has no speaker, and is left out."""
    with opened(path, options) as stream, as_utf8(stream, options.limits) as text:
        order = DateOrder()
        for day in filter(None, map(_DAY.fullmatch, decoded(text, path, options))):
            if len(day["a"]) < 3:
                order.see(int(day["a"]), int(day["b"]), full_year(int(day["c"])))
        text.seek(0)
        failures: list[Failure] = []
        lines = decoded(text, path, options, failures)
        found = _TITLE.fullmatch(next(lines, ""))
        title = next(filter(None, found.groups())).strip() if found else path.stem
        chat = conversation(
            path, f"line:{title}" if found else path.as_posix(), title, options, whole=False, by_clock=True
        )
        ids = RecordIds()
        for when, rest in _messages(lines, options.limits):
            yield from failures
            failures.clear()
            speaker, told, words = rest.partition("\t")
            if not told or not speaker:  # somebody joined, or a message was unsent
                continue
            try:
                local = when.at(when.year_first or order.day_first(path, options.day_first))
            except ValueError as error:
                yield Failure(path.as_posix(), f"message of {speaker}: {error}")
                continue
            who, said = chosen_name(short_name(speaker)), _plain(words)
            yield from chat.turn(
                who, said, id=ids.next(local.isoformat(), who, said), at=from_clocks(local, options.timezone)
            )
        yield from failures


def _messages(lines: Iterator[str], limits: ReadLimits) -> Iterator[tuple[Head, str]]:
    """The messages in these lines: when, and what stands behind the time. Other lines continue them."""
    day = ""

    def begun(line: str) -> tuple[Head | None, str] | None:
        nonlocal day
        if when := _DAY.fullmatch(line):
            day = "/".join((when["a"], when["b"], when["c"]))
            return None, ""
        said = _SAID.fullmatch(line) if day else None
        time = head(f"{day}, {said['time'].strip()} - ") if said else None
        return (time, said["rest"]) if said and time else None

    for (time, text), rest in headed(lines, begun, limits):
        if time:
            yield time, "\n".join([text, *rest]).rstrip()


def _plain(words: str) -> str:
    """A text of several lines stands in quotation marks."""
    if "\n" in words and len(words) > 1 and words[0] == words[-1] == '"':
        return words[1:-1].replace('""', '"')
    return words


def _matches(sample: Sample) -> bool:
    beginning = sample.text[:_LOOKED_AT].lstrip("\ufeff").replace("\r\n", "\n").split("\n")
    return beginning[0].startswith("[LINE]") and any(map(_DAY.fullmatch, beginning))


FORMAT = Format("line", "LINE's exported chats", read, _matches, ("*.txt",))
