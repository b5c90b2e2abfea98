"""Neighbours: beside which memories a memory stands in its document, and how long it is together with these.

A memory is also found by the words of the two before and the two after it, which count less. The index has only each
memory's own words (`memories_fts`), so that no text is indexed five times, and a write changes one row. Here a word's
rows become those of all memories that have it or stand beside one that has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property

import numpy as np

from memkit.core.classes import dataclass
from memkit.retrieval.channels.places import Places
from memkit.storage import block_ranges, text_blocks
from memkit.storage.connection import Connection
from memkit.storage.driver import in_passing
from memkit.storage.text_blocks import Block, Texts

REACH = 2  # positions
OTHER = 1 << 32  # between the places of two documents
ALONE = 1 << 62  # where those in no document begin: mostly they came later, so that all are in the order of their keys
MOST = 8  # neighbours on each side: another program may have given many memories one position


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The texts of a file in one state. They are read from `blocks`, which a later state may share, and from rows."""

    blocks: Mapping[Block, Texts]
    texts: Texts
    _lengths: dict[str, np.ndarray] = field(default_factory=dict)
    _found_by: dict[str, tuple[int, float]] = field(default_factory=dict)

    @property
    def order(self) -> np.ndarray | None:
        """The texts in the order of documents and positions, as places in `texts`; None if they are in it."""
        return self._standing[0]

    @cached_property
    def rank(self) -> np.ndarray | None:
        """The place of each text in this order; None if it is the same."""
        if self.order is None:
            return None
        rank = np.empty(len(self.order), np.int64)
        rank[self.order] = np.arange(len(self.order))
        return rank

    @property
    def span(self) -> tuple[np.ndarray, np.ndarray]:
        """For each text in this order, the first and the last one that it stands beside, itself among them."""
        return self._standing[1]

    @cached_property
    def _standing(self) -> tuple[np.ndarray | None, tuple[np.ndarray, np.ndarray]]:
        places = _places(self.texts)
        if (places[1:] >= places[:-1]).all():
            return None, _span(places)
        order = np.argsort(places, kind="stable")
        return order, _span(places[order])

    def lengths(self, index: str) -> np.ndarray:
        """For each text in this order, the number of tokens in an index that it is found by: its own, and others'."""
        if index not in self._lengths:
            self._lengths[index] = self._summed_lengths(index)
        return self._lengths[index]

    def _summed_lengths(self, index: str) -> np.ndarray:
        own, head = self._sizes(index)
        if self.order is not None:
            own, head = own[self.order], head[self.order]
        first, last = self.span
        sums = np.zeros(len(head) + 1, np.int32)  # may run over: the differences are right all the same
        np.cumsum(head, dtype=np.int32, out=sums[1:])
        summed: np.ndarray = sums[1:].take(last)
        summed -= sums.take(first)
        summed += own
        summed -= head
        return summed

    def _sizes(self, index: str) -> np.ndarray:
        return self.texts.words if index == "fts" else self.texts.pairs

    def found_by(self, index: str) -> tuple[int, float]:
        """The number of memories that have tokens in an index, their own or others', and how many at the mean."""
        if index not in self._found_by:
            lengths = self.lengths(index)
            n = int(np.count_nonzero(lengths))
            self._found_by[index] = n, float(lengths.sum()) / max(n, 1)
        return self._found_by[index]

    @cached_property
    def mean_span(self) -> float:
        """How many memories a word in one memory finds at the mean: 1 (none has neighbours) or more."""
        first, last = self.span
        return float((last - first).mean()) + 1 if len(first) else 1.0

    def spread(self, index: str, found: Places, weight: float) -> tuple[np.ndarray, np.ndarray]:
        """Where in this order the memories stand that have a token or stand beside one, ascending, and its frequency.

        A place at the beginning of a text counts `weight` for each neighbour. What is not in the file is left out.
        """
        keys, own, near = self._counted(index, found)
        at = keys if self.rank is None else self.rank[keys]
        first, last = self.span
        start, end = first[at], last[at]
        if not near.all():  # some have nothing that neighbours are found by
            start, end = np.where(near, start, at), np.where(near, end, at)
        counts = end - start + 1
        before = counts.cumsum() - counts
        places = (start - before).repeat(counts)
        places += np.arange(len(places))
        values = (near * weight).repeat(counts)
        values[before + at - start] = own
        return _summed(places, values, len(first))

    def _counted(self, index: str, found: Places) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The memories with a token (places in `texts`), its frequency in each, and how often it is near the start."""
        keys, offsets, weights = found
        at = self._places_of(keys)
        here = self.texts.keys.take(at, mode="clip") == keys if len(self.texts.keys) else np.zeros(len(keys), bool)
        if not here.all():
            at, offsets = at[here], offsets[here]
            weights = weights[here] if isinstance(weights, np.ndarray) else weights
        if not len(at):
            return at, np.zeros(0), at
        near = offsets < self._sizes(index)[1][at]
        starts = np.append(True, at[1:] != at[:-1]).nonzero()[0]
        counts = np.append(starts[1:], len(at)) - starts
        own = np.add.reduceat(weights, starts) if isinstance(weights, np.ndarray) else counts * weights
        return at[starts], own, counts if near.all() else np.add.reduceat(near.astype(np.int64), starts)

    def _places_of(self, keys: np.ndarray) -> np.ndarray:
        """The place of each key in `texts`; another one's, or none, for a key that is not there."""
        every = self.texts.keys
        if len(every) and every[-1] - every[0] == len(every) - 1:  # no memory was ever deleted
            places: np.ndarray = keys - every[0]
            return places
        return every.searchsorted(keys)

    def beside(self) -> dict[int, list[int]]:
        """The keys of the neighbours of each memory, by its key."""
        keys = self.keys(np.arange(len(self.texts.keys))).tolist()
        spans = zip(keys, *(one.tolist() for one in self.span), strict=True)
        return {key: keys[first:n] + keys[n + 1 : last + 1] for n, (key, first, last) in enumerate(spans)}

    def lengths_by_key(self, index: str) -> dict[int, int]:
        """The same as `lengths`, by the key of the memory."""
        keys = self.keys(np.arange(len(self.texts.keys)))
        return dict(zip(keys.tolist(), self.lengths(index).tolist(), strict=True))

    def heads_by_key(self, index: str) -> dict[int, int]:
        """The number of tokens at the beginning of each memory's text by which its neighbours are found, by its key."""
        return dict(zip(self.texts.keys.tolist(), self._sizes(index)[1].tolist(), strict=True))

    def keys(self, places: np.ndarray) -> np.ndarray:
        """The keys of the memories at these places of the order."""
        found: np.ndarray = self.texts.keys[places if self.order is None else self.order[places]]
        return found


def build(conn: Connection, previous: Neighbours | None) -> Neighbours:
    """The neighbours in a file as it is; blocks that `previous` has are not read again."""
    places: dict[Block, slice] = {}
    with in_passing(conn):
        texts = text_blocks.joined(conn, _parts(conn, {} if previous is None else previous.blocks, places))
    return Neighbours({block: Texts(*(array[..., place] for array in texts)) for block, place in places.items()}, texts)


def _parts(conn: Connection, known: Mapping[Block, Texts], places: dict[Block, slice]) -> Iterator[Texts]:
    """The blocks of a file, and between them the rows that none covers; notes in `places` which rows are of a block."""
    at, first = 0, text_blocks.FIRST_KEY
    for block in text_blocks.blocks(conn):
        key, start, last = block
        texts = known.get(block) or text_blocks.read_block(conn, key)
        if texts is not None and start >= first:
            before = text_blocks.read_rows(conn, first, start - 1)
            places[block] = slice(at + len(before.keys), at + len(before.keys) + len(texts.keys))
            yield before
            yield texts
            at, first = places[block].stop, last + 1
    yield text_blocks.read_rows(conn, first, block_ranges.LAST_KEY)


def _places(texts: Texts) -> np.ndarray:
    """A number for each text: those of one document differ as their positions do, all others by more than REACH."""
    alone = texts.documents == 0
    places: np.ndarray = texts.documents.astype(np.int64)
    places *= OTHER  # in place: memory for another array takes longer than the sum
    places += texts.positions
    places[alone] = ALONE + (REACH + 1) * np.arange(np.count_nonzero(alone))
    return places


def _span(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each of these numbers, ascending, the first and the last one that is not further than REACH from it."""
    before, after = np.zeros(len(places), np.int8), np.zeros(len(places), np.int8)
    gaps = np.diff(places)
    gaps = np.minimum(gaps, REACH + 1, out=gaps).astype(np.int8)
    apart = np.zeros(len(places), np.int8)  # how far each is from the one so many steps before it
    for step in range(1, MOST + 1):
        apart = apart[1:] + gaps[: len(gaps) - step + 1]
        near = apart <= REACH
        if not near.any():
            break
        before[step:] += near.view(np.int8)
        after[:-step] += near.view(np.int8)
    here = np.arange(len(places), dtype=np.int32)
    return here - before, here + after


def _summed(places: np.ndarray, values: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Each of these places below `size` once, ascending, and the sum of its values."""
    if 8 * len(places) > size:
        found = np.flatnonzero(np.bincount(places, minlength=size))  # some may have the sum 0
        return found, np.bincount(places, values, size)[found]
    if not len(places):
        return places, values
    order = places.argsort(kind="stable")
    places = places[order]
    begins = np.append(True, places[1:] != places[:-1])
    return places[begins], np.add.reduceat(values[order], begins.nonzero()[0])
