"""A published folder as strangers get it: every byte of every file, and every answer of both versions."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from conftest import published_file
from datasette.app import Datasette
from datasettes import build_demo, nobody, root
from planted import PUBLIC, found_in, planted

from memkit import MemoryDatabase
from memkit.frontends import sql_functions
from memkit.frontends.datasette.compat import IS_1
from memkit.retrieval import limits
from memkit.storage import driver

ENDPOINTS = (
    "versions plugins settings config metadata databases threads actor messages permissions allow-debug rules allowed"
    " check actions jump tables schema logout auth-token patterns create-token queries api debug"
).split()
MOST_PAGES = 600


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[str]]:
    """The private database, the folder published from it, and the secrets."""
    folder = tmp_path_factory.mktemp("secret")
    secrets = planted(folder / "memory.db")
    out = tmp_path_factory.mktemp("published") / "garden"
    with MemoryDatabase(folder / "memory.db") as db:
        db.publish(out, project="garden", title="A garden", download=True, now="2026-03-10T12:00:00Z")
    return folder / "memory.db", out, secrets


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's garden, as it is published without further words."""
    folder = tmp_path_factory.mktemp("demo")
    out = folder / "garden"
    with MemoryDatabase(build_demo(folder / "demo.db")) as db:
        db.publish(out, project="garden", title="A year of a garden", license="CC BY 4.0", now="2026-03-10T12:00:00Z")
    return out


def served(folder: Path) -> Datasette:
    """The folder as `datasette serve FOLDER` serves it."""
    return Datasette([], config_dir=folder)


def test_there_are_two_hundred_secrets_in_the_private_database(secret: Any) -> None:
    path, _, secrets = secret
    assert len(set(secrets)) == len(secrets) > 300
    assert len(set(found_in(secrets, path.read_bytes()))) >= 290  # some were deleted


def test_no_secret_is_in_any_byte_of_the_folder(secret: Any) -> None:
    _, folder, secrets = secret
    found = {path.name: sorted(found_in(secrets, path.read_bytes())) for path in folder.rglob("*") if path.is_file()}
    assert {name: each for name, each in found.items() if each} == {}


def test_what_was_chosen_is_there(secret: Any) -> None:
    _, folder, _ = secret
    with MemoryDatabase(published_file(folder), read_only=True) as db:
        texts = [row[0] for row in db.conn.execute("select text from memories order by key")]
        assert texts == [*PUBLIC, "Rosa prunes in March."]
        assert [relation.label for relation in db.about("Rosa").relations] == ["lives in"]
        assert db.recall("who planted the quince?")[0].memory.text == PUBLIC[0]


@pytest.mark.slow
async def test_no_secret_is_in_any_answer_of_the_server(secret: Any) -> None:
    _, folder, secrets = secret
    asked = await crawled(nobody(served(folder)), folder)
    assert len(asked) > 200
    assert {path for path, (status, _) in asked.items() if status >= 500} == set()
    found = {path: sorted(found_in(secrets, body)) for path, (_, body) in asked.items()}
    assert {path: each for path, each in found.items() if each} == {}


def addresses(folder: Path) -> list[str]:
    """Every address that the crawl begins with: all tables in all formats, all endpoints, all pages, all questions."""
    name = published_file(folder).stem
    with MemoryDatabase(published_file(folder), read_only=True) as db:
        tables = [row[0] for row in db.conn.execute("select name from pragma_table_list where schema = 'main'")]
        memories = [tuple(row) for row in db.conn.execute("select key, id from memories")]
        entities = [row[0] for row in db.conn.execute("select id from entities")]
    found = ["/", "/-/", f"/{name}", f"/{name}.json", f"/{name}.db", "/about", "/robots.txt", "/recall", "/recall.json"]
    found += [f"/-/{name}{end}" for name in ENDPOINTS for end in ("", ".json")]
    found += [f"/{name}/-/{name}{end}" for name in ENDPOINTS for end in ("", ".json")]
    formats = ("", ".json", ".csv", ".json?_shape=objects", ".csv?_stream=1", "?_search=Rosa", "?_recall=Rosa")
    found += [f"/{name}/{table}{end}" for table in tables for end in formats]
    for key, id in memories:
        found += [f"/{name}/memories/{key}", f"/{name}/memories/{key}.json"]
        found += [f"/{name}/-/memory/{id}", f"/{name}/-/memory/{id}.json"]
    found += [f"/{name}/-/entity/{id}{end}" for id in entities for end in ("", ".json")]
    for end in ("", ".json"):
        found += [
            f"/{name}/-/recall{end}?q=Rosa&budget=500&compare=kira",
            f"/recall{end}?q=Rosa",
            f"/{name}/-/graph{end}",
        ]
    queries = "search recall recall_names hybrid about facts_on contradictions why_strategies_differ".split()
    given = urlencode(
        {"words": "Rosa", "question": "Rosa", "name": "Rosa", "date": "2026-01-01", "k": "", "options": ""}
    )
    found += [f"/{name}/{name}{end}?{given}" for name in queries for end in ("", ".json", ".csv")]
    return found + [sql(statement, name) for statement in STATEMENTS]


STATEMENTS = (
    "select * from sqlite_master",
    "select * from settings",
    "select hex(block) from memories_fts_data",
    "select recall_context('Rosa', 4000)",
    """select recall('who is Rosa?', 50, '{"everything": true}')""",
    "select entity_neighbors('Rosa', 3)",
    "select entity_path('Rosa', 'quince')",
)


def sql(statement: str, database: str = "a-year-of-a-garden") -> str:
    return (f"/{database}/-/query.json?" if IS_1 else f"/{database}.json?") + urlencode({"sql": statement})


async def crawled(browser: Any, folder: Path) -> dict[str, tuple[int, bytes]]:
    """Status and body of every address, and of what these pages link to."""
    asked: dict[str, tuple[int, bytes]] = {}
    waiting = addresses(folder)
    while waiting and len(asked) < MOST_PAGES:
        path = waiting.pop(0)
        if path in asked:
            continue
        response = await browser.get(path)
        headers = "".join(f"{name}: {value}\n" for name, value in response.headers.items())
        asked[path] = response.status_code, headers.encode() + response.content
        if "html" in response.headers.get("content-type", ""):
            links = map(unescape, re.findall(r'href="(/[^"#]*)', response.text))
            waiting += [link for link in links if link not in asked and "/-/static" not in link]
    return asked


# ---------------------------------------------------------------------------------------------- the published site


async def test_anybody_may_read_and_nobody_write(demo: Path) -> None:
    for browser in (nobody(served(demo)), root(served(demo))):
        for path in (
            "/",
            "/a-year-of-a-garden",
            "/a-year-of-a-garden/memories",
            "/recall?q=quince",
            "/a-year-of-a-garden/-/graph",
            "/a-year-of-a-garden/-/entity/Hana",
        ):
            await browser.page(path)
        for path in ("remember", "merge"):
            await browser.page(f"/a-year-of-a-garden/-/{path}", 403)
    page = await nobody(served(demo)).page("/a-year-of-a-garden/-/recall?q=when+did+the+quince+bloom")
    assert "blossom" in page
    assert "Remember" not in page
    assert "Correct" not in page


async def test_the_file_never_changes_and_may_be_taken_if_its_owner_says_so(demo: Path, secret: Any) -> None:
    closed, opened = served(demo), served(secret[1])
    assert not closed.get_database("a-year-of-a-garden").is_mutable
    await nobody(closed).page("/a-year-of-a-garden.db", 403)
    taken = await nobody(opened).get("/a-garden.db")
    assert taken.content == published_file(secret[1]).read_bytes()


async def test_pages_may_be_kept_by_anybody_but_not_by_somebody(demo: Path) -> None:
    one = served(demo)
    for path in ("/a-year-of-a-garden/-/recall?q=quince", "/a-year-of-a-garden/-/entity/Hana", "/recall"):
        assert (await nobody(one).get(path)).headers["cache-control"] == "public, max-age=3600"
        assert (await root(one).get(path)).headers["cache-control"] == "private, no-store"
    assert "3600" in (await nobody(one).get("/a-year-of-a-garden/memories")).headers["cache-control"]


async def test_search_engines_stay_out_and_other_sites_too(demo: Path) -> None:
    response = await nobody(served(demo)).get("/robots.txt")
    assert response.headers["content-type"].startswith("text/plain")
    assert "Disallow: /\n" in response.text
    assert "access-control-allow-origin" not in (await nobody(served(demo)).get("/a-year-of-a-garden.json")).headers


async def test_a_stranger_who_asks_a_thousand_questions_in_one_statement_holds_nobody_up_for_long(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look at the clock is a quarter of a second later; all questions have two seconds together, not two each."""
    asks = """
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
    select count(recall('quince ' || i, 50, '{"strategy": "memkit"}')) from n
    """
    one = nobody(served(demo))
    await one.page("/recall?q=quince")
    clock, recalled, find = itertools.count(step=0.25), [], sql_functions._found
    monkeypatch.setattr(limits, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(sql_functions, "_found", lambda *asked: recalled.append(asked) or find(*asked))
    await one.get(sql(asks))
    assert 1 <= len(recalled) <= 4


async def test_fifty_readers_are_answered(demo: Path) -> None:
    one = nobody(served(demo))
    questions = [f"/recall?q=quince+{n}" for n in range(50)]
    assert {response.status_code for response in await asyncio.gather(*map(one.get, questions))} == {200}


# ---------------------------------------------------------------------------------------------- without the plugin

PLAIN = """
import asyncio, json, sys
from pathlib import Path
from datasette.app import Datasette
from datasette.plugins import pm
for plugin in list(pm.get_plugins()):
    if "memkit" in str(pm.get_name(plugin)) or "memkit" in getattr(plugin, "__name__", ""):
        pm.unregister(plugin)
async def main():
    served = Datasette([], config_dir=Path(sys.argv[1]))
    await served.invoke_startup()
    print(json.dumps([[path, (r := await served.client.get(path)).status_code, r.text] for path in sys.argv[2:]]))
asyncio.run(main())
"""


def test_without_memkit_tables_facets_full_text_and_queries_still_work(demo: Path) -> None:
    paths = [
        "/",
        "/a-year-of-a-garden",
        "/a-year-of-a-garden/memories?_facet=kind",
        "/a-year-of-a-garden/entities",
        "/a-year-of-a-garden/search.json?words=quince+bloss*&_shape=array",
        "/a-year-of-a-garden/search.json?words=quince+blossom&_shape=array",
        "/a-year-of-a-garden/search.json?words=&_shape=array",
        "/a-year-of-a-garden/about.json?name=Rosa&_shape=array",
        "/a-year-of-a-garden/facts_on.json?date=2026-01-01&_shape=array",
        "/a-year-of-a-garden/contradictions.json?_shape=array",
        "/robots.txt",
        "/about",
    ]
    run = subprocess.run([sys.executable, "-c", PLAIN, str(demo), *paths], capture_output=True, text=True, check=True)
    answers = {path: (status, text) for path, status, text in json.loads(run.stdout.splitlines()[-1])}
    assert {path: status for path, (status, _) in answers.items() if status != 200} == {}
    assert "fact" in answers["/a-year-of-a-garden/memories?_facet=kind"][1]
    assert "The quince opened its first blossom on 3 May 2025." in [r["text"] for r in json.loads(answers[paths[5]][1])]
    assert json.loads(answers[paths[6]][1]) == []
    assert "A year of a garden" in answers["/"][1]


def test_the_settings_of_both_versions_say_the_same(demo: Path) -> None:
    import yaml

    metadata, config = (yaml.safe_load((demo / name).read_text("utf-8")) for name in ("metadata.yml", "datasette.yml"))
    assert metadata["databases"] == config["databases"]
    assert config["settings"] == json.loads((demo / "settings.json").read_text("utf-8"))


# ---------------------------------------------------------------------------------------------- what can do nothing


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A publication of memories that are all of one kind, project and year, none of them forgotten."""
    folder = tmp_path_factory.mktemp("alike")
    with MemoryDatabase(folder / "memory.db") as db:
        for tree in ("quince", "pear", "plum"):
            db.remember(f"Rosa planted the {tree}.", project="garden", happened_at="2025-04-01")
        db.remember("The walnut is gone.", project="garden", kind="episode", expires_at="2025-01-01")
        db.publish(folder / "alike", project="garden", kind="fact")
        db.publish(folder / "history", project="garden", keep="history")
    return folder


async def test_a_form_has_no_choice_that_would_change_nothing(alike: Path) -> None:
    page = await nobody(served(alike / "alike")).page("/garden/-/recall?q=quince")
    for part in ("Narrow", "no longer true", "only this project", 'id="project"', "<legend>Kinds", "<legend>Also"):
        assert part not in page, part
    answer = await nobody(served(alike / "alike")).json("/garden/-/recall.json?q=quince")
    assert answer["facets"] == []


async def test_a_form_has_the_choices_that_would_change_something(alike: Path, demo: Path) -> None:
    page = await nobody(served(alike / "history")).page("/garden/-/recall?q=quince")
    assert "no longer true" in page
    assert "<legend>Kinds" in page
    page = await nobody(served(demo)).page("/a-year-of-a-garden/-/recall?q=quince")
    assert ">Narrow</h2>" in page
    assert "no longer true" not in page


async def test_a_choice_that_an_address_makes_is_shown_wherever_it_is(alike: Path) -> None:
    asked = "q=quince&everything=1&project=garden&only=1&kind=fact"
    page = await nobody(served(alike / "alike")).page(f"/garden/-/recall?{asked}")
    for part in ('name="everything" value="1" checked', 'name="only" value="1" checked', 'value="fact" checked'):
        assert part in page, part


# ---------------------------------------------------------------------------------------------- without extensions


async def test_where_no_extension_can_be_loaded_all_pages_answer_the_same(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Distances are then computed by memkit, not by sqlite-vec: what is found, and by meaning, is the same."""
    with MemoryDatabase(published_file(demo), read_only=True) as public:
        memory = public.conn.execute("select id from memories").fetchone()[0]
    near = "select m.id from memories m join embeddings e on e.memory_key = m.key order by vec_distance_cosine(vector, "
    near += "embed('pruning in winter')), m.id limit 5"
    paths = [
        "/a-year-of-a-garden/-/recall.json?q=when+did+the+quince+bloom",
        "/a-year-of-a-garden/recall.json?question=frost&k=5&options=&_shape=array",
        "/a-year-of-a-garden/search.json?words=quince+blossom&_shape=array",
        sql(near) + "&_shape=array",
        "/recall?q=frost",
        f"/a-year-of-a-garden/-/memory/{memory}",
        "/a-year-of-a-garden/-/entity/Hana",
        "/a-year-of-a-garden/-/graph",
        "/a-year-of-a-garden",
    ]
    pages = [await browser.get(path) for browser in [nobody(served(demo))] for path in paths]
    monkeypatch.setattr(driver, "vec_path", lambda: None)
    plain = [await browser.get(path) for browser in [nobody(served(demo))] for path in paths]
    assert [page.status_code for page in plain] == [200] * len(paths)
    for path, one, other in zip(paths[1:4], pages[1:4], plain[1:4], strict=True):
        assert len(other.json()) > 1
        assert one.json() == other.json(), path
    found, same = plain[0].json(), pages[0].json()
    assert [hit["id"] for hit in found["hits"]] == [hit["id"] for hit in same["hits"]]
    assert {"name": "meaning", "state": "ran"}.items() <= next(
        c for c in found["channels"] if c["key"] == "vector"
    ).items()


async def test_other_sites_may_read_the_json_of_every_page_where_the_server_lets_them(demo: Path) -> None:
    opened = nobody(Datasette([], config_dir=demo, cors=True))
    for path in (
        "/recall.json?q=quince",
        "/a-year-of-a-garden/-/entity/Hana.json",
        "/a-year-of-a-garden/memories.json",
    ):
        assert (await opened.get(path)).headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-origin" not in (await nobody(served(demo)).get(path)).headers


async def test_the_front_page_is_the_question_and_every_page_has_title_and_licence(demo: Path) -> None:
    visitor = nobody(served(demo))
    front = await visitor.page("/")
    assert "<h1>A year of a garden</h1>" in front
    assert 'action="/recall"' in front
    assert "What happened last" in front
    assert "30 memories, 2 documents" in front
    with MemoryDatabase(published_file(demo), read_only=True) as db:
        id = next(iter(db)).id
    for path in (
        "/",
        "/about",
        "/recall?q=quince",
        "/a-year-of-a-garden/-/graph",
        f"/a-year-of-a-garden/-/memory/{id}",
        "/a-year-of-a-garden/-/entity/Rosa",
    ):
        page = await visitor.page(path)
        assert "A year of a garden" in re.search("<title>(.*?)</title>", page, re.DOTALL)[1], path  # type: ignore[index]
        assert "CC BY 4.0" in page[page.index("<footer") :], path


async def test_the_page_about_a_site_says_what_it_is_and_how_to_read_it(tmp_path: Path) -> None:
    with MemoryDatabase(build_demo(tmp_path / "demo.db")) as db:
        texts = {"description": "Quince & <friends>.", "about": "Kept for a year.\n\nBy two people."}
        link = "https://creativecommons.org/licenses/by/4.0/"
        out = tmp_path / "site"
        db.publish(out, project="garden", title="Garden", license="CC BY", license_url=link, now="2026-03-10", **texts)
    page = await nobody(served(out)).page("/about")
    for said in (
        "Quince &amp; &lt;friends&gt;.",
        "<p>By two people.</p>",
        "30 memories",
        "published on 2026-03-10",
        link,
    ):
        assert said in page
    for path in re.findall(r'<a href="(/[^"]*)"', page):
        assert (await nobody(served(out)).get(path)).status_code == 200, path


async def test_visitors_see_no_upkeep_no_counts_of_reading_and_no_strategies(demo: Path) -> None:
    visitor = nobody(served(demo))
    with MemoryDatabase(published_file(demo), read_only=True) as db:
        id = next(iter(db)).id
    pages = [
        await visitor.page(path)
        for path in ("/", "/a-year-of-a-garden", "/recall?q=quince", f"/a-year-of-a-garden/-/memory/{id}")
    ]
    for said in ("/-/maintenance", "Upkeep", "<dt>read</dt>", "<dt>importance</dt>", 'name="strategy"', "Compare with"):
        assert [said in page for page in pages] == [False] * len(pages), said
