"""Construct: words, then meaning if there is room, then the graph; and a preamble before every message.

C01 to C41 in docs/behaviours.md. Active recall answers a question; passive recall runs before a message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memkit.core.types import Memory
from memkit.graph import facts
from memkit.graph.facts import around
from memkit.retrieval import boosts
from memkit.retrieval.channels import recent
from memkit.retrieval.channels.facts import ENTITY, MOST_MENTIONS, Connected, Rankings, entities_at, paths
from memkit.retrieval.context.layout import Layout
from memkit.retrieval.designs import Design, register
from memkit.retrieval.fusion import best_first
from memkit.retrieval.packing import fit
from memkit.retrieval.question import Question
from memkit.retrieval.results import Recall
from memkit.retrieval.strategies import OWN_TEXT, PLAIN, Fulltext, Fuse, Graph, Pack, Recent, Strategy, Vector
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.filters import Scope, eligible_among
from memkit.text import irregular
from memkit.text.words import words

if TYPE_CHECKING:
    import numpy as np

    from memkit.retrieval.context.data import View
    from memkit.retrieval.context.values import Item, Plan, Room

# ---------------------------------------------------------------------------------------------- strategies

# Active recall: words first, then meaning if there is room, then five memories that the graph leads to (C16 to C36).
CONSTRUCT = Strategy(
    name="construct",
    fulltext=Fulltext(weight=1.0, query="construct", columns=OWN_TEXT, limit=10),
    vector=Vector(limit=10, threshold=0.3, complete=False),
    graph=Graph(weight=1.0, walk="construct", seeds=5, depth=2, append=5),
    fuse=Fuse(method="waterfall"),
    rank=PLAIN,
    pack=Pack(layout="construct"),
)
# Passive recall before every message: a stricter threshold, no graph, five memories beside the ten newest (C01 to C06).
PASSIVE = CONSTRUCT.replace(vector={"threshold": 0.4}, graph=None, recent=Recent(weight=0.0, limit=10))


def pieces(text: str) -> list[str]:
    """The pieces between blanks that are longer than one character, without quotes; stop words stay (C17)."""
    return [term for piece in text.split() if len(piece) > 1 and (term := piece.replace('"', ""))]


def terms(text: str) -> list[str]:
    """The pieces of a text, and with `ran` also `run`: the stemmer of the index knows regular forms only (C22)."""
    found = pieces(text)
    return [*found, *(form for piece in found for word in words(piece) for form in irregular.forms(word))]


# ---------------------------------------------------------------------------------------------- where the walk begins

LONGEST_LIKE = 60  # characters: a longer text is a sentence, not a part of a name

SELECT_LIKE = r"""
select key from entities
where merged_into is null and name like '%' || :text || '%' escape '\'
order by updated_at desc, key limit :limit
"""


def search_nodes(
    conn: Connection,
    text: str,
    named: Sequence[int],
    *,
    limit: int = 10,
    vector: np.ndarray | None = None,
    model_key: int | None = None,
    threshold: float = 0.3,
) -> list[int]:
    """The keys of the entities that a question means, at most `limit`.

    First come the nearest by meaning, then those whose name contains the question's text. A whole question is seldom a
    part of a name, so the entities named in it belong to the second group (C36); they always have a place. Without a
    vector, only names count (C35).
    """
    from memkit.graph.entity_vectors import nearest_entities

    named = list(named)[:limit]
    near: list[int] = []
    if vector is not None and model_key is not None:
        near = [one.key for one, _ in nearest_entities(conn, vector, model_key, threshold=threshold, limit=limit)]
    found = list(dict.fromkeys([*near, *like(conn, text, limit)]))
    others = [key for key in found if key not in named]
    kept = set(others[: limit - len(named)]) | set(named)
    return [key for key in dict.fromkeys([*found, *named]) if key in kept]


def like(conn: Connection, text: str, limit: int) -> list[int]:
    """The keys of the entities whose name contains this text, the latest changed first."""
    text = text.strip().lower()
    if not text or len(text) > LONGEST_LIKE:
        return []
    escaped = text.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
    return [row[0] for row in conn.execute(SELECT_LIKE, {"text": escaped, "limit": limit})]


# ---------------------------------------------------------------------------------------------- the walk


def walk(
    conn: Connection, question: Question, strategy: Strategy, scope: Scope, rankings: Rankings, k: int
) -> Connected:
    """Memories that name an entity within two relations of the entities that the question means, the closest first.

    The published query takes any five of them. Here those come first that name the nearest and rarest entities (C29 to
    C31).
    """
    assert strategy.graph is not None
    named = [one.entity.key for one in question.named]
    nodes = search_nodes(
        conn, question.text, named, limit=strategy.graph.seeds, vector=question.vector, model_key=question.model_key
    )
    found = around(conn, nodes, scope, depth=strategy.graph.depth)
    said = facts.facts(conn, found.relations, scope)
    naming = facts.mentions(conn, found.depths, MOST_MENTIONS)
    for key, fact in said.items():
        for end in (found.relations[key].subject_key, found.relations[key].object_key):
            if end in found.depths:
                naming.setdefault(end, {}).update({one.memory_key: "relation" for one in fact.evidence})
    scores: dict[int, float] = {}
    last: dict[int, tuple[str, int]] = {}
    for entity, depth in found.depths.items():  # nearest first
        for memory in sorted(naming.get(entity, ())):
            scores[memory] = scores.get(memory, 0.0) + 1 / ((1 + depth) * len(naming[entity]))
            last.setdefault(memory, (ENTITY, entity))
    allowed = eligible_among(conn, list(scores), scope)
    names = entities_at(conn, found.depths)
    return Connected(
        best_first((key, score) for key, score in scores.items() if key in allowed),
        said,
        names,
        path=paths(found, said, names, last),
    )


# ---------------------------------------------------------------------------------------------- the page

RECENT = 10  # memories (C03)
OBSERVATIONS = 500  # at most: more than a reflection leaves
OBSERVATION = "observation"
STABLE = 1 / 2  # of the budget, for observations


def plan(conn: Connection, found: Recall, view: View, scope: Scope) -> Plan:
    """The preamble before a message (C01 to C15): observations, the newest memories, the relevant memories (C02).

    A memory is in only one of them (C06). Observations stand in the order in which they were noted. If the budget is
    too small for all, the newest memories are served last.
    """
    from memkit.retrieval.context.values import SHOWN, Plan

    observations = observed(conn, scope)
    seen = {memory.key for memory in observations}
    newest = [memory for memory in _newest(conn, scope) if memory.key not in seen]
    seen |= {memory.key for memory in newest}
    relevant, said = view.unsaid(
        view.memory("relevant", hit.memory, hit) for hit in found if hit.memory.key not in seen
    )
    shown = [view.memory("relevant", hit.memory, hit) for hit in found if hit.memory.key in seen]
    return Plan(
        {
            "observations": [
                view.memory("observations", memory, priority=memory.meta.get("priority")) for memory in observations
            ],
            "recent": [view.memory("recent", memory) for memory in newest if not view.has_been_said(memory.text)],
            "relevant": relevant,
        },
        choose=choose,
        left_out=[*(item.left_out(SHOWN) for item in shown), *said],
    )


def choose(items: Sequence[Item], room: Room) -> list[Item]:
    """The newest observations in half of the budget, then the relevant memories, then the newest ones.

    The share of the observations does not depend on the others. So their block is the same, byte for byte, for every
    message, until new ones are added at its end.
    """
    parts = {name: [item for item in items if item.section == name] for name in ("observations", "relevant", "recent")}
    stable = fit(parts["observations"][::-1], int(STABLE * room.budget), room.cost)
    return [*stable.items, *parts["relevant"], *parts["recent"]]


def observed(conn: Connection, scope: Scope) -> list[Memory]:
    """The observations of the conversations, in the order in which they were noted (C08)."""
    if scope.kinds is not None and OBSERVATION not in scope.kinds:
        return []
    keys = recent.search(conn, replace(scope, kinds=(OBSERVATION,)), limit=OBSERVATIONS)
    return list(store.memories(conn, sorted(keys)).values())


def _newest(conn: Connection, scope: Scope) -> list[Memory]:
    keys = recent.search(conn, scope, limit=RECENT + OBSERVATIONS)
    newest = store.memories(conn, keys).values()
    return [memory for memory in newest if memory.kind != OBSERVATION][:RECENT]


def tool_plan(conn: Connection, found: Recall, view: View, scope: Scope) -> Plan:
    """The memories of an active recall, each with the channel that found it (C41)."""
    from memkit.retrieval.context.values import Plan

    return Plan({"found": [view.memory("found", hit.memory, hit) for hit in found]})


# ---------------------------------------------------------------------------------------------- the design

register(
    Design(
        CONSTRUCT,
        advising=(PASSIVE, 5),
        query=terms,
        walk=walk,
        rules={"recency": boosts.log_decay},  # from Construct's code of today; its published strategy does not use it
        layouts={
            "construct": Layout(plan, k=5, answer="construct_tool"),
            "construct_tool": Layout(tool_plan, k=10),
        },
        policy={"steps": ("observe", "reflect", "purge")},
    )
)
