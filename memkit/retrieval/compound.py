"""Compound questions: several questions in one text, each asked for itself, too.

"Where did Anna move? And what is her dog called?" is two questions. In one search the words of both compete, and the
part with the rarer words has all the first places.
"""

from __future__ import annotations

from collections.abc import Sequence

from memkit.retrieval import fusion
from memkit.retrieval.retrievers import Found
from memkit.text.words import is_question, says_anything, sentences

MOST_PARTS = 4  # each is a search of its own; a pasted page of questions is one question

Searched = tuple[Found, fusion.Contributions]


def parts(text: str) -> list[str]:
    """The questions in a text, if it has 2 to 4 that say anything; else none.

    >>> parts("I moved. Where is the kettle? And who has the keys?")
    ['Where is the kettle?', 'And who has the keys?']
    """
    spans = [text[start:end].strip() for start, end in sentences(text)]
    asked = [one for one in spans if is_question(one) and says_anything(one)]
    return asked if 1 < len(asked) <= MOST_PARTS else []


def merged(searches: Sequence[Searched]) -> Searched:
    """Several searches as one: of each memory, what that search contributed which ranked it highest.

    Scores are compared as shares of the best one of their search. The first search is for the whole text, and its scale
    is kept.
    """
    whole, contributions = searches[0]
    if len(searches) == 1:
        return whole, contributions
    top = _top(contributions)
    out, best = dict(contributions), {key: sum(by.values()) for key, by in contributions.items()}
    for found, fused in searches[1:]:
        scale = top / (_top(fused) or 1.0)
        for key, by in fused.items():
            scaled = {name: scale * value for name, value in by.items()}
            if sum(scaled.values()) > best.get(key, 0.0):
                out[key], best[key] = scaled, sum(scaled.values())
        _add_rankings(whole, found)
    return whole, out


def _top(fused: fusion.Contributions) -> float:
    return max((sum(by.values()) for by in fused.values()), default=0.0)


def _add_rankings(whole: Found, part: Found) -> None:
    """Adds to what was found for the whole text what was found for a part of it."""
    for name, ranking in part.rankings.items():
        both = whole.rankings.get(name, {})
        whole.rankings[name] = fusion.best_first(
            (key, max(ranking.get(key, 0.0), both.get(key, 0.0))) for key in {**both, **ranking}
        )
    whole_path, whole_bridge, whole_paths = whole.path, whole.bridge_path, whole.paths
    whole.path = lambda key: whole_path(key) or part.path(key)
    whole.bridge_path = lambda key: whole_bridge(key) or part.bridge_path(key)
    whole.paths = lambda keys: {**part.paths(keys), **{key: path for key, path in whole_paths(keys).items() if path}}
