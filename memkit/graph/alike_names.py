"""Names that may mean the same entity, to be offered for merging: a person decides.

What is surely the same was made one when it was read (`name_similarity.py`). Here are the pairs that were not sure
enough: the same name of different kinds, a first name beside the only full name that begins with it, and names that
differ in a few letters.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from memkit.graph.entities import Entity, by_keys
from memkit.storage.connection import Connection
from memkit.text.extract.resolve import canonical_name

CONSIDERED = 3000  # the names that most memories name
LEAST_SPELLING = 0.84  # similarity by letters, 0 to 1; chosen by reading the pairs of samples/ and of public gardens
SHORTEST = 5  # letters; shorter names are alike by chance
MOST_ALIKE = 40  # names that begin alike are compared if there are at most so many
BEGINNING = 3  # letters that they share

SELECT_MOST_NAMED = """
select e.key, count(x.memory_key) as memories
from entities as e left join mentions as x on x.entity_key = e.key
where e.merged_into is null and e.kind not in ('concept', 'value')
group by e.key order by memories desc, e.key limit :limit
"""

_NUMBER = re.compile(r"\d+")


def alike_names(conn: Connection, most: int) -> list[tuple[Entity, Entity]]:
    """The most likely pairs, the one first that more memories name; at most `most`."""
    keys = [row["key"] for row in conn.execute(SELECT_MOST_NAMED, {"limit": CONSIDERED})]
    known = by_keys(conn, keys)
    named = [known[key] for key in keys if key in known]
    found: dict[tuple[int, int], float] = {}
    for one, other, likeness in _pairs(named):
        pair = (one, other) if one < other else (other, one)
        found[pair] = max(found.get(pair, 0.0), likeness)
    best = sorted(found, key=lambda pair: (-found[pair], pair))[:most]
    return [(named[one], named[other]) for one, other in best]


def _pairs(named: Sequence[Entity]) -> Iterator[tuple[int, int, float]]:
    """Pairs of positions with how likely they are the same, 0 to 1."""
    names = [canonical_name(one.name, one.kind) for one in named]
    yield from ((one, other, 1.0) for one, other in _grouped((name, n) for n, name in enumerate(names)))
    yield from _shortened(named, names)
    beginnings = ((name[:BEGINNING], n) for n, name in enumerate(names) if len(name) >= SHORTEST)
    for one, other in _grouped(beginnings):
        if (likeness := _spelled_alike(names[one], names[other])) >= LEAST_SPELLING:
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


def _spelled_alike(one: str, other: str) -> float:
    """The similarity by letters; 0 if numbers differ, or if one word of several is another one."""
    from rapidfuzz.distance import OSA

    if _NUMBER.findall(one) != _NUMBER.findall(other) or len(one.split()) != len(other.split()):
        return 0.0
    return min(OSA.normalized_similarity(a, b) for a, b in zip(one.split(), other.split(), strict=True))
