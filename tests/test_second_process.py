"""The second process: it saves time, and whatever becomes of it, each part is done once and everything is the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
import second_work
from conftest import NOW, environment

from memkit import MemoryDatabase
from memkit.core import second_process
from memkit.core.processes import is_running
from memkit.core.second_process import SWITCH, SecondProcess
from memkit.ingestion import counting_ahead, entity_linking, parts, writer
from memkit.storage import driver

TWO = pytest.mark.skipif(not second_process.is_useful(), reason="there is no processor for a second process")
LOOKS = 3000  # a hundredth of a second apart
SIGNALS = pytest.mark.skipif(os.name == "nt", reason="processes of Windows have no such signals")


@pytest.fixture
def other() -> Iterator[SecondProcess]:
    with SecondProcess() as process:
        process.start()
        yield process


def pid(other: SecondProcess) -> int:
    assert other._process is not None
    return other._process.pid


def squares(other: SecondProcess, numbers: Any) -> tuple[list[int], set[int]]:
    """The squares in order, and the processes that found them."""
    found = [result for _, result in other.in_order((n, (second_work.square, n)) for n in numbers)]
    return [square for square, _ in found], {process for _, process in found}


def leave_it_to(other: SecondProcess) -> None:
    """Waits until the other process has done all that was begun, or has ended."""
    for _ in range(LOOKS):
        if not (other._tasks or other._sent):
            break
        time.sleep(0.01)
    assert not other._tasks
    assert not other._sent


def ended(process: int) -> bool:
    """Whether a process ends soon."""
    for _ in range(LOOKS):
        if not is_running(process):
            return True
        with suppress(ChildProcessError):  # its parent was not this one
            os.waitpid(process, os.WNOHANG)
        time.sleep(0.01)
    return False


# ---------------------------------------------------------------------------------------------- the process


@TWO
def test_both_processes_work_and_results_keep_their_order(other: SecondProcess) -> None:
    other.tell(seconds=0.02)
    assert squares(other, range(40)) == ([n * n for n in range(40)], {os.getpid(), pid(other)})


def test_without_a_process_all_is_done_here_when_it_is_asked_for() -> None:
    with SecondProcess() as other:
        asked: list[int] = []

        def numbers() -> Iterator[int]:
            for number in range(5):
                asked.append(number)
                yield number

        for number, found in other.in_order((n, (second_work.square, n)) for n in numbers()):
            assert found == (number * number, os.getpid())
            assert asked[-1] == number, "nothing is taken ahead"
        assert not other.works


@TWO
def test_what_is_told_is_known_there_from_then_on_and_also_if_it_was_told_before_the_start() -> None:
    with SecondProcess() as other:
        other.tell(first="before")
        other.start()
        task = other.begin(dict.get, "first")
        other.tell(first="after")
        later = other.begin(dict.get, "first")
        leave_it_to(other)
        assert (other.result(task), other.result(later)) == ("before", "after")


@TWO
def test_an_error_is_raised_where_the_result_is_asked_for(other: SecondProcess) -> None:
    task = other.begin(dict.__getitem__, "nobody told it")
    with pytest.raises(KeyError, match="nobody told it"):
        other.result(task)
    assert squares(other, [3])[0] == [9]


@TWO
def test_what_is_printed_there_is_no_result(other: SecondProcess, capfd: pytest.CaptureFixture[str]) -> None:
    task = other.begin(second_work.prints, "hello")
    leave_it_to(other)
    assert other.result(task) == "hello"
    assert capfd.readouterr().out == ""


@TWO
def test_if_it_dies_over_a_part_that_part_is_done_here(other: SecondProcess) -> None:
    other.tell(here=os.getpid())
    begun = [other.begin(second_work.dies_there, n) for n in range(30)]
    leave_it_to(other)
    assert not other.works
    assert [other.result(task) for task in begun] == [n * n for n in range(30)]


@TWO
@SIGNALS
@pytest.mark.parametrize("blow", ["SIGKILL", "SIGSTOP"])
def test_if_it_is_killed_or_hangs_the_rest_is_done_here(
    other: SecondProcess, blow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(second_process, "PATIENCE", 0.3)
    other.tell(seconds=0.02)
    much = 3 * second_process.WAITING

    def numbers() -> Iterator[int]:
        for number in range(much):
            if number == much // 2:
                os.kill(pid(other), getattr(signal, blow))
            yield number

    assert squares(other, numbers())[0] == [n * n for n in range(much)]
    assert not other.works


@TWO
def test_it_ends_with_the_block() -> None:
    with SecondProcess() as other:
        other.start()
        process = pid(other)
        assert squares(other, range(5))[0] == [0, 1, 4, 9, 16]
    assert not is_running(process)
    assert other.result(other.begin(second_work.square, 3)) == (9, os.getpid())


@pytest.mark.parametrize("python", ["/nowhere/python3", "/usr/bin/some-program", ""])
def test_where_none_can_be_started_all_is_done_here(python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", python)
    with SecondProcess() as other:
        other.start()
        assert squares(other, [1, 2]) == ([1, 4], {os.getpid()})


def test_it_is_switched_off_by_a_variable_and_for_want_of_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    assert second_process.is_useful()
    monkeypatch.setenv(SWITCH, "1")
    assert not second_process.is_useful()
    monkeypatch.delenv(SWITCH)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    assert not second_process.is_useful()


SCRIPT = """
import os, sys, time
from memkit.core.second_process import SecondProcess
print("begun", flush=True)
with SecondProcess() as other:
    other.start()
    for line in sys.stdin:
        task = other.begin(dict.get, line)
        while other._tasks or other._sent:
            time.sleep(0.01)
        print(other._process.pid, task.result, flush=True)
"""


@TWO
@SIGNALS
def test_it_outlives_an_interrupt_but_not_the_process_that_started_it(tmp_path: Path) -> None:
    """And it neither runs the script once more, nor imports what lies in the current folder."""
    (tmp_path / "script.py").write_text(SCRIPT)
    for name in ("pickle", "signal", "memkit"):
        (tmp_path / f"{name}.py").write_text(f"open('imported {name}', 'w')")
    command = [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; exec(open('script.py').read())"]
    first = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environment()
    )
    assert first.stdout is not None
    assert first.stdin is not None
    assert first.stdout.readline() == "begun\n"

    def answer() -> list[str]:
        print("a question", file=first.stdin, flush=True)
        return first.stdout.readline().split()

    number, result = answer()
    assert result == "None"
    process = int(number)
    os.kill(process, signal.SIGINT)
    assert answer() == [number, "None"]
    first.kill()
    assert first.communicate()[0] == ""
    assert ended(process)
    assert list(tmp_path.glob("imported*")) == []


# ---------------------------------------------------------------------------------------------- an ingest


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, number in (
        (writer, "BATCH", 20),
        (parts, "MANY_CHARACTERS", 1),
        (entity_linking, "FEW", 0),
        (entity_linking, "PART", 7),
        (parts, "COUNTED_AT_ONCE", 15),
    ):
        monkeypatch.setattr(module, name, number)
    few = entity_linking.connect.__kwdefaults__ | {"batch": 30}
    monkeypatch.setattr(entity_linking.connect, "__kwdefaults__", few)


@pytest.fixture
def sources(tmp_path: Path, small_batches: None) -> list[Path]:
    """Chats whose batches end within a session, one of them edited later, and notes with links and a footer."""
    towns = "Porto Lund Turin Reno Jena Ghent Malmo 東京 京都".split()
    people = "Rosa Otto Mina Theo".split()
    rows = [
        {
            "id": str(n),
            "session": f"s{n // 33}",
            "speaker": people[n % 3],
            "text": f"I moved to {towns[n % 9]} with {people[n % 4]} Vale; {towns[n % 7]} has {n} pear trees of mine. "
            + "We like the quince and the river in the old town." * (n % 5 == 0),
        }
        for n in range(150)
    ]
    chats, later = tmp_path / "chats.jsonl", tmp_path / "later.jsonl"
    chats.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    later.write_text(
        "".join(json.dumps({**row, "text": f"Not so: {row['text']}"}) + "\n" for row in rows[::9]), "utf-8"
    )
    notes = tmp_path / "notes"
    notes.mkdir()
    for n, town in enumerate(towns):
        text = f"# {town}\n\n{people[n % 4]} lives in {town}. See [[{towns[n - 1]}]].\n\nMade by the machine.\n"
        (notes / f"{town}.md").write_text(text, "utf-8")
    return [chats, notes, later]


def taken_in(
    path: Path, sources: list[Path], while_it_runs: Callable[[int], object] = lambda _: None
) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table after an ingest of these sources one by one; blocks of codes have keys drawn by lot."""
    with MemoryDatabase(path) as db:
        for source in sources:
            assert not db.ingest(source, now=NOW, progress=while_it_runs).failed
        names = [row[0] for row in db.conn.execute("select name from sqlite_master where type = 'table' order by name")]
        rows = {name: [tuple(row) for row in db.conn.execute(f'select * from "{name}"')] for name in names}
    for name in ("code_blocks", "text_blocks", "_sqlite_migrations", "sqlite_sequence"):
        rows.pop(name, None)
    rows["settings"] = [row for row in rows["settings"] if row[0] not in ("database", "checked")]
    return rows


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The processes that are started from now on, which do all that they can, so that they have done something."""
    found = []
    here = SecondProcess._next_here
    monkeypatch.setattr(SecondProcess, "_next_here", lambda self, task: None if self.works else here(self, task))
    start = second_process._started

    def started() -> Any:
        found.append(start())
        return found[-1]

    monkeypatch.setattr(second_process, "_started", started)
    return found


@TWO
def test_an_ingest_by_two_processes_writes_the_same_rows(
    tmp_path: Path, sources: list[Path], begun: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    both = taken_in(tmp_path / "both.db", sources)
    assert len(begun) == len(sources)
    monkeypatch.setenv(SWITCH, "1")
    alone = taken_in(tmp_path / "alone.db", sources)
    assert len(begun) == len(sources)
    assert both.keys() == alone.keys()
    for name, rows in alone.items():
        assert both[name] == rows, name
    assert min(len(alone[name]) for name in ("memories", "embeddings", "sentences", "mentions", "evidence")) > 20


@TWO
@SIGNALS
@pytest.mark.parametrize("batch", [2, 4, 6])
def test_if_it_is_killed_in_the_middle_of_an_ingest_the_rows_are_the_same(
    tmp_path: Path, sources: list[Path], begun: list[Any], batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = []

    def kill(_: int) -> None:
        batches.append(1)
        if len(batches) == batch:
            begun[-1].kill()

    killed = taken_in(tmp_path / "killed.db", sources[:1], kill)
    assert len(batches) > 6
    monkeypatch.setenv(SWITCH, "1")
    assert killed == taken_in(tmp_path / "alone.db", sources[:1])


@TWO
def test_words_are_counted_while_rows_are_written_unless_the_texts_are_others_then(
    tmp_path: Path, sources: list[Path], begun: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting_ahead, "TOGETHER", 30)
    of, same = counting_ahead.Counted.of, []

    def noted(self: counting_ahead.Counted, texts: list[str]) -> Any:
        counts = of(self, texts)
        same.append(counts is not None)
        return counts

    def taken_in_and_changed(path: Path) -> Any:
        batches = []

        def change(_: int) -> None:
            batches.append(1)
            if len(batches) == 5:
                with closing(driver.connect(path)) as another:
                    another.execute("update memories set text = text || ' We like plums.' where key = 40")

        return taken_in(path, sources[:1], change)

    monkeypatch.setattr(counting_ahead.Counted, "of", noted)
    both = taken_in_and_changed(tmp_path / "both.db")
    assert (same.count(False), same.count(True)) == (1, len(same) - 1)
    assert len(same) > 2
    monkeypatch.setenv(SWITCH, "1")
    alone = taken_in_and_changed(tmp_path / "alone.db")
    for name in ("memories", "word_cases", "extractions", "entities", "mentions", "evidence", "fingerprints"):
        assert both[name] == alone[name], name  # vectors are stored in another order
    assert "plums" in {word for word, *_ in both["word_cases"]}


@TWO
def test_what_is_counted_ahead_of_memories_that_are_not_read_is_left_out() -> None:
    with SecondProcess() as other:
        other.start()
        counting = counting_ahead.CountingAhead(other)
        rows = [{"key": key, "text": f"the pear {key}"} for key in range(1, parts.COUNTED_AT_ONCE + 6)]
        counting.follow(rows[:-5])
        counting.follow(rows[-5:])
        pending = [row["key"] for row in rows if row["key"] != 3]
        slices = list(counting.slices(pending, 400))
    assert [key for keys, _ in slices for key in keys] == pending
    assert {counted for _, counted in slices} == {None}
    assert max(len(keys) for keys, _ in slices) == 400


@TWO
def test_if_it_dies_while_names_are_found_the_rows_are_the_same(
    tmp_path: Path, sources: list[Path], begun: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    collect = entity_linking._Run._collect_names

    def collect_and_kill(*given: Any) -> None:
        begun[-1].kill()
        collect(*given)

    monkeypatch.setattr(entity_linking._Run, "_collect_names", collect_and_kill)
    killed = taken_in(tmp_path / "killed.db", sources)
    monkeypatch.setattr(entity_linking._Run, "_collect_names", collect)
    monkeypatch.setenv(SWITCH, "1")
    assert killed == taken_in(tmp_path / "alone.db", sources)


def test_near_duplicates_are_the_same_however_many_are_linked_together(
    tmp_path: Path, sources: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, "1")
    link_near, linked = entity_linking.duplicates.link_near, []

    def counted(conn: Any, bands: Any, *given: Any) -> int:
        linked.append(len(bands))
        return link_near(conn, bands, *given)

    monkeypatch.setattr(entity_linking.duplicates, "link_near", counted)
    few = taken_in(tmp_path / "few.db", sources)
    assert max(linked) == 30
    monkeypatch.setattr(entity_linking, "LINKED_TOGETHER", 2)
    assert taken_in(tmp_path / "many.db", sources) == few
    assert max(linked) > 60
    assert few["fingerprints"]
    assert few["links"]


@TWO
def test_nothing_of_a_process_is_left_after_an_ingest_that_fails(
    tmp_path: Path, sources: list[Path], begun: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entity_linking._Run, "_write", lambda *_: 1 / 0)
    with MemoryDatabase(tmp_path / "m.db") as db, pytest.raises(ZeroDivisionError):
        db.ingest(sources[0])
    assert [process.poll() is not None for process in begun] == [True]


def test_a_small_ingest_starts_none(tmp_path: Path, begun: list[Any]) -> None:
    with MemoryDatabase(tmp_path / "m.db") as db:
        db.ingest([f"Rosa planted quince {n}." for n in range(2000)])
    assert begun == []
