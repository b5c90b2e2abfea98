"""Construct's preamble before a message, and what its recall tool answers (C01 to C15, C41)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memkit import store
from memkit.channels import recent
from memkit.context.data import View
from memkit.context.page import left_out
from memkit.context.values import SAID, SHOWN, Plan
from memkit.results import Recall
from memkit.scope import Scope
from memkit.types import Memory

RECENT = 10  # memories (C03)
OBSERVATIONS = 50
OBSERVATION = "observation"


def plan(conn: Any, found: Recall, view: View, scope: Scope) -> Plan:
    """Observations, the newest memories, and what is relevant (C02); what is in one of them is in no other (C06).

    The newest are shown as they come, the observations in their own order. Where the budget is short, relevance comes
    first and recency last.
    """
    observations = observed(conn, scope)[::-1]
    seen = {memory.key for memory in observations}
    newest = [memory for memory in _newest(conn, scope) if memory.key not in seen]
    seen |= {memory.key for memory in newest}
    relevant = [view.memory("relevant", hit.memory, hit) for hit in found if hit.memory.key not in seen]
    shown = [view.memory("relevant", hit.memory, hit) for hit in found if hit.memory.key in seen]
    said = [item for item in relevant if view.has_been_said(item.text)]
    return Plan(
        {
            "observations": [view.memory("observations", memory) for memory in observations],
            "recent": [view.memory("recent", memory) for memory in newest if not view.has_been_said(memory.text)],
            "relevant": [item for item in relevant if item not in said],
        },
        first=("relevant", "observations", "recent"),
        left_out=[*(left_out(item, SHOWN) for item in shown), *(left_out(item, SAID) for item in said)],
    )


def observed(conn: Any, scope: Scope) -> list[Memory]:
    """What was observed of the conversations, newest first (C08)."""
    if scope.kinds is not None and OBSERVATION not in scope.kinds:
        return []
    keys = recent.search(conn, replace(scope, kinds=(OBSERVATION,)), limit=OBSERVATIONS)
    return list(store.memories(conn, keys).values())


def _newest(conn: Any, scope: Scope) -> list[Memory]:
    keys = recent.search(conn, scope, limit=RECENT + OBSERVATIONS)
    newest = store.memories(conn, keys).values()
    return [memory for memory in newest if memory.kind != OBSERVATION][:RECENT]


def tool_plan(conn: Any, found: Recall, view: View, scope: Scope) -> Plan:
    """The memories of an active recall, each with how it was found (C41)."""
    return Plan({"found": [view.memory("found", hit.memory, hit) for hit in found]})
