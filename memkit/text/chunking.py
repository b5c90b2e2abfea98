"""Chunking: a note is split into passages under its headings, and a long turn into parts.

A passage is a span of the given text: `text[start:end]` is the unchanged passage. Spans do not overlap, are in the
order of the text, and leave out only white space. A text is split at headings, then between paragraphs, then between
list items, then between sentences, and inside a sentence only if that sentence alone is too long. A fenced code block
is not split, unless it is as long as a whole file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memkit.core.patterns import pattern
from memkit.text.words import est_tokens, sentences

_HEADING = pattern(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = pattern(r" {0,3}(?:(=+)|-{2,})[ \t]*$")
_FENCE = pattern(r"[ \t>]*(?:[-*+][ \t]+)?(`{3,}(?=[^`]*$)|~{3,})")
_ITEM = pattern(r"^(?=[ \t]*(?:[-*+][ \t]|\d+[.)][ \t]|\||>))", re.MULTILINE)
LONGEST_CODE = 5_000  # tokens; a longer code block is cut as other text, or one memory would be a whole file
_LONGEST_HEADING = 160  # characters; a longer line is a paragraph that happens to begin with `#`


class Passage(NamedTuple):
    """A span of a text, in characters, and the headings above it, outermost first."""

    start: int
    end: int
    headings: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """The innermost heading, or empty text."""
        return self.headings[-1] if self.headings else ""


def passages(text: str, *, start: int = 0, max_tokens: int = 250) -> Iterator[Passage]:
    """The passages of a Markdown text from `start` on, each with at most about `max_tokens` estimated tokens.

    A passage never crosses a heading. Small paragraphs under one heading are joined. A heading belongs to the text
    below it and is not counted in the limit. Raises ValueError for `max_tokens` below 1, when the first one is read.
    """
    return _packed(text, _atoms(text, start, max_tokens), max_tokens, by_heading=True)


def parts(text: str, max_tokens: int) -> list[str]:
    """A text in pieces of at most about `max_tokens` estimated tokens; a short text is one piece."""
    if len(text) <= max_tokens or est_tokens(text) <= max_tokens:
        return [text]
    spans = _packed(text, _atoms(text, 0, max_tokens), max_tokens, by_heading=False)
    return [text[span.start : span.end] for span in spans]


# ------------------------------------------------------------------------------------------------- lines and blocks


class _Block(NamedTuple):
    """A heading (`level` 1 to 6), a code block (`code`), or a paragraph."""

    start: int
    end: int
    level: int = 0
    title: str = ""
    code: bool = False


def _blocks(text: str, start: int) -> Iterator[_Block]:
    spans = list(_line_spans(text, start))
    lines = [text[first:last] for first, last in spans]
    code, i = _code_blocks(lines), 0
    while i < len(lines):
        j = i
        if i in code:
            j = code[i]
            yield _Block(spans[i][0], spans[j][1], code=True)
        elif heading := _heading(lines[i]):
            yield _Block(*spans[i], level=len(heading[1]), title=heading[2] or "")
        elif lines[i].strip():
            while j + 1 < len(lines) and lines[j + 1].strip() and j + 1 not in code and not _heading(lines[j + 1]):
                j += 1
            yield from _paragraph(lines, spans, i, j)
        i = j + 1


def _line_spans(text: str, start: int) -> Iterator[tuple[int, int]]:
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _heading(line: str) -> re.Match[str] | None:
    return _HEADING.match(line) if len(line) <= _LONGEST_HEADING else None


def _paragraph(lines: list[str], spans: list[tuple[int, int]], i: int, j: int) -> Iterator[_Block]:
    """Lines i to j as one block; a first line that is underlined with === or --- becomes a heading."""
    underline = _UNDERLINE.match(lines[i + 1]) if j > i and len(lines[i]) <= _LONGEST_HEADING else None
    if underline:
        yield _Block(spans[i][0], spans[i + 1][1], level=1 if underline[1] else 2, title=lines[i].strip())
        i += 2
    if i <= j:
        yield _Block(spans[i][0], spans[j][1])


def _code_blocks(lines: list[str]) -> dict[int, int]:
    """The first and the last line of each fenced code block. A fence that is never closed counts as normal text."""
    closing = {i: closes for i, line in enumerate(lines) if (closes := _closing_fence(line))}
    places = list(closing)
    longest = _longest_from(list(closing.values()))
    found: dict[int, int] = {}
    i = 0
    while i < len(lines) and places:
        if ("```" in lines[i] or "~~~" in lines[i]) and (fence := _FENCE.match(lines[i])):
            at = bisect_right(places, i)
            if longest[fence[1][0]][at] >= len(fence[1]):  # it is closed, so this search ends where the block does
                while not closing[places[at]].startswith(fence[1]):
                    at += 1
                found[i] = i = places[at]
        i += 1
    return found


def _closing_fence(line: str) -> str:
    """The fence in a line that may close a code block; empty text for any other line."""
    if "```" not in line and "~~~" not in line:
        return ""
    fence = line.strip(" \t>")
    return fence if fence == fence[0] * len(fence) else ""


def _longest_from(fences: list[str]) -> dict[str, list[int]]:
    """For each character of fences, how long the longest fence is from each place on; 0 after the last."""
    found = {"`": [0], "~": [0]}
    for fence in reversed(fences):
        for character, lengths in found.items():
            lengths.append(max(lengths[-1], len(fence) if fence[0] == character else 0))
    return {character: lengths[::-1] for character, lengths in found.items()}


def code_spans(text: str, label: re.Pattern[str] | None = None) -> list[tuple[int, int]]:
    """The spans (start, end) of a text's fenced code blocks, with their fences; one may begin after a `label`."""
    if "```" not in text and "~~~" not in text:
        return []
    spans = list(_line_spans(text, 0))
    lines = [text[first:last] for first, last in spans]
    code = _code_blocks([label.sub("", line, 1) if label and label.match(line) else line for line in lines])
    return [(spans[first][0], spans[last][1]) for first, last in code.items()]


def lines_and_code(text: str, label: re.Pattern[str] | None = None) -> Iterator[tuple[str, bool]]:
    """The lines of a text; a code block is one, and is marked as such. A speaker's `label` before it belongs to it."""
    at = 0
    for first, last in code_spans(text, label):
        yield from ((line, False) for line in text[at:first].split("\n")[:-1])
        yield text[first:last], True
        at = last + 1
    yield from ((line, False) for line in text[at:].split("\n"))


def without_code(text: str) -> str:
    """The text without its fenced code blocks."""
    if "```" not in text and "~~~" not in text:
        return text
    lines = text.split("\n")
    code, kept, i = _code_blocks(lines), [], 0
    while i < len(lines):
        kept.append("" if i in code else lines[i])
        i = code.get(i, i) + 1
    return "\n".join(kept)


# ------------------------------------------------------------------------------------------------- atoms and packing


class _Atom(NamedTuple):
    """A span that is not split further; `opens` is true if it begins with a heading."""

    start: int
    end: int
    headings: tuple[str, ...]
    opens: bool


def _atoms(text: str, start: int, max_tokens: int) -> Iterator[_Atom]:
    if max_tokens < 1:
        raise ValueError(f"max_tokens must be 1 or more, not {max_tokens}")
    path: list[tuple[int, str]] = []
    titles: tuple[str, ...] = ()
    waiting: tuple[int, int] | None = None  # span of headings without text below them so far
    for block in _blocks(text, start):
        if block.level:
            if waiting and est_tokens(text[waiting[0] : block.end]) > max_tokens:
                yield _Atom(*waiting, titles, opens=True)
                waiting = None
            waiting = (waiting[0] if waiting else block.start, block.end)
            path = [*(above for above in path if above[0] < block.level), (block.level, block.title)]
            titles = tuple(title for _, title in path if title)
            continue
        for first, last in _pieces(text, block, max_tokens):
            yield _Atom(waiting[0] if waiting else first, last, titles, opens=waiting is not None)
            waiting = None
    if waiting:
        yield _Atom(*waiting, titles, opens=True)


def _pieces(text: str, block: _Block, max_tokens: int) -> Iterator[tuple[int, int]]:
    """The block in pieces of at most `max_tokens`: the block, its list items, their sentences, or runs of words."""
    most = max(max_tokens, LONGEST_CODE) if block.code else max_tokens
    if est_tokens(text[block.start : block.end]) <= most:
        yield block.start, block.end
        return
    for first, last in _items(text, block.start, block.end):
        if est_tokens(text[first:last]) <= max_tokens:
            yield first, last
            continue
        for a, b in sentences(text[first:last]):
            yield from _word_runs(text, first + a, first + b, max_tokens)


def _items(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    for match in _ITEM.finditer(text, start + 1, end):
        yield first, match.start()
        first = match.start()
    yield first, end


def _word_runs(text: str, start: int, end: int, max_tokens: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = min(end, start + 4 * max_tokens)
        while (tokens := est_tokens(text[start:stop])) > max_tokens:
            stop = start + max(1, (stop - start) * max_tokens // tokens)
        if stop < end:
            stop = _last_blank(text, (start + stop) // 2, stop) or stop
        yield start, stop
        start = stop


def _last_blank(text: str, start: int, stop: int) -> int | None:
    return next((i for i in range(stop - 1, start, -1) if text[i].isspace()), None)


def _packed(text: str, atoms: Iterable[_Atom], max_tokens: int, *, by_heading: bool) -> Iterator[Passage]:
    """Passages of neighbouring atoms, joined as long as they fit."""
    held: _Atom | None = None
    for atom in atoms:
        if not text[atom.start : atom.end].strip():
            continue
        alone = held is None or (by_heading and atom.opens)
        if not alone and held and _fits(text, held.start, atom.end, max_tokens):
            held = _Atom(held.start, atom.end, held.headings, held.opens)
            continue
        if held:
            yield _trimmed(text, held)
        held = atom
    if held:
        yield _trimmed(text, held)


def _fits(text: str, start: int, end: int, max_tokens: int) -> bool:
    return end - start <= max_tokens or (end - start <= 4 * max_tokens and est_tokens(text[start:end]) <= max_tokens)


def _trimmed(text: str, atom: _Atom) -> Passage:
    """The atom as a passage without white space around it; the first line keeps its indentation."""
    piece = text[atom.start : atom.end]
    before = len(piece) - len(piece.lstrip())
    line = piece.rfind("\n", 0, before) + 1
    return Passage(atom.start + line, atom.start + len(piece.rstrip()), atom.headings)
