"""Front matter to graph: the descriptions, relations and links in the front matter of notes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from memkit.graph import entities
from memkit.graph.links import drop_derived
from memkit.ingestion import relation_extraction
from memkit.ingestion.page_names import kind_in
from memkit.ingestion.relation_extraction import NamedTriple, is_value
from memkit.ingestion.subjects import field_texts, subjects
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_object, object_in, or_empty
from memkit.storage.store import dumps, keys_json
from memkit.text.extract import dictionary, words
from memkit.text.extract.identifiers import names_nothing
from memkit.text.extract.labels import LABELS, MAKERS
from memkit.text.extract.names import find_names
from memkit.text.extract.predicates import is_knowledge, predicate_id
from memkit.text.extract.wikilinks import WikiLink, find_links
from memkit.text.words import normal_name, text_hash

READER = "fields 10"
KNOWLEDGE = "knowledge_fields"  # setting: further keys whose values are knowledge, whatever they are
FRONT_MATTER = "front matter"
LONGEST_DESCRIPTION = 400

# Keys about the file, not about its subject.
_NO_RELATIONS = frozenset(
    """type kind description desc excerpt abstract project url link website source_url id uid cssclass cssclasses
    publish permalink layout draft lang template status rating priority order slug bibtex_key citekey cite_key
    citation_key item_type itemtype start end started ended date time decided""".split()
)
_LOCALE = re.compile(r"[a-z]{2,3}[-_][A-Z]{2}")  # a setting of a program: `en-US`
_SITE = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}")  # who wrote it is not said: `example.com`
_SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)+")  # a program's name for the way here: `web-clipper`
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?")
_OF_THE_PAGE = frozenset("published released".split())  # keys whose day is that of the page, unless it is a year
_BESIDE_LINKS = 3  # words that may stand beside the links of a value; more are a sentence
_SENTENCE = "It was made by "  # before a name
_SEPARATOR = re.compile(r"(?:\s*[,;，、；]\s+|[，、；])(?![^()（）]*[)）])")  # not that inside brackets
_READWISE = re.compile(r"\A(@\w+) on (?:Twitter|X)\Z")
# Who is called by the family name first: `Moss, Ida R.`; without initials, a first name or other people tell it.
_INVERTED = re.compile(r"([^\W\d_][^\W\d_'’-]*), ([^\W\d_][^\W\d_'’-]*\.?(?: ?[^\W\d_][^\W\d_'’-]*\.?)*)")
_INITIAL = re.compile(r"\b[^\W\d_]\.")
_OTHERS = re.compile(r"\s*;\s*|\s+/\s+")
_AND = re.compile(r"\s+(?:and|und|y|et|e|&|with)\s+")
# Keys that link this note to others: the type of link, and whether the link begins at the other note.
LINKS: Mapping[str, tuple[str, bool]] = {
    "part_of": ("part_of", False),
    "parent": ("part_of", False),
    "up": ("part_of", False),
    "has_part": ("part_of", True),
    "parts": ("part_of", True),
    "supersedes": ("supersedes", False),
    "replaces": ("supersedes", False),
    "superseded_by": ("supersedes", True),
    "contradicts": ("contradicts", False),
    "relates_to": ("relates_to", False),
    "related": ("relates_to", False),
    "see_also": ("relates_to", False),
    "derived_from": ("derived_from", False),
    "based_on": ("derived_from", False),
    "summarized_by": ("summarized_by", False),
    "summary": ("summarized_by", False),
}

# A highlight is titled by its book and who wrote that, as its memories are.
SELECT_NOTES = f"""
select d.key, case d.kind when 'reading' then coalesce(m.title, d.title) else d.title end as title,
    d.kind as document_kind, d.source, d.meta, m.key as memory_key,
    coalesce(m.happened_at, d.created_at, m.created_at) as said_at, x.hash as read_hash
from documents as d
    join memories as m on m.key = (
        select key from memories
        where document_key = d.key and archived_at is null order by position is null, position, key limit 1
    )
    left join extractions as x on x.memory_key = m.key and x.extractor = :reader
where (
        json_extract({or_empty("d.meta")}, '$.fields') is not null or x.hash is not null or exists (
            select 1 from mentions as t join entities as e on e.key = t.entity_key
            where t.memory_key = m.key and t.role = 'title' and e.meta like '%_of_page%'
        )
    )
    and d.kind not in ('chat', 'log')
    and (:keys is null or d.key in (
        select document_key from memories where key in (select value from json_each(:keys))
    ))
order by d.key
"""
# What was the first memory of its document and bore its fields, and is so no more: another one came before it, or back.
SELECT_NOT_FIRST = """
select m.key, coalesce(m.happened_at, m.created_at) as said_at
from extractions as x join memories as m on m.key = x.memory_key
where x.extractor = :reader and m.archived_at is null and m.key <> (
    select key from memories
    where document_key = m.document_key and archived_at is null order by position is null, position, key limit 1
)
"""
COUNT_PAGES = """
select count(distinct m.document_key) from mentions as x join memories as m on m.key = x.memory_key
where x.entity_key = :key and x.role = 'title' and m.archived_at is null
"""
# Whether one of these entities has a page, is linked, or speaks.
SELECT_NAMED = """
select 1 from aliases
where entity_key in (select value from json_each(:keys)) and source not in ('text', 'bare', 'plural', 'alike')
limit 1
"""
SELECT_FIRST = """
select t.entity_key, min(m.key) as key
from mentions as t join memories as m on m.key = t.memory_key
where t.role = 'title' and t.entity_key in (select value from json_each(:keys)) and m.archived_at is null
    and (m.position is null or m.position = (
        select min(position) from memories where document_key = m.document_key and archived_at is null
    ))
group by t.entity_key
"""
# The first memory of each note with one of these titles.
SELECT_PAGES = """
select d.title, min(m.key) as key
from documents as d join memories as m on m.document_key = d.key
where d.title in (select value from json_each(:names)) and d.kind = 'note' and m.archived_at is null
    and (m.position is null or m.position = (
        select min(position) from memories where document_key = d.key and archived_at is null
    ))
group by d.title
"""


class _Link(NamedTuple):
    """A link to the note of this name, or from there."""

    type: str
    from_there: bool
    page: str


@dataclass(frozen=True, slots=True)
class _Note:
    title: str  # what it is about: nothing, if its title is a day or an id
    memory_key: int
    said_at: str
    fields: Mapping[str, Any]
    texts: list[str]  # the values that may be names
    links: list[_Link]
    targets: list[str]  # the title, and the names in the links of all values
    hash: str


def read_fields(conn: Connection, *, keys: Iterable[int] | None, now: str) -> int:
    """Reads new or changed front matter (of the notes of these memories, if given); returns the number of relations."""
    parameters = {"reader": READER, "keys": None if keys is None else keys_json(keys)}
    if keys is None:
        _leave_to_first(conn, now)
    rows = conn.execute(SELECT_NOTES, parameters).fetchall()
    about = subjects(conn, rows)
    # Called after a day, a note links, and says nothing of anybody.
    notes = [_note(row, about.get(row["key"], "")) for row in rows]
    read = {row["memory_key"]: row["read_hash"] for row in rows}
    made: dict[int, int] = {}
    for _ in range(2):  # what the fields of one note make known, those of another may name
        known = _known(conn, (text for note in notes for text in note.texts))
        pages = _pages(conn, {one.page for note in notes for one in note.links})
        targets = _targets(conn, {name for note in notes for name in note.targets})
        for note in notes:
            found = {text: known[text] for text in note.texts if text in known}
            linked = {one.page: pages[one.page] for one in note.links if one.page in pages}
            meant = {name: targets[name] for name in note.targets if name in targets}
            ids = {name: entity.id for name, entity in meant.items()}
            form = text_hash(note.hash, dumps(found), *(dumps(some) for some in (linked, ids) if some))
            if form != read[note.memory_key]:
                made[note.memory_key] = _read(conn, note, linked, meant, form, now)
                read[note.memory_key] = form
        if not made:
            break
    return sum(made.values())


def _leave_to_first(conn: Connection, now: str) -> None:
    """Takes the fields from memories that are not the first of their document any more."""
    rows = conn.execute(SELECT_NOT_FIRST, {"reader": READER}).fetchall()
    for row in rows:
        relation_extraction.add_said(conn, row["key"], row["said_at"], (), "field", now)
    keys = [row["key"] for row in rows]
    drop_derived(conn, keys, FRONT_MATTER)
    store.read_again(conn, keys, READER)


def _known(conn: Connection, texts: Iterable[str]) -> dict[str, list[str]]:
    """The ids of the known entities that these values name. A value that names nothing yet may later."""
    normals = {text: normal_name(text) for text in texts}
    found = entities.by_normals(conn, set(normals.values()), plurals=False)
    ids = {normal: [one.id for one in some if _is_name(one)] for normal, some in found.items()}
    return {text: ids[normal] for text, normal in normals.items() if ids.get(normal)}


def _targets(conn: Connection, names: Collection[str]) -> dict[str, entities.Entity]:
    """The entity that a link by each of these names leads to, of those that exist."""
    known = entities.by_names(conn, names, files="first") if names else {}
    return {name: known[normal_name(name)][0] for name in names if normal_name(name) in known}


def _is_name(entity: entities.Entity) -> bool:
    return entity.kind not in (entities.VALUE, entities.CONCEPT)


def _note(row: Any, title: str) -> _Note:
    meta = json_object(row["meta"])
    fields: dict[str, Any] = {}
    for key, value in object_in(meta, "fields").items():
        id = predicate_id(str(key)) or str(key)
        fields[id] = [*field_texts(fields[id]), *field_texts(value)] if id in fields else value
    texts = [
        text
        for key, value in fields.items()
        if key not in _NO_RELATIONS
        for one in field_texts(value)
        if "[[" not in one
        for text in _texts(one.strip(), _makes(key))
    ]
    linked = {
        key: [link.name for one in field_texts(value) for link in find_links(one)] for key, value in fields.items()
    }
    links = [_Link(*LINKS[key], name) for key, names in linked.items() if key in LINKS for name in names]
    targets = [title, *(name for names in linked.values() for name in names)]
    form = text_hash(title, dumps(meta))
    return _Note(title, row["memory_key"], row["said_at"], fields, texts, links, targets, form)


def _read(
    conn: Connection, note: _Note, linked: Mapping[str, int], meant: Mapping[str, entities.Entity], form: str, now: str
) -> int:
    """Writes the fields of one note, whose `form` says what they name.

    `linked` are the memories, and `meant` the entities that their links lead to.
    """
    described = note.fields.get("description") or note.fields.get("desc")
    text = " ".join(described.split())[:LONGEST_DESCRIPTION] if isinstance(described, str) else ""
    named = entities.ensure(conn, {note.title: entities.THING}, now, source="title")
    for key in named.values():
        shared = conn.execute(COUNT_PAGES, {"key": key}).fetchone()[0] > 1
        told: dict[entities.OfPage, str | None] = {"kind": kind_in(note.fields), "description": text or None}
        for column, value in told.items():
            if value or not shared:  # of several pages, one that says nothing takes nothing away
                entities.set_by_page(conn, key, now, column, value)
    said = list(_relations(conn, note, meant)) if note.title in named else []
    made = relation_extraction.add_said(conn, note.memory_key, note.said_at, said, "field", now)
    _write_links(conn, note, linked, now)
    store.mark_read(conn, READER, {note.memory_key: form}, now)
    return made


def _relations(conn: Connection, note: _Note, meant: Mapping[str, entities.Entity]) -> Iterator[NamedTriple]:
    """The relations title - key - value, for each value that is a link, a known name, or what a knowledge key says."""
    own = frozenset(map(predicate_id, store.texts_in_setting(conn, KNOWLEDGE)))
    for key, value in note.fields.items():
        if not key or key in _NO_RELATIONS - own or LINKS.get(key, ("",))[0] == "relates_to":
            continue
        for one in field_texts(value):
            if key not in own and _is_of_page(key, one):
                continue
            for said, kind in _named(conn, one, says=key in own or is_knowledge(key), makes=_makes(key)):
                name = meant[said].name if said in meant else said
                if normal_name(name) != normal_name(note.title) and not entities.is_word_for_user(name):
                    quote = f"{key}: {one}"
                    yield NamedTriple(note.title, key, name, quote, "field", kinds=(entities.THING, kind))


def _makes(key: str) -> bool:
    """Whether a key says who made something, in any of the languages of labels."""
    return key in MAKERS or LABELS.get(key) in MAKERS


def _is_of_page(key: str, value: str) -> bool:
    """Whether a value says when or on what way the page came, and nothing of its subject."""
    return (key in _OF_THE_PAGE and _INSTANT.fullmatch(value) is not None) or (
        key == "source" and _SLUG.fullmatch(value) is not None
    )


def _named(conn: Connection, value: str, *, says: bool, makes: bool) -> list[tuple[str, str]]:
    """The names in a field's value, with their kinds: the targets of its links, known names, and all if the key `says`.

    A day is what a value says, but no name; who `makes` something has a name, if it is written as one.
    """
    if links := find_links(value):
        if len(_without(links, value).split()) > _BESIDE_LINKS:
            return []
        named = [link.name for link in links if not names_nothing(link.name)]
        return [(name, entities.THING) for name in named]
    found = []
    for text in _texts(value.strip(), makes):
        if not is_value(text) or re.match(r"\w+://", text) or not entities.valid_name(text):
            continue
        if _LOCALE.fullmatch(text) or _SITE.fullmatch(text):
            continue
        known = not names_nothing(text) and _is_known(conn, text)
        if known or says:
            found.append((text, entities.THING if known or (makes and _is_written_as_name(text)) else entities.VALUE))
    return found


def _texts(value: str, makes: bool) -> Iterator[str]:
    """The parts of a value: `Ida Moss and Bo Ek` who `makes` something are two, but `Ernst & Young` is one."""
    if makes and (people := _inverted(value)):
        yield from people
        return
    for part in map(str.strip, _SEPARATOR.split(_READWISE.sub(r"\1", value))):
        people = _AND.split(part) if makes else []
        yield from people if all(" " in one and _is_written_as_name(one) for one in people) and people else (part,)


def _inverted(value: str) -> list[str]:
    """The people of `Moss, Ida R.` and `Moss, Ida / Ek, Bo`, as they are called; none of another value."""
    found = [_INVERTED.fullmatch(one) for one in _OTHERS.split(value)]
    people = [(one[1], one[2]) for one in found if one]
    if len(people) < len(found) or any(len(given.split()) > 3 for _, given in people):
        return []
    sure = len(people) > 1 or any(_INITIAL.search(given) or _is_first_name(given, family) for family, given in people)
    return [f"{given} {family}" for family, given in people] if sure else []


def _is_first_name(given: str, family: str) -> bool:
    return given.split()[0].lower() in words.GERMAN_FIRST_NAMES and family.lower() not in words.GERMAN_FIRST_NAMES


def _is_written_as_name(text: str) -> bool:
    """Whether words would be one name inside a sentence: `Harsha Lind`, but not `Staff Writer` or `Bo's favourites`."""
    spans = find_names(f"{_SENTENCE}{text}")
    whole = [span for span in spans if (span.start, span.end) == (len(_SENTENCE), len(_SENTENCE) + len(text))]
    return bool(whole) and not all(dictionary.is_common(word) for word in text.split())


def _without(links: list[WikiLink], value: str) -> str:
    for link in reversed(links):
        value = value[: link.start] + value[link.end :]
    return value


def _is_known(conn: Connection, text: str) -> bool:
    """Whether a value names something known. An everyday word (`stage: Budding`) must be more than a word of texts."""
    known = [
        entity.key
        for entity in entities.by_names(conn, [text], plurals=False).get(normal_name(text), ())
        if _is_name(entity)
    ]
    if not known or not all(dictionary.is_common(word) for word in text.split()):
        return bool(known)
    return conn.execute(SELECT_NAMED, {"keys": keys_json(known)}).fetchone() is not None


def _pages(conn: Connection, names: Collection[str]) -> dict[str, int]:
    """The first memory of the note that each of these links leads to, of those that exist."""
    known = entities.by_names(conn, names, files="first") if names else {}
    bearers = {entity.key for found in known.values() for entity in found}
    first = dict(map(tuple, conn.execute(SELECT_FIRST, {"keys": keys_json(bearers)}))) if bearers else {}
    days = sorted(name for name in names if names_nothing(name))  # no entities, but notes
    pages: dict[str, int] = dict(map(tuple, conn.execute(SELECT_PAGES, {"names": dumps(days)}))) if days else {}
    for name in names:
        of_name = (first[one.key] for one in known.get(normal_name(name), ()) if one.key in first)
        if (key := next(of_name, None)) is not None:
            pages[name] = key
    return pages


def _write_links(conn: Connection, note: _Note, linked: Mapping[str, int], now: str) -> None:
    """Replaces the links of a note."""
    drop_derived(conn, [note.memory_key], FRONT_MATTER)
    for one in note.links:
        other = linked.get(one.page)
        if other is not None and other != note.memory_key:
            ends = (other, note.memory_key) if one.from_there else (note.memory_key, other)
            store.link(conn, *ends, one.type, now, why=FRONT_MATTER)
