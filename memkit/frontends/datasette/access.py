"""Database access for pages: finds a memory database, checks permissions, and reads it in a thread of Datasette."""

from __future__ import annotations

import os
from asyncio import AbstractEventLoop, Lock, get_running_loop
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from time import time
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from datasette import Forbidden
from datasette.utils.asgi import NotFound

from memkit.core.errors import Busy, ReadOnly
from memkit.database.memory_database import MemoryDatabase
from memkit.frontends.datasette.compat import WRITE, allowed, write
from memkit.frontends.datasette.databases import holds_memories, looks, memory_databases
from memkit.frontends.datasette.permissions import limits
from memkit.retrieval.limits import Bounded, TooSlow
from memkit.storage.connection import Connection
from memkit.storage.driver import prepare_to_write, sqlite3

Answer = TypeVar("Answer")

REMEMBERED = 200  # cached answers per database
_warm: WeakSet[Any] = WeakSet()  # databases that have answered
# One recall at a time: Python runs one thread anyway, and threads that wait for each other at every step of SQLite take
# twice the processor time. Who waits here holds none of Datasette's threads.
_turns: WeakKeyDictionary[AbstractEventLoop, Lock] = WeakKeyDictionary()
_answers: WeakKeyDictionary[Any, tuple[Any, OrderedDict[Hashable, Any]]] = WeakKeyDictionary()


async def visible(datasette: Any, actor: Any, tables: Sequence[str]) -> list[str]:
    """The memory databases in which this actor may see all of these tables."""
    return [name for name in await memory_databases(datasette) if not await hidden(datasette, actor, name, tables)]


async def hidden(datasette: Any, actor: Any, database: str, tables: Sequence[str]) -> str | None:
    """The first of these tables that the actor may not see, or None; the first if Datasette cannot read the file."""
    try:
        for table in tables:
            if not await allowed(datasette, actor, "view-table", database, table):
                return table
    except sqlite3.DatabaseError:
        return tables[0]
    return None


async def check(datasette: Any, actor: Any, database: str, tables: Sequence[str]) -> None:
    """Raises Forbidden if the actor may not see one of these tables. Call it before any cached answer is used."""
    table = await hidden(datasette, actor, database, tables)
    if table == "memories":
        raise Forbidden("These memories are private. If they are yours, log in by the link that `memkit serve` prints.")
    if table:
        raise Forbidden(f"This page shows what is in the table {table}, which you may not see.")


async def database_of(datasette: Any, request: Any, tables: Sequence[str]) -> str:
    """The name of the memory database in the request's path, for a page that shows these tables.

    Raises NotFound, or Forbidden if one of the tables is hidden from the actor.
    """
    route = request.url_vars["database"]
    try:
        database = datasette.get_database(route=_untilded(route))
    except KeyError as error:
        raise NotFound(f"There is no database {route[:100]!r}.") from error
    await check(datasette, request.actor, database.name, tables)
    if not await holds_memories(database):
        raise NotFound(f"{database.name} is no memory database.")
    return str(database.name)


async def may_write(datasette: Any, actor: Any, database: str) -> bool:
    """Whether the actor may write memories, and the file is writable."""
    return not unwritable(datasette, database) and await allowed(datasette, actor, WRITE, database)


def unwritable(datasette: Any, database: str) -> str:
    """Why nobody can write to a database, as a sentence; empty for one that can be written to."""
    known = datasette.databases[database]
    if not known.is_mutable:
        return f"{database} is served read-only, as a file that does not change: serve it without -i to change it."
    if known.path and not os.access(known.path, os.W_OK):
        return f"{database} is read-only: this server may not write to its file."
    return ""


async def check_may_write(datasette: Any, actor: Any, database: str) -> None:
    """Raises Forbidden if the actor may not write memories, and ReadOnly with the reason if nobody can."""
    if not await allowed(datasette, actor, WRITE, database):
        raise Forbidden("You may not write memories here.")
    if reason := unwritable(datasette, database):
        raise ReadOnly(reason)


async def is_owner(datasette: Any, actor: Any, names: Sequence[str]) -> bool:
    """Whether the actor may write in one of these databases, as far as rights go: others are visitors, who read."""
    for name in names:
        if await allowed(datasette, actor, WRITE, name):
            return True
    return False


def _untilded(route: str) -> str:
    from datasette.utils import tilde_decode

    return str(tilde_decode(route))


async def read(datasette: Any, database: str, work: Callable[[Any], Answer]) -> Answer:
    """The result of `work(memory)` for a database, in a thread of Datasette, with a time limit. Raises Busy.

    Until a database has answered once, what is too slow is done again: the first time, the model and the graph are
    loaded, which a busy machine may take longer for than for many questions.
    """

    def in_thread(conn: Connection) -> Answer:
        bounded = Bounded(conn, candidates=limits(datasette, database)["candidates"])
        bounded.begin()
        return work(MemoryDatabase(read_only=True, conn=bounded))

    known = datasette.databases[database]
    try:
        async with _turns.setdefault(get_running_loop(), Lock()):
            try:
                answer: Answer = await known.execute_fn(in_thread)
            except TooSlow:
                if known in _warm:
                    raise
                answer = await known.execute_fn(in_thread)
        _warm.add(known)
    except sqlite3.DatabaseError as error:  # locked, deleted, or damaged
        raise Busy(f"{database} cannot be read at the moment: {error}. Try again.") from error
    return answer


async def remembered(datasette: Any, database: str, question: Hashable, work: Callable[[Any], Answer]) -> Answer:
    """The result of `read`, cached as long as the file does not change, and for at most a minute.

    All callers get the same object: do not change it.
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
    answer: Answer = answers[question]
    return answer


async def written(datasette: Any, database: str, work: Callable[[Any], Answer]) -> tuple[Answer, list[str]]:
    """The result of `work(memory)`, which may write, in Datasette's write queue, and its warnings. Raises Busy."""
    warnings: list[str] = []

    def in_queue(conn: Connection) -> Answer:
        prepare_to_write(conn)
        memory = MemoryDatabase(conn=Bounded(conn))
        memory.warn = warnings.append
        return work(memory)

    try:
        answer: Answer = await write(datasette, database, in_queue)
    except sqlite3.OperationalError as error:
        raise Busy(f"{database} cannot be written to at the moment: {error}. Try again.") from error
    return answer, warnings
