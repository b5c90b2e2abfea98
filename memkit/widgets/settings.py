"""Input controls for the settings of a strategy, with their ranges and choices.

The settings are read from the dataclasses (`strategies.py`). This file only adds ranges and choices, by the name of the
field, or by `part.field` if the same name has another meaning there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any, get_args, get_type_hints

import ipywidgets as W

from memkit.retrieval.context.build import LAYOUTS
from memkit.retrieval.fusion import NORMALISERS
from memkit.retrieval.registry import CUTS, FUSERS, LISTS, QUERIES, RELATION_WALKS, RULES
from memkit.retrieval.strategies import PAGERANK, Strategy
from memkit.widgets.base import ROOM
from memkit.widgets.tooltips import TOOLTIPS

WIDE = {"width": "34em", "max_width": ROOM}
TITLES = {
    "fulltext": "Words",
    "vector": "Meaning",
    "sentence": "Meaning of sentences",
    "graph": "Connection",
    "bridge": "Shared names",
    "time": "The time asked for",
    "recent": "The newest",
    "fuse": "Fusing",
    "rank": "Boosts",
    "rerank": "Cross-encoder",
    "cut": "End of the list",
    "expand": "Linked memories",
    "pack": "Packing",
}
PARTS = {f.name: TITLES.get(f.name, f.name) for f in dataclasses.fields(Strategy) if f.name != "name"}
OPTIONAL = tuple(name for name in PARTS if type(None) in get_args(get_type_hints(Strategy)[name]))
COLUMNS = ("text", "title", "speaker", "tags", "neighbours")  # the five weights of `columns`, in order

RANGES: dict[str, tuple[float, float, float]] = {  # least, most, step
    "weight": (0, 5, 0.05),
    "columns": (0, 3, 0.05),
    "edges": (0, 3, 0.05),
    "limit": (1, 500, 1),
    "vector.limit": (0, 500, 1),
    "common": (10, 50_000, 10),
    "aside": (0, 1, 0.05),
    "threshold": (-1, 1, 0.01),
    "seeds": (1, 200, 1),
    "sharpness": (0, 8, 0.25),
    "entities": (0, 30, 0.5),
    "titled": (0, 20, 0.5),
    "damping": (0, 0.95, 0.01),
    "least_strength": (0, 1, 0.01),
    "least_confidence": (0, 1, 0.01),
    "depth": (0, 6, 1),
    "graph.depth": (1, 6, 1),
    "decay": (0, 1, 0.01),
    "fan_out": (1, 100, 1),
    "specificity": (0, 2, 0.05),
    "append": (0, 20, 1),
    "alone": (0, 5, 0.05),
    "sources": (1, 20, 1),
    "most": (2, 100, 1),
    "base": (0, 1, 0.05),
    "k": (0, 200, 1),
    "alpha": (0, 1, 0.01),
    "project": (0.5, 3, 0.05),
    "global_project": (0.5, 3, 0.05),
    "interval": (0.5, 5, 0.05),
    "speaker": (0.5, 3, 0.05),
    "asking": (0.1, 1.5, 0.05),
    "length": (0, 1, 0.05),
    "covered": (0, 5, 0.1),
    "assistant": (0.1, 1.5, 0.05),
    "value": (0, 3, 0.01),
    "children": (0, 50, 1),
    "similar": (-1, 1, 0.01),
    "budget": (0, 16_000, 50),
}
CHOICES = {
    "query": QUERIES,
    "lists": LISTS,
    "walk": [PAGERANK, *RELATION_WALKS],
    "fuse.method": FUSERS,
    "cut.method": CUTS,
    "normalise": NORMALISERS,
    "layout": LAYOUTS,
    **RULES,
}


@dataclasses.dataclass(frozen=True)
class Knob:
    """One setting: its path of fields in the strategy, its label and its value."""

    path: tuple[str | int, ...]
    label: str
    value: Any

    @property
    def part(self) -> str:
        """The part of the strategy: `vector`, `rank` ..."""
        return str(self.path[0])

    @property
    def tooltip(self) -> str:
        """What turning it does, in a user's words."""
        part, *_, last = (*self.path[:-1], self.label.replace(" ", "_"))
        named = (f"{self.path[-2]}.{last}", f"{part}.{last}", last)
        return next((TOOLTIPS[name] for name in named if name in TOOLTIPS), "")

    def widget(self) -> W.Widget:
        """A slider, choice or check box with the current value."""
        how: dict[str, Any] = {"description": self.label, "style": {"description_width": "9em"}, "layout": WIDE}
        how["tooltip"] = self.tooltip
        if isinstance(self.value, bool):
            return W.Checkbox(self.value, indent=True, **how)
        if isinstance(self.value, str):
            options = dict.fromkeys([*(_about(self, CHOICES) or ()), self.value])
            return W.Dropdown(options=list(options), value=self.value, **how)
        least, most, step = _about(self, RANGES) or _guess(self.value)
        least, most = min(least, self.value), max(most, self.value)
        slider = W.IntSlider if isinstance(self.value, int) else W.FloatSlider
        return slider(self.value, min=least, max=most, step=step, **how)


def _about(knob: Knob, table: dict[str, Any]) -> Any:
    """The entry for a knob in a table, by `part.field`, or by the last of its fields in the table; else None."""
    names = [str(name) for name in knob.path]
    return next((table[name] for name in (".".join(names[:2]), *reversed(names)) if name in table), None)


def _guess(value: float) -> tuple[float, float, float]:
    """A range (least, most, step) for a setting that RANGES does not have: up to four times its value."""
    return (0, max(4 * value, 10), 1) if isinstance(value, int) else (0, max(4 * value, 1.0), 0.05)


def knobs(strategy: Strategy) -> list[Knob]:
    """All settings of the parts of this strategy, in the order of its fields."""
    return list(_knobs(strategy, ()))


def _knobs(value: Any, path: tuple[str | int, ...]) -> Iterator[Knob]:
    for field in dataclasses.fields(value):
        inner, here = getattr(value, field.name), (*path, field.name)
        label = field.name.replace("_", " ")
        if dataclasses.is_dataclass(inner):
            yield from _knobs(inner, here)
        elif isinstance(inner, tuple):
            yield from (Knob((*here, n), name, inner[n]) for n, name in enumerate(COLUMNS[: len(inner)]))
        elif path and inner is not None:
            yield Knob(here, label, inner)


def turned(strategy: Strategy, values: Mapping[tuple[str | int, ...], Any]) -> Strategy:
    """The strategy with these settings, by their paths. A difference by a slider's rounding is ignored."""
    for path, value in values.items():
        before = _get(strategy, path)
        near = isinstance(value, float) and isclose(value, before, abs_tol=1e-6)
        strategy = strategy if near else _set(strategy, path, round(value, 6) if isinstance(value, float) else value)
    return strategy


def _get(owner: Any, path: tuple[str | int, ...]) -> Any:
    """The value at the end of the path."""
    for step in path:
        owner = owner[step] if isinstance(step, int) else getattr(owner, step)
    return owner


def _set(owner: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """A copy of a dataclass or tuple with the value at the end of the path."""
    first, rest = path[0], path[1:]
    if isinstance(first, int):
        return (*owner[:first], value, *owner[first + 1 :])
    inner = _set(getattr(owner, first), rest, value) if rest else value
    return dataclasses.replace(owner, **{first: inner})
