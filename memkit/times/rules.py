"""What a rule of the grammar is: a pattern, and what the time is that it names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from re import Match

from memkit.times.spans import Floating, Span

When = Span | Floating


@dataclass(frozen=True)
class Rule:
    """A pattern and the time its match names, for one who asks at a moment; None or ValueError: it names none.

    A `weak` rule (a bare `March`, `2019`, `Monday`) counts only after a word such as `in` or `since`, or in a range;
    `allows(lead, match)` may refuse some of those words.
    """

    source: str
    build: Callable[[Match[str], datetime], When | None]
    weak: bool = False
    allows: Callable[[str, Match[str]], bool] = lambda lead, match: True

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when it is first used: 30 ms that nobody pays for who only reads dates."""
        return re.compile(self.source, re.IGNORECASE)
