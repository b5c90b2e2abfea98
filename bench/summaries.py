"""What extractive summaries keep of what is asked for later: `python bench/summaries.py [--share .3] [SET...]`.

Conversations of `../shared/eval` are summarised session by session to a share of their tokens. Reported is how much of
the answering turns' text is still there, each turn as often as it is asked for: chance gives about the share of all
that was kept. Beside memkit's rule: the first sentences, any, the most central (LexRank), the longest.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from memkit.text.statements import Statement, statements
from memkit.text.summarize import summarize, vectors
from memkit.text.words import est_tokens

SHARED = Path(__file__).parent.parent.parent / "shared" / "eval"
SETS = ("locomo", "memdaily_persona", "longmemeval_evidence")
MOST = 300  # sessions of a set

Way = Callable[[Sequence[str], int], list[Statement]]


def sessions(name: str) -> tuple[list[list[dict[str, str]]], Counter[str]]:
    """A set's sessions, and how often each turn is an answer."""
    found = defaultdict(list)
    for line in (SHARED / name / "corpus.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        found[row.get("group"), row.get("session")].append(row)
    queries = map(json.loads, (SHARED / name / "queries.jsonl").read_text("utf-8").splitlines())
    asked = Counter(id for query in queries for id in query["relevant"])
    chosen = sorted(found, key=str)
    random.Random(1).shuffle(chosen)
    return [found[key] for key in chosen[:MOST]], asked


def by(order: Callable[[list[Statement]], Sequence[float]]) -> Way:
    """Sentences with the smallest numbers first, as many as fit."""

    def way(texts: Sequence[str], budget: int) -> list[Statement]:
        found = [one for number, text in enumerate(texts) for one in statements(text, number=number)]
        taken = []
        for _, _, one in sorted(zip(order(found), range(len(found)), found, strict=True), key=lambda entry: entry[:2]):
            if (price := est_tokens(one.words) + 1) <= budget:
                budget -= price
                taken.append(one)
        return taken

    return way


def centrality(found: list[Statement]) -> list[float]:
    """The sum of each sentence's cosines with all (LexRank without jumps), as a negative number."""
    rows = vectors([one.words for one in found])
    total: Counter[str] = Counter()
    for row in rows:
        for term, weight in row.items():
            total[term] += weight  # type: ignore[assignment]
    return [-sum(weight * total[term] for term, weight in row.items()) for row in rows]


chance = random.Random(1)
WAYS: dict[str, Way] = {
    "memkit": summarize,
    "first": by(lambda found: range(len(found))),
    "any": by(lambda found: [chance.random() for _ in found]),
    "central": by(centrality),
    "longest": by(lambda found: [-len(row) for row in vectors([one.words for one in found])]),
}


def report(name: str, share: float) -> None:
    found, asked = sessions(name)
    print(f"{name}: {len(found)} sessions, {share:.0%} of the text")
    for way, choose in WAYS.items():
        kept, start = 0.0, time.perf_counter()
        for rows in found:
            texts = [row["text"] for row in rows]
            sizes = [est_tokens(text) for text in texts]
            for one in choose(texts, int(share * sum(sizes))):
                kept += asked[rows[one.text]["id"]] * est_tokens(one.words) / max(1, sizes[one.text])
        took = 1000 * (time.perf_counter() - start) / len(found)
        whole = sum(asked[row["id"]] for rows in found for row in rows)
        print(f"  {way:16} {kept / whole:.3f}   {took:.1f} ms a session")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=SETS, metavar="SET")
    parser.add_argument("--share", type=float, default=0.3)
    options = parser.parse_args()
    for each in options.sets:
        report(each, options.share)
