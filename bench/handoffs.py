"""membox's own measure (M16): 26 questions to the hand-off notes of a project, counted by the words that they expect.

    python bench/handoffs.py [--misses]

tests/data/handoffs.jsonl has 36 notes, written for this project, each with the triples that an agent would have
taken down, and 15 questions of one hop, 7 of several, 4 about what changed. A question counts if all the words that it
expects stand in the text that is packed for a model. *Times three* is the same with twice as many memories of another
project (the samples) beside it. The ablations leave out the triples or the raw text, or give the raw text another share
of the budget. `memkit` is the project's own default on the same. Prints Markdown for bench/RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memkit import MemoryDatabase
from memkit.retrieval.published import membox
from memkit.retrieval.registry import STRATEGIES

ROOT = Path(__file__).parent.parent
LINES = ROOT / "tests" / "data" / "handoffs.jsonl"
NOW = "2025-06-01T12:00:00Z"
BUDGETS = (100, 1000, 2000, 4000)
MIDDLE = 2000
KINDS = ("single", "multi", "time")

Rows = list[dict[str, Any]]


def lines() -> tuple[Rows, Rows]:
    """The notes, and the questions."""
    every = [json.loads(line) for line in LINES.read_text("utf-8").splitlines()]
    return [one for one in every if "session" in one], [one for one in every if "question" in one]


def database(notes: Rows, *, triples: bool = True, others: int = 0) -> MemoryDatabase:
    """A database of the notes, with so many memories of the samples beside them."""
    db = MemoryDatabase()
    rows = [
        {"id": note["session"], "text": note["text"], "timestamp": note["at"], "project": "lantern"} for note in notes
    ]
    db.ingest(rows, now=NOW)
    ids = {memory.source_id: memory.id for memory in db}
    for note in notes if triples else ():
        for subject, predicate, object in note["triples"]:
            db.relate(subject, predicate, object, memory=ids[note["session"]], valid_from=note["at"], now=NOW)
    if others:
        texts = [
            json.loads(line)["text"] for line in (ROOT / "samples" / "facts.jsonl").read_text("utf-8").splitlines()
        ]
        with MemoryDatabase(embed="none") as samples:
            samples.ingest([ROOT / "samples" / "notes", ROOT / "samples" / "chats"], now=NOW)
            texts += [memory.text for memory in samples]
        db.ingest([{"id": f"o{n}", "text": text, "project": "life"} for n, text in enumerate(texts[:others])], now=NOW)
    return db


def answered(db: MemoryDatabase, questions: Rows, budget: int, strategy: Any) -> list[str]:
    """The ids of the questions whose words are all in the packed text."""
    found = []
    for one in questions:
        text = str(db.context(one["text"], strategy=strategy, budget=budget, now=NOW, triggers=False)).casefold()
        if all(words.casefold() in text for words in one["expects"]):
            found.append(one["question"])
    return found


@contextmanager
def sharing(share: float) -> Iterator[None]:
    """Within this block the raw text has another share of the budget."""
    before, membox.CHUNK_SHARE = membox.CHUNK_SHARE, share
    yield
    membox.CHUNK_SHARE = before


def row(name: str, db: MemoryDatabase, questions: Rows, strategy: Any) -> tuple[str, list[str]]:
    """A line of the table, and the questions missed with MIDDLE tokens."""
    kinds = {one["question"]: one["kind"] for one in questions}
    hits = {budget: answered(db, questions, budget, strategy) for budget in BUDGETS}
    middle = hits[MIDDLE]
    by_kind = ", ".join(
        f"{sum(kinds[id] == kind for id in middle)}/{sum(one == kind for one in kinds.values())}" for kind in KINDS
    )
    cells = " | ".join(str(len(hits[budget])) for budget in BUDGETS)
    return f"| {name} | {cells} | {by_kind} |", [id for id in kinds if id not in middle]


def table() -> Iterator[tuple[str, list[str]]]:
    """The lines of the table."""
    notes, questions = lines()
    own, text_only = STRATEGIES["membox"], STRATEGIES["membox"].replace(graph=None)
    with database(notes) as db:
        yield row("membox", db, questions, own)
        for share in (0.25, 0.6):
            with sharing(share):
                yield row(f"membox, {share} of the budget for raw text", db, questions, own)
        with sharing(0.0):
            yield row("triples only", db, questions, own.replace(fulltext=None))
        yield row("raw text only", db, questions, text_only)
        yield row("memkit", db, questions, "memkit")
    with database(notes, others=2 * len(notes)) as db:
        yield row("membox, times three", db, questions, own)
        yield row("raw text only, times three", db, questions, text_only)
        yield row("memkit, times three", db, questions, "memkit")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true", help="name the questions missed with 2,000 tokens")
    given = parser.parse_args()
    heads = f"| of 26 | {' | '.join(f'{budget:,} tokens' for budget in BUDGETS)} | one hop, several, changed (2,000) |"
    sys.stdout.write(f"{heads}\n|{'---|' * (len(BUDGETS) + 2)}\n")
    for line, missed in table():
        sys.stdout.write(line + (f" {' '.join(missed)}" if given.misses else "") + "\n")


if __name__ == "__main__":
    main()
