"""Made-up databases of any size, quickly: rows are written directly, the index and the vectors by memkit itself.

Chats of 20 turns and notes of 5 passages. Words follow Zipf's law over the built-in model's vocabulary, and each
document has a subject of its own, whose words it uses more often, so that vectors have neighbours as real ones do.
Names follow Zipf's law too: the most popular one is in one memory of fifty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from memkit import MemoryDatabase
from memkit.embedding import binary_code, load_embedder
from memkit.embedding.static import FOLDER
from memkit.graph import stored_arrays
from memkit.storage import sentences, store, vectors
from memkit.storage.driver import writing
from memkit.text.words import est_tokens, normal_name, short_id

NOW = "2026-01-01T00:00:00Z"
TURNS, PASSAGES = 20, 5
SUBJECTS, SUBJECT_WORDS = 3000, 40
BATCH = 20_000

INSERT_DOCUMENT = "insert into documents (key, id, source, kind, title) values (?, ?, ?, ?, ?)"
INSERT_MEMORY = """
insert into memories (key, id, document_key, position, source_id, kind, text, title, speaker, project, happened_at,
    created_at, updated_at, tokens, hash)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')
"""
INSERT_ENTITY = "insert into entities (key, id, name, normal, created_at, updated_at) values (?, ?, ?, ?, ?, ?)"
INSERT_ALIAS = "insert into aliases (entity_key, alias, normal) values (?, ?, ?)"
INSERT_MENTION = "insert or ignore into mentions (memory_key, entity_key, role, surface) values (?, ?, ?, ?)"
INSERT_RELATION = """
insert into relations (id, subject_key, predicate, object_key, confidence, created_at) values (?, ?, ?, ?, ?, ?)
"""
INSERT_LINK = "insert or ignore into links (from_key, to_key, type, created_at) values (?, ?, 'relates_to', ?)"
INSERT_VECTOR = "insert into embeddings (memory_key, model_key, vector, code) values (?, ?, ?, ?)"


def vocabulary() -> np.ndarray:
    """The model's whole words, the frequent ones first."""
    pieces = json.loads((FOLDER / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    words = [
        piece for piece in sorted(pieces, key=pieces.get) if piece.isalpha() and piece.isascii() and len(piece) > 1
    ]
    return np.array(words, dtype=object)


def zipf(n: int, offset: float = 2.7) -> np.ndarray:
    """The running sum of the chances of n things by Zipf's law, ending in 1."""
    chances = np.cumsum(1 / (np.arange(n) + offset))
    return chances / chances[-1]


class World:
    """What a made-up database is about: its words, its subjects and its names."""

    def __init__(self, n: int, seed: int = 7):
        self.random = np.random.default_rng(seed)
        self.words = vocabulary()
        self.word_chances = zipf(len(self.words))
        self.subjects = self.random.integers(150, len(self.words), (SUBJECTS, SUBJECT_WORDS))
        self.subject_chances = zipf(SUBJECT_WORDS)
        self.names = self._names(max(50, n // 8))
        self.name_chances = zipf(len(self.names), 3.0)

    def _names(self, n: int) -> list[str]:
        """Names of two words, none of them twice."""
        first, last = (self.random.integers(3000, len(self.words), 3 * n) for _ in range(2))
        names = (f"{self.words[a].capitalize()} {self.words[b].capitalize()}" for a, b in zip(first, last, strict=True))
        return list(dict.fromkeys(names))[:n]

    def texts(self, subjects: np.ndarray) -> tuple[list[str], list[tuple[int, int]]]:
        """A text for each subject, and (text, name) of the names in them."""
        lengths = self.random.integers(8, 36, len(subjects))
        total = int(lengths.sum())
        common = np.searchsorted(self.word_chances, self.random.random(total))
        own = np.searchsorted(self.subject_chances, self.random.random(total))
        whose = np.repeat(subjects, lengths)
        chosen = self.words[np.where(self.random.random(total) < 0.25, self.subjects[whose, own], common)]
        named = np.where(self.random.random(len(subjects)) < 0.5, self.random.random(len(subjects)), -1.0)
        who = np.searchsorted(self.name_chances, np.maximum(named, 0))
        texts, mentions, end = [], [], 0
        for i, length in enumerate(lengths):
            start, end = end, end + int(length)
            words = chosen[start:end].tolist()
            if named[i] >= 0:
                words.insert(int(length) // 2, self.names[who[i]])
                mentions.append((i, int(who[i])))
            texts.append(f"{words[0].capitalize()} {' '.join(words[1:])}.")
        return texts, mentions

    def questions(self, conn: Any, how_many: int) -> list[str]:
        """Questions about memories that are there: three rarer words of theirs among common ones, half with a name."""
        last = conn.execute("select max(key) from memories").fetchone()[0]
        rank = {word: place for place, word in enumerate(self.words)}
        asked = []
        while len(asked) < how_many:
            key = int(self.random.integers(1, last + 1))
            text = conn.execute("select text from memories where key = ?", (key,)).fetchone()[0]
            words = [word for word in text.rstrip(".").split() if rank.get(word, 0) > 150]
            if len(words) < 3:
                continue
            a, b, c = self.random.choice(words, 3, replace=False)
            name = self.names[int(np.searchsorted(self.name_chances, self.random.random()))]
            asked.append(
                f"what did {name} say about the {a} {b} and the {c}?"
                if len(asked) % 2
                else f"when was the {a} near the {b} with a {c} that we liked?"
            )
        return asked


def make(path: Path, n: int, seed: int = 7) -> World:
    """Writes a database of n memories; the world that it is about."""
    world = World(n, seed)
    embedder = load_embedder()
    with MemoryDatabase(path) as db:
        conn = db.conn
        conn.execute("pragma synchronous = off")
        with writing(conn):
            _write_names(conn, world)
            model = vectors.register(conn, embedder, NOW, active=True)
        for first, batch in _batches(world, n):
            with writing(conn), store.index_paused(conn):
                _write(conn, world, first, batch, embedder, model)
        with writing(conn):
            _write_edges(conn, world, n)
        conn.execute("analyze")
        stored_arrays.store(conn)
        conn.execute("pragma wal_checkpoint(truncate)")
    return world


def _write_names(conn: Any, world: World) -> None:
    rows = [(i, name, normal_name(name)) for i, name in enumerate(world.names, 1)]
    conn.executemany(INSERT_ENTITY, ((i, short_id("entity", name), name, normal, NOW, NOW) for i, name, normal in rows))
    conn.executemany(INSERT_ALIAS, rows)


def _batches(world: World, n: int) -> Iterator[tuple[int, list[tuple]]]:
    """First key and the rows (document, position, title's name or None, subject) of whole documents."""
    batch, first, document = [], 1, 0
    while first + len(batch) <= n:
        document += 1
        note = world.random.random() < 0.2
        title = int(world.random.integers(len(world.names))) if note else None
        subject = int(world.random.integers(SUBJECTS))
        size = min(PASSAGES if note else TURNS, n - first - len(batch) + 1)
        batch += [(document, position, title, subject) for position in range(size)]
        if len(batch) >= BATCH:
            yield first, batch
            first, batch = first + len(batch), []
    if batch:
        yield first, batch


def _write(conn: Any, world: World, first: int, batch: list[tuple], embedder: Any, model: int) -> None:
    texts, mentions = world.texts(np.array([row[3] for row in batch]))
    start = datetime(2015, 1, 1)
    documents = {row[0]: row[2] for row in batch}
    conn.executemany(
        INSERT_DOCUMENT,
        (
            (key, f"d{key}", f"made-up:{key}", "chat" if title is None else "note", _title(world, title))
            for key, title in documents.items()
        ),
    )
    rows = []
    for key, (text, (document, position, title, _)) in enumerate(zip(texts, batch, strict=True), first):
        speaker = None if title is not None else world.names[(document * 2 + position % 2) % min(200, len(world.names))]
        kind = "turn" if title is None else "passage"
        when = (start + timedelta(minutes=97 * document + position)).isoformat() + "Z"
        place = (document, position, f"m{key}", kind, text, _title(world, title), speaker, f"project {document % 20}")
        rows.append((key, short_id("made-up", str(key)), *place, when, NOW, NOW, est_tokens(text)))
    conn.executemany(INSERT_MEMORY, rows)
    store.reindex_text(conn, range(first, first + len(batch)), fresh=True)
    _embed(conn, embedder, model, rows, first)
    conn.executemany(INSERT_MENTION, ((first + i, name + 1, "text", world.names[name]) for i, name in mentions))
    conn.executemany(
        INSERT_MENTION,
        ((first + i, row[2] + 1, "title", world.names[row[2]]) for i, row in enumerate(batch) if row[2] is not None),
    )


def _title(world: World, name: int | None) -> str | None:
    return None if name is None else world.names[name]


def _embed(conn: Any, embedder: Any, model: int, rows: list[tuple], first: int) -> None:
    own, said = embedder.read([vectors.with_spans(row[7], row[8], row[6]) for row in rows])
    places = [{"document_key": row[2], "position": row[3]} for row in rows]
    mixed = vectors._with_neighbours(places, own)
    codes = binary_code(mixed)
    conn.executemany(
        INSERT_VECTOR,
        ((first + i, model, mixed[i].astype("<f4").tobytes(), codes[i].tobytes()) for i in range(len(rows))),
    )
    sentences.store(conn, model, enumerate(said, first))


def _write_edges(conn: Any, world: World, n: int) -> None:
    """A relation for each ten memories, mostly of popular names, and a link for each fifty."""
    names = len(world.names)
    subjects = np.searchsorted(world.name_chances, world.random.random(n // 10)) + 1
    objects = world.random.integers(1, names + 1, n // 10)
    conn.executemany(
        INSERT_RELATION,
        ((f"r{i}", int(a), "knows", int(b), 0.8, NOW) for i, (a, b) in enumerate(zip(subjects, objects, strict=True))),
    )
    ends = world.random.integers(1, n + 1, (n // 50, 2))
    conn.executemany(INSERT_LINK, ((int(a), int(b), NOW) for a, b in ends if a != b))
