"""Boilerplate: the lines that stand in many notes of a folder, as a template or a footer puts them; they say nothing.

They are learnt when many notes are read at once. A setting keeps their hashes, for notes that come or change later.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.template_lines import SETTING
from memkit.text.words import text_hash

EVERYWHERE = ""  # stands for all folders together
FEWEST = 5  # notes with the line
SHARE = 1 / 3  # of the notes of a folder, or of all
SHORTEST = 3  # characters of a line
MOST = 1000  # lines that are kept
# The notes that say something, whether they are read now or were before.
SELECT_SOURCES = """
select source from documents as d
where kind = 'note' and exists (select 1 from memories where document_key = d.key and archived_at is null)
"""


def learn(conn: Connection, rows: Iterable[Any]) -> None:
    """Keeps the hashes of what is boilerplate in these rows (`text`, `document_kind`, `document_key`, `source`)."""
    lines: defaultdict[str, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        if row["document_kind"] == "note" and row["source"]:
            here = set(_lines(row["text"]))
            for folder in (EVERYWHERE, row["source"].rpartition("/")[0]):
                lines[folder][row["document_key"]] |= here
    often = {folder: _often(notes) for folder, notes in lines.items() if len(notes) >= FEWEST}
    found: set[str] = set()
    if any(often.values()):
        there = _notes_by_folder(conn)
        found = {line for folder, counts in often.items() for line, n in counts.items() if n >= SHARE * there[folder]}
    before = store.texts_in_setting(conn, SETTING)
    if new := sorted({text_hash(line) for line in found} - set(before)):
        store.set_setting(conn, SETTING, [*before, *new][-MOST:])


def _often(notes: dict[int, set[str]]) -> dict[str, int]:
    """The lines that stand in enough of these notes, and in how many."""
    counts = Counter(line for note in notes.values() for line in note)
    return {line: n for line, n in counts.items() if n >= FEWEST}


def _notes_by_folder(conn: Connection) -> Counter[str]:
    """How many notes lie in each folder, and everywhere: a share of those that changed today says nothing."""
    sources = [row[0] for row in conn.execute(SELECT_SOURCES)]
    return Counter({EVERYWHERE: len(sources)}) + Counter(source.rpartition("/")[0] for source in sources)


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
