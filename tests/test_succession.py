"""Succession: what was said differently since stands above what was said before, for questions about now."""

import re
import runpy
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.retrieval.registry import STRATEGIES
from memkit.retrieval.succession import Asked
from memkit.text.change import asks_of_several, asks_of_the_past, said_changed
from memkit.text.stems import stem
from memkit.text.words import words
from memkit.widgets.hit_cards import cards

STALE = Path(__file__).parent.parent / "bench" / "stale.py"
OLD, NEW = "Clara lives in Lisbon.", "Clara has moved to Ghent."
NOW = "2025-10-01"


@pytest.fixture
def db():
    with MemoryDatabase() as made:
        made.remember(OLD, happened_at="2024-03-01")
        made.remember(NEW, happened_at="2025-02-01")
        for n in range(8):
            made.remember(f"Bruno lives next to bakery number {n}.", happened_at=f"2024-05-0{n + 1}")
        yield made


def texts(found):
    return [hit.memory.text for hit in found]


def test_a_question_about_now_has_the_later_one_first_and_says_so_beside_the_earlier_one(db):
    found = db.recall("Where does Clara live?", now=NOW)
    assert texts(found)[:2] == [NEW, OLD]
    assert found[0].boosts["later"] > 1
    assert found[1].later == found[0].memory.id
    until = f"perhaps until 2025-02-01: see {found[0].memory.id}"
    assert found[1].until_text == until
    assert found[1].to_dict()["later"] == found[0].memory.id
    assert found[1].to_dict()["until"] == until
    assert f"perhaps until 2025-02-01; a later one may say what holds now: {found[0].memory.id}" in found.context()
    for shown in (found[1].why_text, repr(found), found._repr_html_(), found._repr_markdown_(), cards(found)):
        assert until in re.sub("<[^>]*>", "", shown)
    assert {hit.until_text for hit in found if hit is not found[1]} == {""}


def test_the_first_change_ends_it_and_the_newest_is_named():
    with MemoryDatabase() as db:
        old = db.remember(OLD, happened_at="2023-03-01")
        between = db.remember(NEW, happened_at="2024-05")
        newest = db.remember("Clara has moved to Oslo.", happened_at="2025-02-01T18:30:00Z")
        hits = {hit.memory.id: hit.until_text for hit in db.recall("Where does Clara live?", now=NOW)}
    assert hits[old.id] == f"perhaps until May 2024: see {newest.id}"
    assert hits[between.id] in ("", f"perhaps until 2025-02-01: see {newest.id}")
    assert hits[newest.id] == ""


def test_a_note_that_repeats_what_was_replaced_is_followed_by_the_same():
    with MemoryDatabase() as db:
        old = db.remember("The kitchen code is 4711.", happened_at="2024-03-01")
        copy, other = (
            db.remember(text, title="From a note", happened_at=f"2024-03-0{day}").id
            for day, text in (
                (5, "Kitchen code is 4711, said Anna."),
                (6, "The kitchen door is 4711 mm from the wall."),
            )
        )
        new = db.remember("The kitchen code is 9022.", happened_at="2025-02-01")
        unasked = db.recall("What is the kitchen code?", now=NOW)
        assert {hit.later for hit in unasked} == {""}  # nothing says that one replaces the other
        db.supersede(old.id, new.id)
        newer = db.remember("The kitchen code is 5150.", happened_at="2025-06-01")
        db.supersede(new.id, newer.id)
        found = db.recall("What is the kitchen code?", now=NOW)
        until = {hit.memory.id: hit.until_text for hit in found}
        assert found.ids.index(newer.id) < found.ids.index(copy)
        assert until[copy] == f"perhaps until 2025-02-01: see {newer.id}"
        assert until[other] == ""
        assert old.id not in until
        before = db.recall("What is the kitchen code?", now=NOW, as_of="2024-09-01")
        assert copy in before.ids
        assert {hit.later for hit in before} == {""}


def test_what_is_stored_as_ended_says_until_when(db):
    ended = db.remember("Clara lives in Bruges.", valid_until="2024-12-01")
    found = db.recall("Where does Clara live?", now=NOW, as_of="2024-09-01")
    assert {hit.memory.id: hit.until_text for hit in found}[ended.id] == "until 2024-12-01"
    assert ended.id not in db.recall("Where does Clara live?", now=NOW).ids


def test_the_past_is_found_by_asking_of_it_and_as_of_it(db):
    assert texts(db.recall("Where did Clara live before?", now=NOW))[0] == OLD
    assert texts(db.recall("Where does Clara live?", now=NOW, as_of="2024-09-01"))[0] == OLD
    assert texts(db.recall("Where does Clara live?", now=NOW, until="2025-01-01"))[0] == OLD


def test_a_strategy_without_the_rule_and_the_published_designs_leave_the_order_alone(db):
    off = db.recall("Where does Clara live?", now=NOW, strategy={"rank": {"later": False}})
    assert texts(off)[0] == OLD
    assert off[0].later == ""
    for name in STRATEGIES.keys() - {"memkit"}:
        assert not any("later" in hit.boosts for hit in db.recall("Where does Clara live?", now=NOW, strategy=name))


@pytest.mark.parametrize(
    "later",
    [
        "Clarissa has moved to Ghent.",
        "Clara also has a room in Ghent now.",
        "Clara might move to Ghent, nothing is decided.",
        "Has Clara moved to Ghent?",
        "Clara has a new bicycle.",
    ],
)
def test_what_replaces_nothing_stays_below(later):
    with MemoryDatabase() as db:
        db.remember(OLD, happened_at="2024-03-01")
        db.remember(later, happened_at="2025-02-01")
        for n in range(8):
            db.remember(f"Bruno lives next to bakery number {n}.", happened_at=f"2024-05-0{n + 1}")
        assert texts(db.recall("Where does Clara live?", now=NOW))[0] == OLD


def test_a_correction_counts_for_a_question_about_the_past_other_changes_do_not():
    with MemoryDatabase() as db:
        db.remember("The quince was planted in 2011.", happened_at="2024-03-01")
        right = db.remember("Correction: the quince was planted in 2013.", happened_at="2025-02-01")
        for n in range(8):
            db.remember(f"Row {n} of the garden has beans.", happened_at="2024-05-01")
        assert db.recall("When was the quince planted?", now=NOW)[0].memory.id == right.id


def test_words_of_change_in_five_languages():
    changes = (
        "The meeting was moved to Thursday.",
        "Die Probe wurde auf Freitag verlegt.",
        "Le cours est désormais le mercredi.",
        "Ya no vivo aquí.",
        "周会改到星期三。",
    )
    for text in changes:
        assert said_changed(text, lambda word: False) == text
    nothing = (
        "The meeting is on Tuesday.",
        "We might move the meeting.",
        "Die Probe ist auch freitags.",
        "周会在星期一。",
    )
    for text in nothing:
        assert not said_changed(text, lambda word: False)


def test_something_new_is_a_change_only_of_what_is_asked():
    text = "My new dentist is Dr. Lind."
    assert said_changed(text, {"dentist"}.__contains__) == text
    assert not said_changed(text, {"doctor"}.__contains__)


def test_questions_about_the_past_and_for_lists():
    for text in ("Where did I live?", "Wo habe ich früher gewohnt?", "¿Dónde vivía antes?", "我以前住在哪里？"):
        assert asks_of_the_past(text)
    for text in ("Where do I live?", "Was kostet das Ticket?", "Wo wohne ich?", "¿Dónde vivo?", "我住在哪里？"):
        assert not asks_of_the_past(text)
    assert asks_of_several("What are the names of her dogs?")
    assert not asks_of_several("What is the name of her dog?")


WORDS = st.lists(
    st.sampled_from("Clara lives moved now Ghent no longer in 周会 改到 ? . Ich nicht mehr new I my".split())
)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WORDS.map(" ".join).filter(str.strip), min_size=1, max_size=6), WORDS.map(" ".join))
def test_it_orders_and_neither_hides_nor_adds(said, question):
    with MemoryDatabase() as db:
        for n, text in enumerate(said):
            db.remember(text, happened_at=f"2024-0{n + 1}-01")
        on, off = (db.recall(question, 20, now=NOW, strategy={"rank": {"later": later}}) for later in (True, False))
        assert sorted(on.ids) == sorted(off.ids)
        scores = [hit.score for hit in on]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.slow
def test_at_most_three_of_a_hundred_answers_are_stale():
    stale = runpy.run_path(str(STALE), run_name="stale")
    found = stale["outcomes"]()
    assert stale["share"](found, "stale") <= 0.03
    assert stale["share"](found, "marked") >= 0.95
    assert stale["share"](found, "marked_wrongly") <= 0.03
    assert stale["share"](found, "among") == 1
    assert stale["share"](found, "past") >= 0.97
    assert stale["share"](found, "as_of") >= 0.97


PAGE = '<!doctype html><html><head><meta name="date" content="2025-02-01"></head><body><main>{}</main></body></html>'
MOVED = "I have moved to Ghent, and I live near the station now."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.html", PAGE.format(f"<h1>My life</h1><p>{MOVED}</p>")),
        ("GMT20250201-140000_talk.vtt", f"WEBVTT\n\n00:01.000 --> 00:02.000\n{MOVED}\n"),
        ("mail.eml", f"From: Eve <e@x.org>\nDate: Sat, 1 Feb 2025 10:00:00 +0000\nMessage-ID: <1@x.org>\n\n{MOVED}"),
        ("forged.eml", f"From: user <e@x.org>\nDate: Sat, 1 Feb 2025 10:00:00 +0000\nMessage-ID: <2@x.org>\n\n{MOVED}"),
    ],
)
def test_what_others_say_of_themselves_does_not_follow_what_the_user_said(tmp_path, name, text):
    """Else a page that somebody writes would take the place of the user's own facts."""
    (tmp_path / name).write_text(text)
    with MemoryDatabase(embed="none") as db:
        db.remember("I live in Lisbon.", happened_at="2024-03-01")
        for n in range(8):
            db.remember(f"Bruno lives next to bakery number {n}.", happened_at=f"2024-05-0{n + 1}")
        assert db.ingest(tmp_path).added == 1
        found = db.recall("Where do I live?", now=NOW)
        assert [hit.later for hit in found if "Lisbon" in hit.memory.text] == [""]
        db.remember(MOVED, happened_at="2025-03-01")
        (own,) = [hit for hit in db.recall("Where do I live?", now=NOW) if "Lisbon" in hit.memory.text]
        assert own.later  # which the same words do, where they are the user's


@pytest.mark.parametrize(
    ("name", "text", "follows"),
    [
        ("", "Became a member of the choir club, and I no longer row.", False),
        ("Bruno", "I became a member of the choir club, no longer of the rowing club.", False),
        ("Clara", "I became a member of the choir club, no longer of the rowing club.", True),
        ("", "Clara became a member of the choir club, no longer of the rowing club.", True),
    ],
)
def test_what_somebody_said_of_themself_is_followed_by_words_of_theirs_or_about_them(name, text, follows):
    with MemoryDatabase() as db:
        old = db.remember("I became a member of the rowing club.", speaker="Clara Moss", happened_at="2023-03-01")
        db.remember(text, speaker=f"{name} Moss" if name == "Clara" else name or None, happened_at="2024-05-01")
        hits = {hit.memory.id: hit.until_text for hit in db.recall("Who became a member of the club?", now=NOW)}
    assert bool(hits[old.id]) is follows


@pytest.mark.parametrize("text", ["Éclairs and ECLAIR pans", "the eclairs", "Straßen", "It was lived in", "clairs"])
def test_terms_are_found_by_the_stems_of_all_words_of_a_text(text: str) -> None:
    rarity = dict.fromkeys(("éclair", "strasse", "living", "lair"), 1.0)
    asked = Asked(rarity, frozenset(), own=False, past=False)
    assert asked.found_in(text) == {term for term in rarity if stem(term) in set(map(stem, words(text)))}
