"""Health checks of this machine and of a database.

Every check gives one line with a state: `ok`, `degraded` (memkit works, but slower or with fewer features) or `broken`
(something does not work).
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memkit.core.clock import utc_now
from memkit.core.errors import EmbedderFailed, MemkitError
from memkit.core.files import PUBLISHED, expanded, readable_by_others
from memkit.core.formatting import counted, html_table
from memkit.core.terminal_text import table
from memkit.embedding import BUILT_IN, load_embedder
from memkit.embedding.circuit_breaker import CircuitBreaker
from memkit.storage import backup_record, driver, library, row_check, schema, sentences, stored_names, vectors
from memkit.storage.connection import Connection
from memkit.storage.driver import BESIDE, sqlite3
from memkit.storage.references import mend_references
from memkit.storage.reindex import mend_indexes, wrong_texts

OK, DEGRADED, BROKEN = "ok", "degraded", "broken"

INTEGRITY = "pragma integrity_check(5)"
FOREIGN_KEYS = "pragma foreign_key_check"
SELECT_SETTINGS = "select name from settings"
DECIDING = {
    "policy": "what upkeep does: memkit policy",
    "me": "who says I",
    "single_valued": "relations with one value at a time",
    "knowledge_fields": "the front matter that becomes relations",
    "projects_of_paths": "the projects of folders",
    "own_voice": "in which folders I is the user",
    "sources": "what memkit sync reads",
    "strategy": "how a question is answered that names no strategy: memkit strategy",
}
OPEN_FILES = "pragma database_list"
CHECK_FTS = "insert into memories_fts(memories_fts, rank) values ('integrity-check', 0)"
CHECK_CJK = "insert into memories_cjk(memories_cjk, rank) values ('integrity-check', 0)"
COUNT_MEMORIES = "select count(*) from memories"
COUNT_UNFINISHED = """
select m.id, count(e.key) as vectors
from models as m left join embeddings as e on e.model_key = m.key
where m.active = 0
group by m.key order by m.key
"""


@dataclass(frozen=True)
class Check:
    """The result of one check: its name, its state (ok, degraded or broken), and what was found."""

    name: str
    state: str
    text: str


@dataclass(frozen=True)
class Diagnosis:
    """The results of all checks, in the order in which they ran."""

    checks: tuple[Check, ...]

    @property
    def broken(self) -> bool:
        """Whether any check is broken."""
        return any(check.state == BROKEN for check in self.checks)

    @property
    def degraded(self) -> tuple[Check, ...]:
        """The checks that are degraded."""
        return tuple(check for check in self.checks if check.state == DEGRADED)

    def to_dicts(self) -> list[dict[str, str]]:
        """The checks as JSON-able values."""
        return [asdict(check) for check in self.checks]

    def _rows(self) -> list[tuple[str, str, str]]:
        return [(check.state, check.name, check.text) for check in self.checks]

    def __repr__(self) -> str:
        return table(self._rows())

    def _repr_html_(self) -> str:
        return html_table("memkit doctor", ("state", "what", "seen"), self._rows())


def doctor(path: str | Path | None = None, *, fix: bool = False) -> Diagnosis:
    """The health checks of this machine and, with a path, of that database. Nothing is changed, except by `fix`.

    `fix` mends before it checks; what it has mended stands among the checks, as `fixed`.
    """
    checks = list(_machine())
    if path is not None:
        file = expanded(path)
        checks += [*(_mended(file) if fix else ()), *_database(file)]
    return Diagnosis(tuple(checks))


# ---------------------------------------------------------------------------------------------- the machine


def _machine() -> Iterator[Check]:
    yield Check("python", OK, f"{sys.version.split()[0]} on {sys.platform}")
    yield _driver()
    yield _two_drivers()
    yield _sqlite()
    yield _reset_bug()
    with closing(driver.connect()) as conn:
        yield _vec(conn)
    yield embedding_model(None)


def _driver() -> Check:
    from sqlite_utils.utils import sqlite3 as theirs

    name = sqlite3.__name__
    if theirs.Connection is not sqlite3.Connection:
        return Check("driver", BROKEN, f"memkit uses {name}, sqlite-utils {theirs.__name__}. Import memkit first.")
    return Check("driver", OK, f"{name}, as sqlite-utils and Datasette")


def _other_drivers() -> dict[str, Any]:
    """The connection classes of other SQLite libraries in this process, by the library's name."""
    kinds = {name: getattr(sys.modules.get(name), "Connection", None) for name in library.DRIVERS}
    return {name: kind for name, kind in kinds.items() if kind and kind is not sqlite3.Connection}


def _two_drivers() -> Check:
    """Whether other SQLite libraries are loaded. Loaded is harmless; two with one file open lose each other's locks."""
    others = list(_other_drivers())
    said = f"{', '.join(others)} is loaded too: never open a memory file with it while memkit has it open"
    if others in ([], ["sqlite3"]):
        return Check("one library", OK, said if others else "no other SQLite library in this process")
    return Check("one library", DEGRADED, said)


def _sqlite() -> Check:
    try:
        library.check_library()
    except MemkitError as error:
        return Check("sqlite", BROKEN, str(error))
    return Check("sqlite", OK, f"{sqlite3.sqlite_version} with FTS5")


def _reset_bug() -> Check:
    if not library.has_reset_bug():
        return Check("write-ahead log", OK, "this SQLite is without the WAL-reset bug")
    return Check(
        "write-ahead log",
        DEGRADED,
        f"SQLite {sqlite3.sqlite_version} has the WAL-reset bug (https://sqlite.org/wal.html). memkit avoids it, in "
        "Datasette and sqlite-utils, too; let no other program write to a memory file while one of these does. To get "
        "a SQLite without the bug, run: pip install 'datasette-memkit[driver]'",
    )


def _vec(conn: Connection) -> Check:
    if driver.load_vec(conn):
        return Check("sqlite-vec", OK, conn.execute("select vec_version()").fetchone()[0])
    return Check(
        "sqlite-vec", OK, "not loaded, because this SQLite loads no extensions: memkit's own functions stand in"
    )


def embedding_model(name: str | None) -> Check:
    """A check that the embedding model with this name (None: the built-in one) loads and makes vectors."""
    model = CircuitBreaker(name or BUILT_IN, lambda: load_embedder(name, download=False))
    try:
        knows = model.encode(["memory"]).any()
    except EmbedderFailed as error:
        return Check("model", BROKEN, f"{name or 'the built-in model'} does not work: {error}")
    state = OK if knows else BROKEN
    return Check("model", state, f"{model.id} (version {model.version}), {model.dims} dimensions")


# ---------------------------------------------------------------------------------------------- a database

# What mends a memory database, in this order: each takes a connection that writes, and says what it has changed.
MENDS: tuple[Callable[[Connection], Iterable[str]], ...] = (
    schema.mend,
    mend_references,
    row_check.mend,
    stored_names.mend,
    mend_indexes,
)


def _mended(path: Path) -> Iterator[Check]:
    """What was wrong in a file, and is not any more. Nothing is done to a file that is no memory database."""
    if not path.is_file():
        return
    try:
        with closing(driver.connect(path)) as conn:
            if schema.is_ours(conn):
                yield from (Check("fixed", OK, said) for mend in MENDS for said in mend(conn))
    except (MemkitError, sqlite3.Error) as error:
        yield Check("fixed", BROKEN, f"{path} cannot be mended: {error}")


def _database(path: Path) -> Iterator[Check]:
    if not path.is_file():
        yield Check("file", BROKEN, f"there is no file {path}")
        return
    read_only = not os.access(path, os.W_OK)
    yield from _other_libraries(path)
    try:
        with closing(driver.connect(path, read_only=True)) as conn:
            schema.ensure(conn, path.name, read_only=True)
            yield Check("file", OK, f"{path}{', which is not writable' if read_only else ''}")
            yield _privacy(path)
            yield _schema(conn, path)
            yield _backup(conn, path)
            yield _power_cut()
            yield _integrity(conn)
            yield _foreign_keys(conn, path)
            yield _rows(conn, path)
            yield from _names(conn, path)
            yield from _settings(conn)
            yield from _vectors(conn, path)
            yield _texts(conn, path)
        if not read_only:
            yield from _text_indexes(path)
    except (MemkitError, sqlite3.Error) as error:
        yield Check("file", BROKEN, f"{path}: {error}")


def _privacy(path: Path) -> Check:
    """Whether only the owner can read the file and those beside it. A file that existed before has kept its mode."""
    beside = [path, *(Path(f"{path}{end}") for end in BESIDE)]
    seen = [one.name for one in beside if one.exists() and readable_by_others(one)]
    if seen and (path.parent / PUBLISHED).exists():
        return Check("privacy", OK, "others can read it, as it is published")
    if seen:
        mend = f"Run: chmod go= {path}*"
        return Check("privacy", DEGRADED, f"other users of this machine can read {', '.join(seen)}. {mend}")
    return Check("privacy", OK, "only its owner can read it" if os.name == "posix" else "as its folder says")


def _other_libraries(path: Path) -> Iterator[Check]:
    """A check for each other SQLite library with which this process has the file open."""
    for name, kind in _other_drivers().items():
        there = (one for one in gc.get_objects() if isinstance(one, kind) and not isinstance(one, sqlite3.Connection))
        if any(_has_open(one, path) for one in there):
            seen = (
                f"{path} is open with {name} too: the two lose each other's locks. Close it, and use db.sql or db.conn"
            )
            yield Check("one library", BROKEN, seen)


def _has_open(conn: Connection, path: Path) -> bool:
    """Whether another library's connection has the file open; False if it cannot be asked on this thread."""
    try:
        return any(row[2] and os.path.samefile(row[2], path) for row in conn.execute(OPEN_FILES))
    except Exception:  # noqa: BLE001 (each library has errors of its own: closed, or of another thread)
        return False


def _schema(conn: Connection, path: Path) -> Check:
    """Whether the schema is what memkit makes. What may run when memkit reads was refused before."""
    said = [*map(str, schema.odd_objects(conn)), *(f"no {name!r}" for name in schema.missing_objects(conn))]
    if said:
        return Check("schema", BROKEN, f"not as memkit makes it: {', '.join(said)}. Run: memkit doctor {path} --fix")
    return Check("schema", OK, "as memkit makes it")


def _backup(conn: Connection, path: Path) -> Check:
    there, said = backup_record.sentence(conn, str(path), utc_now())
    return Check("backup", OK if there else DEGRADED, said)


def _power_cut() -> Check:
    """What `synchronous` promises if the power is cut, on memkit's own connections."""
    level = driver.synchronous()
    cost = "may cost the last seconds" if level == "normal" else "costs nothing that was stored"
    return Check("power cut", OK, f"{cost}, and damages nothing (synchronous = {level}; {driver.SYNCHRONOUS} sets it)")


def soundness(conn: Connection, path: Path) -> Iterator[Check]:
    """The checks of all rows and indexes of a memory database, on a connection that can write to it."""
    yield from (_integrity(conn), _foreign_keys(conn, path), _texts(conn, path), *_text_indexes(path))


def _integrity(conn: Connection) -> Check:
    found = [row[0] for row in conn.execute(INTEGRITY)]
    return Check("integrity", OK, "ok") if found == ["ok"] else Check("integrity", BROKEN, "; ".join(found))


def _foreign_keys(conn: Connection, path: Path) -> Check:
    tables = sorted({row[0] for row in conn.execute(FOREIGN_KEYS)})
    if tables:
        seen = f"rows that refer to a missing row, in: {', '.join(tables)}"
        return Check("references", BROKEN, f"{seen}. Run: memkit doctor {path} --fix")
    return Check("references", OK, "every referenced row exists")


def _rows(conn: Connection, path: Path) -> Check:
    """Whether every row is one that memkit could have written."""
    if found := row_check.findings(conn):
        return Check("rows", BROKEN, f"{'; '.join(found)}. Run: memkit doctor {path} --fix")
    return Check("rows", OK, "as memkit writes them")


def _names(conn: Connection, path: Path) -> Iterator[Check]:
    if found := stored_names.outdated(conn):
        said = f"{counted(len(found), 'names')} as an older memkit compared them"
        yield Check("names", DEGRADED, f"{said}: they are not found. Run: memkit doctor {path} --fix")


def _settings(conn: Connection) -> Iterator[Check]:
    """The settings that decide what memkit does with the file: a file from elsewhere brings them along."""
    named = {row[0] for row in conn.execute(SELECT_SETTINGS)}
    if told := [f"{name} ({meaning})" for name, meaning in DECIDING.items() if name in named]:
        yield Check("settings", OK, f"this file has its own {', '.join(told)}")
    if "templates" in named:
        yield Check("templates", DEGRADED, "the setting templates is not read: a file cannot name a folder of them")


def _texts(conn: Connection, path: Path) -> Check:
    """Compares the full-text rows with the memories."""
    wrong, orphans, paused = wrong_texts(conn)
    if wrong or orphans or paused:
        seen = f"{wrong:,} memories with a wrong or missing row, {orphans:,} rows without a memory"
        stopped = ", and the triggers are switched off" if paused else ""
        return Check("full text", BROKEN, f"{seen}{stopped}. Run: memkit reindex {path} --fts")
    return Check("full text", OK, "every memory is indexed correctly")


def _text_indexes(path: Path) -> Iterator[Check]:
    """FTS5's own check of its pages. It is a special insert, so it needs a writable connection."""
    with closing(driver.connect(path)) as conn:
        for name, query in (("full-text pages", CHECK_FTS), ("CJK pages", CHECK_CJK)):
            try:
                conn.execute(query)
                yield Check(name, OK, "ok")
            except sqlite3.DatabaseError as error:
                if "database is locked" in str(error):
                    yield Check(name, DEGRADED, "not checked, because another process is writing. Try again later.")
                else:
                    yield Check(name, BROKEN, f"{error}. Run: memkit reindex {path} --fts")


def _vectors(conn: Connection, path: Path) -> Iterator[Check]:
    row = vectors.active_model(conn)
    memories = conn.execute(COUNT_MEMORIES).fetchone()[0]
    if row is None:
        mend = f": recall uses words and names only. Run: memkit reindex {path}" if memories else " yet"
        yield Check("vectors", DEGRADED if memories else OK, f"none{mend}")
        return
    yield from (check for check in [embedding_model(row["id"])] if check.state != OK or row["id"] != "memkit")
    made = conn.execute(vectors.COUNT_VECTORS, {"model_key": row["key"]}).fetchone()[0]
    missing = conn.execute(vectors.COUNT_WITHOUT_VECTOR, {"model_key": row["key"]}).fetchone()[0]
    damaged, named = len(vectors.damaged(conn)), len(vectors.damaged_entities(conn))
    if damaged or missing or named:
        seen = f"{missing:,} of {memories:,} memories have none, {damaged:,} are damaged"
        seen += f", and {named:,} of the graph's" if named else ""
        yield Check("vectors", BROKEN if damaged or named else DEGRADED, f"{seen}. Run: memkit reindex {path}")
    else:
        yield Check("vectors", OK, f"{made:,} of {row['id']}")
    if unsound := len(sentences.damaged(conn)):
        yield Check(
            "sentences", BROKEN, f"those of {counted(unsound, 'memories')} are damaged. Run: memkit reindex {path}"
        )
    for other in conn.execute(COUNT_UNFINISHED):
        seen = f"a change to {other['id']!r} was not finished ({other['vectors']:,} of {memories:,})"
        yield Check("reindex", DEGRADED, f"{seen}. Run: memkit reindex {path} --model {other['id']}")
