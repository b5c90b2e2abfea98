"""What a widget asks: a database, or the one in a file."""

from __future__ import annotations

from os import PathLike
from typing import Any

from memkit.arguments import short
from memkit.database import MemoryDatabase
from memkit.errors import BadArgument
from memkit.usual import open_existing


def opened(db: Any, widget: object) -> MemoryDatabase:
    """The database that a widget is given; a path is opened. Raises BadArgument for what is neither, NotFound."""
    if isinstance(db, MemoryDatabase):
        return db
    if isinstance(db, str | PathLike):
        return open_existing(db)
    raise BadArgument(f"{type(widget).__name__}(): db is a MemoryDatabase, or the path of one, not {short(db)}.")
