"""JSON columns: reading them so that one bad value stops nobody. What is no JSON of the right shape is read as empty.

memkit writes no such value, but a file from elsewhere may hold one, and a recall reads many rows. `memkit doctor` names
the rows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def json_object(text: Any) -> dict[str, Any]:
    """The JSON object in a column; an empty one for anything else."""
    value = json_value(text)
    return value if isinstance(value, dict) else {}


def json_texts(text: Any) -> list[str]:
    """The texts in the JSON list of a column."""
    value = json_value(text)
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def object_in(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The object with this name inside of another one; an empty one if there is none."""
    value = values.get(name)
    return value if isinstance(value, dict) else {}


def list_in(values: Mapping[str, Any], name: str) -> list[Any]:
    """The list with this name inside of an object; an empty one if there is none."""
    value = values.get(name)
    return value if isinstance(value, list) else []


def or_empty(column: str) -> str:
    """SQL for the JSON of a column, or an empty object: SQLite's functions raise for what is no JSON."""
    return f"iif(json_valid({column}), {column}, '{{}}')"


def json_value(text: Any) -> Any:
    """The JSON in a column; None for what is no JSON, and for halves of surrogate pairs, which nobody can write."""
    if text == "[]" or text == "{}":  # most columns of most rows
        return [] if text == "[]" else {}
    try:
        value = json.loads(text)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except (ValueError, TypeError, RecursionError):
        return None
