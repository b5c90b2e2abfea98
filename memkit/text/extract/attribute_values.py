"""Attribute values: whether what somebody's telephone, birthday or job is said to be can be one.

`My phone is broken`, `My birthday is soon` and `Rosa's job is hard` have the form of `My phone is 0170 1234567`, and
only say how something is. What may be either is no fact.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memkit.text.extract import words
from memkit.text.extract.grammar import JOBS, ROLES

_FEWEST_DIGITS = 5  # of a telephone number
_JOBS = frozenset(one.casefold() for one in (*JOBS, *ROLES))
# What somebody is by what he does: a gardener, a guitarist, ein Gärtner, une jardinière, un jardinero.
_DOER = re.compile(r"[^\W\d_]{2,}(?:[eo]rs?|ist|ista|iste|ian|ician|ant|eur|euse|ienne?|ier|ière|er[oa]|dora?)\Z")
_COMPARED = frozenset(
    """harder better easier tougher worse other another over under newer older lower higher longer shorter safer closer
    bigger smaller slower faster nearer simpler busier quieter""".split()
)


def fits(attribute: str, value: str) -> bool:
    """Whether a value can be one of an attribute (`grammar.ATTRIBUTES`), or a place; True for any other predicate.

    >>> [fits("phone", "broken"), fits("phone", "0170 1234567"), fits("job", "stressful"), fits("job", "gardener")]
    [False, True, False, True]
    """
    check = _CHECKS.get(attribute)
    return check is None or check(value)


def _is_named(value: str) -> bool:
    """Whether some of it is a name: a capital, or letters that have none."""
    return not value.islower()


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


def _is_day(value: str) -> bool:
    return _has_digit(value) or not words.MONTHS.isdisjoint(re.findall(r"\w+", value.casefold()))


def _is_job(value: str) -> bool:
    last = value.casefold().split()[-1]
    return _is_named(value) or last in _JOBS or (_DOER.search(last) is not None and last not in _COMPARED)


def _is_no_day(value: str) -> bool:
    """Not as in `I was born in May` or `I moved to Tuesday`; a place may be called Silver Spring."""
    return not all(word in words.CALENDAR or word.isdigit() for word in value.casefold().split())


_CHECKS: dict[str, Callable[[str], bool]] = {
    "email": lambda value: "@" in value,
    "phone": lambda value: sum(map(str.isdigit, value)) >= _FEWEST_DIGITS,
    "birthday": _is_day,
    "timezone": lambda value: _has_digit(value) or _is_named(value),
    "address": lambda value: _has_digit(value) or _is_named(value),
    **dict.fromkeys(("birthplace", "hometown", "nickname", "name", "native_language"), _is_named),
    "nationality": lambda value: _is_named(value) or value.casefold() in words.PEOPLES,
    **dict.fromkeys(("lives_in", "born_in", "comes_from", "works_at", "studies_at"), _is_no_day),
    **dict.fromkeys(("job", "occupation", "profession"), _is_job),
}
