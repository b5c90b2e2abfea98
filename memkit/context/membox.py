"""membox's packing: triples, the evidence of the best three, raw text, and an honest footer (M10 to M14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memkit import budget, store
from memkit.compress import compress
from memkit.context.data import VAGUE, View
from memkit.context.page import left_out
from memkit.context.values import SAID, Item, Plan, Room
from memkit.results import Fact, Recall
from memkit.scope import Scope
from memkit.types import Memory

EXCERPT = 170  # tokens: 340 characters around a match, twice
SNIPPETS = 3  # triples whose evidence is shown (M12)
CHUNK_SHARE = 0.4  # of the budget, kept for raw text (M13)


def plan(conn: Any, found: Recall, view: View, scope: Scope) -> Plan:
    """Triples best first, the excerpts that prove the best of them, and the excerpts that words found."""
    stated = [fact for fact in found.facts if fact.predicate not in VAGUE]
    triples = [view.fact("triples", fact) for fact in stated]
    proofs = _proofs(conn, stated, view)
    chunks = [_excerpt(view, "chunks", hit.memory, hit) for hit in found if "fulltext" in hit.why]
    said = [item for item in chunks if view.has_been_said(item.text)]
    chunks = [item for item in chunks if item not in said]
    evidence = list({item.key: item for item in proofs.values()}.values())

    def choose(items: Sequence[Item], room: Room) -> list[Item]:
        packed = budget.two_pools(
            triples,
            chunks,
            room.budget,
            room.cost,
            room.cost,
            lambda triple: proofs.get(triple.key),
            CHUNK_SHARE,
            SNIPPETS,
            room.shorten,
        )
        best = packed.triples[:SNIPPETS]
        return [*best, *(proof for _, proof in packed.evidence), *packed.chunks, *packed.triples[SNIPPETS:]]

    def footer(used: int, shown: Mapping[str, int]) -> str:
        return budget.footer(
            (shown["triples"], len(triples)), (used, view.budget), (shown["chunks"], len(chunks)) if chunks else None
        )

    return Plan(
        {"triples": triples, "evidence": evidence, "chunks": chunks},
        choose=choose,
        footer=footer,
        left_out=[left_out(item, SAID) for item in said],
        beside=("evidence",),
    )


def _proofs(conn: Any, facts: Sequence[Fact], view: View) -> dict[tuple[str, int], Item]:
    """The excerpt that says each triple, by the triple."""
    keys = {fact.key: fact.evidence[0].memory_key for fact in facts if fact.evidence}
    memories = store.memories(conn, sorted(set(keys.values())))
    return {("fact", fact): _excerpt(view, "evidence", memories[key]) for fact, key in keys.items() if key in memories}


def _excerpt(view: View, section: str, memory: Memory, hit: Any = None) -> Item:
    """What a long memory says about the message, and where it stands: [project file ## section date]."""
    short = compress(memory.text, view.message, EXCERPT)
    item = view.memory(section, memory, hit)
    file, heading = item.values["file"] or memory.title, memory.meta.get("heading")
    place = " ".join(filter(None, (memory.project, file, f"## {heading}" if heading else "", item.values["date"])))
    return item.shorter(short, {**view.text(short), "place": " ".join(place.split())})
