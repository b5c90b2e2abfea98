"""membox's packing, line by line (docs/behaviours.md)."""

from __future__ import annotations

import re

import pytest
from published_helpers import database, say

from memkit import MemoryDatabase
from memkit.text.words import est_tokens

NOW = "2026-03-01T12:00:00Z"


def ask(db: MemoryDatabase, message: str = "what does Alice do?", **how):
    return db.context(message, strategy="membox", now=NOW, **how)


def body(found) -> str:
    """The text without its footer, which is not charged (M14)."""
    return str(found).rpartition("(returned")[0].rstrip()


@pytest.fixture
def alice() -> MemoryDatabase:
    """Five triples about Alice, each said by a memory, and a text that names nobody."""
    rows = [{"id": f"e{n}", "text": f"Evidence {n}: Alice does thing {n}."} for n in range(5)]
    db = database([*rows, {"id": "raw", "text": "To do or not to do, somebody asked."}])
    for n in range(5):
        say(db, "Alice", "does", f"thing {n}", f"e{n}")
    return db


def test_M09_the_estimate_counts_cjk_characters_and_a_quarter_of_the_others(alice) -> None:
    assert est_tokens("北京 is big") == 2 + 2
    assert ask(alice).used == est_tokens(body(ask(alice)))


def test_M10_the_budget_is_2000_if_none_is_given(alice) -> None:
    assert ask(alice).budget == 2000


def test_M11_a_triple_is_a_line(alice) -> None:
    assert re.findall(r"^Alice: does thing \d$", str(ask(alice)), re.MULTILINE)[0].startswith("Alice: does thing")
    assert len(ask(alice).sections["triples"]) == 5


def test_M11_a_triple_too_long_is_passed_over_and_the_next_ones_are_taken(alice) -> None:
    say(alice, "Alice", "does", "thing " + "of very many words " * 10, "e0", confidence=1.0)
    found = ask(alice, budget=40)
    assert "very many words" not in str(found)
    assert len(found.sections["triples"]) >= 2
    assert "no room left" in {item.reason for item in found.left_out}


def test_M12_the_best_three_triples_are_proven(alice) -> None:
    assert len(ask(alice).sections["evidence"]) == 3


def test_M13_a_text_shown_as_evidence_is_not_shown_again_and_raw_text_has_its_share(alice) -> None:
    text = str(ask(alice))
    for n in range(5):
        assert text.count(f"Evidence {n}:") <= 1
    small = ask(alice, budget=60)
    assert small.sections.get("chunks")
    assert small.sections.get("triples")


def test_M13_what_the_others_leave_goes_to_more_triples(alice) -> None:
    for n in range(5, 45):
        say(alice, "Alice", "does", f"thing {n}")
    found = ask(alice, budget=300)
    triples = sum(item.tokens for item in found.sections["triples"])
    assert triples > 0.6 * 300 - sum(item.tokens for item in found.sections["evidence"])
    assert found.used >= 0.9 * 300


def test_M14_the_footer_says_what_was_really_returned_and_is_not_charged(alice) -> None:
    found = ask(alice)
    footer = str(found).splitlines()[-1]
    shown = {name: len(items) for name, items in found.sections.items()}
    match = re.fullmatch(
        r"\(returned (\d+)/(\d+) triples, (\d+)/(\d+) FTS chunks, ~(\d+)/2000 tokens; raise --budget for more\)", footer
    )
    assert match
    assert [int(match[1]), int(match[3]), int(match[5])] == [shown["triples"], shown["chunks"], found.used]
    assert est_tokens(body(found)) == found.used


@pytest.mark.parametrize("budget", [0, 3])
def test_M14_without_room_the_footer_stands_alone(alice, budget) -> None:
    found = ask(alice, budget=budget)
    assert found.used == 0
    assert str(found).startswith("(returned 0/5 triples, ")


def test_M14_without_raw_text_the_footer_is_the_published_one() -> None:
    db = database([{"text": "Something else"}])
    say(db, "Alice", "knows", "Bob")
    assert (
        str(ask(db, "Alice?"))
        == f"Alice: knows Bob\n\n(returned 1/1 triples, ~{est_tokens('Alice: knows Bob')}/2000 tokens)"
    )


def test_M15_chinese_is_packed_by_its_characters() -> None:
    db = database([{"text": "北京的天气很好,我们去公园。" * 20}])
    found = ask(db, "北京的天气", budget=60)
    assert 0 < est_tokens(body(found)) <= 60
    assert "北京的天气" in str(found)


def test_triples_of_a_subject_can_share_a_line(alice) -> None:
    text = str(ask(alice, layout="membox_grouped"))
    assert re.search(r"^Alice: does thing \d( \| does thing \d){4}$", text, re.MULTILINE)


def test_an_excerpt_says_where_it_stands(year) -> None:
    text = str(year.context("what are the columns of the users table of Kira?", strategy="membox", now=NOW))
    assert re.search(
        r"^> .*create table users .*timezone text.* \[global Database schema.md ## Tables\]$", text, re.MULTILINE
    )
    assert "/samples/" not in text
