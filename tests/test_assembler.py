"""The prompt assembler: one budget for several contributors, with a ledger of what each took and what was cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion
from memkit.retrieval.context.assembler import NO_ROOM, NOTHING, YIELDED, PromptPart, assemble_prompt


def words(text: str) -> int:
    return len(text.split())


def test_parts_stand_in_their_order_and_are_served_by_priority():
    parts = [PromptPart("low", "one two three", 10), PromptPart("high", "four five", 90)]
    assert str(assemble_prompt(parts, 9, tokens=words)) == "one two three\n\nfour five"
    prompt = assemble_prompt(parts, 4, tokens=words)
    assert str(prompt) == "four five"
    assert [(one.name, one.tokens, one.cut, one.why) for one in prompt.ledger] == [
        ("low", 0, ("one two three",), NO_ROOM),
        ("high", 2, (), ""),
    ]


def test_a_sticky_part_is_served_first_and_nothing_below_it_takes_its_place():
    parts = [
        PromptPart("memory", "a b", 70),
        PromptPart("user", "c d e f", 88, sticky=True),
        PromptPart("system", "s", 100),
    ]
    assert str(assemble_prompt(parts, 7, tokens=words)) == "a b\n\nc d e f\n\ns"
    prompt = assemble_prompt(parts, 3, tokens=words)
    assert str(prompt) == "s"  # of a higher priority than what is missing
    assert prompt.ledger[0].why == YIELDED


def test_of_a_conversation_the_newest_turns_stay_without_gaps():
    turns = ["1", "2 2 2 2", "3 3", "4"]
    prompt = assemble_prompt([PromptPart("conversation", turns, newest=True, heading="##")], 5, tokens=words)
    assert str(prompt) == "##\n3 3\n\n4"
    assert prompt.ledger[0].cut == ("1", "2 2 2 2")
    long = assemble_prompt([PromptPart("conversation", ["1", "2", "3 3 3 3"], newest=True)], 3, tokens=words)
    assert (str(long), long.ledger[0].cut) == ("", ("1", "2", "3 3 3 3"))  # not without what was said last


def test_a_contributor_is_told_how_much_room_it_has_and_what_it_returns_counts():
    asked = []

    def memory(room):
        asked.append(room)
        return "word " * room

    prompt = assemble_prompt(
        [PromptPart("memory", memory, most=0.5), PromptPart("rest", "a a a a")], 10, tokens=words, margin=0.2
    )
    assert asked == [4]
    assert [one.tokens for one in prompt.ledger] == [4, 4]
    assert prompt.used == 8
    too_long = assemble_prompt([PromptPart("memory", lambda room: "word " * (room + 1))], 10, tokens=words)
    assert (str(too_long), too_long.ledger[0].why) == ("", NO_ROOM)


def test_a_part_without_content_is_in_the_ledger():
    prompt = assemble_prompt([PromptPart("files", []), PromptPart("persona", " ")], 10)
    assert [(one.name, one.why) for one in prompt.ledger] == [("files", NOTHING), ("persona", NOTHING)]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: assemble_prompt([], -1), "budget is 0 or more"),
        (lambda: assemble_prompt([PromptPart("a", "x"), PromptPart("a", "y")], 9), "Two parts are called 'a'"),
        (lambda: PromptPart("a", "x", most=2), "between 0 and 1"),
    ],
)
def test_what_makes_no_sense_is_said(make, said):
    with pytest.raises(BadQuestion, match=said):
        make()


CONTENT = st.one_of(st.text(max_size=60), st.lists(st.text(max_size=30), max_size=6))
PARTS = st.lists(st.tuples(CONTENT, st.integers(0, 9), st.booleans(), st.booleans(), st.floats(0, 1)), max_size=6)


@given(PARTS, st.integers(0, 60), st.sampled_from([words, len]))
def test_the_budget_holds_and_every_text_is_shown_or_cut(given_, budget, tokens):
    parts = [
        PromptPart(str(n), content, priority, sticky, most, newest)
        for n, (content, priority, sticky, newest, most) in enumerate(given_)
    ]
    prompt = assemble_prompt(parts, budget, tokens=tokens)
    assert prompt.used == tokens(str(prompt)) <= budget
    for part, entry in zip(parts, prompt.ledger, strict=True):
        texts = [part.content] if isinstance(part.content, str) else part.content
        assert entry.shown + len(entry.cut) == len([text for text in texts if text.strip()])
        assert entry.tokens <= entry.room


def test_memory_is_one_contributor_among_others():
    with MemoryDatabase(embed="none") as db:
        db.remember("Rosa planted the quince in 2019.")
        message = "who planted the quince?"
        prompt = assemble_prompt(
            [
                PromptPart("system", "You are a gardener.", 100, sticky=True),
                PromptPart("memory", lambda room: str(db.context(message, budget=room)), 80, most=0.5),
                PromptPart("message", message, 90, sticky=True),
            ],
            200,
        )
        assert "Rosa planted" in str(prompt)
        assert [one.name for one in prompt.ledger if one.tokens] == ["system", "memory", "message"]
        assert "memory" in prompt._repr_html_()
