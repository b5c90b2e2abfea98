"""WordPiece: text to the numbers of known words and word pieces, in plain Python.

The same pieces as the `tokenizers` library gives for the built-in model's `tokenizer.json` (a test compares them):
BERT's uncased rules, and symbols stand alone as punctuation does, so that "thanks🙂" has a word. Three times as fast as
that library on one core, loaded sooner, and without its threads, which a forked process cannot use. Unknown words are
left out, not numbered.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import chain
from pathlib import Path
from unicodedata import category, normalize

LONGEST_WORD = 100  # characters; BERT gives up on longer ones, and so does this
REMEMBERED_WORDS = 1 << 16

# Blocks of ideographs that BERT takes as a word each; kana and hangul are not among them.
IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """A vocabulary, and the longest-match-first rule that splits a word into its entries."""

    def __init__(self, vocabulary: dict[str, int]):
        self.vocabulary = vocabulary
        self.pieces = lru_cache(REMEMBERED_WORDS)(self._pieces)

    @classmethod
    def from_file(cls, tokenizer_json: Path) -> WordPiece:
        """The vocabulary of a `tokenizer.json` file, without its special tokens ([PAD], [UNK])."""
        model = json.loads(tokenizer_json.read_text(encoding="utf-8"))["model"]
        return cls({piece: number for piece, number in model["vocab"].items() if piece not in ("[PAD]", "[UNK]")})

    def numbers(self, text: str) -> list[int]:
        """The vocabulary's numbers for a text, in order; words it cannot spell are skipped."""
        return list(chain.from_iterable(map(self.pieces, words(text))))

    def _pieces(self, word: str) -> tuple[int, ...]:
        if word in self.vocabulary:
            return (self.vocabulary[word],)
        found: list[int] = []
        start, prefix = 0, ""
        while start < len(word) <= LONGEST_WORD:
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self.vocabulary), None)
            if end is None:
                return ()
            found.append(self.vocabulary[prefix + word[start:end]])
            start, prefix = end, "##"
        return tuple(found)


def words(text: str) -> list[str]:
    """A text's words in lower case without accents; punctuation, symbols and ideographs are words of their own."""
    return (text if text.isascii() else normalize("NFD", text)).translate(_CLEAN).split()


class _Clean(dict[int, str]):
    """What each character becomes, worked out when it is first met."""

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
