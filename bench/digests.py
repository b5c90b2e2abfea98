"""What is still found when texts give way to their summaries: `python bench/digests.py [--share .45] [SET...]`.

Each set of `../shared/eval` is taken in twice: whole, and with a summary in place of every text. Sessions of short
turns are one text each; where a set has none, seven turns of one person are. The same questions are asked of both.
Summaries are made by memkit's rule for episodes (`memkit.text.digest`), by the same one without notes, and by the one
for observations (`memkit.text.summarize`).
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any
from unittest.mock import patch

from memkit import MemoryDatabase
from memkit.maintenance.extractive_summaries import Digests
from memkit.maintenance.summaries import Extractive, Turn
from memkit.text import digest
from memkit.text.words import est_tokens

SHARED = Path(__file__).parent.parent.parent / "shared" / "eval"
SETS = ("lihua_world", "locomo", "longmemeval_evidence", "memdaily_persona")
LEAST = 40  # tokens of a summary, as in the policy
MOST = 400  # questions of a set
KS = (1, 5, 10)

Summarise = Callable[[Sequence[Turn], int], str]


@dataclass
class Text:
    """What gets one summary: its turns, and the fields that it is stored with."""

    turns: list[Turn]
    row: dict[str, Any]


def read(name: str) -> tuple[list[Text], list[tuple[str, str | None, set[str]]]]:
    """A set's texts, and its questions with where they are asked and which texts answer them."""
    rows = [json.loads(line) for line in (SHARED / name / "corpus.jsonl").read_text("utf-8").splitlines()]
    texts, of = [], {}
    for number, group in enumerate(_groups(name, rows)):
        first = group[0]
        fields = {"id": f"t{number}", "timestamp": first.get("timestamp"), "project": first.get("group")}
        texts.append(Text([Turn(row["text"], row.get("speaker")) for row in group], fields))
        of |= {row["id"]: fields["id"] for row in group}
    asked = [json.loads(line) for line in (SHARED / name / "queries.jsonl").read_text("utf-8").splitlines()]
    found = [(one["text"], one.get("group"), {of[id] for id in one["relevant"] if id in of}) for one in asked]
    found = [one for one in found if one[2]]
    return texts, found[:: len(found) // MOST + 1]


def _groups(name: str, rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    places: dict[Any, int] = {}
    for row in rows:
        place = places[row.get("group")] = places.get(row.get("group"), -1) + 1
        row["part"] = row["session"] if name == "locomo" else place // 7 if "group" in row else row["id"]
    for _, group in groupby(rows, key=lambda row: (row.get("group"), row["part"])):
        yield list(group)


def stored(texts: Sequence[Text], written: Sequence[str]) -> MemoryDatabase:
    """A database of these texts, each written like that."""
    db = MemoryDatabase()
    rows = [{**one.row, "text": words} for one, words in zip(texts, written, strict=True)]
    db.ingest([{name: value for name, value in row.items() if value is not None} for row in rows])
    return db


def recall_at(db: MemoryDatabase, asked: Sequence[tuple[str, str | None, set[str]]]) -> list[float]:
    """R@k for each k: the mean share of what answers a question among its best k hits."""
    sums = [0.0] * len(KS)
    for question, project, answers in asked:
        ids = [hit.memory.source_id for hit in db.recall(question, max(KS), project=project)]
        sums = [total + len(answers & set(ids[:k])) / len(answers) for total, k in zip(sums, KS, strict=True)]
    return [total / len(asked) for total in sums]


def ways(db: MemoryDatabase) -> dict[str, Summarise]:
    """The ways to summarise, by what a table calls them."""
    digests = Digests(db.conn)

    def sentences_alone(turns: Sequence[Turn], budget: int) -> str:
        with patch.object(digest, "WHOLE_SHARE", 1.0), patch.object(digest._Draft, "take_notes", lambda draft: None):
            return digests.summarise(turns, budget).text

    return {
        "sentences and notes": lambda turns, budget: digests.summarise(turns, budget).text,
        "sentences alone": sentences_alone,
        "by centrality": lambda turns, budget: Extractive().summarise(turns, budget).text,
    }


def measure(name: str, share: float) -> None:
    """Prints a set's lines of the table."""
    texts, asked = read(name)
    whole = [
        "\n".join(f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text for turn in one.turns) for one in texts
    ]
    everything = stored(texts, whole)
    show(name, "everything", 1.0, recall_at(everything, asked))
    for way, summarise in ways(everything).items():
        short = [
            summarise(one.turns, max(LEAST, round(share * est_tokens(words)))) or words
            for one, words in zip(texts, whole, strict=True)
        ]
        left = sum(map(est_tokens, short)) / sum(map(est_tokens, whole))
        show(name, way, left, recall_at(stored(texts, short), asked))


def show(name: str, way: str, left: float, found: Sequence[float]) -> None:
    """Prints a line of the table."""
    print(f"| {name} | {way} | {left:.2f} | " + " | ".join(f"{one:.3f}" for one in found) + " |", flush=True)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS, metavar="SET")
    parser.add_argument("--share", type=float, default=0.45)
    chosen = parser.parse_args()
    print("| set | texts | share | " + " | ".join(f"R@{k}" for k in KS) + " |")
    print("|---" * (3 + len(KS)) + "|")
    for name in chosen.sets:
        measure(name, chosen.share)


if __name__ == "__main__":
    main()
