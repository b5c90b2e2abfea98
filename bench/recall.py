"""How fast recall is, stage by stage and strategy by strategy, on made-up databases; and how near codes come.

    python bench/recall.py                       1,000, 10,000 and 100,000 memories
    python bench/recall.py 1000000               a million (3 GB of disk, some minutes to make)
    python bench/recall.py --strategy memkit --keep FOLDER
    python bench/recall.py 100000 --strategy memkit --processor     stages by the processor's time, on a busy machine
    python bench/recall.py --agreement           the approximate vector scan against the exact one, on real texts

Every strategy is measured in a process of its own. *Cold* is the first question there, its file thrown out of the
system's cache: it loads the model, the codes and the graph. *New* are 100 questions never asked before, *warm* the same
ones again, *processor* the time of these in which the process worked and did not wait for others. Prints Markdown for
bench/RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from made_up import World, make

from memkit import MemoryDatabase
from memkit.embedding import load_embedder
from memkit.retrieval import recall as pipeline
from memkit.retrieval.channels import vector
from memkit.retrieval.registry import STRATEGIES
from memkit.text.words import sentences

SHARED = Path(__file__).parent.parent.parent / "shared" / "eval"
SAMPLES = Path(__file__).parent.parent / "samples"
QUESTIONS = 100
NOW = "2026-01-01T00:00:00Z"


# ---------------------------------------------------------------------------------------------- one process


def forget_file(path: Path) -> None:
    """Throws a file out of the system's cache, where the system allows that."""
    if hasattr(os, "posix_fadvise"):
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def memory_mb() -> float:
    """What this process holds in memory, in MB; the peak where the system does not tell more."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(path: Path, questions: list[str], strategy: str, *, processor: bool = False) -> dict:
    """Milliseconds of the first question, and p50 and p95 of each stage of the others, new and again; MB at the end."""
    forget_file(path)
    if processor:
        pipeline.perf_counter = time.process_time
    started = time.perf_counter()
    with MemoryDatabase(path, read_only=True) as db:

        def ask(question: str) -> dict[str, float]:
            start, worked = time.perf_counter(), time.process_time()
            stages = dict(db.recall(question, strategy=strategy, now=NOW).ms)
            all_of_it = {"all": time.perf_counter() - start, "processor": time.process_time() - worked}
            return {**stages, **{name: 1000 * seconds for name, seconds in all_of_it.items()}}

        ask(questions[0])
        found = {"cold": 1000 * (time.perf_counter() - started)}
        for name in ("new", "warm"):
            times = defaultdict(list)
            for question in questions[1:]:
                for stage, ms in ask(question).items():
                    times[stage].append(ms)
            found[name] = {
                stage: (statistics.median(ms), sorted(ms)[int(0.95 * len(ms))]) for stage, ms in times.items()
            }
        return {**found, "memory": memory_mb()}


def in_new_process(path: Path, questions: list[str], strategy: str, *, processor: bool) -> dict:
    """`measure`, alone in a process."""
    command = [sys.executable, __file__, "--measure", str(path), strategy, *(["--processor"] if processor else [])]
    done = subprocess.run(command, input=json.dumps(questions), stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


# ---------------------------------------------------------------------------------------------- the report


def report(n: int, strategies: list[str], keep: str | None, *, processor: bool) -> str:
    """The tables for n memories."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(keep or folder) / f"made-up-{n}.db"
        started = time.perf_counter()
        world = World(n) if path.exists() else make(path, n)
        made = time.perf_counter() - started
        with MemoryDatabase(path, read_only=True) as db:
            world.random = np.random.default_rng(11)
            questions = world.questions(db.conn, QUESTIONS + 1)
        size = path.stat().st_size / 1e6
        found = {name: in_new_process(path, questions, name, processor=processor) for name in strategies}
    lines = [
        f"### {n:,} memories ({size:,.0f} MB{f', made in {made:,.0f} s' if made > 5 else ''})",
        "",
        "| strategy, ms | cold | new p50 | new p95 | warm p50 | warm p95 | processor p50 | memory MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, figures in found.items():
        spans = [f"{ms:.1f}" for run in ("new", "warm") for ms in figures[run]["all"]]
        spans.append(f"{figures['warm']['processor'][0]:.1f}")
        lines.append(f"| {name} | {figures['cold']:.0f} | {' | '.join(spans)} | {figures['memory']:.0f} |")
    first = found[strategies[0]]
    lines += [
        "",
        f"| stage of {strategies[0]}, ms | new p50 | new p95 | warm p50 | warm p95 |",
        "|---|---|---|---|---|",
    ]
    for stage in first["warm"]:
        spans = [f"{ms:.2f}" for run in ("new", "warm") for ms in first[run][stage]]
        lines.append(f"| {stage} | {' | '.join(spans)} |")
    return "\n".join(lines)


def machine() -> str:
    """What this ran on, and which commit."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False).stdout
    python = platform.python_version()
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {python}, commit {commit.strip() or 'unknown'}"


# ---------------------------------------------------------------------------------------------- agreement


def real_texts() -> tuple[list[str], list[str]]:
    """Sentences to search and questions to search with: the evaluation sets', or else the samples'."""
    folders = [path.parent for path in SHARED.glob("*/corpus.jsonl")] if SHARED.is_dir() else []
    if not folders:
        texts = [path.read_text("utf-8") for path in SAMPLES.rglob("*.md")]
        asked = [json.loads(line)["text"] for line in (SAMPLES / "questions.jsonl").read_text("utf-8").splitlines()]
    else:
        texts = [
            json.loads(line)["text"] for path in folders for line in (path / "corpus.jsonl").open(encoding="utf-8")
        ]
        asked = [
            json.loads(line)["text"] for path in folders for line in (path / "queries.jsonl").open(encoding="utf-8")
        ]
    found = dict.fromkeys(text[a:b] for text in texts for a, b in sentences(text))
    return [text for text in found if len(text) > 10], asked


def agreement(k: int = 20, rescore: int = vector.EXACT, most: int = 1000) -> str:
    """The share of the exact k nearest that the scan of codes with rescoring finds, on real sentences."""
    texts, asked = real_texts()
    step = max(1, len(asked) // most)
    embedder = load_embedder()
    matrix, questions = embedder.encode(texts), embedder.encode(asked[::step])
    matrix, questions = matrix[matrix.any(axis=1)], questions[questions.any(axis=1)]
    codes = vector.codes_of(np.arange(len(matrix)), matrix)
    lines = [f"| compared exactly | recall@{k} | worst question |", "|---|---|---|"]
    for most_compared in (rescore // 2, rescore, 2 * rescore):
        shares = []
        for question in questions:
            cosines = matrix @ question
            least = np.partition(cosines, -k)[-k] - 1e-6  # of texts that are equally near any will do
            near = vector.candidates(codes, question, None, most_compared)
            shares.append(min(k, int((cosines[near] >= least).sum())) / k)
        lines.append(f"| {most_compared:,} | {np.mean(shares):.4f} | {min(shares):.2f} |")
    return "\n".join([f"{len(matrix):,} real sentences, {len(questions):,} real questions", "", *lines])


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--strategy", action="append", choices=sorted(STRATEGIES), help="only this one; repeatable")
    parser.add_argument("--keep", help="a folder to keep the databases in, and to find them again")
    parser.add_argument("--agreement", action="store_true")
    parser.add_argument("--processor", action="store_true", help="the stages by the processor's time")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        path, strategy = given.measure
        print(json.dumps(measure(Path(path), json.load(sys.stdin), strategy, processor=given.processor)))  # noqa: T201
        return
    load = f", {os.getloadavg()[0]:.1f} processes running" if hasattr(os, "getloadavg") else ""
    parts = [machine() + load]
    if given.agreement:
        parts.append(agreement())
    else:
        names = given.strategy or ["memkit", *sorted(STRATEGIES.keys() - {"memkit"})]
        parts += [report(n, names, given.keep, processor=given.processor) for n in given.sizes]
    print("\n\n".join(parts))  # noqa: T201


if __name__ == "__main__":
    main()
