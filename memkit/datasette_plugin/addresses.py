"""Addresses of memkit's pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memkit.datasette_plugin.compat import sql_url

RECALL_SQL = """select m.id, coalesce(m.text, r.value->>'error') as text, m.kind, m.title, m.happened_at,
  round(r.value->>'score', 3) as score, r.value->>'path' as path
from json_each(recall(:q, :k, :options)) as r
  left join memories as m on m.id = r.value->>'id'
order by r.key"""


def page(datasette: Any, database: str | None, kind: str, id: str = "", query: str = "") -> str:
    """The address of a page (`recall`, `entity`, `memory`, `graph`, `remember` ...), of all databases or of one."""
    from datasette.utils import tilde_encode

    where = f"{datasette.urls.database(database)}/-/{kind}" if database else datasette.urls.path(f"/{kind}")
    return where + (f"/{tilde_encode(id)}" if id else "") + (f"?{query}" if query else "")


def within(datasette: Any, database: str) -> Callable[..., str]:
    """`page`, for one database."""

    def address(kind: str, id: str = "", query: str = "") -> str:
        return page(datasette, database, kind, id, query)

    return address


def recall_sql(datasette: Any, database: str, q: str, k: int, options: dict[str, Any]) -> str:
    """The address of a recall as SQL that can be read and changed."""
    import json

    given = json.dumps(options, ensure_ascii=False) if options else "{}"
    return sql_url(datasette, database, RECALL_SQL, {"q": q, "k": k, "options": given})
