"""A graph that grew row by row is the graph that is built from all rows at once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.graph import adjacency

NOW = "2025-06-01T12:00:00Z"
WORDS = st.sampled_from(["Rosa", "Kofi Abara", "Nightshade", "the quince", "Lisbon", "Dr. Martinez", "a boat", "cello"])
TEXTS = st.lists(WORDS, min_size=1, max_size=5).map(lambda names: "Yesterday we saw " + " and ".join(names) + ".")
ROWS = st.fixed_dictionaries(
    {"text": TEXTS},
    optional={"title": WORDS, "session": st.sampled_from("ab"), "speaker": st.sampled_from(["Ann", "Bo"])},
)


def edges(graph: adjacency.Graph) -> Counter[Any]:
    """Every edge from both of its ends, by what stands there."""
    one = graph.adjacency
    names = list(zip(one.kinds.tolist(), one.keys.tolist(), strict=True))
    found: Counter[Any] = Counter()
    for node in range(len(one)):
        for at in range(one.offsets[node], one.offsets[node + 1]):
            found[names[node], names[one.targets[at]], int(one.types[at]), round(float(one.weights[at]), 5)] += 1
    return found


@settings(max_examples=40, deadline=None)
@given(st.lists(ROWS, min_size=1, max_size=12), st.lists(st.one_of(ROWS, TEXTS), min_size=1, max_size=6))
def test_a_grown_graph_is_the_built_one(first: list[dict[str, str]], then: list[Any]) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest(first, now=NOW)
        adjacency.graph(db.conn)
        for more in then:
            if isinstance(more, str):
                db.remember(more, now=NOW)
            else:
                db.ingest([more], now=NOW)
            assert edges(adjacency.graph(db.conn)) == edges(adjacency._build(db.conn))


@pytest.mark.parametrize(
    ("longer", "shorter"),
    [
        ("We saw Rosa Grizan.", "We saw Rosa and Otto."),
        ("We saw the Hotel Rosa.", "We saw Rosa."),
        ("昨日「東京タワー」に行った。", "今日「東京」に行った。"),
    ],
)
def test_a_name_that_comes_later_is_not_found_in_a_longer_one(longer: str, shorter: str) -> None:
    """Who is named where does not depend on which memory came first."""
    found = []
    for texts in ((longer, shorter), (shorter, longer)):
        with MemoryDatabase(embed="none") as db:
            for text in texts:
                db.remember(text, now=NOW)
            query = "select m.text, e.name from mentions as x join memories as m on m.key = x.memory_key"
            rows = db.conn.execute(query + " join entities as e on e.key = x.entity_key")
            found.append({tuple(row) for row in rows})
    assert found[0] == found[1]
    assert all(name in text for text, name in found[0])


def test_one_more_memory_is_appended(monkeypatch: Any) -> None:
    """In a graph of some size, remembering does not read everything again."""
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": f"Rosa met Kofi Abara on day {n}."} for n in range(40)], now=NOW)
        before = adjacency.graph(db.conn)
        monkeypatch.setattr(adjacency, "_build", None)
        db.remember("Rosa has a boat.", now=NOW)
        assert len(adjacency.graph(db.conn).adjacency) == len(before.adjacency) + 1
