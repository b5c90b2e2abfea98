"""Memories are private: nobody sees a word of them, by whatever door, unless the owner has said otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from datasette import hookimpl
from datasette.plugins import pm
from datasettes import NASTY, SECRET, Browser, build_private, datasette, nobody, root

from memkit import MemoryDatabase
from memkit.frontends.datasette.compat import IS_1
from memkit.frontends.datasette.permissions import PUBLIC
from memkit.storage import driver
from memkit.storage.driver import sqlite3

ADA = {"id": "ada"}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_private(tmp_path_factory.mktemp("permissions") / "private.db")


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of something else, that everybody may see."""
    path = tmp_path_factory.mktemp("permissions") / "shop.db"
    conn = sqlite3.connect(path)
    conn.execute("create table goods (name text)")
    conn.execute("insert into goods values ('apples')")
    conn.commit()
    conn.close()
    return path


def sql(database: str, query: str, **parameters: Any) -> str:
    path = f"/{database}/-/query.json?" if IS_1 else f"/{database}.json?"
    return path + urlencode({"sql": query, **parameters})


@pytest.fixture(scope="module")
def doors(private: Path) -> list[str]:
    """Every address that could tell something about the memories in a file called private.db."""
    with MemoryDatabase(private, read_only=True) as memory:
        conn = memory.conn
        tables = [row[0] for row in conn.execute("select name from sqlite_master where type in ('table', 'view')")]
        memories = [tuple(row) for row in conn.execute("select key, id from memories")]
        entities = [tuple(row) for row in conn.execute("select key, id from entities")]
    found = ["/", "/-/databases.json", "/-/metadata.json", "/-/plugins.json", "/-/jump.json?q=recall", "/-/schema.json"]
    found += ["/private", "/private.json", "/private.db", "/private/-/schema", "/private/-/schema.json", "/_memory"]
    for key, id in memories:
        found += [f"/private/memories/{key}", f"/private/memories/{key}.json", f"/private/-/memory/{id}"]
        found += [f"/private/-/memory/{id}.json", f"/private/-/correct/{id}", f"/private/-/forget/{id}"]
    for key, id in entities:
        found += [f"/private/entities/{key}.json", f"/private/-/entity/{id}", f"/private/-/entity/{id}.json"]
    for page in ("recall", "graph", "remember", "merge"):
        found += [f"/private/-/{page}", f"/private/-/{page}.json"]
    for end in ("", ".json"):
        found += [f"/recall{end}", f"/recall{end}?q=flagstone", f"/recall{end}?q=flagstone&budget=500"]
        found += [f"/private/-/recall{end}?q=flagstone", f"/private/-/graph{end}?from=Zebediah&to={SECRET}"]
        found += [f"/private/-/entity/Zebediah{end}", f"/private/-/entity/Zebedia{end}"]
    for query in ("recall", "recall_names", "hybrid", "about", "facts_on", "contradictions"):
        found.append(f"/private/{query}.json?question=flagstone&name=Zebediah&k=&options=&date=2026-01-01")
    for statement in (
        "select * from memories",
        "select recall('flagstone')",
        "select recall_context('flagstone')",
        "select entity_neighbors('Zebediah')",
        "select hex(vector) from embeddings",
        "select * from memories_fts_content",
    ):
        found += [sql("private", statement), sql("_memory", statement), sql("shop", statement)]
    found += [sql("_memory", "select * from private.memories"), sql("_memory", "select * from [private].entities")]
    for end in ("", ".json", ".csv", ".json?_shape=objects", "?_recall=flagstone", f"?_search={SECRET}"):
        found += [f"/private/{table}{end}" for table in tables]
    return found


async def words_seen(browser: Browser, paths: list[str], enough: float = inf) -> dict[str, int]:
    """The paths whose responses hold a word of a private memory that was not in the path itself, with their status."""
    seen: dict[str, int] = {}
    for path in paths:
        if len(seen) >= enough:
            break
        response = await browser.get(path)
        text = response.content.decode("utf-8", "replace") + str(dict(response.headers))
        assert response.status_code < 500, (path, text[:500])
        if any(word in text for word in (SECRET, "flagstone", "Zebediah", "alert(1)") if word not in path):
            seen[path] = response.status_code
    return seen


SETTINGS: list[dict[str, Any]] = [
    {},
    {"crossdb": True},
    {"immutable": True},
    {"config": {"databases": {"shop": {"allow": True}}}},
    {"config": {"databases": {"private": {"tables": {"memories": {"allow": {"id": "root"}}}}}}},
    {"config": {"allow_sql": True}},
]


@pytest.mark.parametrize("options", SETTINGS, ids=lambda options: ",".join(options) or "as it comes")
async def test_nobody_sees_a_word(
    private: Path, public: Path, doors: list[str], tmp_path: Path, options: dict[str, Any]
) -> None:
    options = dict(options)
    if options.pop("immutable", False):
        frozen = tmp_path / "private.db"
        with MemoryDatabase(private) as memory:
            memory.conn.execute("vacuum into ?", (str(frozen),))
        served = datasette(public, immutables=[str(frozen)], **options)
    else:
        served = datasette(private, public, **options)
    assert await words_seen(nobody(served), doors) == {}
    assert await words_seen(Browser(served, ADA), doors) == {}
    assert len(await words_seen(root(served), doors, enough=60)) == 60  # the scan would find them
    assert "apples" in await nobody(served).page("/shop/goods")


@pytest.mark.parametrize(
    "config",
    [
        {"plugins": {"memkit": {"allow": ADA}}},
        {"databases": {"private": {"plugins": {"memkit": {"allow": ADA}}}}},
        {"databases": {"private": {"allow": ADA}}},
    ],
)
async def test_the_owner_opens_them_to_whom_they_name(private: Path, doors: list[str], config: dict[str, Any]) -> None:
    served = datasette(private, config=config)
    ada = Browser(served, ADA)
    assert (await ada.json("/private/-/recall.json?q=flagstone"))["hits"]
    assert SECRET in await ada.page(sql("private", "select text from memories"))
    assert await words_seen(nobody(served), doors) == {}
    await ada.page("/private/-/remember", 403)


async def test_public_has_to_be_said(private: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PUBLIC, "1")
    served = datasette(private)
    assert (await nobody(served).json("/recall.json?q=flagstone"))["hits"]
    await nobody(served).page("/private/-/remember", 403)
    monkeypatch.delenv(PUBLIC)
    assert (await nobody(served).json("/recall.json?q=flagstone")).get("hits", []) == []


async def test_who_may_not_see_the_table_gets_nothing_through_recall(private: Path, doors: list[str]) -> None:
    """Though the database itself is open to them."""
    config = {"databases": {"private": {"allow": True, "tables": {"memories": {"allow": {"id": "root"}}}}}}
    served = datasette(private, config=config)
    assert await words_seen(Browser(served, ADA), doors) == {}
    await nobody(served).page("/private")


async def test_one_servers_rules_are_not_anothers(private: Path) -> None:
    config = {"databases": {"private": {"tables": {"memories": {"allow": {"id": "nobody else"}}}}}}
    first = datasette(private, config=config)
    await Browser(first, ADA).get("/private/memories")
    second = datasette(private, config={"plugins": {"memkit": {"allow": ADA}}})
    assert (await Browser(second, ADA).json("/private/-/recall.json?q=flagstone"))["hits"]


async def test_a_table_may_be_opened_alone(private: Path) -> None:
    config = {"databases": {"private": {"tables": {"entities": {"allow": True}}}}}
    served = datasette(private, config=config)
    await nobody(served).page("/private/entities.json")
    await nobody(served).page("/private/memories.json", 403)


class Impatient:
    """A plugin of Datasette: its connections do not wait five seconds for a lock."""

    @staticmethod
    @hookimpl
    def prepare_connection(conn: Any) -> None:
        conn.execute("pragma busy_timeout = 50")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(driver, "BUSY_SECONDS", 0)  # nor do memkit's
    pm.register(Impatient)
    yield
    pm.unregister(Impatient)


@pytest.mark.usefixtures("impatient")
async def test_a_database_that_cannot_be_read_is_private(private: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked.db"
    with MemoryDatabase(private) as memory:
        memory.conn.execute("vacuum into ?", (str(locked),))
    conn = sqlite3.connect(locked, isolation_level=None)
    conn.execute("begin exclusive")
    served = datasette(locked)
    with suppress(sqlite3.OperationalError):  # Datasette itself cannot read it either
        assert (await nobody(served).get("/locked")).status_code in (403, 500)
    conn.execute("rollback")
    conn.close()
    await nobody(served).page("/locked/memories", 403)


async def test_nothing_private_is_kept_by_caches_on_the_way(private: Path) -> None:
    response = await root(datasette(private)).get("/private/-/recall?q=flagstone")
    assert "private" in response.headers["cache-control"]


# ---------------------------------------------------------------------------------------------- text stays text

HARM = ("<script>alert(1)", "<svg onload", 'href="javascript:', "p<b>")


async def test_text_from_memories_is_never_html(private: Path, doors: list[str]) -> None:
    served = datasette(private)
    owner = root(served)
    pages = [path for path in doors if ".json" not in path and ".csv" not in path]
    shown = 0
    for path in pages:
        response = await owner.get(path)
        if "text/html" in response.headers["content-type"]:
            assert [harm for harm in HARM if harm in response.text] == [], path
            shown += "&lt;script&gt;alert(1)" in response.text
    assert shown > 10


async def test_harmful_text_is_the_same_text_in_json(private: Path) -> None:
    owner = root(datasette(private))
    found = await owner.json("/private/-/recall.json?q=Zebediah+jar")
    assert NASTY in found["hits"][0]["text"]
    assert (await owner.get("/private/-/recall.json?q=x")).headers["content-type"].startswith("application/json")


@pytest.mark.parametrize("name", ["q", "project", "speaker", "since", "strategy", "compare", "kind"])
async def test_what_is_asked_is_escaped_too(private: Path, name: str) -> None:
    owner = root(datasette(private))
    for asked in (NASTY, f'"{NASTY}'):
        response = await owner.get("/private/-/recall?" + urlencode({"q": "jar", name: asked}))
        assert [harm for harm in HARM if harm in response.text] == []


async def test_a_name_in_an_address_is_escaped(private: Path) -> None:
    owner = root(datasette(private))
    response = await owner.get("/private/-/graph?" + urlencode({"from": NASTY + "?", "to": NASTY + "!"}))
    assert [harm for harm in HARM if harm in response.text] == []
    response = await owner.get("/private/-/entity/" + "~3Cscript~3Ealert(1)")
    assert "<script>alert" not in response.text


async def test_the_json_of_tables_is_not_changed_by_cells(private: Path) -> None:
    owner = root(datasette(private))
    rows = json.loads(await owner.page("/private/memories.json?_shape=objects"))["rows"]
    assert NASTY in {row["title"] for row in rows}


@pytest.mark.parametrize("path", ["/-/databases.json", "/-/databases"])
async def test_the_path_of_a_private_file_is_told_to_its_owner_alone(private: Path, public: Path, path: str) -> None:
    served = datasette(private, public)
    for browser in (nobody(served), Browser(served, ADA)):
        page = await browser.page(path)
        assert str(private.parent) not in page.replace(str(public), "")
        assert str(public) in page
    assert str(private) in await root(served).page(path)


@pytest.mark.parametrize("page", ["recall", "recall?q=quince", "graph", "time", "entity/Rosa", "memory/x", "sources"])
async def test_who_may_not_see_a_page_is_told_so_as_json_too(private: Path, page: str) -> None:
    path, _, question = page.partition("?")
    stranger = nobody(datasette(private))
    told = await stranger.get(f"/private/-/{path}.json?{question}")
    assert told.status_code == 403
    assert "private" in told.json()["error"] or "write" in told.json()["error"]
    assert set(told.json()) == {"ok", "error", "status"}
    shown = await stranger.get(f"/private/-/{path}?{question}")
    assert shown.status_code == 403
    assert SECRET not in told.text + shown.text
