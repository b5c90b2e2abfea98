"""Strategies: how a question is answered, as one frozen value that serialises to JSON.

A strategy names its channels and their settings, and how they are fused, ranked, cut, expanded and packed. Every setting
is a field, so that a URL, an SQL option, a slider and a test all speak of the same thing.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_type_hints

from memkit.errors import BadQuestion, NotFound, one_of


@dataclass(frozen=True)
class Fulltext:
    """Words. `query` names how a question becomes one (`text.QUERIES`), `columns` weighs text, title, speaker, tags and
    neighbours, `common` is the number of memories from which on a term is dropped while rarer ones remain."""

    weight: float = 1.0
    query: str = "content"
    columns: tuple[float, float, float, float, float] = (1.0, 1.0, 1.0, 1.0, 0.3)
    limit: int = 200
    common: int = 20_000


@dataclass(frozen=True)
class Vector:
    """Meaning. Cosines below `threshold` do not count; `complete` also compares what other channels found."""

    weight: float = 0.3
    limit: int = 200
    threshold: float = -1.0
    complete: bool = True


@dataclass(frozen=True)
class Fuse:
    """How rankings become one: `method` names a fuser, `normalise` what happens to scores before, `k` RRF's constant."""

    method: str = "weighted"
    normalise: str = "max"
    k: float = 60.0


@dataclass(frozen=True)
class Strategy:
    """How a question is answered. Change one with `replace(...)`."""

    name: str = "memkit"
    fulltext: Fulltext | None = field(default_factory=Fulltext)
    vector: Vector | None = field(default_factory=Vector)
    fuse: Fuse = field(default_factory=Fuse)

    def replace(self, **changes: Any) -> Strategy:
        """A changed copy. A part may be given as a dict of its own changes: `replace(vector={"weight": .5})`.

        Raises BadQuestion for a field or part that does not exist; the message lists what there is.
        """
        return _changed(self, changes)

    def to_dict(self) -> dict[str, Any]:
        """The strategy as JSON-able values, every field written out."""
        return dataclasses.asdict(self)

    def to_json(self) -> str:
        """The strategy as JSON text."""
        return json.dumps(self.to_dict(), sort_keys=True)


def _part_type(owner: type, name: str) -> type | None:
    """The dataclass that a field holds, or None for a plain value."""
    hint = get_type_hints(owner)[name]
    options = getattr(hint, "__args__", (hint,))
    return next((option for option in options if dataclasses.is_dataclass(option)), None)


def _changed(value: Any, changes: Mapping[str, Any]) -> Any:
    names = {f.name for f in dataclasses.fields(value)}
    for name in changes:
        if name not in names:
            raise BadQuestion(one_of(f"field of {type(value).__name__}", name, names))
    return dataclasses.replace(value, **{name: _field(value, name, change) for name, change in changes.items()})


def _field(owner: Any, name: str, change: Any) -> Any:
    part = _part_type(type(owner), name)
    if part is not None and isinstance(change, Mapping):
        return _changed(getattr(owner, name) or part(), change)
    if isinstance(getattr(owner, name), tuple) and isinstance(change, list):
        return tuple(change)
    return change


MEMKIT = Strategy()

STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in (MEMKIT,)}


def strategy(given: str | Mapping[str, Any] | Strategy | None = None) -> Strategy:
    """The strategy meant: itself, a name, JSON text, or a dict (`{"name": "memkit", "vector": {"weight": 0.5}}`).

    Raises NotFound for a name that is none, BadQuestion for an unknown field; both messages list what there is.
    """
    if given is None:
        return MEMKIT
    if isinstance(given, Strategy):
        return given
    if isinstance(given, str) and given.lstrip().startswith("{"):
        try:
            given = json.loads(given)
        except ValueError as error:
            raise BadQuestion(f"The strategy is no JSON: {error}") from error
    if isinstance(given, Mapping):
        changes = dict(given)
        name = changes.pop("name", MEMKIT.name)
        base = STRATEGIES.get(name, MEMKIT)
        return base.replace(**changes, name=name)
    if given not in STRATEGIES:
        raise NotFound(one_of("strategy", given, STRATEGIES))
    return STRATEGIES[str(given)]
