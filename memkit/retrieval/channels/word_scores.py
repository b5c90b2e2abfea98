"""Word scores: the BM25 scores of all memories with a word, or beside a memory with it.

FTS5 says in which memories and columns a word stands (fts5vocab). Those beside them are found here, which FTS5's own
bm25() cannot do, because it sees one row alone. The formula and its numbers are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from memkit.core.errors import IndexDamaged
from memkit.retrieval.channels.places import Places
from memkit.storage.borrowed import TEMPORARY
from memkit.storage.connection import Connection
from memkit.storage.driver import sqlite3
from memkit.storage.sqlite_numbers import listed

if TYPE_CHECKING:
    import numpy as np

    from memkit.retrieval.channels.neighbours import Neighbours

Postings = tuple["np.ndarray", "np.ndarray"]  # keys, ascending, and the score of each

K1, B = 1.2, 0.75  # the constants of FTS5's bm25()
LEAST_IDF = 1e-6  # and what it takes for a word that stands in half of all rows or more
DAMAGED = "The full-text index is damaged. Run: memkit doctor DATABASE --fix"

# A place as one number: the memory, and how many tokens of its text stand before it. What is in another column is as
# far from the start as can be. Before version 7 neighbours had a column.
FAR = 4095
PLACE = f"""
case when col = 'text' then doc << 12 | min(offset, {FAR}) when col <> 'context' then doc << 12 | {FAR} end
""".strip()
EACH_COLUMN = "case col when 'text' then 0 when 'title' then 1 when 'tags' then 3 else 2 end"
MAKE_WORDS, MAKE_PAIRS = (
    f"create virtual table if not exists temp.{index}_places using fts5vocab(main, {index}, instance)"
    for index in ("memories_fts", "memories_cjk")
)
SELECT_WORDS = f"select group_concat({PLACE}) from temp.memories_fts_places where term = :token and doc > 0"
SELECT_WORDS_BY_COLUMN, SELECT_PAIRS_BY_COLUMN = (
    f"""
select group_concat({PLACE}), group_concat({EACH_COLUMN}) from temp.{index}_places
where term = :token and doc > 0 and col <> 'context' and (:column is null or col = :column)
"""
    for index in ("memories_fts", "memories_cjk")
)
SELECT_WORD_OFFSETS, SELECT_PAIR_OFFSETS = (
    f"""
select group_concat(doc), group_concat({EACH_COLUMN}), group_concat(offset) from temp.{index}_places
where term = :token and doc > 0 and col <> 'context'
    and doc in (select rowid from {index} where {index} match :term)
"""
    for index in ("memories_fts", "memories_cjk")
)
SELECT_WORD_ROWS, SELECT_PAIR_ROWS = (
    f"select group_concat(rowid) from {index} where {index} match :term" for index in ("memories_fts", "memories_cjk")
)
# Counting stops when a term is surely common. It is cheap, because it does not read places.
COUNT_WORD, COUNT_PAIR = (
    f"select count(*) from (select 1 from {index} where {index} match :term limit :limit)"
    for index in ("memories_fts", "memories_cjk")
)


class Index(NamedTuple):
    """A full-text index: how it makes tokens of a text, and the statements that ask it."""

    tokenizer: str
    by_column: str
    offsets: str
    rows: str
    counting: str


INDEXES = {
    "fts": Index(
        "porter unicode61 remove_diacritics 2",
        SELECT_WORDS_BY_COLUMN,
        SELECT_WORD_OFFSETS,
        SELECT_WORD_ROWS,
        COUNT_WORD,
    ),
    "cjk": Index(
        "unicode61 remove_diacritics 0", SELECT_PAIRS_BY_COLUMN, SELECT_PAIR_OFFSETS, SELECT_PAIR_ROWS, COUNT_PAIR
    ),
}
CHARACTERS = 0.2  # of the weight of a pair of characters: that of one alone
OF_CHARACTERS = "characters : "  # before a term that is a single character


def postings(
    conn: Connection, index: str, term: str, weights: tuple[float, ...], near: Neighbours, rows: int, length: float
) -> Postings:
    """The memories that have a term (an FTS5 string) or stand beside one that has it, ascending, and their scores.

    `weights` are those of the columns text, title, speaker and tags, and of neighbours. `rows` is the number of
    memories that have words, and `length` the mean number of these. Raises IndexDamaged.
    """
    import numpy as np

    of_columns = weights[:4] if index == "fts" else (*weights[:2], CHARACTERS * weights[0])
    places, frequencies = near.spread(index, _places(conn, index, term, of_columns), weights[4])
    keys, lengths = near.keys(places), near.lengths(index)[places]
    if not lengths.all():
        raise IndexDamaged(DAMAGED)
    share = frequencies * (K1 + 1) / (frequencies + K1 * (1 - B + B * lengths / length))
    scores = idf(len(keys), rows) * share
    if near.order is not None:
        order = np.argsort(keys, kind="stable")
        keys, scores = keys[order], scores[order]
    return keys if len(keys) and keys[-1] >= 1 << 31 else keys.astype(np.int32), scores


def idf(n: int, rows: int) -> float:
    """The idf that BM25 gives a term that `n` of so many memories have, as FTS5 computes it: 1e-6 at least."""
    return max(log(max((rows - n + 0.5) / (n + 0.5), 1.0)), LEAST_IDF)


def _places(conn: Connection, index: str, term: str, weights: tuple[float, ...]) -> Places:
    import numpy as np

    tokens = tokens_of(index, term)
    if not make_places(conn):
        return _once_each(conn, index, term)
    if len(tokens) != 1:
        return _of_phrase(conn, index, term, tokens, weights)
    about = {"token": tokens[0], "column": "characters" if OF_CHARACTERS in term else None}
    if index == "fts" and len(set(weights)) == 1:
        places = listed(conn.execute(SELECT_WORDS, about).fetchone()[0])
        return Places(places >> 12, places & FAR, weights[0])
    places, columns = map(listed, conn.execute(INDEXES[index].by_column, about).fetchone())
    return Places(places >> 12, places & FAR, np.array(weights)[columns])


def _of_phrase(conn: Connection, index: str, term: str, tokens: Sequence[str], weights: tuple[float, ...]) -> Places:
    """The places of several words in a row; none for a term in which the index sees no word."""
    import numpy as np

    both = np.zeros(0, np.int64)
    for n, token in enumerate(tokens):
        said = conn.execute(INDEXES[index].offsets, {"token": token, "term": term}).fetchone()
        keys, columns, offsets = map(listed, said)
        begins = (keys << 34 | columns << 32 | offsets) - n
        both = np.intersect1d(both, begins) if n else begins
    columns, offsets = both >> 32 & 3, both & (1 << 32) - 1
    return Places(both >> 34, np.where(columns, FAR, offsets), np.array(weights)[columns])


def _once_each(conn: Connection, index: str, term: str) -> Places:
    """One place in each memory with a term: for a connection that cannot ask for the places of words."""
    import numpy as np

    keys = np.sort(listed(conn.execute(INDEXES[index].rows, {"term": term}).fetchone()[0]))
    return Places(keys, np.zeros(len(keys), np.int64), 1.0)


# ---------------------------------------------------------------------------------------------- the index


def make_places(conn: Connection) -> bool:
    """Lets a connection ask for the places of words; whether it can. It gets temporary tables of its own for that."""
    memo = getattr(conn, "memkit_cache", {})
    if memo.get("word places"):
        return True
    (reading,) = conn.execute("pragma query_only").fetchone()
    try:
        conn.execute("pragma query_only = off")  # it means temporary tables, too
        for statement in (MAKE_WORDS, MAKE_PAIRS):
            conn.execute(statement)
    except sqlite3.OperationalError:  # such as a connection that may write nothing at all
        return False
    finally:
        conn.execute(f"pragma query_only = {int(reading)}")
    memo[TEMPORARY] = ["memories_fts_places", "memories_cjk_places"]
    memo["word places"] = not conn.in_transaction  # whose end may take them away
    return True


# ---------------------------------------------------------------------------------------------- the tokenizer

_lock = Lock()
_tokens: dict[tuple[str, str], tuple[str, ...]] = {}
MOST_TOKENS = 1 << 14


def tokens_of(index: str, term: str) -> tuple[str, ...]:
    """The tokens that an index makes of a term (an FTS5 string), in order."""
    with _lock:
        if (index, term) not in _tokens:
            if len(_tokens) >= MOST_TOKENS:
                _tokens.clear()
            _tokens[index, term] = _tokenized(index, term.removeprefix(OF_CHARACTERS)[1:-1].replace('""', '"'))
        return _tokens[index, term]


def _tokenized(index: str, words: str) -> tuple[str, ...]:
    conn = _tokenizer()
    conn.execute(f"insert into {index} ({index}) values ('delete-all')")
    conn.execute(f"insert into {index} (rowid, words) values (1, ?)", (words,))
    return tuple(row[0] for row in conn.execute(f"select term from {index}_tokens order by offset"))


_made: list[Connection] = []


def _tokenizer() -> Connection:
    """A database in memory whose indexes make tokens as those of the memories do."""
    if not _made:
        conn: Connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        for name, index in INDEXES.items():
            conn.execute(f"create virtual table {name} using fts5(words, content='', tokenize='{index.tokenizer}')")
            conn.execute(f"create virtual table {name}_tokens using fts5vocab({name}, instance)")
        _made.append(conn)
    return _made[0]
