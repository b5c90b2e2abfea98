"""Names that may mean the same entity, to be offered for merging: a person decides.

What is surely the same was made one when it was read (`name_similarity.py`). Here are the pairs that were not sure
enough: the same name of different kinds, a first name beside the only full name that begins with it, and names that
differ in a few letters. The latter are two if one text names both, or if both speak in one conversation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice

from memkit.graph.entities import IS_SHOWN, Entity, by_keys
from memkit.storage.connection import Connection
from memkit.text.extract.resolve import canonical_name
from memkit.text.extract.resolve import likeness as spelled_alike

CONSIDERED = 3000  # the names that most memories name
LEAST_SPELLING = 0.84  # similarity by letters, 0 to 1; chosen by reading the pairs of samples/ and of public gardens
SHORTEST = 5  # letters; shorter names are alike by chance
MOST_ALIKE = 40  # names that begin alike are compared if there are at most so many
BEGINNING = 3  # letters that they share

SELECT_MOST_NAMED = f"""
select e.key, count(x.memory_key) as memories
from entities as e left join mentions as x on x.entity_key = e.key
where e.merged_into is null and {IS_SHOWN} and e.kind not in ('concept', 'value')
group by e.key order by memories desc, e.key limit :limit
"""
SELECT_NAMED_TOGETHER = """
select memory_key from mentions where entity_key = :one
intersect
select memory_key from mentions where entity_key = :other
limit 1
"""
SELECT_SPEAK_TOGETHER = """
select m.document_key from mentions as x join memories as m on m.key = x.memory_key
where x.entity_key = :one and x.role = 'speaker' and m.document_key is not null
intersect
select m.document_key from mentions as x join memories as m on m.key = x.memory_key
where x.entity_key = :other and x.role = 'speaker' and m.document_key is not null
limit 1
"""


def alike_names(conn: Connection, most: int) -> list[tuple[Entity, Entity]]:
    """The most likely pairs, the one first that more memories name; at most `most`."""
    keys = [row["key"] for row in conn.execute(SELECT_MOST_NAMED, {"limit": CONSIDERED})]
    known = by_keys(conn, keys)
    named = [known[key] for key in keys if key in known]
    found: dict[tuple[int, int], float] = {}
    for one, other, likeness in _pairs(named):
        pair = (one, other) if one < other else (other, one)
        found[pair] = max(found.get(pair, 0.0), likeness)
    best = sorted(found, key=lambda pair: (-found[pair], pair))
    pairs = ((named[one], named[other]) for one, other in best)
    return list(islice((pair for pair in pairs if not _apart(conn, *pair)), most))


def _apart(conn: Connection, one: Entity, other: Entity) -> bool:
    """Whether two names that differ in a few letters stand as two in a text or in a conversation."""
    names = [canonical_name(each.name, each.kind) for each in (one, other)]
    if not LEAST_SPELLING <= spelled_alike(*names) < 1.0:
        return False
    ends = {"one": one.key, "other": other.key}
    return any(conn.execute(query, ends).fetchone() for query in (SELECT_NAMED_TOGETHER, SELECT_SPEAK_TOGETHER))


def _pairs(named: Sequence[Entity]) -> Iterator[tuple[int, int, float]]:
    """Pairs of positions with how likely they are the same, 0 to 1."""
    names = [canonical_name(one.name, one.kind) for one in named]
    yield from ((one, other, 1.0) for one, other in _grouped((name, n) for n, name in enumerate(names)))
    yield from _shortened(named, names)
    beginnings = ((name[:BEGINNING], n) for n, name in enumerate(names) if len(name) >= SHORTEST)
    for one, other in _grouped(beginnings):
        if (likeness := spelled_alike(names[one], names[other])) >= LEAST_SPELLING:
            yield one, other, likeness


def _grouped(keyed: Iterable[tuple[str, int]]) -> Iterator[tuple[int, int]]:
    groups: dict[str, list[int]] = defaultdict(list)
    for key, n in keyed:
        groups[key].append(n)
    return (pair for group in groups.values() if len(group) <= MOST_ALIKE for pair in combinations(group, 2))


def _shortened(named: Sequence[Entity], names: Sequence[str]) -> Iterator[tuple[int, int, float]]:
    """A name of one word, and the only full name of a person that begins with it: `Rosa` and `Rosa Tamsin`."""
    longer: dict[str, list[int]] = defaultdict(list)
    for n, name in enumerate(names):
        first, _, rest = name.partition(" ")
        if rest and not rest.startswith("s ") and named[n].kind == "person":
            longer[first].append(n)
    for n, name in enumerate(names):
        if " " not in name and named[n].kind in ("person", "thing") and len(longer.get(name, ())) == 1:
            yield n, longer[name][0], 0.9
