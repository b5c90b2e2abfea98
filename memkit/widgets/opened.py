"""Database argument of a widget: a MemoryDatabase or its path."""

from __future__ import annotations

from os import PathLike

from memkit.core.arguments import shown
from memkit.core.errors import BadArgument
from memkit.database.locations import open_existing
from memkit.database.memory_database import MemoryDatabase

AnyDatabase = MemoryDatabase | str | PathLike[str]


def opened(db: AnyDatabase, widget: object) -> MemoryDatabase:
    """The MemoryDatabase for a widget; a path is opened. Raises BadArgument for other types, NotFound for no file."""
    if isinstance(db, MemoryDatabase):
        return db
    if isinstance(db, str | PathLike):
        return open_existing(db)
    raise BadArgument(f"{type(widget).__name__}(): db must be a MemoryDatabase or its path, not {shown(db)}.")
