"""Values as text, Markdown and HTML. Text from memories is escaped here and nowhere else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memkit.context import Context
    from memkit.results import Hit, Recall

SHOWN = 300


def short(text: str, most: int = SHOWN) -> str:
    """A text on one line, cut at a blank before `most` characters with an ellipsis."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[most // 2 :] else cut).rstrip(",;: ") + "…"


def when_text(when: str | None) -> str:
    """A time as people write it: date, and the minutes where it has them."""
    return "" if not when else when[:16].replace("T", " ")


def why_text(hit: Hit) -> str:
    """Why a hit is one: `fulltext #1, vector #4 · question -> Rosa -planted-> quince`."""
    found = ", ".join(f"{channel} #{finding.rank}" for channel, finding in hit.why.items()) or (hit.via or "")
    return f"{found} · {hit.path_text}" if hit.path else found


def recall_text(found: Recall) -> str:
    """The recall as plain text: question, hits with score, time and why, and what did not run."""
    head = f"{found.question!r}: {counted(len(found), 'memories')}"
    lines = [short(head, 200)]
    for n, hit in enumerate(found, 1):
        place = " · ".join(filter(None, (when_text(hit.memory.happened_at), hit.memory.title, hit.memory.speaker)))
        lines.append(f"{n:3}. {short(hit.memory.text, 200)}")
        lines.append(f"     {hit.score:.3f} [{hit.memory.id}] {place}".rstrip())
        lines.append(f"     {why_text(hit)}")
    lines += [f"     ({channel}: {state})" for channel, state in found.channels.items() if state != "ran"]
    lines += [f"     ({warning})" for warning in found.warnings]
    return "\n".join(lines)


def counted(n: int, many: str) -> str:
    """A number and what is counted, by its plural: `1 memory`, `2,000 memories`."""
    return f"{n:,} {many if n != 1 else _one(many)}"


def _one(many: str) -> str:
    if many.endswith("ies"):
        return many[:-3] + "y"
    return many[: -2 if many.endswith("aliases") else -1] if many.endswith("s") and not many.endswith("ss") else many


HEADINGS = ("", "score", "memory", "when", "where", "why")


def _cells(n: int, hit: Hit) -> tuple[str, ...]:
    memory = hit.memory
    place = " · ".join(
        filter(None, (memory.title, memory.speaker, memory.project if memory.project != "global" else ""))
    )
    return (str(n), f"{hit.score:.3f}", short(memory.text), when_text(memory.happened_at), place, why_text(hit))


def recall_markdown(found: Recall) -> str:
    """The recall as a Markdown table."""
    rows = [_cells(n, hit) for n, hit in enumerate(found, 1)]
    return f"**{_markdown(found.question)}**\n\n" + markdown_table(HEADINGS, rows)


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; what would be markup in a cell is escaped."""
    lines = ["| " + " | ".join(headings) + " |", "|" + " --- |" * len(headings)]
    lines += ["| " + " | ".join(map(_markdown, row)) + " |" for row in rows]
    return "\n".join(lines)


def _markdown(text: str) -> str:
    escaped = "".join("\\" + c if c in r"\`*_[]|<>#" else c for c in text)
    return " ".join(escaped.splitlines())


# Colours come from the page (currentColor), so that the table reads in light and in dark.
TABLE_STYLE = "border-collapse:collapse;text-align:left;font-size:.92em"
CELL_STYLE = (
    "text-align:left;vertical-align:top;padding:.25em .6em;"
    "border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent)"
)


def html_table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML table with everything escaped, readable without any stylesheet."""
    head = "".join(f'<th scope="col" style="{CELL_STYLE}">{escape(name)}</th>' for name in headings)
    body = "".join(
        "<tr>" + "".join(f'<td style="{CELL_STYLE}">{escape(cell)}</td>' for cell in row) + "</tr>" for row in rows
    )
    return (
        f'<table style="{TABLE_STYLE}"><caption style="text-align:left;padding:.3em .6em;font-weight:600">'
        f"{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def notes_html(notes: Iterable[str]) -> str:
    """Small print below a table, escaped."""
    return "".join(f"<p><small>{escape(note)}</small></p>" for note in notes)


def recall_html(found: Recall) -> str:
    """The recall as an HTML table, escaped."""
    caption = f"{short(found.question, 120)} — {counted(len(found), 'memories')}"
    missing = [f"{channel}: {state}" for channel, state in found.channels.items() if state != "ran"]
    table = html_table(caption, HEADINGS, (_cells(n, hit) for n, hit in enumerate(found, 1)))
    return table + notes_html((*missing, *found.warnings))


def report_html(report: Any) -> str:
    """An ingest report as a small table, with the failures below."""
    names = ("added", "updated", "unchanged", "removed", "failed")
    caption = "What would happen" if report.dry_run else "Ingested"
    table = html_table(caption, names, [[str(getattr(report, name)) for name in names]])
    failures = "".join(f"<li>{escape(str(failure))}</li>" for failure in report.failures[:20])
    return table + (f"<ul>{failures}</ul>" if failures else "")


def table(rows: Sequence[Sequence[str]], indent: str = "") -> str:
    """Rows as aligned columns of plain text."""
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(len(rows[0]))] if rows else []
    return "\n".join(indent + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


# ---------------------------------------------------------------------------------------------- contexts


def context_text(found: Context) -> str:
    """A context in a few lines: what is in it, how much of the budget it takes, what was left out and why."""
    lines = [f"{short(found.message, 100)!r}: {found.used:,} of {found.budget:,} tokens, layout {found.layout}"]
    for name, items in found.sections.items():
        lines.append(f"  {name}: {len(items)} ({counted(sum(item.tokens for item in items), 'tokens')})")
    reasons = Counter(item.reason for item in found.left_out)
    lines += [f"  left out: {count} ({reason})" for reason, count in reasons.items()]
    return "\n".join(lines)


CONTEXT_HEADINGS = ("section", "what", "id", "tokens", "")


def _context_rows(found: Context) -> list[tuple[str, ...]]:
    shown: list[tuple[str, ...]] = [
        (i.section, i.kind, i.id, f"{i.tokens:,}", "shortened" if i.shortened else "") for i in found.shown
    ]
    return shown + [(i.section, i.kind, i.id, "", f"left out: {i.reason}") for i in found.left_out]


def context_html(found: Context) -> str:
    """A context as its text, and a table of what is in it; escaped."""
    caption = f"{short(found.message, 120)} — {found.used:,} of {found.budget:,} tokens"
    text = f'<pre style="white-space:pre-wrap">{escape(found.text)}</pre>'
    return text + html_table(caption, CONTEXT_HEADINGS, _context_rows(found))


def context_markdown(found: Context) -> str:
    """A context as its text, indented so that nothing in it is markup, and a table of what is in it."""
    text = "\n".join(f"    {line}" for line in found.text.splitlines())
    return f"{text}\n\n" + markdown_table(CONTEXT_HEADINGS, _context_rows(found))
