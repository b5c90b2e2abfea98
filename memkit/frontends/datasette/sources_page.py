"""Sources page: the files and folders that belong to a database, when each was read, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datasette import Forbidden
from datasette.utils.asgi import Response

from memkit.core.formatting import when_text
from memkit.frontends.datasette import urls
from memkit.frontends.datasette.access import database_of, read
from memkit.frontends.datasette.compat import WRITE, allowed
from memkit.frontends.datasette.responses import answer, page
from memkit.frontends.datasette.tables import SOURCES

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase


@page
async def sources(datasette: Any, request: Any) -> Response:
    """/<database>/-/sources, for those who may write: the paths say how somebody's disk is arranged."""
    database = await database_of(datasette, request, SOURCES)
    if not await allowed(datasette, request.actor, WRITE, database):  # also of a file that cannot be written
        raise Forbidden("Only who may write memories here sees where they come from.")
    shown = {"database": database, "_recall": urls.page(datasette, database, "recall")}
    return await answer(datasette, request, "memkit_sources.html", shown | await read(datasette, database, _values))


def _values(memory: MemoryDatabase) -> dict[str, Any]:
    return {
        "sources": [
            {
                "path": one.path,
                "format": one.format,
                "project": one.project,
                "read": when_text(one.read_at),
                "files": one.files,
                "failed": one.failed,
                "left_out": one.left_out,
            }
            for one in memory.sources()
        ]
    }
