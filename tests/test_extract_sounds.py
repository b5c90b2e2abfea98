"""What people write as they speak and laugh."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.text.extract.claims import find_statements
from memkit.text.extract.sounds import is_sound, without_sounds


@pytest.mark.parametrize(
    "word", "yesss ohh AHHH hahaha HHAHAHA jajaja lol xDD hii thankss youuuu noooo hmm kkkk lmaooo".split()
)
def test_a_sound(word: str) -> None:
    assert is_sound(word)


@pytest.mark.parametrize(
    "word", "Ann Lee Mann Jojo Bee III VIII WWW XXX Hanna Ohio Aha Schifffahrt boo less free ok 2000 XD".split()
)
def test_no_sound(word: str) -> None:
    assert not is_sound(word)


@pytest.mark.parametrize(
    ("said", "object_"),
    [
        ("I love youuuuu", None),
        ("I like burgers hahaha", "burgers"),
        ("I love quinces lol xD!", "quinces"),
        ("I like hahaha", None),
        ("I like free jazz", "free jazz"),
    ],
)
def test_a_sound_is_no_part_of_what_is_said(said: str, object_: str | None) -> None:
    found = [one.object for one in find_statements(said)]
    assert found == ([object_] if object_ else [])


@given(st.text(max_size=40))
def test_only_the_end_is_left_out(text: str) -> None:
    assert text.startswith(without_sounds(text))
