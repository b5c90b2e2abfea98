"""Default locations: the memory database to use when none is named, and how it is opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memkit.core.addresses import is_server
from memkit.core.errors import NotFound, ReadOnly
from memkit.core.files import make_folder

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase
    from memkit.storage.connection import Connection

VARIABLE = "MEMKIT_DATABASE"


def llm_folder() -> Path:
    """The folder of `llm` for the user's files, found without importing `llm` (which takes a second)."""
    import click

    return Path(os.environ.get("LLM_USER_PATH") or click.get_app_dir("io.datasette.llm"))


def usual_database() -> str:
    """The path in the environment variable MEMKIT_DATABASE, or else `memory.db` in the folder of `llm`."""
    return os.environ.get(VARIABLE) or str(llm_folder() / "memory.db")


def open_existing(path: str | os.PathLike[str], embed: str | None = None) -> MemoryDatabase:
    """The database in this file; read-only if the file is not writable. Raises NotFound for a missing file."""
    from memkit.database.memory_database import MemoryDatabase

    file = os.fspath(path)
    if is_server(file):
        return MemoryDatabase(file, embed=embed)
    if not Path(file).is_file():
        raise NotFound(f"There is no database {file!r}. To make it: memkit ingest {file} NOTES")
    return MemoryDatabase(file, embed=embed, read_only=not os.access(file, os.W_OK))


def absent(path: str) -> str | None:
    """The sentence that a database is not there yet, where one is read from; None if it is there."""
    return None if is_server(path) or Path(path).exists() else f"There is no database {path} yet."


def open_to_read(path: str) -> MemoryDatabase:
    """The database in this file, read-only; an empty database in memory if there is no file yet."""
    from memkit.database.memory_database import MemoryDatabase

    if is_server(path):
        return MemoryDatabase(path, read_only=True)
    if not Path(path).exists():
        return MemoryDatabase(embed="none")
    with suppress(ReadOnly):
        return MemoryDatabase(path, read_only=True)
    MemoryDatabase(path).close()  # an older memkit wrote it: opening it for writing migrates it
    return MemoryDatabase(path, read_only=True)


@contextmanager
def beside(conn: Connection, *, embed: str | None = None, dry_run: bool = False) -> Iterator[MemoryDatabase]:
    """The memories on a connection to the user's own file, beside other tables; memkit's tables are made if needed.

    Making the tables and everything that the block writes are one transaction: if the source cannot be read, the file
    stays as it was. A `dry_run` makes no tables: it uses an empty database in memory. Raises NotAMemoryDatabase for a
    file that cannot hold memories.
    """
    from memkit.database.memory_database import MemoryDatabase
    from memkit.retrieval.limits import is_memory_database
    from memkit.storage import driver, schema

    file = driver.file_of(conn) or ":memory:"
    with ExitStack() as within:
        if dry_run and not is_memory_database(conn):
            yield within.enter_context(MemoryDatabase(embed="none"))
            return
        if not is_memory_database(conn):
            within.enter_context(driver.writing(conn))
            schema.ensure(conn, Path(file).name, beside=True)
        yield MemoryDatabase(file, embed=embed, conn=conn)


@contextmanager
def open_beside(path: str, *, embed: str | None = None, dry_run: bool = False) -> Iterator[MemoryDatabase]:
    """The memories in an existing file, beside whatever else is in it."""
    from memkit.storage import driver

    with closing(driver.connect(path)) as conn, beside(conn, embed=embed, dry_run=dry_run) as memory:
        yield memory


def open_to_write(path: str) -> MemoryDatabase:
    """The database in this file, made if there is none; the folder of `llm` is made, too."""
    from memkit.database.memory_database import MemoryDatabase

    if not is_server(path) and Path(path).parent == llm_folder():
        make_folder(llm_folder())
    return MemoryDatabase(path)
