"""Subjects: what a note is about, and what it links to, as names of entities.

That is its title, but no date, no id and no usual heading; and of its links those that lead to more than a day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_object, list_in
from memkit.storage.store import dumps
from memkit.text.extract.identifiers import DATE, names_nothing
from memkit.text.extract.wikilinks import WikiLink, find_links

CONVERSATIONS = ("chat", "log")  # their titles do not name what they are about

SELECT_SHARED = """
select title from documents
where title in (select value from json_each(:titles)) and kind not in ('chat', 'log') and archived_at is null
group by title having count(*) > 1
"""

_FILE = re.compile(r"\.\w{2,5}\Z")  # of a picture or a document that a note shows


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


def links_of(text: str) -> list[WikiLink]:
    """The links in a text to notes that are about something: no embedded files, and no days."""
    links = (link for link in find_links(text) if not DATE.fullmatch(link.name))
    return [link for link in links if not (link.embed and _FILE.search(link.name))]
