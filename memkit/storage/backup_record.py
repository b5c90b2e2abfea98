"""Record of the last backup: a setting of the database, and of the copy, each of which goes wherever its file goes.

The database says where its last backup was put, and when; the copy says when it was made, and what was in it.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from memkit.storage import store
from memkit.storage.connection import Connection

SETTING = "backup"

SELECT_STATE = "select json_array(count(*), max(key), max(updated_at)) from memories"


def write(conn: Connection, now: str, place: Path | None = None) -> None:
    """Records in a database that it was copied to this place; without one, in the copy, that it is a copy."""
    about = {"state": _state(conn)} if place is None else {"path": str(place.absolute())}
    store.set_setting(conn, SETTING, {"at": now, **about})


def read(conn: Connection) -> dict[str, Any] | None:
    """The record of this file, with the key `at`; None if there is none, or if it is not memkit's."""
    record = store.setting(conn, SETTING)
    return record if isinstance(record, dict) and isinstance(record.get("at"), str) else None


def is_unchanged_copy(conn: Connection) -> bool:
    """Whether a file is a backup in which no memory was written since."""
    return bool((read(conn) or {}).get("state") == _state(conn))


def _state(conn: Connection) -> Any:
    return json.loads(conn.execute(SELECT_STATE).fetchone()[0])


def sentence(conn: Connection, path: str, now: str) -> tuple[bool, str]:
    """What is known of the last backup, and whether it is where it was put."""
    record = read(conn)
    if record is None:
        return True, f"none yet. To make one, run: memkit backup {path} COPY.db"
    place, age = record.get("path"), _age(record["at"], now)
    if place is None:
        return True, f"this file is a backup, or was restored from one, made {age}"
    if not Path(place).exists():
        return False, f"the last one, made {age}, is not at {place} any more, or its disk is not there"
    return True, f"the last one was made {age}: {place}"


def _age(at: str, now: str) -> str:
    try:
        days = (datetime.fromisoformat(now[:10]) - datetime.fromisoformat(at[:10])).days
    except ValueError:
        return at
    return f"today ({at})" if days == 0 else f"{days:,} {'day' if days == 1 else 'days'} ago ({at})"
