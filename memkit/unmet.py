"""What a question is limited to and no memory has: a typo in a kind or a project, which would be silence otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from memkit.errors import nearest

LISTED = 20  # kinds or projects that a sentence names

GLOBAL = "global"  # is there before any memory is

HAS_KIND = "select exists (select 1 from memories where kind = :name)"
HAS_PROJECT = "select exists (select 1 from memories where project = :name)"
SELECT_KINDS = "select kind from memories group by kind order by count(*) desc, kind"
SELECT_PROJECTS = "select project from memories group by project order by count(*) desc, project"


def unmet(conn: Any, *, kinds: Iterable[str] = (), project: str | None = None) -> tuple[str, ...]:
    """A sentence for each of these kinds, and for the project, that no memory has, with those that there are."""
    return tuple(_sentences(conn, kinds, project))


def _sentences(conn: Any, kinds: Iterable[str], project: str | None) -> Iterator[str]:
    for kind in kinds:
        if not conn.execute(HAS_KIND, {"name": kind}).fetchone()[0]:
            yield f"No memory is of kind {kind!r}{_but(kind, conn, SELECT_KINDS)}"
    if project not in (None, GLOBAL) and not conn.execute(HAS_PROJECT, {"name": project}).fetchone()[0]:
        yield f"No memory belongs to the project {project!r}{_but(str(project), conn, SELECT_PROJECTS)}"


def _but(name: str, conn: Any, query: str) -> str:
    """What there is instead, the commonest first."""
    known = [row[0] for row in conn.execute(query)]
    more = f" and {len(known) - LISTED:,} more" if len(known) > LISTED else ""
    there = f"; there are: {', '.join(map(repr, known[:LISTED]))}{more}." if known else ": there are no memories yet."
    return there + nearest(name, known)
