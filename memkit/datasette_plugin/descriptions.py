"""What metadata.yml says of a memory database, said of every one that is served, whatever its name."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from memkit._files import data_file
from memkit.datasette_plugin.compat import IS_1, config
from memkit.datasette_plugin.databases import memory_databases

_served: WeakKeyDictionary[Any, list[str]] = WeakKeyDictionary()


@cache
def pattern() -> Mapping[str, Any]:
    """What metadata.yml says of its one database."""
    import yaml

    databases = yaml.safe_load(data_file("metadata.yml").read_text("utf-8"))["databases"]
    return next(iter(databases.values()))  # type: ignore[no-any-return]


async def describe(datasette: Any) -> None:
    """At the start: notes which databases hold memories, and tells Datasette 1.0 what they hold."""
    _served[datasette] = await memory_databases(datasette)
    if IS_1:
        for name in _served[datasette]:
            await _describe(datasette, name)


def metadata(datasette: Any, key: str | None) -> dict[str, Any]:
    """For 0.65: the tables of the memory databases, where pages ask for them.

    Datasette writes the owner's own words into what it is given: it gets a copy, lest one server's rules become
    another's. Permissions ask all the time, and not for descriptions.
    """
    if key != "databases":
        return {}
    return {"databases": {name: {"tables": deepcopy(pattern()["tables"])} for name in _served.get(datasette, ())}}


async def queries(datasette: Any, database: str) -> dict[str, Any]:
    """For 0.65: the canned queries of a memory database; the owner's of the same name are left alone."""
    if database not in await memory_databases(datasette):
        return {}
    own = _own_queries(datasette, database)
    return {name: query for name, query in pattern()["queries"].items() if name not in own}


def _own_queries(datasette: Any, database: str) -> Mapping[str, Any]:
    block = (config(datasette).get("databases") or {}).get(database) or {}
    return block.get("queries") or {}


async def _describe(datasette: Any, database: str) -> None:
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
