"""What the plugin adds to Datasette's own pages: links, cells, filters, queries, descriptions; and how it is loaded."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import yaml
from datasette.app import Datasette
from datasette.plugins import pm
from datasettes import Browser, build_demo, build_private, datasette, nobody, root

from memkit import MemoryDatabase
from memkit.frontends import datasette as datasette_plugin
from memkit.frontends.datasette import agents
from memkit.frontends.datasette.compat import IS_1
from memkit.storage import driver, schema

ROOT = Path(__file__).parent.parent
METADATA = yaml.safe_load((ROOT / "metadata.yml").read_text("utf-8"))
DEMO = METADATA["databases"]["demo"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_demo(tmp_path_factory.mktemp("hooks") / "anything.db")


@pytest.fixture
def reader(demo: Path) -> Browser:
    return root(datasette(demo))


# ---------------------------------------------------------------------------------------------- links and cells


async def test_datasettes_own_pages_lead_to_memkits(reader: Browser) -> None:
    assert '<a href="/recall">Recall memories</a>' in await reader.page("/")
    database = await reader.page("/anything")
    for page in ("recall", "graph", "remember", "merge"):
        assert f'href="/anything/-/{page}"' in database
    assert 'href="/anything/-/recall"' in await reader.page("/anything/memories")
    assert 'href="/anything/-/graph"' in await reader.page("/anything/entities")


async def test_the_first_page_is_the_question(reader: Browser, demo: Path) -> None:
    """On the front page and on that of a memory database, for those who may ask; tables for machines are not listed."""
    for path, action in (("/", "/recall"), ("/anything", "/anything/-/recall")):
        page = await reader.page(path)
        assert page.index(f'action="{action}" method="get" role="search"') < page.index("<h1")
        assert "What happened last" in page
        assert "/anything/-/memory/" in page
        assert "/anything/-/entity/" in page
        assert "mk-home" not in (await nobody(datasette(demo)).get(path)).text
    for table in ("_sqlite_migrations", "fingerprints", "index_paused"):
        assert f'<h3><a href="/anything/{table}">' not in page
    assert (await reader.get("/anything/fingerprints")).status_code == 200
    for path in ("/anything/memories", "/-/versions"):
        assert "mk-home" not in await reader.page(path)


async def test_what_has_no_date_is_on_the_first_page_as_what_came_in_last(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "notes.db", embed="none") as memory:
        (tmp_path / "garden").mkdir()
        for name, text in (("frost", "# Frost\n\nCover the fig.\n\n# Later\n\nUncover it."), ("pears", "Pears rot.")):
            (tmp_path / "garden" / f"{name}.md").write_text(text, encoding="utf-8")
        memory.ingest(tmp_path / "garden")
    page = await root(datasette(tmp_path / "notes.db")).page("/")
    assert "What happened last" not in page
    last = page[page.index("What came in last") :]
    assert last.index("Pears rot.") < last.index("Cover the fig.")  # each document once, by what it begins with
    assert "Uncover" not in last


async def test_the_owner_is_told_on_the_first_page_what_is_due(demo: Path, tmp_path: Path) -> None:
    with MemoryDatabase(demo) as memory:
        memory.maintain(only=["propose"])
        waiting = len(memory.proposals())
    assert waiting
    served = datasette(demo, config={"plugins": {"memkit": {"allow": True}}})
    for path in ("/", "/anything"):
        page = await root(served).page(path)
        assert re.search(rf'href="/anything/-/maintenance">{waiting} things? to decide<', page)
        assert "to decide" not in await nobody(served).page(path)
    closed = {"databases": {"anything": {"tables": {"proposals": {"allow": False}}}}}
    assert "to decide" not in await root(datasette(demo, config=closed)).page("/")


async def test_the_first_page_of_other_databases_stays_as_it_is(tmp_path: Path) -> None:
    driver.connect(tmp_path / "birds.db").execute("create table birds (name text)")
    for path in ("/", "/birds"):
        page = await root(datasette(tmp_path / "birds.db")).page(path)
        assert "memkit.css" not in page
        assert "mk-home" not in page


async def test_nobody_is_shown_a_link_they_cannot_follow(demo: Path) -> None:
    assert "/recall" not in await nobody(datasette(demo)).page("/")


@pytest.mark.skipif(not IS_1, reason="only Datasette 1.0 has these")
async def test_rows_and_the_jump_menu_lead_there_too(reader: Browser, demo: Path) -> None:
    with MemoryDatabase(demo, read_only=True) as memory:
        key, id = memory.conn.execute("select key, id from memories").fetchone()
    assert f'href="/anything/-/memory/{id}"' in await reader.page(f"/anything/memories/{key}")
    found = await reader.json("/-/jump.json?q=graph")
    assert "/anything/-/graph" in {match["url"] for match in found["matches"]}
    hidden = await nobody(reader.served).json("/-/jump.json?q=graph")
    assert hidden["matches"] == []


async def test_cells_show_entities_scores_and_times(reader: Browser) -> None:
    relations = await reader.page("/anything/current_relations")
    assert re.search(r'<a href="/anything/-/entity/\w+">\w+</a>', relations)
    assert re.search(r'<meter min="0" max="1" value="[\d.]+">', relations)
    assert re.search(
        r'<time datetime="[^"]+Z">\d{4}-\d\d-\d\d \d\d:\d\d</time>', await reader.page("/anything/memories")
    )


async def test_cells_of_other_databases_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    conn = driver.connect(path)
    conn.execute("create table memories (id text, confidence real)")
    conn.execute("insert into memories values ('x', 0.5)")
    conn.close()
    assert "<meter" not in await nobody(datasette(path)).page("/other/memories")


# ---------------------------------------------------------------------------------------------- the table page


async def test_recall_filters_the_table_and_keeps_what_tables_can(reader: Browser) -> None:
    page = await reader.page("/anything/memories?_recall=quince&_facet=kind")
    assert "recalled by “quince”" in page
    rows = await reader.json("/anything/memories.json?_recall=quince&_shape=array&_size=100")
    found = await reader.json("/anything/-/recall.json?q=quince&k=50")
    assert {row["id"] for row in rows} == {hit["id"] for hit in found["hits"]}
    csv = await reader.page("/anything/memories.csv?_recall=quince&_size=3")
    assert len([line for line in csv.splitlines() if line]) >= 4
    both = await reader.json("/anything/memories.json?_recall=quince&kind=fact&_shape=array")
    assert {row["kind"] for row in both} == {"fact"}


async def test_the_table_of_memories_has_a_question_and_shows_what_answers_it_best_first(reader: Browser) -> None:
    page = await reader.page("/anything/memories?_recall=who+planted+the+quince%3F&kind=fact&_facet=project")
    assert 'name="_recall" maxlength="2000" value="who planted the quince?"' in page
    assert '<input type="hidden" name="kind" value="fact">' in page
    assert "Best first." in page
    found = await reader.json("/anything/-/recall.json?q=who+planted+the+quince%3F&k=50")
    ids = re.findall(r'<td class="col-id [^>]*><a [^>]*>(\w+)</a>', page)
    assert ids == [hit["id"] for hit in found["hits"] if hit["kind"] == "fact"]
    assert len(ids) > 2
    by_date = await reader.page("/anything/memories?_recall=quince&_sort=happened_at")
    assert "Best first." not in by_date
    assert "Best first." not in await reader.page("/anything/memories?_recall=quince&_size=2")
    assert "Nothing here seems to answer this" in await reader.page(
        "/anything/memories?_recall=What+is+the+capital+of+Mongolia%3F"
    )
    assert "Nothing was found." in await reader.page("/anything/memories?_recall=%3F")


async def test_the_meaning_of_columns_is_folded_and_datasettes_pages_have_the_look_of_memkits(reader: Browser) -> None:
    query = "/anything/-/query?sql=select+1" if IS_1 else "/anything?sql=select+1"
    for path in ("/anything/memories", "/anything/entities", "/anything/memories/1", query):
        page = await reader.page(path)
        assert "memkit.css" in page, path
        assert re.search(r'<body class="[^"]* memkit"', page), path
    for table in ("memories", "entities"):
        page = await reader.page(f"/anything/{table}")
        assert re.search('<details class="mk-columns"><summary>.*</summary><dl class="column-descriptions">', page)
        assert page.count("</dl></details>") == 1
    assert "_recall" not in await reader.page("/anything/entities")


async def test_a_table_of_memories_has_no_question_for_whom_recall_is_denied(demo: Path) -> None:
    config = {"databases": {demo.stem: {"tables": {"entities": {"allow": False}}}}}
    denied = await root(datasette(demo, config=config)).page(f"/{demo.stem}/memories")
    assert 'name="_recall"' not in denied
    assert 'name="_recall"' in await root(datasette(demo)).page(f"/{demo.stem}/memories")


async def test_the_tables_of_other_databases_stay_as_they_are(tmp_path: Path) -> None:
    driver.connect(tmp_path / "birds.db").execute("create table memories (name text)")
    page = await root(datasette(tmp_path / "birds.db")).page("/birds/memories")
    assert "memkit" not in page


# ---------------------------------------------------------------------------------------------- canned queries


@pytest.mark.parametrize("name", DEMO["queries"])
async def test_every_canned_query_runs(reader: Browser, name: str) -> None:
    asked = {"question": "who planted the quince?", "k": "", "options": "", "name": "Rosa", "date": "2025-05-01"}
    found = await reader.json(f"/anything/{name}.json?" + urlencode({**asked, "_shape": "objects"}))
    assert found["rows"] or name in ("why_strategies_differ", "saved")  # what was logged or saved before
    page = await reader.page(f"/anything/{name}?" + urlencode(asked))
    assert DEMO["queries"][name]["title"] in page


async def test_the_query_for_recall_says_what_makes_no_sense(reader: Browser) -> None:
    query = urlencode({"question": "quince", "k": "many", "options": "", "_shape": "objects"})
    (row,) = (await reader.json(f"/anything/recall.json?{query}"))["rows"]
    assert row["text"] == "k must be a whole number, not 'many'."


async def test_why_strategies_differ_is_read_from_the_ledger(tmp_path: Path) -> None:
    path = build_private(tmp_path / "private.db")
    with MemoryDatabase(path) as memory:
        for name in ("memkit", "slots"):
            memory.recall("flagstone", strategy=name, ledger=True)
    found = await root(datasette(path)).json("/private/why_strategies_differ.json?question=flagstone&_shape=objects")
    assert {row["strategy"] for row in found["rows"]} == {"memkit", "slots"}


async def test_hybrid_recall_finds_what_recall_finds(reader: Browser) -> None:
    query = urlencode({"question": "who planted the quince?", "_shape": "objects"})
    rows = (await reader.json(f"/anything/hybrid.json?{query}"))["rows"]
    assert rows[0]["text"].startswith("Rosa planted the quince")
    assert "words #1" in rows[0]["why"]


# ---------------------------------------------------------------------------------------------- descriptions


def test_every_table_and_column_is_described() -> None:
    conn = driver.connect()
    schema.ensure(conn, "test")
    described = DEMO["tables"]
    tables = [row[0] for row in conn.execute("select name from sqlite_master where type = 'table'")]
    for table in tables:
        if re.match(r"sqlite_|memories_(fts|cjk)_|_sqlite", table):
            continue
        assert described[table]["description"], table
        columns = {row[1] for row in conn.execute(f"pragma table_info({table})")}
        if not table.startswith("memories_"):
            assert set(described[table]["columns"]) == columns, table
    views = [row[0] for row in conn.execute("select name from sqlite_master where type = 'view'")]
    assert [
        view
        for view in views
        if view not in described and view not in ("index_stale", "memories_gone", "codes_changed", "texts_changed")
    ] == []
    assert set(described) <= {*tables, *views}


def test_datasette_yml_follows_from_metadata_yml() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "datasette.py"))["config"](METADATA)
    assert (ROOT / "datasette.yml").read_text("utf-8") == made


async def test_descriptions_are_shown_whatever_the_file_is_called(reader: Browser) -> None:
    page = await reader.page("/anything/memories")
    assert DEMO["tables"]["memories"]["description"] in page
    assert DEMO["tables"]["memories"]["columns"]["happened_at"].split(".")[0] in page


async def test_the_owners_own_words_and_queries_stay(demo: Path) -> None:
    own = {"databases": {"anything": {"queries": {"recall": {"sql": "select 1 as own", "title": "Mine"}}}}}
    found = await root(datasette(demo, config=own)).json("/anything/recall.json?_shape=objects")
    assert found["rows"] == [{"own": 1}]


# ---------------------------------------------------------------------------------------------- how it is loaded


def test_the_shim_registers_once() -> None:
    for _ in range(2):
        runpy.run_path(str(ROOT / "plugins" / "memkit_plugin.py"))
    assert [plugin for plugin in pm.get_plugins() if plugin is datasette_plugin] == [datasette_plugin]


async def test_the_checkout_is_a_configuration_directory(tmp_path: Path) -> None:
    for name in ("templates", "plugins", "metadata.yml", "datasette.yml"):
        (tmp_path / name).symlink_to(ROOT / name)
    build_demo(tmp_path / "demo.db")
    served = Datasette([str(tmp_path / "demo.db")], config_dir=tmp_path)
    if IS_1:
        served.root_enabled = True
    owner = root(served)
    page = await owner.page("/")
    assert page.count('href="/recall"') == (2 if IS_1 else 1)  # 1.0 has it on the page as well as in the menu
    assert 'action="/recall"' in page
    assert "A year of one person" in await owner.page("/demo")
    assert (await owner.json("/demo/recall.json?question=quince&k=3&options=&_shape=objects"))["rows"]


async def test_users_override_any_template(demo: Path, tmp_path: Path) -> None:
    (tmp_path / "memkit_recall.html").write_text("my own page about {{ question }}", "utf-8")
    served = datasette(demo, template_dir=str(tmp_path))
    assert await root(served).page("/recall?q=quince") == "my own page about quince"


def test_starting_datasette_stays_light() -> None:
    code = (
        "import datasette.app, memkit.frontends.datasette, sys, json\n"
        "heavy = {'memkit.database.memory_database', 'memkit.retrieval.recall', 'memkit.embedding'}\n"
        "heavy |= {'memkit.frontends.sql_functions'}\n"
        "print(json.dumps(sorted(heavy & set(sys.modules))))"
    )
    alone = {**os.environ, "DATASETTE_LOAD_PLUGINS": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, env=alone)
    assert json.loads(done.stdout.splitlines()[-1]) == []


# ---------------------------------------------------------------------------------------------- agents


async def test_tools_answer_whom_they_may(demo: Path) -> None:
    served = datasette(demo)
    await served.invoke_startup()
    owner = {"id": "root"}
    found = await agents.recall(served, owner, "who planted the quince?")
    assert any(hit["text"].startswith("Rosa planted") for hit in found)
    assert (await agents.about(served, owner, "Rosa"))["name"] == "Rosa"
    for work in (agents.recall(served, None, "quince"), agents.about(served, None, "Rosa")):
        assert "no memory database" in json.loads(await agents.said(work))["error"]
    assert "error" in json.loads(await agents.said(agents.remember(served, None, "x")))
    assert "Rosa" in json.loads(await agents.said(agents.about(served, owner, "Rozza")))["error"]


async def test_a_tool_remembers(tmp_path: Path) -> None:
    served = datasette(build_private(tmp_path / "private.db"))
    await served.invoke_startup()
    made = await agents.remember(served, {"id": "root"}, "The tool wrote this.")
    found = await agents.recall(served, {"id": "root"}, "who wrote this?")
    assert made["id"] in {hit["id"] for hit in found}


@pytest.mark.skipif(importlib.util.find_spec("datasette_mcp") is None, reason="datasette-mcp is not installed")
async def test_datasette_mcp_has_the_tools(demo: Path) -> None:
    from datasette_mcp import create_mcp_server

    served = datasette(demo)
    await served.invoke_startup()
    server = create_mcp_server(served)
    tools: list[Any] = await server.list_tools()
    assert {"memory_recall", "memory_about", "memory_remember"} <= {tool.name for tool in tools}


@pytest.mark.skipif(importlib.util.find_spec("datasette_agent") is None, reason="datasette-agent is not installed")
async def test_datasette_agent_has_the_tools(demo: Path) -> None:
    from datasette_agent.tools import execute_agent_tool, get_agent_tools

    served = datasette(demo)
    await served.invoke_startup()
    tools = {tool.name: tool for tool in await get_agent_tools(served)}
    owner = {"id": "root"}
    said = await execute_agent_tool(tools["memory_recall"], served, owner, arguments={"query": "quince", "k": 1})
    assert "quince" in json.loads(said)[0]["text"].lower()
    said = await execute_agent_tool(tools["memory_about"], served, None, arguments={"name": "Rosa"})
    assert "error" in json.loads(said)


async def test_many_at_once_are_answered(reader: Browser) -> None:
    paths = [f"/anything/-/recall.json?q=quince+{n}" for n in range(24)]
    assert all(await asyncio.gather(*(reader.json(path) for path in paths)))


@pytest.mark.skipif(not IS_1, reason="only Datasette 1.0 has a jump menu")
async def test_the_jump_menu_finds_names_and_documents(reader: Browser, demo: Path) -> None:
    found = (await reader.json("/-/jump.json?q=tamsin"))["matches"]  # an alias
    name = next(one for one in found if one["type"] == "name")
    assert name["name"] == "Rosa"
    assert "Rosa" in await reader.page(name["url"])
    found = (await reader.json("/-/jump.json?q=quince"))["matches"]
    document = next(one for one in found if one["type"] == "document")
    assert "uince" in await reader.page(document["url"])
    assert "Rosa" not in (await nobody(datasette(demo)).page("/-/jump.json?q=tamsin"))
    closed = datasette(demo, config={"databases": {"anything": {"tables": {"aliases": {"allow": {"id": "ada"}}}}}})
    assert "Rosa" not in await root(closed).page("/-/jump.json?q=tamsin")
