"""The words of a question, marked in a text. Pure; the text is escaped."""

from __future__ import annotations

import re
from html import escape

from memkit.render import short
from memkit.text import cjk_runs, content_words, fold

SHOWN = 360
BEFORE = 80
MOST_WORDS = 64
LEAST_STEM = 4  # letters that two words must share to be taken for forms of one
ENDINGS = frozenset(("", *"s es d ed er ers ing ings e y ies ied ly".split()))

_WORD = re.compile(r"[^\W_]+")
_HEADING = re.compile(r"\A#{1,6}\s+([^\n]+)\n+")
_LINK = re.compile(r"!?\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]")


def marked(text: str, question: str, most: int = SHOWN) -> str:
    """The part of a text around the question's words, as HTML with each of them in a `<mark>`."""
    plain = " ".join(_LINK.sub(r"\1", _HEADING.sub(r"\1: ", text)).split())
    spots = _spots(plain, question[:10_000])
    start = _start(plain, spots, most)
    shown = short(plain[start:], most)
    pieces, at = ["… " if start else ""], 0
    for begin, end in ((begin - start, end - start) for begin, end in spots if begin >= start):
        if end > len(shown):
            break
        pieces += [escape(shown[at:begin]), "<mark>", escape(shown[begin:end]), "</mark>"]
        at = end
    return "".join(pieces) + escape(shown[at:])


def _spots(text: str, question: str) -> list[tuple[int, int]]:
    """Where words of the question begin and end, in order, without overlap."""
    wanted = [fold(word) for word in content_words(question)[:MOST_WORDS]]
    found = [match.span() for match in _WORD.finditer(text) if any(_alike(fold(match[0]), word) for word in wanted)]
    if pairs := "|".join(map(re.escape, _pairs(question))):
        found += [match.span() for match in re.finditer(f"(?:{pairs})+", text)]
    spots: list[tuple[int, int]] = []
    for begin, end in sorted(found):
        if not spots or begin >= spots[-1][1]:
            spots.append((begin, end))
    return spots


def _pairs(question: str) -> list[str]:
    """What to mark where words have no blanks between them: pairs of characters."""
    return [run[i : i + 2] for run in cjk_runs(question) for i in range(max(len(run) - 1, 1))][:MOST_WORDS]


def _alike(one: str, other: str) -> bool:
    """Whether two words are one, or forms of one: `planted`, `planting`."""
    shared = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one == other or (shared >= LEAST_STEM and one[shared:] in ENDINGS and other[shared:] in ENDINGS)


def _start(text: str, spots: list[tuple[int, int]], most: int) -> int:
    """Where to begin, so that the first marked word is seen."""
    if len(text) <= most or not spots or spots[0][0] <= most // 2:
        return 0
    around = spots[0][0] - BEFORE
    return text.find(" ", around, spots[0][0]) + 1 or around
