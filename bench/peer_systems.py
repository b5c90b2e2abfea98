"""The systems that `bench/peers.py` compares, each used as its own documentation says; it runs in their environments.

    python -m bench.peer_systems NAME build FOLDER TEXTS       takes the texts in, and says what that took
    python -m bench.peer_systems NAME ask FOLDER QUESTIONS     asks them all, and says what was found and how fast

TEXTS and QUESTIONS are files of JSON lines with `id`, `text` and perhaps `group`: each group is a collection by itself,
of which its own questions are asked. memkit gets the other fields of a text as they are (title, speaker, time), the
others get title and speaker in front of it. Whoever needs vectors gets those of memkit's built-in model, for texts and
questions alike: so the systems are compared, not their models. A question's time has the making of its vector in it.
"""

from __future__ import annotations

import json
import os
import re
import resource
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

FOUND = 10  # hits that are asked for
BATCH = 5_000  # texts that are given to a system at once, where it lets one choose

LONGEST = 60.0  # seconds of asking; what is asked after that is left out

Row = dict[str, Any]
Ask = Callable[[str], list[str]]


def embedded(texts: Sequence[str]) -> Any:
    """An array (texts, dims) of float32, by memkit's built-in model."""
    from memkit.embedding import load_embedder

    return load_embedder().encode(texts)


def said(row: Row) -> str:
    """The text with its title and its speaker in front."""
    spoken = f"{row['speaker']}: {row['text']}" if row.get("speaker") else str(row["text"])
    return f"{row['title']}\n{spoken}" if row.get("title") else spoken


def batches(rows: Sequence[Row]) -> Iterator[tuple[list[str], list[str]]]:
    """The ids and the texts of the rows, BATCH at a time."""
    left = iter(rows)
    while batch := list(islice(left, BATCH)):
        yield [row["id"] for row in batch], [said(row) for row in batch]


class System(Protocol):
    """A system that keeps what it has in a folder. `packages` are those that its environment needs."""

    packages: tuple[str, ...]

    def __init__(self, folder: Path): ...
    def build(self, rows: Sequence[Row]) -> None:
        """Takes the rows in, so that another process can ask for them."""
        ...

    def opened(self) -> Ask:
        """A function that gives the ids of the first hits of a question."""
        ...


class Memkit:
    """One file: by words, by meaning, by names and by connection."""

    packages = ()  # it is asked in the environment of the bench

    def __init__(self, folder: Path):
        self.path = folder / "memory.db"

    def build(self, rows: Sequence[Row]) -> None:
        """Takes the rows in."""
        from memkit import MemoryDatabase

        with MemoryDatabase(self.path) as db:
            db.ingest(rows)

    def opened(self) -> Ask:
        """Asks with the default strategy."""
        from memkit import MemoryDatabase

        db = MemoryDatabase(self.path)
        return lambda text: [str(hit.memory.source_id) for hit in db.recall(text, FOUND)]


class LanceDB:
    """A table with an index of words and one of vectors, asked in the hybrid way: reciprocal ranks of both."""

    packages = ("lancedb", "numpy")
    INDEXED = 10_000  # of fewer vectors, its documentation says, all are compared quickly enough

    def __init__(self, folder: Path):
        self.path = folder / "lance"

    def build(self, rows: Sequence[Row]) -> None:
        """Fills a table and makes both indexes."""
        import lancedb
        from lancedb.index import FTS, IvfPq

        db, table = lancedb.connect(self.path), None
        for ids, texts in batches(rows):
            data = [
                {"id": id, "text": text, "vector": vector}
                for id, text, vector in zip(ids, texts, embedded(texts), strict=True)
            ]
            if table is None:
                table = db.create_table("texts", data)
            else:
                table.add(data)
        if table is not None:
            table.create_index("text", config=FTS())
            if len(rows) >= self.INDEXED:
                table.create_index("vector", config=IvfPq(distance_type="cosine"))
            table.optimize()

    def opened(self) -> Ask:
        """Asks by words and by meaning."""
        import lancedb

        table = lancedb.connect(self.path).open_table("texts")

        def ask(text: str) -> list[str]:
            asked = table.search(query_type="hybrid").vector(embedded([text])[0]).text(text)
            return [row["id"] for row in asked.limit(FOUND).to_list()]

        return ask


class Txtai:
    """An index of words and one of vectors with the texts in SQLite, asked in the hybrid way: sums of both scores."""

    packages = ("txtai", "numpy")

    def __init__(self, folder: Path):
        self.path = folder / "txtai"

    def _index(self) -> Any:
        os.environ["ALLOW_RESOLVE_TRANSFORM"] = "True"  # the function that makes vectors is named in the stored index
        from txtai import Embeddings

        return Embeddings(hybrid=True, content=True, method="external", transform="bench.peer_systems.embedded")

    def build(self, rows: Sequence[Row]) -> None:
        """Makes an index and saves it."""
        index = self._index()
        index.index((row["id"], said(row), None) for row in rows)
        index.save(str(self.path))

    def opened(self) -> Ask:
        """Asks by words and by meaning."""
        index = self._index()
        index.load(str(self.path))
        return lambda text: [row["id"] for row in index.search(text, FOUND)]


class Chroma:
    """A collection of vectors in a folder, asked by meaning alone."""

    packages = ("chromadb", "numpy")

    def __init__(self, folder: Path):
        self.path = folder / "chroma"

    def build(self, rows: Sequence[Row]) -> None:
        """Adds the texts with their vectors."""
        import chromadb

        client = chromadb.PersistentClient(str(self.path))
        collection = client.create_collection("texts", metadata={"hnsw:space": "cosine"})
        for ids, texts in batches(rows):
            collection.add(ids=ids, documents=texts, embeddings=embedded(texts))

    def opened(self) -> Ask:
        """Asks with the vector of the question."""
        import chromadb

        collection = chromadb.PersistentClient(str(self.path)).get_collection("texts")
        return lambda text: collection.query(query_embeddings=embedded([text]), n_results=FOUND)["ids"][0]


class BM25S:
    """Words alone, by BM25, with English stems and stopwords, as its page shows."""

    packages = ("bm25s", "PyStemmer", "numpy")

    def __init__(self, folder: Path):
        self.path = folder / "bm25s"

    def build(self, rows: Sequence[Row]) -> None:
        """Makes an index and saves it with the ids."""
        import bm25s
        import Stemmer

        tokens = bm25s.tokenize(list(map(said, rows)), stopwords="en", stemmer=Stemmer.Stemmer("english"))
        index = bm25s.BM25()
        index.index(tokens)
        index.save(self.path, corpus=[{"id": row["id"]} for row in rows])

    def opened(self) -> Ask:
        """Asks by words."""
        import bm25s
        import Stemmer

        index, stemmer = bm25s.BM25.load(self.path, load_corpus=True), Stemmer.Stemmer("english")
        most = min(FOUND, len(index.corpus))

        def ask(text: str) -> list[str]:
            found, _ = index.retrieve(
                bm25s.tokenize(text, stemmer=stemmer, show_progress=False), k=most, show_progress=False
            )
            return [row["id"] for row in found[0]]

        return ask


class FTS5:
    """SQLite's own full text: any of the question's words, the best by BM25 first."""

    packages = ()
    WORDS = re.compile(r"\w+")
    MAKE = "create virtual table texts using fts5(id unindexed, text, tokenize = 'porter unicode61')"
    SEARCH = "select id from texts where texts match ? order by rank limit ?"

    def __init__(self, folder: Path):
        self.path = folder / "fts5.db"

    def build(self, rows: Sequence[Row]) -> None:
        """Fills a table."""
        with sqlite3.connect(self.path) as conn:
            conn.execute(self.MAKE)
            conn.executemany("insert into texts values (?, ?)", ((row["id"], said(row)) for row in rows))

    def opened(self) -> Ask:
        """Asks for any of the words."""
        conn = sqlite3.connect(self.path)

        def ask(text: str) -> list[str]:
            words = " OR ".join(f'"{word}"' for word in self.WORDS.findall(text))
            return [row[0] for row in conn.execute(self.SEARCH, (words, FOUND))] if words else []

        return ask


class LLM:
    """`llm similar`: a collection of the llm library, whose vectors are all compared in Python."""

    packages = ("llm", "numpy")

    def __init__(self, folder: Path):
        self.path = folder / "llm.db"

    def _collection(self) -> Any:
        import llm
        import sqlite_utils

        class Static(llm.EmbeddingModel):  # type: ignore[misc]
            """memkit's model, as llm's plugins give theirs."""

            model_id = "static"

            def embed_batch(self, items: Any) -> Iterator[list[float]]:
                yield from embedded(list(items)).tolist()

        return llm.Collection("texts", sqlite_utils.Database(self.path), model=Static())

    def build(self, rows: Sequence[Row]) -> None:
        """Embeds the texts."""
        self._collection().embed_multi([(row["id"], said(row)) for row in rows], batch_size=100)

    def opened(self) -> Ask:
        """Asks by meaning."""
        collection = self._collection()
        return lambda text: [entry.id for entry in collection.similar(text, number=FOUND)]


class Geny:
    """geny-memory-adaptor: words, a table of vectors of its own, and a graph that it makes of them."""

    packages = ("geny-memory-adaptor", "numpy")

    def __init__(self, folder: Path):
        self.path = folder / "synapse.db"

    def build(self, rows: Sequence[Row]) -> None:
        """Takes the texts in, one by one."""
        from geny_memory_adaptor import SynapseMemory

        memory = SynapseMemory.open(str(self.path))
        for row in rows:
            memory.index(row["id"], said(row))
        memory.close()

    def opened(self) -> Ask:
        """Asks by words, meaning and graph."""
        from geny_memory_adaptor import SynapseMemory

        memory = SynapseMemory.open(str(self.path))
        return lambda text: [hit.id for hit in memory.search(text, top_k=FOUND)]


SYSTEMS: dict[str, type[System]] = {
    "memkit": Memkit,
    "LanceDB": LanceDB,
    "txtai": Txtai,
    "Chroma": Chroma,
    "bm25s": BM25S,
    "FTS5": FTS5,
    "llm": LLM,
    "geny": Geny,
}


def groups(path: str) -> Iterator[tuple[str, list[Row]]]:
    """The groups of a file of JSON lines, as names of folders, with their rows."""
    rows = list(map(json.loads, Path(path).read_text("utf-8").splitlines()))
    rows.sort(key=_group)  # their order within a group stays
    for name, own in groupby(rows, key=_group):
        yield quote(name, safe=""), list(own)


def _group(row: Row) -> str:
    return str(row.get("group") or "all")


def megabytes() -> float:
    """The most memory that this process had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def build(kind: type[System], folder: Path, path: str) -> dict[str, Any]:
    """What taking in took."""
    start = time.perf_counter()
    for name, rows in groups(path):
        (folder / name).mkdir(parents=True)
        kind(folder / name).build(rows)
    return {"seconds": time.perf_counter() - start, "megabytes": megabytes()}


def ask(kind: type[System], folder: Path, path: str) -> dict[str, Any]:
    """What was found for each id; and the ms of all questions but the first of a group, which has the opening in it."""
    found, times = {}, []
    for name, rows in groups(path):
        start = time.perf_counter()
        answer = kind(folder / name).opened()
        for place, row in enumerate(rows):
            found[row["id"]] = answer(row["text"])
            times += [1000 * (time.perf_counter() - start)] if place else []
            start = time.perf_counter()
            if sum(times) > 1000 * LONGEST:
                break
    return {"found": found, "ms": times, "megabytes": megabytes()}


if __name__ == "__main__":
    name, action, where, path = sys.argv[1:]
    done = {"build": build, "ask": ask}[action](SYSTEMS[name], Path(where), path)
    sys.stdout.write("\n" + json.dumps(done) + "\n")  # on the last line: some systems print, too
