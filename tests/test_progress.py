"""Facts about the bar of a long job."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import threading
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import llm
import pytest

from memkit import MemoryDatabase
from memkit.core import progress
from memkit.text.extract.llm_answer import SCHEMA

NOTHING = json.dumps({name: [] for name in SCHEMA["properties"]})
ROWS = [{"text": f"Memory number {n} tells of the quince.", "id": str(n)} for n in range(3000)]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a kernel, and nobody has patience."""
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(progress, "PATIENCE", 0.0)


def test_nothing_is_drawn_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    assert not progress.in_notebook()
    with progress.watched(None) as tell:
        assert tell is None
    with MemoryDatabase(embed="none") as db:
        db.ingest(ROWS[:10])
    assert capsys.readouterr().err == ""


def test_a_long_job_in_a_notebook_has_a_bar(notebook: None, capsys: pytest.CaptureFixture[str]) -> None:
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(ROWS).added == 3000
    assert "memories" in capsys.readouterr().err


def test_whoever_watches_by_himself_gets_no_bar(notebook: None, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[int] = []
    with MemoryDatabase(embed="none") as db:
        db.ingest(ROWS, progress=told.append)
    assert sum(told) == 3000
    assert capsys.readouterr().err == ""


def test_interrupted_what_is_done_is_kept_and_the_next_call_does_the_rest(notebook: None) -> None:
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


def test_asking_a_model_in_a_notebook_has_a_bar_that_knows_its_end(
    notebook: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest(ROWS[:20], progress=print)
        capsys.readouterr()
        assert db.extract(FindsNothing(), batch=5).memories == 20
    assert "/20" in capsys.readouterr().err


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
