"""Query files: questions with known answers, read and checked; errors name their line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from memkit.core.dates import iso
from memkit.core.errors import BadSource
from memkit.core.frames import records
from memkit.storage.connection import Connection

SHOWN_ERRORS = 10

SELECT_USEFUL = """
select f.question, m.id from feedback as f join memories as m on m.key = f.memory_key
where f.useful = 1 and trim(f.question) <> '' order by f.key
"""


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and the source ids (or ids) of the memories that answer it; none if nothing answers it.

    With a `group`, only that project is searched. `timestamp` is the time at which the question is asked.
    """

    id: str
    text: str
    relevant: frozenset[str] = frozenset()
    group: str | None = None
    category: str | None = None
    timestamp: str | None = None


def read_queries(source: str | PathLike[str] | Iterable[Mapping[str, Any] | Query]) -> list[Query]:
    """The questions of a JSONL file, of a list of dicts, or of a DataFrame with these columns.

    Each is `{"id", "text", "relevant": [source ids], "group"?, "category"?, "timestamp"?}`. A question without an `id`
    gets its number, from 1; in a file, that of its line. Raises BadSource for a file that cannot be read or has no
    question; for wrong lines, the message lists what is wrong in each.
    """
    name, rows = (
        (str(source), _lines(Path(source))) if isinstance(source, str | PathLike) else ("queries", _given(source))
    )
    queries: list[Query] = []
    wrong: list[str] = []
    seen: dict[str, int] = {}
    for place, row in rows:
        try:
            query = _query(row() if callable(row) else row, place)
            if query.id in seen:
                raise ValueError(f"the id {query.id!r} is already used in line {seen[query.id]}")
            seen[query.id] = place
            queries.append(query)
        except ValueError as error:
            wrong.append(f"{name}:{place}: {error}")
    if wrong:
        more = f"\n... and {len(wrong) - SHOWN_ERRORS:,} more." if len(wrong) > SHOWN_ERRORS else ""
        raise BadSource("\n".join(wrong[:SHOWN_ERRORS]) + more)
    if not queries:
        raise BadSource(f'{name} has no question. Write lines like {{"text": "who is Rosa?", "relevant": ["id"]}}.')
    return queries


def from_feedback(conn: Connection) -> list[Query]:
    """The questions for which somebody said that a memory was useful, each with the useful ones as its answers."""
    found: dict[str, set[str]] = {}
    for text, id in conn.execute(SELECT_USEFUL):
        found.setdefault(text, set()).add(id)
    return [Query(str(n), text, frozenset(ids)) for n, (text, ids) in enumerate(found.items(), 1)]


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    """The number of each line that is not empty, and a function that reads it."""
    try:
        text = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: not possible as a file name
        raise BadSource(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    for number, line in enumerate(text.split(b"\n"), 1):
        if line.strip():
            yield number, lambda line=line, first=number == 1: _parsed(line, first)


def _parsed(line: bytes, first: bool) -> Any:
    try:
        return json.loads(line.decode("utf-8-sig" if first else "utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1} is not UTF-8") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"this is not valid JSON: {error}") from None


def _given(rows: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    if isinstance(rows, Mapping | bytes) or not isinstance(rows, Iterable):
        raise BadSource(f"queries are the path of a JSONL file or a list of dicts, not {type(rows).__name__}.")
    return enumerate(records(rows), 1)


def _query(row: Any, place: int) -> Query:
    """A row as a Query. Raises ValueError with what is wrong."""
    if isinstance(row, Query):
        return row
    if not isinstance(row, Mapping):
        raise ValueError(f"a question is an object with text and relevant, not {type(row).__name__}")
    text = row.get("text")
    if not isinstance(text, str) or not text.strip():
        raise ValueError(
            "it has no text" if text is None or text == "" else f"its text is {text!r:.40}, not a question"
        )
    return Query(
        _name(row.get("id"), "id") or str(place),
        text,
        _relevant(row),
        _name(row.get("group"), "group"),
        _name(row.get("category"), "category"),
        None if row.get("timestamp") is None else iso(row["timestamp"]),
    )


def _relevant(row: Mapping[str, Any]) -> frozenset[str]:
    if "relevant" not in row:
        raise ValueError('it does not say what answers it: "relevant" is a list of ids, [] if nothing does')
    ids = row["relevant"]
    if isinstance(ids, str) or not isinstance(ids, Iterable) or isinstance(ids, Mapping):
        raise ValueError(f"its relevant is {ids!r:.40}, not a list of ids")
    return frozenset(name for id in ids if (name := _name(id, "relevant")))


def _name(value: Any, field: str) -> str | None:
    """An id or a name as text; whole numbers are accepted, because tables have them."""
    if value is None or value == "":
        return None
    if isinstance(value, str | int) and not isinstance(value, bool):
        return str(value)
    raise ValueError(f"its {field} holds {value!r:.40}, not a text")
