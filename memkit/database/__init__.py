"""MemoryDatabase, the main object of memkit: its methods, in several modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

__all__ = ["MemoryDatabase"]


def __getattr__(name: str) -> Any:
    """MemoryDatabase is imported when first used: llm imports `locations` to list its plugins' tools."""
    if name == "MemoryDatabase":
        from memkit.database.memory_database import MemoryDatabase

        return MemoryDatabase
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
