"""01/12/24 is in December or in January: a whole file decides."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.core.errors import BadSource
from memkit.sources.date_order import DateOrder, full_year

FILE = Path("chat.txt")


def order(*dates, likely=None):
    seen = DateOrder(likely)
    for first, second, year in dates:
        seen.see(first, second, year)
    return seen


def test_a_number_over_twelve_decides_for_the_whole_file():
    assert order((1, 2, 2024), (13, 2, 2024)).day_first(FILE) is True
    assert order((1, 2, 2024), (2, 13, 2024)).day_first(FILE, given=True) is False


def test_else_times_do_not_run_backwards():
    # 1 December, then 2 November: only with the month first does it run forward.
    assert order((1, 12, 2024), (2, 11, 2024)).day_first(FILE) is False
    assert order((12, 1, 2024), (11, 2, 2024)).day_first(FILE, given=False) is True


def test_else_what_is_given_and_then_what_is_likely():
    dates = (1, 12, 2024), (2, 12, 2024)
    assert order(*dates).day_first(FILE, given=True) is True
    assert order(*dates).day_first(FILE, given=False) is False
    assert order(*dates, likely=False).day_first(FILE, given=True) is True
    assert order(*dates, likely=False).day_first(FILE) is False
    assert order(*dates, likely=True).day_first(FILE) is True


def test_else_it_is_asked_for():
    with pytest.raises(BadSource, match=r"chat\.txt: .*01/12/24.*--day-first or --month-first"):
        order((1, 12, 2024)).day_first(FILE)


def test_dates_that_are_the_same_in_both_orders_need_no_decision():
    assert order((1, 1, 2024), (2, 2, 2024)).day_first(FILE) is True
    assert order().day_first(FILE) is True


def test_a_day_that_is_known_otherwise_decides():
    seen = order((7, 12, 2024))
    seen.compare(7, 12, 2024, date(2023, 12, 7))  # of another year: it says nothing of this date
    assert seen.settled is None
    seen.compare(7, 12, 2024, date(2024, 7, 12))
    assert seen.day_first(FILE) is False


@pytest.mark.parametrize(("written", "year"), [(24, 2024), (99, 1999), (2024, 2024), (2567, 2024)])
def test_years_of_two_digits_and_of_the_buddhist_calendar(written, year):
    assert full_year(written) == year


@given(st.lists(st.dates(date(2000, 1, 1), date(2050, 1, 1)), min_size=1), st.booleans())
def test_what_is_said_agrees_with_how_it_was_written(days, day_first):
    days.sort()
    written = [(one.day, one.month) if day_first else (one.month, one.day) for one in days]
    seen = order(*((*pair, one.year) for pair, one in zip(written, days, strict=True)))
    found = seen.day_first(FILE, given=day_first)  # where the file leaves it open, the user's word holds
    assert all((pair if found else pair[::-1]) == (one.day, one.month) for pair, one in zip(written, days, strict=True))
