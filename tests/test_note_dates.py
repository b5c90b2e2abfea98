"""When a note is from: dates as people write them, in names, properties, headings, folders and journals' settings."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.dates import iso
from memkit.core.formatting import when_text
from memkit.core.instants import Interval, age, first_moment, parse_iso
from memkit.core.types import Draft
from memkit.core.written_dates import written_date
from memkit.sources import ReadOptions, read
from memkit.sources.notes.note_dates import date_kind, note_dates


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("2021-02-03", "2021-02-03"),
        ("2021/2/3 18:30", "2021-02-03"),
        ("20210203", "2021-02-03"),
        ("202102031830", "2021-02-03"),
        ("February 3rd, 2021", "2021-02-03"),
        ("Wed, 3 Feb 2021 18:30:00 GMT", "2021-02-03"),
        ("3. Februar 2021", "2021-02-03"),
        ("miércoles, 3 de febrero de 2021", "2021-02-03"),
        ("1er décembre 2021", "2021-12-01"),
        ("quarta-feira, 3 de fevereiro de 2021", "2021-02-03"),
        ("2021年2月3日", "2021-02-03"),
        ("2021年2月3日（水）", "2021-02-03"),
        ("2021년 2월 3일", "2021-02-03"),
        *(
            (text, "2021-02-03")
            for text in (
                "3. februar 2021",
                "środa, 3 lutego 2021 r.",
                "3. února 2021",
                "3. februára 2021",
                "3 февраля 2021 г.",
                "3 лютого 2021 року",
                "3 Şubat 2021",
                "3 Φεβρουαρίου 2021",
                "3. helmikuuta 2021",
                "2021. február 3.",
                "miercuri, 3 februarie 2021",
                "3 de febrer de 2021",
                "3 Februari 2021",
                "3 בפברואר 2021",
                "3 فبراير 2021",
                "3 फरवरी 2021",
                "ngày 3 tháng 2 năm 2021",
            )
        ),
        *((text, None) for text in ("March Hare 2021", "3 quinces 2021", "Rosa 2021", "thang 2021")),
        ("03.02.2021", "2021-02-03"),
        ("23/02/2021", "2021-02-23"),
        ("02/23/2021", "2021-02-23"),
        ("03/02/2021", "2021"),  # February or March: only the year is sure
        ("[[Feb 3rd, 2021]]", "2021-02-03"),
        ("<2021-02-03 Wed>", "2021-02-03"),
        ("2021-02", "2021-02"),
        ("2021. 2. 3.", "2021-02-03"),  # Korean
        ("febrero de 2021", "2021-02"),
        ("2021-W06", "2021-02"),
        ("2021-W05", "2021-02"),
        ("2021-W13", "2021"),  # from March to April
        ("1999", "1999"),
        ("2021-02-30", None),
        ("2021-13", None),
        ("Marble 3, 2021", None),
        ("on 2021-02-03 it rained", None),
        ("12345", None),
        ("", None),
    ],
)
def test_a_written_date_is_as_long_as_what_it_says(text, known):
    assert written_date(text) == known


@pytest.mark.parametrize(("day_first", "known"), [(True, "2021-02-03"), (False, "2021-03-02"), (None, "2021")])
def test_who_knows_the_order_of_day_and_month_can_say_it(tmp_path, day_first, known):
    assert written_date("03/02/2021", day_first) == known
    assert written_date("23/02/2021", day_first) == "2021-02-23"
    (tmp_path / "Quince.md").write_text("---\ndate: 03/02/2021\n---\nIt flowers.")
    options = {} if day_first is None else {"options": ReadOptions(day_first=day_first)}
    assert [draft.happened_at for draft in read(tmp_path, **options)] == [known]


@pytest.mark.parametrize("value", ["1999", "2021-02"])
def test_a_year_and_a_month_are_times(value):
    assert iso(value) == value


@pytest.mark.parametrize("value", ["20210203183059", "20210203183059123", 20210203183059, 20210203183059123])
def test_a_day_and_a_time_in_a_row_are_no_seconds_since_1970(value):
    assert iso(value) == "2021-02-03T18:30:59Z"
    assert happened(created=value) == "2021-02-03"


@pytest.mark.parametrize("value", [1612377059, 1612377059123, 1612377059123456, 1612377059123456789])
def test_a_number_since_1970_is_in_the_unit_of_its_size(value):
    assert iso(value) == iso(str(value)) == "2021-02-03T18:30:59Z"


@pytest.mark.parametrize("value", ["0000", "2021-00", "2021-13", "199", "19999"])
def test_what_no_calendar_has_is_no_time(value):
    with pytest.raises(ValueError, match="is not a time"):
        iso(value)


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        ("date, Datum, fecha, 日期, data, timestamp, Date & Time", "date"),
        ("created, date created, created_at, createTime, date-created, Created time, creation_date", "created"),
        ("创建时间, fecha de creación, erstellt, Erstellungsdatum, criado em, created-on", "created"),
        ("published, pubDate, publishDate, datePublished, 发布日期, veröffentlicht, posted", "published"),
        ("updated, last_modified, lastmod, Last edited time, 更新时间, Änderungsdatum, update", "updated"),
        ("start date, due, birthday, title, last, at, tag, note, file, year, updates, creator, redacted", None),
    ],
)
def test_the_name_of_a_property_says_which_date_it_holds(keys, kind):
    assert {key: date_kind(key.strip()) for key in keys.split(",")} == dict.fromkeys(keys.split(","), kind)


def happened(name="Quince", body="It flowers.", journal=None, **fields):
    return note_dates(name, body, fields, journal).happened_at


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("2021-02-03 Planting", "2021-02-03"),
        ("3 de febrero de 2021 en el huerto", "2021-02-03"),
        ("03.02.2021 Treffen mit Rosa", "2021-02-03"),
        ("Feb 3, 2021 Planting", "2021-02-03"),
        ("11 de septiembre de 2001 en Nueva York", None),
        ("2 Quinces of 2021", None),
        ("d2021-02-03", "2021-02-03"),
        ("202102031830 Planting", "2021-02-03"),
        ("Feb 3rd, 2021", "2021-02-03"),
        ("03_02_2021", None),  # February or March
        ("2021年2月3日", "2021-02-03"),
        ("Planting 2021-02-03", "2021-02-03"),
        ("daily.journal.2021.02.03", "2021-02-03"),
        ("2021-02", "2021-02"),
        ("2021-february", "2021-02"),
        ("2021-W06", "2021-02"),
        ("Diary/2021/02/03", "2021-02-03"),
        ("Diary/2021/02-February/03", "2021-02-03"),
        ("posts/2021/02/planting", "2021-02"),
        ("posts/2021-02-03-planting/index", "2021-02-03"),
        ("1984", None),  # a novel
        ("Archive/2021/planting", None),
        ("meetings/2021/Board-02-03", "2021-02-03"),
        ("2021/02-03", "2021-02-03"),
        ("2021/part 1/Board-02-03", None),
        ("2021/Board-13-03", None),
        ("RFC 20210", None),
        ("minutes-board-20210203", "2021-02-03"),
        ("board_20210203-garden", "2021-02-03"),
        ("IMG_20210203_183000", "2021-02-03"),
        ("order-20211303", None),
        ("part-120210203", None),
    ],
)
def test_the_name_of_a_note_may_say_when_it_is_from(name, known):
    assert happened(name) == known


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("# 2021-02-03\n\ntext", "2021-02-03"),
        ("# February 3rd, 2021", "2021-02-03"),
        ("## Mittwoch, 3. Februar 2021", "2021-02-03"),
        ("# 2021年2月3日\n", "2021-02-03"),
        ("# Planting - February 3, 2021", "2021-02-03"),
        ("# Planting (3 February 2021)", "2021-02-03"),
        ("# 2021-02-03: planting", "2021-02-03"),
        ("# February 2021", "2021-02"),
        ("# 1984\n\nA novel.", None),
        ("# 2021 in review", None),
        ("# Planting\n\n**Date:** February 3, 2021\n", "2021-02-03"),
        ("- Datum: 03.02.2021\n- Rosa came.", "2021-02-03"),
        ("日期：2021年2月3日", "2021-02-03"),
        ("It was planted on February 3, 2021.", None),
        ("KW05 Mi 03.02.2021 21:01\n\nRosa came.", "2021-02-03"),
        ("Wednesday, February 3, 2021\nRosa came.", "2021-02-03"),
        ("2021-02-03\n\nRosa came.", "2021-02-03"),
        ("2021-02-03 was a day on which Rosa came.", None),
        ("2021\n\nRosa came.", None),
    ],
)
def test_the_first_heading_or_a_labelled_line_may_say_when_a_note_is_from(body, known):
    assert happened(body=body) == known


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (1999, "1999"),
        ("1999", "1999"),
        (20210203, "2021-02-03"),
        (1612375200000, "2021-02-03T18:00:00Z"),
        ("2021-02-03 18:00", "2021-02-03T18:00:00Z"),
        ("2021-02-03T18:00:00+09:00", "2021-02-03T09:00:00Z"),
        ("2021-02-03T00:32:50+09:00", "2021-02-03"),  # the day before in UTC
        ("2021-02-03 23:30:00-05:00", "2021-02-03"),
        ("[[2021-02-03]]", "2021-02-03"),
        ("[[Days/2021-02-03|that day]]", "2021-02-03"),
        ([["2021-02-03"]], "2021-02-03"),
        ("February 2021", "2021-02"),
        (True, None),
        (12, None),
        ("soon", None),
    ],
)
def test_a_property_holds_a_date_in_any_of_these_forms(value, known):
    assert happened(date=value) == known


def test_the_name_counts_before_properties_and_those_before_headings_and_folders():
    body = "# 2020-01-04"
    every = {"date": "2020-01-02", "createTime": "2020-01-05", "pubDate": "2020-01-06", "updated": "2020-01-09"}
    assert happened("2020-01-01", body, **every) == "2020-01-01"
    assert happened("a", body, **every) == "2020-01-02"
    del every["date"]
    assert happened("a", body, **every) == "2020-01-04"
    assert happened("a", "text", **every) == "2020-01-05"
    del every["createTime"]
    assert happened("2020/02/a", "text", **every) == "2020-01-06"
    assert happened("2020/02/a", "text", updated="2020-01-09") == "2020-02"
    assert note_dates("a", "text", {"updated": "2020-01-09"}) == (None, None, "2020-01-09")


# ---------------------------------------------------------------------------------------------- journals


def dates_in(folder, **options):
    return {d.title: d.happened_at for d in read(folder, **options) if isinstance(d, Draft)}


def vault(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_the_settings_of_obsidian_say_how_its_journal_is_named(tmp_path):
    vault(
        tmp_path,
        {
            ".obsidian/daily-notes.json": json.dumps({"format": "[Day] DDMMYY", "folder": "Log"}),
            ".obsidian/plugins/periodic-notes/data.json": json.dumps(
                {
                    "yearly": {"format": "YYYY", "folder": "Years", "enabled": True},
                    "weekly": {"format": "gggg [week] w", "folder": "Weeks"},
                    "daily": {"format": "YYYY/MM-MMMM/dddd Do", "folder": "/Days/"},
                }
            ),
            "Log/Day 030221.md": "one",
            "Log/Day 320221.md": "none such",
            "Years/2021.md": "two",
            "Weeks/2021 week 6.md": "three",
            "Days/2021/02-February/Wednesday 3rd.md": "four",
        },
    )
    assert dates_in(tmp_path) == {
        "Day 030221": "2021-02-03",
        "Day 320221": None,
        "2021": "2021",
        "2021 week 6": "2021-02",
        "Wednesday 3rd": "2021-02-03",
    }


def test_the_settings_of_logseq_say_how_its_journal_is_named(tmp_path):
    edn = '{:meta/version 1\n ;; :journal/file-name-format "yy"\n :journal/page-title-format "EEE, do MMM yyyy"\n'
    edn += ' :journal/file-name-format "dd_MM_yyyy"\n :journals-directory "diary"}'
    vault(
        tmp_path,
        {
            "logseq/config.edn": edn,
            "diary/03_02_2021.md": "- one",
            "diary/Wed, 4th Feb 2021.md": "- two",
            "pages/05_02_2021.md": "- three",
        },
    )
    found = dates_in(tmp_path)
    assert found == {"03_02_2021": "2021-02-03", "Wed, 4th Feb 2021": "2021-02-04", "05_02_2021": None}


@pytest.mark.parametrize("broken", ["", "[1]", "{", '{"format": 7}', '{"format": "(((YYYY+"}', '{"daily": [1]}'])
def test_broken_settings_of_a_journal_stop_nothing(tmp_path, broken):
    files = {".obsidian/daily-notes.json": broken, ".obsidian/plugins/periodic-notes/data.json": broken}
    vault(tmp_path, {**files, "logseq/config.edn": broken, "2021-02-03.md": "text"})
    assert dates_in(tmp_path) == {"2021-02-03": "2021-02-03"}


# ---------------------------------------------------------------------------------------------- mtime, undated


def test_the_time_of_a_file_counts_only_when_asked_and_only_where_nothing_else_is_said(tmp_path):
    vault(tmp_path, {"Quince.md": "text", "2021-02-03.md": "text"})
    for path in tmp_path.iterdir():
        os.utime(path, (1_500_000_000, 1_500_000_000))
    day = {"2021-02-03": "2021-02-03"}
    with MemoryDatabase() as db:
        db.ingest(tmp_path)
        assert {hit.memory.title: hit.memory.when for hit in db.recall("text")} == {"Quince": "", **day}
        db.ingest(tmp_path, mtime=True)
        changed = {"Quince": "2017-07-14T02:40:00Z", **day}
        assert {hit.memory.title: hit.memory.when for hit in db.recall("text")} == changed


@pytest.fixture
def garden(tmp_path):
    vault(
        tmp_path,
        {
            "Pond.md": "The pond of [[Rosa Tamsin]] has newts. Rosa Tamsin lives in Porto since March.",
            "Frost.md": "---\ndate: 2021\n---\nThe pond froze, said [[Rosa Tamsin]].",
            "Carp.md": "---\ndate: 2021-03\n---\nA carp in the pond of [[Rosa Tamsin]].",
            "Heron.md": "---\ndate: 2021-03-05\n---\nA heron at the pond of [[Rosa Tamsin]].",
        },
    )
    with MemoryDatabase() as db:
        db.ingest(tmp_path, now="2024-06-01T12:00:00Z")
        yield db


def test_an_undated_note_has_no_date_on_any_door(garden):
    asked = garden.recall("pond", now="2024-06-01T12:00:00Z")
    assert {hit.memory.title: hit.memory.when for hit in asked}["Pond"] == ""
    assert {one.title: one.when for one in garden.about("Rosa Tamsin").memories}["Pond"] == ""
    assert "newts" not in " ".join(one.text for one in garden.timeline().memories)
    shown = [str(garden.context("pond", strategy=name, now="2024-06-02T12:00:00Z")) for name in
             ("memkit", "construct", "kira", "membox", "engram", "slots")]  # fmt: skip
    assert all("newts" in text for text in shown)
    assert not any("2024-06-01" in text or "June 1" in text or "1 day ago" in text for text in shown)
    assert [fact.evidence[0].said_at for fact in garden.about("Porto").relations] == [""]
    assert [fact.valid_from for fact in garden.about("Porto").relations] == [None]  # which March, nobody knows
    assert "2024" not in "".join(str(row) for row in garden.sql("select happened_at from memories").happened_at)


def found(db, **when):
    return {hit.memory.title for hit in db.recall("pond", k=9, **when)}


@pytest.mark.parametrize(
    ("when", "titles"),
    [
        ({"since": "2021"}, {"Frost", "Carp", "Heron"}),
        ({"since": "2022"}, set()),
        ({"until": "2021"}, set()),
        ({"until": "2022"}, {"Frost", "Carp", "Heron"}),
        ({"since": "2021-03-06"}, {"Frost", "Carp"}),  # they may have happened after this
        ({"since": "2021-04-01T00:00:00Z"}, {"Frost"}),
        ({"until": "2021-03-01"}, {"Frost"}),
        ({"until": "2021-03-05T00:00:00Z"}, {"Frost", "Carp"}),
        ({"since": "2021-03-05T09:00:00Z", "until": "2021-03-05T10:00:00Z"}, {"Frost", "Carp", "Heron"}),
        ({"since": "2024-05-01"}, set()),  # when the notes were read is no time of theirs
    ],
)
def test_a_time_filter_keeps_what_may_have_happened_then(garden, when, titles):
    assert found(garden, **when) == titles


def test_a_timeline_keeps_what_may_have_happened_then(garden):
    kept = [one.text.split()[1] for one in garden.timeline().memories if one.within("2021-03-06", "2021-04-01")]
    assert kept == ["pond", "carp"]
    assert not any(one.within(None, "2021") for one in garden.timeline().memories)


def test_what_was_told_without_a_date_is_from_then(garden):
    garden.remember("The pond is full.", title="Full", now="2024-06-01T12:00:00Z")
    assert found(garden, since="2024-05-01") == {"Full"}


def test_a_year_is_in_an_interval_only_as_a_whole():
    spring, year = Interval("2021-03-01", "2021-06-01"), Interval("2021", "2022")
    assert [spring.contains(when) for when in ("2021", "2021-03", "2021-05", "2021-06", "2021-04-01")] == [
        False, True, True, False, True,
    ]  # fmt: skip
    assert [year.contains(when) for when in ("2021", "2021-12", "2022", "2020")] == [True, True, False, False]
    assert Interval("2021", None).contains("9999")


@pytest.mark.parametrize(
    ("when", "shown", "ago"),
    [
        ("2021", "2021", "2 years ago"),
        ("2023", "2023", "this year"),
        ("2021-03", "March 2021", "2 years ago"),
        ("2023-03", "March 2023", "2 months ago"),
        ("2023-05", "May 2023", "this month"),
        ("2023-07", "July 2023", "in 2 months"),
        ("2023-05-30", "2023-05-30", "1 day ago"),
    ],
)
def test_a_date_is_shown_as_far_as_it_is_known(when, shown, ago):
    assert (when_text(when), age(when, parse_iso("2023-05-31T12:00:00Z"))) == (shown, ago)


@given(st.text(max_size=20))
def test_a_time_that_is_none_is_shown_as_it_is(when: str) -> None:
    """Another program may have stored it."""
    assert isinstance(when_text(when), str)
    assert when_text("2024-13") == "2024-13"


def test_a_context_shows_a_month_and_a_year_as_such(garden):
    text = str(garden.context("pond", strategy="memkit"))
    assert "[2021 · " in text
    assert "[March 2021 · " in text


@pytest.mark.parametrize(
    ("when", "shortest"),
    [
        ("2021-01-01T00:00:00Z", "2021"),
        ("2021-03-01", "2021-03"),
        ("2021-03-31T00:00:00Z", "2021-03-31"),
        ("2021-01-01T00:00:01Z", "2021-01-01T00:00:01Z"),
        ("2021-11-01", "2021-11"),
        ("2021", "2021"),
    ],
)
def test_the_shortest_text_has_the_same_first_moment(when, shortest):
    assert first_moment(when) == shortest
    assert parse_iso(first_moment(when)) == parse_iso(when)


@pytest.mark.parametrize("mark", ["---", "+++"])
def test_the_day_that_front_matter_says_counts_whatever_it_is_in_utc(mark, tmp_path):
    equals = ":" if mark == "---" else " ="
    (tmp_path / "A.md").write_text(f"{mark}\ncreated{equals} 2026-04-30T00:32:50+09:00\n{mark}\nWe sowed.", "utf-8")
    with MemoryDatabase() as db:
        db.ingest(tmp_path)
        assert [when for (when,) in db.conn.execute("select happened_at from memories")] == ["2026-04-30"]
