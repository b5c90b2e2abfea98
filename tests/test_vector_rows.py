"""Vectors that SQLite joins in one value: they are those of the rows, in files of any encoding."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from memkit.storage import vector_rows
from memkit.storage.driver import sqlite3

DIMS = 5
NO_VECTORS = ("x'00'", "'twenty letters long.'", "null", "7", "zeroblob(24)")


@pytest.fixture(params=["UTF-8", "UTF-16le", "UTF-16be"])
def conn(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Forty vectors of any bytes, of two models, with rows between them that have none."""
    chance = np.random.default_rng(1)
    with closing(sqlite3.connect(tmp_path / "some.db", isolation_level=None)) as made:
        made.execute(f"pragma encoding = '{request.param}'")
        made.execute("create table embeddings (key integer primary key, memory_key, model_key integer, vector)")
        for key in range(1, 41):
            vector = chance.bytes(4 * DIMS)
            made.execute("insert into embeddings values (?, ?, ?, ?)", (2 * key, 100 - key, 1 + key % 2, vector))
        for key, no_vector in enumerate(NO_VECTORS):
            made.execute(f"insert into embeddings values ({2 * key + 1}, {key}, 1, {no_vector})")
        made.execute("insert into embeddings values (99, 'a text', 1, ?)", (chance.bytes(4 * DIMS),))
        yield made


def in_rows(conn: sqlite3.Connection, condition: str) -> dict[int, tuple[int, bytes]]:
    rows = conn.execute(f"select key, memory_key, vector from embeddings where key % 2 = 0 and {condition}")
    return {key: (memory, bytes(vector)) for key, memory, vector in rows}


def told(found: vector_rows.VectorRows) -> dict[int, tuple[int, bytes]]:
    return {
        key: (memory, vector.tobytes())
        for key, memory, vector in zip(found.keys.tolist(), found.memory_keys.tolist(), found.vectors, strict=True)
    }


def test_a_range_has_its_vectors_in_the_order_of_their_keys(conn: sqlite3.Connection) -> None:
    about = {"model_key": 1, "first": 5, "last": 61}
    found = vector_rows.read(conn, vector_rows.IN_RANGE, DIMS, about)
    assert told(found) == in_rows(conn, "model_key = 1 and key between 5 and 61")
    assert (np.diff(found.keys) > 0).all()
    nothing = vector_rows.read(conn, vector_rows.IN_RANGE, DIMS, {**about, "first": 200, "last": 300})
    assert [each.shape for each in nothing] == [(0,), (0,), (0, DIMS)]


def test_what_is_no_vector_is_zeros_where_each_row_counts(conn: sqlite3.Connection) -> None:
    about = {"model_key": 1, "first": 1, "last": 20}
    found = told(vector_rows.read(conn, vector_rows.EACH_IN_RANGE, DIMS, {**about, "limit": -1}))
    zeros = {2 * key + 1: (key, bytes(4 * DIMS)) for key in range(len(NO_VECTORS))}
    assert found == in_rows(conn, "model_key = 1 and key between 1 and 20") | zeros
    first = told(vector_rows.read(conn, vector_rows.EACH_IN_RANGE, DIMS, {**about, "limit": 3}))
    assert list(first) == sorted(found)[:3]


def test_vectors_are_looked_up_by_their_keys_and_by_their_memories(conn: sqlite3.Connection) -> None:
    keys = [1, 4, 6, 80, 1000]
    found = vector_rows.read(conn, vector_rows.BY_KEY, DIMS, {"keys": json.dumps(keys)})
    assert told(found) == in_rows(conn, "key in (4, 6, 80)")
    memories = [98, 97, 60, 1000]
    found = vector_rows.read(conn, vector_rows.BY_MEMORY, DIMS, {"keys": json.dumps(memories), "model_key": 1})
    assert told(found) == in_rows(conn, "memory_key in (98, 97, 60) and model_key = 1")
