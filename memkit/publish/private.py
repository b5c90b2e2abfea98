"""What the database says and the published memories do not: every text of every table, less what was chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from memkit import driver
from memkit.text import CJK_CLASS, bigrams, characters, has_cjk, normal_name, sentences, words

SELECT_TABLES = """
select name from pragma_table_list
where schema = 'main' and type = 'table'
    and name not like 'sqlite!_%' escape '!' and name not like '!_sqlite!_%' escape '!'
order by name
"""
SELECT_VIRTUAL = "select name from pragma_table_list where schema = 'main' and type = 'virtual' order by name"
SELECT_COLUMNS = "select name from pragma_table_xinfo(:table) where hidden <> 1 order by cid"

_LETTER = re.compile(r"[^\W\d_]")
_TIME = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")
_CJK = re.compile(CJK_CLASS)
_SHORTEST_WORD = 3  # characters; shorter ones stand for anything
_SHORTEST_NUMBER = 7  # digits: below are years, counts and hours, from here on numbers that ring or pay
_LONGEST_CELL = 120  # characters of a text that is looked for as a whole, too


@dataclass(frozen=True, slots=True)
class Cell:
    """A text in the private file: table, column and what it says."""

    table: str
    column: str
    text: str

    @property
    def place(self) -> str:
        """Where it stands, in words."""
        return f"{self.table}.{self.column}"


@dataclass(slots=True)
class Vocabulary:
    """Words and phrases, lower-cased, each with a place where it stands."""

    words: dict[str, str] = field(default_factory=dict)
    phrases: dict[str, str] = field(default_factory=dict)

    def add(self, text: str, place: str) -> None:
        """Take in the words of a text, its sentences, and a short text as a whole; a time is nobody's in particular."""
        whole = text.strip()
        if _TIME.fullmatch(whole):
            return
        for word in words(_TIME.sub(" ", text)):
            if word not in self.words and telling(word):
                self.words[word] = place
        if 0 < len(whole) <= _LONGEST_CELL:
            self.phrases.setdefault(whole.lower(), place)
        for start, end in sentences(text):
            self.phrases.setdefault(text[start:end].lower(), place)


def telling(word: str) -> bool:
    """Whether a word says enough to be somebody's: of three letters or more, two in CJK, or a long number."""
    if _LETTER.search(word):
        return len(word) >= _SHORTEST_WORD or (len(word) > 1 and _CJK.search(word) is not None)
    return len(word) >= _SHORTEST_NUMBER


def cells(conn: Any) -> Iterator[Cell]:
    """Every text that stands in a table of a database, whatever tables and columns its version has."""
    for table, column, text in _values(conn, "text"):
        yield Cell(table, column, text)


def _values(conn: Any, type: str) -> Iterator[tuple[str, str, Any]]:
    """Every (not empty) value of a type, with its table and column, whatever type the column was declared with."""
    for (table,) in conn.execute(SELECT_TABLES).fetchall():
        for (column,) in conn.execute(SELECT_COLUMNS, {"table": table}).fetchall():
            # The one place where SQL is put together: names come from the schema, and are quoted.
            query = f"select {quoted(column)} from {quoted(table)} where typeof({quoted(column)}) = :type"
            for (value,) in conn.execute(query, {"type": type}):
                if value:
                    yield table, column, value


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def vocabulary(conn: Any) -> Vocabulary:
    """The words and phrases of a whole database."""
    found = Vocabulary()
    for cell in cells(conn):
        found.add(cell.text, cell.place)
    return found


def public_words(texts: Iterable[str]) -> set[str]:
    """The words of some texts in every form in which memkit writes them: as they are, folded, and in pairs of CJK."""
    found: set[str] = set()
    for text in texts:
        found.update(words(text))
        found.update(normal_name(text).split())
        if has_cjk(text):
            found.update(words(bigrams(text)), words(characters(text)))
    return found


def stems(some: Iterable[str]) -> dict[str, str]:
    """What the full-text index makes of some words, by that very tokenizer: stem to one of the words."""
    conn = driver.sqlite3.connect(":memory:")
    try:
        conn.execute(f"create virtual table stemmed using fts5(words, content='', tokenize='{TOKENIZER}')")
        conn.execute("create virtual table terms using fts5vocab(stemmed, 'instance')")
        every = sorted(set(some), reverse=True)
        conn.executemany("insert into stemmed (rowid, words) values (?, ?)", enumerate(every))
        return {term: every[row] for term, row in conn.execute("select term, doc from terms")}
    finally:
        conn.close()


TOKENIZER = "porter unicode61 remove_diacritics 2"  # as memories_fts has it


def blobs(conn: Any) -> bytes:
    """Every value that is bytes in a table of a database, set apart."""
    return b"\0".join(value for _, _, value in _values(conn, "blob"))


def terms(conn: Any) -> set[str]:
    """Every term in the full-text indexes of a database: in their pages words are cut, and not to be found as bytes."""
    found: set[str] = set()
    for (table,) in conn.execute(SELECT_VIRTUAL).fetchall():
        conn.execute(f"create virtual table temp.published_terms using fts5vocab(main, {quoted(table)}, 'row')")
        found.update(row[0] for row in conn.execute("select term from temp.published_terms"))
        conn.execute("drop table temp.published_terms")
    return found
