"""The demo: a year of an invented person's notes, chats and facts, and three questions to it."""

from __future__ import annotations

from memkit._files import data_dir
from memkit.database import MemoryDatabase
from memkit.ingest import IngestReport
from memkit.results import Recall

SOURCES = ("notes", "chats", "facts.jsonl", "relations.jsonl")

# The first is answered by its words, the second by what they mean (no memory says "nuts" or "dangerous"), and of the
# third's answers one never says "dentist": the graph knows who that is.
QUESTIONS = ("who planted the quince?", "which nuts are dangerous?", "who is my dentist?")


def build(memory: MemoryDatabase) -> IngestReport:
    """What the samples are, taken in; a second time changes nothing."""
    return memory.ingest([data_dir("samples") / name for name in SOURCES])


def ask(memory: MemoryDatabase, k: int = 3) -> list[Recall]:
    """The demo's three recalls."""
    return [memory.recall(question, k) for question in QUESTIONS]
