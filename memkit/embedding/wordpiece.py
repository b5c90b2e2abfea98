"""WordPiece tokenizer in plain Python: a text becomes the numbers of known words and word pieces.

It gives the same pieces as the `tokenizers` library for the `tokenizer.json` of the built-in model (a test compares
them): the rules of BERT uncased, but symbols are split off like punctuation, so that "thanks🙂" contains a word. It is
three times as fast as that library on one core, loads faster, and uses no threads, which a forked process cannot use.
Unknown words are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
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

    def numbers(self, text: str) -> list[int]:
        """The numbers of a text's word pieces in the vocabulary, in order; unknown words are skipped."""
        return self._numbers(words(text))

    def numbers_of_each(self, texts: Sequence[str]) -> list[list[int]]:
        """The `numbers` of each text: those in ASCII together, in half the time."""
        together = iter(self._together([text for text in texts if text.isascii()]))
        return [next(together) if text.isascii() else self.numbers(text) for text in texts]

    def _together(self, texts: Sequence[str]) -> list[list[int]]:
        joined = _spaced(_BETWEEN.join(texts))
        if joined is None or joined.count(_BETWEEN) != len(texts) - 1:
            return [self.numbers(text) for text in texts]
        return [self._numbers(text.split()) for text in joined.split(_BETWEEN)]

    def _numbers(self, words: Iterable[str]) -> list[int]:
        return [*chain.from_iterable(map(self._known.__getitem__, words))]

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
    spaced = _spaced(text) if text.isascii() and _BETWEEN not in text else None
    return (normalize("NFD", text).translate(_CLEAN) if spaced is None else spaced).split()


_BETWEEN = "\x7f"  # stands between texts that are split together
_CONTROL = frozenset(map(chr, range(32))) - set("\t\n\r")
_UNSIGNED = dict.fromkeys(map(ord, "abcdefghijklmnopqrstuvwxyz0123456789 \t\n\r"))  # all that is no sign, in lower case


def _spaced(text: str) -> str | None:
    """What `_CLEAN` gives for a text in ASCII, in less time; None if it has control characters beside `_BETWEEN`."""
    text = text.lower()
    signs = set(text.translate(_UNSIGNED))
    if not signs.isdisjoint(_CONTROL):
        return None
    for sign in signs - {_BETWEEN}:
        text = text.replace(sign, f" {sign} ")
    return text


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
