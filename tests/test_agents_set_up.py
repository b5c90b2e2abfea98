"""A coding agent is set up by one command, and its sessions come into the memory when they end."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memkit import MemoryDatabase
from memkit.frontends.cli.main import cli


def run(*arguments: object, stdin: str = "") -> Result:
    """A command of memkit."""
    return CliRunner().invoke(cli, list(map(str, arguments)), input=stdin)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a database whose name has a blank."""
    monkeypatch.chdir(tmp_path)
    with MemoryDatabase("my memory.db") as db:
        db.remember("Rosa planted the quince.")
        db.relate("Rosa", "sister_of", "Theo")
    return tmp_path


# ---------------------------------------------------------------------------------------------- the skill


def test_every_command_that_the_skill_names_works(place: Path) -> None:
    assert run("agents", "install", "my memory.db").exit_code == 0
    text = (place / ".claude/skills/memkit/SKILL.md").read_text("utf-8")
    with MemoryDatabase(place / "my memory.db") as db:
        ids = [db.remember(f"The shed has {n} doors.").id for n in (1, 2)]
    for word, instead in (
        ("the question", "who planted the quince?"), ("the name", "Rosa"), ("one name", "Rosa"),
        ("another name", "Theo"), ("the sentence", "Otto sold the boat."), ("OLD-ID", ids[0]), ("NEW-ID", ids[1]),
    ):  # fmt: skip
        text = text.replace(word, instead)
    commands = re.findall(r"\| `memkit (.+?)` \|", text)
    assert len(commands) == 6
    for line in commands:
        done = run(*shlex.split(line))
        assert done.exit_code == 0, (line, done.output)
        assert done.output.strip() or line.startswith("supersede")
    assert "The shed has 1 doors." not in texts(place)
    assert str(place / "my memory.db") in text


def test_the_skill_has_the_front_matter_that_agents_read(place: Path) -> None:
    run("agents", "install", "my memory.db", "--to", place / "elsewhere")
    _, front, body = (place / "elsewhere/memkit/SKILL.md").read_text("utf-8").split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    assert fields["name"] == "memkit"
    assert 50 < len(fields["description"]) <= 1024
    assert "$" not in body


def test_a_skill_that_somebody_has_changed_is_not_replaced_without_a_word(place: Path) -> None:
    skill = place / ".claude/skills/memkit/SKILL.md"
    assert run("agents", "install", "my memory.db").exit_code == run("agents", "install", "my memory.db").exit_code == 0
    skill.write_text("mine")
    done = run("agents", "install", "my memory.db")
    assert (done.exit_code, "--force" in done.stderr, skill.read_text()) == (1, True, "mine")
    assert run("agents", "install", "my memory.db", "--force").exit_code == 0
    assert "memkit recall" in skill.read_text()


def test_the_hooks_that_are_printed_are_settings_whose_commands_work(place: Path) -> None:
    printed = run("agents", "install", "my memory.db").stdout
    hooks = json.loads(printed[printed.index("{") :])["hooks"]
    (ask, take) = (hooks[event][0]["hooks"][0]["command"] for event in ("UserPromptSubmit", "SessionEnd"))
    assert shlex.split(ask) == ["memkit", "advise", str(place / "my memory.db")]
    session(place / "s.jsonl", "Otto sold the boat.")
    done = run(*shlex.split(take)[1:], stdin=ended(place / "s.jsonl"))
    assert (done.exit_code, done.output) == (0, "")
    assert "Otto sold the boat." in texts(place)


# ---------------------------------------------------------------------------------------------- the end of a session


def session(file: Path, *said: str) -> None:
    """A transcript as Claude Code writes it."""
    at, uuids = "2026-03-01T10:00:0{}.000Z", [f"00000000-0000-4000-8000-00000000000{n}" for n in range(len(said))]
    lines = [
        {
            "type": "user", "sessionId": "s1", "uuid": uuid, "parentUuid": uuids[n - 1] if n else None,
            "timestamp": at.format(n), "cwd": "/srv/website", "message": {"role": "user", "content": text},
        }
        for n, (uuid, text) in enumerate(zip(uuids, said, strict=True))
    ]  # fmt: skip
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def ended(file: object, **more: Any) -> str:
    """What an agent tells its hook."""
    return json.dumps({"hook_event_name": "SessionEnd", "transcript_path": str(file), "cwd": "/srv/website", **more})


def texts(place: Path) -> list[str]:
    with MemoryDatabase(place / "my memory.db") as db:
        return [memory.text for memory in db]


def test_a_session_is_taken_in_once_and_goes_on_where_it_went_on(place: Path) -> None:
    for said in (["Otto sold the boat."], ["Otto sold the boat."], ["Otto sold the boat.", "He wants a new one."]):
        session(place / "s.jsonl", *said)
        assert run("advise", "my memory.db", "--stop", stdin=ended(place / "s.jsonl")).output == ""
        assert texts(place)[1:] == said
    with MemoryDatabase(place / "my memory.db") as db:
        assert [memory.project for memory in db] == ["global", "website", "website"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (ended("diary.md"), "is no transcript of an agent, but markdown"),
        (ended("nowhere.jsonl"), "There is no transcript"),
        (ended(""), "has no 'transcript_path'"),
        ('{"transcript_path": 5}', "has no 'transcript_path'"),
        ("[]", "not a JSON object"),
        ("{", "not JSON"),
    ],
)
def test_what_is_no_transcript_is_not_taken_in_and_the_agent_goes_on(place: Path, said: str, why: str) -> None:
    (place / "diary.md").write_text("# Secret\n\nNobody may know.")
    done = run("advise", "my memory.db", "--stop", stdin=said)
    assert (done.exit_code, done.stdout) == (0, "")
    assert why in done.stderr
    assert texts(place) == ["Rosa planted the quince."]
