"""Stored model: the table and the words of the built-in model, of which only what a question needs is read.

To read them as a whole takes longer than all other work of a question in a new process.
"""

from __future__ import annotations

import json
from pathlib import Path
from threading import Lock

import numpy as np

TYPES = {"I8": "i1", "F32": "<f4"}  # safetensors' names of the numbers that a model has
SPECIAL = ("[PAD]", "[UNK]")
FEW = 60  # words that are looked for in the text: more take as long as to read all


def arrays(file: Path) -> dict[str, np.ndarray]:
    """The arrays of a safetensors file, by name. They are mapped: what is used of them is read when it is used."""
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        header = json.loads(opened.read(length))
    header.pop("__metadata__", None)
    return {
        name: np.asarray(
            np.memmap(file, TYPES[one["dtype"]], "r", 8 + length + one["data_offsets"][0], tuple(one["shape"]))
        )
        for name, one in header.items()
    }


class StoredVocabulary:
    """The word pieces of a `tokenizer.json` file and their numbers. After some words, all are read."""

    def __init__(self, tokenizer_json: Path):
        self._text = tokenizer_json.read_bytes()
        self._first = self._text.index(b'"vocab":')
        self._few = FEW
        self._all: dict[str, int] | None = None
        self._lock = Lock()

    def get(self, word: str) -> int | None:
        """The number of a word piece; None for one that is unknown or special."""
        if self._all is not None:
            return self._all.get(word)
        with self._lock:
            if self._all is None and self._few:
                self._few -= 1
                return self._found(word)
        return self.all_of_them().get(word)

    def all_of_them(self) -> dict[str, int]:
        """All word pieces: quicker than one by one for whoever asks for many."""
        with self._lock:
            if self._all is None:
                found: dict[str, int] = json.loads(self._text)["model"]["vocab"]
                for piece in SPECIAL:
                    found.pop(piece, None)
                self._all, self._text = found, b""
            return self._all

    def _found(self, word: str) -> int | None:
        if word in SPECIAL:
            return None
        name = json.dumps(word, ensure_ascii=False).encode("utf-8", "surrogatepass")
        at = self._text.find(b"," + name + b":", self._first)
        if at < 0:
            return None
        start = at + len(name) + 2
        return int(self._text[start : start + 10].partition(b",")[0].partition(b"}")[0])
