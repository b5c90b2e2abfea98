"""The targets by name. Each is a module with `BLOCK`, `make(random)` and `World`.

`make` gives one input as a JSON-able value (bytes are allowed, too). A `World(folder)` is what the inputs of one block
share: `run(case)` tries one and raises what it must not, `check()` looks whether all is still whole, `close()` ends it.
`BLOCK` is the number of inputs of a block.
"""

from __future__ import annotations

from importlib import import_module
from random import Random
from typing import Any, Protocol

NAMES = (
    *("read", "text", "ingest", "restore", "damaged", "rows"),
    *("sql", "question", "settings", "life", "answers", "vectors"),
    *("web", "tools", "cli", "export"),
)


class World(Protocol):
    """What the inputs of one block share."""

    def run(self, case: Any) -> None:
        """Tries an input. Raises anything that is a finding."""

    def check(self) -> None:
        """Raises Harmed if something is not whole."""

    def close(self) -> None:
        """Ends it."""


def target(name: str) -> Any:
    """The module of a target."""
    return import_module(f"fuzz.targets.{name}")


def cases(name: str, seed: int, block: int) -> list[Any]:
    """The inputs of a block: the same ones for the same seed, always."""
    made = target(name)
    return [made.make(Random(f"{name} {seed} {block} {number}")) for number in range(made.BLOCK)]
