"""Boilerplate: the lines that stand in many notes of a folder, as a template or a footer puts them; they say nothing.

They are learnt when many notes are read at once. A setting keeps their hashes, for notes that come or change later.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.text.words import text_hash

SETTING = "boilerplate"
EVERYWHERE = ""  # stands for all folders together
FEWEST = 5  # notes with the line
SHARE = 1 / 3  # of the notes of a folder, or of all
SHORTEST = 3  # characters of a line
MOST = 1000  # lines that are kept


def learn(conn: Connection, rows: Iterable[Any]) -> None:
    """Keeps the hashes of what is boilerplate in these rows (`text`, `document_kind`, `document_key`, `source`)."""
    lines: defaultdict[str, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        if row["document_kind"] == "note" and row["source"]:
            here = set(_lines(row["text"]))
            for folder in (EVERYWHERE, row["source"].rpartition("/")[0]):
                lines[folder][row["document_key"]] |= here
    found: set[str] = set()
    for notes in lines.values():
        counts = Counter(line for note in notes.values() for line in note) if len(notes) >= FEWEST else {}
        found |= {line for line, n in counts.items() if n >= max(FEWEST, SHARE * len(notes))}
    before = store.texts_in_setting(conn, SETTING)
    if new := sorted({text_hash(line) for line in found} - set(before)):
        store.set_setting(conn, SETTING, [*before, *new][-MOST:])


def lines_in(conn: Connection, rows: Iterable[Any]) -> frozenset[str]:
    """The lines of these rows that are boilerplate."""
    known = frozenset(store.texts_in_setting(conn, SETTING))
    if not known:
        return frozenset()
    return frozenset(
        line for line in {line for row in rows for line in _lines(row["text"])} if text_hash(line) in known
    )


def blank(text: str, lines: frozenset[str]) -> str:
    """The text with blanks for these lines, at equal length."""
    if not lines:
        return text
    return "\n".join(" " * len(line) if line.strip() in lines else line for line in text.split("\n"))


def _lines(text: str) -> Iterator[str]:
    """The lines with words; the fences of code have a meaning in every note."""
    for line in map(str.strip, text.split("\n")):
        if len(line) >= SHORTEST and not line.startswith(("```", "~~~", "<!--", "%%")) and any(map(str.isalpha, line)):
            yield line
