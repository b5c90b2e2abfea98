"""Recover: the rows of a damaged database in a new one, and a list of what was lost.

The damaged file is read page by page (`pages.py`), never by SQLite. A row is taken only if it is what its table holds;
of a row in a page that no tree leads to any more, only if exactly one table that lost something can have held it. The
text of a memory is taken only if its hash, or the copy of it in the full-text index, says the same. What follows from
the rows is made again: full text, vectors, counters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memkit.core.errors import BadQuestion, MemkitError, NotFound
from memkit.core.files import replacing
from memkit.core.formatting import counted, html_table
from memkit.storage import driver, row_check, schema
from memkit.storage.connection import Connection
from memkit.storage.driver import identifier, sqlite3
from memkit.storage.pages import INDEX_INNER, INDEX_LEAF, TABLE_INNER, TABLE_LEAF, Pages
from memkit.storage.references import mend_orphans, references
from memkit.storage.reindex import reindex_texts, reindex_vectors
from memkit.storage.row_rules import RULES
from memkit.storage.schema_check import MIGRATIONS
from memkit.text.words import SHORT_ID, short_id, text_hash

# What is made again, or is SQLite's own.
MADE_AGAIN = {
    *("embeddings", "entity_embeddings", "models", "code_blocks", "text_blocks", "graph_arrays", "sentences"),
    *("index_paused", "index_replaced", MIGRATIONS),
}
SHADOW = ("memories_fts_", "memories_cjk_", "sqlite_")
TEXTS, IDS = "memories_fts_content", "sqlite_autoindex_memories_1"
# Tables of two or three numbers look like the indexes of others; these do not.
TELLING = {"settings", "pruned", "extractions", "recall_hits"}
JSON_COLUMNS = {("settings", "value"), ("pruned", "rows")}

SELECT_TABLES = "select name, sql from sqlite_master where type = 'table' order by rootpage"
SELECT_COLUMNS = 'select cid, name, type, "notnull", pk, hidden from pragma_table_xinfo(:table)'
PAUSE = "insert into index_paused (reason) values ('recover')"
RESCUE = """
insert or ignore into memories (key, id, text, title, speaker, created_at, updated_at, hash, text_hash, meta)
values (:key, :id, :text, :title, :speaker, :now, :now, :hash, :hash, '{"recovered": "text"}')
"""
SELECT_KEYS = "select key, id from memories"
RAISE_SEQUENCE = "update sqlite_sequence set seq = max(seq, :seq) where name = :name"

_KINDS = {"integer": (int,), "real": (int, float), "text": (str,), "blob": (bytes,)}
_TIME = re.compile(r"\d{4}-\d\d")


@dataclass(frozen=True)
class RecoverReport:
    """What came out of a damaged database: rows by table, and what was lost.

    `unreadable` are the rows that could not be read, by table; `hanging` are those left out because the row that they
    belong to is lost. `lost` are the ids of memories that are gone, as far as an index still names them. `texts` are
    the ids of memories of which only the text was left, in a copy that cannot be checked. `pages` are the numbers of
    the pages that could not be read.
    """

    path: Path
    rows: Mapping[str, int]
    unreadable: Mapping[str, int]
    hanging: Mapping[str, int]
    lost: tuple[str, ...]
    texts: tuple[str, ...]
    pages: tuple[int, ...]
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The report in one line."""
        gone = f"{counted(len(self.lost), 'memories')} lost" if self.lost else "no lost memory is known"
        if self.pages and not self.lost:
            gone += f", but {counted(len(self.pages), 'pages')} could not be read"
        part = f", {len(self.texts):,} of them only as text" if self.texts else ""
        return f"{self.path}: {counted(self.rows.get('memories', 0), 'memories')}{part}; {gone}"

    def to_dict(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
        told = {name: list(getattr(self, name)) for name in ("lost", "texts", "pages", "notes")}
        counts = {name: dict(getattr(self, name)) for name in ("rows", "unreadable", "hanging")}
        return {"path": self.path.as_posix(), **counts, **told}

    def _rows(self) -> list[tuple[str, str]]:
        counts = ("rows", self.rows), ("unreadable", self.unreadable), ("hanging", self.hanging)
        lists = ("lost", self.lost), ("texts", self.texts), ("pages", self.pages)
        return [
            *((name, ", ".join(f"{count:,} {table}" for table, count in those.items())) for name, those in counts),
            *((name, ", ".join(map(str, those))) for name, those in lists),
            *(("note", note) for note in self.notes),
        ]

    def __repr__(self) -> str:
        return "\n".join([self.sentence, *(f"  {name}: {text}" for name, text in self._rows() if text)])

    def _repr_html_(self) -> str:
        return html_table(self.sentence, ("what", "which"), self._rows())


@dataclass
class _Table:
    """A table: its columns in the order of a stored row, each with type and whether it must have a value."""

    name: str
    columns: list[tuple[str, str, bool]]
    alias: int | None  # the column that is the rowid
    without_rowid: bool
    found: dict[Any, tuple[Any, ...]] = field(default_factory=dict)
    unreadable: int = 0
    lost_leaves: bool = False  # perhaps: its tree has a page that cannot be read, or is not known at all

    @property
    def incomplete(self) -> bool:
        return self.lost_leaves or self.unreadable > 0

    @property
    def kinds(self) -> tuple[int, int]:
        return (INDEX_LEAF, INDEX_INNER) if self.without_rowid else (TABLE_LEAF, TABLE_INNER)

    def fits(self, values: tuple[Any, ...]) -> bool:
        """Whether a row can be one of this table."""
        if len(values) > len(self.columns):
            return False
        values += (None,) * (len(self.columns) - len(values))
        return all(self._may(place, value) for place, value in enumerate(values))

    def _may(self, place: int, value: Any) -> bool:
        name, type, required = self.columns[place]
        if value is None:
            return place == self.alias or not required
        if place == self.alias or not isinstance(value, _KINDS.get(type, (int, float, str, bytes))):
            return False
        if name.endswith("_at") and type == "text":
            return bool(_TIME.match(str(value)))
        return (self.name, name) not in JSON_COLUMNS or RULES["json"].allows(value)

    def take(self, rowid: int, values: tuple[Any, ...]) -> None:
        """Keeps a row, unless its key is known already."""
        if self.alias is not None:
            values = (*values[: self.alias], rowid, *values[self.alias + 1 :])
        values += (None,) * (len(self.columns) - len(values))
        self.found.setdefault(values if self.without_rowid else rowid, values)


def recover(damaged: Path, path: Path, now: str) -> RecoverReport:
    """Writes what can be read of a damaged database into a new one at `path`, and returns a report.

    Raises NotFound if there is no such file, BadQuestion if there is a file at `path`, MemkitError if the new one
    cannot be written.
    """
    if not damaged.is_file():
        raise NotFound(f"There is no file {damaged}.")
    if path.exists() or not path.absolute().parent.is_dir():
        raise BadQuestion(f"{path} cannot be made: it is there already, or its folder is missing. Give a new name.")
    try:
        with replacing(path) as made, closing(driver.connect(made)) as conn:
            schema.ensure(conn, made.name)
            return _Recovery(Pages(damaged), conn, now).run(path)
    except (OSError, sqlite3.DatabaseError) as error:
        raise MemkitError(f"{path} cannot be written: {error}. {damaged} is unchanged.") from error


class _Recovery:
    """One run: what was read of the damaged file, and the connection to the new one."""

    def __init__(self, pages: Pages, conn: Connection, now: str):
        self.pages, self.conn, self.now = pages, conn, now
        self.used: set[int] = set()
        self.broken: set[int] = set()
        self.notes: list[str] = []
        self.knows_all_ids = False

    def run(self, path: Path) -> RecoverReport:
        objects = self._objects()
        self._make_own_tables(objects)
        tables = {name: _table(self.conn, name) for name in self._wanted()}
        texts = _Table(TEXTS, [("id", "integer", True), *(_TEXT for _ in range(5))], 0, without_rowid=False)
        for table in (*tables.values(), texts):
            self._read(table, objects)
        ids = self._ids(objects)
        self._read_what_no_tree_leads_to(tables, texts, objects)
        self._check_ids(tables["memories"], texts, ids)
        copies = {key: values[1:] for key, values in texts.found.items()}
        self._check_texts(tables["memories"], copies)
        with driver.writing(self.conn):
            self.conn.execute(PAUSE)
            rows = {table.name: self._write(table) for table in tables.values()}
            rescued = self._rescue(ids, copies)
            hanging = self._cut_off_hanging()
            self._keep_numbers(objects)
        self.notes += row_check.mend(self.conn, keep=False)  # what was, is still in the damaged file
        reindex_texts(self.conn)
        self._make_vectors(objects)
        there = dict(self.conn.execute(SELECT_KEYS).fetchall())
        lost = tuple(sorted(set(ids.values()).difference(there.values())))
        rows["memories"] = len(there)
        return RecoverReport(
            path,
            {name: count for name, count in rows.items() if count},
            {table.name: table.unreadable for table in tables.values() if table.unreadable},
            hanging,
            lost,
            tuple(there[key] for key in rescued if key in there),
            tuple(sorted(self.broken)),
            tuple(self.notes),
        )

    # ------------------------------------------------------------------------------------------ reading

    def _objects(self) -> dict[str, tuple[int, str]]:
        """The root page and the SQL of each table and index, as far as the schema can be read."""
        found: dict[str, tuple[int, str]] = {}
        for number, fine in self.pages.walk(1, (TABLE_LEAF, TABLE_INNER)):
            if not fine:
                self.broken.add(number)
                continue
            self.used.add(number)
            for row in self.pages.rows(number):
                if row and len(row[1]) == 5 and row[1][0] in ("table", "index") and isinstance(row[1][3], int):
                    found[row[1][1]] = (row[1][3], row[1][4] or "")
        if not found:
            self.notes.append("The schema could not be read: each row was recognised by what its table holds.")
        return found

    def _make_own_tables(self, objects: Mapping[str, tuple[int, str]]) -> None:
        """Makes the tables that people added for themselves, without triggers and views."""
        there = self._tables()
        for name, (_, sql) in objects.items():
            if name in there or name.startswith(SHADOW) or not sql.upper().startswith("CREATE TABLE"):
                continue
            try:
                self.conn.execute(sql)
                if any(row["hidden"] for row in self.conn.execute(SELECT_COLUMNS, {"table": name}).fetchall()):
                    self.conn.execute(f"drop table {identifier(name)}")
                    self.notes.append(f"The table {name!r} has computed columns, and was left out.")
            except sqlite3.Error as error:
                self.notes.append(f"The table {name!r} was left out: {error}")

    def _tables(self) -> set[str]:
        return {row[0] for row in self.conn.execute(SELECT_TABLES)}

    def _wanted(self) -> Iterator[str]:
        for name, sql in self.conn.execute(SELECT_TABLES).fetchall():
            virtual = str(sql).upper().startswith("CREATE VIRTUAL")
            if name not in MADE_AGAIN and not name.startswith(SHADOW) and not virtual:
                yield name

    def _read(self, table: _Table, objects: Mapping[str, tuple[int, str]]) -> None:
        """Reads the rows of the pages to which the table's tree leads."""
        if table.name not in objects:
            table.lost_leaves = True
            return
        for number, fine in self.pages.walk(objects[table.name][0], table.kinds):
            if not fine:
                self.broken.add(number)
                table.lost_leaves = True
                continue
            taken = self._take(number, table)
            if taken or self.pages.kind(number) == table.kinds[1]:
                self.used.add(number)

    def _take(self, number: int, table: _Table) -> int:
        """How many rows of a page were taken."""
        taken = 0
        for row in self.pages.rows(number):
            if row is None or not table.fits(row[1]):
                table.unreadable += 1
                continue
            table.take(*row)
            taken += 1
        return taken

    def _ids(self, objects: Mapping[str, tuple[int, str]]) -> dict[int, str]:
        """The ids of memories by key, as the index of ids still has them."""
        found: dict[int, str] = {}
        root = objects.get(IDS, (0, ""))[0]
        self.knows_all_ids = bool(root)
        for number, fine in self.pages.walk(root, (INDEX_LEAF, INDEX_INNER)) if root else ():
            for row in self.pages.rows(number) if fine else (None,):
                if row and len(row[1]) == 2 and isinstance(row[1][0], str) and isinstance(row[1][1], int):
                    found[row[1][1]] = row[1][0]
                else:
                    self.knows_all_ids = False
        return found

    def _check_ids(self, memories: _Table, texts: _Table, ids: Mapping[int, str]) -> None:
        """Leaves out what was deleted before. Where the row and the index differ, an id that looks right is taken."""
        place = [name for name, _, _ in memories.columns].index("id")
        for key, values in list(memories.found.items()):
            if key in ids and values[place] != ids[key] and not SHORT_ID.fullmatch(values[place]):
                memories.found[key] = (*values[:place], ids[key], *values[place + 1 :])
        for table in (memories, texts) if self.knows_all_ids else ():
            for key in table.found.keys() - ids.keys():
                del table.found[key]

    def _read_what_no_tree_leads_to(
        self, tables: Mapping[str, _Table], texts: _Table, objects: Mapping[str, tuple[int, str]]
    ) -> None:
        """Takes the rows of leaves whose inner page is gone, if exactly one table that lost something fits them."""
        open_to = [one for one in (*tables.values(), texts) if one.incomplete]
        if not any(one.lost_leaves for one in open_to):
            return
        free, known = self.pages.free()
        elsewhere = self._pages_of_others(tables, objects)
        for number in range(1, self.pages.count + 1):
            kind = self.pages.kind(number)
            if number in self.used or number in free or number in elsewhere or kind not in (TABLE_LEAF, INDEX_LEAF):
                continue
            for row in self.pages.rows(number):
                fitting = [
                    one
                    for one in open_to
                    if row
                    and one.kinds[0] == kind
                    and (kind == TABLE_LEAF or one.name in TELLING)
                    and len(row[1]) == len(one.columns)
                    and one.fits(row[1])
                ]
                if row and len(fitting) == 1:
                    fitting[0].take(*row)
        if not known:
            self.notes.append("The list of free pages could not be read: a row that was deleted before may be back.")

    def _pages_of_others(self, tables: Mapping[str, _Table], objects: Mapping[str, tuple[int, str]]) -> set[int]:
        """The pages of trees that hold none of these tables: indexes, vectors, and what FTS5 keeps."""
        found: set[int] = set()
        for name, (root, _) in objects.items():
            if name not in tables and name != TEXTS:
                for kinds in ((TABLE_LEAF, TABLE_INNER), (INDEX_LEAF, INDEX_INNER)):
                    if self.pages.kind(root) in kinds:
                        found.update(number for number, fine in self.pages.walk(root, kinds) if fine)
        return found

    def _check_texts(self, memories: _Table, copies: Mapping[int, tuple[Any, ...]]) -> None:
        """Leaves out memories whose text is not what was stored; where the full-text index has it, takes that."""
        names = [name for name, _, _ in memories.columns]
        text, hashed = names.index("text"), names.index("text_hash")
        for key, values in list(memories.found.items()):
            copy = copies.get(key, (None,))[0]
            wanted = values[hashed]
            if wanted == text_hash(values[text]) or copy == values[text] or (wanted is None and copy is None):
                continue
            if copy is not None and text_hash(copy) == wanted:
                memories.found[key] = (*values[:text], copy, *values[text + 1 :])
            else:
                del memories.found[key]
                memories.unreadable += 1

    # ------------------------------------------------------------------------------------------ writing

    def _write(self, table: _Table) -> int:
        names = ", ".join(identifier(name) for name, _, _ in table.columns)
        places = ", ".join("?" for _ in table.columns)
        verb = "insert or replace" if table.name == "settings" else "insert or ignore"
        self.conn.execute("pragma defer_foreign_keys = on")
        statement = f"{verb} into {identifier(table.name)} ({names}) values ({places})"
        written = 0
        for values in table.found.values():
            try:
                written += self.conn.execute(statement, values).rowcount
            except sqlite3.Error:
                table.unreadable += 1
        return written

    def _rescue(self, ids: Mapping[int, str], copies: Mapping[int, tuple[Any, ...]]) -> list[int]:
        """The keys of lost memories that have come back with their text, from the full-text index."""
        there = {row[0] for row in self.conn.execute(SELECT_KEYS)}
        rescued = []
        for key in sorted(copies.keys() - there):
            text, title, speaker, *_ = copies[key]
            if text:
                id = ids.get(key) or short_id("recovered", str(key), text)
                about = {"title": title or None, "speaker": speaker or None, "hash": text_hash(text)}
                row = {"key": key, "id": id, "text": text, "now": self.now, **about}
                rescued += [key] * self.conn.execute(RESCUE, row).rowcount
        return rescued

    def _cut_off_hanging(self) -> dict[str, int]:
        """Deletes the rows that refer to a lost row, or their reference where it may be empty; counts the deleted."""
        cut: Counter[str] = Counter()
        for one, rows in mend_orphans(self.conn, references(self.conn)).items():
            if not one.loose:
                cut[one.table] += rows
        return dict(cut)

    def _keep_numbers(self, objects: Mapping[str, tuple[int, str]]) -> None:
        """No key of a lost row is given again, as far as the last one is known."""
        root = objects.get("sqlite_sequence", (0, ""))[0]
        for number, fine in self.pages.walk(root, (TABLE_LEAF, TABLE_INNER)) if root else ():
            for row in self.pages.rows(number) if fine else ():
                if row and len(row[1]) == 2 and isinstance(row[1][0], str) and isinstance(row[1][1], int):
                    self.conn.execute(RAISE_SEQUENCE, {"name": row[1][0], "seq": row[1][1]})

    def _make_vectors(self, objects: Mapping[str, tuple[int, str]]) -> None:
        """Makes the vectors again, if the database had any and its model is here."""
        from memkit.embedding import load_embedder

        models = _table(self.conn, "models")
        self._read(models, objects)
        used = [values[1] for values in models.found.values() if values[4] == 1]
        if not used:
            return
        try:
            reindex_vectors(self.conn, load_embedder(used[0], download=False), self.now)
        except (MemkitError, ImportError, OSError) as error:
            self.notes.append(f"There are no vectors: {error} Then run: memkit reindex NEW.db --model {used[0]}")


_TEXT = ("", "text", False)


def _table(conn: Connection, name: str) -> _Table:
    """What a row of this table of the new database holds, in the order in which SQLite stores it."""
    rows = conn.execute(SELECT_COLUMNS, {"table": name}).fetchall()
    sql = dict(conn.execute(SELECT_TABLES).fetchall())[name]
    without = "without rowid" in sql.lower().rpartition(")")[2]
    keys = sorted((row for row in rows if row["pk"]), key=lambda row: row["pk"])
    if without:
        rows = [*keys, *(row for row in rows if not row["pk"])]
    alias = keys[0]["cid"] if len(keys) == 1 and keys[0]["type"].lower() == "integer" and not without else None
    columns = [(row["name"], row["type"].lower(), bool(row["notnull"] or (without and row["pk"]))) for row in rows]
    return _Table(name, columns, alias, without)
