"""A memory database as a page needs it: looked up, allowed, and read in one of Datasette's threads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from time import time
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from datasette import Forbidden
from datasette.utils.asgi import NotFound

from memkit.bounded import Bounded
from memkit.database import MemoryDatabase
from memkit.datasette_plugin.compat import WRITE, allowed, write
from memkit.datasette_plugin.databases import holds_memories, looks, memory_databases
from memkit.datasette_plugin.permissions import limits
from memkit.driver import BUSY_SECONDS, sqlite3
from memkit.errors import Busy

Answer = TypeVar("Answer")

# What memkit needs of the connection that writes, beside what Datasette has set.
PRAGMAS = ("foreign_keys = on", "recursive_triggers = on", f"busy_timeout = {1000 * BUSY_SECONDS}")
REMEMBERED = 200  # answers per database
_answers: WeakKeyDictionary[Any, tuple[Any, OrderedDict[Hashable, Any]]] = WeakKeyDictionary()


async def visible(datasette: Any, actor: Any) -> list[str]:
    """The memory databases whose memories this actor may see."""
    return [name for name in await memory_databases(datasette) if await _may_see(datasette, actor, name)]


async def _may_see(datasette: Any, actor: Any, database: str) -> bool:
    """Whether the actor may see the memories of a database; not if Datasette cannot read its file."""
    try:
        return await allowed(datasette, actor, "view-table", database, "memories")
    except sqlite3.DatabaseError:
        return False


async def database_of(datasette: Any, request: Any) -> str:
    """The name of the memory database in the request's path. Raises NotFound, or Forbidden where it is hidden."""
    route = request.url_vars["database"]
    try:
        database = datasette.get_database(route=_untilded(route))
    except KeyError as error:
        raise NotFound(f"There is no database {route[:100]!r}.") from error
    if not await _may_see(datasette, request.actor, database.name):
        raise Forbidden("These memories are private.")
    if not await holds_memories(database):
        raise NotFound(f"{database.name} is no memory database.")
    return str(database.name)


async def may_write(datasette: Any, actor: Any, database: str) -> bool:
    """Whether the actor may write memories here, and the file can be written to."""
    return datasette.databases[database].is_mutable and await allowed(datasette, actor, WRITE, database)


def _untilded(route: str) -> str:
    from datasette.utils import tilde_decode

    return str(tilde_decode(route))


async def read(datasette: Any, database: str, work: Callable[[Any], Answer]) -> Answer:
    """What `work(memory)` gives for a database, in a thread of Datasette's, with a deadline. Raises Busy."""

    def in_thread(conn: Any) -> Answer:
        bounded = Bounded(conn, candidates=limits(datasette, database)["candidates"])
        bounded.begin()
        return work(MemoryDatabase(read_only=True, conn=bounded))

    try:
        return await datasette.databases[database].execute_fn(in_thread)
    except sqlite3.DatabaseError as error:  # locked, gone, or no database any more
        raise Busy(f"{database} cannot be read just now: {error}. Try again.") from error


async def remembered(datasette: Any, database: str, question: Hashable, work: Callable[[Any], Answer]) -> Answer:
    """The same as `read`, but asked once for as long as the file does not change, and not longer than a minute.

    Everybody gets the same value: change none of it.
    """
    known = datasette.databases[database]
    state = (looks(known.path), int(time() // 60))
    if known not in _answers or _answers[known][0] != state:
        _answers[known] = (state, OrderedDict())
    answers = _answers[known][1]
    if question not in answers:
        answers[question] = await read(datasette, database, work)
        if len(answers) > REMEMBERED:
            answers.popitem(last=False)
    return answers[question]  # type: ignore[no-any-return]


async def written(datasette: Any, database: str, work: Callable[[Any], Answer]) -> Answer:
    """What `work(memory)` gives for a database that it writes to, in Datasette's queue of writes. Raises Busy."""

    def in_queue(conn: Any) -> Answer:
        for pragma in PRAGMAS:
            conn.execute(f"pragma {pragma}")
        return work(MemoryDatabase(conn=Bounded(conn)))

    try:
        return await write(datasette, database, in_queue)
    except sqlite3.OperationalError as error:
        raise Busy(f"{database} cannot be written to just now: {error}. Try again.") from error
