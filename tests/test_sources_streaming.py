"""What somebody watched on Netflix and played on Spotify, and the days in a diary of moods."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_files import drafts, written

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.sources import ReadOptions, detect, read

PLAIN = ReadOptions(timezone="Europe/Paris")
SPOTIFY = [
    {"endTime": "2020-02-20 11:02", "artistName": "Rosa Marsh", "trackName": "Quinces", "msPlayed": 177864},
    {"endTime": "2020-02-20 11:02", "artistName": "Rosa Marsh", "trackName": "Skipped", "msPlayed": 2000},
]
EXTENDED = [
    {"ts": "2020-02-20T11:02:33Z", "ms_played": 40000, "master_metadata_track_name": "Quinces",
     "master_metadata_album_artist_name": "Rosa Marsh", "master_metadata_album_album_name": "Orchard"},
    {"ts": "2020-02-21T11:02:33Z", "ms_played": 40000, "master_metadata_track_name": None,
     "episode_name": "On pruning", "episode_show_name": "Trees"},
]  # fmt: skip
ACCOUNT = """Profile Name,Start Time,Duration,Attributes,Title,Supplemental Video Type,Device Type,Bookmark,Country
Rosa,2021-01-01 20:11:22,00:40:00,,Plums: Part 1,,TV,00:40:00,SE
Rosa,2021-01-01 20:00:00,00:00:20,,Plums: Trailer,TRAILER,TV,00:00:20,SE
"""
DAYLIO = """\ufefffull_date,date,weekday,time,mood,activities,note_title,note
2017-12-09,December 9,Saturday,13:25,rad,"shopping | good meal","Concert","The choir<br><b>sang</b>"
2017-12-08,December 8,Friday,1:26 am,meh,"","",""
2017-12-07,December 7,Thursday,,good,,,a < b
"""


def told(path: Path, options: ReadOptions = PLAIN) -> list[tuple[str, str | None]]:
    return [(one.text, one.happened_at) for one in drafts(path, options)]


def netflix(folder: Path, *days: str) -> Path:
    rows = (f'"Plums: Part {number}","{day}"\n' for number, day in enumerate(days))
    return written(folder / "NetflixViewingHistory.csv", "Title,Date\n" + "".join(rows))


@pytest.mark.parametrize(
    ("days", "iso"),
    [
        (("10/13/25", "9/5/21"), ("2025-10-13", "2021-09-05")),
        (("11-08-23", "31-07-23"), ("2023-08-11", "2023-07-31")),
        (("05.08.23", "03.08.23", "09.07.23"), ("2023-08-05", "2023-08-03", "2023-07-09")),
        (("2020/05/27", "2018/09/16"), ("2020-05-27", "2018-09-16")),
        (("2020. 5. 27.",), (None,)),
    ],
)
def test_what_was_watched_on_its_day(tmp_path: Path, days: tuple[str, ...], iso: tuple[str | None, ...]) -> None:
    path = netflix(tmp_path, *days)
    assert detect(path) == "netflix"
    expected = [(f"Watched Plums: Part {number}", day) for number, day in enumerate(iso)]
    assert told(path) == [*reversed(expected)]


def test_days_that_fit_both_orders_are_asked_for(tmp_path: Path) -> None:
    path = netflix(tmp_path, "01/12/24")
    with pytest.raises(BadSource, match="--day-first"):
        list(read(path))
    assert told(path, ReadOptions(day_first=False)) == [("Watched Plums: Part 0", "2024-01-12")]


def test_what_was_watched_in_the_data_of_an_account(tmp_path: Path) -> None:
    path = written(tmp_path / "ViewingActivity.csv", ACCOUNT)
    assert detect(path) == "netflix"
    assert told(path) == [("Watched Plums: Part 1", "2021-01-01T20:11:22Z")]


def test_what_was_played(tmp_path: Path) -> None:
    short, long = written(tmp_path / "a.json", SPOTIFY), written(tmp_path / "b.json", EXTENDED)
    assert (detect(short), detect(long)) == ("spotify", "spotify")
    assert told(short) == [("Listened to Quinces (Rosa Marsh)", "2020-02-20T11:02:00Z")]
    assert told(long) == [
        ("Listened to Quinces (Rosa Marsh)", "2020-02-20T11:02:33Z"),
        ("Listened to On pruning (Trees)", "2020-02-21T11:02:33Z"),
    ]


def test_a_diary_of_moods(tmp_path: Path) -> None:
    path = written(tmp_path / "daylio_export.csv", DAYLIO)
    assert detect(path) == "daylio"
    assert told(path) == [
        ("Concert\n\nMood: rad\nActivities: shopping, good meal\n\nThe choir\nsang", "2017-12-09T12:25:00Z"),
        ("Mood: meh", "2017-12-08T00:26:00Z"),
        ("Mood: good\n\na < b", "2017-12-07"),
    ]


def test_later_exports_add_what_is_new(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(netflix(tmp_path, "10/13/25", "9/25/21")).added == 2
        again = written(
            tmp_path / "NetflixViewingHistory.csv",
            'Title,Date\n"New","10/14/25"\n"Plums: Part 0","10/13/25"\n"Plums: Part 1","9/25/21"\n',
        )
        later = db.ingest(again)
        assert (later.added, later.updated, later.removed) == (1, 0, 0)


def test_other_tables_of_titles_are_none_of_netflix(tmp_path: Path) -> None:
    with pytest.raises(BadSource):
        detect(written(tmp_path / "a.json", [{"endTime": 1, "name": "x"}]))
    assert detect(written(tmp_path / "titles.csv", "Title,Date,text\na,b,c\n")) == "csv"
