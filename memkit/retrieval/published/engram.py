"""Engram: one distance, shortened by words, project, access, importance and recency, and a cutoff that depends on it.

E01 to E14 in docs/behaviours.md. Engram multiplies a distance, where smaller is nearer; memkit multiplies scores. So a
score is 1 / distance here, and each rule is 1 / Engram's factor, with the constants that Engram really uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp, log2
from typing import TYPE_CHECKING

from memkit.retrieval.boosts import About, Cutter
from memkit.retrieval.context.layout import Layout
from memkit.retrieval.designs import Design, register
from memkit.retrieval.fusion import Contributions, Fuser, Ranking, max_normalised
from memkit.retrieval.results import Hit, Recall
from memkit.retrieval.strategies import OWN_TEXT, PLAIN, Cut, Expand, Fulltext, Fuse, Pack, Strategy, Vector
from memkit.storage.connection import Connection
from memkit.storage.filters import Scope

if TYPE_CHECKING:
    from memkit.retrieval.context.data import View
    from memkit.retrieval.context.values import Item, Plan

# ---------------------------------------------------------------------------------------------- strategies

ENGRAM = Strategy(
    name="engram",
    fulltext=Fulltext(weight=0.3, query="content", columns=OWN_TEXT, limit=30),
    vector=Vector(weight=1.0, limit=30, threshold=-1.0, complete=True),
    graph=None,
    fuse=Fuse(method="engram"),
    rank=replace(
        PLAIN, recency="engram", importance="engram", access="engram", project=1 / 0.7, global_project=1 / 0.85
    ),
    cut=Cut(method="engram", value=1.2),
    expand=Expand(depth=0, latest=True, opposite=True, children=10, similar=0.45, related=True),
    pack=Pack(layout="engram"),
)
# Before every message: five memories, and the memories linked to them (E11).
ADVISE = ENGRAM.replace(expand={"depth": 1})

# ---------------------------------------------------------------------------------------------- the distance


def fuse(
    rankings: Mapping[str, Ranking], weights: Mapping[str, float], least: float = 1e-3, unknown: float = 2**0.5
) -> Contributions:
    """1 / distance: the L2 distance of unit vectors, made shorter where words match (E02, E05).

    The best match by words is nearer by the share `weights["fulltext"]`, other matches by less; the share `least` of a
    distance is left always. A memory without a vector has the distance of an unrelated one: the square root of 2.
    """
    words = max_normalised(rankings.get("fulltext", {}))
    meaning = rankings.get("vector", {})
    fused: Contributions = {}
    for key in [*meaning, *(key for key in words if key not in meaning)]:
        far = l2_distance(meaning[key], least) if key in meaning else unknown
        parts = {"vector": 1 / far} if key in meaning else {}
        if key in words:
            near = far * max(1 - weights.get("fulltext", 0.0) * words[key], least)
            parts["fulltext"] = 1 / near - sum(parts.values())
        fused[key] = parts
    return fused


def l2_distance(cosine: float, least: float = 0.0) -> float:
    """The Euclidean distance of two unit vectors with this cosine, at least `least`."""
    distance: float = max(0.0, 2 - 2 * cosine) ** 0.5
    return max(distance, least)


# ---------------------------------------------------------------------------------------------- boosts


def importance(about: About) -> float:
    """1 / (1 - .05 x (importance - 1)) on Engram's scale of 1 to 5: up to a quarter more (E05)."""
    return 1.0 / (1.0 - 0.05 * (max(1.0, about.importance / 2.0) - 1.0))


def recency(about: About) -> float:
    """1 / (1 - .1 x e**(-days / 30)), days since it was last read, or else since it happened: a tiebreaker (E05)."""
    days = about.unread if about.unread is not None else about.age
    return 1.0 if days is None else 1.0 / (1.0 - 0.1 * exp(-max(days, 0.0) / 30.0))


def access(about: About) -> float:
    """1 / (1 - min(.04 x log2(1 + n), .15)) for a memory that was read n times.

    A memory that was never read loses from two weeks on: its distance grows up to 1.2 times, at 180 days.
    """
    if about.accesses > 0:
        return 1.0 / (1.0 - min(0.04 * log2(1 + about.accesses), 0.15))
    if about.age is None or about.age <= 14:
        return 1.0
    return 1.0 / (1.0 + 0.2 * min(1.0, (about.age - 14) / (180 - 14)))


# ---------------------------------------------------------------------------------------------- the cutoff


FAR = 1.1  # a distance; measured: no evaluation set loses a wanted memory by it, at the published 1.05 the samples do


def cut(scores: Sequence[float], value: float, far: float = FAR) -> float:
    """The lowest score that stays: 1 / max(min(`value` x p75, 3 x the best), 1e-9), both of the distances (E06).

    Where even the nearest is further than `far`, nothing stays: nothing relevant exists.
    """
    distances = sorted(1.0 / score for score in scores if score > 0)
    if not distances:
        return float("-inf")
    if distances[0] > far:
        return float("inf")
    p75 = distances[min(len(distances) - 1, int(0.75 * len(distances)))]
    return (1.0 - 1e-12) / max(min(value * p75, 3 * distances[0]), 1e-9)


def weak(scores: Sequence[float], most: float = 1.05) -> bool:
    """Whether the hits are far from the question: a mean distance over `most` (the published weak-recall warning)."""
    distances = [1.0 / score for score in scores if score > 0]
    return bool(distances) and sum(distances) / len(distances) > most


# ---------------------------------------------------------------------------------------------- the page

LONG, PREVIEW = 500, 120  # characters: a linked memory that is longer than LONG is shown by its first PREVIEW


def plan(conn: Connection, found: Recall, view: View, scope: Scope) -> Plan:
    """The advise block: the hits in rank order, with linked memories beside their hit (E11, E14).

    A long linked memory is shown as a preview with its size.
    """
    from memkit.retrieval.context.values import Plan

    memories, said = view.unsaid(_item(view, hit) for hit in found)
    return Plan({"memories": memories}, left_out=said)


def _item(view: View, hit: Hit) -> Item:
    from memkit.text.sanitize import one_line

    item = view.memory("memories", hit.memory, hit, preview=False)
    if hit.via is None or len(hit.memory.text) <= LONG:
        return item
    start = one_line(hit.memory.text)[:PREVIEW].rstrip() + "…"
    return item.shorter(start, {**view.text(start), "preview": True})


# ---------------------------------------------------------------------------------------------- the design

register(
    Design(
        ENGRAM,
        advising=(ADVISE, 5),
        fuser=Fuser(fuse),
        rules={"recency": recency, "importance": importance, "access": access},
        cut=Cutter(cut, weak),
        layouts={"engram": Layout(plan, k=5, gated=True)},
        policy={"steps": ("propose", "purge")},
    )
)
