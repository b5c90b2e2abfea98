"""Cards, ways and counts of the graph as text, Markdown and HTML, on top of `render`."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from memkit.render import counted, html_table, markdown_table, short, table, when_text

if TYPE_CHECKING:
    from memkit.cards import EntityCard, GraphStats, Path
    from memkit.graph.relations import Relation

SHOWN_MEMORIES = 12
_RELATION_HEADS = ("", "", "", "when", "sure", "evidence")
_STEP_HEADS = ("from", "", "to", "sure", "evidence", "memory")


def span_text(since: str | None, until: str | None) -> str:
    """How long something held: `2022-09-01 to 2025-03-01`, with open ends left out."""
    begin, end = (when_text(when).removesuffix(" 00:00") for when in (since, until))
    if begin and end:
        return f"{begin} to {end}"
    return f"since {begin}" if begin else f"until {end}" if end else ""


def _relation_row(one: Relation) -> tuple[str, ...]:
    proof = next((e for e in one.evidence if e.quote), one.evidence[0] if one.evidence else None)
    said = "" if proof is None else f"“{short(proof.quote, 160)}”" if proof.quote else proof.method
    more = f" (+{len(one.evidence) - 1})" if len(one.evidence) > 1 else ""
    when = span_text(one.valid_from, one.valid_until)
    return (one.subject, one.label, one.object, when, f"{one.confidence:.2f}", said + more)


def _relation_rows(relations: Iterable[Relation]) -> list[tuple[str, ...]]:
    return [_relation_row(one) for one in relations]


def _head(card: EntityCard) -> str:
    also = ", ".join(alias for alias in card.aliases if alias != card.name)
    about = [card.kind, short(card.description or "", 200), f"also {short(also, 200)}" if also else ""]
    return " · ".join(part for part in about if part)


def _memory_rows(card: EntityCard) -> list[tuple[str, ...]]:
    return [
        (when_text(one.when), short(one.text, 200), " · ".join(filter(None, (one.title, one.role))), one.id)
        for one in card.memories[:SHOWN_MEMORIES]
    ]


def _sections(card: EntityCard) -> list[tuple[str, list[tuple[str, ...]]]]:
    """The card's relations by heading; empty ones are left out."""
    disputed = [row for pair in card.conflicts for row in _relation_rows(pair)]
    sections = [
        ("What holds", _relation_rows(card.relations)),
        ("What cannot both be right", disputed),
        ("At other times", _relation_rows(card.history)),
    ]
    return [section for section in sections if section[1]]


def card_text(card: EntityCard) -> str:
    """The card as plain text."""
    lines = [card.name, f"  {_head(card)}"]
    for heading, rows in _sections(card):
        lines += [f"  {heading}:", table([[short(cell, 60) for cell in row] for row in rows], "    ")]
    lines.append(f"  Named in {counted(card.mentioned, 'memories')}:")
    lines += [f"    {when:16} {short(text, 90)} [{id}]" for when, text, _, id in _memory_rows(card)]
    return "\n".join(lines)


def card_markdown(card: EntityCard) -> str:
    """The card as Markdown."""
    from memkit.render import _markdown

    parts = [f"### {_markdown(card.name)}", _markdown(_head(card))]
    for heading, rows in _sections(card):
        parts += [f"**{heading}**", markdown_table(_RELATION_HEADS, rows)]
    parts += [f"**Named in {counted(card.mentioned, 'memories')}**"]
    parts += [markdown_table(("when", "memory", "where", "id"), _memory_rows(card))]
    return "\n\n".join(parts)


def card_html(card: EntityCard) -> str:
    """The card as HTML, escaped."""
    parts = [f"<h3>{escape(card.name)}</h3><p>{escape(_head(card))}</p>"]
    parts += [html_table(heading, _RELATION_HEADS, rows) for heading, rows in _sections(card)]
    caption = f"Named in {counted(card.mentioned, 'memories')}"
    parts.append(html_table(caption, ("when", "memory", "where", "id"), _memory_rows(card)))
    return "".join(parts)


def _steps(path: Path) -> list[tuple[str, ...]]:
    return [
        (
            step.source,
            f"{'' if step.forward else '← '}{step.label}{' →' if step.forward else ''}",
            step.target,
            f"{step.confidence:.2f}",
            short(step.quote, 200),
            step.memory_id or "",
        )
        for step in path
    ]


def path_text(path: Path) -> str:
    """The way as plain text, a line for each step's evidence."""
    lines = [str(path)]
    for step in path:
        said = f"“{short(step.quote, 120)}”" if step.quote else "(said by hand)"
        lines.append(f"  {said}" + (f" [{step.memory_id}]" if step.memory_id else ""))
    return "\n".join(lines)


def path_markdown(path: Path) -> str:
    """The way as a Markdown table."""
    from memkit.render import _markdown

    return f"**{_markdown(str(path))}**" + ("\n\n" + markdown_table(_STEP_HEADS, _steps(path)) if path.steps else "")


def path_html(path: Path) -> str:
    """The way as an HTML table, escaped."""
    return html_table(str(path), _STEP_HEADS, _steps(path))


def _counts(stats: GraphStats) -> list[tuple[str, str]]:
    names = ("memories", "entities", "aliases", "mentions", "relations", "links", "conflicts")
    rows = [(name, f"{getattr(stats, name):,}") for name in names]
    for name in ("kinds", "predicates", "link_types", "most_mentioned"):
        some = ", ".join(f"{short(what, 40)} {count:,}" for what, count in getattr(stats, name).items())
        rows.append((name.replace("_", " "), some))
    return rows


def stats_text(stats: GraphStats) -> str:
    """The counts as plain text."""
    return table(_counts(stats))


def stats_html(stats: GraphStats) -> str:
    """The counts as an HTML table, escaped."""
    return html_table("The graph", ("", ""), _counts(stats))
