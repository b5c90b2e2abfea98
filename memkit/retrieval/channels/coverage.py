"""Coverage: how much of a question's terms, by how rare they are, a memory has, or any memory."""

from __future__ import annotations

from collections.abc import Container, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from memkit.retrieval.channels.fulltext import TermPostings

ASIDE = 0.25  # what a term counts that is in no asking sentence


class Shares(NamedTuple):
    """The shares of a question's terms, by rarity (0 to 1), that `each` memory has, that are `here`, or `nowhere`.

    Here is in any of the memories that may be asked for, nowhere is in none of the whole database, nor in these.
    """

    each: list[float]
    here: float
    nowhere: float


def shares(
    terms: Sequence[TermPostings],
    keys: Sequence[int],
    *,
    asides: frozenset[str] = frozenset(),
    of_time: frozenset[str] = frozenset(),
    then: frozenset[int] = frozenset(),
) -> Shares:
    """The share of the terms in each of some memories, in any that may be asked for, and in none at all.

    How rare a term is, is the mean of both rarities; `asides` count a quarter. Terms `of_time` say when something
    happened. What happened `then` need not say it, and has them.
    """
    import numpy as np

    words, has = _has(terms, keys)
    aside, timed = ({term.strip('"') for term in some} for some in (asides, of_time))
    weights = np.array([(one.rarity + one.rarity_here) / 2 * (ASIDE if one.term in aside else 1.0) for one in words])
    has[_of(words, timed)] |= np.isin(keys, list(then))
    here = _of(words, {one.term for one in terms if one.here})
    somewhere = _of(words, {one.term for one in terms if one.held}) | has.any(axis=1)
    return Shares(_weighed(weights, has), *_weighed(weights, np.array([here, ~somewhere]).T))


def covered(terms: Sequence[TermPostings], keys: Sequence[int]) -> list[float]:
    """For each memory, the share of the terms, by rarity, that it has (0 to 1)."""
    import numpy as np

    words, has = _has(terms, keys)
    return _weighed(np.array([one.rarity for one in words]), has)


def _of(words: Sequence[TermPostings], terms: Container[str]) -> np.ndarray:
    """Which of the words are among some terms."""
    import numpy as np

    return np.array([one.term in terms for one in words], bool)


def _weighed(weights: np.ndarray, has: np.ndarray) -> list[float]:
    """The share of the weights in each column, added in the order of the rows: equal columns have equal sums."""
    found: list[float] = ((weights[:, None] * has).sum(axis=0) / max(float(weights.sum()), 1e-9)).tolist()
    return found


def _has(terms: Sequence[TermPostings], keys: Sequence[int]) -> tuple[list[TermPostings], np.ndarray]:
    """The different terms, and which of the memories have them, a row for each.

    A word is looked for in both indexes, if the database has text without spaces. It is there if one of them has it,
    and as rare as in the one where more memories have it.
    """
    import numpy as np

    asked = np.array(keys, np.int64)
    words: dict[str, TermPostings] = {}
    has: dict[str, np.ndarray] = {}
    for one in terms:
        here = one.has(asked)
        words[one.term] = max(words.get(one.term, one), one, key=attrgetter("held"))
        has[one.term] = has[one.term] | here if one.term in has else here
    return [*words.values()], np.array([*has.values()], bool).reshape(len(has), len(keys))
