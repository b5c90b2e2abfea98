"""llm's own log as memories: three conversations are recalled by the fourth, and memkit never learns from itself."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import llm
import pytest
from llm_running import installed, out, run

from memkit import MemoryDatabase


def texts(question: str) -> list[str]:
    """The texts that memory finds."""
    return [hit["text"] for hit in json.loads(out("memory", "recall", question, "--format", "json"))]


def test_the_fourth_run_recalls_what_was_said_in_three(home: Path) -> None:
    out("-m", "echo", "My sister Rosa planted a quince behind the shed.")
    out("-m", "echo", "-c", "It bears fruit every October.")
    out("-m", "echo", "The ferry to Porto leaves at seven.")
    assert out("memory", "ingest").startswith("6 added")
    assert out("memory", "ingest").startswith("0 added, 0 updated, 6 unchanged")
    said = out("-m", "echo", "-t", "memory:default", "What did my sister plant, and where?")
    assert "Rosa planted a quince behind the shed" in said.split("</memkit-context>")[0]


def test_what_memory_had_put_in_front_is_not_taken_in_again(home: Path) -> None:
    out("-m", "echo", "My sister Rosa planted a quince.")
    out("memory", "ingest")
    out("-m", "echo", "-t", "memory:default", "Shall I prune the quince?")
    out("-m", "echo", "-f", "memory:Rosa", "Is the quince hers?")
    out("memory", "ingest")
    found = texts("quince")
    assert "Shall I prune the quince?" in found
    assert "Is the quince hers?" in found
    assert not any("memkit-context" in text or "From memory" in text for text in found)
    with MemoryDatabase(home / "memory.db", embed="none") as db:
        titles = [row[0] for row in db.conn.execute("select title from documents order by created_at")]
    assert titles == ["My sister Rosa planted a quince.", "Shall I prune the quince?", "Is the quince hers?"]


def test_the_log_is_only_read(home: Path) -> None:
    out("-m", "echo", "hello there, quince")
    before = (home / "logs.db").read_bytes()
    out("memory", "ingest")
    assert (home / "logs.db").read_bytes() == before


def test_without_a_log_the_command_says_so(home: Path) -> None:
    done = run("memory", "ingest")
    assert done.exit_code == 1
    assert "logged nothing yet" in done.output


def test_other_sources_are_taken_in_by_the_same_command(home: Path, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Shed\n\nThe key hangs behind the clock.\n")
    assert out("memory", "ingest", note, "--project", "house").startswith("1 added")


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
def test_watch_takes_in_what_comes_until_ctrl_c(home: Path) -> None:
    import os

    out("-m", "echo", "The first about quinces.")
    watching = subprocess.Popen(
        [sys.executable, "-m", "llm", "memory", "watch", "--every", "0.2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LLM_USER_PATH": str(home), "PYTHONPATH": installed(home), "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert watching.stdout is not None
        assert watching.stdout.readline() == "2 added, 0 updated\n"
        out("-m", "echo", "The second about medlars.")
        assert watching.stdout.readline() == "2 added, 0 updated\n"
        watching.send_signal(signal.SIGINT)
        assert watching.wait(timeout=30) == 0
    finally:
        watching.kill()
    assert "The second about medlars." in texts("medlars")


def test_a_file_that_is_not_there_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from memkit.frontends.llm.file_watch import state

    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail(f"waits for {seconds} s"))
    assert state(Path("there/is/none.db")) == (None, None)


# ---------------------------------------------------------------------------------------------- collections

FRUIT = '[{"id": "1", "text": "The quince is ripe."}, {"id": "2", "text": "The medlar is not."}]'


def test_a_collection_is_taken_in_with_its_vectors(home: Path) -> None:
    out("embed-multi", "fruit", "-m", "memkit", "--store", "-", stdin=FRUIT)
    marked = llm.encode([1.0] + [0.0] * 255)
    with closing(sqlite3.connect(home / "embeddings.db")) as conn, conn:
        conn.execute("update embeddings set embedding = ? where id = '1'", [marked])
    assert out("memory", "ingest", "--collection", "fruit", "--project", "garden").startswith("2 added")
    assert out("memory", "ingest", "--collection", "fruit").split(",")[0] == "0 added"
    with MemoryDatabase(home / "memory.db") as memory:
        rows = memory.conn.execute(
            "select m.source_id, e.vector from memories as m join embeddings as e on e.memory_key = m.key order by 1"
        ).fetchall()
    assert [row["source_id"] for row in rows] == ["fruit/1", "fruit/2"]
    assert rows[0]["vector"] == marked
    assert texts("ripe quince")[0] == "The quince is ripe."


def test_a_collection_that_is_not_there_names_those_that_are(home: Path) -> None:
    out("embed-multi", "fruit", "-m", "memkit", "--store", "-", stdin=FRUIT)
    done = run("memory", "ingest", "--collection", "friut")
    assert done.exit_code == 1
    assert "Did you mean 'fruit'" in done.output


def test_a_new_user_has_no_folder_yet(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "new"))
    out("memory", "remember", "The first memory.")
    assert texts("first") == ["The first memory."]


def test_a_collection_whose_model_is_gone_is_taken_in_without_vectors(home: Path) -> None:
    import sqlite_utils

    out("embed", "fruit", "1", "-m", "memkit", "-c", "Quince paste keeps for a year.", "--store")
    collections = sqlite_utils.Database(home / "embeddings.db")["collections"]
    collections.update(next(collections.pks_and_rows_where())[0], {"model": "gone-model"})
    done = run("memory", "ingest", "--collection", "fruit")
    assert done.exit_code == 0
    assert "'gone-model' of this collection is not loaded" in done.stderr
    assert "Quince paste" in out("memory", "recall", "quince")
    assert run("memory", "ingest", "--collection", "fruit", "--embed", "gone-model").exit_code == 1


def test_a_collection_does_not_download_the_model_that_its_database_names(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from model2vec import StaticModel

    asked = []
    monkeypatch.setattr(StaticModel, "from_pretrained", lambda *given, **_: asked.append(given))
    out("embed", "fruit", "1", "-m", "memkit", "-c", "Quince paste keeps for a year.", "--store")
    out("memory", "remember", "The medlar is not ripe.")
    with MemoryDatabase(home / "memory.db", embed="none") as memory:
        memory.conn.execute("update models set id = 'model2vec:nobody/nothing'")
    done = run("memory", "ingest", "--collection", "fruit")
    assert done.exit_code == 0
    assert "is not loaded" in done.stderr
    assert asked == []
