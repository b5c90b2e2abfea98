"""Subjects: what a note is about, as the name of an entity: its title, but no date, no id and no usual heading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_object, list_in
from memkit.storage.store import dumps
from memkit.text.extract.identifiers import names_nothing

CONVERSATIONS = ("chat", "log")  # their titles do not name what they are about

SELECT_SHARED = """
select title from documents
where title in (select value from json_each(:titles)) and kind not in ('chat', 'log') and archived_at is null
group by title having count(*) > 1
"""


def subjects(conn: Connection, rows: Iterable[Any]) -> list[str | None]:
    """For each row (`title`, `document_kind`, `meta` of its document), the name of its subject; None if it has none.

    Several notes that begin with `# Overview` are not about one thing of this name: each is called after its file.
    """
    found = [(row["title"], row["document_kind"], json_object(row["meta"])) for row in rows]
    titles = sorted({title for title, kind, meta in found if title and kind == "note" and list_in(meta, "aliases")})
    shared = {row[0] for row in conn.execute(SELECT_SHARED, {"titles": dumps(titles)})} if titles else set()
    return [_subject(title, kind, meta, title in shared) for title, kind, meta in found]


def _subject(title: str | None, kind: str | None, meta: Mapping[str, Any], shared: bool) -> str | None:
    if not title or kind in CONVERSATIONS:
        return None
    if shared and (aliases := list_in(meta, "aliases")):
        title = str(aliases[-1])  # a note whose title is not the name of its file has this name as its last alias
    return None if names_nothing(title) else title
