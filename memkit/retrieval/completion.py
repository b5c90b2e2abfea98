"""Type-ahead: the names and titles that begin with what was typed so far, the most named first."""

from __future__ import annotations

from collections.abc import Iterator

from memkit.graph.entities import IS_CURRENT
from memkit.storage.connection import Connection
from memkit.text.words import has_cjk, normal_name

LONGEST = 100  # characters of what was typed
CANDIDATES = 200  # names that are counted; there are more only for one or two letters
LONGEST_NAME = 8  # words at the end of a question that may begin a name
LONGEST_CJK = 6  # characters at its end that may begin one
WITHIN = 3  # letters from which on later words of a name count, too


def _names(where: str) -> str:
    return f"""
with found as (
    select distinct entity_key from aliases
    where {where} and source not in ('bare', 'file', 'plural')
    limit :candidates
)
select e.name from found as f join entities as e on e.key = f.entity_key
where e.merged_into is null and e.kind <> 'value' and {IS_CURRENT}
order by (select count(*) from mentions where entity_key = e.key) desc, e.name
limit :most
"""


SELECT_BEGINNING = _names("normal >= :start and normal < :end")
SELECT_LATER = _names("instr(normal, ' ' || :start)")
SELECT_TITLES = """
select distinct title from documents as d
where exists (select 1 from memories as m where m.document_key = d.key and m.archived_at is null)
    and title is not null and lower(substr(title, 1, length(:typed))) = lower(:typed)
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


def completing(conn: Connection, question: str, most: int) -> list[str]:
    """At most so many ways to go on with a question whose last words begin a name or a title, the longest first."""
    found: dict[str, str] = {}  # a name, and the question that ends with it: once, in place of the most words
    for end in _ends(question):
        if len(found) < most:
            before = question.removesuffix(end)
            for name in beginning(conn, end, most):
                found.setdefault(name, before + name)
    return list(dict.fromkeys(found.values()))[:most]


def _ends(question: str) -> Iterator[str]:
    """The last words of a question, of eight down to one; of a script without spaces also the last characters."""
    words = question.split(" ")
    for n in range(min(LONGEST_NAME, len(words)), 0, -1):
        end = " ".join(words[-n:])
        if len(end.strip()) > 1 or len(words) == 1:
            yield end
    last = words[-1]
    if has_cjk(last):
        yield from (last[-n:] for n in range(min(LONGEST_CJK, len(last) - 1), 1, -1))
