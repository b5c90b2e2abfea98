"""Keyword arguments of one call as the values that they are about: what to publish, as what, and without what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from memkit.arguments import check, moment
from memkit.errors import BadQuestion, one_of
from memkit.publish.about import About
from memkit.publish.cleaning import Redaction
from memkit.publish.selection import Selection

# As people say it: one value or several; and the field that it is.
SEVERAL = {
    "project": "projects",
    "kind": "kinds",
    "slot": "slots",
    "tag": "tags",
    "document": "documents",
    "entity": "entities",
    "redact": "names",
    "everywhere": "everywhere",
    "spare": "spare",
    "regions": "regions",
    "keep": "keep",
}
SELECTED = frozenset(field.name for field in fields(Selection))
TOLD = frozenset(field.name for field in fields(About))
REDACTED = frozenset(field.name for field in fields(Redaction))
TIMES = frozenset({"since", "until"})
KNOWN = frozenset({"keep", "embed"}) | SELECTED | TOLD | REDACTED


@dataclass(frozen=True, slots=True)
class Options:
    """What one call asks for."""

    selection: Selection
    about: About
    redaction: Redaction
    keep: tuple[str, ...] = ()
    embed: str | None = None


def named(given: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments by the fields that they are, as JSON has them, without what was left open.

    Raises TypeError for an argument that there is not, BadQuestion for a value that makes no sense.
    """
    for name in given:
        if SEVERAL.get(name, name) not in KNOWN or name in SEVERAL.values() - SEVERAL.keys():
            own = {*SEVERAL, *(KNOWN - set(SEVERAL.values()))}
            raise TypeError(one_of("option of publish", name, own))
    each = {SEVERAL.get(name, name): _several(value) if name in SEVERAL else value for name, value in given.items()}
    each |= {name: moment("publish", name, each[name]) for name in TIMES & each.keys()}
    said = {name: value for name, value in each.items() if value is not None and value != []}
    for about, names in ((Selection, SELECTED), (About, TOLD), (Redaction, REDACTED)):
        said |= check(about, _only(said, names), "publish")
    return said


def options(out: str | Path, asked: Mapping[str, Any]) -> Options:
    """The values of named options; the title is the project's name, or else the folder's, if none is given."""
    lists = {name: tuple(value) if isinstance(value, list) else value for name, value in asked.items()}
    selection = Selection(**_only(lists, SELECTED))
    title = lists.get("title") or next(iter(selection.projects), None) or Path(out).absolute().name
    return Options(
        selection,
        About(**{**_only(lists, TOLD), "title": title}),
        Redaction(**_only(lists, REDACTED)),
        lists.get("keep", ()),
        asked.get("embed"),
    )


def _only(named: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in named.items() if name in names}


def _several(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str) or not isinstance(value, Iterable):
        value = [value]
    found = list(value)
    for one in found:
        if not isinstance(one, str):
            raise BadQuestion(f"A name is a text, not {one!r}.")
    return found
