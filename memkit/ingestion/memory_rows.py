"""The row of a memory, as a draft says it: its columns, its hashes, and an id that nobody else has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from memkit.core.types import GLOBAL, Draft
from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_object
from memkit.storage.store import dumps
from memkit.text.words import est_tokens, short_id, text_hash

Row = dict[str, Any]

# The place of a passage in its document; a passage that has only moved is the same.
_PLACE = {"start", "end"}
# What the source says of a memory, and what of it another file may add.
_TOLD = sorted(
    """category confidence expires_at happened_at importance kind meta project slot slot_key source_id speaker tags text
    title valid_from valid_until""".split()
)
_JOINED = ("title", "speaker", "happened_at")
SELECT_TAKEN = "select id from memories where id in (select value from json_each(:ids))"


def row_of(draft: Draft, document_key: int | None) -> Row:
    """The row of a draft, without key, id and position; without a project if the draft names none."""
    row = {
        "document_key": document_key,
        "source": draft.document.source,
        "file": draft.document.file,
        "position": None,
        "archived_at": None,
        "source_id": draft.source_id,
        "kind": draft.kind,
        "text": draft.text,
        "title": draft.title,
        "speaker": draft.speaker,
        "category": draft.category,
        "tags": dumps(list(draft.tags)),
        "project": draft.project or draft.document.project,
        "slot": draft.slot or None,
        "slot_key": draft.slot_key or None,
        "importance": 5.0 if draft.importance is None else draft.importance,
        "confidence": 1.0 if draft.confidence is None else draft.confidence,
        "happened_at": draft.happened_at,
        "valid_from": draft.valid_from,
        "valid_until": draft.valid_until,
        "expires_at": draft.expires_at,
        "tokens": est_tokens(draft.text),
        "meta": dumps(dict(draft.meta)),
    }
    placed = draft.document.whole and not _PLACE.isdisjoint(draft.meta)
    row["hash"] = _hash({**row, "meta": dumps(without_place(draft.meta))} if placed else row)
    row["text_hash"] = text_hash(draft.text)
    return row


def without_place(meta: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of a passage, without where in its document it stands."""
    return {name: value for name, value in meta.items() if name not in _PLACE}


def _hash(row: Row) -> str:
    """A hash of all that the source says; it is the same in any project."""
    return text_hash(*[GLOBAL if name == "project" else str(row[name]) for name in _TOLD])


def join_known(rows: list[Row], olds: list[Any]) -> None:
    """Adds to each record what is known of it already, for other files may have said more.

    What was said first stays: it must not depend on which of the files was read last.
    """
    for row, old in zip(rows, olds, strict=True):
        if old is None or row["text_hash"] != old["text_hash"]:
            continue
        said, known = json_object(row["meta"]), json_object(old["meta"])
        known.pop("archived_because", None)
        row |= {name: old[name] or row[name] for name in _JOINED} | {"document_key": old["document_key"]}
        if all(row[name] == old[name] for name in _JOINED) and known.keys() >= said.keys():
            row |= {"meta": dumps(known), "hash": old["hash"]}
        else:
            row["meta"] = dumps({**said, **known})
            row["hash"] = _hash(row)


def free_ids(conn: Connection, names: list[tuple[str, str, int]]) -> list[str]:
    """A short, free id for each name: the number in the name increases until the id is free."""
    taken: set[str] = set()
    ids: list[str] = []
    last: dict[tuple[str, ...], int] = {}  # the highest number given to a name here, if its own was not free
    wanted = [short_id(*map(str, name)) for name in names]
    stored = {row[0] for row in conn.execute(SELECT_TAKEN, {"ids": dumps(wanted)})}

    def is_taken(name: tuple[str, ...], number: int) -> bool:
        id = short_id(*name, str(number))
        return id in taken or conn.execute(SELECT_TAKEN, {"ids": dumps([id])}).fetchone() is not None

    for (*name, number), id in zip(names, wanted, strict=True):
        if id in taken or id in stored:
            named = tuple(map(str, name))
            number = last[named] = _first_free(partial(is_taken, named), max(int(number), last.get(named, 0)))
            id = short_id(*named, str(number))
        taken.add(id)
        ids.append(id)
    return ids


def _first_free(is_taken: Callable[[int], bool], number: int) -> int:
    """A number above this one that is free, and the one before it is not: a million alike are 20 steps each."""
    step = 1
    while is_taken(number + step):
        step *= 2
    low, high = step // 2, step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_taken(number + middle) else (low, middle)
    return number + high
