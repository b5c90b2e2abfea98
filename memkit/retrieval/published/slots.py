"""The three-slot store (user, project, agent): full-text search only, ten memories of each, weighed by confidence.

S01 to S16 in docs/behaviours.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memkit.core.patterns import pattern
from memkit.retrieval.context.layout import Layout
from memkit.retrieval.designs import Design, register
from memkit.retrieval.lists import Part
from memkit.retrieval.question import Question
from memkit.retrieval.results import Recall
from memkit.retrieval.strategies import OWN_TEXT, PLAIN, Fulltext, Fuse, Pack, Strategy
from memkit.storage.connection import Connection
from memkit.storage.filters import PROJECT, Scope

if TYPE_CHECKING:
    from memkit.retrieval.context.data import View
    from memkit.retrieval.context.values import Plan

PAGE = 10  # of each slot (S02)
AHEAD = 90  # further memories that are searched, to say how many more there are

# The slot with the highest number is served first. The project's number is not published; it lies between the two that
# are.
PRIORITIES: Mapping[str, int] = {"user": 88, PROJECT: 79, "agent": 70}

SLOTS = Strategy(
    name="slots",
    fulltext=Fulltext(weight=1.0, query="slots", columns=OWN_TEXT, limit=PAGE, lists="slots"),
    vector=None,
    graph=None,
    fuse=Fuse(method="weighted", normalise="none"),
    rank=replace(PLAIN, confidence="plain"),  # the published store keeps a confidence and does not use it (S16)
    pack=Pack(layout="slots"),
)

# ---------------------------------------------------------------------------------------------- words

_SYNTAX = pattern(r"[\":*^~(){}\[\]\\]")
_EDGES = pattern(r"^\W+|\W+$")


def terms(text: str) -> list[str]:
    """Pieces of three characters or more, after the published clean-up (S06).

    Punctuation at the ends and apostrophes are not counted, so `do?` has two characters. An apostrophe stays in the
    term, because the index holds `don't` as two words and finds it that way (S07).
    """
    pieces = _SYNTAX.sub(" ", text).split()
    return [piece for piece in pieces if len(_EDGES.sub("", piece.replace("'", ""))) >= 3]


def lists(scope: Scope, question: Question, most: int, limit: int) -> list[Part]:
    """One list for each slot, of at most `limit` memories (S02); `project` holds only the project asked for (S01)."""
    here = replace(scope, only_project=bool(scope.project))
    parts = (("user", scope), (PROJECT, here), ("agent", scope))
    return [Part(slot, replace(part, slot=slot), limit) for slot, part in parts]


# ---------------------------------------------------------------------------------------------- the page


def plan(conn: Connection, found: Recall, view: View, scope: Scope) -> Plan:
    """The three slots as bullets: the user's first and always, then the project's, then the agent's (S02, S14, S16).

    Each slot shows one page, which begins at `view.offset`. A memory without a slot belongs to the project's.
    """
    from memkit.retrieval.context.values import Plan

    hits: dict[str, list[Any]] = {slot: [] for slot in PRIORITIES}
    for hit in found:
        hits[hit.memory.slot or PROJECT].append(hit)
    pages = {slot: some[view.offset : view.offset + PAGE] for slot, some in hits.items()}
    parts = {slot: view.unsaid(view.memory(slot, hit.memory, hit) for hit in some) for slot, some in pages.items()}
    more = {slot: len(some) - view.offset - PAGE for slot, some in hits.items()}
    return Plan(
        {slot: new for slot, (new, _) in parts.items()},
        first=sorted(PRIORITIES, key=lambda slot: -PRIORITIES[slot]),
        yields={"agent": "user"},  # the user's slot is sticky: it is never dropped before the agent's
        left_out=[item for _, said in parts.values() for item in said],
        more={slot: rest for slot, rest in more.items() if rest > 0},
    )


def ahead(strategy: Strategy, offset: int) -> tuple[Strategy, int]:
    """The strategy and the number of memories for a page of each slot that begins at `offset`."""
    places = offset + PAGE + AHEAD
    if strategy.fulltext is not None:
        strategy = strategy.replace(fulltext={"limit": max(places, strategy.fulltext.limit)})
    return strategy, len(PRIORITIES) * places


# ---------------------------------------------------------------------------------------------- the design

register(
    Design(
        SLOTS,
        query=terms,
        lists=lists,
        layouts={"slots": Layout(plan, ahead=ahead)},
        policy={"steps": ("slots", "prune", "purge"), "prune": {slot: {"cap": 200} for slot in PRIORITIES}},
    )
)
