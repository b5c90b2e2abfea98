"""Embedding models: they turn texts into vectors of length 1. The built-in one needs no network and no model library.

`load_embedder()` returns memkit's own static model (`docs/models.md`), `load_embedder("llm:3-small")` an embedding
model of an `llm` plugin, and `load_embedder("model2vec:minishlab/potion-base-8M")` a model2vec model, by its name on
the hub or by its folder. Importing this module imports neither numpy nor a model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from memkit.embedding.vectors import binary_code, from_blob, to_blob, unit_rows

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "BUILT_IN",
    "MODEL_VARIABLE",
    "Embedder",
    "binary_code",
    "from_blob",
    "load_embedder",
    "to_blob",
    "unit_rows",
]

Model = TypeVar("Model")

BUILT_IN = "memkit"
MODEL_VARIABLE = "MEMKIT_EMBED"  # names the model of files that have none yet (C26)


class Embedder(Protocol):
    """Turns texts into vectors that are compared by cosine.

    `id` names the model for `load_embedder`; `version` changes when the vectors change; `dims` is the number of
    dimensions. A model with a true attribute `instant` may embed hundreds of sentences while a question is answered.
    """

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def dims(self) -> int: ...
    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """An array (texts, dims) of float32 with rows of length 1; a text without a known word gets zeros."""
        ...


def load_embedder(model_id: str | None = None, *, download: bool = True) -> Embedder:
    """The embedding model with this id: None or "memkit" is the built-in one. It is loaded once per process.

    "llm:NAME", or a plain name that `llm` knows, is an embedding model of an llm plugin; "model2vec:NAME" is a
    model2vec model by name or folder. Without `download` a model2vec model must be on this machine already: that is for
    a name in a file, which may come from somebody else. Raises NotFound for any other id, with the known names. Safe
    from any thread.
    """
    name = model_id or BUILT_IN
    if name in (BUILT_IN, f"llm:{BUILT_IN}"):
        return once(BUILT_IN, _built_in)
    if name.startswith("model2vec:"):
        return once(name, lambda: _model2vec(name.removeprefix("model2vec:"), download))
    return _llm(name.removeprefix("llm:"))


def _built_in() -> Embedder:
    from memkit.embedding.static import StaticEmbedder

    return StaticEmbedder.built_in()


def _model2vec(name: str, download: bool) -> Embedder:
    from memkit.embedding.with_model2vec import Model2VecEmbedder, check_local

    if not download:
        check_local(name)
    return Model2VecEmbedder(name)


def _llm(name: str) -> Embedder:
    from memkit.embedding.with_llm import LlmEmbedder, find

    model = find(name)
    return once(f"llm:{model.model_id}", lambda: LlmEmbedder(model))


_loaded: dict[str, Any] = {}
_loading: dict[str, RLock] = {}


def once(key: str, load: Callable[[], Model]) -> Model:
    """The model under this key, loaded once per process; threads that ask meanwhile wait."""
    with _loading.setdefault(key, RLock()):  # one for each model: a download that hangs must not stop the others
        if key not in _loaded:
            _loaded[key] = load()
        found: Model = _loaded[key]
        return found
