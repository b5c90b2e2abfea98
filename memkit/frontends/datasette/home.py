"""The question on Datasette's front page and on the page of a memory database, with what is new and who is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar

from memkit.core.formatting import counted, when_text
from memkit.frontends.datasette import own_pages, urls
from memkit.frontends.datasette.access import hidden, is_owner, remembered, visible
from memkit.frontends.datasette.assets import address
from memkit.frontends.datasette.compat import one_page
from memkit.frontends.datasette.links import of_database
from memkit.frontends.datasette.reading import begins
from memkit.frontends.datasette.saved_page import known
from memkit.frontends.datasette.tables import RECALL, UPKEEP, VIEWS_FOR_MACHINES

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

Value = TypeVar("Value")

MOST_NAMES, MOST_RECENT, MOST_SAVED = 12, 5, 12
VIEWS = ("index", "database", "page")  # `page`: a template of the owner, such as that about a published site


def home(
    datasette: Any, request: Any, database: str | None, view: str
) -> Callable[[], Awaitable[dict[str, Any]]] | None:
    """What makes the template variable `memkit_home` of these pages; None for every other page."""
    if request is not None and view in own_pages.VIEWS:
        return partial(own_pages.variables, datasette, request, database)
    if view not in VIEWS or request is None:
        return None

    async def variables() -> dict[str, Any]:
        if view == "page":
            return {"memkit_home": {"css": address(datasette, "memkit.css")}}
        with one_page():
            names = await visible(datasette, request.actor, RECALL)
            if view == "database":
                names = [name for name in names if name == database]
            return {"memkit_home": await _values(datasette, request, database, names) if names else None}

    return variables


async def _values(datasette: Any, request: Any, database: str | None, names: list[str]) -> dict[str, Any]:
    parts = [await remembered(datasette, name, "home", _reader(datasette, name)) for name in names]
    recent = sorted((one for part in parts for one in part["recent"]), key=lambda one: one["when"], reverse=True)
    saved = [one for name in names for one in await known(datasette, request, name) or ()]
    links = [link for name in names[:1] for link in await of_database(datasette, request.actor, name)]
    return {
        "css": address(datasette, "memkit.css"),
        "recall": urls.page(datasette, database, "recall"),
        "names": _told_apart(in_turn([part["names"] for part in parts])[:MOST_NAMES]),
        "saved": saved[:MOST_SAVED],
        "recent": recent[:MOST_RECENT],
        "dated": any(one["when"] for one in recent),
        "due": [one for name in names for one in await _due(datasette, request, name)],
        "for_machines": VIEWS_FOR_MACHINES,
        "links": links[1:] if len(names) == 1 and database is None else [],
    }


def _told_apart(names: list[dict[str, str]]) -> list[dict[str, str]]:
    """The names; one that several databases know, with the database."""
    often = Counter(one["name"] for one in names)
    return [one | {"name": f"{one['name']} ({one['database']})"} if often[one["name"]] > 1 else one for one in names]


def in_turn(lists: Sequence[Sequence[Value]]) -> list[Value]:
    """The first of each list, then the second of each, and so on: so each database has its names among the first."""
    return [one for place in zip_longest(*lists) for one in place if one is not None]


async def _due(datasette: Any, request: Any, name: str) -> list[dict[str, str]]:
    """The link to upkeep, with how much waits for a decision; for the owner, and only if something does.

    What is due without one is counted on that page: to count it needs all steps of upkeep, too slow for a first page.
    """
    if not await is_owner(datasette, request.actor, [name]) or await hidden(datasette, request.actor, name, UPKEEP):
        return []
    open = await remembered(datasette, name, "due", lambda memory: len(memory.proposals()))
    return [{"url": urls.page(datasette, name, "maintenance"), "text": f"{counted(open, 'things')} to decide"}][:open]


def _reader(datasette: Any, name: str) -> Callable[[MemoryDatabase], dict[str, Any]]:
    url = urls.within(datasette, name)

    def read(memory: MemoryDatabase) -> dict[str, Any]:
        choices = memory.choices()
        return {
            "names": [{"name": one, "database": name, "url": url("entity", id)} for one, id in choices.names],
            "recent": [
                {
                    "url": url("memory", one.id),
                    "text": begins(one.text, 160),
                    "title": one.title,
                    "when": when_text(one.happened_at),
                }
                for one in choices.recent
            ],
        }

    return read
