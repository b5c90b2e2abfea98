"""Boosts, cuts and fusers by themselves: what each gives for a few values, at its limits and one beside them."""

from __future__ import annotations

from math import inf, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from published_helpers import database, ids, key, say

from memkit import STRATEGIES, MemoryDatabase
from memkit.graph.walk_results import Fact, FoundEntity
from memkit.retrieval import boosts, fusion, reranking
from memkit.retrieval.boosts import About
from memkit.retrieval.channels.facts import Connected
from memkit.retrieval.published import kira
from memkit.retrieval.registry import CUTS, FUSERS, RULES

NOW = "2026-03-01T12:00:00Z"

# ---------------------------------------------------------------------------------------------- boosts


def test_what_is_not_known_of_a_candidate_changes_nothing() -> None:
    about = About()
    assert (about.importance, about.confidence, about.accesses, about.stated) == (5.0, 1.0, 0, False)
    assert {rule(about) for rules in RULES.values() for name, rule in rules.items() if name != "engram"} == {1.0}


@pytest.mark.parametrize(("age", "factor"), [(0, 1.0), (7, 1.0), (14, 0.5), (28, 1 / 3), (8, 1 / (1 + log2(8 / 7)))])
def test_constructs_decay_begins_after_a_week(age, factor) -> None:
    assert RULES["recency"]["construct"](About(age=age)) == boosts.log_decay(About(age=age)) == pytest.approx(factor)


@pytest.mark.parametrize(("age", "factor"), [(-2, 1.0), (0, 1.0), (182.5, 0.9), (365, 0.85), (36_500, 0.8)])
def test_half_a_year_takes_half_of_a_fifth(age, factor) -> None:
    assert RULES["recency"]["half_year"](About(age=age)) == pytest.approx(factor)


def test_the_slots_confidence_weighs_any_memory() -> None:
    assert RULES["confidence"]["plain"](About(confidence=0.3)) == 0.3
    assert {rules["none"](About(9, 0.5, 3, 7, 2, True)) for rules in RULES.values()} == {1.0}


# ---------------------------------------------------------------------------------------------- cuts


@pytest.mark.parametrize(("name", "least"), [("none", -inf), ("similar", -inf), ("threshold", 0.5), ("relative", 2.0)])
def test_a_cut_says_which_score_stays(name, least) -> None:
    assert CUTS[name].least([4.0, 1.0], 0.5) == least
    assert not CUTS[name].weak([0.0])


def test_a_share_of_nothing_is_nothing() -> None:
    assert CUTS["relative"].least([], 0.5) == 0.0


# ---------------------------------------------------------------------------------------------- fusers


@pytest.mark.parametrize(
    ("how", "scores"),
    [
        ("max", {1: 1.0, 2: 0.5, 3: 0.0, 4: 0.0}),
        ("minmax", {1: 1.0, 2: 0.6, 3: 0.2, 4: 0.0}),
        ("none", {1: 4.0, 2: 2.0, 3: 0.0, 4: -1.0}),
    ],
)
def test_scores_are_made_comparable(how, scores) -> None:
    given = {1: 4.0, 2: 2.0, 3: 0.0, 4: -1.0}
    assert fusion.NORMALISERS[how](given) == pytest.approx(scores)
    assert fusion.NORMALISERS[how]({}) == {}


def test_equal_scores_are_all_the_best_and_negative_ones_are_none() -> None:
    assert fusion.minmax_normalised({1: 3.0, 2: 3.0}) == {1: 1.0, 2: 1.0}
    assert fusion.max_normalised({1: -3.0, 2: -4.0}) == {1: 0.0, 2: 0.0}
    assert fusion.max_normalised({1: 0.0}) == {1: 0.0}


def test_a_weighted_sum_is_of_normalised_scores_but_for_those_that_stay_as_they_are() -> None:
    rankings = {"fulltext": {1: 8.0, 2: 4.0}, "vector": {2: 0.5, 3: 0.25}, "graph": {3: 0.2}}
    fused = fusion.weighted(rankings, {"fulltext": 2.0, "vector": 0.5}, as_is=("graph",))
    assert fused == {
        1: {"fulltext": 2.0},
        2: {"fulltext": 1.0, "vector": 0.5},
        3: {"vector": 0.25, "graph": 0.2},
    }
    assert fusion.weighted(rankings, {}, "none")[1] == {"fulltext": 8.0}
    assert list(fusion.ranked(fused)) == [1, 2, 3]


def test_pagerank_keeps_its_scale_and_a_walk_over_relations_does_not() -> None:
    settings = FUSERS["weighted"].settings
    memkit = STRATEGIES["memkit"]
    assert settings(memkit, 10) == {"normalise": "max", "as_is": ("graph",)}
    assert settings(memkit.replace(graph={"walk": "kira"}), 10)["as_is"] == ()
    assert settings(memkit.replace(graph=None, fuse={"normalise": "none"}), 10) == {"normalise": "none", "as_is": ()}
    assert FUSERS["rrf"].settings(memkit.replace(fuse={"k": 7.0}), 10) == {"k": 7.0}


def test_reciprocal_ranks_are_weighed() -> None:
    assert fusion.rrf({"a": {1: 0.0, 2: 0.0}}, {"a": 3.0}, 1.0) == {1: {"a": 1.5}, 2: {"a": 1.0}}


def test_a_waterfall_fills_its_places_and_keeps_some_for_what_only_the_last_channel_found() -> None:
    rankings = {"fulltext": {1: 9.0, 2: 8.0, 3: 7.0}, "vector": {2: 0.9, 4: 0.8, 5: 0.7}, "graph": {1: 1, 6: 1, 7: 1}}
    places = {"graph": 2}
    assert list(fusion.waterfall(rankings, {}, 5, places)) == [1, 2, 3, 6, 7]
    assert list(fusion.waterfall(rankings, {}, 6, places)) == [1, 2, 3, 4, 6, 7]
    assert list(fusion.waterfall(rankings, {}, 4)) == [1, 2, 3, 4]
    assert list(fusion.waterfall({**rankings, "graph": {1: 1}}, {}, 5, places)) == [1, 2, 3, 4, 5]
    assert fusion.waterfall(rankings, {}, 2) == {1: {"fulltext": 1.0}, 2: {"fulltext": 0.5}}
    assert FUSERS["waterfall"].settings(STRATEGIES["construct"], 15) == {"limit": 15, "places": {"graph": 5}}
    assert FUSERS["waterfall"].settings(STRATEGIES["construct"], 7)["places"] == {"graph": 2}
    assert FUSERS["waterfall"].settings(STRATEGIES["construct"].replace(graph=None), 7)["places"] == {}
    assert [fuser.in_turn for fuser in FUSERS.values()].count(True) == 1


def test_a_thing_gives_to_the_memories_behind_it_the_most_that_one_of_them_gives() -> None:
    fused = {1: {"fulltext": 0.2}, ("entity", 5): {"fulltext": 0.4}, ("relation", 6): {"graph": 0.6}}
    things, behind = {("entity", 5): 0.4, ("relation", 6): 0.6}, {("entity", 5): {1: 1.0, 2: 0.5}}
    behind["relation", 6] = {1: 0.5, 3: 0.5}
    assert fusion.settle(fused, things, behind) == {
        1: {"fulltext": 0.2, "graph": 0.4},
        2: {"graph": 0.2},
        3: {"graph": 0.3},
    }
    less = fusion.settle(fused, things, behind, most=0.3)
    assert less == {
        n: pytest.approx(parts)
        for n, parts in ((1, {"fulltext": 0.1, "graph": 0.2}), (2, {"graph": 0.1}), (3, {"graph": 0.15}))
    }
    assert fusion.settle(fused, things, behind, most=0.7)[1]["graph"] == 0.4
    assert fusion.settle({}, {}, {}, 1.0) == {}


# ---------------------------------------------------------------------------------------------- the final order


def test_facts_and_entities_stand_by_score_and_then_by_depth() -> None:
    def fact(name: str, score: float, depth: int) -> Fact:
        return Fact(0, name, "is", name, depth=depth, score=score)

    def entity(name: str, score: float, depth: int) -> FoundEntity:
        return FoundEntity(0, name, name, "thing", None, depth, score)

    rows = [("low", 0.1, 0), ("far", 0.5, 2), ("near", 0.5, 1), ("best", 0.9, 3)]
    connected = Connected(
        facts={n: fact(*row) for n, row in enumerate(rows)}, entities={n: entity(*row) for n, row in enumerate(rows)}
    )
    facts, entities = reranking.facts_and_entities(connected)
    assert [one.subject for one in facts] == [one.name for one in entities] == ["best", "near", "far", "low"]
    assert reranking.facts_and_entities(None) == ((), ())


@pytest.mark.parametrize(("mine", "everybodys"), [(1.0, 1.1), (0.5, 1.0), (2.0, 1.0), (1.0, 0.5), (3.0, 2.0)])
def test_a_project_weighs_memories_up_or_down_and_other_projects_not_at_all(mine, everybodys) -> None:
    names = ("garden", "global", "harbor")
    db = database([{"text": "the quince", "project": name} for name in names], embed="none")
    strategy = STRATEGIES["slots"].replace(rank={"project": mine, "global_project": everybodys})
    found = db.recall("quince", strategy=strategy, project="garden", now=NOW)
    shown = {hit.memory.project: hit.boosts.get("project", 1.0) for hit in found}
    assert {name: shown.get(name, 1.0) for name in names} == {"garden": mine, "global": everybodys, "harbor": 1.0}
    assert not any(hit.boosts for hit in db.recall("quince", strategy=strategy, now=NOW))


def test_what_happened_in_the_time_asked_for_weighs_more_and_nothing_else() -> None:
    rows = [{"text": f"the quince, {when}", "timestamp": f"2026-02-{when}T10:00:00Z"} for when in ("18", "24")]
    db = database([*rows, "the quince, undated"], embed="none")
    strategy = STRATEGIES["slots"].replace(rank={"interval": 1.5})
    found = db.recall("the quince last week", strategy=strategy, now="2026-03-03T12:00:00Z")
    assert {hit.memory.source_id: hit.boosts.get("interval") for hit in found} == {"m1": None, "m2": 1.5, "m3": None}
    untimed = db.recall("the quince", strategy=strategy, now="2026-03-03T12:00:00Z")
    assert [hit.boosts for hit in untimed] == [{}] * 3


def test_a_text_without_words_has_no_score_and_stands_last() -> None:
    db = database(["...", "the quince"], embed="none")
    fused = {key(db, "m1"): {"fulltext": 9.0}, key(db, "m2"): {"fulltext": 0.1}}
    scores = fusion.scores(fused)
    assert reranking.ordered(db.conn, fused, scores, {}, 5) == [(key(db, "m2"), 0.1), (key(db, "m1"), 0.0)]
    boosted = reranking.ordered(db.conn, fused, scores, {key(db, "m2"): {"a": 3.0, "b": 2.0}}, 5)
    assert boosted[0] == (key(db, "m2"), pytest.approx(0.6))


@given(
    scored=st.lists(
        st.tuples(st.sampled_from([0.0, 0.2, 0.5, 1.0, 1.1, 2.0]) | st.floats(0, 9), st.sampled_from([0.6, 1.0, 1.5])),
        max_size=12,
    ),
    most=st.integers(0, 6),
)
def test_only_what_a_boost_cannot_bring_among_the_best_is_not_looked_up(
    scored: list[tuple[float, float]], most: int
) -> None:
    scores = {key: score for key, (score, _) in enumerate(scored)}
    best = fusion.best_of({key: score * factor for key, (score, factor) in enumerate(scored)}, most)
    assert {key for key, score in best.items() if score > 0} <= set(reranking._within_reach(scores, 0.6, 1.5, most))


def test_a_boost_reads_the_rows_of_those_that_it_may_bring_among_the_best() -> None:
    scores = {key: 1.0 / key for key in range(1, 101)}
    assert list(reranking._within_reach(scores, 1.0, 1.2, 10)) == list(range(1, 13))


def test_a_memory_of_the_project_that_is_asked_in_comes_from_behind() -> None:
    rows = [{"text": "the quince " + "and more " * n, "project": f"p{n}"} for n in range(60)]
    with MemoryDatabase(embed="none") as db:
        db.ingest(rows)
        strategy = STRATEGIES["memkit"].replace(rank={"project": 9.0})
        assert [hit.memory.project for hit in db.recall("quince", strategy=strategy, k=5)] == [
            f"p{n}" for n in range(5)
        ]
        (first, *_) = db.recall("quince", strategy=strategy, k=5, project="p59")
        assert (first.memory.project, first.boosts["project"]) == ("p59", 9.0)


def test_what_is_half_sure_gives_half_to_its_evidence() -> None:
    db: MemoryDatabase = database(["signed on paper"], embed="none")
    say(db, "Otto", "prefers", "tea", "m1", confidence=0.5)
    found = db.recall("what of Otto?", strategy="kira", now=NOW)
    (fact,) = found.facts
    assert ids(found) == ["m1"]
    assert found[0].why["graph"].contribution == pytest.approx(fact.score / 2)
    scores = {
        "Otto": 1 / 61 + kira.bonus(0),
        "tea": kira.bonus(1),
    }  # the first of those that words find, and its object
    assert {one.name: one.score * kira.MOST for one in found.entities} == pytest.approx(scores)
    assert fact.score * kira.MOST == pytest.approx((1 / 61 + kira.bonus(0, 0.5)) / 2)
