"""AsciiDoc loader: headings, lists, links and code become Markdown; what only tells how to show it goes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from memkit.core.patterns import pattern
from memkit.sources.format import Format
from memkit.sources.html_markdown import tidy, web_link
from memkit.sources.notes.markdown import note_text
from memkit.sources.notes.note import Note, Record, drafts, wikilink
from memkit.sources.notes.note_dates import note_dates
from memkit.sources.notes.page_title import first_heading
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:[ \t]+(.*))?")
_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*")
_UNDERLINE = re.compile(r"([=~^+-])\1{2,}[ \t]*")  # below a title, as it was written before
_LEVELS = "=-~^+"
_STYLE = re.compile(r"\[(?:\[[^\[\]]*\]|[^\[\]]*)\][ \t]*")  # `[source,python]`, `[[anchor]]`, `[NOTE]`
_LANGUAGE = re.compile(r"\[(?:source|listing)?[^\[\],]*,[ \t]*([\w+#-]+)[^\[\]]*\]")
_CODE = re.compile(r"(-{4,}|\.{4,}|`{3,}|\+{4,})[ \t]*(\w*)[ \t]*")
_FRAME = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--|\|===|!===|,===|:===)[ \t]*")  # around a quote, an example, a table
_LEFT_OUT = re.compile(r"(?:image|video|audio|toc|include|ifdef|ifndef|ifeval|endif)::.*|'{3,}|<{3,}[ \t]*")
_BLOCK_TITLE = re.compile(r"\.([^\s.].*)")
_ITEM = re.compile(r"[ \t]*(?:(\*{1,6}|-)|(\.{1,6}))[ \t]+(?:\[([ xX*])\][ \t]+)?(\S.*)")
_CELL = pattern(r"(?:^|[ \t])(?:\d+[+*])?[.<^>\d]*[aehlmdsv]?\|")
_CODE_IN_LINE = pattern(r"`\+?([^`\n]+?)\+?`|(?<![\w+])\+([^+\s][^+\n]*)\+(?![\w+])")
_MACRO = pattern(r"(?:image|icon|anchor|indexterm2?|kbd|btn|menu|footnote|pass):([^\s\[\]]*)\[([^\[\]\n]*)\]")
_LINK = pattern(r"(?:link:)?((?:https?://|mailto:)[^\s\[\]<>]+)\[([^\[\]\n]*)\]|link:([^\s\[\]]+)\[([^\[\]\n]*)\]")
_REFERENCE = pattern(r"<<([^<>,\n]+)(?:,([^<>\n]*))?>>|xref:([^\s\[\]]+)\[([^\[\]\n]*)\]")
_ANCHOR = pattern(r"\[\[[\w:.-]+(?:,[^\[\]\n]*)?\]\]|\[#[\w.-]+\](?=[#*_`])")
_BOLD = pattern(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])")
_MARKED = pattern(r"(?<![\w#&])#(?=[^\s#])([^#\n]+?)(?<=\S)#(?![\w#])")
_NAME = pattern(r"\{([\w-]+)\}")
_BREAK = re.compile(r"[ \t]\+$")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The document as passages under its headings, with the author, the day and the keywords of its head."""
    text, about = asciidoc_markdown(note_text(path, options))
    fields = {key: about[name] for key, name in (("date", "revdate"), ("date", "docdate")) if about.get(name)}
    dates = note_dates(PurePosixPath(name).with_suffix("").as_posix(), text, fields, None, options.day_first)
    note = Note(
        source=path.as_posix(),
        title=first_heading(text) or path.stem,
        text=text,
        happened=dates.happened_at,
        tags=[tag.strip() for tag in about.get("keywords", "").split(",")],
        aliases=[path.stem],
        fields={"author": about.get("author", "")},
    )
    yield from drafts([note], path, options)


def asciidoc_markdown(text: str) -> tuple[str, Mapping[str, str]]:
    """AsciiDoc as Markdown, and the attributes that it sets."""
    about: dict[str, str] = {}
    found: list[str] = []
    frames: set[str] = set()  # those that are open
    ends, comment, language, in_table, before = "", "", "", False, ""
    for line in text.split("\n"):
        above, before = before, line
        if comment or re.fullmatch(r"/{4,}[ \t]*", line):
            comment = "" if comment == line.strip() else comment or line.strip()
        elif ends:
            ends = _in_code(line, ends, found)
        elif (under := _UNDERLINE.fullmatch(line)) and line.strip() not in frames and _is_title(above, line, found):
            found[-1] = f"{'#' * (_LEVELS.index(under[1]) + 1)} {found[-1]}"
        elif code := _CODE.fullmatch(line):
            found += ["", f"```{code[2] or language}"]
            ends, language = code[1], ""
        elif line.startswith("//") or _LEFT_OUT.fullmatch(line):
            continue
        elif attribute := _ATTRIBUTE.fullmatch(line):
            about[attribute[1]] = (attribute[2] or "").strip()
        elif _STYLE.fullmatch(line):
            language = told[1] if (told := _LANGUAGE.fullmatch(line.strip())) else ""
        elif _FRAME.fullmatch(line):
            frames ^= {line.strip()}
            in_table ^= "===" in line and not line.startswith("=")
            found.append("")
        else:
            found += _line(line, about, in_table)
    return tidy("\n".join([*found, *(["```"] if ends else [])])), about


def _is_title(above: str, line: str, found: list[str]) -> bool:
    """Whether a line of one mark underlines a title: it is about as long, and a paragraph begins with that."""
    begins = above.strip() != "" and above[0].isalnum() and (len(found) < 2 or not found[-2])
    return begins and found[-1] != "" and abs(len(above.rstrip()) - len(line.rstrip())) <= 2


def _in_code(line: str, ends: str, found: list[str]) -> str:
    """Adds a line of code; what ends the code, or nothing where it has ended."""
    if line.rstrip() == ends:
        found += ["```", ""]
        return ""
    found.append(line)
    return ends


def _line(line: str, about: Mapping[str, str], in_table: bool) -> list[str]:
    if heading := _HEADING.fullmatch(line):
        return ["", f"{'#' * len(heading[1])} {_inline(heading[2], about)}", ""]
    if line.strip() == "+":  # joins what stands below to an item
        return [""]
    if title := _BLOCK_TITLE.fullmatch(line):
        return ["", _inline(title[1], about)]
    if in_table and "|" in line:
        cells = [_inline(cell.strip(), about) for cell in _CELL.split(line) if cell.strip()]
        return [f"| {' | '.join(cells)} |"] if cells else [""]
    if item := _ITEM.fullmatch(line):
        depth = len(item[1] or item[2]) - 1
        box = f"[{'x' if item[3] != ' ' else ' '}] " if item[3] else ""
        return [f"{'  ' * depth}{'-' if item[1] else '1.'} {box}{_inline(item[4], about)}"]
    return [_inline(_BREAK.sub("", line), about)]


def _inline(text: str, about: Mapping[str, str]) -> str:
    kept: list[str] = []

    def keep(code: re.Match[str]) -> str:
        kept.append(f"`{code[1] or code[2]}`")
        return f"\0{len(kept) - 1}\0"

    text = _NAME.sub(lambda name: about.get(name[1]) or name[0], _CODE_IN_LINE.sub(keep, text))
    text = _MACRO.sub(_macro, _ANCHOR.sub("", text))
    text = _REFERENCE.sub(_reference, _LINK.sub(_link, text))
    text = _MARKED.sub(r"\1", _BOLD.sub(r"**\1**", text))
    return re.sub(r"\0(\d+)\0", lambda found: kept[int(found[1])], text)


def _macro(found: re.Match[str]) -> str:
    kind = found[0].partition(":")[0]
    return "" if kind in ("image", "icon", "anchor") else f" ({found[2]})" if kind == "footnote" else found[2]


def _link(found: re.Match[str]) -> str:
    words = (found[2] or found[4] or "").partition(",")[0].rstrip("^").strip('"')
    return (web_link(found[1], words) if words else found[1]) if found[1] else words or found[3]


def _reference(found: re.Match[str]) -> str:
    """A reference to another document by its name, one in the same by its words."""
    target, words = (found[1] or found[3]).strip(), (found[2] or found[4] or "").strip()
    file = target.partition("#")[0].rpartition(":")[2]
    return wikilink(PurePosixPath(file).stem, words) if file.endswith((".adoc", ".asciidoc")) else words or target


def _matches(sample: Sample) -> bool:
    return sample.suffix in (".adoc", ".asciidoc") and b"\0" not in sample.head


FORMAT = Format("asciidoc", "AsciiDoc", read, _matches, ("*.adoc", "*.asciidoc"))
