"""A shorter text that is found by the questions that found the longer one: distinctive sentences, and rare words.

What recall looks for is what few other texts have. So sentences are taken word for word, the one first that has most
rarity that no sentence before it has, for its length (the greedy rule for maximum coverage within a budget; Khuller,
Moss and Naor 1999):

    gain(sentence) = weight x sum of rarity(term) over its terms that nothing taken has / tokens

A last line holds the rarest words of the rest. Both were measured (docs/life.md): sentences by centrality, which a
reader would choose, answer fewer questions at the same length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from memkit.compress import terms
from memkit.text import content_words, est_tokens, has_cjk, sentences

WORDS_SHARE = 1 / 3  # of the budget, for the rarest words of what is left out
MORE = "Also: "  # how the line of words begins
EACH = 3  # tokens that a sentence costs beside its words: who says it, and that greetings are not worth it
LEAST_LETTERS = 3  # of such a word, unless it has a digit

_SPEAKER = re.compile(r"[^\s:][^:\n]{0,40}: ")

Rarity = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence: of which text and line (from 0), who says it (`Rosa: `, or nothing), its words."""

    text: int
    line: int
    speaker: str
    words: str


def digest(
    texts: Sequence[str], budget: int, rarity: Rarity, *, weights: Sequence[float] | None = None
) -> tuple[list[Piece], list[str]]:
    """The sentences of these texts to keep, in order, and the rare words of the others: at most `budget` tokens.

    `rarity` says how much a term (as `compress.terms` gives it) tells texts apart; `weights` how much each text counts.
    With room for everything everything is taken. Raises ValueError for a budget below 0.
    """
    if budget < 0:
        raise ValueError(f"The budget of a digest is 0 or more, not {budget}.")
    found, rest = _pieces(texts)
    if sum(map(_price, found)) + sum(est_tokens(MORE + words) for words in rest) <= budget:
        return found, [word for words in rest for word in words.split(", ")]
    scale = [1.0] * len(texts) if weights is None else weights
    room = round(budget * (1 - WORDS_SHARE))
    taken = _greedy(found, [scale[one.text] for one in found], room, rarity)
    said = {term for i in taken for term in terms(found[i].words)}
    spent = sum(_price(found[i]) for i in taken)
    left = [one.words for i, one in enumerate(found) if i not in taken]
    return [found[i] for i in sorted(taken)], _rare([*left, *rest], said, budget - spent, rarity)


def written(pieces: Iterable[Piece]) -> str:
    """Sentences as text, each line of the original on a line, with who says it where that changes."""
    lines: list[str] = []
    before: Piece | None = None
    for one in pieces:
        if before and (one.text, one.line) == (before.text, before.line):
            lines[-1] += " " + one.words
        else:
            lines.append(one.speaker + one.words)
        before = one
    return "\n".join(lines)


def _pieces(texts: Sequence[str]) -> tuple[list[Piece], list[str]]:
    """The sentences of the texts, and the words that a digest before this one had kept of others."""
    found: list[Piece] = []
    rest: list[str] = []
    for number, text in enumerate(texts):
        for place, line in enumerate(text.split("\n")):
            if line.startswith(MORE):
                rest.append(line[len(MORE) :])
                continue
            label = match[0] if (match := _SPEAKER.match(line)) else ""
            body = line[len(label) :]
            found += [Piece(number, place, label, body[start:end]) for start, end in sentences(body)]
    return found, rest


def _price(piece: Piece) -> int:
    """The tokens of a sentence, and what each one costs a reader."""
    return est_tokens(piece.words) + EACH


def _greedy(found: Sequence[Piece], scale: Sequence[float], room: int, rarity: Rarity) -> set[int]:
    """The sentence that gains most for its length, then the one that gains most beside it, as long as there is room."""
    held = [terms(one.words) for one in found]
    said: set[str] = set()

    def gain(i: int) -> float:
        return scale[i] * sum(map(rarity, sorted(held[i] - said))) / _price(found[i])

    # No gain ever grows, so one that is still the greatest when it is computed anew is the greatest of all.
    waiting = [(-gain(i), i) for i in range(len(found))]
    heapify(waiting)
    taken: set[int] = set()
    while waiting:
        before, i = heappop(waiting)
        now = gain(i)
        if now <= 0 or _price(found[i]) > room:
            continue
        if now < -before:
            heappush(waiting, (-now, i))
            continue
        room -= _price(found[i])
        taken.add(i)
        said |= held[i]
    return taken


def _rare(texts: Sequence[str], said: set[str], room: int, rarity: Rarity) -> list[str]:
    """The rarest words of these texts that nothing taken has, rarest first, as far as there is room for them."""
    room -= est_tokens(MORE)
    found: dict[str, str] = {}
    for word in content_words(" ".join(texts)):
        if has_cjk(word) or (len(word) < LEAST_LETTERS and not any(map(str.isdigit, word))):
            continue
        for term in terms(word) - said:
            found.setdefault(term, word)
    kept: list[str] = []
    for term in sorted(found, key=lambda term: (-rarity(term), term)):
        if (price := est_tokens(found[term] + ", ")) <= room:
            room -= price
            kept.append(found[term])
    return kept
