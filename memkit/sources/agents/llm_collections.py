"""Loader for the collections of `llm embed-multi --store`: texts with their vectors, from llm's embeddings database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memkit.core.errors import BadSource, one_of
from memkit.sources.read_only import read_only
from memkit.storage.driver import sqlite3

COLLECTIONS = "select name, model from collections order by name"
STORED = """
select embeddings.id, content, metadata, embedding
from embeddings join collections on collections.id = embeddings.collection_id
where name = :name and content is not null
order by embeddings.id
"""


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection of llm: its texts as rows to ingest, its model, and its vectors (little-endian float32) by text."""

    name: str
    model: str
    rows: tuple[dict[str, Any], ...]
    vectors: Mapping[str, bytes]


def read_collection(path: Path, name: str) -> Collection:
    """The collection of this name; entries stored without their text are skipped. Raises BadSource if there is none."""
    try:
        with read_only(path) as conn:
            models = dict(tuple(row) for row in conn.execute(COLLECTIONS))
            if name not in models:
                raise BadSource(one_of(f"collection in {path}", name, models))
            stored = conn.execute(STORED, {"name": name}).fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise BadSource(f"{path} cannot be read as a database of llm collections: {error}") from error
    rows = ({"id": f"{name}/{id}", "text": text, "metadata": about} for id, text, about, _ in stored)
    return Collection(
        name,
        models[name],
        tuple({key: value for key, value in row.items() if value is not None} for row in rows),
        {text: vector for _, text, _, vector in stored},
    )
