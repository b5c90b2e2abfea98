"""Each line in which something is summed up or noted, with the scripted model and with the extractive rule.

The clock is frozen: every step is told what time it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import check_indexes
from maintenance_helpers import SAID, START, add_session, day, facts, links, of_compression, rows
from maintenance_models import Scripted, extracts, points, stated

import memkit
from memkit import MemoryDatabase
from memkit.maintenance import conversation, observe, reflect
from memkit.maintenance.maintain import MaintenanceReport, maintain
from memkit.maintenance.policy import ObservePolicy
from memkit.maintenance.run_context import RunContext
from memkit.maintenance.summaries import Extractive, Summariser, WithModel
from memkit.text.messages import tokens

SHOWN = re.compile(r'^\{"number": (\d+), .*"text": "(.*)"\}$', re.M)


def some(prompt: str) -> str:
    """A model that says every other thing it is shown in its first six words, and extracts nothing."""
    if extracts(prompt):
        return stated(prompt)
    shown = [(int(number), text) for number, text in SHOWN.findall(prompt)][::2]
    return points(*((" ".join(text.split()[:6]), "medium", [number]) for number, text in shown))


MAKERS: dict[str, Callable[[], Summariser]] = {"extractive": Extractive, "scripted": lambda: WithModel(Scripted(some))}


@pytest.fixture(params=MAKERS)
def who(request: pytest.FixtureRequest) -> Summariser:
    """Who makes summaries."""
    return MAKERS[request.param]()


@pytest.fixture
def db(tmp_path: Path, letters) -> MemoryDatabase:
    """An empty database in a file."""
    return MemoryDatabase(tmp_path / "m.db", embed=letters)


def work(db: MemoryDatabase, who: Summariser, now: str, **rules: int) -> RunContext:
    """A run of upkeep at this time."""
    made = replace(db._work(db.conn, now, None), summariser=who)
    return replace(made, policy=replace(made.policy, observe=ObservePolicy(**{"observer_tokens": 1, **rules})))


def run(db: MemoryDatabase, who: Summariser, now: str, *only: str) -> MaintenanceReport:
    """What upkeep does at this time."""
    return maintain(work(db, who, now), only)


def told(who: Summariser) -> str:
    """Who it says made it, or how."""
    return "in whole sentences" if isinstance(who, Extractive) else f"by {who.name}"


# ---------------------------------------------------------------------------------------------- episodes


def test_K40_one_summary_a_session_linked_both_ways_that_says_who_made_it(db, who) -> None:
    sessions = [add_session(db, 0), add_session(db, 0.5)]
    assert run(db, who, day(0.9)).changes == []
    report = run(db, who, day(3))
    assert report.counts == {"compress: made": 2}
    assert all(change.why.endswith(told(who)) for change in report.changes)
    summaries = {row["id"]: row for row in of_compression(db, "compressed")}
    assert {row["expires_at"] for row in summaries.values()} == {day(93)}
    back = {(summary, raw) for summary, raw in links(db, "derived_from") if summary in summaries}
    assert {raw for _, raw in back} == {id for session in sessions for id in session}
    assert {(raw, summary) for summary, raw in back} == links(db, "summarized_by")
    check_indexes(db)


def test_K40_nothing_is_summed_up_twice(db, who) -> None:
    add_session(db, 0)
    run(db, who, day(2))
    before = rows(db)
    for now in (day(2), day(3), day(7.9)):
        assert run(db, who, now).changes == []
    assert rows(db) == before


def test_K40_raw_ones_go_six_days_later_with_their_facts_kept_and_important_ones_stay(db, who) -> None:
    add_session(db, 0)
    kept = add_session(db, 0.5, SAID[:1], importance=8)
    known = [row[1:4] for row in facts(db)]
    run(db, who, day(2))
    assert run(db, who, day(7.9)).changes == []
    assert run(db, who, day(8)).counts == {"expire: expired": len(SAID)}
    assert [row["id"] for row in of_compression(db, "raw")] == kept
    assert [row[1:4] for row in facts(db)] == known
    check_indexes(db)


def test_K41_after_a_week_a_summary_is_distilled_in_place_and_stays_for_good(db, who) -> None:
    db.set_policy(settings={"episodes.part_tokens": "8000"})
    add_session(db, 0, SAID * 2)
    run(db, who, day(2))
    (before,) = of_compression(db, "compressed")
    assert "distil: distilled" not in run(db, who, day(9)).counts
    report = run(db, who, day(9.1), "distil")
    assert report.changes[0].why.endswith(told(who))
    (after,) = (row for row in of_compression(db, "distilled") if row["kind"] == "episode")
    assert (after["id"], after["expires_at"]) == (before["id"], None)
    assert after["tokens"] <= before["tokens"]
    assert "details" not in db.memory(after["id"]).meta
    assert run(db, who, day(9.2), "distil").changes == []
    check_indexes(db)


def test_K37_K42_a_quarter_of_days_leaves_distilled_summaries_and_every_fact(db, who) -> None:
    for number in range(3):
        add_session(db, number, tuple(f"{text} ({number})" for text in SAID))
    known = [row[1:4] for row in facts(db)]
    counts: dict[str, int] = {}
    for number in range(1, 100):
        for name, count in run(db, who, day(number)).counts.items():
            counts[name] = counts.get(name, 0) + count
        assert [row[1:4] for row in facts(db)] == known
    kinds = [row["kind"] for row in of_compression(db, "distilled")]
    assert kinds.count("episode") == 3
    assert set(kinds) <= {"episode", "fact"}
    assert of_compression(db, "raw") == of_compression(db, "compressed") == []
    assert counts["compress: made"] == counts["distil: distilled"] == 3
    assert counts["expire: expired"] == counts["purge: gone for good"] == 3 * len(SAID)


def test_K40_K41_each_change_is_undone_exactly(db, who) -> None:
    add_session(db, 0)
    states = [rows(db, "memories", "evidence", "links")]
    runs = []
    for number in (2, 8, 10):
        runs.append(run(db, who, day(number)).run)
        states.append(rows(db, "memories", "evidence", "links"))
    for one, before in zip(reversed(runs), reversed(states[:-1]), strict=True):
        db.undo(one, now=day(11))
        now = rows(db, "memories", "evidence", "links")
        assert [row[:10] for row in now["memories"]] == [row[:10] for row in before["memories"]]
        assert (len(now["evidence"]), len(now["links"])) == (len(before["evidence"]), len(before["links"]))
        assert now["relations"] == before["relations"]


# ---------------------------------------------------------------------------------------------- conversations


def said(n: int) -> list[dict[str, Any]]:
    """A conversation of n turns."""
    text = "Rosa counted {} ships called Aquila{} in the harbour of Lisbon today."
    return [{"role": ("user", "assistant")[i % 2], "content": text.format(i, i)} for i in range(n)]


def test_K38_at_three_quarters_of_the_budget_the_last_turns_stay_and_the_rest_is_one_message(db, who) -> None:
    messages = said(40)
    limit = tokens(messages)
    assert conversation.compact(work(db, who, START), messages, int(limit / 0.75) + 2).episode is None
    done = conversation.compact(work(db, who, START), messages, int(limit / 0.75) - 2)
    assert done.messages[1:] == messages[-10:]
    assert done.messages[0]["role"] == "system"
    assert done.after < done.before
    assert done.by == who.name


def test_K39_the_summary_is_an_episode_with_its_turns_and_who_made_it(db, who) -> None:
    done = conversation.compact(work(db, who, START), said(20), 300)
    stored = db.memory(done.episode.id)
    assert (stored.category, stored.speaker, stored.compression) == ("conversation", "system", "compressed")
    assert (stored.importance, stored.tags, stored.meta["by"]) == (5, ("auto-compaction",), who.name)
    assert stored.meta["details"] == said(20)[:14]
    assert conversation.compact(work(db, who, START), said(20), 300).episode == done.episode
    assert f": {stored.text}]" in done.messages[0]["content"]


# ---------------------------------------------------------------------------------------------- observations


def chat(db: MemoryDatabase, session: str = "a") -> None:
    """A conversation that is worth noting."""
    told = [{"id": f"{session}{n}", "session": session, "text": text, "speaker": "Rosa"} for n, text in enumerate(SAID)]
    db.ingest([{**one, "timestamp": day(n)} for n, one in enumerate(told)], now=day(10))


def test_C08_past_the_threshold_turns_are_noted_once_with_priority_date_and_provenance(db, who) -> None:
    chat(db)
    assert observe.observe(work(db, who, day(11), observer_tokens=10_000)) == []
    made = observe.observe(work(db, who, day(11)))
    assert made
    for change in made:
        noted = db.memory(change.memory_id)
        turns = [db.memory(id) for id in change.sources]
        assert noted.meta["priority"] in ("high", "medium", "low")
        assert noted.happened_at == max(turn.happened_at for turn in turns)
        assert all(turn.kind == "turn" for turn in turns)
        assert (noted.meta["by"], change.why) == (who.name, who.name)
    assert observe.observe(work(db, who, day(12))) == []
    check_indexes(db)


def block(db: MemoryDatabase, message: str, now: str) -> str:
    """The first block of Construct's context."""
    return str(db.context(message, strategy="construct", now=now)).split("\n\n[")[1]


def test_C08_past_the_next_threshold_notes_are_condensed_and_stay_as_they_are_until_then(db, who) -> None:
    for session in "abc":
        chat(db, session)
        observe.observe(work(db, who, day(11)))
    notes = block(db, "hello", day(12))
    assert notes.startswith("Conversation observations")
    assert reflect.reflect(work(db, who, day(12), reflector_tokens=10_000)) == []
    assert block(db, "umbrella", day(13)) == notes
    many = observe.current_observations(work(db, who, day(13)), "global")
    full = sum(one.tokens for one in many)
    assert reflect.reflect(work(db, who, day(13), reflector_tokens=full))
    assert len(observe.current_observations(work(db, who, day(13)), "global")) < len(many)
    assert reflect.reflect(work(db, who, day(14), reflector_tokens=full)) == []
    check_indexes(db)


# ---------------------------------------------------------------------------------------------- the clock


def test_no_step_asks_what_time_it_is() -> None:
    """The clock on the wall is for whose turn it is, and for nothing else."""
    asks = re.compile(r"utc_now|datetime\.now|\btime\(\)|monotonic|import time|date\.today|'now'\)|\bclock\b")
    found = {
        path.name
        for path in (Path(memkit.__file__).parent / "maintenance").glob("*.py")
        if asks.search(path.read_text())
    }
    assert found == {"lock.py", "run_context.py", "maintain.py"}
