"""A graph that grew row by row is the graph that is built from all rows at once."""

from __future__ import annotations

from collections import Counter
from typing import Any

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


def test_one_more_memory_is_appended(monkeypatch: Any) -> None:
    """In a graph of some size, remembering does not read everything again."""
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": f"Rosa met Kofi Abara on day {n}."} for n in range(40)], now=NOW)
        before = adjacency.graph(db.conn)
        monkeypatch.setattr(adjacency, "_build", None)
        db.remember("Rosa has a boat.", now=NOW)
        assert len(adjacency.graph(db.conn).adjacency) == len(before.adjacency) + 1
