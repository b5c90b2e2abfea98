"""Permissions: only the owner of the server sees memories, unless the configuration says otherwise.

A memory database is hidden as a whole: its tables, its full-text and vector tables, the file itself, and any SQL on it
(and so `recall()`). The owner opens it with an allow block, as usual in Datasette:

    plugins: {memkit: {allow: {id: ada}, write: {id: ada}}}      every memory database; `allow: true` is everybody
    databases: {memory: {plugins: {memkit: {allow: true}}}}      one of them
    databases: {memory: {allow: {id: ada}}}                      the same in Datasette's own words

Besides `allow` there may be limits for strangers: `seconds` of one SQL statement, `candidates` of a channel, and
`cache`, the seconds for which a page of an immutable file may be cached.

An actor who may not see the table `memories` cannot see anything that was made from it either. Who may not see another
table may see neither what repeats it (`tables.REPEATS`) nor the pages that show it; nor may they run SQL, which reads
every table, run memkit's own queries, or download the file. Writing needs the
permission `memkit-write`, which only `root` and the actors in `write` have.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from datasette.utils import actor_matches_allow

from memkit.frontends.datasette.compat import config_of
from memkit.frontends.datasette.databases import holds_memories, memory_databases
from memkit.frontends.datasette.descriptions import pattern
from memkit.frontends.datasette.tables import with_repeats
from memkit.retrieval.limits import MOST_CANDIDATES, SECONDS
from memkit.storage.recognition import our_tables

PUBLIC = "MEMKIT_PUBLIC"  # set by `memkit serve --public`

ATTACHED = "_memory"  # Datasette's name for the database that can read every file, if it was started with `--crossdb`

CHANGING = ("insert-row", "update-row", "delete-row", "alter-table", "drop-table")

# Actions on a database as a whole, for which the rule of the table `memories` does not count.
_WHOLE = ("view-database", "view-instance")

# Actions by which every table can be read, whatever the rule of the table is.
_EVERY_TABLE = ("execute-sql", "execute-write-sql", "store-query", "create-view", "view-database-download")


async def refused(datasette: Any, actor: Any, action: str) -> list[str]:
    """The databases in which memkit forbids this action; ATTACHED, too, if its SQL could read one of them."""
    names = []
    for name, database in list(datasette.databases.items()):
        if await holds_memories(database) is not False and not _open(datasette, actor, action, name):
            names.append(name)
    if names and datasette.crossdb and action not in _WHOLE:
        names.append(ATTACHED)
    return names


async def refused_within(datasette: Any, actor: Any, action: str) -> list[tuple[str, str]]:
    """The single tables and queries that memkit forbids, each with its database."""
    return [
        (name, child)
        for name, database in list(datasette.databases.items())
        if await holds_memories(database) is not False
        for child in _closed(datasette, actor, action, name)
    ]


async def closed_tables(datasette: Any, actor: Any, action: str) -> list[tuple[str, str]]:
    """The tables of memkit, each with its database, if this is an action of Datasette 1.0 that changes a table.

    It is refused to everybody: Datasette sets no `foreign_keys`, so what refers to a deleted row would stay, and a
    table that it alters is made anew, without its triggers. memkit's own pages delete and correct memories.
    """
    if action not in CHANGING:
        return []
    return [(name, table) for name in await memory_databases(datasette) for table in our_tables()]


async def refuses(datasette: Any, actor: Any, action: str, database: str, child: str | None = None) -> bool:
    """Whether memkit forbids this; an allow block of the table itself is stronger than the rule for the database.

    `child` is the table of view-table, the query of view-query.
    """
    if database == ATTACHED and datasette.crossdb:
        return database in await refused(datasette, actor, action)
    known = datasette.databases.get(database)
    if known is None or await holds_memories(known) is False:
        return False
    if _open(datasette, actor, action, database):
        return child is not None and child.lower() in _closed(datasette, actor, action, database)
    return not (action == "view-table" and child and _opened(datasette, actor, database, child))


def may_write(datasette: Any, actor: Any, database: str) -> bool:
    """Whether the actor may write memories: `write` in the plugin's configuration decides, else only root may."""
    return _matches(actor, _plugin(datasette, database).get("write"), otherwise=_is_root(actor))


def limits(datasette: Any, database: str) -> dict[str, Any]:
    """The owner's limits: `seconds` of memkit in one SQL statement, and `candidates` of a channel."""
    own = _plugin(datasette, database)
    return {
        "seconds": float(own.get("seconds", SECONDS)),
        "candidates": int(own.get("candidates", MOST_CANDIDATES)),
    }


def kept_seconds(datasette: Any, database: str) -> int:
    """The seconds for which a page may be cached: the setting `cache` for an immutable file, else 0."""
    known = datasette.databases.get(database)
    return int(_plugin(datasette, database).get("cache", 0)) if known is not None and not known.is_mutable else 0


def _open(datasette: Any, actor: Any, action: str, database: str) -> bool:
    """Whether this actor may see the database, and in it what the action reads: nothing, memories, or every table."""
    if not _matches(actor, _of_database(datasette, database), otherwise=_is_root(actor)):
        return False
    if action in _WHOLE:
        return True
    denied = _denied(datasette, actor, database)
    return not denied if action in _EVERY_TABLE else "memories" not in denied


def _denied(datasette: Any, actor: Any, database: str) -> set[str]:
    """The tables, in lower case, that allow blocks of their own deny to this actor."""
    tables = config_of(datasette, database).get("tables") or {}
    return {
        name.lower() for name in tables if not _matches(actor, _of_table(datasette, database, name), otherwise=True)
    }


def _closed(datasette: Any, actor: Any, action: str, database: str) -> set[str]:
    """The tables, or memkit's own queries, that are closed to this actor because they repeat a table that is denied."""
    if action not in ("view-table", "view-query") or not (denied := _denied(datasette, actor, database)):
        return set()
    if action == "view-query":
        return set(pattern()["queries"])
    return {name for name in with_repeats(denied) if not _opened(datasette, actor, database, name)}


def _opened(datasette: Any, actor: Any, database: str, table: str) -> bool:
    """Whether an allow block of the table itself lets this actor in."""
    return _matches(actor, _of_table(datasette, database, table), otherwise=False)


def _is_root(actor: Any) -> bool:
    return bool(actor) and actor.get("id") == "root"


def _matches(actor: Any, allow: Any, otherwise: bool) -> bool:
    return otherwise if allow is None else bool(actor_matches_allow(actor, allow))


def _of_database(datasette: Any, database: str) -> Any:
    """The allow block for a whole database; None if the owner has written none."""
    if os.environ.get(PUBLIC) == "1":
        return True
    own = _plugin(datasette, database).get("allow")
    if own is not None:
        return own
    return _said(config_of(datasette, database), "view-database")


def _of_table(datasette: Any, database: str, table: str) -> Any:
    """The allow block of one table; upper and lower case of its name are the same, as in SQLite."""
    tables = config_of(datasette, database).get("tables") or {}
    blocks = [_said(block, "view-table") for name, block in tables.items() if name.lower() == table.lower()]
    said = [block for block in blocks if block is not None]
    return next((block for block in said if block is False), said[0] if said else None)


def _said(block: Any, action: str) -> Any:
    """An allow block, or the permission that Datasette 1.0 allows in its place."""
    if not isinstance(block, Mapping):
        return None
    given = block.get("allow")
    return given if given is not None else (block.get("permissions") or {}).get(action)


def _plugin(datasette: Any, database: str) -> Mapping[str, Any]:
    # Datasette 1.0a41 ignores the rules for all databases if this database has its own rules.
    return datasette.plugin_config("memkit", database=database) or datasette.plugin_config("memkit") or {}
