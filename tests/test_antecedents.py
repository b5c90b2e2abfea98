"""Antecedents: pronouns for which a sentence has no noun before them, and sentences that have one for others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.text.antecedents import EVERY, offered, unnamed


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("I know who he is lol probably hang around where hes at", "person"),
        ("I love himmm", "person"),
        ("Have you told your parents how odd she is?", "person"),
        ("Er wohnt in Graz", "person"),
        ("Ayer la vi con él en Bilbao", "person"),
        ("我昨天见到他了", "person"),
        ("I saw them for like 2 for 5 once at the shop", "several"),
        ("I hear they suck at nesting", "several"),
        ("Ich habe ihnen geschrieben", "several"),
        ("I tried playing it once but I got offended", "thing"),
        ("My friends play it a lot", "thing"),
        ("I kinda wanna try it", "thing"),
        ("I hear that people are kind there", "thing"),
        ("I find that hard to believe", "thing"),
        ("Mine costs 900 euros", "thing"),
        ("I mainly want to keep it", "thing"),
        ("Someone asked me that question once", "thing"),
        ("Be very strict with this I see", "thing"),
        ("I need someone to scare him off", "person"),
        ("I didn't get to show you how it turned out", "thing"),
        ("Does the shape of it really matter?", "thing"),
        ("but that seems like an interesting topic", "thing"),
        ("I had never seen one", "thing"),
        ("I would not do that in the evening", "thing"),
        ("The man at the desk did not know those flowers", "thing"),
        ("Dang must be hard in that scenario", "thing"),
        ("I ate it once when we were in Kiel", "thing"),
        ("I think I can make it vegan", "thing"),
        ("I don't think it can be avoided", "thing"),
        ("Ohhh that looks good!", "thing"),
        ("I have seen lots of videos like this.", "thing"),
        ("My wife asked me to make her one for tonight", "thing"),
    ],
)
def test_pronouns_without_a_noun_before_them(sentence: str, kind: str) -> None:
    assert kind in unnamed(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "My sister said she likes her boss",
        "Marta told Otto that he was late",
        "Gypsy was sick and she ran away",
        "Olives cant be food because they taste of nothing",
        "I bought the boat and painted it",
        "I drink coffee because it wakes me up",
        "It was hard to say goodbye to the twins",
        "We made it easy to leave",
        "It's nice that you came",
        "It rained in Kiel all day",
        "We made it to the top of the hill",
        "It has been cold in Graz",
        "Everyone should know what he wants",
        "I think that people like the sea",
        "I know that boats float",
        "These days I live in Rome",
        "I went to Graz and liked the people there",
        "There are swans in Kiel",
        "That morning we sold the boat",
        "Mein Bruder sagt, dass er kommt",
        "我哥哥说他要来",
        "其他人都来了",
        "",
    ],
)
def test_pronouns_with_a_noun_before_them_and_idle_ones(sentence: str) -> None:
    assert unnamed(sentence) == frozenset()


def test_what_a_sentence_names_for_the_next() -> None:
    assert offered("My sister sold the boat.") == EVERY
    assert "person" not in offered("We sold the boat.")
    assert "thing" not in offered("My sister left.")
    assert offered("Nobody came.") == frozenset()
    assert "person" not in offered("Man up!")
    assert "person" not in offered("Im going there rn Ill see you on Friday")
    assert "person" not in offered("Good evening, Ada!", ["ada"])
    assert offered("他来了") == frozenset()


@given(st.text(), st.lists(st.text(max_size=5), max_size=2))
def test_any_text_can_be_read(text: str, called: list[str]) -> None:
    assert unnamed(text, called) | offered(text, called) <= EVERY
