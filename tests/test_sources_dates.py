"""Every way to write a time becomes one: ISO 8601 in UTC, or a day."""

from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.core.dates import iso


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("2024-05-31", "2024-05-31"),
        ("20240531", "2024-05-31"),
        (" 2024-05-31 ", "2024-05-31"),
        ("2024-05-31T18:00", "2024-05-31T18:00:00Z"),
        ("2024-05-31 18:00:05", "2024-05-31T18:00:05Z"),
        ("2024-05-31T18:00:05.123456789Z", "2024-05-31T18:00:05Z"),
        ("2024-05-31t18:00:05z", "2024-05-31T18:00:05Z"),
        ("2024-05-31 18:00:05 UTC", "2024-05-31T18:00:05Z"),
        ("2024-05-31T01:30:00+02:00", "2024-05-30T23:30:00Z"),
        ("2024-05-31T18:00:00-0930", "2024-06-01T03:30:00Z"),
        ("20240531T180005Z", "2024-05-31T18:00:05Z"),
        (1710000000, "2024-03-09T16:00:00Z"),
        (1710000000.9, "2024-03-09T16:00:00Z"),
        (1710000000123, "2024-03-09T16:00:00Z"),
        (1710000000123456, "2024-03-09T16:00:00Z"),
        ("1710000000", "2024-03-09T16:00:00Z"),
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (date(2024, 5, 31), "2024-05-31"),
        (datetime(2024, 5, 31, 18), "2024-05-31T18:00:00Z"),
        (datetime(2024, 5, 31, 18, tzinfo=timezone(timedelta(hours=9))), "2024-05-31T09:00:00Z"),
    ],
)
def test_a_time_is_written_in_utc_and_a_day_as_a_day(given, written):
    assert iso(given) == written


@pytest.mark.parametrize(
    "value",
    [
        "", "someday", "2024-13-01", "2023-02-29", "2024-05-31T25:00", "31.05.2024", "12345", "0001-01-01T00:00+01:00",
        None, True, [], {}, float("nan"), float("inf"), "2024-05-31T18:00:00+99:99:99",
    ],
)  # fmt: skip
def test_what_is_no_time_is_an_error(value):
    with pytest.raises(ValueError, match="is not a time"):
        iso(value)


OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1), timezones=OFFSETS))
def test_any_moment_is_kept_to_the_second(moment):
    found = datetime.strptime(iso(moment.isoformat()), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    assert found == moment.replace(microsecond=0)


@given(st.one_of(st.text(), st.integers(), st.floats(), st.datetimes(), st.dates()))
def test_the_result_is_a_time_or_a_value_error(value):
    try:
        written = iso(value)
    except ValueError:
        return
    assert iso(written) == written
