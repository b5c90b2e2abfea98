"""What kind of thing a sentence says that something is."""

from __future__ import annotations

import pytest

from memkit.text.extract.definitions import kind_in


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("mission focused company", ""),
        ("community owned platform", ""),
        ("company focused on missions", "company"),
        ("machine used daily", "machine"),
        ("research, development, and deployment laboratory", ""),
        ("museum, bar, and music venue", "museum"),
        ("poet, painter, and printer", "poet"),
        ("client, people's own gardens are clients, e.g. this one", "client"),
        ("language, which is old", "language"),
        ("plant native to Chile, Peru and Argentina", "plant"),
    ],
)
def test_a_kind_is_neither_cut_within_nor_taken_from_another_clause(said: str, kind: str) -> None:
    assert kind_in(said) == kind
