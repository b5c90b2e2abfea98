"""A graph that grew row by row is the graph that is built from all rows at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from conftest import check_graph, edges
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.graph import adjacency, random_walk
from memkit.ingestion import entity_linking, parts
from memkit.storage import driver, store

NOW, LATER = "2025-06-01T12:00:00Z", "2025-06-02T12:00:00Z"
WORDS = st.sampled_from(["Rosa", "Kofi Abara", "Nightshade", "the quince", "Lisbon", "Dr. Martinez", "a boat", "cello"])
TEXTS = st.lists(WORDS, min_size=1, max_size=5).map(lambda names: "Yesterday we saw " + " and ".join(names) + ".")
ROWS = st.fixed_dictionaries(
    {"text": TEXTS},
    optional={"title": WORDS, "session": st.sampled_from("ab"), "speaker": st.sampled_from(["Ann", "Bo"])},
)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(ROWS, min_size=1, max_size=12), st.lists(st.one_of(ROWS, TEXTS), min_size=1, max_size=6), st.integers(1, 3)
)
def test_a_grown_graph_is_the_built_one(first: list[dict[str, str]], then: list[Any], few: int) -> None:
    with MemoryDatabase(embed="none") as db, pytest.MonkeyPatch.context() as patch:
        patch.setattr(random_walk, "LIST", few)
        patch.setattr(random_walk, "MOST_NAMED", few)
        db.ingest(first, now=NOW)
        assert len(adjacency.graph(db.conn).adjacency.specific_weights) >= 0
        for more in then:
            if isinstance(more, str):
                db.remember(more, now=NOW)
            else:
                db.ingest([more], now=NOW)
            check_graph(db)
            grown = adjacency.graph(db.conn).adjacency
            assert grown.specific_weights.tolist() == replace(grown).specific_weights.tolist(), "kept, and made anew"


RELATED = "Rosa", "likes", "quince"


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (
            lambda db, ids: db.relate(*RELATED, confidence=0.5, now=NOW),
            lambda db, ids: db.relate(*RELATED, confidence=0.9, now=LATER),
        ),
        (lambda db, ids: db.link(*ids, "part_of", weight=0.5), lambda db, ids: db.link(*ids, "part_of", weight=0.9)),
        (lambda db, ids: db.remember("Rosa likes Otto."), lambda db, ids: db.remember("Rosa likes Otto. She does.")),
    ],
)
def test_what_weighs_more_than_before_weighs_more_in_the_graph(first: Any, then: Any) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": f"On day {n} we saw Ann and Bo."} for n in range(40)], now=NOW)
        ids = [row[0] for row in db.conn.execute("select id from memories limit 2")]
        first(db, ids)
        before = edges(adjacency.graph(db.conn))
        then(db, ids)
        assert edges(adjacency.graph(db.conn)) != before
        check_graph(db)


def test_a_link_of_a_weight_that_another_writer_gives_it_has_it_in_the_graph() -> None:
    with MemoryDatabase(embed="none") as db:
        one, other = (db.remember(text, now=NOW).key for text in ("one", "other"))
        store.link(db.conn, one, other, "relates_to", NOW, weight=0.7, why="near duplicate")
        adjacency.graph(db.conn)
        store.link(db.conn, one, other, "relates_to", NOW, why="front matter")
        check_graph(db)


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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("The Official Name Of The Garden Society Of Northern Lund And Malmö And Ystad", "Rosa joined {} in May."),
        ("北海道大学大学院農学研究院付属植物園", "昨日、{}へ行った。"),
        ("東京Tower", "私は{}へ行った。"),
        ("Tシャツ研究会", "私は{}へ行った。"),
    ],
)
def test_a_memory_names_the_same_alone_and_among_many(name: str, text: str) -> None:
    found = []
    for others in (0, entity_linking.FEW):
        with MemoryDatabase(embed="none") as db:
            db.ingest([{"title": name, "text": "Something about quinces."}], now=NOW)
            rows = [{"id": n, "text": f"Nothing of note on day {n}."} for n in range(others)]
            db.ingest([{"id": "it", "text": text.format(name)}, *rows], now=NOW)
            query = "select e.name from mentions as x join memories as m on m.key = x.memory_key"
            query += " join entities as e on e.key = x.entity_key where m.source_id = 'it'"
            found.append({row[0] for row in db.conn.execute(query)})
    assert name in found[0]
    assert found[0] == found[1]


def test_one_more_memory_is_appended(monkeypatch: Any) -> None:
    """In a graph of some size, remembering does not read everything again."""
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": f"Rosa met Kofi Abara on day {n}."} for n in range(40)], now=NOW)
        before = adjacency.graph(db.conn)
        monkeypatch.setattr(adjacency, "_build", None)
        db.remember("Rosa has a boat.", now=NOW)
        assert len(adjacency.graph(db.conn).adjacency) == len(before.adjacency) + 1


def test_one_more_link_is_appended(monkeypatch: Any) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"id": n, "text": f"Rosa met Kofi Abara on day {n}."} for n in range(40)], now=NOW)
        before = adjacency.graph(db.conn)
        monkeypatch.setattr(adjacency, "_build", None)
        db.link(*(row[0] for row in db.conn.execute("select id from memories limit 2")), "part_of")
        assert len(adjacency.graph(db.conn).adjacency.targets) == len(before.adjacency.targets) + 2


def test_what_is_edited_while_it_is_read_is_read_again_and_not_quoted(tmp_path, monkeypatch):
    """Another process edits between the reading of the statements and the writing of their evidence."""
    path, matcher_of = tmp_path / "m.db", parts.matcher_of
    with MemoryDatabase(path, embed="none") as db, MemoryDatabase(path, embed="none") as other:

        def late(*given):
            monkeypatch.setattr(parts, "matcher_of", matcher_of)
            with driver.writing(other.conn):
                other.conn.execute("update memories set text = 'Otto lives in Lund.', hash = 'another'")
            return matcher_of(*given)

        monkeypatch.setattr(parts, "matcher_of", late)
        db.ingest([{"id": "a", "text": "Otto lives in Porto."}])
        assert db.conn.execute("select count(*) from evidence").fetchone()[0] == 0
        db.ingest([])
        (relation,) = db.about("Otto").relations
        assert (relation.object, relation.evidence[0].quote) == ("Lund", "Otto lives in Lund.")


def test_of_many_slices_only_what_is_edited_or_deleted_meanwhile_is_left_out(tmp_path, monkeypatch):
    path, matcher_of = tmp_path / "m.db", parts.matcher_of
    towns = "Porto Lund Turin Reno Jena Ghent Malmo".split()
    with MemoryDatabase(path, embed="none") as db, MemoryDatabase(path, embed="none") as other:

        def late(*given):
            with driver.writing(other.conn):
                other.conn.execute("update memories set text = 'Nothing.', hash = 'another' where text like '%Turin.'")
                other.conn.execute("delete from memories where text like '%Porto.' or text like '%Ghent.'")
            return matcher_of(*given)

        monkeypatch.setattr(parts, "matcher_of", late)
        monkeypatch.setattr(
            entity_linking.connect, "__kwdefaults__", entity_linking.connect.__kwdefaults__ | {"batch": 2}
        )
        db.ingest([{"id": town, "text": f"Otto lives in {town}."} for town in towns])
        quotes = [row[0] for row in db.conn.execute("select quote from evidence order by quote")]
        assert quotes == [f"Otto lives in {town}." for town in ("Jena", "Lund", "Malmo", "Reno")]
