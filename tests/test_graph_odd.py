"""Names and statements that are none, and names that everything bears: bounded, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest

from memkit import MemoryDatabase
from memkit.graph import adjacency, entities, random_walk

NOW = "2025-06-01T12:00:00Z"
LONG = "Rosa " + "Bo" * 5000


@pytest.mark.parametrize(
    "row",
    [
        {"text": f"We saw {LONG} and Otto."},
        {"text": f"We saw Otto and [[{LONG}]]."},
        {"text": "We saw Otto.", "title": LONG},
        {"text": "We saw Otto.", "speaker": LONG},
        {"text": "We saw Otto and [[]], [[ ]], [[|she]] and @.", "title": "", "speaker": ""},
        {"text": "We saw Otto.", "title": "!?", "speaker": "…"},
    ],
    ids=["text", "wikilink", "title", "speaker", "empty", "signs"],
)
def test_what_is_no_name_makes_no_entity_and_its_memory_stays(db: MemoryDatabase, row: dict[str, str]) -> None:
    db.ingest([row], now=NOW)
    names = [name for (name,) in db.conn.execute("select alias from aliases")]
    assert all(entities.valid_name(name) for name in names)
    assert "Otto" in names
    assert db.about("Otto", now=NOW).mentioned == 1
    assert len(db.recall("Otto", now=NOW)) == 1


@pytest.mark.parametrize(
    "text", ["Otto knows Otto.", "Otto lives in Otto.", "Otto is Otto's brother.", "Otto is Otto."]
)
def test_nobody_is_said_to_be_related_to_himself(db: MemoryDatabase, text: str) -> None:
    db.ingest([{"text": f"We saw Otto. {text}"}], now=NOW)
    assert db.graph_stats().relations == 0
    assert db.about("Otto", now=NOW).mentioned == 1


@pytest.mark.parametrize(
    "text",
    ["Otto moved to Lisbon in 99999.", "Since 99999-12-31 Otto lives in Lisbon.", "Otto lives in Lisbon until 0."],
)
def test_a_year_that_no_calendar_has_gives_no_time(db: MemoryDatabase, text: str) -> None:
    db.ingest([{"text": text, "timestamp": "2025-01-01"}], now=NOW)
    times = [tuple(row) for row in db.conn.execute("select valid_from, valid_until from relations")]
    assert all(when is None or when <= NOW for row in times for when in row)


def test_a_million_mentions_of_one_name_do_not_drown_a_rare_one() -> None:
    """Two names are asked for: what names the rare one too stands before everything that names the popular one only."""
    size = 1_000_000
    hub, rare, both = size, size + 1, 500_000
    kinds = np.r_[np.full(size, random_walk.MEMORY), random_walk.ENTITY, random_walk.ENTITY].astype(np.uint8)
    sources, targets = np.r_[np.arange(size), both], np.r_[np.full(size, hub), rare]
    graph = random_walk.build(
        kinds, np.arange(size + 2), sources, targets, np.ones(size + 1), np.zeros(size + 1, np.uint8)
    )
    best, _ = random_walk.pagerank(graph, {hub: 1.0, rare: 1.0}).top(1, random_walk.MEMORY)
    assert best.tolist() == [both]
    found = random_walk.pagerank(graph, {both: 1.0}, specificity=1.0)
    nodes, scores = found.top(2, random_walk.ENTITY)
    assert nodes.tolist() == [rare, hub]
    assert scores[0] > 1000 * scores[1]


def test_a_name_in_every_memory_leaves_the_rare_one_first(db: MemoryDatabase) -> None:
    db.ingest([{"text": f"We saw Rosa by the pond on day {n}."} for n in range(1500)], now=NOW)
    db.ingest([{"id": "both", "text": "We saw Rosa and Kofi Abara."}], now=NOW)
    assert db.recall("where were Rosa and Kofi Abara?", 3, now=NOW)[0].memory.source_id == "both"
    whole = adjacency.graph(db.conn)
    keys = [entities.find(db.conn, name).key for name in ("Rosa", "Kofi Abara")]
    walk = random_walk.pagerank(whole.adjacency, {int(node): 1.0 for node in whole.entity_nodes(keys)})
    (best,), _ = walk.top(1, random_walk.MEMORY)
    assert whole.adjacency.keys[best] == 1501
    assert len(db.about("Rosa", now=NOW).memories) == 50


def test_mentions_of_names_that_are_not_there_are_no_edges(db: MemoryDatabase) -> None:
    db.ingest([{"text": "We saw Otto.", "title": "Otto"}], now=NOW)
    db.conn.execute("pragma foreign_keys = off")
    db.conn.execute("update mentions set entity_key = 999 + entity_key")  # as another program may
    assert not len(adjacency.graph(db.conn).adjacency.targets)
    assert len(db.recall("Otto", now=NOW)) == 1
