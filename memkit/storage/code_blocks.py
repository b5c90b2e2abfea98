"""Code blocks: two bits for each number of many vectors in one row, so that a new process reads them at once.

A code has the signs of all numbers, as in the table `embeddings`, and then whether each is large (`magnitude_code`). A
block has those of a range of the table's keys; triggers drop it when one of them changes. For what no block covers, the
vectors themselves are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from memkit.storage import block_ranges, vector_rows
from memkit.storage.connection import Connection

SELECT_BLOCKS = """
select first_key, last_key, cast(keys as blob), cast(memory_keys as blob), cast(codes as blob) from code_blocks
where model_key = :model_key and first_key > :after and last_key <= :last order by first_key
"""
COUNT_BYTES = """
select coalesce(sum(length(codes)), 0) from code_blocks
where model_key = :model_key and first_key > :after and last_key <= :last
"""
COUNT_COVERED = "select coalesce(sum(length(keys)), 0) / 8 from code_blocks where model_key = :model_key"
SELECT_RANGES = "select first_key, last_key from code_blocks where model_key = :model_key order by first_key"
# A key that no block had before: who keeps what a block covers knows by it that this one is another (`kept_vectors`).
INSERT_BLOCK = """
insert into code_blocks (key, model_key, first_key, last_key, keys, memory_keys, codes)
values (random() & 0x3fffffffffffffff, :model_key, :first, :last, :keys, :memory_keys, :codes)
"""
SELECT_DIMS = "select key, dims from models order by key"


class CodeRows(NamedTuple):
    """The codes of n embeddings: `keys` and `memory_keys` (n) int64, `signs` and `large` (words, n) uint64.

    The bits of a code are padded with zeros to whole words; `signs[0]` are the first 64 signs of all vectors.
    """

    keys: np.ndarray
    memory_keys: np.ndarray
    signs: np.ndarray
    large: np.ndarray


def read(conn: Connection, model_key: int, dims: int, after: int, last: int) -> CodeRows:
    """The codes of a model's embeddings, of `dims` numbers each, with keys above `after`, up to `last`, by key."""
    about = {"model_key": model_key, "after": after, "last": last}
    covered = conn.execute(COUNT_BYTES, about).fetchone()[0] // (2 * 8 * _words_for(dims))
    return joined(_parts(conn, model_key, dims, after, last), dims, covered + block_ranges.LEAST)


def joined(parts: Iterable[CodeRows], dims: int, room: int) -> CodeRows:
    """The codes of these parts, of `dims` numbers each, one part after the other: about `room` in all."""
    return block_ranges.joined(_none(dims), parts, room)


def _parts(conn: Connection, model_key: int, dims: int, after: int, last: int) -> Iterator[CodeRows]:
    """The blocks, and between them the rows that none covers."""
    first = after + 1
    for start, end, *blobs in conn.execute(SELECT_BLOCKS, {"model_key": model_key, "after": after, "last": last}):
        block = _block(start, end, blobs, dims)
        if block is not None and start >= first:
            yield from _rows(conn, model_key, dims, first, start - 1)
            yield block
            first = end + 1
    yield from _rows(conn, model_key, dims, first, last)


def write(conn: Connection) -> None:
    """Writes a block for each range of embeddings that has none, except for a few at the end. Each is a transaction."""
    for model_key, dims in conn.execute(SELECT_DIMS).fetchall():
        covered = partial(_ranges, conn, model_key)
        block_ranges.fill(conn, 1, covered, partial(_write_block, conn, model_key, dims))


def _ranges(conn: Connection, model_key: int) -> list[block_ranges.Range]:
    return [(row[0], row[1]) for row in conn.execute(SELECT_RANGES, {"model_key": model_key})]


def _write_block(conn: Connection, model_key: int, dims: int, first: int, last: int) -> int | None:
    """Writes the block of the first rows of a range; returns the last key that it covers, or None without a block."""
    rows = next(_rows(conn, model_key, dims, first, last), _none(dims))
    if (end := block_ranges.end_of(rows.keys, last)) is not None:
        numbers = {"model_key": model_key, "first": first, "last": end}
        blobs = {name: array.astype(array.dtype.newbyteorder("<")).tobytes() for name, array in _named(rows)}
        conn.execute(INSERT_BLOCK, {**numbers, **blobs})
    return end


def _named(rows: CodeRows) -> Iterator[tuple[str, np.ndarray]]:
    return zip(("keys", "memory_keys", "codes"), (*rows[:2], np.concatenate(rows[2:])), strict=True)


def _block(start: int, end: int, blobs: list[bytes], dims: int) -> CodeRows | None:
    """The codes in a block; None if another program wrote it, or a memkit that kept signs only."""
    n, words = len(blobs[0]) // 8, _words_for(dims)
    if [len(blob) for blob in blobs] != [8 * n, 8 * n, 2 * 8 * n * words] or not n:
        return None
    keys, memory_keys, codes = (
        np.frombuffer(blob, kind) for blob, kind in zip(blobs, ("<i8", "<i8", "<u8"), strict=True)
    )
    if keys[0] < start or keys[-1] > end or (keys[1:] <= keys[:-1]).any():
        return None
    return CodeRows(keys, memory_keys, *codes.reshape(2, words, n))


def _rows(conn: Connection, model_key: int, dims: int, first: int, last: int) -> Iterator[CodeRows]:
    """The codes of a range of embeddings, made of their vectors, in parts of as many as a block has at most."""
    about = {"model_key": model_key, "last": last, "limit": block_ranges.ROWS}
    while first <= last:
        keys, memory_keys, vectors = vector_rows.read(conn, vector_rows.EACH_IN_RANGE, dims, {**about, "first": first})
        if not len(keys):
            return
        yield CodeRows(keys, memory_keys, *codes_of(vectors))
        first = int(keys[-1]) + 1


def codes_of(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The signs of some vectors (n, dims), and which numbers are large, as words of 64 bits: (words, n) each."""
    from memkit.embedding.vectors import binary_code, magnitude_code

    with np.errstate(all="ignore"):  # another program may have stored any numbers
        return _words_of(binary_code(vectors)), _words_of(magnitude_code(vectors))


def _words_for(dims: int) -> int:
    """How many words of 64 bits one bit for each dimension takes."""
    return (dims + 63) // 64


def _words_of(codes: np.ndarray) -> np.ndarray:
    """Codes (n, bytes) uint8 as words of 64 bits (words, n): the first words of all codes together."""
    if codes.shape[1] % 8:
        codes = np.pad(codes, ((0, 0), (0, -codes.shape[1] % 8)))
    return np.ascontiguousarray(np.ascontiguousarray(codes).view(np.uint64).T)


def _none(dims: int) -> CodeRows:
    none, empty = np.zeros(0, np.int64), np.zeros((_words_for(dims), 0), np.uint64)
    return CodeRows(none, none, empty, empty)
