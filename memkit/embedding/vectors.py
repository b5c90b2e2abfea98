"""Vector encoding: float32 blobs and binary codes in the format of sqlite-vec. numpy is imported at the first call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memkit.core.errors import EmbedderFailed

if TYPE_CHECKING:
    import numpy as np

SMALLEST = 1e-18  # the square of a number below this is nothing in float32
MOST_COSINE = 1.01  # a little more than 1, because numbers are rounded


def unit_rows(matrix: np.ndarray) -> np.ndarray:
    """The rows of an (n, dims) matrix, each divided by its length, as float32. A row of zeros stays zero.

    A row whose length is too large or too small for float32 has a direction, too, and gets the length 1.
    """
    import numpy as np

    with np.errstate(over="ignore", invalid="ignore"):
        rows = np.asarray(matrix, np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        units: np.ndarray = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    odd = ~((lengths > SMALLEST) & (lengths < np.inf))[:, 0]
    if odd.any() and (wide := np.asarray(matrix, np.float64)[odd]).any():
        with np.errstate(invalid="ignore"):  # what is not finite stays so, and is refused by whoever asked the model
            wide = wide / np.maximum(np.abs(wide).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
            lengths = np.linalg.norm(wide, axis=1, keepdims=True)
            units[odd] = wide / np.where(lengths > 0, lengths, 1)
    return units


def usable(vectors: np.ndarray, model: str, texts: int, dims: int | None = None) -> np.ndarray:
    """What a model (its name) gave for so many texts. Raises EmbedderFailed if that is not a finite vector for each."""
    import numpy as np

    shape = np.shape(vectors)
    if len(shape) != 2 or shape != (texts, dims or shape[1]) or not shape[1] or not np.isfinite(vectors).all():
        size = f"{dims} finite numbers" if dims else "one vector of finite numbers"
        raise EmbedderFailed(
            f"The embedding model {model!r} returned an array of shape {shape} for {texts} texts."
            f" Expected {size} for each.",
            "returned no usable vectors",
        )
    return vectors


def to_blob(vector: Any) -> bytes:
    """A vector as little-endian float32, the format of sqlite-vec, llm and memkit's tables."""
    import numpy as np

    return np.asarray(vector, "<f4").tobytes()


def from_blob(blob: bytes) -> np.ndarray:
    """The vector in a blob of little-endian float32, as a read-only array. Raises ValueError if the size is wrong."""
    import numpy as np

    return np.frombuffer(blob, "<f4")


def from_rows(rows: Iterable[Any], dims: int) -> tuple[list[Any], np.ndarray]:
    """The keys and the vectors (n, dims) of rows that begin with a key and a blob.

    What is no vector of this size is left out: another program may have changed it.
    """
    import numpy as np

    size = 4 * dims
    fine = [(key, blob) for key, blob, *_ in rows if type(blob) is bytes and len(blob) == size]
    matrix = np.frombuffer(b"".join([blob for _, blob in fine]), "<f4").reshape(len(fine), dims)
    return [key for key, _ in fine], matrix


def is_cosine(numbers: np.ndarray) -> np.ndarray:
    """For each number, whether two vectors of length 1 can have it as their product: NaN and infinity are none."""
    import numpy as np

    fine: np.ndarray = np.abs(numbers) <= MOST_COSINE
    return fine


def binary_code(vectors: np.ndarray) -> np.ndarray:
    """One bit per dimension, 1 if the number is above zero: (n, dims) numbers become (n, dims / 8) bytes (uint8).

    Dimension i is bit i % 8 (counted from the lowest) of byte i // 8, as in `vec_quantize_binary` of sqlite-vec. So
    codes from Python and from SQL can be compared with `vec_distance_hamming`, each code in `vec_bit(...)`. Unused bits
    of the last byte are 0.
    """
    import numpy as np

    return np.packbits(np.asarray(vectors) > 0, axis=1, bitorder="little")


def magnitude_code(vectors: np.ndarray) -> np.ndarray:
    """One bit per dimension, 1 if the number is farther from zero than the vector's numbers are at the mean.

    In the form of `binary_code`. Both bits together say how near two vectors are far better than the signs alone.
    """
    import numpy as np

    sizes = np.abs(np.asarray(vectors))
    return np.packbits(sizes > sizes.mean(axis=1, keepdims=True), axis=1, bitorder="little")
