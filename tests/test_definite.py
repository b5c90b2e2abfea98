"""Definite nouns: what a sentence speaks of as known, and which sentence introduces it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.text.definite import introduced, presupposed
from memkit.text.needed import needed
from memkit.text.statements import statements


@pytest.mark.parametrize(
    "sentence",
    ["I was in the boat", "I try to enter each boat with care", "Ich war auf dem Boat", "Vi el boat ayer"],
)
def test_a_noun_with_an_article_is_spoken_of_as_known(sentence: str) -> None:
    assert any("boat" in noun for noun in presupposed(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "A boat",
        "The boat that I sold",
        "The boat of my uncle",
        "The boat Hansa sank",
        "We bought a boat and the boat sank",
        "I went home in the morning",
        "The same again",
        "",
    ],
)
def test_what_says_itself_which_one_is_meant_is_not_asked_for(sentence: str) -> None:
    assert not any(presupposed(sentence))


def test_what_is_in_sight_may_be_new() -> None:
    assert "boat" in introduced("I have never seen this boat here")
    assert "boat" not in introduced("I have never seen the boat here")


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert all(presupposed(text))
    assert "" not in introduced(text)


def along(said: list[tuple[str, str]]) -> list[str]:
    """What comes along with the last statement."""
    found = [one for number, (_, text) in enumerate(said) for one in statements(text, number=number)]
    return [found[at].words for at in needed(found, len(found) - 1, lambda at: said[found[at].text][0])[:-1]]


def test_a_known_noun_comes_with_the_last_statement_that_introduces_it() -> None:
    bought, sank = "My brother bought an old boat in Kiel.", "I think Marta was in the boat when Otto called."
    assert along(
        [("Ada", bought), ("Otto", "The boat leaks a bit."), ("Ada", "Rain again in Husum."), ("Ada", sank)]
    ) == [bought]


def test_what_nobody_introduced_brings_nothing() -> None:
    assert along([("Ada", "We like the opera in Vienna."), ("Otto", "I sing in the opera on Sundays.")]) == []


def test_within_a_turn_only_the_turn_is_searched() -> None:
    assert along([("Ada", "I have a boat."), ("Otto", "We live in Bonn. I was never in the boat on Sunday.")]) == []
