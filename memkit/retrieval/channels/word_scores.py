"""Word scores: the BM25 scores of all memories with a word, several times as fast as FTS5's own bm25() gives them.

FTS5 hands each row to bm25(), which reads the length of its text from a table. Here FTS5 only says in which rows and
columns a word stands (fts5vocab), and the length of each text is read once. The formula and its numbers are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from threading import Lock
from typing import TYPE_CHECKING

from memkit.storage.connection import Connection
from memkit.storage.driver import CachingConnection, sqlite3

if TYPE_CHECKING:
    import numpy as np

Postings = tuple["np.ndarray", "np.ndarray"]  # keys, ascending, and the score of each

K1, B = 1.2, 0.75  # the constants of FTS5's bm25()
LEAST_IDF = 1e-6  # and what it takes for a word that stands in half of all rows or more
FEW = 200  # rows with a word: for these, bm25() takes no longer
MANY = 0.2  # of all rows: once so many lengths were looked up, reading all of them takes no longer than that did
AT_ONCE = 1 << 15  # keys whose lengths are read together
TOKENIZER = "porter unicode61 remove_diacritics 2"  # as memories_fts has it
COLUMNS = 5  # of memories_fts

MAKE_WORDS = "create virtual table if not exists temp.word_places using fts5vocab(main, memories_fts, instance)"
# A place among the neighbours counts apart: its row is written with a minus.
SELECT_PLACES = "select group_concat(iif(col = 'context', -doc, doc)) from temp.word_places where term = :token"
# In the order of the keys.
SELECT_SIZES = """
select group_concat(hex(d.sz), '')
from json_each(:keys) as k cross join memories_fts_docsize as d on d.id = k.value
"""
SELECT_SIZES_BETWEEN = """
select group_concat(id), group_concat(hex(sz), '') from memories_fts_docsize where id between :first and :last
"""
SELECT_AVERAGES = "select block from memories_fts_data where id = 1"
# Each alone is read from the end of the table; both in one query would scan it.
SELECT_ENDS = """
select coalesce((select min(id) from memories_fts_docsize), 0), coalesce((select max(id) from memories_fts_docsize), 0)
"""


class WordScores:
    """Scores of words, for one state of the full-text index."""

    def __init__(self) -> None:
        self._lengths: np.ndarray | None = None  # of each row's text, in words, by row; 0 until it is needed
        self._rows, self._mean = 0, 0.0  # the number of rows, and the mean length
        self._looked_up = 0  # so many lengths, one by one
        self._usual = True  # whether the index is as memkit makes it; if not, bm25() says what is wrong

    def postings(self, conn: Connection, term: str, weights: tuple[float, ...]) -> Postings | None:
        """The rows with a term (an FTS5 string), ascending, and their scores; None if bm25() has to tell them.

        It has to for a term of several words, columns of other weights, and a connection that is not memkit's.
        """
        own, context = weights[:4], weights[4]
        if not self._usual or len(set(own)) > 1 or not _is_own(conn):
            return None
        token = token_of(term)
        if token is None or not _has_words(conn) or not self._ready(conn):
            return None
        found = self._scored(conn, conn.execute(SELECT_PLACES, {"token": token}).fetchone()[0] or "", own[0], context)
        self._usual = found is not None
        return found

    def _ready(self, conn: Connection) -> bool:
        """Reads the totals at the first use; whether there is a place for each row."""
        import numpy as np

        if self._lengths is None:
            (first, last), (self._rows, self._mean) = conn.execute(SELECT_ENDS).fetchone(), _averages(conn)
            self._usual = first > 0 and last <= _room(self._rows) and self._mean > 0
            self._lengths = np.zeros(last + 1) if self._usual else None
        return self._usual

    def _scored(self, conn: Connection, places: str, own: float, context: float) -> Postings | None:
        """The rows of these places, and the score of each; None if a row has no length."""
        import numpy as np

        signed = np.fromstring(places, np.int64, sep=",")
        rows = np.abs(signed)
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        keys = rows[starts]
        if not len(keys):
            return keys.astype(np.int32), np.zeros(0)
        lengths = self._of(conn, keys)
        if lengths is None:
            return None
        frequencies = np.add.reduceat(np.where(signed < 0, context, own), starts)
        idf = max(log(max((self._rows - len(keys) + 0.5) / (len(keys) + 0.5), 1.0)), LEAST_IDF)
        share = K1 * (1 - B + B * lengths / self._mean)
        scores = idf * (frequencies * (K1 + 1) / (frequencies + share))
        return keys if keys[-1] >= 1 << 31 else keys.astype(np.int32), scores

    def _of(self, conn: Connection, keys: np.ndarray) -> np.ndarray | None:
        """The lengths of these rows' texts; None if one has none."""
        assert self._lengths is not None
        if keys[-1] >= len(self._lengths):
            return None
        unknown = keys[self._lengths[keys] == 0]
        if len(unknown):
            self._looked_up += len(unknown)
            many = self._looked_up > MANY * self._rows
            for rows, lengths in _all_lengths(conn, len(self._lengths)) if many else [_lengths(conn, unknown)]:
                self._lengths[rows] = lengths
        found: np.ndarray = self._lengths[keys]
        return found if found.all() else None


# ---------------------------------------------------------------------------------------------- the index


def _is_own(conn: Connection) -> bool:
    """Whether a connection is memkit's, and in no transaction, whose changes the lengths would not have."""
    return isinstance(conn, CachingConnection) and not conn.in_transaction


def _has_words(conn: Connection) -> bool:
    """Whether this connection can ask for the places of words. A table of its own is made for that at the first use."""
    memo = conn.memkit_cache  # type: ignore[attr-defined]
    if "word places" not in memo:
        try:
            conn.execute(MAKE_WORDS)
            memo["word places"] = True
        except sqlite3.DatabaseError:  # such as a connection that may write nothing at all
            memo["word places"] = False
    return bool(memo["word places"])


def _lengths(conn: Connection, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """These rows, and the number of words of each one's text and neighbours."""
    said = conn.execute(SELECT_SIZES, {"keys": f"[{','.join(map(str, keys.tolist()))}]"}).fetchone()[0]
    return keys, _sums(said, len(keys))


def _all_lengths(conn: Connection, end: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The same for all rows with keys below `end`, some at a time."""
    import numpy as np

    for first in range(1, end, AT_ONCE):
        asked = {"first": first, "last": min(first + AT_ONCE, end) - 1}
        keys, said = conn.execute(SELECT_SIZES_BETWEEN, asked).fetchone()
        rows = np.fromstring(keys or "", np.int64, sep=",")
        yield rows, _sums(said, len(rows))


def _sums(said: str | None, rows: int) -> np.ndarray:
    """The sum of the numbers for each row, which are one for each column, in hex; zeros if they are not that many."""
    import numpy as np

    octets = np.frombuffer(bytes.fromhex(said or ""), np.uint8)
    ends = np.flatnonzero(octets < 0x80)
    if len(ends) != COLUMNS * rows:
        return np.zeros(rows, np.int64)
    return np.diff(np.cumsum(_values(octets))[ends[COLUMNS - 1 :: COLUMNS]], prepend=0)


def _room(rows: int) -> int:
    """The highest key that is worth an array with a place for each key."""
    return 8 * rows + 100_000


def _values(octets: np.ndarray) -> np.ndarray:
    """What each byte of SQLite's numbers adds to its number: 7 bits, times 128 for each byte of it that follows."""
    import numpy as np

    goes_on = np.append(octets >= 0x80, [False, False])
    one = goes_on[:-2]
    two = one & goes_on[1:-1]
    three = two & goes_on[2:]
    values: np.ndarray = (octets & 0x7F).astype(np.int64) << (7 * (one.astype(np.int64) + two + three))
    return values


def _averages(conn: Connection) -> tuple[int, float]:
    """The number of rows, and the mean number of words in one, as FTS5 stores them; 0 without any."""
    import numpy as np

    row = conn.execute(SELECT_AVERAGES).fetchone()
    octets = np.frombuffer(row[0] if row else b"", np.uint8)
    ends = np.flatnonzero(octets < 0x80)
    rows, *totals = np.diff(np.cumsum(np.append(0, _values(octets)))[ends + 1], prepend=0).tolist() or [0]
    return rows, sum(totals) / rows if rows else 0.0


# ---------------------------------------------------------------------------------------------- the tokenizer

_lock = Lock()
_tokens: dict[str, str | None] = {}
MOST_TOKENS = 1 << 14


def token_of(term: str) -> str | None:
    """The one token that the index makes of a term (an FTS5 string); None if it makes several or none."""
    with _lock:
        if term not in _tokens:
            if len(_tokens) >= MOST_TOKENS:
                _tokens.clear()
            _tokens[term] = _token(term[1:-1].replace('""', '"'))
        return _tokens[term]


def _token(word: str) -> str | None:
    conn = _tokenizer()
    conn.execute("insert into one (one) values ('delete-all')")
    conn.execute("insert into one (rowid, word) values (1, ?)", (word,))
    found = [row[0] for row in conn.execute("select term from tokens")]
    return found[0] if len(found) == 1 else None


_made: list[Connection] = []


def _tokenizer() -> Connection:
    """A database in memory whose index makes tokens as that of the memories does."""
    if not _made:
        conn: Connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        conn.execute(f"create virtual table one using fts5(word, content='', tokenize='{TOKENIZER}')")
        conn.execute("create virtual table tokens using fts5vocab(one, instance)")
        _made.append(conn)
    return _made[0]
