"""Times as questions say them: `in spring`, `last may`, `an Weihnachten`, `à la mi-mars`, said for the rules.

A statement that says `in spring` may mean every spring. A question about the past asks of one. So these forms are read
in questions only, and those that may mean every year only in questions about what was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property, partial
from re import Match

from memkit.core.classes import dataclass
from memkit.core.patterns import alternatives, pattern
from memkit.text.change import asks_of_the_past
from memkit.text.times import english, spans
from memkit.text.times.spans import LOOK_ALIKES
from memkit.text.times.translated import FRENCH, GERMAN, SPANISH, Dates, in_english
from memkit.text.words import words

# How the languages say what was, beside `change`: Spanish preterites, French perfects, English questions of somebody,
# and Chinese and Japanese particles. Each counts only for times in its own language: `José` is no preterite.
_SPANISH_PAST = pattern(
    r"(?i)\b(?!qué\b|café\b|bebé\b)(?:\w+(?:é|ó|amos|imos|aron|ieron|aste|iste)|hi[cz]o|hice|fui|fuimos|estuv\w+|tuv\w+"
    r"|vin[eo]|di[oj]\w*)\b"
)
_FRENCH_PAST = pattern(
    r"(?i)\b(?:ai|as|a|avons|avez|ont|suis|es|est|sommes|êtes|sont)\b.{0,40}?\b(?:\w+ée?s?|faite?s?|mis|pris|vue?s?|eu"
    r"|lu|bu|reçu|venue?s?|partie?s?|dit|écrit)\b|\b(?:éti|avi)(?:ons|ez)\b"
)
_OTHER_PAST = pattern(
    r"(?i)\b(?:have|has)\s+(?:i|we|you|he|she|they)\b|\b(?:who|what)\s+(?:\w{2,}[^e\W]ed|came|went|gave|took|got|saw|made"
    r"|said|told|ate|brought|bought|met|won|lost|fell|broke|wrote)\b|[了过過]|した|った"
)
_NO_PAST = pattern(r"(?!)")  # German says it as `change` knows
# A season with no noun after it (`in spring water`), or a holiday, with no year.
_EVERY = pattern(
    rf"(?i)\b(?P<lead>in|during|over|around|at|on|for|by)\s+(?:the\s+)?(?P<part>(?:early|mid|late)[\s-]+)?"
    rf"(?P<name>(?:{'|'.join(spans.SEASONS)})\b{english.ENDS}|{english.HOLIDAY}(?!['’-]\w))(?!{english.OF_YEAR})"
)
_LOWER = pattern(
    rf"(?<!the )\b(?P<which>last |next |early |mid[ -]|late )(?P<month>may|march)(?:{english.ENDS}|(?=\s+\d))"
)


@dataclass(frozen=True)
class Asked:
    """How a language asks of times that may come every year, of parts of months and years, and of the one before last.

    A form has groups: `unit` (before last), or `season`, `holiday`, `month` or `year`, with a `part` of it, or `last`.
    `holidays` and `parts` are what those words mean in English.
    """

    dates: Dates
    holidays: Mapping[str, str]
    parts: Mapping[str, str]
    forms: tuple[str, ...]
    past: re.Pattern[str] = _NO_PAST

    def may_be_in(self, text: str) -> bool:
        """Whether a text has a word, or a year, that every form has one of."""
        said = words(text)
        return not self._vocabulary.isdisjoint(said) or any(len(word) == 4 and word.isdecimal() for word in said)

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        return self.dates.vocabulary.union(words(" ".join(self.holidays)))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """All forms as one expression."""
        macros = {
            "SEASON": rf"(?P<season>{self.dates.seasons.replace(' ', '|')})\b",
            "HOLIDAY": rf"(?P<holiday>{alternatives(self.holidays)})\b",
            "PART": rf"(?P<part>{alternatives(self.parts)})\b",
        }
        return re.compile(rf"(?<![\w'’-])(?:{self.dates.written(self.forms, macros)})", re.IGNORECASE)

    def english(self, found: Match[str], *, past: bool) -> str:
        """A time that `pattern` found, in English; one that may be every year stays, unless one asks of the past."""
        groups = {name.rstrip("0123456789"): value for name, value in found.groupdict().items() if value is not None}
        if unit := groups.get("unit"):
            return f"the {self.dates.units[unit.lower()]} before last"
        name, year = self._name(groups), groups.get("year", "")
        if "last" in groups:
            return f"last {name}"
        if part := groups.get("part"):
            return f"in {self.parts[part.lower()]} {name} {year}".rstrip().replace("  ", " ")
        if year or "month" in groups:
            return f"in {name} {year}".replace("  ", " ")
        return f"in season of {name}" if past else found[0]

    def _name(self, groups: Mapping[str, str]) -> str:
        if holiday := groups.get("holiday"):
            return next(english for own, english in self.holidays.items() if own.lower() == holiday.lower())
        return self.dates.name(groups.get("season") or groups.get("month") or "")


GERMAN_ASKED = Asked(
    GERMAN,
    holidays={
        "Weihnachten": "Christmas", "Heiligabend": "Christmas Eve", "Silvester": "New Year's Eve",
        "Neujahr": "New Year's Day", "Ostern": "Easter", "Karfreitag": "Good Friday", "Pfingsten": "Whitsun",
        "Allerheiligen": "All Saints' Day",
    },
    parts={"anfang": "early", "mitte": "mid", "ende": "late"},
    forms=(
        r"(?:im|während des) <SEASON>(?: <YEAR>)?",
        r"(?P<last>letzte|vorige|vergangene)[nmrs]? <HOLIDAY>",
        r"(?:an|zu|über|um|am) <HOLIDAY>(?: <YEAR>)?",
        r"(?<!seit )(?<!bis )(?<!ab )<PART> <MONTH>(?: <YEAR>)?",
        r"(?<!seit )(?<!bis )(?<!ab )<PART> <YEAR>",
        r"(?:in der |im |am )?vorletzte[nmrs]? <UNIT>",
        r"im Jahre? <YEAR>",
    ),
)  # fmt: skip
SPANISH_ASKED = Asked(
    SPANISH,
    holidays={
        "Navidad": "Christmas", "Navidades": "Christmas", "Nochebuena": "Christmas Eve", "Nochevieja": "New Year's Eve",
        "Año Nuevo": "New Year's Day", "Semana Santa": "Easter", "Pascua": "Easter", "Viernes Santo": "Good Friday",
        "Todos los Santos": "All Saints' Day",
    },
    parts={**dict.fromkeys(("principios", "comienzos", "inicios"), "early"), "mediados": "mid",
           **dict.fromkeys(("finales", "fines"), "late")},
    forms=(
        r"(?:en|durante) (?:la |el )?<SEASON>(?: del? <YEAR>)?",
        r"(?:el|la) (?P<last>pasad[oa]) (?:<MONTH>|<SEASON>|<HOLIDAY>)",
        r"(?:(?:en|por|durante) )?(?:la |las |el )?<HOLIDAY> (?P<last>pasad[oa]s?)",
        r"(?:en|por|durante) (?:la |las |el )?<HOLIDAY>(?: del? <YEAR>)?",
        r"(?:a|hacia) <PART> de <MONTH>(?: del? <YEAR>)?",
        r"(?:a|hacia) <PART> del? <YEAR>",
        r"(?:el|la) <UNIT> antepasad[oa]",
        r"en (?:el año )?<YEAR>",
    ),
    past=_SPANISH_PAST,
)  # fmt: skip
FRENCH_ASKED = Asked(
    FRENCH,
    holidays={
        "réveillon de Noël": "Christmas Eve", "Noël": "Christmas", "Saint-Sylvestre": "New Year's Eve",
        "Nouvel An": "New Year's Day", "Pâques": "Easter", "Vendredi saint": "Good Friday", "Pentecôte": "Whitsun",
        "Toussaint": "All Saints' Day",
    },
    parts={"début": "early", "mi": "mid", "fin": "late"},
    forms=(
        r"(?:en |au |à |l['’])?(?:<MONTH>|<SEASON>|<HOLIDAY>) (?P<last>derni(?:er|ère))",
        r"(?:au |en |(?:pendant |durant |à )l['’])<SEASON>(?: (?:de )?<YEAR>)?",
        r"(?:à|au|pour|pendant) (?:la |le |les )?<HOLIDAY>(?: <YEAR>)?",
        r"(?:au |à la |en )?<PART>[ -](?:de |d['’])?<MONTH>(?: <YEAR>)?",
        r"(?:au |à la |en )?<PART>[ -](?:de )?<YEAR>",
        r"(?:(?:pendant )?l['’])?avant-derni(?:er|ère) <UNIT>",
        r"en <YEAR>",
    ),
    past=_FRENCH_PAST,
)  # fmt: skip
ASKED = (GERMAN_ASKED, SPANISH_ASKED, FRENCH_ASKED)

_OF_CJK = {
    "圣诞节": "Christmas", "聖誕節": "Christmas", "圣诞": "Christmas", "平安夜": "Christmas Eve",
    "クリスマス": "Christmas", "元旦": "New Year's Day", "跨年": "New Year's Eve", "复活节": "Easter",
    **{f"{season}{end}": name for season, name in zip("春夏秋冬", ("spring", "summer", "autumn", "winter"), strict=True)
       for end in "天季"},
}  # fmt: skip
_YEARS_CJK = {"去": "last year", "今": "this year", "明": "next year"}
# Without a year somebody or nothing follows: `夏季奥运会` and `夏天快到了` are no summers that were.
_EVERY_CJK = pattern(
    rf"(?:(?P<which>[去今明])年|(?P<year>(?:19|20)\d\d)\s?年)的?(?P<dated>{alternatives(_OF_CJK)})"
    rf"|(?P<name>{alternatives(_OF_CJK)})(?=[我你他她它咱大谁誰都里的那，,、？?\s]|に|は|\Z)"
)


def said(text: str) -> str:
    """The question with its times as the rules read them, in English."""
    text = text.translate(LOOK_ALIKES)
    past = asks_of_the_past(text) or _OTHER_PAST.search(text) is not None
    for asked in (one for one in ASKED if one.may_be_in(text)):
        own = past or asked.past.search(text) is not None
        text = asked.pattern.sub(partial(asked.english, past=own), text)
    text = in_english(text)
    if not text.isascii():
        text = _EVERY_CJK.sub(partial(_every_cjk, past=past), text)
    text = _LOWER.sub(lambda found: f"{found['which']}{found['month'].capitalize()}", text)
    return _EVERY.sub(_every, text) if past else text


def _every(found: Match[str]) -> str:
    """`in early spring` is `in early season of spring`, which rules read as the last one."""
    return f"{found['lead']} {found['part'] or ''}season of {found['name']}"


def _every_cjk(found: Match[str], *, past: bool) -> str:
    if dated := found["dated"]:
        return f" {_OF_CJK[dated]} {found['year'] or 'of ' + _YEARS_CJK[found['which']]} "
    return f" in season of {_OF_CJK[found['name']]} " if past else found[0]
