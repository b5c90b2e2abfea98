"""Menu and action links from Datasette's own pages to memkit's pages."""

from __future__ import annotations

from typing import Any

from memkit.frontends.datasette import urls
from memkit.frontends.datasette.access import may_write, visible

PAGES = {"memories": "memory", "current_memories": "memory", "entities": "entity"}


def _link(href: str, label: str, description: str) -> dict[str, str]:
    return {"href": href, "label": label, "description": description}


async def menu(datasette: Any, actor: Any) -> list[dict[str, str]]:
    """The link to the recall page, if the actor may see a memory database."""
    if not await visible(datasette, actor):
        return []
    return [_link(urls.page(datasette, None, "recall"), "Recall memories", "Ask all memories a question")]


async def of_database(datasette: Any, actor: Any, database: str) -> list[dict[str, str]]:
    """Links to memkit's pages of a memory database; those that write only if the actor may write."""
    if database not in await visible(datasette, actor):
        return []
    url = urls.within(datasette, database)
    links = [
        _link(url("recall"), "Recall memories", "Find memories by words, meaning and connection"),
        _link(url("graph"), "Graph of names", "Who and what the memories are about, and the path between two names"),
        _link(url("maintenance"), "Upkeep", "What is due, what was done, and what to decide"),
    ]
    if await may_write(datasette, actor, database):
        links.append(_link(url("remember"), "Remember something", "Write a memory"))
        links.append(_link(url("merge"), "Merge two names", "Make two names of the same entity one"))
    return links


async def of_table(datasette: Any, actor: Any, database: str, table: str) -> list[dict[str, str]]:
    """The link to recall on tables of memories, and to the graph on the table of entities."""
    if table not in PAGES or database not in await visible(datasette, actor):
        return []
    url = urls.within(datasette, database)
    if PAGES[table] == "memory":
        return [_link(url("recall"), "Recall from these memories", "Find them by words, meaning and connection")]
    return [_link(url("graph"), "Graph of names", "Draw the names, and find the path between two")]


async def of_row(datasette: Any, actor: Any, database: str, table: str, row: Any) -> list[dict[str, str]]:
    """The link from a row to the page of its memory or entity."""
    if table not in PAGES or database not in await visible(datasette, actor):
        return []
    try:
        id = row["id"]
    except (KeyError, IndexError):
        return []
    url = urls.within(datasette, database)
    if PAGES[table] == "entity":
        return [
            _link(
                url("entity", id),
                "About this name",
                "What is known about it, its neighbours, and the memories that mention it",
            )
        ]
    return [_link(url("memory", id), "This memory", "In its document, with names, links, facts, and more like it")]


async def jumps(datasette: Any, actor: Any) -> list[Any]:
    """Links to memkit's pages for the jump menu of Datasette 1.0."""
    from datasette.jump import JumpSQL

    names = await visible(datasette, actor)
    if not names:
        return []
    found = [JumpSQL.menu_item(label="Recall memories", url=urls.page(datasette, None, "recall"))]
    for name in names:
        url = urls.within(datasette, name)
        found.append(JumpSQL.menu_item(label=f"{name}: recall", url=url("recall")))
        found.append(JumpSQL.menu_item(label=f"{name}: graph of names", url=url("graph")))
    return found
