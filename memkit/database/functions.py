"""Functions ingest, restore, extract and recall, which take a path, a `sqlite_utils.Database` or a MemoryDatabase.

They are for scripts that have a `sqlite_utils.Database` already, or want one answer from a file. For several calls,
open a MemoryDatabase.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from memkit.core.arguments import shown
from memkit.core.errors import BadArgument, NotAMemoryDatabase
from memkit.database.locations import beside, open_existing
from memkit.database.memory_database import MemoryDatabase
from memkit.retrieval.limits import is_memory_database
from memkit.storage.borrowed import borrowed

if TYPE_CHECKING:
    from sqlite_utils import Database

    from memkit.ingestion.entity_linking import ConnectReport
    from memkit.ingestion.llm_extraction import ExtractReport
    from memkit.ingestion.report import IngestReport
    from memkit.retrieval.registry import AnyStrategy
    from memkit.retrieval.results import Recall
    from memkit.sharing.export import RestoreReport
    from memkit.storage.filters import Scope

    Target = str | PathLike[str] | Database | MemoryDatabase


def ingest(target: Target, source: Any, *, dry_run: bool = False, **options: Any) -> IngestReport:
    """Reads a source into memories in `target`, and returns a report, as `MemoryDatabase.ingest` does.

    `target` is a path, a `sqlite_utils.Database` or a MemoryDatabase. A missing file is made. In a
    `sqlite_utils.Database`, the memories are stored beside its own tables, in your transaction if one is open. Raises
    NotAMemoryDatabase for a path to another kind of database, and for a Database that cannot hold memories.
    """
    with _opened(target, make=True, dry_run=dry_run) as memory:
        return memory.ingest(source, dry_run=dry_run, **options)


def restore(target: Target, path: str | PathLike[str], *, dry_run: bool = False, **options: Any) -> RestoreReport:
    """Restores an export (JSON lines) in `target`, and returns a report, as `MemoryDatabase.restore` does.

    `target` is a path, a `sqlite_utils.Database` or a MemoryDatabase. A missing file is made. In a
    `sqlite_utils.Database`, the memories are stored beside its own tables, in your transaction if one is open. Raises
    NotAMemoryDatabase for a target that cannot hold memories, BadSource for a file that cannot be restored.
    """
    with _opened(target, make=True, dry_run=dry_run) as memory:
        return memory.restore(path, dry_run=dry_run, **options)


def extract(target: Target, model: Any = None, **options: Any) -> ExtractReport | ConnectReport:
    """Finds entities and relations in the memories of `target` not read yet, as `MemoryDatabase.extract` does.

    `target` is a path, a `sqlite_utils.Database` or a MemoryDatabase. Raises NotFound for a missing file,
    NotAMemoryDatabase for a target without memories.
    """
    with _opened(target) as memory:
        return memory.extract(model, **options)


def recall(
    target: Target, question: str, k: int = 10, *, strategy: AnyStrategy | None = None, **options: Any
) -> Recall:
    """The best k memories of `target` for a question, each with its reasons, as `MemoryDatabase.recall` finds them.

    `target` is a path, a `sqlite_utils.Database` or a MemoryDatabase. Raises NotFound for a missing file,
    NotAMemoryDatabase for a target without memories.
    """
    with _opened(target) as memory:
        found = memory.recall(question, k, strategy=strategy, **options)
    return found if memory is target else replace(found, packer=partial(_page, target, *found.packer.args))


def _page(target: Target, scope: Scope, found: Recall, budget: int | None) -> str:
    """A recall as text for a prompt; opens its database again."""
    with _opened(target) as memory:
        return memory._page(scope, found, budget)


@contextmanager
def _opened(target: Target, *, make: bool = False, dry_run: bool = False) -> Iterator[MemoryDatabase]:
    """The MemoryDatabase of a target, closed afterwards if the target is a path. `make` makes it if there is none."""
    if isinstance(target, MemoryDatabase):
        yield target
    elif isinstance(target, str | PathLike):
        with _at(target, make, dry_run) as memory:
            yield memory
    else:
        with _on(target, make, dry_run) as memory:
            yield memory


def _at(path: str | PathLike[str], make: bool, dry_run: bool) -> MemoryDatabase:
    if not make:
        return open_existing(path)
    if dry_run and not Path(path).exists():
        return MemoryDatabase(embed="none")  # a dry run needs no file
    return MemoryDatabase(Path(path))


@contextmanager
def _on(target: Database, make: bool, dry_run: bool) -> Iterator[MemoryDatabase]:
    """The MemoryDatabase on a sqlite-utils Database. Raises BadArgument for any other object."""
    from sqlite_utils import Database

    from memkit.database.tables import Tables

    if isinstance(target, Tables):
        yield cast("MemoryDatabase", target.of)
        return
    if not isinstance(target, Database):
        what = "a path, a sqlite_utils.Database or a MemoryDatabase"
        way = "For a connection, pass sqlite_utils.Database(connection)."
        raise BadArgument(f"target must be {what}, not {shown(target)}. {way}")
    conn = borrowed(cast("Any", target.conn))
    if not make and not is_memory_database(conn):
        raise NotAMemoryDatabase("This database holds no memories yet. To add some: memkit.ingest(db, source)")
    try:
        with beside(conn, dry_run=dry_run) as memory:
            yield memory
    finally:
        conn.give_back()
