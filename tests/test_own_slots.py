"""Slots that fill themselves from what the user says of himself, and from nobody else's words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.ingestion import own_slots
from memkit.text.extract.own_slots import find_slots, slot_lines


def slots(text):
    return {one.key: one.value for one in find_slots(text) if not one.ended}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hi, my name is Sam Reed.", {"name": "Sam Reed"}),
        ("Ich heiße Sam Reed.", {"name": "Sam Reed"}),
        ("Hola, me llamo Rosa Vidal.", {"name": "Rosa Vidal"}),
        ("Bonjour, je m'appelle Luc Morel.", {"name": "Luc Morel"}),
        ("我叫李明。", {"name": "李明"}),
        ("Call me Sam.", {"nickname": "Sam"}),
        ("Please call me Sam!", {"nickname": "Sam"}),
        ("Nenn mich Sam.", {"nickname": "Sam"}),
        ("Please answer in short sentences.", {"style": "Please answer in short sentences"}),
        ("Antworte bitte kurz.", {"style": "Antworte bitte kurz"}),
        ("My phone number is +49 30 901820.", {"phone": "+49 30 901820"}),
        ("Meine neue Nummer ist 030 901820.", {"phone": "030 901820"}),
        ("My email is sam@example.org.", {"email": "sam@example.org"}),
        ("I'm allergic to peanuts.", {"allergy: peanuts": "peanuts"}),
        ("Soy alérgica a los cacahuetes.", {"allergy: cacahuetes": "cacahuetes"}),
        ("Je suis allergique aux noix.", {"allergy: noix": "noix"}),
        ("我对花生过敏。", {"allergy: 花生": "花生"}),
    ],
)
def test_what_somebody_says_of_himself_fills_a_slot(text, expected):
    assert slots(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "What if my name is Sam?",
        "Mia said: “My name is Mia Ek.”",
        "> My name is Mia Ek.",
        "I am not allergic to peanuts.",
        "Her name is Mia Ek.",
        "Call me tomorrow.",
        "Call me at 555 0101.",
        "My sister's phone number is 555 0101.",
        "Can you answer in short sentences?",
        "The film is called Call Me By Your Name.",
    ],
)
def test_what_is_asked_denied_or_said_of_others_fills_none(text):
    assert slots(text) == {}


def test_slots_are_filled_once_from_the_users_words_alone():
    with MemoryDatabase() as db:
        said = db.remember("Please call me Sam.", happened_at="2023-01-10")
        db.remember("Call me Mo.", speaker="Mia", happened_at="2023-01-11")
        db.remember("Call me Bo.", speaker="assistant", happened_at="2023-01-12")
        (first,) = db.fill_slots()
        assert (first.slot_key, first.text) == ("nickname", "Sam")
        assert db.fill_slots() == []
        db.remember("Call me Sam!", happened_at="2023-01-20")  # said again
        assert db.fill_slots() == []
        db.remember("Call me Samy.", happened_at="2023-02-10")
        (new,) = db.fill_slots()
        assert new.text == "Samy"
        query = "select text, valid_until is null as holds from memories where slot = 'user' order by key"
        assert list(db.tables.query(query)) == [{"text": "Sam", "holds": 0}, {"text": "Samy", "holds": 1}]
        sources = db.tables.query("select to_key from links where type = 'derived_from' order by key")
        assert next(iter(sources))["to_key"] == said.key


def test_what_is_forgotten_by_another_process_at_the_last_moment_ends_no_run(tmp_path, monkeypatch):
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed="none") as db, MemoryDatabase(path, embed="none") as other:
        said = db.remember("Please call me Sam.", happened_at="2023-01-10")
        unread = own_slots.unread

        def then_forgotten(conn, limit):
            rows = unread(conn, limit)
            if rows and not conn.in_transaction:  # nobody keeps the other process from it
                other.forget(said.id, hard=True)
            return rows

        monkeypatch.setattr(own_slots, "unread", then_forgotten)
        assert [one.text for one in db.fill_slots()] == ["Sam"]


def test_a_name_that_is_said_is_who_says_i():
    with MemoryDatabase() as db:
        db.remember("My name is Sam Reed.", happened_at="2023-01-10")
        db.remember("I live in Bern.", happened_at="2023-01-11")
        db.fill_slots()
        assert db.me() == "Sam Reed"
        assert [one.object for one in db.about("Sam Reed").relations if one.predicate == "lives_in"] == ["Bern"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Call me Samuel now.", ("nickname", "Samuel", True)),
        ("Nenn mich jetzt Samuel.", ("nickname", "Samuel", True)),
        ("叫我小李吧。", ("nickname", "小李", True)),
        ("My name is Sam Reed and I live in Bern.", ("name", "Sam Reed", True)),
        ("Hi there, I'm new here and my name is Sam.", ("name", "Sam", False)),
        ("Write a cover letter. My name is Sam Reed.", ("name", "Sam Reed", False)),
        ("I prefer tea.", ("prefers: tea", "tea", False)),
        (
            "I always prefer window seats over aisle seats.",
            ("prefers: aisle seats or window seats", "window seats", True),
        ),
        ("Prefiero el té al café.", ("prefers: café or té", "té", False)),
        ("My favourite colour is blue now.", ("favourite colour", "blue", True)),
        ("Meine Lieblingsfarbe ist jetzt Blau.", ("favourite farbe", "Blau", True)),
        ("Ma couleur préférée est le bleu.", ("favourite couleur", "bleu", True)),
        ("Mein Geburtstag ist am 3. Mai.", ("birthday", "3. Mai", True)),
        ("We decided to use pnpm for the builds.", ("decision: builds", "use pnpm for the builds", True)),
    ],
)
def test_what_is_said_with_how_sure_it_is(text, expected):
    (one,) = find_slots(text)
    assert (one.key, one.value, one.sure) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I prefer the second one.",
        "I prefer this version, please.",
        "Answer in French. What is a quince?",
        "My favourite part is when they meet.",
        "Call me John Doe.",
        "My phone number is 123-456-7890.",
        "Imagine my name is Sam.",
        "Call me ASAP.",
    ],
)
def test_what_is_about_this_moment_or_made_up_fills_none(text):
    assert slots(text) == {}


@given(
    st.text()
    | st.sampled_from(["call me ", "my name is ", "I prefer "]).flatmap(lambda lead: st.text().map(lead.__add__))
)
def test_any_text_is_read_and_its_values_are_its_own_words(text):
    for one in find_slots(text):
        assert one.value in " ".join(text.split())
        assert slot_lines(one.line)[0].value == one.value
