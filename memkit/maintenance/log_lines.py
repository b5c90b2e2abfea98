"""Sentences of the log: what a change did, and what a run did, in words for people.

A change is known by its step and its action, as `log.record` was told. One that is not in the table (a later memkit may
have written it) is called by these two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from memkit.core.formatting import counted


class Told(NamedTuple):
    """How a change is told: alone (`{}` is its sources, counted), and in the sum of a run (the plural, the verb)."""

    alone: str
    many: str
    verb: str


TOLD = {
    "observe: observed": Told("Noted from {}", "notes", "made"),
    "reflect: condensed": Told("Condensed from {}", "notes", "condensed"),
    "reflect: left out": Told("Put away, as the condensed notes have no room for it", "notes", "put away"),
    "facts: read": Told("Read for facts by a model", "memories", "read by a model"),
    "facts: not read": Told("Not read by the model", "memories", "not read by the model"),
    "slots: filled": Told("Kept as a value", "values", "kept"),
    "slots: ended": Told("Ended a value", "values", "ended"),
    "slots: taken back": Told("Took a value back", "values", "taken back"),
    "compress: made": Told("Shortened {} to this", "summaries", "made"),
    "distil: distilled": Told("Shortened a summary to this", "summaries", "shortened"),
    "promote: promoted": Told("Surer now", "memories", "surer"),
    "promote: demoted": Told("Less sure now", "memories", "less sure"),
    "promote: weighed": Told("Weighed anew", "memories", "weighed anew"),
    "crystals: made": Told("Written down from what several say", "crystals", "made"),
    "crystals: rebuilt": Told("Written down anew from what several say", "crystals", "made anew"),
    "crystals: put away": Told("Put away, as nothing supports it any more", "crystals", "put away"),
    "propose: merged": Told("Made one of {}, as you decided", "merges", "decided"),
    "propose: settled": Told("Kept as true, as you decided", "contradictions", "decided"),
    "prune: pruned": Told("Let go, as its slot was too full", "memories", "let go from full slots"),
    "expire: expired": Told("Let go", "memories", "let go"),
    "expire: kept": Told("Kept, though its time is over", "memories", "kept as important"),
    "purge: gone for good": Told("Gone for good", "memories", "gone for good"),
    "compact: summarised": Told("Shortened a conversation to this", "conversations", "shortened"),
    "feedback: weighed": Told("Weighed by what was of use", "memories", "weighed by use"),
    "forget: forgotten": Told("Forgotten, as you wished", "memories", "forgotten"),
    "forget: hidden": Told("Hidden, with a forgotten memory", "memories", "hidden"),
    "forget: taken back": Told("Taken back, with a forgotten memory", "memories", "taken back"),
    "forget: gone for good": Told("Gone for good, with a forgotten memory", "memories", "gone for good"),
}


def sentence(step: str, action: str, sources: int) -> str:
    """What a change did, without a full stop: `Shortened 12 memories to this`."""
    name = f"{step}: {action}"
    return TOLD[name].alone.format(counted(sources, "memories")) if name in TOLD else name


def tally(names: Iterable[str]) -> str:
    """What a run did, from the names of its changes (`step: action`): `3 summaries made, 12 memories let go`."""
    return ", ".join(_summed(name, count) for name, count in Counter(names).items())


def _summed(name: str, count: int) -> str:
    told = TOLD.get(name)
    return f"{counted(count, told.many)} {told.verb}" if told else f"{name} {count:,}"
