"""Menu and action links from Datasette's own pages to memkit's pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memkit.frontends.datasette import urls
from memkit.frontends.datasette.access import hidden, is_owner, may_write, visible
from memkit.frontends.datasette.compat import one_page
from memkit.frontends.datasette.databases import known_as_memories
from memkit.frontends.datasette.tables import ENTITY, GRAPH, MEMORY, RECALL, SOURCES, UPKEEP, WRITING
from memkit.retrieval.surroundings import SELECT_TO_JUMP

PAGES = {"memories": "memory", "current_memories": "memory", "entities": "entity"}


def _link(href: str, label: str, description: str) -> dict[str, str]:
    return {"href": href, "label": label, "description": description}


async def menu(datasette: Any, actor: Any) -> list[dict[str, str]]:
    """The link to the recall page, if the actor may see a memory database."""
    if not await visible(datasette, actor, RECALL):
        return []
    return [_link(urls.page(datasette, None, "recall"), "Recall memories", "Ask all memories a question")]


async def of_database(datasette: Any, actor: Any, database: str) -> list[dict[str, str]]:
    """Links to memkit's pages of a memory database; those that write only if the actor may write."""
    url = urls.within(datasette, database)
    links = []
    with one_page():
        if await _shown(datasette, actor, database, RECALL):
            links.append(_link(url("recall"), "Recall memories", "Find memories by words, meaning and connection"))
            links.append(_link(url("time"), "Days and years", "What happened when, and on this day of other years"))
        if await _shown(datasette, actor, database, GRAPH):
            about = "Who and what the memories are about, and the path between two names"
            links.append(_link(url("graph"), "Graph of names", about))
        owner = await is_owner(datasette, actor, [database])
        if owner and await _shown(datasette, actor, database, UPKEEP):
            links.append(_link(url("maintenance"), "Upkeep", "What is due, what was done, and what to decide"))
        if owner and await _shown(datasette, actor, database, SOURCES):
            links.append(_link(url("sources"), "Sources", "What belongs to the memories, and what was left out of it"))
        if await _shown(datasette, actor, database, WRITING) and await may_write(datasette, actor, database):
            links.append(_link(url("remember"), "Remember something", "Write a memory"))
            links.append(_link(url("merge"), "Merge two names", "Make two names of the same entity one"))
    return links


async def _shown(datasette: Any, actor: Any, database: str, tables: Sequence[str]) -> bool:
    """Whether a page that shows these tables of a memory database is shown to the actor."""
    return known_as_memories(datasette, database) and not await hidden(datasette, actor, database, tables)


async def of_table(datasette: Any, actor: Any, database: str, table: str) -> list[dict[str, str]]:
    """The link to recall on tables of memories, and to the graph on the table of entities."""
    if table not in PAGES:
        return []
    memories = PAGES[table] == "memory"
    if not await _shown(datasette, actor, database, RECALL if memories else GRAPH):
        return []
    url = urls.within(datasette, database)
    if memories:
        return [_link(url("recall"), "Recall from these memories", "Find them by words, meaning and connection")]
    return [_link(url("graph"), "Graph of names", "Draw the names, and find the path between two")]


async def of_row(datasette: Any, actor: Any, database: str, table: str, row: Any) -> list[dict[str, str]]:
    """The link from a row to the page of its memory or entity."""
    if table not in PAGES:
        return []
    if not await _shown(datasette, actor, database, MEMORY if PAGES[table] == "memory" else ENTITY):
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
    """Links to memkit's pages, and all names and documents, for the jump menu of Datasette 1.0."""
    from datasette.jump import JumpSQL

    found = [JumpSQL.menu_item(label=one["label"], url=one["href"]) for one in await menu(datasette, actor)]
    for label, page, tables in (("recall", "recall", RECALL), ("graph of names", "graph", GRAPH)):
        for name in await visible(datasette, actor, tables):
            url = urls.page(datasette, name, page)
            found.append(JumpSQL.menu_item(label=f"{name}: {label}", url=url))
    for name in await visible(datasette, actor, (*ENTITY, "documents")):
        ends = {kind: f"{urls.page(datasette, name, kind)}/" for kind in ("entity", "memory")}
        found.append(JumpSQL(SELECT_TO_JUMP, ends, database=name))
    return found
