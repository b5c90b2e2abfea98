"""A few sentences of many texts that say most of them, word for word, without a model.

A sentence counts for what it shares with the others and for how much it says, as far as nothing taken before says it:

    centrality(i) = sum over all sentences j of cos(i, j)                  cosines of tf-idf vectors
    telling(i)    = min(1, terms(i) / 8), x 1.5 with a name or a number, x 1.5 in the first person, x .5 for a question
    novelty(i)    = 1 - max over sentences j taken or known of cos(i, j)
    gain(i)       = weight(text of i) * sqrt(centrality(i)) * telling(i) * novelty(i)

The centrality is where the random walk of LexRank (Erkan and Radev, 2004) comes to rest if it never jumps and no
likeness is cut off: on a symmetric matrix that is each row's sum. So the matrix is never written down, and the cost
grows with the words, not with the square of the sentences. The novelty is the penalty of maximal marginal relevance
(Carbonell and Goldstein, 1998), as a factor. In conversations what is most central is greetings and thanks; the root is
there because of that, and what a sentence tells (measured: docs/life.md).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from math import log, sqrt

from memkit.compress import compress, terms
from memkit.passages import parts
from memkit.text import STOP_WORDS, est_tokens, sentences, words

LONGEST = 120  # tokens of what counts as one sentence; a longer one (a list, a log) is taken in parts
FULL = 8  # terms from which on a sentence is not fuller for having more
FEWEST_TERMS = 3  # a sentence of fewer ("Thanks!", "See you then.") says nothing by itself
SAID = 0.85  # the cosine from which on two sentences say the same (Construct's own figure)
QUESTION = 0.5  # what is asked is worth less than what is said
CONCRETE = PERSONAL = 1.5  # what names or counts something, and what somebody says of themselves, is worth more

_CONCRETE = re.compile(r"(?<=[^\W\d_A-Z][ ,])[A-Z][a-z]|(?<=, )[A-Z][a-z]|\d")  # a capital inside a sentence
_PERSONAL = re.compile(r"\b(?:I|[Mm]y|[Mm]e|[Ww]e|[Oo]ur)\b|[我私僕]")

Vector = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of one of the texts: which (from 0), where in it (characters), its words, and what it gained."""

    text: int
    start: int
    end: int
    words: str
    gain: float = 0.0


def summarize(
    texts: Sequence[str],
    budget: int,
    *,
    weights: Sequence[float] | None = None,
    known: Sequence[str] | None = None,
    cost: Callable[[Sentence], int] | None = None,
    whole: bool = False,
) -> list[Sentence]:
    """The sentences that say most of these texts in at most `budget` tokens, in the texts' order.

    `weights` say how much each text counts (1 if not given). `cost` gives the tokens that a sentence takes (est_tokens
    of its words if not given). With room for all of them all are taken. A sentence too long for what is left is passed
    over; where none fits at all, the best one is shortened. With `known` texts (or an empty list) only news are taken:
    what none of them says and what says anything at all, and that may be nothing. With `whole` each text is one
    sentence. Scripts without spaces are read by pairs of characters. Raises ValueError for a budget below 0 and for
    weights that are not as many as the texts.
    """
    if budget < 0:
        raise ValueError(f"The budget of a summary is 0 or more, not {budget}.")
    if weights is not None and len(weights) != len(texts):
        raise ValueError(f"There are {len(texts)} texts, but {len(weights)} weights.")
    cut = _uncut if whole else split
    found = [one for number, text in enumerate(texts) for one in cut(number, text)]
    price = cost or _tokens
    if known is None and sum(map(price, found)) <= budget:
        return found
    scale = [1.0 if weights is None else weights[one.text] for one in found]
    taken = _greedy(found, scale, known or (), budget, price)
    if known is None and not taken and found and budget > 0:
        taken = _shortened(found, scale, budget, price)
    return sorted(taken, key=lambda one: (one.text, one.start))


def split(number: int, text: str) -> list[Sentence]:
    """The sentences of a text as values; one of more than LONGEST tokens in parts."""
    found = []
    for start, end in sentences(text):
        at = start
        for part in parts(text[start:end], LONGEST):
            at = text.index(part, at)
            found.append(Sentence(number, at, at + len(part), part))
            at += len(part)
    return found


def _uncut(number: int, text: str) -> list[Sentence]:
    return [Sentence(number, 0, len(text), text)] if text.strip() else []


def _tokens(sentence: Sentence) -> int:
    return est_tokens(sentence.words) + 1  # and the blank or the line's end after it


# ---------------------------------------------------------------------------------------------- likeness


def vectors(texts: Sequence[str]) -> list[Vector]:
    """The tf-idf vector of each text, of length 1: `idf = log(1 + n / df)` over these; empty if it says nothing."""
    held = [sorted(terms(text)) if _says_anything(text) else [] for text in texts]
    count = Counter(term for one in held for term in one)
    out: list[Vector] = []
    for one in held:
        weights = {term: log(1 + len(texts) / count[term]) for term in one}
        length = sqrt(sum(weight * weight for weight in weights.values()))
        out.append({term: weight / length for term, weight in weights.items()})
    return out


def _says_anything(text: str) -> bool:
    """Whether there is a word in it that is no function word: "How are you?" has none."""
    return any(word not in STOP_WORDS for word in words(text))


def centrality(rows: Sequence[Vector]) -> list[float]:
    """The sum of each row's cosines with all rows, itself among them: the row times the sum of the rows."""
    total: dict[str, float] = defaultdict(float)
    for row in rows:
        for term, weight in row.items():
            total[term] += weight
    return [sum(weight * total[term] for term, weight in row.items()) for row in rows]


# ---------------------------------------------------------------------------------------------- choosing


def _greedy(
    found: Sequence[Sentence],
    scale: Sequence[float],
    known: Sequence[str],
    budget: int,
    price: Callable[[Sentence], int],
) -> list[Sentence]:
    """The sentence that gains most, then the one that gains most beside it, as long as there is room."""
    rows = vectors([*(one.words for one in found), *known])
    rows, said = rows[: len(found)], rows[len(found) :]
    worth = _worth(found, rows, scale)
    novelty = _Novelty(rows)
    for row in said:
        novelty.say(row)
    # No gain ever grows, so one that is still the greatest when it is computed anew is the greatest of all.
    waiting = [(-worth[i] * novelty[i], i) for i, row in enumerate(rows) if len(row) >= FEWEST_TERMS]
    heapify(waiting)
    taken: list[Sentence] = []
    while waiting:
        before, i = heappop(waiting)
        gain = worth[i] * novelty[i]
        if novelty[i] <= 1 - SAID or (tokens := price(found[i])) > budget:
            continue
        if gain < -before:
            heappush(waiting, (-gain, i))
            continue
        budget -= tokens
        taken.append(replace(found[i], gain=gain))
        novelty.say(rows[i])
    return taken


def _worth(found: Sequence[Sentence], rows: Sequence[Vector], scale: Sequence[float]) -> list[float]:
    """What each sentence would gain if nothing had been said yet."""
    central = centrality(rows)
    return [
        weight * sqrt(value) * min(1.0, len(row) / FULL) * _telling(one.words)
        for weight, value, row, one in zip(scale, central, rows, found, strict=True)
    ]


def _telling(words: str) -> float:
    """How much more or less a sentence is worth for what it says something about."""
    return (
        (CONCRETE if _CONCRETE.search(words) else 1.0)
        * (PERSONAL if _PERSONAL.search(words) else 1.0)
        * (QUESTION if _is_question(words) else 1.0)
    )


def _is_question(words: str) -> bool:
    return words.rstrip("\"'”’)]」』").endswith(("?", "？"))


class _Novelty:
    """How much of each row has not been said: 1 less its greatest cosine with any row said so far."""

    def __init__(self, rows: Sequence[Vector]):
        self._likeness = [0.0] * len(rows)
        self._holders: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for i, row in enumerate(rows):
            for term, weight in row.items():
                self._holders[term].append((i, weight))

    def __getitem__(self, i: int) -> float:
        return 1 - self._likeness[i]

    def say(self, row: Vector) -> None:
        """Notes that this has been said."""
        cosines: dict[int, float] = defaultdict(float)
        for term, weight in row.items():
            for i, own in self._holders.get(term, ()):
                cosines[i] += weight * own
        for i, cosine in cosines.items():
            self._likeness[i] = max(self._likeness[i], min(1.0, cosine))


def _shortened(
    found: Sequence[Sentence], scale: Sequence[float], budget: int, price: Callable[[Sentence], int]
) -> list[Sentence]:
    """The most central sentence, cut to the budget; nothing where that leaves no word."""
    worth = _worth(found, vectors([one.words for one in found]), scale)
    best = found[max(range(len(found)), key=lambda i: (worth[i], -i))]
    around = price(best) - est_tokens(best.words)
    short = compress(best.words, "", max(0, budget - around)).strip()
    return [replace(best, words=short, gain=max(worth))] if short else []
