"""Roam loader: the pages of a graph's JSON, each an outline, with its links, references and properties."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memkit.core.patterns import pattern
from memkit.core.types import Failure
from memkit.core.written_dates import written_date
from memkit.sources.chat import as_list, records
from memkit.sources.format import Format
from memkit.sources.notes.note import Found, Note, Record, drafts, without_pictures
from memkit.sources.notes.properties import inline_fields
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

FILES = r"(?i).+\.json"
_TASK = pattern(r"\{\{(?:\[\[)?(TODO|DONE)(?:\]\])?\}\}\s*")
_EMBED = pattern(r"\{\{(?:\[\[)?embed(?:-children|-path)?(?:\]\])?:\s*(\(\([\w-]+\)\)|\[\[[^\n{}]+\]\])\s*\}\}")
_REFERENCE = pattern(r"\(\(([\w-]{6,})\)\)")
_ALIAS = pattern(r"\[([^\[\]\n]+)\]\((\(\([\w-]+\)\)|\[\[[^\n()]+\]\])\)")
_CODE = pattern(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
_DAILY = pattern(r"[A-Z][a-z]+ \d{1,2}(?:st|nd|rd|th), \d{4}")
_LONGEST = 300  # characters of a block that is shown where another refers to it
_HOUSEKEEPING = {"title", "alias", "aliases", "tags", "tag"}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The pages. A reference to a block shows the beginning of that block."""
    yield from drafts(_notes(path, options), path, options)


def _notes(path: Path, options: ReadOptions) -> Iterator[Found]:
    pages = []
    for found in records(path, options, FILES):
        if isinstance(found, Failure):
            yield found
        elif isinstance(found.get("title"), str):
            pages.append(found)
    blocks: dict[str, str] = {}
    for page in pages:
        blocks.update((str(block.get("uid")), str(block.get("string") or "")) for _, block in _outline(page))
    for page in pages:
        yield _note(page, blocks)


def _outline(page: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The blocks of a page in their order, each with its depth from 0."""
    waiting = [(0, block) for block in reversed(as_list(page.get("children")))]
    while waiting:
        depth, block = waiting.pop()
        if isinstance(block, dict):
            yield depth, block
            waiting += [(depth + 1, inner) for inner in reversed(as_list(block.get("children")))]


def _note(page: dict[str, Any], blocks: Mapping[str, str]) -> Note:
    title, lines, times = str(page["title"]), [], [page.get("create-time"), page.get("edit-time")]
    for depth, block in _outline(page):
        text = _shown(str(block.get("string") or ""), blocks).strip()
        times += [block.get("create-time"), block.get("edit-time")]
        if text:
            indent = "  " * min(depth, 20)
            lines.append(f"{indent}- " + text.replace("\n", f"\n{indent}  "))
    text = "\n".join(lines)
    fields = inline_fields(text)
    known = [time for time in times if isinstance(time, int | float) and not isinstance(time, bool)]
    return Note(
        source=f"roam:{page.get('uid') or title}",
        title=title,
        text=text,
        created=page.get("create-time") or min(known, default=None),
        updated=max(known, default=None),
        happened=_day(title),
        aliases=_listed(fields, "alias", "aliases"),
        tags=_listed(fields, "tag", "tags"),
        fields={key: value for key, value in fields.items() if key not in _HOUSEKEEPING},
    )


def _shown(text: str, blocks: Mapping[str, str]) -> str:
    """A block as it is read: boxes, the beginnings of blocks it refers to, links; queries and buttons are left out."""
    parts = _CODE.split(text)
    return "".join(part if number % 2 else _plain(part, blocks) for number, part in enumerate(parts))


def _plain(text: str, blocks: Mapping[str, str]) -> str:
    text = _ALIAS.sub(lambda match: match[1] if match[2].startswith("((") else f"{match[1]} {match[2]}", text)
    text = _EMBED.sub(r"\1", text)
    text = _REFERENCE.sub(lambda match: _begun(blocks.get(match[1])) or str(match[0]), text)
    text = _TASK.sub(lambda match: "[x] " if match[1] == "DONE" else "[ ] ", text)
    return without_pictures(_without_components(text))


def _without_components(text: str) -> str:
    """The text without `{{...}}`, which may have braces inside each other; what nothing closes is text."""
    kept, at = [], 0
    while (start := text.find("{{", at)) >= 0:
        depth, end = 0, start
        while end < len(text):
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
            if not depth:
                break
        if depth:
            break
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def _begun(text: str | None) -> str:
    line = " ".join((text or "").split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"


def _listed(fields: Mapping[str, str | list[str]], *keys: str) -> list[str]:
    return [item for key in keys if isinstance(found := fields.get(key), list) for item in found]


def _day(title: str) -> str | None:
    """The day of a daily page, such as `June 19th, 2020`."""
    return written_date(title) if _DAILY.fullmatch(title) else None


def _matches(sample: Sample) -> bool:
    inside = sample.inside(FILES)
    return any(
        one.text.startswith("[")
        and one.keys >= {"title", "children"}
        and one.has_keys("title")
        and '"string"' in one.text
        for one in inside
    ) and any('"uid"' in one.text for one in inside)


FORMAT = Format("roam", "Roam Research: a graph as JSON, or its zip", read, _matches, ("*.json", "*.zip"))
