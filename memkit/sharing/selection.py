"""Selection of memories to export or publish, by project, kind, tag, time and other fields."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from memkit.core.errors import BadQuestion, NotFound, one_of
from memkit.core.instants import first_moment
from memkit.graph import entities
from memkit.storage.connection import Connection
from memkit.storage.driver import sqlite3
from memkit.storage.filters import SINCE, UNTIL
from memkit.storage.json_columns import or_empty
from memkit.storage.store import dumps, keys_json

# What is left out unless it is asked for by name, with a description.
KEEPABLE = {
    "history": "memories that are archived, superseded or expired",
    "user_slots": "the settings of the user",
    "sources": "paths of documents, and the ids that sources gave",
    "times": "when memories and documents were added and changed",
    "meta": "all other fields from the sources of memories and documents, such as front matter",
    "access": "how often a memory was recalled",
}

SELECT_CHOSEN = f"""
select m.key
from memories as m left join documents as d on d.key = m.document_key
where (:projects is null or m.project in (select value from json_each(:projects)))
    and (:kinds is null or m.kind in (select value from json_each(:kinds)))
    and (:slots is null or m.slot in (select value from json_each(:slots)))
    and (:tags is null or exists (
        select 1 from json_each(m.tags) as t where t.value in (select value from json_each(:tags))
    ))
    and (:documents is null or d.key in (select value from json_each(:documents)))
    and (:entities is null or exists (
        select 1 from mentions as x
        where x.memory_key = m.key and x.entity_key in (select value from json_each(:entities))
    ))
    and (:ids is null or m.id in (select value from json_each(:ids)))
    and (:since is null or {SINCE})
    and (:until is null or {UNTIL})
    and (:user_slots or lower(trim(coalesce(m.slot, ''))) <> 'user')
    and (:history or (
        m.archived_at is null
        and (m.valid_until is null or m.valid_until > :now)
        and (m.expires_at is null or m.expires_at > :now)
    ))
    -- What was forgotten is no history: it is chosen by nobody.
    and coalesce(json_extract({or_empty("m.meta")}, '$.archived_because'), '') <> 'forgotten'
order by m.key
"""
SELECT_PROJECTS = "select distinct project from memories"
SELECT_KINDS = "select distinct kind from memories"
SELECT_SLOTS = "select distinct slot from memories where slot is not null"
SELECT_TAGS = f"select distinct t.value from memories as m, json_each({or_empty('m.tags')}) as t"
SELECT_DOCUMENTS = "select key, id, title, source from documents where :name in (id, title, source)"
SELECT_TITLES = """
select distinct title from documents as d
where title is not null
    and exists (select 1 from memories as m where m.document_key = d.key and m.archived_at is null)
"""


# What a query of ids may do. The pragmas only describe tables; the full-text index uses some of them.
_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
_PRAGMAS = ("data_version", "table_info", "table_xinfo", "table_list", "index_list", "index_info", "foreign_key_list")
# What SQLite 3.40 calls the declaration of `pragma_table_info` as a table. Otherwise, an update of the schema needs a
# setting, which is denied.
_DECLARES = (sqlite3.SQLITE_UPDATE, "sqlite_master")


@dataclass(frozen=True, slots=True)
class Selection:
    """A choice of memories: all given conditions must hold; of several values of one condition, any.

    `documents` are ids, titles or sources; `entities` are names or ids. `since` (included) and `until` (excluded)
    are canonical UTC times, compared with when a memory is from. `sql` is a query whose first column has memory ids.
    An empty selection is false.
    """

    projects: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    sql: str | None = None

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))


def kept_fields(names: Iterable[str]) -> frozenset[str]:
    """The names of KEEPABLE to keep; `-` is read as `_`. Raises BadQuestion for an unknown name."""
    found = frozenset(name.replace("-", "_") for name in names)
    for name in sorted(found - KEEPABLE.keys()):
        raise BadQuestion(one_of("detail to keep", name, KEEPABLE))
    return found


def selected_keys(conn: Connection, selection: Selection, now: str, keep: frozenset[str] = frozenset()) -> list[int]:
    """The keys of the chosen memories, in order.

    Raises BadQuestion for an empty selection, for one without memories, and for a query that does not run; NotFound for
    an unknown name.
    """
    if not selection:
        raise BadQuestion(
            "Nothing is chosen, so nothing is published. Choose a project, kind, slot, tag, document, entity, time "
            "or query, for example --project garden."
        )
    parameters = {
        "projects": _known(conn, "project", selection.projects, SELECT_PROJECTS),
        "kinds": _known(conn, "kind", selection.kinds, SELECT_KINDS),
        "slots": _known(conn, "slot", selection.slots, SELECT_SLOTS),
        "tags": _known(conn, "tag", selection.tags, SELECT_TAGS),
        "documents": _documents(conn, selection.documents),
        "entities": keys_json(entities.find(conn, name).key for name in selection.entities)
        if selection.entities
        else None,
        "ids": _ids(conn, selection.sql),
        "since": selection.since,
        "until": selection.until and first_moment(selection.until),
        "user_slots": "user_slots" in keep,
        "history": "history" in keep,
        "now": now,
    }
    found = [row[0] for row in conn.execute(SELECT_CHOSEN, parameters)]
    if not found:
        raise BadQuestion(
            "No memory is chosen by these conditions. The user's slots need --keep user_slots; archived, superseded "
            "and expired memories need --keep history."
        )
    return found


def _known(conn: Connection, what: str, names: tuple[str, ...], query: str) -> str | None:
    """The names as a parameter of the query; None without names. Raises NotFound for a name that no memory has."""
    if not names:
        return None
    known = {row[0] for row in conn.execute(query)}
    for name in names:
        if name not in known:
            raise NotFound(one_of(what, name, map(str, known)) if known else f"No memory has a {what}.")
    return dumps(names)


def _documents(conn: Connection, names: tuple[str, ...]) -> str | None:
    if not names:
        return None
    keys: list[int] = []
    for name in names:
        found = [row["key"] for row in conn.execute(SELECT_DOCUMENTS, {"name": name})]
        if not found:
            raise NotFound(one_of("document", name, [row[0] for row in conn.execute(SELECT_TITLES)]))
        keys += found
    return keys_json(keys)


def _ids(conn: Connection, sql: str | None) -> str | None:
    """The ids that a query returns. Raises BadQuestion for a query that fails, or that does more than read."""
    if sql is None:
        return None
    conn.set_authorizer(_only_reading)
    try:
        return dumps([row[0] for row in conn.execute(sql)])
    except (sqlite3.Error, sqlite3.Warning, IndexError, ValueError) as error:
        raise BadQuestion(f"This query of memory ids does not run: {error}. It may only read.") from error
    finally:
        conn.set_authorizer(_anything)  # before Python 3.11 an authorizer cannot be taken away


def _only_reading(action: int, what: str | None, *_: object) -> int:
    """SQLite calls this while it compiles a statement. Writing, attaching, settings and transactions are denied."""
    fine = action in _READING or (action == sqlite3.SQLITE_PRAGMA and what in _PRAGMAS) or (action, what) == _DECLARES
    return int(sqlite3.SQLITE_OK if fine else sqlite3.SQLITE_DENY)


def _anything(*_: object) -> int:
    return int(sqlite3.SQLITE_OK)
