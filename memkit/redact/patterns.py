"""A person's own patterns: regular expressions that cannot run away."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from memkit.errors import BadQuestion

if sys.version_info >= (3, 11):
    from re import _constants, _parser  # type: ignore[attr-defined]
else:
    import sre_constants as _constants
    import sre_parse as _parser

LONGEST = 1_000  # characters of a pattern
_MANY = 20  # repetitions from which one within another may take for ever
_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)


def compiled(name: str, pattern: str) -> re.Pattern[str]:
    """The pattern, ready to search with. Raises BadQuestion for one that is none, finds nothing, or may not end."""
    if len(pattern) > LONGEST:
        raise BadQuestion(f"The pattern {name!r} has {len(pattern)} characters, more than {LONGEST}.")
    try:
        regex, parsed = re.compile(pattern), _parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadQuestion(f"The pattern {name!r} is not a regular expression: {error}.") from error
    if regex.search(""):
        raise BadQuestion(f"The pattern {name!r} also matches nothing at all, and so everywhere. Ask for a character.")
    if _depth(parsed) > 1:
        raise BadQuestion(
            f"The pattern {name!r} repeats something that repeats itself, and may take for ever. "
            f"Give the inner or the outer repetition a bound below {_MANY}: {{1,9}} instead of +."
        )
    return regex


def _depth(parsed: Any) -> int:
    """How many repetitions without a close bound are nested in each other."""
    return max((_depth_of(code, value) for code, value in parsed), default=0)


def _depth_of(code: Any, value: Any) -> int:
    inner = max((_depth(part) for part in _parts(value)), default=0)
    return inner + 1 if code in _REPEATS and value[1] >= _MANY else inner


def _parts(value: Any) -> Iterator[Any]:
    """The patterns within a part of a parsed pattern."""
    if isinstance(value, _parser.SubPattern):
        yield value
    elif isinstance(value, Iterable) and not isinstance(value, str):
        for one in value:
            yield from _parts(one)
