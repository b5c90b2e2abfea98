"""Killed at any moment, observing and reflecting leave a sound database, and the next run finishes the job."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import check_indexes

from memkit import MemoryDatabase

KILLS = 6
NOW = "2026-03-01T12:00:00Z"
CHILD = """
import sys
from memkit import MemoryDatabase
print("ready", flush=True)
with MemoryDatabase(sys.argv[1], embed="none") as db:
    db.maintain(only=["observe", "reflect"], now=sys.argv[2])
"""


def filled(path: Path) -> Path:
    """Twelve conversations of twelve turns, observed a few turns at a time, condensed to a tenth."""
    words = [
        f"{a}{b}{c}" for a in ("bo", "ga", "lin", "qui") for b in "aeiou" for c in ("t", "rden", "den", "nce", "木")
    ]
    said = random.Random(1)
    with MemoryDatabase(path, embed="none") as db:
        db.ingest(
            [
                {
                    "id": f"{s}:{n}",
                    "session": f"s{s}",
                    "speaker": "AB"[n % 2],
                    "text": " ".join(said.choices(words, k=12)),
                }
                for s in range(12)
                for n in range(12)
            ],
            now=NOW,
        )
        numbers = {"observer_tokens": "100", "batch_tokens": "100", "reflector_tokens": "300"}
        db.set_policy(settings={f"observe.{name}": number for name, number in numbers.items()})
    return path


def start(path: Path) -> subprocess.Popen[str]:
    """A process that observes and reflects."""
    command = [sys.executable, "-c", CHILD, str(path), NOW]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def contents(path: Path) -> dict[str, list[Any]]:
    """What a sound database holds of turns, observations and what was done, whenever that was."""
    with MemoryDatabase(path, embed="none") as db:
        check_indexes(db)
        queries = {
            "memories": "select text, kind, archived_at, happened_at, meta from memories",
            "links": """
                select a.text, b.text, l.type
                from links as l join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key
            """,
            "read": "select m.source_id, x.hash from extractions as x join memories as m on m.key = x.memory_key",
            "log": "select step, action, why, count(*) from maintenance group by 1, 2, 3",
        }
        return {name: sorted(map(repr, map(tuple, db.conn.execute(query)))) for name, query in queries.items()}


@pytest.mark.slow
def test_kills_lose_nothing_and_nothing_is_observed_twice(tmp_path: Path) -> None:
    undisturbed, killed = filled(tmp_path / "undisturbed.db"), filled(tmp_path / "killed.db")
    child = start(undisturbed)
    child.stdout.readline()  # type: ignore[union-attr]
    began = time.monotonic()
    assert child.communicate()[1] == ""
    takes = time.monotonic() - began
    wanted = contents(undisturbed)
    assert any("reflect" in line for line in wanted["log"])
    chance = random.Random(5)
    for _ in range(KILLS):
        child = start(killed)
        child.stdout.readline()  # type: ignore[union-attr]
        time.sleep(chance.uniform(0, 0.4 * takes))
        child.kill()
        child.communicate()
        contents(killed)
    assert start(killed).communicate()[1] == ""
    assert contents(killed) == wanted
    assert start(killed).communicate()[1] == ""
    assert contents(killed) == wanted
