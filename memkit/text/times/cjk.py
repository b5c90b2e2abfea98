"""Time expressions, rules for Chinese and Japanese: the forms that are common in chats and questions.

They need no spaces around them. None is weak, because they rarely mean anything else. But `3个月` (three months) is not
`3月` (March), and `五月天` is a band.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from re import Match

from memkit.core.patterns import alternatives, pattern
from memkit.text.times import spans
from memkit.text.times.rules import TimeRule, When
from memkit.text.times.spans import Span

_DIGITS = {char: value for value, char in enumerate("〇一二三四五六七八九十")} | {"零": 0, "两": 2, "兩": 2}
_NUMBER = r"[0-9０-９]{1,4}|[一二两兩三四五六七八九十]{1,3}"
_FIGURE = r"[0-9０-９]{1,2}|十[一二]?|[一二三四五六七八九]"

_DAYS = {
    **dict.fromkeys(("前天", "一昨日", "おととい"), -2),
    **dict.fromkeys(("昨天", "昨日", "昨晚", "昨夜", "きのう"), -1),
    **dict.fromkeys(("今天", "今日", "今晚", "今早", "今夜", "本日"), 0),
    **dict.fromkeys(("明天", "明日", "あした"), 1),
    **dict.fromkeys(("后天", "後天", "明後日"), 2),
}
_UNITS = {
    **dict.fromkeys(("周末", "週末"), "weekend"),
    **dict.fromkeys(("周", "週", "星期", "礼拜", "禮拜", "週間"), "week"),
    **dict.fromkeys(("月", "个月", "個月", "ヶ月", "か月", "カ月", "ヵ月"), "month"),
    **dict.fromkeys(("天", "日", "日間"), "day"),
    "年": "year",
}
_WHICH = {
    **dict.fromkeys(("上", "上个", "上個", "先", "去", "昨"), -1),
    **dict.fromkeys(("这", "這", "这个", "這個", "本", "今"), 0),
    **dict.fromkeys(("下", "下个", "下個", "来", "來", "明"), 1),
    "前": -2,
    **dict.fromkeys(("上上", "上上个", "上上個"), -2),
}


def _number(text: str) -> int:
    """The number of digits (half or full width) or of Chinese characters (up to 99)."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (_DIGITS.get(tens, 1) * 10 if ten else 0) + (_DIGITS[ones] if ones else 0)


def _unit(match: Match[str], now: datetime) -> Span:
    unit = _UNITS[match["unit"]]
    return spans.UNITS[unit](spans.shift(now, _WHICH[match["which"]], unit))


def _part(match: Match[str], now: datetime) -> When:
    """`六月底`, `去年年初`, `2024年底`, `三月中旬`: the first, middle or last third."""
    if match["month"]:
        whole: When = spans.yearly(_number(match["month"]))
    else:
        year = spans.shift(now, _WHICH[match["which"]], "year").year if match["which"] else _number(match["year"])
        whole = spans.months(year, 1, 12)
    name = "early" if match["part"][0] in "初上" else "mid" if match["part"][0] == "中" else "late"
    return spans.part(whole, lambda span: spans.third(span, name))


def _relative_year(match: Match[str], now: datetime) -> Span:
    """`去年` and `去年3月`."""
    year = _unit(match, now)
    return year if match["month"] is None else spans.months(year[0].year, _number(match["month"]), 1)


def _weekday(match: Match[str], now: datetime) -> Span:
    monday = spans.week(spans.shift(now, _WHICH[match["which"]], "week"))[0]
    number = "一二三四五六日天月火水木金土".index(match["weekday"])
    # the Japanese names follow the Chinese ones, Monday to Saturday; both say 日 for Sunday
    number = number if number < 7 else 6 if number == 7 else number - 8
    return spans.day(spans.shift(monday, number, "day"))


def _ago(match: Match[str], now: datetime) -> Span:
    number = _number(match["count"])
    return spans.around(now, -number, -number, _UNITS[match["unit"]])


def ago(text: str) -> tuple[int, int, str] | None:
    """The smallest and the largest count of `两周前`, and its unit in English; None without such a phrase."""
    found = _AGO.search(text)
    return (_number(found["count"]), _number(found["count"]), _UNITS[found["unit"]]) if found else None


def _counted(match: Match[str], now: datetime) -> Span:
    return spans.trailing(now, _number(match["count"]), _UNITS[match["unit"]])


def _date(match: Match[str], now: datetime) -> When:
    """年月日, 年月 or 年; 月日 or 月 without a year is a repeating time."""
    year, month, number = (match.groupdict().get(name) for name in ("year", "month", "day"))
    if month is None:
        return spans.months(_number(year or ""), 1, 12)
    when = spans.yearly(_number(month)) if number is None else spans.date_of_year(_number(month), _number(number))
    return when if year is None else when.latest(datetime(_number(year), 12, 31, 23, 59))


def _rule(pattern: str, build: Callable[[Match[str], datetime], When | None]) -> TimeRule:
    return TimeRule(pattern, build)


# The characters with which a match may begin.
FIRST = "０-９一二两兩三四五六七八九十昨今明前后後去上下这這本先来來一おき本あ过過最近"

_AGO = pattern(rf"(?P<count>{_NUMBER})(?P<unit>{alternatives(_UNITS)})(?:以)?前")
RULES = (
    _rule(alternatives(_DAYS), lambda m, now: spans.day(spans.shift(now, _DAYS[m[0]], "day"))),
    _rule(
        r"(?P<which>上上[个個]?|[上下]个?|[上下]個|[这這][个個]?|本|今|先|来|來)(?P<unit>周末|週末|周|週|星期|礼拜|禮拜)",
        _unit,
    ),
    _rule(r"(?P<which>上上[个個]|[上下本今先来來]|[上下][个個]|[这這][个個])(?P<unit>月)(?!球|饼|餅|亮|光)", _unit),
    _rule(rf"(?P<which>[去昨今明前来來])(?P<unit>年)(?:の?(?P<month>{_FIGURE})月(?!天))?", _relative_year),
    _rule(
        rf"(?:(?P<which>[去昨今前明])年?年|(?P<year>[0-9０-９]{{4}})\s?年|(?<![0-9〇一二三四五六七八九十])(?P<month>{_FIGURE})月)"
        r"(?P<part>初(?![一二三四五六七八九十])|上旬|中旬|中期|下旬|底|末)",
        _part,
    ),
    _rule(
        r"(?P<which>上上[个個]?|[上下][个個]?|[这這][个個]?|本)(?:周|週|星期|礼拜|禮拜)(?P<weekday>[一二三四五六日天])",
        _weekday,
    ),
    _rule(r"(?P<which>[先今来])週の?(?P<weekday>[月火水木金土日])曜日?", _weekday),
    _rule(rf"(?P<count>{_NUMBER})(?P<unit>{alternatives(_UNITS)})(?:以)?前", _ago),
    _rule(rf"(?:过去|過去|最近|近)的?(?P<count>{_NUMBER})(?P<unit>{alternatives(_UNITS)})", _counted),
    _rule(
        rf"(?<![0-9])(?P<year>[0-9０-９]{{4}})\s?年(?!前|间|間)"
        rf"(?:\s?(?P<month>{_FIGURE})\s?月(?:\s?(?P<day>[0-9０-９]{{1,2}})\s?[日号號])?)?",
        _date,
    ),
    _rule(rf"(?<![0-9〇一二三四五六七八九十])(?P<month>{_FIGURE})\s?月\s?(?P<day>[0-9０-９]{{1,2}})\s?[日号號]", _date),
    _rule(rf"(?<![0-9〇一二三四五六七八九十])(?P<month>{_FIGURE})月(?!天|球|饼|餅)份?", _date),
)
