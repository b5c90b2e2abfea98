"""Trace, unit, crystal: how far a statement has come, by how many independent sources say it (membox, M18).

A statement is a relation, or a memory that states something (a fact, a preference, a procedure). A **trace** has one
source; a **unit** two; a **crystal** three, or a person's word (said by hand, or a proposal that was accepted), or it
is a decision that is sure and important. A source is a document; a row of a table, and what was remembered by hand, is
one of its own. What maintenance made (summaries, merged memories, crystals) is no source: what it was made from is.

    confidence = max(own, min(.95, own + .05 x (sources - 1)))

For relations `graph.relations` keeps that formula; here it is written to memories, beside what they had of their own,
so that it goes down again when sources go. The level follows from the evidence and is stored nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memkit.driver import writing
from memkit.graph.duplicates import NEAR_DUPLICATE
from memkit.graph.relations import BY_HAND, MOST_SURE, SURER
from memkit.life import log, rows
from memkit.store import dumps, keys_json

STEP = "promote"
TRACE, UNIT, CRYSTAL = LEVELS = ("trace", "unit", "crystal")
UNIT_SOURCES, CRYSTAL_SOURCES = 2, 3
DECISION_SURE, DECISION_IMPORTANT = 0.9, 8.0  # of a decision that one source is enough for (.90 and .80 of 1)
STATING = ("fact", "preference", "procedure")
NOT_STATED = ("mentions", "supersedes")  # relations that say something of notes, and nothing of the world

# A source as one word: the document, or the memory itself where rows only share a file. `m` and `d` are the tables.
_SOURCE = "iif(d.key is null or d.kind = 'table', 'memory ' || m.id, 'document ' || d.id)"
_ROOTS = f"""
    select roots.stated, m.key, {_SOURCE} as source
    from roots join memories as m on m.key = roots.key left join documents as d on d.key = m.document_key
    where not exists (select 1 from links as l where l.from_key = m.key and l.type = 'derived_from')
    order by roots.stated, m.key
"""
SELECT_RELATIONS = """
select r.key, r.id, s.key as subject_key, s.name as subject, r.predicate, o.name as object, o.key as object_key,
    r.confidence, r.valid_from, max(e.method = :by_hand and e.memory_key is null) as confirmed
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
SELECT_RELATION_ROOTS = f"""
with recursive roots(stated, key) as (
    select e.relation_key, e.memory_key from evidence as e join memories as m on m.key = e.memory_key
    where e.relation_key in (select value from json_each(:keys)) and m.kind <> 'crystal'
    union
    select roots.stated, l.to_key from roots join links as l on l.from_key = roots.key and l.type = 'derived_from'
)
{_ROOTS}
"""
SELECT_MEMORIES = """
select key, id, text, kind, category, tags, project, importance, confidence, meta,
    coalesce(happened_at, created_at) as at
from memories
where archived_at is null and kind in (select value from json_each(:kinds)) and slot_key is null
    and (valid_until is null or valid_until > :now) and (expires_at is null or expires_at > :now)
order by key
"""
# Who else says a memory's words: near duplicates, and the same text.
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
SELECT_MEMORY_ROOTS = f"""
with recursive roots(stated, key) as (
    select value->>0, value->>1 from json_each(:pairs)
    union
    select roots.stated, l.to_key from roots join links as l on l.from_key = roots.key and l.type = 'derived_from'
)
{_ROOTS}
"""
WRITE = "update memories set confidence = :confidence, meta = :meta where key = :key"


@dataclass(frozen=True, slots=True)
class Statement:
    """What sources say: of whom (`entity`, a key and name, or only a project), how surely, and the sources' memories.

    `id` is the relation's or the memory's, `evidence` are keys of memories, `sources` counts documents, and `others`
    are keys of the entities that it names beside the one it is about.
    """

    id: str
    text: str
    confidence: float
    sources: int
    level: str
    evidence: tuple[int, ...]
    entity: int | None = None
    name: str = ""
    project: str = "global"
    since: str | None = None
    others: tuple[int, ...] = ()


def level(sources: int, *, confirmed: bool = False, decided: bool = False) -> str:
    """How far a statement has come with so many sources; `confirmed` by a person, or a sure and important decision."""
    if confirmed or decided or sources >= CRYSTAL_SOURCES:
        return CRYSTAL
    return UNIT if sources >= UNIT_SOURCES else TRACE


def supported(confidence: float, sources: int) -> float:
    """How sure one is of what so many sources say: .05 more for each further one, up to .95 (membox)."""
    return max(confidence, round(min(MOST_SURE, confidence + SURER * (max(sources, 1) - 1)), 6))


# ---------------------------------------------------------------------------------------------- reading


def statements(conn: Any, now: str) -> list[Statement]:
    """What has come further than a trace, surest first."""
    found = [one for one in (*_relations(conn, now), *_memories(conn, now)) if one.level != TRACE]
    return sorted(found, key=lambda one: (-one.sources, -one.confidence, one.id))


def _relations(conn: Any, now: str) -> list[Statement]:
    parameters = {"by_hand": BY_HAND, "now": now, "not_stated": dumps(list(NOT_STATED))}
    known = conn.execute(SELECT_RELATIONS, parameters).fetchall()
    roots = _roots(conn, SELECT_RELATION_ROOTS, {"keys": keys_json(row["key"] for row in known)})
    return [_relation(row, *roots.get(row["key"], ((), 0))) for row in known]


def _relation(row: Any, evidence: Sequence[int], sources: int) -> Statement:
    return Statement(
        row["id"],
        f"{row['subject']} {row['predicate'].replace('_', ' ')} {row['object']}",
        row["confidence"],
        sources,
        level(sources, confirmed=bool(row["confirmed"])),
        tuple(evidence),
        entity=row["subject_key"],
        name=row["subject"],
        since=row["valid_from"],
        others=(row["object_key"],),
    )


def _memories(conn: Any, now: str) -> list[Statement]:
    """Stating memories; of several that say the same only the newest."""
    return [_memory(*one) for one in _supported(conn, now) if not one[-1]]


Support = tuple[Any, tuple[int, ...], int, bool]  # a memory's row, its evidence, how many sources, said again later


def _supported(conn: Any, now: str) -> list[Support]:
    """Each stating memory with the memories that say it, itself among them."""
    known = {row["key"]: row for row in conn.execute(SELECT_MEMORIES, {"kinds": dumps(list(STATING)), "now": now})}
    also: dict[int, set[int]] = {key: {key} for key in known}
    for one, other in conn.execute(SELECT_ALSO, {"why": NEAR_DUPLICATE, "kinds": dumps(list(STATING))}):
        for here, there in ((one, other), (other, one)):
            if here in also:
                also[here].add(there)
    pairs = [[here, there] for here, found in also.items() for there in sorted(found)]
    roots = _roots(conn, SELECT_MEMORY_ROOTS, {"pairs": dumps(pairs)})
    order = {key: (row["at"], key) for key, row in known.items()}
    return [
        (row, *roots[key], any(order[other] > order[key] for other in also[key] if other in order))
        for key, row in known.items()
    ]


def _memory(row: Any, evidence: Sequence[int], sources: int, _again: bool) -> Statement:
    told = _reached(row, sources)
    sure = supported(_own(row), sources)
    return Statement(row["id"], row["text"], sure, sources, told, tuple(evidence), project=row["project"])


def _reached(row: Any, sources: int) -> str:
    meta = json.loads(row["meta"])
    decision = "decision" in (row["category"], row["kind"], *json.loads(row["tags"]))
    sure = _own(row) >= DECISION_SURE and row["importance"] >= DECISION_IMPORTANT
    return level(sources, confirmed=bool(meta.get("confirmed")), decided=decision and sure)


def own_confidence(confidence: float, meta: Mapping[str, Any]) -> float:
    """The confidence that a memory has of its own, without what its sources gave it."""
    return float(meta.get(STEP, {}).get("own", confidence))


def _own(row: Any) -> float:
    return own_confidence(row["confidence"], json.loads(row["meta"]))


def _roots(conn: Any, query: str, parameters: dict[str, Any]) -> dict[int, tuple[tuple[int, ...], int]]:
    """For each statement the memories that it goes back to, and how many sources those are."""
    found: dict[int, list[tuple[int, str]]] = {}
    for stated, key, source in conn.execute(query, parameters):
        found.setdefault(stated, []).append((key, source))
    return {
        stated: (tuple(key for key, _ in pairs), len({source for _, source in pairs}))
        for stated, pairs in found.items()
    }


# ---------------------------------------------------------------------------------------------- writing


def promote(conn: Any, now: str, run: str) -> list[log.Change]:
    """Writes to stating memories the confidence that their sources give them; what changed, in one transaction.

    A memory whose promotion a person has undone is left alone. The same sources again change nothing.
    """
    with writing(conn):
        left_alone = log.taken_back(conn, STEP)
        found = _supported(conn, now)
        return [
            change
            for row, evidence, sources, _ in found
            if row["id"] not in left_alone and (change := _write(conn, row, evidence, sources, now, run))
        ]


def _write(conn: Any, row: Any, evidence: Iterable[int], sources: int, now: str, run: str) -> log.Change | None:
    """Writes a memory's confidence and how it came by it, unless it is so already."""
    meta, reached, own = json.loads(row["meta"]), _reached(row, sources), _own(row)
    before = meta.pop(STEP, None)
    after = None if reached == TRACE else {"own": own, "level": reached, "sources": sources}
    sure = supported(own, sources)
    if (before, row["confidence"]) == (after, sure):
        return None
    saved = rows.columns(conn, [row["key"]], ("confidence", "meta"))
    meta |= {STEP: after} if after else {}
    conn.execute(WRITE, {"key": row["key"], "confidence": sure, "meta": dumps(meta)})
    was = (before or {}).get("level", TRACE)
    action = "promoted" if LEVELS.index(reached) > LEVELS.index(was) else "demoted"
    return log.record(
        conn,
        run=run,
        step=STEP,
        action=action if reached != was else "weighed",
        memory_id=row["id"],
        at=now,
        why=f"{was} to {reached}: {sources} {'source' if sources == 1 else 'sources'}, confidence {sure:g}",
        sources=_ids(conn, evidence),
        before=saved,
    )


SELECT_IDS = "select id from memories where key in (select value from json_each(:keys)) order by key"


def _ids(conn: Any, keys: Iterable[int]) -> list[str]:
    return [row[0] for row in conn.execute(SELECT_IDS, {"keys": keys_json(keys)})]
