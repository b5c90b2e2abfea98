"""Facts about the bar of a long job."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import llm
import pytest

from memkit import MemoryDatabase
from memkit.core import job_bar, notebook_bar, progress
from memkit.core.terminal_bar import TerminalBar
from memkit.frontends.cli.main import cli
from memkit.text.extract.llm_answer import SCHEMA

NOTHING = json.dumps({name: [] for name in SCHEMA["properties"]})
ROWS = [{"text": f"Memory number {n} tells of the quince.", "id": str(n)} for n in range(3000)]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """As in a kernel, and nobody has patience: what the bar says, in order (`test_kernel.py` has a real one).

    Each call of `tell` waits until the bar was drawn again.
    """
    drawn: list[str] = []

    def draw(bundle: dict[str, str], **_: Any) -> None:
        drawn.append(bundle["text/plain"])

    shell = SimpleNamespace(kernel=object())
    display = SimpleNamespace(display=draw, update_display=draw)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(job_bar, "EVERY", 0.001)
    for name in ("tell", "phase"):
        monkeypatch.setattr(notebook_bar.NotebookBar, name, _seen(getattr(notebook_bar.NotebookBar, name), drawn))
    return drawn


def _seen(method: Any, drawn: list[str]) -> Any:
    """The method, which returns when what it changed was drawn."""

    def until_drawn(self: Any, *given: Any, **named: Any) -> None:
        method(self, *given, **named)
        before = len(drawn)
        while hasattr(self, "_thread") and self._thread.is_alive() and len(drawn) < before + 2:
            time.sleep(0.001)

    return until_drawn


def test_nothing_is_drawn_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    assert not progress.in_notebook()
    with progress.watched(None) as tell:
        assert tell is None
    with MemoryDatabase(embed="none") as db:
        db.ingest(ROWS[:10])
    assert capsys.readouterr().err == ""


def test_a_long_job_in_a_notebook_has_a_bar_with_phase_and_total_that_goes_away(notebook: list[str]) -> None:
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(ROWS).added == 3000
        for phase in ("reading", "counting words", "finding names", "connecting"):
            assert any(said.startswith(f"{phase} · 3,000 of 3,000 memories · 0:") for said in notebook), phase
        assert any(re.match(r"reading · 1,\d+ of 3,000 memories · 0:0\d, about 0:0\d left", said) for said in notebook)
        assert notebook[-1] == ""
        notebook.clear()
        db.reindex(fts=True)
        assert any(said.startswith("indexing words · 3,000 of 3,000 memories") for said in notebook)
        notebook.clear()
        db.maintain()
        assert any(re.match(r"facts · \d of \d+ steps · 0:0\d", said) for said in notebook)
        assert notebook[-1] == ""


def test_the_memories_of_files_are_estimated(notebook: list[str], tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text('{"text": "Rosa planted the quince."}\n' * 7)
    with MemoryDatabase(embed="none") as db:
        db.ingest(tmp_path)
    assert any(said.startswith("reading · 7 of 7 memories") or "reading · 1 of 7" in said for said in notebook)


def test_a_bar_moves_while_nothing_is_told(notebook: list[str]) -> None:
    with progress.watched(None, total=5):
        progress.phase("asking", 5, unit="answers")
        before = len(notebook)
        while len(notebook) < before + 10:
            time.sleep(0.001)
    assert notebook[before].startswith("asking · 0 of 5 answers · 0:0")  # the seconds are those of the machine


def test_an_error_ends_the_bar(notebook: list[str]) -> None:
    with pytest.raises(ZeroDivisionError), progress.watched(None):
        progress.phase("reading", 1 // 0)
    assert notebook[-1] == ""
    before = len(notebook)
    progress.phase("afterwards")
    assert len(notebook) == before


def test_more_than_was_estimated_is_told_without_the_estimate() -> None:
    bar = notebook_bar.NotebookBar(5, "memories", 2.0)
    bar.tell(7)
    assert bar.sentence() == "7 memories · 0:00"
    assert bar.share is None
    assert "value=" not in bar._bundle()["text/html"]


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """Stderr is a terminal of 60 columns, and nobody has patience: what was written to it."""
    ours, theirs = os.openpty()
    monkeypatch.setattr(sys, "stderr", os.fdopen(theirs, "w", encoding="utf-8"))
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(job_bar, "EVERY", 0.02)

    def written() -> str:
        os.set_blocking(ours, False)
        with suppress(BlockingIOError):
            parts = []
            while True:
                parts.append(os.read(ours, 4096))
        return b"".join(parts).decode()

    yield written
    os.close(ours)


def test_a_command_on_a_terminal_has_a_line_with_phase_and_total_that_goes_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with terminal(monkeypatch) as written:
        with progress.for_a_person(), progress.watched(None, total=4, unit="steps"):
            progress.phase("facts", 4, done=1, unit="steps")
            until(lambda: "[#####---------------] facts · 1 of 4 steps · 0:00" in written())
            progress.phase("a phase whose name alone is longer than this terminal has columns", unit="steps")
            until(lambda: any(len(line) == 59 for line in written().split("\r")))
        assert written().split("\r")[-2:] == [" " * 59, ""]


def test_a_program_that_uses_memkit_has_its_terminal_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as written:
        with progress.watched(None) as tell:
            assert tell is None
        with MemoryDatabase(embed="none") as db:
            db.ingest(ROWS)
        assert written() == ""


@pytest.mark.parametrize(
    "command", [["ingest", "m.db", "rows.jsonl"], ["reindex", "m.db", "--fts"], ["maintain", "m.db"]]
)
def test_commands_that_may_take_long_say_what_they_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    with MemoryDatabase("m.db", embed="none") as db:
        db.ingest(ROWS[:100])
    told: list[str] = []
    phase = TerminalBar.phase
    monkeypatch.setattr(TerminalBar, "phase", lambda self, name, *rest: (told.append(name), phase(self, name, *rest)))
    monkeypatch.setattr(TerminalBar, "draw", lambda self: None)
    with terminal(monkeypatch):
        cli.main([*command], standalone_mode=False)
    said = {"ingest": "finding names", "reindex": "indexing words", "maintain": "facts"}
    assert said[command[0]] in told


def until(holds: Callable[[], object]) -> None:
    """Waits until something holds."""
    for _ in range(20_000):
        if holds():
            return
        time.sleep(0.001)
    raise AssertionError("it never did")


def test_whoever_watches_by_himself_gets_no_bar(notebook: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    told: list[int] = []
    with MemoryDatabase(embed="none") as db:
        db.ingest(ROWS, progress=told.append)
    assert sum(told) == 3000
    assert notebook == []
    assert capsys.readouterr().err == ""


def test_interrupted_what_is_done_is_kept_and_the_next_call_does_the_rest(notebook: list[str]) -> None:
    def interrupt(done: int) -> None:
        raise KeyboardInterrupt

    with MemoryDatabase(embed="none") as db:
        with pytest.raises(KeyboardInterrupt):
            db.ingest(ROWS, progress=interrupt)
        kept = db.info().memories
        assert 0 < kept < 3000
        assert not db.conn.in_transaction
        again = db.ingest(ROWS)
        assert (again.added, again.unchanged) == (3000 - kept, kept)


# ---------------------------------------------------------------------------------------------- asking a model


class FindsNothing(llm.Model):
    """Answers that there is nothing, and is interrupted before the answer with this number."""

    model_id = "finds-nothing"
    supports_schema = True

    def __init__(self, interrupted_at: int = 0):
        self.asked, self.interrupted_at = 0, interrupted_at

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any = None) -> Any:
        """Counts, and answers."""
        self.asked += 1
        if self.asked == self.interrupted_at:
            raise KeyboardInterrupt
        yield NOTHING


class NeverEnds(llm.AsyncModel):
    """Answers at once as often as it is told; then somebody presses Ctrl-C, and the answer would take an hour."""

    model_id = "never-ends"
    supports_schema = True

    def __init__(self, answers: int):
        self.answers, self.cancelled = answers, 0

    async def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any = None) -> AsyncIterator[str]:
        """Answers, or waits until it is cancelled."""
        self.answers -= 1
        if self.answers == -1:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        try:
            await asyncio.sleep(3600 if self.answers < 0 else 0)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        yield NOTHING


def test_asking_a_model_in_a_notebook_has_a_bar_that_knows_its_end(notebook: list[str]) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest(ROWS[:20], progress=print)
        assert db.extract(FindsNothing(), batch=5).memories == 20
    assert any(said.startswith("asking the model · 15 of 20 memories") for said in notebook)


def test_asking_is_interrupted_and_goes_on_where_it_was() -> None:
    told: list[tuple[int, ...]] = []
    with MemoryDatabase(embed="none") as db:
        db.ingest(ROWS[:20])
        with pytest.raises(KeyboardInterrupt):
            db.extract(FindsNothing(interrupted_at=3), batch=5, progress=lambda *done: told.append(done))
        assert told == [(5, 20), (5, 20)]
        assert not db.conn.in_transaction
        assert db.extract(FindsNothing(), batch=5).memories == 10


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="Ctrl-C is sent as a signal")
def test_what_an_async_model_is_still_asked_is_cancelled() -> None:
    assert threading.current_thread() is threading.main_thread()
    model = NeverEnds(answers=2)
    with MemoryDatabase(embed="none") as db:
        db.ingest(ROWS[:20])
        with pytest.raises(KeyboardInterrupt):
            db.extract(model, batch=5, at_once=2)
        assert (model.answers, model.cancelled) == (-2, 2)
        assert db.extract(FindsNothing(), batch=5).memories == 20
        asked = "select count(*) from extractions where extractor = 'llm never-ends' and error is null"
        assert db.conn.execute(asked).fetchone()[0] == 10


def test_upkeep_of_one_kind_in_a_notebook_has_a_bar_with_its_phase_and_total(notebook: list[str]) -> None:
    turns = [
        {"role": "user", "content": f"I planted quince number {n} in the yard, and Rosa saw it."} for n in range(20)
    ]
    with MemoryDatabase(embed="none") as db:
        assert db.observe(turns, session="yard", threshold=1).changes
        assert any(said.startswith("observing · 20 of 20 turns") for said in notebook)
        assert db.reflect(threshold=40).changes
        assert any(said.startswith("condensing · 1 of 1 projects") for said in notebook)
        db.ingest([{"text": "My name is Rosa.", "role": "user", "session": "s"}], progress=print)
        db.fill_slots()
        assert any(re.match(r"looking for what you said of yourself · \d+ of \d+ texts", said) for said in notebook)
        db.vacuum()
        assert any(said.startswith("writing the file anew") for said in notebook)
