"""What the tests of the published designs share: a model of meaning that can be read by eye, and small databases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memkit import MemoryDatabase
from memkit.embedding import unit_rows
from memkit.graph.relations import relate
from memkit.retrieval.results import Recall
from memkit.storage import store

SAMPLES = Path(__file__).parent.parent / "samples"
NOW = "2026-03-01T12:00:00Z"

CONCEPTS = (
    "deploy deployed deployment deploys ship shipped push pushed prod release pipeline",
    "eat food restaurant restaurants dinner cook nightshade",
    "dentist teeth tooth doctor dr martinez",
    "music fado song sing sang",
    "dog dogs biscuit vet",
    "garden quince prune pruning pruned tree",
    "database storage store sqlite column table tables sync",
    "calendar schedule scheduling appointment task",
    "home house live lives lived flat",
    "work works worked job company",
)


class Concepts:
    """Ten meanings: component i of a vector counts a text's words of meaning i; other words mean nothing."""

    id, version, dims = "concepts", "1", 16

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._meanings = {word: i for i, words in enumerate(CONCEPTS) for word in words.split()}

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One row per text; zeros for a text without a known word."""
        self.asked += texts
        rows = np.zeros((len(texts), self.dims), np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                if word in self._meanings:
                    rows[row, self._meanings[word]] += 1
        return unit_rows(rows)


class Angles:
    """Texts that say their own cosine with a question: `.31 of a boat` has .31, and with each other nothing more."""

    id, version, dims = "angles", "1", 64

    def __init__(self) -> None:
        self._own: dict[str, int] = {}

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One unit row per text; a text without a number is the question itself."""
        rows = np.zeros((len(texts), self.dims), np.float32)
        for row, text in enumerate(texts):
            said = re.search(r"\.\d+", text)
            cosine = float(said[0]) if said else 1.0
            rows[row, 0] = cosine
            if said:
                rows[row, 1 + self._own.setdefault(text, len(self._own))] = (1 - cosine**2) ** 0.5
        return rows


def database(rows: Iterable[Any] = (), embed: Any = None, path: Any = ":memory:") -> MemoryDatabase:
    """A database of these rows (texts, or dicts with an id), with the readable model of meaning."""
    db = MemoryDatabase(path, embed=Concepts() if embed is None else embed)
    rows = [{"text": row} if isinstance(row, str) else row for row in rows]
    db.ingest([{"id": f"m{n}", **row} for n, row in enumerate(rows, 1)], now="2026-01-01T00:00:00Z")
    return db


def key(db: MemoryDatabase, source_id: str) -> int:
    """The key of the memory with this source id."""
    return db.conn.execute("select key from memories where source_id = ?", [source_id]).fetchone()[0]


def say(
    db: MemoryDatabase, subject: str, predicate: str, object: str, source_id: str | None = None, **more: Any
) -> Any:
    """A relation, and the memory that says it."""
    memory = key(db, source_id) if source_id else None
    return relate(
        db.conn, subject, predicate, object, now=more.pop("now", "2026-01-01T00:00:00Z"), memory=memory, **more
    )


def link(db: MemoryDatabase, one: str, type: str, other: str) -> None:
    """A link from one memory to another."""
    store.link(db.conn, key(db, one), key(db, other), type, "2026-01-01T00:00:00Z")


def ids(found: Recall | Iterable[Any]) -> list[str]:
    """The source ids of hits, in order."""
    return [hit.memory.source_id for hit in found]


def matches(found: Recall) -> dict[str, str]:
    """Which channel brought each hit."""
    return {hit.memory.source_id: hit.match for hit in found}


def sample() -> MemoryDatabase:
    """The year of one person."""
    db = MemoryDatabase()
    db.ingest([SAMPLES / "notes", SAMPLES / "facts.jsonl"], now="2026-01-01T00:00:00Z")
    db.ingest(SAMPLES / "relations.jsonl", now="2026-01-01T00:00:00Z")
    return db
