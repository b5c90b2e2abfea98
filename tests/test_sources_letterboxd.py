"""Films of Letterboxd: each is there once, with what the fullest of its files says."""

from __future__ import annotations

import zipfile
from pathlib import Path

from chat_files import unpacked

from memkit import MemoryDatabase
from memkit.core.types import Draft, Failure, LeftOut
from memkit.sources import detect, read

FILES = {
    "reviews.csv": "Date,Name,Year,Letterboxd URI,Rating,Rewatch,Review,Tags,Watched Date\n"
    '2017-12-20,Plums,2012,https://boxd.it/r1,3.5,Yes,"So <b>fine</b>.\n\nReally.","tree, june",2017-12-19\n',
    "diary.csv": "Date,Name,Year,Letterboxd URI,Rating,Rewatch,Tags,Watched Date\n"
    "2017-12-20,Plums,2012,https://boxd.it/r1,3.5,Yes,,2017-12-19\n"
    "2017-12-31,Quinces,1983,https://boxd.it/d1,5,,,2017-09-30\n",
    "ratings.csv": "Date,Name,Year,Letterboxd URI,Rating\n2017-12-20,Plums,2012,https://boxd.it/1,3.5\n"
    "2017-12-31,Quinces,1983,https://boxd.it/2,4\n2017-12-31,Pears,2001,https://boxd.it/3,2\n",
    "watched.csv": "Date,Name,Year,Letterboxd URI\n2017-12-20,Plums,2012,https://boxd.it/1\n"
    "2017-12-30,Pears,2001,https://boxd.it/3\n2017-12-30,Medlars,,https://boxd.it/4\n",
    "watchlist.csv": "Date,Name,Year,Letterboxd URI\n2018-01-29,Sloes,1984,https://boxd.it/5\n",
    "likes/films.csv": "Date,Name,Year,Letterboxd URI\n2018-01-30,Plums,2012,https://boxd.it/1\n",
    "likes/reviews.csv": "Date,Content\n2018-01-30,https://boxd.it/x\n",
    "comments.csv": "Date,Content,Comment\n2019-10-22,https://boxd.it/y,Superb.\n",
    "lists/trees.csv": "Letterboxd list export v7\nDate,Name,Tags,URL,Description\n"
    '2020-08-30,Trees,"a, b",https://boxd.it/z,Of the <i>orchard</i>\n\nPosition,Name,Year,URL,Description\n'
    "1,Plums,2012,https://boxd.it/1,\n2,Quinces,1983,https://boxd.it/2,The best\n",
    "profile.csv": "Date Joined,Username,Given Name,Family Name,Favorite Films\n2017-12-15,rosa,Rosa,Marsh,\n",
    "deleted/diary.csv": "Date,Name,Year,Letterboxd URI,Rating\n2017-12-20,Gone,2012,https://boxd.it/9,1\n",
}
TOLD = {
    "Plums (2012). Watched again 2017-12-19. rated 3.5 of 5.\n\nSo fine.\n\nReally.": "2017-12-19",
    "Quinces (1983). Watched 2017-09-30. rated 5 of 5.": "2017-09-30",
    "Quinces (1983). rated 4 of 5.": "2017-12-31",
    "Pears (2001). rated 2 of 5.": "2017-12-31",
    "Medlars. Watched.": "2017-12-30",
    "Sloes (1984). To watch.": "2018-01-29",
    "Plums (2012). Liked.": "2018-01-30",
    "Superb.": "2019-10-22",
    "Trees\n\nOf the orchard\n\n1. Plums (2012)\n2. Quinces (1983): The best": "2020-08-30",
}


def test_the_films_of_a_folder(tmp_path: Path) -> None:
    found = list(read(unpacked(tmp_path, FILES)))
    assert not [one for one in found if isinstance(one, Failure)]
    drafts = [one for one in found if isinstance(one, Draft)]
    assert {one.text: one.happened_at for one in drafts} == TOLD
    assert len(drafts) == len(TOLD) == len({one.source_id for one in drafts})
    assert [one.tags for one in drafts if one.text.startswith("Plums (2012). Watched")] == [("tree", "june")]
    assert [one.speaker for one in drafts if one.text == "Superb."] == ["user"]
    left = sorted(Path(one.source).name for one in found if isinstance(one, LeftOut))
    assert left == ["diary.csv", "profile.csv", "reviews.csv"]


def test_the_zip_is_its_folder_and_a_later_one_changes_what_changed(tmp_path: Path) -> None:
    files = dict(FILES)
    path = tmp_path / "letterboxd-rosa-2024.zip"

    def packed() -> Path:
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return path

    assert detect(packed()) == "letterboxd"
    with MemoryDatabase(embed="none") as db:
        assert (db.ingest(path).added, db.ingest(unpacked(tmp_path / "a", FILES)).added) == (len(TOLD), 0)
        files["ratings.csv"] = files["ratings.csv"].replace("boxd.it/3,2", "boxd.it/3,4")
        files["diary.csv"] += "2024-01-02,Sloes,1984,https://boxd.it/d2,,,,2024-01-01\n"
        later = db.ingest(packed())
        assert (later.added, later.updated, later.removed) == (1, 1, 0)


def test_each_file_is_known_by_its_columns(tmp_path: Path) -> None:
    unpacked(tmp_path, FILES)
    assert {detect(tmp_path / name) for name in FILES} == {"letterboxd"}
    (tmp_path / "a.csv").write_text("Date,Content,text\na,b,c\n")
    assert detect(tmp_path / "a.csv") == "csv"
