"""What each cache saves, what a cache of answers would save, and how long it takes to look a name up without one.

    python bench/caches.py                   the samples, and 100,000 made-up memories
    python bench/caches.py --n 1000 --n 10000

*All* is the median question when everything is kept; *without* one, that one is thrown away before each question, as if
the question came to a new process. *Again* is the same question a second time, all of which a cache of answers (100 of
them, the least recently used one goes) would save; what it saves of a whole stream follows from how often people repeat
themselves. Prints Markdown for bench/RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from made_up import make
from recall import NOW, SAMPLES, machine

from memkit import MemoryDatabase
from memkit.graph.entities import by_names
from memkit.graph.question_entities import named_in
from memkit.storage import caches
from memkit.text.words import normal_name

QUESTIONS = 60
STREAM = 1000  # questions that somebody asks
REPEATED = 0.05  # of them were asked before
KEPT_ANSWERS = 100
KEPT = ("terms", "codes", "graph")  # the slots of caches.py begin with these words
SELECT_ALIASES = "select normal, alias, entity_key from aliases"


def milliseconds(
    work: Callable[[str], object], asked: Iterable[str], before: Callable[[], object] = tuple
) -> list[float]:
    """How long the work takes for each of these, after what is done before it."""
    times = []
    for one in asked:
        before()
        start = time.perf_counter()
        work(one)
        times.append(1000 * (time.perf_counter() - start))
    return times


def throw_away(db: MemoryDatabase, name: str) -> None:
    """Empties the caches whose names begin so."""
    slots = caches._slots(db.conn)
    for slot in [slot for slot in slots if slot.startswith(name)]:
        del slots[slot]


def repeats(times: dict[str, float], seed: int = 5) -> tuple[float, float]:
    """The share of a stream of questions that a cache of answers answers, and the share of their time that it saves.

    `times` are milliseconds of each question; of the stream REPEATED were asked before, and each has another scope or
    time otherwise, so that it is no repetition by chance.
    """
    chance, kept, told = random.Random(seed), OrderedDict[tuple[str, int], None](), []
    hits, saved, spent = 0, 0.0, 0.0
    for number in range(STREAM):
        again = told and chance.random() < REPEATED
        one = chance.choice(told) if again else (chance.choice(list(times)), number)
        told.append(one)
        spent += times[one[0]]
        if one in kept:
            hits, saved = hits + 1, saved + times[one[0]]
            kept.move_to_end(one)
        kept[one] = None
        if len(kept) > KEPT_ANSWERS:
            kept.popitem(last=False)
    return hits / STREAM, saved / spent


def measured(name: str, db: MemoryDatabase, asked: Sequence[str]) -> str:
    """The row of a database."""

    def ask(question: str) -> None:
        db.recall(question, now=NOW)

    milliseconds(ask, asked)
    everything = milliseconds(ask, asked)
    without = [median(milliseconds(ask, asked, lambda kept=kept: throw_away(db, kept))) for kept in KEPT]
    milliseconds(ask, asked)
    again = [milliseconds(ask, (one, one))[1] for one in asked]
    answered, saved = repeats(dict(zip(asked, again, strict=True)))
    cells = [median(everything), *without, median(again)]
    return f"| {name} | {' | '.join(f'{ms:.1f}' for ms in cells)} | {answered:.1%} | {saved:.1%} |"


def names(name: str, db: MemoryDatabase, asked: Sequence[str]) -> str:
    """The row of a database: microseconds for one name, by the index and by a dict, and for the names of a question."""
    rows = db.conn.execute(SELECT_ALIASES).fetchall()
    wanted = [row["alias"] for row in random.Random(3).sample(rows, min(len(rows), 500))]
    start = time.perf_counter()
    known: dict[str, list[int]] = {}
    for row in db.conn.execute(SELECT_ALIASES):
        known.setdefault(row["normal"], []).append(row["entity_key"])
    made = 1000 * (time.perf_counter() - start)
    indexed = median(milliseconds(lambda one: by_names(db.conn, [one]), wanted))
    kept = median(milliseconds(lambda one: known[normal_name(one)], wanted))
    whole = median(milliseconds(lambda one: named_in(db.conn, one), asked))
    cells = " | ".join(f"{1000 * ms:.0f}" for ms in (indexed, kept, whole))
    return f"| {name} | {len(rows):,} | {cells} | {made:.0f} |"


def told(name: str, db: MemoryDatabase, asked: Sequence[str]) -> str:
    """What `memkit info` says of the caches after these questions in a process that has just begun."""
    caches.forget(db.conn)
    for question in asked:
        db.recall(question, now=NOW)
    rates = [f"{cache} {hits:,} of {wanted:,}" for cache, (hits, wanted) in sorted(db.info().caches.items())]
    return f"- {name}, {len(asked)} questions: {', '.join(rates)}"


def samples(path: Path) -> list[str]:
    """Writes the samples into a database; their questions."""
    with MemoryDatabase(path) as db:
        db.ingest([SAMPLES / part for part in ("notes", "chats", "facts.jsonl")], now=NOW)
        db.ingest(SAMPLES / "relations.jsonl", now=NOW)
    lines = (SAMPLES / "questions.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines][:QUESTIONS]


def made_up(path: Path, n: int) -> list[str]:
    """Writes n made-up memories into a database; questions about them."""
    world = make(path, n)
    world.random = np.random.default_rng(11)
    with MemoryDatabase(path, read_only=True) as db:
        return world.questions(db.conn, QUESTIONS)


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, action="append", help="made-up memories; repeatable (default: 100,000)")
    given = parser.parse_args()
    rows: list[tuple[str, str, str]] = []
    for n in (0, *(given.n or [100_000])):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "memory.db"
            asked = made_up(path, n) if n else samples(path)
            with MemoryDatabase(path, read_only=True) as db:
                name = f"{n:,} made up" if n else f"samples ({db.info().memories})"
                rows.append((measured(name, db, asked), names(name, db, asked), told(name, db, asked)))
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    of_questions, of_names, of_rates = zip(*rows, strict=True)
    heads = f"| median question, ms | all | {' | '.join(f'without {kept}' for kept in KEPT)} | again |"
    lines = [
        machine() + load,
        f"{heads} answers kept would hit | and save |\n|{'---|' * (len(KEPT) + 5)}",
        "| names, microseconds | names | one, by the index | one, by a dict | a question's | making the dict, ms |",
        "How often what is kept was of use (`memkit info`), beginning with nothing:\n",
    ]
    parts = [lines[0], "\n".join([lines[1], *of_questions]), "\n".join([lines[2], f"|{'---|' * 6}", *of_names])]
    sys.stdout.write("\n\n".join([*parts, "\n".join([lines[3], *of_rates])]) + "\n")


if __name__ == "__main__":
    main()
