"""What a question is limited to and no memory has: a typo in a kind or a project, which would be silence otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from memkit.caches import unchanged
from memkit.errors import nearest
from memkit.types import GLOBAL

LISTED = 20  # kinds or projects that a sentence names

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
            yield f"No memory is of kind {kind!r}{_but(kind, _those(conn, SELECT_KINDS))}"
    if project not in (None, GLOBAL) and not conn.execute(HAS_PROJECT, {"name": project}).fetchone()[0]:
        yield f"No memory belongs to the project {project!r}{_but(str(project), _those(conn, SELECT_PROJECTS))}"


def _those(conn: Any, query: str) -> list[str]:
    """What there is, the commonest first; counted once for each state of the file, as it looks at every memory."""
    return unchanged(conn, query, lambda: [row[0] for row in conn.execute(query)])


def _but(name: str, known: list[str]) -> str:
    """What there is instead."""
    more = f" and {len(known) - LISTED:,} more" if len(known) > LISTED else ""
    there = f"; there are: {', '.join(map(repr, known[:LISTED]))}{more}." if known else ": there are no memories yet."
    return there + nearest(name, known)
