"""What was looked at: bookmarks, visits, activity."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts
from conftest import Write
from growth import reads_in_proportion
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.core.types import Draft, Failure, LeftOut
from memkit.sources import ReadOptions, detect, read
from memkit.sources.options import read_limits

NOW = "2026-03-01T12:00:00Z"


def changed(db: MemoryDatabase, path: Path) -> tuple[int, int, int]:
    report = db.ingest(path, now=NOW)
    assert report.failures == []
    return report.added, report.updated, report.removed


# --------------------------------------------------------------------------------------------------------- bookmarks

PAGE = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks Menu</H1>
<DL><p>
    <DT><A HREF="place:sort=8&maxResults=10" ADD_DATE="1460294956">Most visited</A>
    <DT><H3 ADD_DATE="1463688081">Garden &amp;
    trees</H3>
    <DD>All of the garden
    <DL><p>
        <DT><A HREF="https://example.org/quince?a=1&amp;b=2" ADD_DATE="1463686493" TAGS="fruit, late bloom">The
        quince</A>
        <DD>Blooms late &lt;in May&gt;
        <DT><A HREF="javascript:alert(1)" ADD_DATE="1463686493">Button</A>
        <DD>of no page
        <DT><H3>Figs</H3>
        <DL><p>
            <DT><A HREF="https://example.org/figs" ADD_DATE="1463686493123">Figs</A>
        </DL><p>
        <HR>
        <DT><A HREF="https://example.org/none" ADD_DATE="0"></A>
    </DL><p>
    <DT><H3 PERSONAL_TOOLBAR_FOLDER="true">Bookmarks Toolbar</H3>
    <DL><p>
        <DT><A HREF="https://example.org/figs" ADD_DATE="1463686494123456">Figs</A>
    </DL><p>
</DL>
"""


def test_bookmarks_of_a_page_whose_tags_never_close(write: Write) -> None:
    path = write("bookmarks.html", PAGE)
    assert detect(path) == "bookmarks"
    found = drafts(path)
    assert [one.text for one in found] == [
        "[The quince](https://example.org/quince?a=1&b=2)\n\nBlooms late <in May>",
        "[Figs](https://example.org/figs)",
        "https://example.org/none",
        "[Figs](https://example.org/figs)",
    ]
    day = "2016-05-19T19:34:"
    assert [one.happened_at for one in found] == [f"{day}53Z", f"{day}53Z", None, f"{day}54Z"]
    assert [one.tags for one in found] == [
        ("fruit", "late bloom", "Garden & trees"), ("Garden & trees", "Figs"), ("Garden & trees",), (),
    ]  # fmt: skip
    assert found[1].meta == {"url": "https://example.org/figs", "folder": "Garden & trees / Figs"}
    assert found[0].document is not None
    assert (found[0].title, found[0].kind, found[0].document.source) == ("The quince", "bookmark", "bookmarks")


def test_bookmarks_without_lists_around_them_and_with_links_in_a_description(write: Write) -> None:
    text = (
        "<!DOCTYPE NETSCAPE-Bookmark-file-1><DT><H3 FOLDED>Menu</H3><DL><p></DL></DL></DL><DL>"
        '<DT><a add_date=1463686493 href="https://a.org">A'
        '<DD>See <a href="https://c.org"><img src="x"></a> there<br>and here</DD>'
        '<DT><A HREF="https://b.org">B'
    )
    found = drafts(write("a.htm", text))
    assert [one.text for one in found] == ["[A](https://a.org)\n\nSee  there\nand here", "[B](https://b.org)"]
    assert [one.tags for one in found] == [(), ()]


CHROME = {
    "checksum": "c",
    "roots": {
        "bookmark_bar": {"name": "Bookmarks bar", "type": "folder", "children": [
            {"name": "Figs", "type": "url", "url": "https://example.org/figs", "date_added": "13108160093000000"},
            {"name": "Garden", "type": "folder", "children": [
                {"name": "Button", "type": "url", "url": "javascript:1", "date_added": "0"},
                {"name": "Quince", "type": "url", "url": "https://example.org/quince", "date_added": "0"}]}]},
        "other": {"name": "Other", "type": "folder", "children": []},
    },
}  # fmt: skip
FIREFOX = {
    "guid": "root________", "title": "", "type": "text/x-moz-place-container", "root": "placesRoot", "children": [
        {"title": "menu", "root": "bookmarksMenuFolder", "type": "text/x-moz-place-container", "children": [
            {"title": "Garden", "type": "text/x-moz-place-container", "children": [
                {"title": "Figs", "type": "text/x-moz-place", "uri": "https://example.org/figs", "tags": "fruit,late",
                 "dateAdded": 1463686493123456, "keyword": "f",
                 "annos": [{"name": "bookmarkProperties/description", "value": "Ripe in autumn"}]},
                {"type": "text/x-moz-place-separator", "title": ""},
                {"title": "Recent", "type": "text/x-moz-place", "uri": "place:sort=8"}]}]},
        {"title": "tags", "root": "tagsFolder", "type": "text/x-moz-place-container", "children": [
            {"title": "fruit", "type": "text/x-moz-place-container", "children": [
                {"title": "Figs", "type": "text/x-moz-place", "uri": "https://example.org/figs"}]}]}],
}  # fmt: skip


def test_bookmarks_of_chrome(write: Write) -> None:
    path = write("Bookmarks", json.dumps(CHROME))
    assert detect(path) == "bookmarks"
    found = drafts(path)
    assert [(one.text, one.happened_at, one.tags) for one in found] == [
        ("[Figs](https://example.org/figs)", "2016-05-19T19:34:53Z", ()),
        ("[Quince](https://example.org/quince)", None, ("Garden",)),
    ]


def test_bookmarks_of_firefox_once_and_not_again_for_each_tag(write: Write) -> None:
    path = write("bookmarks-2025.json", json.dumps(FIREFOX))
    assert detect(path) == "bookmarks"
    [found] = drafts(path)
    assert found.text == "[Figs](https://example.org/figs)\n\nRipe in autumn"
    assert (found.tags, found.happened_at) == (("fruit", "late", "Garden"), "2016-05-19T19:34:53Z")
    assert found.meta == {"url": "https://example.org/figs", "folder": "Garden", "keyword": "f"}


def test_bookmarks_of_overlapping_exports_are_taken_once(write: Write) -> None:
    with MemoryDatabase(embed="none") as db:
        path = write("bookmarks.html", PAGE)
        assert changed(db, path) == (4, 0, 0)
        assert changed(db, path) == (0, 0, 0)
        later = PAGE.replace("<HR>", '<DT><A HREF="https://new.org">New</A>')
        assert changed(db, write("later.html", later)) == (1, 0, 0)
        db.ingest(write("b.json", json.dumps(FIREFOX)), now=NOW)
        assert db.conn.execute("select count(*) from memories where text like '%figs%'").fetchone()[0] == 2


def test_bookmarks_are_found_in_a_folder_and_other_files_of_such_names_left_out(write: Write) -> None:
    path = write("a/Bookmarks", json.dumps(CHROME))
    write("b/Bookmarks", "This is a text of some program.")
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(path.parent.parent, now=NOW)
        assert (report.added, report.failed) == (2, 0)
        assert [(Path(one.source).parent.name, one.reason) for one in report.left_out] == [
            ("a", "1 bookmark of no page"),
            ("b", "no format that memkit reads"),
        ]


@given(st.text(alphabet="<>/=\"' adlthr3!-"))
def test_bookmarks_of_any_page_are_read(text: str) -> None:
    from memkit.sources.events.bookmarks import _of_page

    list(_of_page(text))


# ------------------------------------------------------------------------------------------------------------ visits

CHROME_TABLES = """
create table urls (id integer primary key, url text, title text, visit_count integer);
create table visits (id integer primary key, url integer, visit_time integer, transition integer);
insert into urls values (1, 'https://example.org/quince', ' The
 quince ', 2), (2, 'https://example.org/b', '', 1), (3, 'javascript:1', 'x', 1);
insert into visits values
    (1, 1, 13255337775902496, 805306368), (2, 1, 13255337775902497, 838860801), (3, 2, 13255337781335930, 2684354560),
    (4, 2, 13255337781335930, 805306371), (5, 3, 13255337781335930, 805306368), (6, 9, 13255337781335930, 0);
"""
FIREFOX_TABLES = """
create table moz_places (id integer primary key, url text, title text);
create table moz_historyvisits (id integer primary key, place_id integer, visit_date integer, visit_type integer);
insert into moz_places values (1, 'https://example.org/a', 'A'), (2, 'https://example.org/b', null);
insert into moz_historyvisits values
    (1, 1, 1593250194513750, 1), (2, 2, 1593250194587, 5), (3, 2, 1593250194587159, 4), (4, 2, 1593250194587159, 8);
"""
MOBILE_TABLES = """
create table history (_id integer primary key, title text, url text, date integer, guid text);
create table visits (_id integer primary key, history_guid text, date integer);
insert into history values (1, 'A', 'https://example.org/a', 1593279241963, 'x'), (2, 'B', 'https://b.org', 0, 'y');
"""
SAFARI_TABLES = """
create table history_items (id integer primary key, url text);
create table history_visits (id integer primary key, history_item, visit_time real, title, redirect_source);
insert into history_items values (1, 'https://example.org/a');
insert into history_visits values (1, 1, 640400624.402631, 'A', null), (2, 1, 640400625.1, '', 1);
"""
QUTEBROWSER_TABLES = """
create table History (url text, title text, atime integer, redirect integer);
insert into History values ('https://example.org/a', 'A', 1593279241, 0);
"""
Tables = Callable[[str, str], Path]


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    """Makes a database and returns its path."""

    def tables(name: str, sql: str) -> Path:
        path = tmp_path / name
        with closing(sqlite3.connect(path)) as conn, conn:
            conn.executescript(sql)
        return path

    return tables


A = "[A](https://example.org/a)"


@pytest.mark.parametrize(
    ("name", "sql", "expected"),
    [
        ("History", CHROME_TABLES, [
            ("[The quince](https://example.org/quince)", "2021-01-17T06:16:15Z", None),
            ("[The quince](https://example.org/quince)", "2021-01-17T06:16:15Z", None),
            ("https://example.org/b", "2021-01-17T06:16:21Z", True)]),
        ("places.sqlite", FIREFOX_TABLES, [
            ("https://example.org/b", "2020-06-27T09:29:54Z", True), (A, "2020-06-27T09:29:54Z", None)]),
        ("browser.db", MOBILE_TABLES, [(A, "2020-06-27T17:34:01Z", None)]),
        ("History.db", SAFARI_TABLES, [
            (A, "2021-04-18T01:03:44Z", None), ("https://example.org/a", "2021-04-18T01:03:45Z", True)]),
        ("history.sqlite", QUTEBROWSER_TABLES, [(A, "2020-06-27T17:34:01Z", None)]),
    ],
)  # fmt: skip
def test_visits_of_each_family_of_browsers(
    tables: Tables, name: str, sql: str, expected: list[tuple[str, str, bool | None]]
) -> None:
    path = tables(name, sql)
    assert detect(path) == "browser-history"
    found = drafts(path)
    assert [(one.text, one.happened_at, one.meta.get("redirect")) for one in found] == expected
    assert {one.document.source for one in found if one.document} == {"browser-history"}
    with MemoryDatabase(embed="none") as db:
        assert changed(db, path) == (len(expected), 0, 0)
        assert changed(db, path) == (0, 0, 0)
        # A later copy, in which the rows have other numbers.
        assert changed(db, tables(f"later-{name}", sql)) == (0, 0, 0)


def test_visits_are_found_in_a_folder_beside_other_databases(tables: Tables, tmp_path: Path) -> None:
    tables("History", CHROME_TABLES)
    tables("other.sqlite", "create table visits (url, visit_time)")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "HISTORY").write_text("2.0 of some program: it has no bugs.")
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(tmp_path, now=NOW)
        assert (report.added, report.failed) == (3, 0)
        assert sorted(Path(one.source).name for one in report.left_out) == ["HISTORY", "other.sqlite"]


def test_visits_with_broken_values_fail_alone(tables: Tables) -> None:
    more = """
    insert into urls values
        (7, x'00ff', 'x', 0), (8, cast(x'687474703a2f2fff' as text), 'bad', 0), (9, 'http://c', x'ff', 0);
    insert into visits values (7, 7, 1, 0), (8, 8, 'x', 0), (10, 9, 1e300, 0);
    """
    found = list(read(tables("History", CHROME_TABLES + more)))
    assert [one for one in found if isinstance(one, Failure)]
    assert len([one for one in found if isinstance(one, Draft)]) == 5


def test_a_named_database_without_visits_is_refused(tables: Tables) -> None:
    with pytest.raises(BadSource, match="no tables of a browser's history"):
        list(read(tables("a.db", "create table a (b)"), format="browser-history"))


def test_a_locked_history_is_read_and_one_with_a_log_says_what_to_do(tables: Tables) -> None:
    path = tables("History", CHROME_TABLES)
    with closing(sqlite3.connect(path, isolation_level=None)) as browser:
        browser.execute("begin exclusive")
        assert len(drafts(path)) == 3
    path = tables("places.sqlite", FIREFOX_TABLES)
    with closing(sqlite3.connect(path, isolation_level=None)) as browser:
        browser.execute("pragma locking_mode = exclusive")
        browser.execute("pragma journal_mode = wal")
        browser.execute("create table a (b)")
        with pytest.raises(BadSource, match=r"copy it with its -wal"):
            read(path)


# ----------------------------------------------------------------------------------------------------------- Takeout


def cell(said: str, when: str, product: str = "Search") -> str:
    return (
        f'<div class="outer-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">{product}<br></p>'
        f'<div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">{said}<br>{when}</div>'
        '<div class="content-cell mdl-cell mdl-typography--caption"><b>Products:</b><br>&emsp;Search<br></div></div>'
    )


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("Jan 31, 2018, 10:54:50 PM", "2018-01-31T22:54:50Z"),
        ("Jan 31, 2018, 10:54:50\u202fPM CET", "2018-01-31T21:54:50Z"),
        ("Sept 1, 2020, 1:02:03 AM UTC", "2020-09-01T01:02:03Z"),
        ("1 Sept 2020, 01:02:03 GMT+02:00", "2020-08-31T23:02:03Z"),
        ("31.01.2018, 22:54:50 MEZ", "2018-01-31T21:54:50Z"),
        ("31.01.2018, 22:54:50 XYZ", "2018-01-31T21:54:50Z"),
        ("31 janv. 2018, 22:54:50 CET", "2018-01-31T21:54:50Z"),
        ("31 ene 2018, 9:54:50 CET", "2018-01-31T08:54:50Z"),
        ("31 de jan. de 2018, 22:54:50 GMT-03:00", "2018-02-01T01:54:50Z"),
        ("31 янв. 2018 г., 22:54:50 MSK", "2018-01-31T19:54:50Z"),
        ("31 Jänner 2018 um 22:54:50", None),
        ("im Januar 2018, 22:54:50 MEZ", None),
    ],
)
def test_activity_pages_tell_the_time_with_and_without_a_zone(write: Write, when: str, expected: str | None) -> None:
    path = write("MyActivity.html", "<html><body>" + cell('Visited&nbsp;<a href="https://a.org">Figs</a>', when))
    assert detect(path) == "google-takeout"
    [found] = drafts(path, ReadOptions(timezone="Europe/Paris"))
    assert found.happened_at == expected
    assert found.text.startswith("Visited [Figs](https://a.org)")
    assert (found.title, found.kind) == ("Visited Figs", "activity")


ACTIVITY = [
    {"header": "Search", "title": "Visited Figs", "titleUrl": "https://a.org", "time": "2018-01-31T22:54:50.249Z",
     "products": ["Search"]},
    {"header": "YouTube", "title": "Watched Pruning", "titleUrl": "https://b.org", "time": "2018-01-30T22:54:50Z",
     "subtitles": [{"name": "Rosa's channel"}]},
]  # fmt: skip


def test_activity_in_json_and_in_html_is_taken_once(write: Write) -> None:
    path = write("MyActivity.json", json.dumps(ACTIVITY))
    assert detect(path) == "google-takeout"
    first, second = drafts(path)
    assert (first.text, first.happened_at) == ("[Visited Figs](https://a.org)", "2018-01-31T22:54:50Z")
    assert second.text == "[Watched Pruning](https://b.org)\n\nRosa's channel"
    page = cell('Visited&nbsp;<a href="https://a.org">Figs</a>', "Jan 31, 2018, 10:54:50 PM UTC")
    [other] = drafts(write("MyActivity.html", page))
    assert (other.source_id, other.document and other.document.source) == (first.source_id, "google-takeout:Search")
    with MemoryDatabase(embed="none") as db:
        assert changed(db, path) == (2, 0, 0)
        assert changed(db, path) == (0, 0, 0)


SEGMENT = {
    "startTime": "2025-01-01T01:00:00+01:00", "endTime": "2025-01-01T01:00:00Z",
    "visit": {"topCandidate": {"placeLocation": {"latLng": "48.1°, -11.5°"}, "semanticType": "INFERRED_HOME"}},
}  # fmt: skip
WAY = {
    "startTime": "2025-01-01T00:00:00Z", "endTime": "2025-01-01T01:00:00Z",
    "activity": {"start": "geo:1.5,2", "end": "geo:3,4", "topCandidate": {"type": "WALKING"}},
    "timelinePath": [{"point": "geo:5,6", "time": "2025-01-01T00:30:00Z"}],
}  # fmt: skip
POINT = {"timestampMs": "1437263846012", "latitudeE7": 376955289, "longitudeE7": -1219287261, "accuracy": 45}
PLACE = {
    "location": {"name": "Garden", "address": "Quince Road\n1", "latitudeE7": 10000000, "longitudeE7": 5},
    "duration": {"startTimestamp": "2019-08-01T10:00:00Z", "endTimestamp": "2019-08-01T11:00:00Z"},
}


@pytest.mark.parametrize(
    ("top", "expected"),
    [
        ({"locations": [POINT, {"latitudeE7": "x"}]}, [
            ("At 37.6955289, -121.9287261 (accuracy 45 m)", "2015-07-18T23:57:26Z")]),
        ({"timelineObjects": [{"activitySegment": {}}, {"placeVisit": PLACE}]}, [
            ("At Garden, Quince Road 1, 1.0000000, 0.0000005", "2019-08-01T10:00:00Z")]),
        ({"semanticSegments": [SEGMENT]}, [("At 48.1, -11.5 (inferred home)", "2025-01-01T00:00:00Z")]),
        ([WAY], [("From 1.5, 2 to 3, 4 (walking)", "2025-01-01T00:00:00Z"), ("At 5, 6", "2025-01-01T00:30:00Z")]),
        ({"Browser History": [{"title": "A", "url": "https://a.org", "time_usec": 1593250194513750}]}, [
            ("[A](https://a.org)", "2020-06-27T09:29:54Z")]),
    ],
)  # fmt: skip
def test_places_ways_points_and_visits_of_a_takeout(write: Write, top: Any, expected: list[tuple[str, str]]) -> None:
    path = write("a.json", json.dumps(top, ensure_ascii=False))
    assert detect(path) == "google-takeout"
    assert [(one.text, one.happened_at) for one in drafts(path)] == expected


LONG: dict[str, tuple[str, Callable[[int], str]]] = {
    "cells": ("google-takeout", lambda n: '<div class="outer-cell' * n + cell("x", "1 " * n)),
    "bodies": ("google-takeout", lambda n: cell("x", "y").partition("x<br>")[0] * n),
    "links": ("bookmarks", lambda n: '<DT><A HREF="https://a.org">a</A>' * n),
    "headings": ("bookmarks", lambda n: "<DT><H3>" * n),
    "lists": ("bookmarks", lambda n: "<DL>" * n + '<DT><A HREF="https://a.org">a</A>'),
    "folders": ("bookmarks", lambda n: "<H3>a</H3><DL>" * n + '<DT><A HREF="https://a.org">a</A>'),
    "words": ("bookmarks", lambda n: '<DT><A HREF="https://a.org">' + "a<b>" * n),
}


@pytest.mark.parametrize("shape", LONG)
def test_reading_grows_with_the_length(tmp_path: Path, shape: str) -> None:
    assert reads_in_proportion(tmp_path, *LONG[shape])


# ------------------------------------------------------------------------------------------------- a whole Takeout

NOTE = {"title": "Key", "textContent": "In the shed.", "isTrashed": False, "userEditedTimestampUsec": 1690869582000000}
TAKEOUT = {
    "Keep/Key.json": json.dumps({**NOTE, "createdTimestampUsec": 1690869582000000}),
    "Keep/Key.html": '<html><div class="note"><div class="heading">Key</div>In the shed.</div></html>',
    "Keep/a.jpg": "no text",
    "My Activity/Maps/MyActivity.json": json.dumps(
        [{"header": "Maps", "title": "Searched for a lake", "time": "2019-05-30T05:16:57Z", "products": ["Maps"]}]
    ),
    "Mail/All mail.mbox": "From 1@xxx Mon Nov 07 18:44:27 +0000 2016\nFrom: Rosa <rosa@example.org>\nSubject: Quince\n"
    "Message-ID: <1@x>\nDate: Mon, 7 Nov 2016 18:44:27 +0000\n\nIt blooms.\n",
    "Drive/old.db": "SQLite format 3\0",
}


@pytest.mark.parametrize("part", [slice(None), slice(2), slice(2, None)])
def test_a_zip_of_a_takeout_holds_what_its_folder_holds(tmp_path, part):
    files = dict([*TAKEOUT.items()][part])
    archive = tmp_path / "takeout-20240101T000000Z-001.zip"
    with zipfile.ZipFile(archive, "w") as target:
        for name, text in files.items():
            target.writestr(f"Takeout/{name}", text)
            (tmp_path / "out" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "out" / name).write_text(text)

    def told(source: Path) -> list[tuple[object, ...]]:
        found = [one for one in read(source, options=ReadOptions(timezone="UTC")) if isinstance(one, Draft)]
        return sorted((one.document.source, one.source_id, one.text, one.happened_at) for one in found)

    assert told(archive) == told(tmp_path / "out") != []
    with MemoryDatabase(embed="none") as db:
        first = db.ingest(archive, timezone="UTC")
        assert not first.failures
        for again in (archive, tmp_path / "out", tmp_path):
            report = db.ingest(again, timezone="UTC", sync=True)
            assert (report.added, report.updated, report.removed) == (0, 0, 0)


def test_what_a_zip_of_a_takeout_holds_beside_is_named(tmp_path):
    archive = tmp_path / "takeout-1.zip"
    with zipfile.ZipFile(archive, "w") as target:
        for name, text in TAKEOUT.items():
            target.writestr(f"Takeout/{name}", text)
    left = {Path(one.source).name: one.reason for one in read(archive) if isinstance(one, LeftOut)}
    assert {*left} == {"Key.html", "a.jpg", "old.db"}
    assert left["old.db"] == "packed in a zip; to read it, unpack that first"


def test_what_unpacks_to_too_much_in_a_takeout_fails_alone(tmp_path):
    archive = tmp_path / "takeout-1.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for name, text in TAKEOUT.items():
            target.writestr(f"Takeout/{name}", text + "\n" * 60_000 * name.startswith("Mail"))
    found = list(read(archive, options=ReadOptions(limits=read_limits({"file_size": 50_000}))))
    assert [one.title for one in found if isinstance(one, Draft)] == ["Key", "Searched for a lake"]
    assert [one.reason[:22] for one in found if isinstance(one, Failure)] == ["more than 50,000 bytes"]
