"""How fast memkit's pages are: a real server, 10,000 made-up memories, 8 clients who all ask at once.

    python bench/web.py                     8 clients, 400 requests
    python bench/web.py --memories 100000 --clients 1 --again 0

Each client asks for page after page, as a person walks: a question, the memory that was found, a name, the graph.
Three pages of four were asked for before by somebody (`--again`). Then one of them types
names letter by letter. Server and clients share the machine. Prints
Markdown: p50 and p95 in milliseconds for each page, how many failed, and how much of the processor the server took for
a page, which is the figure to go by where the machine does other work too.
"""

from __future__ import annotations

import argparse
import random
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
from urllib.parse import urlencode

from made_up import make

from memkit import MemoryDatabase

PORT = 8765
SERVER = """
import asyncio, sys, threading, time, uvicorn
import memkit.storage.driver
from datasette.app import Datasette
served = Datasette([sys.argv[1]])
served.root_enabled = True
loop = asyncio.new_event_loop()
loop.run_until_complete(served.invoke_startup())
print(served.sign({"a": {"id": "root"}}, "actor"), flush=True)

def tell():
    for _ in sys.stdin:
        print(time.process_time(), flush=True)

threading.Thread(target=tell, daemon=True).start()
uvicorn.run(served.app(), host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
"""


class Client(Thread):
    """One who asks for page after page; `times` holds the milliseconds of each kind of page."""

    def __init__(self, cookie: str, walk: Iterator[tuple[str, str]]):
        super().__init__(daemon=True)
        self.cookie, self.walk = cookie, walk
        self.times: dict[str, list[float]] = defaultdict(list)
        self.sizes: dict[str, int] = {}
        self.failed = 0

    def run(self) -> None:
        """Walks to the end."""
        connection = HTTPConnection("127.0.0.1", PORT, timeout=60)
        for kind, path in self.walk:
            start = time.perf_counter()
            connection.request("GET", path, headers={"cookie": f"ds_actor={self.cookie}"})
            response = connection.getresponse()
            body = response.read()
            self.times[kind].append(1000 * (time.perf_counter() - start))
            self.sizes[kind] = max(self.sizes.get(kind, 0), len(body))
            self.failed += response.status != 200


def walks(path: Path, questions: list[str], steps: int, clients: int, again: float) -> list[Iterator[tuple[str, str]]]:
    """For each client what it asks for."""
    with MemoryDatabase(path, read_only=True) as memory:
        ids = [row[0] for row in memory.conn.execute("select id from memories order by random() limit 200")]
        names = [
            row[0]
            for row in memory.conn.execute(
                "select e.id from entities as e join mentions as x on x.entity_key = e.key group by e.key limit 200"
            )
        ]

    def walk(seed: int) -> Iterator[tuple[str, str]]:
        chance = random.Random(seed)
        for step in range(steps):
            known = chance.random() < again
            question = questions[chance.randrange(20)] if known else questions[20 + (seed * steps + step) % 2000]
            where = f"/{path.stem}/-/"
            yield (
                ("recall", f"{where}recall?{urlencode({'q': question})}"),
                ("memory", f"{where}memory/{ids[chance.randrange(10 if known else len(ids))]}"),
                ("entity", f"{where}entity/{names[chance.randrange(10 if known else len(names))]}"),
                ("graph", f"{where}graph"),
            )[(step + seed) % 4]

    return [walk(seed) for seed in range(clients)]


def typing(path: Path) -> Iterator[tuple[str, str]]:
    """Twenty names, letter by letter, as the box asks while somebody types."""
    with MemoryDatabase(path, read_only=True) as memory:
        names = [row[0] for row in memory.conn.execute("select name from entities order by random() limit 20")]
    for name in names:
        for end in range(1, len(name) + 1):
            yield "type-ahead", f"/{path.stem}/-/names.json?{urlencode({'q': name[:end]})}"


def measure(path: Path, clients: int, requests: int, again: float, questions: list[str]) -> str:
    """The table for one database."""
    command = [sys.executable, "-c", SERVER, str(path), str(PORT)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        cookie = server.stdout.readline().strip()
        warm_up(cookie)
        start, worked = time.perf_counter(), processor_seconds(server)
        started = [Client(cookie, walk) for walk in walks(path, questions, requests // clients, clients, again)]
        for client in started:
            client.start()
        for client in started:
            client.join()
        seconds, work = time.perf_counter() - start, processor_seconds(server) - worked
        typist = Client(cookie, typing(path))
        typist.run()
    finally:
        server.terminate()
    lines = ["| page | asked | p50 ms | p95 ms | kB |", "|---|---|---|---|---|"]
    kinds = ["recall", "memory", "entity", "graph"]
    every = [ms for client in started for times in client.times.values() for ms in times]
    for kind in [*kinds, "all"]:
        times = every if kind == "all" else [ms for client in started for ms in client.times[kind]]
        size = max(max(client.sizes.values()) if kind == "all" else client.sizes.get(kind, 0) for client in started)
        cuts = statistics.quantiles(times, n=20)
        lines.append(f"| {kind} | {len(times)} | {statistics.median(times):.0f} | {cuts[18]:.0f} | {size / 1000:.0f} |")
    cuts = statistics.quantiles(typed := typist.times["type-ahead"], n=20)
    lines.append(f"| type-ahead, alone | {len(typed)} | {statistics.median(typed):.0f} | {cuts[18]:.0f} | 1 |")
    failed = sum(client.failed for client in (*started, typist))
    told = f"{len(every) / seconds:.0f} pages a second, {failed} failed, "
    told += f"{1000 * work / len(every):.1f} ms of the processor a page."
    return "\n".join([*lines, "", told])


def processor_seconds(server: subprocess.Popen[str]) -> float:
    """How much the server has worked so far."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write("?\n")
    server.stdin.flush()
    return float(server.stdout.readline())


def warm_up(cookie: str) -> None:
    """Waits until the server listens, and has read its model and its graph in each of its threads."""
    for _ in range(200):
        try:
            client = Client(cookie, iter([("first", "/recall?" + urlencode({"q": f"first {n}"})) for n in range(6)]))
            connection = HTTPConnection("127.0.0.1", PORT, timeout=60)
            connection.request("GET", "/")
            connection.getresponse().read()
        except OSError:
            time.sleep(0.1)
            continue
        client.run()
        return


def main() -> None:
    """Makes a database and measures it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--again", type=float, default=0.75)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        world = make(path, chosen.memories)
        with MemoryDatabase(path, read_only=True) as memory:
            questions = world.questions(memory.conn, 2020)
        about = (
            f"{chosen.memories:,} memories, {chosen.clients} clients at once, {chosen.again:.0%} asked for again\n\n"
        )
        sys.stdout.write(about + measure(path, chosen.clients, chosen.requests, chosen.again, questions) + "\n")


if __name__ == "__main__":
    main()
