"""Text blocks: where many texts stand and how long they are, in one row each, so that a new process reads them at once.

Recall needs both of all memories that a word may find (`channels.neighbours`). A block repeats the rows of a range of
keys; triggers drop it when one of them changes, and what no block covers is read from the tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from memkit.storage import block_ranges
from memkit.storage.connection import Connection
from memkit.storage.sqlite_numbers import listed, varints

FIRST_KEY = -(2**63)

SELECT_RANGES = "select key, first_key, last_key from text_blocks order by first_key"
COUNT_BYTES = "select coalesce(sum(length(words)), 0) from text_blocks"
SELECT_BLOCK = """
select first_key, last_key, cast(keys as blob), cast(documents as blob), cast(positions as blob), cast(words as blob),
    cast(pairs as blob)
from text_blocks where key = :key
"""
# Another program may have stored anything: what has no whole numbers stands alone. Neighbours are found by the words in
# the first 600 characters of a text. To estimate their share of all words, a space counts as much as 50 characters, so
# that there is one without spaces, too: it is right to 1.5 words (MuSiQue .7, LiHua World and LongMemEval 1.4).
SELECT_PLACES = """
select group_concat(key), group_concat(iif(placed, document_key, 0)), group_concat(iif(placed, position, 0)),
    group_concat(iif(
        length(text) <= 600, 1.0,
        (51.0 * 600 - 50 * length(replace(substr(text, 1, 600), ' ', '')))
            / (51 * length(text) - 50 * length(replace(text, ' ', '')))
    ))
from (
    select key, document_key, position, text,
        document_key between 1 and 1000000000 and typeof(position) = 'integer'
            and position between -1000000000 and 1000000000 as placed
    from memories where key between :first and :last order by key limit :limit
)
"""
SELECT_WORDS, SELECT_PAIRS = (
    f"select group_concat(id), group_concat(hex(sz), '') from {index}_docsize where id between :first and :last"
    for index in ("memories_fts", "memories_cjk")
)
# A key that no block had before: who keeps what a block covers knows by it that this one is another.
INSERT_BLOCK = """
insert into text_blocks (key, first_key, last_key, keys, documents, positions, words, pairs)
values (random() & 0x3fffffffffffffff, :first, :last, :keys, :documents, :positions, :words, :pairs)
"""


class Texts(NamedTuple):
    """The places and lengths of n texts: `keys` (n) int64, ascending; `documents` and `positions` (n) int32.

    `words` and `pairs` (2, n) int32 are the numbers of tokens of each memory in the two indexes, and how many of them,
    at the beginning of its text, its neighbours are found by. A memory without a place in a document has document 0.
    """

    keys: np.ndarray
    documents: np.ndarray
    positions: np.ndarray
    words: np.ndarray
    pairs: np.ndarray


Block = tuple[int, int, int]  # the key of a block, and the first and the last key that it covers


def blocks(conn: Connection) -> list[Block]:
    """The blocks of a file, in the order of their keys."""
    return [(row[0], row[1], row[2]) for row in conn.execute(SELECT_RANGES)]


def read_block(conn: Connection, key: int) -> Texts | None:
    """What a block has; None if it is none: another program may have written it."""
    first, last, *blobs = conn.execute(SELECT_BLOCK, {"key": key}).fetchone()
    n = len(blobs[0]) // 8
    if not n or [len(blob) for blob in blobs[:4]] != [8 * n, 4 * n, 4 * n, 8 * n] or len(blobs[4]) not in (0, 8 * n):
        return None
    keys, documents, positions, words, pairs = (
        np.frombuffer(blob, kind) for blob, kind in zip(blobs, ("<i8", "<i4", "<i4", "<i4", "<i4"), strict=True)
    )
    if keys[0] < first or keys[-1] > last or (keys[1:] <= keys[:-1]).any() or (words < 0).any() or (pairs < 0).any():
        return None
    pairs = pairs if len(pairs) else np.zeros(2 * n, np.int32)
    return Texts(keys, documents, positions, words.reshape(2, n), pairs.reshape(2, n))


def read_rows(conn: Connection, first: int, last: int, limit: int = -1) -> Texts:
    """The same for a range of keys, read from the tables."""
    if first > last:
        return _texts([], [], [])
    about = {"first": first, "last": last}
    *numbers, said = conn.execute(SELECT_PLACES, {**about, "limit": limit}).fetchone()
    keys, documents, positions = map(listed, numbers)
    share = listed(said, float)
    if not len(keys):
        return _texts([], [], [])
    about["last"] = int(keys[-1])
    return Texts(
        keys,
        documents.astype(np.int32),
        positions.astype(np.int32),
        _found_by(_sizes(conn, SELECT_WORDS, about, keys, 4, 4), share),
        _found_by(_sizes(conn, SELECT_PAIRS, about, keys, 3, 2), share),
    )


def joined(conn: Connection, parts: Iterable[Texts]) -> Texts:
    """The texts of these parts of a file, one part after the other."""
    covered = conn.execute(COUNT_BYTES).fetchone()[0] // 8
    return block_ranges.joined(_texts([], [], []), parts, covered + block_ranges.LEAST)


def write(conn: Connection) -> None:
    """Writes a block for each range of memories that has none, except for a few at the end. Each is a transaction."""

    def covered() -> list[block_ranges.Range]:
        return [(first, last) for _, first, last in blocks(conn)]

    block_ranges.fill(conn, FIRST_KEY, covered, partial(_write_block, conn))


def _write_block(conn: Connection, first: int, last: int) -> int | None:
    """Writes the block of the first rows of a range; returns the last key that it covers, or None without a block."""
    texts = read_rows(conn, first, last, block_ranges.ROWS)
    if (end := block_ranges.end_of(texts.keys, last)) is not None:
        blobs = {name: one.astype(one.dtype.newbyteorder("<")).tobytes() for name, one in texts._asdict().items()}
        if not texts.pairs.any():
            blobs["pairs"] = b""
        conn.execute(INSERT_BLOCK, {"first": first, "last": end, **blobs})
    return end


def _found_by(sizes: np.ndarray, share: np.ndarray) -> np.ndarray:
    """The numbers of tokens in rows, and the share of those in texts by which neighbours are found."""
    own, text = sizes
    return np.stack([own, np.rint(text * share).astype(np.int32)])


def _sizes(
    conn: Connection, query: str, about: dict[str, int], keys: np.ndarray, columns: int, context: int
) -> np.ndarray:
    """For each key, the number of tokens in its row of an index and in its text (2, n); 0 where it has no row.

    The index has so many columns; one of before version 7 has that of the neighbours, too, at the place `context`.
    """
    said_keys, said = conn.execute(query, about).fetchone()
    rows = listed(said_keys)
    sizes = np.zeros((2, len(keys)), np.int32)
    numbers = varints(bytes.fromhex(said or ""))
    if len(rows) and len(numbers) in (columns * len(rows), (columns + 1) * len(rows)):
        of_rows = numbers.reshape(len(rows), -1)
        if of_rows.shape[1] > columns:
            of_rows = np.delete(of_rows, context, axis=1)
        at = np.minimum(np.searchsorted(keys, rows), len(keys) - 1)
        here = keys[at] == rows
        sizes[:, at[here]] = of_rows[here].sum(axis=1), of_rows[here, 0]
    return sizes


def _texts(keys: list[int], documents: list[int], positions: list[int]) -> Texts:
    none = np.zeros((2, 0), np.int32)
    return Texts(np.array(keys, np.int64), np.array(documents, np.int32), np.array(positions, np.int32), none, none)
