"""Stand-ins for functions of sqlite-vec, by numpy: for a SQLite library that cannot load extensions.

They have sqlite-vec's names and give its answers, to the last bit on processors where it sums one number after the
other. A vector is a BLOB of little-endian float32, or a JSON array. What sqlite-vec refuses is refused; but SQLite
itself then only says that a user-defined function raised an exception, so `refusal` keeps the reason.

SQL cannot tell bits from numbers here, because a BLOB from a Python function carries no type. So a query that
sqlite-vec refuses (the Hamming distance of BLOBs that are not marked by `vec_bit`) may get an answer. A query that
sqlite-vec answers gets the same one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from math import inf, sqrt
from threading import local
from typing import TYPE_CHECKING, Any

from memkit.storage.connection import Connection

if TYPE_CHECKING:
    import numpy as np

_last = local()


def register(conn: Connection) -> None:
    """Adds the stand-ins to a connection. numpy is imported when the first of them is called."""
    for name, (function, count) in STAND_INS.items():
        conn.create_function(name, count, _refusing(name, function), deterministic=True)


def refusal() -> str:
    """Why a stand-in refused its arguments on this thread, for the last time since this was asked; else empty."""
    said: str = getattr(_last, "refusal", "")
    _last.refusal = ""
    return said


def _refusing(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except ValueError as error:
            _last.refusal = f"{name}: {error}"
            raise

    return call


# ---------------------------------------------------------------------------------------------- the functions


def distance_cosine(one: Any, other: Any) -> float:
    """1 - cosine of two vectors, 0 to 2; no number (in SQL: NULL) if one of them is all zeros."""
    import numpy as np

    with np.errstate(all="ignore"):
        (a, length_a), (b, length_b) = _measured(one), _measured(other)
        _check(a, b)
        product, lengths = _sum(a * b), length_a * length_b
        return float(np.float32(1 - (product / lengths if lengths else product * inf)))


def distance_l2(one: Any, other: Any) -> float:
    """The Euclidean distance of two vectors."""
    import numpy as np

    a, b = _vector(one), _vector(other)
    _check(a, b)
    with np.errstate(all="ignore"):
        return float(np.float32(sqrt(_sum((a - b) ** 2))))


def distance_l1(one: Any, other: Any) -> float:
    """The sum of the differences of two vectors' numbers."""
    import numpy as np

    a, b = _vector(one).astype(float), _vector(other).astype(float)
    _check(a, b)
    with np.errstate(all="ignore"):
        return _sum(np.abs(a - b))


def distance_hamming(one: Any, other: Any) -> float:
    """How many bits of two codes differ."""
    import numpy as np

    a, b = (np.frombuffer(_bits(value), np.uint8) for value in (one, other))
    if len(a) != len(b):
        raise ValueError(f"The first code has {8 * len(a)} bits, the second has {8 * len(b)}.")
    return float(np.bitwise_count(a ^ b).sum())


def quantize_binary(value: Any) -> bytes:
    """The signs of a vector, a bit for each number: its binary code."""
    from memkit.embedding import binary_code

    vector = _vector(value)
    if len(vector) % 8:
        raise ValueError(f"A binary code needs a multiple of 8 numbers, not {len(vector)}.")
    code: bytes = binary_code(vector[None, :])[0].tobytes()
    return code


STAND_INS: dict[str, tuple[Callable[..., Any], int]] = {
    "vec_distance_cosine": (distance_cosine, 2),
    "vec_distance_l2": (distance_l2, 2),
    "vec_distance_l1": (distance_l1, 2),
    "vec_distance_hamming": (distance_hamming, 2),
    "vec_bit": (lambda value: _bits(value), 1),
    "vec_quantize_binary": (quantize_binary, 1),
}


# ---------------------------------------------------------------------------------------------- arguments


@lru_cache(maxsize=2)  # a statement compares every row with the same vector
def _measured(value: Any) -> tuple[np.ndarray, float]:
    """A vector and its length."""
    vector = _vector(value)
    return vector, sqrt(_sum(vector * vector))


def _check(a: np.ndarray, b: np.ndarray) -> None:
    if len(a) != len(b):
        raise ValueError(f"The first vector has {len(a)} dimensions, the second has {len(b)}.")


def _vector(value: Any) -> np.ndarray:
    import numpy as np

    if isinstance(value, str):
        return _from_json(value)
    blob = _bits(value)
    if len(blob) % 4:
        raise ValueError(f"A vector is float32 numbers of 4 bytes each, so it cannot have {len(blob)} bytes.")
    return np.frombuffer(blob, "<f4")


def _from_json(text: str) -> np.ndarray:
    import numpy as np

    try:
        numbers = json.loads(text)
        vector = np.array([float(number) for number in numbers], "<f4")
        if not isinstance(numbers, list) or not numbers or not np.isfinite(vector.astype(float)).all():
            raise ValueError
        return vector
    except (TypeError, ValueError):
        raise ValueError(f"This is no JSON array of numbers: {text[:60]!r}.") from None


def _bits(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError(f"A vector is a BLOB or a JSON array, not {'NULL' if value is None else repr(value)[:60]}.")
    if not value:
        raise ValueError("A vector has at least one number.")
    return value


def _sum(numbers: np.ndarray) -> float:
    """The sum, one number after the other as in sqlite-vec: numpy's own sum differs in the last digits."""
    import numpy as np

    return float(np.add.accumulate(numbers)[-1])
