"""Times in words become the intervals they mean, and what only looks like a time does not."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.core.instants import Interval, age, canonical_time, clock_line, from_clocks, parse_iso, to_iso
from memkit.text.times import explicit_valid, find_interval, find_intervals

UTC = timezone.utc
NOW = datetime(2026, 2, 26, 14, 15, tzinfo=UTC)  # a Thursday


def short(interval):
    """An interval as `2026-02-01 2026-03-01`: midnights without their clock, `..` where it is open."""
    return " ".join("..." if end is None else end.removesuffix("T00:00:00Z") for end in (interval.start, interval.end))


def found(text, now=NOW):
    return [(short(one.interval), one.phrase) for one in find_intervals(text, now)]


# ---------------------------------------------------------------------------------------------- moments


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2023-03-05T14:30:00Z", "2023-03-05T14:30:00Z"),
        ("2023-03-05 14:30", "2023-03-05T14:30:00Z"),
        ("2023-03-05T14:30:00.123456+02:00", "2023-03-05T12:30:00Z"),
        ("2023-03-05T14:30:00-0530", "2023-03-05T20:00:00Z"),
        ("20230305T143000Z", "2023-03-05T14:30:00Z"),
        (" 2023-03-05 ", "2023-03-05T00:00:00Z"),
        ("2023-03", "2023-03-01T00:00:00Z"),
        ("2023", "2023-01-01T00:00:00Z"),
        ("0987-01-02", "0987-01-02T00:00:00Z"),
    ],
)
def test_iso_texts_become_one_form(text, iso):
    assert canonical_time(text) == iso


@pytest.mark.parametrize(
    "text", ["", "soon", "99999-01-01", "12345", "2023-3-5", "March 5", "2023-03-05T", "٢٠٢٣-٠٣-٠٥"]
)
def test_what_is_no_iso_date_is_refused_by_name(text):
    with pytest.raises(ValueError, match="is not a date in ISO 8601"):
        parse_iso(text)


@pytest.mark.parametrize("text", ["2023-02-30", "2023-13", "0000", "2023-01-01T25:00", "0001-01-01T00:00+10:00"])
def test_what_the_calendar_does_not_have_is_refused(text):
    with pytest.raises(ValueError, match="is not a date in the calendar"):
        parse_iso(text)


def test_a_moment_is_written_in_utc_and_a_naive_one_is_utc():
    assert to_iso(datetime(2026, 2, 26, 9, 15, tzinfo=ZoneInfo("America/New_York"))) == "2026-02-26T14:15:00Z"
    assert to_iso(datetime(2026, 2, 26, 9, 15, 59, 999)) == "2026-02-26T09:15:59Z"


def test_a_timestamp_of_pandas_loses_its_nanoseconds() -> None:
    pd = pytest.importorskip("pandas")
    assert to_iso(pd.Timestamp("2026-02-26T09:15:59.000000123", tz="Europe/Paris")) == "2026-02-26T08:15:59Z"


@given(st.datetimes())
def test_writing_and_reading_a_moment_gives_it_back(when):
    assert parse_iso(to_iso(when)) == when.replace(microsecond=0, tzinfo=UTC)


@given(st.text())
def test_any_text_is_a_date_or_a_value_error(text):
    with suppress(ValueError):
        assert parse_iso(text).tzinfo is UTC


# ---------------------------------------------------------------------------------------------- intervals


def test_an_interval_has_its_start_and_not_its_end():
    march = Interval("2023-03-01", "2023-04-01")
    assert march == Interval("2023-03-01T00:00:00Z", "2023-04-01T00:00:00Z")
    assert march.contains("2023-03-01")
    assert march.contains("2023-03-31T23:59:59Z")
    assert not march.contains("2023-04-01T00:00:00Z")
    assert march.contains("2023-04-01T00:30:00+02:00")


def test_an_open_end_holds_everything_beyond():
    assert Interval(None, "2019").contains("1066-10-14")
    assert Interval("2019", None).contains("9999-12-31")
    assert Interval(None, None).contains("2026-02-26")


def test_touching_is_not_overlapping():
    first, second = Interval("2019", "2020"), Interval("2020", None)
    assert not first.overlaps(second)
    assert not second.overlaps(first)
    assert first.overlaps(Interval(None, "2019-01-02"))
    assert Interval(None, None).overlaps(first)


@pytest.mark.parametrize(("start", "end"), [("2020", "2019"), ("2020", "2020")])
def test_an_interval_that_ends_before_it_starts_is_refused(start, end):
    with pytest.raises(ValueError, match="must end after its start"):
        Interval(start, end)


# ---------------------------------------------------------------------------------------------- ages and clocks


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=-30), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=5, minutes=59), "5 hours ago"),
        (timedelta(days=3, hours=2), "3 days ago"),
        (timedelta(days=13), "1 week ago"),
        (timedelta(days=65), "2 months ago"),
        (timedelta(days=800), "2 years ago"),
        (timedelta(days=-2), "in 2 days"),
    ],
)
def test_k30_an_age_is_its_largest_whole_unit(ago, words):
    assert age(to_iso(NOW - ago), NOW) == words


def test_c13_the_time_line():
    now = datetime(2026, 2, 26, 19, 15, tzinfo=UTC)
    assert clock_line(now, "America/New_York", "telegram") == (
        "2:15 PM | Thursday, February 26, 2026 | America/New_York | telegram"
    )
    assert clock_line(datetime(2026, 1, 1, 0, 5)) == "12:05 AM | Thursday, January 1, 2026 | UTC"


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", "", "America", "\0"])
def test_an_unknown_zone_is_refused_by_name(zone):
    with pytest.raises(ValueError, match="is not a time zone"):
        clock_line(NOW, zone)


def test_at_the_ends_of_the_calendar_clocks_say_so():
    last, first = datetime(9999, 12, 31, 23, 59), datetime(1, 1, 1)
    assert clock_line(last.replace(tzinfo=UTC), "America/New_York").endswith("December 31, 9999 | America/New_York")
    with pytest.raises(ValueError, match="The calendar has no such time in Asia/Tokyo"):
        clock_line(last.replace(tzinfo=UTC), "Asia/Tokyo")
    with pytest.raises(ValueError, match="The calendar has no such moment"):
        from_clocks(last, "America/New_York")
    with pytest.raises(ValueError, match="The calendar has no such moment"):
        from_clocks(first, "Asia/Tokyo")


# ---------------------------------------------------------------------------------------------- times in questions

TIMES = [
    # days
    ("What did I do yesterday?", "2026-02-25 2026-02-26", "yesterday"),
    ("plans for today", "2026-02-26 2026-02-27", "today"),
    ("Tomorrow?", "2026-02-27 2026-02-28", "Tomorrow"),
    ("the day before yesterday", "2026-02-24 2026-02-25", "the day before yesterday"),
    ("what about tonight?", "2026-02-26T18:00:00Z 2026-02-27T06:00:00Z", "tonight"),
    ("who called this morning", "2026-02-26 2026-02-26T12:00:00Z", "this morning"),
    ("and last night", "2026-02-25T18:00:00Z 2026-02-26T06:00:00Z", "last night"),
    ("yesterday evening", "2026-02-25T18:00:00Z 2026-02-26", "yesterday evening"),
    # units
    ("last week", "2026-02-16 2026-02-23", "last week"),
    ("this week", "2026-02-23 2026-03-02", "this week"),
    ("next week", "2026-03-02 2026-03-09", "next week"),
    ("last weekend", "2026-02-21 2026-02-23", "last weekend"),
    ("this weekend", "2026-02-28 2026-03-02", "this weekend"),
    ("over the weekend", "2026-02-21 2026-02-23", "over the weekend"),
    ("last month", "2026-01-01 2026-02-01", "last month"),
    ("next month", "2026-03-01 2026-04-01", "next month"),
    ("last quarter", "2025-10-01 2026-01-01", "last quarter"),
    ("in this year", "2026-01-01 2027-01-01", "in this year"),
    ("last year", "2025-01-01 2026-01-01", "last year"),
    ("the last week", "2026-02-19 2026-02-27", "the last week"),
    ("in the past month", "2026-01-26 2026-02-27", "in the past month"),
    ("the last 3 days", "2026-02-23 2026-02-27", "the last 3 days"),
    ("in the past two weeks", "2026-02-12 2026-02-27", "in the past two weeks"),
    ("in the past few months", "2025-09-26 2026-02-27", "in the past few months"),
    ("past 24 hours", "2026-02-25T14:15:00Z 2026-02-26T14:15:01Z", "past 24 hours"),
    ("next two weeks", "2026-02-26 2026-03-13", "next two weeks"),
    ("since the start of the year", "2026-01-01 ...", "since the start of the year"),
    # ago
    ("3 days ago", "2026-02-23 2026-02-24", "3 days ago"),
    ("two weeks ago", "2026-02-09 2026-02-17", "two weeks ago"),
    ("a month ago", "2026-01-12 2026-02-10", "a month ago"),
    ("a couple of days ago", "2026-02-23 2026-02-25", "a couple of days ago"),
    ("4 years ago", "2021-08-28 2022-08-29", "4 years ago"),
    ("2 days from now", "2026-02-28 2026-03-01", "2 days from now"),
    # days of the week
    ("on Monday", "2026-02-23 2026-02-24", "on Monday"),
    ("on Thursday", "2026-02-26 2026-02-27", "on Thursday"),
    ("on Friday", "2026-02-20 2026-02-21", "on Friday"),
    ("on Friday evening", "2026-02-20T18:00:00Z 2026-02-21", "on Friday evening"),
    ("last Friday", "2026-02-20 2026-02-21", "last Friday"),
    ("last Thursday", "2026-02-19 2026-02-20", "last Thursday"),
    ("this Sunday", "2026-03-01 2026-03-02", "this Sunday"),
    ("next Friday", "2026-02-27 2026-02-28", "next Friday"),
    ("Tuesday last week", "2026-02-17 2026-02-18", "Tuesday last week"),
    # months
    ("in March", "2025-03-01 2025-04-01", "in March"),
    ("in march?", "2025-03-01 2025-04-01", "in march"),
    ("in February", "2026-02-01 2026-03-01", "in February"),
    ("in the month of May", "2025-05-01 2025-06-01", "in the month of May"),
    ("in March 2023", "2023-03-01 2023-04-01", "in March 2023"),
    ("in March of last year", "2025-03-01 2025-04-01", "in March of last year"),
    ("last March", "2025-03-01 2025-04-01", "last March"),
    ("next May", "2026-05-01 2026-06-01", "next May"),
    ("in early March", "2025-03-01 2025-03-11", "in early March"),
    ("mid-March 2023", "2023-03-11 2023-03-21", "mid-March 2023"),
    ("late March", "2025-03-21 2025-04-01", "late March"),
    ("at the end of 2019", "2019-08-31 2020-01-01", "at the end of 2019"),
    # dates
    ("March 5th", "2025-03-05 2025-03-06", "March 5th"),
    ("on May 3, 2023?", "2023-05-03 2023-05-04", "on May 3, 2023"),
    ("on 3 June, 2023", "2023-06-03 2023-06-04", "on 3 June, 2023"),
    ("the 5th of March 2023", "2023-03-05 2023-03-06", "the 5th of March 2023"),
    ("March 5-9", "2025-03-05 2025-03-10", "March 5-9"),
    ("on February 29", "2024-02-29 2024-03-01", "on February 29"),
    ("on the 8th", "2026-02-08 2026-02-09", "on the 8th"),
    ("on the 28th.", "2026-01-28 2026-01-29", "on the 28th"),
    ("on 2026-04-28 at 5 PM?", "2026-04-28 2026-04-29", "on 2026-04-28"),
    ("at 2026-04-28T17:00:00Z", "2026-04-28 2026-04-29", "at 2026-04-28T17:00:00Z"),
    ("on 20260918?", "2026-09-18 2026-09-19", "on 20260918"),
    ("on 3/22", "2025-03-22 2025-03-23", "on 3/22"),
    ("3/22/2023", "2023-03-22 2023-03-23", "3/22/2023"),
    ("22/3/23", "2023-03-22 2023-03-23", "22/3/23"),
    ("am 22.03.2023", "2023-03-22 2023-03-23", "22.03.2023"),
    # years, seasons, quarters
    ("in 2019", "2019-01-01 2020-01-01", "in 2019"),
    ("in 2019 was it cold", "2019-01-01 2020-01-01", "in 2019"),
    ("in the summer of 2021", "2021-06-01 2021-09-01", "in the summer of 2021"),
    ("last summer", "2025-06-01 2025-09-01", "last summer"),
    ("this winter", "2025-12-01 2026-03-01", "this winter"),
    ("during the summer", "2025-06-01 2025-09-01", "during the summer"),
    ("Q3 2023", "2023-07-01 2023-10-01", "Q3 2023"),
    ("the first quarter of 2023", "2023-01-01 2023-04-01", "the first quarter of 2023"),
    ("in the 90s", "1990-01-01 2000-01-01", "in the 90s"),
    # open ends
    ("since March", "2025-03-01 ...", "since March"),
    ("since 2019", "2019-01-01 ...", "since 2019"),
    ("from 2015 onwards", "2015-01-01 ...", "from 2015 onwards"),
    ("after May 2023", "2023-06-01 ...", "after May 2023"),
    ("as of December 2023", "2023-12-01 2024-01-01", "as of December 2023"),
    ("until Friday", "... 2026-02-21", "until Friday"),
    ("before August 11", "... 2025-08-11", "before August 11"),
    ("before the end of the year", "... 2027-01-01", "before the end of the year"),
    ("before the 7/22 trip", "... 2025-07-22", "before the 7/22"),
    # ranges
    ("between March and May", "2025-03-01 2025-06-01", "between March and May"),
    ("between March and May 2023", "2023-03-01 2023-06-01", "between March and May 2023"),
    ("from July to October?", "2025-07-01 2025-11-01", "from July to October"),
    ("from November 2022 to March", "2022-11-01 2023-04-01", "from November 2022 to March"),
    ("from Monday to Wednesday", "2026-02-23 2026-02-26", "from Monday to Wednesday"),
    ("from 2015 to 2019", "2015-01-01 2020-01-01", "from 2015 to 2019"),
    ("the years 2015-2019", "2015-01-01 2020-01-01", "2015-2019"),
    ("5 March – 8 March", "2025-03-05 2025-03-09", "5 March – 8 March"),
    # beside another time
    ("the week before 9 June 2023", "2023-06-02 2023-06-09", "the week before 9 June 2023"),
    ("two days after March 5, 2023", "2023-03-07 2023-03-08", "two days after March 5, 2023"),
    ("last weekend before April 10, 2023", "2023-04-08 2023-04-10", "last weekend before April 10, 2023"),
    ("the Friday before 15 July 2023", "2023-07-14 2023-07-15", "the Friday before 15 July 2023"),
    # Chinese and Japanese
    ("我昨天说了什么", "2026-02-25 2026-02-26", "昨天"),
    ("今天有什么安排", "2026-02-26 2026-02-27", "今天"),
    ("上周的会议", "2026-02-16 2026-02-23", "上周"),
    ("上周末去哪了", "2026-02-21 2026-02-23", "上周末"),
    ("上周三的会议", "2026-02-18 2026-02-19", "上周三"),
    ("上个月花了多少", "2026-01-01 2026-02-01", "上个月"),
    ("去年的旅行", "2025-01-01 2026-01-01", "去年"),
    ("去年3月的旅行", "2025-03-01 2025-04-01", "去年3月"),
    ("3月买的书", "2025-03-01 2025-04-01", "3月"),
    ("２０２３年３月", "2023-03-01 2023-04-01", "２０２３年３月"),
    ("三月份", "2025-03-01 2025-04-01", "三月份"),
    ("2023年3月5日的电影", "2023-03-05 2023-03-06", "2023年3月5日"),
    ("那个8月28日过生日的人", "2025-08-28 2025-08-29", "8月28日"),
    ("2023年3月", "2023-03-01 2023-04-01", "2023年3月"),
    ("2019年以来", "2019-01-01 ...", "2019年以来"),
    ("3天前", "2026-02-23 2026-02-24", "3天前"),
    ("两周前", "2026-02-09 2026-02-17", "两周前"),
    ("最近3天", "2026-02-23 2026-02-27", "最近3天"),
    ("2015年到2019年", "2015-01-01 2020-01-01", "2015年到2019年"),
    ("昨日何をした？", "2026-02-25 2026-02-26", "昨日"),
    ("先週の会議", "2026-02-16 2026-02-23", "先週"),
    ("先週の月曜日", "2026-02-16 2026-02-17", "先週の月曜日"),
    ("先週の日曜日", "2026-02-22 2026-02-23", "先週の日曜日"),
    ("先月", "2026-01-01 2026-02-01", "先月"),
    ("今年の目標", "2026-01-01 2027-01-01", "今年"),
    ("会議は2026-02-03に", "2026-02-03 2026-02-04", "2026-02-03"),
]


@pytest.mark.parametrize(("text", "interval", "phrase"), TIMES, ids=[text for text, _, _ in TIMES])
def test_a_time_in_a_text_is_the_interval_it_means(text, interval, phrase):
    assert found(text) == [(interval, phrase)]


TRAPS = [
    "may I see second note on march",
    "May I see it?",
    "I may. You may 3 times",
    "march on, then march 5 miles",
    "the march on Washington",
    "this may take a while, being late may cause trouble",
    "the last march of the penguins",
    "Did June call?",
    "What did I talk about with April?",
    "the letter from June",
    "before June called me",
    "after April and I met",
    "in June's kitchen",
    "August Wilson's plays",
    "in 500 words",
    "in 2000 words",
    "room 2019",
    "in room 2019",
    "for $2019",
    "Blade Runner 2049",
    "on the 5th floor",
    "on the 3rd try",
    "half of 1/2 cup, 24/7",
    "in the fall he hurt his knee",
    "the last of us, the last time, the last 2 of us",
    "next to the body, next session, next in the series",
    "Sunday group rides, on Sundays, on Sunday mornings",
    "how long ago was it",
    "more than 2 weeks ago",
    "a second opinion, a minute please",
    "version 2023.1.2, build 2023-0345",
    "between March",
    "the last 5 days of March",
    "USA Today",
    "mix in 1/4 teaspoon",
    "the forum on the 2015+ Mustang",
    "open Monday through Friday",
    "since then, until now, before lunch",
    "2023-02-30, February 30, 31 June 2023",
    "五月天的歌, 用了3个月, 月球",
    "Holi and the Sunday mass",
]


@pytest.mark.parametrize("text", TRAPS)
def test_what_only_looks_like_a_time_is_none(text):
    assert found(text) == []


def test_all_times_of_a_text_are_found_in_order():
    text = "I moved on March 5th, 2023, came back last week and stay until Friday."
    assert [phrase for _, phrase in found(text)] == ["on March 5th, 2023", "last week", "until Friday"]


def test_the_first_time_is_the_question_s():
    interval, (start, end) = find_interval("What did I say yesterday about 2019-05-01?", NOW)
    assert short(interval) == "2026-02-25 2026-02-26"
    assert (start, end) == (15, 24)
    assert find_interval("What did I say?", NOW) is None


def test_days_begin_at_midnight_where_the_asker_is():
    evening = datetime(2026, 2, 26, 22, 0, tzinfo=ZoneInfo("America/New_York"))
    assert found("yesterday", evening) == [("2026-02-25T05:00:00Z 2026-02-26T05:00:00Z", "yesterday")]


def test_a_month_is_the_latest_one_that_has_begun():
    assert found("in March", datetime(2026, 3, 1)) == [("2026-03-01 2026-04-01", "in March")]
    assert found("in March", datetime(2026, 1, 15)) == [("2025-03-01 2025-04-01", "in March")]


@pytest.mark.parametrize("now", [datetime.min, datetime.max, datetime(9999, 12, 31, tzinfo=ZoneInfo("Asia/Tokyo"))])
def test_at_the_ends_of_the_calendar_nothing_raises(now):
    for text, _, _ in TIMES:
        find_intervals(text, now)
        explicit_valid(f"until {text}", to_iso(now.replace(tzinfo=UTC)))


PIECES = st.lists(
    st.sampled_from(
        "in on the since until before after between and to from last next this March may 5th 31 2019 2023 Friday week "
        "weeks ago 3/22 99/99 early end of of - – , 年 3月 上周 到 以来 two 9999 weekend months evening".split()
    ),
    max_size=12,
).map(" ".join)


@given(st.one_of(st.text(), PIECES), st.datetimes())
def test_no_text_raises_and_every_interval_starts_before_it_ends(text, now):
    at = 0
    for interval, (start, end), phrase in find_intervals(text, now):
        assert interval.start is None or interval.end is None or interval.start < interval.end
        assert at <= start < end <= len(text)
        assert phrase == text[start:end]
        at = end


# ---------------------------------------------------------------------------------------------- statements


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("Rosa has lived in Lyon since March.", "2025-03-01 ..."),
        ("He worked at Acme until 2019.", "... 2020-01-01"),
        ("She was at Acme from 2015 to 2019, then left.", "2015-01-01 2020-01-01"),
        ("He taught there between 2015 and 2019", "2015-01-01 2020-01-01"),
        ("Acme (2015-2019)", None),
        ("I'm in Lisbon until March", "... 2026-04-01"),
        ("I was in Lisbon until December", "... 2026-01-01"),
        ("Starting in April 2026 I work at Beta", "2026-04-01 ..."),
        ("He works at Beta as of last month", "2026-01-01 ..."),
        ("自2019年以来住在北京", "2019-01-01 ..."),
        ("We met last week.", None),
        ("Rosa planted the quince in 2019.", None),
        ("She moved from Lyon to Paris.", None),
        ("I have a letter from 2019.", None),
        ("Since you ask: no.", None),
    ],
)
def test_a_statement_says_how_long_it_holds(text, interval):
    valid = explicit_valid(text, to_iso(NOW))
    assert (valid and short(valid)) == interval


def test_a_statement_without_a_date_of_its_own_is_refused():
    with pytest.raises(ValueError, match="ISO 8601"):
        explicit_valid("since March", "recently")


@given(st.one_of(st.text(), PIECES), st.datetimes())
def test_any_statement_is_valid_for_some_interval_or_none(text, when):
    valid = explicit_valid(text, to_iso(when))
    assert valid is None or valid.start is None or valid.end is None or valid.start < valid.end


@pytest.mark.parametrize(
    ("local", "zone", "moment"),
    [
        (datetime(2024, 7, 1, 12), "Europe/Paris", "2024-07-01T10:00:00Z"),
        (datetime(2024, 1, 1, 0, 30), "Asia/Tokyo", "2023-12-31T15:30:00Z"),
        (datetime(2024, 10, 27, 2, 30), "Europe/Paris", "2024-10-27T00:30:00Z"),  # shown twice: the first
        (datetime(2024, 3, 31, 2, 30), "Europe/Paris", "2024-03-31T01:30:00Z"),  # never shown
        (datetime(2024, 7, 1, 12), "utc", "2024-07-01T12:00:00Z"),
    ],
)
def test_what_the_clocks_of_a_zone_showed_is_a_moment(local, zone, moment):
    assert from_clocks(local, zone) == moment


def test_without_a_zone_the_clocks_are_those_of_this_machine(monkeypatch):
    monkeypatch.setenv("TZ", "America/Lima")
    time.tzset()
    try:
        assert from_clocks(datetime(2024, 7, 1, 12)) == "2024-07-01T17:00:00Z"
    finally:
        monkeypatch.undo()
        time.tzset()
