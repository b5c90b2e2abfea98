"""Graph arrays: the graph in memory, stored as it is, so that a new process does not make it from all rows.

They repeat rows of other tables. Triggers drop their state when one of these is changed or deleted; without it they
count as missing. Rows that were only added since are appended to them (`incremental`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from io import BytesIO
from typing import Any

import numpy as np

from memkit.graph.incremental import VERSION
from memkit.graph.random_walk import BACKWARD, ENTITY, LONE, Adjacency, Plan, Rows
from memkit.storage.connection import Connection
from memkit.storage.driver import in_passing, reading, sqlite3
from memkit.storage.json_columns import json_object, list_in

SELECT_ARRAY = "select cast(value as blob) from graph_arrays where part = ?"
SELECT_STATE = "select cast(value as blob) from graph_arrays where part = 0"
DELETE_ARRAYS = "delete from graph_arrays"
INSERT_ARRAY = "insert into graph_arrays (part, value) values (?, ?)"
INSERT_ROOM = "insert into graph_arrays (part, value) values (?, zeroblob(?))"

PIECE = 1 << 17  # bytes of an array that are read at once
# The arrays in the order of their parts, from 1 on; part 0 is the state.
STATE = 0
TYPES = {
    "kinds": "u1",
    "keys": "<i8",
    "offsets": "<i8",
    "targets": "<i4",
    "weights": "<f4",
    "types": "u1",
}
OF_NODES = ("kinds", "keys", "offsets")


def read(conn: Connection) -> tuple[Adjacency, tuple[Any, ...]] | None:
    """The stored graph, and the state of the database that it was made from; None without one."""
    with in_passing(conn), reading(conn):  # nobody can write in between
        made_from = state(conn)
        if made_from is None:
            return None
        try:
            arrays = {name: _array(conn, part, kind) for part, (name, kind) in enumerate(TYPES.items(), 1)}
            graph = Adjacency(**arrays)
        except (ValueError, TypeError, sqlite3.OperationalError):  # another program wrote it
            return None
    return (graph, made_from) if _is_sound(graph) else None


def _array(conn: Any, part: int, kind: str) -> np.ndarray:
    """One of the arrays, read in pieces: SQLite and Python would each ask for as much memory again for the whole."""
    if not hasattr(conn, "blobopen"):  # before Python 3.11
        return np.frombuffer(conn.execute(SELECT_ARRAY, (part,)).fetchone()[0], kind)
    with conn.blobopen("graph_arrays", "value", part, readonly=True) as stored:
        whole = np.empty(len(stored), np.uint8)
        for start in range(0, len(whole), PIECE):
            whole[start : start + PIECE] = np.frombuffer(stored.read(PIECE), np.uint8)
    return whole.view(kind)


def state(conn: Connection) -> tuple[Any, ...] | None:
    """The state of the database that the stored graph was made from; None without one."""
    row = conn.execute(SELECT_STATE).fetchone()
    made_from = list_in(json_object(row[0].decode(errors="replace")), "state") if row else []
    if len(made_from) != VERSION + 1 or any(type(key) is not int or key < 0 for key in made_from[:VERSION]):
        return None
    return tuple(made_from)


def write(conn: Connection, graph: Plan, state: tuple[Any, ...]) -> None:
    """Stores a graph in place of the one there, part by part. Call it in a transaction."""
    conn.execute(DELETE_ARRAYS)
    conn.execute(INSERT_ARRAY, (STATE, json.dumps({"state": state}).encode()))
    for name in OF_NODES:
        with _written(conn, name, len(getattr(graph, name))) as write_numbers:
            write_numbers(getattr(graph, name))
    with ExitStack() as stack:
        writers = [stack.enter_context(_written(conn, name, int(graph.offsets[-1]))) for name in Rows._fields]
        for rows in graph.parts():
            for write_numbers, numbers in zip(writers, rows, strict=True):
                write_numbers(numbers)


@contextmanager
def _written(conn: Connection, name: str, n: int) -> Iterator[Callable[[np.ndarray], object]]:
    """A function that writes the next numbers of an array, which has `n` in all.

    Where the driver can do so (Python 3.11), they are written into the file; SQLite would make two copies of a whole.
    """
    part, kind = 1 + list(TYPES).index(name), np.dtype(TYPES[name])
    if hasattr(conn, "blobopen"):
        conn.execute(INSERT_ROOM, (part, n * kind.itemsize))
        file = conn.blobopen("graph_arrays", "value", part)
    else:
        file = BytesIO()
    with closing(file):
        yield lambda numbers: file.write(numbers.astype(kind, copy=False))
        if isinstance(file, BytesIO):
            conn.execute(INSERT_ARRAY, (part, file.getbuffer()))


def _is_sound(graph: Adjacency) -> bool:
    """Whether arrays are a graph, so that no walk leaves them."""
    n, m = len(graph.kinds), len(graph.targets)
    lengths = len(graph.keys) == n and len(graph.offsets) == n + 1
    lengths &= {len(graph.weights), len(graph.types)} == {m}
    return bool(
        lengths
        and graph.offsets[0] == 0
        and graph.offsets[-1] == m
        and (graph.offsets[1:] >= graph.offsets[:-1]).all()
        and graph.kinds.max(initial=0) <= ENTITY
        and (graph.types & ~np.uint8(BACKWARD)).max(initial=0) <= LONE
        and graph.targets.min(initial=0) >= 0
        and graph.targets.max(initial=-1) < n
        and graph.weights.min(initial=0) >= 0  # nor is one NaN
        and graph.weights.max(initial=0) < np.inf
    )
