"""What every page of Datasette shows where all that is served is memories: their look, the site's title and licence.

Datasette itself shows the title on its first page only, and the licence on the pages of what has one of its own.
"""

from __future__ import annotations

from typing import Any

from memkit.frontends.datasette.assets import address
from memkit.frontends.datasette.compat import is_datasettes_own, site
from memkit.frontends.datasette.databases import holds_memories


async def frame(datasette: Any) -> dict[str, Any]:
    """The style sheet as `css`, as `site` what the owner says of the site; empty if something else is served, too."""
    owned = [database for database in datasette.databases.values() if not is_datasettes_own(database)]
    if not owned or not all([await holds_memories(database) for database in owned]):
        return {}
    return {"css": address(datasette, "memkit.css"), "site": await site(datasette)}
