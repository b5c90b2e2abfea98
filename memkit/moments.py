"""What happened and what held, on one axis of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memkit.graph import entities
from memkit.store import dumps

MOST = 2000  # memories, and facts, of one timeline

SELECT_HAPPENED = """
select id, kind, text, coalesce(happened_at, created_at) as start, null as "end"
from memories as m
where archived_at is null
    and (:project is null or project = :project)
    and (:kinds is null or kind in (select value from json_each(:kinds)))
    and (:entity_key is null or key in (select memory_key from mentions where entity_key = :entity_key))
order by start, key
limit :most
"""
SELECT_HELD = """
select r.id, r.predicate as kind, s.name || ' ' || replace(r.predicate, '_', ' ') || ' ' || o.name as text,
    r.valid_from as start, r.valid_until as "end"
from relations as r
    join entities as s on s.key = r.subject_key
    join entities as o on o.key = r.object_key
where r.expired_at is null and (r.valid_from is not null or r.valid_until is not null)
    and (:entity_key is null or :entity_key in (r.subject_key, r.object_key))
order by coalesce(r.valid_from, r.valid_until), r.key
limit :most
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """A memory when it happened, or a fact while it held: an end that is None is open; its `kind` is its predicate."""

    id: str
    kind: str
    text: str
    start: str | None
    end: str | None = None

    def within(self, since: str | None, until: str | None) -> bool:
        """Whether some of it lies from `since` to before `until`; a memory ends where it begins."""
        begins_in_time = until is None or self.start is None or self.start < until
        return begins_in_time and (since is None or self.end is None or self.end >= since)


@dataclass(frozen=True)
class Moments:
    """The memories and the facts of a timeline, earliest first."""

    memories: tuple[Moment, ...]
    facts: tuple[Moment, ...]


def moments(
    conn: Any,
    *,
    name: str | None = None,
    project: str | None = None,
    kinds: Sequence[str] | None = None,
    most: int = MOST,
) -> Moments:
    """The memories (of a project, of some kinds, that name somebody) by when they happened, and the facts by validity.

    A memory without a date of its own stands where it became known. Raises NotFound for an unknown name.
    """
    key = entities.find(conn, name).key if name else None
    chosen = {
        "project": project,
        "kinds": None if kinds is None else dumps(list(kinds)),
        "entity_key": key,
        "most": most,
    }
    happened = (Moment(**{**dict(row), "end": row["start"]}) for row in conn.execute(SELECT_HAPPENED, chosen))
    held = (Moment(**dict(row)) for row in conn.execute(SELECT_HELD, {"entity_key": key, "most": most}))
    return Moments(tuple(happened), tuple(held))
