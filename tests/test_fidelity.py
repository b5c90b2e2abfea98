"""What a model writes is used only if its numbers, names and negations stand in what it read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from maintenance_helpers import add_session, day
from maintenance_models import Scripted, points

from memkit import MemoryDatabase
from memkit.maintenance.maintain import maintain
from memkit.maintenance.summaries import WithModel
from memkit.text.fidelity import unfounded

SAID = ["I paid $1,240 to Otto on September 28th at 6:30.", "I do not eat pork. My sister Marta does."]


@pytest.mark.parametrize(
    "text",
    [
        "Rosa paid Otto $1,240 on September 28th.",
        "Paid Otto at 6:30.",
        "Rosa does not eat pork, but her sister Marta does.",
        "On 2026-03-01 Rosa said that she does not eat pork.",
        "Plans and payments of Rosa.",
    ],
)
def test_what_stands_in_the_source_is_founded(text: str) -> None:
    assert unfounded(text, SAID, "Rosa 2026-03-01T12:00:00Z") is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Rosa paid Otto $240 on September 28th.", "the number '240'"),
        ("Rosa paid Otto at 30.", "the number '30'"),
        ("Rosa paid $1,240 to Wolfgang.", "the name 'Wolfgang'"),
        ("Noah paid Otto $1,240.", "the name 'Noah'"),
        ("Rosa eats pork.", "the denial of what was said: 'Rosa eats pork.'"),
        ("Rosa never paid Otto $1,240.", "the denial of what was said: 'Rosa never paid Otto $1,240.'"),
    ],
)
def test_what_nobody_said_is_unfounded(text: str, problem: str) -> None:
    assert unfounded(text, SAID, "Rosa 2026-03-01T12:00:00Z") == problem


def test_a_summary_that_says_what_nobody_said_is_not_used_and_the_log_says_so(file: MemoryDatabase) -> None:
    add_session(file, 0)
    wrong = points(("Rosa lives in Porto with 3 cats.", "high", [1]))
    work = replace(file._work(file.conn, day(2), None), summariser=WithModel(Scripted(lambda prompt: wrong)))
    report = maintain(work, ["compress"])
    (made,) = (change for change in report.changes if change.action == "made")
    assert "could not be used: a point says what its turns do not: the number '3'" in made.why
    assert "Porto with" not in file.memory(made.memory_id).text
    assert made.why.startswith("older than 24 hours, in whole sentences (the answer of llm ")
