"""Subjects: what a note is about, as the name of an entity: its title, but no date, no id and no usual heading."""

from __future__ import annotations

from collections.abc import Iterable
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


def subjects(conn: Connection, rows: Iterable[Any]) -> dict[int, str]:
    """The name of what each row is about, by its `key`; rows (`title`, `document_kind`, `meta`) without are left out.

    Several notes that begin with `# Overview` are not about one thing of this name: each is called after its file.
    """
    titled = [row for row in rows if row["title"] and row["document_kind"] not in CONVERSATIONS]
    files = {row["key"]: list_in(json_object(row["meta"]), "aliases") for row in titled}
    titles = sorted({row["title"] for row in titled if row["document_kind"] == "note" and files[row["key"]]})
    shared = {row[0] for row in conn.execute(SELECT_SHARED, {"titles": dumps(titles)})} if titles else set()
    # A note whose title is not the name of its file has this name as its last alias.
    named = {
        row["key"]: str(files[row["key"]][-1]) if row["title"] in shared and files[row["key"]] else row["title"]
        for row in titled
    }
    return {key: name for key, name in named.items() if not names_nothing(name)}
