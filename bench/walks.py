"""How fast the random walk is, how much memory the graph takes, and how near local push is to exact PageRank.

    python bench/walks.py            100,000 memories, 50,000 entities, 500,000 edges
    python bench/walks.py --large    ten times that as well

The graph is made up, but shaped like people's: who is mentioned follows Zipf's law (the first name is in one memory of
five), turns have neighbours, and entities have relations.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import time
import tracemalloc

import numpy as np

from memkit.graph import random_walk


def made_up(memories: int, entities: int, edges: int, seed: int = 7) -> tuple:
    """Columns for `walks.build`: mentions by Zipf's law, neighbouring turns, relations and links."""
    rng = np.random.default_rng(seed)
    popular = 1 / (np.arange(entities) + 1.0)
    counts = {"neighbour": memories - 1, "relation": edges // 10, "link": edges // 50}
    mentions = edges - sum(counts.values())
    who = memories + rng.choice(entities, mentions, p=popular / popular.sum())
    turns = np.arange(memories - 1)
    pairs = [
        (rng.integers(0, memories, mentions), who, random_walk.MENTION),
        (turns, turns + 1, random_walk.NEIGHBOUR),
        (memories + rng.choice(entities, counts["relation"], p=popular / popular.sum()),
         memories + rng.integers(0, entities, counts["relation"]), random_walk.RELATION),
        (rng.integers(0, memories, counts["link"]), rng.integers(0, memories, counts["link"]), random_walk.LINK),
    ]  # fmt: skip
    sources, targets = (np.concatenate([pair[end] for pair in pairs]) for end in (0, 1))
    types = np.concatenate([np.full(len(pair[0]), pair[2], np.uint8) for pair in pairs])
    weights = rng.choice([0.5, 0.8, 1.0], len(sources)).astype(np.float32)
    kinds = np.repeat([random_walk.MEMORY, random_walk.ENTITY], [memories, entities])
    keys = np.concatenate([np.arange(memories), np.arange(entities)]) + 1
    return kinds, keys, sources, targets, weights, types


def questions(graph: random_walk.Adjacency, memories: int, how_many: int = 20) -> list[dict[int, float]]:
    """Seeds as a recall would give: 30 memories and 5 entities that one of them mentions, falling weights."""
    rng = np.random.default_rng(11)
    found = []
    for _ in range(how_many):
        hits = rng.choice(memories, 30, replace=False)
        near = np.concatenate([graph.targets[graph.offsets[hit] : graph.offsets[hit + 1]] for hit in hits])
        names = rng.permutation(np.unique(near[near >= memories]))[:5]
        seeds = {int(hit): 1 / (rank + 1) for rank, hit in enumerate(hits)}
        found.append(seeds | {int(name): 0.5 for name in names})
    return found


def milliseconds(call, arguments: list) -> tuple[float, float]:
    """Median and worst over the arguments, each the better of two runs."""
    times = []
    for argument in arguments:
        runs = []
        for _ in range(2):
            start = time.perf_counter()
            call(argument)
            runs.append(time.perf_counter() - start)
        times.append(1000 * min(runs))
    return float(np.median(times)), max(times)


def agreement(graph: random_walk.Adjacency, seeds: list, tolerance: float, k: int = 20) -> tuple[float, float]:
    """The share of the exact k best nodes that local push finds; and of the k best memories that were no seeds."""
    shares = []
    for each in seeds:
        exact, near = (random_walk.pagerank(graph, each, tolerance=t) for t in (1e-13, tolerance))
        new = [
            [n for n in walk.top(k + len(each), random_walk.MEMORY)[0] if n not in each][:k] for walk in (exact, near)
        ]
        shares.append([len(np.intersect1d(*pair)) / k for pair in ((exact.top(k)[0], near.top(k)[0]), new)])
    return tuple(np.mean(shares, axis=0))


def peak(call) -> float:
    """The most memory, in MB, that a call held beyond what was there."""
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def report(memories: int, entities: int, edges: int) -> None:
    columns = made_up(memories, entities, edges)
    start = time.perf_counter()
    graph = random_walk.build(*columns)
    print(f"\n{graph!r}, most edges of a node {graph.degrees.max():,}")
    print(f"  build                    {1000 * (time.perf_counter() - start):8.0f} ms")
    rng = np.random.default_rng(3)
    more = (np.zeros(100), np.arange(100), rng.integers(0, len(graph), 1000), rng.integers(0, len(graph), 1000))
    start = time.perf_counter()
    random_walk.append(graph, *more, np.ones(1000), np.zeros(1000))
    print(f"  append 1,000 edges       {1000 * (time.perf_counter() - start):8.0f} ms")
    seeds = questions(graph, memories)
    calls = {
        "pagerank": lambda s: random_walk.pagerank(graph, s),
        "pagerank, all views": lambda s: random_walk.pagerank(
            graph, s, type_weights=[1, 2, 1, 1, 0.5], specificity=0.5
        ),
    }
    for name, call in calls.items():
        median, worst = milliseconds(call, seeds)
        print(f"  {name:24} {median:8.1f} ms   worst {worst:7.1f}   reached {len(call(seeds[0])):,}")
    walk = random_walk.pagerank(graph, seeds[0])
    best = list(walk.top(20, random_walk.MEMORY)[0])
    median, worst = milliseconds(walk.path, best)
    print(f"  pagerank's path, each    {median:8.2f} ms   worst {worst:7.2f}")
    for tolerance in (1e-5, 3e-6, 1e-6, 3e-7):
        median, _ = milliseconds(lambda s, t=tolerance: random_walk.pagerank(graph, s, tolerance=t), seeds[:8])
        share, new = agreement(graph, seeds[:8], tolerance)
        print(f"  {tolerance:.0e}: {median:6.1f} ms, {share:.3f} of the 20 best nodes, {new:.3f} of new memories")
    print(
        f"  memory: {peak(lambda: random_walk.build(*columns)):.0f} MB to build, {graph.nbytes / 1e6:.0f} MB to keep,",
        end=" ",
    )
    print(f"{peak(lambda: random_walk.pagerank(graph, seeds[0])):.0f} MB during pagerank")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="also a million memories with five million edges")
    report(100_000, 50_000, 500_000)
    if parser.parse_args().large:
        report(1_000_000, 500_000, 5_000_000)
