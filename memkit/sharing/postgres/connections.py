"""What may lie between two names of a store: the relations and memories up to half of the way from each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memkit.graph.edges import FEWEST_MEETINGS, MEETINGS
from memkit.graph.shortest_path import MOST_DEPTH, MOST_FRONTIER
from memkit.sharing.postgres.needs import with_references
from memkit.sharing.postgres.part import SELECT_MENTIONING, SELECT_NAMED
from memkit.sharing.postgres.server import Server
from memkit.sharing.postgres.units import Name, Unit
from memkit.text.words import normal_name

MOST_RELATIONS = 20_000  # of all names from which one step goes on

SELECT_RELATIONS = """
select id from memkit.units where kind = 'relations' and body #>> '{row,subject_key}' = any(%(ids)s)
union
select id from memkit.units where kind = 'relations' and body #>> '{row,object_key}' = any(%(ids)s)
limit %(limit)s
"""
SELECT_ENDS = """
select body #>> '{row,subject_key}' from memkit.units where kind = 'relations' and id = any(%(ids)s)
union
select body #>> '{row,object_key}' from memkit.units where kind = 'relations' and id = any(%(ids)s)
"""
SELECT_STATING = "select distinct memory from memkit.named where kind = 'relations' and id = any(%s)"
SELECT_MET = "select distinct id from memkit.named where kind = 'entities' and memory = any(%s) order by id"


def between(server: Server, names: Iterable[str], depth: int) -> dict[Name, Unit]:
    """The units of all paths of at most `depth` steps between these names (or ids of entities), and around them.

    A step goes on from at most 500 names, over the newest memories of each.
    """
    conn = server.conn

    def ids(query: str, parameters: Any) -> set[str]:
        return {row[0] for row in conn.execute(query, parameters)}

    names = list(names)
    front = ids(SELECT_NAMED, ([normal_name(name) for name in names],))
    front |= {name.id for name in server.units(Name("entities", id) for id in names)}
    reached, relations, memories = set(front), set[str](), set[str]()
    for _ in range((min(depth, MOST_DEPTH) + 1) // 2):
        from_here = sorted(front)[:MOST_FRONTIER]
        if not from_here:
            break
        over = ids(SELECT_RELATIONS, {"ids": from_here, "limit": MOST_RELATIONS})
        meetings = max(FEWEST_MEETINGS, MEETINGS // len(from_here))
        met = ids(SELECT_MENTIONING, (from_here, meetings))
        front = (ids(SELECT_ENDS, {"ids": list(over)}) | ids(SELECT_MET, (list(met),))) - reached
        reached |= front
        relations |= over
        memories |= met
    memories |= ids(SELECT_STATING, (list(relations),))
    return with_references(
        server,
        {
            *(Name("entities", id) for id in reached),
            *(Name("relations", id) for id in relations),
            *(Name("memories", id) for id in memories),
        },
    )
