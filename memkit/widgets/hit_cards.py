"""Result cards: the text of a hit with the question's words marked, its source, and why it was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

from memkit.core.formatting import short, when_text
from memkit.retrieval.results import Hit, Recall
from memkit.widgets.base import hint
from memkit.widgets.marking import marked, marked_words
from memkit.widgets.reasons import QUIET, path, why

LINE = "color-mix(in srgb,currentColor 25%,transparent)"
CARD = f"padding:.5em 0;border-bottom:1px solid {LINE};line-height:1.45"


def cards(found: Recall, notes: Mapping[str, str] | None = None) -> str:
    """The hits of a recall as HTML; `notes` are short texts to show at hits, by the memory's id."""
    notes = notes or {}
    if not found.question.strip():
        return hint("Type a question.")
    if not found:
        return hint(f"Nothing was found for {short(found.question, 80)!r}.") + states(found)
    largest = max((part.contribution for hit in found for part in hit.why.values()), default=0.0)
    items = "".join(_card(found.searched, hit, notes.get(hit.memory.id, ""), largest) for hit in found)
    listed = f'<ol style="padding-left:1.8em;margin:0">{items}</ol>'
    return f"{states(found)}{folded(listed)}" if found.weak else f"{listed}{states(found)}"


def folded(html: str) -> str:
    """Hits that most likely do not answer the question, behind a line that opens."""
    return f"<details><summary>What is nearest to it</summary>{html}</details>"


def states(found: Recall) -> str:
    """The channels of a recall that did not run, with the reasons, and its warnings, as HTML."""
    return "".join(f'<p style="{QUIET}">{escape(one)}</p>' for one in found.notes)


def _card(question: str, hit: Hit, note: str, largest: float) -> str:
    memory = hit.memory
    place = (when_text(memory.when), memory.title, memory.speaker, memory.kind, _project(memory.project), memory.id)
    told = " · ".join(escape(part) for part in place if part)
    beside = f"<strong>{escape(note)}</strong> " if note else ""
    until = f'<div style="{QUIET}">{escape(hit.until_text)}</div>' if hit.until_text else ""
    text = f'<span dir="auto">{marked(memory.text, question)}</span>'
    return (
        f'<li style="{CARD}">{beside}{text}<div style="{QUIET}">{told}</div>'
        f"{path(hit)}{until}{why(hit, marked_words(memory.text, question), largest)}</li>"
    )


def _project(name: str) -> str:
    return "" if name == "global" else f"project {name}"


def ranks(found: Iterable[Hit]) -> dict[str, int]:
    """The rank of each hit, from 1, by the memory's id."""
    return {hit.memory.id: n for n, hit in enumerate(found, 1)}
