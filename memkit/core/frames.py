"""DataFrames, made of rows or of values. pandas is imported only when one is requested."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import fields
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from memkit.core.errors import NeedsPackage

if TYPE_CHECKING:
    import pandas as pd

Value = TypeVar("Value")

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


class Framed:
    """Dataclass values of one KIND that are also a DataFrame."""

    __slots__ = ()
    KIND: ClassVar[type]

    def to_df(self) -> pd.DataFrame:
        """The values as a pandas DataFrame, a row for each, with their fields as columns, also if there is none.

        Raises NeedsPackage if pandas is not installed.
        """
        return frame_of(self.KIND, self)  # type: ignore[arg-type]  # each class of these can be iterated


class Rows(list[Value]):
    """A list of dataclass values of one `kind` that is also a DataFrame."""

    def __init__(self, kind: type[Value], values: Iterable[Value], without: Collection[str] = ()):
        super().__init__(values)
        self._kind, self._without = kind, without

    def to_df(self) -> pd.DataFrame:
        """The values as a pandas DataFrame, as in `Framed`."""
        return frame_of(self._kind, self, self._without)


class OneRow:
    """A report that is a DataFrame of one row, so that those of many days can be put below each other."""

    __slots__ = ()

    def to_df(self) -> pd.DataFrame:
        """The report as a pandas DataFrame of one row, with its fields as columns; of a list, how many it has.

        Raises NeedsPackage if pandas is not installed.
        """
        names = [one.name for one in fields(self)]  # type: ignore[arg-type]  # each report is a dataclass
        values = [getattr(self, name) for name in names]
        return timed(pandas().DataFrame([[_cell(value) for value in values]], columns=names))


def _cell(value: Any) -> Any:
    return len(value) if isinstance(value, list | tuple) else str(value) if isinstance(value, PurePath) else value


def records(given: Any) -> Iterable[Any]:
    """The rows of a DataFrame as dicts, without value where a cell has none; anything else as it is."""
    if not (hasattr(given, "itertuples") and hasattr(given, "columns")):
        found: Iterable[Any] = given
        return found
    names = [str(name) for name in given.columns]
    known = given.astype(object).where(given.notna(), None)
    return (dict(zip(names, cells, strict=True)) for cells in known.itertuples(index=False, name=None))


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
