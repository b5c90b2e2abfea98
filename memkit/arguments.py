"""What a call is given, looked at before anything is done: the annotations of its parameters are the rule.

A text for a number, a number for a name, None where a name is needed: each is said at the door, in a sentence with what
to pass, and not by whatever trips over it inside. What a value means (a date, a path, a strategy) is checked where it
is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import date, datetime
from functools import lru_cache, wraps
from inspect import Parameter, Signature, isfunction, signature
from math import isfinite
from numbers import Integral, Real
from os import PathLike, fspath
from typing import Any, TypeVar

from memkit.errors import BadArgument, one_of
from memkit.times import canonical, to_iso

Class = TypeVar("Class", bound=type)
AnyText = str  # any text at all, for what is only compared and never stored: a question, a message
LARGEST = 2**63 - 1  # SQLite counts no further: more than that is all there are


def _is_text(value: Any) -> bool:
    """Whether it is a text that can be stored: half of a surrogate pair is none."""
    return isinstance(value, str) and (value.isascii() or value.encode("utf-8", "ignore").decode() == value)


def _is_path(value: Any) -> bool:
    text = fspath(value) if isinstance(value, str | PathLike) else ""
    return isinstance(text, str) and bool(text) and "\0" not in text and _is_text(text)


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def _are_texts(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, Mapping | bytes) and all(map(_is_text, value))


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _is_conversation(value: Any) -> bool:
    return isinstance(value, Sequence) and _is_list(value) and all(map(_is_message, value))


def _is_message(value: Any) -> bool:
    content = value.get("content") if isinstance(value, Mapping) else value
    return isinstance(content, str) or (value is not content and isinstance(content, list | tuple | None))


# By annotation: what to pass, and whether a value is that.
_TEXT = ("a text", _is_text)
_PATH = ("a path", _is_path)
_TIME = ("a time: ISO 8601 text, a date or a datetime", lambda value: isinstance(value, date) or _is_text(value))
_CALLABLE = ("a function", callable)
RULES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "AnyText": ("a text", lambda value: isinstance(value, str)),
    "str": _TEXT,
    "bool": ("True or False", lambda value: isinstance(value, bool)),
    "int": ("a whole number, 0 or more", _is_count),
    "float": ("a number", _is_number),
    "str | date": _TIME,
    "Path": _PATH,
    "str | Path": _PATH,
    "str | PathLike[str]": _PATH,
    "str | File": _PATH,
    "str | Embedder": ("the name of an embedding model, or an Embedder", lambda v: _is_text(v) or hasattr(v, "encode")),
    "str | Model": ("the name of a model of llm, or one", lambda v: _is_text(v) or hasattr(v, "prompt")),
    "tuple[str, ...]": ("a text, or a list of them", _are_texts),
    "Sequence[str] | str": ("a text, or a list of them", _are_texts),
    "Iterable[str] | str": ("a text, or a list of them", _are_texts),
    "Sequence[str | Mapping[str, Any]]": ("a list of texts, or of dicts with a role and a content", _is_conversation),
    "Sequence[Mapping[str, Any]]": ("a list of dicts", lambda value: isinstance(value, Sequence) and _is_list(value)),
    "Iterable[Mapping[str, Any]]": ("a list of dicts", _is_list),
    "Mapping[str, str]": (
        "a dict of texts",
        lambda value: isinstance(value, Mapping) and all(_is_text(text) for item in value.items() for text in item),
    ),
    "Sequence[Any] | Mapping[str, Any]": ("a list, or a dict", lambda value: isinstance(value, Mapping | list | tuple)),
    "Progress": _CALLABLE,
    "Callable[..., None]": _CALLABLE,
    "Callable[[str], int]": _CALLABLE,
    "Callable[[Any], bool]": _CALLABLE,
}
NOW = "now"  # a parameter of this name is a time, and arrives as canonical text


def checked(cls: Class) -> Class:
    """The class, whose public methods (and `__init__`) look at what they are given before they do anything."""
    for name, function in list(vars(cls).items()):
        if isfunction(function) and (name == "__init__" or not name.startswith("_")):
            setattr(cls, name, _at_the_door(function))
    return cls


def check(function: Callable[..., Any], given: Mapping[str, Any], name: str | None = None) -> None:
    """Looks at keyword arguments that are handed on to a function or a dataclass. Raises BadArgument."""
    parameters = _signature(function).parameters.values()
    known = {one.name: one for one in parameters if is_dataclass(function) or one.kind is Parameter.KEYWORD_ONLY}
    called = name or function.__name__
    for argument, value in given.items():
        if argument not in known:
            raise BadArgument(f"{called}(): {one_of('parameter', argument, known)}")
        _looked_at(called, known[argument], value)


def _at_the_door(function: Callable[..., Any]) -> Callable[..., Any]:
    called = "MemoryDatabase" if function.__name__ == "__init__" else function.__name__

    @wraps(function)
    def door(*args: Any, **kwargs: Any) -> Any:
        bound = _signature(function).bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            if name == NOW:
                bound.arguments[NOW] = _moment(called, value)
            else:
                bound.arguments[name] = _looked_at(called, bound.signature.parameters[name], value)
        return function(*bound.args, **bound.kwargs)

    return door


@lru_cache(maxsize=256)
def _signature(function: Callable[..., Any]) -> Signature:
    return signature(function)


def _looked_at(called: str, parameter: Parameter, value: Any) -> Any:
    """The value, if the parameter's annotation allows it. Raises BadArgument."""
    wanted = str(parameter.annotation)
    if value is None and wanted.endswith(" | None"):
        return value
    wanted = wanted.removesuffix(" | None")
    if parameter.kind is Parameter.VAR_KEYWORD or wanted not in RULES:
        return value
    what, fits = RULES[wanted]
    if not fits(value):
        raise BadArgument(f"{called}(): {parameter.name} is {what}, not {short(value)}.")
    return min(value, LARGEST) if wanted == "int" else value


def _moment(called: str, value: Any) -> str | None:
    if value is None:
        return None
    try:
        if isinstance(value, datetime):
            return to_iso(value)
        return canonical(value.isoformat() if isinstance(value, date) else value)
    except (ValueError, TypeError, AttributeError) as error:
        raise BadArgument(f"{called}(): {NOW} is {_TIME[0]}, not {short(value)}.") from error


def short(value: Any) -> str:
    """A value as a message shows it, on one line and not too long."""
    text = ascii(value) if isinstance(value, str) and not _is_text(value) else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
