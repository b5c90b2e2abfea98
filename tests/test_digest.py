"""A shorter text that the same questions find."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.compress import terms
from memkit.digest import MORE, digest, written
from memkit.life.digests import Digests, usual
from memkit.life.summaries import Turn
from memkit.text import est_tokens

CHAT = """Rosa: Hey there! How are you doing today?
Otto: Great, thanks! I sold the barometer to Wolfgang in Uppsala on Tuesday.
Rosa: Awesome! Sounds great. See you soon!
Otto: Great! See you soon."""


def same(term: str) -> float:
    return 1.0


def rare(term: str) -> float:
    return 0.1 if term in terms("hey great thanks awesome sounds see soon today doing") else 2.0


def test_what_few_texts_have_is_kept_and_courtesy_is_not() -> None:
    pieces, _ = digest([CHAT], 30, rare)
    assert written(pieces) == "Otto: I sold the barometer to Wolfgang in Uppsala on Tuesday."


def test_the_rare_words_of_what_is_left_out_are_named() -> None:
    text = "The barometer fell. " + "It was as it always is with us here and there. " * 3 + "A heron stood by the weir."
    pieces, words = digest([text], 20, rare)
    kept = {term for one in pieces for term in terms(one.words)}
    assert words
    assert all(not terms(word) <= kept for word in words)
    assert set(words) <= {"barometer", "fell", "heron", "stood", "weir", "always"}


def test_with_room_for_everything_everything_is_kept() -> None:
    pieces, words = digest([CHAT], 1000, same)
    assert (written(pieces), words) == (CHAT, [])


def test_a_digest_of_a_digest_keeps_its_line_of_words() -> None:
    pieces, words = digest([f"Rosa sold the barometer.\n{MORE}heron, weir"], 40, same)
    assert (written(pieces), sorted(words)) == ("Rosa sold the barometer.", ["heron", "weir"])


def test_a_text_that_counts_more_comes_first() -> None:
    pieces, _ = digest(["Rosa sold a barometer.", "Otto saw a heron."], 12, same, weights=[1, 9])
    assert [one.words for one in pieces] == ["Otto saw a heron."]


def test_a_negative_budget_makes_no_sense() -> None:
    with pytest.raises(ValueError, match="0 or more, not -1"):
        digest([CHAT], -1, same)


@given(st.lists(st.text(max_size=200), max_size=5), st.integers(0, 200))
def test_every_sentence_is_word_for_word_and_the_budget_holds(texts: list[str], budget: int) -> None:
    pieces, words = digest(texts, budget, same)
    assert all(one.words in texts[one.text] for one in pieces)
    assert sum(est_tokens(one.words) for one in pieces) + est_tokens(", ".join(words)) <= budget


def test_usual_words_are_known_from_the_start() -> None:
    assert 1 >= usual("the") > 0.9 > usual("great") > usual("bread") > usual("barometer")
    assert usual("xyzzyquux") == 0


def test_an_empty_database_tells_courtesy_from_news() -> None:
    with MemoryDatabase() as db:
        summary = Digests(db.conn).summarise([Turn(line) for line in CHAT.splitlines()], 32)
    assert "barometer" in summary.text
    assert "Awesome" not in summary.text
