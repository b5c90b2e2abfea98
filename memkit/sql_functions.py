"""memkit's functions in SQL: recall joined to any table, on any connection.

    select m.id, m.text, r.value->>'score' as score
    from json_each(recall('who planted the quince?', 5)) as r join memories as m on m.id = r.value->>'id'
    order by r.key

The functions read, and never write. What goes wrong is said in the result, because SQLite itself would only say that a
user-defined function raised an exception: `{"error": "..."}`, and where an array is promised, an array of that one
object, so that `json_each` can read it. A `left join` shows it, an inner join leaves it out. Put
`json_each(recall(...))` first in `from`: then it is asked once, and if not, the answer is remembered for as long as the
database does not change.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from time import time
from typing import Any

from memkit.bounded import MOST_HITS, Bounded, bounded, is_memory_database
from memkit.driver import sqlite3
from memkit.errors import BadQuestion, MemkitError, NotAMemoryDatabase, one_of

REMEMBERED = 64  # answers per connection
LONGEST_REMEMBERED = 100_000  # characters
DEEPEST = 3
MOST_CHARACTERS = 100_000  # of a text that is looked for

STATE = "select (select data_version from pragma_data_version)"
OPTIONS = ("strategy", "project", "only_project", "since", "until", "as_of", "kinds", "now", "everything")


def register_sql_functions(conn: Any, limits: Bounded | None = None) -> None:
    """Adds memkit's functions to a connection of sqlite-utils, Datasette or `memkit.driver.sqlite3`.

    `recall(query [, k [, options]])`, `recall_context(query [, budget [, options]])`, `entity_path(a, b)`,
    `entity_neighbors(name [, depth])`, `embed(text)`, `fts_query(text)`, `est_tokens(text)`. Options are JSON of what
    `MemoryDatabase.recall` takes: `{"strategy": "kira", "project": "garden"}`. SQLite keeps the functions, and they the
    connection, until it is closed. `limits` is this connection with other limits than the usual ones. Raises TypeError
    for a connection of another SQLite library.
    """
    asked = Asked(limits or Bounded(conn))
    for name, (function, counts) in ABOUT_A_DATABASE.items():
        for count in counts:
            conn.create_function(name, count, asked.remembered(name, function), deterministic=True)
    register_text_functions(conn)


def register_text_functions(conn: Any) -> None:
    """Adds only the functions that need no memory database: `fts_query(text)` and `est_tokens(text)`."""
    for name, function in ABOUT_A_TEXT.items():
        conn.create_function(name, 1, function, deterministic=True)


class Asked:
    """One connection's questions, each answered once for as long as the database stays as it is."""

    def __init__(self, conn: Bounded):
        self.conn = conn
        self._answers: OrderedDict[Any, Any] = OrderedDict()
        self._state: Any = None

    def remembered(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function as SQL calls it: its first argument is the database, NULL gives NULL, errors are JSON."""

        def failed(sentence: str) -> str:
            said = {"error": sentence}
            return json.dumps([said] if name in ARRAYS else said, ensure_ascii=False)

        def call(*arguments: Any) -> Any:
            if arguments[0] is None:
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
                    return failed(f"SQLite could not do it: {error}.")
                self.conn.interrupt()  # the time limit of the query that asks is its own affair
                return None
            except Exception as error:  # noqa: BLE001 - options are any JSON, and SQLite would not say what is wrong
                return failed(f"{name}() failed: {type(error).__name__}: {error}")
            finally:
                self.conn.finish()

        return call

    def _database(self) -> Any:
        if not is_memory_database(self.conn):
            raise NotAMemoryDatabase("This is no memory database: its functions have nothing to ask.")
        from memkit.database import MemoryDatabase

        return MemoryDatabase(read_only=True, conn=self.conn)

    def _forget_what_is_old(self) -> None:
        """What others wrote shows in data_version, what we wrote in total_changes; and now lasts a minute."""
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


def recall(memory: Any, query: Any, k: Any = None, options: Any = None) -> str:
    """The hits as a JSON array, best first: what `memkit recall --format json` prints."""
    return _found(memory, query, _number(k, "k", 10, MOST_HITS), options).to_json()


def recall_context(memory: Any, query: Any, budget: Any = None, options: Any = None) -> str:
    """The hits as a language model should read them, in at most `budget` tokens."""
    most = None if budget is None else _number(budget, "budget", 2000, 1_000_000)
    return _found(memory, query, 50, options).context(most)


def _found(memory: Any, query: Any, k: int, options: Any) -> Any:
    from memkit.strategies import strategy

    asked = _options(options)
    chosen = bounded(strategy(asked.get("strategy")), memory.conn.candidates)
    return memory.recall(_question(query), k, **{**asked, "strategy": chosen})


def entity_path(memory: Any, a: Any, b: Any) -> str:
    """How two names are connected, as a JSON array of steps; empty if they are not."""
    path = memory.path(_question(a), _question(b))
    return json.dumps([_step(step) for step in path], ensure_ascii=False)


def _step(step: Any) -> dict[str, Any]:
    return {name: getattr(step, name) for name in ("source", "label", "target", "quote", "memory_id")}


def entity_neighbors(memory: Any, name: Any, depth: Any = None) -> str:
    """What is connected to a name, as a JSON array of `{id, name, kind, depth}`, nearest first."""
    from memkit.clock import utc_now
    from memkit.graph.entities import find
    from memkit.graph.neighborhood import near_names

    found = near_names(memory.conn, find(memory.conn, _question(name)), utc_now(), _number(depth, "depth", 1, DEEPEST))
    return json.dumps(found, ensure_ascii=False)


def embed(memory: Any, text: Any) -> bytes | None:
    """A text's vector by this database's model, as stored: float32, little-endian. NULL where there is no model."""
    from memkit.embed import to_blob
    from memkit.vectors import active_model, check

    if active_model(memory.conn) is None:
        return None
    check(memory.conn, memory.embedder)
    return to_blob(memory.embedder.encode([_question(text)])[0])


ABOUT_A_DATABASE: dict[str, tuple[Callable[..., Any], tuple[int, ...]]] = {
    "recall": (recall, (1, 2, 3)),
    "recall_context": (recall_context, (1, 2, 3)),
    "entity_path": (entity_path, (2,)),
    "entity_neighbors": (entity_neighbors, (1, 2)),
    "embed": (embed, (1,)),
}
ARRAYS = ("recall", "entity_path", "entity_neighbors")  # what they give is for json_each


# ---------------------------------------------------------------------------------------------- about a text


def fts_query(text: Any) -> str | None:
    """Any text as an FTS5 query: its content words, quoted, joined by OR; one that finds nothing if there are none."""
    from memkit.text import content_words, quoted

    if text is None:
        return None
    return " OR ".join(map(quoted, content_words(_text(text)[:MOST_CHARACTERS]))) or '""'


def est_tokens(text: Any) -> int | None:
    """An estimate of how many tokens a language model makes of a text."""
    from memkit.text import est_tokens as estimate

    return None if text is None else estimate(_text(text))


ABOUT_A_TEXT: dict[str, Callable[..., Any]] = {"fts_query": fts_query, "est_tokens": est_tokens}


# ---------------------------------------------------------------------------------------------- arguments


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _question(value: Any) -> str:
    """A question, a name, or a text to look for. What is done with it before anything is found cannot be stopped."""
    text = _text(value)
    if len(text) > MOST_CHARACTERS:
        raise BadQuestion(f"A text of at most {MOST_CHARACTERS:,} characters can be looked for, not {len(text):,}.")
    return text


def _number(value: Any, name: str, default: int, most: int) -> int:
    """An argument that counts something. An empty one, as an empty field of a form is, is the default."""
    if value is None or value == "":
        return default
    try:
        number = int(value)
    except (TypeError, ValueError) as error:
        raise BadQuestion(f"{name} must be a whole number, not {value!r}.") from error
    if not 0 <= number <= most:
        raise BadQuestion(f"{name} must be from 0 to {most:,}, not {number:,}.")
    return number


def _options(given: Any) -> dict[str, Any]:
    """The options of a recall, out of JSON."""
    if given is None or given == "":
        return {}
    try:
        options = json.loads(_text(given))
    except ValueError as error:
        raise BadQuestion(f"The options are no JSON: {error}.") from error
    if not isinstance(options, Mapping):
        raise BadQuestion('The options must be a JSON object, such as {"project": "garden"}.')
    for name in options:
        if name not in OPTIONS:
            raise BadQuestion(one_of("option", name, OPTIONS))
    return dict(options)
