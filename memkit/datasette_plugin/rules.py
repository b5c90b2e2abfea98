"""The answers to Datasette's permission hooks, in the form of either version."""

from __future__ import annotations

import json
from typing import Any

from memkit.datasette_plugin.compat import WRITE
from memkit.datasette_plugin.databases import memory_databases
from memkit.datasette_plugin.permissions import may_write, refused, refuses

SELECT_RULES = """
select value as parent, null as child, 0 as allow, 'memories are private' as reason from json_each(:memkit_refused)
union all
select value, null, 1, 'may write memories' from json_each(:memkit_granted)
"""


async def rules(datasette: Any, actor: Any, action: str) -> Any:
    """For 1.0: the databases that this action is refused on, and those that memories may be written to."""
    from datasette.permissions import PermissionSQL

    known = datasette.actions.get(action)
    if known is None or not known.takes_parent:
        return None
    no = await refused(datasette, actor, action)
    yes = [name for name in await memory_databases(datasette) if may_write(datasette, actor, name)]
    granted = [name for name in yes if name not in no] if action == WRITE else []
    if not no and not granted:
        return None
    return PermissionSQL(
        sql=SELECT_RULES, params={"memkit_refused": json.dumps(no), "memkit_granted": json.dumps(granted)}
    )


async def opinion(datasette: Any, actor: Any, action: str, resource: Any) -> bool | None:
    """For 0.65: False where memkit refuses, True where it lets somebody write, else None."""
    if not resource:
        return None
    database, table = resource if isinstance(resource, tuple | list) else (resource, None)
    if await refuses(datasette, actor, action, database, table if action == "view-table" else None):
        return False
    return may_write(datasette, actor, database) if action == WRITE else None
