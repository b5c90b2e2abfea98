"""What a call is given, looked at before anything is done: the annotations of its parameters are the rule.

A text for a number, a number for a name, None where a name is needed: each is said at the door, in a sentence with what
to pass, and not by whatever trips over it inside. What is inside gets Python's own numbers and lists: numpy's would be
stored as bytes, and a generator that was looked at is empty. What a value means (a date, a path, a strategy) is checked
where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from datetime import date, datetime
from functools import lru_cache, wraps
from inspect import Parameter, Signature, isfunction, signature
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
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def _are_texts(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, Mapping | bytes) and all(map(_is_text, value))


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _is_conversation(value: Any) -> bool:
    return isinstance(value, Sequence) and _is_list(value) and all(map(_is_message, value))


def _is_message(value: Any) -> bool:
    content = value.get("content") if isinstance(value, Mapping) else value
    return isinstance(content, str) or (value is not content and isinstance(content, list | tuple | None))


def _one(value: Any) -> Any:
    """A single value of numpy's as Python's own."""
    return value.item() if type(value).__module__ == "numpy" and getattr(value, "shape", None) == () else value


def _flag(value: Any) -> Any:
    return bool(value) if isinstance(value, Integral) and value in (0, 1) else value


def _whole(value: Any) -> Any:
    return min(int(value), LARGEST) if isinstance(value, Integral) and not isinstance(value, bool) else value


def _real(value: Any) -> Any:
    return float(value) if isinstance(value, Real) and not isinstance(value, Integral) else value


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, Iterator) else value


@dataclass(frozen=True, slots=True)
class Rule:
    """What to pass, whether a value is that, and as what it arrives inside."""

    what: str
    fits: Callable[[Any], bool]
    taken: Callable[[Any], Any] = _one


# By annotation.
_TEXT = Rule("a text", _is_text)
_TEXTS = Rule("a text, or a list of them", _are_texts, _listed)
_PATH = Rule("a path", _is_path)
_TIME = Rule(
    "a time: ISO 8601 text, a date or a datetime", lambda value: isinstance(value, date) or _is_text(value), _one
)
_CALLABLE = Rule("a function", callable)
RULES: Mapping[str, Rule] = {
    "AnyText": Rule("a text", lambda value: isinstance(value, str)),
    "str": _TEXT,
    "bool": Rule("True or False", lambda value: isinstance(value, bool), lambda value: _flag(_one(value))),
    "int": Rule("a whole number, 0 or more", _is_count, _whole),
    "float": Rule("a number", _is_number, _real),
    "str | date": _TIME,
    "Path": _PATH,
    "str | Path": _PATH,
    "str | PathLike[str]": _PATH,
    "str | File": _PATH,
    "str | Embedder": Rule(
        "the name of an embedding model, or an Embedder", lambda value: _is_text(value) or hasattr(value, "encode")
    ),
    "str | Model": Rule(
        "the name of a model of llm, or one", lambda value: _is_text(value) or hasattr(value, "prompt")
    ),
    "tuple[str, ...]": _TEXTS,
    "Sequence[str] | str": _TEXTS,
    "Iterable[str] | str": _TEXTS,
    "Sequence[str | Mapping[str, Any]]": Rule(
        "a list of texts, or of dicts with a role and a content", _is_conversation, _listed
    ),
    "Sequence[Mapping[str, Any]]": Rule(
        "a list of dicts", lambda value: isinstance(value, Sequence) and _is_list(value), _listed
    ),
    "Iterable[Mapping[str, Any]]": Rule("a list of dicts", _is_list),
    "Mapping[str, str]": Rule(
        "a dict of texts",
        lambda value: isinstance(value, Mapping) and all(_is_text(text) for item in value.items() for text in item),
    ),
    "Sequence[Any] | Mapping[str, Any]": Rule(
        "a list, or a dict",
        lambda value: isinstance(value, Mapping) or (isinstance(value, Sequence) and _is_list(value)),
    ),
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


def check(function: Callable[..., Any], given: Mapping[str, Any], name: str | None = None) -> dict[str, Any]:
    """Keyword arguments as they can be handed on to a function or a dataclass. Raises BadArgument."""
    parameters = _signature(function).parameters.values()
    known = {one.name: one for one in parameters if is_dataclass(function) or one.kind is Parameter.KEYWORD_ONLY}
    called = name or function.__name__
    for argument in given:
        if argument not in known:
            raise BadArgument(f"{called}(): {one_of('parameter', argument, known)}")
    return {argument: _looked_at(called, known[argument], value) for argument, value in given.items()}


def _at_the_door(function: Callable[..., Any]) -> Callable[..., Any]:
    called = "MemoryDatabase" if function.__name__ == "__init__" else function.__name__

    @wraps(function)
    def door(*args: Any, **kwargs: Any) -> Any:
        bound = _signature(function).bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            if name == NOW:
                bound.arguments[NOW] = moment(called, NOW, value)
            else:
                bound.arguments[name] = _looked_at(called, bound.signature.parameters[name], value)
        return function(*bound.args, **bound.kwargs)

    return door


@lru_cache(maxsize=256)
def _signature(function: Callable[..., Any]) -> Signature:
    return signature(function)


def _looked_at(called: str, parameter: Parameter, value: Any) -> Any:
    """The value as it arrives inside, if the parameter's annotation allows it. Raises BadArgument."""
    wanted = str(parameter.annotation)
    if value is None and wanted.endswith(" | None"):
        return value
    wanted = wanted.removesuffix(" | None")
    if parameter.kind is Parameter.VAR_KEYWORD or wanted not in RULES:
        return value
    rule = RULES[wanted]
    taken = rule.taken(value)
    if not rule.fits(taken):
        raise BadArgument(f"{called}(): {parameter.name} is {rule.what}, not {short(value)}.")
    return taken


def moment(called: str, name: str, value: Any) -> str | None:
    """The time that a parameter is given, as canonical text; None of None. Raises BadArgument."""
    value = _one(value)
    if value is None:
        return None
    try:
        if isinstance(value, datetime):
            return to_iso(value)
        return canonical(value.isoformat() if isinstance(value, date) else value)
    except (ValueError, TypeError, AttributeError) as error:
        raise BadArgument(f"{called}(): {name} is {_TIME.what}, not {short(value)}.") from error


def short(value: Any) -> str:
    """A value as a message shows it, on one line and not too long."""
    text = ascii(value) if isinstance(value, str) and not _is_text(value) else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
