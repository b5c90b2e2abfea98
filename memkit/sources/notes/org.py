"""Org loader: the headings of a file, each with its text, tags and times; Markdown in place of Org's marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memkit.core.dates import iso
from memkit.core.instants import from_clocks
from memkit.core.patterns import pattern
from memkit.core.written_dates import written_date
from memkit.sources.format import Format
from memkit.sources.html_markdown import tidy, web_link
from memkit.sources.notes.markdown import note_text
from memkit.sources.notes.note import Note, Record, Section, drafts, wikilink
from memkit.sources.notes.note_dates import note_dates
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_HEADING = pattern(r"(\*+)[ \t]+(.*)")
_TAGS = pattern(r"(?:^|(?<=[ \t])):([\w@#%:]+):[ \t]*$")
_KEYWORD = pattern(r"#\+(\w+):[ \t]*(.*)", re.IGNORECASE)
_BLOCK = pattern(r"[ \t]*#\+(begin|end)_(\w+)[ \t]*(\S*)", re.IGNORECASE)
_DRAWER = pattern(r"[ \t]*:([\w-]+):[ \t]*$")
_PROPERTY = pattern(r"[ \t]*:([\w-]+):[ \t]+(.*)")
_STAMP = pattern(r"[<\[](\d{4}-\d\d-\d\d)(?: [^\s\d\]>]+)?(?: (\d{1,2}:\d\d))?[^\]>\n]{0,40}[\]>]")
_LINK = pattern(r"\[\[([^\[\]\n]+)\](?:\[([^\[\]\n]+)\])?\]")
_CODE = pattern(r"(?<![\w=~])([=~])(?=\S)([^\n]{0,200}?\S)\1(?![\w=~])")
_FENCED = {"src": True, "example": True, "export": True, "quote": False, "verse": False, "center": False}
_STATE = pattern(
    r"^(?:TODO|NEXT|STARTED|DOING|WAITING|WAIT|HOLD|SOMEDAY|DONE|CANCELL?ED)[ \t]+(?=\S)|(?<!\S)\[#\w\][ \t]*"
)
_ALIAS = pattern(r'"([^"]+)"|(\S+)')


@dataclass
class _Heading:
    """A heading with what stands under it; `depth` 0 is the text above the first one."""

    depth: int = 0
    title: str = ""
    tags: tuple[str, ...] = ()
    lines: list[str] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    noted: list[str] = field(default_factory=list)  # lines of drawers, which only tell times
    day: str = ""  # in a journal: the day that it is, or that it stands under


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """A memory for each heading, dated by its journal's day or the earliest time that it names.

    Drawers and comments are left out.
    """
    text = note_text(path, options)
    keywords: dict[str, str] = {}
    headings = list(_headings(text, keywords))
    top = headings[0].properties
    title = keywords.get("title") or path.stem
    note = Note(
        source=path.as_posix(),
        title=title,
        text="",
        sections=tuple(_sections(headings, options)),
        created=_time(keywords.get("date", ""), options)
        or _time(top.get("CREATED", ""), options)
        or note_dates(path.stem, "", {"title": title}, None, options.day_first).happened_at,
        tags=[tag for tag in re.split(r"[:\s]+", keywords.get("filetags", "")) if tag],
        aliases=[path.stem, *(long or short for long, short in _ALIAS.findall(top.get("ROAM_ALIASES", "")))],
        author=keywords.get("author", ""),
    )
    yield from drafts([note], path, options)


def _headings(text: str, keywords: dict[str, str]) -> Iterator[_Heading]:
    """The headings of a file; the keywords of the whole file are added to `keywords`."""
    at, drawer, block = _Heading(), "", ""
    for line in text.split("\n"):
        if block:
            match = _BLOCK.match(line)
            if match and match[1].lower() == "end" and match[2].lower() == block:
                at.lines.append("```" if _FENCED.get(block) else "")
                block = ""
            else:
                at.lines.append(line if _FENCED.get(block, True) else f"> {line.strip()}")
        elif match := _HEADING.fullmatch(line):
            yield at
            tags = _TAGS.search(match[2])
            title = match[2][: tags.start()] if tags else match[2]
            at, drawer = (
                _Heading(len(match[1]), title.strip(), tuple(filter(None, tags[1].split(":"))) if tags else ()),
                "",
            )
        elif drawer:
            _in_drawer(at, drawer, line)
            drawer = "" if line.strip().upper() == ":END:" else drawer
        elif match := _DRAWER.fullmatch(line):
            drawer = match[1].upper()
        elif (match := _BLOCK.match(line)) and match[1].lower() == "begin":
            block = match[2].lower()
            at.lines.append(f"```{match[3]}" if _FENCED.get(block, True) else "")
        elif match := _KEYWORD.match(line.strip()):
            keywords.setdefault(match[1].lower(), match[2].strip())
        elif not re.match(r"[ \t]*#(?:[ \t]|$)", line):
            at.lines.append(line)
    yield at


def _in_drawer(at: _Heading, drawer: str, line: str) -> None:
    if drawer == "PROPERTIES" and (match := _PROPERTY.match(line)):
        at.properties[match[1].upper()] = match[2].strip()
    else:
        at.noted.append(line)


def _sections(headings: list[_Heading], options: ReadOptions) -> Iterator[Section]:
    above: list[_Heading] = []
    for one in headings:
        above = [other for other in above if other.depth < one.depth]
        one.day = _day(one.title, options) or (above[-1].day if above else "")
        above.append(one)
        text = _shown("\n".join(one.lines))
        line = f"{'#' * min(one.depth, 6)} {_linked(one.title)}" if one.depth else ""
        said = [one.properties.get("CREATED", ""), one.title]
        named = sorted(_times("\n".join([*one.lines, *one.noted]), options))
        yield Section(
            text="\n\n".join(filter(None, [line, text])),
            heading=_plain(one.title),
            headings=tuple(_plain(other.title) for other in above if other.title),
            id=one.properties.get("ID", "") if one.depth else "",
            happened=next((time for part in said if (time := _time(part, options))), None)
            or next((time for time in named if time.startswith(one.day)), one.day or None),
            tags=tuple(dict.fromkeys(tag for other in above for tag in other.tags)),
        )


def _shown(text: str) -> str:
    """The text under a heading as Markdown."""
    parts = re.split(r"(^```.*?(?:^```$|\Z))", text, flags=re.DOTALL | re.MULTILINE)
    return tidy("".join(part if number % 2 else _linked(part) for number, part in enumerate(parts)))


def _linked(text: str) -> str:
    return _CODE.sub(r"`\2`", _LINK.sub(_link, text))


def _link(match: re.Match[str]) -> str:
    """A link to a file or a heading by its name, one to an id by its words, one to the web as it is."""
    target, words = match[1], match[2] or ""
    if re.match(r"https?:|mailto:", target):
        return web_link(target, words) if words else target
    if target.startswith("id:"):
        return wikilink(words) if words else match[0]
    name = re.sub(r"^file:|::.*$", "", target)
    if re.search(r"\.(?:org|md)$", name, re.IGNORECASE):
        return wikilink(Path(name).stem, words)
    if name != target or re.match(r"[a-z+-]+:", target):  # another file, or what only Emacs opens
        return words or name
    return wikilink(name.lstrip("*#"), words)


def _plain(title: str) -> str:
    """A heading without its state, its priority and its links."""
    title = _LINK.sub(lambda match: match[2] or match[1], _STATE.sub("", title))
    return title.strip()


def _day(title: str, options: ReadOptions) -> str:
    """The day that a heading is, as in a journal: `2024-05-06 Monday`; empty for another heading."""
    day = written_date(_plain(title), options.day_first) or ""
    return day if len(day) == len("2024-05-06") else ""


def _time(text: str, options: ReadOptions) -> str | None:
    """The first time in a text; None if there is none."""
    with suppress(ValueError):
        return iso(text.strip())
    return next(_times(text, options), None)


def _times(text: str, options: ReadOptions) -> Iterator[str]:
    """The times in a text: days, or moments on the clocks of the writer."""
    for day, clock in _STAMP.findall(text):
        with suppress(ValueError, OverflowError):
            yield (
                from_clocks(datetime.strptime(f"{day} {clock}", "%Y-%m-%d %H:%M"), options.timezone)
                if clock
                else iso(day)
            )


def _matches(sample: Sample) -> bool:
    return sample.suffix == ".org" and not sample.is_zip


FORMAT = Format("org", "Org mode: notes and tasks of Emacs", read, _matches, ("*.org",))
