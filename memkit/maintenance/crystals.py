"""Crystals: memories that summarise what several sources state about an entity or a project.

An entity has one crystal in each project that states something about it, made from that project's statements.
Statements of global memories are only in the global crystal, because every project sees that one.

A crystal is a memory of kind `crystal` with `derived_from` links to the memories that support it (membox, M18). Its
text joins promoted statements, highest confidence first, up to 1500 characters (membox; set in the policy). It is
rebuilt when the statements change, and archived when none is left. It is not a source, and no facts are read from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memkit.core.types import GLOBAL
from memkit.graph.entities import INSERT_MENTION
from memkit.graph.version import bump
from memkit.ingestion.entity_linking import CASES, EXTRACTOR
from memkit.maintenance import log, snapshots
from memkit.maintenance.confidence import CRYSTAL, USUAL, SupportedClaim, supported_claims
from memkit.maintenance.policy import CRYSTALS, PromotePolicy
from memkit.maintenance.run_context import RunContext
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty
from memkit.storage.store import dumps, keys_json
from memkit.text.words import SENTENCE_ENDS, est_tokens, short_id, text_hash

KIND = "crystal"
GONE = "evidence gone"  # why a crystal is archived; it comes back if its evidence does

SELECT_CRYSTALS = f"""
select key, id, source_id, text, archived_at, json_extract({or_empty("meta")}, '$.archived_because') as because,
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
    """A crystal as the evidence calls for. `of` is `entity:ID`, `entity:ID in PROJECT` or `project:NAME`.

    `evidence` are keys of the project's memories, `statements` ids of relations and memories, and `names` the entities
    in the text (key to name).
    """

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
        """The memory's id, always the same for the same `of`."""
        return short_id(KIND, self.of)

    @property
    def source_id(self) -> str:
        """The memory's source id, which identifies the row of this crystal."""
        return f"{KIND}:{self.of}"


def statement_text(statement: SupportedClaim) -> str:
    """A statement as a sentence, with its start date: `Rosa lives in Porto (since 2019-05-01).`"""
    text = statement.text.strip()
    since = f" (since {statement.since[:10]})" if statement.since else ""
    return f"{text}{since}." if since or text[-1:] not in f".!?{SENTENCE_ENDS}" else text


def crystal_text(
    found: Iterable[SupportedClaim], longest: int = USUAL.crystal_characters
) -> tuple[str, list[SupportedClaim]]:
    """The text of a crystal, at most `longest` characters, and its statements. Those that do not fit are skipped."""
    kept: list[SupportedClaim] = []
    sentences: list[str] = []
    for one in found:
        sentence = statement_text(one)
        if sum(map(len, sentences)) + len(sentences) + len(sentence) <= longest and sentence not in sentences:
            sentences.append(sentence)
            kept.append(one)
    return " ".join(sentences), kept


def due_crystals(conn: Connection, now: str, rule: PromotePolicy = USUAL) -> list[Crystal]:
    """The crystals that the evidence calls for now."""
    groups: dict[tuple[int | None, str], list[SupportedClaim]] = {}
    for one in supported_claims(conn, now, rule):
        if one.level == CRYSTAL:
            groups.setdefault((one.entity, one.project), []).append(one)
    keys = {key for found in groups.values() for one in found for key in (one.entity, *one.others) if key}
    named = {row["key"]: row for row in conn.execute(SELECT_ENTITIES, {"keys": keys_json(keys)})}
    made = (
        _crystal(entity, project, found, named, rule.crystal_characters) for (entity, project), found in groups.items()
    )
    return [one for one in made if one.text]


def _crystal(
    entity: int | None, project: str, found: list[SupportedClaim], named: Mapping[int, Any], longest: int
) -> Crystal:
    text, kept = crystal_text(found, longest)
    keys = {key for one in kept for key in (one.entity, *one.others) if key is not None and key in named}
    return Crystal(
        _of(named[entity]["id"] if entity else None, project),
        named[entity]["name"] if entity else project,
        text,
        project,
        min((one.confidence for one in kept), default=1.0),
        tuple(sorted({key for one in kept for key in one.evidence})),
        tuple(one.id for one in kept),
        {key: named[key]["name"] for key in sorted(keys)},
    )


def _of(entity: str | None, project: str) -> str:
    if entity is None:
        return f"project:{project}"
    return f"entity:{entity}" if project == GLOBAL else f"entity:{entity} in {project}"


# ---------------------------------------------------------------------------------------------- writing


def build(work: RunContext) -> list[log.Change]:
    """The changes made: crystals are made, rebuilt or archived as the evidence calls for, each in one transaction.

    A crystal that a person has forgotten or undone is not made again. A second run with the same evidence changes
    nothing.
    """
    made, gone = _due(work)
    changes = [*(_write(work, crystal, row) for crystal, row in made), *(_archive(work, row) for row in gone)]
    return [change for change in changes if change]


def count_crystals(work: RunContext) -> int:
    """The number of crystals to make, rebuild or archive."""
    return sum(map(len, _due(work)))


def _due(work: RunContext) -> tuple[list[tuple[Crystal, Any]], list[Any]]:
    """The crystals to write, each with its row if there is one; and the rows of crystals to archive."""
    there = {row["source_id"]: row for row in work.conn.execute(SELECT_CRYSTALS)}
    calls = {one.source_id: one for one in due_crystals(work.conn, work.now, work.policy.promote)}
    left_alone = log.undone_by_hand(work.conn, CRYSTALS)
    made = [
        (one, there.get(name))
        for name, one in calls.items()
        if one.id not in left_alone and not (name in there and _stays(there[name], one))
    ]
    gone = [row for name, row in there.items() if name not in calls and not row["archived_at"]]
    return made, [row for row in gone if row["id"] not in left_alone]


def _stays(row: Any, crystal: Crystal) -> bool:
    """Whether a crystal needs no change: it is up to date, or somebody has archived it."""
    if row["archived_at"]:
        return bool(row["because"] != GONE)
    return bool(row["text"] == crystal.text and set(json.loads(row["evidence"])) == set(crystal.evidence))


def _write(work: RunContext, crystal: Crystal, old: Any) -> log.Change | None:
    """Stores a crystal, as a new memory or in its old row. None if the row or the evidence changed in the meantime."""
    conn, row = work.conn, _row(crystal, work.now)
    with work.writing():
        if not _is_unchanged(conn, old) or len(store.memories(conn, list(crystal.evidence))) < len(crystal.evidence):
            return None
        before: snapshots.Before
        if old is None:
            row["key"] = conn.execute(store.NEXT_KEY).fetchone()[0]
            conn.execute(store.INSERT_MEMORY, row)
            before = {"made": {"memories": [row["key"]]}}
        else:
            row["key"] = old["key"]
            before = snapshots.saved_rows(conn, [row["key"]])
            conn.execute(UPDATE, {name: row[name] for name in _UPDATED})
        _tie(conn, row, crystal, work.now)
        work.embed([row["key"]])
        count = len(crystal.statements)
        return log.record(
            conn,
            run=work.run,
            step=CRYSTALS,
            action="rebuilt" if old else "made",
            memory_id=crystal.id,
            at=work.now,
            why=f"{count} promoted {'statement' if count == 1 else 'statements'} about {crystal.title}",
            sources=[one.id for one in store.memories(conn, list(crystal.evidence)).values()],
            before=before,
        )


_UPDATED = ("key", "text", "title", "confidence", "tokens", "hash", "text_hash", "now", "meta")


def _row(crystal: Crystal, now: str) -> dict[str, Any]:
    nothing = ("document_key", "position", "speaker", "category", "slot", "slot_key", "happened_at")
    return {
        **dict.fromkeys((*nothing, "valid_from", "valid_until", "expires_at")),
        "id": crystal.id,
        "source_id": crystal.source_id,
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


def _tie(conn: Connection, row: Mapping[str, Any], crystal: Crystal, now: str) -> None:
    """Links a crystal to its evidence and entities, and marks it as read, so that no facts are extracted from it."""
    key = row["key"]
    conn.execute(DELETE_EVIDENCE, {"key": key, "evidence": keys_json(crystal.evidence)})
    for source in crystal.evidence:
        store.link(conn, key, source, "derived_from", now, why="says so")
    conn.execute(DELETE_MENTIONS, {"key": key})
    same = {"memory_key": key, "role": "text", "start": None, "count": 1, "confidence": 1.0}
    names = [{**same, "entity_key": entity, "surface": name} for entity, name in crystal.names.items()]
    conn.executemany(INSERT_MENTION, names)
    for extractor in (EXTRACTOR, CASES):
        store.mark_read(conn, extractor, {key: row["hash"]}, now)
    bump(conn)


def _is_unchanged(conn: Connection, row: Any) -> bool:
    """Whether a crystal's row is unchanged since it was found to be due, and was not deleted."""
    if row is None:
        return True
    now = store.memories(conn, [row["key"]]).get(row["key"])
    return now is not None and (now.text, now.archived_at) == (row["text"], row["archived_at"])


def _archive(work: RunContext, row: Any) -> log.Change | None:
    with work.writing():
        if not _is_unchanged(work.conn, row):
            return None
        before = snapshots.saved_rows(work.conn, [row["key"]])
        store.archive(work.conn, [row["key"]], work.now, GONE)
        return log.record(
            work.conn,
            run=work.run,
            step=CRYSTALS,
            action="put away",
            memory_id=row["id"],
            at=work.now,
            why=GONE,
            before=before,
        )
