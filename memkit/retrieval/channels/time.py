"""Time search: what happened in the time that the question speaks of, whatever words it has.

"What did we do on 12 April?" has no word in common with what was said that day. Of the memories of that time come
first the important ones, then those with which their documents begin, in the order of time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from memkit.core.instants import Interval, parse_iso
from memkit.core.patterns import pattern
from memkit.storage.connection import Connection
from memkit.storage.filters import ELIGIBLE, Scope
from memkit.storage.store import keys_json
from memkit.text.times import english, find_interval
from memkit.text.times.questions import said
from memkit.text.words import STOP_WORDS, has_cjk, words

if TYPE_CHECKING:
    from memkit.retrieval.question import Question

LONGEST = timedelta(days=366)  # a longer time has too much in it to be an answer
YEAR = timedelta(days=365.25)
MOST_YEARS = 30  # back, that a month without a year is looked for
MANY = 5_000  # things that happened in a time: it says too little beside other words, and sorting takes 10 ms
FADING = 8  # places after which a memory of that time counts half

_IN = "coalesce(m.happened_at, m.created_at) >= :start and coalesce(m.happened_at, m.created_at) < :end"
# A year or a month happened in a time if all of it lies there: `-~` stands after each of its days.
_HAPPENED = f"{_IN} and m.happened_at is not null and (length(m.happened_at) > 7 or :end > m.happened_at || '-~')"
SELECT_HAPPENED = f"""
select m.key, m.happened_at from memories as m
where {_HAPPENED} and m.kind <> 'summary' and {ELIGIBLE}
order by m.importance desc, m.position, m.happened_at, m.id
limit :limit
"""
COUNT_HAPPENED = f"select count(*) from (select 1 from memories as m where {_IN} limit :limit)"  # by the index alone
COUNT_ELIGIBLE = f"select count(*) from (select 1 from memories as m where {_IN} and {ELIGIBLE} limit :limit)"
SELECT_THEN = f"select m.key from memories as m where m.key in (select value from json_each(:keys)) and {_HAPPENED}"
ANY_HAPPENED = f"select 1 from memories as m where {_HAPPENED} and {ELIGIBLE} limit 1"

_MONTHS = "jan feb mar apr may jun jul aug sept? oct nov dec".split()
_EVERY_YEAR = pattern(
    rf"\b(?:{'|'.join(_MONTHS)})[a-z]*\b|\b(?:spring|summer|autumn|fall|winter)\b|{english.HOLIDAY}"
    r"|(?:\d{1,2}|[一二三四五六七八九十]{1,2})月|[春夏秋冬]",
    re.IGNORECASE,
)
_ONLY_ONE = pattern(r"\b(?:last|this|past|previous|current|next|ago|\d{4})\b|[年上这這本今去下]", re.IGNORECASE)

# What a question may say beside a time, and still ask for nothing else.
_ANYTHING = frozenset(
    """
    anything chat chatted did discuss discussed do doing done else event events everything go going happen happened
    happening life news on remember something talk talked tell thing things today up went work worked working
    gab geschah geschehen gemacht habe haben ich ist los machte machten passiert passierte tat taten war was wir
    hice hicimos hizo ocurrió pasó qué que sucedió
    a ai avons ce est fait faisais faisait il j passé qu qui quoi s
    """.split()
)
_ANYTHING_CJK = pattern(r"(?:我们?|都|有|发生|做|干|了|过|的|什么|哪些|事情?|[？?。，,\s])*")


class Spoken(NamedTuple):
    """The time that a question speaks of, the words that say it, and the rest of the question."""

    interval: Interval
    phrase: str
    rest: str


def spoken_of(text: str, now: datetime) -> Spoken | None:
    """The time that a question speaks of, in any of six languages; None if of none."""
    text = said(text)
    found = find_interval(text, now)
    if found is None:
        return None
    interval, (start, end) = found
    return Spoken(interval, text[start:end], f"{text[:start]} {text[end:]}")


def meant(text: str, now: str) -> list[Interval]:
    """The times that a question may mean, latest first: several for one that comes every year, none for none."""
    at = parse_iso(now)
    latest = spoken_of(text, at)
    if latest is None:
        return []
    years = range(1, min(MOST_YEARS, at.year - 1)) if _repeats(latest.phrase) else ()
    again = (find_interval(latest.phrase, at - n * YEAR) for n in years)  # a pasted page is not read thirty times
    return list(dict.fromkeys([latest.interval, *(found[0] for found in again if found)]))


def earlier(conn: Connection, question: Question, scope: Scope) -> Interval | None:
    """The last time with memories that a question may mean (`in April`), if nothing happened in the latest one."""
    if question.interval is None or _happened(conn, question.interval, scope):
        return None
    _, *before = meant(question.text, scope.now)
    return next((one for one in before if _happened(conn, one, scope)), None)


def search(
    conn: Connection, interval: Interval, scope: Scope, *, limit: int, most: int | None = None
) -> dict[int, float]:
    """The memories of a time, key to score (1 for the first, half of it eight places on), best first.

    None for a time that is open or longer than a year, or in which more than `most` things happened.
    """
    if interval.start is None or interval.end is None:
        return {}
    if parse_iso(interval.end) - parse_iso(interval.start) > LONGEST:
        return {}
    if most and _is_crowded(conn, interval, scope, most):
        return {}
    bounds = _bounds(interval, scope)
    rows = conn.execute(SELECT_HAPPENED, {**bounds, "limit": limit})
    there = [key for key, at in rows if interval.contains(at)]
    return {key: 1 / (1 + place / FADING) for place, key in enumerate(there)}


def then(conn: Connection, keys: Iterable[int], interval: Interval | None) -> frozenset[int]:
    """Which of some memories happened in a time; none for None."""
    if interval is None:
        return frozenset()
    start, end = bounds(interval)
    rows = conn.execute(SELECT_THEN, {"keys": keys_json(keys), "start": start, "end": end})
    return frozenset(row[0] for row in rows)


def alone(question: Question, now: str) -> bool:
    """Whether a question asks for nothing but a time: "What happened last week?"."""
    found = spoken_of(question.text, parse_iso(now))
    if found is None:
        return False
    if has_cjk(found.rest):
        return _ANYTHING_CJK.fullmatch(found.rest) is not None
    return all(word in STOP_WORDS or word in _ANYTHING for word in words(found.rest))


def _is_crowded(conn: Connection, interval: Interval, scope: Scope, most: int) -> bool:
    """Whether more than `most` things happened in a time, of those that the scope allows."""
    asked = {**_bounds(interval, scope), "limit": most + 1}
    counts = (COUNT_HAPPENED,) if scope.plain else (COUNT_HAPPENED, COUNT_ELIGIBLE)
    return all(conn.execute(count, asked).fetchone()[0] > most for count in counts)


def _happened(conn: Connection, interval: Interval, scope: Scope) -> bool:
    return conn.execute(ANY_HAPPENED, _bounds(interval, scope)).fetchone() is not None


def _repeats(phrase: str) -> bool:
    """Whether words say a time that comes every year (`in April`, `on 3 May`), and not which of them."""
    return _EVERY_YEAR.search(phrase) is not None and not _ONLY_ONE.search(phrase)


def bounds(interval: Interval) -> tuple[str, str]:
    """The first text of a time in an interval, and the first one after it.

    Times are text as long as they are known: `2025` and `2025-01` stand before `2025-01-01`.
    """
    start = (interval.start or "")[: len("2025-01-01")].removesuffix("-01").removesuffix("-01")
    return start, interval.end or "9999"


def _bounds(interval: Interval, scope: Scope) -> dict[str, object]:
    return {**scope.parameters(), **dict(zip(("start", "end"), bounds(interval), strict=True))}
