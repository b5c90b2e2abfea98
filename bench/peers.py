"""What memkit finds and how fast, beside other systems: the same questions to the same texts, in the same run.

    python bench/peers.py [SETS...] [--n 100000] [--questions 200] [--rounds 3] [--folder .peers] [--only NAME ...]

SETS are evaluation sets as in docs/recall.md: folders with corpus.jsonl and queries.jsonl; R@5 is the mean of theirs.
Times are those of `--n` short made-up texts (`bench/ingest.py`), in rounds in which the systems take turns, each in new
processes and with new questions: medians of the rounds, and how many times as long as memkit took. Each system gets an
environment of its own in the folder, made with pip at the first run (txtai brings PyTorch). How each one is used is in
bench/peer_systems.py. Prints Markdown for bench/RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Any

from ingest import Speech, machine
from peer_systems import SYSTEMS

ROOT = Path(__file__).parent.parent
FIRST = 5
COLUMNS = ("p50, ms", "p95, ms", "new process, ms", "texts a second", "asking, MB", "on the disk, MB")
LONGEST = 600  # seconds of one process: a system that takes longer to take the texts in has no times


def python_of(name: str, folder: Path) -> str:
    """The Python of a system's environment, which is made if it is not there."""
    packages = SYSTEMS[name].packages
    if not packages:
        return sys.executable
    place = folder / "environments" / name
    python = place / "bin" / "python"
    if not (place / "ready").exists():
        venv.create(place, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        (place / "ready").touch()
    return str(python)


def run(name: str, action: str, place: Path, path: Path, folder: Path) -> dict[str, Any]:
    """What one process of a system says; `process` is how many seconds all of it took."""
    # Modules are compiled once, as they are where something is installed.
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    settings |= {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "ANONYMIZED_TELEMETRY": "False"}
    command = [python_of(name, folder), "-m", "bench.peer_systems", name, action, str(place), str(path)]
    start = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, timeout=LONGEST)
    if done.returncode:
        raise RuntimeError(f"{name} {action}: {done.stderr[-2000:]}")
    return {**json.loads(done.stdout.splitlines()[-1]), "process": time.perf_counter() - start}


def write(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """A file of JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


# ---------------------------------------------------------------------------------------------- what is found


def recall_at_5(name: str, texts: Path, queries: Path, folder: Path) -> float:
    """R@5 of a system on a set: the share of the wanted texts among the first five, averaged over the questions."""
    place = emptied(folder / "built" / name / texts.parent.name)
    run(name, "build", place, texts, folder)
    found = run(name, "ask", place, queries, folder)["found"]
    asked = [row for row in map(json.loads, queries.read_text("utf-8").splitlines()) if row["id"] in found]
    return fmean(len(set(row["relevant"]) & set(found[row["id"]][:FIRST])) / len(set(row["relevant"])) for row in asked)


def emptied(folder: Path) -> Path:
    """The folder with nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def found_table(names: Sequence[str], sets: Sequence[Path], questions: int, folder: Path) -> dict[str, list[float]]:
    """R@5 of each system on each set."""
    found: dict[str, list[float]] = {name: [] for name in names}
    for one in sets:
        rows = [json.loads(line) for line in (one / "queries.jsonl").read_text("utf-8").splitlines()]
        some = [row for row in rows if row["relevant"]]
        queries = write(
            folder / "asked" / one.name / "queries.jsonl", some[:: max(1, len(some) // questions)][:questions]
        )
        for name in names:
            try:
                found[name].append(recall_at_5(name, one / "corpus.jsonl", queries, folder))
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                found[name].append(math.nan)
                say(str(error))
            say(f"{one.name}: {name} {shown(found[name][-1])}")
    return found


# ---------------------------------------------------------------------------------------------- how fast


def timed(names: Sequence[str], n: int, questions: int, rounds: int, folder: Path) -> dict[str, dict[str, float]]:
    """Of each system: texts a second, megabytes on the disk and of memory, ms of a question, ms of a new process."""
    speech = Speech(7)
    texts = write(folder / "asked" / "texts.jsonl", ({"id": f"t{i}", "text": speech.sentence()} for i in range(n)))
    found: dict[str, dict[str, float]] = {}
    for name in names:
        place = emptied(folder / "built" / name / "made-up")
        try:
            built = run(name, "build", place, texts, folder)
        except subprocess.TimeoutExpired:
            say(f"{name}: not taken in within {LONGEST} s")
            continue
        size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file()) / 1e6
        found[name] = {"in": n / built["seconds"], "in_megabytes": built["megabytes"], "size": size}
        say(f"{name}: {found[name]['in']:,.0f} texts a second")
    times: dict[str, list[dict[str, float]]] = {name: [] for name in found}
    for place in range(rounds):
        new = [{"id": f"q{i}", "text": speech.question()} for i in range(questions // rounds + 1)]
        asked = write(folder / "asked" / "questions.jsonl", new)
        first = write(folder / "asked" / "first.jsonl", new[:1])
        for name in found:
            times[name].append(_round(name, first, asked, folder))
            say(f"round {place + 1}: {name} {times[name][-1]['p50']:.1f} ms")
    for name, own in times.items():
        found[name] |= {key: median(one[key] for one in own) for key in own[0]}
    return found


def _round(name: str, first: Path, asked: Path, folder: Path) -> dict[str, float]:
    place = folder / "built" / name / "made-up"
    cold = run(name, "ask", place, first, folder)["process"]
    warm = run(name, "ask", place, asked, folder)
    p95 = quantiles(warm["ms"], n=20)[-1] if len(warm["ms"]) > 1 else warm["ms"][0]
    return {"p50": median(warm["ms"]), "p95": p95, "cold": 1000 * cold, "megabytes": warm["megabytes"]}


# ---------------------------------------------------------------------------------------------- the tables


def say(text: str) -> None:
    """Tells how far it is."""
    sys.stderr.write(text + "\n")


def shown(recall: float) -> str:
    """R@5 in three digits."""
    return "fails" if math.isnan(recall) else f"{recall:.3f}"


def mean(recalls: Sequence[float]) -> float:
    """Their mean; one that failed has found nothing."""
    return fmean(0 if math.isnan(one) else one for one in recalls)


def cells(*values: str) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(values)} |"


def speed_lines(found: dict[str, dict[str, float]], recalls: dict[str, list[float]]) -> list[str]:
    """The table of all systems; in brackets, how many times as long as memkit."""
    own = found.get("memkit", {})

    def beside(one: dict[str, float], key: str) -> str:
        return f"{one[key]:,.1f}" + (f" ({one[key] / own[key]:.2f})" if own and one is not own else "")

    lines = [cells("system", "R@5", *COLUMNS), f"|{'---|' * (2 + len(COLUMNS))}"]
    for name in dict.fromkeys((*found, *recalls)):
        told = [shown(mean(recalls[name])) if name in recalls else ""]
        if one := found.get(name):
            told += [beside(one, "p50"), beside(one, "p95")]
            told += [f"{one[key]:,.0f}" for key in ("cold", "in", "megabytes", "size")]
        lines.append(cells(name, *told, *[""] * (1 + len(COLUMNS) - len(told))))
    return lines


def found_lines(sets: Sequence[Path], recalls: dict[str, list[float]]) -> list[str]:
    """The table of R@5 by set."""
    lines = [cells("R@5", *(one.name for one in sets), "mean"), f"|{'---|' * (len(sets) + 2)}"]
    return [*lines, *(cells(name, *map(shown, (*own, mean(own)))) for name, own in recalls.items())]


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", type=Path)
    parser.add_argument("--n", type=int, default=100_000, help="made-up texts; 0: no times")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(".peers"))
    parser.add_argument("--only", nargs="+", choices=list(SYSTEMS), default=list(SYSTEMS))
    given = parser.parse_args()
    folder = given.folder.resolve()
    recalls = found_table(given.only, given.sets, given.questions, folder) if given.sets else {}
    found = timed(given.only, given.n, given.questions, given.rounds, folder) if given.n else {}
    lines = [machine(), "", *speed_lines(found, recalls)]
    lines += ["", *found_lines(given.sets, recalls)] if recalls else []
    sys.stdout.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    main()
