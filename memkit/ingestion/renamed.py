"""Renamed files: the document of a note, a table or a calendar that is called otherwise now, known by its texts.

Without this a renamed note would be a new one: with other ids, and without its history, links and corrections.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from memkit.core.source_files import file_of
from memkit.core.types import Draft
from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty
from memkit.storage.store import dumps
from memkit.text.words import text_hash

FILES = ("note", "notebook", "document", "transcript")  # kinds of documents that are a file each
OF_ROWS = ("table", "calendar", "chat")  # kinds of which a part is read at a time; if they are called by their file

SELECT_BELOW = """
select d.key, d.source, d.kind, d.project from documents as d
where d.kind in (select value from json_each(:kinds))
    and exists (select 1 from json_each(:roots) as p where substr(d.source, 1, length(p.value) + 1) = p.value || '/')
order by d.key
"""
SELECT_TEXT_HASHES = f"""
select m.document_key, m.text_hash from memories as m
where m.document_key in (select value from json_each(:documents))
    and (m.archived_at is null or json_extract({or_empty("m.meta")}, '$.archived_because') in ('vanished', 'forgotten'))
order by m.key
"""


class Former(NamedTuple):
    """The document of a file that is gone: its key, where the file was, its kind and its project."""

    key: int
    source: str
    kind: str
    project: str


class Renamed:
    """The documents below some paths whose files are gone, each to be found once by the texts that it has.

    For a path that is a file, such as a zip, they are those in its folder: the zip of last week may be gone.
    """

    def __init__(self, conn: Connection, roots: Sequence[str]):
        self._conn = conn
        self._roots = [root if os.path.isdir(root) else os.path.dirname(root) for root in roots]

    @cached_property
    def _gone(self) -> dict[int, Former]:
        below = {"roots": dumps([root.rstrip("/") for root in self._roots]), "kinds": dumps(FILES + OF_ROWS)}
        found = (Former(*row) for row in self._conn.execute(SELECT_BELOW, below).fetchall())
        return {one.key: one for one in found if is_gone(one.source)}

    @cached_property
    def _texts(self) -> dict[int, Counter[str]]:
        texts: dict[int, Counter[str]] = {key: Counter() for key in self._gone}
        for key, hash in self._conn.execute(SELECT_TEXT_HASHES, {"documents": dumps(list(self._gone))}):
            texts[key][hash] += 1
        return texts

    @cached_property
    def _bearers(self) -> dict[str, list[int]]:
        bearers: dict[str, list[int]] = {}
        for key, texts in self._texts.items():
            for hash in texts:
                bearers.setdefault(hash, []).append(key)
        return bearers

    def former(self, drafts: Sequence[Draft]) -> Former | None:
        """The document that a new one was: the one with most of its texts, and at least half of all of both.

        Of one that is read in parts, these are the first: half of them are enough.
        """
        document = drafts[0].document
        kinds = FILES if document.whole else OF_ROWS
        if document.kind not in kinds or not self._roots or not self._gone:
            return None
        said = Counter(text_hash(draft.text) for draft in drafts)
        alike = Counter(
            {
                key: (said & self._texts[key]).total()
                for hash in said
                for key in self._bearers.get(hash, ())
                if key in self._gone and self._gone[key].kind == document.kind
            }
        )
        for key, shared in alike.most_common(1):
            if 2 * shared >= max(said.total(), self._texts[key].total() if document.whole else 0):
                return self._gone.pop(key)
        return None


def is_gone(source: str) -> bool:
    """Whether no file is where a document was read from: no such file, and no file that held it (`a.zip/b.md`)."""
    if not os.path.isabs(source):
        return False
    if file_of(source):
        return False
    above = os.path.dirname(source)
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    return os.path.isdir(above)
