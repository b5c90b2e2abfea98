"""MemoryDatabase, the main object of memkit: its methods, in several modules."""

from memkit.database.memory_database import MemoryDatabase

__all__ = ["MemoryDatabase"]
