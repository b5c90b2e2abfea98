"""Folder hierarchy: a note is part of its folder's note, if the folder has one.

For example, `garden/trees/quince.md` is part of `garden/trees/trees.md`, or else of `garden/trees.md`. That note is in
turn part of `garden/garden.md` or `garden.md`. A folder without a note of its name connects nothing. A note that names
its parent itself (`part_of`, `parent`, `up` in its front matter) is part of that one instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from memkit.graph import relations
from memkit.graph.relations import Statement
from memkit.graph.version import bump
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json

FOLDER = "folder"  # the reason of such a link, and the method of its relation
WEIGHT, SURE = 0.01, 0.5  # of the link, and confidence of the relation: a folder says less than the note itself

SELECT_NOTES = """
select d.source, m.key as memory, coalesce(m.happened_at, m.created_at) as said_at,
    (select entity_key from mentions where memory_key = m.key and role = 'title' order by key limit 1) as entity
from documents as d join memories as m on m.key = (
    select key from memories
    where document_key = d.key and archived_at is null order by position is null, position, key limit 1
)
where d.kind = 'note' and d.archived_at is null and d.source like '%/%'
order by d.source
"""
SELECT_PARTS = "select from_key, to_key, why from links where type = 'part_of'"
SELECT_SAID = """
select e.memory_key, r.subject_key, r.object_key
from evidence as e join relations as r on r.key = e.relation_key where e.method = 'folder'
"""
DELETE_LINKS = """
delete from links where type = 'part_of' and why = 'folder' and from_key in (select value from json_each(:keys))
"""


@dataclass(frozen=True, slots=True)
class _Note:
    place: PurePosixPath  # its file, without the ending, in lower case
    memory: int
    said_at: str
    entity: int | None


def link_folder_notes(conn: Connection, now: str) -> None:
    """Updates the links from notes to their folders' notes."""
    notes = {note.place: note for note in map(_note, conn.execute(SELECT_NOTES))}
    links = [tuple(row) for row in conn.execute(SELECT_PARTS)]
    hubs = _hubs(notes, {(one, other) for one, other, why in links if why != FOLDER})
    before = {one: other for one, other, why in links if why == FOLDER}
    wanted = {note.memory: hub.memory for note, hub in hubs}
    if gone := [one for one, other in before.items() if wanted.get(one) != other]:
        conn.execute(DELETE_LINKS, {"keys": keys_json(gone)})
        bump(conn)
    for one, other in wanted.items():
        if before.get(one) != other:
            store.link(conn, one, other, "part_of", now, weight=WEIGHT, why=FOLDER)
    _say(conn, hubs, now)


def _note(row: Any) -> _Note:
    file = PurePosixPath(row["source"].casefold())
    return _Note(file.parent / file.stem, row["memory"], row["said_at"], row["entity"])


def _hubs(notes: Mapping[PurePosixPath, _Note], said: set[tuple[int, int]]) -> list[tuple[_Note, _Note]]:
    """Pairs of a note and its folder's note, without notes that name a parent themselves, and without circles."""
    above: dict[int, set[int]] = {}
    for one, other in said:
        above.setdefault(one, set()).add(other)
    found = []
    for note in notes.values():
        hub = None if note.memory in above else _hub(notes, note.place)
        if hub is not None and note.memory not in _upwards(above, hub.memory):
            above[note.memory] = {hub.memory}
            found.append((note, hub))
    return found


def _hub(notes: Mapping[PurePosixPath, _Note], place: PurePosixPath) -> _Note | None:
    """The note of the folder that a note is in; for a folder's own note, the note of the folder above."""
    folder = place.parent
    if place == folder / folder.name:
        place, folder = folder, folder.parent
    return notes.get(folder / folder.name) or notes.get(folder)


def _upwards(above: Mapping[int, set[int]], start: int) -> set[int]:
    """All notes that a note is part of, and itself."""
    seen, waiting = {start}, [start]
    while waiting:
        waiting = [key for one in waiting for key in above.get(one, ()) if key not in seen]
        seen.update(waiting)
    return seen


def _say(conn: Connection, hubs: list[tuple[_Note, _Note]], now: str) -> None:
    """Writes the same as relations between the entities of the notes, with the folder as evidence."""
    said = {row["memory_key"]: (row["subject_key"], row["object_key"]) for row in conn.execute(SELECT_SAID)}
    wanted = {
        note.memory: Statement(
            note.entity,
            "part_of",
            hub.entity,
            note.said_at,
            note.memory,
            f"in the folder {note.place.parent.name}",
            confidence=SURE,
            method=FOLDER,
        )
        for note, hub in hubs
        if note.entity and hub.entity and note.entity != hub.entity
    }
    changed = {key for key in said.keys() | wanted.keys() if said.get(key) != _ends(wanted.get(key))}
    statements = [wanted[key] for key in sorted(changed) if key in wanted]
    relations.replace_evidence(conn, sorted(changed), statements, now, keep=lambda row: row["method"] != FOLDER)


def _ends(one: Statement | None) -> tuple[int, int] | None:
    return (one.subject, one.object) if one else None
