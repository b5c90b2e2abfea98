"""Rows of hits: which ones a filter leaves, their order by a column, and the table of them as HTML. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from memkit.core.formatting import TABLE_STYLE, cell_style, when_text
from memkit.core.types import Memory
from memkit.retrieval.results import Hit, Recall
from memkit.widgets.marking import marked, marked_words
from memkit.widgets.reasons import path, reasons

Row = tuple[int, Hit]  # a hit with its rank, from 1
EXCERPT = 160  # characters of a memory in its row


@dataclass(frozen=True)
class Column:
    """A column: its heading, the value that it is sorted by (None comes last), the text of a cell, and its first order.

    A `wide` one is left out where there is little room.
    """

    heading: str
    value: Callable[[Row], Any]
    text: Callable[[Row], str]
    descending: bool = False
    wide: bool = False


def _place(memory: Memory) -> str:
    project = "" if memory.project == "global" else memory.project
    return " · ".join(filter(None, (memory.title, memory.speaker, project)))


COLUMNS = {
    "rank": Column("#", lambda row: row[0], lambda row: str(row[0])),
    "score": Column("score", lambda row: row[1].score, lambda row: f"{row[1].score:.3f}", descending=True),
    "when": Column(
        "when",
        lambda row: row[1].memory.when or None,
        lambda row: when_text(row[1].memory.when)[:10],
        descending=True,
    ),
    "kind": Column("kind", lambda row: row[1].memory.kind, lambda row: row[1].memory.kind, wide=True),
    "where": Column(
        "where",
        lambda row: _place(row[1].memory).casefold() or None,
        lambda row: _place(row[1].memory),
        wide=True,
    ),
    "text": Column("memory", lambda row: row[1].memory.text.casefold(), lambda row: row[1].memory.text),
}


def rows(found: Recall, words: str = "", by: str = "rank", descending: bool = False) -> list[Row]:
    """The hits in which all words of a filter occur, in any of their fields, ordered by a column; ties by rank."""
    wanted, value = words.casefold().split(), COLUMNS[by].value
    left = [row for row in enumerate(found, 1) if all(word in _said(row[1].memory) for word in wanted)]
    known = sorted((row for row in left if value(row) is not None), key=value, reverse=descending)
    return [*known, *(row for row in left if value(row) is None)]


def _said(memory: Memory) -> str:
    fields = (memory.text, memory.kind, memory.when, _place(memory), memory.source, memory.id, *memory.tags)
    return " ".join(filter(None, fields)).casefold()


@dataclass(frozen=True)
class TableState:
    """How a table looks: the selected ids, the one that is open, the order, and whether it can be clicked (`live`)."""

    selected: Collection[str] = ()
    opened: str = ""
    by: str = "rank"
    descending: bool = False
    live: bool = True


def table_html(found: Recall, shown: Sequence[Row], state: TableState) -> str:
    """The table of these rows; what can be clicked has a `data-key`, such as `open:ID`, that says what it asks for."""
    every = bool(shown) and all(row[1].memory.id in state.selected for row in shown)
    headings = "".join(_heading(name, column, state) for name, column in COLUMNS.items())
    box = _box("all:", "Choose all that are shown", every) if state.live else ""
    body = "".join(_row(found.searched, row, state) for row in shown)
    look = "" if state.live else f' style="{TABLE_STYLE}"'
    count = f"{len(shown)} of {len(found)} hits, {len(state.selected)} selected"
    return (
        f'<div class="memkit-hits"><p role="status">{count}</p><table{look}><thead><tr><th>{box}</th>{headings}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def _heading(name: str, column: Column, state: TableState) -> str:
    order = ("descending" if state.descending else "ascending") if name == state.by else "none"
    arrow = {"descending": " ▼", "ascending": " ▲", "none": ""}[order]
    text = f"{column.heading}{arrow}"
    button = f'<button type="button" data-key="sort:{name}" title="Sort by {column.heading}">{text}</button>'
    return f'<th scope="col" aria-sort="{order}"{_class(column, state.live)}>{button if state.live else text}</th>'


def _class(column: Column, live: bool, text: str = "") -> str:
    """How a cell looks: by the stylesheet of the living table, or in itself where there is none."""
    return (' class="wide"' if column.wide else "") if live else f' style="{cell_style(text)}"'


def _box(key: str, label: str, checked: bool) -> str:
    on = " checked" if checked else ""
    return f'<input type="checkbox" data-key="{escape(key)}" aria-label="{label}"{on}>'


def _row(question: str, row: Row, state: TableState) -> str:
    number, hit = row
    id, chosen, opened = hit.memory.id, hit.memory.id in state.selected, hit.memory.id == state.opened
    first = _box(f"choose:{id}", f"Choose hit {number}", chosen) if state.live else "✓" * chosen
    others = [(column, column.text(row)) for name, column in COLUMNS.items() if name != "text"]
    cells = "".join(f"<td{_class(column, state.live, text)}>{escape(text)}</td>" for column, text in others)
    excerpt = marked(hit.memory.text, question, EXCERPT)
    if state.live:
        told = f'aria-expanded="{str(opened).lower()}" title="Show the whole memory"'
        excerpt = f'<button type="button" data-key="open:{escape(id)}" {told}>{excerpt}</button>'
    look = ' class="chosen"' if chosen else ""
    look_of_text = ' class="text"' if state.live else f' style="{cell_style(hit.memory.text)}"'
    below = f'<tr><td colspan="{len(COLUMNS) + 1}">{_whole(hit, question)}</td></tr>' if opened else ""
    return f"<tr{look} data-row><td>{first}</td>{cells}<td{look_of_text}>{excerpt}</td></tr>{below}"


def _whole(hit: Hit, question: str) -> str:
    """A memory in full, with where it comes from and why it was found."""
    memory = hit.memory
    place = (when_text(memory.when), memory.kind, _place(memory), ", ".join(memory.tags), memory.id)
    source = f"Source: {memory.source or 'told to memkit itself'}"
    quiet = "".join(
        f'<p class="quiet">{escape(line)}</p>'
        for line in (" · ".join(filter(None, place)), source, hit.until_text)
        if line
    )
    why = reasons(hit, marked_words(memory.text, question, len(memory.text)))
    label = f'role="region" tabindex="0" aria-label="The whole memory {escape(memory.id)}"'
    return f'<div {label}><p class="whole">{escape(memory.text)}</p>{quiet}{path(hit)}{why}</div>'
