"""Leak check of an already published folder against the private database as it is now."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

from memkit.core.errors import NotFound
from memkit.core.files import expanded
from memkit.sharing.publish import files, republish
from memkit.sharing.publish.build import own_texts
from memkit.sharing.publish.difference import Difference
from memkit.sharing.publish.files import MARKER, Marked, about_of, database
from memkit.sharing.publish.ids import Ids
from memkit.sharing.publish.names import OWN_WORDS
from memkit.sharing.publish.options import options
from memkit.sharing.publish.proof import leaks
from memkit.sharing.publish.publishing import hashes
from memkit.sharing.publish.redaction import cleaner
from memkit.sharing.publish.report import CheckReport
from memkit.sharing.publish.rows import PublishedRows, rehearse
from memkit.sharing.publish.spool import Spool
from memkit.sharing.publish.staging import NotOurs, marker
from memkit.sharing.publish.suspects import suspects
from memkit.storage.connection import Connection
from memkit.storage.driver import in_passing

SELECT_VISIBLE = """
select key, id from memories
where :history or archived_at is null
order by key
"""


def check(conn: Connection, out: str | Path, given: Mapping[str, Any]) -> CheckReport:
    """The report of a check: private texts in a folder that was published from this database.

    Public are the texts of the published memories as they are in the database now, after redaction with the old options
    and those `given` (`options.named`). Raises NotFound if there is no publication, NotOurs for a folder that memkit
    did not publish, BadQuestion if the redacted names are no longer known.
    """
    folder = expanded(out).absolute()
    said = marker(folder)
    if said is None:
        raise NotFound(f"There is no publication in {folder}. Give the folder that `memkit publish` made.")
    try:
        keep, about = frozenset(map(str, said["keep"])), about_of(said)
        mark = Marked(str(said["name"]), str(said["made"]), tuple(keep), str(said["asked"]), bool(said["redacted"]))
        counts = {table: int(count) for table, count in said["counts"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotOurs(f"{folder}/{MARKER} is damaged. Publish into this folder again, then check it.") from error
    asked = options(
        folder, republish.merged_request(republish.previous_request(conn, folder, said, given), given)
    ).redaction
    ids = Ids.of(conn, mark.name)
    file = database(folder, about)
    published = hashes(file)
    visible = conn.execute(SELECT_VISIBLE, {"history": "history" in keep}).fetchall()
    known = {ids.new("memory", row["id"]): row["key"] for row in visible}
    keys = [known[id] for id in published if id in known]
    clean = cleaner(conn, asked, keys)
    found = PublishedRows(conn, keys, ids, clean, keep, mark.made)
    written = [*files.texts(about, counts, mark.made).values(), files.marked(mark, about, counts, said["files"])]
    written += [files.inspected(file)] if file.is_file() else []
    own = [*own_texts(None, file), *written, *OWN_WORDS, file.name, *files.OWN_FILES, republish.OWN_NAMES]
    difference = Difference(published)
    with in_passing(conn), closing(Spool()) as public:
        rehearse(conn, found, public, difference.add)
        return CheckReport(
            folder=str(folder),
            database=str(file),
            memories=len(published),
            leaks=leaks(conn, folder, chain(public, about.texts), own, clean.gone(conn)),
            gone=difference.gone,
            changed=tuple(difference.changed),
            suspects=suspects(public, asked.spare),
        )
