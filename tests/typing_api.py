"""How somebody else's code uses memkit, with types. mypy reads this, nobody runs it."""

from __future__ import annotations

from pathlib import Path

from memkit import STRATEGIES, MemoryDatabase, Recall, Strategy
from memkit.core.types import Memory


def ask(path: Path, question: str) -> list[str]:
    with MemoryDatabase(path) as memory:
        memory.ingest([{"text": "Rosa planted the quince."}])
        memory.remember("The shed is locked.", project="garden")
        found: Recall = memory.recall(question, 5, project="garden")
        best: Memory = found[0].memory
        score: float = found[0].score
        one: Memory = memory.memory(best.id)
        return [one.text, f"{score:.2f}", *(hit.memory.text for hit in found), found.context(500)]


def with_words_only(memory: MemoryDatabase, strategy: Strategy) -> str:
    return memory.recall("quince", strategy=strategy.replace(vector=None)).to_json()


def with_any_strategy(memory: MemoryDatabase, queries: list[dict[str, str]]) -> None:
    memory.recall("quince", strategy="kira")
    memory.recall("quince", strategy={"name": "memkit", "vector": {"weight": 0.5}})
    memory.context("quince", strategy='{"name": "memkit", "vector": null}')
    memory.evaluate(queries, ["memkit", STRATEGIES["kira"]])
    memory.evaluate(queries, {"one": "memkit", "other": {"vector": None}})
    memory.recall("quince", strategy=5)  # type: ignore[arg-type]
