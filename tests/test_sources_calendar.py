"""Calendars: events, tasks and journal entries."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from growth import takes_at_most
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.types import Draft, Failure, ReadWarning
from memkit.sources import ReadOptions, detect, read
from memkit.sources.events.recurrence import in_words

NOW = "2026-03-01T12:00:00Z"
PARIS = ReadOptions(timezone="Europe/Paris")
Calendar = Callable[..., Path]


@pytest.fixture
def calendar(tmp_path: Path) -> Calendar:
    """Writes components as a calendar and returns its path."""

    def write(*components: str, about: str = "", name: str = "a.ics") -> Path:
        lines = ["BEGIN:VCALENDAR", "VERSION:2.0", about, *components, "END:VCALENDAR", ""]
        path = tmp_path / name
        path.write_bytes("\r\n".join(filter(None, lines)).replace("\n", "\r\n").replace("\r\r", "\r").encode())
        return path

    return write


def event(*lines: str, kind: str = "VEVENT") -> str:
    return "\n".join([f"BEGIN:{kind}", *lines, f"END:{kind}"])


def drafts(path: Path, options: ReadOptions = PARIS) -> list[Draft]:
    found = list(read(path, options=options))
    assert [one for one in found if not isinstance(one, Draft)] == []
    return [one for one in found if isinstance(one, Draft)]


PICNIC = event(
    "UID:picnic@example.org",
    "DTSTART;TZID=Europe/Paris:20250712T120000",
    "DTEND;TZID=Europe/Paris:20250712T150000",
    "SUMMARY:Picnic\\, by the quinces",
    "LOCATION:Marsh Lane 3",
    'ORGANIZER;CN="Marsh, Rosa":mailto:rosa@example.org',
    "ATTENDEE;CN=Rosa:mailto:rosa@example.org",
    "ATTENDEE:mailto:ivo@example.org",
    "CATEGORIES:garden,summer",
    "DESCRIPTION:Bring <b>jam</b>.<br>See <a href=\"https://example.org/jam\">the list</a>.",
    "BEGIN:VALARM",
    "TRIGGER:-PT15M",
    "DESCRIPTION:An alarm",
    "END:VALARM",
)  # fmt: skip


def test_an_event_says_what_when_where_and_with_whom(calendar: Calendar) -> None:
    path = calendar(PICNIC, about="X-WR-CALNAME:Home\\, sweet")
    assert detect(path) == "ics"
    (one,) = drafts(path)
    assert one.text == (
        "Picnic, by the quinces\nWhen: 2025-07-12 12:00 to 15:00 (Europe/Paris)\nWhere: Marsh Lane 3\n"
        "With: Marsh, Rosa, Rosa, ivo@example.org\n\nBring jam.\nSee [the list](https://example.org/jam)."
    )
    assert (one.happened_at, one.kind, one.title) == ("2025-07-12T10:00:00Z", "event", "Picnic, by the quinces")
    assert one.tags == ("garden", "summer")
    assert (one.document.source, one.document.title) == ("calendar:Home, sweet", "Home, sweet")
    assert one.meta["end"] == "2025-07-12T13:00:00Z"
    assert one.meta["with"] == ["Marsh, Rosa", "Rosa", "ivo@example.org"]


@pytest.mark.parametrize(
    ("lines", "when", "happened_at"),
    [
        (("DTSTART;VALUE=DATE:20220107", "DTEND;VALUE=DATE:20220108"), "2022-01-07", "2022-01-07"),
        (("DTSTART;VALUE=DATE:20220107", "DTEND;VALUE=DATE:20220110"), "2022-01-07 to 2022-01-09", "2022-01-07"),
        (("DTSTART:20220107",), "2022-01-07", "2022-01-07"),
        (("DTSTART:20220107T100000Z",), "2022-01-07 10:00 (UTC)", "2022-01-07T10:00:00Z"),
        (("DTSTART:20220107T100000",), "2022-01-07 10:00", "2022-01-07T09:00:00Z"),
        (("DTSTART:20220107T230000Z", "DURATION:PT2H"), "2022-01-07 23:00 to 2022-01-08 01:00 (UTC)", "2022-01-07T23"),
        (
            ("DTSTART;TZID=W. Europe Standard Time:20220707T100000",),
            "2022-07-07 10:00 (W. Europe Standard Time)",
            "2022-07-07T08:00:00Z",
        ),
        (
            ("DTSTART;TZID=/mozilla.org/20050126_1/America/New_York:20220707T100000",),
            "2022-07-07 10:00 (/mozilla.org/20050126_1/America/New_York)",
            "2022-07-07T14:00:00Z",
        ),
        (("DTSTART;TZID=Nowhere:20220107T100000",), "2022-01-07 10:00 (Nowhere)", "2022-01-07T09:00:00Z"),
    ],
)  # fmt: skip
def test_times_are_of_the_zone_that_is_named(
    calendar: Calendar, lines: tuple[str, ...], when: str, happened_at: str
) -> None:
    (one,) = drafts(calendar(event("UID:1", *lines)))
    assert one.text == f"When: {when}"
    assert one.happened_at
    assert one.happened_at.startswith(happened_at)


SHED = """BEGIN:VTIMEZONE
TZID:Shed
BEGIN:STANDARD
DTSTART:19701101T020000
RRULE:{}
TZOFFSETFROM:+0500
TZOFFSETTO:+0530
END:STANDARD
END:VTIMEZONE"""


def test_a_zone_of_the_file_counts_wherever_it_stands(calendar: Calendar) -> None:
    meeting = event("UID:1", "DTSTART;TZID=Shed:20250115T100000")
    for order in ((meeting, SHED), (SHED, meeting)):
        (one,) = drafts(calendar(*(part.format("FREQ=YEARLY;BYMONTH=11;BYDAY=1SU") for part in order)))
        assert one.happened_at == "2025-01-15T04:30:00Z"
    # In the next file of the folder it is unknown again.
    assert drafts(calendar(meeting))[0].happened_at == "2025-01-15T09:00:00Z"


def test_a_zone_that_changes_each_second_is_not_worked_out(calendar: Calendar) -> None:
    (one,) = drafts(calendar(SHED.format("FREQ=SECONDLY"), event("UID:1", "DTSTART;TZID=Shed:20250115T100000")))
    assert one.happened_at == "2025-01-15T09:00:00Z"


def test_the_calendars_own_zone_is_that_of_times_without_one(calendar: Calendar) -> None:
    path = calendar(
        event("UID:1", "DTSTART:20250715T100000"),
        event("UID:2", "DTSTART:20250715T100000Z"),
        about="X-WR-TIMEZONE:America/New_York",
    )
    assert [(one.text, one.happened_at) for one in drafts(path)] == [
        ("When: 2025-07-15 10:00 (America/New_York)", "2025-07-15T14:00:00Z"),
        ("When: 2025-07-15 06:00 (America/New_York)", "2025-07-15T10:00:00Z"),
    ]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("FREQ=DAILY", "every day"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE", "every 2 weeks on Monday and Wednesday"),
        ("FREQ=MONTHLY;BYDAY=-1SU", "every month on the last Sunday"),
        ("FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1", "every month on Monday and Tuesday (only the last of these)"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,15,-3", "every month on the first, 15. and 3. from the end day of the month"),
        ("FREQ=YEARLY;BYMONTH=3;COUNT=5", "every year in March 5 times"),
        ("FREQ=DAILY;UNTIL=20080323T235959Z", "every day until 2008-03-23"),
    ],
)
def test_what_recurs_is_one_memory_with_its_rule_in_words(calendar: Calendar, rule: str, words: str) -> None:
    lines = ("DTSTART;VALUE=DATE:20080303", f"RRULE:{rule}", "EXDATE;VALUE=DATE:20080311", "SUMMARY:Water")
    (one,) = drafts(calendar(event(*lines)))
    assert one.text == f"Water\nWhen: 2008-03-03\nRepeats: {words}, except 2008-03-11"


def test_a_moved_date_of_a_series_is_its_own_and_a_newer_version_counts(calendar: Calendar) -> None:
    series = event("UID:1", "DTSTART:20250106T100000Z", "RRULE:FREQ=WEEKLY", "SUMMARY:Choir")
    moved = event("UID:1", "RECURRENCE-ID:20250113T100000Z", "DTSTART:20250114T100000Z", "SUMMARY:Choir")
    newer = event("UID:1", "SEQUENCE:2", "DTSTART:20250106T110000Z", "RRULE:FREQ=WEEKLY", "SUMMARY:Choir")
    for order in ((series, moved, newer), (newer, moved, series)):
        texts = {one.source_id: one.text for one in drafts(calendar(*order))}
        assert texts == {
            "1": "Choir\nWhen: 2025-01-06 11:00 (UTC)\nRepeats: every week",
            "1/2025-01-13T10:00:00Z": "Choir\nWhen: 2025-01-14 10:00 (UTC)\nMoved from: 2025-01-13 10:00 (UTC)",
        }


def test_one_id_for_several_events_loses_none(calendar: Calendar) -> None:
    events = [event("UID:same", f"DTSTART;VALUE=DATE:2025010{day}", f"SUMMARY:Day {day}") for day in (1, 2, 3)]
    assert [one.title for one in drafts(calendar(*events, events[0]))] == ["Day 1", "Day 2", "Day 3"]


def test_tasks_and_journal_entries_are_memories_and_other_components_none(calendar: Calendar) -> None:
    path = calendar(
        event("SUMMARY:Prune", "DUE;VALUE=DATE:20250201", "COMPLETED:20250131T100000Z", kind="VTODO"),
        event("SUMMARY:Frost", "DTSTART;VALUE=DATE:20250202", "DESCRIPTION:The quinces froze.", kind="VJOURNAL"),
        event("FREEBUSY:20250101T000000Z/PT1H", kind="VFREEBUSY"),
        event("SUMMARY:Away", kind="VAVAILABILITY"),
        event("TRANSP:OPAQUE"),
    )
    assert [(one.kind, one.text, one.happened_at) for one in drafts(path)] == [
        ("task", "Prune\nDue: 2025-02-01\nDone: 2025-01-31 10:00 (UTC)", "2025-01-31T10:00:00Z"),
        ("journal", "Frost\nWhen: 2025-02-02\n\nThe quinces froze.", "2025-02-02"),
    ]


def test_a_calendar_without_events_is_no_memory(calendar: Calendar) -> None:
    assert list(read(calendar(about="X-WR-CALNAME:Empty"))) == []


@pytest.mark.parametrize("kind", ["VEVENT", "VTODO", "VJOURNAL"])
def test_an_event_without_a_calendar_around_it_is_one(tmp_path: Path, kind: str) -> None:
    (path := tmp_path / "a.ics").write_text(event("UID:a", "SUMMARY:Prune the pear", kind=kind) + "\n")
    assert [one.text for one in drafts(path)] == ["Prune the pear"]


def test_lines_are_folded_even_within_a_letter(tmp_path: Path) -> None:
    folded = "SUMMARY:Qu\u00e9".encode()
    data = (
        b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n"
        + folded[:-1]
        + b"\r\n "
        + folded[-1:]
        + b"\r\n\tnce\r\nUID\r\n\r\n :7\r\n"
    )
    (tmp_path / "a.ics").write_bytes(data + b"END:VEVENT\r\nEND:VCALENDAR\r\n")
    (one,) = drafts(tmp_path / "a.ics")
    assert (one.text, one.source_id) == ("Qu\u00e9nce", "7")


def test_one_broken_component_is_said_and_the_others_are_read(calendar: Calendar) -> None:
    path = calendar(
        event("UID:1", "DTSTART:NEVER", "SUMMARY:Undated"),
        event("UID:2", "DTSTART:NEVER"),
        event("UID:3", "SUMMARY:Fine", "EXDATE;VALUE=DATE:", "DTEND:LATER"),
        "BEGIN:VEVENT\nUID:4\nSUMMARY:No end",
        event("UID:5", "SUMMARY:Last"),
    )
    found = list(read(path, options=PARIS))
    assert [one.text for one in found if isinstance(one, Draft)] == ["Undated", "Fine", "Last"]
    assert [type(one) for one in found if not isinstance(one, Draft)] == [Failure, ReadWarning, Failure]


def test_no_warning_of_the_library_comes_through(calendar: Calendar) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drafts(calendar(event("DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20250101T100000")))


def test_a_later_export_updates_what_changed_and_keeps_what_it_no_longer_has(
    calendar: Calendar, tmp_path: Path
) -> None:
    def changed(path: Path) -> tuple[int, int, int]:
        report = db.ingest(path, now=NOW)
        return report.added, report.updated, report.removed

    fair = event("UID:2", "DTSTART;VALUE=DATE:20250801", "SUMMARY:Fair")
    with MemoryDatabase(tmp_path / "memory.db") as db:
        first = calendar(PICNIC, fair, about="X-WR-CALNAME:Home")
        assert [changed(first), changed(first)] == [(2, 0, 0), (0, 0, 0)]
        later = calendar(fair.replace("0801", "0802"), about="X-WR-CALNAME:Home", name="Home (1).ics")
        assert changed(later) == (0, 1, 0)


@given(
    st.dictionaries(
        st.sampled_from(["FREQ", "INTERVAL", "BYDAY", "BYMONTH", "BYMONTHDAY", "COUNT"]), st.lists(st.text())
    )
)
def test_any_rule_has_words_or_none(rule: dict[str, list[str]]) -> None:
    assert isinstance(in_words(rule), str)


LONG: dict[str, Callable[[int], str]] = {
    "events": lambda n: "\n".join(event(f"UID:{i}", "SUMMARY:Water") for i in range(n)),
    "empty lines": lambda n: event("SUMMARY:a" + "\n" * n + " b"),
    "folds": lambda n: event("SUMMARY:a" + "\n b" * n),
    "open events": lambda n: "BEGIN:VEVENT\n" * n,
    "zones": lambda n: SHED.format("FREQ=YEARLY;" * n) + event("DTSTART;TZID=Shed:20250115T100000"),
    "people": lambda n: event("SUMMARY:a", *(f"ATTENDEE:mailto:{i}@example.org" for i in range(n))),
    "exceptions": lambda n: event("SUMMARY:a", "RRULE:FREQ=DAILY", *(["EXDATE;VALUE=DATE:20080311"] * n)),
    "tags of HTML": lambda n: event("SUMMARY:a", "DESCRIPTION:" + "<b " * n),
}


@pytest.mark.parametrize("shape", LONG)
def test_reading_grows_with_the_length(calendar: Calendar, shape: str) -> None:
    paths = {size: calendar(LONG[shape](size), name=f"{size}.ics") for size in (200, 1600)}
    large, small = (lambda size=size: list(read(paths[size], format="ics")) for size in (1600, 200))
    assert takes_at_most(20, large, small)


# --------------------------------------------------------------------------------------------- JSON, and parts alone


def test_a_calendar_as_json_is_the_same_calendar(calendar: Calendar, tmp_path: Path) -> None:
    from icalendar import Calendar as Parsed

    path = calendar(PICNIC, about="X-WR-CALNAME:Garden")
    for name in ("a.jcal", "a.json"):
        other = tmp_path / name
        other.write_text(Parsed.from_ical(path.read_bytes()).to_json())
        assert detect(other) == "ics"
        assert [(one.text, one.source_id, one.happened_at, one.tags, one.document.source) for one in drafts(other)] == [
            (one.text, one.source_id, one.happened_at, one.tags, one.document.source) for one in drafts(path)
        ]


@pytest.mark.parametrize(
    "value",
    ['["vcalendar", [', '["vcalendar", [], [["vevent", 3, 4]]]', '["vevent", [["dtstart", {}, "date", 7]], []]'],
)
def test_a_broken_calendar_as_json_is_one_failure_or_nothing(tmp_path: Path, value: str) -> None:
    path = tmp_path / "a.jcal"
    path.write_text(value)
    assert detect(path) == "ics"
    db = MemoryDatabase()
    report = db.ingest(tmp_path)
    assert (report.added, report.failed) == (0, 1)
    db.close()


@pytest.mark.parametrize("kind", ["VFREEBUSY", "VTIMEZONE", "VALARM", "VAVAILABILITY"])
def test_a_part_of_a_calendar_that_is_no_event_holds_no_memory(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.ics"
    path.write_bytes(f"BEGIN:{kind}\r\nTZID:Garden\r\nSUMMARY:Busy\r\nEND:{kind}\r\n".encode())
    assert detect(path) == "ics"
    assert drafts(path) == []


def test_what_an_appointment_is_called_is_no_entity_but_whom_it_names_is(tmp_path: Path) -> None:
    events = ["Busy", "忙碌", "Dentist", "Team Lunch", "Quince harvest", "Call with Rosa Lind", "Tea at Otto Brandt's"]
    lines = [
        f"BEGIN:VEVENT\r\nUID:{n}\r\nDTSTART:2026020{n}T100000Z\r\nSUMMARY:{what}\r\nEND:VEVENT"
        for n, what in enumerate(events, 1)
    ]
    (tmp_path / "c.ics").write_text("\r\n".join(["BEGIN:VCALENDAR", *lines, "END:VCALENDAR", ""]), "utf-8")
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(tmp_path / "c.ics").added == len(events)
        db.remember("We had a team lunch, and I went to the dentist.")
        assert {row[0] for row in db.conn.execute("select name from entities")} == {"Rosa Lind", "Otto Brandt"}
        assert [memory.title for memory in db.about("Rosa Lind").memories] == ["Call with Rosa Lind"]
