"""The figures of an evaluation are what one gets by hand, and what the shared scorer gets."""

from __future__ import annotations

import runpy
from functools import cache
from math import log2
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.retrieval.evaluation.metrics import MEASURES, bootstrap, figures, mean_figures, paired_difference

SCORER = Path(__file__).resolve().parents[2] / "shared" / "eval" / "score.py"
IDS = st.sampled_from("abcdefghijklmnop")
RUNS = st.lists(
    st.tuples(st.lists(IDS, min_size=1, max_size=12), st.lists(IDS, max_size=16, unique=True)), min_size=1, max_size=8
)


def test_figures_are_what_one_gets_by_hand():
    """Two of three relevant ids at ranks 2 and 6."""
    got = figures(["a", "b", "z"], ["x", "a", "y", "v", "w", "b"])
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert got == {
        "R@1": 0,
        "R@2": pytest.approx(1 / 3),
        "R@5": pytest.approx(1 / 3),
        "R@10": pytest.approx(2 / 3),
        "all@5": 0,
        "nDCG@10": pytest.approx((1 / log2(3) + 1 / log2(7)) / ideal),
        "MRR": 0.5,
    }


def test_a_perfect_ranking_scores_one_everywhere_it_can():
    assert figures(["a"], ["a", "b"]) == dict.fromkeys(MEASURES, 1.0)


def test_finding_nothing_scores_zero():
    assert figures(["a"], []) == dict.fromkeys(MEASURES, 0.0)


def test_more_relevant_ids_than_places_still_reach_an_ndcg_of_one():
    ids = [str(i) for i in range(20)]
    assert figures(ids, ids)["nDCG@10"] == pytest.approx(1)


def test_an_id_found_twice_counts_once():
    assert figures(["a", "b"], ["a", "a", "b"]) == figures(["a", "b"], ["a", "b"])


def test_a_question_that_nothing_answers_cannot_be_scored():
    with pytest.raises(ValueError, match="without a relevant id"):
        figures([], ["a"])


def test_no_question_has_a_mean_of_zero():
    assert mean_figures([]) == dict.fromkeys(MEASURES, 0.0)


@cache
def shared_scorer():
    return runpy.run_path(str(SCORER))


@given(RUNS)
def test_the_figures_are_those_of_the_shared_scorer(runs):
    if not SCORER.exists():
        pytest.skip("the shared evaluation sets are not beside this checkout")
    ours = mean_figures(figures(relevant, ranked) for relevant, ranked in runs)
    assert ours == pytest.approx(shared_scorer()["figures"](runs), abs=5.1e-5)


@given(RUNS)
def test_every_figure_lies_between_zero_and_one(runs):
    for relevant, ranked in runs:
        assert all(0 <= value <= 1 + 1e-12 for value in figures(relevant, ranked).values())


def test_a_bootstrap_of_equal_values_is_that_value():
    assert bootstrap([0.25] * 9) == (0.25, 0.25)


def test_a_bootstrap_of_one_coin_in_two_is_near_the_binomial_interval():
    """400 fair coins: .5 plus or minus 1.96 * .5 / 20."""
    low, high = bootstrap([0.0, 1.0] * 200, n=2000)
    assert low == pytest.approx(0.451, abs=0.01)
    assert high == pytest.approx(0.549, abs=0.01)


def test_the_same_seed_gives_the_same_interval():
    values = [i / 7 for i in range(8)]
    assert bootstrap(values, seed=3) == bootstrap(values, seed=3)
    assert bootstrap(values, seed=3) != bootstrap(values, seed=4)


def test_a_bootstrap_of_nothing_is_zero():
    assert bootstrap([]) == (0.0, 0.0)


@pytest.mark.parametrize(("n", "level"), [(0, 0.95), (10, 0.0), (10, 1.0)])
def test_a_bootstrap_without_resamples_or_level_is_refused(n, level):
    with pytest.raises(ValueError, match="bootstrap needs"):
        bootstrap([1.0], n=n, level=level)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(1, 50))
def test_an_interval_lies_within_the_values(values, n):
    low, high = bootstrap(values, n=n)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9


def test_a_difference_counts_who_won():
    got = paired_difference([1, 1, 0, 0.5], [0, 0.5, 1, 0.5])
    assert got.mean == pytest.approx(0.125)
    assert (got.better, got.worse, got.equal) == (2, 1, 1)
    assert got.low < 0 < got.high
    assert not got.is_clear


def test_a_run_that_is_always_better_is_clearly_better():
    got = paired_difference([0.75] * 20, [0.5] * 20)
    assert (got.mean, got.low, got.high) == (0.25, 0.25, 0.25)
    assert got.is_clear


def test_runs_of_different_length_are_not_paired():
    with pytest.raises(ValueError, match="3 and 2"):
        paired_difference([1, 1, 1], [1, 1])
