"""Who is denied a table is told nothing that is in it, by whatever page, query, function or tool."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from datasettes import Browser, datasette

from memkit import MemoryDatabase
from memkit.frontends.datasette import agents
from memkit.frontends.datasette.compat import IS_1
from memkit.frontends.datasette.tables import REPEATS, with_repeats
from memkit.retrieval.registry import STRATEGIES
from memkit.storage.driver import sqlite3

pytestmark = pytest.mark.slow

ADA = {"id": "ada"}
NOW = "2026-01-01T12:00:00Z"
TEXT = "Otto Lindqvist keeps bees behind the mill in Lund every single summer."

# What is planted: a word in every table that memkit's pages could tell something of.
PLANTED = {
    "memories": "update memories set text = text || ' plantmemories', title = 'plantmemories'",
    "documents": "update documents set title = 'plantdocuments', source = 'plantdocuments.md'",
    "entities": "update entities set name = name || ' plantentities', description = 'plantentities'",
    "aliases": "update aliases set alias = 'plantaliases' || key",
    "mentions": "update mentions set surface = 'plantmentions'",
    "relations": "update relations set predicate = 'plantrelations'",
    "evidence": "update evidence set quote = 'plantevidence'",
    "links": "update links set why = 'plantlinks'",
    "access": "insert or replace into access select key, 3, '2077-07-07T07:07:07Z' from memories",
    "extractions": "update extractions set error = 'plantextractions'",
    "recalls": "update recalls set question = 'plantrecalls'",
    "recall_hits": "update recall_hits set left_out = 'plantrecall_hits'",
    "maintenance": "update maintenance set why = 'plantmaintenance'",
    "proposals": "update proposals set why = 'plantproposals', text = 'plantproposals'",
    "feedback": "update feedback set question = 'plantfeedback'",
    "pruned": "update pruned set why = 'plantpruned'",
    "settings": "insert or replace into settings (name, value) values "
    """('questions', '{"plantsettings": {"question": "bees", "options": {}, "has": {}}}'), """
    """('me', '"plantsettings"'), ('own_voice', '{"/plantsettings": true}'), """
    """('projects_of_paths', '{"/plantsettings": "plantsettings"}'), """
    """('sources', '{"/plantsettings": {"files": 1, "read_at": "2026-01-01T12:00:00Z"}}')""",
    "merges": "update merges set moved = json_set(moved, '$.plant', 'plantmerges')",
}
# The year alone could stand in a number of milliseconds, too.
WORDS = {table: "2077-07-07" if table == "access" else f"plant{table}" for table in PLANTED}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a word of its own in every table."""
    folder = tmp_path_factory.mktemp("tables")
    note = folder / "bees.md"
    note.write_text("# Bees\n\nOtto Lindqvist lives in Lund. See [[Lund]].\n\n## Honey\n\nRosa Marten likes honey.\n")
    path = folder / "kept.db"
    with MemoryDatabase(path, embed="none") as memory:
        memory.ingest(note, now=NOW)
        kept = [memory.remember(text, confidence=0.7, now=NOW) for text in (TEXT, TEXT, f"Indeed: {TEXT}")]
        memory.link(kept[0].id, kept[2].id, "relates_to")
        memory.correct(memory.remember("Rosa lives in Ystad.", now=NOW).id, "Rosa lives in Malmö.")
        for place in ("Lund", "Oslo"):
            memory.relate("Otto Lindqvist", "born in", place, valid_from="1980", now=NOW)
        memory.relate("Rosa Marten", "knows", "Otto Lindqvist", now=NOW)
        memory.relate("Rosamunde", "knows", "Lund", now=NOW)
        memory.merge("Rosa Marten", "Rosamunde")
        memory.recall("bees", ledger=True)
        memory.feedback(kept[0].id, True, "bees")
        gone = memory.remember("It rained.", expires_at=NOW, now=NOW)
        memory.maintain(now="2026-01-02T12:00:00Z", only=["propose", "promote", "expire"])
        assert gone
        memory.conn.execute("insert into pruned values ('x', '{}', '', ?, ?)", (NOW, "2099-01-01T00:00:00Z"))
        memory.conn.execute("insert or ignore into extractions select key, 'own', '', ?, null from memories", (NOW,))
        memory.conn.commit()
        for table, statement in PLANTED.items():
            assert memory.conn.execute(statement).rowcount, f"nothing is in {table}"
        memory.conn.commit()
        memory.conn.execute("pragma wal_checkpoint(truncate)")
    return path


def sql(statement: str, end: str = ".json") -> str:
    asked = urlencode({"sql": statement})
    return f"/kept/-/query{end}?{asked}" if IS_1 else f"/kept{end}?{asked}"


def doors(path: Path) -> Iterator[str]:
    """The addresses by which something of a table can be read without asking for that table itself."""
    with MemoryDatabase(path, read_only=True) as memory:
        conn = memory.conn
        shown = (
            "select name from sqlite_master where type in ('table', 'view') and name not like 'memories!_%' escape '!'"
        )
        names = [row[0] for row in conn.execute(shown)]
        memories = [tuple(row) for row in conn.execute("select key, id from memories")]
        entities = [tuple(row) for row in conn.execute("select key, id from entities")]
        documents = [tuple(row) for row in conn.execute("select key, id from documents")]
    for end in ("", ".json"):
        yield f"/recall{end}?q=bees&budget=500"
        yield f"/kept/-/recall{end}"
        for strategy in STRATEGIES:
            yield f"/kept/-/recall{end}?q=bees+Otto+Lindqvist&budget=500&strategy={strategy}"
        yield f"/kept/-/graph{end}"
        yield f"/kept/-/graph{end}?{urlencode({'from': entities[0][1], 'to': entities[1][1]})}"
        yield f"/kept/-/maintenance{end}"
        yield f"/kept/-/time{end}"
        yield f"/kept/-/time/2026{end}"
        yield f"/kept/-/remember{end}"
        yield f"/kept/-/merge{end}"
        yield f"/kept/-/sources{end}"
        for form in ("save-question", "unsave-question"):
            yield f"/kept/-/{form}{end}"
        for _, id in memories:
            yield f"/kept/-/memory/{id}{end}"
            for form in ("correct", "forget", "bring-back", "feedback"):
                yield f"/kept/-/{form}/{id}{end}"
        for _, id in documents:
            yield f"/kept/-/document/{id}{end}"
        for _, id in entities:
            yield f"/kept/-/entity/{id}{end}"
            yield f"/kept/-/unmerge/{id}{end}"
    yield from ("/kept/-/recall.atom?q=bees+Otto+Lindqvist", "/kept/-/names.json?q=plant", "/kept/-/names.json?q=ot")
    for name in names:
        for end in ("", ".json", ".csv"):
            yield f"/kept/{name}{end}"
        yield f"/kept/{name.upper()}.json"
    for table in ("memories", "current_memories"):
        for end in ("", ".json", ".csv"):
            yield f"/kept/{table}{end}?_recall=bees"
    for table, key in (("memories", "document_key"), ("mentions", "entity_key"), ("evidence", "relation_key")):
        for option in ("_labels=on", f"_facet={key}", "_extra=expandable_columns,facet_results"):
            for end in ("", ".json", ".csv"):
                yield f"/kept/{table}{end}?{option}"
    for key, _ in memories:
        yield f"/kept/memories/{key}.json?_extras=foreign_key_tables"
        yield f"/kept/memories/{key}"
    for query in ("recall", "recall_names", "hybrid", "about", "facts_on", "contradictions", "timeline", "saved"):
        name = "" if query == "saved" else "Otto+Lindqvist"
        yield f"/kept/{query}.json?question=bees&name={name}&k=&options=&date=2026-06-01"
    for name in names:
        yield sql(f"select * from [{name}]")
    for call in ("recall('bees')", "recall_context('bees')", "entity_neighbors('Lund')", "entity_path('Lund', 'Oslo')"):
        yield sql(f"select {call}")
    yield "/kept.db"
    yield from ("/", "/kept", "/kept.json", "/-/jump.json?q=recall", "/-/search?q=bees")


async def told(browser: Browser, paths: list[str], words: list[str]) -> dict[str, list[str]]:
    """For each word the addresses whose responses hold it."""
    found: dict[str, list[str]] = {word: [] for word in words}
    for path in paths:
        response = await browser.get(path)
        text = response.content.decode("utf-8", "replace")
        assert response.status_code < 500, (path, text[:500])
        for word in words:
            if word in text:
                found[word].append(path)
    return found


async def said_by_tools(served: Any) -> str:
    """What the tools for agents answer."""
    asked = (
        agents.recall(served, ADA, "bees Otto Lindqvist", database="kept"),
        agents.about(served, ADA, "Lund", database="kept"),
        agents.remember(served, ADA, TEXT, database="kept"),
    )
    await served.invoke_startup()
    return "\n".join([await agents.said(one) for one in asked])


def denying(table: str, allow: Any = False) -> dict[str, Any]:
    """Everybody may see the database, ada may write, and one table is denied."""
    return {
        "plugins": {"memkit": {"allow": True, "write": ADA}},
        "databases": {"kept": {"tables": {table: {"allow": allow}}}},
    }


OPEN = {"plugins": {"memkit": {"allow": True, "write": ADA}}}


async def test_with_nothing_denied_every_word_is_told(planted: Path) -> None:
    served = datasette(planted, config=OPEN)
    found = await told(Browser(served, ADA), list(doors(planted)), list(WORDS.values()))
    assert all(found.values()), found
    pages = ("memories", "documents", "entities", "aliases", "relations", "evidence", "links", "access")
    for table in (
        *pages,
        "maintenance",
        "proposals",
        "settings",
    ):  # memkit's own pages tell them: the scan below is none of nothing
        assert any("/-/" in path and "query" not in path for path in found[WORDS[table]]), table


@pytest.mark.parametrize("table", PLANTED)
async def test_who_is_denied_a_table_is_told_nothing_of_it(planted: Path, table: str) -> None:
    served = datasette(planted, config=denying(table))
    assert await told(Browser(served, ADA), list(doors(planted)), [WORDS[table]]) == {WORDS[table]: []}


@pytest.mark.parametrize("table", PLANTED)
async def test_the_tools_for_agents_tell_nothing_of_it_either(planted: Path, tmp_path: Path, table: str) -> None:
    path = shutil.copy(planted, tmp_path / "kept.db")
    assert WORDS[table] not in await said_by_tools(datasette(path, config=denying(table)))


# ---------------------------------------------------------------------------------------------- the list of tables


def test_what_hangs_on_a_table_or_shows_it_repeats_it(planted: Path) -> None:
    """Rows that are deleted with those of another table, and views, are closed with it."""
    read: set[str] = set()
    with closing(sqlite3.connect(planted)) as conn:
        names = dict(conn.execute("select name, type from sqlite_master where type in ('table', 'view')"))
        whole = with_repeats(["memories"])
        for name, kind in names.items():
            if kind == "view":
                read.clear()
                conn.set_authorizer(lambda action, table, *_: read.add(table) or sqlite3.SQLITE_OK)
                conn.execute(f"select * from [{name}] limit 0")
                conn.set_authorizer(None)
                on = read - {name}
            else:
                keys = conn.execute(
                    "select \"table\" from pragma_foreign_key_list(?) where on_delete = 'CASCADE'", (name,)
                )
                on = {row[0] for row in keys}
            for table in {one for one in on if names.get(one) == "table"} - whole - {name}:
                assert name in with_repeats([table]), f"{name} repeats {table}"
    assert names.keys() >= REPEATS.keys()


# ---------------------------------------------------------------------------------------------- how it is said


async def test_the_page_names_the_table(planted: Path) -> None:
    served = datasette(planted, config=denying("evidence"))
    assert "the table evidence, which you may not see" in await Browser(served, ADA).page("/kept/-/graph", 403)
    assert "/-/graph" not in await Browser(served, ADA).page("/kept")
    await Browser(served, ADA).page("/kept/entities")


async def test_a_table_is_denied_to_whom_its_block_does_not_name(planted: Path) -> None:
    served = datasette(planted, config=denying("Evidence", {"id": "ben"}))
    ada, ben = Browser(served, ADA), Browser(served, {"id": "ben"})
    for path in (
        "/kept/-/graph",
        "/kept/-/recall?q=bees",
        sql("select 1"),
        "/kept/recall.json?question=bees&k=&options=",
    ):
        await ben.page(path)  # first: what is kept for him is not given to her
        await ada.page(path, 403)
    assert (await ada.json("/recall.json?q=bees"))["hits"] == []


async def test_what_repeats_a_denied_table_can_be_opened_by_a_block_of_its_own(planted: Path) -> None:
    config = denying("relations")
    config["databases"]["kept"]["tables"]["current_relations"] = {"allow": ADA}
    served = datasette(planted, config=config)
    assert WORDS["relations"] in await Browser(served, ADA).page("/kept/current_relations.json")
    await Browser(served, {"id": "ben"}).page("/kept/current_relations.json", 403)
    await Browser(served, ADA).page("/kept/evidence.json", 403)


async def test_the_log_of_questions_can_be_denied_without_closing_recall(planted: Path) -> None:
    served = datasette(planted, config=denying("recalls"))
    assert (await Browser(served, ADA).json("/kept/-/recall.json?q=bees"))["hits"]
    await Browser(served, ADA).page(sql("select * from recalls"), 403)


@pytest.mark.skipif(not IS_1, reason="Datasette 0.65 has no actors with restrictions")
async def test_who_is_restricted_to_some_tables_sees_no_page_that_shows_another(planted: Path) -> None:
    restricted = {"id": "ada", "_r": {"r": {"kept": {"memories": ["vt"]}}}}
    served = datasette(planted, config=OPEN)
    await Browser(served, restricted).page("/kept/-/entity/Lund", 403)
