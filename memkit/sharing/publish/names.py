"""Public graph: the entities, mentions and relations that the chosen memories state.

A name that is in none of the chosen texts is private, even if it is an alias of an entity that is named there.
Relations are not copied. They are built again from evidence in the chosen memories, so that their times and confidence
come only from these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memkit.core.batches import batched
from memkit.graph import entities, relations
from memkit.graph.duplicates import NEAR_DUPLICATE
from memkit.graph.links import TYPES
from memkit.graph.relations import Statement
from memkit.sharing.publish.redaction import Cleaner
from memkit.sharing.publish.rows import AT_ONCE, Pair, PublishedRows
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_value
from memkit.storage.store import keys_json
from memkit.text.extract.predicates import predicate_id
from memkit.text.words import has_cjk, normal_name

SELECT_MENTIONS = """
select x.memory_key, x.entity_key, x.role, x.surface, x.count
from mentions as x
where x.memory_key in (select value from json_each(:keys))
order by x.memory_key, x.key
"""
SELECT_MENTIONED = """
select distinct x.entity_key from mentions as x where x.memory_key in (select value from json_each(:keys))
"""
SELECT_ENTITIES = """
select e.key, e.id, e.name, e.kind, e.description, e.merged_into from entities as e
where e.key in (select value from json_each(:keys))
order by e.key
"""
SELECT_ALIASES = """
select a.entity_key, a.alias, a.normal from aliases as a
where a.entity_key in (select value from json_each(:keys)) and a.source not in ('bare', 'plural')
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
SELECT_SHOWN = """
select key, title, text, speaker, tags, category, happened_at, created_at from memories
where key in (select value from json_each(:keys))
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
_SAYING = ("title", "text", "speaker", "category", "tags")  # columns in which a memory says names
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


class Said:
    """The normalised texts of some chosen memories, to test whether they contain a name, before and after redaction."""

    def __init__(self, some: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]):
        """Each memory as it is in private, and as it is published."""
        self.texts: dict[int, str] = {}
        self._redacted: dict[int, str] = {}
        for private, public in some:
            key = private["key"]
            self.texts[key] = _said(private)
            if any(private[name] != public[name] for name in _SAYING):
                self._redacted[key] = _said(public)

    def says(self, memory_key: int, normal: str) -> bool:
        """Whether a memory contains a normalised name as whole words (a CJK name: anywhere)."""
        return _contains(self.texts[memory_key], normal)

    def keeps(self, memory_key: int, name: str, clean: Cleaner) -> bool:
        """Whether the public memory still contains a name that the private one says, or what replaces it.

        Of `rosa.lindqvist@example.org` and `Hunter2!x` redaction leaves no part, which may be a name by itself.
        """
        public = self._redacted.get(memory_key)
        return public is None or _contains(public, normal_name(clean.name(name)))


def _contains(text: str, normal: str) -> bool:
    return bool(normal) and (f" {normal} " in text or (has_cjk(normal) and normal in text))


def _said(row: Mapping[str, Any]) -> str:
    """What a row says, normalised, with a sign between columns and between tags: no name stands across two of them."""
    tags = json_value(row["tags"])
    parts = (row["title"], row["text"], row["speaker"], row["category"], *(tags if isinstance(tags, list) else ()))
    return f" {' | '.join(normal_name(str(part)) for part in parts if part)} "


class PublishedNames:
    """The entities that the chosen memories mention, each with only those names that these contain.

    The memories go by once, in parts (`read`). What is held are the entities and their names.
    """

    def __init__(self, conn: Connection, found: PublishedRows):
        self._conn = conn
        mentioned = [row[0] for row in conn.execute(SELECT_MENTIONED, {"keys": keys_json(found.keys)})]
        self._roots = _roots(conn, mentioned)
        chosen = {"keys": keys_json({self.root(key) for key in mentioned})}
        self._entities = {
            row["key"]: PublishedEntity(row["key"], row["id"], row["name"], row["kind"], row["description"])
            for row in conn.execute(SELECT_ENTITIES, chosen)
        }
        self._aliases: dict[int, dict[str, str]] = {}  # by entity: normalised alias -> alias as written
        for row in conn.execute(SELECT_ALIASES, chosen):
            self._aliases.setdefault(row["entity_key"], {})[row["normal"]] = row["alias"]
        self._unsaid = {key: set(aliases) for key, aliases in self._aliases.items()}
        self._undescribed = {one.description for one in self._entities.values() if one.description}
        self._clean = found.clean

    def root(self, key: int) -> int:
        """The key of the entity that this one is part of now."""
        return self._roots.get(key, key)

    def read(self, some: Iterable[Pair]) -> None:
        """Looks for the names in some chosen memories."""
        said = Said(some)
        for row in self._conn.execute(SELECT_MENTIONS, {"keys": keys_json(said.texts)}):
            entity, memory = self.root(row["entity_key"]), row["memory_key"]
            if unsaid := self._unsaid.get(entity):
                here = {normal for normal in unsaid if said.says(memory, normal)}
                unsaid -= {one for one in here if said.keeps(memory, self._aliases[entity][one], self._clean)}
        for each in [*self._undescribed]:
            normal = normal_name(each)
            if any(said.says(key, normal) and said.keeps(key, each, self._clean) for key in said.texts):
                self._undescribed.discard(each)

    def found(self) -> Iterator[PublishedEntity]:
        """The entities that the memories read so far mention by name."""
        for key, one in self._entities.items():
            aliases, unsaid = self._aliases.get(key, {}), self._unsaid.get(key, set())
            one.aliases = {normal: alias for normal, alias in aliases.items() if normal not in unsaid}
            if one.description in self._undescribed:
                one.description = None
            if one.aliases:
                yield one


def write_graph(source: Connection, target: Connection, found: PublishedRows, names: PublishedNames) -> None:
    """Writes entities, mentions, relations and links of the chosen memories into the new database, which has these."""
    new = _write_entities(target, names.found(), found)
    for keys in batched(found.keys, AT_ONCE):
        _write_mentions(source, target, keys, names, new, found)
    _write_relations(source, target, names, new, found)
    _write_links(source, target, found)


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


def _write_entities(
    conn: Connection, named: Iterable[PublishedEntity], found: PublishedRows
) -> dict[int, tuple[int, str]]:
    """The new key and name of each entity, without those that have no name after redaction.

    Two entities with the same public name become one, because only private memories tell them apart.
    """
    clean = found.clean
    new: dict[int, tuple[int, str]] = {}
    by_name: dict[str, int] = {}
    for one in named:
        name = clean.name(one.best(normal_name(one.name)))
        if not entities.valid_name(name):
            continue
        known = by_name.get(normal_name(name))
        key = by_name[normal_name(name)] = known or len(by_name) + 1
        new[one.key] = key, name
        if known:
            _write_aliases(conn, key, one, clean)
            continue
        row = {
            "key": key,
            "id": found.ids.new("entity", one.id),
            "name": name,
            "normal": normal_name(name),
            "kind": one.kind if one.kind in KINDS else entities.THING,
            "description": clean.name(one.description) if one.description else None,
            "now": found.now,
        }
        conn.execute(INSERT_ENTITY, row)
        entities.add_alias(conn, key, name, "text")
        _write_aliases(conn, key, one, clean)
    return new


def _write_aliases(conn: Connection, key: int, one: PublishedEntity, clean: Cleaner) -> None:
    for alias in one.aliases.values():
        entities.add_alias(conn, key, clean.name(alias), "text")


def _write_mentions(
    source: Connection,
    target: Connection,
    keys: Sequence[int],
    names: PublishedNames,
    new: dict[int, tuple[int, str]],
    found: PublishedRows,
) -> None:
    """Writes the mentions in some memories. If several published entities share a name in one, they share its
    confidence.
    """
    mentions = [dict(row) for row in source.execute(SELECT_MENTIONS, {"keys": keys_json(keys)})]
    public = _published(target, keys, found)
    private = source.execute(SELECT_SHOWN, {"keys": keys_json(keys)})
    said = Said((row, public[row["key"]]) for row in private)
    for row in mentions:
        row["entity_key"] = names.root(row["entity_key"])
        row["here"] = said.says(row["memory_key"], normal_name(row["surface"]))
    kept = [
        row
        for row in mentions
        if row["entity_key"] in new and (not row["here"] or said.keeps(row["memory_key"], row["surface"], found.clean))
    ]
    bearers = Counter((row["memory_key"], row["surface"]) for row in kept)
    for row in kept:
        key, name = new[row["entity_key"]]
        memory = public[row["memory_key"]]
        surface = found.clean.name(row["surface"]) if row["here"] else name
        start = memory["text"].find(surface) if row["role"] == "text" else -1
        target.execute(
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


def _published(target: Connection, keys: Iterable[int], found: PublishedRows) -> dict[int, Any]:
    """What the new database says of some memories, by their keys in the private one."""
    new = {found.new(key): key for key in keys}
    return {new[row["key"]]: row for row in target.execute(SELECT_SHOWN, {"keys": keys_json(new)})}


def _write_relations(
    source: Connection,
    target: Connection,
    names: PublishedNames,
    new: dict[int, tuple[int, str]],
    found: PublishedRows,
) -> None:
    statements = [*_statements(source, target, names, new, found)]
    said = {statement.predicate for statement in statements}
    named = store.texts_in_setting(source, SINGLE_VALUED)
    single = {_predicate(predicate_id(name), found.clean) for name in named}
    own = sorted(single & said)
    if own:
        store.set_setting(target, SINGLE_VALUED, own)
    relations.add(target, statements, found.now)


def _statements(
    source: Connection,
    target: Connection,
    names: PublishedNames,
    new: dict[int, tuple[int, str]],
    found: PublishedRows,
) -> Iterator[Statement]:
    """What the chosen memories state of published entities."""
    evidence = source.execute(SELECT_EVIDENCE, {"keys": keys_json(found.keys)})
    while some := evidence.fetchmany(AT_ONCE):
        keys = {row["memory_key"] for row in some}
        private = {row["key"]: row for row in source.execute(SELECT_SHOWN, {"keys": keys_json(keys)})}
        public = _published(target, keys, found)
        for row in some:
            subject, object_ = (new.get(names.root(row[end])) for end in ("subject_key", "object_key"))
            if subject is None or object_ is None or subject[0] == object_[0]:
                continue
            if row["method"] == "field" and "meta" not in found.keep:
                continue  # from front matter, which is not published
            before, memory = private[row["memory_key"]], public[row["memory_key"]]
            yield _statement(row, subject[0], object_[0], before, memory, found.clean)


def _statement(row: Any, subject: int, object_: int, before: Any, memory: Any, clean: Cleaner) -> Statement:
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


def _write_links(source: Connection, target: Connection, found: PublishedRows) -> None:
    for row in source.execute(SELECT_LINKS, {"keys": keys_json(found.keys)}):
        ends = found.new(row["from_key"]), found.new(row["to_key"])
        why = row["why"] if row["why"] in OWN_REASONS else ""
        store.link(target, *ends, row["type"], found.now, weight=row["weight"], why=why)
