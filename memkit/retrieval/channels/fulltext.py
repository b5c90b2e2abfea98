"""BM25 full-text search over SQLite's FTS5 index, and over character pairs for scripts without spaces.

The BM25 score of a memory is the sum of its scores for each term. So each term is looked up and scored alone
(`word_scores`), and its result is cached until the index changes: different questions often share their words.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import partial
from itertools import islice
from math import log
from threading import Lock
from typing import TYPE_CHECKING, Any

from memkit.core.classes import dataclass
from memkit.core.errors import IndexDamaged
from memkit.retrieval.channels import word_scores
from memkit.retrieval.channels.word_scores import INDEXES, Postings, idf
from memkit.retrieval.fusion import best_first
from memkit.retrieval.strategies import Fulltext
from memkit.storage.caches import cached, unchanged
from memkit.storage.connection import Connection
from memkit.storage.driver import sqlite3
from memkit.storage.filters import Scope, eligible, eligible_among
from memkit.text.words import as_wide, quoted

if TYPE_CHECKING:
    import numpy as np

    from memkit.retrieval.channels.neighbours import Neighbours

ANY_CJK = "select 1 from memories_cjk limit 1"
# What FTS5 writes whenever its index changes: the list of its segments, and its totals.
INDEX_STATE = """
select (select block from memories_fts_data where id = 10), (select block from memories_fts_data where id = 1),
    (select block from memories_cjk_data where id = 10), (select block from memories_cjk_data where id = 1)
"""
OVER_FETCH = 16  # times the limit: memories whose words are compared in their forms
MOST_OWN = 50_000  # a project with more memories uses the word statistics of the whole database
MOST_POSTINGS = 5_000_000  # in the cache, of 12 bytes each
WHOLE = "whole"  # in a connection's cache: the statistics of the whole, if its database is a part
DAMAGED = ("malformed", "constructor failed", "invalid fts5", "fts5: ")  # in SQLite's messages about such an index


@contextmanager
def undamaged() -> Iterator[None]:
    """Raises IndexDamaged for what SQLite says of an index in whose tables another program has written."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if not any(words in str(error) for words in DAMAGED):
            raise
        raise IndexDamaged(word_scores.DAMAGED) from error


@undamaged()
def search(
    conn: Connection,
    words: Sequence[str],
    cjk_terms: Sequence[str],
    scope: Scope,
    settings: Fulltext,
    *,
    limit: int,
    among: Sequence[int] | np.ndarray | None = None,
    asides: frozenset[str] = frozenset(),
    within: np.ndarray | None = None,
) -> dict[int, float]:
    """The best memories with any of these words, key to BM25 score (above 0, higher is better), best first.

    With `among`, only these memories are searched. The scores of the terms in `asides` are multiplied by the setting
    `aside`. `within` are the memories of which to take the word statistics, if not all (see `own`). If words in another
    form count less (`forms`), the best are chosen so of the 16 times `limit` best memories with all forms alike. Raises
    IndexDamaged.
    """
    known, has_cjk = _terms(conn)
    asides = asides | {quoted(word) for word in asides}
    found: dict[int, float] = {}
    inside = list(dict.fromkeys([*cjk_terms, *map(as_wide, cjk_terms)])) if has_cjk else []
    for index, terms in (("fts", [quoted(word) for word in words]), ("cjk", inside)):
        if terms:
            postings = []
            rarer = known.rarer(conn, index, terms, settings.common)
            for term in rarer:
                posting = known.postings(conn, index, term, settings.columns)
                if within is not None:
                    posting = _rescaled(posting, within, known, index, term)
                postings.append((posting[0], posting[1] * settings.aside) if term in asides else posting)
            by_form = settings.forms < 1 and index == "fts"
            best = _best(conn, *_only(_sums(postings), among), scope, OVER_FETCH * limit if by_form else limit)
            for key, score in _by_form(conn, rarer, postings, best, settings.forms) if by_form else best:
                found[key] = max(found.get(key, 0.0), score)
    return dict(islice(best_first(found.items()).items(), limit))


@dataclass(frozen=True)
class TermPostings:
    """The keys of the memories that have a term, ascending, the BM25 score of each, and how rare the term is.

    `rarity` is log(1 + (N - n + .5) / (n + .5)) for a term in n of N memories, `rarity_here` the same among those that
    may be asked for. `term` is a word, or a pair of characters. `held` says how many memories have it, `here` how many
    that may be asked for.
    """

    keys: np.ndarray
    scores: np.ndarray
    rarity: float
    term: str = ""
    held: int = 0
    here: int = 0
    rarity_here: float = 0.0

    def of(self, keys: Sequence[int]) -> np.ndarray:
        """The score of each of some memories for this term; NaN for those that do not have it."""
        import numpy as np

        at, here = self._places(keys)
        return np.where(here, self.scores[at], np.nan) if len(self.keys) else np.full(len(keys), np.nan)

    def has(self, keys: Sequence[int] | np.ndarray) -> np.ndarray:
        """Whether each of some memories has this term."""
        return self._places(keys)[1]

    def _places(self, keys: Sequence[int] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where each of these keys would stand, and whether it does."""
        import numpy as np

        if not len(self.keys):
            return np.zeros(len(keys), np.intp), np.zeros(len(keys), bool)
        asked = np.asarray(keys, np.int64)
        # Of another type, all keys of the term would be converted. One too large for it is none of them.
        at = np.minimum(np.searchsorted(self.keys, asked.astype(self.keys.dtype)), len(self.keys) - 1)
        return at, self.keys[at] == asked


@undamaged()
def term_postings(
    conn: Connection,
    words: Sequence[str],
    cjk_terms: Sequence[str],
    settings: Fulltext,
    *,
    within: np.ndarray | None = None,
) -> list[TermPostings]:
    """The postings of each term, as `search` looks them up (and keeps them). Raises IndexDamaged.

    `within` are the memories of which to take the word statistics, if not all (see `own`): those are here.
    """
    known, has_cjk = _terms(conn)
    found = []
    inside = _as_held(conn, known, cjk_terms, settings.columns) if has_cjk else []
    for index, terms in (("fts", [quoted(word) for word in words]), ("cjk", inside)):
        for term in known.rarer(conn, index, terms, settings.common) if terms else ():
            (keys, scores), rows = known.postings(conn, index, term, settings.columns), known.rows(index)
            n = here = known.held(index, term, len(keys))
            among = rows
            if within is not None:
                counts = known.inside(within)
                if (index, term) not in counts:
                    counts[index, term] = len(_shared(keys, within))
                here, among = known.allowed_with(index, term, counts[index, term]), known.allowed(len(within))
            found.append(TermPostings(keys, scores, rarity(n, rows), term.strip('"'), n, here, rarity(here, among)))
    return found


def _as_held(conn: Connection, known: Terms, terms: Sequence[str], columns: tuple[float, ...]) -> list[str]:
    """Terms for the CJK index, Latin words among them in the width in which memories have them."""

    def is_held(term: str) -> bool:
        return len(known.postings(conn, "cjk", term, columns)[0]) > 0

    wide = {term: as_wide(term) for term in terms}
    return [wide[term] if wide[term] != term and not is_held(term) and is_held(wide[term]) else term for term in terms]


@undamaged()
def searched(conn: Connection, within: np.ndarray | None = None) -> int:
    """The number of memories whose word statistics count: those `within`, or all. Raises IndexDamaged."""
    known = _terms(conn)[0]
    return known.rows("fts") if within is None else known.allowed(len(within))


def rarity(n: int, rows: int) -> float:
    """How rare a term is that `n` of so many memories have: the idf of BM25, never below 0."""
    return log(1 + max(rows - n + 0.5, 0.0) / (n + 0.5))


@dataclass(frozen=True)
class WholeStatistics:
    """The word statistics of a whole of which a database holds a part only, for each index (`fts`, `cjk`).

    `rows` are the numbers of memories, `lengths` the mean numbers of words that one is found by, `counts` the numbers
    of memories with a term; a term without one is the part's. `own` and `own_counts` are the same for the memories that
    a scope of one project allows, if they count (see `own`).
    """

    rows: Mapping[str, int]
    lengths: Mapping[str, float]
    counts: Mapping[tuple[str, str], int]
    own: int | None = None
    own_counts: Mapping[tuple[str, str], int] = field(default_factory=dict)


def set_whole(conn: Connection, whole: WholeStatistics) -> None:
    """Scores the words on this connection as in the whole. Needs one of memkit's own connections."""
    conn.memkit_cache[WHOLE] = whole  # type: ignore[attr-defined]


def _whole(conn: Connection) -> WholeStatistics | None:
    return getattr(conn, "memkit_cache", {}).get(WHOLE)


def _terms(conn: Connection) -> tuple[Terms, bool]:
    """The cache of terms for the index as it is, and whether there is text without spaces between words."""
    from memkit.retrieval.channels import neighbours

    state, has_cjk = unchanged(conn, "full text", lambda: _index_state(conn))
    near = cached(conn, "neighbours", state, partial(neighbours.build, conn))
    return cached(conn, "terms", state, lambda _: Terms(near, _whole(conn))), has_cjk


def _index_state(conn: Connection) -> tuple[tuple[Any, ...], bool]:
    return tuple(conn.execute(INDEX_STATE).fetchone()), conn.execute(ANY_CJK).fetchone() is not None


@dataclass
class Terms:
    """A cache of what single terms found, for one state of the index; the least recently used are dropped."""

    near: Neighbours
    whole: WholeStatistics | None = None
    found: OrderedDict[tuple[Any, ...], Postings] = field(default_factory=OrderedDict)
    counts: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    latest: tuple[np.ndarray, dict[tuple[str, str], int]] | None = None
    size: int = 0
    lock: Lock = field(default_factory=Lock)

    def postings(self, conn: Connection, index: str, term: str, weights: tuple[float, ...]) -> Postings:
        """The memories with this term, and the score of each."""
        name = index, term, weights
        with self.lock:
            if name in self.found:
                self.found.move_to_end(name)
                return self.found[name]
        rows, length = (
            self.rows(index),
            self.near.found_by(index)[1] if self.whole is None else self.whole.lengths[index],
        )
        postings = word_scores.postings(conn, index, term, weights, self.near, rows, length)
        if self.whole is not None:
            n = len(postings[0])
            postings = postings[0], postings[1] * (idf(self.held(index, term, n), rows) / idf(n, rows))
        with self.lock:
            self.size += len(postings[0]) - len(self.found.pop(name, ((),))[0])
            self.found[name] = postings
            while self.size > MOST_POSTINGS:
                self.size -= len(self.found.popitem(last=False)[1][0])
        return postings

    def rows(self, index: str) -> int:
        """The number of memories that words are found in, their own or their neighbours'."""
        return self.near.found_by(index)[0] if self.whole is None else self.whole.rows[index]

    def held(self, index: str, term: str, n: int) -> int:
        """How many memories have this term; `n` of them are in this database."""
        return n if self.whole is None else max(self.whole.counts.get((index, term), n), n)

    def inside(self, within: np.ndarray) -> dict[tuple[str, str], int]:
        """How many of these memories have a term, for the terms that were counted in them; kept for the latest ones."""
        latest = self.latest
        if latest is None or latest[0] is not within:
            self.latest = latest = within, {}
        return latest[1]

    def allowed(self, n: int) -> int:
        """How many memories the scope allows; `n` of them are in this database."""
        return n if self.whole is None or self.whole.own is None else self.whole.own

    def allowed_with(self, index: str, term: str, n: int) -> int:
        """How many of these have a term; `n` of them are in this database."""
        return n if self.whole is None else max(self.whole.own_counts.get((index, term), n), n)

    def rarer(self, conn: Connection, index: str, terms: list[str], common: int) -> list[str]:
        """The terms without those that more than `common` memories have; all of them if all are common."""
        if len(terms) == 1:
            return terms
        return [term for term in terms if self._count(conn, index, term, common) <= common] or terms

    def _count(self, conn: Connection, index: str, term: str, common: int) -> float:
        """About how many memories a term finds, or any number above `common`.

        Those with the term are counted, and each finds as many as one does at the mean.
        """
        if self.whole is not None and (index, term) in self.whole.counts:
            return self.whole.counts[index, term]
        count, limit = self.counts.get((index, term), (0, 0))
        enough = int(common / self.near.mean_span) + 1
        if count == limit and limit < enough:  # it was not counted to the end
            count = conn.execute(INDEXES[index].counting, {"term": term, "limit": enough}).fetchone()[0]
            self.counts[index, term] = count, enough
        return count * self.near.mean_span


def _by_form(
    conn: Connection,
    terms: Sequence[str],
    postings: Sequence[Postings],
    best: Sequence[tuple[int, float]],
    forms: float,
) -> list[tuple[int, float]]:
    """These memories with new scores: a term that stands only in another form gives its share, `forms`, of them."""
    import numpy as np

    from memkit.retrieval.channels.word_forms import as_asked

    keys = sorted(key for key, _ in best)
    scores = np.zeros(len(keys))
    for posting, here in zip(postings, as_asked(conn, terms, keys), strict=True):
        scores += np.nan_to_num(TermPostings(*posting, rarity=0.0).of(keys)) * np.where(here, 1.0, forms)
    return list(zip(keys, scores.tolist(), strict=True))


def own(conn: Connection, scope: Scope) -> np.ndarray | None:
    """The keys that a scope of only one project allows, ascending. None for another scope, and for many."""
    whole = _whole(conn)
    if not scope.only_project or (whole is not None and whole.own is None):
        return None
    keys = eligible(conn, scope)
    return keys if len(keys) <= MOST_OWN else None


def _rescaled(postings: Postings, within: np.ndarray, known: Terms, index: str, term: str) -> Postings:
    """The postings of the memories `within`, scored by how rare the term is among them.

    BM25 is idf times a share of the frequency. So the scores are divided by the idf that they have, and multiplied by
    the idf among these memories.
    """
    keys, scores = postings
    kept = _shared(keys, within)
    known.inside(within)[index, term] = len(kept)
    inside = known.allowed_with(index, term, len(kept))
    own = rarity(inside, known.allowed(len(within)))
    return keys[kept], scores[kept] * (own / idf(known.held(index, term, len(keys)), known.rows(index)))


def _shared(keys: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The places of those keys that are among others, both ascending. For few, `isin` takes several times as long."""
    import numpy as np

    if not len(keys) or not len(others):
        return np.zeros(0, np.intp)
    if len(others) < len(keys):
        places = np.minimum(np.searchsorted(keys, others), len(keys) - 1)
        found: np.ndarray = places[keys[places] == others]
        return found
    places = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    return np.flatnonzero(others[places] == keys)


def _sums(postings: Sequence[Postings]) -> Postings:
    """The keys of all postings, ascending, each with the sum of its scores (added in the order of the terms)."""
    import numpy as np

    if len(postings) == 1:
        return postings[0]
    keys = np.concatenate([each for each, _ in postings])
    scores = np.concatenate([each for _, each in postings])
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.diff(keys, prepend=-1) != 0
    return keys[first], np.bincount(np.cumsum(first) - 1, scores[order], int(first.sum()))


def _only(postings: Postings, among: Sequence[int] | np.ndarray | None) -> Postings:
    """The postings of these memories; all of them for None."""
    import numpy as np

    if among is None:
        return postings
    kept = np.isin(postings[0], np.asarray(among, postings[0].dtype))
    return postings[0][kept], postings[1][kept]


def _best(conn: Connection, keys: np.ndarray, scores: np.ndarray, scope: Scope, limit: int) -> list[tuple[int, float]]:
    """The `limit` best of the keys that the scope allows; ties by key.

    Usually the scope allows most memories, so the first look takes twice as many as are wanted.
    """
    import numpy as np

    kept: list[tuple[int, float]] = []
    start, size = 0, 2 * limit
    while start < len(keys) and len(kept) < limit:
        end = start + size
        if end < len(keys):
            chosen = np.flatnonzero(scores >= np.partition(scores, len(scores) - end)[len(scores) - end])
        else:
            chosen = np.arange(len(keys))
        best = chosen[np.argsort(-scores[chosen], kind="stable")][start:end]
        allowed = eligible_among(conn, keys[best].tolist(), scope)
        kept += [pair for pair in zip(keys[best].tolist(), scores[best].tolist(), strict=True) if pair[0] in allowed]
        start, size = end, 4 * size
    return kept[:limit]
