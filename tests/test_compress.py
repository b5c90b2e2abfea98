"""Compression keeps what the question asks for, word for word, in order, and within its budget."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memkit.text.compress import compress
from memkit.text.statements import statements
from memkit.text.words import est_tokens

GARDEN = (
    "The garden is small. Rosa planted the quince in 2019, on a cold day. It rained a lot that week. "
    "The neighbours came over with soup. The quince tree bore fruit three years later."
)


def test_a_text_that_fits_is_left_alone():
    assert compress(GARDEN, "quince", 1000) == GARDEN


def test_the_sentences_that_share_words_with_the_question_are_kept_in_order():
    assert compress(GARDEN, "Who was planting a quince?", 30) == (
        "Rosa planted the quince in 2019, on a cold day. … The quince tree bore fruit three years later."
    )


def test_the_best_sentence_wins_when_only_one_fits():
    assert compress(GARDEN, "When did the quince tree bear fruit?", 14) == (
        "The quince tree bore fruit three years later."
    )


def test_without_a_shared_word_the_beginning_stands_for_the_text():
    assert compress(GARDEN, "bicycle?", 18) == "The garden is small. Rosa planted the quince in 2019, on a cold day."


def test_chinese_sentences_are_matched_by_their_pieces():
    text = "我昨天去了北京。天气很好，我们走了很多路。小李的生日是三月五日。晚上吃了火锅。"
    assert compress(text, "小李生日是哪天", 15) == "小李的生日是三月五日。"


def test_a_sentence_that_is_too_long_is_passed_over_and_never_cut():
    text = "I never said that " + "alpha beta " * 200 + "is ripe. The quince is ripe."
    assert compress(text, "ripe", 90) == "The quince is ripe."
    assert compress("alpha beta " * 200, "alpha", 90) == ""


def test_a_question_that_only_repeats_the_words_is_not_what_was_asked_for():
    text = "Food? What food! We had soup and bread. Food? " + "Then we went home by the river. " * 5
    assert compress(text, "Which food?", 12) == "What food!"
    assert compress(text.replace("What food! ", ""), "Which food did we have?", 12) == "We had soup and bread."


def test_a_sentence_of_a_transcript_keeps_its_speaker():
    chat = "Rosa: Hello there. I live in Lisbon now. It rains a lot.\nOtto: I live in Uppsala. It snows. Do you ski?"
    assert compress(chat, "Who lives where?", 20, ["Rosa", "Otto"]) == (
        "Rosa: I live in Lisbon now. …\nOtto: I live in Uppsala."
    )


def test_nothing_fits_into_no_budget():
    assert compress(GARDEN, "quince", 0) == ""
    assert compress("", "quince", 0) == ""


TEXTS = st.lists(
    st.sampled_from(["quince ", "tree", ". ", "! ", "\n\n", "北京", "。", "é", " … ", "x" * 90, " the "])
).map("".join)


@given(st.one_of(TEXTS, st.text()), st.one_of(TEXTS, st.text()), st.integers(-2, 60))
@example(". . " + "quince " * 17, "quince ", 30)
def test_a_compressed_text_keeps_its_budget_its_sentences_and_their_order(text, question, budget):
    got = compress(text, question, budget)
    assert est_tokens(got) <= max(0, budget)
    left = {"".join(got.replace("…", "").split())}  # what may be left of it: one sentence may begin with another
    for one in statements(text):
        words = "".join((one.mark + one.words).replace("…", "").split())
        left |= {rest.removeprefix(words) for rest in left}
    assert "" in left or got == text


@pytest.mark.parametrize("budget", [5, 20, 60])
def test_a_text_of_many_sentences_is_compressed_in_a_moment(budget):
    text = "The quince stands in the garden by the wall. " * 5000
    assert est_tokens(compress(text, "quince " * 5000, budget)) <= budget


SCHEMA = """We keep everything in two tables, and this is how they look at present, which may change.

```sql
create table users (
  id bigint primary key,
  email text not null,

  deleted_at timestamptz
);
create table topics (
  id bigint primary key,
  user_id bigint references users (id)
);
```
"""


def test_a_line_that_opens_a_block_of_code_comes_with_the_block():
    users = SCHEMA.partition("sql\n")[2].partition("\n);")[0].replace("\n\n", "\n")
    short = compress(SCHEMA, "what are the fields of the users table?", 45)
    assert users in short.replace("\n\n", "\n")
    assert est_tokens(short) <= 45
    first = compress(SCHEMA, "what are the fields of the users table?", 14)
    assert first == "create table users (\n  id bigint primary key,"
    assert compress(SCHEMA, "deleted_at?", 14).strip() == "deleted_at timestamptz"


def test_indented_prose_is_no_block():
    text = "The quince is ripe.\n    It fell.\n    Nobody saw it.\n" + "We went home by the river. " * 20
    assert compress(text, "quince?", 12) == "The quince is ripe."
