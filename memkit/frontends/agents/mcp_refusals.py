"""Refusals of the MCP server: what is wrong with the arguments of a call, as sentences that a model can act on.

The library `mcp` checks arguments by the tool's schema. Its own answer is a listing for programmers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from memkit.core.arguments import shown
from memkit.core.errors import one_of

if TYPE_CHECKING:
    from pydantic import ValidationError

KINDS_OF_VALUES = {"string": "a text", "integer": "a whole number", "boolean": "true or false"}


def refusal(tool: str, schema: Mapping[str, Any], error: ValidationError) -> str:
    """Why a call of this tool is refused: a sentence for each argument that is wrong, by the tool's schema."""
    return " ".join(_sentences(tool, schema["properties"], error.errors()))


def _sentences(tool: str, known: Mapping[str, Any], errors: list[Any]) -> Iterator[str]:
    for error in errors:
        name = str(error["loc"][0])
        if name not in known:
            yield f"{tool}: {one_of('parameter', name, known)}"
        elif error["type"] == "missing":
            yield f"{tool} needs the argument {name!r}, {_value(known[name])}."
        else:
            yield f"{tool}: {name!r} must be {_value(known[name])}, not {shown(error['input'])}."


def _value(schema: Mapping[str, Any]) -> str:
    """`a whole number from 1 to 50`, for an argument's part of the schema."""
    what = KINDS_OF_VALUES[schema["type"]]
    return f"{what} from {schema['minimum']} to {schema['maximum']}" if "minimum" in schema else what
