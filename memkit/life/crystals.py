"""Crystals: what several sources say of an entity or in a project, in a few sentences that follow from the evidence.

Of an entity there is one in each project that says something of it, made of what that project says. What a global
memory says is in the global one alone: every project sees that.

A crystal is a memory of kind `crystal` with `derived_from` links to the memories that say so (membox, M18). Its text is
made of promoted statements by a template, surest first, at most 1500 characters (membox; the policy's). It is made anew
when the statements change and put away when the last one goes. It is no source itself: nothing is read out of it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memkit import store
from memkit.connect import CASES, EXTRACTOR, MARK_READ
from memkit.graph.entities import INSERT_MENTION
from memkit.graph.version import bump
from memkit.life import log, rows
from memkit.life.policy import CRYSTALS, Promote
from memkit.life.promote import CRYSTAL, USUAL, Statement, statements
from memkit.life.work import Work
from memkit.store import dumps, keys_json
from memkit.text import est_tokens, short_id, text_hash
from memkit.types import GLOBAL

KIND = "crystal"
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
    """A crystal as it ought to be: `of` is `entity:ID` (`in NAME`: of a project) or `project:NAME`.

    `evidence` are keys of the project's memories, `names` the entities that it names.
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
        """The memory's id: the same for as long as there is a crystal of this."""
        return short_id(KIND, self.of)

    @property
    def source_id(self) -> str:
        """What tells this crystal's row from all others."""
        return f"{KIND}:{self.of}"


def told(statement: Statement) -> str:
    """A statement as a sentence, with the day since when it holds."""
    text = statement.text.strip()
    since = f" (since {statement.since[:10]})" if statement.since else ""
    return f"{text}{since}." if since or text[-1:] not in ".!?。！？" else text


def written(found: Iterable[Statement], longest: int = USUAL.crystal_characters) -> tuple[str, list[Statement]]:
    """The text of a crystal, and the statements that it holds: as many as there is room for, one too long left out."""
    kept: list[Statement] = []
    sentences: list[str] = []
    for one in found:
        sentence = told(one)
        if sum(map(len, sentences)) + len(sentences) + len(sentence) <= longest and sentence not in sentences:
            sentences.append(sentence)
            kept.append(one)
    return " ".join(sentences), kept


def wanted(conn: Any, now: str, rule: Promote = USUAL) -> list[Crystal]:
    """The crystals that the evidence calls for."""
    groups: dict[tuple[int | None, str], list[Statement]] = {}
    for one in statements(conn, now, rule):
        if one.level == CRYSTAL:
            groups.setdefault((one.entity, one.project), []).append(one)
    keys = {key for found in groups.values() for one in found for key in (one.entity, *one.others) if key}
    named = {row["key"]: row for row in conn.execute(SELECT_ENTITIES, {"keys": keys_json(keys)})}
    made = (
        _crystal(entity, project, found, named, rule.crystal_characters) for (entity, project), found in groups.items()
    )
    return [one for one in made if one.text]


def _crystal(
    entity: int | None, project: str, found: list[Statement], named: Mapping[int, Any], longest: int
) -> Crystal:
    text, kept = written(found, longest)
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


def build(work: Work) -> list[log.Change]:
    """Makes, rebuilds and puts away crystals as the evidence calls for; what changed. Each is a transaction of its own.

    One that a person has forgotten, or whose making they have undone, stays away. The same evidence changes nothing.
    """
    made, gone = _due(work)
    changes = [*(_write(work, crystal, row) for crystal, row in made), *(_put_away(work, row) for row in gone)]
    return [change for change in changes if change]


def count_crystals(work: Work) -> int:
    """How many crystals are to be made, made anew or put away."""
    return sum(map(len, _due(work)))


def _due(work: Work) -> tuple[list[tuple[Crystal, Any]], list[Any]]:
    """The crystals to write, each with its row if there is one, and the rows of those to put away."""
    there = {row["source_id"]: row for row in work.conn.execute(SELECT_CRYSTALS)}
    calls = {one.source_id: one for one in wanted(work.conn, work.now, work.policy.promote)}
    left_alone = log.taken_back(work.conn, CRYSTALS)
    made = [
        (one, there.get(name))
        for name, one in calls.items()
        if one.id not in left_alone and not (name in there and _stays(there[name], one))
    ]
    gone = [row for name, row in there.items() if name not in calls and not row["archived_at"]]
    return made, [row for row in gone if row["id"] not in left_alone]


def _stays(row: Any, crystal: Crystal) -> bool:
    """Whether a crystal is as it ought to be, or was put away by somebody."""
    if row["archived_at"]:
        return bool(row["because"] != GONE)
    return bool(row["text"] == crystal.text and set(json.loads(row["evidence"])) == set(crystal.evidence))


def _write(work: Work, crystal: Crystal, old: Any) -> log.Change | None:
    """Writes a crystal, as a new memory or in place of what it was; none, if its evidence has gone meanwhile."""
    conn, row = work.conn, _row(crystal, work.now)
    with work.writing():
        if not _as_found(conn, old) or len(store.memories(conn, list(crystal.evidence))) < len(crystal.evidence):
            return None
        before: rows.Before
        if old is None:
            row["key"] = conn.execute(store.NEXT_KEY).fetchone()[0]
            conn.execute(store.INSERT_MEMORY, row)
            before = {"made": {"memories": [row["key"]]}}
        else:
            row["key"] = old["key"]
            before = rows.as_they_are(conn, [row["key"]])
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


def _as_found(conn: Any, row: Any) -> bool:
    """Whether a crystal is still what it was when it was found to be due; nobody has forgotten it meanwhile."""
    if row is None:
        return True
    now = store.memories(conn, [row["key"]]).get(row["key"])
    return now is not None and (now.text, now.archived_at) == (row["text"], row["archived_at"])


def _put_away(work: Work, row: Any) -> log.Change | None:
    with work.writing():
        if not _as_found(work.conn, row):
            return None
        before = rows.as_they_are(work.conn, [row["key"]])
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
