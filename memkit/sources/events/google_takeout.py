"""Google Takeout loader: My Activity as JSON or HTML, Chrome's history, and where one was (Location History)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memkit.core.types import SHOWN, Draft, Failure, LeftOut
from memkit.sources.chat import as_dict, as_list, as_text, time_or_none
from memkit.sources.contents import whole
from memkit.sources.events.activity_page import cells, is_activity_page, shown_time
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.json_file import is_json, load_json
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import Item, drafts, joined, link
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

_SHOWING = b"service_tile_list"  # in the page that shows the export; its name is of the language of the account
_PRODUCTS = '"products"'
_POINT = re.compile(r"(-?\d{1,3}(?:\.\d{1,12})?)°?,\s*(-?\d{1,3}(?:\.\d{1,12})?)")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure | LeftOut]:
    """What was done, and where one was, each with its time."""
    data = whole(path, options)
    if _SHOWING in data and not is_json(data):
        yield LeftOut(path.as_posix(), SHOWN)
        return
    found = (
        _of_json(load_json(data, options.limits))
        if is_json(data)
        else _of_page(data.decode("utf-8", "replace"), options)
    )
    yield from drafts(found, path, options, kind="history")


def _of_json(top: Any) -> Iterator[Item]:
    ids = RecordIds()
    for one in as_list(top):
        about = as_dict(one)
        yield from _activity(about, ids) if "title" in about else _segment(about, ids)
    parts = as_dict(top)
    for one in as_list(parts.get("Browser History")):
        yield from _visit(as_dict(one), ids)
    for one in as_list(parts.get("locations")):
        yield from _record(as_dict(one), ids)
    for one in as_list(parts.get("timelineObjects")):
        yield from _place(as_dict(as_dict(one).get("placeVisit")), ids)
    for one in as_list(parts.get("semanticSegments")):
        yield from _segment(as_dict(one), ids)


# ------------------------------------------------------------------------------------------------------- My Activity


def _activity(about: Mapping[str, Any], ids: RecordIds) -> Iterator[Item]:
    title, url = as_text(about.get("title")), as_text(about.get("titleUrl"))
    more = [as_text(as_dict(one).get("name")) for one in as_list(about.get("subtitles"))]
    text = joined(link(title, url), as_text(about.get("description")), *more)
    yield _done(as_text(about.get("header")), title, text, time_or_none(about.get("time")), url, ids)


def _visit(about: Mapping[str, Any], ids: RecordIds) -> Iterator[Item]:
    title, url = as_text(about.get("title")), as_text(about.get("url"))
    yield _done("Chrome", title or url, link(title, url), time_or_none(about.get("time_usec")), url, ids)


def _of_page(page: str, options: ReadOptions) -> Iterator[Item]:
    """The cells of the page: what was done, and in the last line when."""
    ids = RecordIds()
    for cell in cells(page):
        inner = cell.body.partition("</div>")[0]
        *said, when = [line.strip() for line in html_markdown(inner).splitlines() if line.strip()] or [""]
        at = shown_time(when, options)
        if at is None:  # of another language
            said.append(when)
        words = html_markdown(inner, link=lambda address, words: words).splitlines()
        title = " ".join((words or [""])[0].split())
        yield _done(cell.product, title, "\n".join(said).replace("\xa0", " "), at, "", ids)


def _done(product: str, title: str, text: str, at: str | None, url: str, ids: RecordIds) -> Item:
    """Something that was done. Its id is the same in JSON and in HTML."""
    return Item(
        source=f"google-takeout:{product or 'activity'}", document=product or "My Activity", text=text,
        id=ids.next(at, product, " ".join(title.split())), title=title, kind="activity", at=at, meta={"url": url},
    )  # fmt: skip


# --------------------------------------------------------------------------------------------------------- locations


def _record(about: Mapping[str, Any], ids: RecordIds) -> Iterator[Item]:
    """A point of `Records.json`, or of `Location History.json` before it."""
    if where := _degrees(about):
        exact = about.get("accuracy")
        text = f"At {where}" + (f" (accuracy {exact} m)" if isinstance(exact, int | float) else "")
        yield _been(text, about.get("timestamp") or about.get("timestampMs"), ids)


def _place(about: Mapping[str, Any], ids: RecordIds) -> Iterator[Item]:
    """A visit of a place, of the months of `Semantic Location History`."""
    where, lasted = as_dict(about.get("location")), as_dict(about.get("duration"))
    name, address = as_text(where.get("name")), " ".join(as_text(where.get("address")).split())
    begun = lasted.get("startTimestamp") or lasted.get("startTimestampMs")
    if text := ", ".join(part for part in (name, address, _degrees(where)) if part):
        yield _been(f"At {text}", begun, ids, until=lasted.get("endTimestamp") or lasted.get("endTimestampMs"))


def _segment(about: Mapping[str, Any], ids: RecordIds) -> Iterator[Item]:
    """What the phone's timeline tells: a visit, a way, or the points of one."""
    begun, until = about.get("startTime"), about.get("endTime")
    visit = as_dict(as_dict(about.get("visit")).get("topCandidate"))
    if where := _point(visit.get("placeLocation")):
        kind = as_text(visit.get("semanticType")).replace("_", " ").lower()
        yield _been(f"At {where}" + (f" ({kind})" if kind not in ("", "unknown") else ""), begun, ids, until=until)
    way = as_dict(about.get("activity"))
    if (start := _point(way.get("start"))) and (end := _point(way.get("end"))):
        kind = as_text(as_dict(way.get("topCandidate")).get("type")).replace("_", " ").lower()
        yield _been(f"From {start} to {end}" + (f" ({kind})" if kind else ""), begun, ids, until=until)
    for one in as_list(about.get("timelinePath")):
        if where := _point(as_dict(one).get("point")):
            yield _been(f"At {where}", as_dict(one).get("time") or begun, ids)


def _been(text: str, at: object, ids: RecordIds, until: object = None) -> Item:
    when = time_or_none(at)
    return Item(
        source="google-takeout:Location History", document="Location History", text=text,
        id=ids.next(at if isinstance(at, str) else when, "", text), title="Location", kind="location", at=when,
        meta={"until": time_or_none(until)},
    )  # fmt: skip


def _degrees(about: Mapping[str, Any]) -> str:
    """Latitude and longitude from ten-millionths of a degree."""
    both = [about.get("latitudeE7"), about.get("longitudeE7")]
    if not all(isinstance(one, int) and not isinstance(one, bool) and abs(one) < 10**11 for one in both):
        return ""
    return ", ".join(f"{one / 1e7:.7f}" for one in both)  # type: ignore[operator]


def _point(value: object) -> str:
    """Latitude and longitude of `geo:48.1,11.5`, `48.1°, 11.5°`, or an object that holds such."""
    while isinstance(value, dict):
        value = value.get("latLng")
    found = _POINT.fullmatch(value.removeprefix("geo:").rstrip("°")) if isinstance(value, str) else None
    return f"{found[1]}, {found[2]}" if found else ""


def _matches(sample: Sample) -> bool:
    if sample.is_zip:  # `memkit.sources` reads the files in it, each by its format
        return bool(sample.entries) and all(name.startswith("Takeout/") for name in sample.entries)
    text, keys = sample.text, sample.keys
    if sample.suffix in (".html", ".htm"):
        if _SHOWING in sample.head:
            return True
        return is_activity_page(text)
    if sample.text_column in keys:
        return False
    if text.startswith("["):
        is_activity = {"header", "title", "time"} <= keys and (_PRODUCTS in text or '"titleUrl"' in text)
        return is_activity or ({"startTime", "endTime"} <= keys and '"geo:' in text)
    return (
        ("locations" in keys and '"latitudeE7"' in text)
        or ("timelineObjects" in keys and ('"placeVisit"' in text or '"activitySegment"' in text))
        or ("semanticSegments" in keys and '"startTime"' in text)
        or ("Browser History" in keys and '"time_usec"' in text)
    )


FORMAT = Format(
    "google-takeout",
    "Google Takeout: My Activity, locations, Chrome's history, or a zip of it with all that is in it",
    read,
    _matches,
    ("*.json", "*.html", "*.zip"),
    holds_files=True,
)
