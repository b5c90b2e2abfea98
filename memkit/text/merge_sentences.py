"""Text merging: several near-duplicate texts become one, which keeps every sentence that adds something. Pure.

Texts are notes: a code block is one piece, and line breaks, lists and indentation stay as they were written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from memkit.text.chunking import code_spans
from memkit.text.compress import terms
from memkit.text.statements import denies
from memkit.text.words import has_cjk, sentences, word_set

COVERED = 0.8  # a sentence adds nothing if another one has this share of its words
ALIKE = 0.6  # share of content words that two sentences have in common if they are about the same
# Negations: a sentence with one of them is never covered by a sentence without it.
NEGATIONS = frozenset("no not never none nobody nothing neither nor without t".split())
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d+[.)])\s")


def merge_sentences(texts: Iterable[str]) -> str:
    """The first text as it was written, and after it the sentences of the others that add something, in order.

    A sentence is left out if another one covers it: that one has COVERED of its words, all its numbers and the same
    negations. A later sentence that covers earlier ones takes the place of the first of them. Equal texts give this
    text.
    """
    different = list(dict.fromkeys(text.strip("\n").rstrip() for text in texts if text.strip()))
    kept: list[_Piece] = []
    for text in different:
        for piece in _pieces(text):
            _add(kept, piece, first=text is different[0])
    return "".join(map(_with_gap, kept, [None, *kept])) if len(different) > 1 else "".join(different)


def opposed(one: str, other: str) -> bool:
    """Whether a sentence of one text denies what a sentence of the other says: `I do not eat pork`, `I eat pork again`.

    They are about the same if they share ALIKE of the content words of the shorter one.
    """
    said, told = (
        {" ".join(text[start:end].split()): denies(text[start:end]) for start, end in sentences(text)}
        for text in (one, other)
    )
    new, newer = (
        {words: denied for words, denied in a.items() if words not in b} for a, b in ((said, told), (told, said))
    )
    return any(
        denied != also and _about_the_same(words, others)
        for words, denied in new.items()
        for others, also in newer.items()
    )


def _about_the_same(one: str, other: str) -> bool:
    """Whether two sentences share most of their content words, apart from negations."""
    first, second = ({term for term in terms(text) if not denies(term)} for text in (one, other))
    return len(first & second) >= ALIKE * max(1, min(len(first), len(second)))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence or a code block: its place in its text, and its words (of a code block, its lines)."""

    whole: str
    start: int
    end: int
    said: frozenset[str]
    code: bool = False
    instead_of: _Piece | None = None

    @property
    def place(self) -> _Piece:
        """The piece in whose place it stands: itself, or the one that it has replaced."""
        return self.instead_of or self

    @property
    def text(self) -> str:
        return self.whole[self.start : self.end]

    @property
    def indented(self) -> str:
        """The text with the indentation of its line, if it begins one."""
        line = self.whole.rfind("\n", 0, self.start) + 1
        before = self.whole[line : self.start]
        return self.text if before.strip() else before + self.text


def _pieces(text: str) -> Iterator[_Piece]:
    at = 0
    for first, last in [*code_spans(text), (len(text), len(text))]:
        for start, end in sentences(text[at:first]):
            yield _Piece(text, at + start, at + end, word_set(text[at + start : at + end]))
        if first < last:
            yield _Piece(text, first, last, frozenset(text[first:last].splitlines()), code=True)
        at = last


def _add(kept: list[_Piece], piece: _Piece, *, first: bool) -> None:
    """Adds a piece, unless one covers it. The first text is not compared with itself: it stays as it was written."""
    others = range(0 if first else len(kept))
    if any(_covers(kept[i], piece) for i in others):
        return
    covered = [i for i in others if _covers(piece, kept[i])]
    for i in covered[:0:-1]:
        del kept[i]
    if covered:
        kept[covered[0]] = replace(piece, instead_of=kept[covered[0]].place)
    else:
        kept.append(piece)


def _covers(one: _Piece, other: _Piece) -> bool:
    """Whether the words of the first piece cover those of the second; a code block is covered only by itself."""
    if one.code or other.code:
        return one.code == other.code and one.said == other.said
    if any(word[0].isdigit() for word in other.said - one.said) or one.said & NEGATIONS != other.said & NEGATIONS:
        return False
    return len(other.said & one.said) >= COVERED * len(other.said)


def _with_gap(piece: _Piece, before: _Piece | None) -> str:
    """A piece with what separates it from the one before it: what stands there, if their places are neighbours."""
    if before is None:
        return piece.indented
    one, other = before.place, piece.place
    if one.whole == other.whole and one.end <= other.start:
        between = other.whole[one.end : other.start]
        if not between.strip():
            return between + piece.text
        lines = 2 if "\n\n" in between else between.count("\n")
    else:
        lines = 2 if "\n" in one.whole or "\n" in other.whole else 0
        lines = 1 if lines and _ITEM.match(before.text) and _ITEM.match(piece.text) else lines
    if lines:
        return "\n" * min(lines, 2) + piece.indented
    return ("" if has_cjk(before.text[-2:]) else " ") + piece.text
