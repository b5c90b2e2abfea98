"""Table and column descriptions from metadata.yml, for every memory database that is served."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from memkit.core.files import data_file
from memkit.frontends.datasette.compat import IS_1, config_of
from memkit.frontends.datasette.databases import memory_databases
from memkit.frontends.datasette.tables import FOR_MACHINES

_served: WeakKeyDictionary[Any, list[str]] = WeakKeyDictionary()


@cache
def pattern() -> Mapping[str, Any]:
    """The description of the one database in metadata.yml."""
    import yaml

    databases = yaml.safe_load(data_file("metadata.yml").read_text("utf-8"))["databases"]
    described: Mapping[str, Any] = next(iter(databases.values()))
    return described


async def describe(datasette: Any) -> None:
    """At startup: records which databases hold memories, and adds their descriptions to Datasette 1.0."""
    _served[datasette] = await memory_databases(datasette)
    if IS_1:
        for name in _served[datasette]:
            await _describe(datasette, name)


def metadata(datasette: Any, key: str | None, database: str | None) -> dict[str, Any]:
    """For 0.65: the table descriptions of the memory databases; which tables to hide in a list; empty for other keys.

    Datasette adds the owner's metadata to the returned value. So it gets a copy, or the rules of one server would
    become those of another. Permission checks call this often with another `key` and need no descriptions.
    """
    if key is None and database in _served.get(datasette, ()):
        return {"databases": {database: {"tables": {name: {"hidden": True} for name in FOR_MACHINES}}}}
    if key != "databases":
        return {}
    return {"databases": {name: {"tables": _tables(datasette, name)} for name in _served.get(datasette, ())}}


def _tables(datasette: Any, database: str) -> dict[str, Any]:
    """A copy of the descriptions. A table with an `allow` block is named by its key where other tables refer to it.

    Datasette 0.65 shows the names of rows there without a look at the permissions of their table.
    """
    tables = deepcopy(dict(pattern()["tables"]))
    for name, block in (config_of(datasette, database).get("tables") or {}).items():
        if name.lower() in tables and (block or {}).get("allow") is not None:
            tables[name.lower()]["label_column"] = "key"
    return tables


async def queries(datasette: Any, database: str) -> dict[str, Any]:
    """For 0.65: the canned queries of a memory database, without those that the owner defines with the same name."""
    if database not in await memory_databases(datasette):
        return {}
    own = _own_queries(datasette, database)
    return {name: query for name, query in pattern()["queries"].items() if name not in own}


def _own_queries(datasette: Any, database: str) -> Mapping[str, Any]:
    return config_of(datasette, database).get("queries") or {}


def _hide(datasette: Any, database: str) -> None:
    """For 1.0, which reads it in the configuration: hides tables, unless the owner says otherwise of one."""
    datasette.config = datasette.config or {}
    tables = datasette.config.setdefault("databases", {}).setdefault(database, {}).setdefault("tables", {})
    for name in FOR_MACHINES:
        tables.setdefault(name, {}).setdefault("hidden", True)


async def _describe(datasette: Any, database: str) -> None:
    _hide(datasette, database)
    own = _own_queries(datasette, database)
    for name, query in pattern()["queries"].items():
        if name not in own:
            texts = {part: query[part] for part in ("title", "description")}
            await datasette.add_query(database, name, query["sql"], is_trusted=True, **texts)
    for name, table in pattern()["tables"].items():
        if not (await datasette.get_resource_metadata(database, name)).get("description"):
            await datasette.set_resource_metadata(database, name, "description", table["description"])
        for column, says in table.get("columns", {}).items():
            if not await datasette.get_column_metadata(database, name, column):
                await datasette.set_column_metadata(database, name, column, "description", says)
