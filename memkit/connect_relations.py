"""What memories state, as relations with evidence: plain sentences, wikilinks, slots, and triples given by others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memkit import store
from memkit.driver import writing
from memkit.errors import MemkitError
from memkit.extract.case import CaseStatistics
from memkit.extract.patterns import find_statements
from memkit.extract.predicates import predicate_id
from memkit.extract.wikilinks import find_links
from memkit.graph import entities, merging, relations
from memkit.graph.likeness import KnownNames
from memkit.graph.quotes import LONGEST_QUOTE, quote_for
from memkit.graph.relations import Statement
from memkit.graph.version import bump
from memkit.sources.triples import TripleDraft
from memkit.store import dumps, keys_json
from memkit.text import has_cjk, normal_name, sentences
from memkit.times import Interval, find_interval, parse_iso
from memkit.types import DocumentDraft, Draft, Failure

USER = "user"  # who speaks where a chat says no more; the setting `me`, or the slot user.name, says who that is
LONGEST_VALUE = 60  # characters of a slot's or a field's value that can stand for itself in the graph
DERIVED = frozenset({"pattern", "wikilink", "slot", "field", "folder"})  # what reading again finds again
READ_APART = frozenset({"field", "folder"})  # not in the text, but in the front matter and in where a note lies

SELECT_ME = """
select text from memories
where slot = 'user' and slot_key = 'name' and valid_until is null and archived_at is null
order by key desc limit 1
"""
SELECT_ARCHIVED = """
select distinct e.memory_key from evidence as e join memories as m on m.key = e.memory_key
where m.archived_at is not null
"""
FORGET_READING = """
delete from extractions
where memory_key in (select value from json_each(:keys)) and extractor <> 'case statistics 1'
"""
INSERT_EVIDENT_MENTIONS = """
insert into mentions (memory_key, entity_key, role, surface, confidence)
select e.memory_key, x.key, 'relation', x.name, max(r.confidence)
from evidence as e
    join relations as r on r.key = e.relation_key
    join entities as x on x.key in (r.subject_key, r.object_key)
where e.memory_key in (select value from json_each(:keys))
    and not exists (select 1 from mentions as n where n.memory_key = e.memory_key and n.entity_key = x.key)
group by e.memory_key, x.key
"""
SELECT_PASSAGES = """
select key, source_id, text, coalesce(happened_at, created_at) as said_at
from memories
where source_id in (select value from json_each(:ids)) and archived_at is null
order by source_id, position, key
"""


@dataclass(frozen=True, slots=True)
class Said:
    """What a memory states, by names; `method` says how it was read."""

    subject: str
    predicate: str
    object: str
    quote: str
    method: str
    confidence: float = 1.0
    valid_from: str | None = None
    valid_until: str | None = None
    kinds: tuple[str, str] = (entities.THING, entities.THING)


# ---------------------------------------------------------------------------------------------- who says I


def me(conn: Any) -> str:
    """The name of whose memory this is: the setting `me`, the user's slot `name`, or `user`."""
    if isinstance(given := store.setting(conn, "me"), str) and entities.valid_name(given):
        return given
    row = conn.execute(SELECT_ME).fetchone()
    return row[0].strip() if row and entities.valid_name(row[0].strip()) else USER


def unite_speaker(conn: Any, now: str) -> None:
    """Once it is known who `user` is, what was said by and about both is one person's."""
    name = me(conn)
    known = entities.by_names(conn, [USER, name])
    anybody = [entity for entity in known.get(USER, ()) if normal_name(entity.name) == USER]
    if normal_name(name) == USER or not anybody:
        return
    key = entities.ensure(conn, {name: entities.PERSON}, now, source="speaker")[name]
    if anybody[0].key != key:
        merging.merge(conn, key, anybody[0].key, now)


# ---------------------------------------------------------------------------------------------- reading


def said_in(row: Any, text: str, me: str, statistics: CaseStatistics) -> list[Said]:
    """What a memory states: its sentences, the notes it links to, and the slot that it fills."""
    return [*_sentences(row, text, me, statistics), *_links(row), *_slot(row, me)]


_OCCASION = re.compile(r"\s(?:at|in|on|by|through|via|over|during|after|before|last|this)\s.*")
_PAST = re.compile(r"\b(?:worked|lived|studied|used to)\b")


def _sentences(row: Any, text: str, me: str, statistics: CaseStatistics) -> Iterator[Said]:
    speaker = row["speaker"] or USER
    for one in find_statements(text, me if speaker == USER else speaker, row["said_at"], statistics):
        if "assistant" in (one.subject, one.object):
            continue
        valid = one.valid or _past(one.quote, row["said_at"])
        object_ = _OCCASION.sub("", one.object) if one.predicate in ("introduced_to", "knows") else one.object
        yield Said(
            one.subject,
            predicate_id(one.predicate),
            object_,
            one.quote[:LONGEST_QUOTE],
            "pattern",
            one.confidence * row["confidence"],
            valid.start if valid else None,
            valid.end if valid else None,
            (_kind(one.subject, speaker, me), _kind(object_, speaker, me)),
        )


def _past(quote: str, said: str) -> Interval | None:
    """When something held that is told in the past: in the time that the sentence names, or some time before now."""
    if not _PAST.search(quote):
        return None
    now = parse_iso(said)
    found = find_interval(quote, now)
    end = found[0].end if found else None
    return found[0] if found and end and parse_iso(end) <= now else Interval(None, said)


def _kind(name: str, speaker: str, me: str) -> str:
    if name in (speaker, me):
        return entities.PERSON
    return kind_of(name)


def kind_of(name: str) -> str:
    """What a name says of its bearer's kind: without a capital it is a concept, with a digit first a value."""
    if has_cjk(name) or any(character.isupper() for character in name):
        return entities.THING
    return entities.VALUE if name[:1].isdigit() else entities.CONCEPT


def _links(row: Any) -> Iterator[Said]:
    """What a note links to in its text: note - mentions - target, with the line that the link stands in."""
    if not row["title"] or row["document_kind"] in ("chat", "log"):
        return
    links = [link for link in find_links(row["text"]) if not link.embed]
    spans = sentences(row["text"]) if links else []
    for link in {normal_name(link.name): link for link in reversed(links)}.values():
        at = next(((start, end) for start, end in spans if start <= link.start < end), (link.start, link.end))
        quote = row["text"][at[0] : at[1]][:LONGEST_QUOTE]
        yield Said(row["title"], "mentions", link.name, quote, "wikilink")


def _slot(row: Any, me: str) -> Iterator[Said]:
    """A slot of the user's as a relation: user - timezone - Europe/Stockholm, as long as the slot has this value."""
    value = row["text"].strip()
    if row["slot"] != "user" or not row["slot_key"] or not is_value(value):
        return
    predicate = predicate_id(row["slot_key"])
    if predicate and predicate != "name":
        since = row["valid_from"]
        until = row["valid_until"] if row["valid_until"] and (since or "") < row["valid_until"] else None
        kinds = (entities.PERSON, entities.VALUE)
        yield Said(me, predicate, value, value, "slot", row["confidence"], since, until, kinds)


def is_value(text: str) -> bool:
    """Whether a text is short and plain enough to be a thing of its own, and no sentence."""
    return 0 < len(text) <= LONGEST_VALUE and len(text.split()) <= 6 and not re.search(r"[;\n]|[.!?]\s", text)


def make_entities(conn: Any, said: Iterable[Said], known: KnownNames | None, now: str) -> None:
    """Makes the entities that statements are about; whose dentist somebody is describes them."""
    kinds: dict[str, str] = {}
    descriptions: dict[str, str] = {}
    for one in said:
        for name, kind in ((one.subject, one.kinds[0]), (one.object, one.kinds[1])):
            if kinds.get(name) in (None, entities.CONCEPT, entities.VALUE):
                kinds[name] = kind
        if one.predicate.endswith("_of") and one.method == "pattern":
            descriptions.setdefault(one.subject, f"{one.object}'s {one.predicate[:-3].replace('_', ' ')}")
    entities.ensure(conn, kinds, now, source="text", descriptions=descriptions, likeness=known)


# ---------------------------------------------------------------------------------------------- writing


def write(conn: Any, rows: Sequence[Any], said: Mapping[int, Sequence[Said]], now: str) -> int:
    """Writes what these memories state in place of what they stated before; how many statements."""
    texts = {row["key"]: row["text"] for row in rows}

    def still_there(evidence: Any) -> bool:
        """A quote that a model or a person gave holds as long as it stands in the text."""
        if evidence["method"] in DERIVED:
            return evidence["method"] in READ_APART
        return bool(evidence["quote"]) and evidence["quote"] in texts[evidence["memory_key"]]

    stated = [one for row in rows for one in _resolved(conn, row["key"], row["said_at"], said.get(row["key"], ()))]
    slots = sorted({one.predicate for one in stated if one.method == "slot"} - relations.single_valued(conn))
    if slots:
        store.set_setting(conn, "slot_predicates", [*store.setting(conn, "slot_predicates", ()), *slots])
    relations.replace_evidence(conn, texts, stated, now, keep=still_there)
    mention_evident(conn, texts)
    return len(stated)


def add_said(conn: Any, memory_key: int, said_at: str, said: Sequence[Said], method: str, now: str) -> int:
    """Writes what a memory states, as read by one method, in place of what that method read before; how many."""
    make_entities(conn, said, None, now)
    stated = _resolved(conn, memory_key, said_at, said)
    relations.replace_evidence(conn, [memory_key], stated, now, keep=lambda evidence: evidence["method"] != method)
    mention_evident(conn, [memory_key])
    return len(stated)


def mention_evident(conn: Any, keys: Iterable[int]) -> None:
    """Has these memories mention those whom their evidence is about, in whatever words."""
    conn.execute(INSERT_EVIDENT_MENTIONS, {"keys": keys_json(keys)})


def _resolved(conn: Any, memory_key: int, said_at: str, said: Sequence[Said]) -> list[Statement]:
    """Names as entities. What is none, or would be related to itself, is left out."""
    known = entities.by_names(conn, [name for one in said for name in (one.subject, one.object)]) if said else {}
    found = []
    for one in said:
        subjects, objects = known.get(normal_name(one.subject)), known.get(normal_name(one.object))
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


def withdraw_archived(conn: Any, now: str) -> None:
    """Takes back what memories said that have been archived since."""
    withdraw(conn, [row[0] for row in conn.execute(SELECT_ARCHIVED)], now)


def withdraw(conn: Any, keys: Sequence[int], now: str) -> None:
    """Takes back what these memories said; were they to come back, they would be read again."""
    if keys:
        relations.withdraw(conn, keys, now)
        conn.execute(FORGET_READING, {"keys": keys_json(keys)})
        bump(conn)


# ---------------------------------------------------------------------------------------------- given triples

TRIPLES_AT_ONCE = 2000


def drafts_of(items: Iterable[Any], aside: list[Any]) -> Iterator[Draft | DocumentDraft | Failure]:
    """The drafts and failures as they come; triples are put aside until their memories are there, exports as well."""
    for item in items:
        if isinstance(item, Draft | DocumentDraft | Failure):
            yield item
        else:
            aside.append(item)


def ingest_triples(conn: Any, triples: Iterable[TripleDraft], now: str) -> tuple[int, list[Failure]]:
    """Takes in triples that somebody else extracted; how many, and those that could not be, with the reason.

    `passage_id` is the `source_id` of the memory that says so; of several with the same one, the first that has the
    quote, or else the names.
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


def _ingest_batch(conn: Any, triples: list[TripleDraft], now: str, failures: list[Failure]) -> int:
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
        conn.execute(INSERT_EVIDENT_MENTIONS, {"keys": keys_json({one.memory or 0 for one in statements})})
    return len(statements)


def _checked(triple: TripleDraft, passages: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """When a triple holds. Raises MemkitError for one that cannot be taken in."""
    if triple.passage_id not in passages:
        raise MemkitError(f"there is no memory with the source id {triple.passage_id!r}")
    relations.checked(triple.subject, triple.predicate, triple.object)
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
