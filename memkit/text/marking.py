"""Highlighting: an excerpt of a text around the words of a question, with these words marked. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from memkit.core.formatting import beginning
from memkit.text.words import WORD, cjk_runs, content_words, fold

MOST_WORDS = 64
LEAST_STEM = 4  # letters that two words must share to count as forms of one word
ENDINGS = frozenset(("", *"s es d ed er ers ing ings e y ies ied ly".split()))
DOUBLING = ("ed", "ing")  # planned, planning

Piece = tuple[str, bool]  # a text, and whether it is marked
Spot = tuple[int, int]  # where a marked word begins and ends


def marked(text: str, question: str, most: int, before: int) -> list[Piece]:
    """The text as plain and marked pieces: about `most` characters, from `before` characters before the first match.

    An ellipsis shows where text is left out.
    """
    spots = spots_of(text, question)
    start, end = part_of(text, spots, most, before)
    found: list[Piece] = [("… ", False)] if start else []
    at = start
    for left, right in spots:
        if left >= start and right <= end:
            found += [(text[at:left], False), (text[left:right], True)]
            at = right
    found += [(text[at:end], False), ("…" if end < len(text) else "", False)]
    return [piece for piece in found if piece[0]]


def part_of(text: str, spots: list[Spot], most: int, before: int) -> tuple[int, int]:
    """Start and end of the excerpt: it contains the first marked word and ends at a space."""
    start = 0
    if len(text) > most and spots and spots[0][0] > most // 2:
        start = text.find(" ", spots[0][0] - before, spots[0][0]) + 1 or spots[0][0] - before
    if len(text) - start <= most:
        return start, len(text)
    return start, start + len(beginning(text[start : start + most], most))


def spots_of(text: str, question: str) -> list[Spot]:
    """The spans of the question's words in the text, in order; those that overlap or touch are one."""
    wanted, pairs = _wanted(question[:10_000])
    words = ((match.span(), fold(match[0])) for match in WORD.finditer(text))
    found = [span for span, word in words if any(_alike(word, one) for one in wanted.get(word[: LEAST_STEM - 1], ()))]
    if pairs is not None:
        found += [match.span(1) for match in pairs.finditer(text)]
    spots: list[Spot] = []
    for begin, end in sorted(found):
        if spots and begin <= spots[-1][1]:
            spots[-1] = spots[-1][0], max(end, spots[-1][1])
        else:
            spots.append((begin, end))
    return spots


@lru_cache(16)
def _wanted(question: str) -> tuple[Mapping[str, Sequence[str]], re.Pattern[str] | None]:
    """The question's words by their beginnings, in which nearly all words differ, and its pairs of CJK characters."""
    words: dict[str, list[str]] = {}
    for word in map(fold, content_words(question)[:MOST_WORDS]):
        words.setdefault(word[: LEAST_STEM - 1], []).append(word)
    pairs = "|".join(map(re.escape, _pairs(question)))
    return words, re.compile(f"(?=({pairs}))") if pairs else None  # pairs overlap


def _pairs(question: str) -> list[str]:
    """The character pairs of a question's CJK runs: they are marked instead of words."""
    return [run[i : i + 2] for run in cjk_runs(question) for i in range(max(len(run) - 1, 1))][:MOST_WORDS]


def _alike(one: str, other: str) -> bool:
    """Whether two words are equal or forms of one word: `planted`, `planting`; `day`, `days`; `plan`, `planning`."""
    if one[: LEAST_STEM - 1] != other[: LEAST_STEM - 1]:
        return False
    shared = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    if one == other or (shared >= LEAST_STEM and one[shared:] in ENDINGS and other[shared:] in ENDINGS):
        return True
    stem, form = sorted((one, other), key=len)
    if shared < len(stem):
        return False
    return form[shared:] == "s" or (form[shared] == stem[-1] and form[shared + 1 :] in DOUBLING)
