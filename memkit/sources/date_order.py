"""Date order: whether 01/12/24 is in December or in January. A file is written in one order: the whole file decides."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from memkit.core.errors import BadSource

_MONTHS = 12


@dataclass
class DateOrder:
    """The evidence of a file: its dates are shown to `see` one by one, then `day_first` decides.

    `likely` is what else the format tells (clocks of 24 hours, dots between the numbers): it counts where the dates
    leave the order open and the user has not said it.
    """

    likely: bool | None = None
    settled: bool | None = field(default=None, init=False)  # by a number over 12: no other date can change it
    _last: list[tuple[int, int, int]] = field(default_factory=lambda: [(0, 0, 0)] * 2, init=False)
    _runs: list[bool] = field(default_factory=lambda: [True, True], init=False)  # forward, if the month or day is first
    _open: bool = field(default=False, init=False)  # a date was seen that is another one in the other order

    def see(self, first: int, second: int, year: int) -> None:
        """One more date, in the order of the file: its first two numbers, and the year."""
        if self.settled is not None:
            return
        if (first > _MONTHS) != (second > _MONTHS):
            self.settled = first > _MONTHS
            return
        self._open |= first != second
        for order, found in enumerate(((year, first, second), (year, second, first))):
            self._runs[order] &= found >= self._last[order]
            self._last[order] = found

    def compare(self, first: int, second: int, year: int, known: date) -> None:
        """One more date, of which is known which day it is, such as that in the name of a picture sent on that day."""
        fits = known.year == year and (known.month, known.day) in ((first, second), (second, first))
        if self.settled is None and first != second and fits:
            self.settled = known.day == first

    def day_first(self, path: Path, given: bool | None = None) -> bool:
        """Whether the day stands before the month. `given` is what the user says, for a file that leaves it open.

        A number over 12 decides; else that the times of a file never run backwards; else what is given, or likely.
        Raises BadSource if nothing does.
        """
        if self.settled is not None:
            return self.settled
        if self._runs[0] != self._runs[1]:
            return self._runs[1]
        if given is not None:
            return given
        if self.likely is None and self._open:
            raise BadSource(
                f"{path}: its dates fit both the day first and the month first (01/12/24 may be in December or in "
                "January). Say which it is with --day-first or --month-first (in Python: day_first=True or False)."
            )
        return self.likely is not False


def full_year(year: int) -> int:
    """The year of a date: 24 is 2024, 99 is 1999, and 2567 of the Buddhist calendar is 2024."""
    if year < 100:
        return year + (2000 if year < 70 else 1900)
    return year - 543 if year > 2400 else year
