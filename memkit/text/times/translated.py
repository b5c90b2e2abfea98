"""Dates in German, Spanish and French: found in a text, and said in English, for the rules that read English.

`seit dem 3. Februar` is `since February 3`, `hace dos semanas` is `two week ago`, `depuis avril` is `since April`.
That is what statements say of when something began, happened or ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from re import Match

from memkit.core.classes import dataclass
from memkit.core.patterns import alternatives, pattern
from memkit.text.times.spans import LOOK_ALIKES
from memkit.text.words import words

_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_NUMBERS = "a two three four five six seven eight nine ten eleven twelve".split()
_SEASONS = "spring summer autumn winter".split()


@dataclass(frozen=True)
class Dates:
    """How a language says dates: its words in the order of the English ones, and the forms of its phrases.

    A form may have the groups `lead` (`seit`), `n` and `unit` (so long ago), `unit` alone or `named` (the last one),
    `day`, `month`, `year`, and `word` (`gestern`). `leads` and `words` are what those mean in English.
    """

    months: str
    days: str
    numbers: str
    seasons: str
    units: Mapping[str, str]
    leads: Mapping[str, str]
    words: Mapping[str, str]
    forms: tuple[str, ...]

    def may_be_in(self, text: str) -> bool:
        """Whether a text has a word that every phrase has one of, so that it is worth looking for phrases."""
        return not self.vocabulary.isdisjoint(words(text))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The months, days, seasons and units, and the words that are a date alone."""
        return frozenset(words(" ".join((self.months, self.days, self.seasons, *self.units, *self.words))))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """All forms as one expression; a comma behind a date belongs to it."""
        macros = {
            "NAMED": rf"(?P<named>{'|'.join((*self.months.split(), *self.days.split(), *self.seasons.split()))})\b",
            "N": rf"(?P<n>\d{{1,3}}|{alternatives(self._numbers)})",
            "LEAD": rf"(?P<lead>{alternatives(self.leads)})",
            "WORD": rf"(?P<word>{alternatives(self.words)})\b",
        }
        return re.compile(rf"(?<![\w'’])(?:{self.written(self.forms, macros)})", re.IGNORECASE)

    def written(self, forms: Iterable[str], macros: Mapping[str, str]) -> str:
        """The forms as alternatives, each `<MACRO>` written out, and each group with its form's number."""
        known = {
            "MONTH": rf"(?P<month>{self.months.replace(' ', '|')})\b",
            "UNIT": rf"(?P<unit>{alternatives(self.units)})\b",
            "YEAR": r"(?P<year>(?:19|20)\d\d)\b",
            **macros,
        }
        whole = (re.sub("<([A-Z]+)>", lambda found: known[found[1]], form) for form in forms)
        return "|".join(re.sub(r"\?P<(\w+)>", rf"?P<\g<1>{number}>", form) for number, form in enumerate(whole))

    @cached_property
    def _numbers(self) -> dict[str, str]:
        return {word: _NUMBERS[at] for at, same in enumerate(self.numbers.split()) for word in same.split("/")}

    def english(self, found: Match[str]) -> str:
        """A date that `pattern` found, in English."""
        groups = {name.rstrip("0123456789"): value for name, value in found.groupdict().items() if value is not None}
        lead = self.leads.get(" ".join(groups.get("lead", "").lower().split()), "")
        return f"{lead} {self._core(groups)}".strip()

    def _core(self, groups: Mapping[str, str]) -> str:
        if word := groups.get("word"):
            return self.words[" ".join(word.lower().split())]
        if "n" in groups:
            return f"{self._numbers.get(groups['n'].lower(), groups['n'])} {self.units[groups['unit'].lower()]} ago"
        if "unit" in groups:
            return f"last {self.units[groups['unit'].lower()]}"
        if "named" in groups:
            return f"last {self.name(groups['named'])}"
        day, year = groups.get("day", "").rstrip("erº"), groups.get("year", "")
        month = self.name(groups["month"]) if "month" in groups else ""
        return " ".join(part for part in (month, day, year) if part)

    def name(self, word: str) -> str:
        """A month, a day of the week or a season in English."""
        for own, names in ((self.months, _MONTHS), (self.days, _DAYS), (self.seasons, _SEASONS)):
            for at, same in enumerate(own.split()):
                if word.lower() in same.lower().split("|"):
                    return names[at]
        return word


GERMAN = Dates(
    months="Januar|Jänner Februar März April Mai Juni Juli August September Oktober November Dezember",
    days="Montag Dienstag Mittwoch Donnerstag Freitag Samstag|Sonnabend Sonntag",
    numbers="ein/einem/einer/einen zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    seasons="Frühling|Frühjahr Sommer Herbst Winter",
    units={
        **dict.fromkeys(("tag", "tage", "tagen"), "day"),
        **dict.fromkeys(("woche", "wochen"), "week"),
        **dict.fromkeys(("monat", "monate", "monaten"), "month"),
        **dict.fromkeys(("jahr", "jahre", "jahren"), "year"),
    },
    leads={"seit": "since", "seit dem": "since", "seit der": "since", "ab": "since", "ab dem": "since", "bis": "until",
           "bis zum": "until", "am": "on", "im": "in"},
    words={"gestern": "yesterday", "vorgestern": "the day before yesterday", "seit gestern": "since yesterday",
           "seit heute": "since today"},
    forms=(
        r"vor <N> <UNIT>",
        r"(?P<lead>seit) <N> <UNIT>",
        r"(?:(?P<lead>seit) )?(?:letzte|vorige|vergangene)[nmrs]? (?:<UNIT>|<NAMED>)",
        r"<LEAD> (?P<day>\d{1,2})\. <MONTH>(?: <YEAR>)?",
        r"<LEAD>(?: Anfang| Mitte| Ende)? <MONTH>(?: <YEAR>)?",
        r"<WORD>",
    ),
)  # fmt: skip
SPANISH = Dates(
    months="enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre",
    days="lunes martes miércoles jueves viernes sábado domingo",
    numbers="un/una dos tres cuatro cinco seis siete ocho nueve diez once doce",
    seasons="primavera verano otoño invierno",
    units={
        **dict.fromkeys(("día", "días"), "day"),
        **dict.fromkeys(("semana", "semanas"), "week"),
        **dict.fromkeys(("mes", "meses"), "month"),
        **dict.fromkeys(("año", "años"), "year"),
    },
    leads={"desde": "since", "desde el": "since", "hasta": "until", "hasta el": "until", "el": "on", "en": "in"},
    words={"ayer": "yesterday", "anteayer": "the day before yesterday", "desde ayer": "since yesterday",
           "desde hoy": "since today"},
    forms=(
        r"(?:(?P<lead>desde) )?hace <N> <UNIT>",
        r"(?:(?P<lead>desde) )?(?:el|la) (?:<UNIT>|<NAMED>) pasad[oa]",
        r"<LEAD> (?P<day>\d{1,2}|1º) de <MONTH>(?: del? <YEAR>)?",
        r"(?P<lead>desde|hasta|en) <MONTH>(?: del? <YEAR>)?",
        r"<WORD>",
    ),
)  # fmt: skip
FRENCH = Dates(
    months="janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    days="lundi mardi mercredi jeudi vendredi samedi dimanche",
    numbers="un/une deux trois quatre cinq six sept huit neuf dix onze douze",
    seasons="printemps été automne hiver",
    units={
        **dict.fromkeys(("jour", "jours"), "day"),
        **dict.fromkeys(("semaine", "semaines"), "week"),
        "mois": "month",
        **dict.fromkeys(("an", "ans", "année", "années"), "year"),
    },
    leads={"depuis": "since", "depuis le": "since", "jusqu'au": "until", "jusqu'en": "until", "jusqu'à": "until",
           "le": "on", "en": "in"},
    words={"hier": "yesterday", "avant-hier": "the day before yesterday", "depuis hier": "since yesterday",
           "depuis aujourd'hui": "since today"},
    forms=(
        r"il y a <N> <UNIT>",
        r"(?P<lead>depuis) <N> <UNIT>",
        r"(?:(?P<lead>depuis) )?(?:le |la |l['’])(?:<UNIT>|<NAMED>) (?:derni(?:er|ère)|passée?)",
        r"<LEAD> (?P<day>\d{1,2}|1er) <MONTH>(?: <YEAR>)?",
        r"(?P<lead>depuis|jusqu['’]en|en) <MONTH>(?: <YEAR>)?",
        r"<WORD>",
    ),
)  # fmt: skip
LANGUAGES = (GERMAN, SPANISH, FRENCH)
# Most sentences have none of these words.
_HINT = pattern(
    r"(?i)\b(?:seit|vor|gestern|vorgestern|letzte[nmrs]?|vorige[nmrs]?|vergangene[nmrs]?|bis|ab|am|im|desde|hasta|hace|ayer"
    r"|anteayer|pasad[oa]|el \d|en|depuis|il y a|hier|derni|jusqu|le \d)"
)


def without_dates(text: str) -> str:
    """The text without its German, Spanish and French dates, and without the comma after one."""
    if not _HINT.search(text):
        return text
    for dates in LANGUAGES:
        if dates.may_be_in(text):
            text = dates.pattern.sub("", text)
    text = re.sub(r"(?:\A|(?<=\s)) *, *", "", text)
    return " ".join(text.split())


def in_english(text: str) -> str:
    """The text with its German, Spanish and French dates in English."""
    if _HINT.search(text):
        text = text.translate(LOOK_ALIKES)
        for dates in LANGUAGES:
            if dates.may_be_in(text):
                text = dates.pattern.sub(dates.english, text)
    return text
