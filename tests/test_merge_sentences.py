"""One text of several that say nearly the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.text.merge_sentences import merge_sentences
from memkit.text.words import sentences, words

SENTENCES = st.lists(
    st.sampled_from(["Rosa planted it.", "It bears fruit in 2019.", "It bears no fruit.", "苹果很好吃。", "Yes!"])
)


@pytest.mark.parametrize(
    ("texts", "one"),
    [
        ([], ""),
        (["", "  "], ""),
        (["Rosa planted the quince."], "Rosa planted the quince."),
        (["Rosa planted the quince.", "Rosa planted the quince."], "Rosa planted the quince."),
        (
            ["Rosa planted it. It bears fruit.", "It bears fruit. It is old."],
            "Rosa planted it. It bears fruit. It is old.",
        ),
        (
            ["Rosa planted the quince.", "Rosa planted the quince by the wall in March."],
            "Rosa planted the quince by the wall in March.",
        ),
        (["我喜欢吃苹果。", "我喜欢吃苹果。我住在北京。"], "我喜欢吃苹果。我住在北京。"),
    ],
)
def test_every_sentence_that_adds_something_is_there_once(texts: list[str], one: str) -> None:
    assert merge_sentences(texts) == one


@pytest.mark.parametrize(
    "texts",
    [
        ["Rosa planted the old quince in 2019.", "Rosa planted the old quince in 2020."],
        ["Rosa likes the green olives.", "Rosa does not like the green olives."],
        ["I can eat walnuts at every meal.", "I can't eat walnuts at every meal."],
    ],
)
def test_other_numbers_and_the_opposite_are_other_sentences(texts: list[str]) -> None:
    assert merge_sentences(texts) == " ".join(texts)


@given(SENTENCES)
def test_no_word_is_lost_and_none_is_made_up(texts: list[str]) -> None:
    assert {word for text in texts for word in words(text)} == set(words(merge_sentences(texts)))


@given(st.lists(st.text(max_size=60), max_size=4))
def test_any_texts_are_united_and_uniting_again_changes_nothing(texts: list[str]) -> None:
    one = merge_sentences(texts)
    assert merge_sentences([one]) == one or len(sentences(merge_sentences([one]))) <= len(sentences(one))


RECIPE = """# Quince jelly

- quinces
  - ripe ones
- sugar

```python
jars = 4

weeks = 2
```

| what | how much |
|---|---|
| quince | 2 kg |

Boil it slowly. Stir it well."""


def test_equal_texts_give_this_text() -> None:
    assert merge_sentences([RECIPE, RECIPE]) == RECIPE
    assert merge_sentences([RECIPE, RECIPE + "\n"]) == RECIPE


def test_lines_lists_tables_and_code_stay_as_they_were_written() -> None:
    other = RECIPE.replace("ripe ones", "ripe ones of Rosa").replace("weeks = 2", "weeks = 3")
    other = other.replace("Stir it well.", "Give a jar to Otto.")
    one = merge_sentences([RECIPE, other])
    assert one.startswith(RECIPE.replace("  - ripe ones", "  - ripe ones of Rosa"))
    assert one.endswith("\n\n```python\njars = 4\n\nweeks = 3\n```\n\nGive a jar to Otto.")


def test_what_follows_a_list_item_is_an_item_of_the_list() -> None:
    assert merge_sentences(["- tea from Assam\n- olives", "- tea from Assam\n  - cups\n- bread"]) == (
        "- tea from Assam\n- olives\n  - cups\n- bread"
    )


def test_a_verse_keeps_its_lines() -> None:
    verse = "The quince is old\nthe wall is warm\nand Rosa sings"
    assert merge_sentences([verse, "The quince is old the wall is warm and Rosa sings"]) == verse
