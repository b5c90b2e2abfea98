"""Vector rows: the vectors of many embeddings as SQLite joins them, in one value instead of a row for each.

That takes half the time or less, and other threads work meanwhile. Another program may have stored anything: what is no
vector of the model's length is left out, or zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from memkit.storage.connection import Connection
from memkit.storage.sqlite_numbers import listed

SELECT_ENCODING = "select encoding from pragma_encoding"
_AS_THEY_ARE = "cast(group_concat(vector, '') as blob)"
_IN_HEX = "group_concat(hex(vector), '')"
_IS_VECTOR = "typeof(e.vector) = 'blob' and length(e.vector) = :size"


def _joined(origin: str, condition: str, vector: str = "e.vector") -> str:
    return f"""
        select group_concat(key), group_concat(memory_key), {_AS_THEY_ARE} from (
            select e.key, e.memory_key, {vector} as vector from {origin}
            where typeof(e.memory_key) = 'integer' and {condition}
        )
    """


IN_RANGE = _joined(
    "embeddings as e",
    f"e.model_key = :model_key and e.key between :first and :last and {_IS_VECTOR} order by e.key",
)
# With zeros for what is no vector: it may be mended in its row, while a process keeps what it has read of the others.
EACH_IN_RANGE = _joined(
    "embeddings as e",
    "e.model_key = :model_key and e.key between :first and :last order by e.key limit :limit",
    vector=f"case when {_IS_VECTOR} then e.vector else zeroblob(:size) end",
)
# A look-up for each key: a search for the rows whose key is in a list takes longer.
BY_KEY = _joined("json_each(:keys) as k cross join embeddings as e on e.key = k.value", _IS_VECTOR)
BY_MEMORY = _joined(
    "json_each(:keys) as k cross join embeddings as e on e.memory_key = k.value",
    f"e.model_key = :model_key and {_IS_VECTOR}",
)


class VectorRows(NamedTuple):
    """The keys of n embeddings and of their memories (n) int64, and their vectors (n, dims) float32."""

    keys: np.ndarray
    memory_keys: np.ndarray
    vectors: np.ndarray


def read(conn: Connection, query: str, dims: int, about: Mapping[str, Any]) -> VectorRows:
    """The vectors, of `dims` numbers each, that one of the queries of this module finds."""
    plain = conn.execute(SELECT_ENCODING).fetchone()[0] == "UTF-8"  # another one would change them like texts
    query = query if plain else query.replace(_AS_THEY_ARE, _IN_HEX)
    *found, joined = conn.execute(query, {**about, "size": 4 * dims}).fetchone()
    keys, memory_keys = map(listed, found)
    vectors = (joined or b"") if plain else bytes.fromhex(joined or "")
    return VectorRows(keys, memory_keys, np.frombuffer(vectors, "<f4").reshape(len(keys), dims))
