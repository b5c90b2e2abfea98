"""Bridges: memories that share a rare name with a good hit, and have words of the question that this hit lacks.

"Who is the sibling of the actress who played Susan Walker?" finds the film; who played in it, and her siblings, stand
in another memory, which the name of the actress leads to. It has a title of its own, so that no link leads there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from math import log2
from typing import NamedTuple

from memkit.core.classes import dataclass
from memkit.core.formatting import short
from memkit.graph.walk_results import WalkStep
from memkit.graph.whole_counts import naming
from memkit.retrieval.channels.fulltext import TermPostings
from memkit.retrieval.fusion import best_first
from memkit.retrieval.question import Question
from memkit.retrieval.strategies import Bridge as Settings
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json
from memkit.text.words import words

LONGEST_NAME = 60  # characters of a name in a path

MOST_NAMES = 60  # in a source: a list of more names leads to whatever is on it

# The entities in the given memories that a few others name, too, each with those others. Counting stops early, and
# counts each entity once: SQLite would otherwise count again for each row. The order of the tables is given: in a view
# of one project SQLite would begin at all memories of the project.
SELECT_SHARED = """
with named as materialized (
    select distinct t.memory_key as source, t.entity_key
    from mentions as t where t.memory_key in (select value from json_each(:sources)) and t.role <> 'speaker'
), near as materialized (
    select source, entity_key from named
    where source in (select source from named group by source having count(*) <= :most_names)
), rare as materialized (
    select entity_key, (
        select count(*) from (
            select distinct memory_key from mentions
            where entity_key = n.entity_key and role <> 'speaker' limit :most + 1
        )
    ) as n
    from (select distinct entity_key from near) as n
)
select distinct near.source, near.entity_key, e.name, rare.n, t.memory_key as reached
from rare
    cross join near on near.entity_key = rare.entity_key
    cross join entities as e on e.key = rare.entity_key
    cross join memories as a on a.key = near.source
    cross join mentions as t on t.entity_key = rare.entity_key and t.memory_key <> near.source and t.role <> 'speaker'
    cross join memories as b on b.key = t.memory_key
where rare.n between 2 and :most and (a.position is null or a.document_key is not b.document_key)
order by near.source, near.entity_key, reached
"""
SELECT_TITLES = """
select key, coalesce(title, substr(text, 1, 200)) as name
from memories where key in (select value from json_each(:keys))
"""


class Bridge(NamedTuple):
    """How a memory was reached: from a hit (`source`), over an entity in both."""

    source: int
    entity: str


@dataclass(frozen=True)
class Bridges:
    """The memories that bridges lead to, best first (scores of 0 to 1, where the best hit has 1), and how."""

    ranking: dict[int, float] = field(default_factory=dict)
    over: Mapping[int, Bridge] = field(default_factory=dict)

    def path(self, conn: Connection, memory: int) -> tuple[WalkStep, ...]:
        """The two steps to a memory: from the hit to the entity, and from there to it; empty if none leads there."""
        if memory not in self.over:
            return ()
        bridge = self.over[memory]
        rows = conn.execute(SELECT_TITLES, {"keys": keys_json((bridge.source, memory))})
        names = {row["key"]: short(row["name"], LONGEST_NAME) for row in rows}
        if len(names) < 2:
            return ()
        entity = short(bridge.entity, LONGEST_NAME)
        return WalkStep(names[bridge.source], "mention", entity), WalkStep(entity, "mentioned", names[memory])


def search(
    conn: Connection,
    sources: Mapping[int, float],
    terms: Sequence[TermPostings],
    question: Question,
    settings: Settings,
) -> Bridges:
    """The memories that share an entity with one of `sources` (hits with their scores, the best is 1).

    An entity counts if 2 to `most` memories mention it, and if the question does not name it. Memories that follow each
    other in one document share names anyway: none is a bridge to another; nor is a list of more than MOST_NAMES names.
    Of a source with the score s, an entity in n memories gives each of them s / log2(1 + n) x (`base` + c): c is the
    share, by rarity, of the question's words that the source lacks and the memory has. The greatest of these counts.
    """
    asked, known, whole = set(words(question.text)), {one.entity.key for one in question.named}, naming(conn)
    chosen = {"sources": keys_json(sources), "most": settings.most, "most_names": MOST_NAMES}
    rows = [
        row
        for row in conn.execute(SELECT_SHARED, chosen)
        if row["entity_key"] not in known
        and not asked.issuperset(words(row["name"]))
        and whole.get(row["entity_key"], 0) <= settings.most
    ]
    if not rows:
        return Bridges()
    keys = sorted({*sources, *(row["reached"] for row in rows)})
    place = {key: at for at, key in enumerate(keys)}
    new = _new_words(keys, [place[key] for key in sources], terms)
    brought = dict(zip(sources, new, strict=True))
    scores: dict[int, float] = {}
    over: dict[int, Bridge] = {}
    for row in rows:
        source, reached = row["source"], row["reached"]
        naming_it = max(row["n"], whole.get(row["entity_key"], 0))
        score = sources[source] / log2(1 + naming_it) * (settings.base + brought[source][place[reached]])
        if score > scores.get(reached, 0.0):
            scores[reached], over[reached] = score, Bridge(source, row["name"])
    return Bridges(best_first(scores.items()), over)


def _new_words(keys: list[int], sources: list[int], terms: Sequence[TermPostings]) -> list[list[float]]:
    """For each source (a place in `keys`), of each key: the share of the terms, by rarity, that only the key has."""
    import numpy as np

    asked = np.array(keys, np.int64)
    has = np.array([term.has(asked) for term in terms]).reshape(len(terms), len(keys))
    rarity = np.array([term.rarity for term in terms])
    share = rarity / max(rarity.sum(), 1e-9)
    found: list[list[float]] = [(share @ (has & ~has[:, [at]])).tolist() for at in sources]
    return found
