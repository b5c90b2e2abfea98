"""Forgotten text that its source still has: an edit beside it, or a slight one in it, does not bring it back.

A record that is known word for word stays what it is. Of any other, the sentences that were forgotten are left out, and
what else it says is a memory. So a line that is added to a forgotten passage is known, and the passage is not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from memkit.ingestion.memory_rows import Row
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json
from memkit.text.words import sentences, words

FORGOTTEN = "forgotten"  # why such a memory is archived
LIKE = 0.8  # how like a forgotten sentence a slightly edited one is (1: the same words)
LONG = 5  # words; a shorter sentence may stand elsewhere in a document, or be like another, and mean something else

SELECT_TEXTS = "select key, text from memories where key in (select value from json_each(:keys))"
_HEADING = re.compile(r"#{1,6}\s")


class _Hidden(NamedTuple):
    """A forgotten memory: its document, its id there, and its sentences."""

    document: int | None
    source_id: str | None
    said: frozenset[str]


def any_forgotten(known: Iterable[Any]) -> bool:
    """Whether any of these memories was forgotten."""
    return any(old["because"] == FORGOTTEN for old in known)


def texts_left(conn: Connection, rows: Sequence[Row], known: Sequence[Any], whole: bool) -> list[str | None]:
    """What is left of the text of each of these records, without what was forgotten; None if that is nothing.

    `known` are the memories that they may match. A `whole` document has its forgotten long sentences nowhere else.
    """
    texts = dict(map(tuple, conn.execute(SELECT_TEXTS, {"keys": keys_json(old["key"] for old in known)})))
    hidden = [
        _Hidden(old["document_key"], old["source_id"], frozenset(_sentences(texts[old["key"]])))
        for old in known
        if old["because"] == FORGOTTEN
    ]
    hashes = {row["text_hash"] for row in rows}
    staying = [old["key"] for old in known if whole and not old["archived_at"] and old["text_hash"] in hashes]
    said_still = {sentence for key in staying for sentence in _sentences(texts[key])}
    said_here = [_sentences(row["text"]) for row in rows]
    said_anywhere = set().union(*said_here) if whole else set()
    same = {old["text_hash"] for old in known}
    elsewhere = {sentence for one in hidden for sentence in one.said if _is_long(sentence)} if whole else set()
    left: list[str | None] = []
    for row, said in zip(rows, said_here, strict=True):
        if row["text_hash"] in same:
            left.append(row["text"])
            continue
        here = [one for one in hidden if _is_of(row, one, whole)]
        gone = {sentence for one in here for sentence in one.said}
        edited = [sentence for sentence in sorted(gone - said - said_anywhere) if _is_long(sentence)]
        left.append(_without(row["text"], (gone | elsewhere) - said_still, edited))
    return left


def _is_of(row: Row, one: _Hidden, whole: bool) -> bool:
    """Whether a record has the place or the id of a forgotten memory."""
    known = whole or one.source_id is not None
    return known and (row["document_key"], row["source_id"]) == (one.document, one.source_id)


def _sentences(text: str) -> set[str]:
    """The sentences of a text, each as its words, without headings."""
    spans = (text[start:end] for start, end in sentences(text))
    return {said for one in spans if not _HEADING.match(one) and (said := _said(one))}


def _said(sentence: str) -> str:
    return " ".join(words(sentence))


def _is_long(said: str) -> bool:
    return len(said.split()) >= LONG


def _without(text: str, forgotten: Collection[str], edited: Sequence[str]) -> str | None:
    """A text without these sentences, and without the one that is most like each of the edited ones."""
    spans = sentences(text)
    said = [_said(text[start:end]) for start, end in spans]
    gone = {place for place, one in enumerate(said) if one in forgotten}
    for one in edited:
        likely = [(_likeness(one, other), -place) for place, other in enumerate(said) if place not in gone]
        best, place = max(likely, default=(0.0, 0))
        if best >= LIKE:
            gone.add(-place)
    if not gone:
        return text
    kept = [place for place in range(len(spans)) if place not in gone]
    if all(_HEADING.match(text, spans[place][0]) or not said[place] for place in kept):
        return None
    ends = [*(start for start, _ in spans[1:]), len(text)]
    return "".join(text[spans[place][0] : ends[place]] for place in kept).strip()


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()
