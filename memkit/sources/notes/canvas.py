"""Canvas loader: boards of Obsidian and others in the form JSON Canvas, whose cards are placed on a plane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from memkit.core.types import Failure
from memkit.sources.chat import as_dict, as_list, as_text
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.json_file import BrokenJSON, load_json
from memkit.sources.notes.machinery import plain_words
from memkit.sources.notes.note import Note, Record, Section, drafts, wikilink
from memkit.sources.notes.note_dates import note_dates
from memkit.sources.notes.page_title import first_heading
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

Card = Mapping[str, Any]

_NOTES = (".md", ".canvas")
_SHOWN = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".mp4", ".webm", ".mov", ".mp3", ".wav", ".m4a")
_LONGEST_NAME = 60  # of a card, by its first line


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """Each card as a part of one note, under the name of the group that it lies in; what joins cards, if it has words.

    Pictures and recordings are left out.
    """
    try:
        board = as_dict(load_json(whole(path, options, "note_size") or b"{}", options.limits))
    except BrokenJSON as error:
        yield Failure(path.as_posix(), str(error), line=error.line)
        return
    cards = sorted(map(as_dict, as_list(board.get("nodes"))), key=lambda card: (_at(card, "y"), _at(card, "x")))
    groups = [card for card in cards if card.get("type") == "group" and as_text(card.get("label")).strip()]
    sections = [_section(card, groups) for card in cards if card.get("type") == "text"]
    sections += _shown(cards, groups)
    if lines := _lines(as_list(board.get("edges")), {str(card.get("id")): card for card in cards}):
        sections.append(Section("\n".join(lines), id="edges"))
    place = PurePosixPath(name).with_suffix("").as_posix()
    dates = note_dates(place, "", {}, options.journals.day(path, options.root), options.day_first)
    title = path.stem if any(one.text for one in sections) else ""  # an empty board says nothing
    note = Note(path.as_posix(), title, "", happened=dates.happened_at, sections=tuple(sections))
    yield from drafts([note], path, options)


def _section(card: Card, groups: Sequence[Card]) -> Section:
    return Section(_words(card), headings=_labels(card, groups), id=as_text(card.get("id")))


def _shown(cards: Sequence[Card], groups: Sequence[Card]) -> list[Section]:
    """The notes, files and pages that cards show, those of a group together."""
    found: dict[tuple[str, ...], list[str]] = {}
    for card in cards:
        if card.get("type") != "text" and (words := _words(card)):
            found.setdefault(_labels(card, groups), []).append(f"- {words}")
    return [Section("\n".join(lines), headings=labels, id=" > ".join(labels)) for labels, lines in found.items()]


def _labels(card: Card, groups: Sequence[Card]) -> tuple[str, ...]:
    """The names of the groups that a card lies in, the outermost first."""
    around = sorted((group for group in groups if _holds(group, card)), key=_size, reverse=True)
    return tuple(as_text(group["label"]).strip() for group in around)


def _words(card: Card) -> str:
    """What a card says: its text, the note that it shows as a link, the address of a page."""
    if card.get("type") == "text":
        return plain_words(as_text(card.get("text")))
    if card.get("type") == "link":
        return as_text(card.get("url"))
    file = PurePosixPath(as_text(card.get("file")))
    if card.get("type") != "file" or file.suffix.lower() in _SHOWN:
        return ""
    return wikilink(file.stem if file.suffix.lower() in _NOTES else file.name)


def _lines(edges: list[Any], cards: Mapping[str, Card]) -> list[str]:
    """What is written on the lines between cards: `- the one -> the other: words`."""
    found = []
    for edge in map(as_dict, edges):
        ends = [_name(cards.get(str(edge.get(key)), {})) for key in ("fromNode", "toNode")]
        if (label := as_text(edge.get("label")).strip()) and all(ends):
            found.append(f"- {ends[0]} -> {ends[1]}: {label}")
    return found


def _name(card: Card) -> str:
    """A card in a few words: its heading or first line, the note that it shows, the label of a group."""
    if label := as_text(card.get("label")).strip():
        return label
    words = _words(card).strip()
    line = (first_heading(words) or words.partition("\n")[0]).strip("#*- ")
    return line if len(line) <= _LONGEST_NAME else f"{line[: _LONGEST_NAME - 1].rstrip()}…"


def _holds(group: Card, card: Card) -> bool:
    """Whether the middle of a card lies in a group."""
    if group is card:
        return False
    spans = (("x", "width"), ("y", "height"))
    middles = [_at(card, start) + _at(card, length) / 2 for start, length in spans]
    return all(
        _at(group, start) <= middle <= _at(group, start) + _at(group, length)
        for middle, (start, length) in zip(middles, spans, strict=True)
    )


def _size(group: Card) -> float:
    return _at(group, "width") * _at(group, "height")


def _at(card: Card, key: str) -> float:
    value = card.get(key)
    return value if isinstance(value, int | float) and abs(value) < 1e9 else 0


def _matches(sample: Sample) -> bool:
    return sample.suffix == ".canvas" and sample.text[:1] in ("{", "")


FORMAT = Format("canvas", "Boards of Obsidian (JSON Canvas)", read, _matches, ("*.canvas",))
