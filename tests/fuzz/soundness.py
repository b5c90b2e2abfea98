"""Whether a database is whole: by SQLite's own checks, by those of `memkit doctor`, and by what its rows promise."""

from __future__ import annotations

import json
from typing import Any

from memkit import MemoryDatabase
from memkit.storage import doctor, reindex, vectors

INTEGRITY = "pragma integrity_check"
FOREIGN_KEYS = "pragma foreign_key_check"
COUNTS = (
    reindex.COUNT_WRONG_TEXTS,
    reindex.COUNT_ORPHANS,
    reindex.COUNT_PAUSED,
    "select count(*) from memories where not json_valid(meta) or not json_valid(tags)",
    "select count(*) from memories where typeof(text) <> 'text' or typeof(id) <> 'text' or typeof(key) <> 'integer'",
)


class Harmed(AssertionError):
    """A database that is not whole any more."""


def must(holds: object, what: str) -> None:
    """Raises Harmed with these words if something does not hold."""
    if not holds:
        raise Harmed(what)


def check(conn: Any) -> None:
    """Raises Harmed with the reason if the database is not whole. Writes nothing."""
    said = [row[0] for row in conn.execute(INTEGRITY)]
    if said != ["ok"]:
        raise Harmed(f"integrity_check: {said[:3]}")
    if broken := conn.execute(FOREIGN_KEYS).fetchall():
        raise Harmed(f"foreign_key_check: {[tuple(row) for row in broken[:3]]}")
    for query in COUNTS:
        if found := sum(conn.execute(query).fetchone()):
            raise Harmed(f"{found} found by: {' '.join(query.split())}")
    must(not vectors.damaged(conn), "vectors that are none")
    for query in (doctor.CHECK_FTS, doctor.CHECK_CJK):
        conn.execute(query)


def check_file(path: Any) -> None:
    """The same for a file, which is opened anew, with the checks of `memkit doctor` on top."""
    with MemoryDatabase(path, embed="none") as db:
        check(db.conn)
    for one in doctor.doctor(path).checks:
        if one.state == doctor.BROKEN:
            raise Harmed(f"doctor: {json.dumps([one.name, one.text])}")
