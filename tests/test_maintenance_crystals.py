"""Trace, unit, crystal (M18): what several sources say gains confidence, and becomes a short memory of its own."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import SAMPLES, check_indexes
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.maintenance import crystals as of_crystals
from memkit.maintenance.confidence import (
    CRYSTAL,
    TRACE,
    UNIT,
    SupportedClaim,
    level,
    raised_confidence,
    supported_claims,
)
from memkit.maintenance.crystals import Crystal, crystal_text, statement_text
from memkit.maintenance.policy import PromotePolicy
from memkit.text.words import est_tokens

NOW = "2026-03-01T12:00:00Z"
LATER = "2026-03-02T12:00:00Z"
QUINCE = "The quince by the wall bears yellow fruit in October every single year."
STEPS = ["promote", "crystals"]


def chats(db: MemoryDatabase, count: int, confidence: float = 0.8) -> list[str]:
    """So many conversations, each of which says where Rosa lives; the ids of the memories that say so."""
    ids = []
    for n in range(count):
        row = {
            "id": f"m{n}",
            "text": f"Hello {n}! I saw her.",
            "session": f"s{n}",
            "timestamp": f"2026-02-0{n + 1}T10:00:00Z",
        }
        db.ingest([row], now=NOW)
        ids.append(db.conn.execute("select id from memories where source_id = ?", (f"m{n}",)).fetchone()[0])
        db.relate("Rosa", "lives in", "Malmö", memory=ids[-1], quote="her", confidence=confidence, now=NOW)
    return ids


def crystals(db: MemoryDatabase) -> list[Any]:
    query = "select * from memories where kind = 'crystal' and archived_at is null order by title"
    return db.conn.execute(query).fetchall()


def by_text(db: MemoryDatabase) -> dict[str, str]:
    """How far each statement has come."""
    return {one.text: one.level for one in supported_claims(db.conn, NOW)}


# ---------------------------------------------------------------------------------------------- the formula


@pytest.mark.parametrize(("sources", "reached"), [(0, TRACE), (1, TRACE), (2, UNIT), (3, CRYSTAL), (9, CRYSTAL)])
def test_m18_two_sources_are_a_unit_and_three_a_crystal(sources: int, reached: str) -> None:
    assert level(sources) == reached


def test_m18_a_person_or_a_sure_decision_needs_no_further_source() -> None:
    assert level(1, confirmed=True) == level(1, decided=True) == CRYSTAL


@pytest.mark.parametrize(
    ("own", "sources", "together"),
    [(0.7, 1, 0.7), (0.7, 2, 0.75), (0.7, 3, 0.8), (0.7, 40, 0.95), (1.0, 3, 1.0), (0.5, 0, 0.5)],
)
def test_m18_each_further_source_gives_a_twentieth_up_to_95(own: float, sources: int, together: float) -> None:
    assert raised_confidence(own, sources) == together


@given(st.floats(0, 1), st.integers(0, 1000))
def test_m18_sources_never_take_confidence_away_nor_make_certain(own: float, sources: int) -> None:
    assert own <= raised_confidence(own, sources) <= max(own, 0.95)


def test_the_policy_has_other_numbers() -> None:
    rule = PromotePolicy(sources=2, per_source=0.2, most=0.9)
    assert (level(2, rule), raised_confidence(0.5, 3, rule), raised_confidence(0.5, 9, rule)) == (CRYSTAL, 0.9, 0.9)


# ---------------------------------------------------------------------------------------------- what is a source


def test_m18_a_relation_that_three_documents_state_becomes_a_crystal(mem: MemoryDatabase) -> None:
    ids = chats(mem, 3)
    report = mem.maintain(now=NOW, only=STEPS)
    (crystal,) = crystals(mem)
    assert (crystal["text"], crystal["title"], crystal["confidence"]) == ("Rosa lives in Malmö.", "Rosa", 0.9)
    (change,) = report.changes
    assert (change.action, change.memory_id, set(change.sources)) == ("made", crystal["id"], set(ids))
    assert change.why == "1 promoted statement about Rosa"
    links = mem.conn.execute(
        "select b.id from links as l join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key "
        "where a.id = ? and l.type = 'derived_from'",
        (crystal["id"],),
    )
    assert {row[0] for row in links} == set(ids)
    check_indexes(mem)


def in_projects(db: MemoryDatabase, *projects: str) -> list[str]:
    """A memory in each of these projects that says where Rosa lives; their ids."""
    ids = [db.remember(f"Hello {n}! I saw her.", project=name, now=NOW).id for n, name in enumerate(projects)]
    for id in ids:
        db.relate("Rosa", "lives in", "Malmö", memory=id, quote="her", confidence=0.8, now=NOW)
    return ids


def told_in(db: MemoryDatabase) -> dict[str, set[str]]:
    """The projects that have a crystal, and the ids of the memories that each is made of."""
    query = """
        select a.project, b.id
        from memories as a
            left join links as l on l.from_key = a.key and l.type = 'derived_from'
            left join memories as b on b.key = l.to_key
        where a.kind = 'crystal' and a.archived_at is null
    """
    found: dict[str, set[str]] = {}
    for project, id in db.conn.execute(query):
        found.setdefault(project, set()).update([id] if id else [])
    return found


def test_what_the_memories_of_a_project_say_is_told_in_no_other(mem: MemoryDatabase) -> None:
    ids = in_projects(mem, "private", "private", "work")
    mem.maintain(now=NOW, only=STEPS)
    assert told_in(mem) == {"private": set(ids[:2]), "work": {ids[2]}}
    assert {row["text"] for row in crystals(mem)} == {"Rosa lives in Malmö."}
    found = mem.recall("where does Rosa live?", 20, kinds="crystal", project="elsewhere", only_project=True, now=NOW)
    assert list(found) == []
    assert mem.maintain(now=LATER, only=STEPS).changes == []
    check_indexes(mem)


def test_a_crystal_is_put_away_where_its_evidence_has_moved_to_a_project(mem: MemoryDatabase) -> None:
    """So are those that were made when there was one for an entity, and all could see it."""
    ids = in_projects(mem, "global", "global", "global")
    mem.maintain(now=NOW, only=STEPS)
    mem.conn.execute("update memories set project = 'private' where kind <> 'crystal'")
    assert mem.maintain(now=LATER, only=STEPS).counts == {"crystals: made": 1, "crystals: put away": 1}
    assert told_in(mem) == {"private": set(ids)}


def test_what_a_global_memory_says_is_told_once_for_all(mem: MemoryDatabase) -> None:
    *_, known = in_projects(mem, "private", "work", "global")
    mem.maintain(now=NOW, only=STEPS)
    assert told_in(mem) == {"global": {known}}
    mem.forget(known, now=LATER)
    other = in_projects(mem, "work")
    mem.maintain(now=LATER, only=STEPS)
    assert set(told_in(mem)) == {"private", "work"}
    assert other[0] in told_in(mem)["work"]


def test_what_is_said_by_hand_and_in_no_memory_is_told_to_all(mem: MemoryDatabase) -> None:
    in_projects(mem, "private")
    mem.relate("Rosa", "lives in", "Malmö", now=NOW)
    mem.maintain(now=NOW, only=STEPS)
    assert told_in(mem) == {"global": set()}


def test_each_projects_crystal_of_an_entity_is_undone_and_stays_away_for_itself(mem: MemoryDatabase) -> None:
    in_projects(mem, "private", "work", "work")
    report = mem.maintain(now=NOW, only=STEPS)
    change = next(one for one in report.changes if mem.memory(one.memory_id).project == "work")
    mem.undo(change.id, now=NOW)
    assert set(told_in(mem)) == {"private"}
    assert mem.maintain(now=LATER, only=STEPS).changes == []


def test_what_memories_of_several_projects_state_is_told_in_each_and_of_a_global_one_for_all(
    mem: MemoryDatabase,
) -> None:
    ids = [mem.remember(QUINCE, project=project, now=NOW).id for project in ("private", "private", "work")]
    mem.maintain(now=NOW, only=STEPS)
    assert told_in(mem) == {"private": set(ids[:2]), "work": {ids[2]}}
    known = mem.remember(QUINCE, now=NOW).id
    mem.maintain(now=LATER, only=STEPS)
    assert told_in(mem) == {"global": {known}}
    mem.forget(known, now=LATER)
    mem.maintain(now=LATER, only=STEPS)
    assert told_in(mem) == {"private": set(ids[:2]), "work": {ids[2]}}
    check_indexes(mem)


def test_m18_two_documents_make_a_unit_and_no_crystal(mem: MemoryDatabase) -> None:
    chats(mem, 2)
    mem.maintain(now=NOW, only=STEPS)
    assert by_text(mem) == {"Rosa lives in Malmö": UNIT}
    assert crystals(mem) == []


def test_m18_a_conversation_that_repeats_itself_is_one_source(mem: MemoryDatabase) -> None:
    rows = [{"id": f"m{n}", "text": f"Hello {n}! I saw her.", "session": "s"} for n in range(4)]
    mem.ingest(rows, now=NOW)
    for (id,) in mem.conn.execute("select id from memories").fetchall():
        mem.relate("Rosa", "lives in", "Malmö", memory=id, confidence=0.8, now=NOW)
    assert by_text(mem) == {}


def test_m18_what_is_said_by_hand_is_a_crystal(mem: MemoryDatabase) -> None:
    mem.relate("Rosa", "lives in", "Malmö", now=NOW)
    assert by_text(mem) == {"Rosa lives in Malmö": CRYSTAL}


def test_m18_a_fact_remembered_three_times_is_surer_and_in_its_projects_crystal(mem: MemoryDatabase) -> None:
    ids = [mem.remember(QUINCE, confidence=0.7, project="garden", now=NOW).id for _ in range(3)]
    mem.maintain(now=NOW, only=STEPS)
    assert [mem.memory(id).confidence for id in ids] == [0.8] * 3
    (crystal,) = crystals(mem)
    assert (crystal["text"], crystal["project"]) == (QUINCE, "garden")


def test_m18_a_sure_and_important_decision_is_a_crystal_at_once(mem: MemoryDatabase) -> None:
    mem.remember("We deploy on Fridays.", category="decision", importance=8, confidence=0.9, now=NOW)
    mem.remember("We may deploy on Mondays.", category="decision", importance=8, confidence=0.8, now=NOW)
    mem.maintain(now=NOW, only=STEPS)
    assert [row["text"] for row in crystals(mem)] == ["We deploy on Fridays."]


def test_a_summary_is_no_further_source_and_neither_is_a_crystal(mem: MemoryDatabase) -> None:
    ids = chats(mem, 2)
    summary = mem.remember("I saw her twice.", kind="episode", now=NOW)
    for id in ids:
        mem.link(summary.id, id, "derived_from", now=NOW)
    mem.relate("Rosa", "lives in", "Malmö", memory=summary.id, confidence=0.8, now=NOW)
    assert by_text(mem) == {"Rosa lives in Malmö": UNIT}


def test_confidence_goes_down_again_with_its_sources(mem: MemoryDatabase) -> None:
    ids = [mem.remember(QUINCE, confidence=0.7, now=NOW).id for _ in range(3)]
    mem.maintain(now=NOW, only=STEPS)
    mem.forget(ids[0], now=LATER)
    mem.forget(ids[1], now=LATER)
    assert [hit.memory.id for hit in mem.recall(QUINCE, now=LATER)] == ids[2:]  # the crystal was taken back at once
    report = mem.maintain(now=LATER, only=STEPS)
    assert mem.memory(ids[2]).confidence == 0.7
    assert "promote" not in mem.memory(ids[2]).meta
    assert report.counts == {"promote: demoted": 1}
    assert crystals(mem) == []


# ---------------------------------------------------------------------------------------------- rebuilding


def test_the_same_evidence_again_changes_nothing(mem: MemoryDatabase) -> None:
    chats(mem, 3)
    mem.remember(QUINCE, now=NOW)
    mem.remember(QUINCE, now=NOW)
    mem.maintain(now=NOW, only=STEPS)
    assert mem.maintain(now=LATER, only=STEPS).changes == []
    assert mem.due(now=LATER).get("crystals", 0) == 0


def test_a_crystal_is_made_anew_when_its_evidence_changes_and_keeps_its_id(mem: MemoryDatabase) -> None:
    ids = chats(mem, 3)
    mem.maintain(now=NOW, only=STEPS)
    (before,) = crystals(mem)
    for id in ids:
        mem.relate("Rosa", "keeps", "three hens", memory=id, confidence=0.9, now=LATER)
    assert mem.maintain(now=LATER, only=STEPS).counts == {"crystals: rebuilt": 1}
    (after,) = crystals(mem)
    assert after["id"] == before["id"]
    assert set(after["text"].split(". ")) == {"Rosa lives in Malmö", "Rosa keeps three hens."} or set(
        after["text"].split(". ")
    ) == {"Rosa keeps three hens", "Rosa lives in Malmö."}
    check_indexes(mem)


def test_a_crystal_goes_with_its_evidence_and_comes_back_with_it(mem: MemoryDatabase) -> None:
    ids = chats(mem, 3)
    mem.maintain(now=NOW, only=STEPS)
    mem.forget(ids[0], now=LATER)
    mem.maintain(now=LATER, only=STEPS)
    assert crystals(mem) == []
    again = mem.remember("I saw her again.", now=LATER)
    mem.relate("Rosa", "lives in", "Malmö", memory=again.id, confidence=0.8, now=LATER)
    mem.maintain(now=LATER, only=STEPS)
    (crystal,) = crystals(mem)
    assert mem.recall("where does Rosa live?", 20, kinds="crystal")[0].memory.id == crystal["id"]
    check_indexes(mem)


def test_nothing_is_read_out_of_a_crystal(mem: MemoryDatabase) -> None:
    """Else it would be evidence for itself."""
    chats(mem, 3)
    before = mem.conn.execute("select count(*) from evidence").fetchone()[0]
    mem.maintain(now=NOW, only=STEPS)
    mem.extract(now=LATER)
    assert mem.conn.execute("select count(*) from evidence").fetchone()[0] == before


def test_a_crystal_that_was_forgotten_or_undone_stays_away(mem: MemoryDatabase) -> None:
    chats(mem, 3)
    report = mem.maintain(now=NOW, only=STEPS)
    mem.undo(report.run, now=NOW)
    assert mem.conn.execute("select count(*) from memories where kind = 'crystal'").fetchone()[0] == 0
    assert mem.maintain(now=LATER, only=STEPS).changes == []


def test_promotion_is_undone_exactly(mem: MemoryDatabase) -> None:
    ids = [mem.remember(QUINCE, confidence=0.7, now=NOW).id for _ in range(3)]
    before = [mem.memory(id) for id in ids]
    report = mem.maintain(now=NOW, only=STEPS)
    mem.undo(report.run, now=LATER)
    assert [mem.memory(id) for id in ids] == before


# ---------------------------------------------------------------------------------------------- the text


def statement(text: str, **more: Any) -> SupportedClaim:
    return SupportedClaim(text, text, 0.9, 3, CRYSTAL, (1,), **more)


def test_a_statement_is_told_with_the_day_since_when_it_holds() -> None:
    assert (
        statement_text(statement("Rosa lives in Malmö", since="2019-05-01T00:00:00Z"))
        == "Rosa lives in Malmö (since 2019-05-01)."
    )
    assert statement_text(statement("Is it so?")) == "Is it so?"


@given(st.lists(st.text(min_size=1, max_size=400), max_size=20), st.integers(0, 1500))
def test_a_crystal_is_never_longer_than_it_may_be(texts: list[str], longest: int) -> None:
    text, kept = crystal_text([statement(text) for text in texts], longest)
    assert len(text) <= longest
    assert len(kept) <= len(texts)


def test_one_statement_too_long_leaves_room_for_the_next() -> None:
    text, kept = crystal_text([statement("x" * 50), statement("Short")], 40)
    assert (text, len(kept)) == ("Short.", 1)


def test_m18_a_crystal_takes_what_fits_into_fifteen_hundred_characters() -> None:
    text, kept = crystal_text([statement(f"{n:099}") for n in range(20)])
    assert (len(text), len(kept)) == (14 * 100 + 13, 14)


# ---------------------------------------------------------------------------------------------- recall


def test_recall_of_the_samples_is_as_good_with_maintenance_as_without() -> None:
    with MemoryDatabase() as db:
        db.ingest([SAMPLES / name for name in ("notes", "chats", "facts.jsonl", "relations.jsonl")], now=NOW)
        before = db.evaluate(SAMPLES / "questions.jsonl", bootstrap=False)["memkit"].figures["R@5"]
        db.maintain(now=NOW, only=[*STEPS, "propose"])
        assert db.evaluate(SAMPLES / "questions.jsonl", bootstrap=False)["memkit"].figures["R@5"] >= before


@pytest.mark.parametrize(
    ("entity", "project", "of"),
    [
        ("e1", "global", "entity:e1"),
        ("e1", "apples", "entity:e1 in apples"),
        ("e1", "zoo", "entity:e1 in zoo"),
        (None, "global", "project:global"),
        (None, "zoo", "project:zoo"),
    ],
)
def test_what_a_crystal_is_of(entity: str | None, project: str, of: str) -> None:
    assert of_crystals._of(entity, project) == of


CRYSTAL_OF_ROSA = Crystal("entity:e1", "Rosa", "Rosa lives in Malmö.", "global", 0.9, (3, 1), ("r1",), {7: "Rosa"})


@pytest.mark.parametrize(
    ("changed", "stays"),
    [
        ({}, True),
        ({"text": "Rosa lives in Lund."}, False),
        ({"text": "Rosa lives in Västerås."}, False),
        ({"evidence": "[1]"}, False),
        ({"evidence": "[1, 3, 5]"}, False),
        ({"archived_at": NOW, "because": None}, True),
        ({"archived_at": NOW, "because": "a person said so"}, True),
        ({"archived_at": NOW, "because": "~ later than any reason"}, True),
        ({"archived_at": NOW, "because": of_crystals.GONE}, False),
    ],
)
def test_a_crystal_stays_as_it_is_or_where_somebody_put_it(changed: dict[str, Any], stays: bool) -> None:
    row = {"archived_at": None, "because": None, "text": CRYSTAL_OF_ROSA.text, "evidence": "[1, 3]", **changed}
    assert of_crystals._stays(row, CRYSTAL_OF_ROSA) is stays


def test_a_crystal_says_of_how_many_statements_it_is_and_how_long(mem: MemoryDatabase) -> None:
    for id in chats(mem, 3):
        mem.relate("Rosa", "works at", "Nightshade", memory=id, quote="her", confidence=0.5, now=NOW)
    (change,) = [one for one in mem.maintain(now=NOW, only=STEPS).changes if one.step == "crystals"]
    assert change.why == "2 promoted statements about Rosa"
    (row,) = crystals(mem)
    assert row["confidence"] == pytest.approx(0.6), "as sure as the least sure statement in it"
    assert (row["tags"], row["importance"], row["title"], row["project"]) == ("[]", 5.0, "Rosa", "global")
    assert row["tokens"] == est_tokens(row["text"]) > 0
    query = "select surface, count, confidence from mentions where memory_key = ? order by surface"
    named = [tuple(one) for one in mem.conn.execute(query, [row["key"]])]
    assert named == [("Malmö", 1, 1.0), ("Nightshade", 1, 1.0), ("Rosa", 1, 1.0)]
    mem.set_policy(settings={"steps": "promote, crystals"})
    assert mem.due()["crystals"] == 0
