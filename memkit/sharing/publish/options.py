"""Publishing options: keyword arguments as a selection, texts for readers, and a redaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from memkit.core.arguments import check, moment
from memkit.core.errors import BadQuestion, one_of
from memkit.sharing.publish.manifest import About
from memkit.sharing.publish.redaction import Redaction
from memkit.sharing.selection import Selection

# Arguments that take one value or several, and their fields.
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
    """The options of one publication."""

    selection: Selection
    about: About
    redaction: Redaction
    keep: tuple[str, ...] = ()
    embed: str | None = None


def named(given: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments by field name, as values that JSON can hold, without those that are None or empty lists.

    Raises TypeError for an unknown argument, BadQuestion for an unsuitable value.
    """
    for name in given:
        if SEVERAL.get(name, name) not in KNOWN or name in SEVERAL.values() - SEVERAL.keys():
            own = {*SEVERAL, *(KNOWN - set(SEVERAL.values()))}
            raise TypeError(one_of("publishing setting", name, own))
    each = {SEVERAL.get(name, name): _several(value) if name in SEVERAL else value for name, value in given.items()}
    each |= {name: moment("publish", name, each[name]) for name in TIMES & each.keys()}
    said = {name: value for name, value in each.items() if value is not None and value != []}
    for about, names in ((Selection, SELECTED), (About, TOLD), (Redaction, REDACTED)):
        said |= check(about, _only(said, names), "publish")
    return said


def options(out: str | Path, asked: Mapping[str, Any]) -> Options:
    """The options as values. Without a title, the name of the first project is used, or else that of the folder."""
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
            raise BadQuestion(f"A name must be a text, not {one!r}.")
    return found
