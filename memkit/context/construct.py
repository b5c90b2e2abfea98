"""Construct's preamble before a message, and what its recall tool answers (C01 to C15, C41)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memkit import store
from memkit.budget import fit
from memkit.channels import recent
from memkit.context.data import View
from memkit.context.page import left_out
from memkit.context.values import SAID, SHOWN, Item, Plan, Room
from memkit.results import Recall
from memkit.scope import Scope
from memkit.types import Memory

RECENT = 10  # memories (C03)
OBSERVATIONS = 500  # more than a reflection leaves
OBSERVATION = "observation"
STABLE = 1 / 2  # of the budget, for observations


def plan(conn: Any, found: Recall, view: View, scope: Scope) -> Plan:
    """Observations, the newest memories, and what is relevant (C02); what is in one of them is in no other (C06).

    The newest are shown as they come, the observations in the order in which they were noted. Where the budget is
    short, recency comes last.
    """
    observations = observed(conn, scope)
    seen = {memory.key for memory in observations}
    newest = [memory for memory in _newest(conn, scope) if memory.key not in seen]
    seen |= {memory.key for memory in newest}
    relevant = [view.memory("relevant", hit.memory, hit) for hit in found if hit.memory.key not in seen]
    shown = [view.memory("relevant", hit.memory, hit) for hit in found if hit.memory.key in seen]
    said = [item for item in relevant if view.has_been_said(item.text)]
    return Plan(
        {
            "observations": [
                view.memory("observations", memory, priority=memory.meta.get("priority")) for memory in observations
            ],
            "recent": [view.memory("recent", memory) for memory in newest if not view.has_been_said(memory.text)],
            "relevant": [item for item in relevant if item not in said],
        },
        choose=choose,
        left_out=[*(left_out(item, SHOWN) for item in shown), *(left_out(item, SAID) for item in said)],
    )


def choose(items: Sequence[Item], room: Room) -> list[Item]:
    """The newest observations in half of the budget, whatever else there is; then what is relevant; then the newest.

    So the block of observations is the same, byte for byte, for every message, and more are only added at its end.
    """
    parts = {name: [item for item in items if item.section == name] for name in ("observations", "relevant", "recent")}
    stable = fit(parts["observations"][::-1], int(STABLE * room.budget), room.cost)
    return [*stable.items, *parts["relevant"], *parts["recent"]]


def observed(conn: Any, scope: Scope) -> list[Memory]:
    """What was observed of the conversations, in the order in which it was noted (C08)."""
    if scope.kinds is not None and OBSERVATION not in scope.kinds:
        return []
    keys = recent.search(conn, replace(scope, kinds=(OBSERVATION,)), limit=OBSERVATIONS)
    return list(store.memories(conn, sorted(keys)).values())


def _newest(conn: Any, scope: Scope) -> list[Memory]:
    keys = recent.search(conn, scope, limit=RECENT + OBSERVATIONS)
    newest = store.memories(conn, keys).values()
    return [memory for memory in newest if memory.kind != OBSERVATION][:RECENT]


def tool_plan(conn: Any, found: Recall, view: View, scope: Scope) -> Plan:
    """The memories of an active recall, each with how it was found (C41)."""
    return Plan({"found": [view.memory("found", hit.memory, hit) for hit in found]})
