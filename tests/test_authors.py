"""How the names of authors are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.sources.authors import authors


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Holiday, Ryan", ["Ryan Holiday"]),
        ("Attia MD, Peter ", ["Peter Attia MD"]),
        ("Fox, Erica Ariel", ["Erica Ariel Fox"]),
        ("van Gogh, Vincent", ["Vincent van Gogh"]),
        ("Ruiz Jr., don Miguel", ["don Miguel Ruiz Jr."]),
        ("Niebauer Ph.D., Chris", ["Chris Niebauer Ph.D."]),
        ("King, Martin Luther, Jr.", ["Martin Luther King Jr."]),
        ("Lewis, C. S.", ["C. S. Lewis"]),
        ("Ida Moss, MD", ["Ida Moss MD"]),
        ("Willink, Jocko;Babin, Leif", ["Jocko Willink", "Leif Babin"]),
        ("Tiago Forte", ["Tiago Forte"]),
        ("Ida Moss, Bo Ek", ["Ida Moss, Bo Ek"]),
        ("刘世英 彭征", ["刘世英 彭征"]),
        ("Unknown", []),
        ("1", []),
        ("", []),
        (" ; ", []),
    ],
)
def test_a_name_begins_with_the_first_one(written: str, names: list[str]) -> None:
    assert authors(written) == names


@given(st.text(max_size=60).filter(lambda text: ";" not in text and "；" not in text))
def test_no_letter_of_a_name_is_lost(written: str) -> None:
    names = authors(written)
    assert not names or sorted(filter(str.isalpha, names[0])) == sorted(filter(str.isalpha, written))
