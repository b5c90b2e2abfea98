"""SVG of a graph drawing on a page: names are links, and all text is escaped."""

from __future__ import annotations

from html import escape
from typing import Any

from markupsafe import Markup

NODE = (
    '<a href="{url}" class="c{group}{marks}" aria-label="{full}, {memories} memories">'
    '<circle cx="{x}" cy="{y}" r="{r}"/><text x="{x}" y="{below}">{name}</text></a>'
)
LINE = '<line class="mk-line r" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"><title>{says}</title></line>'
WAY = '<path class="mk-line w" d="{way}"/>'
WORD = '<text class="mk-word" aria-hidden="true" x="{x}" y="{y}">{label}</text>'
WHOLE = (
    '<svg viewBox="0 0 {width} {height}" style="--w:{width}px" role="presentation">'
    '<path class="mk-line" d="{together}"/><path class="mk-line r" d="{relations}"/>'
)


def svg(drawn: dict[str, Any]) -> Markup:
    """The SVG for the values of `drawing`; empty without nodes."""
    if not drawn["nodes"]:
        return Markup()
    parts = [
        _filled(WHOLE, drawn),
        *(_filled(LINE, edge) for edge in drawn["edges"]),
        *([_filled(WAY, drawn)] if drawn["way"] else []),
        *(_filled(WORD, edge | _between(edge)) for edge in drawn["edges"] if edge["label"]),
        *(_filled(NODE, node | _beside(node)) for node in drawn["nodes"]),
        "</svg>",
    ]
    return Markup("\n".join(parts))


def _filled(template: str, values: dict[str, Any]) -> str:
    # Markup.format would do the same, but takes five times as long.
    return template.format_map({n: escape(value) if isinstance(value, str) else value for n, value in values.items()})


def _between(edge: dict[str, Any]) -> dict[str, int]:
    return {"x": (edge["x1"] + edge["x2"]) // 2, "y": (edge["y1"] + edge["y2"]) // 2 - 3}


def _beside(node: dict[str, Any]) -> dict[str, Any]:
    marks = " m" * node["middle"] + " w" * node["way"]
    return {"marks": marks, "below": node["y"] + node["r"] + 13}
