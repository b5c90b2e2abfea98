"""What upkeep did, what it asks and what it goes by, as HTML tables; escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from memkit.render import counted, html_table, notes_html, short, when_text

if TYPE_CHECKING:
    from memkit.life.log import Change
    from memkit.life.maintain import MaintenanceReport
    from memkit.life.policy import Policy
    from memkit.life.proposals import Proposal

SHOWN = 20  # rows of a table
LONGEST = 160  # characters of a text

CHANGE_HEADINGS = ("step", "what", "memory", "says", "why", "change")


def _change(one: Change) -> tuple[str, ...]:
    done = f"{one.action}, undone {when_text(one.undone_at)}" if one.undone_at else one.action
    return (one.step, done, one.memory_id, short(one.says, LONGEST), short(one.why, LONGEST), one.id)


def run_html(report: MaintenanceReport) -> str:
    """A run of upkeep: how much it did, its first changes with what the memories say, and what should be known."""
    rows = map(_change, report.changes[:SHOWN])
    notes = [*_more(report.changes, "changes"), *report.notes]
    return html_table(report.summary, CHANGE_HEADINGS, rows) + notes_html(notes)


def changes_html(changes: Sequence[Change]) -> str:
    """The log of upkeep: the newest changes, with what the memories say."""
    rows = ((when_text(one.at), *_change(one)) for one in changes[:SHOWN])
    headings = ("when", *CHANGE_HEADINGS)
    return html_table(counted(len(changes), "changes"), headings, rows) + notes_html(_more(changes, "changes"))


def proposals_html(proposals: Sequence[Proposal]) -> str:
    """What there is to decide: what the members would become, and why."""
    rows = (
        (
            one.kind if one.state == "open" else f"{one.kind}, {one.state}",
            short(one.text, LONGEST),
            short(one.why, LONGEST),
            str(len(one.members)),
            when_text(one.created_at),
            one.id,
        )
        for one in proposals[:SHOWN]
    )
    headings = ("kind", "would become", "why", "members", "since", "proposal")
    table = html_table(counted(len(proposals), "proposals"), headings, rows)
    return table + notes_html(_more(proposals, "proposals"))


def _more(found: Sequence[Any], what: str) -> list[str]:
    """A note of how many there are beside those that are shown."""
    return [f"and {counted(len(found) - SHOWN, f'more {what}')}"] if len(found) > SHOWN else []


def policy_html(policy: Policy) -> str:
    """A policy: every setting by the name that `set_policy` takes, its value, and what it means."""
    return html_table(f"Policy of upkeep, preset {policy.preset}", ("setting", "value", "meaning"), _settings(policy))


def _settings(part: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    for each in fields(part):
        value = getattr(part, each.name)
        if is_dataclass(value):
            yield from _settings(value, f"{path}{each.name}.")
        elif "words" in each.metadata:
            yield (f"{path}{each.name}", _written(value), each.metadata["words"])


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return f"{value:,g}" if isinstance(value, float) else str(value).lower()
