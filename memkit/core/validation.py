"""Dataclass validation: checks that a value has the type of its field and is within bounds; else says what to give.

The annotation of a field is its type, and `field(metadata={"low": 0, "high": 1})` gives a number its bounds. A field
that holds a dataclass also accepts changes of that dataclass: `{"graph": {"depth": 3}}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from numbers import Real
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from memkit.core.errors import MemkitError
from memkit.core.unicode import is_text

Part = TypeVar("Part")
LARGEST = 2**53 - 1  # a larger limit means "all"; so far below SQLite's largest integer, sums of limits fit, too


class Refusal(NamedTuple):
    """The errors to raise, so that each caller words its own messages.

    `unknown(part, name, path)` is for a name that is not a field of `part`, `unfit(path, value, wanted)` for a wrong
    value. `wanted` is a description, or the type of the dataclass that the field holds.
    """

    unknown: Callable[[Any, str, str], MemkitError]
    unfit: Callable[[str, Any, str | type], MemkitError]


def is_list_of_texts(value: object) -> bool:
    """Whether a value, such as one of JSON, is a list of texts alone."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


# The types of a dataclass's fields, by name.
field_types: Callable[[type], dict[str, Any]] = cache(get_type_hints)


def inner_type(owner: type, name: str) -> type | None:
    """The dataclass type of a field, also if the field may be None; None for a plain value."""
    hint = field_types(owner)[name]
    return next((one for one in get_args(hint) or (hint,) if isinstance(one, type) and is_dataclass(one)), None)


def changed(part: Part, changes: Mapping[str, Any], refusal: Refusal, path: str = "") -> Part:
    """A copy of a dataclass with other values in some fields. Raises the errors that `refusal` makes."""
    whole: Any = part
    types = field_types(type(part))
    values = {}
    for name, value in changes.items():
        if name not in types:
            raise refusal.unknown(part, name, path)
        values[name] = _value(part, name, value, refusal, f"{path}{name}")
    new: Part = replace(whole, **values)
    return new


def settings(part: Any, path: str = "") -> dict[str, Any]:
    """All values of a dataclass by name. A field that holds a dataclass gives the values of that: `{"graph.depth": 3}`.

    `path` is put before every name.
    """
    found: dict[str, Any] = {}
    for each in fields(part):
        value = getattr(part, each.name)
        found |= settings(value, f"{path}{each.name}.") if is_dataclass(value) else {f"{path}{each.name}": value}
    return found


def is_number(value: Any) -> bool:
    """Whether the value is a finite number that SQLite can hold, and not a bool."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    size: Any = abs(value)
    return bool(size <= LARGEST)


def _value(part: Any, name: str, value: Any, refusal: Refusal, path: str) -> Any:
    inner, hint = inner_type(type(part), name), field_types(type(part))[name]
    if inner is not None and isinstance(value, Mapping):
        return changed(getattr(part, name) or inner(), value, refusal, f"{path}.")
    bounds = type(part).__dataclass_fields__[name].metadata
    low, high = bounds.get("low", 0 if hint is int else -LARGEST), bounds.get("high", LARGEST)
    if hint in (int, float):
        if is_number(value) and low <= value <= high and (hint is float or int(value) == value):
            return hint(value)
        kind = "a whole number" if hint is int else "a number"
        span = f" from {low:g} to {high:g}" if high < LARGEST else f", {low:g} or more" if low > -LARGEST else ""
        raise refusal.unfit(path, value, kind + span)
    if get_origin(hint) is tuple:
        return _several(value, hint, refusal, path, getattr(part, name))
    if not isinstance(value, hint) or (hint is str and not is_text(value)):
        raise refusal.unfit(path, value, inner or {str: "a word", bool: "true or false"}[hint])
    return value


def _several(value: Any, hint: Any, refusal: Refusal, path: str, now: Any) -> tuple[Any, ...]:
    """A tuple of names, or a tuple with as many numbers as the current value."""
    if get_args(hint) == (str, ...):
        found = [value] if isinstance(value, str) else value
        if isinstance(found, list | tuple) and all(is_text(one) and one.strip() for one in found):
            return tuple(found)
        raise refusal.unfit(path, value, "a list of names")
    if isinstance(value, list | tuple) and len(value) == len(now) and all(map(is_number, value)):
        return tuple(map(float, value))
    raise refusal.unfit(path, value, f"like {now}")
