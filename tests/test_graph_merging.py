"""Merging and taking apart are exact inverses, and whatever is done to a graph leaves no row that points to nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memkit import MemkitError, MemoryDatabase
from memkit.core.errors import NotFound
from memkit.graph import adjacency, relations
from memkit.text.extract.predicates import SINGLE_VALUED

FIRST, SECOND, THIRD = "2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z"
NOW = "2025-06-01T12:00:00Z"
TABLES = {
    "entities": "select key, id, name, kind, description, merged_into from entities order by key",
    "aliases": "select * from aliases order by key",
    "mentions": "select * from mentions order by key",
    "relations": "select * from relations order by key",
    "evidence": "select * from evidence order by key",
    "conflicts": "select * from conflicts order by 1, 2",
}


def rows(db: MemoryDatabase) -> dict[str, list[Any]]:
    return {table: [tuple(row) for row in db.conn.execute(query)] for table, query in TABLES.items()}


def two_of_one(db: MemoryDatabase) -> None:
    """Ursula Brandt and Uschi, who are one: named together, with relations that agree, differ, and join them."""
    db.remember("Ursula Brandt works at Siemens, since 2019. Uschi plays the cello.", now=FIRST)
    db.remember("We saw Uschi and Kofi Abara at Nightshade.", now=FIRST)
    db.relate("Ursula Brandt", "likes", "tea", now=FIRST)
    db.relate("Uschi", "likes", "tea", now=FIRST)
    db.relate("Uschi", "works at", "Nordlys", valid_from="2022", now=FIRST)
    db.relate("Uschi", "knows", "Ursula Brandt", now=FIRST)
    db.relate("Kofi Abara", "married to", "Uschi", now=FIRST)


def test_what_is_merged_is_known_by_all_its_names_and_relations(db: MemoryDatabase) -> None:
    two_of_one(db)
    card = db.merge("Ursula Brandt", "Uschi", now=SECOND)
    assert card.aliases == ("Ursula Brandt", "Uschi")
    assert card.mentioned == 2
    assert {str(one) for one in card.relations} == {
        "Ursula Brandt -works at-> Nordlys",
        "Ursula Brandt -likes-> tea",
        "Kofi Abara -married to-> Ursula Brandt",
    }
    assert [str(one) for one in card.history] == ["Ursula Brandt -works at-> Siemens"]
    assert len(next(one for one in card.relations if one.object == "tea").evidence) == 2
    assert db.about("Uschi", as_of=NOW).id == card.id


def test_taking_apart_gives_every_row_back(db: MemoryDatabase) -> None:
    two_of_one(db)
    before = rows(db)
    db.merge("Ursula Brandt", "Uschi", now=SECOND)
    assert db.last_merge("Ursula Brandt") == db.last_merge("Uschi") == ("Ursula Brandt", "Uschi")
    assert db.last_merge("Kofi Abara") is None
    kept, other = db.unmerge("Uschi", now=THIRD)
    assert db.last_merge("Uschi") is None
    assert (kept.name, other.name) == ("Ursula Brandt", "Uschi")
    assert rows(db) == before


def test_two_merges_are_taken_back_last_one_first(db: MemoryDatabase) -> None:
    two_of_one(db)
    before = rows(db)
    db.merge("Uschi", "Kofi Abara", now=SECOND)
    db.merge("Ursula Brandt", "Uschi", now=SECOND)
    with pytest.raises(MemkitError, match="Unmerge 'Uschi' first"):
        db.unmerge("Kofi Abara", now=THIRD)
    db.unmerge("Uschi", now=THIRD)
    db.unmerge("Kofi Abara", now=THIRD)
    assert rows(db) == before


def test_what_came_since_a_merge_goes_to_whom_it_names(db: MemoryDatabase) -> None:
    two_of_one(db)
    db.merge("Ursula Brandt", "Uschi", now=SECOND)
    db.remember("Uschi moved to Lisbon.", now=SECOND)
    db.remember("Ursula Brandt prefers tea.", now=SECOND)
    kept, other = db.unmerge("Uschi", now=THIRD)
    assert "Uschi -lives in-> Lisbon" in map(str, other.relations)
    assert "Uschi -works at-> Nordlys" in map(str, other.relations)
    assert "Ursula Brandt -works at-> Siemens" in map(str, kept.relations)
    assert "Ursula Brandt -prefers-> tea" in map(str, kept.relations)
    assert (kept.mentioned, other.mentioned) == (2, 3)


@pytest.mark.parametrize(("kept", "merged", "said"), [("Uschi", "Uschi", "two different"), ("tea", "Nobody", "Nobody")])
def test_what_cannot_be_merged_is_refused(db: MemoryDatabase, kept: str, merged: str, said: str) -> None:
    two_of_one(db)
    with pytest.raises(MemkitError, match=said):
        db.merge(kept, merged)


def test_what_was_not_merged_cannot_be_taken_apart(db: MemoryDatabase) -> None:
    two_of_one(db)
    with pytest.raises(NotFound, match="Nothing called 'tea' was merged"):
        db.unmerge("tea")


def test_what_a_merge_has_ended_is_not_brought_back_by_a_later_statement() -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"id": "a", "text": "Kofi lives in Ursula."}])
        db.merge("Kofi", "Ursula")
        db.relate("Ursula", "lives_in", "Uschi")
        assert [one.object for one in db.about("Kofi").relations] == ["Uschi"]
        live = "select count(*) from relations where expired_at is null"
        assert db.conn.execute(live).fetchone()[0] == 1


def test_what_one_was_to_the_other_does_not_begin_again_when_a_source_of_it_is_rewritten() -> None:
    with MemoryDatabase(":memory:", embed="none") as db:
        for id in ("a", "b"):
            db.ingest([{"id": id, "text": "Ursula lives in Uschi."}], now="2026-01-01T12:00:00Z")
        db.merge("Uschi", "Ursula", now="2026-01-02T12:00:00Z")
        db.ingest([{"id": "a", "text": "Nobody lives there."}], now="2026-01-03T12:00:00Z")
        assert db.conn.execute("select count(*) from relations where expired_at is null").fetchone()[0] == 0


# ---------------------------------------------------------------------------------------------- anything at all

DANGLING = {
    "a mention of a merged entity": """
        select count(*) from mentions as x join entities as e on e.key = x.entity_key where e.merged_into is not null
    """,
    "a live relation of a merged entity": """
        select count(*) from relations as r join entities as e on e.key in (r.subject_key, r.object_key)
        where e.merged_into is not null and r.expired_at is null
    """,
    "a live relation without evidence": """
        select count(*) from relations as r
        where r.expired_at is null and not exists (select 1 from evidence as v where v.relation_key = r.key)
    """,
    "evidence of a relation that has expired": """
        select count(*) from evidence as v join relations as r on r.key = v.relation_key
        where r.expired_at is not null
            and not exists (select 1 from entities as e where e.key in (r.subject_key, r.object_key) and e.merged_into)
    """,
    "evidence of a memory that is archived": """
        select count(*) from evidence as v join memories as m on m.key = v.memory_key where m.archived_at is not null
    """,
    "a relation to itself": "select count(*) from relations where subject_key = object_key",
    "a span that ends before it begins": "select count(*) from relations where valid_from > valid_until",
    "a row that expired before it was known": "select count(*) from relations where created_at > expired_at",
    "two live rows of one span": """
        select count(*) - count(distinct subject_key || predicate || object_key || coalesce(valid_from, ''))
        from relations
        where expired_at is null
    """,
    "a live row that is followed by a dead one": """
        select count(*) from relations as r join relations as n on n.key = r.superseded_by
        where r.expired_at is null and n.expired_at is not null
    """,
    "a conflict of what is not believed": """
        select count(*) from conflicts as c join relations as r on r.key in (c.relation_key, c.other_key)
        where r.expired_at is not null
    """,
}
OVERLAPS = """
select count(*) from relations as a join relations as b
    on b.subject_key = a.subject_key and b.predicate = a.predicate and b.object_key <> a.object_key
where a.expired_at is null and b.expired_at is null and a.predicate in (select value from json_each(:single))
    and a.valid_from is not null and b.valid_from is not null
    and a.valid_from < coalesce(b.valid_until, '9') and b.valid_from < coalesce(a.valid_until, '9')
    and not exists (
        select 1 from conflicts as c where c.relation_key in (a.key, b.key) or c.other_key in (a.key, b.key)
    )
"""
NAMES = st.sampled_from(["Ursula", "Uschi", "Kofi", "Theo", "Lisbon", "Porto"])
PREDICATES = st.sampled_from(["lives_in", "works_at", "likes"])
YEARS = st.none() | st.integers(2010, 2024).map(str)
SENTENCES = st.sampled_from(
    ["{0} lives in {1}.", "{0} works at {1}, since {2}.", "{0} moved to {1} in {2}.", "{0} likes {1}.", "We met {0}."]
)


ALL_RELATIONS = """
select key, predicate, object_key, subject_key, valid_from, valid_until from relations
where expired_at is null and :entity in (subject_key, object_key)
"""
MOMENTS = [f"{year}-07-01T00:00:00Z" for year in range(2009, 2026, 4)]


def holds(row: Any, moment: str) -> bool:
    """Whether a row says that something was so at a moment."""
    return (row["valid_from"] or "") <= moment < (row["valid_until"] or "9")


class Graph(RuleBasedStateMachine):
    """Statements by hand and in texts that change, go, come again and replace one another, merges and their undoing."""

    @initialize()
    def start(self) -> None:
        self.db = MemoryDatabase(embed="none")
        self.day = 0
        self.texts: dict[str, str] = {}
        self.merged: list[str] = []

    def teardown(self) -> None:
        self.db.close()

    def now(self) -> str:
        self.day += 1
        return f"2025-{1 + self.day // 28:02}-{1 + self.day % 28:02}T00:00:00Z"

    @rule(subject=NAMES, predicate=PREDICATES, object_=NAMES, since=YEARS, until=YEARS)
    def relate(self, subject: str, predicate: str, object_: str, since: str | None, until: str | None) -> None:
        try:
            self.db.relate(subject, predicate, object_, valid_from=since, valid_until=until, now=self.now())
        except MemkitError as error:
            assert "itself" in str(error) or "must be later than" in str(error) or "the same" in str(error)  # noqa: PT017

    @rule(id=st.sampled_from("abcd"), form=SENTENCES, one=NAMES, other=NAMES, year=st.integers(2010, 2024))
    def write(self, id: str, form: str, one: str, other: str, year: int) -> None:
        self.texts[id] = form.format(one, other, year)
        self.db.ingest([{"id": id, "text": self.texts[id]}], now=self.now())

    @precondition(lambda self: self.texts)
    @rule(hard=st.booleans(), data=st.data())
    def forget(self, hard: bool, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(sorted(self.texts)))
        del self.texts[id]
        row = self.db.conn.execute(
            "select id from memories where source_id = ? and archived_at is null", (id,)
        ).fetchone()
        if row:
            self.db.forget(row[0], hard=hard, now=self.now())

    @precondition(lambda self: self.texts)
    @rule()
    def ingest_again(self) -> None:
        before = rows(self.db)
        self.db.ingest([{"id": id, "text": text} for id, text in self.texts.items()], now=self.now())
        assert rows(self.db) == before

    @precondition(lambda self: len(self.texts) > 1)
    @rule(data=st.data())
    def supersede(self, data: st.DataObject) -> None:
        ends = data.draw(st.permutations(sorted(self.texts)))[:2]
        query = "select id from memories where source_id = ? and archived_at is null"
        old, new = (self.db.conn.execute(query, (id,)).fetchone() for id in ends)
        if old and new:
            try:
                self.db.supersede(old[0], new[0], now=self.now())
            except MemkitError as error:
                assert "cannot supersede" in str(error)  # noqa: PT017

    @rule(one=NAMES, other=NAMES)
    def merge(self, one: str, other: str) -> None:
        before = rows(self.db)
        try:
            self.db.merge(one, other, now=self.now())
        except MemkitError:  # unknown, or one already
            assert rows(self.db) == before
        else:
            self.merged.append(other)

    @rule(one=NAMES, other=NAMES)
    def merge_and_take_apart(self, one: str, other: str) -> None:
        before = rows(self.db)
        try:
            self.db.merge(one, other, now=self.now())
        except MemkitError:
            return
        last = self.db.conn.execute(
            "select e.id from merges as m join entities as e on e.key = m.merged_key order by m.key"
        )
        self.db.unmerge(last.fetchall()[-1][0], now=self.now())
        assert rows(self.db) == before

    @rule()
    def take_apart(self) -> None:
        row = self.db.conn.execute(
            "select e.id from merges as m join entities as e on e.key = m.merged_key order by m.key desc"
        ).fetchone()
        if row:
            self.db.unmerge(row[0], now=self.now())

    @invariant()
    def nothing_dangles(self) -> None:
        if not hasattr(self, "db"):
            return
        for what, query in DANGLING.items():
            assert self.db.conn.execute(query).fetchone()[0] == 0, what
        assert self.db.conn.execute("pragma foreign_key_check").fetchall() == []
        from memkit.storage.store import dumps

        assert self.db.conn.execute(OVERLAPS, {"single": dumps(sorted(SINGLE_VALUED))}).fetchone()[0] == 0
        adjacency.graph(self.db.conn)

    @invariant()
    def what_held_at_a_time_is_what_the_rows_say(self) -> None:
        """At every moment: what is current and what is history are all there is, and one value holds at a time."""
        if not hasattr(self, "db"):
            return
        conn = self.db.conn
        disputed = {key for row in conn.execute("select relation_key, other_key from conflicts") for key in row}
        for (entity,) in conn.execute("select key from entities where merged_into is null").fetchall():
            known = conn.execute(ALL_RELATIONS, {"entity": entity}).fetchall()
            for moment in MOMENTS if known else ():
                current = {one.key for one in relations.current(conn, entity, as_of=moment)}
                assert current == {row["key"] for row in known if holds(row, moment)}
                past = {one.key for one in relations.history(conn, entity, as_of=moment)}
                assert past == {row["key"] for row in known} - current
                values = [
                    row["predicate"]
                    for row in known
                    if row["key"] in current - disputed
                    and row["subject_key"] == entity
                    and row["predicate"] in SINGLE_VALUED
                ]
                assert len(values) == len(set(values))


Graph.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestGraph = pytest.mark.slow(Graph.TestCase)


def test_what_was_taken_apart_stays_so_when_its_page_is_read_again(tmp_path: Path) -> None:
    """The alias of the page made the two one again, at once."""
    (tmp_path / "Day.md").write_text("I met [[Rosie]].")
    with MemoryDatabase(embed="none") as db:
        db.ingest(tmp_path)
        page = tmp_path / "Rosa Lind.md"
        page.write_text("---\naliases: [Rosie]\n---\nShe plants trees.")
        db.ingest(tmp_path)
        assert db.last_merge("Rosie") == ("Rosa Lind", "Rosie")
        assert [one.name for one in db.unmerge("Rosie")] == ["Rosa Lind", "Rosie"]
        page.write_text("---\naliases: [Rosie]\n---\nShe plants many trees.")
        db.ingest(tmp_path)
        assert db.last_merge("Rosie") is None
        named = "select name from entities where merged_into is null and name like 'Ros%' order by 1"
        assert [row[0] for row in db.conn.execute(named)] == ["Rosa Lind", "Rosie"]
