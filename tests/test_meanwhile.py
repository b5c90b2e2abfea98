"""Work in another thread: whoever asks for it gets what it returns, or its error, with threads or without."""

from __future__ import annotations

import threading

import pytest

from memkit import MemoryDatabase
from memkit.core import meanwhile as module
from memkit.core.meanwhile import meanwhile
from memkit.retrieval.channels import vector

TEXTS = ["the quince in the garden", "a pear", "Rosa planted the quince", "nothing of that", "a plum and a pear"] * 9


def test_it_is_done_meanwhile() -> None:
    begun, may_end = threading.Event(), threading.Event()

    def work() -> int:
        begun.set()
        assert may_end.wait(10)
        return 42

    result = meanwhile(work)
    assert begun.wait(10), "before anybody asks for it"
    may_end.set()
    assert (result(), result()) == (42, 42)


def test_who_asks_sees_the_error() -> None:
    tries: list[str] = []

    def work() -> int:
        tries.append(threading.current_thread().name)
        raise MemoryError("too large")

    result = meanwhile(work)
    with pytest.raises(MemoryError, match="too large"):
        result()
    assert tries[0] != threading.current_thread().name == tries[1]


def test_without_threads_it_is_done_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoThread(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr(module, "Thread", NoThread)
    assert meanwhile(lambda: 42)() == 42


@pytest.mark.parametrize("scope", [{}, {"project": "garden", "only_project": True}])
def test_a_search_that_was_begun_before_finds_the_same(monkeypatch: pytest.MonkeyPatch, scope: dict) -> None:
    looked: list[str] = []
    candidates = vector.candidates

    def noted(*asked):  # type: ignore[no-untyped-def]
        looked.append(threading.current_thread().name)
        return candidates(*asked)

    monkeypatch.setattr(vector, "candidates", noted)
    with MemoryDatabase() as db:
        db.ingest([{"id": n, "text": f"{text} {n}", "project": "garden"} for n, text in enumerate(TEXTS)])
        before = db.recall("who planted the quince?", **scope)
        monkeypatch.setattr(vector, "LEAST_AHEAD", 0)
        after = db.recall("who planted the quince?", **scope)
    here = threading.current_thread().name
    assert [name == here for name in looked] == [True, bool(scope)], "once each; within a project not ahead"
    assert [(hit.memory.id, hit.score) for hit in before] == [(hit.memory.id, hit.score) for hit in after]
