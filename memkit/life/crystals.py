"""Crystals: what several sources say of an entity or in a project, in a few sentences that follow from the evidence.

A crystal is a memory of kind `crystal` with `derived_from` links to the memories that say so (membox, M18). Its text is
made of promoted statements by a template, at most 1500 characters (membox), surest first. It is made anew when the
statements change and put away when the last one goes. It is no source itself: nothing is read out of it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memkit import store, vectors
from memkit.connect import CASES, EXTRACTOR, MARK_READ
from memkit.driver import writing
from memkit.graph.entities import INSERT_MENTION
from memkit.graph.version import bump
from memkit.life import log, rows
from memkit.life.promote import CRYSTAL, Statement, statements
from memkit.store import dumps, keys_json
from memkit.text import est_tokens, short_id, text_hash

STEP = "crystals"
KIND = "crystal"
LONGEST = 1500  # characters
GONE = "evidence gone"  # why a crystal is archived that comes back with its evidence

SELECT_CRYSTALS = """
select key, id, source_id, text, archived_at, json_extract(meta, '$.archived_because') as because,
    (select json_group_array(to_key) from links where from_key = m.key and type = 'derived_from') as evidence
from memories as m
where m.kind = 'crystal' and m.source_id is not null
order by key
"""
SELECT_ENTITIES = "select key, id, name from entities where key in (select value from json_each(:keys))"
UPDATE = """
update memories set
    text = :text, title = :title, confidence = :confidence, tokens = :tokens, hash = :hash, text_hash = :text_hash,
    updated_at = :now, archived_at = null, meta = :meta
where key = :key
"""
DELETE_EVIDENCE = """
delete from links
where from_key = :key and type = 'derived_from' and to_key not in (select value from json_each(:evidence))
"""
DELETE_MENTIONS = "delete from mentions where memory_key = :key"


@dataclass(frozen=True, slots=True)
class Crystal:
    """A crystal as it ought to be: `of` is `entity:ID` or `project:NAME`, `names` are entities that it names."""

    of: str
    title: str
    text: str
    project: str
    confidence: float
    evidence: tuple[int, ...]
    statements: tuple[str, ...]
    names: Mapping[int, str]

    @property
    def id(self) -> str:
        """The memory's id: the same for as long as there is a crystal of this."""
        return short_id(KIND, self.of)


def told(statement: Statement) -> str:
    """A statement as a sentence, with the day since when it holds."""
    text = statement.text.strip()
    since = f" (since {statement.since[:10]})" if statement.since else ""
    return f"{text}{since}." if since or text[-1:] not in ".!?。！？" else text


def written(found: Iterable[Statement], longest: int = LONGEST) -> tuple[str, list[Statement]]:
    """The text of a crystal, and the statements that it holds: as many as there is room for, one too long left out."""
    kept: list[Statement] = []
    sentences: list[str] = []
    for one in found:
        sentence = told(one)
        if sum(map(len, sentences)) + len(sentences) + len(sentence) <= longest and sentence not in sentences:
            sentences.append(sentence)
            kept.append(one)
    return " ".join(sentences), kept


def wanted(conn: Any, now: str) -> dict[str, Crystal]:
    """The crystals that the evidence calls for, by what they are of."""
    groups: dict[tuple[int | None, str], list[Statement]] = {}
    for one in statements(conn, now):
        if one.level == CRYSTAL:
            groups.setdefault((one.entity, "" if one.entity else one.project), []).append(one)
    keys = {key for found in groups.values() for one in found for key in (one.entity, *one.others) if key}
    named = {row["key"]: row for row in conn.execute(SELECT_ENTITIES, {"keys": keys_json(keys)})}
    made = (_crystal(entity, project, found, named) for (entity, project), found in groups.items())
    return {one.of: one for one in made if one.text}


def _crystal(entity: int | None, project: str, found: list[Statement], named: Mapping[int, Any]) -> Crystal:
    text, kept = written(found)
    keys = {key for one in kept for key in (one.entity, *one.others) if key is not None and key in named}
    return Crystal(
        f"entity:{named[entity]['id']}" if entity else f"project:{project}",
        named[entity]["name"] if entity else project,
        text,
        project or "global",
        min((one.confidence for one in kept), default=1.0),
        tuple(sorted({key for one in kept for key in one.evidence})),
        tuple(one.id for one in kept),
        {key: named[key]["name"] for key in sorted(keys)},
    )


# ---------------------------------------------------------------------------------------------- writing


def build(conn: Any, now: str, run: str, embedder: Any = None) -> list[log.Change]:
    """Makes, rebuilds and puts away crystals as the evidence calls for; what changed. Each is a transaction of its own.

    One that a person has forgotten, or whose making they have undone, stays away. The same evidence changes nothing.
    """
    there = {row["source_id"]: row for row in conn.execute(SELECT_CRYSTALS)}
    calls = {f"{KIND}:{of}": one for of, one in wanted(conn, now).items()}
    left_alone = log.taken_back(conn, STEP)
    found: list[log.Change] = []
    for source_id, crystal in calls.items():
        row = there.get(source_id)
        if crystal.id in left_alone or (row and _stays(row, crystal)):
            continue
        with writing(conn):
            found.append(_write(conn, crystal, source_id, row, now, run, embedder))
    for source_id, row in there.items():
        if source_id not in calls and row["archived_at"] is None and row["id"] not in left_alone:
            with writing(conn):
                found.append(_put_away(conn, row, now, run))
    return found


def _stays(row: Any, crystal: Crystal) -> bool:
    """Whether a crystal is as it ought to be, or was put away by somebody."""
    if row["archived_at"]:
        return bool(row["because"] != GONE)
    return bool(row["text"] == crystal.text and set(json.loads(row["evidence"])) == set(crystal.evidence))


def _write(conn: Any, crystal: Crystal, source_id: str, row: Any, now: str, run: str, embedder: Any) -> log.Change:
    values = _row(crystal, source_id, now)
    if row is None:
        values["key"] = conn.execute(store.NEXT_KEY).fetchone()[0]
        conn.execute(store.INSERT_MEMORY, values)
        before: rows.Before = {"made": {"memories": [values["key"]]}}
    else:
        values["key"] = row["key"]
        before = rows.as_they_are(conn, [row["key"]])
        conn.execute(UPDATE, {name: values[name] for name in _UPDATED})
    _tie(conn, values, crystal, now)
    active = vectors.active_model(conn)
    if embedder is not None and active is not None:
        vectors.write(conn, embedder, active["key"], [values["key"]])
    return log.record(
        conn,
        run=run,
        step=STEP,
        action="made" if row is None else "rebuilt",
        memory_id=crystal.id,
        at=now,
        why=f"{len(crystal.statements)} promoted statements about {crystal.title}",
        sources=[one.id for one in store.memories(conn, list(crystal.evidence)).values()],
        before=before,
    )


_UPDATED = ("key", "text", "title", "confidence", "tokens", "hash", "text_hash", "now", "meta")


def _row(crystal: Crystal, source_id: str, now: str) -> dict[str, Any]:
    nothing = ("document_key", "position", "speaker", "category", "slot", "slot_key", "happened_at")
    return {
        **dict.fromkeys((*nothing, "valid_from", "valid_until", "expires_at")),
        "id": crystal.id,
        "source_id": source_id,
        "kind": KIND,
        "text": crystal.text,
        "title": crystal.title,
        "tags": "[]",
        "project": crystal.project,
        "importance": 5.0,
        "confidence": crystal.confidence,
        "tokens": est_tokens(crystal.text),
        "hash": text_hash(crystal.of, crystal.text),
        "text_hash": text_hash(crystal.text),
        "meta": dumps({"statements": list(crystal.statements)}),
        "now": now,
    }


def _tie(conn: Any, row: Mapping[str, Any], crystal: Crystal, now: str) -> None:
    """Links a crystal to its evidence and to whom it names, and notes that there is nothing to read in it."""
    key = row["key"]
    conn.execute(DELETE_EVIDENCE, {"key": key, "evidence": keys_json(crystal.evidence)})
    for source in crystal.evidence:
        store.link(conn, key, source, "derived_from", now, why="says so")
    conn.execute(DELETE_MENTIONS, {"key": key})
    same = {"memory_key": key, "role": "text", "start": None, "count": 1, "confidence": 1.0}
    names = [{**same, "entity_key": entity, "surface": name} for entity, name in crystal.names.items()]
    conn.executemany(INSERT_MENTION, names)
    for extractor in (EXTRACTOR, CASES):
        conn.execute(MARK_READ, {"key": key, "extractor": extractor, "hash": row["hash"], "now": now})
    bump(conn)


def _put_away(conn: Any, row: Any, now: str, run: str) -> log.Change:
    before = rows.as_they_are(conn, [row["key"]])
    store.archive(conn, [row["key"]], now, GONE)
    return log.record(conn, run=run, step=STEP, action="put away", memory_id=row["id"], at=now, why=GONE, before=before)
