"""Engram's advise block: the best memories before a message, and what is linked to them (E11, E14)."""

from __future__ import annotations

from typing import Any

from memkit.context.data import View, one_line
from memkit.context.page import left_out
from memkit.context.values import SAID, Item, Plan
from memkit.results import Hit, Recall
from memkit.scope import Scope

LONG, PREVIEW = 500, 120  # characters of a connected memory: over the first, it is shown by the second


def plan(conn: Any, found: Recall, view: View, scope: Scope) -> Plan:
    """The hits in rank order; what came along by a link stands with its hit, a long one as a preview with its size."""
    items = [_item(view, hit) for hit in found]
    said = [item for item in items if view.has_been_said(item.text)]
    return Plan(
        {"memories": [item for item in items if item not in said]},
        left_out=[left_out(item, SAID) for item in said],
    )


def _item(view: View, hit: Hit) -> Item:
    item = view.memory("memories", hit.memory, hit, preview=False)
    if hit.via is None or len(hit.memory.text) <= LONG:
        return item
    start = one_line(hit.memory.text)[:PREVIEW].rstrip() + "…"
    return item.shorter(start, {**view.text(start), "preview": True})
