"""`?_recall=words` on the page of the table `memories`: a filter like any other, beside facets, CSV and paging."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from memkit.datasette_plugin.databases import known_as_memories
from memkit.datasette_plugin.parameters import LONGEST_QUESTION
from memkit.datasette_plugin.reading import remembered
from memkit.errors import MemkitError
from memkit.render import short

TABLES = ("memories", "current_memories")
MOST = 100
RECALLED = "id in (select value->>'id' from json_each(recall(:memkit_question, :memkit_most)))"


async def recalled(datasette: Any, request: Any, database: str, table: str) -> Any:
    """The condition on the table's rows, or None where nothing is asked.

    It is asked once before, because what recall reads for the first time may take longer than a query may.
    """
    asked = (request.args.get("_recall") or "").strip()[:LONGEST_QUESTION]
    if table not in TABLES or not asked or not known_as_memories(datasette, database):
        return None
    from datasette.filters import FilterArguments

    with suppress(MemkitError):
        await remembered(datasette, database, ("filter", asked), lambda memory: memory.recall(asked, 1).ids)

    return FilterArguments(
        [RECALLED],
        params={"memkit_question": asked, "memkit_most": MOST},
        human_descriptions=[f"recalled by “{short(asked, 80)}”"],
    )
