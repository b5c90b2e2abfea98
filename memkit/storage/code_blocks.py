"""Code blocks: the binary codes of many vectors in one row each, so that a new process reads them at once.

The codes stay in the table `embeddings`. A block repeats those of a range of its keys; triggers drop it when one of
them changes, and what no block covers is read row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from memkit.storage import block_ranges
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

SELECT_BLOCKS = """
select first_key, last_key, cast(keys as blob), cast(memory_keys as blob), cast(codes as blob) from code_blocks
where model_key = :model_key and first_key > :after and last_key <= :last order by first_key
"""
COUNT_COVERED = "select coalesce(sum(length(keys)), 0) / 8 from code_blocks where model_key = :model_key"
SELECT_RANGES = "select first_key, last_key from code_blocks where model_key = :model_key order by first_key"
# Another program may have stored anything: what is no code of the model's length is left out.
SELECT_CODES = """
select key, memory_key, code from embeddings
where model_key = :model_key and key between :first and :last
    and typeof(memory_key) = 'integer' and typeof(code) = 'blob' and length(code) = :width
order by key limit :limit
"""
# A key that no block had before: who keeps what a block covers knows by it that this one is another (`kept_vectors`).
INSERT_BLOCK = """
insert into code_blocks (key, model_key, first_key, last_key, keys, memory_keys, codes)
values (random() & 0x3fffffffffffffff, :model_key, :first, :last, :keys, :memory_keys, :codes)
"""
SELECT_WIDTHS = "select key, (dims + 7) / 8 from models order by key"


class CodeRows(NamedTuple):
    """The codes of n embeddings: `keys` and `memory_keys` (n) int64, and `words` (bytes / 8, n) uint64.

    A code is padded with zeros to whole words; `words[0]` are the first 64 bits of all codes.
    """

    keys: np.ndarray
    memory_keys: np.ndarray
    words: np.ndarray


def read(conn: Connection, model_key: int, width: int, after: int, last: int) -> CodeRows:
    """The codes, of `width` bytes each, of a model's embeddings with keys above `after`, up to `last`, by key."""
    about = {"model_key": model_key, "after": after, "last": last}
    parts, first = [], after + 1
    for start, end, *blobs in conn.execute(SELECT_BLOCKS, about).fetchall():
        block = _block(start, end, blobs, width)
        if block is not None and start >= first:
            parts += [_rows(conn, model_key, width, first, start - 1), block]
            first = end + 1
    return joined([*parts, _rows(conn, model_key, width, first, last)], width)


def joined(parts: list[CodeRows], width: int) -> CodeRows:
    """The codes of these parts, of `width` bytes each, one part after the other."""
    full = [part for part in parts if len(part.keys)]
    if len(full) == 1:
        return full[0]
    return CodeRows(*(np.concatenate(column, axis=-1) for column in zip(*(full or [_none(width)]), strict=True)))


def write(conn: Connection) -> None:
    """Writes a block for each range of embeddings that has none, except for a few at the end. Each is a transaction."""
    for model_key, width in conn.execute(SELECT_WIDTHS).fetchall():
        covered = map(tuple, conn.execute(SELECT_RANGES, {"model_key": model_key}).fetchall())
        block_ranges.fill(block_ranges.gaps(covered, 1), partial(_write_block, conn, model_key, width))


def _write_block(conn: Connection, model_key: int, width: int, first: int, last: int) -> int | None:
    """Writes the block of the first rows of a range; returns the last key that it covers, or None without a block."""
    with writing(conn):
        rows = _rows(conn, model_key, width, first, last, block_ranges.ROWS)
        if (end := block_ranges.end_of(rows.keys, last)) is not None:
            numbers = {"model_key": model_key, "first": first, "last": end}
            blobs = {name: array.astype(array.dtype.newbyteorder("<")).tobytes() for name, array in _named(rows)}
            conn.execute(INSERT_BLOCK, {**numbers, **blobs})
    return end


def _named(rows: CodeRows) -> Iterator[tuple[str, np.ndarray]]:
    return zip(("keys", "memory_keys", "codes"), rows, strict=True)


def _block(start: int, end: int, blobs: list[bytes], width: int) -> CodeRows | None:
    """The codes in a block; None if it is none: another program may have written it."""
    n = len(blobs[0]) // 8
    words = (width + 7) // 8
    if [len(blob) for blob in blobs] != [8 * n, 8 * n, 8 * n * words] or not n:
        return None
    keys, memory_keys, codes = (
        np.frombuffer(blob, kind) for blob, kind in zip(blobs, ("<i8", "<i8", "<u8"), strict=True)
    )
    if keys[0] < start or keys[-1] > end or (np.diff(keys) <= 0).any():
        return None
    return CodeRows(keys, memory_keys, codes.reshape(words, n))


def _rows(conn: Connection, model_key: int, width: int, first: int, last: int, limit: int = -1) -> CodeRows:
    """The codes of a range of embeddings, read row by row."""
    if first > last:
        return _none(width)
    about = {"model_key": model_key, "width": width, "first": first, "last": last, "limit": limit}
    rows = conn.execute(SELECT_CODES, about).fetchall()
    codes = np.frombuffer(b"".join(row[2] for row in rows), np.uint8).reshape(len(rows), width)
    keys, memory_keys = (np.array([row[i] for row in rows], np.int64) for i in (0, 1))
    return CodeRows(keys, memory_keys, words_of(codes))


def words_of(codes: np.ndarray) -> np.ndarray:
    """Codes (n, bytes) uint8 as words of 64 bits (words, n): the first words of all codes together."""
    if codes.shape[1] % 8:
        codes = np.pad(codes, ((0, 0), (0, -codes.shape[1] % 8)))
    return np.ascontiguousarray(np.ascontiguousarray(codes).view(np.uint64).T)


def _none(width: int) -> CodeRows:
    none = np.zeros(0, np.int64)
    return CodeRows(none, none, np.zeros(((width + 7) // 8, 0), np.uint64))
