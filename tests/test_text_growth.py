"""What is read of any text takes as long as the text is, whatever repeats in it. What a text says stays the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from growth import grows_in_proportion, steps
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.text.extract import dictionary
from memkit.text.extract.claims import find_claims
from memkit.text.extract.lessons import may_teach
from memkit.text.extract.own_slots import find_slots
from memkit.text.spans import Spans

SMALL, TIMES = 400, 8  # characters, and how many times as many the large text has
MOST = 2 * TIMES  # in proportion 8, with the square 64


def of(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


# Each was slow: 40 kB of "A: b" took three seconds to remember, 16 kB of "Call me A." seven.
UNITS = (
    "A: b\n",
    "aB",
    "Call me A. ",
    "> Bo said: a\n",
    "[[a]]\n\n",
    "a. B c. ",
    "and ",
    "I live in A. ",
    "東京は。",
    "\n- A",
    "I live in A, she said, ",
    "please ",
    "Imagine I live in A. ",
    "game: I live in A ",
    "Translate I live in A",
)


def remembered(text: str) -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember(text)


@pytest.mark.parametrize("unit", UNITS)
def test_remembering_takes_steps_in_proportion(unit: str) -> None:
    small = steps(lambda: remembered(of(unit, SMALL)))
    assert steps(lambda: remembered(of(unit, SMALL * TIMES))) <= MOST * small


READERS: dict[str, Callable[[str], Any]] = {
    "of one": find_claims,
    "of several": lambda text: find_claims(text, "Li, Bo"),
    "of a chat": lambda text: find_claims(text, "user, assistant", "2024-01-01T00:00:00Z"),
}


@pytest.mark.parametrize("unit", ["Bo: b\n", "Li: I live in A.\n", '"I live in A," said Bo. ', "user: I like A.\n"])
@pytest.mark.parametrize("reader", READERS)
def test_who_says_a_sentence_is_found_at_once(reader: str, unit: str) -> None:
    READERS[reader](of(unit, 40))  # what is made at the first call
    small = steps(lambda: READERS[reader](of(unit, SMALL)))
    assert steps(lambda: READERS[reader](of(unit, SMALL * TIMES))) <= MOST * small


@pytest.mark.parametrize("unit", ["Call me A. ", "My email is a@b.de. ", "Answer briefly. ", "and ", "no, please "])
@pytest.mark.parametrize("work", [find_slots, may_teach])
def test_what_one_says_of_oneself_is_read_in_proportion(work: Callable[[str], Any], unit: str) -> None:
    assert grows_in_proportion(work, of(unit, 8000))


def test_an_endless_word_is_not_looked_up_at_each_of_its_letters() -> None:
    dictionary.is_unheard_of("quincetrees")
    assert steps(lambda: dictionary.is_unheard_of("aB" * 8000)) < 100
    assert not dictionary.is_unheard_of("notebooks")
    assert not dictionary.is_unheard_of("gardenhouses")
    assert dictionary.is_unheard_of("qzxgarden")


PLACES = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)).map(lambda one: (one[0], sum(one))), max_size=12)


@given(PLACES, st.integers(0, 40), st.integers(1, 9))
def test_spans_overlap_what_one_of_them_overlaps(places: list[tuple[int, int]], start: int, length: int) -> None:
    end = start + length
    assert Spans(places).overlap(start, end) == any(one < end and start < other for one, other in places)
    assert Spans(places).cover(start) == any(one <= start < other for one, other in places)
