"""Copies: the same note in two zips or tars, such as an export of this month beside that of last month, is one note.

A note that says the same there is the one that is known already. Of two zips of the same notes, the later one says how
a note is now. What has another name, or lies in a zip of other notes, is its own: two gardens have a `README.md` each.

A note or a chat that its program gave an id and a time of its last change is one in each export, and an export of
before does not bring back what it said then. What was given to another project is passed over by neither.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

from memkit.core.opening import open_regular
from memkit.core.types import DocumentDraft, Draft
from memkit.ingestion.renamed import FILES, Former
from memkit.sources.cut_zips import is_zip
from memkit.sources.limits import LIMITS, OverLimit
from memkit.sources.tars import BrokenTar, Tarred
from memkit.sources.zips import BrokenZip, opened_zip
from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty
from memkit.storage.store import dumps
from memkit.text.words import text_hash

_IN_ZIP = re.compile(r"(?P<zip>.*?\.(?:zip|tar|tgz|tar\.gz))/(?P<inner>.+)", re.IGNORECASE | re.DOTALL)

SELECT_IN_ZIPS = """
select d.key, d.source, d.kind, d.project from documents as d
where d.kind in (select value from json_each(:kinds)) and d.archived_at is null
    and (d.source like '%.zip/%' or d.source like '%.tar/%' or d.source like '%.tgz/%' or d.source like '%.tar.gz/%')
order by d.key
"""
SELECT_LATER = """
select key, source, kind, project from documents
where source = :source and updated_at > :updated_at and archived_at is null and project = coalesce(:project, project)
"""
# What a document says, and what of it was forgotten.
SELECT_SAID = f"""
select m.text_hash, m.archived_at is null from memories as m
where m.document_key = :document
    and (m.archived_at is null or json_extract({or_empty("m.meta")}, '$.archived_because') is not 'vanished')
order by m.key
"""


class Copy(NamedTuple):
    """The document that a new one is a copy of: whether it says the same, and if not, whether the new one is later."""

    known: Former
    same: bool
    later: bool
    rival: bool = False  # of the same time


class Copies:
    """The documents that were read from zips and tars, each to be found by its name there and its texts."""

    def __init__(self, conn: Connection):
        self._conn = conn
        self._names: dict[str, frozenset[str]] = {}

    @cached_property
    def _known(self) -> dict[str, list[Former]]:
        known: dict[str, list[Former]] = {}
        for row in self._conn.execute(SELECT_IN_ZIPS, {"kinds": dumps(FILES)}):
            if found := _IN_ZIP.fullmatch(row[1]):
                known.setdefault(found["inner"], []).append(Former(*row))
        return known

    def written(self, key: int | None, document: DocumentDraft, project: str) -> None:
        """Notes that a document was written in this run."""
        found = _IN_ZIP.fullmatch(document.source)
        if found and key is not None:
            others = [one for one in self._known.get(found["inner"], ()) if one.key != key]
            self._known[found["inner"]] = [*others, Former(key, document.source, document.kind, project)]

    def later(self, document: DocumentDraft, texts: Sequence[str]) -> Copy | None:
        """The document of an export as it is known, if that is a later version than this one with these texts."""
        if document.file is None or document.source.startswith(document.file) or not document.updated_at:
            return None  # what is known by its file is as the file says
        parameters = {name: getattr(document, name) for name in ("source", "updated_at", "project")}
        row = self._conn.execute(SELECT_LATER, parameters).fetchone()
        if row is None:
            return None
        known = Former(*row)
        _, now = self._said(known)
        return Copy(known, Counter(map(text_hash, texts)) == now, later=False)

    def rival(self, key: int, document: DocumentDraft, project: str, texts: Sequence[str]) -> Copy | None:
        """The document of another export of the same time, as it is known; None if it belongs to another project."""
        if document.project not in (None, project):
            return None
        known = Former(key, document.source, document.kind, project)
        _, now = self._said(known)
        return Copy(known, Counter(map(text_hash, texts)) == now, later=False, rival=True)

    def of(self, drafts: Sequence[Draft]) -> Copy | None:
        """The document in another zip that this new one is a copy of."""
        document = drafts[0].document
        here = _IN_ZIP.fullmatch(document.source)
        if here is None:
            return None
        said = Counter(text_hash(draft.text) for draft in drafts)
        for known in self._known.get(here["inner"], ()):
            there = _IN_ZIP.fullmatch(known.source)
            # A zip that is gone may have been renamed.
            if there is None or known.kind != document.kind or not os.path.isfile(there["zip"]):
                continue
            if document.project not in (None, known.project):
                continue
            once, now = self._said(known)
            same = now <= said <= once
            alike = 2 * (said & once).total() >= max(said.total(), once.total())
            if same or (alike and self._are_of_same_notes(here["zip"], there["zip"])):
                return Copy(known, same, _changed(here["zip"]) > _changed(there["zip"]))
        return None

    def _said(self, known: Former) -> tuple[Counter[str], Counter[str]]:
        """The hashes of the texts of a document: also of those that were forgotten, and of those that are current."""
        rows = self._conn.execute(SELECT_SAID, {"document": known.key}).fetchall()
        return Counter(hash for hash, _ in rows), Counter(hash for hash, current in rows if current)

    def _are_of_same_notes(self, one: str, other: str) -> bool:
        """Whether two zips share the names of at least half the notes of the smaller one, and of several."""
        mine, theirs = self._names_in(one), self._names_in(other)
        shared = len(mine & theirs)
        return shared > 1 and 2 * shared >= min(len(mine), len(theirs))

    def _names_in(self, path: str) -> frozenset[str]:
        if path not in self._names:
            self._names[path] = frozenset()
            with (
                suppress(OSError, BrokenTar, BrokenZip, OverLimit),
                open_regular(path) as file,
                _as_zip(path, file) as stream,
                opened_zip(stream, LIMITS) as archive,
            ):
                self._names[path] = frozenset(name for name in archive.namelist() if not name.endswith("/"))
        return self._names[path]


def _as_zip(path: str, file: BinaryIO) -> BinaryIO:
    """The open file if it is a zip; a zip of the names in it if it is a tar."""
    return file if is_zip(file) else Tarred(Path(path), partial(open_regular, path), lambda name: False).opened(LIMITS)


def _changed(path: str) -> int:
    with suppress(OSError):
        return os.stat(path).st_mtime_ns
    return 0
