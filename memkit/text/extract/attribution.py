"""Attribution: who made a work, by the forms in which notes say so without a sentence.

That is `_The Waves_ by Virginia Woolf`, a line `by Virginia Woolf` under the title, a labelled line (`Author: ...`,
`**Lead:** @bo`, `作者：...`), a reference in a list of them (`Woolf, V. (1931). The Waves.`), and the name of the file
of a book.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memkit.core.patterns import pattern
from memkit.text.extract import dictionary, words
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.grammar import NAME
from memkit.text.extract.identifiers import names_nothing, points_elsewhere
from memkit.text.extract.labels import LABELS, is_about_the_note
from memkit.text.extract.tokens import HIDDEN, written
from memkit.text.extract.unmarked import CLOSE, LINKED, OPEN, SHOWN, name_of, shown_in, unmarked
from memkit.text.extract.wikilinks import WikiLink, find_links
from memkit.text.words import has_cjk


@dataclass(frozen=True, slots=True)
class Attribution:
    """`subject` - `predicate` - `object`, as `text[start:end]` says it."""

    subject: str
    predicate: str
    object: str
    start: int
    end: int


_BY = pattern(rf"\b(?:by|von|par) (?=[^\W\d_a-zà-öø-ÿß]|[@\[*_{HIDDEN}])")
_LABEL = pattern(
    r"^[ \t]*(?:[-*+] )?(?:#{1,6} )?[*_]{0,3}([^\W\d_][^\n:：*_]{1,20}?)[*_]{0,3} ?[:：][*_ \t]*(\S[^\n]*)$",
    re.MULTILINE,
)
_NESTED = pattern(r"(?:\t| {2,})[ \t]*[-*+] ")  # an item inside another one is about that
_ONLY_BY = pattern(r"^[ \t*_(–—-]*(?:by|By|von|Von|por|Por|par|Par) (?=\S)([^\n]+?)[ \t*_).]*$")
_HEADING = pattern(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_TITLED = pattern(
    rf"(?:(?P<linked>{LINKED})|(?P<marks>[*_]{{1,3}})\[?(?P<marked>[^*_\n\[\]]{{2,120}}?)(?:\]\(?{HIDDEN}+\)?)?(?P=marks)"
    rf"|\[(?P<web>[^\[\]\n]{{2,120}})\]\(?{HIDDEN}+\)?|[\"“«„] ?(?P<quoted>[^\"“”«»„\n]{{2,120}}?) ?[\"”»“]"
    rf"|《(?P<cjk>[^《》\n]{{1,60}})》),? \Z"
)
_DUBBED = pattern(
    r"\b(?:dubbed|nicknamed|deemed|labell?ed|termed|(?:is|are|was|were|be|been|being|often|also) (?:called|considered))"
    r" (?:the |an? )?\Z"
)
_FROM = pattern(
    r"^[ \t>*_-]*(?:(?i:quotes?|quoted|notes?|excerpts?|extracts?|highlights?|passages?|taken|adapted"
    r"|zitate?|auszüge?) )?"
    r"(?i:from|aus) (?:the (?:book|essay|article|paper) )?(?P<title>[^\n.!?*_\"“]{2,100}?),? \Z"
)
_ITEM = pattern(  # `Filters in Obelion`: the last word has a capital, so it is no verb
    r"^[ \t]*[-*+] (?:#{1,6} )?(?P<title>[^\W_a-z][^\n\[\]*_`]{1,80} (?:\S{1,30} )?[(]?[^\W_a-zà-ÿ][\w'’-]*[)!?]?) \Z"
)
_REFERENCE = pattern(
    r"^[ \t]*(?:[-*+] |\d{1,3}[.)] )?(?:[^\W\d_][\w ]{1,20}: )?(?P<authors>[^\W\d_][^\n()]{2,150}?) "
    r"\((?:(?:1[5-9]|20)\d\d[a-z]?(?:, [^()\n]{1,30})?|[sn]\.\s?[fd]\.|o\.\s?J\.)\)\. (?P<title>[^\n]{3,200})",
    re.MULTILINE,
)
_SURNAME = r"[^\W\d_a-z](?:[\w'’-]| (?=[^\W\d_a-z]))*"
_AUTHOR = pattern(rf"({_SURNAME}), ((?:[^\W\d_a-z]\.[ -]?){{1,4}})")
_TITLE_END = pattern(r"(?<![A-Z])\.(?=\s|\Z)|\s[\[(]|https?:")
# Who published it, perhaps cut off, and where: `, Panther: London`, `, University of`.
_PUBLISHER = pattern(r",\s+(?:[^\W\d_a-z][\w.]*\s*){1,4}(?::\s*(?P<city>[^\W\d_a-z]\w+)?|\bof)\.?\s*\Z")
_LIBRARIES = ("(Z-Library)", "(z-lib.org)", "(Z-lib.org)")
_BOOK_FILE = pattern(
    r"(?:^|[\[(/ ])([^\n\[\](/)]{3,120}?)[ _]\(([^()\n\[\]/]{2,60})\)[ _]"
    rf"(?:{'|'.join(map(re.escape, _LIBRARIES))})",
    re.MULTILINE,
)
_SPLIT = pattern(rf"\s*(?:[,;，、；]|\s&\s|\band\b|\by\b|\bund\b|\bet\b|[和与])\s*|\s+(?={OPEN})")
_PERSON = pattern(rf"{LINKED}|@[\w][\w.-]*|{NAME}")
_TAIL = pattern(rf"\s*(?:[(（\[{HIDDEN}].*|[-–—] .*)?[\s.]*\Z", re.DOTALL)
_TWO = pattern(r"(\S+ .+?) [y&] (\S+ .+)")
_NEAR = 300  # characters before `by`, in which the title stands, and after it
_HAN_NAME = pattern(r"[㐀-䶿一-鿿·]{2,12}")


def find_attributions(
    text: str, topic: str | None = None, statistics: CaseStatistics | None = None, opening: bool = False
) -> list[Attribution]:
    """The attributions of a text, in order of their forms. `topic` is the work or project that the text is about.

    `opening` says that the text begins the note, so that `by ...` in its first line is about the topic.
    """
    return list(_attributions(text, topic, statistics or CaseStatistics(), opening))


def _attributions(text: str, topic: str | None, statistics: CaseStatistics, opening: bool) -> Iterator[Attribution]:
    shown = written(text)
    links = find_links(text)
    # One by one: any() would take three times as long.
    for found in _BY.finditer(shown) if "by " in shown or "von " in shown or "par " in shown else ():
        yield from _works(shown, found.start(), found.end(), links, statistics)
    if topic and (":" in text or "：" in text):
        yield from _labelled(shown, topic, links, statistics)
    if topic and opening:
        yield from _under_title(shown, topic, links, statistics)
    if ")" in text:
        yield from _references(shown, links, statistics)
        if any(library in text for library in _LIBRARIES):
            yield from _book_files(text)


def _works(shown: str, at: int, end: int, links: list[WikiLink], statistics: CaseStatistics) -> Iterator[Attribution]:
    """`_Title_ by Person`: the title stands in marks, or after `From`."""
    start = max(shown.rfind("\n", 0, at) + 1, at - _NEAR)
    last = shown.find("\n", end, end + _NEAR)
    last = min(end + _NEAR, len(shown)) if last < 0 else last
    before = _linked(shown, start, at, links)
    titled = _TITLED.search(before)
    plain = _plain_title(before, shown, end, last, links) if not titled else None
    if titled:
        title = next(one for one in titled.group("linked", "marked", "web", "quoted", "cjk") if one)
    elif plain:
        title = plain
    else:
        return
    if titled and titled["linked"] and re.search(r"\w\s+\w", before[: titled.start()]):
        return  # a step by a method, not a work by a person
    if titled and _DUBBED.search(before, 0, titled.start()):
        return  # dubbed “Little Kigali” by its soldiers
    title = name_of(title).strip(" ,.")
    if not _is_title(title, linked=bool(titled and titled["linked"]), statistics=statistics):
        return
    german = shown.startswith("von ", at)
    for person in _persons(unmarked(shown, end, last, links), statistics, run=True):
        if german and not _is_author(person, links, statistics, marked=bool(titled and not titled["linked"])):
            return  # a "ring" von Elementen, die Berechnung von [[Diskreter Logarithmus]]
        yield Attribution(title, "by", person, start, last)


def _plain_title(before: str, shown: str, end: int, last: int, links: list[WikiLink]) -> str:
    """A title without marks: names after `From`, or all of an item before `by` and a link that ends it; else empty."""
    if (found := _FROM.match(before)) and re.fullmatch(rf"{NAME}(?:[:,]? {NAME})*", found["title"]):
        return found["title"]
    item = _ITEM.match(before)
    linked = item and any(link.start == end and not shown[link.end : last].strip(" .") for link in links)
    return item["title"] if item and linked else ""


def _is_author(person: str, links: list[WikiLink], statistics: CaseStatistics, marked: bool) -> bool:
    """Whether what follows `von`, which is also `of`, is a person.

    A handle or a sure name is. Of a title in quotes or emphasis (`marked`), so are two words and what is linked.
    """
    if person[0] == "@" or any(statistics.is_sure_name(word) for word in person.split()):
        return True
    return marked and (" " in person or any(person in (link.name, link.display) for link in links))


def _linked(shown: str, start: int, end: int, links: list[WikiLink]) -> str:
    pieces, at = [], start
    for link in links:
        if at <= link.start and link.end <= end and not link.embed:
            pieces += [shown[at : link.start], OPEN, link.name, SHOWN, link.display, CLOSE]
            at = link.end
    return "".join([*pieces, shown[at:end]])


def _is_title(title: str, linked: bool, statistics: CaseStatistics) -> bool:
    if linked:
        return not names_nothing(title)
    parts = title.split()
    if parts and (parts[-1] in _GENERIC or parts[0].lower() in words.DEMONSTRATIVES):  # a Patreon post, ce billet
        return False
    if len(parts) > 2 and parts[0].lower() in _A and parts[1:] == [part.lower() for part in parts[1:]]:
        return False  # `a good study of tides` tells what it is, and is not called so
    if HIDDEN in title or len(title) > 100 or not (title[:1].isupper() or title[:1].isdigit() or has_cjk(title)):
        return False
    return (
        len(parts) > 1
        or has_cjk(title)
        or not (statistics.is_common_word(title) or title.lower() in words.OPENERS or title.lower() in _GENERIC)
    )


_A = frozenset("a an another some this that these my our your eine ein einen un une una uma".split())
_GENERIC = frozenset(
    """photo image picture video article post blog website site source link talk lecture essay paper book song art
    artwork photograph illustration cover thread tweet text translation quote edited written made created developed
    powered slides podcast episode interview tutorial guide documentation demo code study report review
    series works pdf html""".split()
)  # fmt: skip


def _persons(value: str, statistics: CaseStatistics, run: bool = False) -> list[str]:
    """The names that a value begins with, separated by commas or `and`; empty if it begins with something else.

    In running text (`run`), other words may follow the names.
    """
    found: list[str] = []
    rest = value.strip()
    while rest and len(found) < 8:
        match = _PERSON.match(rest) or _HAN_NAME.match(rest)
        if match is None or not (name := _person(match[0], statistics)):
            break
        rest = rest[match.end() :]
        separator = _SPLIT.match(rest)
        tail = _TAIL.match(rest)
        if not separator and not tail and not (run and re.match(r"[\s.,;:!?)\]*_\"”]", rest)):
            break
        if run and found and " " not in name and name[0] != "@" and match[0][0] != OPEN:
            break  # `by Bo Ek, Berlin`
        found += both.groups() if (both := _TWO.fullmatch(name)) and match[0][0] != OPEN else (name,)
        if not separator:
            tail_names = re.match(r"\s*\([^()\n]*\)\s*(?:,|and|&)\s*", rest)
            if not tail_names:
                break
            separator = tail_names
        rest = rest[separator.end() :]
    return found


def _person(matched: str, statistics: CaseStatistics) -> str:
    """The name, if it can be a person or a group: a link, a handle, two words, or one that is no common word."""
    name = name_of(matched).rstrip(" .,")
    if "@" in name[1:] or "://" in name or "/" in name:
        return ""
    if matched[0] == OPEN:
        return "" if names_nothing(name) or shown_in(matched)[:1].islower() else name
    if matched[0] == "@" or _HAN_NAME.fullmatch(name):
        return name
    parts = name.split()
    first = parts[0].lower()
    if first in words.CALENDAR or (first in words.FUNCTION and not (first == "the" and len(parts) > 1)):
        return ""
    if len(parts) == 1:
        return (
            ""
            if statistics.is_common_word(name) or first in words.SHORTHAND or first in _NOBODY or len(name) < 3
            else name
        )
    return name if len(parts) <= 5 else ""


_NOBODY = frozenset(
    "none unknown anonymous tbd tba various me myself us everyone all team google youtube wikipedia".split()
)


def _labelled(shown: str, topic: str, links: list[WikiLink], statistics: CaseStatistics) -> Iterator[Attribution]:
    """`Author: Person` in a line of its own, above the second heading of the text: it is about the topic."""
    headings = list(_HEADING.finditer(shown))
    sections = [
        heading
        for heading in headings
        if not _LABEL.match(heading[0])
        and not is_about_the_note(heading[1])
        and (points_elsewhere(heading[1]) or not (names_nothing(heading[1]) or _is_day(heading[1])))
    ]
    of_title = not (any(is_about_the_note(heading[1]) for heading in headings[:1]) or _is_deep(sections[:1], topic))
    last = sections[of_title].start() if len(sections) > of_title else len(shown)
    listed = {_predicate(line) for line in _LABEL.finditer(shown, last)}  # each heading is a work with an author
    for line in _LABEL.finditer(shown, 0, last):
        predicate = _predicate(line)
        if not predicate or _NESTED.match(line[0]) or (predicate in listed and _in_section(line, headings)):
            continue
        value = unmarked(shown, line.start(2), line.end(2), links)
        for person in _persons(value, statistics):
            yield Attribution(topic, predicate, person, line.start(), line.end())


def _is_deep(first: list[re.Match[str]], topic: str) -> bool:
    """Whether the first section is one of many: its heading is of the third level or below, and not the title."""
    return any(one[0].lstrip().startswith("###") and topic not in one[1] for one in first)


def _in_section(line: re.Match[str], headings: list[re.Match[str]]) -> bool:
    """Whether a line stands below a heading that is not the title, nor one such as `Metadata`."""
    above = [heading for heading in headings if heading.start() < line.start()]
    return bool(above) and above[-1][0].lstrip().startswith("##") and not is_about_the_note(above[-1][1])


def _predicate(line: re.Match[str]) -> str | None:
    return LABELS.get(line[1].strip().lower())


def _is_day(heading: str) -> bool:
    """Whether a heading says only which day it is: `April 2, 2019`."""
    return all(part.isdigit() or part.lower() in words.CALENDAR for part in re.findall(r"\w+", heading))


def _under_title(shown: str, topic: str, links: list[WikiLink], statistics: CaseStatistics) -> Iterator[Attribution]:
    """The first line below the title, if it is only `by Person`."""
    start = 0
    for line in shown.splitlines(keepends=True):
        if line.strip() and not _HEADING.match(line):
            if only := _ONLY_BY.match(line.rstrip("\n")):
                value = unmarked(shown, start + only.start(1), start + only.end(1), links)
                for person in _persons(value, statistics):
                    yield Attribution(topic, "by", person, start, start + len(line.rstrip("\n")))
            return
        start += len(line)


def _references(shown: str, links: list[WikiLink], statistics: CaseStatistics) -> Iterator[Attribution]:
    """`Woolf, V., & Ek, B. (1931). The Waves. Hogarth.`"""
    for line in _REFERENCE.finditer(shown):
        title = name_of(unmarked(shown, line.start("title"), line.end("title"), links))
        if ended := _TITLE_END.search(title):
            title = title[: ended.start()]
        published = _PUBLISHER.search(title)
        if published and (not published["city"] or dictionary.is_well_known_name(published["city"])):
            title = title[: published.start()]
        title = title.strip(' *_"“”«».,')
        authors = [f"{first.strip()} {last}" for last, first in _AUTHOR.findall(line["authors"])]
        group = line["authors"].removesuffix(".")
        if not authors and group != line["authors"] and re.fullmatch(NAME, group):
            authors = [name for name in [_person(group, statistics)] if name]
        if 2 < len(title) <= 120 and not title[0].islower() and HIDDEN not in title and not _RETRIEVED.match(title):
            for author in authors[:8]:
                yield Attribution(title, "by", author, line.start(), line.end())


_RETRIEVED = pattern(r"(?:In|En|Em|Dans|Recuperado|Retrieved|Consultado|Abgerufen|Consulté|Accessed)\b")


def _book_files(text: str) -> Iterator[Attribution]:
    """`The Waves (Virginia Woolf) (Z-Library).pdf`, as libraries call the files of books."""
    for file in _BOOK_FILE.finditer(text):
        title, authors = (" ".join(one.replace("_", " ").split()) for one in file.groups())
        title = title.removeprefix("hls").strip(" !")
        if title and title.count("（") == title.count("）"):
            for author in _file_authors(authors):
                yield Attribution(title, "by", author, file.start(1), file.end())


def _file_authors(written: str) -> list[str]:
    """The authors in the name of a file; one may be written `Munkres, James`, and then nobody else is named."""
    written = re.sub(r"（[^（）]{1,3}）|[\[【][^\]】]{1,3}[\]】]", "", written)
    parts = [
        re.sub(r"\s*(?:etc\.?|et al\.?|编著|[著编译])$", "", part.strip()) for part in re.split(r"[,，、;；]", written)
    ]
    parts = [part for part in parts if part]
    if len(parts) == 2 and " " not in parts[0] and not has_cjk(written):
        return [f"{parts[1]} {parts[0]}"]
    whole = all(" " in part or "." in part or has_cjk(part) for part in parts) or len(parts) == 1
    return parts if whole and all(part[0].isupper() or has_cjk(part[0]) for part in parts) else []
