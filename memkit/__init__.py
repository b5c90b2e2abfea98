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
    from memkit.core.errors import MemkitError
    from memkit.core.types import Memory
    from memkit.core.version import __version__
    from memkit.database.functions import extract, ingest, recall, restore
    from memkit.database.memory_database import MemoryDatabase
    from memkit.frontends.sql_functions import register_sql_functions
    from memkit.retrieval.context.assembler import PromptPart, assemble_prompt
    from memkit.retrieval.context.values import Context
    from memkit.retrieval.registry import STRATEGIES
    from memkit.retrieval.results import Hit, Recall
    from memkit.retrieval.strategies import Strategy

# Name to module: imported when first used, so that `import memkit` and `memkit --help` are quick.
_PUBLIC = {
    "Context": "memkit.retrieval.context.values",
    "Hit": "memkit.retrieval.results",
    "MemkitError": "memkit.core.errors",
    "Memory": "memkit.core.types",
    "MemoryDatabase": "memkit.database.memory_database",
    "PromptPart": "memkit.retrieval.context.assembler",
    "Recall": "memkit.retrieval.results",
    "STRATEGIES": "memkit.retrieval.registry",
    "Strategy": "memkit.retrieval.registry",
    "__version__": "memkit.core.version",
    "assemble_prompt": "memkit.retrieval.context.assembler",
    "extract": "memkit.database.functions",
    "ingest": "memkit.database.functions",
    "recall": "memkit.database.functions",
    "register_sql_functions": "memkit.frontends.sql_functions",
    "restore": "memkit.database.functions",
}

__all__ = [
    "STRATEGIES",
    "Context",
    "Hit",
    "MemkitError",
    "Memory",
    "MemoryDatabase",
    "PromptPart",
    "Recall",
    "Strategy",
    "__version__",
    "assemble_prompt",
    "extract",
    "ingest",
    "recall",
    "register_sql_functions",
    "restore",
]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'memkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: Any) -> None:
    """For IPython, which calls it at `%load_ext memkit`: names of strategies complete after `strategy="`."""
    from memkit.frontends.ipython import complete_strategies

    complete_strategies(shell)
