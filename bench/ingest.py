"""How fast memories go in, how much memory that takes, and how fast they are found again, by channel.

    python bench/ingest.py [--n 100000] [--questions 200] [--keep FILE]

Sessions of 20 turns between a few people: words of the built-in model's vocabulary drawn by Zipf's law, some names in
between. Prints a Markdown table for bench/RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import accumulate
from pathlib import Path

from memkit import MemoryDatabase
from memkit.embedding.static import FOLDER

TURNS = 20
PEOPLE = ["Alice", "Otto", "Rosa", "Jordan", "Mina", "Theo", "Hana", "Nadia"]
CHANNELS = ("fulltext", "vector", "graph")


def vocabulary() -> list[str]:
    """The model's whole words, the frequent ones first (as its tokenizer lists them)."""
    pieces = json.loads((FOLDER / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    return [piece for piece in sorted(pieces, key=pieces.get) if piece.isalpha() and piece.isascii() and len(piece) > 1]


class Speech:
    """Sentences whose words follow Zipf's law: the n-th word comes up 1/n as often as the first."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.words = vocabulary()
        self.weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(self.words))))
        self.names = [word.capitalize() for word in self.random.sample(self.words[5000:], 2000)]

    def sentence(self) -> str:
        """7 to 16 words; every fourth sentence names somebody or something."""
        words = self.random.choices(self.words, cum_weights=self.weights, k=self.random.randint(7, 16))
        if self.random.random() < 0.25:
            words.insert(self.random.randint(1, len(words)), self.random.choice(self.names))
        return " ".join(words).capitalize() + "."

    def question(self) -> str:
        """Three rarer words among frequent ones, as a person's question has them."""
        rare = self.random.choices(self.words[200:8000], k=3)
        return f"what did {self.random.choice(PEOPLE)} say about the {rare[0]} {rare[1]} and the {rare[2]}?"


def rows(n: int, seed: int = 7) -> Iterator[dict[str, str]]:
    """n turns in sessions of TURNS."""
    speech, start = Speech(seed), datetime(2015, 1, 1)
    for number in range(n):
        session, turn = divmod(number, TURNS)
        if turn == 0:
            both = speech.random.sample(PEOPLE, 2)
        yield {
            "id": f"t{number}",
            "session": f"s{session}",
            "speaker": both[turn % 2],
            "timestamp": (start + timedelta(hours=session, minutes=turn)).isoformat() + "Z",
            "text": " ".join(speech.sentence() for _ in range(speech.random.randint(1, 3))),
        }


def ingest(path: Path, source: Path) -> dict[str, float]:
    """Takes the file in; seconds until the rows were in, until all was done, of the processor; peak memory in MB."""
    started, worked = time.perf_counter(), time.process_time()
    last = started

    def tell(_: int) -> None:
        nonlocal last
        last = time.perf_counter()

    with MemoryDatabase(path) as memory:
        report = memory.ingest(source, progress=tell)
        assert report.failed == 0, report
        done, worked = time.perf_counter(), time.process_time() - worked
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)  # the second process, if there is one
    peak = sum(resource.getrusage(who).ru_maxrss for who in both) / 1024
    return {"rows": last - started, "all": done - started, "worked": worked, "peak": peak, "added": report.added}


def recall(path: Path, questions: list[str]) -> dict[str, dict[str, float]]:
    """The milliseconds of a recall, by the channel that it is left to: first, median, and 95th percentile."""
    found = {}
    with MemoryDatabase(path, read_only=True) as memory:
        for name in (*CHANNELS, "all"):
            others = {} if name == "all" else {other: None for other in CHANNELS if other != name}
            strategy = {"name": "memkit", **others}
            times = []
            for question in questions:
                started = time.perf_counter()
                memory.recall(question, strategy=strategy)
                times.append(1000 * (time.perf_counter() - started))
            ordered = sorted(times[1:])
            found[name] = {
                "first": times[0],
                "p50": statistics.median(ordered),
                "p95": ordered[int(0.95 * len(ordered))],
            }
    return found


def in_new_process(step: str, *arguments: str) -> dict:
    """The result of a step that runs alone, so that its memory is its own."""
    command = [sys.executable, __file__, "--step", step, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def machine() -> str:
    """What this ran on, and which commit."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False).stdout
    python = platform.python_version()
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {python}, commit {commit.strip() or 'unknown'}"


def bench(n: int, questions: int, keep: str | None) -> str:
    """The whole measurement as Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        source, path = Path(folder) / "turns.jsonl", Path(keep or Path(folder) / "memory.db")
        with source.open("w") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows(n))
        took = in_new_process("ingest", str(path), str(source))
        size = path.stat().st_size / 1e6
        times = in_new_process("recall", str(path), str(questions))
    lines = [
        f"{n:,} turns in sessions of {TURNS}; {machine()}",
        "",
        "| ingest | |",
        "|---|---|",
        f"| rows, full text and vectors | {took['rows']:.1f} s, {n / took['rows']:,.0f} a second |",
        f"| with names and graph | {took['all']:.1f} s, {n / took['all']:,.0f} a second |",
        f"| of that the processor worked | {took['worked']:.1f} s, {n / took['worked']:,.0f} a second |",
        f"| peak memory | {took['peak']:,.0f} MB |",
        f"| file | {size:,.0f} MB |",
        "",
        "| recall, ms | first | p50 | p95 |",
        "|---|---|---|---|",
        *(f"| {name} | {t['first']:.0f} | {t['p50']:.1f} | {t['p95']:.1f} |" for name, t in times.items()),
    ]
    return "\n".join(lines)


def main() -> None:
    """Runs the whole, or one step of it in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--keep", help="where to leave the database")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step is None:
        text = bench(given.n, given.questions, given.keep)
    elif given.step[0] == "ingest":
        text = json.dumps(ingest(Path(given.step[1]), Path(given.step[2])))
    else:
        speech = Speech(11)
        text = json.dumps(recall(Path(given.step[1]), [speech.question() for _ in range(int(given.step[2]))]))
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
