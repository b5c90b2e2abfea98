"""URLs of memkit's pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memkit.frontends.datasette.compat import sql_url
from memkit.frontends.datasette.parameters import LONGEST
from memkit.frontends.sql_functions import RECALL_SQL


def page(datasette: Any, database: str | None, kind: str, id: str = "", query: str = "") -> str:
    """The address of a page (`recall`, `entity`, `memory`, `graph`, `remember` ...) for one database, or for all."""
    from datasette.utils import tilde_encode

    where = f"{datasette.urls.database(database)}/-/{kind}" if database else datasette.urls.path(f"/{kind}")
    return where + (f"/{tilde_encode(id)}" if id else "") + (f"?{query}" if query else "")


def id_of(request: Any) -> str:
    """The id, or the name, in the address of a page; a longer one than any is cut."""
    from datasette.utils import tilde_decode

    return str(tilde_decode(request.url_vars["id"])[:LONGEST])


def within(datasette: Any, database: str) -> Callable[..., str]:
    """The function `page` for one database."""

    def address(kind: str, id: str = "", query: str = "") -> str:
        return page(datasette, database, kind, id, query)

    return address


def recall_sql(datasette: Any, database: str, q: str, k: int, options: dict[str, Any]) -> str:
    """The address of a recall as SQL that users can read and change."""
    import json

    given = json.dumps(options, ensure_ascii=False) if options else "{}"
    return sql_url(datasette, database, RECALL_SQL, {"q": q, "k": k, "options": given})
