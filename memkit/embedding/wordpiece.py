"""WordPiece tokenizer in plain Python: a text becomes the numbers of known words and word pieces.

It gives the same pieces as the `tokenizers` library for the `tokenizer.json` of the built-in model (a test compares
them): the rules of BERT uncased, but symbols are split off like punctuation, so that "thanks🙂" contains a word. It is
three times as fast as that library on one core, loads faster, and uses no threads, which a forked process cannot use.
Unknown words are skipped.
"""

from __future__ import annotations

import json
import re
from itertools import chain
from pathlib import Path
from typing import Protocol
from unicodedata import category, normalize

from memkit.core.remembered import Remembered

LONGEST_WORD = 100  # characters; longer words are unknown, as in BERT
REMEMBERED_WORDS = 1 << 16

# Blocks of ideographs, each of which is a word for BERT. Kana and hangul do not belong to them.
IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class Vocabulary(Protocol):
    """Word pieces with their numbers, such as a dict."""

    def get(self, word: str, /) -> int | None:
        """The number of a word piece; None for an unknown one."""
        ...


class WordPiece:
    """A vocabulary, and the rule that splits a word into its entries: the longest match first."""

    def __init__(self, vocabulary: Vocabulary):
        self.vocabulary = vocabulary
        self._known = Remembered(self._pieces, REMEMBERED_WORDS)

    @classmethod
    def from_file(cls, tokenizer_json: Path) -> WordPiece:
        """The vocabulary of a `tokenizer.json` file, without its special tokens ([PAD], [UNK])."""
        return cls(read(tokenizer_json))

    def numbers(self, text: str) -> list[int]:
        """The numbers of a text's word pieces in the vocabulary, in order; unknown words are skipped."""
        return list(chain.from_iterable(map(self._known.__getitem__, words(text))))

    def _pieces(self, word: str) -> tuple[int, ...]:
        whole = self.vocabulary.get(word)
        if whole is not None:
            return (whole,)
        found: list[int] = []
        get, start, prefix = self.vocabulary.get, 0, ""
        while start < len(word) <= LONGEST_WORD:
            for end in range(len(word), start, -1):
                piece = get(prefix + word[start:end])
                if piece is not None:
                    break
            else:
                return ()
            found.append(piece)
            start, prefix = end, "##"
        return tuple(found)


def read(tokenizer_json: Path) -> dict[str, int]:
    """The word pieces of a `tokenizer.json` file and their numbers, without the special ones ([PAD], [UNK])."""
    model = json.loads(tokenizer_json.read_text(encoding="utf-8"))["model"]
    return {piece: number for piece, number in model["vocab"].items() if piece not in ("[PAD]", "[UNK]")}


def words(text: str) -> list[str]:
    """The words of a text in lower case without accents; each punctuation mark, symbol and ideograph is a word."""
    if not text.isascii():
        return normalize("NFD", text).translate(_CLEAN).split()
    return text.translate(_CLEAN).split() if _CONTROL.search(text) else _ASCII.findall(text.lower())


_ASCII = re.compile(r"[a-z0-9]+|[^a-z0-9\s]")  # what `_CLEAN` gives, in less time
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class _Clean(dict[int, str]):
    """The replacement of each character, computed at its first use."""

    def __missing__(self, code: int) -> str:
        self[code] = clean = _clean(chr(code))
        return clean


def _clean(character: str) -> str:
    kind = category(character)
    if character in "\t\n\r" or kind.startswith("Z"):
        return " "
    if kind.startswith("C") or kind == "Mn" or character == "\ufffd":
        return ""
    if kind[0] in "PS" or any(low <= ord(character) <= high for low, high in IDEOGRAPHS):
        return f" {character} "
    return character.lower()


_CLEAN = _Clean()
