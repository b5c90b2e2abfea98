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
    middle = assemble_prompt([PromptPart("conversation", ["1", "2 2 2 2", "3"], newest=True)], 3, tokens=words)
    assert (str(middle), middle.ledger[0].cut) == ("3", ("1", "2 2 2 2"))
    long = assemble_prompt([PromptPart("conversation", ["1", "2", "3 3 3 3"], newest=True)], 3, tokens=words)
    assert (str(long), long.ledger[0].cut) == ("", ("1", "2", "3 3 3 3"))  # not without what was said last


def test_of_a_conversation_what_was_said_last_is_served_first():
    turns = ["1 1", "2", "3 3"]
    newest, first = (assemble_prompt([PromptPart("c", turns, newest=new)], 3, tokens=words) for new in (True, False))
    assert (str(newest), newest.ledger[0].cut) == ("2\n\n3 3", ("1 1",))
    assert (str(first), first.ledger[0].cut) == ("1 1\n\n2", ("3 3",))
    whole = assemble_prompt([PromptPart("c", turns, newest=True)], 5, tokens=words)
    assert (str(whole), whole.ledger[0].shown, whole.ledger[0].why) == ("1 1\n\n2\n\n3 3", 3, "")


def test_where_no_room_is_left_a_contributor_is_told_so_and_gets_none():
    asked = []

    def files(room):
        asked.append(room)
        return ["x", "y"]

    for share in (1.0, 0.0):
        prompt = assemble_prompt(
            [PromptPart("all", "a b", 90), PromptPart("files", files, 10, most=share)], 2, tokens=words
        )
        assert (prompt.ledger[1].room, prompt.ledger[1].cut, prompt.ledger[1].why) == (0, ("x", "y"), NO_ROOM)
    assert asked == [0, 0]


def test_what_is_below_a_sticky_part_that_found_no_room_is_asked_for_its_texts_and_shows_none():
    parts = [
        PromptPart("late", lambda room: f"{room} tokens", 5),
        PromptPart("user", "c d e f", 50, sticky=True),
        PromptPart("agent", "g h i j k", 60, sticky=True),
        PromptPart("equal", "x", 60),
    ]
    prompt = assemble_prompt(parts, 3, tokens=words)
    assert str(prompt) == "x"
    assert [(one.name, one.tokens, one.room, one.shown, one.cut, one.why) for one in prompt.ledger] == [
        ("late", 0, 0, 0, ("0 tokens",), YIELDED),
        ("user", 0, 0, 0, ("c d e f",), YIELDED),
        ("agent", 0, 3, 0, ("g h i j k",), NO_ROOM),
        ("equal", 1, 3, 1, (), ""),
    ]


def test_a_margin_stays_free_and_what_stands_between_parts_counts():
    parts = [PromptPart("a", "1234", 90), PromptPart("b", ["56", "7"], 10, heading="#")]
    prompt = assemble_prompt(parts, 20, tokens=len, joint="--", margin=0.2)
    assert (str(prompt), prompt.used, prompt.budget) == ("1234--#\n56--7", 13, 20)
    assert [(one.tokens, one.room) for one in prompt.ledger] == [(4, 16), (9, 12)]
    assert str(assemble_prompt(parts, 15, tokens=len, joint="--", margin=0.2)) == "1234--#\n56"
    assert prompt.to_dict()["ledger"][1] == {"name": "b", "tokens": 9, "room": 12, "shown": 2, "cut": (), "why": ""}
    assert str(assemble_prompt(parts, 0)) == ""


def test_equal_priorities_are_served_in_their_order_and_the_whole_budget_is_16384():
    parts = [PromptPart("b", "1 1"), PromptPart("a", "2 2")]
    assert str(assemble_prompt(parts, 2, tokens=words)) == "1 1"
    assert assemble_prompt(parts).budget == 16_384
    assert [PromptPart("a", "", most=share).most for share in (0, 1)] == [0, 1]
    with pytest.raises(BadQuestion):
        PromptPart("a", "", most=-0.01)


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
