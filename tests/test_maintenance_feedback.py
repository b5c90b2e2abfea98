"""Whether a hit was of use is kept; importance follows only if the policy says so, within bounds, undoably."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, NotFound
from memkit.frontends.cli.main import cli
from memkit.maintenance.feedback import adjusted
from memkit.maintenance.policy import FeedbackPolicy

NOW = "2026-03-01T12:00:00Z"
ON = {"feedback.adjust": "true"}


def test_feedback_is_counted_and_changes_nothing_by_default(mem: MemoryDatabase) -> None:
    one = mem.remember("Rosa planted the quince.", now=NOW)
    assert mem.feedback(one.id, True, "who?", now=NOW).useful == 1
    told = mem.feedback(one.id, False, "when?", now=NOW)
    assert (told.useful, told.useless, told.importance) == (1, 1, 5)
    assert mem.memory(one.id) == one
    assert mem.maintenance(step="feedback") == []


def test_the_last_word_on_a_question_counts(mem: MemoryDatabase) -> None:
    one = mem.remember("Rosa planted the quince.", now=NOW)
    for useful in (True, True, False):
        told = mem.feedback(one.id, useful, "who?", now=NOW)
    assert (told.useful, told.useless) == (0, 1)


def test_where_the_policy_says_so_importance_follows_within_bounds_and_can_be_undone(mem: MemoryDatabase) -> None:
    mem.set_policy(settings=ON)
    one = mem.remember("Rosa planted the quince.", now=NOW)
    for number in range(9):
        told = mem.feedback(one.id, True, f"question {number}", now=NOW)
    assert told.importance == mem.memory(one.id).importance == 6
    changes = mem.maintenance(step="feedback")
    assert len(changes) == 4
    for change in changes:
        mem.undo(change.id, now=NOW)
    assert mem.memory(one.id).importance == 5


@given(st.floats(1, 10), st.integers(0, 1000), st.integers(0, 1000))
def test_importance_stays_within_its_bounds(own: float, useful: int, useless: int) -> None:
    rule = FeedbackPolicy()
    found = adjusted(own, useful, useless, rule)
    assert 1 <= found <= 10
    assert abs(found - own) <= rule.most + 1e-9
    assert (found >= own) if useful >= useless else (found <= own)


def test_feedback_on_nothing_and_endless_questions_are_refused(mem: MemoryDatabase) -> None:
    with pytest.raises(NotFound, match="no memory"):
        mem.feedback("nothing", True)
    one = mem.remember("Rosa planted the quince.", now=NOW)
    with pytest.raises(BadQuestion, match="2,001 characters"):
        mem.feedback(one.id, True, "x" * 2001)


def test_the_command_says_what_is_known_of_a_memorys_use(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    with MemoryDatabase(path, embed="none") as db:
        id = db.remember("Rosa planted the quince.").id
    done = CliRunner().invoke(cli, ["feedback", path, id, "--not-useful", "--question", "who?"])
    assert done.output == f"{id}: useful 0, not useful 1, importance 5\n"
