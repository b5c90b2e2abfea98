"""Cross-encoders: models that read a question and a text together, and score how well the text answers.

They know word order and context, which vectors of single texts do not, but read each pair anew: 20 short texts take
some 80 ms. They run by fastembed (extra `rerank`), on onnxruntime: by a name that fastembed knows, such as
`Xenova/ms-marco-MiniLM-L-6-v2`, or from a folder with an ONNX file and its tokenizer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from memkit.core.errors import EmbedderFailed, NeedsPackage, NotFound
from memkit.core.files import expanded
from memkit.core.unicode import well_formed
from memkit.embedding import once

# In a folder, best first.
FILES = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
AT_ONCE = 16  # pairs: each batch is as wide as its longest text


class CrossEncoder(Protocol):
    """Scores texts for a question. `id` names the model for `load_cross_encoder`."""

    @property
    def id(self) -> str: ...
    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One number for each text, the higher the better the text answers; of no fixed scale."""
        ...


def load_cross_encoder(name: str, *, download: bool = True) -> CrossEncoder:
    """The cross-encoder of this name, or in this folder, loaded once per process.

    Without `download` it must be on this machine already, and a folder be named by its whole path: that is for a name
    in a file, which may come from somebody else. Raises NotFound for a name that nobody knows, NeedsPackage without
    fastembed.
    """
    return once(f"cross-encoder {name}", partial(FastembedCrossEncoder, name, download))


class FastembedCrossEncoder:
    """A cross-encoder that fastembed runs."""

    def __init__(self, name: str, download: bool = True):
        self.id = name
        folder = expanded(name)
        # A file from somebody else could name what came along with it, or a folder on their machine.
        may_be = download or (folder.is_absolute() and not name.startswith(("//", "\\\\")))
        self._model = _in_folder(folder) if may_be and folder.is_dir() else _named(name, download)

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One number for each text, the higher the better the text answers. Raises EmbedderFailed."""
        try:
            found = list(self._model.rerank(well_formed(question), [well_formed(text) for text in texts], AT_ONCE))
        except Exception as error:  # onnxruntime and tokenizers raise plain ones
            raise EmbedderFailed(f"The cross-encoder {self.id!r} failed: {error}", "failed") from error
        return [float(score) for score in found]


def _fastembed() -> Any:
    try:
        from fastembed.rerank.cross_encoder import TextCrossEncoder
    except ImportError as error:
        raise NeedsPackage("fastembed", "A cross-encoder", "'datasette-memkit[rerank]'") from error
    return TextCrossEncoder


def _named(name: str, download: bool) -> Any:
    encoders = _fastembed()
    known = [one["model"] for one in encoders.list_supported_models()]
    if name.lower() not in map(str.lower, known):
        raise NotFound(f"{name!r} is neither a folder nor a cross-encoder of fastembed. There are: {', '.join(known)}.")
    try:
        return encoders(name, local_files_only=not download)
    except Exception as error:  # of the hub's HTTP client, of onnxruntime, of fastembed
        why = f"could not be fetched ({type(error).__name__})" if download else "is not on this machine"
        way = "give the folder of one" if download else "name it in the strategy of a call, which fetches it once"
        raise NotFound(f"The cross-encoder {name!r} {why}. You can {way}.") from error


def _in_folder(folder: Path) -> Any:
    encoders = _fastembed()
    from fastembed.common.model_description import ModelSource

    file = next((file for file in FILES if (folder / file).is_file()), None)
    if file is None:
        raise NotFound(f"{str(folder)!r} has no {FILES[0]} and no {FILES[1]}, so it is no cross-encoder.")
    name = f"memkit {folder.resolve()}"
    if name.lower() not in (one["model"].lower() for one in encoders.list_supported_models()):
        encoders.add_custom_model(name, ModelSource(hf=name), model_file=file)
    try:
        return encoders(name, specific_model_path=str(folder))
    except Exception as error:  # of onnxruntime, tokenizers and fastembed
        raise NotFound(f"The cross-encoder in {str(folder)!r} cannot be loaded: {error}") from error
