"""Extractive compression for a question: the most relevant sentences of a text, unchanged, without a model."""

from __future__ import annotations

import re
from bisect import bisect, insort
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import log

from memkit.text.words import CJK_CLASS, content_words, est_tokens, quarter_tokens, sentences

GAP = " … "
# Characters of a long sentence before and after a match, and the number of excerpts (as in membox).
BEFORE, AFTER, EXCERPTS = 80, 260, 2

_TERM = re.compile(rf"({CJK_CLASS}+)|((?:(?!{CJK_CLASS})[^\W_])+)")
_SUFFIX = re.compile(r"(?:ing|ed|es|s|e)$")
_BLANKS = re.compile(r"\s*")
_DOUBLED = re.compile(r"([^\W\d_])\1$")

Span = tuple[int, int]


def compress(text: str, question: str, budget: int) -> str:
    """The sentences of a text that share most terms with the question, in order, in at most `budget` est_tokens.

    Terms that are rare in the text count more. Gaps are shown as ` … `. If the best sentence alone is too long, it is
    cut around its matches. If no sentence shares a term, the first sentences are returned. A budget of 0 gives "".
    """
    if est_tokens(text) <= budget:
        return text
    asked = terms(question)
    kept: list[Span] = []
    room = 4 * budget
    for best, span in enumerate(_by_relevance(text, asked)):
        pieces = [span]
        if best == 0 and est_tokens(text[slice(*span)]) > budget:
            pieces = _excerpts(text, span, asked, budget)
        for piece in pieces:
            if (cost := _added(text, kept, piece)) <= room:
                room -= cost
                insort(kept, piece)
    return _joined(text, kept)


def _by_relevance(text: str, asked: set[str]) -> list[Span]:
    """The sentences that share a term with the question, most relevant first; all sentences in order if none does."""
    spans = sentences(text)
    shared = [{term for term, _ in _terms(text[start:end]) if term in asked} for start, end in spans]
    count = Counter(term for common in shared for term in common)
    scores = [sum(log(1 + len(spans) / count[term]) for term in sorted(common)) for common in shared]
    order = sorted(range(len(spans)), key=lambda i: -scores[i])
    return [spans[i] for i in order if scores[i] or not count]


def _excerpts(text: str, span: Span, asked: set[str], budget: int) -> list[Span]:
    """Spans around the matches in one sentence, as many and as wide as the budget allows; empty if none fits."""
    start, end = span
    matches = [start + at for term, at in _terms(text[start:end]) if term in asked] or [start]
    for windows, size in ((EXCERPTS, 1), (1, 1), (1, 2), (1, 4), (1, 8), (1, 16), (1, 32)):
        spans: list[Span] = []
        for at in matches:
            if len(spans) < windows and (not spans or at >= spans[-1][1]):
                spans.append(_whole_words(text, max(start, at - BEFORE // size), min(end, at + AFTER // size), at))
        if est_tokens(_joined(text, spans)) <= budget:
            return spans
    return []


def _whole_words(text: str, start: int, end: int, at: int) -> Span:
    """The span narrowed to whole words, if there are spaces between its ends and the match."""
    if start > 0 and not text[start - 1].isspace():
        blank = text.find(" ", start, at)
        start = start if blank < 0 else blank + 1
    if end < len(text) and not text[end].isspace():
        blank = text.rfind(" ", at, end)
        end = end if blank < 0 else blank
    return start, end


def _added(text: str, kept: list[Span], span: Span) -> int:
    """The extra cost of a span in quarters of a token: its text, and the gaps between it and the kept spans."""
    at = bisect(kept, span)
    before, after = kept[max(at - 1, 0) : at], kept[at : at + 1]
    gaps = _gaps(text, [*before, span, *after]) - _gaps(text, [*before, *after])
    return quarter_tokens(text[slice(*span)]) + gaps


def _gaps(text: str, spans: list[Span]) -> int:
    return sum(quarter_tokens(_between(text, one[1], other[0])) for one, other in pairwise(spans))


def _joined(text: str, spans: list[Span]) -> str:
    """The text of some spans (in order), with the gaps between them."""
    pieces = [_between(text, one[1], other[0]) + text[slice(*other)] for one, other in pairwise(spans)]
    return "".join([text[slice(*span)] for span in spans[:1]] + pieces)


def _between(text: str, last: int, start: int) -> str:
    """The separator of two spans: the white space between them, or GAP if there is other text between them."""
    blanks = _BLANKS.match(text, last, start)
    return blanks[0] if blanks and blanks.end() == start else GAP


def terms(text: str) -> set[str]:
    """The terms of a text for relevance: stems of its content words, and pairs of CJK characters."""
    return {term for word in content_words(text) for term, _ in _terms(word)}


def _terms(text: str) -> Iterator[tuple[str, int]]:
    """The terms of a text with their offsets: stems of words, and the two-character pieces of CJK runs."""
    for match in _TERM.finditer(text):
        run, at = match[1], match.start()
        if run is None:
            yield _stem(match[0].casefold()), at
        elif len(run) == 1:
            yield run, at
        else:
            yield from ((run[i : i + 2], at + i) for i in range(len(run) - 1))


def _stem(word: str) -> str:
    """A rough English stem: `planted`, `plants` and `plant` become equal, and so do `city` and `cities`."""
    if len(word) <= 3 or not word.isascii():
        return word
    stem = _DOUBLED.sub(r"\1", _SUFFIX.sub("", word))
    return stem[:-1] + "i" if stem.endswith("y") else stem
