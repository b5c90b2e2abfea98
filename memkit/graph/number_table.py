"""Number tables: the rows of a query as an array; what is no number in them, another program has written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import numpy as np


def number_table(rows: Callable[[], Iterable[Iterable[Any]]], width: int) -> np.ndarray:
    """An array (rows, width) of float64, without keeping all rows as Python objects.

    Rows with a text, NULL, or a number over 2**53 are left out; memkit writes none. `rows` is called again for that.
    """
    try:
        table = np.fromiter(chain.from_iterable(rows()), np.float64).reshape(-1, width)
    except (TypeError, ValueError, OverflowError):
        table = np.array([row for row in map(tuple, rows()) if all(map(_is_number, row))], np.float64)
        return table.reshape(-1, width)
    from memkit.storage.row_rules import LARGEST_KEY

    if not table.size or -LARGEST_KEY <= table.min() <= table.max() <= LARGEST_KEY:
        return table
    return table[(np.abs(table) <= LARGEST_KEY).all(axis=1)]


def _is_number(value: Any) -> bool:
    from memkit.storage.row_rules import LARGEST_KEY  # with the rules of all columns, which a question does not need

    return isinstance(value, int | float) and abs(value) <= LARGEST_KEY
