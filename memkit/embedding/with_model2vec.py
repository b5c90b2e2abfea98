"""model2vec embeddings, such as the `potion` models: by name from the hub or its cache, or from a folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from threading import Lock
from typing import Any

import numpy as np

from memkit.core.errors import MemkitError, NotFound
from memkit.core.unicode import well_formed
from memkit.embedding.vectors import unit_rows


class Model2VecEmbedder:
    """A static model in the format of model2vec, run by the model2vec library."""

    instant = True

    def __init__(self, name: str):
        self.id = f"model2vec:{name}"
        self._model = _load(name)
        self._lock = Lock()  # encode() changes the length limit of the tokenizer, which all threads share
        self.dims = int(self._model.dim)
        self.version = _fingerprint(self._model)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """An array (texts, dims) of float32 with rows of length 1; a text without a known word gets zeros."""
        if not texts:
            return np.zeros((0, self.dims), np.float32)
        clean = list(map(well_formed, texts))
        with self._lock:
            return unit_rows(self._model.encode(clean, use_multiprocessing=False))


def check_local(name: str) -> None:
    """Raises NotFound for a model that is neither a folder nor in the hub's cache: it would be downloaded."""
    from huggingface_hub import try_to_load_from_cache

    elsewhere = name.startswith(("//", "\\\\"))  # on Windows a folder of another machine, which is asked for a password
    with suppress(ValueError, OSError):
        if not elsewhere and (os.path.isdir(name) or isinstance(try_to_load_from_cache(name, "config.json"), str)):
            return
    raise NotFound(
        f"The file names the embedding model {'model2vec:' + name!r}, which is not on this machine, and a file makes "
        f"memkit download none. To allow it once: memkit reindex FILE --model {'model2vec:' + name!r}"
    )


def _load(name: str) -> Any:
    # Without this, the tokenizer uses threads and then warns in every forked process. One thread is enough.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from huggingface_hub import errors
    from model2vec import StaticModel

    http_error = errors.HTTPError  # type: ignore[attr-defined]  # of its HTTP client, which depends on the version
    try:
        return StaticModel.from_pretrained(name, force_download=False)
    except (OSError, ValueError, errors.EntryNotFoundError, http_error) as error:
        raise NotFound(
            f"{'model2vec:' + name!r} cannot be loaded: {name!r} is not a folder with a model2vec model, and the hub"
            f" gives no model of this name ({type(error).__name__}). Without a network, give the folder."
        ) from error
    except Exception as error:  # tokenizers and safetensors raise plain Exception
        raise MemkitError(f"{'model2vec:' + name!r} cannot be loaded: its files are damaged ({error}).") from error


def _fingerprint(model: Any) -> str:
    """Twelve hex digits that change with the weights or the vocabulary."""
    digest = sha256(np.ascontiguousarray(model.embedding).tobytes())
    for array in (model.weights, model.token_mapping):
        digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
    digest.update("\n".join(model.tokens).encode("utf-8", "replace"))
    return digest.hexdigest()[:12]
