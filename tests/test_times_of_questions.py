"""Times as people ask for them: seasons, holidays, parts of months, the one before last, in five languages."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.instants import parse_iso
from memkit.retrieval.channels.time import spoken_of
from memkit.text.times import find_interval
from memkit.text.times.holidays import NAMES, easter, holiday
from memkit.text.times.questions import said

UTC = timezone.utc
NOW = datetime(2025, 10, 15, 12, tzinfo=UTC)  # a Wednesday
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))


def asked(text, now=NOW):
    """The days that a question asks of: `2025-03-01 to 2025-05-31`; empty for none."""
    found = spoken_of(text, now)
    return str(found.interval) if found else ""


@pytest.mark.parametrize(
    ("days", "text"),
    [
        ("2025-03-01 to 2025-05-31", "What did we do in spring?"),
        ("2025-03-01 to 2025-05-31", "what did we plant in the spring"),
        ("2024-12-01 to 2025-02-28", "Have we repaired anything in winter?"),
        ("2025-03-01 to 2025-03-30", "What did we do in early spring?"),
        ("2025-05-01 to 2025-05-31", "what did i do last may?"),
        ("2025-03-21 to 2025-03-31", "who came in late march?"),
        ("2024-12-24 to 2024-12-26", "Where were we over Christmas?"),
        ("2023-12-24 to 2023-12-26", "What is left of Christmas 2023?"),
        ("2024-12-24 to 2024-12-26", "where did we go last christmas"),
        ("2024-12-31", "What did I do on New Year’s Eve?"),
        ("2025-04-18 to 2025-04-21", "Who visited us at Easter?"),
        ("2025-06-21 to 2025-06-30", "What did I do at the end of June?"),
        ("2024-01-01 to 2024-05-01", "What happened in early 2024?"),
        ("2023-07-01 to 2023-12-31", "What happened in the second half of 2023?"),
        ("2025-06-16 to 2025-06-30", "What happened in the second half of June?"),
        ("2025-06-01 to 2025-06-07", "What did we do in the first week of June?"),
        ("2024-10-25 to 2024-10-31", "What happened in the last week of October?"),
        ("2025-09-29 to 2025-10-05", "What did I do the week before last?"),
        ("2025-10-04 to 2025-10-05", "What did I do the weekend before last?"),
        ("2025-08-01 to 2025-08-31", "Where was I the month before last?"),
        ("2025-09-28 to 2025-10-05", "What happened a fortnight ago?"),
        ("2025-01-01", "Où étions-nous au Nouvel An ?"),
        ("2024-09-01 to 2024-12-31", "去年年底发生了什么？"),
        ("2023-03-01 to 2023-05-31", "2023年春天我们去了哪里？"),
        ("2025-10-06 to 2025-10-12", "上周我们做了什么？"),
    ],
)
def test_a_question_asks_of_these_days(days, text):
    assert asked(text) == days


@pytest.mark.parametrize(
    "text",
    [
        "What do we do in spring?",
        "Where do we go in summer?",
        "What do we eat at Christmas?",
        "What did the spring in the garden gate cost?",
        "Did we drink the water in spring water bottles?",
        "Will this last may I ask?",
        "Who gave us the last march of the penguins?",
        "Was machen wir im Frühling?",
        "¿Qué comemos en primavera?",
        "Que plantons-nous au printemps ?",
        "春天我们吃什么？",
        "夏天快到了，上次朋友送的防晒霜用完了吗？",
        "夏季奥运会在哪里举行了？",
        "リオ開催が決定した夏季オリンピックは第何回か",
        "What did Christmas say?",
        "Did May come?",
    ],
)
def test_what_may_mean_every_year_or_nothing_is_no_time(text):
    assert asked(text) == ""


@pytest.mark.parametrize(
    "text", ["We go to Crete in spring.", "At Christmas we were in Bruges.", "Over Easter it rained."]
)
def test_a_statement_is_read_as_before(text):
    assert find_interval(text, NOW) is None


SIBLINGS = [
    (
        "What did we do in spring?",
        "Was haben wir im Frühling gemacht?",
        "¿Qué hicimos en primavera?",
        "Qu'avons-nous fait au printemps ?",
        "春天我们做了什么？",
    ),
    (
        "What did we do in the summer of last year?",
        "去年夏天我们做了什么？",
    ),
    (
        "What did we do last summer?",
        "Was haben wir letzten Sommer gemacht?",
        "¿Qué hicimos el pasado verano?",
        "¿Qué hicimos el verano pasado?",
        "Qu'avons-nous fait l'été dernier ?",
    ),
    (
        "What did we do last May?",
        "Was haben wir letzten Mai gemacht?",
        "¿Qué hicimos el mayo pasado?",
        "Qu'avons-nous fait en mai dernier ?",
    ),
    (
        "What did we do over Christmas?",
        "Was haben wir über Weihnachten gemacht?",
        "¿Qué hicimos en Navidad?",
        "Qu'avons-nous fait à Noël ?",
        "圣诞节我们做了什么？",
    ),
    (
        "What did we do over Easter?",
        "Was haben wir an Ostern gemacht?",
        "¿Qué hicimos en Semana Santa?",
        "Qu'avons-nous fait à Pâques ?",
    ),
    (
        "What did we do on New Year's Eve 2023?",
        "Was haben wir an Silvester 2023 gemacht?",
        "¿Qué hicimos en Nochevieja de 2023?",
        "Qu'avons-nous fait à la Saint-Sylvestre 2023 ?",
        "2023年跨年我们做了什么？",
    ),
    (
        "What happened at the end of June?",
        "Was war Ende Juni?",
        "¿Qué pasó a finales de junio?",
        "Que s'est-il passé fin juin ?",
        "六月底发生了什么？",
    ),
    (
        "What happened in mid-March?",
        "Was geschah Mitte März?",
        "¿Qué pasó a mediados de marzo?",
        "Que s'est-il passé à la mi-mars ?",
        "三月中旬发生了什么？",
    ),
    (
        "What happened in early 2024?",
        "Was war Anfang 2024?",
        "¿Qué pasó a principios de 2024?",
        "Que s'est-il passé début 2024 ?",
        "2024年初发生了什么？",
    ),
    (
        "What did we do the week before last?",
        "Was haben wir vorletzte Woche gemacht?",
        "¿Qué hicimos la semana antepasada?",
        "Qu'avons-nous fait l'avant-dernière semaine ?",
        "上上周我们做了什么？",
    ),
    (
        "What did we do the month before last?",
        "Was haben wir im vorletzten Monat gemacht?",
        "¿Qué hicimos el mes antepasado?",
        "Qu'avons-nous fait l'avant-dernier mois ?",
        "上上个月我们做了什么？",
    ),
    (
        "What happened in 2023?",
        "Was geschah im Jahr 2023?",
        "¿Qué pasó en 2023?",
        "Que s'est-il passé en 2023 ?",
        "2023年发生了什么？",
    ),
]


@given(MOMENTS, st.sampled_from(SIBLINGS))
def test_all_languages_ask_of_the_same_days(now, siblings):
    first, *others = [asked(text, now) for text in siblings]
    assert first
    assert others == [first] * len(others)


@given(MOMENTS, st.sampled_from(["spring", "summer", "autumn", "winter"]))
def test_a_season_is_the_last_one_that_has_begun(now, season):
    found = spoken_of(f"What did we do in {season}?", now)
    start, end = parse_iso(found.interval.start), parse_iso(found.interval.end)
    assert start.month == {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}[season]
    assert start <= now < start.replace(year=start.year + 1)
    assert (end.year - start.year) * 12 + end.month - start.month == 3


@given(MOMENTS, st.sampled_from(NAMES))
def test_a_holiday_is_the_last_one_and_the_next_one_follows_it(now, name):
    moment = now.replace(tzinfo=None)
    start, end = holiday(name).latest(moment)
    after = holiday(name).next_after(moment)[0]
    assert start <= moment < after
    assert timedelta(days=319) <= after - start <= timedelta(days=401)  # Easter moves by five weeks
    assert timedelta(days=1) <= end - start <= timedelta(days=4)
    found = spoken_of(f"What did we eat on {name.title()}?", now)
    assert parse_iso(found.interval.start) == start.replace(tzinfo=UTC)


@given(st.integers(1583, 4099))
def test_easter_is_a_sunday_in_spring(year):
    assert easter(year).weekday() == 6
    assert datetime(year, 3, 22) <= easter(year) <= datetime(year, 4, 25)


@pytest.mark.parametrize(
    "day", [(1818, 3, 22), (1954, 4, 18), (2000, 4, 23), (2008, 3, 23), (2024, 3, 31), (2026, 4, 5), (2038, 4, 25)]
)
def test_easter_was_or_will_be_then(day):
    assert easter(day[0]) == datetime(*day)


PIECES = (
    "did was in at over the last this spring summer Christmas easter may end of week before half second im an letzten "
    "vorletzte Ende Juni Weihnachten 2023 en a finales de junio pasado au à l'été dernier fin mi- 去年 夏天 底 上上周"
).split()
WORDS = st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)


@given(st.one_of(st.text(), WORDS), st.datetimes(timezones=st.just(UTC)))
def test_any_question_is_read(text, now):
    found = spoken_of(text, now)
    assert (
        found is None
        or found.interval.start is None
        or found.interval.end is None
        or found.interval.start < found.interval.end
    )
    assert isinstance(said(text), str)


def test_recall_finds_what_happened_then_whatever_words_it_has():
    with MemoryDatabase(embed="none") as db:
        goose = db.remember("Goose with red cabbage, and the power was gone.", happened_at="2024-12-25")
        for n in range(20):
            db.remember(f"Note {n} about what we did.", happened_at=f"2025-02-{n + 1:02}")
        for question in (
            "What did we do over Christmas?",
            "Was haben wir an Weihnachten gemacht?",
            "圣诞节我们做了什么？",
        ):
            found = db.recall(question, 3, now="2025-10-15")
            assert found.ids[:1] == [goose.id]
            assert str(found.interval) == "2024-12-24 to 2024-12-26"


@pytest.mark.parametrize(
    "text", ["We met on Chri\u017ftmas 1712.", "LAST CHR\u0130STMAS", "la\u017ft week", "an S\u0130lvester"]
)
def test_letters_that_only_look_alike_raise_nothing(text):
    said(text)
    find_interval(text, datetime(2024, 6, 15))


@pytest.mark.parametrize(
    "question",
    ["What does José plant in spring?", "Do I taste wine in summer?", "Is Dijon worth a visit in autumn?"],
)
def test_a_name_or_word_with_a_spanish_ending_is_no_past(question):
    assert said(question) == question


def test_the_year_before_last_summer_is_not_the_year_before_last():
    now = datetime(2024, 6, 15)
    found = [find_interval(f"the {unit} before last{what}", now) for unit, what in (("year", ""), ("year", " summer"))]
    assert [one and one[0].start for one in found] == ["2022-01-01T00:00:00Z", "2022-06-01T00:00:00Z"]
