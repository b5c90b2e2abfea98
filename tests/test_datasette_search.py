"""Datasette's search box within scripts without spaces: every memory that has the part, and no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from datasettes import Browser, build_demo, datasette, root
from hypothesis import example, given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.frontends.datasette import search
from memkit.storage.driver import sqlite3

TEXTS = st.text("福鼎白茶我们の喝一二カ線é Uu9，。\"'*", min_size=1, max_size=24)
PARTS = st.text("福鼎白茶我们の喝カ線", min_size=1, max_size=4)


@pytest.fixture
async def reader(tmp_path: Path) -> Browser:
    served = datasette(build_demo(tmp_path / "demo.db"))
    await served.invoke_startup()
    return root(served)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6), PARTS)
@example([("我们喝福鼎白茶。", "一"), ("福鼎 白茶", "二"), ("白", "茶"), ("喝", "白茶")], "白茶")
@example([("喝", "新茶"), ("茶", "一"), ("福茶鼎", "二")], "茶")
@example([("9線U", "一"), ("u 線", "二")], "線")
def test_a_part_is_found_in_every_memory_that_has_it_and_in_no_other(written: list[tuple[str, str]], part: str) -> None:
    with MemoryDatabase(embed="none") as memory:
        for text, title in written:
            if text.strip():
                memory.remember(text, title=title)
        conn = memory.conn
        found = conn.execute(
            "select rowid from memories_fts where memories_fts match ?", (search.escaped(conn, part),)
        ).fetchall()
        there = conn.execute("select key, text || char(10) || coalesce(title, '') from memories").fetchall()
    assert {row[0] for row in found} == {key for key, text in there if part in text}


@given(TEXTS)
@example('"白茶')
@example('""白茶""')
@example("白*茶 OR")
def test_whatever_is_typed_is_a_query(typed: str) -> None:
    with MemoryDatabase(embed="none") as memory:
        memory.remember("我们喝福鼎白茶。")
        query = search.escaped(memory.conn, typed)
        try:
            memory.conn.execute("select rowid from memories_fts where memories_fts match ?", (query,)).fetchall()
        except sqlite3.Error:  # Datasette's own form fails for the same
            assert not any("一" <= one <= "鿿" or "ぁ" <= one <= "ヿ" for one in typed), query


async def test_the_pages_of_tables_find_parts_beside_words_and_in_one_column(reader: Browser) -> None:
    def searched(rows: list[dict[str, object]]) -> int:
        return sum("白茶" in str(one["text"]) for one in rows)

    rows = await reader.json("/demo/memories.json?_search=白茶&_shape=array&_size=1000")
    all_rows = await reader.json("/demo/memories.json?_shape=array&_size=1000")
    assert searched(rows) == searched(all_rows) > 0
    assert all(row["id"] in {one["id"] for one in rows} for row in all_rows if "白茶" in row["text"])
    both = await reader.json("/demo/memories.json?_search=白茶+林伟&_shape=array")
    assert 0 < len(both) < len(rows)
    assert await reader.json("/demo/memories.json?_search=白茶+quince&_shape=array") == []
    assert await reader.json("/demo/memories.json?_search_text=白茶&_shape=array")
    assert await reader.json("/demo/memories.json?_search_speaker=白茶&_shape=array") == []


async def test_a_search_that_stops_says_so_and_leads_to_recall(
    reader: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Recall looks at all" not in await reader.page("/demo/memories?_search=白茶")
    for name in ("memkit.retrieval.word_parts", "memkit.frontends.datasette.own_pages"):
        monkeypatch.setattr(f"{name}.MOST", 1)
    page = await reader.page("/demo/memories?_search=白茶")
    assert "More than 1 memories may have this" in page
    assert f"_recall={'%E7%99%BD%E8%8C%B6'}" in page
    assert len(json.loads(await reader.page("/demo/memories.json?_search=白茶&_shape=array"))) >= 1
