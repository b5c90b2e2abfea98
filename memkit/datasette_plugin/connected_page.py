"""/-/databases of Datasette 0.65, which tells everybody the name and path of every file; 1.0 does as is done here."""

from __future__ import annotations

from typing import Any

from memkit.datasette_plugin.compat import allowed


async def connected(datasette: Any, request: Any) -> Any:
    """Datasette's own page, of the databases that one may see."""
    from datasette.views.special import JsonDataView

    each = datasette._connected_databases()
    seen = [one for one in each if await allowed(datasette, request.actor, "view-database", one["name"])]
    return await JsonDataView(datasette, "databases.json", lambda: seen).dispatch_request(request)
