"""The situations that need a graph, as `samples/` has them, without any language model (docs/behaviours.md)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.graph import adjacency, random_walk
from memkit.graph.entity_vectors import nearest_entities
from memkit.graph.question_entities import named_in

SAMPLES = Path(__file__).parent.parent / "samples"
NOW = "2025-12-31T12:00:00Z"


@pytest.fixture(scope="module")
def year() -> Iterator[MemoryDatabase]:
    with MemoryDatabase() as db:
        db.ingest([SAMPLES / "notes", SAMPLES / "chats", SAMPLES / "facts.jsonl"], now=NOW)
        db.ingest(SAMPLES / "relations.jsonl", now=NOW)
        yield db


def found(db: MemoryDatabase, question: str, k: int = 10) -> list[str]:
    return [hit.memory.source_id or "" for hit in db.recall(question, k, now=NOW)]


def reached(db: MemoryDatabase, entity: int, depth: int) -> set[str]:
    """The memories within some edges of an entity."""
    whole = adjacency.graph(db.conn)
    walk = random_walk.pagerank(whole.adjacency, {int(whole.entity_nodes([entity])[0]): 1.0}, tolerance=1e-12)
    nodes = walk.nodes[(walk.hops <= depth) & (whole.adjacency.kinds[walk.nodes] == random_walk.MEMORY)]
    rows = db.conn.execute("select key, source_id from memories").fetchall()
    names = {row["key"]: row["source_id"] for row in rows}
    return {names[key] for key in whole.adjacency.keys[nodes].tolist()}


def facts(db: MemoryDatabase, name: str, as_of: str = NOW) -> set[str]:
    return {str(one) for one in db.about(name, as_of=as_of).relations}


def linked(db: MemoryDatabase, type: str) -> set[tuple[str, str]]:
    rows = db.conn.execute(
        """
        select a.source_id, b.source_id from links as l
        join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key where l.type = ?
        """,
        (type,),
    )
    return {tuple(row) for row in rows}


def test_c38_a_restaurant_that_no_memory_of_the_evening_calls_one(year: MemoryDatabase) -> None:
    path = year.path("Alice", "restaurant")
    assert str(path) == "Alice -introduced to-> Nightshade -is a-> restaurant"
    assert [step.source_id for step in path] == ["fact-nightshade", "Places/Nightshade.md#"]
    (named,) = named_in(year.conn, "do I know any good restaurants?")
    assert {"Places/Nightshade.md#", "fact-nightshade"} <= reached(year, named.entity.key, 2)
    assert "fact-restaurant-airport" not in reached(year, named.entity.key, 2)


def test_c39_my_dentist_is_known_by_name_and_description(year: MemoryDatabase) -> None:
    key = year.conn.execute("select key from models where active").fetchone()[0]
    vector = year.embedder.encode(["my dentist"])[0]
    (best, cosine), *_ = nearest_entities(year.conn, vector, key)
    assert (best.name, best.description) == ("Dr. Martinez", "Reed's dentist")
    assert cosine >= 0.3
    assert "Dr. Martinez -dentist of-> Reed" in facts(year, "Reed")


def test_k14_to_k17_neighbours_are_near_sure_and_few(year: MemoryDatabase) -> None:
    around = year.neighbors("Alice", 2, fan_out=3)
    assert {one.depth for one in around} == {1, 2}
    assert all(one.confidence > 0.3 for one in around)
    assert len([one for one in around if one.depth == 1]) <= 3
    assert "Alice" not in {one.name for one in around}
    assert [one.depth for one in around] == sorted(one.depth for one in around)


def test_k16_what_is_not_sure_leads_nowhere(year: MemoryDatabase) -> None:
    assert "the water company" not in {one.name for one in year.neighbors("May", 2, fan_out=100)}
    assert "May -works at-> the water company" in facts(year, "May")  # but it is not hidden


def test_k17_a_depth_of_none_is_nobody(year: MemoryDatabase) -> None:
    assert year.neighbors("Alice", 0) == []


def test_m02_the_exact_fields_are_found_where_a_triple_would_be_vague(year: MemoryDatabase) -> None:
    assert "Kira/Database schema.md#Tables" in found(year, "what are the exact fields of the users table?", 3)


def test_m02_the_head_of_a_firm_and_what_she_said_are_joined_by_her_name(year: MemoryDatabase) -> None:
    wanted = {"Daily/2025-09-17.md#What Nadia said", "People/Nadia Okafor.md#"}
    assert wanted <= set(found(year, "what did the CEO of Brightwater say about Lattice in September?"))
    assert str(year.path("Brightwater", "Nadia Okafor")) == "Brightwater <-org- Nadia Okafor"


def test_e08_a_hub_has_its_parts(year: MemoryDatabase) -> None:
    parts = {one for one, hub in linked(year, "part_of") if hub == "Engram/Sync architecture.md#"}
    assert parts == {"Engram/Merge rule.md#", "Engram/Wire format.md#", "Engram/Logical clocks.md#"}


def test_e09_a_decision_replaced_twice_is_a_chain(year: MemoryDatabase) -> None:
    assert {
        ("Engram/Storage in one JSON column.md#", "Engram/Storage as Markdown files.md#"),
        ("Engram/Storage in plain tables.md#", "Engram/Storage in one JSON column.md#"),
        ("user-timezone-newyork", "user-timezone-stockholm"),
    } <= linked(year, "supersedes")


def test_e10_two_rules_that_contradict_each_other_are_linked(year: MemoryDatabase) -> None:
    assert linked(year, "contradicts") == {("Garden/Pruning in late winter.md#", "Garden/Pruning after harvest.md#")}


def test_one_lesson_in_two_projects_is_linked_and_not_dropped(year: MemoryDatabase) -> None:
    assert linked(year, "relates_to") == {("fact-swift-lattice", "fact-swift-engram")}


@pytest.mark.parametrize(
    ("when", "where"),
    [("2022-06-01", "Gothenburg"), ("2024-06-01", "Malmö"), ("2025-08-20", "Porto"), (NOW, "Porto")],
)
def test_where_theo_lived_then(year: MemoryDatabase, when: str, where: str) -> None:
    """An older statement that arrives late (`fact-theo-gothenburg`) is history, not the present."""
    assert {one.object for one in year.about("Theo", as_of=when).relations if one.predicate == "lives_in"} == {where}


def test_a_time_zone_has_a_before_and_an_after(year: MemoryDatabase) -> None:
    assert "Reed -timezone-> America/New_York" in facts(year, "Reed")
    assert "Reed -timezone-> Europe/Stockholm" in facts(year, "Reed", "2025-01-15")


def test_front_matter_is_typed_relations(year: MemoryDatabase) -> None:
    assert "Quince -planted by-> Rosa" in facts(year, "Quince")
    assert "Pruning in late winter -author-> Rosa" in facts(year, "Pruning in late winter")
    assert "Alice -birthday-> 1985-03-29" in facts(year, "Alice")


def test_the_user_of_the_chats_is_reed(year: MemoryDatabase) -> None:
    card = year.about("Reed")
    assert year.conn.execute("select 1 from entities where name = 'user'").fetchone() is None
    assert {one.role for one in card.memories} >= {"speaker"}


def test_two_things_of_one_name_stay_two(year: MemoryDatabase) -> None:
    assert year.about("Mercury (planet)").id != year.about("Mercury (boat)").id


def test_every_relation_and_mention_shows_its_evidence(year: MemoryDatabase) -> None:
    without = "select count(*) from relations as r where not exists (select 1 from evidence where relation_key = r.key)"
    assert year.conn.execute(without + " and expired_at is null").fetchone()[0] == 0
    rows = year.conn.execute(
        """
        select x.surface, x.start, m.text from mentions as x join memories as m on m.key = x.memory_key
        where x.start is not null
        """
    )
    assert all(text[start : start + len(surface)] == surface for surface, start, text in rows)
    said = year.conn.execute(
        """
        select e.quote, m.text from evidence as e join memories as m on m.key = e.memory_key
        where e.method in ('pattern', 'wikilink')
        """
    )
    assert all(quote and quote in text for quote, text in said)


def test_the_same_year_again_changes_nothing(year: MemoryDatabase) -> None:
    tables = ("entities", "aliases", "mentions", "relations", "evidence", "links", "conflicts")
    before = {table: year.conn.execute(f"select * from {table} order by 1, 2").fetchall() for table in tables}
    year.ingest([SAMPLES / "notes", SAMPLES / "chats", SAMPLES / "facts.jsonl"], now="2026-01-01T00:00:00Z")
    year.ingest(SAMPLES / "relations.jsonl", now="2026-01-01T00:00:00Z")
    for table in tables:
        after = year.conn.execute(f"select * from {table} order by 1, 2").fetchall()
        assert [tuple(row) for row in after] == [tuple(row) for row in before[table]], table


def test_an_acronym_in_the_plural_is_the_thing() -> None:
    db = MemoryDatabase()
    db.ingest([{"text": "The port of Salamis handled 513 TEUs in May."}, {"text": "One TEU is twenty feet."}])
    (named,) = named_in(db.conn, "How many TEUs were it?")
    assert named.entity.name == "TEU"
