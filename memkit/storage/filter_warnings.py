"""Filter warnings: sentences about a kind or project that no memory has, because it may be a typo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memkit.core.errors import nearest
from memkit.core.types import GLOBAL
from memkit.storage.caches import unchanged
from memkit.storage.connection import Connection

NOTHING_YET = "There are no memories yet."
LISTED = 20  # the most kinds or projects that a sentence lists

HAS_MEMORIES = "select exists (select 1 from memories)"
HAS_KIND = "select exists (select 1 from memories where kind = :name)"
HAS_PROJECT = "select exists (select 1 from memories where project = :name)"
HAS_KIND_IN_PROJECT = """
select exists (select 1 from memories where project in (:project, 'global') and kind = :name)
"""
SELECT_KINDS = "select kind from memories group by kind order by count(*) desc, kind"
SELECT_PROJECTS = "select project from memories group by project order by count(*) desc, project"


def nothing_yet(conn: Connection) -> tuple[str, ...]:
    """A sentence if there is no memory at all."""
    return () if conn.execute(HAS_MEMORIES).fetchone()[0] else (NOTHING_YET,)


def unmatched_filters(
    conn: Connection, *, kinds: Iterable[str] = (), project: str | None = None, only_project: bool = False
) -> tuple[str, ...]:
    """A sentence for each given kind or project that no memory has; it lists the existing ones.

    With `only_project` it lists none, because they may be of other projects.
    """
    return tuple(_sentences(conn, kinds, project, only_project))


def _sentences(conn: Connection, kinds: Iterable[str], project: str | None, only_project: bool) -> Iterator[str]:
    if only_project:
        if project != GLOBAL and not conn.execute(HAS_PROJECT, {"name": project}).fetchone()[0]:
            yield f"No memory belongs to the project {project!r}. The command `memkit info` lists all projects."
        for kind in kinds:
            if not conn.execute(HAS_KIND_IN_PROJECT, {"name": kind, "project": project}).fetchone()[0]:
                yield f"No memory of the project {project!r} is of kind {kind!r}."
        return
    for kind in kinds:
        if not conn.execute(HAS_KIND, {"name": kind}).fetchone()[0]:
            yield f"No memory is of kind {kind!r}{_but(kind, _those(conn, SELECT_KINDS))}"
    if project not in (None, GLOBAL) and not conn.execute(HAS_PROJECT, {"name": project}).fetchone()[0]:
        yield f"No memory belongs to the project {project!r}{_but(str(project), _those(conn, SELECT_PROJECTS))}"


def _those(conn: Connection, query: str) -> list[str]:
    """The existing names, the most frequent first. Cached, because the query reads every memory."""
    return unchanged(conn, query, lambda: [row[0] for row in conn.execute(query)])


def _but(name: str, known: list[str]) -> str:
    """The second half of the sentence: the existing names, and the most similar ones."""
    more = f" and {len(known) - LISTED:,} more" if len(known) > LISTED else ""
    there = f"; there are: {', '.join(map(repr, known[:LISTED]))}{more}." if known else ": there are no memories yet."
    return there + nearest(name, known)
