"""Permission hooks of Datasette: memkit's answers in the form of each version."""

from __future__ import annotations

import json
from typing import Any

from memkit.frontends.datasette.compat import WRITE
from memkit.frontends.datasette.databases import memory_databases
from memkit.frontends.datasette.permissions import closed_tables, may_write, refused, refused_within, refuses

SELECT_RULES = """
select value as parent, null as child, 0 as allow, 'memories are private' as reason from json_each(:memkit_refused)
union all
select value->>0, value->>1, 0, 'it repeats a table that is denied' from json_each(:memkit_within)
union all
select value, null, 1, 'may write memories' from json_each(:memkit_granted)
union all
select value->>0, value->>1, 0, 'memkit forbids this for the table' from json_each(:memkit_closed)
"""


async def rules(datasette: Any, actor: Any, action: str) -> Any:
    """For 1.0: where this action is refused (databases; tables and queries), and where memories may be written."""
    from datasette.permissions import PermissionSQL

    known = datasette.actions.get(action)
    if known is None or not known.takes_parent:
        return None
    no = await refused(datasette, actor, action)
    within = await refused_within(datasette, actor, action)
    yes = [name for name in await memory_databases(datasette) if may_write(datasette, actor, name)]
    granted = [name for name in yes if name not in no] if action == WRITE else []
    closed = await closed_tables(datasette, actor, action)
    if not no and not within and not granted and not closed:
        return None
    rows = {"memkit_refused": no, "memkit_within": within, "memkit_granted": granted, "memkit_closed": closed}
    return PermissionSQL(sql=SELECT_RULES, params={name: json.dumps(given) for name, given in rows.items()})


async def opinion(datasette: Any, actor: Any, action: str, resource: Any) -> bool | None:
    """For 0.65: False if memkit refuses, True if it allows writing, else None."""
    if not resource:
        return None
    database, child = resource if isinstance(resource, tuple | list) else (resource, None)
    if await refuses(datasette, actor, action, database, child):
        return False
    return may_write(datasette, actor, database) if action == WRITE else None
