"""SQL functions: recall in SQL, joined to any table, on any connection.

    select m.id, m.text, r.value->>'score' as score
    from json_each(recall('who planted the quince?', 5)) as r join memories as m on m.id = r.value->>'id'
    order by r.key

The functions only read. An error is returned as `{"error": "..."}`, because SQLite itself would only report that a
user-defined function raised an exception. A function that returns an array returns an array with that object, so that
`json_each` can read it. A `left join` shows the error, an inner join leaves it out. Put `json_each(recall(...))` first
in `from`, so that it is called once; otherwise the answer is cached as long as the database does not change.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from time import time
from typing import TYPE_CHECKING, Any

from memkit.core.errors import BadQuestion, MemkitError, NotAMemoryDatabase, one_of
from memkit.retrieval.limits import MOST_HITS, Bounded, is_memory_database
from memkit.storage.connection import Connection
from memkit.storage.driver import sqlite3

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase
    from memkit.retrieval.results import Recall

REMEMBERED = 64  # cached answers per connection
LONGEST_REMEMBERED = 100_000  # characters of a cached answer
DEEPEST = 3
MOST_CHARACTERS = 100_000  # of a text to search for

STATE = "select (select data_version from pragma_data_version)"
# A recall as SQL for people to read and change; its parameters are those of the function.
RECALL_SQL = """select m.id, coalesce(m.text, r.value->>'error') as text, m.kind, m.title, m.happened_at,
  round(r.value->>'score', 3) as score, r.value->>'path' as path
from json_each(recall(:q, :k, :options)) as r
  left join memories as m on m.id = r.value->>'id'
order by r.key"""
OPTIONS = (
    "strategy",
    "project",
    "only_project",
    "since",
    "until",
    "as_of",
    "kinds",
    "now",
    "everything",
    "min_confidence",
    "depth",
)


def register_sql_functions(conn: Connection, limits: Bounded | None = None) -> None:
    """Adds memkit's functions to a connection of sqlite-utils, Datasette or `memkit.storage.driver.sqlite3`.

    `recall(query [, k [, options]])`, `recall_context(query [, budget [, options]])`, `entity_path(a, b)`,
    `entity_neighbors(name [, depth])`, `embed(text)`, `fts_query(text)`, `est_tokens(text)`. Options are the keyword
    arguments of `MemoryDatabase.recall` as JSON: `{"strategy": "kira", "project": "garden"}`. SQLite keeps the
    functions, and they keep the connection, until it is closed. `limits` is this connection with other limits than the
    usual ones. Raises TypeError for a connection of another SQLite library.
    """
    asked = Asked(limits or Bounded(conn))
    for name, (function, counts) in ABOUT_A_DATABASE.items():
        for count in counts:
            conn.create_function(name, count, asked.remembered(name, function), deterministic=True)
    register_text_functions(conn)


def register_text_functions(conn: Connection) -> None:
    """Adds only the functions that do not need a memory database: `fts_query(text)` and `est_tokens(text)`."""
    for name, function in ABOUT_A_TEXT.items():
        conn.create_function(name, 1, function, deterministic=True)


class Asked:
    """The cached answers of one connection, which are valid as long as the database does not change."""

    def __init__(self, conn: Bounded):
        self.conn = conn
        self._answers: OrderedDict[Any, Any] = OrderedDict()
        self._state: Any = None

    def remembered(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function for SQL: the database is added as first argument, NULL gives NULL, errors are JSON."""

        def failed(sentence: str) -> str:
            said = {"error": sentence}
            return json.dumps([said] if name in ARRAYS else said, ensure_ascii=False)

        needed = min(ABOUT_A_DATABASE[name][1])  # the others may be left out: NULL is their default

        def call(*arguments: Any) -> Any:
            if None in arguments[:needed]:
                return None
            self.conn.begin()
            try:
                self._forget_what_is_old()
                question = (name, *arguments)
                if question in self._answers:
                    return self._answers[question]
                return self._keep(question, function(self._database(), *arguments))
            except MemkitError as error:
                return failed(str(error))
            except sqlite3.OperationalError as error:
                if str(error) != "interrupted":
                    return failed(f"SQLite failed: {error}.")
                self.conn.interrupt()  # the query that calls has reached its time limit: interrupt it, too
                return None
            except Exception as error:  # noqa: BLE001 - options are any JSON, and SQLite would not show the reason
                return failed(f"{name}() failed: {type(error).__name__}: {error}")
            finally:
                self.conn.finish()

        return call

    def _database(self) -> MemoryDatabase:
        if not is_memory_database(self.conn):
            raise NotAMemoryDatabase(
                "This is no memory database, so there is nothing to recall. Make one with: memkit ingest"
            )
        from memkit.database.memory_database import MemoryDatabase

        return MemoryDatabase(read_only=True, conn=self.conn)

    def _forget_what_is_old(self) -> None:
        """Clears the cache after a write by others (data_version) or by this connection, and after a minute."""
        state = (self.conn.execute(STATE).fetchone()[0], self.conn.total_changes, int(time() // 60))
        if state != self._state:
            self._answers.clear()
            self._state = state

    def _keep(self, question: Any, answer: Any) -> Any:
        if answer is None or len(answer) <= LONGEST_REMEMBERED:
            self._answers[question] = answer
            if len(self._answers) > REMEMBERED:
                self._answers.popitem(last=False)
        return answer


# ---------------------------------------------------------------------------------------------- about a database


def recall(memory: MemoryDatabase, query: Any, k: Any = None, options: Any = None) -> str:
    """The hits as a JSON array, best first, in the form of `memkit recall --format json`."""
    return _found(memory, query, _number(k, "k", 10, MOST_HITS), options).to_json()


def recall_context(memory: MemoryDatabase, query: Any, budget: Any = None, options: Any = None) -> str:
    """The hits as a context for a language model, in at most `budget` tokens."""
    most = None if budget is None else _number(budget, "budget", 2000, 1_000_000)
    return _found(memory, query, 50, options).context(most)


def _found(memory: MemoryDatabase, query: Any, k: int, options: Any) -> Recall:
    return memory.recall(_question(query), k, **_options(options))


def entity_path(memory: MemoryDatabase, a: Any, b: Any) -> str:
    """The path between two names as a JSON array of steps; empty if they are not connected."""
    path = memory.path(_question(a), _question(b))
    return json.dumps([_step(step) for step in path], ensure_ascii=False)


def _step(step: Any) -> dict[str, Any]:
    return {name: getattr(step, name) for name in ("source", "label", "target", "quote", "memory_id")}


def entity_neighbors(memory: MemoryDatabase, name: Any, depth: Any = None) -> str:
    """The neighbours of a name as a JSON array of `{id, name, kind, depth}`, nearest first."""
    found = memory.neighborhood(_question(name), _number(depth, "depth", 1, DEEPEST))
    return json.dumps(found.to_dicts(), ensure_ascii=False)


def embed(memory: MemoryDatabase, text: Any) -> bytes | None:
    """The vector of a text by the database's model, as little-endian float32; NULL if the database has no model."""
    from memkit.embedding import to_blob
    from memkit.embedding.circuit_breaker import CircuitBreaker
    from memkit.storage.vectors import active_model, check

    if active_model(memory.conn) is None or (embedder := memory.embedder) is None:
        return None
    limited = CircuitBreaker(embedder.id, lambda: embedder)
    check(memory.conn, limited)
    return to_blob(limited.encode([_question(text)])[0])


ABOUT_A_DATABASE: dict[str, tuple[Callable[..., Any], tuple[int, ...]]] = {
    "recall": (recall, (1, 2, 3)),
    "recall_context": (recall_context, (1, 2, 3)),
    "entity_path": (entity_path, (2,)),
    "entity_neighbors": (entity_neighbors, (1, 2)),
    "embed": (embed, (1,)),
}
ARRAYS = ("recall", "entity_path", "entity_neighbors")  # they return arrays for json_each


# ---------------------------------------------------------------------------------------------- about a text


def fts_query(text: Any) -> str | None:
    """A text as an FTS5 query: its content words, quoted, joined by OR; without words, a query that finds nothing."""
    from memkit.text import words

    return None if text is None else words.fts_query(_text(text)[:MOST_CHARACTERS]) or '""'


def est_tokens(text: Any) -> int | None:
    """An estimate of the tokens of a text for a language model."""
    from memkit.text.words import est_tokens as estimate

    return None if text is None else estimate(_text(text))


ABOUT_A_TEXT: dict[str, Callable[..., Any]] = {"fts_query": fts_query, "est_tokens": est_tokens}


# ---------------------------------------------------------------------------------------------- arguments


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _question(value: Any) -> str:
    """A question, a name or a text to search for. Raises BadQuestion if it is too long.

    The length is limited because work on the text itself cannot be interrupted.
    """
    text = _text(value)
    if len(text) > MOST_CHARACTERS:
        raise BadQuestion(f"A search takes a text of at most {MOST_CHARACTERS:,} characters, not {len(text):,}.")
    return text


def _number(value: Any, name: str, default: int, most: int) -> int:
    """An argument that is a count. An empty one, such as an empty field of a form, means the default."""
    if value is None or value == "":
        return default
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadQuestion(f"{name} must be a whole number, not {value!r}.") from error
    if not 0 <= number <= most:
        raise BadQuestion(f"{name} must be from 0 to {most:,}, not {number:,}.")
    return number


def _options(given: Any) -> dict[str, Any]:
    """The options of a recall from JSON. Raises BadQuestion."""
    if given is None or given == "":
        return {}
    try:
        options = json.loads(_text(given))
    except ValueError as error:
        raise BadQuestion(f"The options are not JSON: {error}.") from error
    if not isinstance(options, Mapping):
        raise BadQuestion('The options must be a JSON object, such as {"project": "garden"}.')
    for name in options:
        if name not in OPTIONS:
            raise BadQuestion(one_of("option", name, OPTIONS))
    return dict(options)
