"""Which memory database is meant where nobody says so, the one beside the log of `llm`, and how one is opened."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memkit.errors import NotFound, ReadOnly

if TYPE_CHECKING:
    from memkit.database import MemoryDatabase

VARIABLE = "MEMKIT_DATABASE"


def llm_folder() -> Path:
    """The folder in which `llm` keeps what is the user's, without importing `llm` (a second)."""
    import click

    return Path(os.environ.get("LLM_USER_PATH") or click.get_app_dir("io.datasette.llm"))


def usual_database() -> str:
    """The file that MEMKIT_DATABASE names, or else `memory.db` in the folder of `llm`."""
    return os.environ.get(VARIABLE) or str(llm_folder() / "memory.db")


def open_existing(path: str | os.PathLike[str], embed: str | None = None) -> MemoryDatabase:
    """The database in this file, for reading only where the file may not be written to. Raises NotFound."""
    from memkit.database import MemoryDatabase

    file = os.fspath(path)
    if not Path(file).is_file():
        raise NotFound(f"There is no database {file!r}. This makes it: memkit ingest {file} NOTES")
    return MemoryDatabase(file, embed=embed, read_only=not os.access(file, os.W_OK))


def open_to_read(path: str) -> MemoryDatabase:
    """The memories in this file, for reading only; where there is no file yet, there are none: an empty memory."""
    from memkit.database import MemoryDatabase

    if not Path(path).exists():
        return MemoryDatabase(embed="none")
    with suppress(ReadOnly):
        return MemoryDatabase(path, read_only=True)
    MemoryDatabase(path).close()  # written by an older memkit: brought up to date once
    return MemoryDatabase(path, read_only=True)


def open_to_write(path: str) -> MemoryDatabase:
    """The memories in this file, which is made if there is none; so is its folder, if it is that of `llm`."""
    from memkit.database import MemoryDatabase

    if Path(path).parent == llm_folder():
        llm_folder().mkdir(parents=True, exist_ok=True)
    return MemoryDatabase(path)
