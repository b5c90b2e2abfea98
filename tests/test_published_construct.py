"""Construct's recall, line by line: each test has the code of the line of docs/behaviours.md that it proves."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from published_helpers import Angles, Concepts, database, ids, key, matches, say

from memkit import STRATEGIES, MemoryDatabase
from memkit.core.errors import EmbedderFailed, VectorsMissing
from memkit.core.instants import parse_iso
from memkit.graph.entity_vectors import write_missing
from memkit.graph.facts import around
from memkit.retrieval.channels import recent
from memkit.retrieval.published import construct
from memkit.retrieval.published.construct import CONSTRUCT, PASSIVE, search_nodes
from memkit.retrieval.understanding import understand
from memkit.storage.filters import Scope

NOW = "2026-03-01T12:00:00Z"
SCOPE = Scope(now=NOW)


def entity(db, name):
    return db.conn.execute("select key from entities where name = ?", [name]).fetchone()[0]


def understood(db, text):
    return understand(db.conn, text, db.embedder, CONSTRUCT, parse_iso(NOW))


# ---------------------------------------------------------------------------------------------- passive


def test_C01_passive_recall_has_no_graph_and_active_recall_has() -> None:
    assert STRATEGIES["construct"].graph is not None
    assert PASSIVE.graph is None
    assert PASSIVE.name == "construct"


def test_C03_recent_are_the_ten_newest_that_are_not_archived() -> None:
    db = database([{"text": f"note {n}", "timestamp": f"2026-02-{n:02}"} for n in range(1, 15)])
    db.forget(db.conn.execute("select id from memories where source_id = 'm14'").fetchone()[0])
    found = db.recall("anything", strategy=PASSIVE, now=NOW)
    assert [memory.source_id for memory in found.recent] == [f"m{n}" for n in range(13, 3, -1)]


def test_C03_memories_without_a_time_follow_those_that_have_one_up_to_ten() -> None:
    db = database([{"text": f"day {n}", "timestamp": f"2026-02-0{n}"} for n in range(1, 8)])
    db.conn.execute("update memories set happened_at = null, created_at = '' where source_id in ('m1', 'm2', 'm3')")
    found = recent.search(db.conn, Scope(now=NOW), limit=6)
    assert [db.conn.execute("select text from memories where key = ?", [one]).fetchone()[0] for one in found] == [
        *(f"day {n}" for n in (7, 6, 5, 4)),
        "day 3",
        "day 2",
    ]


def test_C03_what_happens_after_the_question_is_not_recent() -> None:
    db = database([{"text": "past", "timestamp": "2026-02-01"}, {"text": "future", "timestamp": "2027-01-01"}])
    found = db.recall("x", strategy=PASSIVE, now=NOW)
    assert [memory.text for memory in found.recent] == ["past"]


@pytest.mark.parametrize("strategy", ["construct", PASSIVE])
def test_C04_C40_the_raw_message_is_embedded_once_for_all_who_need_it(strategy) -> None:
    model = Concepts()
    db = database(["Alice sings fado", "Rosa has a dog"], model)
    model.asked.clear()
    db.recall("What's up with the dog, Rosa?", strategy=strategy)
    assert model.asked == ["What's up with the dog, Rosa?"]


def test_C05_relevant_are_five_at_most_and_the_threshold_is_stricter() -> None:
    assert PASSIVE.vector.threshold == 0.4
    db = database([f"the dog barked at {n}" for n in range(20)])
    plain = PASSIVE.replace(recent=None)
    assert len(db.recall("dog", k=5, strategy=plain)) == 5


def test_C06_what_is_recent_is_not_repeated_as_relevant() -> None:
    rows = [{"text": f"the dog ate shoe {n}", "timestamp": f"2026-02-{n:02}"} for n in range(1, 13)]
    found = database(rows).recall("dog", k=5, strategy=PASSIVE, now=NOW)
    assert not set(ids(found)) & {memory.source_id for memory in found.recent}
    assert len(found.recent) == 10


def test_C07_without_an_embedder_words_still_find() -> None:
    db = database(["the quince is ripe"], embed="none")
    found = db.recall("quince", strategy=PASSIVE.replace(recent=None))
    assert ids(found) == ["m1"]
    assert found.channels["fulltext"] == "ran"
    assert "no vectors" in found.channels["vector"]


# ---------------------------------------------------------------------------------------------- words


def test_C16_ten_is_the_limit_and_no_memory_comes_twice() -> None:
    db = database([f"dog number {n} barks" for n in range(30)])
    found = db.recall("dog barks", strategy="construct")
    assert len(found) == 10
    assert len(set(ids(found))) == 10


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("do I know any good restaurants?", ["do", "know", "any", "good", "restaurants?"]),
        ('say "hi" a', ["say", "hi"]),
        ('"" """', []),
        ("a b c", []),
    ],
)
def test_C17_pieces_between_blanks_over_one_character_without_quotes(text, terms) -> None:
    assert construct.pieces(text) == terms


@pytest.mark.parametrize("text", ["", "a", '""', "? !"])
def test_C18_without_a_term_words_are_not_asked(text) -> None:
    found = database(["a b"]).recall(text, strategy="construct")
    assert found.channels["fulltext"] == "the question has no word"


def test_C19_words_are_found_in_content_and_tags_best_first_and_not_in_the_archive() -> None:
    db = database([{"text": "the trip", "tags": ["portugal"]}, "portugal portugal", "portugal once, long ago it was"])
    db.forget(db.conn.execute("select id from memories where source_id = 'm3'").fetchone()[0])
    assert ids(db.recall("portugal", strategy="construct")) == ["m2", "m1"]


def test_C20_what_words_found_is_tagged_so() -> None:
    found = database(["the quince is ripe"]).recall("quince", strategy="construct")
    assert matches(found) == {"m1": "fulltext"}
    assert found[0].why["vector"].contribution == 0  # it agrees, and that counts for nothing


def test_C21_the_index_follows_every_insert_update_and_delete() -> None:
    db = database(["the quince is ripe"])
    db.conn.execute("update memories set text = 'the medlar is ripe' where source_id = 'm1'")
    assert not db.recall("quince", strategy="construct")
    assert ids(db.recall("medlar", strategy="construct")) == ["m1"]
    db.conn.execute("delete from memories where source_id = 'm1'")
    assert not db.recall("medlar", strategy="construct")


def test_C22_forms_of_a_word_are_found_by_each_other() -> None:
    db = database(["I run every day", "We bought a boat", "the dog"], embed="none")
    assert ids(db.recall("running", strategy="construct")) == ["m1"]
    assert ids(db.recall("who ran?", strategy="construct")) == ["m1"]
    assert ids(db.recall("what did we buy?", strategy="construct")) == ["m2"]
    assert construct.terms("a Ran?") == ["Ran?", "run"]


# ---------------------------------------------------------------------------------------------- meaning


def test_C23_meaning_is_asked_only_while_there_is_room() -> None:
    db = database(["deploy it", "deploy that", "ship it"])
    full = db.recall("deploy", k=2, strategy="construct")
    assert full.channels["vector"] == "full-text search found enough"
    room = db.recall("deploy", k=3, strategy="construct")
    assert matches(room) == {"m1": "fulltext", "m2": "fulltext", "m3": "vector"}


def test_C23_the_threshold_is_three_tenths() -> None:
    assert CONSTRUCT.vector.threshold == 0.3


def test_C24_what_is_less_similar_than_the_threshold_does_not_count_and_the_rest_is_appended_in_order() -> None:
    db = database(["ship", "ship dog garden", "ship " + "dog " * 4, "ready to deploy"])
    found = db.recall("deploy", strategy="construct")
    assert ids(found) == ["m4", "m1", "m2"]  # cosines 1 and .58; the third has .24
    assert found[2].why["vector"].score == pytest.approx(1 / np.sqrt(3), abs=1e-6)


def test_C24_archived_memories_are_not_compared() -> None:
    db = database(["ship it"])
    db.forget(db.conn.execute("select id from memories").fetchone()[0])
    assert not db.recall("deploy", strategy="construct")


def test_C25_a_text_without_meaning_is_similar_to_nothing() -> None:
    db = database(["zzz", "ship it"])
    assert ids(db.recall("deploy", strategy="construct")) == ["m2"]
    assert db.recall("qqq", strategy="construct").channels["vector"] == "the model knows no word of the question"


def test_C26_the_model_is_the_callers_and_vectors_are_stored_with_its_name() -> None:
    db = database(["ship it"])
    assert [tuple(row) for row in db.conn.execute("select id, dims from models")] == [("concepts", 16)]


def test_C26_the_model_of_a_new_file_can_be_named_by_an_environment_variable(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("MEMKIT_EMBED", "no-such-model")
    with pytest.warns(VectorsMissing, match="no-such-model"), MemoryDatabase(tmp_path / "new.db") as db:
        db.remember("Rosa planted the quince.")
    monkeypatch.delenv("MEMKIT_EMBED")
    with MemoryDatabase(tmp_path / "old.db") as db:
        db.remember("Rosa planted the quince.")
    monkeypatch.setenv("MEMKIT_EMBED", "no-such-model")
    with MemoryDatabase(tmp_path / "old.db") as db:  # a file with vectors has its model
        assert db.embedder.id == "memkit"
        assert db.recall("quince").channels["vector"] == "ran"


def test_C27_a_memory_without_a_vector_yet_is_found_by_words() -> None:
    db = database(["ship the boat"])
    db.conn.execute("delete from embeddings")
    assert ids(db.recall("boat", strategy="construct")) == ["m1"]


def test_C28_words_come_before_meaning_whatever_the_scores() -> None:
    found = database(["ship ship ship", "a dog, a garden and a deploy"]).recall("deploy", strategy="construct")
    assert ids(found) == ["m2", "m1"]
    assert [hit.score for hit in found] == [1.0, 0.5]


# ---------------------------------------------------------------------------------------------- the graph


@pytest.fixture
def nightshade():
    """The published example: nothing in the memory says restaurant but its name is known to be one."""
    db = database(["Alice introduced me to Nightshade", "The airport sells sandwiches"], embed="none")
    say(db, "Alice", "introduced to", "Nightshade", "m1")
    say(db, "Nightshade", "is a", "restaurant", "m2", kinds=("place", "concept"))
    return db


def test_C29_nothing_found_in_the_graph_is_no_error() -> None:
    found = database(["Rosa has a dog"]).recall("umbrellas", strategy="construct")
    assert found.channels["graph"] == "nothing in the question leads into the graph"
    assert not found.entities


def test_C29_the_walk_begins_at_the_five_nodes_that_mean_what_is_asked() -> None:
    db = database()
    for n in range(8):
        say(db, f"Harbor {n}", "is", f"quay {n}")
    found = db.recall("harbor", strategy="construct", now=NOW)
    assert [one.depth for one in found.entities if one.name.startswith("Harbor")] == [0] * 5


def test_C30_a_node_brings_everything_within_two_relations(nightshade) -> None:
    found = nightshade.recall("which restaurant", strategy="construct")
    depths = {one.name: one.depth for one in found.entities}
    assert depths.items() >= {"restaurant": 0, "Nightshade": 1, "Alice": 2}.items()
    assert max(depths.values()) == 2


def test_C30_what_is_three_relations_away_is_left_out() -> None:
    db = database(["Cid has a boat", "Dot has a boat, too"], embed="none")
    for one, other in pairwise(("Ada", "Ben", "Cid", "Dot")):
        say(db, one, "knows", other)
    found = db.recall("Ada?", strategy="construct", now=NOW)
    assert {one.name: one.depth for one in found.entities} == {"Ada": 0, "Ben": 1, "Cid": 2}
    assert ids(found) == ["m1"]


def test_C31_what_names_the_nearest_and_the_rarest_comes_first() -> None:
    rows = ["Cid came", *(f"Ben came, day {n}" for n in range(3)), "Ben and Cid came", "Ada came"]
    db = database(rows, embed="none")
    for one, other in pairwise(("Ada", "Ben", "Cid")):
        say(db, one, "knows", other)
    walked = construct.walk(db.conn, understood(db, "Ada?"), CONSTRUCT, SCOPE, {}, 10)
    shares = {"m6": 1, "m5": 1 / 2 / 4 + 1 / 3 / 2, "m1": 1 / 3 / 2, "m2": 1 / 2 / 4, "m3": 1 / 2 / 4, "m4": 1 / 2 / 4}
    assert walked.ranking == {key(db, name): pytest.approx(share) for name, share in shares.items()}
    assert list(walked.ranking) == [key(db, name) for name in shares]


def evenings(teas):
    """Memories about tea, and eight that name only the place that serves it."""
    db = database()
    say(db, "Nightshade", "serves", "tea")
    db.ingest([{"id": f"tea{n}", "text": f"tea number {n}"} for n in range(teas)])
    db.ingest([{"id": f"evening{n}", "text": f"We sat at Nightshade, evening {n}"} for n in range(8)])
    return db


def test_C31_at_most_five_memories_come_by_the_graph_after_the_others_and_always_the_same() -> None:
    db = evenings(teas=1)
    runs = [db.recall("tea", k=15, strategy="construct") for _ in range(2)]
    assert ids(runs[0]) == ids(runs[1])
    assert matches(runs[0])[ids(runs[0])[0]] == "fulltext"
    assert [hit.match for hit in runs[0]].count("graph") == 5
    assert [hit.match for hit in runs[0]][-5:] == ["graph"] * 5


def test_C31_a_third_of_the_places_is_the_graphs_and_k_is_kept() -> None:
    db = evenings(teas=20)
    for k, graph in ((1, 0), (6, 2), (10, 3), (15, 5), (18, 5)):
        found = db.recall("tea", k=k, strategy="construct")
        assert ([hit.match for hit in found].count("graph"), len(found)) == (graph, k)


def test_C31_archived_memories_do_not_come_by_the_graph(nightshade) -> None:
    nightshade.forget(nightshade.conn.execute("select id from memories where source_id = 'm1'").fetchone()[0])
    assert "m1" not in ids(nightshade.recall("good restaurants?", strategy="construct"))


def test_C32_a_walk_goes_both_ways_says_over_what_and_stops_at_its_depth() -> None:
    db = database()
    for one, other in (("A1", "B1"), ("C1", "B1"), ("C1", "D1")):
        say(db, one, "knows", other)
    found = around(db.conn, [entity(db, "A1")], SCOPE, depth=2)
    assert found.depths == {
        entity(db, "A1"): 0,
        entity(db, "B1"): 1,
        entity(db, "C1"): 2,
    }
    assert [step[0].predicate for step in found.way(entity(db, "C1"))] == ["knows", "knows"]


def test_C33_a_circle_ends_and_two_is_not_visited_because_twelve_is() -> None:
    db = database()
    names = [f"N{n}" for n in range(1, 13)]
    for name in names:
        say(db, name, "is", "something")
    db.conn.execute("delete from evidence")
    db.conn.execute("delete from relations")
    for one, other in (("N12", "N2"), ("N2", "N1"), ("N1", "N12")):
        say(db, one, "knows", other)
    found = around(db.conn, [entity(db, "N12")], SCOPE, depth=5)
    assert {entity(db, name) for name in ("N12", "N2", "N1")} == set(found.depths)
    assert len(found.relations) == 3


def test_C34_nodes_edges_and_what_names_them_are_tables() -> None:
    db = database(["Alice met Bob Miller"])
    say(db, "Alice", "met", "Bob Miller", "m1")
    assert {"name", "description", "updated_at"} <= {row[1] for row in db.conn.execute("pragma table_info(entities)")}
    assert db.conn.execute("select count(*) from relations").fetchone()[0] == 1
    assert db.conn.execute("select count(*) from evidence where memory_key = ?", [key(db, "m1")]).fetchone()[0] == 1


def test_C35_without_a_vector_a_node_is_found_by_a_part_of_its_name_latest_change_first() -> None:
    db = database()
    say(db, "Harbor Museum", "is in", "Kingsferry", now="2026-01-01T00:00:00Z")
    say(db, "Harbor Ferry", "is in", "Kingsferry", now="2026-01-02T00:00:00Z")
    db.conn.execute("update entities set updated_at = '2026-02-01T00:00:00Z' where name = 'Harbor Museum'")
    assert search_nodes(db.conn, " harbor ", []) == [entity(db, "Harbor Museum"), entity(db, "Harbor Ferry")]
    assert search_nodes(db.conn, "%", []) == []


def test_C35_ten_nodes_at_most() -> None:
    db = database()
    for n in range(12):
        say(db, f"Harbor {n}", "is in", "Kingsferry")
    assert len(search_nodes(db.conn, "harbor", [])) == 10


def test_C35_a_sentence_is_no_part_of_a_name() -> None:
    db = database()
    name = "Harbor " + "x" * 54  # 61 characters
    say(db, name, "is in", "Kingsferry")
    assert construct.like(db.conn, name[:60], 10) == [entity(db, name)]
    assert construct.like(db.conn, name, 10) == construct.like(db.conn, " ", 10) == []


def test_C37_a_node_is_embedded_as_its_name_and_description_once_it_has_one() -> None:
    db = database(["Dr. Martinez called"])
    say(db, "Dr. Martinez", "is", "busy")
    db.conn.execute("update entities set description = 'Reed''s dentist' where name = 'Dr. Martinez'")
    assert write_missing(db.conn, db.embedder, NOW) >= 1
    stored = "select vector from entity_embeddings where entity_key = ?"
    blob = db.conn.execute(stored, [entity(db, "Dr. Martinez")]).fetchone()[0]
    assert np.array_equal(np.frombuffer(blob, "<f4"), db.embedder.encode(["Dr. Martinez: Reed's dentist"])[0])
    assert write_missing(db.conn, db.embedder, NOW) == 0


class FailsOn:
    """A model that fails on texts with a word."""

    def __init__(self, model, word):
        self.model, self.word, self.asked = model, word, 0

    def __getattr__(self, name):
        return getattr(self.model, name)

    def encode(self, texts):
        self.asked += 1
        if any(self.word in text for text in texts):
            raise EmbedderFailed("no")
        return self.model.encode(texts)


def test_C37_a_model_that_fails_for_one_node_does_not_stop_the_others() -> None:
    db = database(["Dr. Martinez called", "Fado is sung", "Dentist Lane is closed"])
    names = ("Dr. Martinez", "Dentist Lane", "Fado")
    for name in names:
        say(db, name, "is", "something")
        db.conn.execute("update entities set description = 'it is ' || name where name = ?", [name])
    db.conn.execute("delete from entity_embeddings")
    count = "select e.name from entity_embeddings as v join entities as e on e.key = v.entity_key"
    write_missing(db.conn, FailsOn(db.embedder, "Dentist"), NOW)
    assert {row[0] for row in db.conn.execute(count)} & set(names) == {"Dr. Martinez", "Fado"}
    assert write_missing(db.conn, db.embedder, NOW) == 1


def test_C37_a_model_that_fails_for_all_is_given_up() -> None:
    db = database([])
    for n in range(20):
        say(db, f"Node {n}", "is", "something")
    db.conn.execute("update entities set description = 'x'")
    db.conn.execute("delete from entity_embeddings")
    model = FailsOn(db.embedder, "x")
    with pytest.raises(EmbedderFailed):
        write_missing(db.conn, model, NOW)
    assert model.asked == 6


def described(db, name, description):
    db.conn.execute("update entities set description = ? where name = ?", [description, name])
    model_key = db.conn.execute("select key from models").fetchone()[0]
    vector = db.embedder.encode([f"{name}: {description}"])[0]
    db.conn.execute(
        "insert or replace into entity_embeddings (entity_key, model_key, vector) values (?, ?, ?)",
        [entity(db, name), model_key, vector.astype("<f4").tobytes()],
    )
    return model_key


def test_C36_meaning_first_then_names_each_once_up_to_the_limit() -> None:
    db = database(["Dr. Martinez called", "the dentist song", "Dentist Lane is closed"])
    for name in ("Dr. Martinez", "Dentist Lane", "Fado"):
        say(db, name, "is", "something")
    described(db, "Fado", "music")
    model_key = described(db, "Dr. Martinez", "Reed's dentist")
    vector = db.embedder.encode(["dentist"])[0]
    found = search_nodes(db.conn, "dentist", [], vector=vector, model_key=model_key)
    assert found == [entity(db, "Dr. Martinez"), entity(db, "Dentist Lane")]
    assert search_nodes(db.conn, "dentist", [], limit=1, vector=vector, model_key=model_key) == found[:1]


def test_C36_a_node_is_near_from_a_cosine_of_three_tenths_on() -> None:
    db = database(["a boat"], Angles())
    for name in ("Near", "Far"):
        say(db, name, "is", "something")
    described(db, "Near", ".31 of it")
    model_key = described(db, "Far", ".29 of it")
    vector = db.embedder.encode(["zzz"])[0]
    assert search_nodes(db.conn, "zzz", [], vector=vector, model_key=model_key) == [entity(db, "Near")]


def test_C36_names_inside_the_question_are_found_too_and_keep_their_place() -> None:
    db = database(["Alice plays the cello", "the dentist"])
    for name in ("Alice", "Dr. Martinez"):
        say(db, name, "is", "something")
    model_key = described(db, "Dr. Martinez", "Reed's dentist")
    vector = db.embedder.encode(["does Alice see the dentist"])[0]
    for limit, expected in ((5, ["Dr. Martinez", "Alice"]), (1, ["Alice"])):
        found = search_nodes(
            db.conn,
            "does Alice see the dentist",
            [entity(db, "Alice")],
            limit=limit,
            vector=vector,
            model_key=model_key,
        )
        assert found == [entity(db, name) for name in expected]


def test_C38_the_restaurant_that_no_memory_of_the_evening_calls_one(nightshade) -> None:
    found = nightshade.recall("do I know any good restaurants?", strategy="construct")
    assert matches(found)["m1"] == "graph"
    hit = next(hit for hit in found if hit.memory.source_id == "m1")
    assert hit.path_text.startswith("question -> restaurant -is")
    assert "Nightshade" in hit.path_text


def test_C39_the_dentist_is_found_by_what_she_is() -> None:
    db = database(["Cleaning with Dr. Martinez moved to 14 November"])
    say(db, "Dr. Martinez", "works at", "the clinic", "m1")
    described(db, "Dr. Martinez", "Reed's dentist")
    db.conn.execute("delete from embeddings")  # nothing but the node leads there
    found = db.recall("my dentist", strategy="construct")
    assert matches(found) == {"m1": "graph"}
    assert found.entities[0].name == "Dr. Martinez"


def test_C42_every_hit_has_a_category_and_says_which_channel_brought_it() -> None:
    db = database([{"text": "dark roast", "kind": "preference", "category": "drinks"}])
    hit = db.recall("roast", strategy="construct")[0]
    assert (hit.memory.kind, hit.memory.category, hit.match) == ("preference", "drinks", "fulltext")


def test_C42_the_tool_shows_no_other_category_than_preference_fact_and_note() -> None:
    kinds = ("preference", "fact", "episode", "procedure", "passage")
    db = database([{"text": f"dark roast, {kind}", "kind": kind} for kind in kinds])
    text = str(db.context("roast", strategy=CONSTRUCT.replace(pack={"layout": "construct_tool"}), now=NOW))
    shown = {kind: re.search(rf"\((\w+)\) dark roast, {kind}", text)[1] for kind in kinds}
    assert shown == {"preference": "preference", "fact": "fact", **dict.fromkeys(kinds[2:], "note")}


def test_C43_the_waterfall_does_not_mix_scores_and_the_default_strategy_does() -> None:
    db = database(["ship it to prod, push and release", "deploy is a word in this long and idle sentence about a dog"])
    assert ids(db.recall("deploy", strategy="construct")) == ["m2", "m1"]
    assert set(db.recall("deploy", strategy="memkit")[0].why) >= {"fulltext", "vector"}
