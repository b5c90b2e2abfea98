"""How a published folder bears a crowd: the demo's garden, served with Datasette, 50 readers at once for 30 seconds.

    python bench/publish.py                       50 readers, 30 seconds
    python bench/publish.py --readers 5 --seconds 5
    python bench/publish.py --large 100000        made-up memories, all of them published, instead of the demo's garden

Each reader asks for page after page: a question, a memory, a name, the graph, a table, full text, recall() in SQL; one
question of four is new. Server and readers share the machine. Prints Markdown: how many answers, p50, p95 and worst in
milliseconds for each kind of page, how many failed; and what building and proving a folder costs: seconds, and the most
memory that the process held.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode

from made_up import make

from memkit import MemoryDatabase

PORT = 8766
SAMPLES = Path(__file__).parent.parent / "samples"
WORDS = "quince blossom frost plum compost Rosa Hana shed ladder bed seeds rain spring October prune jam".split()
SOME_WORDS = "select text from memories order by key limit 200"


class Reader(Thread):
    """One who asks for page after page until the time is over."""

    def __init__(self, walk: Iterator[tuple[str, str]], end: float):
        super().__init__(daemon=True)
        self.walk, self.end = walk, end
        self.times: dict[str, list[float]] = defaultdict(list)
        self.failed: list[str] = []

    def run(self) -> None:
        """Reads until the end."""
        connection = HTTPConnection("127.0.0.1", PORT, timeout=60)
        while time.perf_counter() < self.end:
            kind, path = next(self.walk)
            start = time.perf_counter()
            try:
                connection.request("GET", path)
                response = connection.getresponse()
                response.read()
                status = response.status
            except OSError as error:
                connection.close()
                self.failed.append(f"{path}: {error}")
                continue
            self.times[kind].append(1000 * (time.perf_counter() - start))
            if status != 200:
                self.failed.append(f"{path}: {status}")


def published_file(folder: Path) -> Path:
    """The database of a published folder, whose name is that of the database in addresses."""
    return next(folder.glob("*.db"))


def words_of(folder: Path) -> list[str]:
    """Words that a folder's memories say, not the shortest."""
    with MemoryDatabase(published_file(folder), read_only=True) as public:
        texts = [row[0] for row in public.conn.execute(SOME_WORDS)]
    return sorted({word for text in texts for word in text.strip(".").split() if len(word) > 6 and word.isalpha()})


def pages(folder: Path, seed: int, words: list[str]) -> Iterator[tuple[str, str]]:
    """What one reader asks for, without end."""
    chance = random.Random(seed)
    site = published_file(folder).stem
    with MemoryDatabase(published_file(folder), read_only=True) as public:
        memories = [row[0] for row in public.conn.execute("select id from memories")]
        names = [row[0] for row in public.conn.execute("select id from entities")]
    while True:
        asked = " ".join(chance.sample(words, 3)) if chance.random() < 0.25 else f"when did the {words[0]} bloom?"
        yield "recall", "/recall?" + urlencode({"q": asked})
        yield "memory", f"/{site}/-/memory/{chance.choice(memories)}"
        yield "name", f"/{site}/-/entity/{chance.choice(names)}"
        yield "table", f"/{site}/memories?_facet=kind"
        yield "full text", f"/{site}/search.json?" + urlencode({"words": chance.choice(words), "_shape": "array"})
        yield "recall in SQL", f"/{site}/recall.json?" + urlencode({"question": asked, "k": 5, "options": ""})
        yield "graph", f"/{site}/-/graph"


def measure(folder: Path, readers: int, seconds: float, words: list[str]) -> str:
    """The table of a crowd on a served folder, which asks for these words."""
    command = [sys.executable, "-m", "datasette", "serve", str(folder), "--port", str(PORT)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(words[0])
        end = time.perf_counter() + seconds
        crowd = [Reader(pages(folder, seed, words), end) for seed in range(readers)]
        for reader in crowd:
            reader.start()
        for reader in crowd:
            reader.join()
    finally:
        server.terminate()
        server.wait()
    kinds = {kind: [ms for reader in crowd for ms in reader.times[kind]] for kind in crowd[0].times}
    kinds["all"] = [ms for times in kinds.values() for ms in times]
    failed = [failure for reader in crowd for failure in reader.failed]
    lines = ["| page | answers | p50 ms | p95 ms | worst |", "|---|---|---|---|---|"]
    for kind, times in kinds.items():
        cuts = statistics.quantiles(times, n=20)
        lines.append(
            f"| {kind} | {len(times):,} | {statistics.median(times):.0f} | {cuts[-1]:.0f} | {max(times):.0f} |"
        )
    return "\n".join([*lines, "", f"{len(failed)} failed of {len(kinds['all']):,}. {'; '.join(failed[:3])}"])


def _wait(word: str) -> None:
    """Until the server answers a question."""
    for _ in range(300):
        try:
            connection = HTTPConnection("127.0.0.1", PORT, timeout=60)
            connection.request("GET", f"/recall?q={word}")
            connection.getresponse().read()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("The server does not answer.")


def building(folder: Path, memories: int) -> str:
    """What a folder of a tenth of many memories costs: to build it with the proof, and to prove it again."""
    path = folder / "large.db"
    make(path, memories)
    with MemoryDatabase(path) as db:
        tenth = f"select id from memories where key % 10 = 0 and key <= {memories}"
        start = time.perf_counter()
        report = db.publish(folder / "large", sql=tenth)
        built = time.perf_counter() - start
        start = time.perf_counter()
        sound = db.check_published(folder / "large").sound
        proved = time.perf_counter() - start
    size = f"{report.bytes / 1e6:.0f} MB"
    return (
        f"{report.memories:,} of {memories:,} memories, {size}: built and proved in {built:.1f} s, proved again in "
        + (f"{proved:.1f} s ({'sound' if sound else 'not sound'})")
    )


def large(folder: Path, memories: int) -> str:
    """Publishes made-up memories, all of them, to `large`, as people do at the command line; what that costs."""
    path = folder / "large.db"
    make(path, memories)
    command = [sys.executable, "-m", "memkit", "publish", path, folder / "large", "--format", "json"]
    built, most, said = _timed([*command, "--sql", "select id from memories", "--title", "Large"])
    proved, held, checked = _timed([*command, "--check"])
    before, after = path.stat().st_size / 1e6, said["bytes"] / 1e6
    return (
        f"{said['memories']:,} memories, {before:.0f} MB: published in {built:.0f} s with {most:,} MB of memory, "
        f"{after:.0f} MB; proved again in {proved:.0f} s with {held:,} MB "
        f"({'sound' if checked['sound'] else 'not sound'})."
    )


def _timed(command: list[object]) -> tuple[float, int, dict[str, Any]]:
    """Seconds of a command, the most megabytes that any command has held so far, and the JSON that it printed."""
    start = time.perf_counter()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, json.loads(done.stdout)


def main() -> None:
    """Publishes the demo's garden, or something large, and measures it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--memories", type=int, default=10_000, help="of the database that a tenth of is published")
    parser.add_argument("--large", type=int, default=0, help="made-up memories to publish instead of the garden")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if chosen.large:
            cost = large(folder, chosen.large)
            table = measure(folder / "large", chosen.readers, chosen.seconds, words_of(folder / "large"))
            sys.stdout.write(f"{cost}\n\n{chosen.readers} readers at once for {chosen.seconds:g} seconds\n\n{table}\n")
            return
        with MemoryDatabase(folder / "demo.db") as db:
            db.ingest([SAMPLES / name for name in ("notes", "chats", "facts.jsonl", "relations.jsonl")])
            db.publish(folder / "garden", project="garden")
        table = measure(folder / "garden", chosen.readers, chosen.seconds, WORDS)
        cost = building(folder, chosen.memories) if chosen.memories else ""
    sys.stdout.write(f"{chosen.readers} readers at once for {chosen.seconds:g} seconds\n\n{table}\n\n{cost}\n")


if __name__ == "__main__":
    main()
