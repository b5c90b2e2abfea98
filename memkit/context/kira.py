"""Kira's injected context: sections by kind, each with its share of the budget (K25 to K31, K43)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memkit import budget, store
from memkit.channels import recent
from memkit.context.data import VAGUE, View
from memkit.context.page import left_out
from memkit.context.values import NOT_HERE, SAID, Item, Plan, Room
from memkit.results import Hit, Recall
from memkit.scope import Scope
from memkit.types import Memory

PREFERENCES = 50
CANDIDATES = 120  # memories asked for, so that each category finds its own among them
MOST = {"referenced": 20, "episodes": 40, "neighbours": 20, "procedures": 10}  # of them, by share (K08 to K12)
MARGIN = 0.05  # of the budget, kept for what an estimate is wrong by (K25)

# Which section a kind of memory is shown in, and the share that it lives on (K27). Other kinds are history if they have
# a time, and known context if they have none.
PLACES = {"fact": ("known", "referenced"), "procedure": ("procedures", "procedures")}
DATED, UNDATED = ("history", "episodes"), ("known", "neighbours")


def plan(conn: Any, found: Recall, view: View, scope: Scope) -> Plan:
    """Preferences, entities and facts, episodes, procedures.

    Preferences and the user's profile are always there (K27). A relation is left out where a fact that is its evidence
    is shown, since that says the same, and where it only says that a note links to another.
    """
    preferences = [view.memory("preferences", memory, share="profile") for memory in _profile(conn, found, scope)]
    keys = {item.key for item in preferences}
    items = [_placed(view, hit) for hit in found if ("memory", hit.memory.key) not in keys]
    said = [item for item in items if view.has_been_said(item.text)]
    items = _best([item for item in items if item not in said])
    stated = {item.key[1] for item in items if item.section == "known"}
    repeated = [
        fact for fact in found.facts if fact.predicate in VAGUE or stated & {one.memory_key for one in fact.evidence}
    ]
    things = [
        *(
            view.entity("known", one, share=_share(one.depth))
            for one in found.entities
            if one.depth == 0 or one.description
        ),
        *(view.fact("known", one, share=_share(one.depth)) for one in found.facts if one not in repeated),
        *(item for item in items if item.section == "known"),
    ]
    return Plan(
        {
            "preferences": preferences,
            "known": sorted(things, key=_rank),
            "history": [item for item in items if item.section == "history"],
            "procedures": [item for item in items if item.section == "procedures"],
        },
        choose=choose,
        left_out=[
            *(left_out(item, SAID) for item in said),
            *(left_out(view.fact("known", fact), NOT_HERE) for fact in repeated),
        ],
    )


def choose(items: Sequence[Item], room: Room) -> list[Item]:
    """What fits when each category has its share of the budget, and leftovers flow on (K26, K27)."""
    categories = {name: [item for item in items if item.share == name] for name in budget.KIRA_SHARES}
    most = budget.retrieval_budget(room.budget, margin=MARGIN)
    packed = budget.shares(categories, most, budget.KIRA_SHARES, room.cost, room.shorten)
    return [item for name in budget.KIRA_SHARES for item in packed[name].items]


def _profile(conn: Any, found: Recall, scope: Scope) -> list[Memory]:
    """Who the user is and what they like: the profile, then what was found for the question, then by importance."""
    user = replace(scope, slot="user", kinds=None)
    liked = replace(scope, kinds=("preference",))
    rank = {hit.memory.key: n for n, hit in enumerate(found)}
    keys = [key for part in (user, liked) for key in recent.search(conn, part, limit=PREFERENCES)]
    return sorted(
        store.memories(conn, list(dict.fromkeys(keys))).values(),
        key=lambda one: (
            rank.get(one.key, len(rank)),
            one.slot != "user",
            -one.importance * one.confidence,
            one.category or "",
            one.text,
        ),
    )


def _placed(view: View, hit: Hit) -> Item:
    section, share = PLACES.get(hit.memory.kind, DATED if hit.memory.happened_at else UNDATED)
    return view.memory(section, hit.memory, hit, share=share)


def _best(items: Sequence[Item]) -> list[Item]:
    """As many of each share as the published queries bring."""
    seen: Counter[str] = Counter()
    kept = []
    for item in items:
        seen[item.share] += 1
        if seen[item.share] <= MOST[item.share]:
            kept.append(item)
    return kept


def _share(depth: int) -> str:
    return "referenced" if depth == 0 else "neighbours"


def _rank(item: Item) -> tuple[bool, float]:
    """Entities that the question names before everything else, and then by score."""
    named = item.key[0] == "entity" and item.values["depth"] == 0
    return not named, -(item.values["score"] or 0.0)
