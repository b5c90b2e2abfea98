"""Titles of notes: the name of the page, which may be that of its file, or the heading in its first line.

Programs that link notes call a page after its file. A heading in the first line is its title if it says the same in
other words (`# The garden of Rosa` in `rosa.md`), or if the file has a name for programs (`2-setup_notes`). Else it is
the heading of the first section: `# Definition` in `Ring theory.md`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

from memkit.core.patterns import pattern
from memkit.sources.values import LONGEST_NAME, short_name
from memkit.text.extract.identifiers import is_card, is_id, names_nothing
from memkit.text.words import fold, has_cjk

_FIRST_LINE_TITLE = pattern(r"#[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$")
_EMPHASIS = pattern(r"(\*{1,3})(?=\S)([^*]+)(?<=\S)\1")
_ONLY_A_LINK = pattern(r"!?\[\[[^\[\]]*\]\]")
_LINK = pattern(r"(?<=\S )\[\[(?:[^\[\]|]*\|)?([^\[\]]+)\]\]|\[([^\[\]]+)\]\([^()\s]*\)")
_PERCENT = pattern(r"%[0-9A-F]{2}")
_NUMBERED = pattern(r"\d{1,2}[.)][ \t]")
_WORD = pattern(r"[^\W_]+")
_LONGEST_ACRONYM = 5  # letters of a file's name in capitals that is what people say, not how programs call a file
_SHORTEST_STEM = 4  # letters that two words share at their start, if they are forms of one


def page_title(path: Path, body: str, fields: dict[str, Any]) -> str | None:
    """The title that is given, the heading in the first line, or the file's name, unless that is a program's id."""
    if (given := fields.get("title")) and isinstance(given, str | int | float):
        return short_name(given)
    name, heading = page_name(path.stem), first_heading(body)
    if heading and not _ONLY_A_LINK.fullmatch(heading) and not _is_section(heading, name):
        return heading
    return None if is_id(path.stem) else short_name(name)


def page_name(stem: str) -> str:
    """The name of a page, from its file's: Logseq writes `Unity/UI` as `Unity___UI`, and `std::get` in percents."""
    return unquote(stem).replace("___", "/") if "___" in stem or _PERCENT.search(stem) else stem


def first_heading(text: str) -> str | None:
    """The heading in the first line of a text that is not blank, without its marks; None if that is no heading."""
    line = text.lstrip()[: LONGEST_NAME + 1].partition("\n")[0]
    heading = _FIRST_LINE_TITLE.match(line) if len(line) <= LONGEST_NAME else None
    return _LINK.sub(lambda link: link[1] or link[2], _EMPHASIS.sub(r"\2", heading[1].strip())) if heading else None


def _is_section(heading: str, name: str) -> bool:
    """Whether the first heading of a page is that of a section, and not another form of the page's name."""
    if names_nothing(name) or is_card(name) or has_cjk(heading) != has_cjk(name):
        return False
    numbered = _NUMBERED.match(heading) is not None and not name[0].isdigit()
    return (numbered or _is_written_for_people(name, heading)) and not _alike(heading, name)


def _is_written_for_people(name: str, heading: str) -> bool:
    """Whether the name of a file is a title (`Ring theory`), and no slug (`ring-theory`, `03 Setup`, `CONTRIBUTING`).

    An acronym is one; a longer word in capitals only if the heading that it would hide is one word, too.
    """
    if "_" in name or "--" in name or not name[0].isalpha() or (name.isupper() and " " in heading):
        return name.isalpha() and name.isupper() and len(name) <= _LONGEST_ACRONYM
    return " " in name or not name[0].islower()


def _alike(heading: str, name: str) -> bool:
    """Whether two titles share a word, or one is the acronym of the other."""
    one, other = _words(heading), _words(name)
    initials = {"".join(word[0] for word in words) for words in (one, other)}
    return (
        any(_same(left, right) for left in one for right in other)
        or not initials.isdisjoint({"".join(one), "".join(other)})
        or "".join(other) in "".join(one)
        or "".join(one) in "".join(other)
    )


def _words(text: str) -> list[str]:
    return [fold(word) for word in _WORD.findall(text)]


def _same(one: str, other: str) -> bool:
    if one[:1] >= "\u3040":  # CJK text has no blanks between words
        return any(one[at : at + 2] in other for at in range(len(one) - 1))
    return len(one) > 2 and (one == other or one[:_SHORTEST_STEM] == other[:_SHORTEST_STEM])
