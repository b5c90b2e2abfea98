"""Entity resolution, candidates: the known entities that a slightly different spelling of a name may mean.

`extract.resolve` decides between them. The candidates are found by keys that similar names share. So a new name costs
one look-up, however many names are known. What a name's description means is compared later
(`description_similarity.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from memkit.graph.description_similarity import merge_alike
from memkit.graph.entities import CONCEPT, THING, VALUE
from memkit.storage.caches import cached
from memkit.storage.connection import Connection
from memkit.storage.driver import after_commit
from memkit.storage.store import keys_json
from memkit.text.extract.resolve import Candidate, blocking_keys, resolve

if TYPE_CHECKING:
    from memkit.embedding import Embedder

SELECT_KNOWN = """
select a.key, a.alias, a.entity_key, e.kind
from aliases as a join entities as e on e.key = a.entity_key
where e.merged_into is null and e.kind not in ('concept', 'value') and a.source not in ('bare', 'file', 'plural')
    and a.key > :after and (:last is null or a.key <= :last)
order by a.key
"""
SELECT_STATE = """
select coalesce(max(key), 0) as last, (select count(*) from entities where merged_into is not null) as merged
from aliases
"""
SELECT_CANDIDATES = """
select e.key, e.name, e.kind, a.alias
from entities as e join aliases as a on a.entity_key = e.key
where e.key in (select value from json_each(:keys)) and e.merged_into is null
    and a.source not in ('bare', 'file', 'plural')
order by e.key, a.key
"""


@dataclass
class _Blocks:
    """Entity keys by the blocking keys of their names, up to the alias key `last`."""

    last: int
    merged: int
    keys: dict[str, list[int]]


class KnownNames:
    """The known names of a database, by blocking key. `unsure` has the names that were ambiguous, with the reason."""

    def __init__(self, conn: Connection, embedder: Embedder | None = None):
        self.conn, self.embedder = conn, embedder
        self._described: list[int] = []
        self.unsure: dict[str, str] = {}
        self.last, self.merged = conn.execute(SELECT_STATE).fetchone()
        self.settled = not conn.in_transaction

    @cached_property
    def blocks(self) -> dict[str, list[int]]:
        """The names that existed at the start, read at the first unknown name, and cached."""
        state = self.last, self.merged
        return cached(self.conn, "alike names", state, self._read, settled=self.settled).keys

    def _read(self, old: _Blocks | None) -> _Blocks:
        grown = old is not None and old.merged == self.merged and old.last <= self.last
        known = old if old and grown else _Blocks(0, self.merged, {})
        self._file_names(known.keys, known.last, self.last)
        return _Blocks(self.last, self.merged, known.keys)

    @cached_property
    def own(self) -> dict[str, list[int]]:
        """The names added since; not cached, because the transaction may be rolled back."""
        keys: dict[str, list[int]] = {}
        self._file_names(keys, self.last, None)
        return keys

    def _file_names(self, keys: dict[str, list[int]], after: int, last: int | None) -> None:
        for row in self.conn.execute(SELECT_KNOWN, {"after": after, "last": last}):
            _file(keys, row["entity_key"], row["alias"], row["kind"])

    def add(self, key: int, name: str, kind: str) -> None:
        """Adds a new name."""
        _file(self.own, key, name, kind)

    def compare(self, key: int, now: str) -> None:
        """Looks for known entities that are described like a new one, as soon as both are committed."""
        if self.embedder:
            self._described.append(key)
            after_commit(self.conn, partial(self._compare, now))

    def _compare(self, now: str) -> None:
        keys, self._described = self._described, []
        if keys and self.embedder:
            self.unsure |= merge_alike(self.conn, self.embedder, keys, now)

    def resolve(self, name: str, kind: str) -> int | None:
        """The key of the entity of which a name is another spelling; None if the name is new or ambiguous."""
        if kind in (CONCEPT, VALUE):
            return None
        shared = blocking_keys(name, _known(kind))
        keys = {key for known in (self.blocks, self.own) for block in shared for key in known.get(block, ())}
        if not keys:
            return None
        found = resolve(name, self._candidates(keys), kind=_known(kind))
        if found.decision == "ambiguous":
            self.unsure[name] = found.why
        return found.key

    def _candidates(self, keys: set[int]) -> list[Candidate]:
        rows: dict[int, list[Any]] = {}
        for row in self.conn.execute(SELECT_CANDIDATES, {"keys": keys_json(keys)}):
            rows.setdefault(row["key"], []).append(row)
        return [
            Candidate(key, own[0]["name"], _known(own[0]["kind"]), tuple(row["alias"] for row in own))
            for key, own in rows.items()
        ]


def _file(blocks: dict[str, list[int]], key: int, name: str, kind: str) -> None:
    for block in blocking_keys(name, _known(kind)):
        blocks.setdefault(block, []).append(key)


def _known(kind: str) -> str | None:
    """A kind as `resolve` takes it: None for a thing, which may be of any kind."""
    return None if kind == THING else kind
