"""The three slots as bullets: the user's first and always, then the project's, then the agent's (S02, S14, S16)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memkit.context.data import View
from memkit.context.page import left_out
from memkit.context.values import SAID, Plan
from memkit.results import Recall
from memkit.scope import Scope

PAGE = 10  # of each slot (S02)
AHEAD = 90  # further ones that are counted, to say how many more there are

# What the budget serves first. The project's is not published; it lies between the two that are.
PRIORITIES: Mapping[str, int] = {"user": 88, "project": 79, "agent": 70}


def plan(conn: Any, found: Recall, view: View, scope: Scope) -> Plan:
    """A page of each slot; a memory without a slot is the project's. `view.offset` is where the page begins."""
    hits: dict[str, list[Any]] = {slot: [] for slot in PRIORITIES}
    for hit in found:
        hits[hit.memory.slot or "project"].append(hit)
    pages = {slot: some[view.offset : view.offset + PAGE] for slot, some in hits.items()}
    items = {slot: [view.memory(slot, hit.memory, hit) for hit in some] for slot, some in pages.items()}
    said = [item for some in items.values() for item in some if view.has_been_said(item.text)]
    more = {slot: len(some) - view.offset - PAGE for slot, some in hits.items()}
    return Plan(
        {slot: [item for item in some if item not in said] for slot, some in items.items()},
        first=sorted(PRIORITIES, key=lambda slot: -PRIORITIES[slot]),
        left_out=[left_out(item, SAID) for item in said],
        more={slot: rest for slot, rest in more.items() if rest > 0},
    )
