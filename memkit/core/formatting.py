"""Formatting: tables, shortening and escaping for text, Markdown and HTML.

The tables escape their cells. Values with a repr for text, Markdown or HTML write it with these helpers, and escape
what they put beside a table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from memkit.core.instants import MONTH_NAMES
from memkit.core.unicode import UNPRINTABLE

SHOWN = 300
_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")


def short(text: str, most: int = SHOWN) -> str:
    """The text on one line; if longer than `most` characters, it is cut at a space and ends with an ellipsis."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    return beginning(line, most) + "…"


def told_apart(texts: Sequence[str], most: int) -> list[str]:
    """The texts as `short` has them. Those that would read the same begin with an ellipsis, and then differ."""
    shortened = [short(text, most) for text in texts]
    alike: dict[str, set[str]] = {}
    for label, text in zip(shortened, texts, strict=True):
        alike.setdefault(label, set()).add(" ".join(text.split()))
    return [_from_difference(text, alike[label], most) for label, text in zip(shortened, texts, strict=True)]


def _from_difference(text: str, alike: Collection[str], most: int) -> str:
    """A short text without the words with which all of these begin."""
    first, last = min(alike), max(alike)
    until = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    same = first.rfind(" ", 0, until) + 1 if len(alike) > 1 else 0
    return short("…" + " ".join(text.split())[same:] if same else text, most)


def beginning(text: str, most: int) -> str:
    """The first `most` characters less one (for an ellipsis), up to a space if there is one in their second half."""
    cut = text[: most - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[most // 2 :] else cut).rstrip(",;: ")


def printable(text: str) -> str:
    """The text for a terminal: control characters, which could move the cursor or hide words, are replaced."""
    return UNPRINTABLE.sub("\ufffd", text)


def when_text(when: str | None) -> str:
    """`2024-05-31 18:00` for an ISO time; `2024-05-31`, `May 2024` or `2024` if no more is known; "" for None."""
    if when and (month := _MONTH.fullmatch(when)):
        return f"{MONTH_NAMES[int(month[2]) - 1]} {month[1]}"
    return "" if not when else when[:16].replace("T", " ")


def counted(n: int, many: str) -> str:
    """A number with its noun, from the plural: `counted(1, "memories")` is `1 memory`, 2000 gives `2,000 memories`."""
    return f"{n:,} {many if n != 1 else _one(many)}"


def _one(many: str) -> str:
    if many.endswith("ies"):
        return many[:-3] + "y"
    return many[: -2 if many.endswith("aliases") else -1] if many.endswith("s") and not many.endswith("ss") else many


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; Markdown in cells is escaped."""
    lines = ["| " + " | ".join(headings) + " |", "|" + " --- |" * len(headings)]
    lines += ["| " + " | ".join(map(escape_markdown, row)) + " |" for row in rows]
    return "\n".join(lines)


def escape_markdown(text: str) -> str:
    """The text on one line, with a backslash before every character that Markdown could interpret."""
    escaped = "".join("\\" + c if c in r"\`*_[]|<>#" else c for c in text)
    return " ".join(escaped.splitlines())


# Colours come from the page (currentColor), so that the table is readable in light and dark themes.
TABLE_STYLE = "border-collapse:collapse;text-align:left;font-size:.92em;overflow-wrap:normal"
CELL_STYLE = (
    "text-align:left;vertical-align:top;padding:.25em .4em;"
    "border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent)"
)
LONGEST_WORD = 20  # characters of a word that no cell breaks
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")


def escape_html(text: str) -> str:
    """A text as it stands in HTML."""
    from html import escape  # loads the names of all characters, which a terminal does not need

    return escape(text)


def html_table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML table with escaped text and inline styles, so that it is readable without a stylesheet."""
    head = "".join(f'<th scope="col" style="{CELL_STYLE}">{escape_html(name)}</th>' for name in headings)
    body = "".join(f"<tr>{''.join(map(html_cell, row))}</tr>" for row in rows)
    return (
        f'<table style="{TABLE_STYLE}"><caption style="text-align:left;padding:.3em .4em;font-weight:600">'
        f"{escape_html(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def html_cell(text: str) -> str:
    """A cell of an HTML table with its escaped text: a date is not broken, and a long word, such as a link, is."""
    return f'<td style="{cell_style(text)}">{_DAY.sub(_unbroken, escape_html(text))}</td>'


def cell_style(text: str) -> str:
    """The style of a cell with this text. A word that could be broken anywhere makes no column wide.

    Hebrew and Arabic begin on the right.
    """
    broken = ";overflow-wrap:anywhere" if any(len(word) > LONGEST_WORD for word in text.split()) else ""
    right = ";unicode-bidi:plaintext;text-align:start" if _RIGHT_TO_LEFT.search(text) else ""
    return f"{CELL_STYLE}{broken}{right}"


def _unbroken(found: re.Match[str]) -> str:
    return f'<span style="white-space:nowrap">{found[0]}</span>'


def isolated(text: str) -> str:
    """The text as it stands in a line of HTML: what is in Hebrew or Arabic takes no number after it along."""
    return f"\u2068{text}\u2069" if _RIGHT_TO_LEFT.search(text) else text


def notes_html(notes: Iterable[str]) -> str:
    """Notes in small print below a table, escaped as HTML."""
    return "".join(f"<p><small>{escape_html(note)}</small></p>" for note in notes)


SHOWN_ROWS = 20  # rows shown of a long table
LONGEST_CELL = 160  # characters


def more_note(n: int, many: str) -> list[str]:
    """A list with one note, `and 5 more memories`, if `n` rows are more than SHOWN_ROWS; else an empty list."""
    return [f"and {counted(n - SHOWN_ROWS, f'more {many}')}"] if n > SHOWN_ROWS else []
