"""Rank fusion: weighted sums, reciprocal rank fusion and other ways to make one ranking of several.

A ranking is a mapping of memory key to score, best first. Each fuser takes the rankings by channel and each channel's
weight, and returns what each channel contributed to each memory: `{key: {channel: contribution}}`; the fused score of a
memory is the sum of its contributions.

Where entities and relations are ranked among memories, their keys are pairs such as `("entity", 7)`: Kira's
"entities:7" and "entity:7" are one key here (K20). Their contributions go on to the memories behind them (`settle`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from math import inf
from operator import itemgetter
from typing import Any, NamedTuple

from memkit.retrieval.strategies import PAGERANK, Strategy

Ranking = Mapping[Any, float]  # by the key of a memory, or of a thing: an entity or a relation
Contributions = dict[Any, dict[str, float]]


class Fuser(NamedTuple):
    """A way to fuse: `fuse(rankings, weights, **settings(strategy, k))`, where k is the number of memories wanted.

    With `in_turn`, a channel does not run if the channels before it found enough (C23). With `adds`, what a channel
    contributes does not depend on the others, and `fuse` adds it to the contributions `to`. `most` is the highest sum
    of contributions that a memory may have, things behind which it stands included.
    """

    fuse: Callable[..., Contributions]
    settings: Callable[[Strategy, int], Mapping[str, Any]] = lambda strategy, k: {}
    in_turn: bool = False
    adds: bool = False
    most: float = inf


def best_first(scores: Iterable[tuple[Any, float]]) -> dict[Any, float]:
    """A ranking of memories, or of memories and things: highest score first, ties by key, memories before things."""
    items = list(scores)
    try:  # two sorts by one value each take a fifth of the time of one sort by a tuple
        items.sort(key=itemgetter(0))
    except TypeError:  # memories and things
        items.sort(key=lambda item: (isinstance(item[0], tuple), item[0]))
    items.sort(key=itemgetter(1), reverse=True)
    return dict(items)


def max_normalised(ranking: Ranking) -> dict[Any, float]:
    """Scores divided by the best one: 1 for the first; negative ones become 0."""
    top = max(ranking.values(), default=0.0)
    if top <= 0:
        return dict.fromkeys(ranking, 0.0)
    return {key: score / top if score > 0 else 0.0 for key, score in ranking.items()}


def minmax_normalised(ranking: Ranking) -> dict[int, float]:
    """Scores rescaled to 0 for the worst and 1 for the best; all 1 if they are equal."""
    low, high = min(ranking.values(), default=0.0), max(ranking.values(), default=0.0)
    if high == low:
        return dict.fromkeys(ranking, 1.0)
    return {key: (score - low) / (high - low) for key, score in ranking.items()}


def unchanged(ranking: Ranking) -> dict[int, float]:
    """Scores as they are."""
    return dict(ranking)


NORMALISERS = {"max": max_normalised, "minmax": minmax_normalised, "none": unchanged}


def weighted(
    rankings: Mapping[str, Ranking],
    weights: Mapping[str, float],
    normalise: str = "max",
    as_is: Iterable[str] = (),
    to: Contributions | None = None,
) -> Contributions:
    """The weighted sum of normalised scores; the scores of the channels `as_is` are not normalised.

    They are added to the contributions `to`, if given, which are returned.
    """
    fused: Contributions = {} if to is None else to
    for channel, ranking in rankings.items():
        weight = weights.get(channel, 1.0)
        for key, score in NORMALISERS["none" if channel in as_is else normalise](ranking).items():
            if key in fused:
                fused[key][channel] = weight * score
            else:
                fused[key] = {channel: weight * score}
    return fused


def rrf(rankings: Mapping[str, Ranking], weights: Mapping[str, float], k: float = 60.0) -> Contributions:
    """Reciprocal rank fusion: each channel gives weight / (k + rank), rank from 1 (Cormack et al. 2009; Kira, K18)."""
    fused: Contributions = {}
    for channel, ranking in rankings.items():
        for rank, key in enumerate(ranking, 1):
            fused.setdefault(key, {})[channel] = weights.get(channel, 1.0) / (k + rank)
    return fused


def waterfall(
    rankings: Mapping[str, Ranking],
    weights: Mapping[str, float],
    limit: int = 10,
    places: Mapping[str, int] | None = None,
) -> Contributions:
    """The first channel's results, then what the next channel adds, until `limit` (Construct, C23-C24, C28).

    Only the position counts: a memory at place n gets 1 / n from the first channel that found it. `places` keeps the
    last places for a channel: at most that many, and no more than it has memories that no other channel found. Such a
    channel takes its own places and those left free.
    """
    places = places or {}
    mine = {key for name, ranking in rankings.items() if name not in places for key in ranking}
    kept = {name: min(most, sum(key not in mine for key in rankings.get(name, ()))) for name, most in places.items()}
    fused: Contributions = {}
    for channel, ranking in rankings.items():
        kept.pop(channel, None)
        most = limit - sum(kept.values())
        for key in ranking:
            if key not in fused and len(fused) < most:
                fused[key] = {channel: 1.0 / (len(fused) + 1)}
    return fused


def settle(
    fused: Contributions, things: Mapping[Any, float], behind: Mapping[Any, Mapping[int, float]], most: float = inf
) -> Contributions:
    """The contributions of memories alone: the score of each thing goes to the memories behind it.

    `things` maps entities and relations to their scores, `behind` maps each to memories and the share of each. These
    contributions count as found by the graph. If the best memory has more than `most`, all are made as much less.
    """
    settled: Contributions = {key: dict(parts) for key, parts in fused.items() if key not in things}
    for thing, score in things.items():
        for key, share in behind.get(thing, {}).items():
            parts = settled.setdefault(key, {})
            parts["graph"] = max(parts.get("graph", 0.0), score * share)
    best = max((sum(parts.values()) for parts in settled.values()), default=0.0)
    less = most / best if best > most else 1.0
    return {key: {name: part * less for name, part in parts.items()} for key, parts in settled.items()}


def constant(strategy: Strategy, k: int) -> dict[str, Any]:
    """The settings of RRF: its constant."""
    return {"k": strategy.fuse.k}


def _weighted(strategy: Strategy, k: int) -> dict[str, Any]:
    """The settings of `weighted`. PageRank's scores stay as they are: they are on the scale of its seeds already."""
    flows = strategy.graph is not None and strategy.graph.walk == PAGERANK
    return {"normalise": strategy.fuse.normalise, "as_is": ("graph",) if flows else ()}


def _waterfall(strategy: Strategy, k: int) -> dict[str, Any]:
    """The settings of `waterfall`. A graph that only appends has up to a third of the places, as 5 of 15 (C31)."""
    appended = strategy.graph.append if strategy.graph else 0
    return {"limit": k, "places": {"graph": min(appended, k // 3)} if appended else {}}


FUSERS: dict[str, Fuser] = {
    "weighted": Fuser(weighted, _weighted, adds=True),
    "rrf": Fuser(rrf, constant),
    "waterfall": Fuser(waterfall, _waterfall, in_turn=True),
}


def scores(fused: Contributions) -> dict[Any, float]:
    """The fused score of each key."""
    return dict(zip(fused, map(sum, map(dict.values, fused.values())), strict=True))


def ranked(fused: Contributions, most: int | None = None) -> dict[Any, float]:
    """The fused scores as one ranking: highest first, ties by key; only the `most` best, if that is given."""
    found = scores(fused)
    best = best_first(found.items()) if most is None else best_of(found, most)
    return dict(islice(best.items(), most))


def best_of(found: Mapping[Any, float], most: int) -> dict[Any, float]:
    """The ranking of the `most` best of these scores, and of all that are equal to the last of them."""
    if most >= len(found):
        return best_first(found.items())
    least = sorted(found.values(), reverse=True)[most - 1] if most else inf
    return best_first((key, score) for key, score in found.items() if score >= least)
