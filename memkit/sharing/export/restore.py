"""Restore from an export: the same rows, ids and history. Index and vectors are computed again.

A row that already exists, by its id or by the rows that it connects, is updated. A second restore of the same export
changes nothing. Rows keep their keys where these are free. If a row conflicts with an existing one (another document
with the same source, another value in a slot), nothing is restored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memkit.core.errors import BadSource, EmbedderFailed
from memkit.core.types import Failure
from memkit.embedding import Embedder
from memkit.graph import entity_vectors
from memkit.graph.version import bump
from memkit.ingestion.entity_linking import connect
from memkit.ingestion.writer import IngestReport
from memkit.sharing.export.tables import BY_NAME, OWN_SETTINGS, REFERRED, TABLES, Table
from memkit.sources.memkit_export import header, rows
from memkit.storage import store, vectors
from memkit.storage.connection import Connection
from memkit.storage.driver import sqlite3, writing
from memkit.storage.reindex import reindex_vectors
from memkit.storage.schema import VERSION
from memkit.storage.store import dumps, keys_json

SELECT_IDS = {
    table.name: f"select id, key from {table.name} where id in (select value from json_each(:ids))"
    for table in REFERRED
}
SELECT_TAKEN = {
    table.name: f"select key from {table.name} where key in (select value from json_each(:keys))" for table in REFERRED
}
SELECT_LAST = {table.name: f"select coalesce(max(key), 0) from {table.name}" for table in REFERRED}

# They contain saved rows, which refer to others by key, so they are useless where keys differ.
_HOLDING_ROWS = frozenset({"merges", "pruned"})
_KEPT_IN_PART = frozenset({"entities", "relations"})  # a selection has only a part of their data

Row = dict[str, Any]


class _DryRun(Exception):
    """Rolls the transaction back after a dry run."""


def restore(
    conn: Connection, path: Path, embedder: Embedder | None, now: str, report: IngestReport, *, dry_run: bool = False
) -> None:
    """Restores an export, all of it or nothing, and adds its counts and failures to `report`.

    Raises BadSource for a file that is damaged, incomplete, from a newer memkit, or in conflict with the database;
    nothing is changed then.
    """
    head = header(path)
    if head.get("schema", 0) > VERSION:
        raise BadSource(
            f"{path.name} has schema {head['schema']}, and this memkit knows {VERSION}. "
            "Run: pip install --upgrade datasette-memkit"
        )
    run = _Run(conn, path, bool(head.get("part")))
    try:
        with writing(conn), store.index_paused(conn):
            conn.execute("pragma defer_foreign_keys = on")
            run.keys = _keys(conn, path)
            run.write()
            _check_references(conn)
            if dry_run:
                raise _DryRun
    except _DryRun:
        pass
    except sqlite3.IntegrityError as error:
        raise BadSource(f"{path.name} cannot be restored: {error}. Nothing was changed.") from error
    for name in ("added", "updated", "unchanged"):
        setattr(report, name, getattr(report, name) + getattr(run, name))
    report.failures += run.failures
    if not dry_run:
        _make_anew(conn, run, embedder, now)


def _check_references(conn: Connection) -> None:
    """Raises IntegrityError for a row that refers to a missing one, if the connection leaves references unchecked.

    A borrowed connection may do so; others raise the same when the transaction ends.
    """
    if conn.execute("pragma foreign_keys").fetchone()[0]:
        return
    if any(conn.execute(f"pragma foreign_key_check({name})").fetchone() for name in BY_NAME):
        raise sqlite3.IntegrityError("FOREIGN KEY constraint failed")


def _make_anew(conn: Connection, run: _Run, embedder: Embedder | None, now: str) -> None:
    """Makes missing vectors. If the database already had memories, also connects the restored ones with them."""
    if "memories" not in run.fresh:
        connect(conn, now, embedder=embedder, moved=run.changed)
    if embedder is None:
        return
    with suppress(EmbedderFailed):
        reindex_vectors(conn, embedder, now)
        with writing(conn):
            entity_vectors.write_missing(conn, embedder, now)


# ---------------------------------------------------------------------------------------------- keys


def _keys(conn: Connection, path: Path) -> dict[str, dict[int, int]]:
    """For each table in REFERRED: the key in the export to the key in this database. Reads the whole export.

    Raises BadSource for a damaged or incomplete export.
    """
    ids: dict[str, dict[int, str]] = {table.name: {} for table in REFERRED}
    counts: dict[str, int] = {table.name: 0 for table in TABLES}
    told = None
    for number, name, row in _lines(path):
        if name == "end":
            told = row
        elif name not in BY_NAME:
            raise BadSource(f"{path.name}:{number} is of a table {name!r}, which memkit does not have.")
        else:
            _checked(path, number, BY_NAME[name], row)
            counts[name] += 1
            if name in ids:
                ids[name][row["key"]] = row["id"]
    if told != {name: counts.get(name, 0) for name in told or ()} or told is None:
        raise BadSource(f"{path.name} is not complete: rows or the last line are missing. Nothing was restored.")
    return {name: _mapped(conn, name, given) for name, given in ids.items()}


def _lines(path: Path) -> Iterator[tuple[int, str, Row]]:
    """The rows of an export, each with its line number and table."""
    found = rows(path)
    next(found)
    for number, line in found:
        (name, row), *more = line.items()
        if more or not isinstance(row, dict):
            raise BadSource(f"{path.name}:{number} is not a row of an export. Nothing was restored.")
        yield number, name, row


def _checked(path: Path, number: int, table: Table, row: Row) -> None:
    missing = [name for name in (*table.identity, *table.references) if name not in row]
    unknown = row.keys() - set(table.columns)
    wrong = [name for name, value in row.items() if not isinstance(value, str | int | float | None)]
    keys = [name for name in ("key", *table.references) if name in row and not isinstance(row[name], int | None)]
    if ("key" in table.columns and not isinstance(row.get("key"), int)) or missing or unknown or wrong or keys:
        at = ", ".join(dict.fromkeys((*missing, *sorted(unknown), *wrong, *keys))) or "key"
        raise BadSource(f"{path.name}:{number} is not a row of {table.name} (see: {at}). Nothing was restored.")


def _mapped(conn: Connection, name: str, ids: Mapping[int, str]) -> dict[int, int]:
    """The key of each row in this database: that of the row with its id, else its own if free, else a new one."""
    here = {row["id"]: row["key"] for row in conn.execute(SELECT_IDS[name], {"ids": dumps(list(ids.values()))})}
    taken = {row[0] for row in conn.execute(SELECT_TAKEN[name], {"keys": keys_json(ids)})}
    last = max([conn.execute(SELECT_LAST[name]).fetchone()[0], *ids])
    if name == "memories":
        last = max(last, conn.execute(store.NEXT_KEY).fetchone()[0])
    mapped = {}
    for key, id in ids.items():
        if id not in here and key in taken:
            last += 1
            here[id] = last
        mapped[key] = here.get(id, key)
    return mapped


# ---------------------------------------------------------------------------------------------- rows


@dataclass
class _Run:
    """The state of one restore."""

    conn: Connection
    path: Path
    part: bool
    keys: dict[str, dict[int, int]] = field(default_factory=dict)
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    changed: bool = False
    failures: list[Failure] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)  # memories that need new index entries and vectors
    fresh: frozenset[str] = frozenset()  # tables that were empty before

    def write(self) -> None:
        """Writes every row, then indexes the new and changed memories."""
        self.fresh = frozenset(t.name for t in TABLES if self.conn.execute(t.is_empty).fetchone()[0])
        moved = any(key != here for keys in self.keys.values() for key, here in keys.items())
        left_out: dict[str, int] = {}
        for number, name, row in _lines(self.path):
            if name == "end" or (name == "settings" and row["name"] in OWN_SETTINGS):
                continue
            if moved and name in _HOLDING_ROWS:
                left_out[name] = left_out.get(name, 0) + 1
                continue
            if moved and name == "maintenance":
                row["before"] = None
            self._take(number, BY_NAME[name], row)
        for name, count in left_out.items():
            reason = f"{count} rows of {name} are left out: they refer to rows that have other keys here"
            self.failures.append(Failure(self.path.as_posix(), reason))
        around = store.neighbourhood(self.conn, self.touched)
        store.reindex_text(self.conn, around)
        if self.changed:
            bump(self.conn)
        vectors.drop(self.conn, around)

    def _take(self, number: int, table: Table, given: Row) -> None:
        """Writes a row; one that refers to a missing row becomes a failure in the report."""
        row = dict(given)
        for column, name in table.references.items():
            row[column] = self.keys[name].get(given[column])
            if row[column] is None and given[column] is not None and column not in table.loose:
                reason = f"refers to a row of {name} with the key {given[column]}, which is not in the export"
                self.failures.append(Failure(self.path.as_posix(), reason, line=number))
                return
        if table.name in self.keys:
            row["key"] = self.keys[table.name][given["key"]]
        done = self._written(table, row)
        self.changed = self.changed or done != "unchanged"
        if table.name == "memories":
            setattr(self, done, getattr(self, done) + 1)
            if done != "unchanged":
                self.touched.add(row["key"])

    def _written(self, table: Table, row: Row) -> str:
        """Writes a row; returns what was done: `added`, `updated` or `unchanged`."""
        found = None if table.name in self.fresh else self.conn.execute(table.find, row).fetchone()
        if found is None:
            columns = set(row)
            if "key" in row and table.name not in {*self.fresh, *self.keys} and self._has_key(table, row):
                columns.remove("key")
            self.conn.execute(table.insert(columns), row)
            return "added"
        settled = table.settled or (self.part and table.name in _KEPT_IN_PART)
        if settled or all(found[name] == value for name, value in row.items() if name != "key"):
            return "unchanged"
        self.conn.execute(table.update(row), row)
        return "updated"

    def _has_key(self, table: Table, row: Row) -> bool:
        return self.conn.execute(table.has_key, row).fetchone() is not None
