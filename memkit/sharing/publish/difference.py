"""Difference: which memories of a publication are new, changed and gone since the earlier one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Difference:
    """The public ids of what is new, changed and gone, while the rows go by."""

    def __init__(self, before: Mapping[str, str]) -> None:
        """`before` are the ids in the earlier publication, with the hashes of their memories."""
        self.new: list[str] = []
        self.changed: list[str] = []
        self._before = dict(before)

    def add(self, row: Mapping[str, Any]) -> None:
        """Compares a memory as it is published now."""
        before = self._before.pop(row["id"], None)
        if before is None:
            self.new.append(row["id"])
        elif before != row["hash"]:
            self.changed.append(row["id"])

    @property
    def gone(self) -> tuple[str, ...]:
        """Those that have not gone by."""
        return tuple(self._before)
