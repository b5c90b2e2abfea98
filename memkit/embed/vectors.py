"""Vectors as bytes and as bits, the way sqlite-vec reads them. Pure functions; numpy is imported when one is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


def unit_rows(matrix: np.ndarray) -> np.ndarray:
    """The rows of an (n, dims) matrix, each divided by its length, as float32. A row of zeros stays zero."""
    import numpy as np

    rows = np.asarray(matrix, np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def to_blob(vector: Any) -> bytes:
    """The numbers of a vector as little-endian float32: what sqlite-vec, llm and memkit's tables hold."""
    import numpy as np

    return np.asarray(vector, "<f4").tobytes()


def from_blob(blob: bytes) -> np.ndarray:
    """The vector in a blob of little-endian float32, read-only. ValueError if its size is no multiple of 4."""
    import numpy as np

    return np.frombuffer(blob, "<f4")


def binary_code(vectors: np.ndarray) -> np.ndarray:
    """One bit per dimension, 1 where it is above zero: (n, dims) numbers become (n, dims / 8) bytes of uint8.

    Dimension i is bit i % 8, counted from the lowest, of byte i // 8, as in sqlite-vec's `vec_quantize_binary`, so
    that codes from here and from SQL can be compared with `vec_distance_hamming`. Missing bits of a last byte are 0.
    """
    import numpy as np

    return np.packbits(np.asarray(vectors) > 0, axis=1, bitorder="little")
