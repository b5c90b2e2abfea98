"""A drawing as SVG, written once while the database stays as it is: names are links, and every text is escaped."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

NODE = Markup(
    '<a href="{url}" class="c{group}{middle}" aria-label="{full}, {memories} memories">'
    '<circle cx="{x}" cy="{y}" r="{r}"/><text x="{x}" y="{below}">{name}</text></a>\n'
)
LINE = Markup('<line class="mk-line r" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"><title>{says}</title></line>')
WORD = Markup('<text class="mk-word" aria-hidden="true" x="{x}" y="{y}">{label}</text>')
WHOLE = Markup(
    '<svg viewBox="0 0 {width} {height}" style="--w:{width}px" role="presentation">'
    '<path class="mk-line" d="{together}"/><path class="mk-line r" d="{relations}"/>{lines}{words}\n{nodes}</svg>'
)


def svg(drawn: dict[str, Any]) -> Markup:
    """The SVG of what `drawing` gives; empty where there is nothing to draw."""
    if not drawn["nodes"]:
        return Markup()
    edges = drawn["edges"]
    return WHOLE.format(
        **{name: drawn[name] for name in ("width", "height", "together", "relations")},
        lines=Markup().join(LINE.format(**edge) for edge in edges),
        words=Markup().join(_word(edge) for edge in edges if edge["label"]),
        nodes=Markup().join(
            NODE.format(**{**node, "middle": " m" if node["middle"] else ""}, below=node["y"] + node["r"] + 13)
            for node in drawn["nodes"]
        ),
    )


def _word(edge: dict[str, Any]) -> Markup:
    x, y = (edge["x1"] + edge["x2"]) // 2, (edge["y1"] + edge["y2"]) // 2 - 3
    return WORD.format(x=x, y=y, label=edge["label"])
