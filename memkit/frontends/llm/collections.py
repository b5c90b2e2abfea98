"""Ingestion of `llm` collections, with their existing vectors if the database has the same embedding model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.errors import EmbedderFailed, NotFound
from memkit.embedding import from_blob, load_embedder, unit_rows

if TYPE_CHECKING:
    import numpy as np

    from memkit.embedding import Embedder
    from memkit.ingestion.report import IngestReport


WITHOUT = (
    "The embedding model {0!r} of this collection is not loaded, so its texts are stored without vectors: words and "
    "connections find them. When the model works, run: memkit reindex {1} --model {0}"
)


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


def take_in(
    path: str,
    embeddings: Path,
    name: str,
    embed: str | None = None,
    warn: Callable[[str], None] | None = None,
    **options: Any,
) -> IngestReport:
    """The report of ingesting a collection into the database at `path`, which is made if there is none.

    A new database gets the model `embed`, or else that of the collection. Raises BadSource for an unknown collection,
    EmbedderMismatch if the file has another model, NotFound for an unknown model. If the collection's own model is gone
    or fails, its texts are stored without vectors, and a warning says so.
    """
    from memkit.database.memory_database import MemoryDatabase
    from memkit.sources.agents.llm_collections import read_collection

    found = read_collection(embeddings, name)
    with MemoryDatabase(path) as memory:
        own = memory.info().model
    chosen: Any = embed or own or found.model
    gone = ""
    if chosen != "none":
        try:
            wanted = load_embedder(chosen, download=embed is not None)
            same = wanted.id in (found.model, f"llm:{found.model}")
            chosen = Knowing(wanted, found.vectors) if same else wanted
        except (NotFound, EmbedderFailed):
            if embed:
                raise
            gone = chosen
            chosen = None if own else "none"  # without its own model, the database itself goes on and warns
    with MemoryDatabase(path, embed=chosen) as memory:
        memory.warn = warn or memory.warn
        if gone and not own:
            memory.warn(WITHOUT.format(gone, Path(path).name))
        return memory.ingest(found.rows, **options)
