"""Ways to make one ranking of several. A ranking is a mapping of memory key to score, best first.

Each fuser takes the rankings by channel and each channel's weight, and returns what each channel contributed to each
memory: `{key: {channel: contribution}}`; the fused score of a memory is the sum of its contributions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

Ranking = Mapping[int, float]
Contributions = dict[int, dict[str, float]]
Fuser = Callable[..., Contributions]


def max_normalised(ranking: Ranking) -> dict[int, float]:
    """Scores divided by the best one: 1 for the first; negative ones become 0."""
    top = max(ranking.values(), default=0.0)
    return {key: max(score, 0.0) / top for key, score in ranking.items()} if top > 0 else dict.fromkeys(ranking, 0.0)


def minmax_normalised(ranking: Ranking) -> dict[int, float]:
    """Scores moved to 0 for the worst and 1 for the best; all 1 where they are equal."""
    low, high = min(ranking.values(), default=0.0), max(ranking.values(), default=0.0)
    if high == low:
        return dict.fromkeys(ranking, 1.0)
    return {key: (score - low) / (high - low) for key, score in ranking.items()}


def unchanged(ranking: Ranking) -> dict[int, float]:
    """Scores as they are."""
    return dict(ranking)


NORMALISERS = {"max": max_normalised, "minmax": minmax_normalised, "none": unchanged}


def weighted(rankings: Mapping[str, Ranking], weights: Mapping[str, float], normalise: str = "max") -> Contributions:
    """The weighted sum of normalised scores."""
    fused: Contributions = {}
    for channel, ranking in rankings.items():
        for key, score in NORMALISERS[normalise](ranking).items():
            fused.setdefault(key, {})[channel] = weights.get(channel, 1.0) * score
    return fused


def rrf(rankings: Mapping[str, Ranking], weights: Mapping[str, float], k: float = 60.0) -> Contributions:
    """Reciprocal rank fusion: each channel gives weight / (k + rank), rank from 1 (Cormack et al. 2009; Kira, K18)."""
    fused: Contributions = {}
    for channel, ranking in rankings.items():
        for rank, key in enumerate(ranking, 1):
            fused.setdefault(key, {})[channel] = weights.get(channel, 1.0) / (k + rank)
    return fused


def waterfall(rankings: Mapping[str, Ranking], weights: Mapping[str, float], limit: int = 10) -> Contributions:
    """The first channel's results, then what the next one adds, until `limit` (Construct, C23-C24, C28).

    Position is all that counts: the contribution of the channel that brought a memory first is 1 / its place.
    """
    fused: Contributions = {}
    for channel, ranking in rankings.items():
        for key in ranking:
            if key not in fused and len(fused) < limit:
                fused[key] = {channel: 1.0 / (len(fused) + 1)}
    return fused


FUSERS: dict[str, Fuser] = {"weighted": weighted, "rrf": rrf, "waterfall": waterfall}


def ranked(fused: Contributions, ids: Mapping[int, str] | None = None) -> list[tuple[int, float]]:
    """Keys with their fused scores, best first; ties by id, or by key where no ids are given."""
    totals = {key: sum(parts.values()) for key, parts in fused.items()}
    tie = (lambda key: ids.get(key, "")) if ids else (lambda key: "")
    return sorted(totals.items(), key=lambda item: (-item[1], tie(item[0]), item[0]))
