"""Demo database: notes, chats and facts of a year in the life of an invented person, and three questions."""

from __future__ import annotations

from memkit.core.files import data_dir
from memkit.database.memory_database import MemoryDatabase
from memkit.ingestion.report import IngestReport
from memkit.retrieval.results import Recall

SOURCES = ("notes", "chats", "facts.jsonl", "relations.jsonl")

# The first question is answered by its words, the second by meaning (no memory says "nuts" or "dangerous"). One of the
# answers to the third does not say "dentist": the graph knows who that is.
QUESTIONS = ("who planted the quince?", "which nuts are dangerous?", "who is my dentist?")


def build(memory: MemoryDatabase) -> IngestReport:
    """The report of ingesting the samples; doing it again changes nothing."""
    return memory.ingest([data_dir("samples") / name for name in SOURCES])


def ask(memory: MemoryDatabase, k: int = 3) -> list[Recall]:
    """The Recalls of the three demo questions."""
    return [memory.recall(question, k) for question in QUESTIONS]
