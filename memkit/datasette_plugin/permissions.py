"""Who may see memories: the owner of the server alone, unless the configuration says otherwise.

A memory database is hidden as a whole: its tables, the full-text shadows and vectors beside them, the file itself, any
SQL on it, and so what `recall()` could tell. The owner opens it with an allow block, as Datasette writes them:

    plugins: {memkit: {allow: {id: ada}, write: {id: ada}}}      every memory database; `allow: true` is everybody
    databases: {memory: {plugins: {memkit: {allow: true}}}}      one of them
    databases: {memory: {allow: {id: ada}}}                      the same in Datasette's own words

Beside `allow` there may be limits for strangers: `seconds` of one SQL statement, `candidates` of a channel, and
`cache`, the seconds that a page about a file that never changes may be kept.

Who may not see the table `memories` sees nothing that was made of it either. Writing needs `memkit-write`, which only
`root` and whoever `write` names have.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from datasette.utils import actor_matches_allow

from memkit.bounded import MOST_CANDIDATES, SECONDS
from memkit.datasette_plugin.compat import config
from memkit.datasette_plugin.databases import holds_memories

PUBLIC = "MEMKIT_PUBLIC"  # set by `memkit serve --public`

# Without these the data of a hidden table could still be had in other words.
_WHOLE = ("view-database", "view-instance")


async def refused(datasette: Any, actor: Any, action: str) -> list[str]:
    """The databases on which memkit forbids this actor the action, with what it can be asked of in them."""
    names = []
    for name, database in list(datasette.databases.items()):
        if await holds_memories(database) is not False and not _open(datasette, actor, action, name):
            names.append(name)
    if names and action == "execute-sql" and datasette.crossdb:
        names.append("_memory")  # it can read every attached file
    return names


async def refuses(datasette: Any, actor: Any, action: str, database: str, table: str | None = None) -> bool:
    """Whether memkit forbids this; an allow block of the table itself decides before the rule for all of them."""
    if database == "_memory":
        return action == "execute-sql" and datasette.crossdb and bool(await refused(datasette, actor, action))
    known = datasette.databases.get(database)
    if known is None or await holds_memories(known) is False or _open(datasette, actor, action, database):
        return False
    return table is None or not _matches(actor, _of_table(datasette, database, table), otherwise=False)


def may_write(datasette: Any, actor: Any, database: str) -> bool:
    """Whether the actor may write memories: root, or whom the plugin's configuration names."""
    return _matches(actor, _plugin(datasette, database).get("write"), otherwise=_is_root(actor))


def limits(datasette: Any, database: str) -> dict[str, Any]:
    """The owner's limits: `seconds` that memkit may take in one SQL statement, `candidates` that a channel looks at."""
    own = _plugin(datasette, database)
    return {
        "seconds": float(own.get("seconds", SECONDS)),
        "candidates": int(own.get("candidates", MOST_CANDIDATES)),
    }


def kept_seconds(datasette: Any, database: str) -> int:
    """For how long anybody may keep a page about a database: `cache`, for a file that never changes, else 0."""
    known = datasette.databases.get(database)
    return int(_plugin(datasette, database).get("cache", 0)) if known is not None and not known.is_mutable else 0


def _open(datasette: Any, actor: Any, action: str, database: str) -> bool:
    """Whether this actor may see the database, and for everything but its front page also its memories."""
    if not _matches(actor, _of_database(datasette, database), otherwise=_is_root(actor)):
        return False
    if action in _WHOLE:
        return True
    return _matches(actor, _of_table(datasette, database, "memories"), otherwise=True)


def _is_root(actor: Any) -> bool:
    return bool(actor) and actor.get("id") == "root"


def _matches(actor: Any, allow: Any, otherwise: bool) -> bool:
    return otherwise if allow is None else bool(actor_matches_allow(actor, allow))


def _of_database(datasette: Any, database: str) -> Any:
    """The allow block that decides about a whole database, if the owner has written one."""
    if os.environ.get(PUBLIC) == "1":
        return True
    own = _plugin(datasette, database).get("allow")
    if own is not None:
        return own
    return _said(_databases(datasette).get(database), "view-database")


def _of_table(datasette: Any, database: str, table: str) -> Any:
    """The allow block of one table; SQLite does not tell upper from lower case in its name."""
    tables = (_databases(datasette).get(database) or {}).get("tables") or {}
    blocks = [_said(block, "view-table") for name, block in tables.items() if name.lower() == table.lower()]
    said = [block for block in blocks if block is not None]
    return next((block for block in said if block is False), said[0] if said else None)


def _said(block: Any, action: str) -> Any:
    """An allow block, or what Datasette 1.0 may have in its place."""
    if not isinstance(block, Mapping):
        return None
    given = block.get("allow")
    return given if given is not None else (block.get("permissions") or {}).get(action)


def _plugin(datasette: Any, database: str) -> Mapping[str, Any]:
    # Datasette 1.0a41 forgets the rules for all databases where one has rules of its own.
    return datasette.plugin_config("memkit", database=database) or datasette.plugin_config("memkit") or {}


def _databases(datasette: Any) -> Mapping[str, Any]:
    return config(datasette).get("databases") or {}
