"""Strategies from outside: any JSON is one, or is refused with a sentence."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.core.errors import BadQuestion, MemkitError
from memkit.retrieval.registry import STRATEGIES, StrategyName, strategy
from memkit.retrieval.strategies import Strategy

PARTS = [name for name in STRATEGIES["memkit"].to_dict() if name != "name"]
FIELDS = sorted({field for part in STRATEGIES["memkit"].to_dict().values() if isinstance(part, dict) for field in part})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["name", *PARTS]), VALUES, max_size=3))
def test_any_json_is_a_strategy_or_a_sentence(given_json: dict[str, Any]) -> None:
    """And what is one stays the same when it is written and read."""
    try:
        found = strategy(json.dumps(given_json))
    except MemkitError:
        return
    assert isinstance(found, Strategy)
    assert strategy(found.to_json()) == found


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_named_strategy_comes_back_from_its_json(name: str) -> None:
    assert strategy(STRATEGIES[name].to_json()) == STRATEGIES[name]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"graph": {"depth": "deep"}}, "graph.depth must be a whole number, 0 or more, not 'deep'"),
        ({"fulltext": {"limit": -5}}, "fulltext.limit must be a whole number, 0 or more, not -5"),
        ({"vector": {"weight": None}}, "vector.weight must be a number, not None"),
        ({"vector": {"complete": 1}}, "vector.complete must be true or false, not 1"),
        ({"fulltext": {"columns": [1, 2]}}, r"fulltext.columns must be like \(1.0, 1.0, 1.0, 1.0, 0.3\), not \[1, 2\]"),
        ({"graph": 5}, "graph must be an object of its settings, not 5"),
        ({"fuse": None}, "fuse must be an object of its settings, not None"),
        ({"name": ["kira"]}, r"name must be a word, not \['kira'\]"),
    ],
)
def test_a_value_of_another_kind_is_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(BadQuestion, match=says):
        strategy(changes)


def test_an_editor_offers_every_named_strategy_and_no_other() -> None:
    assert get_args(StrategyName) == tuple(STRATEGIES)


def test_json_that_is_too_deep_is_refused() -> None:
    with pytest.raises(BadQuestion, match="not valid JSON"):
        strategy('{"graph":' + "[" * 100_000)
