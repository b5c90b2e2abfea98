"""Confidence: the chance that the first five hits hold an answer, and that a hit is one.

A question always finds something: what is nearest. Whether that answers it shows in what recall knows anyway: how many
of the question's words stand in one hit, whether they, or whom it names, are known here at all, how far the first hit
is ahead, whether it owes that to the walk, and whether meaning puts it first, too. Small logistic regressions make a
chance of these numbers. `bench/confidence.py` fits them to public questions, asked where they are answered and where
they are not, and writes their coefficients into confidence.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from math import exp, log, log1p
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memkit.retrieval.question import Question
from memkit.retrieval.strategies import PAGERANK, Strategy
from memkit.storage.connection import Connection
from memkit.storage.store import dumps, keys_json
from memkit.text.words import says_anything

if TYPE_CHECKING:
    from memkit.retrieval.fusion import Contributions
    from memkit.retrieval.retrievers import Found, Search

FIRST = 5  # hits that are judged together
BEHIND = 10  # the first hit is compared with this one
FEWEST = 20  # memories by whose words a question can be called unanswered
COMMON = log(5 / 4)  # the rarity of a word that four of five memories have
FAR = 2.5  # ahead of the tenth, as a logarithm: more tells no more, and in a memory of three there is always more
LAST = 30  # the place in a ranking of what is there or further behind
SAME = 1e-6  # a share of a score: sums of the same numbers in another order differ by less
LEAST = 0.01  # added to scores before they are compared
HAPPENED_THEN = 0.9  # where a question asks for nothing but a time, what happened in it answers
LOWEST, HIGHEST = 0.001, 0.999  # nothing is certain

Measures = dict[str, float]

SELECT_NAMED = """
select distinct entity_key from mentions
where memory_key in (select value from json_each(:keys)) and entity_key in (select value from json_each(:named))
"""


class Judged(NamedTuple):
    """The confidence of a recall and of each of its first hits, by key (0 to 1), and the numbers behind them."""

    confidence: float
    hits: Mapping[int, float]
    measures: Measures
    hit_measures: Mapping[int, Measures]


NOTHING = Judged(LOWEST, {}, {}, {})


def judged(search: Search, best: Sequence[tuple[int, float]], fused: Contributions, found: Found) -> Judged:
    """How much a recall is to be believed, of which `best` are the keys and final scores, best first."""
    if not best:
        return NOTHING
    keys = [key for key, _ in best]
    numbers, each = _measures(search, best, fused, found)
    model = _model(search.strategy)
    sure = chance(_models()[f"recall by {model}"], numbers)
    then = set(found.rankings.get("time", ())) if found.only_time else set()
    if then.intersection(keys[:FIRST]):
        sure = max(sure, HAPPENED_THEN)
    odds = {"odds": log(sure / (1 - sure))}
    of_hits = {key: odds | one for key, one in zip(keys, each, strict=True)}
    hits = {key: min(chance(_models()[f"hit by {model}"], one), sure) for key, one in of_hits.items()}
    hits |= {key: max(hits[key], HAPPENED_THEN) for key in then.intersection(hits)}
    return Judged(sure, hits, numbers, of_hits)


def without_place(measures: Mapping[str, float], strategy: Strategy) -> float:
    """The chance that a hit with these numbers answers if it were the first one, however many better ones there are."""
    return chance(_models()[f"hit by {_model(strategy)}"], {**measures, "rank": 0.0}) if measures else 0.0


def is_weak(search: Search, found: Found, confidence: float) -> bool:
    """Whether the hits most likely do not answer the question: below the strategy's `pack.least_confidence`.

    Words decide this. So it is never said of a question that has only function words, of one that speaks of more than
    a time, of one to fewer than 20 memories, whose words are all rare, of one with a word that four of five memories
    have (they are about it), or of an embedding model that may find what no word of the question says.
    """
    question = search.question
    if question.trouble or (question.vector is not None and not getattr(search.embedder, "instant", False)):
        return False
    if (question.interval is not None and not found.only_time) or found.searched < FEWEST:
        return False
    if any(len(term.keys) and term.rarity <= COMMON for term in found.terms):
        return False
    return says_anything(question.text) and confidence < search.strategy.pack.least_confidence


def _model(strategy: Strategy) -> str:
    return "walking" if strategy.graph and strategy.graph.walk == PAGERANK and strategy.bridge else "words"


def _measures(
    search: Search, best: Sequence[tuple[int, float]], fused: Contributions, found: Found
) -> tuple[Measures, list[Measures]]:
    """The numbers of a recall, and those of each of its first hits."""
    from memkit.retrieval.channels import coverage, fulltext, time

    conn, question = search.conn, search.question
    keys, scores = [key for key, _ in best], [score for _, score in best]
    bm25 = found.words()
    then = time.then(conn, keys, question.interval)
    share = coverage.shares(found.terms, keys, asides=question.asides, of_time=question.of_time, then=then)
    top = max(bm25.values(), default=0.0)
    if found.searched < FEWEST:  # FTS5 gives no weight to a word that half of the memories have
        top = max(top, sum(term.rarity for term in found.terms) * max(share.each[:FIRST]))
    tenth = scores[:BEHIND][-1]
    graph = [min(fused.get(key, {}).get("graph", 0.0), 1.0) for key in keys]
    bridge = [fused.get(key, {}).get("bridge", 0.0) for key in keys]
    whole = {
        "bm25": log1p(top / max(fulltext.rarity(1, found.searched), 1e-9)),
        "covered": max(share.each[:FIRST]) * (1 + share.nowhere),
        "known": 1 - (1 - _named(conn, question, keys[:FIRST])) * (1 - share.here),
        "ahead": min(log((max(scores[0], 0.0) + LEAST) / (max(tenth, 0.0) + LEAST)), FAR),
        "walked": log1p(_place(keys[0], found.rankings.get("graph", {}))),
        "meant": log1p(_place(keys[0], found.rankings.get("vector", {}))),
    }
    first = max(scores[0], 1e-9)
    each = [
        {
            "covered": share.each[at],
            "score": scores[at] / first,
            "bm25": bm25.get(key, 0.0) / max(top, 1e-9),
            "rank": log1p(at),
            "graph": graph[at],
            "bridge": bridge[at],
        }
        for at, key in enumerate(keys)
    ]
    return whole, each


def _place(key: int, ranking: Mapping[int, float]) -> int:
    """The place of a key in a ranking, from 0: how many are truly better. LAST if so many are, or it is not there."""
    own = ranking.get(key)
    if own is None:
        return LAST
    bound = own + abs(own) * SAME
    return sum(score > bound for score in islice(ranking.values(), LAST))


def _named(conn: Connection, question: Question, keys: Iterable[int]) -> float:
    """The share of the entities in the question that the memories mention; 0 if it names none."""
    named = {one.entity.key for one in question.named}
    if not named:
        return 0.0
    asked = {"keys": keys_json(keys), "named": dumps(sorted(named))}
    return len(conn.execute(SELECT_NAMED, asked).fetchall()) / len(named)


# ---------------------------------------------------------------------------------------------- the regressions


def chance(weights: Mapping[str, float], numbers: Mapping[str, float]) -> float:
    """The chance that a logistic regression makes of some numbers, from LOWEST to HIGHEST."""
    total = weights["always"] + sum([weight * numbers[name] for name, weight in weights.items() if name != "always"])
    return LOWEST + (HIGHEST - LOWEST) / (1 + exp(-min(max(total, -30.0), 30.0)))


@cache
def _models() -> dict[str, dict[str, float]]:
    text = (Path(__file__).parent / "confidence.json").read_text("utf-8")
    models: dict[str, dict[str, float]] = json.loads(text)["models"]
    return models
