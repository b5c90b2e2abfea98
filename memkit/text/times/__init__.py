"""Time expressions: finds the moments and intervals that a text names.

    spans      calendar arithmetic
    rules      the type of a grammar rule; english and cjk have the rules
    translated dates in German, Spanish and French, said in English
    phrases    find_interval, find_intervals, explicit_valid, days_ago

Pure: `now` is always a parameter. ISO 8601 text and intervals are in `memkit/core/instants.py`: opening a database
needs those, but not the grammar.
"""

from __future__ import annotations

from memkit.text.times.phrases import Found, days_ago, explicit_valid, find_interval, find_intervals

__all__ = ["Found", "days_ago", "explicit_valid", "find_interval", "find_intervals"]
