"""Inline properties of notes: `key:: value`, as Logseq and Obsidian's Dataview write them."""

from __future__ import annotations

import re

from memkit.text.chunking import without_code

_LINE = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?([^\W\d_][\w -]{0,40})::[ \t]+(\S.*)$", re.MULTILINE)
_PAGE = re.compile(r"\A\s*(?:[-*+][ \t]+)?(?:[^\W\d_][\w -]{0,40}::.*(?:\n|\Z)[ \t]*)+")
_ITEM = re.compile(r"\[\[[^\[\]]*\]\]|[^,，、;\[\]]+")
_OF_THE_PAGE = ("title", "alias", "aliases", "tags", "tag")  # at the top they describe the note, below a block


def inline_fields(body: str) -> dict[str, str | list[str]]:
    """The properties in a note's text, as front matter would have them: names to lists of values.

    Those at the top of a page may give it a title, aliases and tags. Of all others only those with a link are taken
    (`up:: [[Trees]]`): most of the rest is a program's housekeeping.
    """
    if "::" not in body:
        return {}
    body = without_code(body)
    page = _PAGE.match(body)
    top = page.end() if page else 0
    fields: dict[str, str | list[str]] = {}
    for match in _LINE.finditer(body):
        key, value = match[1].strip().lower(), match[2].strip()
        if key in _OF_THE_PAGE:
            if match.start() < top:
                fields[key] = value if key == "title" else [_bare(item) for item in _ITEM.findall(value) if _bare(item)]
        elif "[[" in value:
            found = fields.setdefault(key, [])
            if isinstance(found, list):
                found += [item.strip() for item in _ITEM.findall(value) if item.startswith("[[")]
    return fields


def _bare(item: str) -> str:
    return item.strip().removeprefix("#").removeprefix("[[").removesuffix("]]").strip()
