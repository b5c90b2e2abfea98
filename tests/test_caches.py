"""What is kept between questions never tells of another state of the file, nor of another file."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from threading import Barrier, Event, Thread
from time import sleep

import numpy as np
from conftest import NOW, LetterEmbedder

from memkit import MemoryDatabase
from memkit.embedding import unit_rows
from memkit.storage import caches, driver
from memkit.storage.driver import writing

MEANING = {"fulltext": None, "graph": None}


def found(db: MemoryDatabase, question: str) -> list[str]:
    """The texts that a question finds by meaning alone."""
    return [hit.memory.text for hit in db.recall(question, strategy=MEANING)]


def test_a_write_by_another_connection_is_seen(tmp_path: Path, letters: LetterEmbedder) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed=letters) as one, MemoryDatabase(path, embed=letters) as two:
        one.remember("abc")
        assert found(two, "abc") == ["abc"]
        one.remember("abcabd")
        assert found(two, "abc") == ["abc", "abcabd"]
        two.forget(two.recall("abc").ids[0], hard=True)
        assert found(one, "abc") == ["abcabd"]


def test_a_write_by_another_process_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path) as db:
        db.remember("the quince by the wall")
        assert len(found(db, "quince")) == 1
        code = "import sys; from memkit import MemoryDatabase; MemoryDatabase(sys.argv[1]).remember('a quince pie')"
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        assert sorted(found(db, "quince")) == ["a quince pie", "the quince by the wall"]


def test_a_deleted_memory_is_never_found(mem: MemoryDatabase) -> None:
    made = [mem.remember("abc" * n) for n in range(1, 30)]
    assert len(found(mem, "abc")) == 10
    for memory in made[:-3]:
        mem.conn.execute("delete from memories where key = ?", (memory.key,))
        assert memory.text not in found(mem, "abc")
    mem.remember("abcabcabcd")
    assert len(found(mem, "abc")) == 4


def test_a_file_that_takes_the_place_of_another_is_read_anew(tmp_path: Path) -> None:
    class Halves:
        id, version, dims = "halves", "1", 8

        def encode(self, texts: list[str]) -> np.ndarray:
            return unit_rows(np.array([[len(text), 1, 0, 0, 0, 0, 0, 0] for text in texts], np.float32))

    path = tmp_path / "m.db"
    for embedder in (LetterEmbedder(), Halves(), LetterEmbedder()):
        with MemoryDatabase(path, embed=embedder) as db:
            db.remember("abc")
            assert found(db, "abc") == ["abc"]
        path.unlink()


def test_a_copy_of_a_file_goes_its_own_way(tmp_path: Path, letters: LetterEmbedder) -> None:
    with MemoryDatabase(tmp_path / "a.db", embed=letters) as db:
        db.remember("abc")
    shutil.copy(tmp_path / "a.db", tmp_path / "b.db")
    with MemoryDatabase(tmp_path / "a.db", embed=letters) as a, MemoryDatabase(tmp_path / "b.db", embed=letters) as b:
        a.remember("abcd")
        b.remember("abce")
        assert (found(a, "abc"), found(b, "abc")) == (["abc", "abcd"], ["abc", "abce"])


def test_what_was_undone_is_not_kept(mem: MemoryDatabase) -> None:
    mem.remember("zzz", now=NOW)
    conn = mem.conn
    try:
        with writing(conn):
            conn.execute("insert into settings values ('x', '1')")
            value = caches.cached(conn, "x", 1, lambda _: "undone")
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert value == "undone"
    assert caches.cached(conn, "x", 1, lambda previous: previous) is None


def test_a_value_is_built_once_for_each_state(mem: MemoryDatabase) -> None:
    built = []

    def build(previous: int | None) -> int:
        built.append(previous)
        return len(built)

    assert [caches.cached(mem.conn, "n", state, build) for state in (1, 1, 2, 2, 1)] == [1, 1, 2, 2, 3]
    assert built == [None, 1, 2]


def test_what_is_built_keeps_nobody_waiting_who_wants_something_else(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "a.db", embed="none") as a, MemoryDatabase(tmp_path / "b.db", embed="none") as b:
        again, begun, ended = driver.connect(tmp_path / "a.db"), Event(), Event()

        def slow(_: object) -> bool:
            begun.set()
            return ended.wait(20)

        thread = Thread(target=caches.cached, args=(a.conn, "slow", 1, slow))
        thread.start()
        assert begun.wait(20)
        assert caches.cached(b.conn, "slow", 1, lambda _: "of another file") == "of another file"
        assert caches.cached(again, "quick", 1, lambda _: "of the same file") == "of the same file"
        ended.set()
        thread.join()
        assert caches.cached(again, "slow", 1, lambda _: "built twice") is True
        again.close()


def test_two_who_want_the_same_build_it_once(tmp_path: Path) -> None:
    MemoryDatabase(tmp_path / "m.db", embed="none").close()
    built, start = [], Barrier(4)

    def ask() -> None:
        conn = driver.connect(tmp_path / "m.db")
        start.wait()
        caches.cached(conn, "x", 1, lambda _: (sleep(0.05), built.append(1)))
        conn.close()

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == [1]


def test_only_so_many_files_are_kept(tmp_path: Path) -> None:
    for n in range(caches.MOST_FILES + 3):
        with MemoryDatabase(tmp_path / f"{n}.db", embed="none") as db:
            caches.cached(db.conn, "x", 1, lambda _: "kept")
    assert len(caches._files) <= caches.MOST_FILES


def test_many_threads_ask_while_one_writes(tmp_path: Path, letters: LetterEmbedder) -> None:
    path, wrong = tmp_path / "m.db", []
    MemoryDatabase(path, embed=letters).close()

    def ask() -> None:
        with MemoryDatabase(path, embed=letters) as db:
            for _ in range(30):
                texts = found(db, "abc")
                wrong.extend(text for text in texts if not text.startswith("abc"))

    def write() -> None:
        with MemoryDatabase(path, embed=letters) as db:
            for n in range(30):
                db.remember("abc" + "d" * n)

    threads = [Thread(target=target) for target in (ask, ask, write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    with MemoryDatabase(path, embed=letters) as db:
        assert len(db.recall("abc", 50, strategy=MEANING)) == 30


def test_one_database_serves_many_threads(mem: MemoryDatabase) -> None:
    threads = [Thread(target=mem.remember, args=(f"abc {n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(mem.recall("abc", 20)) == 8


def test_a_plain_connection_to_a_database_in_memory_is_answered_without_keeping() -> None:
    conn = driver.sqlite3.connect(":memory:")
    assert caches.cached(conn, "x", 1, lambda _: 1) == 1
    assert caches.cached(conn, "x", 1, lambda previous: previous) is None
    conn.close()


def test_info_says_how_often_what_is_kept_was_of_use(mem: MemoryDatabase) -> None:
    mem.remember("Rosa planted the quince.")
    assert mem.info().caches.get("graph", (0, 0))[0] == 0
    for _ in range(3):
        mem.recall("who planted the quince?")
    rates = mem.info().caches
    assert rates
    assert all(0 <= hits <= asked for hits, asked in rates.values())
