"""List of databases (/-/databases): Datasette 0.65 shows all names and paths; this page only those one may see."""

from __future__ import annotations

from typing import Any

from memkit.frontends.datasette.compat import allowed


async def connected(datasette: Any, request: Any) -> Any:
    """Datasette's own page with only the databases that the actor may see."""
    from datasette.views.special import JsonDataView

    each = datasette._connected_databases()
    seen = [one for one in each if await allowed(datasette, request.actor, "view-database", one["name"])]
    return await JsonDataView(datasette, "databases.json", lambda: seen).dispatch_request(request)
