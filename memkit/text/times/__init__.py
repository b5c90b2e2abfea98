"""Time expressions: finds the moments and intervals that a text names, and shows times and ages as text.

    instants   parse_iso, to_iso, canonical_time, Interval, age, clock_line, on_clocks (memkit/core)
    spans      calendar arithmetic
    rules      the type of a grammar rule; english and cjk have the rules
    phrases    find_interval, find_intervals, explicit_valid

Pure: `now` is always a parameter.
"""

from __future__ import annotations

from memkit.core.instants import Interval, age, canonical_time, clock_line, on_clocks, parse_iso, to_iso
from memkit.text.times.phrases import Found, explicit_valid, find_interval, find_intervals

__all__ = [
    "Found",
    "Interval",
    "age",
    "canonical_time",
    "clock_line",
    "explicit_valid",
    "find_interval",
    "find_intervals",
    "on_clocks",
    "parse_iso",
    "to_iso",
]
