"""Any model2vec model, such as the `potion` family: by its name on the hub, from its cache, or from a folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from threading import Lock
from typing import Any

import numpy as np

from memkit.embed.vectors import unit_rows
from memkit.errors import MemkitError, NotFound


class Model2VecEmbedder:
    """A static model in model2vec's format, encoded by model2vec itself."""

    instant = True

    def __init__(self, name: str):
        self.id = f"model2vec:{name}"
        self._model = _load(name)
        self._lock = Lock()  # encoding sets the length limit of a tokenizer that all threads share
        self.dims = int(self._model.dim)
        self.version = _fingerprint(self._model)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One row of float32 per text, of length 1; all zeros for a text without a known word."""
        if not texts:
            return np.zeros((0, self.dims), np.float32)
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        with self._lock:
            return unit_rows(self._model.encode(clean, use_multiprocessing=False))


def _load(name: str) -> Any:
    # Its tokenizer warns in every forked child once it has used threads, unless this is set; one thread is enough.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import httpx
    from huggingface_hub.errors import EntryNotFoundError
    from model2vec import StaticModel

    try:
        return StaticModel.from_pretrained(name, force_download=False)
    except (OSError, ValueError, EntryNotFoundError, httpx.HTTPError) as error:
        raise NotFound(
            f"{'model2vec:' + name!r} cannot be loaded: {name!r} is neither a folder with a model2vec model nor a name"
            f" that the hub answers for ({type(error).__name__}). Without a network, give the folder."
        ) from error
    except Exception as error:  # tokenizers and safetensors raise bare exceptions of their own
        raise MemkitError(f"{'model2vec:' + name!r} cannot be loaded: its files are damaged ({error}).") from error


def _fingerprint(model: Any) -> str:
    """Twelve hex digits that change with the weights or the vocabulary."""
    digest = sha256(np.ascontiguousarray(model.embedding).tobytes())
    for array in (model.weights, model.token_mapping):
        digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
    digest.update("\n".join(model.tokens).encode("utf-8", "replace"))
    return digest.hexdigest()[:12]
