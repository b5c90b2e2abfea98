"""DataFrames, made of rows or of values. pandas is imported only when one is requested."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from memkit.core.errors import NeedsPackage

if TYPE_CHECKING:
    import pandas as pd

# Columns that are timestamps in a DataFrame.
TIMES = frozenset(
    "happened_at created_at updated_at valid_from valid_until expires_at archived_at expired_at decided_at undone_at "
    "read_at at when".split()
)


def pandas() -> Any:
    """The pandas module. Raises NeedsPackage if it is not installed."""
    try:
        import pandas as pd
    except ImportError as error:
        raise NeedsPackage("pandas", "A DataFrame", "'datasette-memkit[pandas]'") from error
    return pd


def frame_of(kind: type, values: Iterable[Any], without: Collection[str] = ()) -> pd.DataFrame:
    """Dataclass values of one kind as a DataFrame: a column for each field, also if there is no value.

    Times are timestamps in UTC. Raises NeedsPackage if pandas is not installed.
    """
    names = [one.name for one in fields(kind) if one.name not in without]
    return timed(pandas().DataFrame([[getattr(one, name) for name in names] for one in values], columns=names))


def timed(found: pd.DataFrame) -> pd.DataFrame:
    """The frame, with memkit's time columns as timestamps."""
    names = list(found.columns)
    for place, name in enumerate(names):
        if name in TIMES and names.count(name) == 1:
            found[name] = pandas().to_datetime(found.iloc[:, place], utc=True, errors="coerce", format="ISO8601")
    return found
