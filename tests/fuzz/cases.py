"""Inputs as text: JSON, in which bytes are `{"bytes": "..."}`; NaN, Infinity and half surrogate pairs are allowed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus"


def dumped(case: Any) -> str:
    """An input as JSON."""
    return json.dumps(case, default=_bytes, indent=1)


def loaded(said: str) -> Any:
    """The input that `dumped` was given."""
    return json.loads(said, object_hook=_unbytes)


def _bytes(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    raise TypeError(f"{type(value).__name__} is not part of an input")


def _unbytes(found: dict[str, Any]) -> Any:
    return found["bytes"].encode("latin-1") if set(found) == {"bytes"} and isinstance(found["bytes"], str) else found


def corpus() -> list[Path]:
    """The files of all inputs that were found once: `corpus/<target>/<what it did>.json`."""
    return sorted(CORPUS.glob("*/*.json"))
