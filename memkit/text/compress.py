"""Extractive compression for a question: the most relevant sentences of a text, each whole, without a model."""

from __future__ import annotations

from bisect import bisect, insort
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import log

from memkit.core.patterns import pattern
from memkit.text.statements import Statement, joined, statements
from memkit.text.words import CJK_CLASS, content_words, est_tokens, is_question, quarter_tokens

GAP = " … "

_TERM = pattern(rf"({CJK_CLASS}+)|((?:(?!{CJK_CLASS})[^\W_])+)")
_SUFFIX = pattern(r"(?:ing|ed|es|s|e)$")
_DOUBLED = pattern(r"([^\W\d_])\1$")


def compress(text: str, question: str, budget: int, speakers: Collection[str] = ()) -> str:
    """The sentences of a text that share most terms with the question, in order, in at most `budget` est_tokens.

    Terms that are rare in the text count more; a question that only repeats the terms counts nothing. Gaps are shown as
    ` … `. A sentence is whole or not there, and one whose line begins with one of `speakers` keeps that name. If no
    sentence shares a term, the first sentences are returned; if none fits, the result is empty. A line of code that
    opens a block, such as `create table users (`, comes with as many lines of the block as fit.
    """
    if est_tokens(text) <= budget:
        return text
    found = _code_by_line(statements(text, speakers))
    kept: list[int] = []
    opened: set[int] = set()
    room = 4 * budget
    for wanted in _by_relevance(found, terms(question)):
        for i in _with_its_block(found, wanted):
            if i in kept:
                continue
            one = found[i]
            label = "" if one.turn in opened else one.speaker
            cost = quarter_tokens(label + one.mark + one.words) + _gaps_added(kept, i)
            if cost > room:
                break
            room -= cost
            insort(kept, i)
            opened.add(one.turn)
    return _joined(found, kept)


def _with_its_block(found: Sequence[Statement], at: int) -> Iterator[int]:
    """The place of a sentence, and if it is a line of code, those of the lines below that are indented further."""
    yield at
    head = found[at]
    for i in range(at + 1, len(found)):
        if not (head.code and found[i].code) or _indent(found[i]) <= _indent(head):
            return
        yield i


def _indent(line: Statement) -> int:
    return len(line.words) - len(line.words.lstrip())


def _code_by_line(found: Iterable[Statement]) -> list[Statement]:
    """The statements, in which each line of a code block is one, because a block is often longer than any budget."""
    out: list[Statement] = []
    shift = 0
    for one in found:
        lines = one.words.splitlines() if one.code else [one.words]
        for n, line in enumerate(lines):
            shift += n > 0
            if line.strip():
                out.append(replace(one, words=line, line=one.line + shift, place=len(out), apart=one.apart and n == 0))
    return out


def _by_relevance(found: Sequence[Statement], asked: set[str]) -> list[int]:
    """The places of the sentences that share a term with the question, most relevant first; all if none does."""
    said = [terms(one.words) for one in found]
    telling = [i for i, one in enumerate(found) if not (is_question(one.words) and said[i] <= asked)]
    count = Counter(term for i in telling for term in said[i] & asked)
    scores = {i: sum(log(1 + len(found) / count[term]) for term in sorted(said[i] & asked)) for i in telling}
    order = sorted(telling, key=lambda i: -scores[i])
    return [i for i in order if scores[i] or not count]


def _gaps_added(kept: list[int], i: int) -> int:
    """What stands more between sentences if this one is added, in quarters of a token."""
    at = bisect(kept, i)
    before, after = kept[max(at - 1, 0) : at], kept[at : at + 1]

    def gaps(places: list[int]) -> int:
        return sum(2 if one + 1 == other else len(GAP) + 1 for one, other in pairwise(places))

    return gaps([*before, i, *after]) - gaps([*before, *after])


def _joined(found: Sequence[Statement], kept: Sequence[int]) -> str:
    """The sentences at these places as text: in their lines, with their speakers, and with the gaps between them."""
    text = ""
    before: Statement | None = None
    for i in kept:
        one = found[i]
        opening = ("" if before and before.turn == one.turn else one.speaker) + one.mark
        if before is None:
            text = opening + one.words
        elif before.place + 1 < one.place:
            text += GAP + one.words if before.line == one.line else f"{GAP.rstrip()}\n{opening}{one.words}"
        elif before.line == one.line:
            text = joined([text, one.words])
        else:
            text += ("\n\n" if one.apart else "\n") + opening + one.words
        before = one
    return text


def terms(text: str) -> set[str]:
    """The terms of a text for relevance: stems of its content words, and pairs of CJK characters."""
    found = set[str]()
    for word in content_words(text):
        if word.isascii():  # as `_terms`, whose pattern takes 3 ms to compile
            found.add(_stem(word))
        else:
            found.update(term for term, _ in _terms(word))
    return found


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
