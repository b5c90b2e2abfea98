"""Facts about the bar of a long job."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from memkit import MemoryDatabase, progress

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
