"""A few sentences that say most of many texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.text.statements import Statement, statements, written
from memkit.text.summarize import summarize, vectors
from memkit.text.words import est_tokens

CHAT = [
    "Hey! How are you?",
    "I moved to Lisbon in May because the new job at the harbour museum began then.",
    "Oh nice, how exciting! Thanks for telling me!",
    "Yes. My sister Rosa stayed in Porto with the two dogs.",
    "So you moved to Lisbon in May for the job at the harbour museum.",
    "Thanks! See you.",
]
texts = st.lists(st.text(max_size=200) | st.sampled_from([*CHAT, "我五月搬到了里斯本。我妹妹留在波尔图。"]), max_size=8)


def words(found: list[Statement]) -> list[str]:
    return [one.words for one in found]


# ---------------------------------------------------------------------------------------------- what is always so


@given(texts, st.integers(0, 100))
def test_every_sentence_stands_in_its_text_in_order_and_all_fit_the_budget(said, budget) -> None:
    found = summarize(said, budget)
    assert est_tokens(written(found)) <= budget
    places = [(one.text, one.place) for one in found]
    assert places == sorted(set(places))
    assert all(one.words in said[one.text] for one in found)


@given(texts)
def test_with_room_for_all_nothing_is_left_out(said) -> None:
    found = summarize(said, 10_000)
    assert found == [one for number, text in enumerate(said) for one in statements(text, number=number)]


@given(texts, st.integers(0, 60))
def test_the_same_texts_give_the_same_sentences(said, budget) -> None:
    assert summarize(said, budget) == summarize(list(said), budget)


RISOTTO = [
    "We cooked a saffron risotto at Lena's on Friday. It took 3 hours in her old copper pan. That pan is from 1920.",
    "Otto repaired the bicycle chain in Hamburg. He is happy about the 40 euros.",
    "It rained. Marta sold 12 jars of quince jelly at the market in Bremen.",
]


@given(st.integers(0, 90), st.permutations(RISOTTO))
def test_a_sentence_that_begins_with_a_pronoun_comes_with_the_one_before_it(budget, said) -> None:
    found = summarize(said, budget)
    there = {(one.text, one.place) for one in found}
    for one in found:
        if one.words.startswith(("It took", "That pan", "He is")):
            assert (one.text, one.place - 1) in there, [one.words for one in found]


# ---------------------------------------------------------------------------------------------- what is chosen


def test_what_says_something_is_taken_before_greetings_questions_and_repetitions() -> None:
    assert words(summarize(CHAT, 36)) == [CHAT[1], "My sister Rosa stayed in Porto with the two dogs."]


def test_the_name_of_a_speaker_who_is_called_tells_nothing() -> None:
    """ "I agree, Mel!" would count as one with a name, and "I agree, Porto!" does."""
    texts = ["Well, I totally agree, Mel!", "We took the old ferry."]
    labels = ["Caroline: ", "Melanie: "]
    assert [one.text for one in summarize(texts, 11, labels=labels)] == [1]
    assert [one.text for one in summarize(texts, 11, labels=["Caroline: ", "Anna: "])] == [0]


def test_an_answer_counts_more_than_what_answers_nothing() -> None:
    chat = [
        "We painted the shed together.",
        "How often do you all paint it?",
        "It is done three times in autumn. The wall stays damp in winter.",
    ]
    answered = summarize(chat, 28, labels=["Ada: ", "Ben: ", "Ada: "])
    assert words(answered) == [chat[0], chat[1], "It is done three times in autumn."]
    by_oneself = summarize(chat, 28, labels=["Ben: ", "Ada: ", "Ada: "])  # who asks and goes on answers nobody
    assert "The wall stays damp in winter." in words(by_oneself)


def test_an_item_of_a_list_begins_with_what_it_is_about() -> None:
    """Without "A dream journal." the second item would go on with the journal of the first."""
    text = (
        "Ideas for journals:\n\n1. A gratitude journal. Here children write what they are thankful for.\n2. A dream "
        "journal. Children could use this journal to record dreams of flying, falling and being lost in Lisbon."
    )
    kept = written(summarize([text], 40))
    assert "2. A dream journal. Children could use this journal" in kept
    assert "1." not in kept


def test_what_is_known_is_not_said_again() -> None:
    assert words(summarize(CHAT, 15, known=[CHAT[1]])) == ["My sister Rosa stayed in Porto with the two dogs."]


def test_of_news_alone_nothing_is_taken_that_says_nothing() -> None:
    assert words(summarize(["Hey!", "Thanks!", CHAT[1]], 1000, known=[])) == [CHAT[1]]
    assert summarize(["Hey!", "Thanks!"], 1000, known=[]) == []


def test_a_weight_makes_a_text_count() -> None:
    said = ["The quince blossoms early this year.", "The kettle whistles in the kitchen again."]
    for heavy in (0, 1):
        assert words(summarize(said, 12, weights=[1 + 9 * (heavy == n) for n in (0, 1)])) == [said[heavy]]


def test_scripts_without_spaces_are_summarized_too() -> None:
    said = ["你好！", "我五月搬到了里斯本，因为港口博物馆的新工作开始了。", "谢谢！", "我妹妹罗莎和两只狗留在波尔图。"]
    assert words(summarize(said, 45)) == [said[1], said[3]]


def test_a_budget_too_small_for_any_sentence_keeps_none_rather_than_a_part_of_one() -> None:
    assert summarize([CHAT[1]], 4) == []
    assert summarize(CHAT, 0) == []
    assert summarize([], 100) == summarize(["", " "], 100) == []


def test_what_stands_before_a_text_is_paid_for_once() -> None:
    text = "I moved to Lisbon. I sold the boat. I kept the dogs."
    assert len(summarize([text], 12, labels=["Rosa: "])) == 2
    assert len(summarize([text, "I saw a heron."], 12, labels=["Wolfgang Schulz: "] * 2)) == 1


def test_what_is_denied_is_not_said_by_what_is_not() -> None:
    known = ["I do eat pork with apples and onions on most days."]
    (only,) = summarize(["I do not eat pork with apples and onions on most days."], 30, known=known)
    assert "not" in only.words


def test_wrong_parameters_are_said() -> None:
    with pytest.raises(ValueError, match="0 or more, not -1"):
        summarize(CHAT, -1)
    with pytest.raises(ValueError, match="6 texts, but 1 weights"):
        summarize(CHAT, 10, weights=[1.0])


# ---------------------------------------------------------------------------------------------- the formulas


def test_a_vector_has_length_one_or_nothing_in_it() -> None:
    full, empty = vectors(["The quince blossoms.", "!"])
    assert sum(weight**2 for weight in full.values()) == pytest.approx(1)
    assert empty == {}


def test_thousands_of_sentences_can_be_summarized() -> None:
    said = [f"On day {n} Rosa saw {n % 89} birds near the {n % 53}th bridge of the river." for n in range(2000)]
    found = summarize(said, 4000)
    assert 100 < len(found) < 400


def test_a_pronoun_that_nothing_names_counts_less() -> None:
    lost, told = "I saw them in Kiel with 14 old cellos on Friday", "I saw Rosa in Kiel on Friday"
    assert [one.words for one in summarize([lost, told], 14)] == [told]
    assert [one.words for one in summarize([lost.replace("them", "swans"), told], 14)] != [told]


def test_what_a_sentence_brings_along_is_a_part_of_its_price() -> None:
    named, leans, alone = (
        "The neighbours are nice here.",
        "They sold 14 boats near Kiel.",
        "Some sold 15 boats near Bonn.",
    )
    assert [one.words for one in summarize([named, leans, alone], 15)] != [named, leans]
    assert alone in [one.words for one in summarize([named, leans, alone], 15)]
    assert [one.words for one in summarize([named, leans], 15)] == [named, leans]
