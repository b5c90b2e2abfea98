"""Personal memory that you can query: one SQLite file, recalled by words, meaning and connection.

from memkit import MemoryDatabase

db = MemoryDatabase("memory.db")
db.ingest("notes/")
db.recall("who planted the quince?")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memkit.context import Context
    from memkit.database import MemoryDatabase
    from memkit.errors import MemkitError
    from memkit.results import Hit, Recall
    from memkit.sql_functions import register_sql_functions
    from memkit.strategies import STRATEGIES, Strategy
    from memkit.types import Memory

__version__ = "0.1.0"

# Name to module: imported when first used, so that `import memkit` and `memkit --help` are quick.
_PUBLIC = {
    "Context": "memkit.context",
    "Hit": "memkit.results",
    "MemkitError": "memkit.errors",
    "Memory": "memkit.types",
    "MemoryDatabase": "memkit.database",
    "Recall": "memkit.results",
    "STRATEGIES": "memkit.strategies",
    "Strategy": "memkit.strategies",
    "register_sql_functions": "memkit.sql_functions",
}

__all__ = [
    "STRATEGIES",
    "Context",
    "Hit",
    "MemkitError",
    "Memory",
    "MemoryDatabase",
    "Recall",
    "Strategy",
    "register_sql_functions",
]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'memkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
