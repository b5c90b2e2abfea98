"""Is feedback worth anything? A simulated user says of hits whether they were of use; importance follows, or not.

    python bench/feedback.py            samples, and ../shared/eval/lihua_world where it is there

Half of the questions (every other one) are asked; of the five best hits the user calls the right ones useful and the
wrong ones not, and errs one time in ten. Then both halves are asked again: the asked half says what was learnt, the
other half what that costs or brings elsewhere. Prints Markdown.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from memkit import MemoryDatabase

ROOT = Path(__file__).parent.parent
LIHUA = ROOT.parent / "shared" / "eval" / "lihua_world"
SAMPLES = ROOT / "samples"
STRATEGIES = ("memkit", "kira", "engram")
NOW = "2027-01-01T00:00:00Z"
ERRS = 0.1
K = 5


def sets() -> dict[str, tuple[list[Path], Path]]:
    """What is taken in, and the questions about it."""
    found = {"samples": ([SAMPLES / "notes", SAMPLES / "chats", SAMPLES / "facts.jsonl"], SAMPLES / "questions.jsonl")}
    return found | ({"lihua_world": ([LIHUA / "corpus.jsonl"], LIHUA / "queries.jsonl")} if LIHUA.exists() else {})


def figure(db: MemoryDatabase, questions: list[dict[str, Any]], strategy: str) -> float:
    """R@5 of a strategy."""
    return float(db.evaluate(questions, [strategy], bootstrap=False)[strategy].figures["R@5"])


def tell(db: MemoryDatabase, questions: list[dict[str, Any]], strategy: str) -> None:
    """The user's words on the best hits of each question."""
    chance = Random(1)
    for one in questions:
        for hit in db.recall(one["text"], K, strategy=strategy, now=NOW):
            useful = bool({hit.memory.source_id, hit.memory.id} & set(one["relevant"]))
            db.feedback(hit.memory.id, useful != (chance.random() < ERRS), one["text"], now=NOW)


def main() -> None:
    """Prints a table."""
    print("| set | strategy | asked before | after | not asked before | after |\n|---|---|---|---|---|---|")  # noqa: T201
    for name, (paths, queries) in sets().items():
        questions = [json.loads(line) for line in queries.read_text("utf-8").splitlines()]
        questions = [one for one in questions if one["relevant"]]
        for strategy in STRATEGIES:
            with MemoryDatabase() as db:
                db.ingest(paths, now=NOW)
                db.set_policy(settings={"feedback.adjust": "true"})
                halves = questions[::2], questions[1::2]
                before = [figure(db, half, strategy) for half in halves]
                tell(db, halves[0], strategy)
                after = [figure(db, half, strategy) for half in halves]
            cells = (before[0], after[0], before[1], after[1])
            print(f"| {name} | {strategy} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
