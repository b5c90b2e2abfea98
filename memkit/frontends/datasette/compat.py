"""Datasette versions: all differences between 0.65 and 1.0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlencode

from datasette import Forbidden, __version__

WRITE = "memkit-write"  # the permission to write memories
IS_1 = not __version__.startswith("0.")


# The permission checks of the current page with their answers; None outside of a page.
_asked: ContextVar[dict[Any, bool] | None] = ContextVar("memkit_asked", default=None)


@contextmanager
def one_page() -> Iterator[None]:
    """A context in which each permission is checked only once, because rules do not change while a page is made."""
    token = _asked.set({})
    try:
        yield
    finally:
        _asked.reset(token)


async def allowed(datasette: Any, actor: Any, action: str, database: str, table: str | None = None) -> bool:
    """Whether the actor may do this in a database or a table. The actor must also be allowed to see the database."""
    known = _asked.get()
    if known is None:
        return await _allowed(datasette, actor, action, database, table)
    question = (id(datasette), repr(actor), action, database, table)
    if question not in known:
        known[question] = await _allowed(datasette, actor, action, database, table)
    return known[question]


async def _allowed(datasette: Any, actor: Any, action: str, database: str, table: str | None) -> bool:
    if not IS_1:
        if table:
            said = await datasette.permission_allowed(actor, action, (database, table), default=None)
            return bool(said) if said is not None else await allowed(datasette, actor, "view-database", database)
        if action == "view-database":
            try:
                await datasette.ensure_permissions(actor, [(action, database), "view-instance"])
            except Forbidden:
                return False
            return True
        # Without any rule, reading is allowed and writing is not.
        return await allowed(datasette, actor, "view-database", database) and bool(
            await datasette.permission_allowed(actor, action, database, default=action != WRITE)
        )
    from datasette.resources import DatabaseResource, TableResource

    resource = TableResource(database, table) if table else DatabaseResource(database)
    return bool(
        await datasette.allowed(action=action, resource=resource, actor=actor)
        and await datasette.allowed(action="view-database", resource=DatabaseResource(database), actor=actor)
        and await datasette.allowed(action="view-instance", actor=actor)
    )


def is_catalog(database: str) -> bool:
    """Whether this is the name of 0.65's catalog of tables; a file of this name gets another one there."""
    return not IS_1 and database == "_internal"


def is_datasettes_own(database: Any) -> bool:
    """Whether a database holds nothing of the owner's: 0.65's catalog, and `_memory`, empty on every connection."""
    return is_catalog(database.name) or (database.is_memory and database.memory_name is None)


def config(datasette: Any) -> Mapping[str, Any]:
    """The owner's configuration: metadata before 1.0, config since 1.0."""
    return (datasette.config if IS_1 else datasette.metadata()) or {}


def config_of(datasette: Any, database: str) -> Mapping[str, Any]:
    """What the owner has configured for a database."""
    return (config(datasette).get("databases") or {}).get(database) or {}


async def site(datasette: Any) -> Mapping[str, Any]:
    """What the owner says of the whole site: title, description, licence, and where more is said about it."""
    if IS_1:
        return await datasette.get_instance_metadata() or {}
    return {name: value for name, value in (datasette.metadata() or {}).items() if isinstance(value, str)}


def sql_url(datasette: Any, database: str, sql: str, parameters: Mapping[str, Any]) -> str:
    """The address of Datasette's page for a query with these parameters."""
    path = datasette.urls.database(database) + ("/-/query" if IS_1 else "")
    return f"{path}?{urlencode({'sql': sql, **parameters})}"


async def form(request: Any) -> Mapping[str, Any]:
    """The fields of a posted form."""
    return dict(await request.post_vars())


async def write(datasette: Any, database: str, work: Any) -> Any:
    """The result of `work(conn)` on the write connection, one at a time; `work` opens its own transaction."""
    known = datasette.get_database(database)
    return await (known.execute_write_fn(work, transaction=False) if IS_1 else known.execute_write_fn(work))
