"""Memories that say nearly the same, found without comparing all with all, and linked rather than dropped.

Each text leaves eight fingerprints, minima of hashes of its words; two texts share one with a probability that is steep
in how many words they share (Broder's min-wise hashing, in bands of three: .47 at a Jaccard similarity of .42, .86 at
.6, .99 at .75). Who shares a fingerprint is compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from zlib import crc32

from memkit import store
from memkit.graph.links import drop_derived
from memkit.store import keys_json
from memkit.text import cjk_runs, has_cjk, words

if TYPE_CHECKING:
    import numpy as np

NEAR_DUPLICATE = "near duplicate"
LEAST_SHARED = 0.6  # Jaccard similarity of the sets of words (docs/graph.md says how it was chosen)
LEAST_COSINE = 0.85  # of the vectors as well, where there are any
FEWEST_WORDS = 6  # shorter texts are alike by chance
MOST_LINKS = 3  # of one memory, to the ones most alike
MOST_CANDIDATES = 50
BANDS, ROWS = 8, 3

DELETE_FINGERPRINTS = "delete from fingerprints where memory_key in (select value from json_each(:keys))"
INSERT_FINGERPRINT = "insert into fingerprints (band, memory_key) values (?, ?) on conflict do nothing"
SELECT_SHARING = """
select f.memory_key as key, o.memory_key as other, count(*) as shared
from fingerprints as f join fingerprints as o on o.band = f.band and o.memory_key < f.memory_key
where f.memory_key in (select value from json_each(:keys))
    -- A document that repeats itself is no second source.
    and not exists (
        select 1 from memories as a join memories as b on b.document_key = a.document_key
        where a.key = f.memory_key and b.key = o.memory_key and a.position is not null and b.position is not null
    )
group by f.memory_key, o.memory_key
order by f.memory_key, shared desc, o.memory_key desc
"""
SELECT_TEXTS = (
    "select key, text from memories where archived_at is null and key in (select value from json_each(:keys))"
)
SELECT_VECTORS = """
select e.memory_key, e.vector from embeddings as e join models as m on m.key = e.model_key
where m.active = 1 and e.memory_key in (select value from json_each(:keys))
"""


def link_near(conn: Any, rows: Iterable[Any], now: str) -> int:
    """Links these memories (rows with key and text) to older ones that say nearly the same; how many links."""
    texts = {row["key"]: word_set(row["text"]) for row in rows}
    keys = keys_json(texts)
    conn.execute(DELETE_FINGERPRINTS, {"keys": keys})
    drop_derived(conn, list(texts), NEAR_DUPLICATE)
    prints = [(band, key) for key, found in texts.items() if len(found) >= FEWEST_WORDS for band in fingerprints(found)]
    conn.executemany(INSERT_FINGERPRINT, prints)
    pairs = _candidates(conn, keys)
    if not pairs:
        return 0
    others = {
        row["key"]: word_set(row["text"]) for row in conn.execute(SELECT_TEXTS, {"keys": keys_json(_flat(pairs))})
    }
    alike = {pair: jaccard(texts[pair[0]], others[pair[1]]) for pair in pairs if pair[1] in others}
    near = _close_in_meaning(conn, {pair: share for pair, share in alike.items() if share >= LEAST_SHARED})
    made: dict[int, int] = {}
    for (key, other), share in sorted(near.items(), key=lambda item: (item[0][0], -item[1], item[0][1])):
        if made.setdefault(key, 0) < MOST_LINKS:
            made[key] += 1
            store.link(conn, key, other, "relates_to", now, weight=round(share, 3), why=NEAR_DUPLICATE)
    return sum(made.values())


def _candidates(conn: Any, keys: str) -> list[tuple[int, int]]:
    """(memory, older memory) that share a fingerprint; of one that many share only the likeliest."""
    counts: dict[int, int] = {}
    pairs = []
    for key, other, _ in conn.execute(SELECT_SHARING, {"keys": keys}):
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= MOST_CANDIDATES:
            pairs.append((key, other))
    return pairs


def _flat(pairs: Iterable[tuple[int, int]]) -> set[int]:
    return {key for pair in pairs for key in pair}


def _close_in_meaning(conn: Any, alike: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """Those whose vectors are close as well; all of them where there are no vectors."""
    rows = conn.execute(SELECT_VECTORS, {"keys": keys_json(_flat(alike))}).fetchall() if alike else []
    if not rows:
        return alike
    import numpy as np

    vectors = {row["memory_key"]: np.frombuffer(row["vector"], "<f4") for row in rows}
    return {
        (key, other): share
        for (key, other), share in alike.items()
        if key not in vectors or other not in vectors or float(vectors[key] @ vectors[other]) >= LEAST_COSINE
    }


def word_set(text: str) -> frozenset[str]:
    """The words of a text, without order; of text in a script without spaces its pairs of characters."""
    found = {word for word in words(text) if not has_cjk(word)}
    found.update(run[i : i + 2] for run in cjk_runs(text) for i in range(len(run) - 1))
    return frozenset(found)


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """What two sets share of what they have together."""
    return len(one & other) / len(one | other) if one or other else 0.0


def fingerprints(found: frozenset[str]) -> list[int]:
    """Eight numbers of which texts with mostly the same words share one or more."""
    import numpy as np

    factors, offsets = _permutations()
    hashes = np.array([crc32(word.encode()) for word in found], np.uint64)
    least = ((hashes[:, None] * factors + offsets) >> np.uint64(16)).min(axis=0).astype(np.uint64)
    mixed = np.zeros(BANDS, np.uint64)
    for part in least.reshape(BANDS, ROWS).T:
        mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + part
    return ((mixed >> np.uint64(8)) * np.uint64(BANDS) + np.arange(BANDS, dtype=np.uint64)).astype(np.int64).tolist()


def _permutations() -> tuple[np.ndarray, np.ndarray]:
    import numpy as np

    rng = np.random.default_rng(20)
    size = BANDS * ROWS
    return (
        rng.integers(1, 2**63, size, dtype=np.uint64) | np.uint64(1),
        rng.integers(0, 2**63, size, dtype=np.uint64),
    )
