"""What a piece of writing needs to see of a store: the units that it may change, and those that decide how.

These are the documents that are read again, the values of a slot, the entities that a text may name, and the relations
of which it is evidence with everything else that states them. What is only known once the text was read (new names, the
relations in it) is asked for in a second round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from memkit.core.types import DocumentDraft, Draft, Restated
from memkit.ingestion.renamed import is_gone
from memkit.sharing.postgres.lexemes import lexeme
from memkit.sharing.postgres.part import SELECT_NAMED, TOKENIZE, lexemes_of
from memkit.sharing.postgres.server import Server
from memkit.sharing.postgres.units import Name, Unit, references
from memkit.sources import MemoryRecord, TripleDraft
from memkit.text.extract.matcher import runs
from memkit.text.extract.wikilinks import find_links
from memkit.text.words import normal_name, quoted, short_id

MANY_NAMES = 1000  # so many are not looked up one by one: all names of the store that begin as one of them are read
USER = Name("entities", short_id("entity", "user", "1"))  # "I" of somebody whose name is not known: nobody in a store
MOST_OLD = 500  # memories, newest first, in which a new name is looked for

SELECT_BEGINNING = """
select u.id, a ->> 'normal' from memkit.units as u cross join lateral json_array_elements(u.body -> 'aliases') as a
where u.kind = 'entities' and split_part(a ->> 'normal', ' ', 1) = any(%s)
"""
_OF_DOCUMENTS = "from memkit.units where kind = 'memories' and body #>> '{{row,document_key}}' = any(%(documents)s) {}"
SELECT_DOCUMENTS = """
select id from memkit.units where kind = 'documents' and body #>> '{row,source}' collate "C" = any(%s)
"""
SELECT_BELOW = """
select u.id, u.body #>> '{row,source}' from unnest(%s::text[]) as p(root) join memkit.units as u
    on u.kind = 'documents' and u.body #>> '{row,source}' collate "C" >= p.root || %s
        and u.body #>> '{row,source}' collate "C" < p.root || %s
"""
SELECT_WHOLE = "select id " + _OF_DOCUMENTS.format("")
SELECT_ROWS = "select id " + _OF_DOCUMENTS.format("and body #>> '{row,source_id}' = any(%(source_ids)s)")
SELECT_TEXTS = "select id " + _OF_DOCUMENTS.format(
    "and body #>> '{row,source_id}' is null and body #>> '{row,text}' = any(%(texts)s)"
)
SELECT_PASSAGES = "select id from memkit.units where kind = 'memories' and body #>> '{row,source_id}' = any(%s)"
SELECT_KNOWN = """
select body #>> '{row,source_id}' from memkit.units
where kind = 'memories' and body #>> '{row,source_id}' = any(%(ids)s)
union
select id from memkit.units where kind = 'memories' and id = any(%(ids)s)
"""
SELECT_LAST = """
select m.id from unnest(%s::text[]) as d(id) cross join lateral (
    select s.id from memkit.search as s where s.document = d.id and s.position is not null
    order by s.position desc limit 4
) as m
"""
# Their vectors have a share of two neighbours on each side, and so have those of these neighbours.
SELECT_AROUND = """
select distinct n.id from memkit.search as s join memkit.search as n
    on n.document = s.document and n.position between s.position - 4 and s.position + 4
where s.id = any(%s)
"""
SELECT_SLOTS = """
select u.id from unnest(%s::text[], %s::text[]) as s(slot, slot_key) join memkit.units as u
    on u.kind = 'memories' and u.body #>> '{row,slot_key}' = s.slot_key and u.body #>> '{row,slot}' = s.slot
"""
SELECT_GROUPS = """
select u.id from unnest(%(ends)s::text[], %(predicates)s::text[]) as g(entity, predicate) join memkit.units as u
    on u.kind = 'relations' and u.body #>> '{row,subject_key}' = g.entity and u.body #>> '{row,predicate}' = g.predicate
union
select u.id from unnest(%(ends)s::text[], %(predicates)s::text[]) as g(entity, predicate) join memkit.units as u
    on u.kind = 'relations' and u.body #>> '{row,object_key}' = g.entity and u.body #>> '{row,predicate}' = g.predicate
"""
SELECT_STATING = "select memory from memkit.named where kind = 'relations' and id = any(%s)"
SELECT_LINKING = """
select id from memkit.units
where kind = 'memories' and jsonb_path_query_array((body -> 'links')::jsonb, '$[*].to_key') ?| %s
"""
SELECT_WITH_WORDS = """
select s.id from memkit.search as s join memkit.units as u on u.kind = 'memories' and u.id = s.id
where s.words @@ %s::tsquery and s.archived_at is null order by u.place desc, u.id limit %s
"""


@dataclass(frozen=True)
class Needs:
    """What is needed: units by name, whole documents and rows of others, slots, names, relations, words of names."""

    units: frozenset[Name] = frozenset()
    whole: frozenset[str] = frozenset()  # sources of documents
    partial: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()  # what several documents begin with that share their records
    roots: frozenset[str] = frozenset()  # folders in which files may have been renamed
    source_ids: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()  # of rows without an id
    slots: frozenset[tuple[str, str]] = frozenset()
    names: frozenset[str] = frozenset()  # normalised
    groups: frozenset[tuple[str, str]] = frozenset()  # id of an entity and predicate
    phrases: frozenset[str] = frozenset()  # new names, to be found in old memories
    derived: frozenset[str] = frozenset()  # memories that others link to, which are needed, too
    passages: frozenset[str] = frozenset()  # ids that the memories have in their source, in any document

    def __or__(self, other: Needs) -> Needs:
        return Needs(*(getattr(self, one.name) | getattr(other, one.name) for one in fields(self)))


def of_drafts(records: Iterable[MemoryRecord], roots: Iterable[str] = ()) -> Needs:
    """What is needed to write these records."""
    records = list(records)
    drafts = [one for one in records if isinstance(one, Draft)]
    documents = [one.document for one in records if isinstance(one, Draft | Restated)]
    documents += [one for one in records if isinstance(one, DocumentDraft)]
    return Needs(
        whole=frozenset(one.source for one in documents if one.whole),
        partial=frozenset(one.source for one in documents if not one.whole),
        shared=frozenset(one.shared for one in documents if one.shared),
        roots=frozenset(root.rstrip("/") for root in roots),
        source_ids=frozenset(one.source_id for one in drafts if one.source_id is not None),
        texts=frozenset(one.text for one in drafts if one.source_id is None and not one.document.whole),
        slots=frozenset((one.slot, one.slot_key) for one in drafts if one.slot and one.slot_key),
        names=named(text for one in drafts for text in _texts(one)),
    )


def of_triples(triples: Iterable[TripleDraft]) -> Needs:
    """What is needed to store these triples."""
    triples = list(triples)
    return Needs(
        passages=frozenset(one.passage_id for one in triples),
        names=frozenset(normal_name(name) for one in triples for name in (one.subject, one.object)),
    )


def _texts(draft: Draft) -> list[str]:
    """What of a record may name something."""
    linked = [part for link in find_links(draft.text) for part in (link.name, link.target, link.display)]
    about = [draft.title, draft.speaker, draft.document.title, *draft.document.aliases]
    return [draft.text, *linked, *(one for one in about if one), *map(str, draft.document.fields.values())]


def named(texts: Iterable[str]) -> frozenset[str]:
    """Every run of words in these texts that could be a name, normalised, and each text itself."""
    return frozenset(run for text in texts for run in (normal_name(text), *runs(text)) if run)


def fetched(server: Server, needs: Needs) -> dict[Name, Unit]:
    """These units, and those that they name. Raises BadSource for what memkit did not write."""
    conn = server.conn

    def ids(query: str, *parameters: Any, **named: Any) -> set[str]:
        return {row[0] for row in conn.execute(query, parameters or named)}

    memories = {one.id for one in needs.units if one.kind == "memories"}
    documents = {one.id for one in needs.units if one.kind == "documents"}
    if needs.whole:
        whole = ids(SELECT_DOCUMENTS, list(needs.whole))
        if needs.roots:
            below = conn.execute(SELECT_BELOW, (list(needs.roots), "/", "0"))
            whole |= {id for id, source in below if is_gone(source)}
        documents |= whole
        memories |= ids(SELECT_WHOLE, documents=list(whole))
    if needs.partial:
        partial = ids(SELECT_DOCUMENTS, list(needs.partial))
        documents |= partial
        if needs.shared:
            partial |= ids(SELECT_DOCUMENTS, list(needs.shared))
            partial |= ids(SELECT_BELOW, list(needs.shared), ":", ";")
        rows = ids(SELECT_ROWS, documents=list(partial), source_ids=list(needs.source_ids))
        rows |= ids(SELECT_TEXTS, documents=list(partial), texts=list(needs.texts)) if needs.texts else set()
        rows |= ids(SELECT_LAST, list(partial))
        memories |= rows
    if needs.passages:
        memories |= ids(SELECT_PASSAGES, list(needs.passages))
    if needs.slots:
        memories |= ids(SELECT_SLOTS, *map(list, zip(*needs.slots, strict=True)))
    if needs.groups:
        ends, predicates = map(list, zip(*needs.groups, strict=True))
        relations = ids(SELECT_GROUPS, ends=ends, predicates=predicates)
        memories |= ids(SELECT_STATING, list(relations)) if relations else set()
    if needs.phrases:
        for lexemes in lexemes_of([quoted(one) for one in sorted(needs.phrases)], TOKENIZE).values():
            if lexemes:
                memories |= ids(SELECT_WITH_WORDS, " & ".join(map(lexeme, lexemes)), MOST_OLD)
    fresh = set(needs.derived)
    while fresh:
        memories |= fresh
        fresh = ids(SELECT_LINKING, list(fresh)) - memories
    if memories:
        memories |= ids(SELECT_AROUND, list(memories))
    entities = _entities(server, needs.names)
    names = {
        *needs.units,
        *_named("memories", memories),
        *_named("documents", documents),
        *_named("entities", entities),
    }
    return with_references(server, names - {USER})


def _entities(server: Server, names: frozenset[str]) -> set[str]:
    """The entities with one of these normalised names."""
    if len(names) < MANY_NAMES:
        return {row[0] for row in server.conn.execute(SELECT_NAMED, (list(names),))} if names else set()
    beginnings = {name.partition(" ")[0] for name in names}
    return {id for id, normal in server.conn.execute(SELECT_BEGINNING, (list(beginnings),)) if normal in names}


def unknown(server: Server, ids: Iterable[str]) -> list[str]:
    """Those of these ids that no memory has, as its id or as a source id."""
    wanted = list(ids)
    found = {row[0] for row in server.conn.execute(SELECT_KNOWN, {"ids": wanted})}
    return sorted(set(wanted) - found)


def with_references(server: Server, names: Iterable[Name]) -> dict[Name, Unit]:
    """These units and those that they name, directly or not; no memories that are only linked."""
    fresh = server.units(names)
    given = dict(fresh)
    while fresh:
        others = {other for name, unit in fresh.items() for other in references(name, unit)} - given.keys() - {USER}
        fresh = server.units(name for name in others if name.kind != "memories")
        given |= fresh
    return given


def _named(kind: str, ids: Iterable[str]) -> set[Name]:
    return {Name(kind, id) for id in ids}


def ids_of(names: Iterable[Name]) -> Sequence[str]:
    """The ids of the memories among these."""
    return sorted(name.id for name in names if name.kind == "memories")
