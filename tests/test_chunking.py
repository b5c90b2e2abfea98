"""Passages are spans of the text: nothing is lost, nothing is said twice, nothing is longer than it may be."""

import pytest
from growth import grows_in_proportion
from hypothesis import given
from hypothesis import strategies as st

from memkit.text.chunking import parts, passages
from memkit.text.words import est_tokens

NOTE = """# Garden

The quince stands by the wall.

It was planted in 2019.

## Water

Every second day in July.

## Tools

### Spade

```python
# not a heading

spade = "sharp"
```

Oil it in winter.
"""

LINES = st.sampled_from(
    [
        "",
        "   ",
        "# One",
        "## Two",
        "### ",
        "Title",
        "===",
        "---",
        "```",
        "```py",
        "~~~~",
        "- item one",
        "  - nested item",
        "1. first",
        "> said",
        "| a | b |",
        "Rosa planted the quince. It grew! Did it?",
        "榲桲是罗莎种的。它长得很好！真的吗？",
        "word " * 60,
        "x" * 700,
        "种" * 300,
        "\t indented 🌳",
    ]
)
TEXTS = st.one_of(st.lists(LINES, max_size=40).map("\n".join), st.text(max_size=400))


def cut(text, **options):
    return [text[p.start : p.end] for p in passages(text, **options)]


@given(TEXTS, st.integers(1, 80))
def test_passages_are_in_order_apart_and_leave_out_only_blanks(text, limit):
    at = 0
    for passage in passages(text, max_tokens=limit):
        assert at <= passage.start < passage.end
        assert not text[at : passage.start].strip()
        assert text[passage.start : passage.end].strip()
        at = passage.end
    assert not text[at:].strip()


@given(st.lists(LINES, max_size=40).map("\n".join), st.integers(1, 200))
def test_only_code_goes_far_over_the_limit(text, limit):
    """The headings above a passage come on top of the limit: together no more than the limit, or one line of 160."""
    for passage in passages(text, max_tokens=limit):
        said = text[passage.start : passage.end]
        if "```" not in said and "~~~" not in said:
            assert est_tokens(said) <= limit + max(limit, 160) + 4


@given(TEXTS, st.integers(1, 80))
def test_parts_hold_every_word_once(text, limit):
    assert "".join("".join(parts(text, limit)).split()) == "".join(text.split())


@given(TEXTS)
def test_starting_later_gives_offsets_in_the_whole_text(text):
    front = "---\ntitle: x\n---\n"
    moved = [(p.start - len(front), p.end - len(front)) for p in passages(front + text, start=len(front))]
    assert moved == [(p.start, p.end) for p in passages(text)]


def test_a_passage_stays_under_its_heading():
    assert [(p.headings, NOTE[p.start : p.end].split("\n")[-1]) for p in passages(NOTE)] == [
        (("Garden",), "It was planted in 2019."),
        (("Garden", "Water"), "Every second day in July."),
        (("Garden", "Tools", "Spade"), "Oil it in winter."),
    ]


def test_a_heading_without_text_goes_with_what_follows():
    assert cut(NOTE)[2].startswith("## Tools\n\n### Spade\n\n```python")


def test_headings_alone_are_one_passage():
    assert cut("# A\n\n## B\n") == ["# A\n\n## B"]


def test_underlined_lines_are_headings():
    text = "Garden\n======\n\nQuince.\n\nWater\n---\nDaily."
    assert [p.headings for p in passages(text)] == [("Garden",), ("Garden", "Water")]


@pytest.mark.parametrize("line", ["#hashtag first", "####### seven", "    # code", "a # b"])
def test_what_only_looks_like_a_heading_is_text(line):
    assert [p.headings for p in passages(line + "\n\nmore")] == [()]


def test_closing_hashes_are_no_part_of_a_heading():
    assert next(passages("## C# and F# ##\n\ntext")).heading == "C# and F#"


def test_small_paragraphs_are_put_together_up_to_the_limit():
    text = "\n\n".join(["four words of text."] * 12)  # 19 characters each, 5 tokens
    assert [len(piece.split("\n\n")) for piece in cut(text, max_tokens=16)] == [3, 3, 3, 3]


def test_code_stays_whole():
    code = "```\n" + "\n\n".join(f"line {i} of the listing" for i in range(200)) + "\n```"
    assert code in cut(f"Before.\n\n{code}\n\nAfter.")


def test_code_inside_a_list_or_a_quote_stays_whole():
    text = "- do:\n  ```sh\n  # not a heading\n\n  make\n  ```\n\n> ```\n> # nor this\n>\n> ```"
    assert [p.headings for p in passages(text)] == [()]


def test_a_fence_that_is_never_closed_is_text():
    text = "```\n\n" + "\n\n".join(["some words here"] * 400)
    assert max(map(est_tokens, cut(text))) <= 250


def test_a_longer_fence_holds_a_shorter_one():
    text = "````\n```\n# inside\n```\n````\n\n# outside\n\ntext"
    assert [p.headings for p in passages(text)] == [(), ("outside",)]


def test_chinese_is_cut_after_sentences():
    text = "榲桲是罗莎种的。" * 100
    pieces = cut(text, max_tokens=40)
    assert {piece[-1] for piece in pieces} == {"。"}
    assert all(est_tokens(piece) <= 40 for piece in pieces)


def test_a_long_list_is_cut_between_its_items():
    text = "\n".join(f"- item {i} with a few words. And two sentences" for i in range(60))
    assert all(piece.startswith("- item") for piece in cut(text, max_tokens=50))


def test_a_sentence_without_end_is_cut_between_words():
    text = "quince " * 400
    assert all(piece.endswith("quince") and est_tokens(piece) <= 50 for piece in cut(text, max_tokens=50))


def test_a_short_text_is_one_part_as_it_is():
    assert parts("  as it is\n", 500) == ["  as it is\n"]


def test_parts_reach_over_headings_and_do_not_end_with_one():
    text = "\n\n".join(f"## Step {i}\n\nA few words about what to do." for i in range(40))
    found = parts(text, 100)
    assert len(found) < 10
    assert not any(piece.split("\n")[-1].startswith("#") for piece in found)


@pytest.mark.parametrize("line", ["```a", "~~~", "x", "# h", "- i", "````", "- ```"])
def test_long_texts_take_time_in_proportion(line):
    def cut_up(lines: str) -> None:
        list(passages(f"{lines}\n{'y' * len(lines)}"))

    assert grows_in_proportion(cut_up, "\n".join([line] * 40_000))


def test_a_limit_below_one_is_refused():
    with pytest.raises(ValueError, match="1 or more, not 0"):
        list(passages("text", max_tokens=0))
