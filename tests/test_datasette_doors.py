"""Every route of Datasette and of the plugin, asked by nobody: no word of a memory, whatever the file is called."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from datasette.database import Database
from datasette.utils import tilde_encode
from datasettes import SECRET, Browser, build_private, datasette, nobody, root

from memkit import MemoryDatabase
from memkit.frontends.datasette.compat import IS_1
from memkit.storage.driver import sqlite3

try:
    from re import _constants as kinds  # type: ignore[attr-defined]
    from re import _parser as patterns  # type: ignore[attr-defined]
except ImportError:  # Python 3.10
    import sre_constants as kinds  # type: ignore[no-redef]
    import sre_parse as patterns  # type: ignore[no-redef]

pytestmark = pytest.mark.slow

ODD = ["_under", "_memory", "_internal", "__INTERNAL__", "a b.c~2F'\"é", "-", "recall"]
PLANTED = (SECRET, "flagstone", "Zebediah")


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = build_private(tmp_path_factory.mktemp("doors") / "private.db")
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("pragma journal_mode = delete")  # one file, which can be copied
    return path


@pytest.fixture
def copy(private: Path, tmp_path: Path) -> Callable[..., Path]:
    """A function that copies the database to another name, after some statements."""

    def made(name: str, *statements: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(private, path)
        with closing(sqlite3.connect(path)) as conn:
            for statement in statements:
                conn.execute(statement)
            conn.commit()
        return path

    return made


# ---------------------------------------------------------------------------------------------- the walk


def addresses(pattern: str, values: dict[str, list[str]]) -> list[str]:
    """Every address that a route's pattern matches, with these values for its named groups."""
    parsed = patterns.parse(pattern)
    names = {number: name for name, number in parsed.state.groupdict.items()}

    def of(part: Any) -> list[str]:
        kind, value = part
        if kind is kinds.LITERAL:
            return [chr(value)]
        if kind is kinds.AT:
            return [""]
        if kind is kinds.SUBPATTERN:
            name = names.get(value[0])
            return values.get(name, ["x"]) if name else all_of(value[3])
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT):
            least, _, repeated = value
            return [*([""] if not least else []), *all_of(repeated)]
        return ["x"]

    def all_of(parts: Any) -> list[str]:
        return ["".join(chosen) for chosen in product(*(of(part) for part in parts))]

    return all_of(parsed)


def every_address(served: Any, database: str, tables: list[str], ids: list[str]) -> Iterator[str]:
    """The addresses of every route about one database, those of the tables in each format and with each option."""
    values = {
        "database": [tilde_encode(database)],
        "table": tables,
        "query": ["recall", "hybrid"],
        "pks": ["1"],
        "id": [*ids, "Zebediah"],
        "format": ["json"],
        "rest": ["", "/memories"],
        "path": ["app.css"],
        "file": ["memkit.css"],
    }
    regexes = [getattr(pattern, "pattern", pattern) for pattern, _ in served._routes()]
    for regex in regexes:
        if "mcp" not in regex:  # it answers only while a server runs; test_datasette_hooks.py calls its tools
            yield from addresses(regex, values)
    base = f"/{tilde_encode(database)}"
    for table in tables:
        for end in ("csv", "blob?_blob_column=text", "json?_shape=array", "json?_nl=on&_shape=array", "csv?_stream=on"):
            yield f"{base}/{table}.{end}"
            yield f"{base}/{table}/1.{end}"
        for option in ("_facet=text", "_facet_array=tags", "_sort=text", "_col=text", "_extra=facet_results,debug"):
            yield f"{base}/{table}.json?{option}"
            yield f"{base}/{table}?{option}"
        yield f"{base}/{table}?_recall=flagstone"
        yield f"{base}/{table}/-/autocomplete?q={SECRET[:4]}"
    for page in ("/recall", f"{base}/-/recall"):
        for end in ("", ".json"):
            yield f"{page}{end}?q=flagstone&budget=500"
    yield f"{base}/-/graph.json?from=Zebediah&to={SECRET}"
    for end in ("", ".json", ".csv"):
        for statement in ("select * from memories", "select recall('flagstone')", "select * from entities"):
            asked = urlencode({"sql": statement})
            yield f"{base}/-/query{end}?{asked}" if IS_1 else f"{base}{end}?{asked}"
    for name in ("recall", "recall_names", "hybrid", "about", "facts_on"):
        yield f"{base}/{name}.json?question=flagstone&name=Zebediah&k=&options=&date=2026-01-01"
    for page in ("search", "jump.json", "schema.json", "allowed.json?action=view-table", "rules.json", "tables.json"):
        yield f"/-/{page}{'&' if '?' in page else '?'}q={SECRET[:4]}"


def words_in(response: Any, path: str) -> list[str]:
    """The planted words that a response tells, and that were not in its address."""
    text = response.content.decode("utf-8", "replace") + str(dict(response.headers))
    return [word for word in PLANTED if word in text and word not in path]


async def told(browser: Browser, database: str, tables: list[str], ids: list[str], enough: int = 10**6) -> list[str]:
    """The addresses at which a planted word is told."""
    found = []
    for path in every_address(browser.served, database, tables, ids):
        response = await browser.get(path)
        if words_in(response, path):
            found.append(f"{response.status_code} {path}")
        if len(found) >= enough:
            break
    return found


TABLES = ["memories", "current_memories", "memories_fts", "memories_fts_content", "entities", "evidence", "documents"]


def names_of(served: Any) -> list[str]:
    """The names that Datasette gave to the files: not always those of the files."""
    return [name for name, database in served.databases.items() if database.path]


def ids_of(private: Path) -> list[str]:
    with MemoryDatabase(private, read_only=True) as memory:
        return [row[0] for row in memory.conn.execute("select id from memories union all select id from entities")]


async def told_of_each(served: Any, names: list[str], private: Path) -> list[str]:
    """What nobody is told about these databases; checks that the owner is told something about each."""
    ids = ids_of(private)
    for name in names:
        assert await told(root(served), name, TABLES, ids, enough=3), name
    return [found for name in names for found in await told(nobody(served), name, TABLES, ids)]


# ---------------------------------------------------------------------------------------------- names and files


@pytest.mark.parametrize("name", ODD)
async def test_a_file_of_any_name_is_private(copy: Callable[..., Path], private: Path, name: str) -> None:
    served = datasette(copy(f"{name}.db"))
    (given,) = names_of(served)
    assert await told_of_each(served, [given], private) == []


@pytest.mark.parametrize("name", ODD[:3])
async def test_the_allow_block_of_a_file_of_any_name_counts(copy: Callable[..., Path], name: str) -> None:
    path = copy(f"{name}.db")
    (given,) = names_of(datasette(path))
    config = {"databases": {given: {"plugins": {"memkit": {"allow": {"id": "ada"}}}}}}
    served = datasette(path, config=config)
    found = await Browser(served, {"id": "ada"}).json(f"/{given}/-/recall.json?q=flagstone")
    assert SECRET in found["hits"][0]["text"]
    await nobody(served).page(f"/{given}", 403)


async def test_two_files_of_one_name_are_both_private(copy: Callable[..., Path], private: Path) -> None:
    served = datasette(copy("one/same.db"), copy("two/same.db"))
    assert await told_of_each(served, ["same", "same_2"], private) == []


async def test_files_that_one_database_can_read_are_private(copy: Callable[..., Path], private: Path) -> None:
    query = {"sql": "select text from [_under].memories"}
    config = {"databases": {"_memory": {"queries": {"all": query}}}}
    served = datasette(copy("_under.db"), copy("_memory.db"), crossdb=True, config=config)
    names = ["_under", "_memory_2"]
    assert await told_of_each(served, names, private) == []
    for asked in (
        f"/_memory/-/query.json?{urlencode(query)}",
        f"/_memory.json?{urlencode(query)}",
        "/_memory/all.json",
    ):
        assert words_in(await nobody(served).get(asked), "") == [], asked


NO_MARK = "pragma application_id = 0"
LOST = {
    "no mark": (NO_MARK,),
    "another mark": ("pragma application_id = 12345",),
    "another name": (NO_MARK, "alter table memories rename to notes"),
    "the words alone": (
        NO_MARK,
        *(
            f"drop view {name}"
            for name in ("index_stale", "memories_gone", "codes_changed", "memories_bigrams", "memories_indexed")
        ),
        *(f"drop view {name}" for name in ("current_memories", "current_relations", "memory_entities", "graph_edges")),
        "drop table memories",
    ),
    "a copy of the table": (NO_MARK, "create table notes as select * from memories", "drop table memories_fts"),
}


@pytest.mark.parametrize("lost", LOST)
async def test_a_file_that_lost_its_mark_is_private(copy: Callable[..., Path], private: Path, lost: str) -> None:
    served = datasette(copy("lost.db", *LOST[lost]))
    ids = ids_of(private)
    tables = [*TABLES, "notes", "memories_fts_content"]
    assert await told(root(served), "lost", tables, ids, enough=3)
    assert await told(nobody(served), "lost", tables, ids) == []


@pytest.mark.parametrize(
    "table",
    [
        "create table documents (id integer primary key, title text, kind text, created_at text)",
        "create table settings (name text primary key, value text)",
        "create table embeddings (id text primary key, collection_id text, embedding blob, content text, updated text)",
        "create table talks (id integer primary key, title text, text text, speaker text, tags text)",
        "create virtual table talks using fts5(text, title, speaker, tags)",
    ],
)
async def test_a_file_of_something_else_stays_open(tmp_path: Path, table: str) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as conn:
        conn.execute(table)
        conn.commit()
    await nobody(datasette(tmp_path / "shop.db")).page("/shop")


# ---------------------------------------------------------------------------------------------- while it is served


async def test_a_database_that_is_added_later_is_private(copy: Callable[..., Path], private: Path) -> None:
    served = datasette(memory=True)
    await nobody(served).page("/")
    served.add_database(Database(served, path=str(copy("_later.db")), is_mutable=True))
    assert await told_of_each(served, ["_later"], private) == []


async def test_a_database_in_memory_is_private(private: Path) -> None:
    served = datasette(memory=True)
    held = served.add_database(Database(served, memory_name="doors_held"), name="_held")

    def fill(conn: Any) -> None:
        with closing(sqlite3.connect(private)) as source:
            source.backup(conn)

    if IS_1:
        await held.execute_write_fn(fill, transaction=False)
    else:
        await held.execute_write_fn(fill)
    assert await told_of_each(served, ["_held"], private) == []


async def test_a_file_that_becomes_one_while_it_is_served_is_private(
    copy: Callable[..., Path], private: Path, tmp_path: Path
) -> None:
    """It is replaced: connections that were open before still read the old file, new ones the new one."""
    with closing(sqlite3.connect(tmp_path / "grows.db")) as conn:
        conn.execute("create table memories (text)")
        conn.commit()
    served = datasette(tmp_path / "grows.db")
    await nobody(served).page("/grows/memories")
    copy("other.db").rename(tmp_path / "grows.db")
    await nobody(served).page("/grows/memories", 403)
    assert await told(nobody(served), "grows", TABLES, ids_of(private)) == []


async def test_a_stranger_whose_name_resolves_here_is_nobody(copy: Callable[..., Path]) -> None:
    """DNS rebinding: the page of another site reads this server under its own name, to which no cookie belongs."""
    served = datasette(copy("_under.db"))
    for host in ("evil.example", "evil.example:8001", "127.0.0.1.evil.example"):
        for path in ("/recall.json?q=flagstone", "/_under/-/recall.json?q=flagstone", "/_under/memories.json"):
            response = await served.client.get(path, headers={"host": host, "origin": f"http://{host}"})
            assert words_in(response, path) == [], (host, path)


async def test_nobody_can_write_by_any_route(copy: Callable[..., Path], private: Path) -> None:
    path = copy("_under.db")
    before = path.read_bytes()
    served = datasette(path)
    for address in every_address(served, "_under", ["memories", "entities"], ids_of(private)):
        for sent in ({"json": {"row": {"text": "x"}, "rows": [{"text": "x"}], "update": {"text": "x"}}}, {"data": {}}):
            response = await served.client.post(quote(address, safe="/?&=~%"), **sent)
            assert words_in(response, address) == [], address
    assert path.read_bytes() == before
