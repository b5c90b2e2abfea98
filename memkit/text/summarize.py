"""Extractive summarisation (maximum coverage within a budget): whole sentences that tell most of many texts.

Sentences are chosen one by one, by what each adds to those that are chosen, for its length (the greedy rule of Khuller,
Moss and Naor, 1999):

    gain(sentence) = weight x telling x sum of rarity(term) over its terms / (size + EACH)

The size is that of the sentence, and ALONG of that of the sentences which it brings along. A term that a chosen
sentence has counts AGAIN of its rarity. `telling` is the product of QUESTION for a question, ANSWER for what answers
the other's question ("Three times a week."), CONCRETE for a name or number, and PERSONAL for the first person or,
without it, COURTEOUS for `you`: in conversations people tell about themselves, and what they say of the other is
mostly courtesy. LOST is the factor for a pronoun whose noun no sentence near it has. Greetings, thanks, and a
sentence of one term ("Awesome!") without a number, name or negation are left out even if there is room; the name of a
speaker who is called ("Nice, Mel!") is none. The factors were found by what of the answers to questions is kept
(`bench/upkeep.py`, docs/life.md). No sentence is ever cut. One that says something only after another ("It was
delicious.", "Never.") comes with that, or not at all (`needed.py`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from math import log, sqrt

from memkit.text.compress import terms
from memkit.text.greedy import by_gain
from memkit.text.needed import Who, is_lost, needed
from memkit.text.replies import asks
from memkit.text.small_talk import is_small_talk
from memkit.text.statements import Statement, statements, telling
from memkit.text.words import is_question, quarter_tokens, says_anything

EACH = 40  # quarters of a token added to the size of each sentence, so that greetings are not chosen
ALONG = 0.3  # of the size of what a sentence brings along, which is added to its own
AGAIN = 0.5  # the worth of a term that a chosen sentence has
# A sentence with fewer terms is no news: less are enough with a name or number, or about the speaker ("I sold the
# house."), and more are needed of a cry ("Oh nice, how exciting!").
FEWEST_TERMS, FEWEST_TOLD, FEWEST_CRIED = 3, 2, 4
SAID = 0.85  # two sentences with this cosine or more say the same (Construct's own figure)
CALLED = 3  # letters by which a name is known where somebody is called: Mel, Melanie
QUESTION, ANSWER, CONCRETE, PERSONAL, COURTEOUS, LOST = 0.5, 2.0, 1.5, 2.5, 0.7, 0.1

_CONCRETE = re.compile(r"(?<=[^\W\d_A-Z][ ,])[A-Z][a-z]|(?<=, )[A-Z][a-z]|\d")  # a capital inside a sentence
_PERSONAL = re.compile(r"\b(?:I|[Mm]y|[Ww]e|[Oo]ur)\b|[我私僕]")
_COURTEOUS = re.compile(r"\b[Yy]ou(?:r|rs|rself)?\b|[你您]")

Rarity = Callable[[str], float]
Vector = Mapping[str, float]


def summarize(
    texts: Sequence[str],
    budget: int,
    *,
    weights: Sequence[float] | None = None,
    speakers: Sequence[Collection[str]] = (),
    labels: Sequence[str] = (),
    known: Sequence[str] | None = None,
    whole: bool = False,
    rarity: Rarity | None = None,
) -> list[Statement]:
    """The statements that tell most of these texts in at most `budget` tokens (estimated), in the order of the texts.

    `weights` are the weights of the texts (default 1), `speakers` the names that may begin the lines of each, `labels`
    what will stand before each (it is paid for). `rarity` gives the rarity of a term (of `compress.terms`; default: in
    these texts). If all statements fit, all are returned. One that does not fit is passed over; if none fits, the list
    is empty. If `known` is given (even an empty list), only news is returned: statements that have content and that no
    known text says; there may be none. With `whole`, each text is one statement. Raises ValueError for a budget below
    0, or if there are not as many weights as texts.
    """
    if budget < 0:
        raise ValueError(f"The budget of a summary must be 0 or more, not {budget}.")
    if weights is not None and len(weights) != len(texts):
        raise ValueError(f"There are {len(texts)} texts, but {len(weights)} weights.")
    names = speakers or [()] * len(texts)
    found = list(
        chain.from_iterable(
            _uncut(number, text) if whole else statements(text, names[number], number=number)
            for number, text in enumerate(texts)
        )
    )
    room = _Room(4 * budget, labels or [""] * len(texts))
    if known is None and sum(map(room.take, found)) <= 4 * budget:
        return _with_needs(found, dict(enumerate(found)), lambda i: room.label(found[i]))
    scale = [1.0 if weights is None else weights[one.text] for one in found]
    return _greedy(found, scale, known, _Room(4 * budget, labels or [""] * len(texts)), rarity or rarity_among(texts))


def _uncut(number: int, text: str) -> list[Statement]:
    return [Statement(number, 0, 0, 0, "", "", text)] if text.strip() else []


class _Room:
    """The room that is left, in quarters of a token; the first statement of a turn also pays for its speaker."""

    def __init__(self, left: int, labels: Sequence[str]):
        self.left, self._labels = left, labels
        self._open: set[tuple[int, int]] = set()

    def label(self, one: Statement) -> str:
        """What stands before a statement that opens its turn: who says it."""
        return one.speaker or self._labels[one.text]

    def cost(self, one: Statement) -> int:
        """What a statement costs now: its words, a space or line end, and its label if it opens its turn."""
        label = "" if (one.text, one.turn) in self._open else self.label(one)
        return quarter_tokens(label + one.mark + one.words) + 1 + one.apart

    def take(self, one: Statement) -> int:
        """Pays for a statement; returns its cost."""
        cost = self.cost(one)
        self.left -= cost
        self._open.add((one.text, one.turn))
        return cost


# ---------------------------------------------------------------------------------------------- choosing


def _greedy(
    found: Sequence[Statement], scale: Sequence[float], known: Sequence[str] | None, room: _Room, rarity: Rarity
) -> list[Statement]:
    """The statement with the largest gain, then the largest gain given that one, and so on while they fit."""
    called = _called(room.label(one) for one in found)
    bare = [called.sub(" ", one.words) if called else one.words for one in found]
    held = [sorted(terms(words)) if says_anything(words) else [] for words in bare]
    some = [i for i, one in enumerate(found) if (len(held[i]) > 1 or telling(bare[i])) and not is_small_talk(one.words)]

    def who(i: int) -> str:
        return room.label(found[i])

    answers = _answers(found, some, who)
    lost = frozenset(i for i in some if is_lost(found, i, who))
    worth = [
        weight * _telling(words) * (ANSWER if i in answers else 1.0) * (LOST if i in lost else 1.0)
        for i, (weight, words) in enumerate(zip(scale, bare, strict=True))
    ]
    sizes = [quarter_tokens(one.words) + EACH for one in found]
    along = {i: needed(found, i, who) for i in some}
    price = {i: sizes[i] + ALONG * sum(sizes[at] for at in along[i] if at != i) for i in some}
    news = None if known is None else _News(found, known)
    said: set[str] = set()

    def gain(i: int) -> float:
        return worth[i] / price[i] * sum((AGAIN if term in said else 1.0) * rarity(term) for term in held[i])

    taken: dict[int, Statement] = {}
    for i, gained in by_gain(some, gain):
        both = [at for at in along[i] if at not in taken]
        if i in both and sum(room.cost(found[at]) for at in both) <= room.left and (news is None or news.take(i)):
            for at in both:
                room.take(found[at])
                taken[at] = replace(found[at], gain=gained)
                said.update(held[at])
    return _with_needs(found, taken, who)


def _with_needs(found: Sequence[Statement], taken: Mapping[int, Statement], who: Who) -> list[Statement]:
    """The statements that were taken, in order, each with those of them that it needs."""
    return [
        replace(taken[i], needs=tuple(found[at] for at in needed(found, i, who) if at != i and at in taken))
        for i in sorted(taken)
    ]


def _answers(found: Sequence[Statement], some: Sequence[int], who: Callable[[int], str]) -> frozenset[int]:
    """Those of these places that answer: the first of a turn that says something, after somebody else's question."""
    asked = {
        one.of_turn: asks(before.words) and who(at) != who(at - 1)
        for at, (before, one) in enumerate(pairwise(found), 1)
        if one.of_turn != before.of_turn
    }
    return frozenset(i for i in some if asked.pop(found[i].of_turn, False))


def _called(labels: Iterable[str]) -> re.Pattern[str] | None:
    """What matches a speaker who is called by name, if by a short form (`, Mel!`); None without speakers.

    Such a name tells nothing.
    """
    names = {label.rstrip(":： \t") for label in labels} - {""}
    short = {rf"{re.escape(name[:CALLED])}\w*" if name[0].isupper() else re.escape(name) for name in names}
    return re.compile(rf"(?:, ?|^)(?:{'|'.join(sorted(short))})(?=[,.!?])") if short else None


def rarity_among(texts: Sequence[str]) -> Rarity:
    """The rarity of a term among these texts: log(1 + texts / texts with it)."""
    count = Counter(term for text in texts for term in terms(text))
    return lambda term: log(1 + len(texts) / max(1, count[term]))


def _telling(words: str) -> float:
    """The factor for names, numbers, the first person, the other and questions in a sentence."""
    personal = _PERSONAL.search(words)
    return (
        (CONCRETE if _CONCRETE.search(words) else 1.0)
        * (PERSONAL if personal else COURTEOUS if _COURTEOUS.search(words) else 1.0)
        * (QUESTION if is_question(words) else 1.0)
    )


# ---------------------------------------------------------------------------------------------- what is news


class _News:
    """Which statements say what no known text and no statement taken before says."""

    def __init__(self, found: Sequence[Statement], known: Sequence[str]):
        texts = [*(one.words for one in found), *known]
        self._rows = vectors(texts)
        self._fewest = [_fewest(text) for text in texts]
        self._told = [telling(text) for text in texts]
        self._holders: dict[str, list[int]] = defaultdict(list)
        for i in range(len(found), len(texts)):
            self._say(i)

    def take(self, i: int) -> bool:
        """Whether a statement is news; from now on it is said."""
        if len(self._rows[i]) < self._fewest[i] or self._is_said(i):
            return False
        self._say(i)
        return True

    def _is_said(self, i: int) -> bool:
        """Whether something said is like it, and has the same numbers, names and negations."""
        cosines: dict[int, float] = defaultdict(float)
        for term, weight in self._rows[i].items():
            for said in self._holders.get(term, ()):
                cosines[said] += weight * self._rows[said][term]
        return any(cosine >= SAID and self._told[said] == self._told[i] for said, cosine in cosines.items())

    def _say(self, i: int) -> None:
        for term in self._rows[i]:
            self._holders[term].append(i)


def _fewest(words: str) -> int:
    """The fewest terms with which a sentence can be news."""
    if _telling(words) > 1:
        return FEWEST_TOLD
    return FEWEST_CRIED if words.endswith(("!", "！")) else FEWEST_TERMS


def vectors(texts: Sequence[str]) -> list[Vector]:
    """The tf-idf vector of each text, of length 1 (`idf = log(1 + n / df)`); empty for function words only."""
    held = [sorted(terms(text)) if says_anything(text) else [] for text in texts]
    count = Counter(term for one in held for term in one)
    out: list[Vector] = []
    for one in held:
        weights = {term: log(1 + len(texts) / count[term]) for term in one}
        length = sqrt(sum(weight * weight for weight in weights.values()))
        out.append({term: weight / length for term, weight in weights.items()})
    return out
