"""Extractive summarisation (LexRank centrality, novelty): a few sentences that represent many texts.

The gain of a sentence grows with its similarity to the others and with its content, and shrinks with its similarity to
sentences that are already chosen or known:

    centrality(i) = sum over all sentences j of cos(i, j)                  cosines of tf-idf vectors
    telling(i)    = min(1, terms(i) / 8), x 1.5 with a name or a number, x 1.5 in the first person, x .5 for a question
    novelty(i)    = 1 - max over chosen or known sentences j of cos(i, j)
    gain(i)       = weight(text of i) * sqrt(centrality(i)) * telling(i) * novelty(i)

The centrality is the stationary distribution of LexRank's random walk (Erkan and Radev, 2004) without jumps and without
a similarity threshold: on a symmetric matrix, that is the sum of each row. So the matrix is never built, and the cost
grows with the number of words, not with the square of the number of sentences. The novelty is the penalty of maximal
marginal relevance (Carbonell and Goldstein, 1998), as a factor. In conversations the most central sentences are
greetings and thanks: the square root and the factor `telling` reduce their gain (measured in docs/life.md).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt

from memkit.text.chunking import parts
from memkit.text.compress import compress, terms
from memkit.text.greedy import by_gain
from memkit.text.words import STOP_WORDS, est_tokens, is_question, sentences, words

LONGEST = 120  # tokens of a sentence; a longer one (a list, a log) is split into parts
FULL = 8  # more terms than this do not raise the gain of a sentence
FEWEST_TERMS = 3  # a sentence with fewer terms ("Thanks!", "See you then.") has no content of its own
SAID = 0.85  # two sentences with this cosine or more say the same (Construct's own figure)
QUESTION = 0.5  # factor for questions: they tell less than statements
CONCRETE = PERSONAL = 1.5  # factors for names or numbers, and for the first person: they tell more

_CONCRETE = re.compile(r"(?<=[^\W\d_A-Z][ ,])[A-Z][a-z]|(?<=, )[A-Z][a-z]|\d")  # a capital inside a sentence
_PERSONAL = re.compile(r"\b(?:I|[Mm]y|[Mm]e|[Ww]e|[Oo]ur)\b|[我私僕]")

Vector = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence: the number of its text (from 0), its place there (in characters), its words and its gain."""

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
    cost: Callable[[ScoredSentence], int] | None = None,
    whole: bool = False,
) -> list[ScoredSentence]:
    """The sentences that best represent these texts in at most `budget` tokens, in the order of the texts.

    `weights` are the weights of the texts (default 1). `cost` gives the tokens of a sentence (default: est_tokens of
    its words, plus 1). If all sentences fit, all are returned. A sentence that does not fit is skipped; if none fits,
    the best one is shortened. If `known` is given (even an empty list), only sentences are returned that have content
    and that no known text says; there may be none. With `whole`, each text is one sentence. Scripts without spaces are
    compared by character pairs. Raises ValueError for a budget below 0, or if there are not as many weights as texts.
    """
    if budget < 0:
        raise ValueError(f"The budget of a summary must be 0 or more, not {budget}.")
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


def split(number: int, text: str) -> list[ScoredSentence]:
    """The sentences of a text (its number is `number`); one of more than LONGEST tokens is split into parts."""
    found = []
    for start, end in sentences(text):
        at = start
        for part in parts(text[start:end], LONGEST):
            at = text.index(part, at)
            found.append(ScoredSentence(number, at, at + len(part), part))
            at += len(part)
    return found


def _uncut(number: int, text: str) -> list[ScoredSentence]:
    return [ScoredSentence(number, 0, len(text), text)] if text.strip() else []


def _tokens(sentence: ScoredSentence) -> int:
    return est_tokens(sentence.words) + 1  # and the space or line end after it


# ---------------------------------------------------------------------------------------------- similarity


def vectors(texts: Sequence[str]) -> list[Vector]:
    """The tf-idf vector of each text, of length 1 (`idf = log(1 + n / df)`); empty for function words only."""
    held = [sorted(terms(text)) if _says_anything(text) else [] for text in texts]
    count = Counter(term for one in held for term in one)
    out: list[Vector] = []
    for one in held:
        weights = {term: log(1 + len(texts) / count[term]) for term in one}
        length = sqrt(sum(weight * weight for weight in weights.values()))
        out.append({term: weight / length for term, weight in weights.items()})
    return out


def _says_anything(text: str) -> bool:
    """Whether the text has a word that is not a function word ("How are you?" has none)."""
    return any(word not in STOP_WORDS for word in words(text))


def centrality(rows: Sequence[Vector]) -> list[float]:
    """The sum of each row's cosines with all rows (including itself): the row times the sum of the rows."""
    total: dict[str, float] = defaultdict(float)
    for row in rows:
        for term, weight in row.items():
            total[term] += weight
    return [sum(weight * total[term] for term, weight in row.items()) for row in rows]


# ---------------------------------------------------------------------------------------------- choosing


def _greedy(
    found: Sequence[ScoredSentence],
    scale: Sequence[float],
    known: Sequence[str],
    budget: int,
    price: Callable[[ScoredSentence], int],
) -> list[ScoredSentence]:
    """The sentence with the largest gain, then the largest gain given that one, and so on while they fit."""
    rows = vectors([*(one.words for one in found), *known])
    rows, said = rows[: len(found)], rows[len(found) :]
    worth = _worth(found, rows, scale)
    novelty = _Novelty(rows)
    for row in said:
        novelty.say(row)
    telling = [i for i, row in enumerate(rows) if len(row) >= FEWEST_TERMS]
    taken: list[ScoredSentence] = []
    for i, gain in by_gain(telling, lambda i: worth[i] * novelty[i]):
        if novelty[i] > 1 - SAID and (tokens := price(found[i])) <= budget:
            budget -= tokens
            taken.append(replace(found[i], gain=gain))
            novelty.say(rows[i])
    return taken


def _worth(found: Sequence[ScoredSentence], rows: Sequence[Vector], scale: Sequence[float]) -> list[float]:
    """The gain of each sentence with a novelty of 1."""
    central = centrality(rows)
    return [
        weight * sqrt(value) * min(1.0, len(row) / FULL) * _telling(one.words)
        for weight, value, row, one in zip(scale, central, rows, found, strict=True)
    ]


def _telling(words: str) -> float:
    """The factor for names, numbers, the first person and questions in a sentence."""
    return (
        (CONCRETE if _CONCRETE.search(words) else 1.0)
        * (PERSONAL if _PERSONAL.search(words) else 1.0)
        * (QUESTION if is_question(words) else 1.0)
    )


class _Novelty:
    """The novelty of each row: 1 minus its largest cosine with any row that was said so far."""

    def __init__(self, rows: Sequence[Vector]):
        self._likeness = [0.0] * len(rows)
        self._holders: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for i, row in enumerate(rows):
            for term, weight in row.items():
                self._holders[term].append((i, weight))

    def __getitem__(self, i: int) -> float:
        return 1 - self._likeness[i]

    def say(self, row: Vector) -> None:
        """Records that this row was said."""
        cosines: dict[int, float] = defaultdict(float)
        for term, weight in row.items():
            for i, own in self._holders.get(term, ()):
                cosines[i] += weight * own
        for i, cosine in cosines.items():
            self._likeness[i] = max(self._likeness[i], min(1.0, cosine))


def _shortened(
    found: Sequence[ScoredSentence], scale: Sequence[float], budget: int, price: Callable[[ScoredSentence], int]
) -> list[ScoredSentence]:
    """The best sentence, shortened to the budget; an empty list if no word is left."""
    worth = _worth(found, vectors([one.words for one in found]), scale)
    best = found[max(range(len(found)), key=lambda i: (worth[i], -i))]
    around = price(best) - est_tokens(best.words)
    short = compress(best.words, "", max(0, budget - around)).strip()
    return [replace(best, words=short, gain=max(worth))] if short else []
