"""Engram's recall, line by line: each test has the code of the line of docs/behaviours.md that it proves."""

from __future__ import annotations

import json
from math import e, prod

import pytest
from click.testing import CliRunner
from datasettes import datasette, root
from published_helpers import SAMPLES, Angles, Concepts, database, ids, key, link, sample

from memkit import STRATEGIES, MemoryDatabase
from memkit.core.errors import BadQuestion
from memkit.frontends.cli.main import cli
from memkit.frontends.sql_functions import register_sql_functions
from memkit.retrieval import boosts, queries
from memkit.retrieval import recall as pipeline
from memkit.retrieval.published import engram
from memkit.retrieval.published.engram import ADVISE
from memkit.retrieval.registry import DESIGNS

NOW = "2026-03-01T12:00:00Z"
ENGRAM = STRATEGIES["engram"]
DEEP = ENGRAM.replace(expand={"depth": 1})


def via(found):
    return {hit.memory.source_id: hit.via for hit in found}


# ---------------------------------------------------------------------------------------------- the pipeline


def test_E01_what_meaning_and_words_find_is_one_list_ranked_cut_and_then_followed() -> None:
    db = database(["ship it", "the boat", "deploy the boat", "a dog"])
    found = db.recall("deploy a boat", strategy="engram")
    assert ids(found)[0] == "m3"
    assert set(found[0].why) == {"vector", "fulltext"}
    assert len(set(ids(found))) == len(found)
    assert list(found.ms) == [
        "understand",
        "fulltext",
        "vector",
        "sentence",
        "graph",
        "bridge",
        "rank",
        "confidence",
        "expand",
        "why",
    ]


def test_E02_distances_are_of_the_models_vectors() -> None:
    assert engram.l2_distance(1.0) == 0
    assert engram.l2_distance(0.0) == pytest.approx(2**0.5)
    assert engram.l2_distance(-1.0) == 2
    db = database(["ship dog"])
    assert db.recall("deploy", strategy="engram")[0].why["vector"].score == pytest.approx(0.5**0.5, abs=1e-6)


def test_E03_the_raw_question_is_embedded_once() -> None:
    model = Concepts()
    db = database(["ship it"], model)
    model.asked.clear()
    db.recall("What did we ship on top of that?", strategy="engram")
    assert model.asked == ["What did we ship on top of that?"]


def test_E04_words_are_content_words_or_all_of_them_where_none_is_one() -> None:
    db = database(["on top of that", "the boat"], embed="none")
    assert ids(db.recall("what is on the boat?", strategy="engram")) == ["m2"]
    assert ids(db.recall("on of that", strategy="engram")) == ["m1"]


def test_E04_words_in_chinese_are_left_to_their_own_index() -> None:
    assert queries.content("the quince blüht, 白茶") == ["quince", "blüht"]


def test_E05_words_come_second_after_meaning() -> None:
    near = engram.fuse({"vector": {1: 0.9, 2: 0.5}, "fulltext": {2: 5.0}}, {"fulltext": 0.3})
    scores = {key: sum(parts.values()) for key, parts in near.items()}
    assert scores[1] > scores[2] > 1 / engram.l2_distance(0.5)
    equal = engram.fuse({"vector": {1: 0.5, 2: 0.5}, "fulltext": {2: 5.0}}, {"fulltext": 0.3})
    assert sum(equal[2].values()) == pytest.approx(sum(equal[1].values()) / 0.7)


def test_E05_in_a_recall_words_make_a_distance_up_to_three_tenths_shorter() -> None:
    db = database([".5 of a boat", ".5 of a quince"], Angles())
    found = {hit.memory.source_id: hit for hit in db.recall("the quince", strategy="engram", now=NOW)}
    assert list(found) == ["m2", "m1"]
    assert found["m2"].score == pytest.approx(found["m1"].score / 0.7)
    assert sum(one.contribution for one in found["m2"].why.values()) == pytest.approx(1 / 0.7)


def test_E05_what_only_words_find_is_as_far_as_the_unrelated() -> None:
    found = engram.fuse({"vector": {1: 0.0}, "fulltext": {2: 5.0, 3: 2.5}}, {"fulltext": 0.3})
    scores = {key: sum(parts.values()) for key, parts in found.items()}
    assert scores == {key: pytest.approx(1 / (2**0.5 * share)) for key, share in ((1, 1.0), (2, 0.7), (3, 0.85))}
    assert (set(found[1]), set(found[2])) == ({"vector"}, {"fulltext"})
    assert (engram.l2_distance(1.0), engram.l2_distance(-1.0), engram.l2_distance(1.0001)) == (0.0, 2.0, 0.0)


@pytest.mark.parametrize("weight", [1.0, 50.0])
def test_words_that_weigh_more_than_a_distance_leave_some_of_it(weight: float) -> None:
    found = engram.fuse({"vector": {1: 0.9, 2: 0.5}, "fulltext": {2: 5.0}}, {"fulltext": weight})
    assert sum(found[2].values()) == pytest.approx(1000)  # of a distance of 1
    assert sum(found[1].values()) < sum(found[2].values())


@pytest.mark.parametrize(("importance", "factor"), [(2, 1.0), (8, 0.85), (10, 0.8)])
def test_E05_importance_brings_up_to_a_fifth_nearer(importance, factor) -> None:
    assert engram.importance(boosts.About(importance=importance)) == pytest.approx(1 / factor)


def test_E05_recency_is_a_tiebreaker_by_last_access() -> None:
    fresh, old = boosts.About(age=900, unread=0), boosts.About(age=900, unread=300)
    assert engram.recency(fresh) == pytest.approx(1 / 0.9)
    assert engram.recency(old) == pytest.approx(1.0, abs=1e-4)


def test_E05_what_is_read_often_is_nearer_and_what_never_was_gets_farther_with_age() -> None:
    assert engram.access(boosts.About(accesses=3)) == pytest.approx(1 / 0.92)
    assert engram.access(boosts.About(accesses=10**6)) == pytest.approx(1 / 0.85)
    assert engram.access(boosts.About(age=14)) == 1.0
    assert engram.access(boosts.About(age=180)) == pytest.approx(1 / 1.2)
    assert engram.access(boosts.About(age=10_000)) == pytest.approx(1 / 1.2)


def test_E05_from_two_weeks_to_half_a_year_what_was_never_read_gets_farther() -> None:
    ages = {14: 1.0, 15: 1 + 0.2 / 166, 97: 1.1, 180: 1.2, 181: 1.2}
    assert {age: 1 / engram.access(boosts.About(age=age)) for age in ages} == pytest.approx(ages)
    assert engram.access(boosts.About()) == engram.access(boosts.About(age=13)) == 1.0
    assert engram.access(boosts.About(accesses=1, age=500)) == pytest.approx(1 / 0.96)


def test_E05_a_memory_that_was_never_read_is_as_recent_as_what_it_tells() -> None:
    days = {0: 0.9, 30: 1 - 0.1 / e, 60: 1 - 0.1 / e**2}
    assert {age: 1 / engram.recency(boosts.About(age=age)) for age in days} == pytest.approx(days)
    assert engram.recency(boosts.About()) == 1.0
    assert engram.recency(boosts.About(age=-3.0)) == engram.recency(boosts.About(age=0.0))
    assert engram.importance(boosts.About(importance=1)) == 1.0  # below the published scale of 1 to 5
    assert engram.importance(boosts.About(importance=5)) == pytest.approx(1 / 0.925)


def test_E05_the_strategy_weighs_by_importance_recency_and_use() -> None:
    rows = [
        {"text": "ship it", "importance": 10, "timestamp": "2025-01-01"},
        {"text": "push", "timestamp": "2025-01-01"},
    ]
    db = database(rows)
    db.conn.execute("delete from access")
    db.conn.execute("insert into access values (?, 3, ?)", [key(db, "m1"), "2026-02-28T12:00:00Z"])
    boosts_of = {hit.memory.source_id: hit.boosts for hit in db.recall("deploy", strategy="engram", now=NOW)}
    assert boosts_of["m1"]["importance"] == pytest.approx(1 / 0.8)
    assert boosts_of["m1"]["recency"] == pytest.approx(engram.recency(boosts.About(age=424.5, unread=1)), rel=1e-3)
    assert boosts_of["m1"]["access"] == pytest.approx(1 / 0.92)
    assert boosts_of["m2"]["access"] == pytest.approx(1 / 1.2)


def test_E05_what_was_read_wins_a_tie() -> None:
    db = database([{"text": "ship it", "timestamp": "2025-01-01"}, {"text": "push it", "timestamp": "2025-01-01"}])
    for _ in range(3):
        db.conn.execute("delete from access")
        db.conn.execute("insert into access values (?, 3, ?)", [key(db, "m2"), "2026-02-28T00:00:00Z"])
    assert ids(db.recall("deploy", strategy="engram", now=NOW)) == ["m2", "m1"]


# ---------------------------------------------------------------------------------------------- the cutoff


def test_E06_the_cutoff_is_the_least_of_a_fifth_over_p75_and_three_times_the_best() -> None:
    scores = [1 / distance for distance in (0.2, 0.5, 0.6, 0.7, 1.4)]
    assert 1 / engram.cut(scores, 1.2) == pytest.approx(0.6)  # 3 x .2
    scores = [1 / distance for distance in (0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.4)]
    assert 1 / engram.cut(scores, 1.2) == pytest.approx(0.6)  # 1.2 x .5
    assert engram.cut([], 1.2) == float("-inf")
    assert engram.cut([1e12], 1.2) <= 1e12


def test_E06_three_quarters_of_the_distances_are_at_most_the_third_quartile() -> None:
    for distances, least in (
        ([1.0], 1.2),
        ([0.5, 1.0], 1.2),
        ([0.5, 0.6, 0.7, 1.0], 1.2),
        ([0.5, 0.6, 0.7, 0.8, 1.0], 0.96),
        ([0.1, 1.0], 0.3),
        ([1.1, 1.2], 1.44),
        ([1e-12], 1e-9),
    ):
        assert 1 / engram.cut([1 / one for one in distances], 1.2) == pytest.approx(least)
    assert engram.cut([1 / 1.11, 1 / 1.2], 1.2) == float("inf")
    assert engram.cut([1 / 0.5, 0.0], 1.2) == pytest.approx(1 / 0.6)  # a text without words has no distance
    assert engram.cut([0.0], 1.2) == float("-inf")


def test_E06_a_recall_is_weak_over_a_mean_distance_of_1_05() -> None:
    assert not engram.weak([1 / 1.0, 1 / 1.1])
    assert engram.weak([1 / 1.0, 1 / 1.11, 0.0])
    assert not engram.weak([])
    assert not engram.weak([0.0])


def test_E06_the_strategy_cuts_a_fifth_over_p75() -> None:
    cosines = [0.5] * 8 + [0.30, 0.26]  # distances of 1, of 1.18 and of 1.22
    db = database([f"{cosine} of boat {n}" for n, cosine in enumerate(cosines)], Angles())
    found = db.recall("zzz", k=20, strategy="engram", now=NOW)
    assert set(ids(found)) == {f"m{n}" for n in range(1, 10)}


def test_E06_an_exact_match_leaves_no_room_for_noise_and_the_rest_is_told_as_left_out() -> None:
    db = database(["deploy the boat", "a dog", "a garden", "fado music"])
    found = db.recall("deploy the boat", strategy="engram")
    assert ids(found) == ["m1"]
    assert {left.reason for left in found.left_out} == {"below the cut"}


def test_E06_where_nothing_is_near_nothing_comes_back_and_it_is_said() -> None:
    angles = [0.22, 0.18, 0.15]  # cosines: distances of 1.25 and more, which their importance makes 1.15
    db = database([f"{cosine} of boat {n}" for n, cosine in enumerate(angles)], Angles())
    found = db.recall("zzz", strategy="engram", now=NOW)
    assert not found
    assert [left.reason for left in found.left_out] == ["below the cut"] * 3
    assert found.warnings == ("Nothing that was found is close to the question.",)
    near = database(["0.34 of boat", "0.2 of boat"], Angles())  # a distance of 1.15, made 1.06
    assert ids(near.recall("zzz", strategy="engram", now=NOW)) == ["m1", "m2"]


@pytest.mark.parametrize("question", ["who won the 1966 world cup?", "asdf"])
def test_E06_an_unrelated_question_to_the_samples_brings_nothing(question) -> None:
    assert not sample().recall(question, strategy="engram", now=NOW)


def test_E06_a_recall_without_anything_close_warns() -> None:
    db = database(["a dog", "a garden"])
    assert db.recall("deploy", strategy="engram").warnings == ("Nothing that was found is close to the question.",)
    assert db.recall("dog", strategy="engram").warnings == ()


# ---------------------------------------------------------------------------------------------- links


@pytest.fixture
def hub():
    db = database(["sync storage", "parts of it: the merge rule", "the wire format", "a dog"], embed="none")
    for part in ("m2", "m3"):
        link(db, part, "part_of", "m1")
    return db


def test_E07_links_are_followed_only_where_a_depth_is_asked_for(hub) -> None:
    assert ENGRAM.expand.depth == 0
    assert ids(hub.recall("sync", strategy="engram")) == ["m1"]
    assert via(hub.recall("sync", strategy=DEEP)) == {"m1": None, "m2": "part_of", "m3": "part_of"}
    assert ADVISE.expand.depth == 1


def test_E07_a_depth_is_a_number_of_links(hub) -> None:
    link(hub, "m4", "derived_from", "m3")
    assert "m4" not in via(hub.recall("sync", strategy=DEEP))
    assert via(hub.recall("sync", strategy=ENGRAM.replace(expand={"depth": 2})))["m4"] == "derived_from"


async def test_E07_the_depth_is_a_parameter_of_recall_the_command_sql_and_the_address(tmp_path) -> None:
    path = tmp_path / "hub.db"
    with MemoryDatabase(path, embed="none") as db:
        db.ingest([{"id": "hub", "text": "sync storage"}, {"id": "part", "text": "the merge rule"}], now=NOW)
        link(db, "part", "part_of", "hub")
        recalls = {depth: db.recall("sync", strategy="engram", depth=depth, now=NOW) for depth in (None, 0, 1)}
        assert [hit.via for hit in recalls[1]] == [None, "part_of"]
        for wrong in (-1, 4, "1"):
            with pytest.raises(BadQuestion, match="depth"):
                db.recall("sync", depth=wrong)
    found = {depth: [hit.memory.text for hit in hits] for depth, hits in recalls.items()}
    assert found == {None: ["sync storage"], 0: ["sync storage"], 1: ["sync storage", "the merge rule"]}
    asked = ["recall", str(path), "sync", "--strategy", "engram", "--depth", "1", "--format", "json"]
    said = CliRunner().invoke(cli, asked)
    assert [row["text"] for row in json.loads(said.output)] == found[1]
    with MemoryDatabase(path, read_only=True) as db:
        register_sql_functions(db.conn)
        sql = """select json_group_array(value->>'text') from json_each(recall('sync', 5, :how))"""
        how = json.dumps({"strategy": "engram", "depth": 1})
        assert json.loads(db.conn.execute(sql, {"how": how}).fetchone()[0]) == found[1]
    reader = root(datasette(path))
    for depth, texts in (("", found[0]), ("&depth=1", found[1])):
        answer = await reader.json(f"/hub/-/recall.json?q=sync&strategy=engram{depth}")
        assert [hit["text"] for hit in answer["hits"]] == texts


def test_E08_a_hub_brings_its_parts_up_to_so_many(hub) -> None:
    assert ids(hub.recall("sync", strategy=DEEP)) == ["m1", "m2", "m3"]
    assert len(hub.recall("sync", strategy=ENGRAM.replace(expand={"depth": 1, "children": 1}))) == 2


@pytest.mark.parametrize("hidden", [True, False])
def test_E09_a_chain_of_versions_brings_its_end(hidden) -> None:
    db = database(["notes as markdown files", "everything in one column", "plain tables"], embed="none")
    link(db, "m2", "supersedes", "m1")
    link(db, "m3", "supersedes", "m2")
    if hidden:
        db.conn.execute("update memories set valid_until = '2025-06-01T00:00:00Z' where source_id in ('m1', 'm2')")
    found = db.recall("markdown files", strategy=DEEP, now=NOW)
    assert found[0].memory.source_id == "m3"
    assert found[0].via == "supersedes"
    assert ids(found)[1:] == ([] if hidden else ["m1"])


def test_E09_the_end_of_a_chain_that_was_found_stands_before_what_it_replaced() -> None:
    db = database([".9 of markdown", ".8 of a boat", ".7 of one column", ".6 of plain tables"], Angles())
    link(db, "m3", "supersedes", "m1")
    link(db, "m4", "supersedes", "m3")
    found = db.recall("zzz", strategy=DEEP, now=NOW)
    assert ids(found) == ["m4", "m1", "m2", "m3"]
    assert via(found) == dict.fromkeys(ids(found))
    scores = [hit.score for hit in found]
    assert (scores[0], scores) == (scores[1], sorted(scores, reverse=True))
    newest = found[0]
    assert newest.boosts["later"] > 1
    parts = sum(one.contribution for one in newest.why.values())
    assert newest.score == pytest.approx(parts * prod(newest.boosts.values()))
    assert ids(db.recall("zzz", strategy="engram", now=NOW)) == ["m1", "m2", "m3", "m4"]


def test_E09_what_a_newest_version_replaced_comes_along_and_is_said_to_be_superseded() -> None:
    db = database(["everything in one column", "plain tables"], embed="none")
    link(db, "m2", "supersedes", "m1")
    assert via(db.recall("plain tables", strategy=DEEP, now=NOW)) == {"m2": None, "m1": "superseded"}


def test_E09_a_circle_of_versions_ends() -> None:
    db = database(["one", "two"], embed="none")
    link(db, "m1", "supersedes", "m2")
    link(db, "m2", "supersedes", "m1")
    assert set(ids(db.recall("one", strategy=DEEP))) == {"m1", "m2"}


def test_E10_the_other_side_stands_beside_the_match() -> None:
    rows = ["prune the quince in winter", "the quince is a tree", "never prune a quince after harvest: wait"]
    db = database([*rows, "when the leaves are off, cut"])
    link(db, "m4", "contradicts", "m1")
    db.conn.execute("delete from embeddings where memory_key = ?", [key(db, "m4")])
    found = db.recall("when is the quince pruned in winter?", strategy=DEEP)
    place = ids(found).index("m1")
    assert ids(found)[place + 1] == "m4"
    assert found[place + 1].via == "contradicts"


def test_E10_weak_links_are_followed_only_to_what_is_similar_and_structure_always() -> None:
    db = database(["deploy", "ship the dog", "the dog", "fado music", "a garden"])
    for other in ("m2", "m4"):
        link(db, "m1", "relates_to", other)
    link(db, "m5", "derived_from", "m1")
    found = db.recall("deploy", k=1, strategy=DEEP)
    assert via(found) == {"m1": None, "m2": "relates_to", "m5": "derived_from"}


def test_E10_what_is_not_followed_leads_no_further() -> None:
    db = database(["deploy", "fado music", "a garden"])
    link(db, "m1", "relates_to", "m2")
    link(db, "m3", "part_of", "m2")
    assert ids(db.recall("deploy", k=1, strategy=ENGRAM.replace(expand={"depth": 3}))) == ["m1"]


def test_what_comes_along_is_hidden_where_it_would_be_otherwise(hub) -> None:
    hub.forget(hub.conn.execute("select id from memories where source_id = 'm2'").fetchone()[0])
    assert ids(hub.recall("sync", strategy=DEEP)) == ["m1", "m3"]


# ---------------------------------------------------------------------------------------------- projects


def test_E12_another_projects_memory_appears_below_an_equal_one_and_everybodys_between() -> None:
    text = "actors are reentrant"
    rows = [{"text": text, "project": "Lattice"}, {"text": text, "project": "Engram"}, {"text": text}]
    found = database(rows, embed="none").recall("actors", strategy="engram", project="Engram", now=NOW)
    assert [hit.memory.project for hit in found] == ["Engram", "global", "Lattice"]
    assert found[0].boosts["project"] == pytest.approx(1 / 0.7)
    assert found[1].boosts["project"] == pytest.approx(1 / 0.85)
    assert "project" not in found[2].boosts


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not here")
def test_E12_the_lesson_about_swift_in_three_projects() -> None:
    found = sample().recall("Swift actors and await", strategy="engram", project="Engram", now=NOW)
    places = ids(found)
    assert places.index("fact-swift-engram") < places.index("fact-swift-lattice")


def test_E13_one_file_and_no_query_per_candidate() -> None:
    """The statements of a recall are as many for three hundred memories as for three."""
    counts = []
    for size in (3, 300):
        db = database([f"ship boat {n}" for n in range(size)])
        statements: list[str] = []
        db.recall("boat", strategy=DEEP)
        db.conn.set_trace_callback(statements.append)
        db.recall("boat", strategy=DEEP)
        db.conn.set_trace_callback(None)
        counts.append(sum(not one.startswith("--") for one in statements))  # those are the index's own
    assert counts[0] == counts[1]


def test_E13_a_recall_says_how_many_milliseconds_each_stage_took(monkeypatch) -> None:
    seconds = iter([100.0, 100.5, 100.75, 101.0])
    monkeypatch.setattr(pipeline, "perf_counter", lambda: next(seconds))
    clock = pipeline.Clock()
    for stage in ("vector", "fulltext", "vector"):
        clock.lap(stage)
    assert clock.ms == {"vector": 750.0, "fulltext": 250.0}


def test_E11_before_a_message_five_memories_are_recalled_with_what_is_linked_to_them(hub) -> None:
    chosen, k = DESIGNS["engram"].advising
    assert (chosen, k) == (ADVISE, 5)
    assert ids(hub.recall("sync", k=k, strategy=chosen)) == ["m1", "m2", "m3"]
