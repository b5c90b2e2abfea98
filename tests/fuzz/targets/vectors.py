"""Embedding models that return anything: what was stored is there, found by words, and each vector is one or none."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from random import Random
from typing import Any

import llm
from llm.plugins import load_plugins, pm

import memkit.embedding
from fuzz import soundness
from fuzz.databases import NOW
from fuzz.targets.question import show
from memkit import MemkitError, MemoryDatabase

BLOCK = 20
DIMS = 8
NUMBERS = (math.nan, math.inf, -math.inf, 0.0, -0.0, 1e300, -1e300, 1e-300, 5e-324, 3e38, 1e-42, 1.0)
ODD = ("numbers", "short", "long", "empty", "texts", "none", "raises", "few", "many", "nothing")
CALLS = ("remember", "ingest", "recall", "reindex", "maintain", "forget", "correct")

WITHOUT = """
select count(*) from memories
where archived_at is null and key not in (select memory_key from embeddings)
"""


def make(random: Random) -> Any:
    """A call, what the model does with the texts that it dislikes, and which of them these are."""
    return {
        "call": random.choice(CALLS),
        "odd": random.choice(ODD),
        "numbers": [repr(random.choice(NUMBERS)) for _ in range(DIMS)],
        "disliked": random.choice(["", "quince", "wall", "7", "memory"]),
        "number": random.randrange(1000),
    }


class Model(llm.EmbeddingModel):
    """Counts letters, and does as the case says with a text that it dislikes."""

    model_id = "fuzz-odd"
    batch_size = 7
    case: Any = None

    def embed_batch(self, items: Any) -> Any:
        """The vectors, or something else."""
        texts = list(items)
        made = [self._vector(text) for text in texts]
        case = self.case
        if case and any(case["disliked"] in text for text in texts):
            if case["odd"] == "raises":
                raise ConnectionError("gone")
            made = {"few": made[1:], "many": made * 2, "nothing": []}.get(case["odd"], made)
        return iter(made)

    def _vector(self, text: str) -> Any:
        plain = [float(text.lower().count(letter)) + 0.1 for letter in "abcdefgh"]
        case = self.case
        if not case or case["disliked"] not in text:
            return plain
        numbers = [float(one) for one in case["numbers"]]
        odd = {"numbers": numbers, "short": plain[1:], "long": plain * 2, "empty": []}
        return {**odd, "texts": ["a"] * DIMS, "none": None}.get(case["odd"], plain)


class Plugin:
    """The plugin that has the model."""

    model = Model()

    @llm.hookimpl
    def register_embedding_models(self, register: Any) -> None:
        """Registers it."""
        register(self.model)


class World:
    """A database of this model."""

    def __init__(self, folder: Path):
        load_plugins()
        self.plugin = Plugin()
        pm.register(self.plugin)
        self._anew()
        self.path, self.told = folder / "m.db", set[str]()
        self.db = MemoryDatabase(self.path, embed="llm:fuzz-odd")
        self._remember("Rosa planted a quince by the wall.")

    def _anew(self) -> None:
        memkit.embedding._loaded.clear()
        Plugin.model.case = None

    def _remember(self, text: str) -> None:
        self.db.remember(text, now=NOW)
        self.told.add(text)

    def run(self, case: Any) -> None:
        """The call with the odd model; then everything must be found by words with one that is well."""
        Plugin.model.case = case
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self._call(case)
            except MemkitError as error:
                soundness.must(str(error), "an error without words")
            self._anew()
            found = self.db.recall("Who planted the quince by the wall?", now=NOW)
        show(found)
        soundness.must(found.hits, "nothing is found by words")
        soundness.must(all(math.isfinite(hit.score) for hit in found.hits), "a score that is none")

    def _call(self, case: Any) -> None:
        text = f"Otto planted quince {case['number']} beside the wall."
        if case["call"] == "remember":
            self._remember(text)
        elif case["call"] == "ingest":
            self.db.ingest([{"id": str(n), "text": f"{text} It is number {n}."} for n in range(5)], now=NOW)
        elif case["call"] == "recall":
            show(self.db.recall(text, now=NOW))
        elif case["call"] == "reindex":
            self.db.reindex("llm:fuzz-odd", now=NOW)
        elif case["call"] == "maintain":
            self.db.maintain(now=NOW)
        elif case["call"] == "correct":
            self.db.ingest([{"id": "0", "text": text}], now=NOW)
        else:
            ids = [row[0] for row in self.db.conn.execute("select id from memories where text like 'It is%'")]
            for id in ids[:1]:
                self.db.forget(id, now=NOW)

    def check(self) -> None:
        """What was remembered is there, and what has no vector gets one from a model that is well."""
        known = {row[0] for row in self.db.conn.execute("select text from memories")}
        soundness.must(self.told <= known, f"lost: {self.told - known}")
        soundness.check(self.db.conn)
        self._anew()
        self.db.reindex("llm:fuzz-odd", now=NOW)
        soundness.must(self.db.conn.execute(WITHOUT).fetchone()[0] == 0, "a memory without a vector")
        soundness.check(self.db.conn)

    def close(self) -> None:
        """Closes it."""
        self.db.close()
        pm.unregister(self.plugin)
        self._anew()
