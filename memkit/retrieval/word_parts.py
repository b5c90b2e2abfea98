"""Parts of words in scripts without spaces (Chinese, Japanese, Korean), for whoever asks the full-text index itself.

To SQLite's index of words, characters without a space between them are one word, and it looks up whole words. So a part
of one is looked up as all the words that have it.
"""

from __future__ import annotations

import re
from unicodedata import category

from memkit.storage.connection import Connection
from memkit.text.words import cjk_runs, has_cjk, quoted

MOST = 5000  # memories whose words are looked up
BITS = re.compile(r'"[^"]*"')

# What has the pairs of characters, and so most likely the part itself. Single characters of titles have no index.
SELECT_TEXTS = """
select text, title from memories_fts
where rowid in (select rowid from memories_cjk where memories_cjk match :pairs limit :most)
    or (:single <> '' and rowid in (select key from memories where instr(title, :single) limit :most))
"""
COUNT = "select count(*) from (select 1 from memories_cjk where memories_cjk match :pairs limit :most)"


def with_words_around(conn: Connection, query: str) -> str:
    """A full-text query of quoted words that all have to be there, with any word that has one of these in its place.

    A query without CJK characters stays as it is.
    """
    if not has_cjk(query):
        return query
    return " AND ".join(_any_of(conn, bit) for bit in BITS.findall(query))


def is_cut(conn: Connection, typed: str) -> bool:
    """Whether more memories than are looked up may have one of the parts that were typed."""
    return any(
        conn.execute(COUNT, {"pairs": _pairs(part), "most": MOST + 1}).fetchone()[0] > MOST
        for part in typed.split()
        if has_cjk(part)
    )


def _any_of(conn: Connection, bit: str) -> str:
    part = bit[1:-1]
    if not has_cjk(part) or " " in part:
        return bit
    return f"({' OR '.join([bit, *map(quoted, sorted(_with(conn, part) - {part}))])})"


def _with(conn: Connection, part: str) -> set[str]:
    """The words of the index that have this part, as they are written in memories."""
    single = part if len(part) == 1 else ""
    rows = conn.execute(SELECT_TEXTS, {"pairs": _pairs(part), "single": single, "most": MOST})
    written = re.compile(re.escape(part), re.IGNORECASE)
    return {
        _word(text, found.start(), found.end())
        for row in rows
        for text in row
        if text
        for found in written.finditer(text)
    }


def _pairs(part: str) -> str:
    """The query for the index of pairs: every run of the part as the phrase of its pairs, or its single character."""
    runs = cjk_runs(part)
    return " AND ".join(quoted(" ".join(run[at : at + 2] for at in range(max(1, len(run) - 1)))) for run in runs)


def _word(text: str, start: int, end: int) -> str:
    """What stands around a place in a text without a space or a mark.

    Where the index sees several words in it, it is looked up as their phrase, which this text has as well.
    """
    while start and _goes_on(text[start - 1]):
        start -= 1
    while end < len(text) and _goes_on(text[end]):
        end += 1
    return text[start:end]


def _goes_on(character: str) -> bool:
    kind = category(character)
    return kind[0] in "LNM" or kind == "Co"
