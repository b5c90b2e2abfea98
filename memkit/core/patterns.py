"""Patterns that are compiled at their first use: most questions need few of the many that their modules have.

All of them together take as long to compile as a third of a question in a new process.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast


class _Later:
    """Compiles its pattern when one of its attributes is asked for, and has the pattern's attributes from then on."""

    def __init__(self, source: str, flags: int):
        self.pattern, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(re.compile(self.pattern, self._flags), name)  # re keeps what it compiled
        setattr(self, name, value)
        return value


def alternatives(words: Iterable[str]) -> str:
    """The part of a pattern that matches any of these, the longest first: `of it` before `of`."""
    return "|".join(sorted(words, key=len, reverse=True))


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, compiled at the first use of one of its attributes. The functions of `re` take none."""
    return cast("re.Pattern[str]", _Later(source, flags))
