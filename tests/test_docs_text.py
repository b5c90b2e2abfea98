"""What pages show without its being run by test_readme.py: talks with `llm`, settings of agents, a widget's values."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from llm_running import ROOT, run

from memkit import MemoryDatabase

pytestmark = pytest.mark.slow


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a page in this language."""
    return re.findall(
        rf"^```{language}\n(.*?)^```$", (ROOT / "docs" / page).read_text("utf-8"), re.DOTALL | re.MULTILINE
    )


# ---------------------------------------------------------------------------------------------- llm


def said(line: str) -> str:
    """What a line of llm prints with a model that says what it was asked."""
    words = shlex.split(line.removesuffix(" ..."))[1:]
    start = words[:1] if words[0] in ("memory", "chat") else []
    model = [] if start == ["memory"] else ["-m", "echo"]
    asked = ["and the quince?"] if line.endswith(" ...") else []
    done = run(*start, *model, *words[len(start) :], *asked, stdin="what did Rosa plant?\nquit\n" if start else "")
    assert done.exit_code == 0, (line, done.output)
    return done.stdout


def test_the_example_of_llm_goes_as_the_page_says(home: Path) -> None:
    example, read = blocks("llm.md", "text")[1:3]
    lines = [line.removeprefix("$ ") for line in example.splitlines()]
    *_, ingested = [said(line) for line in lines[:4]]
    assert ingested.strip() == lines[4]
    prompt = said(lines[5])
    shown = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?|[0-9a-z]{10}(?=\])", "…", read.partition("...\n")[0]).splitlines()
    assert all(line in re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?|[0-9a-z]{10}(?=\])", "…", prompt) for line in shown)


def test_every_other_line_of_llm_on_the_page_works(home: Path) -> None:
    with MemoryDatabase(home / "memory.db", embed="none") as db:
        db.remember("Rosa planted the quince in the garden.", project="garden")
    lines = [line for block in blocks("llm.md", "text")[3:] for line in block.splitlines()]
    assert len(lines) == 9
    assert all(said(line) for line in lines)


# ---------------------------------------------------------------------------------------------- agents


def memkit(line: str, folder: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """A command of memkit in a process of its own, in a folder."""
    program, *words = shlex.split(line)
    assert program == "memkit"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MEMKIT_DATABASE": str(folder / "memory.db")}
    return subprocess.run(
        [sys.executable, "-m", "memkit", *words],
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
    )


def test_the_settings_for_agents_are_json_whose_commands_work(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.remember("The release wants the key from the clock.")
    settings = [json.loads(block) for block in blocks("agents.md", "json")]
    hooks = [hook for one in settings[:4] for hook in one["hooks"].items()]
    assert [event for event, _ in hooks] == ["UserPromptSubmit", "UserPromptSubmit", "BeforeAgent", "SessionEnd"]
    for event, ((entry,),) in ((event, [one["hooks"] for one in set_up]) for event, set_up in hooks):
        asked = {"prompt": "what does the release want?", "cwd": str(tmp_path), "hook_event_name": event}
        done = memkit(
            f"{entry['command']}{'' if event == 'SessionEnd' else ' --deadline 60000'}", tmp_path, json.dumps(asked)
        )
        assert done.returncode == 0
        assert ("key from the clock" in done.stdout) == (event != "SessionEnd"), done
    server = settings[4]["mcpServers"]["memory"]
    done = memkit(shlex.join([server["command"], *server["args"]]), tmp_path)
    assert (done.returncode, done.stdout) == (0, "")  # it ends with its input


def test_the_servers_that_are_added_are_memkits_own_command() -> None:
    (block,) = blocks("agents.md", "text")
    assert [line.rpartition("memkit")[2] for line in block.splitlines()] == ["[mcp]'", " mcp", " mcp", " mcp"]


# ---------------------------------------------------------------------------------------------- notebooks


def test_the_values_of_a_table_are_there(letters: object) -> None:
    from memkit.widgets import RecallBox

    with MemoryDatabase(embed="none") as db:
        db.remember("Rosa planted the quince.")
        box = RecallBox(db, "quince", view="table")
        (block,) = blocks("notebooks.md", "text")
        exec(block, {"box": box})
        (id,) = re.findall(r'selected = \["(\w+)"\]', block)
        assert len(id) == len(box.found.ids[0])
        box.table.selected = box.found.ids
        assert box.selected.ids == box.found.ids
