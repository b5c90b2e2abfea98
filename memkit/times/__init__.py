"""Times: moments and intervals as text, the times that a question or a statement names, and how old something is.

    instants   parse_iso, to_iso, canonical, Interval, age, clock_line, on_clocks
    spans      calendar arithmetic
    rules      what a rule of the grammar is; english, cjk: the rules
    phrases    find_interval, find_intervals, explicit_valid

Pure: `now` is always a parameter.
"""

from __future__ import annotations

from memkit.times.instants import Interval, age, canonical, clock_line, on_clocks, parse_iso, to_iso
from memkit.times.phrases import Found, explicit_valid, find_interval, find_intervals

__all__ = [
    "Found",
    "Interval",
    "age",
    "canonical",
    "clock_line",
    "explicit_valid",
    "find_interval",
    "find_intervals",
    "on_clocks",
    "parse_iso",
    "to_iso",
]
