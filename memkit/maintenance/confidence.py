"""Confidence from independent sources: the level of a statement is trace, unit or crystal (membox, M18).

A statement is a relation, or a memory that states something (a fact, a preference, a procedure). A **trace** has one
source, a **unit** two. A **crystal** has three, or a person confirmed it (by hand, or by accepting a proposal), or it
is a decision with high confidence and importance. A source is a document; a row of a table, or a memory remembered by
hand, counts as a source of its own. Memories made by maintenance (summaries, merged memories, crystals) are not
sources; the memories that they were made from are.

    confidence = max(own, min(.95, own + .05 x (sources - 1)))

The number of sources, .05 and .95 come from the policy. For relations, `graph.relations` applies the formula. For
memories it is applied here; the memory's own confidence is kept beside the result, so that the result falls again when
sources are removed. The level is always computed from the evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memkit.core.types import GLOBAL
from memkit.core.validation import is_number
from memkit.graph.duplicates import NEAR_DUPLICATE
from memkit.graph.relations import BY_HAND
from memkit.maintenance import log, snapshots
from memkit.maintenance.policy import PROMOTE, PromotePolicy
from memkit.maintenance.run_context import RunContext
from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_object, json_texts, object_in
from memkit.storage.store import dumps, keys_json

TRACE, UNIT, CRYSTAL = LEVELS = ("trace", "unit", "crystal")
UNIT_SOURCES = 2
USUAL = PromotePolicy()
DECISION_SURE, DECISION_IMPORTANT = 0.9, 8.0  # least confidence and importance of a decision that needs only one source
STATING = ("fact", "preference", "procedure")
NOT_STATED = ("mentions", "supersedes")  # relations that describe notes, not the world

# A source as text: the document, or the memory itself if it is a row of a table. `m` and `d` are table aliases.
_SOURCE = "iif(d.key is null or d.kind = 'table', 'memory ' || m.id, 'document ' || d.id)"


def _to_the_roots(stated: str) -> str:
    """A query that follows `derived_from` links from `stated` (a select of statement, memory) to the first memories."""
    return f"""
with recursive roots(stated, key) as (
    {stated}
    union
    select roots.stated, l.to_key from roots join links as l on l.from_key = roots.key and l.type = 'derived_from'
)
select roots.stated, m.key, m.project, {_SOURCE} as source
from roots join memories as m on m.key = roots.key left join documents as d on d.key = m.document_key
where not exists (select 1 from links as l where l.from_key = m.key and l.type = 'derived_from')
order by roots.stated, m.key
"""


SELECT_RELATIONS = """
select r.key, r.id, s.key as subject_key, s.name as subject, r.predicate, o.name as object, o.key as object_key,
    r.confidence, r.valid_from, max(e.memory_key is null) as in_none,
    max(e.method = :by_hand and e.memory_key is null) as confirmed
from relations as r
    join evidence as e on e.relation_key = r.key
    join entities as s on s.key = r.subject_key
    join entities as o on o.key = r.object_key
where r.expired_at is null and (r.valid_until is null or r.valid_until > :now)
    and (r.valid_from is null or r.valid_from <= :now)
    and r.predicate not in (select value from json_each(:not_stated))
group by r.key
having count(*) > 1 or confirmed
order by r.key
"""
SELECT_RELATION_ROOTS = _to_the_roots("""
    select e.relation_key, e.memory_key from evidence as e join memories as m on m.key = e.memory_key
    where e.relation_key in (select value from json_each(:keys)) and m.kind <> 'crystal'
""")
SELECT_MEMORIES = """
select key, id, text, kind, category, tags, project, importance, confidence, meta,
    coalesce(happened_at, created_at) as at
from memories
where archived_at is null and kind in (select value from json_each(:kinds)) and slot_key is null
    and (valid_until is null or valid_until > :now) and (expires_at is null or expires_at > :now)
order by key
"""
# Other memories with the same words: near duplicates, and equal texts.
SELECT_ALSO = """
select l.from_key, l.to_key
from links as l join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key
where l.type = 'relates_to' and l.why = :why and a.archived_at is null and b.archived_at is null
    and 'crystal' not in (a.kind, b.kind)
union
select a.key, b.key
from memories as a join memories as b on b.text_hash = a.text_hash and b.key <> a.key
where a.archived_at is null and b.archived_at is null and a.kind in (select value from json_each(:kinds))
    and b.kind <> 'crystal'
"""
SELECT_MEMORY_ROOTS = _to_the_roots("select value->>0, value->>1 from json_each(:pairs)")
WRITE = "update memories set confidence = :confidence, meta = :meta where key = :key"


@dataclass(frozen=True, slots=True)
class SupportedClaim:
    """A statement in one project, with its confidence (0 to 1), its level (one of LEVELS) and its sources.

    `id` is that of the relation or memory. `evidence` are keys of the project's memories that state it; `sources` is
    the number of sources in all projects. `entity` and `name` are its subject, if it is a relation; `others` are keys
    of other entities in it.
    """

    id: str
    text: str
    confidence: float
    sources: int
    level: str
    evidence: tuple[int, ...]
    entity: int | None = None
    name: str = ""
    project: str = GLOBAL
    since: str | None = None
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Roots:
    """The memories that first stated something: their keys by project, and the number of independent sources."""

    of: Mapping[str, tuple[int, ...]]
    sources: int

    @property
    def evidence(self) -> list[int]:
        """All the keys, sorted."""
        return sorted(key for keys in self.of.values() for key in keys)


def level(sources: int, rule: PromotePolicy = USUAL, *, confirmed: bool = False, decided: bool = False) -> str:
    """The level of a statement with so many sources. If `confirmed` (by a person) or `decided`, it is a crystal."""
    if confirmed or decided or sources >= rule.sources:
        return CRYSTAL
    return UNIT if sources >= UNIT_SOURCES else TRACE


def raised_confidence(confidence: float, sources: int, rule: PromotePolicy = USUAL) -> float:
    """The confidence (0 to 1) of a statement with so many sources: it grows with each, up to a bound (membox)."""
    return max(confidence, round(min(rule.most, confidence + rule.per_source * (max(sources, 1) - 1)), 6))


# ---------------------------------------------------------------------------------------------- reading


def supported_claims(conn: Connection, now: str, rule: PromotePolicy = USUAL) -> list[SupportedClaim]:
    """All units and crystals, by number of sources, then by confidence, highest first."""
    found = [one for one in (*_relations(conn, now, rule), *_memories(conn, now, rule)) if one.level != TRACE]
    return sorted(found, key=lambda one: (-one.sources, -one.confidence, one.id, one.project))


def _relations(conn: Connection, now: str, rule: PromotePolicy) -> list[SupportedClaim]:
    parameters = {"by_hand": BY_HAND, "now": now, "not_stated": dumps(list(NOT_STATED))}
    known = conn.execute(SELECT_RELATIONS, parameters).fetchall()
    roots = _roots(conn, SELECT_RELATION_ROOTS, {"keys": keys_json(row["key"] for row in known)})
    return [one for row in known for one in _relation(row, roots.get(row["key"], Roots({}, 0)), rule)]


def _relation(row: Any, found: Roots, rule: PromotePolicy) -> Iterator[SupportedClaim]:
    """The relation once for each project that states it; only for `global` if that, or no memory at all, states it."""
    everywhere = row["in_none"] or GLOBAL in found.of
    for project, evidence in {GLOBAL: found.of.get(GLOBAL, ())}.items() if everywhere else found.of.items():
        yield SupportedClaim(
            row["id"],
            f"{row['subject']} {row['predicate'].replace('_', ' ')} {row['object']}",
            row["confidence"],
            found.sources,
            level(found.sources, rule, confirmed=bool(row["confirmed"])),
            evidence,
            entity=row["subject_key"],
            name=row["subject"],
            project=project,
            since=row["valid_from"],
            others=(row["object_key"],),
        )


def _memories(conn: Connection, now: str, rule: PromotePolicy) -> list[SupportedClaim]:
    """Memories that state something. Of equal ones in a project only the newest, and none if a global one is equal."""
    return [_memory(row, roots, rule) for row, roots, again in _supported(conn, now) if not again]


Support = tuple[Any, Roots, bool]  # a memory's row, who states it, and whether another memory replaces it


def _supported(conn: Connection, now: str) -> list[Support]:
    """Each memory that states something, with all memories that state the same, itself included."""
    known = {row["key"]: row for row in conn.execute(SELECT_MEMORIES, {"kinds": dumps(list(STATING)), "now": now})}
    also: dict[int, set[int]] = {key: {key} for key in known}
    for one, other in conn.execute(SELECT_ALSO, {"why": NEAR_DUPLICATE, "kinds": dumps(list(STATING))}):
        for here, there in ((one, other), (other, one)):
            if here in also:
                also[here].add(there)
    pairs = [[here, there] for here, found in also.items() for there in sorted(found)]
    roots = _roots(conn, SELECT_MEMORY_ROOTS, {"pairs": dumps(pairs)})
    order = {key: (row["project"] == GLOBAL, row["at"], key) for key, row in known.items()}

    def replaces(other: int, key: int) -> bool:
        seen = known[other]["project"] in (known[key]["project"], GLOBAL)
        return seen and order[other] > order[key]

    return [
        (row, roots[key], any(replaces(other, key) for other in also[key] if other in known))
        for key, row in known.items()
    ]


def _memory(row: Any, found: Roots, rule: PromotePolicy) -> SupportedClaim:
    """A memory as a claim in its own project and words."""
    reached, sure = _reached(row, found.sources, rule), raised_confidence(_own(row), found.sources, rule)
    evidence = found.of.get(row["project"], (row["key"],))
    return SupportedClaim(row["id"], row["text"], sure, found.sources, reached, evidence, project=row["project"])


def _reached(row: Any, sources: int, rule: PromotePolicy) -> str:
    meta = json_object(row["meta"])
    decision = "decision" in (row["category"], row["kind"], *json_texts(row["tags"]))
    sure = _own(row) >= DECISION_SURE and row["importance"] >= DECISION_IMPORTANT
    return level(sources, rule, confirmed=bool(meta.get("confirmed")), decided=decision and sure)


def own_confidence(confidence: float, meta: Mapping[str, Any]) -> float:
    """The memory's own confidence (0 to 1), without what further sources added."""
    own: Any = object_in(meta, PROMOTE).get("own")
    return float(own) if is_number(own) and 0 <= own <= 1 else confidence


def _own(row: Any) -> float:
    return own_confidence(row["confidence"], json_object(row["meta"]))


def _roots(conn: Connection, query: str, parameters: dict[str, Any]) -> dict[int, Roots]:
    """The first memories of each statement."""
    keys: dict[int, dict[str, tuple[int, ...]]] = {}
    sources: dict[int, set[str]] = {}
    for stated, key, project, source in conn.execute(query, parameters):
        of = keys.setdefault(stated, {})
        of[project] = (*of.get(project, ()), key)
        sources.setdefault(stated, set()).add(source)
    return {stated: Roots(of, len(sources[stated])) for stated, of in keys.items()}


# ---------------------------------------------------------------------------------------------- writing


def promote(work: RunContext) -> list[log.Change]:
    """The changes made, in one transaction: memories that state something get the confidence that their sources give.

    A memory whose promotion a person has undone is left alone. A second run with the same sources changes nothing.
    """
    with work.writing():
        return [_write(work, row, found) for row, found in _due(work)]


def count_promote(work: RunContext) -> int:
    """The number of memories whose confidence is not what their sources give."""
    return len(_due(work))


def _due(work: RunContext) -> list[tuple[Any, Roots]]:
    """The memories whose confidence is not what their sources give, with these sources."""
    left_alone, rule = log.undone_by_hand(work.conn, PROMOTE), work.policy.promote
    return [
        (row, found)
        for row, found, _ in _supported(work.conn, work.now)
        if row["id"] not in left_alone and _differs(row, found.sources, rule)
    ]


def _differs(row: Any, sources: int, rule: PromotePolicy) -> bool:
    """Whether a memory's confidence or level is not what so many sources give."""
    known = json_object(row["meta"]).get(PROMOTE)
    return bool((known, row["confidence"]) != (_grown(row, sources, rule), raised_confidence(_own(row), sources, rule)))


def _grown(row: Any, sources: int, rule: PromotePolicy) -> dict[str, Any] | None:
    """The value stored in a memory's `meta`: its own confidence, level and sources. None for a trace."""
    reached = _reached(row, sources, rule)
    return None if reached == TRACE else {"own": _own(row), "level": reached, "sources": sources}


def _write(work: RunContext, row: Any, found: Roots) -> log.Change:
    """Stores a memory's confidence, with the reason in its `meta` and in the log."""
    rule, sources = work.policy.promote, found.sources
    meta, grown = json_object(row["meta"]), _grown(row, sources, rule)
    sure = raised_confidence(_own(row), sources, rule)
    was, reached = object_in(meta, PROMOTE).get("level"), (grown or {}).get("level", TRACE)
    meta.pop(PROMOTE, None)
    before = snapshots.columns(work.conn, [row["key"]], ("confidence", "meta"))
    meta |= {PROMOTE: grown} if grown else {}
    work.conn.execute(WRITE, {"key": row["key"], "confidence": sure, "meta": dumps(meta)})
    up = LEVELS.index(reached) - LEVELS.index(was if was in LEVELS else TRACE)
    return log.record(
        work.conn,
        run=work.run,
        step=PROMOTE,
        action="promoted" if up > 0 else "demoted" if up < 0 else "weighed",
        memory_id=row["id"],
        at=work.now,
        why=f"{was} to {reached}: {sources} {'source' if sources == 1 else 'sources'}, confidence {sure:g}",
        sources=[id for id in _ids(work.conn, found.evidence) if id != row["id"]],
        before=before,
    )


SELECT_IDS = "select id from memories where key in (select value from json_each(:keys)) order by key"


def _ids(conn: Connection, keys: Iterable[int]) -> list[str]:
    return [row[0] for row in conn.execute(SELECT_IDS, {"keys": keys_json(keys)})]
