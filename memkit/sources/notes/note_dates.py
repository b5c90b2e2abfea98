"""Note dates: when a note is from, by its file's name, its properties, its first heading and its folders.

What is not said is not known: a note without any of these has no date. The length of a date says how much is known
(`2023`, `2023-03`, `2023-03-14`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from memkit.core.dates import iso
from memkit.core.patterns import alternatives, pattern
from memkit.core.written_dates import known_date, written_date

DATE, CREATED, PUBLISHED, UPDATED = "date", "created", "published", "updated"
# How keys say which date they hold, without accents, spaces and marks. `createTime`, `date created`, `created_at` and
# `fecha de creación` are a word for the act between words that only say that it is a time.
_ACTS = {
    CREATED: """created? creation creado criado creada creacion criacao cree creato creazione erstellt erstellungs?
        angelegt aufgenommen written geschrieben escrito ecrit 创建 創建 建立 新建 创作 撰写 作成 생성 작성""",
    PUBLISHED: """pub publish published publication posted? publicado publicacion publicacao publie veroffentlicht
        veroffentlichungs? pubblicato 发布 發布 发表 公開 投稿 게시""",
    UPDATED: """update updated? updating modified modify modification mod edited edit changed geandert aktualisiert
        anderungs? bearbeitet actualizado actualizacion modificado modificada atualizado modifie modificato aggiornato
        更新 修改 编辑 変更 수정""",
}
_TIMES = """date datetime time timestamp day datum datums fecha data dia jour heure hora giorno zeit zeitpunkt
    日期 时间 時間 日時 日付 日 于 날짜 일 시간""".split()
_BESIDE = "at on am um em en de da of the la le el last letzte zuletzt first 最后 最近 文章 笔记 note file".split()
_ANY = alternatives({*_TIMES, *_BESIDE})
_KEYS = {
    **{kind: pattern(rf"(?:{_ANY})*(?:{'|'.join(acts.split())})(?:{_ANY})*") for kind, acts in _ACTS.items()},
    DATE: pattern(rf"(?:{'|'.join(sorted(_TIMES, key=len, reverse=True))}){{1,2}}"),
}
_NOT_LETTERS = pattern(r"[\W\d_]+")

# At the beginning of a name, also after one letter of the writer's own: `d2025-09-25`. A Zettelkasten adds the hour.
_DAY_FIRST = pattern(r"(?:[A-Za-z](?=\d{4}[-_.]))?(\d{4})[-_.]?(\d\d)[-_.]?(\d\d)(?:(?!\d)|(?=\d{4}(?:\d\d)?(?!\d)))")
_DAY_WITHIN = pattern(r"(?<!\d)(\d{4})([-_.])(\d\d)\2(\d\d)(?!\d)")
_DIGITS_WITHIN = pattern(r"(?<=[-_. ])((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)")  # minutes-20250925
_FOLDERS = pattern(r"(?:\A|/)(\d{4})/(?:\1-)?(\d\d)(?:-[^/\d]+)?(?:[-/](?:\1-\2-)?(\d\d)(?!\d))?(?=[^\d]|\Z)")
_IN_YEAR = pattern(r"(?:\A|/)((?:19|20)\d\d)/(?:[^/\d]*[-_ ])?(\d\d)[-_](\d\d)\Z")  # 2025/Board-11-13
# A first line that is only a day, perhaps with its week, weekday and time: `KW45 Do 09.11.2017 21:01`.
_ONLY_DAY = pattern(
    r"\s*(?:(?:KW|CW|week|Woche|semana|semaine) ?\d{1,2}[ ,]+)?"
    r"(?:(?:mo|tu|we|th|fr|sa|su|di|mi|do|so|lu|ma|me|je|ve|mié?|ju"
    r"|vi|sá)[a-zé]{0,8}[.,]{0,2} +)?"
    r"(?P<day>[^\W_][^\n]{6,24}?)(?:[ ,]+\d{1,2}[:.]\d\d(?: ?(?:Uhr|h))?)?[ \t]*(?:\n|\Z)",
    re.IGNORECASE,
)
_YEAR = pattern(r"\b20\d\d\b")
_LONGEST_DAY = 5  # words: 23 de mayo de 2024
_HISTORY = "2002"  # `11 de septiembre de 2001 en Nueva York` is no day of a diary
_NAMELESS = ("index", "_index", "readme")  # such a file is called after its folder
_HEADING = pattern(r"\s*#{1,6}[ \t]+([^\n]{1,200}?)[ \t#]*(?:\n|\Z)")
_APART = pattern(r"[ \t]*[-–—|:,(（：，][ \t]*")
_LABEL = pattern(r"[ \t]*(?:[-*+>][ \t]+)?[*_]{0,2}([^\W\d_][^\n:：*]{0,30})[*_]{0,2}[:：]{1,2}[*_]{0,2}[ \t]*(\S.*)")
_LINES = 15  # in the first lines of a note its date may be labelled, as in `Date: 2023-03-14`
_OFFSET = pattern(r"\A\d{4}-\d\d-\d\d[T ].*[+-]\d\d:?\d\d\Z")
_LINK = pattern(r"\A\[\[(?:[^\[\]|]*/)?([^\[\]|/]+)(?:\|[^\[\]]*)?\]\]\Z")


class NoteDates(NamedTuple):
    """When what a note tells happened, when it was made, and when it was changed; None for what is not known."""

    happened_at: str | None
    created_at: str | None
    updated_at: str | None


def note_dates(
    name: str,
    body: str,
    fields: Mapping[str, Any],
    journal: str | None = None,
    day_first: bool | None = None,
) -> NoteDates:
    """The dates of a note, from its name (a path without its ending), its text and its properties.

    `journal` is its day by the settings of a journal, if it is a page of one. `day_first` says whether 03/04/2023 is in
    April, None that this is not known.
    """
    said: dict[str, str] = {}
    for key, value in fields.items():
        if (kind := date_kind(key)) and (found := date_value(value, day_first)):
            said.setdefault(kind, found)
    stem, created = _stem(name), said.get(CREATED)
    happened = (
        journal
        or day_of_name(stem, day_first)
        or said.get(DATE)
        or _day_of_heading(str(fields.get("title") or ""), day_first)
        or _day_of_heading(_first_heading(body), day_first)
        or _first_line(body, day_first)
        or created
        or said.get(PUBLISHED)
        or _labelled(body, day_first)
        or _within(_DAY_WITHIN, stem, (1, 3, 4))
        or _within(_DIGITS_WITHIN, stem, (1, 2, 3))
        or _within(_FOLDERS, name, (1, 2, 3))
        or _within(_IN_YEAR, name, (1, 2, 3))
    )
    return NoteDates(happened, created, said.get(UPDATED))


@lru_cache(maxsize=1000)
def date_kind(key: str) -> str | None:
    """Which date a property of this name holds (DATE, CREATED, PUBLISHED, UPDATED); None if it holds no date."""
    decomposed = unicodedata.normalize("NFKD", key[:60])
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    letters = _NOT_LETTERS.sub("", unicodedata.normalize("NFC", plain).lower().replace("ß", "ss"))
    return next((kind for kind, form in _KEYS.items() if form.fullmatch(letters)), None)


def date_value(value: Any, day_first: bool | None = None) -> str | None:
    """The date in a property's value: text, a year, a day in digits, a number since 1970, or a list of them."""
    if isinstance(value, list | tuple):
        return next(filter(None, (date_value(one, day_first) for one in value)), None)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value).strip()
    if link := _LINK.match(text):
        text = link[1]
    if text.isdigit() and len(text) in (8, 12, 14, 17) and (found := written_date(text[:14])):
        return found  # not the seconds since 1970; Dendron writes milliseconds, too
    with suppress(ValueError):
        moment = iso(text)
        # Shortly after midnight east of Greenwich it is the day before in UTC. The day that is written is what counts.
        return moment if moment[:10] == text[:10] or not _OFFSET.search(text) else iso(text[:10])
    return written_date(text, day_first)


def _stem(name: str) -> str:
    path = PurePosixPath(name)
    return path.parent.name if path.name.lower() in _NAMELESS else path.name


def day_of_name(stem: str, day_first: bool | None) -> str | None:
    """The day or month that a name is or begins with. A name that is a year is no date: it may be a novel's."""
    found = _within(_DAY_FIRST, stem, (1, 2, 3), at_start=True)
    if found or not any(c.isdigit() for c in stem):
        return found
    spelled = dict.fromkeys((stem, stem.replace("_", "-")))
    whole = next((day for text in spelled if (day := written_date(text, day_first)) and len(day) > 4), None)
    return whole or _opening_day(stem, day_first)


def _opening_day(stem: str, day_first: bool | None) -> str | None:
    """The day with which the words of a name begin: `23 de Mayo de 2024 Segunda sesión`. What is older is history."""
    if not _YEAR.search(stem):
        return None
    parts = stem.split()
    days = (written_date(" ".join(parts[:count]), day_first) for count in range(1, min(len(parts), _LONGEST_DAY + 1)))
    return next((day for day in days if day and len(day) > 7 and day >= _HISTORY), None)


def _day_of_heading(text: str, day_first: bool | None) -> str | None:
    """The day or month that a heading is, or the day before or after its other words."""
    if not any(c.isdigit() for c in text):
        return None
    text = text.strip("*_ ")
    if (found := written_date(text, day_first)) and len(found) > 4:
        return found
    if found := _within(_DAY_FIRST, text, (1, 2, 3), at_start=True) or _within(_DAY_WITHIN, text, (1, 3, 4)):
        return found
    marks = list(_APART.finditer(text))
    parts = [part for mark in marks for part in (text[mark.end() :].rstrip(")） "), text[: mark.start()])]
    return next((day for part in parts if (day := written_date(part, day_first)) and len(day) > 7), None)


def _first_heading(body: str) -> str:
    match = _HEADING.match(body)
    return match[1] if match else ""


def _first_line(body: str, day_first: bool | None) -> str | None:
    """The day that is all that the first line says."""
    line = _ONLY_DAY.match(body)
    found = written_date(line["day"], day_first) if line else None
    return found if found and len(found) > 7 else None


def _labelled(body: str, day_first: bool | None) -> str | None:
    """The date in a line such as `**Date:** March 14, 2023` among the first of a note."""
    for line in islice(_lines(body), _LINES):
        match = _LABEL.match(line)
        dated = match and date_kind(match[1].strip()) in (DATE, CREATED, PUBLISHED)
        if match and dated and (found := date_value(match[2].strip("*_ "), day_first)):
            return found
    return None


def _lines(body: str) -> Iterator[str]:
    return (line for line in body[:2_000].splitlines() if line.strip())


def _within(pattern: re.Pattern[str], text: str, groups: tuple[int, int, int], *, at_start: bool = False) -> str | None:
    match = pattern.match(text) if at_start else pattern.search(text)
    if match is None:
        return None
    year, month, day = (None if match[group] is None else int(match[group]) for group in groups)
    return known_date(year or 0, month, day)
