"""Backup: a copy of a memory database, made while others write, verified, and put into place in one step."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memkit.core.errors import BadQuestion, Busy, MemkitError
from memkit.core.files import to_disk, workshop
from memkit.core.formatting import counted, html_table
from memkit.core.frames import OneRow
from memkit.storage import backup_record, driver, schema, store
from memkit.storage.connection import Connection
from memkit.storage.doctor import BROKEN, soundness
from memkit.storage.driver import BESIDE, file_of, identifier, sqlite3
from memkit.storage.info import size_text

SELECT_TABLES = "select name from sqlite_master where type = 'table' and sql not like 'create virtual %' order by name"
COUNT_MEMORIES = "select count(*) from memories"

# What the copy must answer as the database does: the ids of the memories that are found, each with its score.
Answers = Callable[[Connection], Sequence[tuple[str, float]]]
SCORE_DIGITS = 9  # a graph that grew in memory adds in another order than one that was read, so the last digits differ


@dataclass(frozen=True)
class BackupReport(OneRow):
    """A verified backup: path, size in bytes, memories, the rows of all tables, and older backups beside it."""

    path: Path
    at: str
    bytes: int
    memories: int
    rows: int
    older: tuple[Path, ...] = ()

    @property
    def sentence(self) -> str:
        """The report in one line."""
        older = f"; older: {', '.join(one.name for one in self.older)}" if self.older else ""
        return f"{self.path}: {counted(self.memories, 'memories')}, {size_text(self.bytes)}, verified{older}"

    def to_dict(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
        older = [one.as_posix() for one in self.older]
        about = {"at": self.at, "bytes": self.bytes, "memories": self.memories, "rows": self.rows}
        return {"path": self.path.as_posix(), **about, "older": older}

    def __repr__(self) -> str:
        return f"<BackupReport {self.sentence}>"

    def _repr_html_(self) -> str:
        return html_table("Backup", ("what", "value"), [(name, str(value)) for name, value in self.to_dict().items()])


def backup(
    conn: Connection, path: Path, now: str, answers: Answers, *, keep: int = 1, recorded: bool = True
) -> BackupReport:
    """Copies the connection's database to `path`, verifies the copy, and puts it into place; returns a report.

    Others may write meanwhile: the copy is one moment of the database. With `keep` above 1, the copy before gets its
    time as a part of its name, and the oldest of more than `keep` are deleted. `recorded` notes it in
    the database. Raises BadQuestion for a path that is not a place for a backup, Busy if another program uses the copy
    that is there, MemkitError if the database is damaged or the copy cannot be written. Then the copy that is there is
    unchanged.
    """
    if keep < 1:
        raise BadQuestion(f"keep must be 1 or more, not {keep}: that many copies are there afterwards.")
    identity = store.setting(conn, "database")
    _check_place(conn, path, identity)
    with _in_words(path), workshop(path) as folder:
        made = folder / path.name
        memories, rows = _copied(conn, made, now, answers)
        to_disk(made)
        older = _rotated(path, identity, keep)
        os.replace(made, path)
        to_disk(path.parent)
    if recorded:
        # Where the database is read-only, or somebody writes for long, the copy itself says when it was made.
        with suppress(MemkitError), driver.writing(conn):
            backup_record.write(conn, now, path)
    return BackupReport(path, now, path.stat().st_size, memories, rows, older)


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.DatabaseError) as error:
        why = getattr(error, "strerror", None) or error
        raise MemkitError(f"There is no new backup at {path}: {why}. What was there is unchanged.") from error


# ---------------------------------------------------------------------------------------------- the place


def _check_place(conn: Connection, path: Path, identity: Any) -> None:
    """Raises BadQuestion if something else than an older backup of this database would be overwritten."""
    if not path.absolute().parent.is_dir():
        raise BadQuestion(f"There is no folder {str(path.parent)!r} for {path.name}. Make the folder first.")
    if not path.exists():
        return
    if not path.is_file():
        raise BadQuestion(f"{path} is not a file. Give the path of a file.")
    file = file_of(conn)
    if file and os.path.samefile(file, path):
        raise BadQuestion(f"{path} is the database itself. Give another path for the copy.")
    if not _is_backup_of(path, identity):
        raise BadQuestion(
            f"{path} is no backup of this database, or was written since it was made. It is not overwritten. "
            "Give another path, or move it away."
        )
    if any(Path(f"{path}{end}").exists() for end in BESIDE):
        raise Busy(f"{path} is open in another program. Close it there, then make the backup again.")


def _is_backup_of(path: Path, identity: Any) -> bool:
    try:
        with closing(driver.connect(path)) as conn:  # one that writes, which puts a log that was left behind into it
            return bool(
                schema.is_ours(conn)
                and store.setting(conn, "database") == identity
                and backup_record.is_unchanged_copy(conn)
            )
    except (MemkitError, sqlite3.Error, ValueError):
        return False


def _rotated(path: Path, identity: Any, keep: int) -> tuple[Path, ...]:
    """The older copies that stay, newest first. The last one gets a name with its time, the oldest are deleted."""
    if keep > 1 and path.exists():
        with closing(driver.connect(path, read_only=True, immutable=True)) as conn:  # which leaves no log beside it
            at = (backup_record.read(conn) or {})["at"]
        dated = path.with_name(f"{path.stem}-{re.sub('[^0-9TZ]', '', at)}{path.suffix}")
        dated.unlink(missing_ok=True)
        try:
            os.link(path, dated)  # so that there is a copy with the usual name at every moment
        except OSError:  # a file system without links
            os.rename(path, dated)
    pattern = re.compile(rf"{re.escape(path.stem)}-\d{{8}}T\d{{6}}Z{re.escape(path.suffix)}")
    there = sorted((one for one in path.parent.iterdir() if pattern.fullmatch(one.name)), reverse=True)
    older = [one for one in there if _is_backup_of(one, identity)]
    if keep > 1:
        for one in older[keep - 1 :]:
            one.unlink()
        older = older[: keep - 1]
    return tuple(older)


# ---------------------------------------------------------------------------------------------- the copy


def _copied(conn: Connection, made: Path, now: str, answers: Answers) -> tuple[int, int]:
    """Copies one moment of the database into a new file, and verifies it; returns its memories and all its rows."""
    with _source(conn) as source, driver.reading(source), closing(driver.connect(made)) as copy:
        source.backup(copy)
        rows = _verified(source, copy, made, answers)
        with driver.writing(copy):
            backup_record.write(copy, now)
        return copy.execute(COUNT_MEMORIES).fetchone()[0], rows


@contextmanager
def _source(conn: Connection) -> Iterator[Connection]:
    """A connection of its own, so that nobody waits for the copy; that of a database in memory is the only one."""
    file = file_of(conn)
    if not file:
        yield conn
        return
    with closing(driver.connect(file, read_only=True)) as source:
        yield source


def _verified(source: Connection, copy: Connection, made: Path, answers: Answers) -> int:
    """The number of rows in the copy. Raises MemkitError if it is not sound, or not what the database is."""
    wrong = [f"{check.name}: {check.text}" for check in soundness(copy, made) if check.state == BROKEN]
    if wrong:
        said = "; ".join(wrong).replace(str(made), file_of(source) or "memory.db")
        raise MemkitError(f"The database is not sound, so its copy was not put into place. {said}")
    counts, expected = _counts(copy), _counts(source)
    if counts != expected:
        differ = ", ".join(sorted(name for name, _ in counts.items() ^ expected.items()))
        raise MemkitError(f"The copy has other rows than the database, so it was not put into place: {differ}")
    if _to_the_digit(answers(copy)) != _to_the_digit(answers(source)):
        raise MemkitError("The copy gives another answer than the database, so it was not put into place.")
    return sum(counts.values())


def _to_the_digit(found: Sequence[tuple[str, float]]) -> tuple[list[float], set[str]]:
    """The scores, and the memories above the lowest: of those that share the lowest, the answer has only some."""
    scores = [round(score, SCORE_DIGITS) for _, score in found]
    lowest = min(scores, default=0.0)
    return scores, {id for (id, _), score in zip(found, scores, strict=True) if score > lowest}


def _counts(conn: Connection) -> dict[str, int]:
    names = [row[0] for row in conn.execute(SELECT_TABLES).fetchall()]
    return {name: conn.execute(f"select count(*) from {identifier(name)}").fetchone()[0] for name in names}
