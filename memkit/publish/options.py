"""Keyword arguments of one call as the values that they are about: what to publish, as what, and without what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

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
_SELECTED = {field.name for field in fields(Selection)}
_ABOUT = {field.name for field in fields(About)}
_REDACTED = {field.name for field in fields(Redaction)}


@dataclass(frozen=True, slots=True)
class Options:
    """What one call asks for."""

    selection: Selection
    about: About
    redaction: Redaction
    keep: tuple[str, ...] = ()


def options(out: str | Path, given: Mapping[str, Any]) -> Options:
    """The values in keyword arguments; the title is the project's name, or else the folder's, if none is given.

    Raises TypeError for an argument that there is not, BadQuestion for a value that makes no sense.
    """
    named = {SEVERAL.get(name, name): _several(value) if name in SEVERAL else value for name, value in given.items()}
    known = {"keep"} | _SELECTED | _ABOUT | _REDACTED
    for name in given:
        if SEVERAL.get(name, name) not in known or name in SEVERAL.values() - SEVERAL.keys():
            own = {*SEVERAL, *(known - set(SEVERAL.values()))}
            raise TypeError(one_of("option of publish", name, own))
    selection = Selection(**_only(named, _SELECTED))
    title = named.get("title") or next(iter(selection.projects), None) or Path(out).absolute().name
    return Options(
        selection,
        About(**{**_only(named, _ABOUT), "title": title}),
        Redaction(**_only(named, _REDACTED)),
        named.get("keep", ()),
    )


def _only(named: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in named.items() if name in names and value is not None}


def _several(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    found = tuple(value)
    for one in found:
        if not isinstance(one, str):
            raise BadQuestion(f"A name is a text, not {one!r}.")
    return found
