"""Extractive digest for search: the sentences with the rarest words, and notes of the other sentences.

A digest replaces texts and must still be found by recall. Recall finds texts by rare terms, and a question may contain
any word. So the first part of the budget is for complete sentences. They are chosen by the greedy rule for maximum
coverage within a budget (Khuller, Moss and Naor 1999), which prefers rare terms that no chosen sentence has:

    gain(sentence) = weight x sum of rarity(term) over its terms that no chosen sentence has / size

Of the other sentences the digest keeps notes: their names, titles and other phrases (phrases.py). The rarest come
first while there is room; a phrase counts less if it was used before. Each stays in its place and after its speaker:
`Rosa: client, never satisfied…`. Room that is then left turns notes back into complete sentences. docs/life.md measures
this against complete sentences alone, and against sentences by centrality, which a reader would choose.
"""

from __future__ import annotations

import re
from bisect import bisect, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from memkit.text.chunking import lines_and_code
from memkit.text.greedy import by_gain
from memkit.text.phrases import DENIED, Phrase, phrases
from memkit.text.words import quarter_tokens, sentences

WHOLE_SHARE = 1 / 3  # share of the budget for complete sentences; the notes of the others come next
EACH = 12  # quarters of a token added to the size of each sentence, so that greetings are not chosen
AGAIN = 0.5  # the worth of a phrase in notes is multiplied by this for each earlier use
MORE = "…"  # ends notes: the sentence had more words
LEFT_OUT = ", "  # separates phrases that were not neighbours, so that they are not read together

_BEGINNING = re.compile(r"[ \t]*(?:[-*+•]|\d+[.)])[ \t]+(?=\S)|[ \t]+(?=\S)|[^\s:][^:\n]{0,40}: ")

Rarity = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence or notes of it, with its text and line (numbers from 0), and what the line begins with.

    That is its speaker (`Rosa: `), or its indentation and the mark of a list. A code block is one piece, `apart` says
    whether an empty line is before it.
    """

    text: int
    line: int
    speaker: str
    words: str
    code: bool = False
    apart: bool = False


def digest(texts: Sequence[str], budget: int, rarity: Rarity, *, weights: Sequence[float] | None = None) -> list[Piece]:
    """The digest of these texts as pieces in order; `written` as text they have at most `budget` tokens.

    `rarity` gives the rarity of a term (of `compress.terms`); `weights` are the weights of the texts. If everything
    fits, everything is kept. Raises ValueError for a budget below 0.
    """
    if budget < 0:
        raise ValueError(f"The budget of a digest must be 0 or more, not {budget}.")
    found = list(_pieces(texts))
    if quarter_tokens(written(found)) <= 4 * budget:
        return found
    draft = _Draft(found, 4 * budget, rarity, [1.0] * len(texts) if weights is None else weights)
    draft.write_rare()
    draft.take_notes()
    draft.make_whole()
    return list(draft.pieces())


def written(pieces: Iterable[Piece]) -> str:
    """Pieces as text: one line for each original line, with its speaker, and the empty lines between them."""
    lines: list[str] = []
    last = None
    for (text, _, speaker), line in groupby(pieces, key=lambda one: (one.text, one.line, one.speaker)):
        told = list(line)
        lines += [""] if told[0].apart and last == text else []
        lines.append(speaker + " ".join(one.words for one in told))
        last = text
    return "\n".join(lines)


def _pieces(texts: Sequence[str]) -> Iterator[Piece]:
    """The sentences and code blocks of the texts."""
    for number, text in enumerate(texts):
        apart = False
        for place, (line, code) in enumerate(lines_and_code(text)):
            label = "" if code or not (match := _BEGINNING.match(line)) else match[0]
            body = line[len(label) :]
            for start, end in [(0, len(body))] if code else sentences(body):
                yield Piece(number, place, label, body[start:end], code, apart)
            apart = not line.strip()


def _notes(found: Sequence[Phrase], places: Sequence[int]) -> str:
    """The phrases of a sentence at these places, as notes."""
    between = [_gap(before, after) for before, after in pairwise(places)]
    return "".join(found[place].words + gap for place, gap in zip(places, [*between, MORE], strict=True))


def _gap(before: int, after: int) -> str:
    """The separator between two phrases of a sentence, by their places."""
    return " " if after == before + 1 else LEFT_OUT


def _gaps(places: Sequence[int]) -> int:
    """The cost of the separators between these phrases, in quarters of a token."""
    return sum(len(_gap(before, after)) for before, after in pairwise(places))


class _Draft:
    """A digest while it is written: its complete sentences, its notes, and the room left (in quarters of a token)."""

    def __init__(self, found: Sequence[Piece], room: int, rarity: Rarity, weights: Sequence[float]):
        self.found, self.room = found, room
        self.weights = [weights[one.text] for one in found]
        said = [phrases(one.words) for one in found]
        self.terms = [frozenset[str]().union(*(each.terms for each in own)) for own in said]
        self.phrases = [[] if one.code else own for one, own in zip(found, said, strict=True)]  # no notes of code
        self._rarity = rarity
        self.whole: set[int] = set()
        self.notes: dict[int, list[int]] = defaultdict(list)  # by sentence, the places of phrases, in order
        self.noted: dict[int, int] = defaultdict(int)  # the cost of these notes
        self.lines: set[tuple[int, int]] = set()

    # -------------------------------------------------------------------------------------- what to write

    def write_rare(self) -> None:
        """Adds complete sentences with the most new rare terms, up to their share of the room."""
        least = self.room * (1 - WHOLE_SHARE)
        said: set[str] = set()

        def gain(i: int) -> float:
            return self.weights[i] * self.worth(self.terms[i] - said) / (quarter_tokens(self.found[i].words) + EACH)

        for i, gained in by_gain(range(len(self.found)), gain):
            if gained <= 0 or self.room - self.cost(i) < least:
                break  # a shorter sentence with a smaller gain is better kept as notes, or left out
            self.write(i)
            said |= self.terms[i]

    def take_notes(self) -> None:
        """Adds the rarest phrases of the other sentences as notes; terms that were used before count less."""
        said = Counter(term for i in self.whole for term in self.terms[i])
        news: list[tuple[float, int, int]] = []
        for i in range(len(self.found)):
            for place, each in enumerate(self.phrases[i] if i not in self.whole else ()):
                worth = max((self.rarity(term) * AGAIN ** said[term] for term in each.terms), default=0.0)
                news.append((-self.weights[i] * worth, i, place))
                said.update(each.terms)
        for worth, i, place in sorted(news):
            if worth < 0 and (cost := self.note_cost(i, place)) + self.opening(i) <= self.room:
                self.room -= cost + self.opening(i)
                self.lines.add(self.line(i))
                insort(self.notes[i], place)
                self.noted[i] += cost

    def make_whole(self) -> None:
        """Replaces notes by complete sentences while they fit, the best worth for the extra cost first."""
        left = [i for i in range(len(self.found)) if i not in self.whole]
        gains = {i: self.weights[i] * self.worth(self.terms[i]) / (max(self.cost(i), 0) + EACH) for i in left}
        for i in sorted(left, key=lambda i: (-gains[i], i)):
            if gains[i] > 0 and self.cost(i) <= self.room:
                self.write(i)

    def pieces(self) -> Iterator[Piece]:
        """The sentences and notes of the digest, in order."""
        for i, one in enumerate(self.found):
            if i in self.whole:
                yield one
            elif places := self.notes.get(i):
                yield replace(one, words=_notes(self.phrases[i], places))

    # -------------------------------------------------------------------------------------- worth

    def rarity(self, term: str) -> float:
        """The rarity of a term, negated or not."""
        return self._rarity(term.removeprefix(DENIED))

    def worth(self, said: frozenset[str]) -> float:
        """The sum of these terms' rarities."""
        return sum(map(self.rarity, sorted(said)))

    # -------------------------------------------------------------------------------------- cost

    def line(self, i: int) -> tuple[int, int]:
        """The text and line number of a sentence."""
        return self.found[i].text, self.found[i].line

    def opening(self, i: int) -> int:
        """The cost of how the line begins, if the digest has nothing of the sentence's line yet; else 0."""
        return 0 if self.line(i) in self.lines else quarter_tokens(self.found[i].speaker) + self.found[i].apart

    def cost(self, i: int) -> int:
        """The extra cost of a complete sentence, in quarters of a token; its space or line end costs 1."""
        return quarter_tokens(self.found[i].words) + 1 + self.opening(i) - self.noted[i]

    def note_cost(self, i: int, place: int) -> int:
        """The extra cost of adding this phrase to the notes of its sentence, in quarters of a token."""
        there = self.notes[i]
        at = bisect(there, place)
        near = there[max(at - 1, 0) : at + 1]
        gaps = _gaps(sorted([*near, place])) - _gaps(near)
        return quarter_tokens(self.phrases[i][place].words) + gaps + (0 if there else quarter_tokens(MORE) + 1)

    def write(self, i: int) -> None:
        """Adds a complete sentence and removes its notes."""
        self.room -= self.cost(i)
        self.lines.add(self.line(i))
        self.notes.pop(i, None)
        self.noted.pop(i, None)
        self.whole.add(i)
