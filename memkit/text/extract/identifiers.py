"""Identifiers: dates, ids and counters that stand where a name could stand, and name nothing.

Notes are often called after a day (`2024-05-31`), or after an id that a program made (`7Hd68M5niADEkip4CdU85`). Such a
title leads to the note, but nobody speaks of it: it is no entity, and no word of a text mentions it.
"""

from __future__ import annotations

import re
from itertools import pairwise

from memkit.core.patterns import pattern
from memkit.core.written_dates import written_date

_DAY = r"(?:1[5-9]|20)\d\d([-_. /]?)(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])"
_WEEK_OR_MONTH = r"(?:1[5-9]|20)\d\d[-_. ]?(?:[WwQq]\d{1,2}|(?:0[1-9]|1[0-2]))"
_CJK_DAY = r"\d{4} ?[年년](?: ?\d{1,2} ?[月월](?: ?\d{1,2} ?[日일])?)?"
_TIME = r"(?:[-_ T]*\d{1,2}[:.\-_h]?\d\d(?:[:.\-_]?\d\d)?)?"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_WORDED_DAY = rf"(?i:(?:\w+day, )?(?:{_MONTH} {_ORDINAL}|{_ORDINAL} {_MONTH}),? \d{{4}})"  # May 31st, 2024
_NUMBERED_DAY = r"\d{1,2}([-./])\d{1,2}\2(?:1[5-9]|20)\d\d"  # 31.05.2024
# A day, month or year, perhaps with a letter of its writer before it (`d2025-09-25`), with the time of day after it.
DATE = pattern(rf"[A-Za-z]?{_DAY}{_TIME}|{_WEEK_OR_MONTH}|{_CJK_DAY}|{_WORDED_DAY}|{_NUMBERED_DAY}|(?:1[5-9]|20)\d\d")
_DAY_AND_YEAR = pattern(r"\d.*\d{4}|\d{4}.*\d")
_FOLDER_PAGE = pattern(r"(?:_?index|readme|toc|_toc_)(?:\.[a-z]{2})?", re.IGNORECASE)  # what each folder may have
# What files are called that only order others, and adjectives: `References`, `High-level`.
_POINTS = (
    "resources|references?|refs?|links|bibliography|sources|further reading|see also|quellen|literatur|recursos"
    "|referencias|referências|enlaces|bibliografía|bibliografia|ressources|références|liens|bibliographie"
)
_CJK_POINTS = "参考|参考资料|参考文献|资源|链接"
# What programs call a page that nobody has named, perhaps with a number: `Untitled 3`, `(no title)`.
_UNNAMED = (
    r"\(?(?i:untitled|no title|unnamed|new (?:note|page|document)|unbenannt|ohne titel|neue notiz|sans titre"
    r"|nouvelle note|sin título|nueva nota|sem título|nova nota|senza titolo|nuova nota|senza nome|naamloos|bez tytułu"
    r"|bez nazwy|nowa notatka|без названия|новая заметка|başlıksız|adsız|无标题|未命名|新建笔记|無題(?:のファイル)?"
    r"|제목 없음)(?: \(?\d{1,3}\)?)?\)?"
)
_POINTS_ELSEWHERE = pattern(rf"(?i:{_POINTS})|{_CJK_POINTS}")
_HOUSEKEEPING = pattern(
    r"[^\W\d_]+-(?:level|side|based|driven|related|specific|wise|style)|"
    rf"(?:[A-Z]{{1,2}} )?(?i:{_POINTS}|misc|miscellaneous|overview|introduction|summary|todo|todos|done|inbox"
    rf"|sonstiges|übersicht|einleitung|introducción|introdução|resumen|resumo|varios|divers|résumé|sommaire)"
    rf"|{_UNNAMED}|{_CJK_POINTS}|其他|杂项|目录|索引|简介|概述|总结|待办"
)
_MEDIA = pattern(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|heic|pdf|mp[34]|m4a|mov|wav|webm|zip|epub|docx?|xlsx?|pptx?|csv|json|canvas|base)\Z",
    re.IGNORECASE,
)
# An address without its scheme; a path of Dendron's (`garden.trees.quince`) does not end as they do.
HOST = (
    r"(?:(?:[a-z0-9][a-z0-9-]*\.){2,}(?:com|net|org|edu|gov|info|io|dev|app|site|page|blog|me|tv|co|cn|jp|kr|tw|hk|in|au|nz|ca"
    r"|us|uk|ie|de|at|ch|fr|be|nl|it|es|pt|br|mx|ar|pl|cz|se|no|dk|fi|ru|ua|eu)|\d{1,3}(?:\.\d{1,3}){3})"
)
_HOST = pattern(HOST)
_UUID = pattern(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_TOKEN = pattern(r"[A-Za-z0-9_-]{12,}")
_BLOCK = pattern(r"\^[\w-]+")  # a paragraph that Obsidian and Dendron can link to
_COUNTER = pattern(r"[\W\d_]+")
_CARD = pattern(r"[A-Za-z]{0,3}\d+(?:[a-z]\d*)*")
_EPOCH = pattern(r"(?<!\d)\d{10,}(?!\d)")


def names_nothing(text: str) -> bool:
    """Whether a title or the target of a link is only a date, a number, `index`, `References`, or a program's id."""
    text = text.strip()
    return bool(
        is_housekeeping(text)
        or is_day(text)
        or _COUNTER.fullmatch(text)
        or is_id(text)
        or _BLOCK.fullmatch(text)
        or is_folder_page(text)
        or is_media(text)
        or is_host(text)
    )


def is_day(text: str) -> bool:
    """Whether a text is a date, also in the words of any language: `04 de abril de 2024`, `Mon, 23-05-2022`."""
    worded = _DAY_AND_YEAR.search(text) is not None and len(written_date(text) or "") > 7
    return worded or DATE.fullmatch(text) is not None


def is_counter(text: str) -> bool:
    """Whether a text has no letters: `29`, `#2`."""
    return _COUNTER.fullmatch(text) is not None


def is_host(text: str) -> bool:
    """Whether this is the address of a machine or of a part of a site, as `garden.example.com` and `192.0.2.1`."""
    return _HOST.fullmatch(text) is not None


def is_housekeeping(text: str) -> bool:
    """Whether a title only orders others, as `References` and `TODO`: it is meant where it is linked alone."""
    return _HOUSEKEEPING.fullmatch(text) is not None


def points_elsewhere(heading: str) -> bool:
    """Whether a heading stands above what others wrote, as `Further reading`: its lines are not about the note."""
    return _POINTS_ELSEWHERE.fullmatch(heading.strip(" *_:")) is not None


def is_folder_page(text: str) -> bool:
    """Whether a file of this name is the page of its folder, as `index`: there may be one in each."""
    return _FOLDER_PAGE.fullmatch(text) is not None


def is_media(text: str) -> bool:
    """Whether this is the name of a picture or another file that is no note."""
    return _MEDIA.search(text) is not None


def is_card(text: str) -> bool:
    """Whether a text may be the number of a card in a slip box (`A2`, `12b3`), whose heading says what it is about."""
    return _CARD.fullmatch(text) is not None


def is_id(text: str) -> bool:
    """Whether a program made this id: a UUID, a row of letters and digits without words, a name with a time stamp.

    A row has at least twelve signs, small and capital letters, and changes between letters and digits at least three
    times; or at least nine changes of any kind; or seven, and a small letter directly after a digit, where no word in
    camel case goes on: `7Hd68M5niADEkip4CdU85`, but not `OpenAIChatGPT4Turbo`.
    """
    if _UUID.fullmatch(text) or _EPOCH.search(text):
        return True
    if not _TOKEN.fullmatch(text):
        return False
    kinds = ["9" if sign.isdigit() else "A" if sign.isupper() else "a" for sign in text if sign.isalnum()]
    changes = [pair for pair in pairwise(kinds) if pair[0] != pair[1]]
    digits = sum("9" in change for change in changes)
    if re.fullmatch("[0-9a-f]{16,}", text):
        return digits > 3
    mixed = {"a", "A"} <= set(kinds) and "-" not in text
    return mixed and (digits >= 3 or len(changes) >= (7 if ("9", "a") in changes else 9))
