"""Places that somebody saved or reviewed in Google Maps, as Google Takeout has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts

from memkit import MemoryDatabase
from memkit.sources import detect

URL = "https://www.google.com/maps/place/x/data=!4m2"
OLD: dict[str, Any] = {"geometry": {"coordinates": [-71.1242253, 42.3518558], "type": "Point"}, "properties": {
    "Google Maps URL": "http://maps.google.com/?cid=1", "Location": {
        "Address": "12 Plum Lane, Lund", "Business Name": "Plum Teahouse", "Country Code": "SE"},
    "Published": "2018-04-05T18:19:20Z", "Title": "Plum Teahouse", "Updated": "2018-04-05T18:19:20Z"}}  # fmt: skip
NEW: dict[str, Any] = {
    "geometry": {"coordinates": [0, 0], "type": "Point"},
    "properties": {
        "date": "2023-01-07T23:00:13Z",
        "google_maps_url": URL,
        "location": {"name": "Orchard", "address": "Lund"},
    },
}
REVIEW = {**NEW, "properties": {
    **NEW["properties"], "five_star_rating_published": 4, "review_text_published": "Fine quinces."}}  # fmt: skip
LIST = f"""For the summer

Title,Note,URL,Tags,Comment
,,,,
Plum Teahouse,Open late,{URL},tea,
Orchard,,https://www.google.com/maps/place/y,,
"""


def written(path: Path, *features: object) -> Path:
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def told(path: Path) -> list[tuple[str | None, str | None, str, str | None]]:
    return [(one.document.title, one.title, one.text, one.happened_at) for one in drafts(path)]


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        (OLD, ("Saved places", "Plum Teahouse",
               "[Plum Teahouse](http://maps.google.com/?cid=1)\n12 Plum Lane, Lund\nAt 42.3518558, -71.1242253",
               "2018-04-05T18:19:20Z")),
        (NEW, ("Saved places", "Orchard", f"[Orchard]({URL})\nLund", "2023-01-07T23:00:13Z")),
        (REVIEW, ("Reviews", "Orchard", f"[Orchard]({URL})\nLund\nRated 4 of 5\n\nFine quinces.",
                  "2023-01-07T23:00:13Z")),
    ],
)  # fmt: skip
def test_a_place(tmp_path: Path, feature: object, expected: tuple[str, str, str, str]) -> None:
    path = written(tmp_path / "Saved Places.json", feature)
    assert detect(path) == "saved-places"
    assert told(path) == [expected]


def test_a_list_is_called_as_its_file(tmp_path: Path) -> None:
    path = tmp_path / "Want to go.csv"
    path.write_text(LIST)
    assert detect(path) == "saved-places"
    assert told(path) == [
        ("Want to go", "Plum Teahouse", f"[Plum Teahouse]({URL})\n\nOpen late", None),
        ("Want to go", "Orchard", "[Orchard](https://www.google.com/maps/place/y)", None),
    ]


def test_a_later_export_adds_what_is_new(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(written(tmp_path / "Saved Places.json", OLD)).added == 1
        later = db.ingest(written(tmp_path / "Saved Places.json", NEW, OLD))
        assert (later.added, later.updated, len(db)) == (1, 0, 2)


def test_other_maps_are_none_of_saved_places(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", {"properties": {"name": "Lund"}})
    with MemoryDatabase(embed="none") as db:
        assert [one.source for one in db.ingest(tmp_path).left_out] == [path.as_posix()]
