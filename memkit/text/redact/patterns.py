"""Custom redaction patterns: regular expressions of the user, refused if a search might never end."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from memkit.core.errors import BadQuestion

if sys.version_info >= (3, 11):
    from re import _constants, _parser  # type: ignore[attr-defined]
else:
    import sre_constants as _constants
    import sre_parse as _parser

LONGEST = 1_000  # characters of a pattern
_MANY = 20  # nested repetitions with this bound or more may never end
_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)


def compiled(name: str, pattern: str) -> re.Pattern[str]:
    """The compiled pattern. Raises BadQuestion if it is too long, invalid, matches empty text, or may never end."""
    if len(pattern) > LONGEST:
        raise BadQuestion(f"The pattern {name!r} has {len(pattern)} characters, more than {LONGEST}. Shorten it.")
    try:
        regex, parsed = re.compile(pattern), _parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadQuestion(f"The pattern {name!r} is not a regular expression: {error}.") from error
    if regex.search(""):
        raise BadQuestion(f"The pattern {name!r} matches empty text, so everywhere. Make it need a character.")
    if _depth(parsed) > 1:
        raise BadQuestion(
            f"The pattern {name!r} has a repetition inside a repetition, so a search may never end. "
            f"Give one of the two a limit below {_MANY}, such as {{1,9}} instead of +."
        )
    return regex


def _depth(parsed: Any) -> int:
    """The depth of nested repetitions that have no bound below _MANY."""
    return max((_depth_of(code, value) for code, value in parsed), default=0)


def _depth_of(code: Any, value: Any) -> int:
    inner = max((_depth(part) for part in _parts(value)), default=0)
    return inner + 1 if code in _REPEATS and value[1] >= _MANY else inner


def _parts(value: Any) -> Iterator[Any]:
    """The patterns inside a part of a parsed pattern."""
    if isinstance(value, _parser.SubPattern):
        yield value
    elif isinstance(value, Iterable) and not isinstance(value, str):
        for one in value:
            yield from _parts(one)
