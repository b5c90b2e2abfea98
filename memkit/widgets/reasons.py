"""Reasons of a hit in HTML: a line of what found it, which opens to sentences, in the words of the page /recall."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from memkit.retrieval.everyday import channel_name, step_name
from memkit.retrieval.explanation import Way, moves_text, ways
from memkit.retrieval.results import Hit

QUIET = "opacity:.8;font-size:.9em"
BAR = "display:inline-block;height:.55em;background:currentColor;opacity:.55;margin-right:.35em"
BAR_WIDTH = 5  # em, for the largest contribution
THINNEST, THICKEST = 2, 8  # pixels of the line beside a way: the more it counted, the thicker


def why(hit: Hit, words: Sequence[str], largest: float) -> str:
    """Why it was found: what found it, in a line that opens to the ways from the question to it."""
    short = " &nbsp; ".join((*_found_by(hit, largest), f"<b>{hit.score:.3f}</b>"))
    line = f'<summary style="cursor:pointer"><b>Why?</b> &nbsp;{short}</summary>'
    return f'<details style="{QUIET}">{line}{reasons(hit, words)}</details>'


def reasons(hit: Hit, words: Sequence[str]) -> str:
    """The ways from the question to a hit, and what moved it up or down, as HTML. `words` are marked in its text."""
    listed = "".join(_way(way) for way in ways(hit, words))
    moved = moves_text(hit)
    return (
        f'<ul style="list-style:none;margin:.3em 0;padding:0 0 0 .4em">{listed}</ul>'
        f"{f'<p>{escape(moved)}</p>' if moved else ''}"
    )


def path(hit: Hit) -> str:
    """How it is connected with the question, as HTML: `How it is connected: Rosa — planted → quince`."""
    if not hit.path:
        return ""
    steps = "".join(f" — <em>{escape(step_name(step.label))}</em> → {escape(step.target)}" for step in hit.path)
    return f'<div style="{QUIET}">How it is connected: {escape(hit.path[0].source)}{steps}</div>'


def _found_by(hit: Hit, largest: float) -> list[str]:
    """The channels with their places and a bar of what each contributed: `words 2`; then the boosts."""
    parts = [_bar(f"{channel_name(name)} {part.rank}", part.contribution, largest) for name, part in hit.why.items()]
    parts += [f"{escape(name)} × {factor:.2f}" for name, factor in hit.boosts.items() if abs(factor - 1) > 1e-9]
    return parts + ([escape(hit.via.replace("_", " "))] if hit.via else [])


def _bar(label: str, value: float, largest: float) -> str:
    width = BAR_WIDTH * max(value, 0.0) / largest if largest > 0 else 0.0
    told = f'title="It counted {value:+.3f}"'
    return (
        f'<span style="white-space:nowrap" {told}><span style="{BAR};width:{width:.2f}em"></span>{escape(label)}</span>'
    )


def _way(way: Way) -> str:
    words = f": {' '.join(f'<mark>{escape(word)}</mark>' for word in way.words)}" if way.words else ""
    told = f"{way.place}, it counted {way.contribution:+.3f}" if way.place else ""
    thick = round(THINNEST + (THICKEST - THINNEST) * way.share)
    line = f"border-left:{thick}px solid;padding:.1em 0 .1em {THICKEST - thick + 8}px"  # all texts begin at one place
    return f'<li style="{line}">{escape(way.says)}{words} <small style="font-size:.9em;opacity:.85">{told}</small></li>'
