"""Restore from an export: the same rows, ids and history. Index and vectors are computed again.

Anybody may have written the export. So every row is held to the rules of its table (`reader`), no setting is taken that
was not asked for (`settings`), and nothing that is in the database already is changed without leave: a row that exists,
by its id or by the rows that it connects, is compared, and its change listed. A second restore of the same export
changes nothing. Rows keep their keys where these are free. All is restored, or nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from memkit.core.errors import BadSource, EmbedderFailed
from memkit.embedding import Embedder
from memkit.graph import entity_vectors
from memkit.graph.version import bump
from memkit.ingestion.entity_linking import connect
from memkit.sharing.export import settings
from memkit.sharing.export.reader import NOTHING, Export, Line, Row
from memkit.sharing.export.restore_report import Overwritten, RestoreReport, WouldOverwrite
from memkit.sharing.export.tables import BY_NAME, REFERRED, TABLES, Table
from memkit.storage import store, vectors
from memkit.storage.circles import circles
from memkit.storage.connection import Connection
from memkit.storage.driver import sqlite3, writing
from memkit.storage.reindex import reindex_vectors
from memkit.storage.row_rules import from_json
from memkit.storage.store import dumps, keys_json

SELECT_IDS = {
    table.name: f"select id, key from {table.name} where id in (select value from json_each(:ids))"
    for table in REFERRED
}
SELECT_TAKEN = {
    table.name: f"select key from {table.name} where key in (select value from json_each(:keys))" for table in REFERRED
}
SELECT_LAST = {table.name: f"select coalesce(max(key), 0) from {table.name}" for table in REFERRED}
BEGIN_KEYS = """
insert into sqlite_sequence (name, seq)
select 'memories', 0 where not exists (select 1 from sqlite_sequence where name = 'memories')
"""
RESERVE_KEYS = "update sqlite_sequence set seq = max(seq, :last) where name = 'memories'"

# A higher key gets a new one, so that however many rows are written later, theirs are allowed, too.
HIGHEST_KEPT = 1 << 40
# They hold saved rows, which name others by key: they mean something else where those keys belong to other rows.
_HOLDING_ROWS: Mapping[str, str | None] = {"merges": None, "pruned": None, "maintenance": "before"}
_SAVED = {"pruned": "rows", "maintenance": "before"}
# Two databases know these under the same id, because it follows from a name; each has only a part of their data.
_SHARED = frozenset({"entities", "aliases", "relations"})
WHY = {
    "setting": "the setting {name}: to take it, too, name it (--with {name}, take={name!r})",
    "saved": "{count} saved rows of {name}: they name rows by keys that others have here, or may get",
    "shared": "{count} {name} that are here already, and differ: they stay as they are",
}


class _DryRun(Exception):
    """Rolls the transaction back after a dry run."""


def restore(
    conn: Connection,
    given: Path | Export,
    embedder: Embedder | None,
    now: str,
    *,
    take: frozenset[str] = frozenset(),
    overwrite: bool = False,
    dry_run: bool = False,
) -> RestoreReport:
    """Restores an export, all of it or nothing, and returns a report. `take` names settings to restore, too.

    Raises BadSource for a file that is damaged, incomplete, from a newer memkit, or in conflict with the database, and
    WouldOverwrite, unless `overwrite` allows it, if rows would change that are there already. Then nothing was changed.
    """
    export = given if isinstance(given, Export) else Export(given)
    run = _Run(
        conn, export, take, RestoreReport(dry_run=dry_run), _SHARED if export.part or not overwrite else frozenset()
    )
    try:
        with writing(conn), store.index_paused(conn):
            conn.execute("pragma defer_foreign_keys = on")
            run.write()
            _check_whole(conn, export.path)
            if dry_run:
                raise _DryRun
            if run.report.overwritten and not overwrite:
                raise WouldOverwrite(export.path.name, run.report)
    except _DryRun:
        return run.report
    _make_anew(conn, run, embedder, now)
    return run.report


def _check_whole(conn: Connection, path: Path) -> None:
    """Raises BadSource for a row that refers to a missing one, and for a circle of rows."""
    for name in BY_NAME:
        if conn.execute(f"pragma foreign_key_check({name})").fetchone():
            raise BadSource(f"{path.name} cannot be restored: rows of {name} refer to missing rows. {NOTHING}")
    for column, ids in circles(conn).items():
        raise BadSource(f"{path.name} cannot be restored: {column} goes in a circle ({', '.join(ids[:5])}). {NOTHING}")


def _make_anew(conn: Connection, run: _Run, embedder: Embedder | None, now: str) -> None:
    """Makes missing vectors. If the database already had memories, also connects the restored ones with them."""
    if "memories" not in run.fresh:
        connect(conn, now, embedder=embedder, moved=run.changed)
    make_vectors(conn, embedder, now)


def make_vectors(conn: Connection, embedder: Embedder | None, now: str) -> None:
    """Makes the vectors that are missing, of memories and of entities, as far as the model answers."""
    if embedder is None:
        return
    with suppress(EmbedderFailed):
        reindex_vectors(conn, embedder, now)
        entity_vectors.write_missing(conn, embedder, now)


# ---------------------------------------------------------------------------------------------- keys


def _keys(conn: Connection, export: Export) -> dict[str, dict[int, int]]:
    """For each table in REFERRED: the key in the export to the key in this database. Reads the whole export."""
    ids: dict[str, dict[int, str]] = {table.name: {} for table in REFERRED}
    seen: dict[str, set[str]] = {table.name: set() for table in REFERRED}
    for number, name, row in export.rows():
        if name in ids:
            if row["key"] in ids[name] or row["id"] in seen[name]:
                raise export.wrong(number, f"is a second row of {name} with the key {row['key']} or the id {row['id']}")
            ids[name][row["key"]] = row["id"]
            seen[name].add(row["id"])
    return {name: _mapped(conn, name, given) for name, given in ids.items()}


def _mapped(conn: Connection, name: str, ids: Mapping[int, str]) -> dict[int, int]:
    """The key of each row in this database: that of the row with its id, else its own if free, else a new one."""
    here = {row["id"]: row["key"] for row in conn.execute(SELECT_IDS[name], {"ids": dumps(list(ids.values()))})}
    taken = {row[0] for row in conn.execute(SELECT_TAKEN[name], {"keys": keys_json(ids)})}
    last = max([conn.execute(SELECT_LAST[name]).fetchone()[0], *(key for key in ids if key <= HIGHEST_KEPT)])
    if name == "memories":
        last = max(last, conn.execute(store.NEXT_KEY).fetchone()[0])
    mapped = {}
    for key, id in ids.items():
        if id not in here and (key in taken or key > HIGHEST_KEPT):
            last += 1
            here[id] = last
        mapped[key] = here.get(id, key)
    return mapped


# ---------------------------------------------------------------------------------------------- rows


@dataclass
class _Run:
    """The state of one restore."""

    conn: Connection
    export: Export
    take: frozenset[str]
    report: RestoreReport
    stay: frozenset[str]  # tables whose rows stay as they are if they are there already
    keys: dict[str, dict[int, int]] = field(default_factory=dict)
    changed: bool = False
    touched: set[int] = field(default_factory=set)  # memories that need new index entries and vectors
    fresh: frozenset[str] = frozenset()  # tables that were empty before
    alone: bool = False  # the database had no rows that others refer to, and those of the export keep their keys
    last_saved: int = 0  # the highest key of a memory in saved rows
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)

    def write(self) -> None:
        """Writes every row, then indexes the new and changed memories."""
        self.fresh = frozenset(t.name for t in TABLES if self.conn.execute(t.is_empty).fetchone()[0])
        self.keys = _keys(self.conn, self.export)
        moved = any(key != here for keys in self.keys.values() for key, here in keys.items())
        self.alone = {table.name for table in REFERRED} <= self.fresh and not moved
        for line in self.export.rows():
            with self._naming(line):
                if (row := self._adapted(line)) is not None:
                    self._count(line.table, row, self._written(BY_NAME[line.table], row))
        self.conn.execute(BEGIN_KEYS)
        self.conn.execute(RESERVE_KEYS, {"last": self.last_saved})
        self._tell()
        store.reindex_text(self.conn, self.touched)
        if self.changed:
            bump(self.conn)
        vectors.drop(self.conn, store.neighbourhood(self.conn, self.touched))

    @contextmanager
    def _naming(self, line: Line) -> Iterator[None]:
        """Raises an error of SQLite about a row as BadSource, with its line."""
        try:
            yield
        except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError) as error:
            raise self.export.wrong(line.number, f"cannot be restored: {error}") from error

    def _adapted(self, line: Line) -> Row | None:
        """The row with the keys of this database, or None if it is left out. Raises BadSource for a missing row."""
        table, row = BY_NAME[line.table], dict(line.row)
        if table.name == "settings":
            return self._setting(line)
        for column, name in table.references.items():
            row[column] = self.keys[name].get(line.row[column])
            if row[column] is None and line.row[column] is not None and column not in table.loose:
                missing = f"refers to a row of {name} with the key {line.row[column]}, which is not in the export"
                raise self.export.wrong(line.number, missing)
        if table.name in self.keys:
            row["key"] = self.keys[table.name][line.row["key"]]
        return self._with_saved_rows(line, row) if table.name in _HOLDING_ROWS else row

    def _setting(self, line: Line) -> Row | None:
        name = line.row["name"]
        if name not in self.take:
            if name in settings.ASKABLE:
                self.left_out["setting", name] += 1
            return None
        if not settings.fits(name, line.row["value"]):
            raise self.export.wrong(line.number, f"is not a value of the setting {name}")
        return line.row

    def _with_saved_rows(self, line: Line, row: Row) -> Row | None:
        """A row that holds saved rows: without them, or None, in a database where their keys may be those of others."""
        found = self.conn.execute(BY_NAME[line.table].find, row).fetchone()
        if self.alone or (found is not None and all(found[name] == row[name] for name in row)):
            self._reserve(line)
            return row
        column = _HOLDING_ROWS[line.table]
        if column is None or row.get(column) is not None:
            self.left_out["saved", line.table] += 1
        return None if column is None else {**row, column: found[column] if found is not None else None}

    def _reserve(self, line: Line) -> None:
        """Keeps the keys of saved memories from being given to new ones. Raises BadSource for one that is too high."""
        saved = line.row.get(_SAVED.get(line.table, ""))
        if saved is None:
            return
        value = from_json(saved)
        keys = [row["key"] for row in value.get("memories", ())] + value.get("made", {}).get("memories", [])
        self.last_saved = max([self.last_saved, *keys])
        if self.last_saved > HIGHEST_KEPT:
            raise self.export.wrong(line.number, f"holds a saved memory with the key {self.last_saved}")

    def _written(self, table: Table, row: Row) -> str:
        """Writes a row; returns what was done: `added`, `updated` or `unchanged`."""
        whole = {**dict.fromkeys(table.identity), **row}  # what a line leaves out is null
        found = None if table.name in self.fresh else self.conn.execute(table.find, whole).fetchone()
        if found is None:
            columns = set(row)
            if "key" in row and table.name not in self.keys and self._needs_new_key(table, row):
                columns.remove("key")
            self.conn.execute(table.insert(columns), row)
            return "added"
        changes = [name for name, value in row.items() if name != "key" and found[name] != value]
        if not changes or table.settled:
            return "unchanged"
        if table.name in self.stay:
            self.left_out["shared", table.name] += 1
            return "unchanged"
        self.conn.execute(table.update(row), row)
        before = {name: found[name] for name in changes}
        named = " ".join(str(found[name]) for name in table.identity)
        self.report.overwritten.append(Overwritten(table.name, named, before, {name: row[name] for name in changes}))
        return "updated"

    def _needs_new_key(self, table: Table, row: Row) -> bool:
        if row["key"] > HIGHEST_KEPT:
            return True
        return table.name not in self.fresh and self.conn.execute(table.has_key, row).fetchone() is not None

    def _count(self, table: str, row: Row, done: str) -> None:
        self.changed = self.changed or done != "unchanged"
        if table == "memories":
            setattr(self.report, done, getattr(self.report, done) + 1)
            if done != "unchanged":
                self.touched.add(row["key"])

    def _tell(self) -> None:
        """Says in the report what was left out."""
        for (what, name), count in self.left_out.items():
            self.report.left_out.append(WHY[what].format(name=name, count=f"{count:,}"))
