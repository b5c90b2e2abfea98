"""Lessons (S01): corrections and what worked after failures, proposed at the end of a session, never kept silently."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.frontends.cli.main import cli
from memkit.text.extract.lessons import Said, lessons, may_teach

NOW = "2026-03-01T12:00:00Z"
ANSWER = Said(False, "I ran npm install. The tests pass.")

CORRECTIONS = [
    "No, use pnpm, not npm.",
    "Don't commit to main.",
    "Please never touch the lockfile.",
    "Always run the linter before you commit.",
    "Next time ask before you delete a file.",
    "From now on write the tests first.",
    "Stop rewriting the README.",
    "Don't run it through cat.",
    "Stop making such large changes, make them smaller at a time.",
    "Use justfile instead of package.json, include a comment to look in justfile",
    "Make sure that the server is stopped first.",
    "You should always use the staging key.",
    "Nein, nimm pnpm statt npm.",
    "Künftig keine Kommentare auf Deutsch.",
    "N'utilise jamais la branche principale.",
    "De ahora en adelante usa español.",
    "以后不要改这个文件。",
]
NONE = [
    "Don't worry about it.",
    "Never mind, thanks.",
    "I don't know what you mean.",
    "Can you always be sure of that?",
    "The tests never passed on Windows.",
    "He said: I always run the linter.",
    "Thanks, that is what I wanted.",
    "Use the second one.",
    # about one thing of this session, which nobody can name next time
    "Don't put it in affirmations, put it in prompts.",
    "Don't add them, just talk about the major themes.",
    "Make sure that's in the rule",
    "Don't forget the config.",
    "Make sure to add a unit test for this too",
    "No, put it in the opening paragraph, not in the second.",
    "Put the head fake in the opening paragraph. You don't not need to wait until retirement.",
    "Take a break and you do not need to wait.",
    "```\nAlways run this\n```",
    "> Always run the linter before you commit.",
]


@pytest.mark.parametrize("text", CORRECTIONS)
def test_a_correction_after_an_answer_is_a_lesson_in_the_words_of_the_user(text: str) -> None:
    (found,) = lessons([Said(True, "Set up the tests."), ANSWER], text)
    assert (found.slot, found.value, found.sure) == ("agent", text, False)
    assert "I ran npm install." in found.quote  # what was tried
    assert may_teach(text)


@pytest.mark.parametrize("text", CORRECTIONS)
def test_what_answers_nothing_is_no_correction(text: str) -> None:
    assert lessons([], text) == []
    assert lessons([Said(True, "One more thing.")], text) == []


@pytest.mark.parametrize("text", NONE)
def test_what_only_looks_like_a_correction_is_none(text: str) -> None:
    assert lessons([ANSWER], text) == []


def failing(*complaints: str) -> list[Said]:
    """A conversation with complaints, each answered; the last answer says what was done."""
    turns = [turn for text in complaints for turn in (Said(True, text), Said(False, "I tried something else."))]
    return [*turns[:-1], Said(False, "The port was taken. I removed the old container.")]


def test_after_failures_the_answer_that_worked_is_a_lesson() -> None:
    (found,) = lessons(failing("It still fails.", "Same error again."), "Great, it works now!")
    assert found.value == "The port was taken. I removed the old container."
    assert "2 failures" in found.quote


@pytest.mark.parametrize(
    ("complaints", "text"),
    [
        (["It still fails."], "It works now!"),  # one failure is not a row of them
        (["It still fails.", "Same error."], "It works now? No, still not working."),
        (["It still fails.", "Same error."], "It does not work, but that fixed it not."),
        (["Looks good.", "And this?"], "It works now!"),
    ],
)
def test_without_a_row_of_failures_and_a_success_there_is_none(complaints: list[str], text: str) -> None:
    assert lessons(failing(*complaints), text) == []


@given(st.lists(st.text(max_size=200), max_size=4), st.text(max_size=500))
def test_a_lesson_is_one_line_of_what_was_written(before: list[str], text: str) -> None:
    said = [Said(n % 2 == 0, one) for n, one in enumerate(before)]
    for one in lessons(said, text):
        assert "\n" not in one.value
        assert all(word in f"{' '.join(before)} {text}" for word in one.value.split())


# ---------------------------------------------------------------------------------------------- in a database


TURNS = [
    ("user", "Set up the tests."),
    ("assistant", "I ran npm install. The tests pass."),
    ("user", "No, use pnpm, not npm."),
]


def ingest(db: MemoryDatabase, turns: list[tuple[str, str]]) -> None:
    rows = [{"text": text, "speaker": who, "session": "s", "id": n} for n, (who, text) in enumerate(turns)]
    db.ingest(rows, now=NOW)


def slots(db: MemoryDatabase) -> list[str]:
    query = "select text from memories where slot = 'agent' and valid_until is null and archived_at is null"
    return [row[0] for row in db.conn.execute(query)]


def test_S01_a_lesson_waits_to_be_confirmed_and_is_then_the_agents(mem: MemoryDatabase) -> None:
    ingest(mem, TURNS)
    mem.maintain(only="slots", now=NOW)
    (found,) = mem.proposals(kind="slot")
    assert found.text == "agent.lesson: pnpm npm = No, use pnpm, not npm."
    assert slots(mem) == []
    mem.accept(found.id, now=NOW)
    assert slots(mem) == ["No, use pnpm, not npm."]
    assert "No, use pnpm, not npm." in str(mem.context("npm or pnpm?", strategy="slots", now=NOW))
    mem.undo(found.id)
    assert slots(mem) == []


def test_a_refused_lesson_is_not_asked_again(mem: MemoryDatabase) -> None:
    ingest(mem, TURNS)
    mem.maintain(only="slots", now=NOW)
    mem.refuse(mem.proposals(kind="slot")[0].id)
    ingest(mem, [*TURNS, ("assistant", "Done."), ("user", "No, use pnpm, not npm.")])
    mem.maintain(only="slots", now=NOW)
    assert len(mem.proposals(kind="slot")) == 0


def test_what_others_say_to_each_other_teaches_nothing(mem: MemoryDatabase) -> None:
    ingest(mem, [("Otto", "I ran npm install."), ("Rosa", "No, use pnpm, not npm.")])
    mem.maintain(only="slots", now=NOW)
    assert len(mem.proposals(kind="slot")) == 0


def record(n: int, role: str, text: str) -> dict[str, object]:
    uuids = [f"00000000-0000-4000-8000-00000000000{i}" for i in range(9)]
    return {
        "type": role,
        "sessionId": "s1",
        "uuid": uuids[n],
        "parentUuid": uuids[n - 1] if n else None,
        "timestamp": f"2026-03-01T10:00:0{n}.000Z",
        "cwd": "/srv/website",
        "message": {"role": role, "content": [{"type": "text", "text": text}]},
    }


@pytest.mark.parametrize("json_asked", [True, False])
def test_the_end_of_a_session_tells_what_waits(tmp_path: Path, json_asked: bool) -> None:
    path, transcript = tmp_path / "memory.db", tmp_path / "s.jsonl"
    transcript.write_text("".join(json.dumps(record(n, *turn)) + "\n" for n, turn in enumerate(TURNS)))
    hook = json.dumps({"hook_event_name": "SessionEnd", "transcript_path": str(transcript), "cwd": "/srv/website"})
    asked = ["advise", str(path), "--stop", *(["--json"] if json_asked else [])]
    done = CliRunner().invoke(cli, asked, input=hook)
    assert done.exit_code == 0
    told = json.loads(done.stdout)["systemMessage"] if json_asked else done.stderr
    assert "1 lesson to confirm: memkit proposals" in told
    with MemoryDatabase(path) as db:
        assert slots(db) == []
        found = db.proposals(kind="slot")
        db.accept(found[0].id)
        assert {memory.project for memory in db if memory.slot == "agent"} == {"website"}  # where it was learnt
        assert [one.text for one in found] == ["agent.lesson: pnpm npm = No, use pnpm, not npm."]
