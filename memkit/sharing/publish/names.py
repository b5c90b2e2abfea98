"""Public graph: the entities, mentions and relations that the chosen memories state.

A name that is in none of the chosen texts is private, even if it is an alias of an entity that is named there.
Relations are not copied. They are built again from evidence in the chosen memories, so that their times and confidence
come only from these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from memkit.graph import entities, relations
from memkit.graph.duplicates import NEAR_DUPLICATE
from memkit.graph.links import TYPES
from memkit.graph.relations import Statement
from memkit.sharing.publish.ids import Ids
from memkit.sharing.publish.redaction import Cleaner
from memkit.sharing.publish.rows import PublishedRows
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json
from memkit.text.extract.predicates import predicate_id
from memkit.text.words import has_cjk, normal_name

SELECT_MENTIONS = """
select x.memory_key, x.entity_key, x.role, x.surface, x.count
from mentions as x
where x.memory_key in (select value from json_each(:keys))
order by x.memory_key, x.key
"""
SELECT_ENTITIES = """
select e.key, e.id, e.name, e.kind, e.description, e.merged_into from entities as e
where e.key in (select value from json_each(:keys))
order by e.key
"""
SELECT_ALIASES = """
select a.entity_key, a.alias, a.normal, a.source from aliases as a
where a.entity_key in (select value from json_each(:keys))
order by a.key
"""
SELECT_EVIDENCE = """
select v.memory_key, v.quote, v.method, v.confidence, v.valid_from, v.valid_until,
    r.subject_key, r.predicate, r.object_key
from evidence as v join relations as r on r.key = v.relation_key
where v.memory_key in (select value from json_each(:keys))
order by v.key
"""
SELECT_LINKS = """
select l.from_key, l.to_key, l.type, l.weight, l.why from links as l
where l.from_key in (select value from json_each(:keys)) and l.to_key in (select value from json_each(:keys))
order by l.key
"""
INSERT_ENTITY = """
insert into entities (key, id, name, normal, kind, description, created_at, updated_at)
values (:key, :id, :name, :normal, :kind, :description, :now, :now)
"""

# Reasons of links in memkit's own words; others may be the owner's.
OWN_REASONS = frozenset({NEAR_DUPLICATE, "front matter", "by hand"})
# memkit's own terms, which reveal nothing. Other kinds, such as `patient`, come from front matter.
ROLES = frozenset("text title speaker wikilink relation".split())
METHODS = frozenset("pattern field wikilink slot model given hand".split())
KINDS = frozenset(
    "person place thing concept value organization organisation company group event project work book tool animal plant"
    " food city country".split()
)
OWN_WORDS = (*OWN_REASONS, *ROLES, *METHODS, *KINDS, *TYPES, "bare plural alias text")
SINGLE_VALUED = "single_valued"
RELATED = "relates_to"  # replaces a predicate that is empty after redaction


@dataclass(slots=True)
class PublishedEntity:
    """One entity, with only those names that the chosen memories contain."""

    key: int  # in the private database
    id: str
    name: str
    kind: str
    description: str | None
    aliases: dict[str, str] = field(default_factory=dict)  # normalised alias -> alias as written

    def best(self, normal: str) -> str:
        """The name to show: its own if a chosen memory contains it, else the longest alias that one contains."""
        if normal in self.aliases:
            return self.name
        return max(self.aliases.values(), key=lambda alias: (len(alias), alias))


class PublishedWords:
    """The normalised texts of the chosen memories, to test whether they contain a name."""

    def __init__(self, found: PublishedRows):
        self._texts = {key: _said(row) for key, row in found.private.items()}

    def says(self, memory_key: int, normal: str) -> bool:
        """Whether a memory contains a normalised name as whole words (a CJK name: anywhere)."""
        text = self._texts[memory_key]
        return bool(normal) and (f" {normal} " in text or (has_cjk(normal) and normal in text))


def _said(row: dict[str, Any]) -> str:
    parts = (row[name] for name in ("title", "text", "speaker", "tags", "category"))
    return f" {normal_name(' | '.join(part for part in parts if part))} "


def write_graph(
    source: Any, target: Any, found: PublishedRows, ids: Ids, clean: Cleaner, keep: frozenset[str], now: str
) -> None:
    """Writes entities, mentions, relations and links of the chosen memories into the new database."""
    keys = keys_json(found.memories)
    mentions = [dict(row) for row in source.execute(SELECT_MENTIONS, {"keys": keys})]
    evidence = [dict(row) for row in source.execute(SELECT_EVIDENCE, {"keys": keys})]
    roots = _roots(source, {row["entity_key"] for row in mentions})
    for row in mentions:
        row["entity_key"] = roots.get(row["entity_key"], row["entity_key"])
    said = PublishedWords(found)
    named = _named(source, mentions, said)
    new = _write_entities(target, named, ids, clean, said, found, now)
    _write_mentions(target, mentions, new, said, found, clean)
    _write_relations(source, target, evidence, roots, new, found, clean, keep, now)
    _write_links(source, target, keys, found, now)


def _roots(conn: Connection, keys: Iterable[int]) -> dict[int, int]:
    """For each merged entity, the key of the entity that it is part of now."""
    into: dict[int, int] = {}
    wanted = set(keys)
    while wanted:
        rows = conn.execute(SELECT_ENTITIES, {"keys": keys_json(wanted)})
        step = {row["key"]: row["merged_into"] for row in rows if row["merged_into"] is not None}
        into |= step
        wanted = set(step.values()) - into.keys()
    found = {}
    for key in into:
        root, seen = key, {key}
        while root in into and into[root] not in seen:  # a file from elsewhere may hold a circle
            root = into[root]
            seen.add(root)
        found[key] = root
    return found


def _named(conn: Connection, mentions: list[dict[str, Any]], said: PublishedWords) -> dict[int, PublishedEntity]:
    """The entities that chosen memories mention by name, each with only the names found there."""
    where: dict[int, list[int]] = {}
    for row in mentions:
        where.setdefault(row["entity_key"], []).append(row["memory_key"])
    parameters = {"keys": keys_json(where)}
    found = {
        row["key"]: PublishedEntity(row["key"], row["id"], row["name"], row["kind"], row["description"])
        for row in conn.execute(SELECT_ENTITIES, parameters)
    }
    for row in conn.execute(SELECT_ALIASES, parameters):
        if row["source"] not in ("bare", "plural") and any(
            said.says(key, row["normal"]) for key in where[row["entity_key"]]
        ):
            found[row["entity_key"]].aliases[row["normal"]] = row["alias"]
    return {key: one for key, one in found.items() if one.aliases}


def _write_entities(
    conn: Connection,
    named: dict[int, PublishedEntity],
    ids: Ids,
    clean: Cleaner,
    said: PublishedWords,
    found: PublishedRows,
    now: str,
) -> dict[int, tuple[int, str]]:
    """The new key and name of each entity, without those that have no name after redaction.

    Two entities with the same public name become one, because only private memories tell them apart.
    """
    new: dict[int, tuple[int, str]] = {}
    by_name: dict[str, int] = {}
    for one in named.values():
        name = clean.name(one.best(normal_name(one.name)))
        if not entities.valid_name(name):
            continue
        known = by_name.get(normal_name(name))
        key = by_name[normal_name(name)] = known or len(by_name) + 1
        new[one.key] = key, name
        if known:
            _write_aliases(conn, key, one, clean)
            continue
        described = one.description and any(said.says(memory, normal_name(one.description)) for memory in found.private)
        row = {
            "key": key,
            "id": ids.new("entity", one.id),
            "name": name,
            "normal": normal_name(name),
            "kind": one.kind if one.kind in KINDS else entities.THING,
            "description": clean.name(one.description) if one.description and described else None,
            "now": now,
        }
        conn.execute(INSERT_ENTITY, row)
        entities.add_alias(conn, key, name, "text")
        _write_aliases(conn, key, one, clean)
    return new


def _write_aliases(conn: Connection, key: int, one: PublishedEntity, clean: Cleaner) -> None:
    for alias in one.aliases.values():
        entities.add_alias(conn, key, clean.name(alias), "text")


def _write_mentions(
    conn: Connection,
    mentions: list[dict[str, Any]],
    new: dict[int, tuple[int, str]],
    said: PublishedWords,
    found: PublishedRows,
    clean: Cleaner,
) -> None:
    """Writes the mentions. If several published entities share a name in a memory, they share its confidence."""
    kept = [row for row in mentions if row["entity_key"] in new]
    bearers = Counter((row["memory_key"], row["surface"]) for row in kept)
    for row in kept:
        key, name = new[row["entity_key"]]
        memory = found.memories[row["memory_key"]]
        here = said.says(row["memory_key"], normal_name(row["surface"]))
        surface = clean.name(row["surface"]) if here else name
        start = memory["text"].find(surface) if row["role"] == "text" else -1
        conn.execute(
            entities.INSERT_MENTION,
            {
                "memory_key": memory["key"],
                "entity_key": key,
                "role": row["role"] if row["role"] in ROLES else "text",
                "surface": surface,
                "start": start if start >= 0 else None,
                "count": row["count"],
                "confidence": 1 / bearers[row["memory_key"], row["surface"]],
            },
        )


def _write_relations(
    source: Any,
    target: Any,
    evidence: list[dict[str, Any]],
    roots: dict[int, int],
    new: dict[int, tuple[int, str]],
    found: PublishedRows,
    clean: Cleaner,
    keep: frozenset[str],
    now: str,
) -> None:
    statements = []
    for row in evidence:
        subject, object_ = (new.get(roots.get(row[end], row[end])) for end in ("subject_key", "object_key"))
        if subject is None or object_ is None or subject[0] == object_[0]:
            continue
        if row["method"] == "field" and "meta" not in keep:
            continue  # from front matter, which is not published
        statements.append(_statement(row, subject[0], object_[0], found, clean))
    predicates = {statement.predicate for statement in statements}
    named = store.texts_in_setting(source, SINGLE_VALUED)
    single = {_predicate(predicate_id(name), clean) for name in named}
    own = sorted(single & predicates)
    if own:
        store.set_setting(target, SINGLE_VALUED, own)
    relations.add(target, statements, now)


def _statement(row: dict[str, Any], subject: int, object_: int, found: PublishedRows, clean: Cleaner) -> Statement:
    before, memory = found.private[row["memory_key"]], found.memories[row["memory_key"]]
    quote = clean.name(row["quote"]) if row["quote"] in before["text"] else ""
    # A memory without a time of its own got the day when it was added, which is private.
    dated = before["happened_at"] is not None or before["created_at"] == memory["created_at"]
    since, until = (
        when if when and (dated or when[:4] in before["text"]) else None
        for when in (row["valid_from"], row["valid_until"])
    )
    return Statement(
        subject,
        _predicate(row["predicate"], clean),
        object_,
        memory["happened_at"] or memory["created_at"],
        memory["key"],
        quote if quote in memory["text"] else "",
        row["confidence"],
        since,
        until,
        row["method"] if row["method"] in METHODS else "given",
    )


def _predicate(name: str, clean: Cleaner) -> str:
    """The predicate, without private names and numbers in it."""
    cleaned = clean.name(name)
    return name if cleaned == name else predicate_id(cleaned) or RELATED


def _write_links(source: Any, target: Any, keys: str, found: PublishedRows, now: str) -> None:
    for row in source.execute(SELECT_LINKS, {"keys": keys}).fetchall():
        ends = found.memories[row["from_key"]]["key"], found.memories[row["to_key"]]["key"]
        why = row["why"] if row["why"] in OWN_REASONS else ""
        store.link(target, *ends, row["type"], now, weight=row["weight"], why=why)
