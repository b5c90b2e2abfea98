"""Triggers of a message, and what each changes in what is looked up for it (Kira, K32).

`maintenance/triggers.py` decides which of them fire. `session_start` adds who the user is and what happened last to the
page; `message` is the usual recall; `topic_change` reads the message without the ones before it; `entity_mention` shows
what is known of a name when nothing else is asked; `remember_when` searches further back, with twice the room;
`compact` is for the caller, whose conversation it is: `MemoryDatabase.compact` shortens it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from memkit.core.types import Memory
from memkit.retrieval.channels import recent
from memkit.retrieval.strategies import Strategy
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.filters import Scope

SESSION_START, MESSAGE, TOPIC_CHANGE = "session_start", "message", "topic_change"
ENTITY_MENTION, REMEMBER_WHEN, COMPACT = "entity_mention", "remember_when", "compact"
DEEP = 2  # factor on budget, hits and candidates for a search in the past
PROFILE, LATEST = 8, 5  # memories at the start of a session
EPISODES = ("episode", "observation")  # kinds that tell what happened; single turns and passages tell too little

# What a page says of a trigger that has changed it; sections and facts speak for themselves.
SAID = {TOPIC_CHANGE: "a new topic", REMEMBER_WHEN: "searched further back"}


def deeper(strategy: Strategy) -> Strategy:
    """The strategy for a question about the past: it reads more, walks further, and prefers nothing recent."""
    wide = {
        name: {"limit": DEEP * channel.limit}
        for name in ("fulltext", "vector", "sentence")
        if (channel := getattr(strategy, name)) is not None
    }
    graph = {"graph": {"depth": strategy.graph.depth + 1}} if strategy.graph else {}
    rank = {"recency": "none", "later": False}
    return strategy.replace(rank=rank, **wide, **graph)


def profile(
    conn: Connection, scope: Scope, most: int = PROFILE, place: Mapping[int, int] = MappingProxyType({})
) -> list[Memory]:
    """Who the user is and what the user prefers, `most` of each; those with a `place` first (by key), in that order.

    Then come the values of the user's slot, and then what is most important.
    """
    parts = (replace(scope, slot="user", kinds=None), replace(scope, kinds=("preference",)))
    keys = [key for part in parts for key in recent.search(conn, part, limit=most)]
    found = store.memories(conn, list(dict.fromkeys(keys))).values()
    return sorted(
        found,
        key=lambda one: (
            place.get(one.key, len(place)),
            one.slot != "user",
            -one.importance * one.confidence,
            one.category or "",
            one.text,
        ),
    )


def of_the_user(conn: Connection, scope: Scope) -> list[Memory]:
    """What stands of the user where a session begins."""
    return profile(conn, _here(scope))[:PROFILE]


def latest(conn: Connection, scope: Scope) -> list[Memory]:
    """What happened last, the newest first: of things with a date, as an undated one may be of any time."""
    keys = recent.search(conn, replace(_here(scope), kinds=EPISODES), limit=LATEST)
    found = store.memories(conn, keys)
    return [found[key] for key in keys if key in found and found[key].happened_at]


def _here(scope: Scope) -> Scope:
    """The scope without other projects: nobody has asked about them."""
    return replace(scope, only_project=True) if scope.project else scope
