"""Killed at any moment, an ingest leaves a sound database, and the next one finishes the job."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import environment

from memkit import MemoryDatabase

KILLS = 50
ROWS = 350
# Forked for each ingest, which spares the imports and the loading of a model. Small batches, so that there are many.
WORKER = """
import json, multiprocessing, sys
from memkit import MemoryDatabase
from memkit.ingestion import writer
from moments import Moments
def work(database, last, seen):
    moments = Moments(last).of_statements()
    with MemoryDatabase(database) as db:
        db.ingest(sys.argv[1:], now="2026-01-01T00:00:00Z")
    seen.value = moments.seen
fork = multiprocessing.get_context("fork")
seen = fork.Value("i")
writer.BATCH = 20
with MemoryDatabase() as db:
    db.ingest(sys.argv[1:])
for line in sys.stdin:
    database, last = json.loads(line)
    process = fork.Process(target=work, args=[database, last, seen])
    process.start()
    process.join()
    print(process.exitcode, seen.value, flush=True)
"""


@pytest.fixture
def ingest(sources: list[Path]) -> Iterator[Callable[..., int]]:
    """Takes the sources into a database in a process of its own, killed at a statement; how many there were, or 0."""
    command = [sys.executable, "-c", WORKER, *map(str, sources)]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment())
    asked, told = worker.stdin, worker.stdout
    assert asked is not None
    assert told is not None

    def run(database: Path, last: int = 0) -> int:
        print(json.dumps([str(database), last]), file=asked, flush=True)
        code, seen = map(int, told.readline().split())
        assert code in (0, -signal.SIGKILL)
        return 0 if code else seen

    yield run
    worker.communicate()


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
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_fifty_kills_lose_nothing(tmp_path: Path, ingest: Callable[..., int]) -> None:
    undisturbed, killed = tmp_path / "undisturbed.db", tmp_path / "killed.db"
    takes = ingest(undisturbed)
    assert takes > KILLS
    wanted = contents(undisturbed)
    assert len(wanted["memories"]) > ROWS

    chance = random.Random(5)
    kills = most = 0
    while kills < KILLS:
        if ingest(killed, chance.randint(1, 6 * takes // 10)):
            assert contents(killed) == wanted
            for file in tmp_path.glob("killed.db*"):  # begin again, so that early moments are met too
                file.unlink()
            continue
        kills += 1
        if killed.exists() and killed.stat().st_size:
            with MemoryDatabase(killed, embed="none") as db:
                assert [row[0] for row in db.conn.execute("pragma integrity_check")] == ["ok"]
                memories, rows = db.conn.execute(
                    "select (select count(*) from memories), (select count(*) from memories_fts)"
                ).fetchone()
                assert memories == rows
                most = max(most, memories)
    assert most > 0

    assert ingest(killed)
    assert contents(killed) == wanted
