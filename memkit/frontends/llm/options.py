"""Options in a fragment's name: `memory:trip to Portugal?budget=800&strategy=kira`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote_plus

from memkit.core.errors import BadQuestion, one_of

_OPTIONS = re.compile(r"\?((?:\w+=[^&?]*)(?:&\w+=[^&?]*)*)$")


def _flag(value: str) -> bool:
    return value.casefold() not in ("", "0", "false", "no", "off")


def _kinds(value: str) -> list[str]:
    return [kind.strip() for kind in value.split(",")]


# The parameters of MemoryDatabase.context that can be given here, with the conversion from text.
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
    """The query, and the options after the last question mark (an empty dict if that is not followed by options).

    Raises BadQuestion for an unknown option or an impossible value.
    """
    found = _OPTIONS.search(argument)
    if found is None:
        return argument, {}
    pairs = (pair.split("=", 1) for pair in found[1].split("&"))
    return argument[: found.start()], typed({name: unquote_plus(value) for name, value in pairs})


def typed(given: Mapping[str, str]) -> dict[str, Any]:
    """The options with their values converted from text. Raises BadQuestion for an unknown name or a wrong number."""
    for name in given:
        if name not in KNOWN:
            raise BadQuestion(one_of("setting", name, KNOWN))
    try:
        return {name: KNOWN[name](value) for name, value in given.items()}
    except ValueError as error:
        raise BadQuestion(f"budget must be a number of tokens, not {given.get('budget')!r}.") from error
