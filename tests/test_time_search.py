"""Time search: a question that speaks of a time finds what happened then, whatever words it has."""

from __future__ import annotations

import pytest

from memkit import MemoryDatabase
from memkit.core.instants import Interval
from memkit.retrieval.channels import time
from memkit.retrieval.question import Question
from memkit.text.times import find_interval

NOW = "2026-11-24T10:00:00Z"
TURNS = [  # of one afternoon; none has a word of the questions
    ("Rosa", "You are the people with the piano, then."),
    ("Reed", "We sold it. Does anybody here have a bean that climbs?"),
    ("Hana", "Only if he promises to bring seed back."),
]
OTHERS = [
    ("march", "2025-03-02T10:00:00Z", "Flour, butter, salt."),
    ("may", "2025-05-20T10:00:00Z", "The frost in April was hard, said the radio."),
    ("before", "2025-04-11T23:59:59Z", "Called the roofer."),
    ("after", "2025-04-13T00:00:00Z", "Slept late."),
    ("year", "2025", "A year of moving."),
    ("month", "2025-04", "A cold month, with much rain."),
]


@pytest.fixture
def db(mem: MemoryDatabase) -> MemoryDatabase:
    rows = [
        {"id": f"t{n}", "text": text, "speaker": who, "timestamp": f"2025-04-12T14:1{n}:00Z", "session": "swap"}
        for n, (who, text) in enumerate(TURNS)
    ]
    rows += [{"id": id, "text": text, "timestamp": at, "session": id} for id, at, text in OTHERS]
    rows += [{"id": f"n{n}", "text": f"Note {n} about April and about what we did.", "session": "n"} for n in range(20)]
    mem.ingest(rows)
    return mem


def found(db: MemoryDatabase, question: str, k: int = 5, **how: object) -> list[str | None]:
    return [hit.memory.source_id for hit in db.recall(question, k, now=how.pop("now", NOW), **how)]


@pytest.mark.parametrize(
    "question",
    [
        "What did we do on 12 April 2025?",
        "what happened on April 12, 2025",
        "Was haben wir am 12. April 2025 gemacht?",
        "¿Qué hicimos el 12 de abril de 2025?",
        "2025年4月12日我们做了什么？",
    ],
)
def test_what_happened_on_a_day_comes_first(db: MemoryDatabase, question: str) -> None:
    assert found(db, question, 3) == ["t0", "t1", "t2"]


def test_a_question_for_nothing_but_a_time_is_surely_answered_by_what_happened_then(db: MemoryDatabase) -> None:
    recall = db.recall("What did we do on 12 April 2025?", now=NOW)
    assert recall.confidence >= 0.9
    assert not recall.weak
    assert [hit.confidence >= 0.9 for hit in recall][:4] == [True, True, True, False]
    assert recall[0].why["time"].rank == 1
    assert recall.channels["time"] == "ran"


def test_a_month_holds_its_days_and_what_is_only_known_to_be_of_that_month(db: MemoryDatabase) -> None:
    first = found(db, "what happened in April 2025?", 6)
    assert set(first) == {"t0", "t1", "t2", "before", "after", "month"}


def test_a_month_without_a_year_is_the_last_one_in_which_something_happened(db: MemoryDatabase) -> None:
    recall = db.recall("what happened in April?", now=NOW)
    assert recall.interval == Interval("2025-04-01", "2025-05-01")
    assert (
        "Nothing is known of the latest such time, so the question was read as one about 2025-04-01 to 2025-04-30."
        in (recall.warnings)
    )
    db.remember("The first swallow came.", happened_at="2026-04-19T08:00:00Z")
    recall = db.recall("what happened in April?", now=NOW)
    assert recall.interval == Interval("2026-04-01", "2026-05-01")
    assert not any("read as" in warning for warning in recall.warnings)


@pytest.mark.parametrize(
    "question",
    [
        "what did I do yesterday?",
        "what happened last month?",
        "what happened last November?",
        "what happened this year?",
        "what happened in 2024?",
        "what happened in April 2026?",
        "was war letzten Monat los?",
        "上个月发生了什么？",
    ],
)
def test_a_time_that_comes_only_once_stays_as_it_is_and_nothing_else_answers(db: MemoryDatabase, question: str) -> None:
    for month in range(1, 13):
        db.remember(f"Something of month {month}.", happened_at=f"2023-{month:02}-10T08:00:00Z")
    recall = db.recall(question, now=NOW)
    assert recall.interval is not None
    assert str(recall.interval) >= "2024"
    assert not any("read as" in warning for warning in recall.warnings)
    assert all("time" not in hit.why for hit in recall)
    assert recall.confidence < 0.9


def test_another_year_of_another_project_is_not_told(db: MemoryDatabase) -> None:
    db.remember("The hidden picnic.", happened_at="2020-06-05T08:00:00Z", project="secret")
    db.remember("The open picnic.", happened_at="2019-06-05T08:00:00Z", project="open")
    recall = db.recall("what happened in June?", now=NOW, project="open", only_project=True)
    assert recall.interval == Interval("2019-06-01", "2019-07-01")


def test_with_other_words_time_only_helps(db: MemoryDatabase) -> None:
    db.remember("Hana has a bean that climbs, from her mother.", happened_at="2025-08-01T10:00:00Z")
    assert found(db, "who asked for a bean that climbs on 12 April 2025?", 1) == ["t1"]
    assert found(db, "who has a bean that climbs?", 1) != []


def test_the_important_ones_come_first_then_the_beginnings_then_in_order(mem: MemoryDatabase) -> None:
    mem.ingest(
        [
            {"id": "b", "text": "Second.", "timestamp": "2025-04-12T12:00:00Z", "session": "s"},
            {"id": "a", "text": "First.", "timestamp": "2025-04-12T11:00:00Z", "session": "r"},
            {"id": "c", "text": "Third.", "timestamp": "2025-04-12T13:00:00Z", "session": "s"},
            {"id": "big", "text": "Weighty.", "timestamp": "2025-04-12T14:00:00Z", "session": "s", "importance": 9},
        ]
    )
    assert found(mem, "what happened on 12 April 2025?") == ["big", "a", "b", "c"]


def test_an_open_or_a_long_time_is_no_list_of_all_that_happened(db: MemoryDatabase) -> None:
    assert db.recall("what happened since March 2025?", now=NOW).channels["time"] == "ran"
    for question in ("what happened since March 2025?", "what happened in the past three years?"):
        assert all("time" not in hit.why for hit in db.recall(question, now=NOW))


def test_strategies_without_it_do_not_search_by_time(db: MemoryDatabase) -> None:
    recall = db.recall("what did we do on 12 April 2025?", strategy={"time": None}, now=NOW)
    assert "time" not in recall.channels
    assert "time" not in db.recall("what did we do on 12 April 2025?", strategy="kira", now=NOW).channels


@pytest.mark.parametrize(
    ("text", "is_alone"),
    [
        ("What happened last week?", True),
        ("what did I do yesterday", True),
        ("Was war letzte Woche los?", True),
        ("Qu'est-ce qui s'est passé la semaine dernière ?", True),
        ("what did we talk about in July?", True),
        ("What did I work on last month?", True),
        ("昨天发生了什么？", True),
        ("What did Rosa do yesterday?", False),
        ("Was hat Rosa gestern gemacht?", False),
        ("昨天小李做了什么？", False),
        ("What happened?", False),
    ],
)
def test_which_questions_ask_for_nothing_but_a_time(text: str, is_alone: bool) -> None:
    assert time.alone(Question(text), NOW) is is_alone


@pytest.mark.parametrize("now", ["0001-01-01T00:00:00Z", "0030-12-31T00:00:00Z", "9999-12-31T23:59:59Z"])
@pytest.mark.parametrize(
    "text",
    [
        "before 1 January", "on 31 February", "in May 0000", "in the year 99999", "on 0000-00-00", "10000 years ago",
        "vor 999999999 Jahren", "hace 99999999999 años", "next 9999999999 years", "NaN days ago", "on the 32nd of May",
        "between 9999-12-31 and 99999-01-01", "since year -5", "on 29 February", "last 99999999 weeks",
    ],
)  # fmt: skip
def test_a_time_that_no_calendar_has_is_no_error(text: str, now: str) -> None:
    days = ("0001-01-01", "9999-12-31")
    with MemoryDatabase(embed="none") as db:
        db.ingest({"text": f"The quince bloomed on {day}.", "timestamp": day} for day in days)
        assert len(db.recall(f"What happened {text}?", now=now)) <= 2


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval("2025-04-12", "2025-04-13"), "2025-04-12"),
        (Interval("2025-04-01", None), "since 2025-04-01"),
        (Interval(None, "2025-05-01"), "until 2025-04-30"),
        (Interval(None, None), "any time"),
        (Interval("2025-04-12T18:00:00Z", "2025-04-13"), "2025-04-12T18:00:00Z to 2025-04-13T00:00:00Z"),
    ],
)
def test_an_interval_is_said_with_its_last_day(interval: Interval, text: str) -> None:
    assert str(interval) == text


@pytest.mark.parametrize(
    ("vague", "day", "question"),
    [
        ("2026", "2025-01-12", "What happened in January?"),
        ("2026-01", "2025-01-01", "What happened on 1 January?"),
    ],
)
def test_what_may_have_happened_at_another_time_is_no_reason_not_to_look_further_back(
    mem: MemoryDatabase, vague: str, day: str, question: str
) -> None:
    mem.remember("Lunch with Ada at the harbour.", happened_at=day)
    mem.remember("The archive went to the cellar.", happened_at=vague)
    recall = mem.recall(question, now=NOW)
    assert recall.hits[0].memory.happened_at == day
    assert any("Nothing is known of the latest such time" in one for one in recall.warnings)


def test_what_is_only_known_by_its_year_takes_no_place_of_what_happened_in_a_month(mem: MemoryDatabase) -> None:
    for n in range(60):
        mem.remember(f"Number {n} of the plans.", happened_at="2026", importance=9)
    mem.remember("Lunch with Ada at the harbour.", happened_at="2026-01-12")
    first = mem.recall("What happened in January?", 5, now=NOW).hits[0]
    assert first.memory.happened_at == "2026-01-12"
    assert "time" in first.why


def test_how_much_happened_in_other_projects_does_not_end_the_search(
    mem: MemoryDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "MANY", 3)
    for n in range(5):
        mem.remember(f"Number {n} of the plans.", happened_at="2026-04-12", project="other")
    mem.remember("Met the bank.", happened_at="2026-04-12", project="own")
    asked = "Which visits to the doctor were there in April?"
    hits = mem.recall(asked, project="own", only_project=True, now=NOW).hits
    assert "time" in hits[0].why


def test_a_pasted_page_is_read_once_and_its_time_in_each_year(monkeypatch: pytest.MonkeyPatch) -> None:
    page = "what happened on the 5th of May? " + 1_000 * "and then it rained "
    read: list[int] = []
    monkeypatch.setattr(time, "find_interval", lambda text, now: read.append(len(text)) or find_interval(text, now))
    years = [one.start[:10] for one in time.meant(page, "2026-03-01T12:00:00Z") if one.start]
    assert years[:3] == ["2025-05-05", "2024-05-05", "2023-05-05"]
    assert read == [len(page), *(len(years) - 1) * [len("on the 5th of May")]]
