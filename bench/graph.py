"""How fast the graph is made, grown, walked and read, and how much memory it takes.

    python bench/graph.py            100,000 memories that name some of 50,000 people
    python bench/graph.py --small    a tenth of that

The memories are made up: sentences with names by Zipf's law, and a few plain statements with dates among them.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import resource
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import numpy as np

from memkit import MemoryDatabase
from memkit.graph import adjacency, random_walk
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.matcher import NameMatcher

FIRST = (
    "Ursula Kofi Priya Theo Rosa Otto Mina Alice Nadia Hana Inga Bo Lars Meera Tomas Yara Ivo Greta Paolo Zora".split()
)
SYLLABLES = "ba do ka lin mo ra ser ti vo zan hel gri pau stro wen".split()
THINGS = (
    "the long report|a borrowed ladder|the winter plan|two boxes of books|the ferry timetable|a bowl of plums".split(
        "|"
    )
)
SESSION = 20  # memories, one after the other
FORMS = (
    "Yesterday {0} and {1} talked about {2} until the lamp went out.",
    "I asked {0} for {2}, but it was {1} who brought it.",
    "On the way home we met {0}, who had lent {2} to {1}.",
    "{0} likes {1} and {2}.",
)


def people(count: int, rng: np.random.Generator) -> list[str]:
    """Names, none twice."""
    names: dict[str, None] = {}
    while len(names) < count:
        family = "".join(rng.choice(SYLLABLES, rng.integers(2, 5))).capitalize()
        names[f"{rng.choice(FIRST)} {family}"] = None
    return list(names)


def texts(count: int, names: list[str], rng: np.random.Generator) -> Iterator[str]:
    """Two sentences that name two people each, some names often and most seldom."""
    weight = 1 / (np.arange(len(names)) + 10.0)
    who = rng.choice(len(names), (count, 2, 2), p=weight / weight.sum())
    for n, pairs in enumerate(who):
        said = [
            FORMS[rng.integers(len(FORMS))].format(names[one], names[other], THINGS[rng.integers(len(THINGS))])
            for one, other in pairs
        ]
        job = f" {names[n]} works at {names[n].split()[1]} Works, since 2019." if n < len(names) and n % 5 == 0 else ""
        yield f"{' '.join(said)} That was number {n}.{job}"


@contextmanager
def timed(what: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"  {what:44} {time.perf_counter() - start:9.2f} s")


@contextmanager
def memory_for(what: str) -> Iterator[None]:
    """The most that Python and numpy held during the block, beyond what they held before it."""
    tracemalloc.start()
    yield
    print(f"  {what:44} {tracemalloc.get_traced_memory()[1] / 1e6:9.1f} MB")
    tracemalloc.stop()


def milliseconds(call, arguments: list) -> str:
    """Median and worst."""
    times = []
    for argument in arguments:
        start = time.perf_counter()
        call(argument)
        times.append(1000 * (time.perf_counter() - start))
    return f"{np.median(times):9.1f} ms  worst {max(times):.1f}"


def report(memories: int, entities: int) -> None:
    rng = np.random.default_rng(7)
    names = people(entities, rng)
    said = list(texts(memories, names, rng))
    print(f"\n{memories:,} memories, {entities:,} names")
    with timed("a matcher of all names"):
        matcher = NameMatcher({name: i for i, name in enumerate(names)}, CaseStatistics())
    with timed("all memories matched against all names"):
        found = sum(len(matcher.find(text)) for text in said)
    print(f"  {'names found':44} {found:9,}")
    db = MemoryDatabase(embed="none")
    with timed("ingested and connected"):
        db.ingest([{"text": text, "session": f"s{n // SESSION}"} for n, text in enumerate(said)])
    print("  " + repr(db.graph_stats(4)).replace("\n", "\n  "))
    with timed("adjacency built"):
        graph = adjacency.graph(db.conn)
    with memory_for("the same again took at most"):
        adjacency._build(db.conn)
    print(f"  {graph.adjacency!r}")
    start = time.perf_counter()
    db.remember("Priya Bodo lent the ladder to Otto Kalin.")
    print(f"  {'one more remembered':44} {1000 * (time.perf_counter() - start):9.1f} ms")
    with timed("adjacency grown by it"):
        graph = adjacency.graph(db.conn)
    keys = [row[0] for row in db.conn.execute("select key from entities order by random() limit 20")]
    seeds = [{int(node): 1.0} for node in graph.entity_nodes(keys)]
    print(f"  {'PageRank':44} {milliseconds(lambda s: random_walk.pagerank(graph.adjacency, s), seeds)}")
    known = [row[0] for row in db.conn.execute("select name from entities order by random() limit 21")]
    print(f"  {'about':44} {milliseconds(db.about, known[:20])}")
    pairs = list(pairwise(known))
    print(f"  {'path':44} {milliseconds(lambda pair: db.path(*pair), pairs)}")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {'most memory of the process':44} {most:9.0f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a tenth of it")
    small = parser.parse_args().small
    report(*((10_000, 5_000) if small else (100_000, 50_000)))
