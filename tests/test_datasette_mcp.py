"""datasette-mcp over HTTP: every tool of it tells strangers, and who is denied a table, nothing of a memory."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import pytest
from datasettes import SECRET, Browser, OverMcp, build_private, datasette, nobody, root, running
from test_datasette_tables import ADA, OPEN, PLANTED, TEXT, WORDS, denying, planted

from memkit import MemoryDatabase

__all__ = ["planted"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("datasette_mcp") is None, reason="datasette-mcp is not installed"),
]

CANNED = {"plugins": {"datasette-mcp": {"canned_queries": True}}}
TOLD = (SECRET, "flagstone lies", "Zebediah keeps")


def arguments(tool: dict[str, Any], database: str) -> list[dict[str, Any]]:
    """Arguments for a tool, by the names in its schema; several calls, if it takes SQL or the name of a query."""
    known: dict[str, Any] = {
        "database": database,
        "query": "flagstone bees Otto Lindqvist",
        "name": "Lund",
        "text": TEXT,
        "parameters": {"question": "flagstone bees", "k": "20", "options": "{}"},
    }
    given = {name: known[name] for name in tool["inputSchema"]["properties"] if name in known}
    if "sql" in tool["inputSchema"]["properties"]:
        tables = (*PLANTED, "current_memories", "memories_fts", "sqlite_master")
        calls = [f"select * from {table}" for table in tables] + ["select recall('flagstone')", "select recall('bees')"]
        return [{**given, "sql": one} for one in calls]
    if "canned_query" in tool["name"] and "query" in given:
        return [{**given, "query": one} for one in ("recall", "saved", "hybrid", "about")] + [
            {**given, "query": "saved", "parameters": {"name": ""}},
            {**given, "query": "about", "parameters": {"name": "Zebediah"}},
        ]
    return [given]


async def said_by_all(agent: OverMcp, database: str, by: Browser | None = None) -> str:
    """What all tools there are answer."""
    tools = (await agent.ask("tools/list", by=by))["result"]["tools"]
    assert {"memory_recall", "memory_about", "memory_remember", "execute_sql", "execute_canned_query"} <= {
        tool["name"] for tool in tools
    }
    return "\n".join(
        [await agent.call(tool["name"], by=by, **given) for tool in tools for given in arguments(tool, database)]
    )


@pytest.mark.parametrize("name", ["private", "_under"])
async def test_no_tool_tells_or_changes_anything_for_a_stranger(tmp_path: Path, name: str) -> None:
    path = build_private(tmp_path / f"{name}.db")
    with MemoryDatabase(path) as memory:
        memory.save_question("flagstone", name=f"{SECRET} asked")
    served = datasette(path, config=CANNED)
    async with running(served):
        owner = OverMcp(root(served))
        said = await said_by_all(owner, name)
        assert all(word in said for word in (SECRET, "Zebediah keeps"))
        kept = path.read_bytes()
        for agent, by in ((OverMcp(nobody(served)), None), (owner, nobody(served))):  # also with the owner's session
            said = await said_by_all(agent, name, by)
            assert [word for word in TOLD if word in said] == []
    assert path.read_bytes() == kept


async def test_with_nothing_denied_the_tools_tell_every_word(planted: Path, tmp_path: Path) -> None:
    path = shutil.copy(planted, tmp_path / "kept.db")
    async with running(datasette(path, config={**OPEN, "plugins": OPEN["plugins"] | CANNED["plugins"]})) as served:
        said = await said_by_all(OverMcp(Browser(served, ADA)), "kept")
    assert [word for word in WORDS.values() if word not in said] == []


@pytest.mark.parametrize("table", PLANTED)
async def test_who_is_denied_a_table_hears_nothing_of_it(planted: Path, tmp_path: Path, table: str) -> None:
    config = denying(table)
    config["plugins"] = config["plugins"] | CANNED["plugins"]
    path = shutil.copy(planted, tmp_path / "kept.db")
    async with running(datasette(path, config=config)) as served:
        assert WORDS[table] not in await said_by_all(OverMcp(Browser(served, ADA)), "kept")
