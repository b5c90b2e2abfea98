"""The proof once more, of a folder that was published some time ago, against the database as it is now."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memkit.errors import NotFound
from memkit.publish import again, files
from memkit.publish.about import About
from memkit.publish.build import own_texts
from memkit.publish.cleaning import Cleaner, redactor
from memkit.publish.files import DATABASE, MARKER, Marked
from memkit.publish.ids import Ids
from memkit.publish.names import OWN_WORDS
from memkit.publish.options import options
from memkit.publish.proof import leaks
from memkit.publish.publishing import hashes
from memkit.publish.report import CheckReport
from memkit.publish.rows import rows, texts
from memkit.publish.staging import NotOurs, marker

SELECT_VISIBLE = """
select key, id from memories
where :history or archived_at is null
order by key
"""


def check(conn: Any, out: str | Path, given: Mapping[str, Any]) -> CheckReport:
    """What of a database stands in a folder published from it, and was not meant to.

    What was meant to is what the published memories say now, in the database, after redaction: of the same names and
    patterns as when it was published, and of those that are `given` (`options.named`). Raises NotFound where there is
    no publication, NotOurs for another folder, BadQuestion where nobody knows any more what was taken out.
    """
    folder = Path(out).absolute()
    said = marker(folder)
    if said is None:
        raise NotFound(f"There is no publication in {folder}.")
    try:
        keep, about = frozenset(map(str, said["keep"])), About(**said["about"])
        mark = Marked(str(said["name"]), str(said["made"]), tuple(keep), str(said["asked"]), bool(said["redacted"]))
        counts = {table: int(count) for table, count in said["counts"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotOurs(f"{folder}/{MARKER} is damaged. Publish into this folder again, then check it.") from error
    asked = options(folder, again.joined(again.before(conn, folder, said, given), given)).redaction
    ids = Ids.of(conn, mark.name)
    published = hashes(folder / DATABASE)
    visible = conn.execute(SELECT_VISIBLE, {"history": "history" in keep}).fetchall()
    known = {ids.new("memory", row["id"]): row["key"] for row in visible}
    keys = [known[id] for id in published if id in known]
    clean = Cleaner(redactor(conn, asked), asked.spare)
    found = rows(conn, keys, ids, clean, keep, mark.made)
    written = [*files.texts(about, counts).values(), files.marked(mark, about, counts, said["files"])]
    own = [*own_texts(None, folder / DATABASE), *written, *OWN_WORDS, *files.OWN_FILES, again.OWN_NAMES]
    now = {row["id"]: row["hash"] for row in found.memories.values()}
    return CheckReport(
        folder=str(folder),
        memories=len(published),
        leaks=leaks(conn, folder, [*texts(conn, found, clean), *about.texts], own, clean.originals),
        gone=tuple(id for id in published if id not in now),
        changed=tuple(id for id, hash in now.items() if published[id] != hash),
    )
