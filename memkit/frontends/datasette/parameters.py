"""Query parameters of a page: they are read, checked (with a sentence for a wrong value), and written again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from memkit.core.errors import BadQuestion
from memkit.core.unicode import well_formed

LONGEST_QUESTION = 2000  # characters in the address of a page
LONGEST = 300
LONGEST_FIELD = 20_000  # characters of a field in a form
LONGEST_STRATEGY = 4000
MOST_HITS = 20  # on one page
MOST_JSON_HITS = 200
MOST_PAGES = 10
BUDGETS = (0, 8000)
SIZES = (5, 10, 20)
FACETS = ("kind", "project", "speaker", "year")  # by these the memories that were found are counted and narrowed
MOST_CHOSEN = 20
_LIMITS = {"q": LONGEST_QUESTION, "strategy": LONGEST_STRATEGY, "compare": LONGEST_STRATEGY}
_CONTROL = {n: " " for n in range(32) if n not in (9, 10, 13)}


def text(args: Any, name: str) -> str:
    """A text in an address: the first of several, trimmed, without control characters. Raises BadQuestion if long."""
    value = well_formed(args.get(name) or "").translate(_CONTROL).strip()
    return _at_most(_LIMITS.get(name, LONGEST), name, value)


def form_text(fields: Mapping[str, str], name: str) -> str:
    """A text in a form, trimmed. Raises BadQuestion if it is too long."""
    return _at_most(LONGEST_FIELD, name, fields.get(name) or "").strip()


def _at_most(most: int, name: str, value: str) -> str:
    if len(value) > most:
        raise BadQuestion(f"{name} is too long: it has {len(value):,} characters, at most {most:,} are allowed.")
    return value


def number(args: Any, name: str, default: int, least: int, most: int) -> int:
    """A whole number in an address, or `default` if it is empty. Raises BadQuestion for other text or out of range."""
    value = text(args, name)
    if not value:
        return default
    try:
        found = int(value)
    except ValueError as error:
        raise BadQuestion(f"{name} must be a whole number from {least} to {most:,}, not {value[:40]!r}.") from error
    if not least <= found <= most:
        raise BadQuestion(f"{name} must be from {least} to {most:,}, not {found:,}.")
    return found


@dataclass(frozen=True)
class Asked:
    """The recall that an address asks for. `only` excludes other projects; `budget` adds the context for a model.

    `depth` is how many links are followed from a hit; -1 leaves it to the strategy.

    `has` are the chosen facets (`kind:note`). They narrow what was found; the other filters say where to look.
    """

    q: str = ""
    k: int = 10
    page: int = 1
    strategy: str = ""
    compare: str = ""
    project: str = ""
    only: bool = False
    kind: tuple[str, ...] = ()
    speaker: str = ""
    year: int = 0
    since: str = ""
    until: str = ""
    as_of: str = ""
    everything: bool = False
    depth: int = -1
    budget: int = 0
    has: tuple[str, ...] = ()

    @classmethod
    def of(cls, args: Any, *, json: bool = False) -> Asked:
        """The recall in the arguments of a request. Raises BadQuestion."""
        kinds = [kind for kind in dict.fromkeys(args.getlist("kind")) if kind.strip()]
        if len(kinds) > 20 or any(len(kind) > LONGEST for kind in kinds):
            raise BadQuestion(f"kind may be given at most 20 times, with at most {LONGEST} characters each.")
        return cls(
            q=text(args, "q"),
            k=number(args, "k", 10, 1, MOST_JSON_HITS if json else MOST_HITS),
            page=number(args, "page", 1, 1, MOST_PAGES),
            strategy=text(args, "strategy"),
            compare=text(args, "compare"),
            project=text(args, "project"),
            only=yes(args, "only"),
            kind=tuple(kinds),
            speaker=text(args, "speaker"),
            year=number(args, "year", 0, 1, 9998),
            since=text(args, "since"),
            until=text(args, "until"),
            as_of=text(args, "as_of"),
            everything=yes(args, "everything"),
            depth=number(args, "depth", -1, 0, 3),
            budget=number(args, "budget", 0, *BUDGETS),
            has=_has(args),
        )

    def options(self) -> dict[str, Any]:
        """The keyword arguments of `MemoryDatabase.recall`, without the strategy."""
        span = {"since": f"{self.year:04}-01-01", "until": f"{self.year + 1:04}-01-01"} if self.year else {}
        given = {
            "project": self.project,
            "only_project": self.only and bool(self.project),
            "kinds": list(self.kind),
            "since": self.since or span.get("since"),
            "until": self.until or span.get("until"),
            "as_of": self.as_of,
            "everything": self.everything,
        }
        found = {name: value for name, value in given.items() if value}
        return found | ({"depth": self.depth} if self.depth >= 0 else {})

    def query(self, **changes: Any) -> str:
        """The query string of the same recall with these changes; default values are left out."""
        changed = {name: _written(name, value) for name, value in {"page": 1, **changes}.items()}
        return "&".join(part for part in {**self._parts, **changed}.values() if part)

    @cached_property
    def _parts(self) -> dict[str, str]:
        return {name: _written(name, getattr(self, name)) for name in USUAL}

    @cached_property
    def chosen(self) -> Mapping[str, tuple[str, ...]]:
        """The values that were chosen of each facet."""
        pairs = [one.partition(":")[::2] for one in self.has]
        return {name: tuple(value for facet, value in pairs if facet == name) for name in FACETS}

    def toggled(self, facet: str, value: str) -> tuple[str, ...]:
        """`has` with one more choice, or without it if it was chosen."""
        choice = f"{facet}:{value}"
        return tuple(one for one in self.has if one != choice) if choice in self.has else (*self.has, choice)

    @property
    def narrowed(self) -> bool:
        """Whether the recall has any filter."""
        return bool(set(self.options()) - {"depth"} or self.speaker or self.has)


USUAL = {field.name: getattr(Asked(), field.name) for field in fields(Asked)}


def _has(args: Any) -> tuple[str, ...]:
    """The chosen facets in an address. Raises BadQuestion for another name."""
    given = [well_formed(one).translate(_CONTROL) for one in dict.fromkeys(args.getlist("has")) if one.strip()]
    if len(given) > MOST_CHOSEN or any(len(one) > LONGEST for one in given):
        raise BadQuestion(f"has may be given at most {MOST_CHOSEN} times, with at most {LONGEST} characters each.")
    for one in given:
        if one.partition(":")[0] not in FACETS or ":" not in one:
            raise BadQuestion(f"has must be one of {', '.join(FACETS)}, a colon and a value, not {one[:60]!r}.")
    return tuple(given)


def yes(args: Any, name: str) -> bool:
    """Whether a switch in an address is on."""
    return text(args, name).lower() in ("1", "on", "true", "yes")


def _written(name: str, value: Any) -> str:
    """A value as a part of a query string; empty for a default value."""
    if value == USUAL[name]:
        return ""
    return urlencode({name: 1 if value is True else value}, doseq=True)


def values(args: Any) -> Mapping[str, str]:
    """The typed values, cut to LONGEST, to show them again after an error."""
    return {field.name: (args.get(field.name) or "")[:LONGEST] for field in fields(Asked)}
