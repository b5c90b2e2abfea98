"""Private texts: the words and phrases in every text of every table of a database that no public text says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from memkit.sharing.publish.byte_search import SHORTEST
from memkit.sharing.publish.public_texts import PublicTexts, encoded
from memkit.sharing.publish.text_tables import TextTable
from memkit.storage import driver
from memkit.storage.connection import Connection
from memkit.storage.driver import identifier
from memkit.text.extract.case import MARKS
from memkit.text.words import CJK_CLASS, sentences, words

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
TOGETHER = 1 << 22  # bytes of BLOBs
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


class Vocabulary:
    """Words and phrases in lower case, each with one place (`table.column`) where it occurs, on the disk."""

    def __init__(self, conn: Connection, name: str):
        """They are kept in `conn`, a connection of `text_tables`, under this name."""
        self.words = TextTable(conn, f"{name} words")
        self.phrases = TextTable(conn, f"{name} phrases")

    def add(self, text: str, place: str) -> None:
        """Adds the words and sentences of a text, and a short text as a whole. Times are skipped."""
        whole = text.strip()
        if _TIME.fullmatch(whole):
            return
        telling = {word for word in words(_TIME.sub(" ", text)) if is_telling(word)}
        short = [whole.lower()] if len(whole) <= _LONGEST_CELL else []
        phrases = {*short, *(text[start:end].lower() for start, end in sentences(text))} - telling
        self.words.add(telling, place)
        self.phrases.add((phrase for phrase in phrases if len(encoded(phrase)) >= SHORTEST), place)


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


def private_vocabulary(conn: Connection, public: PublicTexts) -> Vocabulary:
    """The words and phrases of a whole database that no public text says. They are kept beside these."""
    every, private = Vocabulary(public.tables, "every"), Vocabulary(public.tables, "private")
    for cell in cells(conn):
        # The marks of counted words are memkit's own: no text has to have them, too.
        every.add(cell.text.strip(MARKS) if cell.table == "word_cases" else cell.text, cell.place)
    for some in every.words.parts():
        private.words.update(public.unsaid_words(some))
    for some in every.phrases.parts():
        private.phrases.update(public.unsaid_phrases(some))
    return private


def private_terms(private: TextTable, public: PublicTexts) -> TextTable:
    """Private words and their stems, with the place of each, without public words and their stems."""
    found = TextTable(public.tables, "private terms")
    for some in private.parts():
        found.update({term: place for term, place in _stemmed(some).items() if is_telling(term)})
    for some in public.words.parts():
        found.remove({*some, *stems(some)})
    return found


def _stemmed(places: Mapping[str, str]) -> dict[str, str]:
    """Some words and their stems, with the place of each."""
    return {**places, **{stem: places[word] for stem, word in stems(places).items()}}


def secrets(conn: Connection) -> dict[str, str]:
    """The passwords and keys that any text of a database names as such, each with its place (`table.column`).

    Only those that look like one: a word such as `blossom` after `password:` may stand anywhere.
    """
    from memkit.text.redact.randomness import looks_chosen

    return {
        value: cell.place
        for cell in cells(conn)
        if _SAYS.search(cell.text) and not _TIME.fullmatch(cell.text)
        for value in named_secrets(cell.text)
        if len(value) >= _SHORTEST_SECRET and looks_chosen(value)
    }


def named_secrets(text: str) -> Iterator[str]:
    """What a text calls a password or a key, as it is written there and without the signs around it."""
    from memkit.text.redact.credentials import named
    from memkit.text.redact.randomness import without_edges
    from memkit.text.redact.view import as_read, as_written

    view = as_written(text) if text.isascii() else as_read(text)  # the rules know words without accents
    for span in named(view.text):
        value = text[slice(*view.place(*span))]
        yield from dict.fromkeys((value, without_edges(value)))


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


def blobs(conn: Connection) -> Iterator[bytes]:
    """The BLOB values of a database, many joined with a zero byte."""
    joined = bytearray()
    for _, _, value in _values(conn, "blob"):
        joined += value + b"\0"
        if len(joined) >= TOGETHER:
            yield bytes(joined)
            joined.clear()
    yield bytes(joined)


def terms(conn: Connection) -> Iterator[str]:
    """Every term in the full-text indexes of a database. Their pages store terms in pieces."""
    for (table,) in conn.execute(SELECT_VIRTUAL).fetchall():
        conn.execute(f"create virtual table temp.published_terms using fts5vocab(main, {identifier(table)}, 'row')")
        for (term,) in conn.execute("select term from temp.published_terms"):
            yield term
        conn.execute("drop table temp.published_terms")
