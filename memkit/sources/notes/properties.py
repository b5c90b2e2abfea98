"""Inline properties of notes: `key:: value`, as Logseq and Obsidian's Dataview write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memkit.core.patterns import pattern
from memkit.sources.notes.note_dates import date_kind
from memkit.text.chunking import without_code
from memkit.text.extract.identifiers import is_id
from memkit.text.extract.labels import is_about_the_note

# Dataview's keys may be emphasised: `**up**:: [[Trees]]`.
_LINE = pattern(r"^[ \t]*(?:[-*+][ \t]+)?[*_]{0,3}([^\W\d_][\w -]{0,40}?)[*_]{0,3}[ \t]*::[ \t]+(\S.*)$", re.MULTILINE)
# Dataview also has them inside of a sentence: `[up:: [[Trees]]]`, `(planted by:: [[Rosa]])`.
_INSIDE = pattern(r"[\[(]([^\W\d_][\w -]{0,40})::[ \t]*((?:\[\[[^\[\]\n]*\]\]|[^\[\]()\n])*)[\])]")
_PAGE = pattern(r"\A\s*(?:[-*+][ \t]+)?(?:[^\W\d_][\w -]{0,40}::.*(?:\n|\Z)[ \t]*)+")
# Only links, with what stands between the items of a list, or after one in brackets: no sentence that has a link.
_ONLY_LINKS = pattern(
    r"!?\[\[[^\[\]\n]*\]\](?:[ \t]*\([^()\n]*\)|(?:[\s,;/&+、，；·|-]|\b(?:and|or|und|oder|y|e|et|ou)\b|[和与と])+"
    r"!?\[\[[^\[\]\n]*\]\])*[\s.,;]*"
)
_ITEM = pattern(r"\[\[[^\[\]]*\]\]|\"[^\"\n]+\"|[^,，、;\[\]]+")
_LINK = pattern(r"(?<!!)\[\[[^\[\]\n]*\]\]")
_OF_THE_PAGE = ("title", "alias", "aliases", "tags", "tag")  # at the top they describe the note, below a block


def inline_fields(body: str) -> dict[str, str | list[str]]:
    """The properties in a note's text, as front matter would have them: names to lists of values.

    Those at the top of a page may give it a title, aliases, tags and dates. Of all others only those with a link are
    taken (`up:: [[Trees]]`): most of the rest is a program's housekeeping. A property of an item inside another one is
    about that, and not about the note.
    """
    if "::" not in body:
        return {}
    body = without_code(body)
    page = _PAGE.match(body)
    top = page.end() if page else 0
    fields: dict[str, str | list[str]] = {}
    above: dict[int, bool] = {}
    for match in (*_LINE.finditer(body), *_INSIDE.finditer(body)):
        key, value = match[1].strip().lower(), match[2].strip()
        if key in _OF_THE_PAGE:
            if match.start() < top and key == "title":
                fields[key] = _unquoted(value)
            elif match.start() < top:
                fields[key] = [_bare(item) for item in _ITEM.findall(value) if _bare(item)]
        elif match.start() < top and date_kind(key):
            fields.setdefault(key, value)
        elif "[[" in value and _ONLY_LINKS.fullmatch(value) and (match.start() < top or _of_note(body, match, above)):
            found = fields.setdefault(key, [])
            if isinstance(found, list):
                found += _LINK.findall(value)
    return fields


def _of_note(body: str, match: re.Match[str], above: dict[int, bool]) -> bool:
    """Whether a property is about the note: the line is not inside an item, or only in one such as `Metadata`.

    `above` keeps the answer for each line of the body, once it was asked for.
    """
    if not above:
        above |= _lines_of_note(body)
    return above[body.rfind("\n", 0, match.start(1)) + 1]


def _lines_of_note(body: str) -> dict[int, bool]:
    """For the start of each line, whether all items that it is inside of are about the note."""
    found: dict[int, bool] = {}
    inside: list[tuple[int, bool, str]] = []  # the items around: their indents, whether they are, their texts
    start = 0
    for line in body.split("\n"):
        text = line.lstrip(" \t")
        indent = len(line[: len(line) - len(text)].expandtabs(4))
        while inside and inside[-1][0] >= indent:
            inside.pop()
        found[start] = not inside or (inside[-1][1] and is_about_the_note(inside[-1][2]))
        if text:
            inside.append((indent, found[start], text.lstrip("-*+ ")))
        start += len(line) + 1
    return found


def _bare(item: str) -> str:
    return _unquoted(item.strip().removeprefix("#").removeprefix("[[").removesuffix("]]").strip())


def _unquoted(text: str) -> str:
    """A value without the quotation marks that Logseq asks for where it has a comma: `title:: "Moss, Ida"`."""
    inside = text[1:-1]
    return inside if text == f'"{inside}"' and '"' not in inside else text


_IDS = frozenset(("id", "uid", "uuid", "guid"))
_LONGEST_FIELD = 400  # characters of a field's value among the words of a note


def fields_as_text(fields: Mapping[str, Any]) -> str:
    """What front matter says, as the words of a note that has no others: a line for each field.

    The note's own dates (`created:`), ids of programs, addresses and switches (`publish: true`) are left out.
    """
    kept = ((str(key), value) for key, value in fields.items() if str(key).lower() not in _IDS)
    told = ((key, ", ".join(_told(value))) for key, value in kept if not date_kind(key))
    return "\n".join(f"{key}: {words[:_LONGEST_FIELD]}" for key, words in told if words)


def _told(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], list) and all(isinstance(one, str) for one in value[0]):
            yield f"[[{', '.join(value[0])}]]"  # YAML reads a link without quotes as a list in a list
            return
        for one in value:
            yield from _told(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from (f"{key} {words}" for words in _told(one))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, str) and not is_id(value.strip()) and "://" not in value and value.strip():
        yield " ".join(value.split())
