"""Procedures are found by their trigger, whatever words their steps have."""

from __future__ import annotations

import json

import pytest
from published_helpers import Angles, Concepts, database, ids

from memkit import MemoryDatabase
from memkit.retrieval.channels import procedures
from memkit.storage.filters import Scope

NOW = "2025-11-17T12:00:00Z"
DEPLOY = {
    "id": "deploy",
    "kind": "procedure",
    "title": "Deploy to Vercel",
    "text": "Check vercel.json → run tests → vercel --prod",
    "trigger": "putting a new version of a web app online",
}
OTHERS = [
    {
        "id": "tomatoes",
        "kind": "procedure",
        "text": "Soak seed → sow under glass",
        "trigger": "growing tomatoes in spring",
    },
    {"id": "ferry", "text": "The ferry leaves at nine."},
    {"id": "bread", "text": "Rosa left rye bread on the step."},
]
QUESTION = "how do I get my new website version online?"


def kept(trigger: object = DEPLOY["trigger"], **how) -> MemoryDatabase:
    db = MemoryDatabase(**how)
    db.ingest([{**DEPLOY, "trigger": trigger}, *OTHERS], now=NOW)
    return db


@pytest.mark.parametrize("strategy", ["memkit", "kira", "engram"])
def test_the_procedure_whose_trigger_fits_comes_first(strategy) -> None:
    found = kept().recall(QUESTION, strategy=strategy, now=NOW)
    assert ids(found)[0] == "deploy"
    assert found[0].why["vector"].score >= procedures.NEAR
    assert "deploy" not in ids(kept(trigger="").recall(QUESTION, strategy="memkit", now=NOW))[:1]


def test_steps_are_the_text_where_there_is_no_other_and_a_trigger_can_be_remembered() -> None:
    db = MemoryDatabase(embed="none")
    report = db.ingest([{"kind": "procedure", "title": "Tea", "steps": ["boil", " steep ", "pour"]}], now=NOW)
    assert (report.added, report.failed) == (1, 0)
    assert db.memories().text.tolist() == ["boil → steep → pour"]
    made = db.remember("whistle", kind="procedure", trigger="the dog runs away", meta={"by": "Rosa"})
    assert made.meta == {"by": "Rosa", "trigger": "the dog runs away"}


@pytest.mark.parametrize("steps", [[], [1, 2], ["", " "], "boil", {"a": 1}])
def test_what_are_no_steps_are_no_text(steps) -> None:
    report = MemoryDatabase(embed="none").ingest([{"kind": "procedure", "steps": steps}], now=NOW)
    assert (report.added, report.failed) == (0, 1)


def test_a_hidden_procedure_stays_hidden_and_a_scope_holds() -> None:
    db = kept()
    assert "deploy" not in ids(db.recall(QUESTION, kinds="fact", now=NOW))
    db.forget(db.recall(QUESTION, now=NOW)[0].memory.id)
    assert "deploy" not in ids(db.recall(QUESTION, now=NOW))


@pytest.mark.parametrize("trigger", [None, 3, ["a"], {"a": "b"}, "", " "])
def test_a_trigger_that_is_no_text_is_none(trigger) -> None:
    assert kept(trigger=trigger).recall("Vercel", now=NOW)


def test_a_trigger_says_something_from_a_cosine_of_35_hundredths_on() -> None:
    rows = [{"text": "step", "kind": "procedure", "trigger": f".{near} of a dog"} for near in (34, 36)]
    model = Angles()
    db = database(rows, model)
    (found,) = procedures.search(db.conn, model.encode(["a dog"])[0], model, Scope(now=NOW)).values()
    assert found == pytest.approx(0.36)


@pytest.mark.parametrize(("count", "found"), [(60, 60), (61, 0)])
def test_a_model_that_takes_its_time_is_asked_for_sixty_triggers(count, found) -> None:
    model = Concepts()
    db = database([{"text": f"step {n}", "kind": "procedure", "trigger": f"dog {n}"} for n in range(count)], model)
    assert len(procedures.search(db.conn, model.encode(["dog"])[0], model, Scope(now=NOW))) == found


def test_a_model_that_takes_its_time_is_not_asked_for_a_heap_of_triggers() -> None:
    model = Concepts()
    rows = [{"text": f"step {n}", "kind": "procedure", "trigger": f"the dog barks {n}"} for n in range(70)]
    db = database(rows, model)
    model.asked.clear()
    db.recall("dog", now=NOW)
    assert len(model.asked) == 1
    vector = model.encode(["dog"])[0]
    db.conn.execute("delete from memories where key > 10")
    assert len(procedures.search(db.conn, vector, model, Scope(now=NOW))) == 10
    model.instant = True
    db.ingest([json.loads(json.dumps(row)) for row in rows], now=NOW)
    assert len(procedures.search(db.conn, vector, model, Scope(now=NOW))) > 60


def test_without_vectors_a_trigger_is_not_compared() -> None:
    assert kept(embed="none").recall("Vercel", now=NOW)
    assert procedures.search(kept(embed="none").conn, None, None, Scope(now=NOW)) == {}
