"""Table filter `?_recall=words` on the page of `memories`; it works with facets, CSV and paging."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from memkit.core.errors import MemkitError
from memkit.core.formatting import short
from memkit.frontends.datasette.access import check, remembered
from memkit.frontends.datasette.databases import known_as_memories
from memkit.frontends.datasette.parameters import LONGEST_QUESTION
from memkit.frontends.datasette.tables import RECALL

FILTERED = ("memories", "current_memories")
MOST = 100
RECALLED = "id in (select value->>'id' from json_each(recall(:memkit_question, :memkit_most)))"


async def recalled(datasette: Any, request: Any, database: str, table: str) -> Any:
    """The condition for the rows of the table, or None without `_recall`. Raises Forbidden.

    Recall is run once before the query, because its first run may take longer than the time limit of a query.
    """
    asked = (request.args.get("_recall") or "").strip()[:LONGEST_QUESTION]
    if table not in FILTERED or not asked or not known_as_memories(datasette, database):
        return None
    from datasette.filters import FilterArguments

    await check(datasette, request.actor, database, RECALL)
    with suppress(MemkitError):
        await remembered(datasette, database, ("filter", asked), lambda memory: memory.recall(asked, 1).ids)

    return FilterArguments(
        [RECALLED],
        params={"memkit_question": asked, "memkit_most": MOST},
        human_descriptions=[f"recalled by “{short(asked, 80)}”"],
    )
