"""Saved places loader: what somebody has marked in Google Maps, as Google Takeout has it (JSON, and lists as CSV)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text, time_or_none
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.json_file import is_json, load_json
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import Row, rows
from memkit.sources.reading.item import Item, drafts, joined, link
from memkit.sources.sample import Sample

_LIST = re.compile(r"^Title,Note,URL\b", re.MULTILINE)  # what is said of the list may stand before it
_HEAD = 5000
_SAVED = "Saved places"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each place or review: its name, where it is, what was written on it."""
    data = whole(path, options)
    if is_json(data):
        features = as_list(as_dict(load_json(data, options.limits)).get("features"))
        found = (_place(as_dict(one)) for one in features)
        yield from drafts(found, path, options, kind="places")
    else:
        listed = (row if isinstance(row, Failure) else _of_list(row, path.stem) for row in rows(path, options, "Title"))
        yield from drafts(listed, path, options, kind="places")


def _place(feature: Mapping[str, Any]) -> Item:
    """A place of `Saved Places.json` or `Reviews.json`, in its old or its new form."""
    about = as_dict(feature.get("properties"))
    where = as_dict(about.get("location") or about.get("Location"))
    url = as_text(about.get("google_maps_url") or about.get("Google Maps URL"))
    review = as_text(about.get("review_text_published") or about.get("Review Comment"))
    stars = about.get("five_star_rating_published") or about.get("Star Rating")
    title = next(filter(None, map(as_text, (where.get("name"), where.get("Business Name"), about.get("Title")))), "")
    address = " ".join(as_text(where.get("address") or where.get("Address")).split())
    point = as_list(as_dict(feature.get("geometry")).get("coordinates"))
    degrees = ", ".join(map(str, reversed(point[:2]))) if any(point) else ""
    is_review = bool(review or stars)
    lines = [link(title or address or degrees, url), address if title else "", f"At {degrees}" if degrees else ""]
    rated = f"Rated {stars} of 5" if isinstance(stars, int | float) else ""
    note = as_text(about.get("Comment") or about.get("comment"))
    return Item(
        source=f"google-maps:{'Reviews' if is_review else _SAVED}", document="Reviews" if is_review else _SAVED,
        text=joined("\n".join(filter(None, [*lines, rated])), review, note) if title or address or degrees else "",
        id=url or title, title=title or address, kind="review" if is_review else "place",
        at=time_or_none(about.get("date") or about.get("Published")), meta={"url": url, "address": address},
    )  # fmt: skip


def _of_list(row: Row, name: str) -> Item:
    """A place of a list: its name is that of the file."""
    title, url = row.get("Title", ""), row.get("URL", "")
    return Item(
        source=f"google-maps:{name}", document=name, id=url or title, title=title, kind="place",
        text=joined(link(title, url), row.get("Note"), row.get("Comment")) if title else "",
        tags=[name, *row.get("Tags", "").split(",")], meta={"url": url},
    )  # fmt: skip


def _matches(sample: Sample) -> bool:
    if _LIST.search(sample.text[:_HEAD]) and "google.com/maps" in sample.text:
        return True
    is_map = sample.has_keys("type", "features") and '"FeatureCollection"' in sample.text[:1000]
    return is_map and ('"google_maps_url"' in sample.text or '"Google Maps URL"' in sample.text)


FORMAT = Format(
    "saved-places", "Places that were saved or reviewed in Google Maps", read, _matches, ("*.json", "*.csv")
)
