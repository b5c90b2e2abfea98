"""A shorter text that is found by the questions that found the longer one: its best sentences, and notes of the others.

What recall looks for is what few other texts have, and any word may be asked for. So a first part of the room is for
sentences word for word, the one first that has most rarity that no sentence before it has, for its length (the greedy
rule for maximum coverage within a budget; Khuller, Moss and Naor 1999):

    gain(sentence) = weight x sum of rarity(term) over its terms that nothing taken has / size

Of the others it keeps notes: their names, titles and other phrases (phrases.py), the rarest first while there is room,
those less that were said before, each in its place and after who says it, `Rosa: client, never satisfied…`. What room
is left then makes sentences whole again. Measured in docs/life.md against sentences by centrality, which a reader would
choose, and sentences alone.
"""

from __future__ import annotations

import re
from bisect import bisect, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import groupby, pairwise

from memkit.phrases import DENIED, Phrase, phrases
from memkit.text import quarter_tokens, sentences

WHOLE_SHARE = 1 / 3  # of the room, for sentences word for word; the notes of the others come next
EACH = 12  # quarters of a token that a sentence costs beside its words: greetings are not worth it
AGAIN = 0.5  # what a phrase is worth in notes, for each time that it was said before
MORE = "…"  # how notes end: the sentence said more
LEFT_OUT = ", "  # between phrases that had others between them: they say nothing together

_SPEAKER = re.compile(r"[^\s:][^:\n]{0,40}: ")

Rarity = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, or notes of it: of which text and line (from 0), who says it (`Rosa: `, or nothing), its words."""

    text: int
    line: int
    speaker: str
    words: str


def digest(texts: Sequence[str], budget: int, rarity: Rarity, *, weights: Sequence[float] | None = None) -> list[Piece]:
    """What to keep of these texts, in order: `written` it has at most `budget` tokens.

    `rarity` says how much a term (as `compress.terms` gives it) tells texts apart; `weights` how much each text counts.
    With room for everything everything is taken. Raises ValueError for a budget below 0.
    """
    if budget < 0:
        raise ValueError(f"The budget of a digest is 0 or more, not {budget}.")
    found = list(_pieces(texts))
    if quarter_tokens(written(found)) <= 4 * budget:
        return found
    draft = _Draft(found, 4 * budget, rarity, [1.0] * len(texts) if weights is None else weights)
    draft.write_rare()
    draft.take_notes()
    draft.make_whole()
    return list(draft.pieces())


def written(pieces: Iterable[Piece]) -> str:
    """Pieces as text, each line of the original on a line, with who says it."""
    lines = groupby(pieces, key=lambda one: (one.text, one.line, one.speaker))
    return "\n".join(speaker + " ".join(one.words for one in line) for (_, _, speaker), line in lines)


def _pieces(texts: Sequence[str]) -> Iterator[Piece]:
    """The sentences of the texts."""
    for number, text in enumerate(texts):
        for place, line in enumerate(text.split("\n")):
            label = match[0] if (match := _SPEAKER.match(line)) else ""
            body = line[len(label) :]
            for start, end in sentences(body):
                yield Piece(number, place, label, body[start:end])


def _notes(found: Sequence[Phrase], places: Sequence[int]) -> str:
    """Some of a sentence's phrases as notes, in order."""
    between = [_gap(before, after) for before, after in pairwise(places)]
    return "".join(found[place].words + gap for place, gap in zip(places, [*between, MORE], strict=True))


def _gap(before: int, after: int) -> str:
    """What stands between two phrases of a sentence, by their places."""
    return " " if after == before + 1 else LEFT_OUT


def _gaps(places: Sequence[int]) -> int:
    """What is between these phrases, in quarters of a token."""
    return sum(len(_gap(before, after)) for before, after in pairwise(places))


class _Draft:
    """A digest while it is written: which sentences it has whole, of which it has notes, and the room that is left."""

    def __init__(self, found: Sequence[Piece], room: int, rarity: Rarity, weights: Sequence[float]):
        self.found, self.room = found, room
        self.weights = [weights[one.text] for one in found]
        self.phrases = [phrases(one.words) for one in found]
        self.terms = [frozenset[str]().union(*(each.terms for each in own)) for own in self.phrases]
        self._rarity = rarity
        self.whole: set[int] = set()
        self.notes: dict[int, list[int]] = defaultdict(list)  # by sentence, the places of phrases, in order
        self.noted: dict[int, int] = defaultdict(int)  # what they cost
        self.lines: set[tuple[int, int]] = set()

    # -------------------------------------------------------------------------------------- what to write

    def write_rare(self) -> None:
        """Sentences that say much that is rare, each beside those before it, up to their share of the room."""
        least = self.room * (1 - WHOLE_SHARE)
        said: set[str] = set()

        def gain(i: int) -> float:
            return self.weights[i] * self.worth(self.terms[i] - said) / (quarter_tokens(self.found[i].words) + EACH)

        # No gain ever grows, so one that is still the greatest when it is computed anew is the greatest of all.
        waiting = [(-gain(i), i) for i in range(len(self.found))]
        heapify(waiting)
        while waiting:
            before, i = heappop(waiting)
            now = gain(i)
            if now < -before:
                heappush(waiting, (-now, i))
            elif now <= 0 or self.room - self.cost(i) < least:
                break  # a shorter one that says less is better noted, or left out
            else:
                self.write(i)
                said |= self.terms[i]

    def take_notes(self) -> None:
        """Of the other sentences the rarest phrases: what was said before them tells less once more."""
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
        """Sentences instead of notes, as many as fit: those first that say most for what they cost more."""
        left = [i for i in range(len(self.found)) if i not in self.whole]
        gains = {i: self.weights[i] * self.worth(self.terms[i]) / (max(self.cost(i), 0) + EACH) for i in left}
        for i in sorted(left, key=lambda i: (-gains[i], i)):
            if gains[i] > 0 and self.cost(i) <= self.room:
                self.write(i)

    def pieces(self) -> Iterator[Piece]:
        """What is written, in order."""
        for i, one in enumerate(self.found):
            if i in self.whole:
                yield one
            elif places := self.notes.get(i):
                yield Piece(one.text, one.line, one.speaker, _notes(self.phrases[i], places))

    # -------------------------------------------------------------------------------------- what it is worth

    def rarity(self, term: str) -> float:
        """How much a term tells, denied or not."""
        return self._rarity(term.removeprefix(DENIED))

    def worth(self, said: frozenset[str]) -> float:
        """How much these terms tell together."""
        return sum(map(self.rarity, sorted(said)))

    # -------------------------------------------------------------------------------------- what it costs

    def line(self, i: int) -> tuple[int, int]:
        """The line that a sentence stands in."""
        return self.found[i].text, self.found[i].line

    def opening(self, i: int) -> int:
        """What it costs that nothing of the sentence's line is there yet: who says it."""
        return 0 if self.line(i) in self.lines else quarter_tokens(self.found[i].speaker)

    def cost(self, i: int) -> int:
        """What it costs more, in quarters of a token, to have a sentence whole: blanks and line ends are 1 each."""
        return quarter_tokens(self.found[i].words) + 1 + self.opening(i) - self.noted[i]

    def note_cost(self, i: int, place: int) -> int:
        """And to have this phrase among the notes of its sentence."""
        there = self.notes[i]
        at = bisect(there, place)
        near = there[max(at - 1, 0) : at + 1]
        gaps = _gaps(sorted([*near, place])) - _gaps(near)
        return quarter_tokens(self.phrases[i][place].words) + gaps + (0 if there else quarter_tokens(MORE) + 1)

    def write(self, i: int) -> None:
        """Has a sentence whole."""
        self.room -= self.cost(i)
        self.lines.add(self.line(i))
        self.notes.pop(i, None)
        self.noted.pop(i, None)
        self.whole.add(i)
