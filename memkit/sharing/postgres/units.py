"""Units of exchange: a document, memory, entity or relation, each with the rows that belong to it alone.

Two files give the same thing different keys, so a unit names everything by id. It is stored as one JSON text, and is
the same in two files exactly if these texts are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

from memkit.core.errors import BadSource
from memkit.graph.entities import CONCEPT, THING, VALUE
from memkit.ingestion.forgotten import FORGOTTEN
from memkit.sharing.export.lines import EVERYTHING, within
from memkit.sharing.export.reader import Export
from memkit.sharing.export.tables import BY_NAME, TABLES
from memkit.sharing.postgres.shared_names import SharedNames
from memkit.sharing.selection import Selection, selected_keys
from memkit.sources.memkit_export import EXPORT_VERSION, MARK
from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty
from memkit.storage.schema import VERSION
from memkit.storage.store import dumps, keys_json

Row = dict[str, Any]

# For each kind of unit, the tables of rows that belong to it, with the column that names it.
PARTS: Mapping[str, Mapping[str, str]] = {
    "documents": {},
    "memories": {
        "mentions": "memory_key",
        "evidence": "memory_key",
        "links": "from_key",
        "fingerprints": "memory_key",
        "extractions": "memory_key",
    },
    "entities": {"aliases": "entity_key"},
    "relations": {"conflicts": "relation_key"},
}
OWNER = {table: kind for kind, parts in PARTS.items() for table in parts}

# The user's slots are private, what was forgotten is gone, and of what was pruned only an empty row is left.
SELECT_SHARED = f"""
select key, project from memories
where lower(trim(coalesce(slot, ''))) <> 'user'
    and coalesce(json_extract({or_empty("meta")}, '$.archived_because'), '') not in (:forgotten, 'pruned')
"""
# A memory that was forgotten, or taken back with one, and that has not come back since.
SELECT_FORGOTTEN = f"""
select m.memory_id from maintenance as m
where m.step = 'forget' and m.undone_at is null and not exists (
    select 1 from memories as x
    where x.id = m.memory_id and coalesce(json_extract({or_empty("x.meta")}, '$.archived_because'), '') <> :forgotten
)
union
select id from memories where json_extract({or_empty("meta")}, '$.archived_because') = :forgotten
"""
SELECT_PRUNED = f"""
select memory_id from pruned
union
select id from memories where json_extract({or_empty("meta")}, '$.archived_because') = 'pruned'
"""
SELECT_IDS = {kind: f"select key, id from {kind}" for kind in PARTS}


class Name(NamedTuple):
    """What a unit is called in every file: its kind and its id."""

    kind: str
    id: str


@dataclass(frozen=True)
class Unit:
    """A unit: its place among those of its kind (its key in the file that first pushed it), and its JSON text."""

    place: int
    body: str

    @cached_property
    def hash(self) -> str:
        """A hash of the text."""
        return hashlib.blake2b(self.body.encode(), digest_size=16).hexdigest()

    @cached_property
    def rows(self) -> Row:
        """The unit's own row, and lists of those that belong to it, read once; empty for another text.

        Not to be changed.
        """
        try:
            body = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        sound = isinstance(body, dict) and _is_row(body.get("row"))
        if sound and all(
            isinstance(rows, list) and all(map(_is_row, rows)) for at, rows in body.items() if at != "row"
        ):
            return cast(Row, body)
        return {}


def units(conn: Connection, selection: Selection, now: str, *, alone: bool = False) -> dict[Name, Unit]:
    """The units of all memories that may be shared, or of the selected ones, and of what belongs to them.

    With `alone`, also those of what belongs to no memory. Raises BadQuestion and NotFound for the selection.
    """
    projects = {row["key"]: row["project"] for row in conn.execute(SELECT_SHARED, {"forgotten": FORGOTTEN})}
    keys = set(projects)
    if selection:
        keys &= set(selected_keys(conn, selection, now, frozenset(EVERYTHING)))
    wanted = within(conn, sorted(keys))
    # A link between two projects is not shared: a unit must be the same, whichever of them is pushed.
    linked = {**wanted, "memories": keys_json(projects)}
    names = None if alone else SharedNames(conn, keys, kinds=bool(selection.projects))
    if alone:
        wanted = {**wanted, "all": True}
    ids = {kind: {row["key"]: row["id"] for row in conn.execute(query)} for kind, query in SELECT_IDS.items()}
    places: dict[Name, int] = {}
    bodies: dict[Name, dict[str, Any]] = {}
    for table in TABLES:
        if table.name not in PARTS and table.name not in OWNER:
            continue
        for found in conn.execute(table.select, linked if table.name == "links" else wanted):
            row = dict(found)
            if table.name == "links" and projects[row["from_key"]] != projects[row["to_key"]]:
                continue
            key = row.pop("key", 0)
            if names is not None and table.name == "entities":
                row = names.entity(key, row)
            if names is not None and table.name == "aliases" and not names.has_alias(row):
                continue
            for column, other in table.references.items():
                row[column] = ids[other].get(row[column])
            if table.name in PARTS:
                if table.name == "memories" and key not in projects:
                    continue
                name = Name(table.name, row["id"])
                places[name], bodies[name] = key, {"row": row}
            else:
                kind = OWNER[table.name]
                name = Name(kind, row.pop(PARTS[kind][table.name]))
                if name in bodies:
                    bodies[name].setdefault(table.name, []).append(row)
    return {name: Unit(places[name], _text(body)) for name, body in bodies.items()}


def forgotten(conn: Connection) -> set[str]:
    """The ids of the memories that were forgotten in this file."""
    return {row[0] for row in conn.execute(SELECT_FORGOTTEN, {"forgotten": FORGOTTEN})}


def pruned(conn: Connection) -> set[str]:
    """The ids of the memories that upkeep has removed from this file."""
    return {row[0] for row in conn.execute(SELECT_PRUNED)}


def merged(theirs: Unit, mine: Unit, kind: str) -> Unit | None:
    """Both in one, or None if they say different things.

    Entities and relations follow from names, so two files have the same ones, each with a part of what belongs to
    them. Then, and where only such parts differ, the row of `theirs` stays and the parts are united.
    """
    one, other = json.loads(theirs.body), json.loads(mine.body)
    if kind in ("documents", "memories") and _said(one["row"]) != _said(other["row"]):
        return None
    if kind == "entities":
        one["row"]["description"] = one["row"].get("description") or other["row"]["description"]
        if one["row"].get("kind") in UNSURE:
            one["row"]["kind"] = other["row"]["kind"]
    for table in PARTS[kind]:
        have = {_told_apart(table, kind, row): row for row in other.get(table, ())}
        have |= {_told_apart(table, kind, row): row for row in one.get(table, ())}
        if have:
            one[table] = list(have.values())
    return Unit(theirs.place, _text(one))


def patched(theirs: Unit, before: Unit, after: Unit) -> Unit:
    """The unit as the store has it, with what changed here from `before` to `after`.

    What is here need not be all of it: rows that name what was not fetched stay.
    """
    body = json.loads(theirs.body)
    body["row"] |= {name: value for name, value in after.rows["row"].items() if value != before.rows["row"].get(name)}
    for table in (before.rows.keys() | after.rows.keys()) - {"row"}:
        old, new = ({_row_text(row): row for row in one.rows.get(table, ())} for one in (before, after))
        have = {_row_text(row): row for row in body.pop(table, ())}
        rows = {text: row for text, row in have.items() if text in new or text not in old}
        if rows := rows | {text: row for text, row in new.items() if text not in old}:
            body[table] = list(rows.values())
    return Unit(theirs.place, _text(body))


def _row_text(row: Row) -> str:
    return json.dumps(row, sort_keys=True)


UNSURE = (CONCEPT, VALUE, THING)  # kinds that a more specific one replaces


def _said(row: Row) -> Row:
    """A row without the times at which its file wrote it."""
    return {name: value for name, value in row.items() if name not in ("created_at", "updated_at")}


def _told_apart(table: str, kind: str, row: Row) -> str:
    owner = PARTS[kind][table]
    return dumps([row.get(column) for column in BY_NAME[table].identity if column != owner])


def _text(body: Row) -> str:
    for table, rows in body.items():
        if table != "row":
            rows.sort(key=_row_text)
    return json.dumps(body, ensure_ascii=False, sort_keys=True)


def references(name: Name, unit: Unit) -> Iterator[Name]:
    """The units that a unit names. Raises BadSource for what is no unit."""
    body = _read(name, unit)
    for at, rows in body.items():
        for column, kind in BY_NAME[name.kind if at == "row" else at].references.items():
            for row in [rows] if at == "row" else rows:
                if isinstance(row.get(column), str):
                    yield Name(kind, row[column])


def orphans(given: Mapping[Name, Unit]) -> set[Name]:
    """The relations that no memory states, and the entities and documents that nothing names."""
    gone: set[Name] = set()
    for kind, naming in (("relations", ("memories",)), ("entities", ("memories", "relations", "entities"))):
        left = {name for name in given if name not in gone}
        named = {other for name in left if name.kind in naming for other in references(name, given[name])}
        gone |= {name for name in left if name.kind == kind and name not in named}
    named = {other for name in given if name.kind == "memories" for other in references(name, given[name])}
    return gone | {name for name in given if name.kind == "documents" and name not in named}


def slot(name: Name, unit: Unit) -> tuple[Any, ...] | None:
    """The slot, project and key of which a memory is the current value."""
    row = _read(name, unit)["row"]
    if row.get("slot") is None or row.get("slot_key") is None or row.get("valid_until") or row.get("archived_at"):
        return None
    return row["slot"], row.get("project"), row["slot_key"]


# ---------------------------------------------------------------------------------------------- as an export


def as_export(given: Mapping[Name, Unit], now: str) -> Export:
    """An export with these units. Rows that refer to what is not there are left out.

    Raises BadSource for what is no unit; the rules of the rows themselves are those of every restore.
    """
    return Export(Path("the store"), list(_lines(given, now)))


def _lines(given: Mapping[Name, Unit], now: str) -> Iterator[Row]:
    counts: dict[str, int] = {}
    yield {MARK: EXPORT_VERSION, "schema": VERSION, "database": None, "at": now, "part": True}
    for table, row in rows_of(given):
        counts[table] = counts.get(table, 0) + 1
        numbered = {"key": counts[table]} if "key" in BY_NAME[table].columns and table not in PARTS else {}
        yield {table: {**numbered, **row}}
    yield {"end": counts}


def rows_of(given: Mapping[Name, Unit], leave: Collection[str] = ()) -> Iterator[tuple[str, Row]]:
    """The rows of units with their tables, those that others refer to first, and without the tables to `leave`.

    Documents, memories, entities and relations have keys, which the others name. Rows that refer to what is not there
    are left out. Raises BadSource for what is no unit.
    """
    bodies = {name: _read(name, unit) for name, unit in given.items()}
    _drop_broken(bodies)
    keys = {kind: _keys(kind, given, bodies) for kind in PARTS}
    for table in TABLES:
        if table.name in leave:
            continue
        owner = OWNER.get(table.name)
        rows: Iterable[Row] = ()
        if table.name in PARTS:
            rows = ({**bodies[Name(table.name, id)]["row"], "key": key} for id, key in keys[table.name].items())
        elif owner:
            column = PARTS[owner][table.name]
            rows = ({**row, column: id} for id in keys[owner] for row in bodies[Name(owner, id)].get(table.name, ()))
        for row in rows:
            known = {column: keys[other].get(str(row.get(column))) for column, other in table.references.items()}
            if all(known[column] is not None or column in table.loose for column in table.references):
                yield table.name, {**row, **known}


def _read(name: Name, unit: Unit) -> Row:
    """The unit's rows. Raises BadSource for a text that holds none: anybody may have written it."""
    body = unit.rows
    if not body or body["row"].get("id") != name.id or body.keys() - {"row", *PARTS[name.kind]}:
        raise BadSource(f"The store has {name.id!r} among its {name.kind}, which is nothing that memkit wrote there.")
    return body


NESTED = frozenset((list, dict))


def _is_row(row: Any) -> bool:
    return isinstance(row, dict) and NESTED.isdisjoint(map(type, row.values()))


def _drop_broken(bodies: dict[Name, Row]) -> None:
    """Removes the relations whose entities are missing."""
    for name, body in list(bodies.items()):
        if name.kind == "relations":
            ends = (body["row"].get("subject_key"), body["row"].get("object_key"))
            if any(Name("entities", str(end)) not in bodies for end in ends):
                del bodies[name]


def _keys(kind: str, given: Mapping[Name, Unit], bodies: Collection[Name]) -> dict[str, int]:
    """A key for each unit of a kind, by id: its place where all places differ, else its number in their order."""
    order = sorted((given[name].place, name.id) for name in bodies if name.kind == kind)
    places = {place for place, _ in order}
    exact = len(places) == len(order) and all(place > 0 for place in places)
    return {id: place if exact else number for number, (place, id) in enumerate(order, 1)}
