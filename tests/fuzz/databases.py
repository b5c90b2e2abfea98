"""Databases for targets: made once, then copied in memory, so that each block begins with the same rows."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from fuzz import samples
from memkit import MemoryDatabase
from memkit.storage import driver

NOW = "2026-03-01T12:00:00Z"


@cache
def seeded() -> Any:
    """A connection to a database in memory with some memories of every kind, a graph and a history."""
    conn = driver.connect()
    with MemoryDatabase(conn=conn) as db:
        names = ("Garden/Quince.md", "Garden/剪定の覚え書き.md", "Home.md", "People/Otto.md", "Daily/2025-03-01.md")
        db.ingest([samples.SAMPLES / "notes" / name for name in names], project="garden", now=NOW)
        db.ingest(samples.ROWS, now=NOW)
        db.relate("Rosa", "planted", "the quince", quote="Rosa planted it", now=NOW)
        old = db.remember("Otto keeps bees in Lund.", tags=["bees"], project="hives", now=NOW)
        db.correct(old.id, "Otto keeps wasps in Lund.", now=NOW)
        db.remember("Rosa lives in Lisbon.", slot="user", key="home", now=NOW)
        db.remember("Rosa lives in Uppsala.", slot="user", key="home", now=NOW)
        db.forget(db.remember("The password is under the flagstone.", now=NOW).id, now=NOW)
        db.recall("who planted the quince?", ledger=True, track=True, now=NOW)
        keeper, db.conn = db.conn, driver.ClosedConnection("seeded")
    return keeper


def copy(path: Path | str = ":memory:", **options: Any) -> MemoryDatabase:
    """A new database with the rows of `seeded`."""
    conn = driver.connect(path)
    seeded().backup(conn)
    return MemoryDatabase(path, conn=conn, **options)


def opened(path: Path) -> MemoryDatabase:
    """A file without its model: to look whether it is whole."""
    return MemoryDatabase(path, embed="none")


def empty() -> MemoryDatabase:
    """A new database in memory with the built-in model."""
    return MemoryDatabase()
