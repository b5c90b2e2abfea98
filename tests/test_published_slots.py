"""The three-slot fact store, line by line: each test has the code of the line of docs/behaviours.md that it proves."""

from __future__ import annotations

import json
import re

import pytest
from maintenance_helpers import facts
from maintenance_models import Scripted, stated
from published_helpers import SAMPLES, database, ids, sample

from memkit import STRATEGIES, MemoryDatabase
from memkit.ingestion.llm_extraction import extract
from memkit.retrieval.published import slots

NOW = "2026-03-01T12:00:00Z"
SLOTS = STRATEGIES["slots"]


def fact(slot, slot_key, text, **more):
    return {"text": text, "slot": slot, "key": slot_key, **more}


def test_S01_there_are_three_slots_and_what_has_none_is_the_projects() -> None:
    rows = [fact("user", "a", "quince"), fact("project", "b", "quince"), fact("agent", "c", "quince"), "quince"]
    found = database(rows, embed="none").recall("quince", strategy="slots")
    assert {hit.memory.source_id: hit.memory.slot for hit in found} == {
        "m1": "user",
        "m2": "project",
        "m3": "agent",
        "m4": None,
    }


def test_S01_the_projects_slot_belongs_to_the_project_asked_in_and_the_others_to_all() -> None:
    rows = [
        fact("project", "x", "quince here", project="garden"),
        fact("project", "x", "quince there", project="orchard"),
        fact("user", "x", "quince me", project="orchard"),
        fact("project", "x", "quince everywhere"),
    ]
    found = database(rows, embed="none").recall("quince", strategy="slots", project="garden")
    assert set(ids(found)) == {"m1", "m3", "m4"}


def test_S02_each_slot_is_asked_by_itself_for_ten_at_most() -> None:
    rows = [fact("agent", f"k{n}", f"quince quince {n}") for n in range(15)]
    rows += [fact("user", "k", "there is a lot to be said about me and one word of it is quince")]
    found = database(rows, embed="none").recall("quince", k=100, strategy="slots")
    assert [hit.memory.slot for hit in found].count("agent") == 10
    assert "m16" in ids(found)  # however many better ones the other slot has


def test_S03_a_fact_has_a_key_a_value_a_confidence_and_its_accesses() -> None:
    db = database([fact("user", "timezone", "Europe/Stockholm", confidence=0.8)], embed="none")
    memory = db.recall("timezone", strategy="slots")[0].memory
    assert (memory.slot, memory.slot_key, memory.text, memory.confidence) == (
        "user",
        "timezone",
        "Europe/Stockholm",
        0.8,
    )


def test_S04_a_new_value_takes_the_place_of_the_old_one_which_stays_as_history() -> None:
    db = database(embed="none")
    db.remember("Europe/Stockholm", slot="user", key="timezone", now="2025-01-01T00:00:00Z")
    db.remember("America/New_York", slot="user", key="timezone", now="2025-03-01T00:00:00Z")
    db.remember("Asia/Tokyo", slot="agent", key="timezone", now="2025-03-02T00:00:00Z")
    texts = [hit.memory.text for hit in db.recall("timezone", strategy="slots", now=NOW)]
    assert sorted(texts) == ["America/New_York", "Asia/Tokyo"]
    then = [hit.memory.text for hit in db.recall("timezone", strategy="slots", now=NOW, everything=True)]
    assert "Europe/Stockholm" in then


def test_S05_keys_and_values_are_both_searched_and_vacuum_changes_nothing() -> None:
    db = database([fact("user", "package manager", "pnpm"), fact("user", "editor", "a plain one")], embed="none")
    db.conn.execute("delete from memories where source_id = 'm1'")
    db.ingest([{"id": "again", **fact("user", "package manager", "uv")}])
    db.conn.execute("vacuum")
    assert ids(db.recall("which package manager?", strategy="slots")) == ["again"]
    assert ids(db.recall("something plain", strategy="slots")) == ["m2"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('a"b:c* ^d~ (ef){gh}[ij]\\klm', ["klm"]),
        ("deploy", ["deploy"]),
        ("deploy the app", ["deploy", "the", "app"]),
        ("a b", []),
        ("I'm", []),
    ],
)
def test_S06_signs_become_blanks_and_pieces_under_three_characters_go(text, terms) -> None:
    assert slots.terms(text) == terms


def test_S07_the_published_question_and_what_was_wrong_with_it() -> None:
    assert [term.rstrip("?") for term in slots.terms("How do I schedule a task?")] == ["How", "schedule", "task"]
    assert slots.terms("what did I do?") == ["what", "did"]
    db = database(["I don't eat walnuts", "北京的茶馆很安静"], embed="none")
    assert ids(db.recall("don't", strategy="slots")) == ["m1"]
    assert ids(db.recall("茶馆在哪里", strategy="slots")) == ["m2"]


@pytest.mark.parametrize("text", ["", "a I", "* ^ ~", "((("])
def test_S08_where_nothing_is_left_no_row_comes_back(text) -> None:
    found = database(["a I * quince"], embed="none").recall(text, strategy="slots")
    assert not found
    assert found.channels["fulltext"] == "the question has no word"


def test_S09_better_matches_first_and_each_row_says_its_bm25() -> None:
    db = database(["a quince among many other things that fill a sentence", "quince"], embed="none")
    found = db.recall("quince", strategy="slots")
    assert ids(found) == ["m2", "m1"]
    scores = [hit.why["fulltext"].score for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


def test_S10_every_row_that_is_returned_is_counted_and_none_where_that_is_not_asked() -> None:
    db = database(["quince one", "quince two", "dog"], embed="none")
    db.recall("quince", strategy="slots", now=NOW)
    assert db.conn.execute("select count(*) from access").fetchone()[0] == 0
    for _ in range(2):
        db.recall("quince", strategy="slots", now=NOW, track=True)
    rows = db.conn.execute(
        "select m.source_id, a.count, a.last_at from access as a join memories as m on m.key = a.memory_key order by 1"
    )
    assert [tuple(row) for row in rows] == [("m1", 2, NOW), ("m2", 2, NOW)]


def test_S14_the_context_can_tell_the_users_slot_from_the_others() -> None:
    rows = [fact("agent", "x", "quince quince"), fact("user", "x", "a quince, among other things")]
    found = database(rows, embed="none").recall("quince", strategy="slots")
    assert [hit.memory.slot for hit in found] == ["agent", "user"]
    assert SLOTS.pack.layout == "slots"


LIVES = ("Rosa", "lives in", "Lisbon", "Lisbon is where Rosa has her flat")
WORKS = ("Rosa", "works at", "the museum", "the museum where she is employed")
TOLD = f"{LIVES[3]}, near {WORKS[3]}."


def known(db) -> set[tuple[str, ...]]:
    return {row[1:4] for row in facts(db)}


def test_S15_facts_are_those_that_the_model_finds_each_with_its_quote() -> None:
    """Another model, another outcome; none is believed without words of the memory."""
    db = database([TOLD], embed="none")
    before = known(db)
    invented = ("Rosa", "married to", "the king", "Rosa married the king")
    report = extract(db.conn, Scripted(lambda prompt: stated(prompt, LIVES)), NOW)
    assert (report.memories, report.relations) == (1, 1)
    assert known(db) - before == {("Rosa", "lives_in", "Lisbon")}
    (relation,) = db.about("Lisbon", now=NOW).relations
    assert (relation.evidence[0].quote, relation.evidence[0].method) == (LIVES[3], "model")
    other = Scripted(lambda prompt: stated(prompt, WORKS, invented).replace("}]", '}, {"memory": 1, "quote": ""}]'))
    other.model_id = "other"
    assert extract(db.conn, other, NOW).relations == 1
    assert {triple[1:] for triple in known(db) - before} >= {("works_at", "the museum")}
    assert not [triple for triple in known(db) if "king" in triple[2]]


def test_S15_a_memory_is_read_once_by_each_model_and_sentences_become_memories() -> None:
    db = database([TOLD], embed="none")
    text = {"memory": 1, "text": "Rosa lives in Lisbon.", "quote": LIVES[3]}
    model = Scripted(lambda prompt: json.dumps({"facts": [text]}))
    assert extract(db.conn, model, NOW).texts == 1
    assert extract(db.conn, model, NOW).memories == 0
    assert len(model.asked) == 1
    (made,) = (hit.memory for hit in db.recall("Rosa Lisbon", now=NOW) if hit.memory.meta.get("extracted_by"))
    assert (made.text, made.kind, made.confidence) == ("Rosa lives in Lisbon.", "fact", 0.7)


def noted(text: str, slot: str, quote: str) -> Scripted:
    """A model that finds one fact, with the value of a slot."""
    entry = {"memory": 1, "text": text, "quote": quote, "slot": slot}
    return Scripted(lambda prompt: json.dumps({"facts": [entry]}))


def test_S15_what_the_model_finds_for_a_slot_waits_to_be_confirmed_and_is_then_its_value() -> None:
    """No rule reads this sentence; upkeep has read it before the model did."""
    said = "Since the move to Porto everything is closer, even the sea."
    db = MemoryDatabase(embed="none")
    db.remember(said, happened_at="2025-05-01", now=NOW)
    assert not db.maintain(only="slots", now=NOW).changes
    extract(db.conn, noted("The user lives in Porto.", "user.city = Porto", "the move to Porto"), NOW)
    assert db.maintain(only="slots", now=NOW).counts == {"slots: proposed": 1}
    (found,) = db.proposals(kind="slot")
    assert (found.text, found.why) == ("user.city = Porto", "you said: the move to Porto")
    assert not db.maintain(only="slots", now=NOW).changes, "it is asked once"
    db.accept(found.id, now=NOW)
    assert "Porto" in str(db.context("where do I live?", strategy="slots", now=NOW))
    held = "select slot || '.' || slot_key, text, happened_at from memories where slot is not null"
    assert [tuple(row) for row in db.conn.execute(held)] == [("user.city", "Porto", "2025-05-01")]


QUIRK = "Its cache lies in the home folder, that is why your second run was green."


def test_S01_a_lesson_that_a_model_finds_by_reflection_waits_to_be_confirmed_and_is_then_the_agents() -> None:
    """No rule knows that this sentence teaches something; the words are the user's."""
    turns = [("user", "Run the linter."), ("assistant", "It is green."), ("user", QUIRK)]
    db = MemoryDatabase(embed="none")
    db.ingest([{"text": text, "speaker": who, "session": "s", "id": n} for n, (who, text) in enumerate(turns)], now=NOW)
    value = QUIRK.partition(",")[0]

    def reflect(prompt: str) -> str:
        (number,) = re.findall(r'"memory": (\d+)[^\n]*home folder', prompt)
        entry = {"memory": int(number), "text": "The linter's cache is in the home folder.", "quote": value}
        return json.dumps({"facts": [{**entry, "slot": f"agent.lesson: linter = {value}"}]})

    extract(db.conn, Scripted(reflect), NOW)
    db.maintain(only="slots", now=NOW)
    (found,) = db.proposals(kind="slot")
    assert (found.text, found.why) == (f"agent.lesson: linter = {value}", f"you said: {value}")
    db.accept(found.id, now=NOW)
    held = "select slot || '.' || slot_key, text from memories where slot is not null"
    assert [tuple(row) for row in db.conn.execute(held)] == [("agent.lesson: linter", value)]
    assert value in str(db.context("where is the cache of the linter?", strategy="slots", now=NOW))


def test_S01_the_reflection_asks_for_what_a_correction_or_a_failure_teaches() -> None:
    model = Scripted(lambda prompt: "{}")
    extract(database([TOLD], embed="none").conn, model, NOW)
    asked = " ".join(model.asked[0].split())
    assert (
        "what a correction or a failure teaches an assistant for the next time, `agent.lesson: WORDS = VALUE`" in asked
    )


def test_S01_a_lesson_that_a_rule_finds_is_not_proposed_again_in_a_models_words() -> None:
    turns = [("user", "Set up."), ("assistant", "I ran npm install."), ("user", "No, use pnpm, not npm.")]
    db = MemoryDatabase(embed="none")
    db.ingest([{"text": text, "speaker": who, "session": "s", "id": n} for n, (who, text) in enumerate(turns)], now=NOW)

    def reflect(prompt: str) -> str:
        (number,) = re.findall(r'"memory": (\d+)[^\n]*not npm', prompt)
        entry = {"memory": int(number), "text": "Use pnpm.", "quote": "use pnpm, not npm"}
        return json.dumps({"facts": [{**entry, "slot": "agent.lesson: package manager = use pnpm, not npm"}]})

    extract(db.conn, Scripted(reflect), NOW)
    db.maintain(only="slots", now=NOW)
    assert [one.text for one in db.proposals(kind="slot")] == ["agent.lesson: pnpm npm = No, use pnpm, not npm."]


@pytest.mark.parametrize(
    ("said", "speaker", "slot"),
    [
        ("I moved to Porto in spring", None, "user.city = Lisbon"),  # the text does not say it
        ("I moved to Porto in spring", None, "agent.city = Porto"),  # the agent's slot has lessons alone
        ("I moved to Porto in spring", None, "agent.lesson: Porto = ask about Lisbon"),
        ("I moved to Porto in spring", None, "lives in Porto"),
        ("I moved to Porto in spring", "Rosa", "user.city = Porto"),  # another person's words
        ("I moved to Porto in spring", "forwarded", "user.city = Porto"),  # sent by the user, said by another
    ],
)
def test_S15_a_slot_gets_only_what_the_users_own_words_say(said, speaker, slot) -> None:
    db = MemoryDatabase(embed="none")
    by = {"speaker": "user", "forwarded_from": "Rosa"} if speaker == "forwarded" else {"speaker": speaker}
    db.ingest([{"id": "t", "text": said, "kind": "turn", **by}], now=NOW)
    extract(db.conn, noted("A move to Porto.", slot, "moved to Porto"), NOW)
    assert not db.maintain(only="slots", now=NOW).changes
    assert db.recall("Porto", now=NOW)


@pytest.mark.parametrize("answer", ["", "I am sorry.", '{"facts": 3}', TimeoutError("late")], ids=repr)
def test_S15_a_model_of_no_use_is_asked_twice_and_costs_nothing(answer) -> None:
    db = database([TOLD], embed="none")
    before = known(db)
    model = Scripted(lambda prompt: answer)
    report = extract(db.conn, model, NOW)
    assert (len(model.asked), report.failed, known(db)) == (2, 1, before)
    assert extract(db.conn, model, NOW).memories == 0
    assert extract(db.conn, Scripted(lambda prompt: stated(prompt, LIVES)), NOW, retry=True).relations == 1


def test_S16_confidence_weighs() -> None:
    rows = [fact("user", "x", "quince", confidence=0.4), fact("user", "y", "quince", confidence=0.9)]
    found = database(rows, embed="none").recall("quince", strategy="slots")
    assert ids(found) == ["m2", "m1"]
    assert found[1].boosts == {"confidence": 0.4}


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not here")
def test_S16_the_next_page_shows_what_ten_rows_hid() -> None:
    db = sample()
    first = db.recall("what does each bed hold?", k=10, strategy="slots")
    more = SLOTS.replace(fulltext={"limit": 20})
    both = db.recall("what does each bed hold?", k=20, strategy=more)
    assert set(ids(first)) < set(ids(both))
    assert {f"bed-{n:02}" for n in range(1, 13)} <= set(ids(both))


def test_S16_without_meaning_another_word_for_the_same_is_not_found() -> None:
    db = database([fact("project", "x", "we deploy on Fridays")])
    assert not db.recall("when do they ship?", strategy="slots")
    assert ids(db.recall("when do they ship?", strategy="kira")) == ["m1"]
