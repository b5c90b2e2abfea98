"""Front matter parser: TOML between lines of `+++`, as Hugo and Zola have it."""

from __future__ import annotations

import sys
from typing import Any

from memkit.sources.limits import OverLimit, ReadLimits

_LONGEST = 100_000  # characters: the parser of the standard library is written in Python
_TAXONOMIES = "taxonomies"  # the table in which Zola has the tags


def parse_toml(block: str, limits: ReadLimits) -> dict[str, Any]:
    """The fields of a block of TOML. Raises ValueError if it is broken, or goes over the limits."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    if len(block) > _LONGEST:
        raise ValueError(f"TOML of more than {_LONGEST:,} characters")
    try:
        found = tomllib.loads(block)
    except RecursionError:
        raise OverLimit("depth", limits, "levels") from None
    taxonomies = found.pop(_TAXONOMIES, None)
    return {**taxonomies, **found} if isinstance(taxonomies, dict) else found
