"""Reindex, info and doctor: the indexes of a database made anew, counted, and examined."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memkit import MemoryDatabase
from memkit.storage import driver, vectors
from memkit.storage.doctor import BROKEN, DEGRADED, doctor
from memkit.storage.info import size_text
from memkit.storage.reindex import reindex_texts, reindex_vectors

NOW = "2025-12-01T00:00:00Z"


class Letters:
    """An embedder that one can check by hand: how often a text has each of the first letters of the alphabet."""

    version = "1"

    def __init__(self, id: str, dims: int = 8, before: Callable[[], None] = lambda: None):
        self.id, self.dims, self.before = id, dims, before

    def encode(self, texts: list[str]) -> np.ndarray:
        """One row of length 1 a text."""
        self.before()
        counts = np.array([[text.lower().count(chr(97 + i)) + 0.01 for i in range(self.dims)] for text in texts])
        return (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)


OLD, NEW = Letters("old"), Letters("new", 16)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database of a hundred memories with vectors of the model `old`."""
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as memory:
        memory.ingest([{"id": str(n), "session": f"s{n // 20}", "text": f"row {n} of beads"} for n in range(100)])
        reindex_vectors(memory.conn, OLD, NOW)
    return path


@pytest.fixture
def memory(path: Path):  # type: ignore[no-untyped-def]
    """That database, open."""
    with MemoryDatabase(path, embed="none") as memory:
        yield memory


def stored(memory: MemoryDatabase) -> dict[str, int]:
    """How many vectors there are of each model."""
    query = "select m.id, count(e.key) from models as m left join embeddings as e on e.model_key = m.key group by m.key"
    return {row[0]: row[1] for row in memory.conn.execute(query)}


def test_another_model_takes_the_place_of_the_first(memory: MemoryDatabase) -> None:
    report = reindex_vectors(memory.conn, NEW, NOW)
    assert (report.model, report.previous, report.vectors) == ("new", "old", 100)
    assert report.sentence == "100 vectors of 'new' in place of 'old'"
    assert vectors.active_model(memory.conn)["id"] == "new"
    assert stored(memory) == {"new": 100}
    assert {row[0] for row in memory.conn.execute("select length(vector) from embeddings")} == {64}


def test_the_same_model_again_makes_only_what_is_missing_or_damaged(memory: MemoryDatabase) -> None:
    memory.conn.execute("delete from embeddings where memory_key <= 3")
    memory.conn.execute("update embeddings set vector = x'00' where memory_key = 50")
    assert reindex_vectors(memory.conn, OLD, NOW).vectors == 4
    assert reindex_vectors(memory.conn, OLD, NOW).vectors == 0


def test_until_all_new_vectors_are_there_the_old_model_answers(memory: MemoryDatabase) -> None:
    active = []
    watched = Letters("new", 16, lambda: active.append(vectors.active_model(memory.conn)["id"]))
    reindex_vectors(memory.conn, watched, NOW)
    assert set(active) == {"old"}


def test_interrupted_it_goes_on_where_it_was(memory: MemoryDatabase) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reindex_vectors(memory.conn, NEW, NOW, progress=stop)
    assert vectors.active_model(memory.conn)["id"] == "old"
    begun = stored(memory)["new"]
    assert 0 < begun < 100
    assert reindex_vectors(memory.conn, NEW, NOW).vectors == 100 - begun
    assert stored(memory) == {"new": 100}


def test_progress_is_told_of_every_memory_once(memory: MemoryDatabase) -> None:
    told: list[tuple[int, int]] = []
    reindex_vectors(memory.conn, NEW, NOW, progress=lambda *one: told.append(one))
    assert sum(done for done, _ in told) == 100
    assert {total for _, total in told} == {100}


def test_what_is_written_meanwhile_is_embedded_before_the_switch(memory: MemoryDatabase) -> None:
    """A memory that the old model embeds again after the new one did has another text now."""
    changed: list[int] = []

    def write(done: int, total: int) -> None:
        if not changed:
            changed.append(1)
            memory.conn.execute("update memories set text = 'hhhh' where key = 1")
            with driver.writing(memory.conn):
                vectors.drop(memory.conn, [1])
                vectors.write(memory.conn, OLD, 1, [1])

    reindex_vectors(memory.conn, NEW, NOW, progress=write)
    blob = memory.conn.execute("select vector from embeddings where memory_key = 1").fetchone()[0]
    assert np.frombuffer(blob, "<f4").argmax() == 7  # h


def test_a_new_memory_meanwhile_gets_a_vector_too(memory: MemoryDatabase) -> None:
    added: list[int] = []

    def write(done: int, total: int) -> None:
        if not added:
            added.append(1)
            memory.remember("one more", now=NOW)

    reindex_vectors(memory.conn, NEW, NOW, progress=write)
    assert stored(memory) == {"new": 101}


def test_another_connection_reads_and_writes_while_it_works(path: Path, memory: MemoryDatabase) -> None:
    seen = []

    def use(done: int, total: int) -> None:
        def work() -> None:
            with MemoryDatabase(path, embed="none") as other:
                seen.append(len(other.recall("beads", 3)))
                other.remember("from another connection")

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    reindex_vectors(memory.conn, NEW, NOW, progress=use)
    assert set(seen) == {3}


def test_it_ends_though_others_write_faster_than_it_embeds(memory: MemoryDatabase) -> None:
    """What comes meanwhile is embedded in a few rounds, and in the last one others wait."""
    told: list[int] = []

    def write(done: int, total: int) -> None:
        told.append(done)
        assert len(told) < 100, "it goes on for ever"
        memory.ingest([f"more {len(told)} {n}" for n in range(2 * max(told))], now=NOW)

    reindex_vectors(memory.conn, NEW, NOW, progress=write)
    assert stored(memory) == {"new": memory.info().memories}


def test_texts_are_indexed_as_they_are_and_nothing_else_is(memory: MemoryDatabase) -> None:
    memory.conn.execute("delete from memories_fts where rowid < 10")
    memory.conn.execute("insert into memories_fts(rowid, text) values (9999, 'left over')")
    memory.conn.execute("update memories_fts set text = 'wrong' where rowid = 20")
    assert "memories with a wrong or missing row" in _check(memory.file, "full text").text
    assert reindex_texts(memory.conn).texts == 100
    assert _check(memory.file, "full text").state == "ok"
    assert memory.conn.execute("select count(*) from memories_fts").fetchone()[0] == 100


def test_the_database_reindexes_by_a_models_name(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as memory:
        memory.remember("Rosa planted the quince.")
        report = memory.reindex()
        assert (report.model, report.previous, report.vectors) == ("memkit", None, 1)
        assert "vector" in memory.recall("who planted a fruit tree?")[0].why
        assert "1 vector of" in repr(report)
        assert "1 vector of" in report._repr_html_()


# ---------------------------------------------------------------------------------------------- info


def test_info_tells_current_earlier_and_archived_apart(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as memory:
        for zone in ("Europe/Stockholm", "America/New_York"):
            memory.remember(zone, slot="user", key="timezone")
        memory.forget(memory.remember("A mistake.", kind="note").id)
        info = memory.info()
    assert (info.memories, info.current, info.archived) == (3, 1, 1)
    assert info.kinds == {"fact": 1}
    assert info.to_dict()["model"] is None
    assert "1 current, 1 earlier, 1 archived" in repr(info)
    assert "<table" in info._repr_html_()


def test_info_of_a_database_in_memory_knows_its_size() -> None:
    info = MemoryDatabase(embed="none").info()
    assert info.path == ":memory:"
    assert info.bytes > 4096


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 bytes"), (999, "999 bytes"), (1400, "1.4 kB"), (999_900, "1.0 MB"), (5e12, "5000.0 GB")]
)
def test_sizes_are_said_as_people_say_them(size: float, text: str) -> None:
    assert size_text(size) == text


# ---------------------------------------------------------------------------------------------- doctor


def _check(path: str | Path, name: str):  # type: ignore[no-untyped-def]
    found = [check for check in doctor(path).checks if check.name == name]
    assert len(found) == 1
    return found[0]


def test_a_sound_database_has_nothing_broken(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db") as memory:
        memory.remember("Rosa planted the quince; 梅も植えた。")
    diagnosis = doctor(tmp_path / "memory.db")
    assert not diagnosis.broken
    assert {check["state"] for check in diagnosis.to_dicts()} <= {"ok", DEGRADED}
    assert "quince" not in repr(diagnosis)


def test_doctor_changes_nothing(path: Path) -> None:
    before = path.read_bytes()
    doctor(path)
    assert path.read_bytes() == before


def test_missing_vectors_are_degraded_and_damaged_ones_broken(memory: MemoryDatabase) -> None:
    reindex_vectors(memory.conn, OLD, NOW)
    memory.conn.execute("update models set id = 'memkit'")
    memory.conn.execute("delete from embeddings where memory_key = 1")
    assert _check(memory.file, "vectors").state == DEGRADED
    memory.conn.execute("update embeddings set code = x'' where memory_key = 2")
    assert _check(memory.file, "vectors").state == BROKEN


def test_an_interrupted_reindex_is_told_with_the_command_that_ends_it(memory: MemoryDatabase) -> None:
    memory.conn.execute("update models set id = 'memkit'")
    vectors.register(memory.conn, NEW, NOW, active=False)
    assert f"memkit reindex {memory.file} --model new" in _check(memory.file, "reindex").text


def test_a_model_that_is_not_here_is_broken(memory: MemoryDatabase) -> None:
    said = [check for check in doctor(memory.file).checks if check.state == BROKEN]
    assert [check.name for check in said] == ["model"]
    assert "'old'" in said[0].text


def test_a_row_that_points_to_nothing_is_found(memory: MemoryDatabase) -> None:
    memory.conn.execute("pragma foreign_keys = off")
    memory.conn.execute("update memories set document_key = 12345 where key = 1")
    said = f"rows that refer to a missing row, in: memories. Run: memkit doctor {memory.file} --fix"
    assert _check(memory.file, "references").text == said


def test_a_torn_page_is_found(path: Path) -> None:
    with MemoryDatabase(path, embed="none") as memory:
        memory.conn.execute("pragma wal_checkpoint(truncate)")
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(data)
    assert doctor(path).broken


def test_no_file_is_broken_and_none_is_made(tmp_path: Path) -> None:
    assert _check(tmp_path / "nothing.db", "file").state == BROKEN
    assert list(tmp_path.iterdir()) == []
