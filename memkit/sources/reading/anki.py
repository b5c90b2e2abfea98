"""Anki loader: the notes of a collection, as the database that Anki keeps, or exported as plain text."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from memkit.core.errors import BadSource
from memkit.core.patterns import pattern
from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text
from memkit.sources.contents import opened, whole
from memkit.sources.csv_lines import csv_rows, csv_text
from memkit.sources.encoding import decoded
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.json_file import load_json
from memkit.sources.options import ReadOptions
from memkit.sources.read_only import read_only, tables
from memkit.sources.reading.item import Item, drafts
from memkit.sources.sample import Sample
from memkit.storage.driver import MAGIC

NOTES = """
select notes.guid, notes.id, notes.mid, notes.tags, notes.flds, min(cards.did)
from notes left join cards on cards.nid = notes.id
group by notes.id
order by notes.id
"""
SETTINGS = "select models, decks from col"  # until Anki 2.1.28
FIELDS = "select ntid, ord, name from fields"
DECKS = "select id, name from decks"
_BETWEEN = "\x1f"
_HEADER = re.compile(r"#([\w ]+):(.*)")
_SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|", "colon": ":"}
_COLUMNS = ("guid", "notetype", "deck", "tags")
_SOUND = pattern(r"\[(?:sound|anki:play):[^\[\]\n]*\]")
_CLOZE = pattern(r"\{\{c\d+::((?:(?!\{\{|\}\}|::).)*)(?:::(?:(?!\{\{|\}\}).)*)?\}\}", re.DOTALL)
_OLD = "Please update to the latest Anki version"  # what stands in a file that only newer versions can read


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each note with its fields; its deck is its folder. Sounds and pictures are left out."""
    with opened(path, options) as stream:
        is_text = not stream.read(len(MAGIC)).startswith(MAGIC)
    yield from drafts(_of_text(path, options) if is_text else _of_database(path, options), path, options, kind="cards")


def _of_text(path: Path, options: ReadOptions) -> Iterator[Item | Failure]:
    """The notes of an export as text, whose first lines tell which column holds what."""
    text = decoded(whole(path, options)).lstrip("\ufeff")
    lines = text.split("\n", 100)
    count = next((number for number, line in enumerate(lines) if not line.startswith("#")), len(lines))
    header = {found[1]: found[2] for line in lines[:count] if (found := _HEADER.match(line.strip()))}
    places = {
        key: int(told) - 1 for key in _COLUMNS if (told := header.get(f"{key} column", "").strip()).isdecimal()
    }  # fmt: skip
    left_out = list[Failure]()
    stream = BytesIO("\n".join(text.split("\n")[count:]).encode("utf-8", "surrogateescape"))
    mark = _SEPARATORS.get(header.get("separator", "").strip().lower(), "\t")
    reader = csv.reader(csv_text(stream, options.limits, path.as_posix(), left_out), delimiter=mark)
    for row in csv_rows(reader, path.as_posix(), left_out, before=count):
        if isinstance(row, Failure):
            yield row
            continue
        cells = dict(enumerate(row[1]))
        told = {key: cells.get(place, "") for key, place in places.items()}
        fields = [cell for number, cell in cells.items() if number not in places.values()]
        deck = told.get("deck") or header.get("deck", "")
        yield _item(told.get("guid", ""), deck, told.get("tags", ""), fields, (), None)


def _of_database(path: Path, options: ReadOptions) -> Iterator[Item]:
    with read_only(path, options) as conn:
        if not {"notes", "cards", "col"} <= {*tables(conn)}:
            raise BadSource(f"{path} has no tables of a collection of Anki")
        names, decks = _kept(conn, options)
        for guid, id, kind, tags, fields, deck in conn.execute(NOTES):
            told = str(fields or "").split(_BETWEEN)
            if told[0].startswith(_OLD):
                options.skip("notes that only a newer Anki can read")
                continue
            deck_name = decks.get(str(deck), "").replace(_BETWEEN, "::")
            yield _item(str(guid or id), deck_name, str(tags or ""), told, names.get(str(kind), ()), id)


def _kept(conn: Any, options: ReadOptions) -> tuple[Mapping[str, Sequence[str]], Mapping[str, str]]:
    """The names of the fields of each type of notes, and of the decks."""
    if {"fields", "decks"} <= {*tables(conn)}:
        found: dict[str, dict[int, str]] = {}
        for kind, place, name in conn.execute(FIELDS):
            found.setdefault(str(kind), {})[place] = str(name)
        names = {kind: [name for _, name in sorted(fields.items())] for kind, fields in found.items()}
        return names, {str(id): str(name) for id, name in conn.execute(DECKS)}
    models, decks = (
        as_dict(load_json(str(one or "{}").encode(), options.limits)) for one in next(conn.execute(SETTINGS), ("", ""))
    )
    fields = {kind: [as_dict(one) for one in as_list(as_dict(model).get("flds"))] for kind, model in models.items()}
    named = {kind: [as_text(one.get("name")) for one in found] for kind, found in fields.items()}
    return named, {id: as_text(as_dict(deck).get("name")) for id, deck in decks.items()}


def _item(guid: str, deck: str, tags: str, fields: Sequence[str], names: Sequence[str], at: object) -> Item:
    """A note. Of more than two fields their names, where these are known, say which is which."""
    told = [_words(one) for one in fields]
    title = next(filter(None, told), "")
    named = [*names, *[""] * (len(told) - len(names))] if len(names) > 2 else [""] * len(told)
    lines = [f"{name}: {words}" if name else words for name, words in zip(named, told, strict=False) if words]
    text = ("\n" if len(names) > 2 else "\n\n").join(lines)
    return Item(
        source="anki", document="Anki", kind="card", title=" ".join(title.split())[:100], text=text,
        id=guid, at=at, tags=tags.split(), folder=deck.replace("/", " ").replace("::", "/"),
    )  # fmt: skip


def _words(field: str) -> str:
    """What a field says: without sounds, and with what is hidden in a cloze."""
    text = _SOUND.sub("", field)
    while (shown := _CLOZE.sub(r"\1", text)) != text:
        text = shown
    return html_markdown(text).strip() if "<" in text or "&" in text else text.strip()


def _matches(sample: Sample) -> bool:
    if sample.is_database:
        notes = sample.tables.get("notes", frozenset())
        return {"guid", "mid", "flds", "sfld"} <= notes and "did" in sample.tables.get("cards", frozenset())
    return sample.suffix == ".txt" and sample.text.startswith("#separator:")


FORMAT = Format(
    "anki", "Notes of Anki: its collection, or as plain text", read, _matches, ("*.anki2", "*.anki21", "*.txt")
)
