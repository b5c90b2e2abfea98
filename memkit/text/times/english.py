"""Time expressions, rules for English, which reject numbers and names that only look like a date.

`may` and `march` are also words, `April` and `June` are also people. So a month alone counts only after a preposition
(`weak`), and `may` and `march` in lower case only after `in` and similar words. A month that is a first name counts
after `since`, `before` and `after` only if the sentence does not continue as about a person (`before June called`). A
year or day alone counts only if no counted noun follows (`in 2019 words`, `on the 5th floor`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from re import Match
from typing import Any

from memkit.core.instants import MONTH_NAMES, WEEKDAY_NAMES
from memkit.core.patterns import pattern
from memkit.text.times import holidays, spans
from memkit.text.times.rules import TimeRule, When
from memkit.text.times.spans import SEASONS, Floating, Span

# ---------------------------------------------------------------------------------------------- pieces of patterns

MONTH_WORDS = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"  # noqa: E501 one alternation
MONTH = rf"(?P<month>{MONTH_WORDS})\b(?:(?<=\b\w\w\w)\.|(?<=\bsept)\.)?"
WEEKDAYS = (*WEEKDAY_NAMES, "mon", "tues?", "thu(?:rs?)?", "fri")  # without sat, sun and wed, which are words
WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)})\b"
SEASON = r"(?P<season>spring|summer|autumn|fall|winter)\b"
HOLIDAY = rf"(?P<holiday>{'|'.join(holidays.NAMES)})\b(?!\s+(?:eve|day|sunday|monday)\b)".replace("'", "['’]?")
NTH = r"(?P<day>\d{1,2})(?P<th>st|nd|rd|th)?"
YEAR = r"(?P<year>[12]\d{3})(?![\w%€$£°]|[.,:/-]\d)"
# `March 2023`, `March of last year`; the second form is read by `_year`.
OF_YEAR = rf"(?:,?\s+(?:of\s+)?(?:{YEAR}|(?P<yearword>last|this|next)\s+year\b))"
WHICH = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "next": 1, "coming": 1}
UNIT = "(?P<unit>minute|hour|day|week|weekend|month|quarter|year|decade)"
COUNTS = {
    "a": (1, 1),
    "an": (1, 1),
    "a couple": (2, 3),
    "couple": (2, 3),
    "few": (2, 5),
    "a few": (2, 5),
    "several": (3, 8),
    **{
        word: (n, n)
        for n, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
    },
}
COUNT = rf"(?P<count>\d{{1,4}}|{'|'.join(sorted(COUNTS, key=len, reverse=True))})(?:\s+of)?"
# No counted noun may follow: before one, a number is not a year or a day.
NOT_COUNTED = (
    r"(?!\s+(?!(?:is|was|has|does|this|his|its|as|us|always|perhaps|across|onwards|afterwards)\b)"
    r"(?:[a-z]{2,}s|people|men|women|children|percent|feet|km|cm|mm|kg|kb|mb|gb|ml|mph|am|pm|a\.m|p\.m)\b)"
)
# What may follow the number or name of a date: the end of a clause, or a word that starts a new part.
ENDS = (
    r"(?=\s*(?:$|[?.!,;:)\"”…\n])|\s+(?:and|or|at|in|with|to|until|till|through|for|did|do|was|were|is|has|had|have|when"
    r"|by|from|of|that|what|who|where|i|we|you|he|she|it|they|the|my|our|his|her|their|this|last|next)\b)"
)
# Fewer words may follow a month that may be a person: not those of `before June and I` and `after April was`.
_AFTER_NAME = pattern(
    r"(?=\s*(?:$|[?.!,;:)\"”…\n])|\s+(?:or|at|in|with|to|until|till|through|for|when|of|what|i|we|you|the|my|our)\b)",
    re.IGNORECASE,
)
# Not \w: a numeric date between CJK characters is a date.
LETTER = "0-9A-Za-zÀ-ɏ_"
_FIRST_NAMES = ("jan", "april", "may", "june", "august")


def _rule(pattern: str, build: Callable[[Match[str], datetime], When | None], **options: Any) -> TimeRule:
    """A rule whose match starts a word (or follows `mid-`) and is not part of a number, a path or an amount."""
    return TimeRule(rf"(?:(?<=\bmid-)|(?<![{LETTER}$€£#@/-])(?<!\d\.)){pattern}", build, **options)


# ---------------------------------------------------------------------------------------------- meanings of matches


def _month_number(match: Match[str]) -> int | None:
    """The month of a match, 1 to 12; None if `may` or `march` is only a word."""
    word, after = match["month"], match.string[match.end() : match.end() + 5]
    if word.lower() == "may" and re.match(r"\s+(?:I|you|we|he|she|it|they)\b", after):
        return None
    dated = match.groupdict().get("th") or match.groupdict().get("year") or match.groupdict().get("yearword")
    if word in ("may", "march", "mar") and not dated:
        return None
    return _index(word, MONTH_NAMES) + 1


def _index(word: str, names: tuple[str, ...]) -> int:
    """The index of the name that a word is or abbreviates; three letters are enough to tell the names apart."""
    return [name[:3].lower() for name in names].index(word[:3].lower())


def _year(match: Match[str], now: datetime) -> int | None:
    """The year in a match, as a number or as `last year`; None if there is none."""
    if word := match.groupdict().get("yearword"):
        return now.year + WHICH[word.lower()]
    return int(year) if (year := match.groupdict().get("year")) else None


def _in_year(floating: Floating, year: int | None) -> When:
    """The span that begins in that year, or the floating time itself without a year."""
    return floating if year is None else floating.latest(datetime(year, 12, 31, 23, 59))


def _month(match: Match[str], now: datetime) -> When | None:
    number = _month_number(match)
    return None if number is None else _in_year(spans.yearly(number), _year(match, now))


def _bare_month(match: Match[str], now: datetime) -> Floating:
    return spans.yearly(_index(match["month"], MONTH_NAMES) + 1)


def _date(match: Match[str], now: datetime) -> When | None:
    """A month with a day or days (`March 5-9`), with or without a year."""
    number = _month_number(match)
    if number is None:
        return None
    found = _in_year(spans.date_of_year(number, int(match["day"])), _year(match, now))
    last = match.groupdict().get("last")
    if last is None:
        return found
    length = int(last) - int(match["day"])
    return _longer(found, length) if length > 0 and spans.date_of_year(number, int(last)) else None


def _longer(when: When, days: int) -> When:
    if isinstance(when, Floating):
        return Floating(when.period, lambda moment: _extended(when.latest(moment), days))
    return _extended(when, days)


def _extended(span: Span, days: int) -> Span:
    return span[0], spans.shift(span[1], days, "day")


def _season(match: Match[str], now: datetime) -> When:
    return _in_year(spans.yearly(SEASONS[match["season"].lower()], 3), _year(match, now))


def _holiday(match: Match[str], now: datetime) -> When:
    return _in_year(_named_holiday(match), _year(match, now))


def _named_holiday(match: Match[str]) -> Floating:
    said = " ".join(match["holiday"].lower().replace("’", "'").split())
    return holidays.holiday(next(name for name in holidays.NAMES if name.replace("'", "") == said.replace("'", "")))


def weekday(match: Match[str]) -> Floating:
    return spans.weekday(_index(match["weekday"], WEEKDAY_NAMES))


def _asked_season(match: Match[str], now: datetime) -> When:
    return _named_holiday(match) if match["holiday"] else spans.yearly(SEASONS[match["season"].lower()], 3)


def _quarter(match: Match[str], now: datetime) -> When:
    word = match["word"]
    number = int(match["quarter"]) if word is None else ["first", "second", "third", "fourth"].index(word.lower()) + 1
    return _in_year(spans.yearly(3 * number - 2, 3), _year(match, now))


def count(match: Match[str]) -> tuple[int, int]:
    """The smallest and the largest number that a count means: `a few` is 2 to 5."""
    word = " ".join(match["count"].lower().split())
    return COUNTS[word] if word in COUNTS else (int(word), int(word))


def _relative_name(match: Match[str], now: datetime) -> Span | None:
    """`last March`, `this summer`; a name that is also a word needs a capital (`this may take`)."""
    which = WHICH[match["which"].lower()]
    if match["season"]:
        return spans.relative(spans.yearly(SEASONS[match["season"].lower()], 3), which, now)
    number = _month_number(match)
    return None if number is None else spans.relative(spans.yearly(number), which, now)


def _ago(match: Match[str], now: datetime) -> Span:
    fewest, most = count(match)
    if match["way"].lower() == "ago":
        return spans.around(now, -most, -fewest, match["unit"].lower())
    return spans.around(now, fewest, most, match["unit"].lower())


def _counted(match: Match[str], now: datetime) -> Span | None:
    """`the last 3 days`, `the past few months`, `next two weeks`."""
    most = count(match)[1]
    if most == 0:
        return None
    run = spans.leading if WHICH[match["which"].lower()] > 0 else spans.trailing
    return run(now, most, match["unit"].lower())


def _unit(match: Match[str], now: datetime) -> Span:
    """`last week` is a calendar week; `the last week` and `past week` are the seven days up to now."""
    which, unit = match["which"].lower(), match["unit"].lower()
    if which == "past" or (match["the"] and which == "last"):
        return spans.trailing(now, 1, unit)
    return spans.UNITS[unit](spans.shift(now, WHICH[which], unit))


def _unit_before_last(match: Match[str], now: datetime) -> Span:
    unit = match["unit"].lower()
    return spans.UNITS[unit](spans.shift(now, -2, unit))


def _piece(match: Match[str], now: datetime) -> When | None:
    """`the first week of June`, `the second half of 2023`, `the last week of this month`."""
    number = ["first", "second", "third", "fourth", "last"].index(match["nth"].lower())
    half = match["piece"].lower() == "half"
    if half and number > 1:
        return None
    if match["whole"]:
        whole: When = spans.UNITS[match["whole"].lower()](
            spans.shift(now, WHICH[match["which"].lower()], match["whole"].lower())
        )
    elif match["month"]:
        found = _month(match, now)
        if found is None:
            return None
        whole = found
    else:
        whole = spans.months(int(match["only"]), 1, 12)
    cut = spans.half if half else spans.week_of
    return spans.part(whole, lambda span: cut(span, number))


def _weekday_of_week(match: Match[str], now: datetime) -> Span:
    monday = spans.week(spans.shift(now, WHICH[match["which"].lower()], "week"))[0]
    return weekday(match).latest(spans.shift(monday, 6, "day"))


_RELATIVE_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}


def _relative_day(match: Match[str], now: datetime) -> Span:
    text = match[0].lower()
    beyond = 2 if "day " in text else 1
    return spans.day(spans.shift(now, beyond * _RELATIVE_DAYS[text.split()[-1]], "day"))


def _part_of_now(match: Match[str], now: datetime) -> Span:
    """`tonight`, `last night`, `this morning`."""
    which, _, part = match[0].lower().rpartition(" ")
    today = spans.day(spans.shift(now, -1 if which == "last" else 0, "day"))
    return spans.part_of_day(today, "night" if part == "tonight" else part)


def _decade(match: Match[str], now: datetime) -> Span:
    """`the 1990s`, or `the 90s`, which are less than 100 years ago."""
    short = match["short"]
    year = int(match["decade"]) if short is None else now.year - (now.year - int(short)) % 100
    return spans.months(year, 1, 120)


def _edge(match: Match[str], now: datetime) -> Span:
    """`the start of the year`, `the end of this month`."""
    which = WHICH.get(match["which"].lower(), 0)
    unit = match["unit"].lower()
    return spans.third(spans.UNITS[unit](spans.shift(now, which, unit)), match["edge"].lower())


def _numeric(match: Match[str], now: datetime) -> When:
    """`3/22`, `3/22/2023`: the month comes first, unless that number is above 12."""
    month, number = int(match["a"]), int(match["b"])
    if month > 12:
        month, number = number, month
    year = match["year"]
    return _in_year(
        spans.date_of_year(month, number), None if year is None else int(year) + (2000 if len(year) == 2 else 0)
    )


def _ymd(match: Match[str], now: datetime) -> Span:
    return spans.day(datetime(int(match["year"]), int(match["month"]), int(match["day"])))


# ---------------------------------------------------------------------------------------------- when weak rules count

_WITHIN = frozenset(("in", "during", "throughout", "around", "over", "within"))


def _allows_month(lead: str, match: Match[str]) -> bool:
    word, after = match["month"], match.string[match.end() :]
    if word == "may" or (word == "march" and lead not in ("since", "until", "till", "from", "between")):
        return lead in _WITHIN
    if word.lower() not in _FIRST_NAMES:
        return True
    return lead in _WITHIN or (lead != "from" and _AFTER_NAME.match(after) is not None)


def _allows_weekday(lead: str, match: Match[str]) -> bool:
    """Rejects `Monday through Friday`, which means every week."""
    return lead != "through"


def _allows_fraction(lead: str, match: Match[str]) -> bool:
    """Rejects `mix in 1/4 teaspoon`."""
    return lead not in _WITHIN and lead != "at"


def _allows_season(lead: str, match: Match[str]) -> bool:
    """Rejects `in the fall`, which may be an accident, and `in summer`, which means every summer."""
    return lead not in ("in", "on", "at", "from") and match["season"].lower() not in ("fall", "spring")


RULES = (
    # relative to now
    _rule(
        r"(?:the\s+)?(?:day\s+before\s+yesterday|day\s+after\s+tomorrow)\b|(?<!USA\s)(?:yesterday|today|tomorrow)\b",
        _relative_day,
    ),
    _rule(r"(?:tonight|last\s+night|this\s+(?:morning|afternoon|evening))\b", _part_of_now),
    _rule(
        r"(?P<the>the\s+|this\s+)?(?P<which>last|past|previous|this|current|next|coming)\s+"
        r"(?P<unit>week|weekend|month|quarter|year|decade)\b(?!\s+of\b|['’-]\w)",
        _unit,
    ),
    _rule(
        rf"(?:the\s+)?(?P<unit>week|weekend|month|year)\s+before\s+last\b(?!\s+(?:\w+day\b|{MONTH}|{'|'.join(SEASONS)}|{HOLIDAY}))",
        _unit_before_last,
    ),
    _rule(r"a\s+fortnight\s+ago\b", lambda m, now: spans.around(now, -2, -2, "week")),
    _rule(
        rf"(?:the\s+)?(?P<nth>first|second|third|fourth|last)\s+(?P<piece>week|half)\s+of\s+"
        rf"(?:{MONTH}(?:{OF_YEAR})?|(?P<which>this|last|next)\s+(?P<whole>month|year)\b|(?P<only>(?:19|20)\d\d)\b)",
        _piece,
    ),
    _rule(
        r"(?:the\s+|this\s+)?past\s+(?P<unit>day|hour)\b",
        lambda m, now: spans.trailing(now, 1, m["unit"].lower()),
    ),
    _rule(
        rf"(?:the\s+|these\s+)?(?P<which>last|past|previous|next|coming)\s+{COUNT}\s+{UNIT}s?\b(?!\s+of\b)", _counted
    ),
    _rule(rf"(?<!than\s)(?<!over\s){COUNT}\s+{UNIT}s?\s+(?P<way>ago|from\s+(?:now|today))\b", _ago),
    _rule(
        r"(?P<edge>start|beginning|end)\s+of\s+(?P<which>the|this|last|next)\s+(?P<unit>week|month|quarter|year|decade)\b",
        _edge,
    ),
    # days of the week
    _rule(
        rf"(?<!the\s)(?:this\s+)?(?P<which>last|past|this|next|coming)\s+{WEEKDAY}(?!['’-]\w)",
        lambda m, now: spans.relative(weekday(m), WHICH[m["which"].lower()], now),
    ),
    _rule(rf"{WEEKDAY},?\s+(?:of\s+)?(?P<which>last|this|next)\s+week\b", _weekday_of_week),
    _rule(
        rf"{WEEKDAY}(?!['’-]\w)(?!\s+(?:morning|afternoon|evening|night)s)",
        lambda m, now: weekday(m),
        weak=True,
        allows=_allows_weekday,
    ),
    _rule(
        r"weekend\b(?!['’-]\w)", lambda m, now: spans.every_weekend(), weak=True, allows=lambda lead, m: lead != "in"
    ),
    # months and days of months
    _rule(
        rf"(?<!the\s)(?:this\s+)?(?P<which>last|past|this|next|coming)\s+(?:{MONTH}|{SEASON})(?!\s+\d|['’-]\w)",
        _relative_name,
    ),
    _rule(
        rf"{MONTH}\s+(?:the\s+)?{NTH}(?:\s*[-–]\s*(?P<last>\d{{1,2}})(?:st|nd|rd|th)?)?(?![\w%]|[.:/,]\d|['’-]\w)"
        rf"(?:{OF_YEAR}|{NOT_COUNTED})",
        _date,
    ),
    _rule(rf"(?:the\s+)?{NTH}\s+(?:of\s+)?{MONTH}(?:{OF_YEAR})?(?!['’-]\w)", _date),
    _rule(rf"(?<!\d\s){MONTH}{OF_YEAR}{NOT_COUNTED}", _month),
    _rule(rf"month\s+of\s+{MONTH}(?:{OF_YEAR})?", lambda m, now: _in_year(_bare_month(m, now), _year(m, now))),
    _rule(rf"{MONTH}(?!['’-]\w)", _bare_month, weak=True, allows=_allows_month),
    _rule(
        rf"the\s+{NTH}\s+of\s+(?P<which>last|this|next)\s+month\b",
        lambda m, now: spans.day(spans.shift(now, WHICH[m["which"].lower()], "month").replace(day=int(m["day"]))),
    ),
    _rule(
        rf"the\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)\b{ENDS}", lambda m, now: spans.day_of_month(int(m["day"])), weak=True
    ),
    # seasons, quarters, years, decades
    _rule(rf"{SEASON}{OF_YEAR}", _season),
    _rule(rf"{SEASON}(?!['’-]\w)", _season, weak=True, allows=_allows_season),
    _rule(rf"season\s+of\s+(?:{SEASON}|{HOLIDAY})", _asked_season),  # as `questions` says it
    _rule(rf"{HOLIDAY}{OF_YEAR}", _holiday),
    _rule(
        rf"(?:this\s+)?(?P<which>last|past|this|next|coming)\s+{HOLIDAY}(?!['’-]\w)",
        lambda m, now: spans.relative(_named_holiday(m), WHICH[m["which"].lower()], now),
    ),
    _rule(rf"(?:q(?P<quarter>[1-4])|(?:the\s+)?(?P<word>first|second|third|fourth)\s+quarter){OF_YEAR}", _quarter),
    _rule(rf"the\s+year\s+(?:of\s+)?{YEAR}", lambda m, now: spans.months(int(m["year"]), 1, 12)),
    _rule(
        rf"{YEAR}(?!\+){NOT_COUNTED}",
        lambda m, now: spans.months(int(m["year"]), 1, 12),
        weak=True,
        allows=lambda lead, m: lead not in ("on", "at"),
    ),
    _rule(
        r"(?P<year>(?:19|20)\d\d)\s?[–-]\s?(?P<last>(?:19|20)\d\d)(?![\w-])",
        lambda m, now: spans.months(int(m["year"]), 1, 12 * (int(m["last"]) - int(m["year"]) + 1)),
    ),
    _rule(r"the\s+(?:(?P<decade>[12]\d\d0)|['’]?(?P<short>[2-9]0))['’]?s\b", _decade),
    # figures
    _rule(
        r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
        r"(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?![0-9A-Za-z_-]|[.:/]\d)",
        _ymd,
    ),
    _rule(r"(?P<year>\d{4})/(?P<month>\d\d?)/(?P<day>\d\d?)(?![0-9A-Za-z_/-])", _ymd),
    _rule(r"(?P<year>(?:19|20)\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)(?![\w-]|[.,:/]\d)", _ymd, weak=True),
    _rule(
        r"(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?![\w/-]|[.:]\d)",
        lambda m, now: spans.months(int(m["year"]), int(m["month"]), 1),
    ),
    _rule(r"(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<year>\d{4}|\d\d)(?![\w/-])", _numeric),
    _rule(
        r"(?P<a>\d{1,2})/(?P<b>\d{1,2})(?P<year>(?!))?(?![\w/%-]|[.,:]\d)", _numeric, weak=True, allows=_allows_fraction
    ),
    _rule(
        r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})(?![\w-]|\.\d)",
        _ymd,
    ),
)
