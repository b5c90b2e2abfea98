"""Recall ledger and access counts (S10, X07), written only if asked for. A recall never fails because of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from memkit.core.errors import Busy, ReadOnly
from memkit.core.unicode import well_formed
from memkit.retrieval.results import Hit, LeftOut, Recall
from memkit.storage.connection import Connection
from memkit.storage.driver import sqlite3, writing
from memkit.storage.store import dumps, keys_json
from memkit.text.words import short_id

PATIENCE = 50  # milliseconds that a recall waits for another process's write

COUNT_ACCESS = """
insert into access (memory_key, count, last_at)
select key, 1, :now from memories where key in (select value from json_each(:keys))
on conflict (memory_key) do update set count = count + 1, last_at = excluded.last_at
"""
NEXT_RECALL = "select coalesce(max(key), 0) + 1 from recalls"
INSERT_RECALL = """
insert into recalls (key, id, question, strategy, options, channels, ms, at)
values (:key, :id, :question, :strategy, :options, :channels, :ms, :at)
"""
INSERT_HIT = """
insert into recall_hits (
    recall_key, memory_key, rank, score, channel, channel_rank, raw, contribution, boosts, tokens, left_out
)
select
    :recall_key, key, :rank, :score, :channel, :channel_rank, :raw, :contribution, :boosts, :tokens, :left_out
from memories where key = :memory_key
"""


def recorded(
    conn: Connection, found: Recall, now: str, *, track: bool, ledger: bool, options: Mapping[str, Any] | None = None
) -> Recall:
    """The recall, after one transaction that counts its hits as read (`track`) and writes it to the ledger (`ledger`).

    If the file cannot be written, or is locked, the recall gets a warning that says so and is otherwise the same.
    """
    if not (track or ledger):
        return found
    try:
        with _impatient(conn), writing(conn):
            if track:
                keys = keys_json(sorted({hit.memory.key for hit in found}))
                conn.execute(COUNT_ACCESS, {"keys": keys, "now": now})
            if ledger:
                _write(conn, found, now, options or {})
    except (Busy, ReadOnly, sqlite3.OperationalError) as error:
        return replace(found, warnings=(*found.warnings, f"This recall was not recorded: {error}"))
    return found


@contextmanager
def _impatient(conn: Connection) -> Iterator[None]:
    """Within this block, a write waits at most PATIENCE milliseconds for a lock."""
    before = conn.execute("pragma busy_timeout").fetchone()[0]
    conn.execute(f"pragma busy_timeout = {PATIENCE}")
    try:
        yield
    finally:
        conn.execute(f"pragma busy_timeout = {int(before)}")


def _write(conn: Connection, found: Recall, now: str, options: Mapping[str, Any]) -> None:
    key = conn.execute(NEXT_RECALL).fetchone()[0]
    row = {
        "key": key,
        "id": short_id("recall", found.question, now, str(key)),
        "question": well_formed(found.question),  # any text is a question; not any is storable
        "strategy": found.strategy.to_json(),
        "options": dumps(dict(options)),
        "channels": dumps(dict(found.channels)),
        "ms": sum(found.ms.values()),
        "at": now,
    }
    conn.execute(INSERT_RECALL, row)
    rows = [one for rank, hit in enumerate(found, 1) for one in _rows(key, hit, rank, None)]
    rows += [one for left in found.left_out for one in _rows(key, left, None, left.reason)]
    conn.executemany(INSERT_HIT, rows)


def _rows(recall_key: int, one: Hit | LeftOut, rank: int | None, left_out: str | None) -> Iterator[dict[str, Any]]:
    """A row for each channel that found a memory; a linked memory has one row, with the link's type as its channel."""
    same = {
        "recall_key": recall_key,
        "memory_key": one.memory.key,
        "rank": rank,
        "score": one.score,
        "boosts": json.dumps(dict(one.boosts)),
        "tokens": one.memory.tokens,
        "left_out": left_out,
    }
    for channel, finding in one.why.items():
        places = {"channel_rank": finding.rank, "raw": finding.score, "contribution": finding.contribution}
        yield {**same, "channel": channel, **places}
    if not one.why:
        via = getattr(one, "via", None) or "none"
        yield {**same, "channel": via, "channel_rank": 0, "raw": one.score, "contribution": one.score}
