"""Plain paths: documents that were once read as `~/diary/../a.md` are those of `~/a.md`."""

from __future__ import annotations

import os.path

from memkit.core.files import whole_path
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

SELECT_BENT = "select key, source from documents where source like '%/../%'"
GIVE_SOURCE = "update or ignore documents set source = :source where key = :key"  # two of the same stay two


def give_plain_paths(conn: Connection) -> None:
    """Gives these documents the path that an ingest gives their files now, so that nothing is stored twice."""
    bent = conn.execute(SELECT_BENT).fetchall()
    plain = [{"key": key, "source": whole_path(source).as_posix()} for key, source in bent if os.path.isabs(source)]
    if plain:
        with writing(conn):
            conn.executemany(GIVE_SOURCE, plain)
