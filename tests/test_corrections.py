"""Corrections in the next turn: what was meant takes the place of what was said, and nothing else is corrected."""

from __future__ import annotations

import pytest

from memkit import MemoryDatabase
from memkit.core.errors import NotFound
from memkit.text.extract.corrections import corrected

DAY = "2024-05-02"


def homes(*turns: tuple[str, str | None], day: str = DAY, at_once: bool = False) -> list[str]:
    """Where the user lives and works after these turns."""
    with MemoryDatabase(embed="none") as db:
        if at_once:
            db.ingest(
                {"id": str(n), "text": text, "speaker": who or "user", "timestamp": DAY, "session": "s", "kind": "turn"}
                for n, (text, who) in enumerate(turns)
            )
        for n, (text, who) in enumerate(() if at_once else turns):
            db.remember(text, speaker=who, happened_at=day if n else DAY)
        try:
            card = db.about("user", as_of="2024-09-01")
        except NotFound:
            return []
        return [one.object for one in card.relations if one.predicate in ("lives_in", "works_at")]


@pytest.mark.parametrize(
    ("said", "meant", "holds"),
    [
        ("I live in Ashcombe.", "Sorry, I meant Ashby.", "Ashby"),
        ("I live in Ashcombe.", "No wait, Ashby.", "Ashby"),
        ("I work at Orpheus Labs.", "oops, Orpheum Labs I meant", "Orpheum Labs"),
        ("Ich wohne in Seefelden.", "Quatsch, ich meine Seefeld.", "Seefeld"),
        ("Vivo en Castromil.", "Perdón, quería decir Castromonte.", "Castromonte"),
        ("Je travaille chez Pervan.", "Non, attends, chez Perval.", "Perval"),
        ("我在东海银行工作。", "不对，是东方银行。", "东方银行"),
    ],
)
@pytest.mark.parametrize("at_once", [False, True])
def test_what_was_meant_takes_the_place_of_what_was_said(said: str, meant: str, holds: str, at_once: bool) -> None:
    assert homes((said, None), (meant, None), at_once=at_once) == [holds]


@pytest.mark.parametrize(
    "turns",
    [
        (("Sorry, I meant Tuesday.", None),),  # like nothing that was said
        (("Sorry, Ashby!", None),),  # calls somebody
        (("Sorry, I meant Ashby.", "Bo"),),  # another one's turn
        (("It is nice here.", None), ("Sorry, I meant Ashby.", None)),  # of the turn between
    ],
)
def test_nothing_else_is_corrected(turns: tuple[tuple[str, str | None], ...]) -> None:
    assert homes(("I live in Ashcombe.", None), *turns) == ["Ashcombe"]


def test_a_correction_comes_within_a_day() -> None:
    assert homes(("I live in Ashcombe.", None), ("Sorry, I meant Ashby.", None), day="2024-05-03") == ["Ashby"]
    assert homes(("I live in Ashcombe.", None), ("Sorry, I meant Ashby.", None), day="2024-05-09") == ["Ashcombe"]


def test_a_correction_is_corrected_in_turn() -> None:
    turns = ("I live in Ashcombe.", "Sorry, I meant Ashby.", "No, Ashbury.")
    assert homes(*((text, None) for text in turns)) == ["Ashbury"]


@pytest.mark.parametrize("text", ["I meant well.", "No.", "", "It's Anna!" + " And more of it." * 10, "不是。"])
def test_what_names_nothing_corrects_nothing(text: str) -> None:
    assert corrected(text) is None
