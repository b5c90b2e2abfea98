"""My Activity as a page: what Google Takeout writes unless JSON is chosen, as cells, and the times in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from memkit.core.instants import from_clocks, to_iso
from memkit.core.written_dates import written_date
from memkit.sources.html_markdown import html_markdown
from memkit.sources.options import ReadOptions

_CELL = re.compile(r'<div class="outer-cell')
_HEAD = re.compile(r'<p class="mdl-typography--title">([^<]{0,200})')
_BODY = re.compile(r'<div class="content-cell[^"]{0,80}body-1">')
_ZONE = re.compile(r"^(.*\d(?: [AP]M)?) ([A-Z]{2,5}|(?:GMT|UTC)?[+-]\d\d?(?::?\d\d)?)$", re.DOTALL)
_CLOCKS = ("%b %d, %Y, %I:%M:%S %p", "%d %b %Y, %H:%M:%S", "%d.%m.%Y, %H:%M:%S", "%Y-%m-%d %H:%M:%S")
_HOURS = {
    "UTC": 0, "GMT": 0, "WET": 0, "BST": 1, "WEST": 1, "CET": 1, "MEZ": 1, "CEST": 2, "MESZ": 2, "EET": 2, "EEST": 3,
    "MSK": 3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "JST": 9,
}  # fmt: skip
_OFFSET = re.compile(r"(?:GMT|UTC)?([+-])(\d\d?):?(\d\d)?")


class Cell(NamedTuple):
    """What was done once: the product as the page names it, and the HTML below it."""

    product: str
    body: str


def is_activity_page(text: str) -> bool:
    """Whether a page is one of My Activity."""
    return '<div class="outer-cell mdl-cell' in text and '<div class="content-cell mdl-cell' in text


def cells(page: str) -> Iterator[Cell]:
    """The cells of the page, the newest first as they stand there."""
    starts = [found.start() for found in _CELL.finditer(page)]
    for start, end in zip(starts, [*starts[1:], len(page)], strict=True):
        cell = page[start:end]
        if body := _BODY.search(cell):
            head = _HEAD.search(cell)
            inner = cell[body.end() :].partition('</div><div class="content-cell')[0]
            yield Cell(html_markdown(head[1]).strip() if head else "", inner)


def shown_time(told: str, options: ReadOptions) -> str | None:
    """The time of a line such as `Jan 31, 2018, 10:54:50 PM CET`. Old pages tell no zone: they are in UTC."""
    told = re.sub(r"\s+", " ", told.replace("Sept ", "Sep "))
    zoned = _ZONE.match(told)
    clock, zone = (zoned[1], zoned[2]) if zoned and zoned[2] not in ("AM", "PM") else (told, "UTC")
    for form in (*_CLOCKS, None):
        with suppress(ValueError, OverflowError):
            local = datetime.strptime(clock, form) if form else _spelled(clock)
            if offset := _OFFSET.fullmatch(zone):
                hours = int(offset[1] + "1") * timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
                return to_iso(local.replace(tzinfo=timezone(hours)))
            if zone in _HOURS:
                return to_iso(local.replace(tzinfo=timezone(timedelta(hours=_HOURS[zone]))))
            return from_clocks(local, options.timezone)
    return None


def _spelled(told: str) -> datetime:
    """A time with the name of a month in another language: `31 janv. 2018, 10:54:50`."""
    day, _, clock = told.rpartition(" ")
    return datetime.fromisoformat(f"{written_date(day.rstrip(', '))}T{clock:0>8}")
