"""Relation extraction: the relations in simple sentences, wikilinks, slots and given triples, with their evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memkit.core.errors import MemkitError
from memkit.core.instants import Interval, parse_iso
from memkit.core.roles import is_user
from memkit.core.types import Failure
from memkit.graph import descriptions, entities, merging, relations
from memkit.graph.me import USER, me
from memkit.graph.name_similarity import KnownNames
from memkit.graph.quotes import LONGEST_QUOTE, quote_for
from memkit.graph.relations import Statement
from memkit.graph.timeline import NEVER
from memkit.graph.version import bump
from memkit.ingestion.own_voice import who_says_i
from memkit.ingestion.subjects import links_of, topic
from memkit.sources import MemoryRecord, Record, TripleDraft
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.storage.store import dumps, keys_json
from memkit.text.composed import composed
from memkit.text.extract import readings
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.claims import ExtractedTriple, find_claims
from memkit.text.extract.plain_statements import Topic
from memkit.text.extract.predicates import predicate_id
from memkit.text.spans import Spans
from memkit.text.statements import named_speakers
from memkit.text.times import find_interval
from memkit.text.words import has_cjk, normal_name, sentences

BY_HAND = ("", "memory")  # kinds of documents of memories that were written one by one
HEARD = 0.45  # confidence of what somebody tells of others, below what they say themselves
LONGEST_VALUE = 60  # characters of a slot's or a field's value that can be an entity
DERIVED = frozenset(
    {"pattern", "wikilink", "slot", "field", "folder", relations.HEARSAY, relations.DOUBT}
)  # methods that find the same when read again
LINK = "wikilink"  # method of the relations that links are; their objects are targets of links
READ_APART = frozenset({"field", "folder"})  # methods that read the front matter and the folder, not the text

SELECT_ARCHIVED = """
select distinct e.memory_key from evidence as e join memories as m on m.key = e.memory_key
where m.archived_at is not null
"""
# Of memories `m`. A value of a slot that another one follows is read as what was so until then.
IS_REPLACED = """m.valid_until is not null and exists (
        select 1 from links as l
        where l.to_key = m.key and l.type = 'supersedes' and l.why not like 'a new value for %'
    )"""
SELECT_REPLACED = f"""
select m.key from memories as m where m.key in (select value from json_each(:keys)) and {IS_REPLACED}
"""
FORGET_READING = """
delete from extractions
where memory_key in (select value from json_each(:keys)) and extractor <> 'case statistics 1'
"""
DELETE_EVIDENT_MENTIONS = """
delete from mentions
where memory_key in (select value from json_each(:keys)) and role = 'relation' and not exists (
    select 1 from evidence as e join relations as r on r.key = e.relation_key
    where e.memory_key = mentions.memory_key and mentions.entity_key in (r.subject_key, r.object_key)
)
"""
INSERT_EVIDENT_MENTIONS = """
insert into mentions (memory_key, entity_key, role, surface, confidence)
select e.memory_key, x.key, 'relation', x.name, max(r.confidence)
from evidence as e
    join relations as r on r.key = e.relation_key
    join entities as x on x.key in (r.subject_key, r.object_key)
where e.memory_key in (select value from json_each(:keys)) and e.method <> 'folder'
    and not exists (select 1 from mentions as n where n.memory_key = e.memory_key and n.entity_key = x.key)
group by e.memory_key, x.key
"""
SELECT_OBJECTS_BEFORE = """
select o.name from relations as r join entities as o on o.key = r.object_key
where r.subject_key = :subject and r.predicate = :predicate and r.expired_at is null
    and (r.valid_from is null or r.valid_from <= :said)
    and (r.valid_until is null or r.valid_until >= :said
        or exists (select 1 from evidence as e where e.relation_key = r.key and e.memory_key = :memory))
    and (not :doubt or exists (
        -- What one project says puts nothing in doubt that only another one knows.
        select 1 from evidence as e
            join memories as said on said.key = e.memory_key
            join memories as doubting on doubting.key = :memory
        where e.relation_key = r.key and said.project is doubting.project
    ))
order by r.key
"""
SELECT_PASSAGES = """
select key, source_id, text, coalesce(happened_at, created_at) as said_at
from memories
where source_id in (select value from json_each(:ids)) and archived_at is null
order by source_id, position, key
"""


@dataclass(frozen=True, slots=True)
class NamedTriple:
    """A statement in a memory, by names; `method` says how it was found."""

    subject: str
    predicate: str
    object: str
    quote: str
    method: str
    confidence: float = 1.0
    valid_from: str | None = None
    valid_until: str | None = None
    kinds: tuple[str, str] = (entities.THING, entities.THING)
    given: str = ""  # it counts only if the subject has had this object
    otherwise: bool = False  # it counts only if nothing with a `given` in the same quote does


# ---------------------------------------------------------------------------------------------- the user


def merge_speaker(conn: Connection, now: str) -> None:
    """Merges the entity `user` into the user's real name, once that is known."""
    name = me(conn)
    known = entities.by_names(conn, [USER, name])
    anybody = [entity for entity in known.get(USER, ()) if normal_name(entity.name) == USER]
    if normal_name(name) == USER or not anybody:
        return
    key = entities.ensure(conn, {name: entities.PERSON}, now, source="speaker")[name]
    if anybody[0].key != key:
        merging.merge_found(conn, key, anybody[0].key, now)


# ---------------------------------------------------------------------------------------------- reading


def read_statements(
    row: Any, text: str, subject: str | None, me: str, voices: Mapping[str, bool], statistics: CaseStatistics
) -> list[NamedTriple]:
    """The statements of a memory: in its sentences, its links to notes (if it has a subject), and its slot."""
    links = _links(row, subject) if subject else ()
    speaker = who_says_i(row, me, voices)
    return [*_sentences(row, text, speaker, topic(row, subject), statistics), *links, *_slot(row, me)]


_OCCASION = re.compile(r"\s(?:at|in|on|by|through|via|over|during|after|before|last|this)\s.*")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_PAST = re.compile(
    r"\b(?:worked|lived|studied|used to|was an? [\w -]{1,40} at|trabajó|vivió|estudió|arbeitete|wohnte|lebte|studierte"
    r"|travaillait|vivait|habitait)\b"
)


def _sentences(
    row: Any, text: str, speaker: str, topic: Topic | None, statistics: CaseStatistics
) -> Iterator[NamedTriple]:
    by_hand = row["speaker"] is None and (row["document_kind"] or "") in BY_HAND  # an agent stores `User likes tea`
    sides = {speaker, *(USER for side in named_speakers(speaker) if is_user(side))}
    for one in find_claims(text, speaker, row["said_at"], statistics, topic):
        if not by_hand and any(map(entities.is_word_for_user, {one.subject, one.object} - sides)):
            continue
        # In an undated note only a year counts: nobody knows which summer was the last.
        named = one.valid if row["dated"] or _YEAR.search(one.quote) else None
        valid = _when(one, named, row["said_at"])
        object_ = _OCCASION.sub("", one.object) if one.predicate in ("introduced_to", "knows") else one.object
        sure = one.confidence if one.source is None else HEARD
        yield NamedTriple(
            one.subject,
            predicate_id(one.predicate),
            object_,
            one.quote[:LONGEST_QUOTE],
            _method(one),
            sure * row["confidence"],
            *valid,
            (_kind(one.subject, speaker), _kind(object_, speaker)),
            one.given,
            one.mode in (readings.ELSE, readings.ELSE_OVER),
        )


def _method(one: ExtractedTriple) -> str:
    if one.mode == readings.SHAKEN:
        return relations.DOUBT
    return "pattern" if one.source is None else relations.HEARSAY


_ENDING = (
    readings.OVER,
    readings.DROPPED,
    readings.DENIED,
    readings.LEFT,
    readings.ELSE_OVER,
    readings.ALL_OVER,
)


def _when(one: ExtractedTriple, named: Interval | None, said: str) -> tuple[str | None, str | None]:
    """From when until when it is true, by how it is meant; an empty interval denies it from then on."""
    if one.mode in _ENDING:
        ended = next((time for time in (named.end, named.start) if time and time <= said), said) if named else said
        return (ended if one.mode == readings.DENIED else None), ended
    if one.mode == readings.NEVER:
        return NEVER, NEVER
    if one.mode in (readings.PLANNED, readings.SHAKEN):
        return said, None
    valid = named or _past(one.quote, said)
    return (valid.start, valid.end) if valid else (None, None)


def _past(quote: str, said: str) -> Interval | None:
    """When a statement in the past tense was true: in the time that the sentence names, or before it was said."""
    if not _PAST.search(quote):
        return None
    now = parse_iso(said)
    found = find_interval(quote, now)
    end = found[0].end if found else None
    return found[0] if found and end and parse_iso(end) <= now else Interval(None, said)


def _kind(name: str, speaker: str) -> str:
    return entities.PERSON if name == speaker else kind_of(name)


def kind_of(name: str) -> str:
    """The kind of an entity, from its name: a value if it begins with a digit, a concept if it has no capital."""
    if has_cjk(name) or any(character.isupper() for character in name):
        return entities.THING
    return entities.VALUE if name[:1].isdigit() else entities.CONCEPT


def _links(row: Any, subject: str) -> Iterator[NamedTriple]:
    """The links in a note's text as relations: note - mentions - target, with the sentence of the link."""
    links = [link for link in links_of(row["text"]) if not link.embed and not entities.is_word_for_user(link.target)]
    spans = _whole(sentences(row["text"]), Spans((link.start + 1, link.end) for link in links)) if links else []
    for link in {normal_name(link.target): link for link in reversed(links)}.values():
        at = next(((start, end) for start, end in spans if start <= link.start < end), (link.start, link.end))
        quote = row["text"][at[0] : at[1]][:LONGEST_QUOTE]
        yield NamedTriple(subject, "mentions", link.target, quote, LINK)


def _whole(spans: list[tuple[int, int]], links: Spans) -> list[tuple[int, int]]:
    """The sentences, with those as one between which a link is torn: `see [2. The pond](Pond.md)`."""
    whole: list[tuple[int, int]] = []
    for start, end in spans:
        if whole and links.cover(start):
            whole[-1] = whole[-1][0], end
        else:
            whole.append((start, end))
    return whole


def _slot(row: Any, me: str) -> Iterator[NamedTriple]:
    """A slot of the user as a relation, for the time it has this value: user - timezone - Europe/Stockholm."""
    value = row["text"].strip()
    if row["slot"] != "user" or not row["slot_key"] or not is_value(value):
        return
    predicate = predicate_id(row["slot_key"].partition(":")[0])  # `allergy: peanuts` is one value of several
    if predicate and predicate != "name":
        since = row["valid_from"]
        until = row["valid_until"] if row["valid_until"] and (since or "") < row["valid_until"] else None
        kinds = (entities.PERSON, entities.VALUE)
        yield NamedTriple(me, predicate, value, value, "slot", row["confidence"], since, until, kinds)


# The full stop of an initial or a title ends no sentence: `Ida R. Moss`, `Dr. Moss`.
_NO_VALUE = re.compile(r"[;\n]|(?<!\b[A-ZÀ-ÞА-Я])(?<!\b(?:Dr|Mr|Ms|St|Jr|Sr))(?<!\bMrs)\.\s|[!?]\s|\{\{|<%")


def is_value(text: str) -> bool:
    """Whether a text is short and simple enough to be an entity: at most 6 words, no sentence, and no `{{author}}`."""
    return 0 < len(text) <= LONGEST_VALUE and len(text.split()) <= 6 and not _NO_VALUE.search(text)


def make_entities(conn: Connection, said: Iterable[NamedTriple], known: KnownNames | None, now: str) -> None:
    """Makes the entities of statements. A statement like `dentist_of` also describes its subject: `Reed's dentist`."""
    kinds: dict[str, str] = {}
    described: dict[str, str] = {}
    for one in (one for one in said if one.method != LINK):  # those of links are there
        for name, kind in ((one.subject, one.kinds[0]), (one.object, one.kinds[1])):
            if name and kinds.get(name) in (None, entities.CONCEPT, entities.VALUE):
                kinds[name] = kind
        lasts = one.valid_until is None  # what is denied or over describes nobody
        if lasts and one.method == descriptions.METHOD and descriptions.describes(one.predicate):
            described.setdefault(one.subject, descriptions.description(one.object, one.predicate))
    entities.ensure(conn, kinds, now, source="text", descriptions=described, likeness=known)


# ---------------------------------------------------------------------------------------------- writing


def write(conn: Connection, rows: Sequence[Any], said: Mapping[int, Sequence[NamedTriple]], now: str) -> int:
    """Replaces the statements of these memories as evidence; returns their number."""
    texts = {row["key"]: row["text"] for row in rows}
    known = replaced(conn, texts)

    def still_there(evidence: Any) -> bool:
        """Evidence from a model, a person or a replaced memory stays as long as the text contains its quote."""
        if evidence["method"] in DERIVED and evidence["memory_key"] not in known:
            return evidence["method"] in READ_APART
        return bool(evidence["quote"]) and composed(evidence["quote"]) in texts[evidence["memory_key"]]

    together = _said_together(rows, said)
    saying = [row for row in rows if said.get(row["key"]) and row["key"] not in known]
    stated = [one for row in saying for one in _resolved(conn, row["key"], row["said_at"], said[row["key"]], together)]
    several = {predicate_id(row["slot_key"].partition(":")[0]) for row in rows if ":" in (row["slot_key"] or "")}
    slots = sorted({one.predicate for one in stated if one.method == "slot"} - several - relations.single_valued(conn))
    if slots:
        store.set_setting(conn, "slot_predicates", [*store.setting(conn, "slot_predicates", ()), *slots])
    relations.replace_evidence(conn, texts, stated, now, keep=still_there)
    mention_evident(conn, texts)
    return len(stated)


def add_said(
    conn: Connection, memory_key: int, said_at: str, said: Sequence[NamedTriple], method: str, now: str
) -> int:
    """Replaces the statements of a memory that one method found; returns their number."""
    make_entities(conn, said, None, now)
    stated = _resolved(conn, memory_key, said_at, said)
    relations.replace_evidence(conn, [memory_key], stated, now, keep=lambda evidence: evidence["method"] != method)
    mention_evident(conn, [memory_key])
    return len(stated)


def end_statements(conn: Connection, key: int, now: str) -> None:
    """Removes what a replaced memory states as still true, but for what a person related by hand.

    What has ended stays as history.
    """
    relations.replace_evidence(
        conn, [key], (), now, keep=lambda row: row["ended"] is not None or row["method"] == relations.BY_HAND
    )


def replaced(conn: Connection, keys: Iterable[int]) -> set[int]:
    """Those of these memories that a correction or another memory has replaced: they are not read for facts again."""
    return {row[0] for row in conn.execute(SELECT_REPLACED, {"keys": keys_json(keys)})}


def mention_evident(conn: Connection, keys: Iterable[int]) -> None:
    """Makes the entities that these memories are evidence about mentions of them, if they do not name them anyway."""
    about = {"keys": keys_json(keys)}
    conn.execute(DELETE_EVIDENT_MENTIONS, about)
    conn.execute(INSERT_EVIDENT_MENTIONS, about)


Together = Sequence[tuple[str, NamedTriple]]  # what a batch says at which time


def _resolved(
    conn: Connection, memory_key: int, said_at: str, said: Sequence[NamedTriple], together: Together = ()
) -> list[Statement]:
    """Statements with entities for names. Unknown names and relations of an entity to itself are left out."""
    said = _known_before(conn, memory_key, said_at, said, together)
    names = {name for one in said if one.method != LINK for name in (one.subject, one.object)}
    linked = {name for one in said if one.method == LINK for name in (one.subject, one.object, _last(one.object))}
    known = entities.by_names(conn, names) if names else {}
    pages = entities.by_names(conn, linked, files="first") if linked else {}
    found = []
    for one in said:
        bearers = pages if one.method == LINK else known
        subjects, objects = bearers.get(normal_name(one.subject)), bearers.get(normal_name(one.object))
        if one.method == LINK and not objects:
            objects = pages.get(normal_name(_last(one.object)))
        if not subjects or not objects or subjects[0].key == objects[0].key or not one.predicate:
            continue
        found.append(
            Statement(
                subjects[0].key,
                one.predicate,
                objects[0].key,
                said_at,
                memory_key,
                one.quote,
                one.confidence,
                one.valid_from,
                one.valid_until,
                one.method,
            )
        )
    return found


def _said_together(rows: Sequence[Any], said: Mapping[int, Sequence[NamedTriple]]) -> Together:
    """What these memories say, if one of them says something that depends on what was so before."""
    if not any(_depends(one) for row in rows for one in said.get(row["key"], ())):
        return ()
    return [(row["said_at"], one) for row in rows for one in said.get(row["key"], ()) if not _depends(one)]


def _depends(one: NamedTriple) -> bool:
    return bool(one.given) or not one.object


def _known_before(
    conn: Connection, memory_key: int, said_at: str, said: Sequence[NamedTriple], together: Together
) -> list[NamedTriple]:
    """The statements, of those that depend on what was so before only those that count.

    "Kira switched from Orbis to Fenwick" says where she works, if she has worked at Orbis, else what she uses; "I am
    retired" ends each job.
    """
    if not any(map(_depends, said)):
        return list(said)
    keys = {name: found[0].key for name, found in entities.by_names(conn, [one.subject for one in said]).items()}
    found: list[NamedTriple] = []
    followed: set[str] = set()
    for one in said:
        if not _depends(one):
            found.append(one)
            continue
        subject = normal_name(one.subject)
        before = {"subject": keys.get(subject), "predicate": one.predicate, "said": said_at, "memory": memory_key}
        before["doubt"] = one.method == relations.DOUBT
        objects = {normal_name(row[0]): row[0] for row in conn.execute(SELECT_OBJECTS_BEFORE, before)}
        for time, other in together:
            if time <= said_at and (normal_name(other.subject), other.predicate) == (subject, one.predicate):
                objects.setdefault(normal_name(other.object), other.object)
        if not one.object:
            found += [replace(one, object=name) for name in objects.values()]
        elif normal_name(one.given) in objects:
            followed.add(one.quote)
            found.append(one)
    return [one for one in found if not (one.otherwise and one.quote in followed)]


def _last(target: str) -> str:
    """The target of a link without its folders."""
    return target.rpartition("/")[2]


def withdraw_archived(conn: Connection, now: str) -> list[int]:
    """The keys of the archived memories whose evidence was removed."""
    keys = [row[0] for row in conn.execute(SELECT_ARCHIVED)]
    withdraw(conn, keys, now)
    return keys


def withdraw(conn: Connection, keys: Sequence[int], now: str) -> None:
    """Removes the evidence from these memories. If they are restored later, they are read again."""
    if keys:
        relations.withdraw(conn, keys, now)
        conn.execute(FORGET_READING, {"keys": keys_json(keys)})
        bump(conn)


# ---------------------------------------------------------------------------------------------- given triples

TRIPLES_AT_ONCE = 2000


def drafts_of(items: Iterable[Record], aside: list[TripleDraft]) -> Iterator[MemoryRecord]:
    """All that is no triple, in order; triples go to the list `aside`, for after the memories."""
    for item in items:
        if isinstance(item, TripleDraft):
            aside.append(item)
        else:
            yield item


def ingest_triples(conn: Connection, triples: Iterable[TripleDraft], now: str) -> tuple[int, list[Failure]]:
    """Stores triples that another program extracted; returns their number, and the failures with reasons.

    `passage_id` is the `source_id` of the memory that is the evidence. If several memories have the same one, the first
    with the quote is used, else the first that has the names.
    """
    taken = 0
    failures: list[Failure] = []
    batch: list[TripleDraft] = []
    for triple in triples:
        batch.append(triple)
        if len(batch) == TRIPLES_AT_ONCE:
            taken += _ingest_batch(conn, batch, now, failures)
            batch = []
    return taken + _ingest_batch(conn, batch, now, failures), failures


def _ingest_batch(conn: Connection, triples: list[TripleDraft], now: str, failures: list[Failure]) -> int:
    passages: dict[str, list[Any]] = {}
    ids = dumps(sorted({triple.passage_id for triple in triples}))
    for row in conn.execute(SELECT_PASSAGES, {"ids": ids}):
        passages.setdefault(row["source_id"], []).append(row)
    good: list[tuple[TripleDraft, tuple[str | None, str | None]]] = []
    for triple in triples:
        try:
            good.append((triple, _checked(triple, passages)))
        except MemkitError as error:
            failures.append(Failure(f"triple of {triple.passage_id}", str(error)))
    with writing(conn):
        names = {name: kind_of(name) for triple, _ in good for name in (triple.subject, triple.object)}
        keys = entities.ensure(conn, names, now, source="given")
        statements = [
            statement
            for triple, valid in good
            if (statement := _given(triple, valid, keys, passages[triple.passage_id], failures))
        ]
        relations.add(conn, statements, now)
        mention_evident(conn, {one.memory or 0 for one in statements})
    return len(statements)


def _checked(triple: TripleDraft, passages: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The period of a triple. Raises MemkitError for a triple that cannot be stored."""
    if triple.passage_id not in passages:
        raise MemkitError(f"there is no memory with the source id {triple.passage_id!r}")
    relations.checked_triple(triple.subject, triple.predicate, triple.object)
    return relations.interval(triple.valid_from, triple.valid_until)


def _given(
    triple: TripleDraft,
    valid: tuple[str | None, str | None],
    keys: Mapping[str, int],
    rows: list[Any],
    failures: list[Failure],
) -> Statement | None:
    subject, object_ = keys[triple.subject], keys[triple.object]
    if subject == object_:
        reason = f"{triple.subject!r} and {triple.object!r} are the same"
        failures.append(Failure(f"triple of {triple.passage_id}", reason))
        return None
    row = next((row for row in rows if triple.quote and triple.quote in row["text"]), None)
    quotes = {each["key"]: quote_for(each["text"], triple.subject, triple.object) for each in rows}
    row = row or max(rows, key=lambda each: bool(quotes[each["key"]]))
    return Statement(
        subject,
        predicate_id(triple.predicate),
        object_,
        row["said_at"],
        row["key"],
        triple.quote or quotes[row["key"]],
        1.0 if triple.confidence is None else triple.confidence,
        *valid,
        "given",
    )
