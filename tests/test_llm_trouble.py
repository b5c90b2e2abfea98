"""What may go wrong under `llm memory`: a database of another model, a locked one, models that cannot do something."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from conftest import LetterEmbedder
from llm_running import out, run

from memkit import MemoryDatabase
from memkit.frontends.agents.tools import Tools
from memkit.storage import driver

QUINCE = "Rosa planted the quince in 2019."


def said_plainly(*arguments: object) -> str:
    """The sentence with which `llm ARGUMENTS` fails."""
    done = run(*arguments)
    assert done.exit_code == 1
    assert isinstance(done.exception, SystemExit)
    assert done.output.startswith("Error: ")
    return done.output


def test_a_database_of_a_model_that_is_gone_is_found_by_words_and_not_mixed(
    home: Path, letters: LetterEmbedder
) -> None:
    with MemoryDatabase(home / "memory.db", embed=letters) as memory:
        memory.remember(QUINCE)
    assert QUINCE in out("memory", "recall", "quince")
    assert QUINCE in out("-m", "echo", "-t", "memory:default", "who planted the quince?")
    assert "The embedding model 'letters' is not loaded" in run("memory", "remember", "The medlar.").stderr
    assert "'letters' is not loaded" in Tools(str(home / "memory.db")).remember("Where is the ferry?")
    assert "medlar" in out("memory", "recall", "medlar")
    assert "letters" in said_plainly("memory", "remember", "The medlar.", "--embed", "memkit")


@pytest.mark.parametrize("before", [("-f", "memory:quince"), ("-t", "memory:default")])
def test_that_there_is_no_database_is_said_beside_the_answer(home: Path, before: tuple[str, ...]) -> None:
    said = f"There is no database {home / 'memory.db'} yet. To make it: llm memory ingest"
    assert said in run("-m", "echo", *before, "who planted the quince?").stderr
    out("memory", "remember", QUINCE)
    assert "There is no database" not in run("-m", "echo", *before, "who planted the quince?").stderr


def test_a_locked_database_can_be_read_and_says_who_is_in_the_way(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out("memory", "remember", QUINCE)
    monkeypatch.setattr(driver, "BUSY_SECONDS", 0.1)
    with closing(driver.connect(home / "memory.db")) as other:
        other.execute("begin immediate")
        assert QUINCE in out("memory", "recall", "quince")
        assert "Another process has been writing" in said_plainly("memory", "remember", "The medlar.")
        assert Tools(str(home / "memory.db")).remember("The medlar.").startswith("Error: Another process")
        other.execute("rollback")
    out("memory", "remember", "The medlar.")


def test_extract_with_a_model_that_is_none_or_answers_nonsense(home: Path) -> None:
    out("memory", "remember", QUINCE)
    assert "nonsense" in said_plainly("memory", "extract", "--model", "nonsense")
    done = run("memory", "extract", "--model", "plain", "--format", "json")
    assert not isinstance(done.exception, ValueError | KeyError)
    assert json.loads(done.stdout)["failed"] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
def test_ctrl_c_during_ingest_leaves_a_database_that_goes_on(home: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    with rows.open("w") as file:
        for n in range(1500):
            file.write(json.dumps({"id": str(n), "text": f"Quince number {n} of Rosa is ripe."}) + "\n")
    ingest = subprocess.Popen(
        [sys.executable, "-m", "llm", "memory", "ingest", str(rows)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    path = home / "memory.db"
    while ingest.poll() is None and not (path.exists() and path.stat().st_size > 0):
        time.sleep(0.02)
    ingest.send_signal(signal.SIGINT)
    _, errors = ingest.communicate(timeout=120)
    assert b"Traceback" not in errors
    assert out("memory", "ingest", rows, "--no-embed").rstrip().endswith("0 failed")
    assert json.loads(out("memory", "info", "--format", "json"))["memories"] == 1500
