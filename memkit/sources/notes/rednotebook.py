"""RedNotebook loader: a diary's months, text files such as `2025-03.txt` that hold their days as YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memkit.core.patterns import pattern
from memkit.core.written_dates import known_date
from memkit.sources.chat import as_dict, as_text
from memkit.sources.format import Format
from memkit.sources.html_markdown import web_link
from memkit.sources.notes.front_matter_yaml import parse_front_matter
from memkit.sources.notes.markdown import note_text
from memkit.sources.notes.note import Note, Record, drafts
from memkit.sources.notes.slash_markup import Dialect, slash_markdown
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_MONTH = re.compile(r"(\d{4})-(\d\d)\.txt")
_DAYS = pattern(r"(?:\d{1,2}:(?:[ \t]*\n[ \t]+(?=[^\s#])|[ \t]*\{)|\{\d{1,2}: ?\{)")
_PYTHON = pattern(r"!!python/(?:unicode|str)(?=[ \t]+['\"])")  # how Python 2 marked text
_TAGS = "Tags"
_CODE = pattern(
    r"^```[ \t]*\n(?P<code>(?:(?!```)[^\n]*\n)*)```[ \t]*$|``(?P<line>(?:(?!``)[^\n])+)``"
    r"|(?<!\[)\"\"(?P<raw>(?:(?!\"\")[^\n])+)\"\"(?![^\s\[\]]*\])",  # not the address of a link or a picture
    re.MULTILINE,
)
_RULES = (
    (pattern(r"\[\"\"[^\"\n]*\"\"[^\]\n]*\]"), ""),  # a picture
    (pattern(r"\[([^\[\]\"\n]+?)[ \t]+\"\"([^\"\n]*)\"\"\]"), lambda found: web_link(found[2], found[1])),
    (pattern(r"(?<![\w-])--(?=[^\s-])((?:(?!--)[^\n])+?)(?<=[^\s-])--(?![\w-])"), r"~~\1~~"),
    (pattern(r"^([ \t]*)\+[ \t]+(?=\S)", re.MULTILINE), r"\g<1>1. "),
    (pattern(r"\\\\(?:[ \t]|$)", re.MULTILINE), "\n"),
)
DIALECT = Dialect(_CODE, _RULES, falling=False)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """Each day of the month with its text, its tags, and what is filed under categories; pictures are left out."""
    days = parse_front_matter(_PYTHON.sub("!!str", note_text(path, options)), options.limits)
    found = (_note(path, day, as_dict(about)) for day, about in as_dict(days).items())
    yield from drafts((note for note in found if note), path, options)


def _note(path: Path, day: Any, about: Mapping[str, Any]) -> Note | None:
    month = _MONTH.fullmatch(path.name)
    date = known_date(int(month[1]), int(month[2]), day) if month and isinstance(day, int) else None
    parts = [slash_markdown(as_text(about.get("text")), DIALECT)]
    for category, entries in about.items():
        if category not in ("text", _TAGS) and entries:
            parts.append("\n".join([f"## {category}", *(f"- {entry}" for entry in _names(entries))]))
    text = "\n\n".join(filter(None, parts))
    if not text and not about.get(_TAGS):
        return None
    return Note(
        source=f"{path.as_posix()}#{date or day}",
        title=date or f"{path.stem} {day}",
        text=text,
        created=date,
        tags=_names(about.get(_TAGS)),
    )


def _names(entries: Any) -> list[str]:
    return [str(one) for one in entries] if isinstance(entries, dict | list) else [str(entries)] if entries else []


def _matches(sample: Sample) -> bool:
    return _MONTH.fullmatch(sample.name) is not None and (
        _DAYS.match(sample.text) is not None or sample.text.strip() == "{}"
    )


FORMAT = Format("rednotebook", "Months of a diary of RedNotebook", read, _matches, ("*.txt",))
