"""Table cells in Datasette: links for ids, a bar for a confidence, readable times."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup

from memkit.frontends.datasette import urls
from memkit.frontends.datasette.databases import known_as_memories
from memkit.text.words import SHORT_ID

IDS = {
    ("memories", "id"): "memory",
    ("current_memories", "id"): "memory",
    ("memory_entities", "memory_id"): "memory",
    ("memory_entities", "entity_id"): "entity",
    ("current_relations", "subject_id"): "entity",
    ("current_relations", "object_id"): "entity",
    ("entities", "id"): "entity",
}
# In the result of a query, which may come from any table; the page of a memory leads on to that of a name.
QUERIED = {"id": "memory", "memory_id": "memory", **dict.fromkeys(("entity_id", "subject_id", "object_id"), "entity")}
SHARES = ("confidence",)  # numbers from 0 to 1
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
TIMES = ("_at", "valid_from", "valid_until")


def cell(value: Any, column: str, table: str | None, database: str, datasette: Any) -> Any:
    """The cell of a memory database as HTML, or None for Datasette to show it. Text is escaped by Markup."""
    if value is None or not known_as_memories(datasette, database):
        return None
    kind = IDS.get((table, column)) if table else QUERIED.get(column)
    if kind and isinstance(value, str) and (table or SHORT_ID.fullmatch(value)):
        link = urls.page(datasette, database, kind, value)
        return Markup('<a href="{}">{}</a>').format(link, value)
    if isinstance(value, float) and column in SHARES and 0 <= value <= 1:
        return Markup('<meter min="0" max="1" value="{0}">{0}</meter> {0:.2f}').format(value)
    if isinstance(value, str) and column.endswith(TIMES) and TIME.fullmatch(value):
        return Markup('<time datetime="{}">{}</time>').format(value, value[:16].replace("T", " "))
    return None
