"""Near-duplicate detection (MinHash): finds memories that say nearly the same, without comparing all pairs.

Each text has twelve fingerprints, made from minima of hashes of its content words (Broder's min-wise hashing, in bands
of four). The probability that two texts share one rises steeply with their Jaccard similarity: .01 % at .05, which is
usual by chance; .81 at .6; .97 at .75. Of all memories that share a fingerprint, only the newest is compared exactly,
so that the ten thousandth copy costs as much as the second.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import TYPE_CHECKING
from zlib import crc32

from memkit.core.batches import batched
from memkit.embedding.vectors import from_rows
from memkit.graph.links import drop_derived
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.store import dumps, keys_json
from memkit.text.words import STOP_WORDS, word_set

if TYPE_CHECKING:
    import numpy as np

NEAR_DUPLICATE = "near duplicate"
# Chosen by reading all pairs over .35 of samples/, LoCoMo, LiHua-World, memdaily: lower ones are thanks and goodbyes.
LEAST_SHARED = 0.65  # Jaccard similarity of the sets of words
LEAST_COSINE = 0.7  # of the vectors, if there are any
FEWEST_WORDS = 8  # content words; shorter texts are alike by chance
MOST_LINKS = 3  # of one memory, to the most similar ones
BANDS, ROWS = 12, 4
AT_ONCE = 4000  # memories, or fingerprints, that are looked at together

DELETE_FINGERPRINTS = "delete from fingerprints where memory_key in (select value from json_each(:keys))"
INSERT_FINGERPRINT = "insert into fingerprints (band, memory_key) values (?, ?) on conflict do nothing"
# For each of some bands, in order: its memories of a range of keys, each with the newest one before it.
SELECT_SHARING = """
select key, other from (
    select f.memory_key as key, (
        select max(o.memory_key) from fingerprints as o where o.band = f.band and o.memory_key < f.memory_key
    ) as other
    from json_each(:bands) as b cross join fingerprints as f
    where f.band = b.value and f.memory_key between :first and :last
)
where other is not null
"""
SELECT_COMPARABLE = """
select s.key, s.other
from (select value ->> 0 as key, value ->> 1 as other from json_each(:pairs)) as s
    join memories as a on a.key = s.key join memories as b on b.key = s.other
where b.archived_at is null
    -- A document that repeats itself is not a second source.
    and (a.document_key is not b.document_key or a.position is null or b.position is null)
order by s.key, s.other
"""
SELECT_TEXTS = (
    "select key, text from memories where archived_at is null and key in (select value from json_each(:keys))"
)
SELECT_VECTORS = """
select e.memory_key, cast(e.vector as blob) as vector, m.dims
from embeddings as e join models as m on m.key = e.model_key
where m.active = 1 and e.memory_key in (select value from json_each(:keys))
"""


class Fingerprints:
    """The fingerprints of memories that are not linked yet: packed, because they may be those of many."""

    def __init__(self) -> None:
        self.keys, self._counts, self._bands = array("q"), array("q"), array("q")

    def __len__(self) -> int:
        return len(self.keys)

    def add(self, key: int, bands: Sequence[int]) -> None:
        """Adds those of another memory."""
        self.keys.append(key)
        self._counts.append(len(bands))
        self._bands.extend(bands)

    def rows(self, without: AbstractSet[int]) -> Iterator[list[tuple[int, int]]]:
        """Each with the key of its memory, in order and some at a time, without those of some memories."""
        import numpy as np

        bands, keys = np.array(self._bands, np.int64), np.repeat(self.keys, self._counts)
        order = np.lexsort((keys, bands))
        for at in range(0, len(order), AT_ONCE):
            some = order[at : at + AT_ONCE]
            rows = zip(bands[some].tolist(), keys[some].tolist(), strict=True)
            yield [row for row in rows if row[1] not in without]


def link_near(
    conn: Connection,
    found: Fingerprints,
    texts_of: Callable[[Iterable[int]], Mapping[int, str]],
    now: str,
    without: AbstractSet[int] = frozenset(),
) -> int:
    """Links memories to older near-duplicates by their fingerprints; returns the number of links.

    `texts_of` gives the texts of those that are compared. Some are left as they are (`without`).
    """
    keys = sorted(set(found.keys).difference(without))
    if not keys:
        return 0
    conn.execute(DELETE_FINGERPRINTS, {"keys": keys_json(keys)})
    drop_derived(conn, keys, NEAR_DUPLICATE)
    sharing = _write(conn, found, keys, without)
    return sum(
        _link(conn, [(key, other) for key in some for other in sharing[key]], texts_of, now)
        for some in batched(sorted(sharing), AT_ONCE)
    )


def _write(conn: Connection, found: Fingerprints, keys: list[int], without: AbstractSet[int]) -> dict[int, set[int]]:
    """Writes the fingerprints of these memories; returns which memories share one with which others.

    Both go through their table in its own order, and together: it is far larger than what SQLite holds of it.
    """
    mine, sharing = set(keys), dict[int, set[int]]()
    for rows in found.rows(without):
        conn.executemany(INSERT_FINGERPRINT, rows)
        about = {"bands": dumps(list(dict.fromkeys(band for band, _ in rows))), "first": keys[0], "last": keys[-1]}
        for key, other in conn.execute(SELECT_SHARING, about):
            if key in mine:
                sharing.setdefault(key, set()).add(other)
    return sharing


def _link(
    conn: Connection,
    pairs: list[tuple[int, int]],
    texts_of: Callable[[Iterable[int]], Mapping[int, str]],
    now: str,
) -> int:
    """Links the memories of these pairs that are nearly the same, and returns the number of links."""
    pairs = [tuple(row) for row in conn.execute(SELECT_COMPARABLE, {"pairs": dumps(pairs)})]
    if not pairs:
        return 0
    texts = texts_of({key for key, _ in pairs})
    olds = dict(tuple(row) for row in conn.execute(SELECT_TEXTS, {"keys": keys_json(_flat(pairs))}))
    alike = {pair: likeness(texts[pair[0]], olds[pair[1]]) for pair in pairs}
    near = _close_in_meaning(conn, {pair: share for pair, share in alike.items() if share >= LEAST_SHARED})
    made: dict[int, int] = {}
    for (key, other), share in sorted(near.items(), key=lambda item: (item[0][0], -item[1], item[0][1])):
        if made.setdefault(key, 0) < MOST_LINKS:
            made[key] += 1
            store.link(conn, key, other, "relates_to", now, weight=round(share, 3), why=NEAR_DUPLICATE)
    return sum(made.values())


def _flat(pairs: Iterable[tuple[int, int]]) -> set[int]:
    return {key for pair in pairs for key in pair}


def _close_in_meaning(conn: Connection, alike: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """The pairs whose vectors are close, too; pairs without vectors stay."""
    rows = conn.execute(SELECT_VECTORS, {"keys": keys_json(_flat(alike))}).fetchall() if alike else []
    if not rows:
        return alike
    keys, matrix = from_rows(rows, rows[0]["dims"])
    vectors = dict(zip(keys, matrix, strict=True))
    return {
        (key, other): share
        for (key, other), share in alike.items()
        if key not in vectors or other not in vectors or float(vectors[key] @ vectors[other]) >= LEAST_COSINE
    }


def likeness(one: str, other: str) -> float:
    """The Jaccard similarity of the words of two texts; 0 if their numbers differ: these are different facts."""
    left, right = word_set(one), word_set(other)
    if {word for word in left if word[0].isdigit()} != {word for word in right if word[0].isdigit()}:
        return 0.0
    return len(left & right) / len(left | right) if left or right else 0.0


def fingerprints(texts: Iterable[str]) -> list[list[int]]:
    """For each text, twelve numbers; texts with mostly the same content words share one or more.

    A short text has none.
    """
    import numpy as np

    found = [word_set(text) - STOP_WORDS for text in texts]
    long = [words for words in found if len(words) >= FEWEST_WORDS]
    if not long:
        return [[] for _ in found]
    hashes = np.array([crc32(word.encode()) for words in long for word in words], np.uint64)
    starts = np.cumsum([0, *map(len, long[:-1])])
    mixed = np.zeros((len(long), BANDS), np.uint64)
    permuted = np.empty((BANDS, len(hashes)), np.uint64)  # the same memory for all: to get new one takes longer
    permutations = zip(*(each.reshape(BANDS, ROWS).T for each in _permutations()), strict=True)
    for factors, offsets in permutations:  # one of each band at a time
        np.multiply(hashes, factors[:, None], out=permuted)
        permuted += offsets[:, None]
        permuted >>= np.uint64(16)
        least = np.minimum.reduceat(permuted, starts, axis=1).T
        mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + least
    bands = (mixed >> np.uint64(8)) * np.uint64(BANDS) + np.arange(BANDS, dtype=np.uint64)
    rows = iter(bands.astype(np.int64).tolist())
    return [next(rows) if len(words) >= FEWEST_WORDS else [] for words in found]


@cache
def _permutations() -> tuple[np.ndarray, np.ndarray]:
    import numpy as np

    rng = np.random.default_rng(20)
    size = BANDS * ROWS
    return (
        rng.integers(1, 2**63, size, dtype=np.uint64) | np.uint64(1),
        rng.integers(0, 2**63, size, dtype=np.uint64),
    )
