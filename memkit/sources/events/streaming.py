"""Loaders of what somebody watched and listened to: the histories of Netflix (CSV) and Spotify (JSON)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text, time_or_none
from memkit.sources.contents import whole
from memkit.sources.date_order import DateOrder, full_year
from memkit.sources.format import Format
from memkit.sources.json_file import load_json
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import Row, has_columns, rows
from memkit.sources.reading.item import Item, drafts
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

_NUMBERS = re.compile(r"(\d{1,4})\D(\d{1,2})\D(\d{1,4})")
_LONGEST = 31  # days of a month: a larger number is a year
_HEARD = 30_000  # milliseconds from which on Spotify counts that something was played
_SKIPPED = "songs that were skipped"
_PERSONAL = ("Profile Name", "Start Time", "Title", "Supplemental Video Type")  # of the whole data of an account


def read_netflix(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What was watched, with its day, or its time in the data of an account; trailers are left out."""
    yield from drafts(_watched(path, options), path, options, kind="history")


def _watched(path: Path, options: ReadOptions) -> Iterator[Item | Failure]:
    found, order, ids = list[Row](), DateOrder(), RecordIds()
    for row in rows(path, options):
        if isinstance(row, Failure):
            yield row
        elif row.get("Start Time"):
            yield from _of_account(row, options, ids)
        else:
            found.append(row)
    days = [_numbers(row) for row in reversed(found)]  # the newest stands first
    for numbers in days:
        if numbers and numbers[0] <= _LONGEST:
            order.see(numbers[0], numbers[1], full_year(numbers[2]))
    day_first = order.day_first(path, options.day_first) if any(days) else True
    for row, numbers in zip(reversed(found), days, strict=True):
        day = _day(numbers, day_first)
        yield _seen(row.get("Title", ""), day or None, "", ids)
        if not day:
            options.skip("days that no calendar has")


def _numbers(row: Row) -> tuple[int, int, int] | None:
    told = _NUMBERS.fullmatch(row.get("Date", "").strip().rstrip("."))
    return (int(told[1]), int(told[2]), int(told[3])) if told else None


def _day(numbers: tuple[int, int, int] | None, day_first: bool) -> str:
    if numbers is None:
        return ""
    first, second, third = numbers
    if first > _LONGEST:
        year, month, day = first, second, third
    else:
        year, month, day = full_year(third), *((second, first) if day_first else (first, second))
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def _of_account(row: Row, options: ReadOptions, ids: RecordIds) -> Iterator[Item]:
    if row.get("Supplemental Video Type", "").strip():
        options.skip("trailers and previews")
    else:
        yield _seen(row.get("Title", ""), time_or_none(row["Start Time"]), row.get("Profile Name", ""), ids)


def _seen(title: str, at: str | None, profile: str, ids: RecordIds) -> Item:
    return Item(
        source="netflix", document="Netflix", text=f"Watched {title}" if title else "", id=ids.next(at, profile, title),
        title=title, kind="activity", at=at, meta={"profile": profile},
    )  # fmt: skip


def read_spotify(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What was played for half a minute or longer: songs, episodes of podcasts, chapters of books."""
    top = as_list(load_json(whole(path, options), options.limits))
    yield from drafts(_played(top, options), path, options, kind="history")


def _played(top: list[Any], options: ReadOptions) -> Iterator[Item]:
    ids = RecordIds()
    for one in map(as_dict, top):
        lasted = one.get("ms_played", one.get("msPlayed"))
        if isinstance(lasted, int | float) and lasted < _HEARD:
            options.skip(_SKIPPED)
        else:
            yield _heard(one, ids)


def _heard(one: Mapping[str, Any], ids: RecordIds) -> Item:
    names = (
        ("master_metadata_track_name", "master_metadata_album_artist_name"), ("trackName", "artistName"),
        ("episode_name", "episode_show_name"), ("audiobook_chapter_title", "audiobook_title"),
    )  # fmt: skip
    title, by = next(
        ((told, as_text(one.get(who))) for what, who in names if (told := as_text(one.get(what)))), ("", "")
    )
    at = time_or_none(one.get("ts") or one.get("endTime"))
    album = as_text(one.get("master_metadata_album_album_name"))
    return Item(
        source="spotify", document="Spotify", text=f"Listened to {title}{f' ({by})' if by else ''}" if title else "",
        id=ids.next(at, by, title), title=title, author=by, kind="activity", at=at, meta={"album": album},
    )  # fmt: skip


def _is_netflix(sample: Sample) -> bool:
    is_history = sample.text.split("\n", 1)[0].strip() == "Title,Date" and "netflix" in sample.name
    return is_history or has_columns(sample, *_PERSONAL)


def _is_spotify(sample: Sample) -> bool:
    return sample.text.startswith("[") and (
        sample.has_keys("endTime", "artistName", "trackName", "msPlayed")
        or sample.has_keys("ts", "ms_played", "master_metadata_track_name")
    )


NETFLIX = Format("netflix", "What was watched on Netflix (CSV)", read_netflix, _is_netflix, ("*.csv",))
SPOTIFY = Format("spotify", "What was played on Spotify (JSON)", read_spotify, _is_spotify, ("*.json",))
