"""The part of a text that answers, with the words that were found in it marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from memkit.datasette_plugin.prose import section, unlinked
from memkit.store import keys_json
from memkit.text import cjk_runs, content_words, quoted

SHOWN = 480  # characters of a hit
BEFORE = 120
ON, OFF = "\x02", "\x03"  # no text of a person has them

SELECT_MARKED = """
select rowid, highlight(memories_fts, 0, char(2), char(3)) as marked
from memories_fts
where memories_fts match :query and rowid in (select value from json_each(:keys))
"""

Piece = tuple[str, bool]  # a text, and whether it is marked


def marked(conn: Any, question: str, texts: Mapping[int, str]) -> dict[int, list[Piece]]:
    """For each memory the pieces of its text, by turns plain and marked, cut to about SHOWN characters."""
    found = dict(texts)
    query = " OR ".join(map(quoted, content_words(question)[:64]))
    if query:
        parameters = {"query": f"text : ({query})", "keys": keys_json(texts)}
        found |= {row["rowid"]: row["marked"] for row in conn.execute(SELECT_MARKED, parameters)}
    pairs = _pairs(question)
    return {key: _cut(_pieces(unlinked(section(_mark_pairs(text, pairs))[1]))) for key, text in found.items()}


def _pairs(question: str) -> list[str]:
    """What to mark where words have no blanks between them: pairs of characters."""
    return list(dict.fromkeys(run[i : i + 2] for run in cjk_runs(question) for i in range(max(len(run) - 1, 1))))


def _mark_pairs(text: str, pairs: Iterable[str]) -> str:
    if ON in text or not (pattern := "|".join(map(re.escape, pairs))):
        return text
    return re.sub(f"(?:{pattern})+", lambda match: f"{ON}{match[0]}{OFF}", text)


def _pieces(text: str) -> list[Piece]:
    plain, *rest = text.split(ON)
    pieces: list[Piece] = [(plain, False)]
    for part in rest:
        word, _, after = part.partition(OFF)
        pieces += [(word, True), (after, False)]
    return [(piece, is_marked) for piece, is_marked in pieces if piece]


def _cut(pieces: list[Piece]) -> list[Piece]:
    """So much of the pieces as is shown, from a little before the first mark; ellipses where something is missing."""
    whole = "".join(text for text, _ in pieces)
    if len(whole) <= SHOWN:
        return pieces
    first = len(next((pieces[0][0] for _ in pieces if not pieces[0][1]), "")) if any(m for _, m in pieces) else 0
    start = max(first - BEFORE, 0)
    if start:
        start = whole.find(" ", start, first) + 1 or start
    end = start + SHOWN
    cut: list[Piece] = [("… ", False)] if start else []
    at = 0
    for text, is_marked in pieces:
        part = text[max(start - at, 0) : max(end - at, 0)]
        at += len(text)
        if part:
            cut.append((part, is_marked))
    return [*cut, (" …", False)] if end < len(whole) else cut
