"""Datasette 1.0's own table pages and JSON API change no table of memkit: its rows refer to each other."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from datasettes import datasette, root

from memkit import MemoryDatabase
from memkit.frontends.datasette.compat import IS_1
from memkit.storage.doctor import doctor
from memkit.storage.driver import sqlite3

pytestmark = pytest.mark.skipif(not IS_1, reason="0.65 has no pages that edit rows")

ROW = {"id": "new", "text": "The sloe.", "created_at": "2026-03-01", "updated_at": "2026-03-01", "hash": ""}
OPERATION = {"op": "add_column", "args": {"name": "x", "type": "text"}}
TABLES = ("memories", "entities", "relations", "mentions", "memories_fts", "memories_fts_content", "index_paused")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as db:
        db.ingest([{"text": f"Rosa met Otto in Lisbon {n} times.", "session": "s"} for n in range(3)])
        db.relate("Rosa", "lives in", "Lisbon")
        db.tables["garden"].insert_all([{"id": 1, "tree": "quince"}, {"id": 2, "tree": "medlar"}], pk="id")
    return path


def content(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as conn:
        return list(conn.iterdump())


async def sent(path: Path, address: str, value: dict[str, Any]) -> Any:
    """The response to the owner's JSON, as the table page sends it."""
    owner = root(datasette(path))
    headers = {"content-type": "application/json", "sec-fetch-site": "same-origin"}
    return await owner.served.client.post(f"/memory/{address}", json=value, cookies=owner.cookies, headers=headers)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    ("way", "value"),
    [
        ("-/insert", {"row": ROW}),
        ("-/insert", {"row": ROW, "replace": True}),
        ("-/upsert", {"rows": [{"key": 1, **ROW}]}),
        ("1/-/update", {"update": {"text": "x"}}),
        ("1/-/delete", {}),
        ("-/alter", {"operations": [OPERATION]}),
        ("-/drop", {"confirm": True}),
    ],
)
async def test_no_table_of_memkit_is_changed(path: Path, table: str, way: str, value: dict[str, Any]) -> None:
    before = content(path)
    response = await sent(path, f"{table}/{way}", value)
    assert response.status_code in ((403, 404) if table.startswith("index") else (403,)), response.text
    assert content(path) == before


async def test_tables_of_ones_own_are_edited(path: Path) -> None:
    assert (await sent(path, "garden/1/-/delete", {})).status_code == 200
    assert (await sent(path, "garden/2/-/update", {"update": {"tree": "sloe"}})).status_code == 200
    assert not [check for check in doctor(path).checks if check.state == "broken"]
