"""Ingestion of `llm` collections, with their existing vectors if the database has the same embedding model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.embedding import from_blob, load_embedder, unit_rows

if TYPE_CHECKING:
    import numpy as np

    from memkit.embedding import Embedder
    from memkit.ingestion.writer import IngestReport


class Knowing:
    """An embedding model that has the vectors of some texts, and uses another model for the others."""

    def __init__(self, embedder: Embedder, vectors: Mapping[str, bytes]):
        self.id, self.version, self.dims = embedder.id, embedder.version, embedder.dims
        self._embedder = embedder
        self._known = {text: blob for text, blob in vectors.items() if len(blob) == 4 * embedder.dims}

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """An array (texts, dims) of float32 with rows of length 1."""
        import numpy as np

        rows = np.zeros((len(texts), self.dims), np.float32)
        unknown = [row for row, text in enumerate(texts) if text not in self._known]
        for row, text in enumerate(texts):
            if text in self._known:
                rows[row] = from_blob(self._known[text])
        if unknown:
            rows[unknown] = self._embedder.encode([texts[row] for row in unknown])
        return unit_rows(rows)


def take_in(path: str, embeddings: Path, name: str, embed: str | None = None, **options: Any) -> IngestReport:
    """The report of ingesting a collection into the database at `path`, which is made if there is none.

    A new database gets the model `embed`, or else that of the collection. Raises BadSource for an unknown collection,
    EmbedderMismatch if the file has another model, NotFound for an unknown model.
    """
    from memkit.database.memory_database import MemoryDatabase
    from memkit.sources.llm_collections import read_collection

    found = read_collection(embeddings, name)
    with MemoryDatabase(path) as memory:
        own = memory.info().model
    wanted = load_embedder(embed or own or found.model) if embed != "none" else None
    same = wanted is not None and wanted.id in (found.model, f"llm:{found.model}")
    chosen = Knowing(wanted, found.vectors) if wanted is not None and same else wanted or "none"
    with MemoryDatabase(path, embed=chosen) as memory:
        return memory.ingest(found.rows, **options)
