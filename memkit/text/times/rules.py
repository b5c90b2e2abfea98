"""Rule of the time grammar: a pattern, and the time that its match means."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from re import Match

from memkit.core.classes import dataclass
from memkit.text.times.spans import Floating, Span

When = Span | Floating


@dataclass(frozen=True)
class TimeRule:
    """A pattern, and a function `build(match, now)` for its time; None or ValueError means that it is not a time.

    A `weak` rule (`March`, `2019` or `Monday` alone) counts only after a word such as `in` or `since`, or in a range;
    `allows(lead, match)` can refuse some of those words.
    """

    source: str
    build: Callable[[Match[str], datetime], When | None]
    weak: bool = False
    allows: Callable[[str, Match[str]], bool] = lambda lead, match: True

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled at its first use: compiling all rules takes 30 ms, and reading dates needs none."""
        return re.compile(self.source, re.IGNORECASE)
