"""Killed at any moment, an ingest leaves a sound database, and the next one finishes the job."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memkit import MemoryDatabase

KILLS = 50
ROWS = 700
# Small batches, so that there are many moments to be killed at.
CHILD = """
import sys
from memkit import MemoryDatabase, ingest
ingest.BATCH = 20
print("ready", flush=True)
with MemoryDatabase(sys.argv[1]) as db:
    print(db.ingest(sys.argv[2:], now="2026-01-01T00:00:00Z"))
"""


def start(database: Path, sources: list[Path]) -> subprocess.Popen[str]:
    """A process that ingests."""
    command = [sys.executable, "-c", CHILD, str(database), *map(str, sources)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What a database holds, in names that do not depend on when a row was written."""
    with MemoryDatabase(path) as db:
        assert [row[0] for row in db.conn.execute("pragma integrity_check")] == ["ok"]
        assert db.conn.execute("pragma foreign_key_check").fetchall() == []
        assert db.conn.execute("select count(*) from index_paused").fetchone()[0] == 0
        for table in ("memories_fts", "memories_cjk"):
            db.conn.execute(f"insert into {table}({table}, rank) values ('integrity-check', 0)")
        queries = {
            "memories": """
                select m.id, m.text, m.position, m.source_id, m.hash, d.source
                from memories as m join documents as d on d.key = m.document_key order by m.id
            """,
            "fts": "select m.id, f.* from memories_fts as f join memories as m on m.key = f.rowid order by m.id",
            "cjk": "select m.id, f.* from memories_cjk as f join memories as m on m.key = f.rowid order by m.id",
            "vectors": """
                select m.id, e.vector, e.code from embeddings as e join memories as m on m.key = e.memory_key
                order by m.id
            """,
        }
        return {name: [tuple(row) for row in db.conn.execute(query)] for name, query in queries.items()}


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    """A file of chats that take turns, and a folder of notes."""
    words = [
        f"{a}{b}{c}" for a in ("bo", "ga", "lin", "qui") for b in "aeiou" for c in ("t", "rden", "den", "nce", "木")
    ]
    said = random.Random(1)
    rows = [
        {"id": n, "session": f"s{n % 7}", "speaker": "AB"[n % 2], "text": " ".join(said.choices(words, k=12))}
        for n in range(ROWS)
    ]
    (tmp_path / "chats.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "notes").mkdir()
    for n in range(8):
        paragraphs = [" ".join(said.choices(words, k=150)) for i in range(5)]
        (tmp_path / "notes" / f"{n}.md").write_text("\n\n".join(paragraphs))
    return [tmp_path / "chats.jsonl", tmp_path / "notes"]


@pytest.mark.slow
def test_fifty_kills_lose_nothing(tmp_path: Path, sources: list[Path]) -> None:
    undisturbed, killed = tmp_path / "undisturbed.db", tmp_path / "killed.db"
    child = start(undisturbed, sources)
    child.stdout.readline()  # type: ignore[union-attr]
    began = time.monotonic()
    report = child.communicate()[0]
    takes = time.monotonic() - began
    wanted = contents(undisturbed)
    assert f"{len(wanted['memories'])} added" in report

    chance = random.Random(5)
    most = 0
    for kill in range(KILLS):
        if kill % 10 == 9:  # begin again, so that early moments are met too
            for file in tmp_path.glob("killed.db*"):
                file.unlink()
        child = start(killed, sources)
        child.stdout.readline()  # type: ignore[union-attr]
        time.sleep(chance.uniform(0, 0.6 * takes))
        child.kill()
        child.communicate()
        if killed.exists() and killed.stat().st_size:
            with MemoryDatabase(killed, embed="none") as db:
                assert [row[0] for row in db.conn.execute("pragma integrity_check")] == ["ok"]
                memories, rows = db.conn.execute(
                    "select (select count(*) from memories), (select count(*) from memories_fts)"
                ).fetchone()
                assert memories == rows
                most = max(most, memories)
    assert most > 0

    start(killed, sources).communicate()
    assert contents(killed) == wanted
