"""Kira's retrieval, line by line: each test has the code of the line of docs/behaviours.md that it proves."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import llm
import pytest
from datasettes import datasette, root
from published_helpers import SAMPLES, Concepts, database, ids, key, sample, say

from memkit import STRATEGIES, MemoryDatabase
from memkit.core.errors import EmbedderFailed, IntentUnknown
from memkit.core.instants import parse_iso
from memkit.frontends.datasette import access
from memkit.frontends.sql_functions import register_sql_functions
from memkit.graph.facts import around
from memkit.graph.question_entities import named_in
from memkit.retrieval import boosts, fusion
from memkit.retrieval import recall as pipeline
from memkit.retrieval.channels import vector
from memkit.retrieval.channels.facts import ENTITY, RELATION
from memkit.retrieval.intents import by_model, doing, intent
from memkit.retrieval.published import DESIGNS, kira
from memkit.retrieval.published.kira import stated, terms, things_by_words
from memkit.retrieval.query_cache import QueryCache
from memkit.retrieval.understanding import understand
from memkit.storage import caches
from memkit.storage.filters import Scope

NOW = "2025-11-17T12:00:00Z"
SCOPE = Scope(now=NOW)
DEPLOY = "Can you deploy the Kira app like we did last time?"
KIRA = STRATEGIES["kira"]
MOST = kira.MOST


def understood(db, text, now=NOW):
    return understand(db.conn, text, db.embedder, KIRA, parse_iso(now))


def entity(db, name):
    return db.conn.execute("select key from entities where name = ?", [name]).fetchone()[0]


# ---------------------------------------------------------------------------------------------- the query


def test_K01_a_message_becomes_words_entities_an_intent_a_time_and_itself() -> None:
    db = database(["Kira is an app"])
    say(db, "Kira", "uses", "edge functions")
    question = understood(db, "What did we deploy for Kira yesterday?")
    assert question.terms == ("deploy", "kira")
    assert [one.entity.name for one in question.named] == ["Kira"]
    assert question.intent == "deploy"
    assert (question.interval.start, question.interval.end) == ("2025-11-16T00:00:00Z", "2025-11-17T00:00:00Z")
    assert question.text == "What did we deploy for Kira yesterday?"


def test_K02_the_published_example_leaves_deploy_kira_and_app() -> None:
    assert terms(DEPLOY) == ["deploy", "kira", "app"]


def test_K02_where_nothing_but_other_words_is_left_they_count() -> None:
    assert terms("last time") == ["last", "time"]


def test_K04_the_intent_is_found_by_rules_and_a_model_is_asked_only_where_they_fail() -> None:
    assert intent(DEPLOY) == "deploy_application"
    assert intent("when is the ferry?") == "ask_time"
    assert intent("the ferry is late") == "statement"
    assert intent("the ferry is late", lambda text: "complain") == "complain"
    assert intent(DEPLOY, lambda text: "never asked") == "deploy_application"


def test_K04_a_procedure_is_found_by_what_the_message_wants_done_whatever_word_it_says() -> None:
    """Of lists, only that of procedures: the words of an intent are no words of the question."""
    rows = [{"text": "run the tests, then publish", "kind": "procedure"}, "we publish a letter every month"]
    db = database(rows, embed="none")
    assert ids(db.recall("please ship it", strategy="kira")) == ["m1"]
    assert not db.recall("please paint it", strategy="kira")
    assert doing("deploy_application") == ("deploy", "release", "ship", "publish", "launch", "rollout")
    assert doing("water_garden") == ("water",)
    assert doing("ask_time") == doing("question") == doing("statement") == ()


class Intents(llm.Model):
    """A model that says `answer` to every prompt, and keeps the prompts."""

    model_id = "intents"
    answer = "water_garden"

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def execute(self, prompt, stream, response, conversation):
        self.prompts.append(prompt.prompt)
        if not self.answer:
            raise OSError("no network")
        yield self.answer


def test_K04_the_model_of_the_database_is_asked_where_rules_fail_and_its_answer_is_searched_for() -> None:
    db = database([{"text": "water in the evening, not at noon", "kind": "procedure"}, "the garden gate"], embed="none")
    wish = "the beds are dry"
    assert not db.recall(wish, strategy="kira")
    db.intent_model = model = Intents()
    assert ids(db.recall(wish, strategy="kira")) == ["m1"]
    assert len(model.prompts) == 1
    assert json.dumps(wish) in model.prompts[0]
    db.recall("please ship it", strategy="kira")
    db.recall(wish)
    assert len(model.prompts) == 1, "a rule knows the first wish, and memkit's own strategy does not ask"


def test_K04_of_a_long_message_the_model_reads_the_first_2000_characters() -> None:
    model = Intents()
    assert by_model(model, pytest.fail)("~" * 3000) == "water_garden"
    assert model.prompts[0].count("~") == 2000


@pytest.mark.parametrize("answer", ["", "I think that they want to water the garden.", "x" * 99])
def test_K04_a_model_that_fails_or_babbles_changes_nothing(answer) -> None:
    db = database(["the garden gate"], embed="none")
    said: list[str] = []
    db.warn, db.intent_model = said.append, Intents()
    db.intent_model.answer = answer
    assert ids(db.recall("the gate is open", strategy="kira")) == ["m1"]
    assert [sentence for sentence in said if "no network" in sentence] == said
    assert bool(said) == (answer == "")


def test_K04_who_hears_warnings_in_python_is_told_of_the_model_and_not_of_vectors() -> None:
    db = database(["the garden gate"], embed="none")
    db.intent_model = Intents()
    db.intent_model.answer = ""
    with pytest.warns(IntentUnknown, match="no network"):
        db.recall("the gate is open", strategy="kira")


@pytest.mark.parametrize(
    ("text", "start"), [("what did I do last week?", "2025-11-10"), ("yesterday?", "2025-11-16"), (DEPLOY, None)]
)
def test_K05_a_time_is_read_from_the_message_and_the_rest_is_none(text, start) -> None:
    interval = understood(database(), text).interval
    assert (interval and interval.start[:10]) == start


def test_K03_K06_a_new_name_and_a_new_alias_are_known_at_the_next_question() -> None:
    db = database(["Kira is an app"])
    assert not named_in(db.conn, "what about zork?")
    say(db, "Zork", "is", "game")
    assert [one.entity.name for one in named_in(db.conn, "what about zork?")] == ["Zork"]


@pytest.mark.parametrize("text", ["who made Kira?", "KIRA!", "(Kira)", "Kira's app", "what is kira"])
def test_K07_names_are_matched_without_punctuation_and_case(text) -> None:
    db = database()
    say(db, "Kira", "is", "study partner")
    assert [one.entity.name for one in named_in(db.conn, text)] == ["Kira"]


def test_K07_names_of_three_words_and_chinese_names_are_matched() -> None:
    db = database()
    say(db, "New York City", "has", "a harbor")
    say(db, "林伟", "sells", "tea")
    assert [one.entity.name for one in named_in(db.conn, "ferries of new york city, please")] == ["New York City"]
    assert "林伟" in [one.entity.name for one in named_in(db.conn, "林伟现在卖什么？")]


# ---------------------------------------------------------------------------------------------- channels


def test_K08_the_words_of_an_episode_count_more_than_its_tags_and_twenty_are_fetched() -> None:
    assert KIRA.fulltext.columns == (1.0, 1.0, 0.5, 0.3, 0.0)
    assert KIRA.fulltext.limit == 20
    db = database([{"text": "one two", "tags": ["quince"]}, "one quince"], embed="none")
    assert ids(db.recall("quince", strategy="kira")) == ["m2", "m1"]


def test_K08_a_time_in_the_question_bounds_episodes_at_both_ends() -> None:
    rows = [
        {"text": f"walked the dog, day {day}", "timestamp": f"2025-{day}T10:00:00Z"}
        for day in ("11-01", "11-12", "11-17")
    ]
    db = database(rows, embed="none")
    assert ids(db.recall("did I walk the dog last week?", strategy="kira", now=NOW)) == ["m2"]
    assert len(db.recall("did I walk the dog?", strategy="kira", now=NOW)) == 3


@pytest.mark.parametrize(("wanted", "each"), [(20, (20, 10, 10)), (10, (10, 10, 10)), (22, (22, 11, 11))])
def test_K08_to_K11_so_many_episodes_facts_and_procedures_are_fetched(wanted, each) -> None:
    db = database()
    parts = kira.lists(SCOPE, understood(db, "deploy Kira"), wanted, 20)
    assert tuple(part.most for part in parts) == each
    assert [part.name for part in parts] == ["episodes", "facts", "procedures"]
    assert [bool(part.also) for part in parts] == [False, False, True]
    assert parts[0].scope.but_kinds == ("fact", "preference", "procedure")
    assert (parts[1].scope.kinds, parts[2].scope.kinds) == (("fact", "preference"), ("procedure",))
    only = kira.lists(replace(SCOPE, kinds=("fact", "episode")), understood(db, "deploy"), wanted, 20)
    assert [part.scope.kinds for part in only] == [("fact", "episode"), ("fact",), ()]


@pytest.mark.parametrize(
    ("since", "until", "ends"),
    [
        (None, None, ("2025-11-10", "2025-11-17")),
        ("2025-11-12T00:00:00Z", "2025-11-14T00:00:00Z", ("2025-11-12", "2025-11-14")),
        ("2025-11-01T00:00:00Z", "2025-11-30T00:00:00Z", ("2025-11-10", "2025-11-17")),
    ],
)
def test_K08_episodes_are_of_the_time_asked_for_and_of_the_time_in_the_question(since, until, ends) -> None:
    scope = replace(SCOPE, since=since, until=until)
    parts = kira.lists(scope, understood(database(), "what did I do last week?"), 20, 20)
    episodes = parts[0].scope
    assert (episodes.since[:10], episodes.until[:10]) == ends
    assert (parts[1].scope.since, parts[1].scope.until) == (since, until)


def test_K09_facts_that_ended_are_not_found() -> None:
    rows = [
        {"text": "quince fact", "kind": "fact"},
        {"text": "old quince fact", "kind": "fact", "valid_until": "2025-01-01"},
    ]
    db = database(rows, embed="none")
    db.conn.execute("update memories set valid_until = '2025-01-01T00:00:00Z' where source_id = 'm2'")
    assert ids(db.recall("quince", strategy="kira", now=NOW)) == ["m1"]


def test_K09_a_relation_is_found_by_its_words_with_its_confidence() -> None:
    db = database(["something else entirely"], embed="none")
    say(db, "Otto", "prefers", "no docker", confidence=0.95)
    found = db.recall("who works without docker", strategy="kira", now=NOW)
    assert [(str(fact), fact.confidence) for fact in found.facts] == [("Otto prefers no docker", 0.95)]


def test_K09_K10_ten_relations_and_ten_entities_come_by_words() -> None:
    db = database(embed="none")
    for n in range(12):
        say(db, f"Harbor {n}", "berths", f"Harbor boat {n}")
    entities, relations = things_by_words(db.conn, understood(db, "which harbor?"), SCOPE)
    assert (len(entities), len(relations)) == (10, 10)


def test_K10_an_entity_is_found_by_name_kind_or_description() -> None:
    db = database(embed="none")
    say(db, "Dr. Martinez", "works at", "clinic")
    db.conn.execute("update entities set description = 'hums while she drills' where name = 'Dr. Martinez'")
    db.conn.execute(
        "insert into settings (name, value) values ('graph_version', '77') on conflict do update set value = '77'"
    )
    entities, _ = things_by_words(db.conn, understood(db, "who hums?"), SCOPE)
    assert list(entities) == [(ENTITY, entity(db, "Dr. Martinez"))]


def test_K10_each_list_is_ranked_on_its_own() -> None:
    rows = [
        {"text": "quince quince quince"},
        {"text": "a quince", "kind": "fact"},
        {"text": "the quince way", "kind": "procedure"},
    ]
    found = database(rows, embed="none").recall("quince", strategy="kira", now="2030-01-01T00:00:00Z")
    assert {hit.memory.source_id: hit.why["fulltext"].rank for hit in found} == {"m1": 1, "m2": 1, "m3": 1}
    assert {round(hit.why["fulltext"].contribution * MOST, 9) for hit in found} == {round(1 / 61, 9)}


def test_K11_procedures_are_found() -> None:
    db = database([{"text": "check, test, go", "title": "Deploy to Vercel", "kind": "procedure"}], embed="none")
    assert ids(db.recall("how do I deploy?", strategy="kira")) == ["m1"]


def test_K12_meaning_ranks_episodes_facts_entities_and_their_relations_in_one_list_of_twenty() -> None:
    assert KIRA.vector.limit == 20
    db = database([f"deploy number {n}" for n in range(30)])
    found = db.recall("ship", k=10, strategy="kira")
    assert len({hit.why["vector"].rank for hit in found}) == 10


def test_K12_the_list_of_meaning_keeps_the_best_twenty() -> None:
    db = database(["the dog"])
    say(db, "Rex", "is a", "dog")
    rankings = {"vector": {n: 1 - n / 100 for n in range(1, 31)}}
    kira.walk(db.conn, understood(db, "what about Rex?"), KIRA, SCOPE, rankings, 10)
    assert list(rankings["vector"]) == list(range(1, 21))


def test_K12_relations_inherit_the_vector_of_their_entity() -> None:
    db = database(["zzz"])
    say(db, "Dr. Martinez", "works at", "Second Avenue", "m1")
    db.conn.execute(
        "insert or replace into entity_embeddings (entity_key, model_key, vector) select ?, key, ? from models",
        [entity(db, "Dr. Martinez"), Concepts().encode(["dentist"])[0].astype("<f4").tobytes()],
    )
    found = db.recall("a good dentist", strategy="kira")
    assert [str(fact) for fact in found.facts] == ["Dr. Martinez works at Second Avenue"]
    assert ids(found) == ["m1"]


def test_K13_ship_the_product_finds_the_deployment_pipeline() -> None:
    db = database(["the deployment pipeline has four stages", "the dog is afraid of umbrellas"])
    found = db.recall("How to ship the product", strategy="kira")
    assert ids(found)[0] == "m1"
    assert set(found[0].why) == {"vector"}


def chain(*names, confidence=1.0):
    db = database(embed="none")
    for one, other in pairwise(names):
        say(db, one, "knows", other, confidence=confidence)
    return db


def test_K14_the_walk_goes_two_relations_far_and_gives_depths() -> None:
    found = chain("Ada", "Ben", "Cid", "Dot", "Eve").recall("what about Ada?", strategy="kira", now=NOW)
    assert {one.name: one.depth for one in found.entities} == {"Ada": 0, "Ben": 1, "Cid": 2}
    assert {str(one): one.depth for one in found.facts} == {
        "Ada knows Ben": 0,
        "Ben knows Cid": 1,
        "Cid knows Dot": 2,
    }


def test_K15_of_each_entity_the_ten_surest_current_facts() -> None:
    rows = [{"text": f"Kira fact {n}", "kind": "fact", "confidence": n / 20} for n in range(1, 13)]
    db = database(embed="none")
    say(db, "Kira", "is", "app")
    db.ingest([{"id": f"f{n}", **row} for n, row in enumerate(rows, 1)])
    db.conn.execute("update memories set valid_until = '2020-01-01T00:00:00Z' where source_id = 'f12'")
    found = stated(db.conn, [entity(db, "Kira")], SCOPE)[entity(db, "Kira")]
    assert list(found) == [key(db, f"f{n}") for n in range(11, 1, -1)]


def walked(db, text):
    """What the strategy's walk finds for a question, with its bonuses."""
    return kira.walk(db.conn, understood(db, text), KIRA, SCOPE, {}, 10)


def test_K15_the_walk_gives_the_ten_surest_facts_of_an_entity_a_bonus() -> None:
    db = database(embed="none")
    say(db, "Kira", "is", "app")
    rows = [{"text": f"Kira fact {n}", "kind": "fact", "confidence": n / 20} for n in range(1, 13)]
    db.ingest([{"id": f"f{n}", **row} for n, row in enumerate(rows, 1)])
    bonuses = {key: part for key, part in walked(db, "what about Kira?").ranking.items() if isinstance(key, int)}
    assert bonuses == {key(db, f"f{n}"): pytest.approx(kira.bonus(0, n / 20)) for n in range(12, 2, -1)}


def test_K16_the_walk_leaves_out_what_is_not_surer_than_three_tenths() -> None:
    db = database(embed="none")
    for confidence in (0.29, 0.3, 0.31):
        say(db, "Kira", "uses", f"tool {confidence}", confidence=confidence)
    found = walked(db, "what about Kira?")  # words find the others, too, but they get no bonus
    assert [str(found.facts[key]) for kind, key in found.ranking if kind == RELATION] == ["Kira uses tool 0.31"]


def test_K16_relations_count_in_both_directions_over_three_tenths_the_ten_surest() -> None:
    db = database(embed="none")
    for n in range(1, 13):
        say(db, f"Friend {n}", "knows", "Kira", confidence=n / 20)
    assert not around(db.conn, [entity(db, "Kira")], SCOPE, depth=0, fan_out=10, least=0.6).relations
    found = around(db.conn, [entity(db, "Kira")], SCOPE, depth=0, fan_out=3, least=0.3).relations
    assert [relation.confidence for relation in found.values()] == [0.6, 0.55, 0.5]
    assert KIRA.graph.least_confidence == 0.3
    assert KIRA.graph.fan_out == 10


def test_K14_an_entity_gives_equal_shares_to_what_names_it_and_all_to_the_note_about_it() -> None:
    db = database(["Kira is slow", "Kira is fast", "the app"], embed="none")
    say(db, "Kira", "is", "app")
    found = walked(db, "what about Kira?")
    kira_key = (ENTITY, entity(db, "Kira"))
    assert found.behind[kira_key] == {key(db, "m1"): 0.5, key(db, "m2"): 0.5}
    db.conn.execute("update mentions set role = 'title' where memory_key = ?", [key(db, "m2")])
    assert walked(db, "what about Kira?").behind[kira_key] == {key(db, "m2"): 1.0}


def test_K20_behind_a_relation_its_evidence_has_half_of_its_score() -> None:
    db = database(["signed on paper", "the dog"], embed="none")
    say(db, "Otto", "prefers", "tea", "m1")
    ((_, behind),) = ((k, v) for k, v in walked(db, "what about Otto?").behind.items() if k[0] == RELATION)
    assert behind == {key(db, "m1"): 0.5}


def test_K17_a_depth_is_the_shortest_way() -> None:
    db = chain("Ada", "Ben", "Cid")
    say(db, "Ada", "trusts", "Cid")
    found = db.recall("what about Ada?", strategy="kira", now=NOW)
    assert {one.name: one.depth for one in found.entities} == {"Ada": 0, "Ben": 1, "Cid": 1}


# ---------------------------------------------------------------------------------------------- merge and rank


def test_K18_each_list_gives_one_over_sixty_plus_rank_and_they_add_up() -> None:
    fused = fusion.rrf({"a": {1: 9.0, 2: 8.0}, "b": {2: 0.5}}, {})
    assert fused == {1: {"a": 1 / 61}, 2: {"a": 1 / 62, "b": 1 / 61}}
    assert KIRA.fuse.k == 60
    assert kira.fuse({"a": {1: 9.0}}, {})[1]["a"] * MOST == pytest.approx(1 / 61)


def test_K20_memories_and_things_are_one_ranking_in_which_equals_stand_by_key() -> None:
    things = [((RELATION, 1), 0.5), ((ENTITY, 9), 0.5), (7, 0.5), ((ENTITY, 2), 0.9), ((ENTITY, 3), 0.5), (4, 0.5)]
    assert list(fusion.best_first(things)) == [(ENTITY, 2), 4, 7, (ENTITY, 3), (ENTITY, 9), (RELATION, 1)]


@pytest.mark.parametrize(("depth", "confidence", "bonus"), [(0, 1.0, 0.02), (1, 1.0, 0.02 / 1.5), (2, 0.5, 0.005)])
def test_K19_the_graph_adds_a_bonus_that_falls_with_depth(depth, confidence, bonus) -> None:
    assert kira.bonus(depth, confidence) == pytest.approx(bonus)
    assert kira.fuse({"graph": {5: bonus}}, {}) == {5: {"graph": pytest.approx(bonus / MOST)}}


def test_K19_the_walk_hands_over_its_depths_and_confidences() -> None:
    found = walked(chain("Ada", "Ben", "Cid", "Dot", confidence=0.5), "what about Ada?")
    named = {one.name: found.ranking[ENTITY, key] for key, one in found.entities.items()}
    said = {str(one): found.ranking[RELATION, key] for key, one in found.facts.items()}
    assert named == {"Ada": 0.02, "Ben": pytest.approx(0.02 / 1.5), "Cid": pytest.approx(0.01)}
    assert said == {
        "Ada knows Ben": pytest.approx(0.01),
        "Ben knows Cid": pytest.approx(0.01 / 1.5),
        "Cid knows Dot": pytest.approx(0.005),
    }


def test_K20_what_words_and_the_graph_found_is_one_thing_and_gets_its_bonus_once() -> None:
    db = database(embed="none")
    say(db, "Kira", "uses", "Vercel", confidence=1.0)
    found = db.recall("Kira and Vercel", strategy="kira", now=NOW)  # both ends of the relation are seeds
    scores = {one.name: one.score * MOST for one in found.entities}
    assert scores["Kira"] == pytest.approx(1 / 61 + 0.02)
    assert [fact.score * MOST for fact in found.facts] == [pytest.approx(1 / 61 + 0.02)]


@pytest.mark.parametrize(
    ("age", "factor"), [(0.0, 2.0), (3.5, 1.5), (7.0, 1.0), (100.0, 1.0), (None, 1.0), (-1.0, 2.0)]
)
def test_K21_new_counts_double_and_the_boost_is_gone_in_a_week(age, factor) -> None:
    assert kira.recency(boosts.About(age=age)) == pytest.approx(factor)


@pytest.mark.parametrize(("importance", "factor"), [(10, 1.2), (5, 1.0), (0, 0.8)])
def test_K22_importance_is_worth_a_fifth_up_or_down(importance, factor) -> None:
    assert kira.importance(boosts.About(importance=importance)) == pytest.approx(factor)


def test_K22_the_strategy_weighs_by_importance() -> None:
    db = database(
        [{"text": "the quince", "importance": 10}, {"text": "the quince, too", "importance": 1}], embed="none"
    )
    found = db.recall("quince", strategy="kira", now="2030-01-01T00:00:00Z")
    assert {hit.memory.importance: hit.boosts["importance"] for hit in found} == {
        10: pytest.approx(1.2),
        1: pytest.approx(0.84),
    }


def test_K23_a_relation_that_is_half_sure_counts_half() -> None:
    db = database(embed="none")
    say(db, "Kira", "uses", "Vercel", confidence=0.5)
    (fact,) = db.recall("Kira and Vercel", strategy="kira", now=NOW).facts
    assert fact.score * MOST == pytest.approx((1 / 61 + kira.bonus(0, 0.5)) * 0.5)


def test_K23_confidence_weighs_facts_and_relations_and_nothing_else() -> None:
    rows = [{"text": "quince", "kind": "fact", "confidence": 0.5}, {"text": "quince", "confidence": 0.5}]
    found = database(rows, embed="none").recall("quince", strategy="kira", now="2030-01-01T00:00:00Z")
    assert {hit.memory.kind: hit.boosts.get("confidence") for hit in found} == {"fact": 0.5, "passage": None}


def test_K24_sorted_by_a_score_that_is_a_share_of_the_best_possible() -> None:
    rows = [{"text": "deploy", "importance": 10, "timestamp": NOW}, {"text": "deploy deploy it now, the big one"}]
    found = database(rows).recall("deploy", strategy="kira", now=NOW)
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert 0.5 < scores[0] <= 1
    hit = found[0]
    product = sum(finding.contribution for finding in hit.why.values())
    for factor in hit.boosts.values():
        product *= factor
    assert hit.score == pytest.approx(product)


def test_K24_a_memory_behind_many_relations_has_no_more_than_all_there_is() -> None:
    db = database([{"text": "Otto's tools: tea", "importance": 10, "timestamp": NOW}, "a dog"], embed="none")
    for n in range(12):
        say(db, "Otto", "uses", f"tool {n}", "m1", quote="tools")
    hit = db.recall("which tools does Otto use?", strategy="kira", now=NOW)[0]
    assert hit.score == pytest.approx(1.0)
    assert sum(finding.contribution for finding in hit.why.values()) == pytest.approx(1 / kira.BOOST)


def test_K20_evidence_is_ranked_by_the_relations_it_says() -> None:
    db = database(["the contract was signed on paper", "an umbrella"], embed="none")
    say(db, "Otto", "prefers", "no docker", "m1", quote="signed on paper")
    found = db.recall("what does Otto like?", strategy="kira", now=NOW)
    assert ids(found) == ["m1"]
    assert found[0].match == "graph"
    assert found[0].path_text == "question -> Otto -prefers-> no docker"
    assert found.facts[0].evidence[0].quote == "signed on paper"
    assert found.facts[0].evidence[0].memory_id == found[0].memory.id


# ---------------------------------------------------------------------------------------------- end to end


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not here")
def test_K43_the_deploy_example() -> None:
    found = sample().recall(DEPLOY, k=30, strategy="kira", now=NOW)
    by_words = {hit.memory.source_id for hit in found if "fulltext" in hit.why and hit.memory.kind == "episode"}
    assert {"ep-kira-deploy", "ep-kira-vercel-json", "ep-kira-rollback"} <= by_words
    assert {"proc-deploy-vercel", "fact-otto-docker", "fact-kira-hobby-plan"} <= set(ids(found))
    assert {("Kira", "deployed_on", "Vercel"), ("Kira", "uses", "edge_functions")} <= {
        (fact.subject, fact.predicate, fact.object) for fact in found.facts
    }
    assert ("Kira", 0) in {(one.name, one.depth) for one in found.entities}


def published_store(*more: dict) -> MemoryDatabase:
    """What the published page says that its memory holds, as far as it says it, in the built-in model."""
    db = MemoryDatabase()
    friday = "2025-11-14T12:00:00Z"
    deployed = "Deployed Kira to Vercel using edge functions successfully"
    steps = "Check vercel.json → run tests → vercel --prod → verify URL"
    rows = [
        {"id": "deployed", "kind": "episode", "text": deployed, "timestamp": friday, "importance": 7},
        {"id": "configured", "kind": "episode", "text": "Configured vercel.json for edge runtime", "timestamp": friday},
        {"id": "shipped", "kind": "episode", "text": "Ship the new page on Friday", "timestamp": "2025-05-02"},
        {"id": "pushed", "kind": "episode", "text": "Push to prod went wrong once", "timestamp": "2025-04-02"},
        {"id": "docker", "kind": "fact", "text": "Otto dislikes Docker", "confidence": 0.95},
        {"id": "plan", "kind": "fact", "text": "Kira runs on Vercel hobby plan", "confidence": 0.9},
        {"id": "steps", "kind": "procedure", "title": "Deploy to Vercel", "text": steps, "confidence": 0.8},
        *more,
    ]
    db.ingest(rows, now="2025-11-16T00:00:00Z")
    for subject, predicate, object in (
        ("Kira", "deployed_on", "Vercel"),
        ("Kira", "uses", "edge_functions"),
        ("Otto", "prefers", "no_docker"),
        ("Otto", "builds", "Kira"),
    ):
        say(db, subject, predicate, object)
    about = "AI partner product, deployed on Vercel"
    db.conn.execute("update entities set kind = 'project', description = ? where name = 'Kira'", [about])
    return db


def test_K43_the_published_five_are_the_first_five_of_the_published_memory_in_850_tokens() -> None:
    db = published_store()
    found = db.recall(DEPLOY, k=5, strategy="kira", now="2025-11-17T12:00:00Z")
    assert ids(found)[0] == "deployed"
    assert set(ids(found)) == {"deployed", "docker", "steps", "plan", "configured"}
    page = db.context(DEPLOY, strategy="kira", now="2025-11-17T12:00:00Z")
    assert page.used <= 850
    for line in (
        "- **Kira** (project): AI partner product, deployed on Vercel",
        "- Otto dislikes Docker (confidence: 0.95)",
        "- Kira runs on Vercel hobby plan (confidence: 0.9)",
        "- [3 days ago] Deployed Kira to Vercel using edge functions successfully",
        "- [3 days ago] Configured vercel.json for edge runtime",
        "- **Deploy to Vercel** (confidence: 0.8): Check vercel.json → run tests → vercel --prod → verify URL",
    ):
        assert line in str(page).splitlines()


def test_K43_a_third_episode_with_the_words_comes_second_by_the_published_formulas() -> None:
    """The page names three episodes found by words, and shows two. The formulas give a third more than a fact."""
    third = {"id": "third", "kind": "episode", "text": "Kira did not deploy at first", "timestamp": "2025-06-02"}
    found = ids(published_store(third).recall(DEPLOY, k=6, strategy="kira", now="2025-11-17T12:00:00Z"))
    assert set(found) == {"deployed", "third", "docker", "steps", "plan", "configured"}


# ---------------------------------------------------------------------------------------------- context


def test_K27_of_each_category_so_many_are_shown_as_the_queries_return() -> None:
    rows = [{"text": f"deploy rule {n}", "kind": "fact"} for n in range(25)]
    rows += [{"text": f"deploy way {n}", "kind": "procedure"} for n in range(15)]
    rows += [{"text": f"deploy day {n}", "kind": "episode", "timestamp": f"2025-10-{n % 28 + 1:02}"} for n in range(70)]
    page = database(rows, embed="none").context("deploy", strategy="kira", now=NOW, budget=100_000)
    assert {name: len(items) for name, items in page.sections.items()} == {
        "known": 20,
        "history": 40,
        "procedures": 10,
    }


def test_K29_what_is_named_stands_first_and_what_is_near_only_with_a_description() -> None:
    db = chain("Ada", "Ben", "Cid")
    db.conn.execute("update entities set description = 'a cellist' where name = 'Cid'")
    page = db.context("what about Ada?", strategy="kira", now=NOW)
    lines = [line for line in str(page).splitlines() if line.startswith("- **")]
    assert lines == ["- **Ada** (thing): no description", "- **Cid** (thing): a cellist"]
    assert str(page).splitlines()[1] == lines[0]


def test_K29_entities_and_facts_stand_in_known_context_with_what_is_known_of_them() -> None:
    rows = [{"text": "Otto dislikes Docker.", "kind": "fact", "confidence": 0.95}]
    db = database(rows)
    say(db, "Kira", "deployed_on", "Vercel", confidence=0.85)
    db.conn.execute("update entities set kind = 'project', description = 'a study partner' where name = 'Kira'")
    text = str(db.context("does Kira on Vercel need Docker?", strategy="kira", now=NOW))
    known = text.split("### Known Context\n")[1].split("\n\n")[0].splitlines()
    assert {
        "- **Kira** (project): a study partner",
        "- **Vercel** (thing): no description",
        "- Otto dislikes Docker (confidence: 0.95)",
        "- Kira deployed on Vercel (confidence: 0.85)",
    } <= set(known)


# ---------------------------------------------------------------------------------------------- caches

WRITE = """
import sys
sys.path.insert(0, {tests!r})
from published_helpers import Concepts
from memkit import MemoryDatabase
with MemoryDatabase({path!r}, embed=Concepts()) as db:
    {work}
"""


def elsewhere(path: Path, work: str) -> None:
    """Does this to the database `db` in another process."""
    code = WRITE.format(tests=str(Path(__file__).parent), path=str(path), work=work)
    subprocess.run([sys.executable, "-c", code], check=True)


def codes(db: MemoryDatabase) -> vector.Codes:
    """The vectors' codes as they are kept."""
    key, dims = db.conn.execute("select key, dims from models where active").fetchone()
    return vector._codes(db.conn, key, dims)


def test_K34_codes_of_vectors_are_read_once_and_again_when_another_process_has_written(tmp_path) -> None:
    """float32 vectors stay in the file, their codes in memory: of a database of any size, not below 50,000 rows."""
    path = tmp_path / "m.db"
    db = MemoryDatabase(path, embed=Concepts())
    db.remember("Rosa ships to production on Fridays", now=NOW)
    first = codes(db)
    assert codes(db) is first
    elsewhere(path, "db.remember('the dentist on Monday', now='2025-11-17T12:00:00Z')")
    assert len(codes(db).memory_keys) == len(first.memory_keys) + 1
    assert db.recall("doctor", strategy={"fulltext": None, "graph": None}, now=NOW)[0].memory.text.startswith(
        "the dent"
    )
    db.forget(db.recall("dentist", now=NOW)[0].memory.id, hard=True, now=NOW)
    assert "dentist" not in str(db.recall("doctor", strategy={"fulltext": None, "graph": None}, now=NOW))


def test_K34_what_is_kept_is_bounded_and_its_hit_rate_is_told(tmp_path) -> None:
    for number in range(caches.MOST_FILES + 2):
        with MemoryDatabase(tmp_path / f"{number}.db", embed=Concepts()) as db:
            db.remember("Rosa ships on Fridays", now=NOW)
            for _ in range(3):
                db.recall("deploy", now=NOW)
            (rate,) = (rate for name, rate in db.info().caches.items() if name.startswith("codes"))
            assert rate == (2, 3)
    assert len(caches._files) <= caches.MOST_FILES


async def test_K35_a_page_is_asked_once_for_each_question_with_its_time_and_scope_until_the_file_changes(
    tmp_path, monkeypatch
) -> None:
    """The published key, a hash of the sorted keywords, leaves out entities, time range and scope."""
    monkeypatch.setattr(access, "time", lambda: 0.0)
    path = tmp_path / "kept.db"
    with MemoryDatabase(path, embed="none") as db:
        db.remember("Rosa planted the quince.", project="garden", happened_at="2025-05-01", now=NOW)
        db.remember("Hana planted the quince.", project="orchard", happened_at="2025-06-01", now=NOW)
    served = datasette(path)
    reader = root(served)

    async def found(**asked: str) -> list[str]:
        query = "&".join(f"{name}={value}" for name, value in asked.items())
        return [hit["text"] for hit in (await reader.json(f"/kept/-/recall.json?{query}"))["hits"]]

    def kept() -> int:
        answers = access._answers[served.databases["kept"]][1]
        return sum(isinstance(question, tuple) for question in answers)

    assert len(await found(q="planted")) == 2
    before = kept()
    assert len(await found(q="planted")) == 2
    assert kept() == before
    assert await found(q="planted", until="2025-05-15") == ["Rosa planted the quince."]
    assert await found(q="planted", project="garden", only="1") == ["Rosa planted the quince."]
    assert (await found(q="Hana+planted"))[0] == "Hana planted the quince."
    assert kept() == before + 3
    with MemoryDatabase(path, embed="none") as db:
        db.remember("Otto planted the quince, too.", now=NOW)
    assert len(await found(q="planted")) == 3
    assert kept() == 1
    monkeypatch.setattr(access, "time", lambda: 60.0)
    await found(q="quince")
    assert kept() == 1  # after a minute all is asked again


async def test_K35_so_many_answers_are_kept_and_no_more(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(access, "time", lambda: 0.0)
    path = tmp_path / "kept.db"
    with MemoryDatabase(path, embed="none") as db:
        db.remember("quince", now=NOW)
    served = datasette(path)
    for number in range(access.REMEMBERED + 5):
        await access.remembered(served, "kept", number, lambda db: db.info().memories)
    assert len(access._answers[served.databases["kept"]][1]) == access.REMEMBERED


def asked(monkeypatch) -> list[str]:
    """A list to which every search that really runs adds its question."""
    questions: list[str] = []
    real = pipeline.understand

    def understand(conn, text, *others):
        questions.append(text)
        return real(conn, text, *others)

    monkeypatch.setattr(pipeline, "understand", understand)
    return questions


def test_K35_the_strategy_keeps_its_answers_by_all_that_was_asked_until_the_file_changes(tmp_path, monkeypatch) -> None:
    path = tmp_path / "kept.db"
    db = MemoryDatabase(path, embed=Concepts())
    db.remember("Rosa planted the quince.", project="garden", happened_at="2025-05-01", now=NOW)
    searches = asked(monkeypatch)
    first = db.recall("quince", strategy="kira", now=NOW)
    assert ids(db.recall("quince", strategy="kira", now=NOW)) == ids(first)
    assert searches == ["quince"]
    for how in ({"k": 3}, {"project": "garden"}, {"until": "2025-01-01"}, {"kinds": "fact"}, {"now": "2025-11-18"}):
        db.recall("quince", strategy="kira", **{"now": NOW, **how})
    db.recall("quince", strategy=KIRA.replace(vector={"limit": 3}), now=NOW)
    assert len(searches) == 7
    db.recall("quince", now=NOW)
    db.recall("quince", now=NOW)
    assert len(searches) == 9, "only the design that has a query cache keeps answers"
    elsewhere(path, "db.remember('Otto planted a quince, too.', now='2025-11-17T12:00:00Z')")
    assert len(db.recall("quince", strategy="kira", now=NOW)) == 2
    db.close()


def test_K35_nothing_is_kept_of_what_was_rolled_back_or_was_found_without_the_model(monkeypatch) -> None:
    db = database(["quince jam"])
    db.conn.execute("begin")
    db.conn.execute("update memories set text = 'plum jam'")
    assert db.recall("plum", strategy="kira", now=NOW)[0].memory.text == "plum jam"
    db.conn.rollback()
    assert not db.recall("plum", strategy="kira", now=NOW)
    searches = asked(monkeypatch)
    model = db.embedder

    def fails(texts):
        raise EmbedderFailed("concepts", "does not answer")

    monkeypatch.setattr(model, "encode", fails)
    assert db.recall("jam", strategy="kira", now=NOW).degraded
    assert db.recall("jam", strategy="kira", now=NOW).degraded
    assert len(searches) == 2


def test_K35_a_hundred_answers_are_kept_for_a_minute_the_least_recently_used_goes_first(monkeypatch) -> None:
    assert DESIGNS["kira"].answers == QueryCache(most=100, seconds=60.0)
    clock = [0.0]
    monkeypatch.setattr("memkit.retrieval.query_cache.monotonic", lambda: clock[0])
    db, cache, found = database(["quince"]), QueryCache(most=3, seconds=60.0), []

    def ask(question: str) -> str:
        return cache.answer(db.conn, question, lambda: found.append(question) or question, lambda answer: True)

    assert [ask(question) for question in "abcabad"] == list("abcabad")
    assert found == list("abcd")
    assert (ask("a"), ask("c"), found) == ("a", "c", list("abcdc")), "c was the least recently used, then b"
    clock[0] = 59.9
    ask("a")
    assert found == list("abcdc")
    for clock[0] in (60.0, 200.0):
        ask("a")
    assert found == list("abcdcaa")


def test_K35_the_sql_function_keeps_answers_too(monkeypatch) -> None:
    db = database(["Rosa planted the quince."], embed="none")
    register_sql_functions(db.conn)
    searches = asked(monkeypatch)
    for _ in range(2):
        db.conn.execute("""select recall('quince', 3, '{"strategy": "kira"}')""").fetchone()
    assert searches == ["quince"]


def test_K36_an_entity_written_a_moment_ago_is_known_also_if_another_process_wrote_it(tmp_path) -> None:
    """Names are looked up in the file, so that there is no index in memory to be five minutes old."""
    path = tmp_path / "m.db"
    db = MemoryDatabase(path, embed=Concepts())
    other = MemoryDatabase(path, embed=Concepts())
    question = "what about Zork and Quux?"
    assert not named_in(db.conn, question)
    other.relate("Zork", "is", "a game", now=NOW)
    assert [one.entity.name for one in named_in(db.conn, question)] == ["Zork"]
    elsewhere(path, "db.relate('Quux', 'is', 'a game', now='2025-11-17T12:00:00Z')")
    assert {one.entity.name for one in named_in(db.conn, question)} == {"Zork", "Quux"}
    db.merge("Zork", "Quux", now=NOW)
    assert {one.entity.name for one in named_in(other.conn, "Quux")} == {"Zork"}
