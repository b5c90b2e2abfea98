"""Markdown export: memories as notes, in an Obsidian vault with front matter and wikilinks.

Each document becomes one file, in its old folder. Memories without a document become lists, one file for each kind.
Archived, superseded and expired memories are left out, and so is everything that a note cannot hold; `jsonl` keeps all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from os.path import commonpath
from pathlib import Path, PurePosixPath
from typing import Any

from memkit.core.errors import MemkitError
from memkit.core.files import make_folder, open_to_write
from memkit.sharing.selection import Selection, selected_keys
from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_object, json_texts, list_in, object_in
from memkit.storage.store import keys_json
from memkit.text.spans import Spans

SELECT_MEMORIES = """
select m.key, m.id, m.document_key, m.kind, m.text, m.title, m.speaker, m.tags, m.slot_key, m.happened_at, m.meta
from memories as m
where m.key in (select value from json_each(:keys))
order by m.document_key, m.position is null, m.position, m.key
"""
SELECT_CURRENT = """
select key from memories
where archived_at is null and (valid_until is null or valid_until > :now) and (expires_at is null or expires_at > :now)
"""
SELECT_DOCUMENTS = """
select key, id, source, kind, title, project, created_at, updated_at, meta from documents
where key in (select value from json_each(:keys)) order by key
"""
SELECT_NAMED = """
select x.memory_key, x.surface, x.start, e.name
from mentions as x join entities as e on e.key = x.entity_key
where x.memory_key in (select value from json_each(:keys)) and x.role = 'text' and x.start is not null
    and e.merged_into is null
order by x.memory_key, x.start desc, length(x.surface) desc
"""
SELECT_LINKS = """
select l.from_key, l.type, b.id, b.kind, b.key from links as l join memories as b on b.key = l.to_key
where l.from_key in (select value from json_each(:keys)) and l.to_key in (select value from json_each(:keys))
order by l.from_key, l.type, b.key
"""

LOOSE = "memory:"  # prefix of the source of a document that only groups memories
CHATS = "Chats"
_UNFIT = re.compile(r'[\x00-\x1f\x7f\\/:*?"<>|#^\[\]]+')
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
# None of them reads on over another one's beginning: a text of brackets alone would be read again from each of them.
_LINK = re.compile(r"\[\[(?:(?!\[\[).)*?\]\]|\[[^\[\]\n]*\]\([^()\n]*\)|`[^`\n]+`|https?://\S+")
_LONGEST_NAME = 120

Row = dict[str, Any]


def write_vault(conn: Connection, folder: Path, selection: Selection, now: str) -> dict[str, int]:
    """Writes the notes; returns the numbers of documents, lists and memories.

    Raises MemkitError if writing fails; BadQuestion and NotFound for the selection.
    """
    keys = (
        set(selected_keys(conn, selection, now))
        if selection
        else {row[0] for row in conn.execute(SELECT_CURRENT, {"now": now})}
    )
    parameters = {"keys": keys_json(keys)}
    memories = [dict(row) for row in conn.execute(SELECT_MEMORIES, parameters)]
    documents = _documents(conn, memories)
    whole = [one for one in documents.values() if not _is_loose(one)]
    files = _Files(folder)
    places = _places(whole)
    linked = _Linker(conn, parameters["keys"])
    texts: dict[int | None, list[Row]] = {}
    for row in memories:
        texts.setdefault(row["document_key"], []).append(row)
    try:
        for document in whole:
            files.write(
                places[document["key"]],
                _note(document, places[document["key"]].name, texts.pop(document["key"]), linked),
            )
        loose: dict[str, list[Row]] = {}
        for row in memories:
            if row["document_key"] in texts:
                loose.setdefault(row["kind"], []).append(row)
        for kind, rows in sorted(loose.items()):
            files.write(PurePosixPath(_plural(kind)), _list(kind, rows, linked))
    except OSError as error:
        raise MemkitError(f"{folder} cannot be written: {error.strerror or error}.") from error
    return {"documents": len(whole), "lists": len(loose), "memories": len(memories)}


def _documents(conn: Connection, memories: list[Row]) -> dict[int, Row]:
    keys = keys_json({row["document_key"] for row in memories if row["document_key"] is not None})
    found = {row["key"]: dict(row) for row in conn.execute(SELECT_DOCUMENTS, {"keys": keys})}
    return {key: {**row, "meta": json_object(row["meta"])} for key, row in found.items()}


def _is_loose(document: Row) -> bool:
    """Whether a document only groups rows (a table, or `memory:...`), so that it becomes no note of its own."""
    return document["kind"] == "table" or str(document["source"]).startswith(LOOSE)


# ---------------------------------------------------------------------------------------------- files


class _Files:
    """Writes notes into a folder, with a number added to a name that is already taken."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.taken: Counter[str] = Counter()

    def write(self, place: PurePosixPath, text: str) -> None:
        """Writes a note."""
        self.taken[place.as_posix().casefold()] += 1
        number = self.taken[place.as_posix().casefold()]
        path = self.folder / place.parent / f"{place.name}{f' {number}' if number > 1 else ''}.md"
        make_folder(path.parent)
        with open_to_write(path) as file:
            file.write(text)


def _places(documents: list[Row]) -> dict[int, PurePosixPath]:
    """The path of each document without its suffix: notes as in their old folders, others by kind and title."""
    notes = {one["key"]: one["source"] for one in documents if one["kind"] == "note" and one["source"].startswith("/")}
    root = commonpath([str(PurePosixPath(source).parent) for source in notes.values()]) if notes else ""
    places = {}
    for one in documents:
        if one["key"] in notes:
            inside = PurePosixPath(notes[one["key"]]).relative_to(root).with_suffix("")
            places[one["key"]] = PurePosixPath(*map(_fit, inside.parts))
        else:
            kind = CHATS if one["kind"] in ("chat", "log") else _plural(one["kind"])
            places[one["key"]] = PurePosixPath(kind, _fit(one["title"] or one["id"]))
    return places


def _plural(kind: str) -> str:
    """The name of the list or folder of a kind, such as `Facts`. A plural such as `observations` gets no second s."""
    return _fit((kind if kind.endswith("s") else f"{kind}s").capitalize())


def _fit(name: str) -> str:
    """The name, changed so that every system accepts it for a file."""
    fit = _UNFIT.sub(" ", name).strip().strip(".").strip()
    while len(fit.encode()) > _LONGEST_NAME:
        fit = fit[:-1]
    return f"_{fit}" if not fit or _RESERVED.fullmatch(fit) else fit


# ---------------------------------------------------------------------------------------------- texts


class _Linker:
    """Turns names in a text into wikilinks, and links between memories into links to list items."""

    def __init__(self, conn: Connection, keys: str):
        self.named: dict[int, list[Row]] = {}
        for row in conn.execute(SELECT_NAMED, {"keys": keys}):
            self.named.setdefault(row["memory_key"], []).append(dict(row))
        self.links: dict[int, list[Row]] = {}
        for row in conn.execute(SELECT_LINKS, {"keys": keys}):
            self.links.setdefault(row["from_key"], []).append(dict(row))

    def text(self, memory: Row) -> str:
        """The memory's text, with each name linked where it is mentioned first."""
        text: str = memory["text"]
        linked = Spans(match.span() for match in _LINK.finditer(text))
        last = len(text)
        for row in self.named.get(memory["key"], ()):  # from the end, so that earlier positions stay valid
            start, end = row["start"], row["start"] + len(row["surface"])
            there = end <= last and text[start:end] == row["surface"] and not linked.overlap(start, end)
            if not there or _UNFIT.search(row["name"]):
                continue
            shown = "" if row["surface"] == row["name"] else f"|{row['surface']}"
            text = f"{text[:start]}[[{row['name']}{shown}]]{text[end:]}"
            last = start
        return text

    def others(self, memory: Row, here: str) -> str:
        """The links of a memory in a list to others, such as `(supersedes [[#^id]])`."""
        found = [
            f"{row['type'].replace('_', ' ')} [[{'' if row['kind'] == here else _plural(row['kind'])}#^{row['id']}]]"
            for row in self.links.get(memory["key"], ())
        ]
        return f" ({', '.join(found)})" if found else ""


def _note(document: Row, name: str, memories: list[Row], linked: _Linker) -> str:
    """The text of a document's file: its front matter, then its memories in order."""
    is_note = document["kind"] == "note"
    meta = document["meta"]
    about = {
        "title": None if document["title"] == name else document["title"],
        "aliases": [alias for alias in list_in(meta, "aliases") if alias != name],
        "tags": meta.get("tags"),
        "created": document["created_at"],
        "updated": document["updated_at"],
        "project": None if document["project"] == "global" else document["project"],
        **object_in(meta, "fields"),
    }
    parts = []
    for row in memories:
        if not json_object(row["meta"]).get("front_matter"):
            parts.append(row["text"] if is_note else _said(row, linked))
    return _front_matter(about) + "\n\n".join(parts) + "\n"


def _said(memory: Row, linked: _Linker) -> str:
    """A turn of a conversation: speaker and time, then the text."""
    who = f"**{memory['speaker']}**" if memory["speaker"] else ""
    head = " · ".join(part for part in (who, memory["happened_at"]) if part)
    return f"{head}\n\n{linked.text(memory)}" if head else linked.text(memory)


def _list(kind: str, memories: list[Row], linked: _Linker) -> str:
    """The memories of a kind without a document, as a list. Each item has its id as a link target."""
    return _front_matter({"kind": kind}) + "".join(_items(memories, kind, linked))


def _items(memories: Iterable[Row], kind: str, linked: _Linker) -> Iterator[str]:
    for row in memories:
        text = linked.text(row).strip().replace("\n", "\n  ")
        tags = "".join(f" #{tag}" for tag in json_texts(row["tags"]) if re.fullmatch(r"[\w/-]*[^\W\d][\w/-]*", tag))
        when = f" *{row['happened_at'][:10]}*" if row["happened_at"] else ""
        key = f"**{row['slot_key']}**: " if row["slot_key"] else ""
        yield f"- {key}{text}{when}{tags}{linked.others(row, kind)} ^{row['id']}\n"


def _front_matter(about: Row) -> str:
    from yaml import safe_dump

    said = {name: value for name, value in about.items() if value not in (None, [], {}, "")}
    return f"---\n{safe_dump(said, allow_unicode=True, sort_keys=False, width=1000)}---\n" if said else ""
