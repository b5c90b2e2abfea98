"""Private vocabulary: the words and phrases in every text of every table of a database."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memkit.storage import driver
from memkit.storage.connection import Connection
from memkit.storage.driver import identifier
from memkit.text.extract.case import MARKS
from memkit.text.words import CJK_CLASS, bigrams, characters, has_cjk, normal_name, sentences, words

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
_SHORTEST_SECRET = 6  # characters
_SAYS = re.compile(
    r"[:=|：].{5}", re.DOTALL
)  # what a text has that names a secret, except in a sentence; most have none
_SHORTEST_WORD = 3  # characters; shorter words could mean anything
_SHORTEST_NUMBER = 7  # digits; shorter numbers are years or counts, longer ones may be telephone or account numbers
_LONGEST_CELL = 120  # characters; shorter texts are also searched as a whole


class Cell(NamedTuple):
    """A text in a database, with its table and column."""

    table: str
    column: str
    text: str

    @property
    def place(self) -> str:
        """Its place as `table.column`."""
        return f"{self.table}.{self.column}"


@dataclass(slots=True)
class Vocabulary:
    """Words and phrases in lower case, each with one place (`table.column`) where it occurs."""

    words: dict[str, str] = field(default_factory=dict)
    phrases: dict[str, str] = field(default_factory=dict)

    def add(self, text: str, place: str) -> None:
        """Adds the words and sentences of a text, and a short text as a whole. Times are skipped."""
        whole = text.strip()
        if _TIME.fullmatch(whole):
            return
        for word in words(_TIME.sub(" ", text)):
            if word not in self.words and is_telling(word):
                self.words[word] = place
        if 0 < len(whole) <= _LONGEST_CELL:
            self.phrases.setdefault(whole.lower(), place)
        for start, end in sentences(text):
            self.phrases.setdefault(text[start:end].lower(), place)


def is_telling(word: str) -> bool:
    """Whether a word can identify something: at least three letters (two with CJK), or a number of seven digits."""
    if _LETTER.search(word):
        return len(word) >= _SHORTEST_WORD or (len(word) > 1 and _CJK.search(word) is not None)
    return len(word) >= _SHORTEST_NUMBER


def cells(conn: Connection) -> Iterator[Cell]:
    """Every text in every table of a database, of any schema version."""
    for table, column, text in _values(conn, "text"):
        yield Cell(table, column, text)


def _values(conn: Connection, type: str) -> Iterator[tuple[str, str, Any]]:
    """Every value of a type that is not empty, with its table and column. The declared type of a column is ignored."""
    for (table,) in conn.execute(SELECT_TABLES).fetchall():
        for (column,) in conn.execute(SELECT_COLUMNS, {"table": table}).fetchall():
            # SQL must be built here. The names come from the schema, and are quoted.
            query = f"select {identifier(column)} from {identifier(table)} where typeof({identifier(column)}) = :type"
            for (value,) in conn.execute(query, {"type": type}):
                if value:
                    yield table, column, value


def vocabulary(conn: Connection) -> Vocabulary:
    """The words and phrases of a whole database."""
    found = Vocabulary()
    for cell in cells(conn):
        # The marks of counted words are memkit's own: no text has to have them, too.
        found.add(cell.text.strip(MARKS) if cell.table == "word_cases" else cell.text, cell.place)
    return found


def secrets(conn: Connection) -> dict[str, str]:
    """The passwords and keys that any text of a database names as such, each with its place (`table.column`).

    Only those that look like one: a word such as `blossom` after `password:` may stand anywhere.
    """
    from memkit.text.redact.randomness import looks_chosen

    return {
        value: cell.place
        for cell in cells(conn)
        if _SAYS.search(cell.text) and not _TIME.fullmatch(cell.text)
        for value in _named(cell.text)
        if len(value) >= _SHORTEST_SECRET and looks_chosen(value)
    }


def _named(text: str) -> Iterator[str]:
    from memkit.text.redact.credentials import named
    from memkit.text.redact.view import as_read, as_written

    view = as_written(text) if text.isascii() else as_read(text)  # the rules know words without accents
    for span in named(view.text):
        yield text[slice(*view.place(*span))]


def public_words(texts: Iterable[str]) -> set[str]:
    """The words of some texts in every form that memkit stores: as written, normalised, and as CJK bigrams."""
    found: set[str] = set()
    for text in texts:
        found.update(words(text))
        found.update(normal_name(text).split())
        if has_cjk(text):
            found.update(words(bigrams(text)), words(characters(text)))
    return found


def stems(some: Iterable[str]) -> dict[str, str]:
    """The stems that the full-text index's tokenizer makes from some words: stem to one of its words."""
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


def blobs(conn: Connection) -> bytes:
    """All BLOB values of a database, joined with a zero byte."""
    return b"\0".join(value for _, _, value in _values(conn, "blob"))


def terms(conn: Connection) -> set[str]:
    """Every term in the full-text indexes of a database. Their pages store terms in pieces."""
    found: set[str] = set()
    for (table,) in conn.execute(SELECT_VIRTUAL).fetchall():
        conn.execute(f"create virtual table temp.published_terms using fts5vocab(main, {identifier(table)}, 'row')")
        found.update(row[0] for row in conn.execute("select term from temp.published_terms"))
        conn.execute("drop table temp.published_terms")
    return found
