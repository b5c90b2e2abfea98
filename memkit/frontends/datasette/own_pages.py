"""What memkit adds to Datasette's pages of a table, a row and a query: its look, and a question above memories."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from memkit.core.errors import MemkitError
from memkit.frontends.datasette.access import hidden
from memkit.frontends.datasette.assets import address
from memkit.frontends.datasette.databases import known_as_memories
from memkit.frontends.datasette.filters import FILTERED, asked_by, found
from memkit.frontends.datasette.parameters import LONGEST_QUESTION
from memkit.frontends.datasette.tables import RECALL
from memkit.retrieval.word_parts import MOST, is_cut
from memkit.text.words import has_cjk

VIEWS = ("table", "row", "")  # 0.65's page of a query has no name
NOT_KEPT = ("_recall", "_search", "_next")


async def variables(datasette: Any, request: Any, database: str | None) -> dict[str, Any]:
    """The template variable `memkit_home` of these pages; none for a database without memories."""
    if database is None or not known_as_memories(datasette, database):
        return {}
    table = (getattr(request, "url_vars", None) or {}).get("table")
    values: dict[str, Any] = {"css": address(datasette, "memkit.css")}
    if table in FILTERED and not await hidden(datasette, request.actor, database, RECALL):
        asked, searched = asked_by(request), str(request.args.get("_search") or "")[:LONGEST_QUESTION]
        values |= {
            "table": datasette.urls.table(database, table),
            "asked": asked,
            "cut": searched if has_cjk(searched) and await _is_cut(datasette, database, searched) else "",
            "most": MOST,
            "kept": [
                (name, value) for name in request.args if name not in NOT_KEPT for value in request.args.getlist(name)
            ],
        }
        with suppress(MemkitError):  # otherwise the query fails, too, and Datasette's page says why
            places, values["weak"] = await found(datasette, database, asked) if asked else ({}, False)
            values["places"] = places
            if asked and "_sort" not in request.args and "_sort_desc" not in request.args:
                values["best_first"] = partial(best_first, places)
    return {"memkit_home": values}


async def _is_cut(datasette: Any, database: str, searched: str) -> bool:
    return bool(await datasette.get_database(database).execute_fn(lambda conn: is_cut(conn, searched)))


def best_first(places: Mapping[str, int], rows: list[Any]) -> str:
    """Sorts the rows that Datasette will show by the places of their ids in a recall; says nothing.

    They stay as they are where no id is shown.
    """

    def place(row: Any) -> int:
        try:
            return places.get(row["id"], len(places))
        except KeyError:
            return 0

    rows.sort(key=place)
    return ""
