"""What holds for all designs alike: each test has the code of the line of docs/behaviours.md that it proves."""

from __future__ import annotations

import json
import re
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published_helpers import Concepts, database, ids, key, link, say

from memkit import STRATEGIES, MemoryDatabase
from memkit.core.errors import BadQuestion
from memkit.retrieval.registry import DESIGNS, strategy
from memkit.retrieval.reranking import ordered
from memkit.retrieval.strategies import Strategy
from memkit.storage import driver

NOW = "2026-03-01T12:00:00Z"
NAMES = ("construct", "kira", "slots", "membox", "engram", "memkit")
ALL = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def world() -> MemoryDatabase:
    """A few memories in two projects, with names, relations, links and slots."""
    rows = [
        {"text": "Alice introduced me to Nightshade, a restaurant by the river", "timestamp": "2025-03-30"},
        {"text": "We deploy on Fridays", "slot": "project", "key": "release", "project": "kira"},
        {"text": "Shipped the onboarding to prod", "kind": "episode", "project": "kira", "timestamp": "2026-02-27"},
        {"text": "Check, test, go", "title": "Deploy to Vercel", "kind": "procedure", "project": "kira"},
        {"text": 'C++ and foo"bar, e-mail, a AND b, col:val *', "kind": "fact"},
        {"text": "林伟在运河边卖茶", "kind": "fact"},
        {"text": "The dog is afraid of umbrellas", "project": "home"},
        {"text": "The dog fears the number 4 bus", "project": "home"},
    ]
    db = database(rows)
    say(db, "Alice", "introduced to", "Nightshade", "m1")
    say(db, "Nightshade", "is a", "restaurant", "m1", kinds=("place", "concept"))
    link(db, "m8", "part_of", "m7")
    return db


def test_six_strategies_are_named() -> None:
    assert set(STRATEGIES) == set(NAMES)
    assert set(DESIGNS) == set(NAMES) - {"memkit"}


@ALL
def test_a_strategy_becomes_json_and_comes_back(name) -> None:
    assert strategy(STRATEGIES[name].to_json()) == STRATEGIES[name]
    assert strategy({"name": name}) == STRATEGIES[name]
    assert isinstance(STRATEGIES[name], Strategy)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fuse": {"method": "rff"}}, "'rff' is not a way to fuse. Did you mean 'rrf'"),
        ({"cut": {"method": "engramm"}}, "'engramm' is not a cut. Did you mean 'engram'"),
        ({"rank": {"recency": "x"}}, "'x' is not a rule for recency. There are: construct, engram, "),
        ({"fulltext": {"query": "x"}}, "'x' is not a way to make a query. There are: construct, content, kira, slots"),
        ({"fulltext": {"lists": "x"}}, "There are: kira, one, slots"),
        ({"graph": {"walk": "x"}}, "'x' is not a walk"),
    ],
)
def test_a_name_that_is_none_is_told_with_those_there_are(changes, message) -> None:
    with pytest.raises(BadQuestion, match=re.escape(message)):
        database(["a dog"], embed="none").recall("dog", strategy=changes)


HOSTILE = [
    "C++?",
    "a AND",
    'foo"bar',
    "NEAR(",
    "e-mail",
    "col:val",
    "*",
    "",
    "🙂",
    "-",
    "a' OR 1=1 --",
    "^",
    "NOT",
    "\0",
]


@ALL
@pytest.mark.parametrize("text", HOSTILE)
def test_X02_any_text_is_a_question(world, name, text) -> None:
    assert len(world.recall(text, k=3, strategy=name, now=NOW)) <= 3


@settings(max_examples=40)
@given(text=st.text(max_size=60), name=st.sampled_from(NAMES), k=st.integers(0, 12))
def test_X02_X10_any_text_at_all_twice_gives_the_same_in_the_same_order(world, text, name, k) -> None:
    first, second = (world.recall(text, k=k, strategy=name, now=NOW) for _ in range(2))
    assert ids(first) == ids(second)
    assert [hit.score for hit in first] == [hit.score for hit in second]
    assert [fact.key for fact in first.facts] == [fact.key for fact in second.facts]
    assert len(first) <= k
    assert [hit.score for hit in first] == sorted((hit.score for hit in first), reverse=True)


@ALL
def test_X03_without_an_embedder_or_a_graph_words_answer_and_the_rest_says_why_not(name) -> None:
    db = database(["the dog is afraid of umbrellas"], embed="none")
    db.conn.execute("delete from mentions")
    db.conn.execute("delete from entities")
    found = db.recall("dog", strategy=name, now=NOW)
    assert ids(found) == ["m1"]
    assert found.channels["fulltext"] == "ran"
    assert found.channels.get("vector", "") != "ran"
    assert all(found.channels.values())


@ALL
def test_X03_without_sqlite_vec_the_answer_is_the_same(name, monkeypatch) -> None:
    rows = ["ship it", "deploy the boat", "the dog is afraid of umbrellas"]
    with_it = database(rows).recall("deploy", strategy=name, now=NOW)
    monkeypatch.setattr(driver, "vec_path", lambda: None)
    without = database(rows).recall("deploy", strategy=name, now=NOW)
    assert [(hit.memory.text, hit.score) for hit in without] == [(hit.memory.text, hit.score) for hit in with_it]


@ALL
def test_X03_an_empty_database_answers_with_nothing(name) -> None:
    found = database().recall("anything at all", strategy=name, now=NOW)
    assert len(found) == 0
    assert found.facts == ()


@ALL
def test_X04_one_word_in_common_is_enough(name) -> None:
    db = database(["umbrellas", "a boat"], embed="none")
    assert ids(db.recall("umbrellas of the seven green seas", strategy=name, now=NOW)) == ["m1"]


@ALL
def test_X05_superseded_expired_and_archived_are_hidden_and_there_on_request(name) -> None:
    db = database(["umbrella one", "umbrella two", "umbrella three", "umbrella four"], embed="none")
    for source_id, column in (("m1", "valid_until"), ("m2", "expires_at"), ("m3", "archived_at")):
        db.conn.execute(f"update memories set {column} = '2025-01-01T00:00:00Z' where source_id = ?", [source_id])
    assert ids(db.recall("umbrella", strategy=name, now=NOW)) == ["m4"]
    assert len(db.recall("umbrella", strategy=name, now=NOW, everything=True)) == 4


@ALL
def test_X06_every_hit_says_channels_ranks_and_contributions_that_make_its_score(world, name) -> None:
    for question in ("deploy", "Alice and the restaurant", "dog", "林伟"):
        found = world.recall(question, strategy=name, now=NOW)
        assert found, question
        for hit in found:
            assert hit.why
            product = sum(finding.contribution for finding in hit.why.values())
            for factor in hit.boosts.values():
                product *= factor
            assert hit.score == pytest.approx(product)
            assert all(finding.rank >= 1 for finding in hit.why.values())


@ALL
def test_X07_a_recall_writes_nothing_unless_it_is_asked_to(name, tmp_path) -> None:
    path = tmp_path / "memory.db"
    with database(["umbrella"], Concepts(), path) as db:
        before = db.conn.total_changes
        db.recall("umbrella", strategy=name, now=NOW)
        assert db.conn.total_changes == before
        found = db.recall("umbrella", strategy=name, now=NOW, track=True)
        assert (len(found), found.warnings) == (1, ())
        assert db.conn.execute("select count from access").fetchone()[0] == 1


def test_X07_tracking_changes_no_memory_and_fires_no_index(world) -> None:
    before = world.conn.execute("select group_concat(updated_at || hash) from memories").fetchone()[0]
    world.recall("dog", now=NOW, track=True)
    assert world.conn.execute("select group_concat(updated_at || hash) from memories").fetchone()[0] == before


def test_X07_a_read_only_file_is_recalled_from_and_says_that_nothing_was_recorded(tmp_path) -> None:
    path = tmp_path / "memory.db"
    database(["umbrella"], Concepts(), path).close()
    with MemoryDatabase(path, read_only=True, embed=Concepts()) as db:
        found = db.recall("umbrella", now=NOW, track=True, ledger=True)
    assert ids(found) == ["m1"]
    assert "not recorded" in found.warnings[0]


def test_X07_a_locked_file_is_recalled_from_without_waiting(tmp_path) -> None:
    path = tmp_path / "memory.db"
    with database(["umbrella"], Concepts(), path) as db:
        other = driver.connect(path)
        other.execute("begin immediate")
        found = db.recall("umbrella", now=NOW, track=True)
        assert ids(found) == ["m1"]
        assert "not recorded" in found.warnings[0]
        other.execute("rollback")
        other.close()
        assert db.recall("umbrella", now=NOW, track=True).warnings == ()


def test_X07_the_write_of_a_recall_waits_fifty_milliseconds_and_the_next_one_as_before() -> None:
    with database(["umbrella"]) as db:
        db.conn.execute("pragma busy_timeout = 700")
        asked: list[str] = []
        db.conn.set_trace_callback(asked.append)
        db.recall("umbrella", now=NOW, track=True)
        db.conn.set_trace_callback(None)
        waits = [sql.split()[-1] for sql in asked if "busy_timeout =" in sql]
        assert waits == ["50", "700"]


@ALL
def test_X08_the_question_is_embedded_once(name) -> None:
    model = Concepts()
    db = database(["ship it", "Alice likes the restaurant"], model)
    say(db, "Alice", "knows", "Rosa", "m2")
    model.asked.clear()
    db.recall("what did Alice deploy?", strategy=name, now=NOW)
    assert model.asked == ([] if name == "slots" else ["what did Alice deploy?"])


def test_X09_within_one_project_a_word_is_as_rare_as_it_is_there() -> None:
    """`report` is in all of this project's memories and in none of the other's, where everything is about the boat."""
    rows = [{"text": "report of the boat", "project": "a"}, {"text": "a report on the report", "project": "a"}]
    rows += [{"text": f"report {n} in the yard", "project": "a"} for n in range(6)]
    rows += [{"text": f"the boat, day {n}", "project": "b"} for n in range(40)]
    own = STRATEGIES["memkit"].replace(vector=None, graph=None, sentence=None, bridge=None, time=None)
    whole = own.replace(fulltext={"own_statistics": False})
    db = database(rows, embed="none")
    first = [
        ids(db.recall("report boat", strategy=strategy, project="a", only_project=True, now=NOW))[0]
        for strategy in (own, whole)
    ]
    assert first == ["m1", "m2"]


@ALL
def test_X09_a_project_can_be_a_filter_and_what_belongs_to_none_is_always_there(name) -> None:
    rows = [{"text": "umbrella", "project": project} for project in ("a", "b")] + ["umbrella"]
    db = database(rows, embed="none")
    found = db.recall("umbrella", strategy=name, project="a", only_project=True, now=NOW)
    assert set(ids(found)) == {"m1", "m3"}


@pytest.mark.parametrize("name", ["memkit", "engram"])
def test_X09_a_project_is_a_soft_boost(name) -> None:
    rows = [{"text": "umbrella", "project": project} for project in ("b", "a")]
    found = database(rows, embed="none").recall("umbrella", strategy=name, project="a", now=NOW)
    assert [hit.memory.project for hit in found] == ["a", "b"]


def test_X10_equal_scores_are_ordered_by_id() -> None:
    db = database(["umbrella"] * 1 + ["umbrella "] * 1 + ["umbrella."], embed="none")
    found = db.recall("umbrella", strategy="engram", now=NOW)
    assert [hit.memory.id for hit in found] == sorted(hit.memory.id for hit in found)


def test_X10_of_equal_scores_those_that_words_found_come_first() -> None:
    """As in Kira's published code, which adds up what words found, then what meaning found, and keeps that order."""
    db = database([*(f"ship number {n}" for n in range(5)), "deploy"], Concepts())
    rankings = ("fulltext", "vector")
    fused: dict = {key(db, f"m{n}"): {rankings[n < 6]: 0.5} for n in range(1, 7)}
    scores = dict.fromkeys(fused, 0.5)
    best = ordered(db.conn, fused, scores, {}, 6)
    assert [score for _, score in best] == [0.5] * 6
    names = {key(db, f"m{n}"): f"m{n}" for n in range(1, 7)}
    assert names[best[0][0]] == "m6"
    assert [one for one, _ in ordered(db.conn, fused, scores, {}, 3)] == [one for one, _ in best[:3]]
    fused[key(db, "m6")] = {"fulltext facts": 0.5}
    assert names[ordered(db.conn, fused, scores, {}, 1)[0][0]] == "m6"


def test_X11_no_strategy_trades_relevance_for_variety() -> None:
    db = database(["the dog barks"] + [f"the dog barks {n}" for n in range(3)] + ["a boat"])
    assert "m5" not in ids(db.recall("the dog barks", k=4, strategy="memkit"))
    assert all("mmr" not in json.dumps(one.to_dict()).lower() for one in STRATEGIES.values())


@ALL
def test_X12_no_decay_hides_an_exact_match(name) -> None:
    rows = [{"text": "the umbrella stands behind the clock", "timestamp": "1990-01-01"}]
    rows += [{"text": f"a dog was seen, day {n}", "timestamp": "2026-02-28"} for n in range(20)]
    found = database(rows).recall("umbrella behind the clock", k=5, strategy=name, now=NOW)
    assert ids(found)[0] == "m1"


# ---------------------------------------------------------------------------------------------- the ledger


def test_the_ledger_holds_each_hit_and_what_was_left_out_with_the_reason() -> None:
    db = database(["ship it", "deploy the boat", "deploy a dog"])
    for name in ("memkit", "engram"):
        db.recall("deploy the boat", k=2, strategy=name, now=NOW, ledger=True)
    recalls = db.conn.execute("select question, strategy, options, channels, at from recalls order by key").fetchall()
    assert [json.loads(row["strategy"])["name"] for row in recalls] == ["memkit", "engram"]
    assert json.loads(recalls[0]["options"]) == {"k": 2, "now": NOW}
    assert json.loads(recalls[0]["channels"])["fulltext"] == "ran"
    rows = db.conn.execute(
        "select m.source_id, h.* from recall_hits as h join memories as m on m.key = h.memory_key where recall_key = 1"
    ).fetchall()
    assert {row["source_id"] for row in rows if row["rank"] == 1} == {"m2"}
    assert {row["left_out"] for row in rows if row["rank"] is None} == {"after the first 2"}
    total = sum(row["contribution"] for row in rows if row["rank"] == 1)
    assert total == pytest.approx(next(row["score"] for row in rows if row["rank"] == 1))


def test_two_strategies_can_be_compared_in_sql() -> None:
    db = database(["ship it", "deploy the boat"])
    for name in ("slots", "kira"):
        db.recall("deploy", strategy=name, now=NOW, ledger=True)
    only_kira = db.conn.execute(
        """
        select distinct m.source_id from recall_hits as h join memories as m on m.key = h.memory_key
        where h.recall_key = 2 and h.rank is not null and not exists (
            select 1 from recall_hits as o where o.recall_key = 1 and o.memory_key = h.memory_key and o.rank is not null
        )
        """
    ).fetchall()
    assert [row[0] for row in only_kira] == ["m1"]


def test_what_came_along_by_a_link_is_in_the_ledger_under_that_link() -> None:
    db = database(["sync", "a part of it"], embed="none")
    link(db, "m2", "part_of", "m1")
    db.recall("sync", strategy={"name": "engram", "expand": {"depth": 1}}, now=NOW, ledger=True)
    rows = db.conn.execute("select channel, channel_rank from recall_hits where memory_key = ?", [key(db, "m2")])
    assert [tuple(row) for row in rows] == [("part_of", 0)]


def test_several_threads_may_recall_at_once(world) -> None:
    answers: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda n=n: answers.append(ids(world.recall("Alice", strategy=n, now=NOW))))
        for n in NAMES
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == len(NAMES)
    assert all("m1" in found for found in answers)


@ALL
@pytest.mark.parametrize("k", [0, 1, 1_000_000])
def test_any_number_of_memories_can_be_asked_for(world, name, k) -> None:
    assert len(world.recall("dog deploy Alice", k=k, strategy=name, now=NOW)) <= k


def test_the_newest_are_a_channel_too(world) -> None:
    newest = STRATEGIES["memkit"].replace(fulltext=None, vector=None, graph=None, recent={"weight": 1.0, "limit": 1})
    found = world.recall("whatever", strategy=newest, now=NOW)
    assert ids(found) == ["m3"]
    assert found[0].match == "recent"
