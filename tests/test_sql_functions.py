"""memkit's functions in SQL: what they give, how often they are asked, and that they never break a query."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import with_two_libraries
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase, register_sql_functions
from memkit.embedding import from_blob
from memkit.frontends import sql_functions
from memkit.retrieval import limits
from memkit.storage.driver import sqlite3

JOINED = """
select m.id, m.text, r.value->>'score' as score
from json_each(recall(?, ?)) as r join memories as m on m.id = r.value->>'id'
order by r.key
"""


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sql") / "garden.db"
    with MemoryDatabase(path) as memory:
        memory.remember("Rosa planted the quince in 2019.", project="garden", now="2026-01-01T00:00:00Z")
        memory.remember("Alice introduced Rosa to Otto.", now="2026-01-01T00:00:00Z")
        memory.remember("The rowing boat has a bung.", kind="episode", now="2026-01-01T00:00:00Z")
        memory.relate("Rosa", "planted", "quince")
        memory.relate("Alice", "introduced", "Rosa")
    return path


@pytest.fixture
def conn(garden: Path) -> Iterator[Any]:
    opened = sqlite3.connect(f"{garden.as_uri()}?mode=ro", uri=True)
    register_sql_functions(opened)
    yield opened
    opened.close()


def one(conn: Any, expression: str, *values: Any) -> Any:
    return conn.execute(f"select {expression}", values).fetchone()[0]


def error(conn: Any, expression: str, *values: Any) -> str:
    said = json.loads(one(conn, expression, *values))
    return str((said[0] if isinstance(said, list) else said)["error"])


def test_recall_joins_to_any_table_and_finds_what_python_finds(conn: Any, garden: Path) -> None:
    rows = conn.execute(JOINED, ("who planted the quince?", 2)).fetchall()
    with MemoryDatabase(garden, read_only=True) as memory:
        assert [row[0] for row in rows] == memory.recall("who planted the quince?", 2).ids
    assert rows[0][1] == "Rosa planted the quince in 2019."


def test_recall_gives_what_the_command_line_prints(conn: Any) -> None:
    hit = json.loads(one(conn, "recall('quince', 1)"))[0]
    assert {"id", "source_id", "score", "text", "kind", "title", "happened_at", "project", "why", "path"} <= set(hit)
    assert set(hit["why"]["fulltext"]) == {"rank", "score", "contribution"}


def test_options_are_those_of_recall(conn: Any) -> None:
    found = json.loads(one(conn, "recall('Rosa', 5, ?)", '{"kinds": ["episode"], "strategy": "slots"}'))
    assert [hit["kind"] for hit in found] in ([], ["episode"])
    only = '{"project": "garden", "only_project": true, "kinds": ["fact"]}'
    assert json.loads(one(conn, "recall('planted', 5, ?)", only))[0]["project"] == "garden"


@pytest.mark.parametrize("empty", ["", None])
def test_empty_arguments_of_a_form_are_defaults(conn: Any, empty: Any) -> None:
    assert json.loads(one(conn, "recall('quince', ?, ?)", empty, empty))


def test_null_asks_nothing(conn: Any) -> None:
    for function in ("recall", "recall_context", "embed", "fts_query", "est_tokens", "entity_neighbors"):
        assert one(conn, f"{function}(null)") is None
    for names in ("null, 'Rosa'", "'Rosa', null", "null, null"):
        assert one(conn, f"entity_path({names})") is None  # and not the way to somebody called None
    assert one(conn, "recall('quince', null, null)") == one(conn, "recall('quince')")
    assert one(conn, "json_array_length(recall(''))") == 0


@pytest.mark.parametrize(
    ("expression", "values", "says"),
    [
        ("recall('x', -1)", (), "k must be from 0 to 200, not -1"),
        ("recall('x', 100000)", (), "k must be from 0 to 200"),
        ("recall('x', 'many')", (), "k must be a whole number, not 'many'"),
        ("recall('x', 5, '{\"nope\": 1}')", (), "'nope' is not an option"),
        ("recall('x', 5, '{')", (), "not JSON"),
        ("recall('x', 5, '[]')", (), "must be a JSON object"),
        ("recall('x', 5, ?)", ('{"strateg": "kira"}',), "Did you mean 'strategy'"),
        ("recall('x', 5, ?)", ('{"strategy": "kura"}',), "Did you mean 'kira'"),
        ("recall('x', 5, ?)", ('{"since": "never"}',), "since"),
        ("recall('x', 5, ?)", ('{"strategy": {"graph": {"depth": "deep"}}}',), ""),
        ("recall_context('x', -5)", (), "budget must be"),
        ("entity_path('Rosa', 'nobody at all')", (), "nobody at all"),
        ("entity_neighbors('Roza')", (), "Rosa"),
        ("entity_neighbors('Rosa', 99)", (), "depth must be from 0 to 3"),
    ],
)
def test_what_makes_no_sense_is_said_as_json(conn: Any, expression: str, values: tuple[str, ...], says: str) -> None:
    assert says in error(conn, expression, *values)


@pytest.mark.parametrize("call", ["recall('x', -1)", "entity_path('Rosa', 'nobody')", "entity_neighbors('Rosa', 99)"])
def test_what_makes_no_sense_breaks_no_query_that_reads_an_array(conn: Any, call: str) -> None:
    """An inner join finds nothing, a left join shows the reason."""
    joined = (
        f"select m.id, r.value->>'error' from json_each({call}) as r left join memories as m on m.id = r.value->>'id'"
    )
    ((id, reason),) = conn.execute(joined).fetchall()
    assert id is None
    assert reason
    assert conn.execute(joined.replace("left join", "join")).fetchall() == []


def test_a_database_without_memories_is_said_to_have_none() -> None:
    other = sqlite3.connect(":memory:")
    register_sql_functions(other)
    assert "no memory database" in error(other, "recall('x')")
    assert one(other, "est_tokens('hello there')") == 3
    other.close()


def test_the_context_fits_its_budget(conn: Any) -> None:
    text = one(conn, "recall_context('who planted the quince?', 200)")
    assert "Rosa planted the quince" in text
    assert one(conn, "est_tokens(?)", text) <= 200


def test_the_graph_can_be_asked(conn: Any) -> None:
    steps = json.loads(one(conn, "entity_path('Alice', 'quince')"))
    assert [(step["source"], step["label"], step["target"]) for step in steps] == [
        ("Alice", "introduced", "Rosa"),
        ("Rosa", "planted", "quince"),
    ]
    near = {found["name"]: found for found in json.loads(one(conn, "entity_neighbors('Rosa')"))}
    assert near["quince"]["labels"] == ["planted"]
    assert near["quince"]["depth"] == 1


def test_embed_gives_the_vector_that_is_stored(conn: Any, garden: Path) -> None:
    with MemoryDatabase(garden, read_only=True) as memory:
        expected = memory.embedder.encode(["quince"])[0]
    assert from_blob(one(conn, "embed('quince')")).tolist() == expected.tolist()


def test_embed_gives_no_vector_of_a_model_that_has_changed_since(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db") as memory:
        memory.remember("A quince.")
        memory.conn.execute("update models set version = '0'")
        register_sql_functions(memory.conn)
        assert "memkit reindex m.db" in error(memory.conn, "embed('quince')")


@given(st.text(max_size=60))
def test_any_text_is_a_query_that_full_text_understands(text: str) -> None:
    conn = sqlite3.connect(":memory:")
    register_sql_functions(conn)
    conn.execute("create virtual table f using fts5(t)")
    assert (
        conn.execute("select * from f where f match fts_query(?)", (text.encode("utf-8", "replace"),)).fetchall() == []
    )
    conn.close()


# ---------------------------------------------------------------------------------------------- how often


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that were really asked."""
    asked: list[str] = []
    original = MemoryDatabase.recall

    def recall(self: Any, question: str, *args: Any, **options: Any) -> Any:
        asked.append(question)
        return original(self, question, *args, **options)

    monkeypatch.setattr(MemoryDatabase, "recall", recall)
    return asked


def test_a_join_asks_once(conn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = counted(monkeypatch)
    left = "select count(*) from memories as m left join json_each(recall(m.project || 'quince' || ?)) as r"
    conn.execute("select count(*) from memories as m left join json_each(recall('quince')) as r").fetchone()
    assert asked == ["quince"]
    conn.execute(left, ("",)).fetchone()
    assert len(asked) == 3  # two projects, two questions


def test_what_was_written_by_anybody_is_found(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as memory:
        memory.remember("A quince.")
        reader = sqlite3.connect(path)
        register_sql_functions(reader)
        assert one(reader, "json_array_length(recall('quince'))") == 1
        memory.remember("Another quince.")
        assert one(reader, "json_array_length(recall('quince'))") == 2
        reader.execute("update memories set text = 'A pear.' where text = 'A quince.'")
        assert one(reader, "json_array_length(recall('quince'))") == 1
        reader.rollback()
        reader.close()


def test_time_is_bounded(garden: Path) -> None:
    slow = limits.Bounded(sqlite3.connect(garden), seconds=0.0)
    slow.begin()
    with pytest.raises(limits.TooSlow, match="more than 0 seconds"):
        slow.execute("select 1")


def test_the_clock_starts_anew_for_every_call(garden: Path) -> None:
    conn = sqlite3.connect(garden)
    asked = sql_functions.Asked(limits.Bounded(conn, seconds=30))
    call = asked.remembered("recall", sql_functions.recall)
    asked.conn._end = 0.0  # the last call's deadline has long passed
    assert json.loads(call("quince"))
    conn.close()


def test_a_time_limit_of_the_query_interrupts_it_as_one(garden: Path) -> None:
    """Not "user-defined function raised exception", and no half of an answer."""
    conn = sqlite3.connect(garden)
    register_sql_functions(conn)
    conn.set_progress_handler(lambda: 1, 100)
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        conn.execute("select count(*) from memories as m, json_each(recall('quince')) as r").fetchone()
    conn.close()


def test_candidates_are_bounded() -> None:
    from memkit.retrieval.registry import strategy

    wide = strategy({"fulltext": {"limit": 10**9}, "graph": {"seeds": 10**9, "depth": 10**6}})
    narrow = limits.bounded(wide)
    assert narrow.fulltext is not None
    assert narrow.graph is not None
    assert (narrow.fulltext.limit, narrow.graph.seeds, narrow.graph.depth) == (2000, 200, 4)


def test_a_connection_of_another_library_is_refused(tmp_path: Path) -> None:
    code = "from memkit import register_sql_functions\nregister_sql_functions(own.connect(':memory:'))"
    assert "TypeError: This connection is from sqlite3" in (said := with_two_libraries(tmp_path, code).stderr)
    assert "Two SQLite libraries" in said


# ---------------------------------------------------------------------------------------------- sqlite-utils


def test_sqlite_utils_has_the_functions(garden: Path) -> None:
    from sqlite_utils import Database

    memory = Database(garden)
    assert json.loads(next(memory.query("select recall('quince', 1) as r"))["r"])[0]["text"].startswith("Rosa")
    memory.close()
    other = Database(memory=True)
    assert next(other.query("select est_tokens('abcd') as n, fts_query('a quince') as q")) == {"n": 1, "q": '"quince"'}
    with pytest.raises(sqlite3.OperationalError, match="no such function"):
        list(other.query("select recall('x')"))


def test_its_command_line_has_them_and_stays_light() -> None:
    code = (
        "import sys\nfrom sqlite_utils.plugins import ensure_plugins_loaded, pm\nensure_plugins_loaded()\n"
        "assert pm.has_plugin('memkit'), pm.list_name_plugin()\nprint('memkit.frontends.sql_functions' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if "AssertionError" in done.stderr:
        pytest.skip("memkit is not installed here, so that sqlite-utils cannot know of it")
    assert done.stdout.strip() == "False", done.stderr


@pytest.mark.parametrize("call", ["recall(?)", "recall_context(?)", "entity_path('Rosa', ?)", "entity_neighbors(?)"])
def test_a_text_that_would_take_long_to_read_is_refused(conn: Any, call: str) -> None:
    assert "at most 100,000 characters" in error(conn, call, "quince " * 20_000)
    assert conn.execute("select length(fts_query(?))", ("quince " * 2_000_000,)).fetchone()[0] < 1_000_000
