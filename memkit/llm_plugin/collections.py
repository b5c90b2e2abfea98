"""Collections of `llm` taken in, with the vectors that they have already where these are of the database's model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.embed import from_blob, load_embedder, unit_rows

if TYPE_CHECKING:
    import numpy as np

    from memkit.embed import Embedder
    from memkit.ingest import IngestReport


class Knowing:
    """An embedder that knows the vectors of some texts already, and asks another one for the rest."""

    def __init__(self, embedder: Embedder, vectors: Mapping[str, bytes]):
        self.id, self.version, self.dims = embedder.id, embedder.version, embedder.dims
        self._embedder = embedder
        self._known = {text: blob for text, blob in vectors.items() if len(blob) == 4 * embedder.dims}

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One row of float32 per text, of length 1."""
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
    """The report of taking a collection into the database in this file, which is made if there is none.

    A new database gets the model `embed`, or else the collection's own where `llm` has it. Raises BadSource for a
    collection that there is not, EmbedderMismatch for another model than the file's.
    """
    from memkit import vectors
    from memkit.database import MemoryDatabase
    from memkit.sources.llm_collections import read_collection

    found = read_collection(embeddings, name)
    with MemoryDatabase(path) as memory:
        active = vectors.active_model(memory.conn)
    wanted = load_embedder(embed or (active["id"] if active else found.model)) if embed != "none" else None
    same = wanted is not None and wanted.id in (found.model, f"llm:{found.model}")
    chosen = Knowing(wanted, found.vectors) if wanted is not None and same else wanted or "none"
    with MemoryDatabase(path, embed=chosen) as memory:
        return memory.ingest(found.rows, **options)
