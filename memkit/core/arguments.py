"""Argument checking: public methods compare each argument with the annotation of its parameter before they start.

A wrong type (text for a number, None for a name) is reported at once, in a sentence that says what to pass. numpy
scalars become Python's own numbers, because SQLite would store them as bytes. Iterators become lists, because a check
would use them up. What a value means (a date, a path, a strategy) is checked where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import date, datetime
from functools import lru_cache, wraps
from inspect import Parameter, Signature, isfunction, signature
from numbers import Integral, Real
from os import PathLike, fspath
from typing import Any, NamedTuple, TypeVar

from memkit.core.errors import BadArgument, one_of
from memkit.core.instants import canonical_time, to_iso
from memkit.core.unicode import is_text
from memkit.core.validation import LARGEST, is_number

Class = TypeVar("Class", bound=type)
LONGEST_NAME = 255  # bytes of the name of a file: no common file system takes more
AnyPaths = str | PathLike[str] | Sequence[str | PathLike[str]]  # a path, or several
AnyText = str  # any text, also with half a surrogate pair: it is only compared, or checked where it is used


def _is_path(value: Any) -> bool:
    text = fspath(value) if isinstance(value, str | PathLike) else ""
    if not isinstance(text, str) or not text or "\0" in text or not is_text(text):
        return False
    return len(text) < 4096 and all(len(name.encode()) <= LONGEST_NAME for name in text.split("/"))


def _are_paths(value: Any) -> bool:
    return _is_path(value) or (isinstance(value, Sequence) and _is_list(value) and all(map(_is_path, value)))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_texts(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, Mapping | bytes) and all(map(is_text, value))


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _is_conversation(value: Any) -> bool:
    return isinstance(value, Sequence) and _is_list(value) and all(map(_is_message, value))


def _is_message(value: Any) -> bool:
    content = value.get("content") if isinstance(value, Mapping) else value
    return isinstance(content, str) or (value is not content and isinstance(content, list | tuple | None))


def _is_strategy(value: Any) -> bool:
    return isinstance(value, str | Mapping) or hasattr(value, "fulltext")


def _one(value: Any) -> Any:
    """A numpy scalar as Python's own value; anything else as it is."""
    return value.item() if type(value).__module__ == "numpy" and getattr(value, "shape", None) == () else value


def _flag(value: Any) -> Any:
    return bool(value) if isinstance(value, Integral) and value in (0, 1) else value


def _whole(value: Any) -> Any:
    return min(int(value), LARGEST) if isinstance(value, Integral) and not isinstance(value, bool) else value


def _real(value: Any) -> Any:
    return float(value) if isinstance(value, Real) and not isinstance(value, Integral) else value


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, Iterator) else value


class ArgumentRule(NamedTuple):
    """A rule for one annotation: what to pass (for the message), a test of the value, and its conversion."""

    what: str
    fits: Callable[[Any], bool]
    taken: Callable[[Any], Any] = _one


_TEXT = ArgumentRule("a text", is_text)
_TEXTS = ArgumentRule("a text, or a list of them", _are_texts, _listed)
_PATH = ArgumentRule("a path", _is_path)
_TIME = ArgumentRule(
    "a time: ISO 8601 text, a date or a datetime", lambda value: isinstance(value, date) or is_text(value), _one
)
_CALLABLE = ArgumentRule("a function", callable)
RULES: Mapping[str, ArgumentRule] = {
    "AnyText": ArgumentRule("a text", lambda value: isinstance(value, str)),
    "str": _TEXT,
    "bool": ArgumentRule("True or False", lambda value: isinstance(value, bool), lambda value: _flag(_one(value))),
    "int": ArgumentRule("a whole number, 0 or more", _is_count, _whole),
    "float": ArgumentRule("a number", is_number, _real),
    "str | date": _TIME,
    "Path": _PATH,
    "str | Path": _PATH,
    "str | PathLike[str]": _PATH,
    "str | File": _PATH,
    "AnyPaths": ArgumentRule("a path, or a list of them", _are_paths),
    "str | Embedder": ArgumentRule(
        "the name of an embedding model, or an Embedder", lambda value: is_text(value) or hasattr(value, "encode")
    ),
    "AnyStrategy": ArgumentRule("the name of a strategy, JSON, a dict or a Strategy", _is_strategy),
    "AnyStrategies": ArgumentRule(
        "strategies: names, dicts or Strategy values",
        lambda value: _is_strategy(value) or (isinstance(value, Iterable) and not isinstance(value, bytes)),
        _listed,
    ),
    "str | Model": ArgumentRule(
        "the name of a model of llm, or one", lambda value: is_text(value) or hasattr(value, "prompt")
    ),
    "tuple[str, ...]": _TEXTS,
    "Sequence[str] | str": _TEXTS,
    "Iterable[str] | str": _TEXTS,
    "Sequence[str | Mapping[str, Any]]": ArgumentRule(
        "a list of texts, or of dicts with a role and a content", _is_conversation, _listed
    ),
    "Sequence[Mapping[str, Any]]": ArgumentRule(
        "a list of dicts", lambda value: isinstance(value, Sequence) and _is_list(value), _listed
    ),
    "Iterable[Mapping[str, Any]]": ArgumentRule("a list of dicts", _is_list),
    "Mapping[str, str]": ArgumentRule(
        "a dict of texts",
        lambda value: isinstance(value, Mapping) and all(is_text(text) for item in value.items() for text in item),
    ),
    "Mapping[str, Sequence[str]]": ArgumentRule(
        "a dict of lists of texts",
        lambda value: (
            isinstance(value, Mapping)
            and all(is_text(name) and _is_list(texts) and all(map(is_text, texts)) for name, texts in value.items())
        ),
    ),
    "Sequence[Any] | Mapping[str, Any]": ArgumentRule(
        "a list, or a dict",
        lambda value: isinstance(value, Mapping) or (isinstance(value, Sequence) and _is_list(value)),
    ),
    "Client": ArgumentRule("a dask.distributed.Client", lambda value: hasattr(value, "gather")),
    "Progress": _CALLABLE,
    "Callable[..., None]": _CALLABLE,
    "Callable[[str], int]": _CALLABLE,
    "Callable[[Any], bool]": _CALLABLE,
}
NOW = "now"  # a parameter of this name is a time, and is passed on as canonical text


def checked(cls: Class) -> Class:
    """The class, with its public methods (and `__init__`) changed to check their arguments first."""
    for name, function in list(vars(cls).items()):
        if isfunction(function) and (name == "__init__" or not name.startswith("_")):
            setattr(cls, name, _at_the_door(function))
    return cls


def check(function: Callable[..., Any], given: Mapping[str, Any], name: str | None = None) -> dict[str, Any]:
    """Keyword arguments, checked and converted for a function or a dataclass.

    Raises BadArgument for an unknown name or a value of the wrong type. `name` is what the message calls the function.
    """
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
    """The value, converted as the rule of the parameter's annotation says. Raises BadArgument if it does not fit."""
    wanted = str(parameter.annotation)
    if value is None and wanted.endswith(" | None"):
        return value
    wanted = wanted.removesuffix(" | None")
    if parameter.kind is Parameter.VAR_KEYWORD or wanted not in RULES:
        return value
    rule = RULES[wanted]
    taken = rule.taken(value)
    if not rule.fits(taken):
        raise BadArgument(f"{called}(): {parameter.name} must be {rule.what}, not {shown(value)}.")
    return taken


def moment(called: str, name: str, value: Any) -> str | None:
    """A time (ISO 8601 text, a date or a datetime) as canonical text; None stays None. Raises BadArgument.

    `called` and `name` are the function and the parameter, for the message.
    """
    value = _one(value)
    if value is None:
        return None
    try:
        if isinstance(value, datetime):
            return to_iso(value)
        return canonical_time(value.isoformat() if isinstance(value, date) else value)
    except (ValueError, TypeError, AttributeError) as error:
        raise BadArgument(f"{called}(): {name} must be {_TIME.what}, not {shown(value)}.") from error


def shown(value: Any) -> str:
    """The repr of a value for a message, of at most 60 characters."""
    text = ascii(value) if isinstance(value, str) and not is_text(value) else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
