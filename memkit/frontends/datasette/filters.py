"""Table filter `?_recall=words` on the page of `memories`; it works with facets, CSV and paging."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from memkit.core.errors import MemkitError
from memkit.core.formatting import short
from memkit.frontends.datasette.access import check, remembered
from memkit.frontends.datasette.databases import known_as_memories
from memkit.frontends.datasette.parameters import LONGEST_QUESTION
from memkit.frontends.datasette.tables import RECALL

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

FILTERED = ("memories", "current_memories")
MOST = 50  # as many as a page of the table has, which then can show them best first
RECALLED = "id in (select value->>'id' from json_each(recall(:memkit_question, :memkit_most)))"


def asked_by(request: Any) -> str:
    """The question of a table page; empty if there is none."""
    return str(request.args.get("_recall") or "").strip()[:LONGEST_QUESTION]


async def found(datasette: Any, database: str, asked: str) -> tuple[dict[str, int], bool]:
    """The place of each memory found, by id, and whether they most likely do not answer. Raises MemkitError."""

    def recall(memory: MemoryDatabase) -> tuple[dict[str, int], bool]:
        answer = memory.recall(asked, MOST)
        return {id: place for place, id in enumerate(answer.ids)}, answer.weak

    return await remembered(datasette, database, ("filter", asked), recall)


async def recalled(datasette: Any, request: Any, database: str, table: str) -> Any:
    """The condition for the rows of the table, or None without `_recall`. Raises Forbidden.

    Recall is run once before the query, because its first run may take longer than the time limit of a query.
    """
    asked = asked_by(request)
    if table not in FILTERED or not asked or not known_as_memories(datasette, database):
        return None
    from datasette.filters import FilterArguments

    await check(datasette, request.actor, database, RECALL)
    with suppress(MemkitError):
        await found(datasette, database, asked)
    return FilterArguments(
        [RECALLED],
        params={"memkit_question": asked, "memkit_most": MOST},
        human_descriptions=[f"recalled by “{short(asked, 80)}”"],
    )
