"""Relations have evidence and two times: when they were true, and when they were known."""

from __future__ import annotations

import pytest

from memkit import MemkitError, MemoryDatabase
from memkit.core.errors import NotFound
from memkit.graph import relations
from memkit.ingestion.relation_extraction import ingest_triples
from memkit.sources.tables.triples import TripleDraft
from memkit.storage import store

FIRST, SECOND, THIRD = "2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z"
NOW = "2025-06-01T12:00:00Z"


def current(db: MemoryDatabase, name: str, as_of: str = NOW, known_at: str | None = None) -> list[str]:
    return [str(one) for one in db.about(name, as_of=as_of, known_at=known_at).relations]


def test_one_who_says_two_things_of_different_confidence_is_mentioned_once(db: MemoryDatabase) -> None:
    memory = db.remember("I love talking to people about my sneakers. I'm a shooting guard for the team.", now=FIRST)
    assert {one.predicate for one in db.about("user").relations} == {"loves", "is_a"}
    (mention,) = db.conn.execute(
        "select m.memory_key, m.confidence from mentions as m join entities as e on e.key = m.entity_key "
        "where e.name = 'user' and m.role = 'relation'"
    ).fetchall()
    assert tuple(mention) == (memory.key, 0.85)


# ---------------------------------------------------------------------------------------------- by hand


def test_a_relation_says_who_said_so(db: MemoryDatabase) -> None:
    memory = db.remember("Rosa has a boat.", now=FIRST)
    made = db.relate("Rosa", "owns", "Mercury", memory=memory.id, quote="has a boat", confidence=0.8, now=SECOND)
    (proof,) = made.evidence
    assert (proof.memory_id, proof.quote, proof.confidence, proof.method) == (memory.id, "has a boat", 0.8, "hand")


def test_the_same_statement_again_only_adds_evidence_and_confidence_rises_to_a_bound(db: MemoryDatabase) -> None:
    for n in range(10):
        memory = db.remember(f"Note {n} says so.", now=FIRST)
        made = db.relate("Rosa", "owns", "Mercury", memory=memory.id, confidence=0.6, now=SECOND)
        assert len(made.evidence) == n + 1
    assert made.confidence == relations.MOST_SURE
    assert db.graph_stats().relations == 1


def test_predicates_are_compared_as_people_mean_them(db: MemoryDatabase) -> None:
    assert db.relate("A", "Works at", "B", now=FIRST).id == db.relate("A", "works_at", "B", now=SECOND).id


def test_a_new_value_closes_the_old_one_and_nothing_is_lost(db: MemoryDatabase) -> None:
    db.relate("Theo", "lives in", "Malmö", now=FIRST)
    db.relate("Theo", "lives in", "Porto", valid_from="2025-01-15", now=SECOND)
    assert current(db, "Theo") == ["Theo -lives in-> Porto"]
    assert current(db, "Theo", as_of="2025-01-10") == ["Theo -lives in-> Malmö"]
    (past,) = db.about("Theo", as_of=NOW).history
    assert (past.object, past.valid_until, past.superseded_by) == ("Malmö", "2025-01-15T00:00:00Z", "Porto")


def test_what_was_known_then_is_not_what_is_known_now(db: MemoryDatabase) -> None:
    db.relate("Theo", "lives in", "Malmö", now=FIRST)
    db.relate("Theo", "lives in", "Porto", valid_from="2024", now=SECOND)
    assert current(db, "Theo", as_of="2024-06-01") == ["Theo -lives in-> Porto"]
    assert current(db, "Theo", as_of="2024-06-01", known_at="2025-01-20") == ["Theo -lives in-> Malmö"]
    assert current(db, "Theo", as_of=NOW, known_at="2024-12-31") == []


def test_an_older_statement_that_arrives_late_becomes_history(db: MemoryDatabase) -> None:
    db.relate("Theo", "lives in", "Porto", valid_from="2025-01-15", now=FIRST)
    db.relate("Theo", "lives in", "Gothenburg", valid_from="2022", now=SECOND)
    assert current(db, "Theo") == ["Theo -lives in-> Porto"]
    assert current(db, "Theo", as_of="2023") == ["Theo -lives in-> Gothenburg"]


def test_two_that_cannot_both_be_right_are_both_shown(db: MemoryDatabase) -> None:
    db.relate("Bo", "works at", "Siemens", valid_from="2020", now=FIRST)
    db.relate("Bo", "works at", "Nordlys", valid_from="2020", now=SECOND)
    card = db.about("Bo", as_of=NOW)
    assert {one.object for one in card.relations} == {"Siemens", "Nordlys"}
    assert [{one.object for one in pair} for pair in card.conflicts] == [{"Siemens", "Nordlys"}]
    assert "What cannot both be right" in repr(card)


def test_people_can_say_which_predicates_have_one_value(db: MemoryDatabase) -> None:
    store.set_setting(db.conn, "single_valued", ["favourite tea"])
    db.relate("Ann", "favourite tea", "white", now=FIRST)
    db.relate("Ann", "favourite tea", "green", now=SECOND)
    assert current(db, "Ann") == ["Ann -favourite tea-> green"]


def test_many_values_stay_beside_one_another(db: MemoryDatabase) -> None:
    db.relate("Ann", "likes", "tea", now=FIRST)
    db.relate("Ann", "likes", "coffee", now=SECOND)
    assert sorted(current(db, "Ann")) == ["Ann -likes-> coffee", "Ann -likes-> tea"]


@pytest.mark.parametrize(
    ("triple", "fields", "said"),
    [
        (("Ann", "knows", "Ann"), {}, "related to itself"),
        (("Ann", "knows", "ann "), {}, "related to itself"),
        (("", "knows", "Ann"), {}, "needs a letter or digit"),
        (("Ann", "knows", "!!!"), {}, "needs a letter or digit"),
        (("A" * 10_000, "knows", "Bo"), {}, "at most 200 characters"),
        (("Ann", "--", "Bo"), {}, "has no letters"),
        (("Ann", "knows", "Bo"), {"valid_from": "99999-01-01"}, "is not a date"),
        (("Ann", "knows", "Bo"), {"valid_from": "2020", "valid_until": "2019"}, "must be later than"),
        (("Ann", "knows", "Bo"), {"confidence": 7}, "between 0 and 1"),
    ],
)
def test_what_is_no_relation_is_refused_with_the_reason(db: MemoryDatabase, triple, fields, said) -> None:
    with pytest.raises(MemkitError, match=said):
        db.relate(*triple, **fields)
    assert db.graph_stats().relations == 0
    assert db.graph_stats().entities == 0


def test_a_memory_that_is_not_there_is_no_evidence(db: MemoryDatabase) -> None:
    with pytest.raises(NotFound):
        db.relate("A", "knows", "B", memory="nowhere")


# ---------------------------------------------------------------------------------------------- out of texts


def test_a_sentence_is_its_own_evidence(db: MemoryDatabase) -> None:
    memory = db.remember("Kofi Abara works at Siemens, since 2019.", now=FIRST)
    (one,) = db.about("Kofi Abara", as_of=NOW).relations
    assert (str(one), one.valid_from) == ("Kofi Abara -works at-> Siemens", "2019-01-01T00:00:00Z")
    assert (one.evidence[0].quote, one.evidence[0].memory_id) == (memory.text, memory.id)


def test_i_am_who_the_database_is_about(db: MemoryDatabase) -> None:
    db.remember("I live in Boston.", now=FIRST)
    assert current(db, "user") == ["user -lives in-> Boston"]
    db.remember("Reed", slot="user", key="name", now=SECOND)
    assert current(db, "Reed") == ["Reed -lives in-> Boston"]
    db.remember("I moved to Kingsferry.", now=THIRD)
    assert current(db, "Reed") == ["Reed -lives in-> Kingsferry"]


def test_a_slot_is_a_relation_of_the_user(db: MemoryDatabase) -> None:
    db.remember("Europe/Stockholm", slot="user", key="timezone", now=FIRST)
    db.remember("America/New_York", slot="user", key="timezone", now=SECOND)
    assert current(db, "user") == ["user -timezone-> America/New_York"]
    assert current(db, "user", as_of="2025-01-10") == ["user -timezone-> Europe/Stockholm"]


def test_what_an_assistant_says_of_itself_is_no_fact(db: MemoryDatabase) -> None:
    db.remember("I live in the cloud and work at Siemens.", speaker="assistant", now=FIRST)
    assert db.graph_stats().relations == 0


def test_memkits_own_context_is_not_read_again(db: MemoryDatabase) -> None:
    db.remember("<memkit-context>Kofi Abara works at Siemens.</memkit-context> Thanks!", now=FIRST)
    assert db.graph_stats().relations == 0


def test_when_a_text_changes_its_statements_change(db: MemoryDatabase) -> None:
    db.ingest([{"id": "a", "text": "Kofi Abara works at Siemens."}], now=FIRST)
    db.ingest([{"id": "a", "text": "Kofi Abara works at Nordlys."}], now=SECOND)
    assert current(db, "Kofi Abara") == ["Kofi Abara -works at-> Nordlys"]
    assert [str(one) for one in db.about("Kofi Abara", as_of=NOW).history] == []
    gone = db.conn.execute("select expired_at from relations where expired_at is not null").fetchall()
    assert [row[0] for row in gone] == [SECOND]
    assert current(db, "Kofi Abara", known_at="2025-01-15") == ["Kofi Abara -works at-> Siemens"]


@pytest.mark.parametrize("hard", [False, True])
def test_a_relation_that_nobody_vouches_for_any_more_expires(db: MemoryDatabase, hard: bool) -> None:
    db.remember("Kofi Abara works at Siemens.", happened_at="2024-01-01", now=FIRST)
    second = db.remember("Kofi Abara works at Nordlys.", happened_at="2025-01-01", now=FIRST)
    assert current(db, "Kofi Abara") == ["Kofi Abara -works at-> Nordlys"]
    db.forget(second.id, hard=hard, now=THIRD)
    assert current(db, "Kofi Abara") == ["Kofi Abara -works at-> Siemens"]


def test_what_comes_back_says_again_what_it_said(db: MemoryDatabase, tmp_path) -> None:
    note = tmp_path / "Kofi.md"
    note.write_text("Kofi Abara works at Siemens.", "utf-8")
    db.ingest(tmp_path, now=FIRST)
    note.rename(tmp_path.parent / "away.md")
    db.ingest(tmp_path, sync=True, now=SECOND)
    assert current(db, "Kofi Abara") == []
    (tmp_path.parent / "away.md").rename(note)
    db.ingest(tmp_path, now=THIRD)
    assert current(db, "Kofi Abara") == ["Kofi Abara -works at-> Siemens"]


def test_what_is_said_by_hand_stays_when_a_memory_goes(db: MemoryDatabase) -> None:
    memory = db.remember("Kofi Abara works at Siemens.", now=FIRST)
    db.relate("Kofi Abara", "works at", "Siemens", now=SECOND)
    db.forget(memory.id, now=THIRD)
    assert current(db, "Kofi Abara") == ["Kofi Abara -works at-> Siemens"]


# ---------------------------------------------------------------------------------------------- given triples


def test_given_triples_have_their_memory_and_the_sentence_that_names_both(db: MemoryDatabase) -> None:
    db.ingest([{"id": "p1", "text": "It rained. Alice showed Nightshade to us. We stayed."}], now=FIRST)
    made, failures = ingest_triples(db.conn, [TripleDraft("p1", "Alice", "introduced to", "Nightshade")], SECOND)
    assert (made, failures) == (1, [])
    (one,) = db.about("Alice", as_of=NOW).relations
    assert (one.evidence[0].source_id, one.evidence[0].quote) == ("p1", "Alice showed Nightshade to us.")


@pytest.mark.parametrize(
    ("triple", "reason"),
    [
        (TripleDraft("nowhere", "A", "knows", "B"), "no memory with the source id 'nowhere'"),
        (TripleDraft("p1", "A", "knows", "A"), "related to itself"),
        (TripleDraft("p1", "A" * 10_000, "knows", "B"), "at most 200 characters"),
        (TripleDraft("p1", "A", "knows", "B", valid_from="99999"), "is not a date"),
    ],
)
def test_a_triple_that_cannot_be_taken_in_is_reported_and_the_rest_goes_in(db, triple, reason) -> None:
    db.ingest([{"id": "p1", "text": "A knows C."}], now=FIRST)
    made, (failure,) = ingest_triples(db.conn, [triple, TripleDraft("p1", "A", "knows", "C")], SECOND)
    assert made == 1
    assert reason in failure.reason


def test_a_file_of_triples_is_ingested_like_any_other(db: MemoryDatabase, tmp_path) -> None:
    db.ingest([{"id": "p1", "text": "Alice met Otto."}], now=FIRST)
    file = tmp_path / "relations.jsonl"
    rows = '{"passage_id": "p1", "subject": "Alice", "predicate": "met", "object": "Otto", "valid_from": "2021"}\n{}\n'
    file.write_text(rows, "utf-8")
    report = db.ingest(file, now=SECOND)
    assert (report.relations, report.failed) == (1, 1)
    assert repr(report).endswith("1 failed, 1 relation>")
    (one,) = db.about("Alice", as_of=NOW).relations
    assert one.valid_from == "2021-01-01T00:00:00Z"
    db.ingest(file, now=THIRD)
    assert len(db.about("Alice", as_of=NOW).relations[0].evidence) == 1


def test_what_something_is_by_hand_is_a_concept_as_in_a_text(db) -> None:
    db.relate("Nightshade", "is a", "restaurant")
    db.relate("Nightshade", "is a", "Michelin Guide place")
    db.relate("Nightshade", "closes", "early")
    kinds = dict(db.conn.execute("select name, kind from entities"))
    assert kinds["restaurant"] == "concept"
    assert [kinds[name] for name in ("Nightshade", "Michelin Guide place", "early")] == ["thing"] * 3
