"""Ways to make one ranking of several. A ranking is a mapping of memory key to score, best first.

Each fuser takes the rankings by channel and each channel's weight, and returns what each channel contributed to each
memory: `{key: {channel: contribution}}`; the fused score of a memory is the sum of its contributions.

Where entities and relations are ranked among memories (Kira), their keys are pairs such as `("entity", 7)`: Kira's
"entities:7" and "entity:7" are one key here (K20). What they get is passed on to the memories behind them (`settle`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Ranking = Mapping[Any, float]  # of memory keys, or of things
Contributions = dict[Any, dict[str, float]]
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


def weighted(
    rankings: Mapping[str, Ranking], weights: Mapping[str, float], normalise: str = "max", as_is: Iterable[str] = ()
) -> Contributions:
    """The weighted sum of normalised scores; those of the channels `as_is` are on a scale of their own already."""
    fused: Contributions = {}
    for channel, ranking in rankings.items():
        for key, score in NORMALISERS["none" if channel in as_is else normalise](ranking).items():
            fused.setdefault(key, {})[channel] = weights.get(channel, 1.0) * score
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
    """The first channel's results, then what the next one adds, until `limit` (Construct, C23-C24, C28).

    Position is all that counts: the contribution of the channel that brought a memory first is 1 / its place. A channel
    with `places` has so many of the last ones for itself, as far as it needs them for memories that no other brought;
    it never takes more than its own and those left free.
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


# ---------------------------------------------------------------------------------------------- Kira

KIRA_MOST = (2 / 61 + 0.02) * 2 * 1.2  # first in both channels, named, new and important: what a score can reach (K24)


def kira_bonus(depth: int, confidence: float = 1.0) -> float:
    """What the graph adds to something `depth` relations away: 0.02 / (1 + depth / 2) x confidence (K19)."""
    return 0.02 / (1 + 0.5 * depth) * confidence


def kira(rankings: Mapping[str, Ranking], weights: Mapping[str, float], k: float = 60.0) -> Contributions:
    """RRF of every list, and the graph's bonuses as they are; as shares of the best possible score (K18, K19, K24)."""
    fused = rrf({name: ranking for name, ranking in rankings.items() if name != "graph"}, weights, k)
    for key, bonus in rankings.get("graph", {}).items():
        fused.setdefault(key, {})["graph"] = weights.get("graph", 1.0) * bonus
    return {key: {name: part / KIRA_MOST for name, part in parts.items()} for key, parts in fused.items()}


def settle(
    fused: Contributions, things: Mapping[Any, float], behind: Mapping[Any, Mapping[int, float]]
) -> Contributions:
    """The contributions of memories alone: what each thing got, as `things` scores it, goes to the memories behind it.

    `behind` maps a thing to memories and the share of each. It counts as found by the graph.
    """
    settled: Contributions = {key: dict(parts) for key, parts in fused.items() if key not in things}
    for thing, score in things.items():
        for key, share in behind.get(thing, {}).items():
            parts = settled.setdefault(key, {})
            parts["graph"] = parts.get("graph", 0.0) + score * share
    return settled


# ---------------------------------------------------------------------------------------------- membox


def membox_score(hops: int, sim: float, bm25: float, alpha: float = 0.6, decay: float = 0.7) -> float:
    """decay**hops x (alpha x sim + (1 - alpha) x bm25) of a triple; sim and bm25 between 0 and 1 (M03)."""
    return decay**hops * (alpha * sim + (1 - alpha) * bm25)


def membox_bm25(scores: Mapping[int, float], candidates: Sequence[int]) -> dict[int, float]:
    """BM25 scores moved to [0, 1] over all candidates; those without a match are 0 (M06, M07).

    They count as the least, so that the only match among many is worth 1, and matches that are all equal are too.
    """
    found = {key: max(scores.get(key, 0.0), 0.0) for key in candidates}
    return minmax_normalised(found) if any(found.values()) else found


def interleaved(
    rankings: Mapping[str, Ranking], weights: Mapping[str, float], first: str = "graph", second_share: float = 0.4
) -> Contributions:
    """Two rankings that share no scale, by turns: `second_share` of the places go to the others (membox's chunk_share).

    Position is all that counts, as in a waterfall; the others begin, and where one ranking ends, the other goes on.
    """
    ahead = list(rankings.get(first, ()))
    behind = [(name, key) for name, ranking in rankings.items() if name != first for key in ranking]
    fused: Contributions = {}
    taken = 0
    while ahead or behind:
        from_behind = bool(behind) and (not ahead or taken < second_share * (len(fused) + 1))
        name, key = behind.pop(0) if from_behind else (first, ahead.pop(0))
        if key not in fused:
            taken += from_behind
            fused[key] = {name: 1.0 / (len(fused) + 1)}
    return fused


# ---------------------------------------------------------------------------------------------- Engram


def engram(
    rankings: Mapping[str, Ranking], weights: Mapping[str, float], least: float = 1e-3, unknown: float = 2**0.5
) -> Contributions:
    """1 / distance, where the distance is L2 between unit vectors, and words bring a memory nearer (E02, E05).

    The best match by words is `weights["fulltext"]` nearer than by meaning alone, others less. A memory without a
    vector, or any without an embedder, is as far as an unrelated one: the root of 2.
    """
    words = max_normalised(rankings.get("fulltext", {}))
    meaning = rankings.get("vector", {})
    fused: Contributions = {}
    for key in [*meaning, *(key for key in words if key not in meaning)]:
        far = l2_distance(meaning[key], least) if key in meaning else unknown
        parts = {"vector": 1 / far} if key in meaning else {}
        if key in words:
            near = far * (1 - weights.get("fulltext", 0.0) * words[key])
            parts["fulltext"] = 1 / near - sum(parts.values())
        fused[key] = parts
    return fused


def l2_distance(cosine: float, least: float = 0.0) -> float:
    """The Euclidean distance of two unit vectors with this cosine, not below `least`."""
    return max(max(0.0, 2 - 2 * cosine) ** 0.5, least)


FUSERS: dict[str, Fuser] = {
    "weighted": weighted,
    "rrf": rrf,
    "waterfall": waterfall,
    "kira": kira,
    "membox": interleaved,
    "engram": engram,
}


def ranked(fused: Contributions, ids: Mapping[int, str] | None = None) -> list[tuple[int, float]]:
    """Keys with their fused scores, best first; ties by id, or by key where no ids are given."""
    totals = {key: sum(parts.values()) for key, parts in fused.items()}
    tie = (lambda key: ids.get(key, "")) if ids else (lambda key: "")
    return sorted(totals.items(), key=lambda item: (-item[1], tie(item[0]), item[0]))
