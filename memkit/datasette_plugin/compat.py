"""What differs between Datasette 0.65 and 1.0, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from datasette import Forbidden, __version__

WRITE = "memkit-write"  # the permission to write memories
IS_1 = not __version__.startswith("0.")


async def allowed(datasette: Any, actor: Any, action: str, database: str, table: str | None = None) -> bool:
    """Whether this actor may do this to a database, or to a table of it; seeing the database itself is needed too."""
    if not IS_1:
        own = [(action, (database, table))] if table else []
        try:
            await datasette.ensure_permissions(actor, [*own, ("view-database", database), "view-instance"])
        except Forbidden:
            return False
        # What nobody has an opinion on is allowed if it is reading, and not if it is writing.
        usual = action != WRITE
        return table is not None or bool(await datasette.permission_allowed(actor, action, database, default=usual))
    from datasette.resources import DatabaseResource, TableResource

    resource = TableResource(database, table) if table else DatabaseResource(database)
    return (
        await datasette.allowed(action=action, resource=resource, actor=actor)
        and await datasette.allowed(action="view-database", resource=DatabaseResource(database), actor=actor)
        and await datasette.allowed(action="view-instance", actor=actor)
    )


def config(datasette: Any) -> Mapping[str, Any]:
    """What the owner has configured: metadata before 1.0, config from then on."""
    return (datasette.config if IS_1 else datasette.metadata()) or {}


def sql_url(datasette: Any, database: str, sql: str, parameters: Mapping[str, Any]) -> str:
    """The address at which Datasette shows a query, with its values filled in."""
    path = datasette.urls.database(database) + ("/-/query" if IS_1 else "")
    return f"{path}?{urlencode({'sql': sql, **parameters})}"


async def form(request: Any) -> Mapping[str, Any]:
    """The fields of a posted form."""
    return dict(await request.post_vars())


async def write(datasette: Any, database: str, work: Any) -> Any:
    """What `work(conn)` gives on the connection that writes, one at a time; it opens its own transaction."""
    known = datasette.get_database(database)
    return await (known.execute_write_fn(work, transaction=False) if IS_1 else known.execute_write_fn(work))
