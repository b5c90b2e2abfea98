"""The words of a sentence that say something: names and titles whole, and all that is denied."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.text.phrases import phrases


def noted(sentence: str) -> list[str]:
    return [each.words for each in phrases(sentence)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I have booked a seat for tomorrow at 3pm.", ["booked", "seat", "tomorrow", "3pm"]),
        ("We watched Game of Thrones with Li Hua.", ["watched", "Game of Thrones", "Li Hua"]),
        ('I just started "The Last of Us"!', ["started", '"The Last of Us"']),
        ("The state-of-the-art e-mail of Dr. O’Hara", ["state-of-the-art", "e-mail", "Dr", "O’Hara"]),
        ("What about you?", []),
        ("", []),
    ],
)
def test_names_and_titles_stay_whole_and_function_words_go(sentence: str, expected: list[str]) -> None:
    assert noted(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("They are never satisfied.", ["never satisfied"]),
        ("I can’t wait!", ["can’t wait"]),
        ("It is not really far.", ["not really far"]),
        ("I do not, as you know, eat it.", ["not, as you know, eat"]),
        ("Das stimmt nicht.", ["Das stimmt nicht"]),
        ("I must never take ibuprofen with the new pills.", ["never take ibuprofen with the new pills"]),
        ("Priya will not take the train, but a taxi.", ["Priya", "not take the train", "taxi"]),
        ("Ich nehme Ibuprofen nicht mit Wein, aber Tee.", ["Ich nehme Ibuprofen nicht mit Wein", "aber", "Tee"]),
        ("Nobody fed the cat.", ["Nobody fed the cat"]),
        ("No, I like it.", ["like"]),
        ("No.", []),
        ("我不喜欢北京的冬天。", ["不喜欢北京", "冬天"]),
        ("私は京都で映画を見ませんでした。", ["私", "京都", "映画", "見ませんでした"]),
    ],
)
def test_what_is_denied_is_one_phrase_word_for_word_to_the_end_of_the_clause(
    sentence: str, expected: list[str]
) -> None:
    assert noted(sentence) == expected


def test_what_is_denied_is_not_what_is_said() -> None:
    (said,), (denied,) = phrases("far"), phrases("not far")
    assert said.terms.isdisjoint(denied.terms)


def test_a_title_is_found_by_its_words_and_by_all_of_it() -> None:
    (title,) = phrases("“The Left Hand of Darkness”")
    assert "the left hand of darkness" in title.terms
    assert "dark" not in title.terms
    assert {"left", "hand"} <= title.terms


@given(st.text(max_size=200) | st.text("ab A的是猫は.'’-\"\n", max_size=100))
def test_any_text_has_phrases_whose_words_stand_in_it_in_order(sentence: str) -> None:
    at = 0
    for each in phrases(sentence):
        for word in each.words.split(" "):
            assert word in sentence
        last = sentence.find(each.words.rsplit(" ", 1)[-1], at)
        assert last >= 0 or " " in each.words
        at = max(at, last)
