"""Links from Datasette's own pages to memkit's."""

from __future__ import annotations

from typing import Any

from memkit.datasette_plugin import addresses
from memkit.datasette_plugin.reading import may_write, visible

PAGES = {"memories": "memory", "current_memories": "memory", "entities": "entity"}


def _link(href: str, label: str, description: str) -> dict[str, str]:
    return {"href": href, "label": label, "description": description}


async def menu(datasette: Any, actor: Any) -> list[dict[str, str]]:
    """Recall, if there is anything to recall."""
    if not await visible(datasette, actor):
        return []
    return [_link(addresses.page(datasette, None, "recall"), "Recall memories", "Ask all memories a question")]


async def of_database(datasette: Any, actor: Any, database: str) -> list[dict[str, str]]:
    """What can be done with a memory database."""
    if database not in await visible(datasette, actor):
        return []
    url = addresses.within(datasette, database)
    links = [
        _link(url("recall"), "Recall memories", "Find memories by words, meaning and connection"),
        _link(url("graph"), "Graph of names", "Who and what the memories are about, and the way between two names"),
        _link(url("maintenance"), "Upkeep", "What is due, what was done, and what to decide"),
    ]
    if await may_write(datasette, actor, database):
        links.append(_link(url("remember"), "Remember something", "Write a memory"))
        links.append(_link(url("merge"), "Merge two names", "Say that two names are one"))
    return links


async def of_table(datasette: Any, actor: Any, database: str, table: str) -> list[dict[str, str]]:
    """Recall, where one looks at memories; the graph, where one looks at names."""
    if table not in PAGES or database not in await visible(datasette, actor):
        return []
    url = addresses.within(datasette, database)
    if PAGES[table] == "memory":
        return [_link(url("recall"), "Recall from these memories", "Find them by words, meaning and connection")]
    return [_link(url("graph"), "Graph of names", "Draw them, and find the way between two")]


async def of_row(datasette: Any, actor: Any, database: str, table: str, row: Any) -> list[dict[str, str]]:
    """From a row to the page about the memory or entity that it is."""
    if table not in PAGES or database not in await visible(datasette, actor):
        return []
    try:
        id = row["id"]
    except (KeyError, IndexError):
        return []
    url = addresses.within(datasette, database)
    if PAGES[table] == "entity":
        return [_link(url("entity", id), "About this name", "What is known, who is near, where it is named")]
    return [_link(url("memory", id), "This memory", "In its document, with names, links, facts, and more like it")]


async def jumps(datasette: Any, actor: Any) -> list[Any]:
    """Places for Datasette 1.0's jump menu."""
    from datasette.jump import JumpSQL

    names = await visible(datasette, actor)
    if not names:
        return []
    found = [JumpSQL.menu_item(label="Recall memories", url=addresses.page(datasette, None, "recall"))]
    for name in names:
        url = addresses.within(datasette, name)
        found.append(JumpSQL.menu_item(label=f"{name}: recall", url=url("recall")))
        found.append(JumpSQL.menu_item(label=f"{name}: graph of names", url=url("graph")))
    return found
