"""The current branch of a conversation, in which each message names the one that it follows."""

from __future__ import annotations

from collections.abc import Mapping


def way_to(last: str | None, parents: Mapping[str, str]) -> list[str]:
    """The ids from the first message to this one; what is not among the parents begins it."""
    way: dict[str, None] = {}
    while last is not None and last in parents and last not in way:
        way[last] = None
        last = parents[last]
    return list(way)[::-1]
