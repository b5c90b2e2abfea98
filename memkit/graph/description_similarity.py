"""Entity resolution by meaning: a new entity is merged into a known one of its kind that is described alike.

That is decided when the write is committed, because a model may take its time, and nobody should wait for the write
lock meanwhile. It is an ordinary merge, which can be undone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from memkit.core.errors import Busy, DiskFull, EmbedderFailed, EmbedderMismatch
from memkit.embedding.vectors import from_rows, is_cosine
from memkit.graph import entity_vectors, merging
from memkit.graph.entities import THING
from memkit.storage import vectors
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.storage.store import keys_json
from memkit.text.extract.resolve import Candidate, Resolution, resolve

if TYPE_CHECKING:
    from memkit.embedding import Embedder

MOST_COMPARED = 2000  # described entities of a kind: the new ones, and the oldest

SELECT_NEW = """
select key, name, kind, description from entities
where key in (select value from json_each(:keys)) and description is not null and merged_into is null
    and kind not in ('concept', 'value')
order by key
"""
SELECT_DESCRIBED = """
select e.key, cast(v.vector as blob), e.name, e.kind, e.description
from entities as e join entity_embeddings as v on v.entity_key = e.key and v.model_key = :model_key
where e.key in (
    select key from entities
    where kind = :kind and description is not null and merged_into is null
    order by key in (select value from json_each(:keys)) desc, key
    limit :limit
)
order by e.key
"""

# What rules say of who is somebody's boss or sister: there may be another one, so that it tells no two names to be one.
_OF_A_ROLE = re.compile(r".+['’]s [a-z_]+(?: [a-z_]+)?")


def merge_alike(conn: Connection, embedder: Embedder, keys: Iterable[int], now: str) -> dict[str, str]:
    """Merges those of these new entities that are described like one known entity; returns what is ambiguous, and why.

    The model is asked outside of a transaction. If it fails, nothing is compared.
    """
    unsure: dict[str, str] = {}
    try:
        entity_vectors.write_missing(conn, embedder, now)
        with writing(conn):
            key = vectors.register(conn, embedder, now, active=True)
            about = {"keys": keys_json(keys), "model_key": key, "limit": MOST_COMPARED}
            new = conn.execute(SELECT_NEW, about).fetchall()
            described = {
                kind: _Described(kind, conn.execute(SELECT_DESCRIBED, {**about, "kind": kind}), embedder.dims)
                for kind in {row["kind"] for row in new}
            }
            for row in (one for one in new if not _OF_A_ROLE.fullmatch(one["description"])):
                found = described[row["kind"]].resolved(row)
                if found.key is not None:
                    merging.merge_found(conn, found.key, row["key"], now)
                elif found.decision == "ambiguous":
                    unsure[row["name"]] = found.why
    except (EmbedderFailed, EmbedderMismatch, Busy, DiskFull):  # the entities are stored, each by itself
        pass
    return unsure


class _Described:
    """The described entities of a kind, with their vectors as they are before anything is merged."""

    def __init__(self, kind: str, found: Iterable[Any], dims: int):
        rows = {row["key"]: row for row in found}
        keys, vectors = from_rows(rows.values(), dims)
        self.kind = None if kind == THING else kind  # a thing may be of any kind
        self.known = {key: self._candidate(rows[key]) for key in keys}
        self.vectors = dict(zip((one.described for one in self.known.values()), vectors, strict=True))

    def _candidate(self, row: Any) -> Candidate:
        return Candidate(row["key"], row["name"], self.kind, description=row["description"])

    def resolved(self, row: Any) -> Resolution:
        """Which of the others an entity is; if it is one of them, it is no other of those that come after it."""
        new = self._candidate(row)
        has_vector = new.key in self.known
        older = [one for key, one in self.known.items() if has_vector and key < new.key]
        found = resolve(new.name, older, kind=self.kind, description=new.description, similarity=self._similarity)
        if found.key is not None:
            del self.known[new.key]
        return found

    def _similarity(self, text: str, others: Sequence[str]) -> list[float]:
        import numpy as np

        cosines = np.array([self.vectors[other] for other in others]) @ self.vectors[text]
        return [float(cosine) if fine else 0.0 for cosine, fine in zip(cosines, is_cosine(cosines), strict=True)]
