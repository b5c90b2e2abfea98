"""A chat that is exported, or read, in another time zone says each message once, at the time at which it is known."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memkit import MemoryDatabase
from memkit.core.instants import to_iso
from memkit.ingestion.clock_differences import KnownWords, Spoken, likely

BERLIN, NEW_YORK, KOLKATA = "Europe/Berlin", "America/New_York", "Asia/Kolkata"
START = datetime(2024, 2, 13, 20, 0, tzinfo=ZoneInfo("UTC"))
Zone = Callable[[str], None]
Messages = list[tuple[datetime, str, str]]


@pytest.fixture
def machine_in(monkeypatch: pytest.MonkeyPatch) -> Zone:
    """Sets the zone of this machine for the rest of a test."""

    def machine_in(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield machine_in  # type: ignore[misc]
    monkeypatch.undo()
    time.tzset()


def said(count: int, *, hours: float = 7) -> Messages:
    """Messages of two people, every few hours. Every fourth is an `ok`."""
    return [
        (START + timedelta(hours=hours * i, minutes=i % 7), "Ben" if i % 2 else "Rosa", f"word {i}" if i % 4 else "ok")
        for i in range(count)
    ]


def whatsapp(folder: Path, messages: Messages, zone: str) -> Path:
    """The export of a phone in this zone."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "WhatsApp Chat with Garden.txt"
    lines = [f"{at.astimezone(ZoneInfo(zone)):%d/%m/%Y, %H:%M} - {who}: {text}" for at, who, text in messages]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def current(db: MemoryDatabase) -> list[tuple[str, str, str]]:
    query = (
        "select happened_at, speaker, text from memories where archived_at is null order by happened_at, speaker, text"
    )
    return [tuple(row) for row in db.conn.execute(query)]


def true(messages: Messages) -> list[tuple[str, str, str]]:
    return sorted((to_iso(at), who, text) for at, who, text in messages)


@pytest.mark.parametrize("phone", [BERLIN, NEW_YORK, KOLKATA])
@pytest.mark.parametrize("machine", [BERLIN, NEW_YORK, KOLKATA])
def test_whoever_has_moved_each_message_is_there_once_at_its_time(
    tmp_path: Path, machine_in: Zone, phone: str, machine: str
) -> None:
    messages = said(1300)  # to February 2025: of both summers, which begin and end on other days
    with MemoryDatabase(embed="none") as db:
        machine_in(BERLIN)
        db.ingest(whatsapp(tmp_path, messages[:1200], BERLIN))
        assert current(db) == true(messages[:1200])
        machine_in(machine)
        report = db.ingest(whatsapp(tmp_path, messages, phone))
        assert (report.added, report.updated, report.unchanged) == (100, 0, 1200)
        assert current(db) == true(messages)
        report = db.ingest(tmp_path)
        assert (report.added, report.updated) == (0, 0)


def test_the_same_word_every_six_hours_is_counted_once(tmp_path: Path, machine_in: Zone) -> None:
    """In New York the evening's `tea` has the id that the afternoon's has in Berlin."""
    machine_in(BERLIN)
    tea = [(START + timedelta(hours=6 * i, minutes=1), "Rosa", "tea") for i in range(20)]
    messages = sorted(said(40) + tea)
    with MemoryDatabase(embed="none") as db:
        db.ingest(whatsapp(tmp_path, messages, BERLIN))
        assert db.ingest(whatsapp(tmp_path, messages, NEW_YORK)).added == 0
        assert current(db) == true(messages)


def test_what_was_said_on_a_journey_is_there_once_when_both_are_home_again(tmp_path: Path, machine_in: Zone) -> None:
    with MemoryDatabase(embed="none") as db:
        for zone, count, added in ((BERLIN, 40, 40), (NEW_YORK, 50, 10), (BERLIN, 60, 10)):
            machine_in(zone)
            assert db.ingest(whatsapp(tmp_path, said(count), zone)).added == added
        assert current(db) == true(said(60))


@pytest.mark.parametrize("year", [1, 9999])
def test_at_the_ends_of_the_calendar_nothing_fails(tmp_path: Path, machine_in: Zone, year: int) -> None:
    machine_in("UTC")
    path = tmp_path / "line.txt"
    lines = [f"12:{minute:02}\tBen\tword {minute}" for minute in range(20)]
    path.write_text(f"[LINE] Chat history with Ben\n\n{year:04}/01/01(Mon)\n" + "\n".join(lines), "utf-8")
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(path).added == 20
        path.write_text(path.read_text().replace("12:", "00:").replace("/01/01", "/12/31" if year > 1 else "/01/01"))
        machine_in(KOLKATA)
        db.ingest(path)


def test_exports_of_two_zones_in_one_folder_say_each_message_once(tmp_path: Path, machine_in: Zone) -> None:
    machine_in(BERLIN)
    whatsapp(tmp_path / "1", said(40), BERLIN)
    whatsapp(tmp_path / "2", said(60), NEW_YORK)
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(tmp_path).added == 60
        assert current(db) == true(said(60))
        report = db.ingest(tmp_path)
        assert (report.added, report.updated) == (0, 0)
        assert current(db) == true(said(60))


def test_an_older_export_that_is_read_later_adds_nothing(tmp_path: Path, machine_in: Zone) -> None:
    machine_in(BERLIN)
    with MemoryDatabase(embed="none") as db:
        db.ingest(whatsapp(tmp_path / "2", said(60), NEW_YORK))
        before = current(db)
        assert db.ingest(whatsapp(tmp_path / "1", said(40), BERLIN)).added == 0
        assert current(db) == before


def test_the_zone_that_is_given_holds(tmp_path: Path, machine_in: Zone) -> None:
    machine_in(BERLIN)
    with MemoryDatabase(embed="none") as db:
        path = whatsapp(tmp_path, said(40), NEW_YORK)
        db.ingest(path)
        report = db.ingest(path, timezone=NEW_YORK)
        assert (report.added, report.updated) == (0, 40)
        assert current(db) == true(said(40))
        report = db.ingest(whatsapp(tmp_path, said(60), KOLKATA), timezone=KOLKATA)
        assert (report.added, report.updated) == (20, 0)
        assert current(db) == true(said(60))


def test_what_was_forgotten_stays_so(tmp_path: Path, machine_in: Zone) -> None:
    machine_in(BERLIN)
    with MemoryDatabase(embed="none") as db:
        db.ingest(whatsapp(tmp_path, said(40), BERLIN))
        db.forget(db.recall("word 7").hits[0].memory.id)
        db.ingest(whatsapp(tmp_path, said(60), NEW_YORK))
        assert [text for _, _, text in current(db)].count("word 7") == 0
        assert len(current(db)) == 59


def test_a_message_that_was_edited_or_deleted_since_is_known(tmp_path: Path, machine_in: Zone) -> None:
    machine_in(BERLIN)
    messages = said(40)
    messages.insert(10, (*messages[9][:2], "in the same minute"))
    later = messages.copy()
    later[9] = (*messages[9][:2], "another word <This message was edited>")
    later[14] = (*messages[14][:2], "This message was deleted")
    with MemoryDatabase(embed="none") as db:
        db.ingest(whatsapp(tmp_path, messages, BERLIN))
        db.ingest(whatsapp(tmp_path, later, NEW_YORK))
        texts = [text for _, _, text in current(db)]
        assert len(texts) == 40
        assert {"another word", "in the same minute"} <= set(texts)
        assert {"word 9", "word 13"}.isdisjoint(texts)


def test_pages_without_a_zone_that_are_read_elsewhere_are_known(tmp_path: Path, machine_in: Zone) -> None:
    """Telegram's ids of messages hold their times, and are no others."""
    page = '<div class="page_header"><div class="text bold">Garden</div></div>'
    page += "".join(
        f'<div class="message default clearfix" id="message{i}"><div class="body">'
        f'<div class="pull_right date details" title="{at:%d.%m.%Y %H:%M:%S}">x</div>'
        f'<div class="from_name">{who}</div><div class="text">{text}</div></div></div>'
        for i, (at, who, text) in enumerate(said(20), 1)
    )
    (tmp_path / "messages.html").write_text(page, "utf-8")
    with MemoryDatabase(embed="none") as db:
        machine_in("UTC")
        assert db.ingest(tmp_path / "messages.html").added == 20
        machine_in(NEW_YORK)
        report = db.ingest([(tmp_path / "messages.html").as_posix()], format="telegram-html")
        assert (report.added, report.updated) == (0, 0)
        assert current(db) == true(said(20))


def test_what_is_said_daily_is_another_message(tmp_path: Path, machine_in: Zone) -> None:
    machine_in(BERLIN)
    day = [(START + timedelta(hours=i), "Ben", f"reminder {i}") for i in range(8)]
    evening = [(START + timedelta(hours=i, minutes=7), "Rosa", f"evening {i}") for i in range(8)]
    for shift in (timedelta(days=1), timedelta(hours=10)):  # and an evening that has nothing else in common
        with MemoryDatabase(embed="none") as db:
            db.ingest(whatsapp(tmp_path, sorted(day + evening), BERLIN))
            again = [(at + shift, who, text) for at, who, text in day]
            assert db.ingest(whatsapp(tmp_path, again, BERLIN)).added == 8


def test_a_try_counts_as_it_would_write(tmp_path: Path, machine_in: Zone) -> None:
    machine_in(BERLIN)
    with MemoryDatabase(embed="none") as db:
        db.ingest(whatsapp(tmp_path, said(40), BERLIN))
        report = db.ingest(whatsapp(tmp_path, said(60), NEW_YORK), dry_run=True)
        assert (report.added, report.updated, report.unchanged) == (20, 0, 40)


HOUR = 3600


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ([6 * HOUR] * 9 + [5 * HOUR] * 3 + [2 * HOUR] * 4, [6 * HOUR, 5 * HOUR]),
        ([int(5.75 * HOUR)] * 5, [int(5.75 * HOUR)]),
        ([None] * 20 + [6 * HOUR] * 4, []),  # too few
        ([24 * HOUR] * 20 + [-24 * HOUR] * 9, []),  # another day
        ([61] * 20, []),  # no two zones differ so
        ([], []),
    ],
)
def test_zones_differ_by_quarters_of_an_hour(told: list[int | None], expected: list[int]) -> None:
    assert likely(told) == expected


def test_each_message_is_taken_once() -> None:
    words = KnownWords([Spoken("Ben", "ok", 100, "1"), Spoken("Ben", "ok", 100, "2"), Spoken("Rosa", "ok", 100, "3")])
    one = Spoken("Ben", "ok", 100 + HOUR, "x")
    assert [words.take(one, [HOUR]) for _ in range(3)] == [(100, "2"), (100, "1"), None]
    assert words.differences([one]) == [HOUR]
    assert words.differences([one, one]) == [None, None]
