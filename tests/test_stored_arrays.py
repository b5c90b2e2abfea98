"""Arrays that a new process reads at once: always the same as the rows that they repeat, whoever changes these."""

from __future__ import annotations

import shutil
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import NOW, LetterEmbedder, edges, published_file
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import Busy, MemkitError
from memkit.graph import adjacency, graph_arrays, random_walk, stored_arrays
from memkit.storage import block_ranges, caches, code_blocks, text_blocks
from memkit.storage.doctor import doctor
from memkit.storage.driver import IN_PASSING, sqlite3, writing

NAMES = ["Rosa", "Kofi Abara", "Lisbon", "the quince", "Dr. Martinez", "a boat"]
ROWS = [
    {"text": f"On day {n} {NAMES[n % 6]} saw {NAMES[(n * 5 + 1) % 6]} near plum {n}.", "session": f"s{n // 10}"}
    for n in range(60)
]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few rows, and arrays of the smallest graph."""
    monkeypatch.setattr(block_ranges, "ROWS", 16)
    monkeypatch.setattr(block_ranges, "LEAST", 5)
    monkeypatch.setattr(adjacency, "LEAST_STORED", 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "memory.db"
    with MemoryDatabase(file, embed=LetterEmbedder()) as db:
        db.ingest(ROWS, now=NOW)
        db.relate("Rosa", "lives_in", "Lisbon", now=NOW)
        stored_arrays.store(db.conn)
    return file


def codes_in_rows(conn: Any) -> dict[int, tuple[int, bytes, bytes]]:
    """Of each embedding its memory, the signs of its numbers, and which of them are large."""
    found = {}
    for key, memory, blob in conn.execute("select key, memory_key, vector from embeddings"):
        numbers = np.frombuffer(blob, "<f4").tolist()
        mean = sum(map(abs, numbers)) / len(numbers)
        bits = [number > 0 for number in numbers], [abs(number) > mean for number in numbers]
        found[key] = (memory, *(np.packbits(each, bitorder="little").tobytes() for each in bits))
    return found


def codes_read(conn: Any, last: int = block_ranges.LAST_KEY) -> dict[int, tuple[int, bytes, bytes]]:
    """The codes as a new process reads them; each key at most once."""
    model, dims = conn.execute("select key, dims from models").fetchone()
    keys, memories, *bits = code_blocks.read(conn, model, dims, 0, last)
    assert (np.diff(keys) > 0).all()
    both = [np.ascontiguousarray(words.T).view(np.uint8)[:, : (dims + 7) // 8] for words in bits]
    rows = zip(keys.tolist(), memories.tolist(), *both, strict=True)
    return {key: (memory, signs.tobytes(), large.tobytes()) for key, memory, signs, large in rows}


def check_arrays(db: MemoryDatabase) -> None:
    """Asserts that a new process reads from the arrays what the rows say."""
    caches.forget(db.conn)
    assert codes_read(db.conn) == codes_in_rows(db.conn)
    assert edges(adjacency.graph(db.conn)) == edges(adjacency._build(db.conn))


def no_rows(*_: Any, **__: Any) -> Any:
    raise AssertionError("read from the rows")


def test_a_new_process_reads_no_row_of_codes_and_graph(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        expected = [(hit.memory.id, hit.score) for hit in db.recall("who saw the plum near Lisbon?", now=NOW)]
        assert db.conn.execute("select count(*) from code_blocks").fetchone()[0] == 4
        read = code_blocks._rows
        caches.forget(db.conn)
        monkeypatch.setattr(adjacency, "_build", no_rows)
        asked: list[tuple[int, int]] = []

        def noted(conn: Any, model: int, dims: int, first: int, last: int) -> Any:
            asked.append((first, last))
            return read(conn, model, dims, first, last)

        monkeypatch.setattr(code_blocks, "_rows", noted)
        assert [(hit.memory.id, hit.score) for hit in db.recall("who saw the plum near Lisbon?", now=NOW)] == expected
        assert sum(max(last - first + 1, 0) for first, last in asked) == 0


def test_the_arrays_leave_the_room_of_the_cache_to_others(path: Path) -> None:
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        db.conn.execute("pragma cache_size = -5000")
        said: list[str] = []
        db.conn.set_trace_callback(said.append)
        db.recall("who saw the plum near Lisbon?", now=NOW)
        db.conn.set_trace_callback(None)
        small, own = f"pragma cache_size = {IN_PASSING}", "pragma cache_size = -5000"
        rooms = [one for one in said if one.startswith("pragma cache_size =")]
        assert rooms == [small, own] * 3
        arrays = ("cast(codes as blob)", "select cast(value as blob) from graph_arrays", "cast(pairs as blob)")
        of_arrays = [at for at, one in enumerate(said) if any(array in one for array in arrays)]
        last = [next(one for one in said[at::-1] if one in (small, own)) for at in of_arrays]
        assert set(last) == {small}, "around the places of texts, the codes, and the graph"
        assert db.conn.execute("pragma cache_size").fetchone()[0] == -5000


def test_the_arrays_change_no_hit(path: Path) -> None:
    questions = ["who saw the plum near Lisbon?", "Kofi Abara and the boat", "what of Rosa?", "day 41"]
    found = []
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        for statement in ("select 1", "delete from code_blocks", "delete from graph_arrays"):
            db.conn.execute(statement)
            caches.forget(db.conn)
            found.append([[(hit.memory.id, hit.score) for hit in db.recall(one, now=NOW)] for one in questions])
    assert found[0] == found[1] == found[2]


class OldDriver:
    """A connection as Python 3.10 has it, which reads and writes no value in pieces."""

    def __init__(self, conn: Any):
        self.conn = conn

    def __getattr__(self, name: str) -> Any:
        if name == "blobopen":
            raise AttributeError(name)
        return getattr(self.conn, name)


@pytest.mark.parametrize("driver", [lambda conn: conn, OldDriver])
@pytest.mark.parametrize("small", [0, 10**6])
def test_the_graph_is_stored_in_parts_as_it_is_at_once(
    path: Path, driver: Any, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random_walk, "SMALL", small)
    monkeypatch.setattr(adjacency, "ROWS", 7)
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        made = adjacency._build(db.conn)
        with writing(db.conn):
            graph_arrays.write(driver(db.conn), adjacency._planned(db.conn)[0], (1, 2, 3, 4, 5, "6"))
        graph, state = graph_arrays.read(db.conn) or pytest.fail("nothing was stored")
    assert state == (1, 2, 3, 4, 5, "6")
    monkeypatch.undo()
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        for one in (made.adjacency, adjacency._build(db.conn).adjacency):
            for name, kind in graph_arrays.TYPES.items():
                assert getattr(graph, name).tobytes() == getattr(one, name).astype(kind).tobytes(), name


# ---------------------------------------------------------------------------------------------- changes

TO_NOBODY = (
    "insert into links (from_key, to_key, type, created_at) values ({n}, {n} + 1, 'part_of', '2025-01-01T00:00:00Z')"
)
STATEMENTS = (
    "delete from memories where key % 7 = {n} % 7",
    "delete from mentions where key = {n}",
    "delete from entities where key = {n} % 5",
    "delete from embeddings where key = {n}",
    "delete from models",
    "update memories set position = {n} where key = {n} + 1",
    "update memories set text = 'other' where key = {n}",
    "update mentions set confidence = .25 where key % 3 = {n} % 3",
    "update relations set confidence = .5",
    "update relations set expired_at = '2025-06-02T00:00:00Z'",
    "update embeddings set vector = zeroblob(length(vector)) where key = {n}",
    "update embeddings set key = key + 1000 where key = {n}",
    "insert or replace into embeddings "
    "select key, memory_key, model_key, zeroblob(length(vector)), code from embeddings where key = {n}",
    TO_NOBODY,
    "update links set weight = .3",
    "delete from links where key = {n}",
)


def by_sql(path: Path, statement: str, n: int) -> None:
    """What another program does, with memkit's triggers, which are in the file, but none of its functions."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn, suppress(sqlite3.DatabaseError):
        conn.execute(statement.format(n=n))


def forget(db: MemoryDatabase, n: int) -> None:
    ids = [row[0] for row in db.conn.execute("select id from memories order by key")]
    db.forget(ids[n % len(ids)], hard=True)


CALLS = {
    "ingest": lambda db, n: db.ingest([{"text": f"Plum {n} and Rosa.", "session": f"s{n % 9}"}] * (n % 9), now=NOW),
    "ingest again": lambda db, n: db.ingest(
        [{**row, "text": row["text"] + "!" * n} for row in ROWS[: n % 12]], now=NOW
    ),
    "remember": lambda db, n: db.remember(f"Otto met Kofi Abara at {n}.", now=NOW),
    "forget": forget,
    "merge": lambda db, n: db.merge(NAMES[n % 2], NAMES[2 - n % 2], now=NOW),
    "maintain": lambda db, n: db.maintain(now=NOW),
    "relate": lambda db, n: db.relate("Rosa", "likes", f"pear {n % 4}", now=NOW),
    "reindex": lambda db, n: db.reindex(),
    "store": lambda db, n: stored_arrays.store(db.conn),
}
CHANGES = st.one_of(
    st.tuples(st.sampled_from(sorted(CALLS)), st.integers(0, 70)),
    st.tuples(st.sampled_from(STATEMENTS), st.integers(0, 70)),
)


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("start") / "memory.db"
    with MemoryDatabase(file, embed=LetterEmbedder()) as db:
        db.ingest(ROWS, now=NOW)
        db.relate("Rosa", "lives_in", "Lisbon", now=NOW)
        with pytest.MonkeyPatch.context() as patch:
            for name, value in (("ROWS", 16), ("LEAST", 5)):
                patch.setattr(block_ranges, name, value)
            patch.setattr(adjacency, "LEAST_STORED", 1)
            stored_arrays.store(db.conn)
    with closing(sqlite3.connect(file)) as conn:
        conn.execute("pragma journal_mode = delete")
    return file


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(CHANGES, min_size=1, max_size=6))
@example([(TO_NOBODY, 64), ("ingest", 31), ("ingest", 1)])  # then the memories that it links are there
def test_whatever_is_changed_the_arrays_say_what_the_rows_say(
    start: Path, tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, int]]
) -> None:
    file = Path(shutil.copy(start, tmp_path_factory.mktemp("changed") / "memory.db"))
    for name, n in changes:
        if name not in CALLS:
            by_sql(file, name, n)
        with MemoryDatabase(file, embed=LetterEmbedder()) as db:
            if name in CALLS:
                with suppress(MemkitError):  # what is not there cannot be merged or forgotten
                    CALLS[name](db, n)
            if db.conn.execute("select count(*) from models").fetchone()[0]:
                check_arrays(db)
    shutil.rmtree(file.parent)


@pytest.mark.parametrize(
    "statement",
    [
        "delete from memories where text = 'zz'",
        "update memories set position = 99 where key = 3",
        "delete from entities where name = 'Lone'",
        "update entities set merged_into = 1 where name = 'Lone'",
        "delete from mentions where key = 2",
        "update mentions set confidence = .25 where key = 2",
        "delete from relations",
        "update relations set confidence = .25",
        "delete from links",
        "update links set weight = .25",
    ],
)
def test_a_row_that_is_changed_makes_the_graph_anew(path: Path, statement: str) -> None:
    """Each of these changes one row that no other one hangs on."""
    with MemoryDatabase(path, embed="none") as db:
        _, other = (db.remember(text, now=NOW).id for text in ("zz", "zzz"))
        db.link(other, db.conn.execute("select id from memories where key = 1").fetchone()[0], "part_of", now=NOW)
        db.conn.execute(
            "insert into entities (id, name, normal, created_at, updated_at) values ('e:1', 'Lone', 'lone', ?, ?)",
            (NOW, NOW),
        )
        db.conn.execute("delete from graph_arrays")
        stored_arrays.store(db.conn)
    by_sql(path, statement, 0)
    with MemoryDatabase(path, embed="none") as db:
        assert graph_arrays.state(db.conn) is None
        assert edges(adjacency.graph(db.conn)) == edges(adjacency._build(db.conn))


def test_a_graph_with_the_numbers_of_its_edges_is_read_as_one_without(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until November 2026 they were stored, too."""
    by_sql(path, "insert into graph_arrays (part, value) values (7, zeroblob(40))", 0)
    by_sql(path, "update graph_arrays set value = json_insert(cast(value as text), '$.given', 5) where part = 0", 0)
    with MemoryDatabase(path, embed="none") as db:
        monkeypatch.setattr(adjacency, "_build", no_rows)
        assert len(adjacency.graph(db.conn).adjacency.targets)


def test_without_incremental_reading_the_arrays_are_the_same(path: Path) -> None:
    """Python 3.10 reads each at once."""
    with MemoryDatabase(path, embed="none") as db:
        for part, kind in enumerate(graph_arrays.TYPES.values(), 1):
            one, other = (graph_arrays._array(conn, part, kind) for conn in (db.conn, OldDriver(db.conn)))
            assert one.dtype == other.dtype
            assert one.tobytes() == other.tobytes()


def test_an_array_of_many_pieces_is_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_arrays, "PIECE", 7)
    with MemoryDatabase(path, embed="none") as db:
        assert edges(adjacency.graph(db.conn)) == edges(adjacency._build(db.conn))


def test_what_is_erased_is_in_no_block(path: Path) -> None:
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        key, name = db.conn.execute("select key, id from memories where text like '%plum 17.'").fetchone()
        db.forget(name, hard=True)
        kept = [np.frombuffer(row[0], "<i8") for row in db.conn.execute("select memory_keys from code_blocks")]
        assert kept
        assert key not in np.concatenate(kept)
        stored_arrays.store(db.conn)
        assert graph_arrays.state(db.conn) is not None
        keys = db.conn.execute("select value from graph_arrays where part = 2").fetchone()[0]
        kinds = db.conn.execute("select value from graph_arrays where part = 1").fetchone()[0]
        memories = np.frombuffer(keys, "<i8")[np.frombuffer(kinds, "u1") == 0]
        assert key not in memories


def test_a_few_new_rows_rewrite_nothing_and_are_found(path: Path) -> None:
    def stored(db: MemoryDatabase) -> Any:
        blocks = db.conn.execute("select key, first_key, last_key from code_blocks order by key").fetchall()
        return [tuple(row) for row in blocks], db.conn.execute("select * from graph_arrays order by part").fetchall()

    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        before = stored(db)
        db.ingest([{"text": "Xaver keeps zebras."}], now=NOW)
        assert stored(db) == before
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        check_arrays(db)
        assert "Xaver keeps zebras." in [hit.memory.text for hit in db.recall("xxzzebrasss", now=NOW)]


def test_a_file_of_version_7_is_read_as_it_is_and_gets_blocks_of_two_bits(path: Path) -> None:
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        expected = [(hit.memory.id, hit.score) for hit in db.recall("who saw the plum near Lisbon?", now=NOW)]
        layout = db.conn.execute("select name, sql from sqlite_master order by name").fetchall()
        blocks = db.conn.execute("select first_key, codes from code_blocks order by first_key").fetchall()
    for statement in (
        "drop index embeddings_keys",
        "create index embeddings_model on embeddings(model_key, key, memory_key, code)",
        "update code_blocks set codes = substr(codes, 1, length(codes) / 2)",
        "delete from _sqlite_migrations where name = 'm008_codes'",
        "pragma user_version = 7",
    ):
        by_sql(path, statement, 0)
    before = path.read_bytes()
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        assert [(hit.memory.id, hit.score) for hit in db.recall("who saw the plum near Lisbon?", now=NOW)] == expected
    assert path.read_bytes() == before
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        assert db.conn.execute("select name, sql from sqlite_master order by name").fetchall() == layout
        assert db.conn.execute("select first_key, codes from code_blocks order by first_key").fetchall() == blocks
        check_arrays(db)


# ---------------------------------------------------------------------------------------------- bad input

BAD = (
    "update code_blocks set keys = zeroblob(3)",
    "update code_blocks set codes = x''",
    "update code_blocks set codes = substr(codes, 1, length(codes) / 2)",  # the signs alone, as until version 7
    "update code_blocks set memory_keys = 'text'",
    "update code_blocks set first_key = 1, last_key = 9000000000 where key = 2",
    "update code_blocks set keys = zeroblob(length(keys))",
    "update graph_arrays set value = x'00'",
    "update graph_arrays set value = x'ff' || substr(value, 2) where part = 1",
    "update graph_arrays set value = 'text' where part = 0",
    "update graph_arrays set value = '[]' where part = 0",
    "update graph_arrays set value = replace(hex(zeroblob(50000)), '0', '[') where part = 0",
    "update graph_arrays set value = json_object('state', json_object('a', 1)) where part = 0",
    "update graph_arrays set value = json_replace(cast(value as text), '$.state[0]', 'a') where part = 0",
    "update graph_arrays set value = replace(cast(value as text), '[', '[1e400') where part = 0",
    "update graph_arrays set value = 7 where part = 4",
    "update graph_arrays set value = hex(value) where part = 4",
    "update graph_arrays set value = x'' where part = 6",
    "update graph_arrays set value = substr(value, 2) where part = 5",
    "update graph_arrays set value = replace(value, x'0000803f', x'0000c07f') where part = 5",
    "delete from graph_arrays where part = 4",
    "update graph_arrays set value = randomblob(length(value)) where part in (3, 4, 5)",
)


@pytest.mark.parametrize("statement", BAD)
def test_arrays_that_are_none_are_read_from_the_rows(path: Path, statement: str) -> None:
    by_sql(path, "drop index code_blocks_range", 0)
    by_sql(path, statement, 0)
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        check_arrays(db)
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        stored_arrays.store(db.conn)
        check_arrays(db)


def test_doctor_drops_what_triggers_may_have_missed(path: Path) -> None:
    by_sql(path, "drop trigger code_blocks_delete", 0)
    by_sql(path, "drop trigger graph_arrays_memories_delete", 0)
    by_sql(path, "delete from memories where key = 3", 0)
    doctor(path, fix=True)
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        check_arrays(db)
        assert db.conn.execute("select count(*) from graph_arrays").fetchone()[0] == 0


def test_a_stranger_s_block_shows_no_hidden_memory(path: Path) -> None:
    """What a block says of a code decides nothing but where to look."""
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        name = db.conn.execute("select id from memories where key = 5").fetchone()[0]
        db.forget(name)
        stored_arrays.store(db.conn)
        row = db.conn.execute("select key, memory_keys from code_blocks order by first_key").fetchone()
        keys = np.frombuffer(row[1], "<i8").copy()
        keys[keys == 5] = 6
        db.conn.execute("update code_blocks set memory_keys = ? where key = ?", (keys.tobytes(), row[0]))
        caches.forget(db.conn)
        assert name not in [hit.memory.id for hit in db.recall("plums nearby", k=60, now=NOW)]


def test_a_publication_has_arrays_of_its_own(path: Path, tmp_path: Path) -> None:
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        db.publish(tmp_path / "out", sql="select id from memories where text like '%Rosa%'", embed="none", now=NOW)
    with MemoryDatabase(published_file(tmp_path / "out"), read_only=True) as db:
        assert graph_arrays.state(db.conn) is not None
        assert edges(adjacency.graph(db.conn)) == edges(adjacency._build(db.conn))


@pytest.mark.parametrize("blocks", [code_blocks, text_blocks])
def test_blocks_that_another_process_writes_at_the_same_moment_are_there_once(path, monkeypatch, blocks):
    """The other one writes when this one has seen what is missing, if it may: if this one has no transaction yet."""
    gaps, table = block_ranges.gaps, blocks.__name__.rsplit(".", 1)[1]
    with MemoryDatabase(path, embed=LetterEmbedder()) as one, MemoryDatabase(path, embed=LetterEmbedder()) as other:
        other.conn.execute("pragma busy_timeout = 0")
        one.conn.execute(f"delete from {table}")

        def seen(covered: Any, first: int) -> Any:
            found = list(gaps(covered, first))
            monkeypatch.setattr(block_ranges, "gaps", gaps)
            with suppress(Busy):
                blocks.write(other.conn)
            return iter(found)

        monkeypatch.setattr(block_ranges, "gaps", seen)
        blocks.write(one.conn)
        ranges = one.conn.execute(f"select first_key, last_key from {table} order by first_key").fetchall()
        assert len(ranges) > 1
        assert all(before[1] < after[0] for before, after in pairwise(ranges))
