"""Pictures that a text holds as letters are shortened, and nothing else of it changes."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.text.data_uris import LONGEST_DATA, without_data

LETTERS = "Qk1Jd" * LONGEST_DATA


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"![a](data:image/png;base64,{LETTERS}) b", "![a](data:image/png;base64,…) b"),
        (f"![a](data:image/svg+xml,M2(0,1){LETTERS}(2,3)) b", "![a](data:image/svg+xml,…) b"),
        (f"<img src='data:font/woff2;charset=x;base64,{LETTERS}'>", "<img src='data:font/woff2;charset=x;base64,…'>"),
        (f"[a]: <data:image/png;base64,{LETTERS}>", "[a]: <data:image/png;base64,…>"),
        (f"data:image/png;base64,{LETTERS}\ndata:,{LETTERS}", f"data:image/png;base64,…\ndata:,{LETTERS}"),
        ("a dot: data:image/gif;base64,R0lGODlhAQABAAAAACw=", "a dot: data:image/gif;base64,R0lGODlhAQABAAAAACw="),
    ],
)
def test_the_letters_of_a_picture_are_left_out(text: str, left: str) -> None:
    assert without_data(text) == left


@given(st.text(alphabet="dat:/;,()ab \n<>%2", max_size=300))
def test_what_is_no_long_picture_stays(text: str) -> None:
    assert len(without_data(text)) <= len(text)
    if "data:" not in text or len(text) <= LONGEST_DATA:
        assert without_data(text) == text


def test_a_large_picture_takes_no_more_memory_than_it_is_long() -> None:
    text = f"![a](data:image/png;base64,{'Qk1Jd' * 400_000})"
    tracemalloc.start()
    try:
        without_data(text)
        assert tracemalloc.get_traced_memory()[1] < 2 * len(text)
    finally:
        tracemalloc.stop()
