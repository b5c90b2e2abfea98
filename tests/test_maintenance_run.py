"""Upkeep as a whole: what is due is done once, by one at a time, to the end, in spite of kills and clocks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import LetterEmbedder, check_indexes
from maintenance_helpers import SAID, START, add_session, day, facts, of_compression, rows
from maintenance_models import Scripted, points

from memkit import MemoryDatabase
from memkit.core.errors import Busy, MemkitError, NotFound, ReadOnly
from memkit.core.formatting import short
from memkit.frontends.cli.main import cli
from memkit.maintenance import lock, log_lines, maintain
from memkit.maintenance.forget import FORGOTTEN, HIDDEN, MAKING, TAKEN_BACK
from memkit.maintenance.policy import LOGGED, STEP_NAMES
from memkit.maintenance.reflect import LEFT_OUT
from memkit.maintenance.run_context import RunContext
from memkit.maintenance.summaries import WithModel
from memkit.storage.store import set_setting, setting


def test_what_is_done_is_not_due_any_more(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    assert mem.due(now=day(2))["compress"] == len(SAID)
    for number in (2, 8, 16):
        mem.maintain(now=day(number))
        assert set(mem.due(now=day(number)).values()) == {0}
        before = rows(mem)
        assert mem.maintain(now=day(number)).changes == []
        assert rows(mem) == before


def test_a_dry_run_says_exactly_what_would_be_done_and_does_nothing(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    mem.remember("gone", expires_at=day(1), now=day(0))
    tables = [row[0] for row in mem.conn.execute("select name from sqlite_master where type = 'table'")]
    tables = [name for name in tables if not name.startswith("memories_")]
    before = rows(mem, *tables)
    rehearsed = mem.maintain(dry_run=True, now=day(2))
    assert rows(mem, *tables) == before
    assert rehearsed.counts == mem.maintain(now=day(2)).counts == {"compress: made": 1, "expire: expired": 1}


def test_a_run_makes_the_vectors_that_a_killed_one_had_no_time_for(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    mem.maintain(now=day(2))
    vectors = "select memory_key, vector from embeddings order by 1"
    before = [tuple(row) for row in mem.conn.execute(vectors)]
    mem.conn.execute("delete from embeddings where memory_key = ?", [before[-1][0]])
    mem.maintain(now=day(2))
    assert before
    assert [tuple(row) for row in mem.conn.execute(vectors)] == before


class Heard(LetterEmbedder):
    """An embedder that keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        return super().encode(texts)


def test_a_dry_run_asks_no_model(tmp_path: Path) -> None:
    """A model may be somebody else's machine: nothing is sent there to find out what would be done."""
    heard = Heard()
    with MemoryDatabase(tmp_path / "m.db", embed=heard) as db:
        add_session(db, 0)
        heard.asked.clear()
        rehearsed = db.maintain(dry_run=True, now=day(2))
        assert heard.asked == []
        assert rehearsed.counts == db.maintain(now=day(2)).counts == {"compress: made": 1}
        assert heard.asked != []


def test_a_database_opened_for_reading_can_be_rehearsed_and_not_maintained(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        add_session(db, 0)
    with MemoryDatabase(tmp_path / "m.db", embed="none", read_only=True) as db:
        assert db.maintain(dry_run=True, now=day(2)).counts == {"compress: made": 1}
        with pytest.raises(ReadOnly):
            db.maintain(now=day(2))


def test_only_some_steps_run_when_asked_and_unknown_ones_are_refused(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    assert mem.maintain(only=["prune", "expire"], now=day(2)).changes == []
    with pytest.raises(MemkitError, match=r"'compres' is not a maintenance step\. Did you mean 'compress'"):
        mem.maintain(only="compres", now=day(2))


def test_the_steps_stand_in_an_order_in_which_nothing_goes_before_it_is_kept() -> None:
    order = [step.name for step in maintain.STEPS]
    assert order == [name for name in STEP_NAMES if name in order]
    assert order.index("facts") < order.index("compress") < order.index("prune") < order.index("expire")


# ---------------------------------------------------------------------------------------------- the log


def test_every_change_says_which_memory_when_why_and_from_what(mem: MemoryDatabase) -> None:
    ids = add_session(mem, 0)
    report = mem.maintain(now=day(2))
    (change,) = mem.maintenance()
    (summary,) = of_compression(mem, "compressed")
    assert (change.run, change.step, change.memory_id, change.at) == (report.run, "compress", summary["id"], day(2))
    assert (change.sources, change.undoable) == (tuple(ids), True)
    assert f"Shortened 6 memories to this: “{short(change.says, 80)}” [{change.memory_id}]" in str(change)
    assert str(change).endswith("(older than 24 hours, in whole sentences)")
    assert mem.maintenance(memory=ids[0]) == [change]
    assert mem.maintenance(memory=ids[0], step="expire") == mem.maintenance(run="nothing") == []


def test_a_change_is_undone_alone_and_once(mem: MemoryDatabase) -> None:
    first, second = add_session(mem, 0), add_session(mem, 1)
    mem.maintain(now=day(3))
    change = next(one for one in mem.maintenance() if first[0] in one.sources)
    mem.undo(change.id, now=day(3))
    assert {mem.memory(id).expires_at for id in first} == {None}
    assert {mem.memory(id).expires_at for id in second} == {day(9)}
    with pytest.raises(MemkitError, match="was already undone"):
        mem.undo(change.id, now=day(3))
    check_indexes(mem)


def test_a_later_change_has_to_be_undone_first(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    first, second = mem.maintain(now=day(2)), mem.maintain(now=day(8))
    before = rows(mem)
    with pytest.raises(MemkitError, match=rf"was changed again .*Undo {second.changes[-1].id[0]}"):
        mem.undo(first.run, now=day(8))
    assert rows(mem) == before
    mem.undo(second.run, now=day(8))
    mem.undo(first.run, now=day(8))
    assert len(of_compression(mem, "raw")) == len(SAID)


def test_undoing_what_there_is_not_is_refused(mem: MemoryDatabase) -> None:
    with pytest.raises(NotFound, match="no change or run 'xyz' that can be undone"):
        mem.undo("xyz")


# ---------------------------------------------------------------------------------------------- clocks


def test_a_clock_that_was_set_back_is_said_and_does_no_harm(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    mem.maintain(now=day(5))
    before = rows(mem)
    report = mem.maintain(now=day(-300))
    assert report.notes == [
        f"The clock shows {day(-300)}, but maintenance already ran at {day(5)}. "
        "Memories that seem too new are not due yet. Check the clock."
    ]
    assert rows(mem) == before
    assert mem.maintain(now=day(5.1)).notes == []


def test_a_clock_that_jumps_ahead_loses_no_fact_and_what_went_can_be_restored(mem: MemoryDatabase) -> None:
    ids = add_session(mem, 0)
    known = [row[1:4] for row in facts(mem)]
    mem.maintain(now=day(20_000))
    mem.maintain(now=day(20_010))
    assert [row[1:4] for row in facts(mem)] == known
    assert {row["memory_id"] for row in mem.restorable()} == set(ids)


@pytest.mark.parametrize("now", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_the_ends_of_the_calendar_are_moments_like_others(mem: MemoryDatabase, now: str) -> None:
    add_session(mem, 0)
    mem.maintain(now=now)
    mem.maintain(now=now)
    check_indexes(mem)


# ---------------------------------------------------------------------------------------------- two at once


def other(db: MemoryDatabase, process: int, until: str, machine: str | None = None) -> None:
    """Says that somebody else is at work."""
    mine = {"machine": machine or lock._machine(), "process": process, "run": "other", "until": until}
    set_setting(db.conn, lock.SETTING, mine)


class Clock:
    """A clock on the wall that stands until somebody moves it; what upkeep takes for `now` is another matter."""

    def __init__(self) -> None:
        self.minutes = 0.0

    def __call__(self) -> str:
        return day(400 + self.minutes / (24 * 60))


def by(clock: Clock, db: MemoryDatabase, now: str, model: Any = None) -> RunContext:
    """What a run of upkeep works with that goes by this clock."""
    work = replace(db._work(db.conn, now, None), clock=clock)
    return replace(work, summariser=WithModel(model)) if model else work


def test_who_is_at_work_is_not_disturbed(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    other(mem, os.getppid(), day(400.01))
    with pytest.raises(Busy, match=rf"Another process \({os.getppid()}\) is maintaining"):
        maintain.maintain(by(Clock(), mem, day(2)))
    assert len(of_compression(mem, "compressed")) == 0
    assert setting(mem.conn, lock.SETTING)["run"] == "other"


@pytest.mark.parametrize(
    ("living", "until", "machine"),
    [
        (False, 400.01, None),  # it was killed
        (True, 399.9, None),  # it has not been heard of for an hour
        (True, 500, None),  # its clock was wrong
        (True, 399.9, "elsewhere"),
    ],
)
def test_nobody_waits_for_one_that_has_died(
    mem: MemoryDatabase, living: bool, until: float, machine: str | None
) -> None:
    add_session(mem, 0)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    other(mem, os.getppid() if living else dead.pid, day(until), machine)
    assert maintain.maintain(by(Clock(), mem, day(2))).counts == {"compress: made": 1}
    assert setting(mem.conn, lock.SETTING) is None


def test_a_run_of_this_process_that_could_not_give_its_lock_back_has_ended(mem: MemoryDatabase) -> None:
    """So it is where there was no room on the disk."""
    add_session(mem, 0)
    other(mem, os.getpid(), day(400.01))
    assert maintain.maintain(by(Clock(), mem, day(2))).counts == {"compress: made": 1}
    assert setting(mem.conn, lock.SETTING) is None


def disturbed(clock: Clock, db: MemoryDatabase, minutes: float) -> None:
    """Lets so much time go by, in which another run would like to begin and may not."""
    clock.minutes += minutes
    with MemoryDatabase(db.file) as another, pytest.raises(Busy):
        maintain.maintain(by(clock, another, day(5)))


def test_a_run_of_many_steps_keeps_its_turn_for_longer_than_an_hour(
    file: MemoryDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    step = maintain.MaintenanceStep("prune", lambda work: disturbed(clock, file, 50) or [], lambda work: 0)
    monkeypatch.setattr(maintain, "STEPS", (step,) * 4)
    maintain.maintain(by(clock, file, day(2)))
    assert setting(file.conn, lock.SETTING) is None


def test_a_long_step_keeps_its_turn_by_every_transaction(file: MemoryDatabase) -> None:
    for number in range(3):
        add_session(file, number)
    clock = Clock()

    def answer(_prompt: str) -> str:
        disturbed(clock, file, 50)
        return points(("Rosa lives in Lisbon now.", "high", [1]))

    report = maintain.maintain(by(clock, file, day(5), Scripted(answer)), ["compress"])
    assert report.counts == {"compress: made": 3}
    assert clock.minutes == 150


def test_a_run_that_slept_through_its_hour_leaves_the_rest_to_the_one_that_came(
    file: MemoryDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, done = Clock(), []

    def sleep(work: RunContext) -> list[Any]:
        clock.minutes += 61
        lock.acquire(work.conn, "another", clock)
        with work.writing():
            done.append(work.run)
        return []

    monkeypatch.setattr(maintain, "STEPS", (maintain.MaintenanceStep("prune", sleep, lambda work: 0),) * 2)
    with pytest.raises(Busy, match=rf"Another process \({os.getpid()}\) .* does the steps that are due"):
        maintain.maintain(by(clock, file, day(2)))
    assert len(done) == 1
    assert setting(file.conn, lock.SETTING)["run"] == "another"


def test_an_error_within_a_step_ends_the_turn(mem: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_work: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(maintain, "STEPS", (maintain.MaintenanceStep("prune", broken, lambda work: 0),))
    with pytest.raises(ZeroDivisionError):
        mem.maintain(now=day(2))
    assert setting(mem.conn, lock.SETTING) is None


# ---------------------------------------------------------------------------------------------- the command line


def test_the_log_shows_what_memories_say_and_how_to_see_the_rest_of_it(tmp_path: Path) -> None:
    path, run = tmp_path / "m.db", CliRunner()
    with MemoryDatabase(path, embed="none") as db:
        for number in range(101):
            add_session(db, -2000 + number)
    run.invoke(cli, ["maintain", str(path)])
    shown = run.invoke(cli, ["maintain", str(path), "--log"]).output.splitlines()
    assert len(shown) == 1 + 100 + 1
    assert "Shortened 6 memories to this: “Rosa lives in Lisbon" in shown[1]
    assert re.fullmatch(rf"These are the last 100\. All of them: \w+ maintain {path} --log --json", shown[-1])
    assert len(json.loads(run.invoke(cli, ["maintain", str(path), "--log", "--json"]).output)) == 101


def test_the_log_tells_what_is_gone_for_good_as_one_number(tmp_path: Path) -> None:
    path, run = tmp_path / "m.db", CliRunner()
    with MemoryDatabase(path, embed="none") as db:
        add_session(db, 0)
        for number in (2, 9, 60):
            db.maintain(now=day(number))
    shown = run.invoke(cli, ["maintain", str(path), "--log"]).output
    assert shown.count("Gone for good") == 1
    assert "Shortened 6 memories to this: " in shown
    said = rf"Gone for good: 6 memories\. Their ids: \w+ maintain {path} --log --only purge"
    assert re.fullmatch(said, shown.splitlines()[-1])
    assert run.invoke(cli, ["maintain", str(path), "--log", "--only", "purge"]).output.count("Gone for good") == 6
    with MemoryDatabase(path, embed="none") as db:
        table = db.maintenance()._repr_html_()
    assert "Gone for good, as the time to restore was over: 6 memories" in table
    assert ">Gone for good<" not in table


def test_the_log_names_each_run_once_where_its_changes_begin_so_that_it_can_be_undone(tmp_path: Path) -> None:
    path, run = tmp_path / "m.db", CliRunner()
    with MemoryDatabase(path, embed="none") as db:
        add_session(db, 0)
        add_session(db, 1)
        first, second = db.maintain(now=day(3)), db.maintain(now=day(9))
    shown = run.invoke(cli, ["maintain", str(path), "--log"]).output.splitlines()
    heads = [number for number, line in enumerate(shown) if line.startswith("Run ")]
    assert [shown[number] for number in heads] == [f"Run {second.run}", f"Run {first.run}"]
    assert [shown[number + 1].split()[0] for number in heads] == [second.changes[-1].id, first.changes[-1].id]
    assert f"Run {second.run}" in run.invoke(cli, ["undo", str(path), second.run]).output


def test_the_log_is_narrowed_to_steps(tmp_path: Path) -> None:
    path, run = tmp_path / "m.db", CliRunner()
    with MemoryDatabase(path, embed="none") as db:
        ids = add_session(db, 0)
        gone = db.remember("gone", expires_at=day(1), now=day(0)).id
        db.maintain(now=day(2))
        db.forget(ids[0], now=day(2))
        assert {change.step for change in db.maintenance(step="expire")} == {"expire"}
        assert {change.step for change in db.maintenance(step=["expire", "forget"])} == {"expire", "forget"}
        with pytest.raises(MemkitError, match=r"'expir' is not a step in the log\. Did you mean 'expire'"):
            db.maintenance(step="expir")

    def log(*options: str) -> str:
        return run.invoke(cli, ["maintain", str(path), "--log", *options]).output

    shown = log("--only", "expire", "--only", "forget")
    assert re.search(rf"Let go: “gone” \[{gone}\] \(its expires_at has passed\)", shown)
    assert ("Forgotten, as you wished: " in shown, "Shortened" in shown) == (True, False)
    assert {one["step"] for one in json.loads(log("--only", "compress", "--json"))} == {"compress"}
    assert log("--only", "prune") == "These steps have changed nothing yet.\n"
    assert "'prun' is not a step in the log" in log("--only", "prun")


@pytest.mark.parametrize("option", [["--dry-run"], ["--watch"], ["--model", "x"], ["--now", START]])
def test_the_log_refuses_what_would_do_something(tmp_path: Path, option: list[str]) -> None:
    path = tmp_path / "m.db"
    MemoryDatabase(path, embed="none").close()
    refused = CliRunner().invoke(cli, ["maintain", str(path), "--log", *option])
    assert (refused.exit_code, "--log only lists what was done" in refused.output) == (2, True)


def test_every_step_that_is_logged_has_a_name_by_which_the_log_can_be_narrowed() -> None:
    package = Path(maintain.__file__).parent
    logged = {
        name for file in package.glob("*.py") for name in re.findall(r'^STEP = "(.*)"', file.read_text("utf-8"), re.M)
    }
    assert logged <= {*LOGGED}


def test_every_action_of_the_log_is_told_in_words() -> None:
    package = Path(maintain.__file__).parent
    written = "\n".join(file.read_text("utf-8") for file in package.glob("*.py"))
    actions = {*re.findall(r'\baction="([a-z ]+)"', written), *MAKING, FORGOTTEN, LEFT_OUT, TAKEN_BACK[0], HIDDEN[0]}
    assert {name.split(": ")[1] for name in log_lines.TOLD} >= actions
    assert {name.split(": ")[0] for name in log_lines.TOLD} == {*LOGGED}
    assert log_lines.sentence("later", "done", 3) == "later: done"


def test_what_a_run_did_is_summed_up_in_words(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    for number in range(2):
        mem.remember(f"gone {number}", expires_at=day(1), now=day(0))
    report = mem.maintain(now=day(2))
    assert report.done == "1 summary made, 2 memories let go"
    assert report.summary == f"Run {report.run} at {day(2)}: 1 summary made, 2 memories let go"
    assert mem.maintain(now=day(2)).done == "nothing was due"
    assert log_lines.tally(["later: done", "later: done"]) == "later: done 2"


def test_a_memory_that_was_let_go_names_the_summary_that_stays(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    (made,) = mem.maintain(now=day(2)).changes
    gone = mem.maintain(now=day(9), only="expire").changes
    assert {change.told for change in gone} == {"Let go"}
    assert all(f"its summary {made.memory_id} stays" in str(change) for change in gone)


def test_where_a_report_is_cut_short_it_names_what_shows_the_rest(tmp_path: Path) -> None:
    """A rehearsal stands in no log, and a second run of what has been done has nothing to report."""
    path, run = tmp_path / "m.db", CliRunner()
    with MemoryDatabase(path, embed="none") as db:
        for number in range(22):
            add_session(db, -2000 + number)
    rehearsed = run.invoke(cli, ["maintain", str(path), "--dry-run"]).output.splitlines()
    assert rehearsed[-1] == "  and 2 more: the same command with --json"
    assert len(json.loads(run.invoke(cli, ["maintain", str(path), "--dry-run", "--json"]).output)["changes"]) == 22
    done = run.invoke(cli, ["maintain", str(path)]).output.splitlines()
    assert re.fullmatch(rf"  and 2 more: \w+ maintain {path} --log", done[-1])
    assert run.invoke(cli, ["maintain", str(path), "--log"]).output.count("Shortened ") == 22


def counts(path: Path, *options: str) -> dict[str, int]:
    """What a run of the command did."""
    run = CliRunner().invoke(cli, ["maintain", str(path), "--json", *options], catch_exceptions=False)
    return json.loads(run.stdout)["counts"]


def test_the_command_does_only_some_steps_and_at_another_time_when_told(tmp_path: Path) -> None:
    path, only = tmp_path / "m.db", ("--only", "compress", "--only", "prune")
    with MemoryDatabase(path, embed="none") as db:
        add_session(db, 0)
        db.remember("gone", expires_at=day(1), now=day(0))
    assert counts(path, "--now", day(0.5)) == {}
    assert counts(path, "--now", day(2), *only, "--dry-run") == {"compress: made": 1}
    assert counts(path, "--now", day(2), *only) == {"compress: made": 1}
    assert counts(path, "--now", day(2), "--step", "expire") == {"expire: expired": 1}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--only", "compres"], "'compres' is not a maintenance step. Did you mean 'compress'"),
        (["--now", "yesterday"], "yesterday"),
        (["--now", START, "--watch"], "--watch uses the clock, so it cannot be combined with --now."),
    ],
)
def test_the_command_refuses_in_words_what_makes_no_sense(tmp_path: Path, options: list[str], said: str) -> None:
    path = tmp_path / "m.db"
    MemoryDatabase(path, embed="none").close()
    refused = CliRunner().invoke(cli, ["maintain", str(path), *options])
    assert refused.exit_code in (1, 2)
    assert said in refused.output


def test_a_conversation_without_a_message_is_an_error_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "talk.json").write_text('[{"rolle": "user"}, {"role": "user"}, 5]', "utf-8")
    done = CliRunner().invoke(cli, ["observe", str(tmp_path / "m.db"), "--messages", str(tmp_path / "talk.json")])
    assert (done.exit_code, "Message 1 has no role and content" in done.output) == (1, True)


def test_the_commands_do_show_and_undo(tmp_path: Path) -> None:
    path, run = tmp_path / "m.db", CliRunner()
    with MemoryDatabase(path, embed="none") as db:
        ids = add_session(db, -2000)
    shown = run.invoke(cli, ["maintain", str(path), "--dry-run"])
    assert "Would be done" in shown.output
    done = json.loads(run.invoke(cli, ["maintain", str(path), "--json"]).output)
    assert done["counts"] == {"compress: made": 1}
    summary = done["changes"][0]["memory_id"]
    assert ids[0] in run.invoke(cli, ["expand", str(path), summary]).output
    assert "not made from other memories" in run.invoke(cli, ["expand", str(path), ids[0]]).output
    assert summary in run.invoke(cli, ["maintain", str(path), "--log"]).output
    assert "undone" in run.invoke(cli, ["undo", str(path), done["run"]]).output
    assert "nothing was due" in run.invoke(cli, ["maintain", str(path)]).output
    failed = run.invoke(cli, ["undo", str(path), "nothing"])
    assert (failed.exit_code, "no change or run" in failed.output) == (1, True)


def test_watching_goes_on_until_it_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed="none") as db:
        add_session(db, -2000)
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", sleep)
    told = CliRunner().invoke(cli, ["maintain", str(path), "--watch", "--every", "5"])
    assert slept == [300] * 3
    assert told.output.count("Run ") == 3


def test_a_file_over_its_size_ages_faster(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        add_session(db, 0)
        assert db.maintain(now=day(0.9)).changes == []
        db.set_policy(settings={"file.size_limit_mb": "0.01"})
        report = db.maintain(now=day(0.9))
        assert report.counts == {"compress: made": 1}
        assert "larger than 0.01 MB" in report.notes[0]


@pytest.mark.parametrize(("limit", "size", "over"), [(0, 9, False), (3, 2.9, False), (3, 3, False), (3, 3.1, True)])
def test_K37_over_its_size_a_file_halves_all_ages_of_episodes_and_is_written_anew(
    mem: MemoryDatabase, monkeypatch: pytest.MonkeyPatch, limit: int, size: float, over: bool
) -> None:
    mem.set_policy(settings={"file.size_limit_mb": str(limit), "episodes.raw_days": "5"})
    work = mem._work(mem.conn, day(0), "r")
    scrubbed: list[str] = []
    monkeypatch.setattr(maintain, "file_size", lambda conn: int(size * 1_000_000))
    monkeypatch.setattr(maintain, "scrub", lambda conn: scrubbed.append("scrubbed"))
    report = maintain.MaintenanceReport("r", day(0))
    ages = maintain._within_size(work, report).policy.episodes
    assert (ages.compress_after_hours, ages.raw_days, ages.distil_after_days) == (
        (12, 2.5, 3.5) if over else (24, 5, 7)
    )
    assert (ages.keep_importance, ages.compressed_days) == (8, 90)
    assert report.notes == (
        ["The file is larger than 3 MB, so the ages at which episodes are due are halved."] if over else []
    )
    maintain.maintain(work)
    assert scrubbed == ["scrubbed"] * over


# ---------------------------------------------------------------------------------------------- in a notebook

SLY = "<script>alert('x')</script> no olives"


def test_a_run_shows_what_the_memories_say_that_it_changed_and_what_those_said_that_went(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    gone = mem.remember(SLY, expires_at=day(1), now=day(0)).id
    for dry_run in (True, False):
        report = mem.maintain(dry_run=dry_run, now=day(2))
        assert {change.memory_id: change.says for change in report.changes}[gone] == SLY
        assert all(change.says for change in report.changes)
        html = report._repr_html_()
        assert f'<caption style="text-align:left;padding:.3em .4em;font-weight:600">{report.summary}' in html
        assert "&lt;script&gt;" in html
        assert "<script" not in html
        assert all(change.id in html for change in report.changes)
    assert [change.says for change in mem.maintenance()] == [change.says for change in reversed(report.changes)]
    assert "no olives" in mem.maintenance()._repr_html_()
    mem.vacuum()
    assert [change.says for change in mem.maintenance(memory=gone)] == ["", ""]


def test_of_a_long_run_twenty_changes_are_shown_and_how_many_more(mem: MemoryDatabase) -> None:
    for number in range(23):
        mem.remember(f"note {number}", expires_at=day(1), now=day(0))
    for shown in (mem.maintain(now=day(2)), mem.maintenance()):
        html = shown._repr_html_()
        assert html.count("<tr>") == 21
        assert "and 3 more changes" in html
    assert "more" not in mem.maintain(now=day(2))._repr_html_()


def test_what_there_is_to_decide_and_the_policy_are_tables(mem: MemoryDatabase) -> None:
    assert "0 proposals" in mem.proposals()._repr_html_()
    for _ in range(2):
        mem.remember(SLY, kind="preference", now=day(0))
    mem.maintain(only="propose", now=day(0))
    (found,) = mem.proposals()
    html = mem.proposals()._repr_html_()
    assert "1 proposal<" in html
    assert found.id in html
    assert "&lt;script&gt;" in html
    mem.refuse(found.id, now=day(0))
    assert "merge, refused" in mem.proposals(None)._repr_html_()
    assert mem.proposals(None) == [replace(found, state="refused", decided_at=day(0))]
    html = mem.set_policy("kira", settings={"episodes.raw_days": "11.5", "prune.user.cap": "7"})._repr_html_()
    assert "preset kira" in html
    for name, value in (("steps", "facts, compress"), ("episodes.raw_days", "11.5"), ("prune.user.cap", "7")):
        assert re.search(rf"<td[^>]*>{name}</td><td[^>]*>{value}", html)
    assert "feedback.adjust" in html
    assert "preset</td>" not in html
