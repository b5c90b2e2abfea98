"""What upkeep reads for facts before it sums up: by rules, and with the model that it was given (K40, S15)."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import check_indexes, texts
from maintenance_helpers import SAID, add_session, day, facts, of_compression, rows
from maintenance_models import Scripted, extracts, points, stated

from memkit import MemoryDatabase
from memkit.maintenance.fact_extraction import count_unread
from memkit.maintenance.maintain import MaintenanceReport, maintain
from memkit.maintenance.summaries import WithModel

UMBRELLA = ("umbrella", "left in", "the hall", "Somebody had left an umbrella in the hall")
ENDED = "Rosa said goodbye."


def answers(prompt: str) -> str:
    """A model that knows what is in the hall, and sums everything up in a word."""
    return stated(prompt, UMBRELLA) if extracts(prompt) else points((ENDED, "high", [1]))


def run(db: MemoryDatabase, model: Scripted, now: str, *only: str) -> MaintenanceReport:
    """Upkeep with this model."""
    return maintain(replace(db._work(db.conn, now, None), summariser=WithModel(model)), only)


def asked(model: Scripted) -> int:
    """How often it was asked what memories state."""
    return sum(map(extracts, model.asked))


def known(db: MemoryDatabase) -> set[tuple[str, ...]]:
    """The relations that hold, by names."""
    return {row[1:4] for row in facts(db)}


def test_k40_a_model_reads_raw_episodes_before_they_are_summed_up_and_its_facts_outlive_them(
    mem: MemoryDatabase,
) -> None:
    ids = add_session(mem, 0)
    rules, model = known(mem), Scripted(answers)
    report = run(mem, model, day(2))
    assert report.counts == {"facts: read": 1, "compress: made": 1}
    assert known(mem) == rules | {("umbrella", "left_in", "the hall")}
    for number in (8, 16, 60):
        run(mem, model, day(number))
    assert of_compression(mem, "raw") == []
    assert known(mem) == rules | {("umbrella", "left_in", "the hall")}
    (relation,) = mem.about("umbrella", now=day(61)).relations
    assert relation.evidence[0].quote == UMBRELLA[3]
    assert asked(model) == 1
    assert (report.changes[0].memory_id, report.changes[0].step) == (ids[5], "facts")
    assert report.changes[0].why == "found by llm scripted: relations 1, names 0, texts 0"
    check_indexes(mem)


def test_without_a_model_nothing_changes(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    assert mem.maintain(now=day(2)).counts == {"compress: made": 1}
    assert mem.conn.execute("select count(*) from extractions where extractor like 'llm %'").fetchone()[0] == 0


def test_a_memory_is_asked_about_once_and_again_when_it_changed(mem: MemoryDatabase) -> None:
    ids = add_session(mem, 0)
    model = Scripted(answers)
    run(mem, model, day(2), "facts")
    assert run(mem, model, day(2), "facts").changes == []
    assert asked(model) == 1
    mem.conn.execute("update memories set hash = 'another' where id = ?", (ids[5],))
    run(mem, model, day(2), "facts")
    assert asked(model) == 2
    assert mem.about("umbrella", now=day(2)).relations[0].evidence[0].memory_id == ids[5]


def test_only_what_will_be_summed_up_is_read_by_the_model(mem: MemoryDatabase) -> None:
    mem.remember("Rosa knows Hana, a note that stays.", now=day(0))
    add_session(mem, 1.9)
    model = Scripted(answers)
    run(mem, model, day(2), "facts")
    assert model.asked == []
    mem.set_policy(settings={"episodes.compact_kinds": "fact"})
    run(mem, model, day(2), "facts")
    assert asked(model) == 1
    assert "a note that stays" in model.asked[0]


def test_what_was_summed_up_without_the_model_is_read_before_it_goes(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    mem.maintain(now=day(2))
    run(mem, Scripted(answers), day(8))
    assert of_compression(mem, "raw") == []
    assert ("umbrella", "left_in", "the hall") in known(mem)


@pytest.mark.parametrize("answer", ["", "I cannot do that.", '{"relations": 3}'], ids=repr)
def test_nonsense_twice_is_told_in_the_log_and_the_rules_are_enough(mem: MemoryDatabase, answer: Any) -> None:
    add_session(mem, 0)
    rules = known(mem)
    model = Scripted(lambda prompt: answer if extracts(prompt) else points((ENDED, "high", [1])))
    report = run(mem, model, day(2))
    assert report.counts == {"facts: not read": len(SAID), "compress: made": 1}
    assert report.changes[0].why.startswith("the answer of llm scripted could not be used: ")
    assert asked(model) == 2
    for number in (8, 16):
        run(mem, model, day(number))
    assert asked(model) == 2  # not every hour again
    assert known(mem) == rules
    assert of_compression(mem, "raw") == []


@pytest.mark.parametrize("steps", [(), ("compress",)], ids=["all", "compress"])
def test_a_model_that_does_not_answer_ends_its_steps_and_is_asked_again_by_the_next_run(
    mem: MemoryDatabase, steps: tuple[str, ...]
) -> None:
    """Without a key, or a network: nothing passes as read or summed up by it, and what rules find is kept."""
    add_session(mem, 0)
    before, rules = rows(mem, "memories", "extractions", "maintenance"), known(mem)
    report = run(mem, Scripted(lambda prompt: RuntimeError("no network")), day(2), *steps)
    assert report.failed.keys() == set(steps or ("facts", "compress"))
    assert all(re.match(r"llm scripted does not answer: .*no network\.", said) for said in report.failed.values())
    assert rows(mem, "memories", "extractions", "maintenance") == before
    report = run(mem, Scripted(answers), day(2))
    assert report.counts == {"facts: read": 1, "compress: made": 1}
    assert known(mem) > rules


def test_a_dead_model_leaves_the_rest_of_upkeep_done_and_its_steps_are_named(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    gone = mem.remember("The milk is in the fridge.", expires_at=day(1), now=day(0))
    report = run(mem, Scripted(lambda prompt: RuntimeError("no network")), day(2))
    assert report.counts == {"expire: expired": 1}
    assert gone.id in {one["memory_id"] for one in mem.restorable()}
    assert report.failed.keys() == {"facts", "compress"}
    assert "The step compress failed: llm scripted does not answer" in repr(report)
    assert "The step compress failed: " in report._repr_html_()
    assert report.to_dict()["failed"] == report.failed


def test_a_model_that_fails_once_in_a_while_is_asked_again_by_the_next_run(mem: MemoryDatabase) -> None:
    for number in range(4):
        add_session(mem, number)
    model = Scripted(lambda prompt: RuntimeError("busy") if len(model.asked) in (2, 3) else answers(prompt))
    assert "facts: not read" not in run(mem, model, day(9), "facts").counts
    calls = asked(model)
    assert run(mem, model, day(9), "facts").counts == {"facts: read": 1}
    assert asked(model) == calls + 1
    assert run(mem, model, day(9), "facts").changes == []


def test_nothing_found_is_an_answer_and_no_change(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    model = Scripted(lambda prompt: stated(prompt) if extracts(prompt) else points((ENDED, "high", [1])))
    assert run(mem, model, day(2)).counts == {"compress: made": 1}
    assert run(mem, model, day(2)).changes == []
    assert asked(model) == 1


def test_what_the_model_found_is_undone_and_not_found_again(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    mem.extract(now=day(1))
    before, rules = rows(mem, "memories", "evidence"), facts(mem)
    report = run(mem, Scripted(answers), day(2), "facts")
    assert facts(mem) != rules
    mem.undo(report.run, now=day(2))
    assert (rows(mem, "memories", "evidence"), facts(mem)) == (before, rules)
    assert run(mem, Scripted(answers), day(2), "facts").changes == []


def test_a_run_in_which_the_model_failed_is_undone_as_well(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    before = rows(mem, "memories", "evidence")
    report = run(mem, Scripted(lambda prompt: ""), day(2))
    mem.undo(report.run, now=day(2))
    assert rows(mem, "memories", "evidence") == before


def test_texts_that_the_model_made_go_when_that_is_undone(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    quote = "likes the kitchen there"
    text = f'{{"preferences": [{{"memory": 3, "text": "Hana likes the kitchen of Nightshade.", "quote": "{quote}"}}]}}'
    report = run(mem, Scripted(lambda prompt: text), day(2), "facts")
    assert report.changes[0].why == "found by llm scripted: relations 0, names 0, texts 1"
    (made,) = report.changes[0].sources
    assert mem.memory(made).text == "Hana likes the kitchen of Nightshade."
    mem.undo(report.run, now=day(2))
    assert mem.conn.execute("select count(*) from memories where id = ?", (made,)).fetchone()[0] == 0
    check_indexes(mem)


def test_texts_that_the_model_says_no_more_come_back_when_that_is_undone(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    quote = "likes the kitchen there"
    text = f'{{"preferences": [{{"memory": 3, "text": "Hana lives in Nightshade.", "quote": "{quote}"}}]}}'
    run(mem, Scripted(lambda prompt: text), day(2), "facts")
    mem.conn.execute("update memories set hash = 'another' where text like 'Hana works at%'")
    before = rows(mem, "memories", "evidence")
    (change,) = run(mem, Scripted(stated), day(3), "facts").changes
    assert "Hana lives in Nightshade." not in texts(mem)
    assert ("Hana", "lives_in", "Nightshade") not in known(mem)
    mem.undo(change.id, now=day(3))
    assert rows(mem, "memories", "evidence") == before
    assert ("Hana", "lives_in", "Nightshade") in known(mem)
    check_indexes(mem)


def test_what_changed_while_the_model_thought_is_asked_about_again(tmp_path: Path) -> None:
    with (
        MemoryDatabase(tmp_path / "m.db", embed="none") as db,
        MemoryDatabase(tmp_path / "m.db", embed="none") as other,
    ):
        ids = add_session(db, 0)

        def answer(prompt: str) -> str:
            if len(model.asked) == 1:
                other.conn.execute("update memories set hash = 'another' where id = ?", (ids[5],))
            return stated(prompt, UMBRELLA)

        model = Scripted(answer)
        assert run(db, model, day(2), "facts").changes == []
        assert [change.memory_id for change in run(db, model, day(2), "facts").changes] == [ids[5]]


def test_a_rehearsal_asks_no_model_and_due_counts_what_it_would_read(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    work = replace(mem._work(mem.conn, day(2), None), summariser=WithModel(Scripted(answers)))
    assert count_unread(work) == len(SAID)
    assert mem.due(now=day(2))["facts"] == 0


CHILD = """
import os, sys
from dataclasses import replace
sys.path.insert(0, {tests!r})
from maintenance_models import Scripted, points, stated, extracts
from memkit import MemoryDatabase
from memkit.maintenance.maintain import maintain
from memkit.maintenance.summaries import WithModel
said = []
def answer(prompt):
    if not extracts(prompt):
        return points(("Goodbye.", "low", [1]))
    said.append(prompt)
    if len(said) > int(sys.argv[3]):
        os._exit(9)
    return stated(prompt, ("umbrella", "left in", "the hall", "left an umbrella in the hall"))
with MemoryDatabase(sys.argv[1], embed="none") as db:
    maintain(replace(db._work(db.conn, sys.argv[2], None), summariser=WithModel(Scripted(answer))))
"""


def test_killed_between_two_answers_the_next_run_asks_only_about_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed="none") as db:
        for number in range(4):
            add_session(db, number, tuple(f"{text} ({number})" for text in SAID))
        before = known(db)
    code = CHILD.format(tests=str(Path(__file__).parent))

    def child(answers: int) -> int:
        return subprocess.run([sys.executable, "-c", code, str(path), day(9), str(answers)], check=False).returncode

    def asked_about(db: MemoryDatabase) -> int:
        query = "select count(*) from extractions where extractor = 'llm scripted'"
        return db.conn.execute(query).fetchone()[0]

    assert child(1) == 9
    with MemoryDatabase(path, embed="none") as db:
        check_indexes(db)
        first = asked_about(db)
        assert 0 < first < 4 * len(SAID)
        assert of_compression(db, "compressed") == []
    assert child(1) == 9
    with MemoryDatabase(path, embed="none") as db:
        assert first < asked_about(db) < 4 * len(SAID)
    assert child(99) == 0
    with MemoryDatabase(path, embed="none") as db:
        assert asked_about(db) == 4 * len(SAID)
        assert known(db) == before | {("umbrella", "left_in", "the hall")}
        assert len(db.about("umbrella", now=day(9)).relations[0].evidence) == 4
        assert len(of_compression(db, "compressed")) == 4
