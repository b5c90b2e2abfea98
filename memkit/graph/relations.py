"""Bi-temporal relations: subject - predicate - object, with evidence, and when it was true.

Bi-temporal: `valid_from` and `valid_until` say when it was true in the world, `created_at` and `expired_at` when this
database said so. The rows of a subject and predicate follow from their evidence (`timeline.periods`). When new evidence
changes a row, the old state is kept as an expired row beside it: nothing is lost or deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from memkit.core.classes import dataclass
from memkit.core.errors import MemkitError
from memkit.core.instants import canonical_time
from memkit.graph import descriptions, entities
from memkit.graph.timeline import Claim, Period, periods
from memkit.graph.version import bump
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.filters import WHEN
from memkit.storage.store import keys_json
from memkit.text.extract.predicates import ONE_BEARER, SINGLE_VALUED, one_at_a_time, predicate_id
from memkit.text.words import normal_name, short_id

BY_HAND = "hand"
MOST_SURE = 0.95  # the highest confidence of several sources together, unless one alone has a higher one
HEARSAY = "hearsay"  # the method of what somebody tells of others: "Mia said that Noah lives in Paris"
DOUBT = "doubt"  # the method of what no longer is sure: "I live in Leeds", once the user "finally moved"
MOST_HEARD = 0.5  # the highest confidence of hearsay, from however many mouths
SURER = 0.05  # added for each further source (membox, M18)

_KEPT = """(expired_at is null or (
        exists (select 1 from evidence as e where e.relation_key = relations.key)
        -- What a merge has made a relation of something with itself stays ended.
        and not exists (select 1 from entities as o where o.key = relations.object_key and o.merged_into is not null)
    ))
    and (:object is null or object_key = :object)"""
SELECT_GROUP = f"select * from relations where subject_key = :key and predicate = :predicate and {_KEPT} order by key"
SELECT_BEARERS = f"select * from relations where object_key = :key and predicate = :predicate and {_KEPT} order by key"
SELECT_EVIDENCE = """
select e.*, r.subject_key, r.object_key from evidence as e join relations as r on r.key = e.relation_key
where e.relation_key in (select value from json_each(:keys))
order by e.key
"""
# What an entity was to another that is merged with it ended with the merge, and does not begin again.
SELECT_GROUPS_OF = """
select distinct r.subject_key, r.predicate, r.object_key
from evidence as e join relations as r on r.key = e.relation_key
where e.key in (select value from json_each(:keys)) and not exists (
    select 1 from entities as x where x.key in (r.subject_key, r.object_key) and x.merged_into is not null
)
"""
SELECT_EVIDENCE_OF_MEMORIES = """
select e.memory_key, r.subject_key, r.predicate, r.object_key, e.valid_from, e.valid_until,
    e.quote, e.key, e.method, r.valid_until as ended
from evidence as e join relations as r on r.key = e.relation_key
where e.memory_key in (select value from json_each(:keys))
"""
DELETE_EVIDENCE = "delete from evidence where key in (select value from json_each(:keys))"
INSERT_EVIDENCE = """
insert into evidence
    (relation_key, memory_key, quote, method, confidence, valid_from, valid_until, said_at, created_at)
values (:relation_key, :memory_key, :quote, :method, :confidence, :valid_from, :valid_until, :said_at, :now)
"""
MOVE_EVIDENCE = "update evidence set relation_key = :relation_key where key = :key and relation_key <> :relation_key"
INSERT_RELATION = """
insert into relations (
    id, subject_key, predicate, object_key, confidence, valid_from, valid_until, created_at, expired_at, superseded_by,
    method
) values (
    :id, :subject_key, :predicate, :object_key, :confidence, :valid_from, :valid_until, :created_at, :expired_at,
    :superseded_by, :method
)
returning key
"""
UPDATE_RELATION = """
update relations set
    confidence = :confidence, method = :method, valid_from = :valid_from, valid_until = :valid_until,
    created_at = :created_at, expired_at = :expired_at
where key = :key
"""
EXPIRE = "update relations set expired_at = max(:now, created_at), superseded_by = :by where key = :key"
FOLLOW = "update relations set superseded_by = :by where key = :key and superseded_by is not :by"
DELETE_OTHER_CONFLICTS = """
delete from conflicts
where (relation_key in (select value from json_each(:keys)) or other_key in (select value from json_each(:keys)))
    and not exists (
        select 1 from json_each(:pairs)
        where json_extract(value, '$[0]') = relation_key and json_extract(value, '$[1]') = other_key
    )
"""
INSERT_CONFLICT = """
insert into conflicts (relation_key, other_key, created_at) values (:one, :other, :now) on conflict do nothing
"""
SELECT_ENTITY_IDS = "select key, id from entities where key in (select value from json_each(:keys))"
SELECT_TAKEN = "select 1 from relations where id = :id"

SELECT_RELATIONS = """
select r.*, s.name as subject, s.id as subject_id, o.name as object, o.id as object_id, o.kind as object_kind,
    (select f.name from entities as f join relations as n on n.object_key = f.key where n.key = r.superseded_by)
        as follower
from relations as r
    join entities as s on s.key = r.subject_key
    join entities as o on o.key = r.object_key
where r.key in (select value from json_each(:keys))
    and (:known_at is null or (r.created_at <= :known_at and (r.expired_at is null or r.expired_at > :known_at)))
    and (:known_at is not null or :everything or r.expired_at is null)
    and (:as_of is null or (
        (r.valid_from is null or r.valid_from <= :as_of) and (r.valid_until is null or r.valid_until > :as_of)
    ))
order by r.predicate = 'mentions', r.subject_key <> :entity, r.confidence desc, r.predicate, r.valid_from, r.key
"""
SELECT_KEYS = """
select key from relations where subject_key = :entity union select key from relations where object_key = :entity
"""
SELECT_PROOF = f"""
select e.relation_key, e.quote, e.method, e.confidence, e.valid_from, e.valid_until,
    iif(m.key is null or {WHEN} is not null, e.said_at, '') as said_at, m.id as memory_id, m.source_id, m.title,
    coalesce(m.speaker, '') as said_by
from evidence as e left join memories as m on m.key = e.memory_key
where e.relation_key in (select value from json_each(:keys))
order by e.relation_key, e.confidence desc, e.said_at, e.key
"""
SELECT_CONFLICTS = """
select c.relation_key, c.other_key from conflicts as c
where c.relation_key in (select value from json_each(:keys)) or c.other_key in (select value from json_each(:keys))
order by 1, 2
"""


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation as one source states it. `subject`, `object` and `memory` are keys; without a memory, by hand."""

    subject: int
    predicate: str
    object: int
    said: str
    memory: int | None = None
    quote: str = ""
    confidence: float = 1.0
    valid_from: str | None = None
    valid_until: str | None = None
    method: str = "given"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of a relation: a memory (its ids), its words, and the times that it states.

    Without a memory, the relation was stated by hand. `method` says how it was found, `said_at` when it was stated
    (empty if not known), `said_by` who says so: of hearsay, whom it is heard from; empty for who wrote a text
    without speakers, and for a rumour.
    """

    quote: str
    method: str
    confidence: float
    said_at: str
    memory_id: str | None = None
    source_id: str | None = None
    title: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    said_by: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation: subject - predicate - object, with its evidence.

    It is true in the world from `valid_from` to `valid_until`; this database says so from `created_at` to `expired_at`.
    An open end is None. `confidence` is 0 to 1.
    """

    key: int
    id: str
    subject: str
    predicate: str
    object: str
    confidence: float
    valid_from: str | None
    valid_until: str | None
    created_at: str
    expired_at: str | None
    method: str
    subject_id: str
    object_id: str
    object_kind: str = entities.THING
    superseded_by: str | None = None  # the object of the relation that replaced it
    evidence: tuple[Evidence, ...] = ()
    conflicts: tuple[str, ...] = ()  # ids of relations that cannot be true beside this one

    def __str__(self) -> str:
        return f"{self.subject} -{self.label}-> {self.object}"

    @property
    def label(self) -> str:
        """The predicate as people read it: `works at`."""
        return self.predicate.replace("_", " ")


# ---------------------------------------------------------------------------------------------- writing


def single_valued(conn: Connection) -> frozenset[str]:
    """The predicates with one object at a time: memkit's, those of the setting `single_valued`, and slot keys."""
    own = (*store.texts_in_setting(conn, "single_valued"), *store.texts_in_setting(conn, "slot_predicates"))
    return SINGLE_VALUED | set(map(predicate_id, own))


def relate(
    conn: Connection,
    subject: str,
    predicate: str,
    object: str,
    *,
    now: str,
    memory: int | None = None,
    quote: str = "",
    confidence: float = 1.0,
    valid_from: str | None = None,
    valid_until: str | None = None,
    method: str = BY_HAND,
    kinds: tuple[str, str] = (entities.THING, entities.THING),
) -> Relation:
    """Writes a relation between two names with its evidence, and returns it; missing entities are made.

    The same statement again only adds evidence. Raises MemkitError for an invalid name or confidence, a relation of an
    entity to itself, a predicate without letters, and an invalid date.
    """
    checked_triple(subject, predicate, object)
    since, until = interval(valid_from, valid_until)
    if not 0 <= confidence <= 1:
        raise MemkitError(f"confidence must be between 0 and 1, not {confidence!r}.")
    found = entities.ensure(conn, {subject: kinds[0], object: kinds[1]}, now, source=method)
    if found[subject] == found[object]:
        raise MemkitError(f"{subject!r} and {object!r} are the same: nothing is related to itself.")
    statement = Statement(
        found[subject], predicate_id(predicate), found[object], now, memory, quote, confidence, since, until, method
    )
    (key,) = add(conn, [statement], now)
    return of_keys(conn, [key])[0]


def checked_triple(subject: str, predicate: str, object: str) -> None:
    """Raises MemkitError if the parts of a triple are invalid."""
    for role, name in (("subject", subject), ("object", object)):
        if not entities.valid_name(name):
            shown = name if len(name) <= 40 else name[:40] + "…"
            raise MemkitError(
                f"The {role} {shown!r} is not a name. A name needs a letter or digit, "
                f"and at most {entities.LONGEST_NAME} characters."
            )
    if not predicate_id(predicate):
        raise MemkitError(f"The predicate {predicate[:40]!r} has no letters.")
    if normal_name(subject) == normal_name(object):
        raise MemkitError(f"{subject!r} cannot be related to itself.")


def interval(valid_from: str | None, valid_until: str | None) -> tuple[str | None, str | None]:
    """Both times in canonical form. Raises MemkitError for an invalid date, and for an end before the start."""
    try:
        since, until = (canonical_time(str(when)) if when else None for when in (valid_from, valid_until))
    except ValueError as error:
        raise MemkitError(str(error)) from error
    if since and until and since >= until:
        raise MemkitError(f"valid_until ({valid_until}) must be later than valid_from ({valid_from}).")
    return since, until


def add(conn: Connection, statements: Sequence[Statement], now: str) -> list[int]:
    """Adds statements as evidence; returns the key of the relation of each, in their order."""
    single = single_valued(conn)
    groups: dict[_Group, list[int]] = {}
    for i, one in enumerate(statements):
        if one.subject == one.object or not one.predicate:
            raise MemkitError("A relation needs two different entities and a predicate.")
        groups.setdefault(_group(one.subject, one.predicate, one.object, single), []).append(i)
    keys = [0] * len(statements)
    for group, places in groups.items():
        found = _rewrite(conn, group, [statements[i] for i in places], now)
        for i, key in zip(places, found, strict=True):
            keys[i] = key
    return keys


def stated_by(conn: Connection, memory_keys: Iterable[int]) -> list[tuple[int, str, int]]:
    """The (subject, predicate, object) of which these memories are evidence, for `recompute` once that has changed."""
    rows = conn.execute(SELECT_EVIDENCE_OF_MEMORIES, {"keys": keys_json(memory_keys)})
    return sorted({(row["subject_key"], row["predicate"], row["object_key"]) for row in rows})


def withdraw(conn: Connection, memory_keys: Iterable[int], now: str) -> int:
    """Removes all evidence from these memories; returns the number of pieces.

    A relation without other evidence expires; a relation that it had ended is open again.
    """
    return replace_evidence(conn, memory_keys, (), now)


def replace_evidence(
    conn: Connection,
    memory_keys: Iterable[int],
    statements: Sequence[Statement],
    now: str,
    *,
    keep: Callable[[Any], bool] = lambda row: False,
) -> int:
    """Replaces the evidence from these memories by new statements; returns how many pieces were removed.

    Evidence for which `keep(row)` is true stays. A statement that is the same as before keeps its evidence.
    """
    rows = conn.execute(SELECT_EVIDENCE_OF_MEMORIES, {"keys": keys_json(memory_keys)}).fetchall()
    again = {
        (one.memory, one.subject, one.predicate, one.object, one.valid_from, one.valid_until, one.quote)
        for one in statements
    }
    gone = [row["key"] for row in rows if tuple(row)[:7] not in again and not keep(row)]
    triples = conn.execute(SELECT_GROUPS_OF, {"keys": keys_json(gone)}).fetchall()
    conn.execute(DELETE_EVIDENCE, {"keys": keys_json(gone)})
    add(conn, statements, now)
    recompute(conn, [tuple(row) for row in triples], now)
    descriptions.follow(conn, [(one.subject, one.predicate, one.object) for one in statements], now)
    return len(gone)


def recompute(conn: Connection, triples: Iterable[tuple[int, str, int]], now: str) -> None:
    """Updates the rows of these (subject, predicate, object) from their evidence."""
    single, triples = single_valued(conn), list(triples)
    for group in sorted({_group(*triple, single) for triple in triples}, key=str):
        _rewrite(conn, group, [], now)
    descriptions.follow(conn, triples, now)


class _Group(NamedTuple):
    """The relations that are computed together: without an object, or a subject, only one holds at a time."""

    subject: int | None
    predicate: str
    object: int | None

    @property
    def single(self) -> bool:
        return self.subject is None or self.object is None

    @property
    def side(self) -> str:
        """The column of the value that changes: who the boss is, or where somebody lives."""
        return "subject_key" if self.subject is None else "object_key"

    def pair(self, value: int) -> tuple[int, int]:
        """Subject and object of the relation with this value."""
        return (value if self.subject is None else self.subject, value if self.object is None else self.object)


def _group(subject: int, predicate: str, object_: int, single: frozenset[str]) -> _Group:
    """All objects of a single-valued predicate, all subjects of one with one bearer, else one relation alone."""
    if predicate in ONE_BEARER:
        return _Group(None, predicate, object_)
    return _Group(subject, predicate, None if one_at_a_time(predicate, single) else object_)


def _rewrite(conn: Connection, group: _Group, new: Sequence[Statement], now: str) -> list[int]:
    """Updates a group's rows from its evidence and the new statements; returns the key of the row of each statement."""
    asked = {"key": group.object, "predicate": group.predicate, "object": group.object}
    query = SELECT_BEARERS
    if group.subject is not None:
        query, asked = SELECT_GROUP, {**asked, "key": group.subject}
    rows = conn.execute(query, asked).fetchall()
    known = conn.execute(SELECT_EVIDENCE, {"keys": keys_json(row["key"] for row in rows)}).fetchall()
    sources = [{**dict(row), "value": row[group.side]} for row in known]
    at: list[int] = []
    places = {_identity(source): i for i, source in enumerate(sources)}
    for statement in new:
        value = statement.subject if group.subject is None else statement.object
        source = {**_columns(statement), "key": None, "relation_key": None, "value": value}
        place = places.setdefault(_identity(source), len(sources))
        if place == len(sources):
            sources.append(source)
        at.append(place)
    found = periods((_claim(source, i) for i, source in enumerate(sources)), single=group.single)
    keys = _write_spans(conn, group, rows, found, sources, now)
    by_source = {claim.source: key for period, key in zip(found, keys, strict=True) for claim in period.claims}
    return [by_source[place] for place in at]


def _columns(one: Statement) -> dict[str, Any]:
    return {
        "memory_key": one.memory,
        "quote": one.quote,
        "method": one.method,
        "confidence": one.confidence,
        "valid_from": one.valid_from,
        "valid_until": one.valid_until,
        "said_at": one.said,
    }


def _identity(source: dict[str, Any]) -> tuple[Any, ...]:
    """The identity of a piece of evidence: its memory and what it says; stated by hand, also when."""
    said = source["said_at"] if source["memory_key"] is None else None
    return source["memory_key"], source["value"], source["valid_from"], source["valid_until"], said


def _claim(source: dict[str, Any], place: int) -> Claim:
    rank = place + 1 if source["memory_key"] is None else 0
    sure, doubts = source["method"] != HEARSAY, source["method"] == DOUBT
    times = source["said_at"], source["valid_from"], source["valid_until"]
    return Claim(source["value"], *times, rank, place, sure, doubts)


def _write_spans(
    conn: Connection,
    group: _Group,
    rows: list[Any],
    found: list[Period],
    sources: list[dict[str, Any]],
    now: str,
) -> list[int]:
    """Writes the differences, and returns the key of the row of each period."""
    owners = _owners(group.side, rows, found, sources)
    ids = _entity_ids(conn, {key for period in found for key in group.pair(period.object)}) if None in owners else {}
    keys: list[int] = []
    for period, row in zip(found, owners, strict=True):
        values = _values(period, [sources[claim.source] for claim in period.claims])
        if period.denied:
            values["expired_at"] = (row["expired_at"] if row else None) or now
        if row is None:
            subject, object_ = group.pair(period.object)
            name = (ids[subject], group.predicate, ids[object_])
            new = {"subject_key": subject, "predicate": group.predicate, "object_key": object_, "created_at": now}
            new |= {**values, "id": _new_id(conn, *name), "superseded_by": None}
            keys.append(conn.execute(INSERT_RELATION, new).fetchone()[0])
        else:
            _update(conn, row, values, now)
            keys.append(row["key"])
        for claim in period.claims:
            _write_evidence(conn, sources[claim.source], keys[-1], now)
    _write_ties(conn, group.side, rows, found, keys, now)
    return keys


def _owners(side: str, rows: list[Any], found: list[Period], sources: list[dict[str, Any]]) -> list[Any]:
    """The existing row of each period: the one with most of its evidence, or one of the same object, or None."""
    free = {row["key"]: row for row in rows}
    owners: list[Any] = []
    for period in found:
        votes: dict[int, int] = {}
        for claim in period.claims:
            key = sources[claim.source]["relation_key"]
            if key in free:
                votes[key] = votes.get(key, 0) + 1
        same = [key for key, row in free.items() if row[side] == period.object]
        best = max(votes, key=lambda key: (votes[key], -key)) if votes else same[0] if same else None
        owners.append(free.pop(best) if best is not None else None)
    return owners


def _values(period: Period, sources: list[dict[str, Any]]) -> dict[str, Any]:
    methods = [source["method"] for source in sources]
    return {
        "confidence": _confidence(sources),
        "method": BY_HAND if BY_HAND in methods else methods[0],
        "valid_from": period.start,
        "valid_until": period.end,
        "expired_at": None,
    }


def _confidence(sources: list[dict[str, Any]]) -> float:
    """The confidence of several sources: the highest one, plus SURER for each further source, up to MOST_SURE."""
    claims = [(source, _claim(source, 0)) for source in sources]
    stating = [source for source, claim in claims if not (claim.denies or claim.doubts)] or sources
    best: float = max(source["confidence"] for source in stating)
    different = {source["memory_key"] or f"by hand {source['said_at']}" for source in stating}
    if all(source["method"] == DOUBT for source in stating):
        return best
    most = MOST_HEARD if all(source["method"] == HEARSAY for source in stating) else MOST_SURE
    return max(best, round(min(most, best + SURER * (len(different) - 1)), 6))


def _update(conn: Connection, row: Any, values: dict[str, Any], now: str) -> None:
    """Updates a row; if its period changes, the old state is kept as an expired row."""
    if all(row[name] == value for name, value in values.items()):
        return
    moved = any(row[name] != values[name] for name in ("valid_from", "valid_until"))
    if moved and row["created_at"] < now:
        old = {
            **dict(row),
            "expired_at": now,
            "superseded_by": row["key"],
            "id": _new_id(conn, row["id"], "as it was", ""),
        }
        conn.execute(INSERT_RELATION, old)
    created_at = max(now, row["created_at"]) if moved else row["created_at"]
    conn.execute(UPDATE_RELATION, {**values, "key": row["key"], "created_at": created_at})
    if row["confidence"] != values["confidence"]:  # the weight of its edge in the graph
        bump(conn)


def _write_evidence(conn: Connection, source: dict[str, Any], relation_key: int, now: str) -> None:
    if source["key"] is None:
        conn.execute(INSERT_EVIDENCE, {**source, "relation_key": relation_key, "now": now})
    elif source["relation_key"] != relation_key:
        conn.execute(MOVE_EVIDENCE, {"key": source["key"], "relation_key": relation_key})


def _write_ties(conn: Connection, side: str, rows: list[Any], found: list[Period], keys: list[int], now: str) -> None:
    """Writes which rows follow and contradict each other, and expires rows without evidence."""
    place = {id(period): key for period, key in zip(found, keys, strict=True)}
    for row in rows:
        if row["key"] not in keys:
            same = next((key for period, key in zip(found, keys, strict=True) if period.object == row[side]), None)
            conn.execute(EXPIRE, {"key": row["key"], "now": now, "by": same})
            bump(conn)
    for period, key in zip(found, keys, strict=True):
        by = place[id(period.follower)] if period.follower else None
        if rows or by:
            conn.execute(FOLLOW, {"key": key, "by": by})
    pairs = sorted(
        {
            tuple(sorted((key, place[id(other)])))
            for period, key in zip(found, keys, strict=True)
            for other in period.conflicts
        }
    )
    if rows:
        conn.execute(
            DELETE_OTHER_CONFLICTS, {"keys": keys_json(row["key"] for row in rows), "pairs": store.dumps(pairs)}
        )
    conn.executemany(INSERT_CONFLICT, [{"one": one, "other": other, "now": now} for one, other in pairs])


def _entity_ids(conn: Connection, keys: set[int]) -> dict[int, str]:
    return dict(tuple(row) for row in conn.execute(SELECT_ENTITY_IDS, {"keys": keys_json(keys)}))


def _new_id(conn: Connection, *parts: str) -> str:
    n = 1
    while conn.execute(SELECT_TAKEN, {"id": (id := short_id("relation", *parts, str(n)))}).fetchone():
        n += 1
    return id


# ---------------------------------------------------------------------------------------------- reading


def of_keys(conn: Connection, keys: Iterable[int]) -> list[Relation]:
    """The relations with these keys, also expired ones."""
    return _read(conn, keys=keys_json(keys), everything=True)


def current(conn: Connection, entity: int, *, as_of: str, known_at: str | None = None) -> list[Relation]:
    """The relations of an entity that are true at `as_of`, the highest confidence first.

    With `known_at`, those that the database had at that time.
    """
    return _read(conn, entity=entity, as_of=as_of, known_at=known_at)


def history(conn: Connection, entity: int, *, as_of: str, known_at: str | None = None) -> list[Relation]:
    """The relations of an entity that are true at another time than `as_of`, earlier or later, in order of time."""
    now = {one.key for one in current(conn, entity, as_of=as_of, known_at=known_at)}
    rest = [one for one in _read(conn, entity=entity, known_at=known_at) if one.key not in now]
    return sorted(rest, key=lambda one: (one.valid_from or "", one.valid_until or "", one.key))


def _read(conn: Connection, **wanted: Any) -> list[Relation]:
    parameters = {"entity": None, "known_at": None, "as_of": None, "everything": False} | wanted
    if "keys" not in wanted:
        parameters["keys"] = keys_json(row[0] for row in conn.execute(SELECT_KEYS, parameters))
    rows = conn.execute(SELECT_RELATIONS, parameters).fetchall()
    keys = keys_json(row["key"] for row in rows)
    proof: dict[int, list[Evidence]] = {}
    for row in conn.execute(SELECT_PROOF, {"keys": keys}):
        values = dict(row)
        if row["method"] == HEARSAY:
            # All patterns of statements come with it, and few questions meet hearsay.
            from memkit.text.extract.change_signals import who_reports

            values["said_by"] = who_reports(row["quote"])
        proof.setdefault(values.pop("relation_key"), []).append(Evidence(**values))
    ids = {row["key"]: row["id"] for row in rows}
    disputes: dict[int, list[str]] = {}
    for one, other in conn.execute(SELECT_CONFLICTS, {"keys": keys}):
        for mine, theirs in ((one, other), (other, one)):
            if id := ids.get(theirs) or _id_of(conn, theirs):
                disputes.setdefault(mine, []).append(id)
    return [_relation(row, tuple(proof.get(row["key"], ())), tuple(disputes.get(row["key"], ()))) for row in rows]


def _relation(row: Any, evidence: tuple[Evidence, ...], conflicts: tuple[str, ...]) -> Relation:
    values = {name: row[name] for name in Relation.__dataclass_fields__ if name in row.keys()}  # noqa: SIM118
    read = Relation(**{**values, "superseded_by": row["follower"]})
    return replace(read, evidence=evidence, conflicts=conflicts)


SELECT_ID = "select id from relations where key = :key"


def _id_of(conn: Connection, key: int) -> str | None:
    """The id of a relation; None if another program has deleted it."""
    row = conn.execute(SELECT_ID, {"key": key}).fetchone()
    return str(row[0]) if row else None
