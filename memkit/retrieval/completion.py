"""Type-ahead: the names and titles that begin with what was typed so far, the most named first."""

from __future__ import annotations

from memkit.storage.connection import Connection
from memkit.text.words import normal_name

LONGEST = 100  # characters of what was typed
CANDIDATES = 200  # names that are counted; there are more only for one or two letters
WITHIN = 3  # letters from which on later words of a name count, too


def _names(where: str) -> str:
    return f"""
with found as (
    select distinct entity_key from aliases
    where {where} and source not in ('bare', 'file', 'plural')
    limit :candidates
)
select e.name from found as f join entities as e on e.key = f.entity_key
where e.merged_into is null and e.kind <> 'value'
order by (select count(*) from mentions where entity_key = e.key) desc, e.name
limit :most
"""


SELECT_BEGINNING = _names("normal >= :start and normal < :end")
SELECT_LATER = _names("instr(normal, ' ' || :start)")
SELECT_TITLES = """
select distinct title from documents
where archived_at is null and title is not null and lower(substr(title, 1, length(:typed))) = lower(:typed)
order by length(title), title
limit :most
"""


def beginning(conn: Connection, typed: str, most: int) -> list[str]:
    """At most so many names, then titles, that begin with this text; names also where a later word does."""
    typed = typed.strip()[:LONGEST]
    start = normal_name(typed)
    if not start or most < 1:
        return []
    asked = {"start": start, "end": start + "\U0010ffff", "candidates": CANDIDATES, "typed": typed, "most": most}
    found: dict[str, None] = {}
    for query in (SELECT_BEGINNING, SELECT_LATER, SELECT_TITLES):
        if len(found) < most and (query != SELECT_LATER or len(start) >= WITHIN):
            found |= {row[0]: None for row in conn.execute(query, asked)}
    return list(found)[:most]
