"""`memory:trip to Portugal?budget=800&strategy=kira`: what is asked for, and how."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote_plus

from memkit.errors import BadQuestion, one_of

_OPTIONS = re.compile(r"\?((?:\w+=[^&?]*)(?:&\w+=[^&?]*)*)$")


def _flag(value: str) -> bool:
    return value.casefold() not in ("", "0", "false", "no", "off")


def _kinds(value: str) -> list[str]:
    return [kind.strip() for kind in value.split(",")]


# The parameters of MemoryDatabase.context that make sense here, and how each is written.
KNOWN: Mapping[str, Callable[[str], Any]] = {
    "budget": int,
    "strategy": str,
    "layout": str,
    "project": str,
    "only_project": _flag,
    "since": str,
    "until": str,
    "as_of": str,
    "kinds": _kinds,
    "timezone": str,
    "channel": str,
    "now": str,
}


def split(argument: str) -> tuple[str, dict[str, Any]]:
    """What is asked for, and the options after the last question mark, if that is what stands there.

    Raises BadQuestion for an option that there is not, or a value that makes no sense.
    """
    found = _OPTIONS.search(argument)
    if found is None:
        return argument, {}
    pairs = (pair.split("=", 1) for pair in found[1].split("&"))
    return argument[: found.start()], typed({name: unquote_plus(value) for name, value in pairs})


def typed(given: Mapping[str, str]) -> dict[str, Any]:
    """The values of options given as texts. Raises BadQuestion."""
    for name in given:
        if name not in KNOWN:
            raise BadQuestion(one_of("setting", name, KNOWN))
    try:
        return {name: KNOWN[name](value) for name, value in given.items()}
    except ValueError as error:
        raise BadQuestion(f"budget is a number of tokens, not {given.get('budget')!r}.") from error
