"""What the other tests measure work with tells what grows with the square from what does not."""

from __future__ import annotations

import re
from functools import cache

from growth import grows_in_proportion, steps, takes_at_most


def test_what_grows_with_the_square_is_noticed() -> None:
    assert not grows_in_proportion(lambda text: [text.count("y") for _ in range(len(text) // 20)], "x" * 20_000)
    assert not grows_in_proportion(re.compile("x+y").findall, "x" * 20_000)


def test_what_grows_in_proportion_or_is_sorted_passes() -> None:
    assert grows_in_proportion(lambda text: text.upper().split("X"), "x" * 400_000)
    assert grows_in_proportion(sorted, "quince " * 20_000)


def test_a_text_that_is_remembered_is_not_taken_for_a_quick_one() -> None:
    assert not grows_in_proportion(cache(lambda text: re.findall("x+y", text)), "x" * 20_000)


def test_lines_are_counted_alike_each_time() -> None:
    def add(most: int) -> int:
        total = 0
        for number in range(most):
            total += number
        return total

    assert steps(lambda: add(1000)) == steps(lambda: add(1000))
    assert 9 < steps(lambda: add(10_000)) / steps(lambda: add(1000)) < 11


def test_works_are_held_against_each_other() -> None:
    assert takes_at_most(10, lambda: sum(range(50_000)), lambda: sum(range(25_000)))
    assert not takes_at_most(10, lambda: sum(range(500_000)), lambda: sum(range(5_000)))
