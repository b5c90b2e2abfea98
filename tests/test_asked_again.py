"""A process that asks again: what it keeps of a file is always as the rows are, whoever writes meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import NOW, LetterEmbedder
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.retrieval.channels import vector
from memkit.storage import block_ranges, caches, code_blocks, filters, kept_vectors, vector_rows
from memkit.storage.driver import IN_PASSING, sqlite3
from memkit.storage.filters import Scope, eligible, eligible_among

ROWS = [
    {"id": n, "text": f"{'abcdefgh'[n % 8] * (1 + n % 5)} {'plum quince medlar sorb'.split()[n % 4]}"}
    for n in range(60)
]
QUESTIONS = ["a bad cafe", "plum", "who had the quince?", "sorb"]
SCOPE = Scope(NOW)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few rows."""
    monkeypatch.setattr(block_ranges, "ROWS", 16)
    monkeypatch.setattr(block_ranges, "LEAST", 5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "memory.db"
    with MemoryDatabase(file, embed=LetterEmbedder()) as db:
        db.ingest(ROWS, now=NOW)
        code_blocks.write(db.conn)
    return file


@pytest.fixture
def asking(path: Path) -> Iterator[MemoryDatabase]:
    """A process that holds all vectors of the file."""
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        for _ in range(6):
            near(db)
        assert len(held(db)) == 4
        yield db


def held(db: MemoryDatabase) -> dict[Any, kept_vectors.Block]:
    return kept_vectors._kept(db.conn, 1).blocks


def near(db: MemoryDatabase) -> list[Any]:
    """What recall finds by vectors, and the cosines of all memories, for each question."""
    asked = [db.embedder.encode([question])[0] for question in QUESTIONS]
    keys = [row[0] for row in db.conn.execute("select key from memories")] + [9999]
    return [
        (vector.search(db.conn, 1, one, SCOPE, limit=20), sorted(vector.cosines(db.conn, 1, one, keys).items()))
        for one in asked
    ]


def by_sql(path: Path, statement: str, *parameters: Any) -> None:
    """What another program does, with memkit's triggers, which are in the file, but none of its functions."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("pragma foreign_keys = on")
        conn.execute(statement, parameters)


def rows_read(conn: Any, statements: tuple[str, ...]) -> list[str]:
    """Those of the statements that a connection runs from now on."""
    run: list[str] = []
    names = {" ".join(one.split()).partition(":")[0]: one for one in statements}  # up to its first parameter
    conn.set_trace_callback(lambda sql: run.extend(name for name in names if " ".join(sql.split()).startswith(name)))
    return run


def test_vectors_that_are_held_give_the_cosines_of_the_rows(path: Path, asking: MemoryDatabase) -> None:
    again = near(asking)
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        caches.forget(db.conn)
        assert again == near(db)


def test_who_asks_a_few_times_reads_only_the_vectors_that_are_compared(path: Path) -> None:
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        question = db.embedder.encode(["a bad cafe"])[0]
        sizes = []
        for _ in range(kept_vectors.PATIENCE + 2):
            vector.search(db.conn, 1, question, SCOPE, limit=2)
            sizes.append(len(held(db)))
        assert sizes == [0] * kept_vectors.PATIENCE + [4, 4]


def test_sqlite_does_not_keep_the_pages_of_vectors_that_are_held(path: Path) -> None:
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        near(db)
        small, (own,) = f"pragma cache_size = {IN_PASSING}", db.conn.execute("pragma cache_size").fetchone()
        run = rows_read(db.conn, (vector_rows.IN_RANGE, small, f"pragma cache_size = {own}"))
        for _ in range(5):
            near(db)
        db.conn.set_trace_callback(None)
        assert len(held(db)) == 4
        assert [one.startswith("pragma") for one in run] == [True, False, False, False, False, True]
        assert (run[0], run[-1]) == (small, f"pragma cache_size = {own}")


def test_held_vectors_are_not_read_again(asking: MemoryDatabase) -> None:
    run = rows_read(asking.conn, (vector_rows.BY_KEY, vector_rows.BY_MEMORY, vector_rows.IN_RANGE))
    question = asking.embedder.encode(["a bad cafe"])[0]
    vector.search(asking.conn, 1, question, SCOPE, limit=20)
    vector.cosines(asking.conn, 1, question, list(range(1, 61)))
    asking.conn.set_trace_callback(None)
    assert run == []


def test_vectors_of_no_block_are_read_once_until_something_is_written(path: Path) -> None:
    by_sql(path, "delete from code_blocks")
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        before = near(db)
        run = rows_read(db.conn, (vector_rows.BY_KEY, vector_rows.BY_MEMORY))
        question, every = db.embedder.encode(["plum"])[0], list(range(1, 61))
        vector.search(db.conn, 1, question, SCOPE, limit=20)
        vector.cosines(db.conn, 1, question, every)
        assert run == []
        by_sql(path, CHANGES["a vector is overwritten"], 7)
        vector.cosines(db.conn, 1, question, every)
        assert len(run) == 1
        assert near(db) != before


def test_no_more_vectors_of_no_block_are_kept_than_there_is_room_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_vectors, "MOST_READ", 40)
    by_sql(path, "delete from code_blocks")
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        question = db.embedder.encode(["plum"])[0]
        for first in (1, 21, 31):  # the last ones go beyond
            vector.cosines(db.conn, 1, question, list(range(first, first + 20)))
        read = caches.unchanged(db.conn, "read vectors 1", kept_vectors.Read)
        assert read.held.keys.tolist() == list(range(1, 41))


def test_nothing_is_held_where_there_is_no_room_for_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept_vectors._size()
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        for rows, blocks in ((59, 0), (60, 4)):
            monkeypatch.setattr(kept_vectors, "MOST_BYTES", before + rows * 26 * 4)
            for _ in range(6):
                near(db)
            assert len(held(db)) == blocks
        assert kept_vectors._size() == before + 60 * 26 * 4
        caches.forget(db.conn)
    assert kept_vectors._size() == before, "what is forgotten leaves room"


CHANGES = {
    "a vector is overwritten": "update embeddings set vector = (select max(vector) from embeddings) where key = ?1",
    "a vector is damaged": "update embeddings set vector = x'00' where key = ?1",
    "a vector goes": "delete from embeddings where key = ?1",
    "a memory goes": "delete from memories where key = ?1",
    "a memory is hidden": "update memories set archived_at = '2020-01-01T00:00:00Z' where key = ?1",
    "a memory ends": "update memories set valid_until = '2020-01-01T00:00:00Z' where key = ?1",
    "replaced": "insert or replace into embeddings select * from embeddings where key = ?1",
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_another_program_changes_is_seen_by_the_next_question(
    path: Path, asking: MemoryDatabase, change: str
) -> None:
    before = near(asking)
    for key in (7, 33):
        by_sql(path, CHANGES[change], key)
        now = near(asking)
        near(asking)
        assert near(asking) == now
        with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
            caches.forget(db.conn)
            anew = near(db)
        assert now == anew
    assert change == "replaced" or now != before


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(sorted(CHANGES)), st.integers(1, 59), st.booleans()), max_size=6))
def test_any_changes_are_seen(tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, int, bool]]) -> None:
    path = tmp_path_factory.mktemp("again") / "memory.db"
    letters = LetterEmbedder()
    with MemoryDatabase(path, embed=letters) as writer, MemoryDatabase(path, embed=letters, read_only=True) as db:
        writer.ingest(ROWS, now=NOW)
        code_blocks.write(writer.conn)
        for change, key, written in changes:
            near(db)
            by_sql(path, CHANGES[change], key)
            if written:  # by ingest, in the same process, which also writes the blocks again
                writer.ingest([{"id": key, "text": f"changed {change}"}, {"text": f"new {key} {change}"}], now=NOW)
                code_blocks.write(writer.conn)
            kept = near(db)
            caches.forget(db.conn)
            assert kept == near(db)


def test_new_vectors_are_searched_without_a_count_of_all(path: Path) -> None:
    run: list[str] = []
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        near(db)
        db.ingest([{"id": 99, "text": "a new one"}], now=NOW)
        db.conn.set_trace_callback(run.append)
        near(db)
        assert len(vector._codes(db.conn, 1, 26).keys) == 61
        assert not any("count(*) from embeddings" in one for one in run), "blocks say that nearly all are there"
        by_sql(path, "delete from embeddings where key between 1 and 20")
        db.ingest([{"id": 100, "text": "another one"}], now=NOW)
        near(db)
        assert len(vector._codes(db.conn, 1, 26).keys) == 62, "made again, and without the old ones"
        assert any("count(*) from embeddings" in one for one in run)


def test_in_a_transaction_that_is_undone_nothing_is_kept(path: Path) -> None:
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        for _ in range(6):
            before = near(db)
        db.conn.execute("begin")
        db.conn.execute("update embeddings set vector = (select vector from embeddings where key = 1) where key = 9")
        db.conn.execute("update memories set archived_at = '2020-01-01T00:00:00Z' where key = 3")
        assert near(db) != before
        db.conn.execute("rollback")
        assert near(db) == before


# ---------------------------------------------------------------------------------------------- what is hidden


def test_hidden_memories_are_looked_for_only_among_those_that_may_be(path: Path) -> None:
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        run = rows_read(db.conn, (filters.SELECT_HIDDEN_AMONG, filters.SELECT_MAYBE_HIDDEN))
        for _ in range(3):
            assert eligible_among(db.conn, [1, 2, 3], SCOPE) == {1, 2, 3}
        assert len(run) == 1, "once, and not again"
        by_sql(path, "update memories set archived_at = '2020-01-01T00:00:00Z' where key = 2")
        assert eligible_among(db.conn, [1, 2, 3], SCOPE) == {1, 3}
        by_sql(path, "update memories set expires_at = '2099-01-01T00:00:00Z' where key = 3")
        assert eligible_among(db.conn, [1, 2, 3], SCOPE) == {1, 3}
        assert eligible_among(db.conn, [1, 2, 3], Scope("2100-01-01T00:00:00Z")) == {1}
        assert eligible_among(db.conn, [1, 2, 3], Scope(NOW, everything=True)) == {1, 2, 3}


def test_where_many_memories_are_hidden_each_is_looked_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_sql(path, "update memories set archived_at = '2020-01-01T00:00:00Z' where key < 9")
    monkeypatch.setattr(filters, "MOST_MAYBE_HIDDEN", 3)
    with MemoryDatabase(path, embed=LetterEmbedder(), read_only=True) as db:
        assert filters._maybe_hidden(db.conn) is None
        assert eligible_among(db.conn, list(range(1, 12)), SCOPE) == {9, 10, 11}


TIMES = st.sampled_from([NOW, "2020-01-01T00:00:00Z", "2024-06-01T00:00:00Z", "2100-01-01T00:00:00Z"])
SCOPES = st.builds(
    Scope,
    TIMES,
    project=st.sampled_from(["a", "b"]),
    only_project=st.booleans(),
    kinds=st.sampled_from([None, ("note",), ("note", "fact", "observation")]),
    since=st.none() | TIMES,
    as_of=st.none() | TIMES,
    slot=st.sampled_from([None, "user"]),
    everything=st.booleans(),
    superseded=st.booleans(),
    but_noted=st.booleans(),
    among=st.sampled_from([None, (1, 7, 30)]),
)


@pytest.fixture
def mixed(path: Path) -> Path:
    """Memories of three projects, three kinds, two slots and many times, some of them hidden at some of these."""
    choices = {
        "project": ("a", "b", "global"),
        "kind": ("note", "fact", "turn", "note", "observation"),
        "slot": (None, None, None, None, "user"),
        "happened_at": (None, "2019-03-01T00:00:00Z", "2023", "2025-01-01T00:00:00Z"),
        "archived_at": (*[None] * 6, "2020-01-01T00:00:00Z"),
        "valid_until": (*[None] * 10, "2024-01-01T00:00:00Z"),
        "expires_at": (*[None] * 12, "2030-01-01T00:00:00Z"),
    }
    for column, values in choices.items():
        for at, value in enumerate(values):
            by_sql(path, f"update memories set {column} = ? where key % {len(values)} = {at}", value)
    for old, new, kind in ((1, 11, "supersedes"), *((key, to, "derived_from") for key, to in ((4, 2), (9, 6), (2, 1)))):
        by_sql(path, "insert into links (from_key, to_key, type, created_at) values (?, ?, ?, ?)", old, new, kind, NOW)
    return path


@given(scopes=st.lists(SCOPES, min_size=1, max_size=8))
@example(scopes=[Scope(NOW, but_noted=True)])
@example(scopes=[Scope(NOW, kinds=("note",)), Scope(NOW, "a", only_project=True, kinds=("note",), everything=True)])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_who_asks_again_within_a_scope_may_find_what_its_condition_says(mixed: Path, scopes: list[Scope]) -> None:
    some = list(range(1, 61))
    with MemoryDatabase(mixed, embed=LetterEmbedder(), read_only=True) as db, closing(sqlite3.connect(mixed)) as plain:
        for scope in scopes + scopes[::-1]:
            found = plain.execute(filters.SELECT_ELIGIBLE, scope.parameters()).fetchone()[0]
            expected = sorted(map(int, found.split(","))) if found else []
            assert eligible_among(db.conn, some, scope) == set(some) & set(expected)
            assert eligible(db.conn, scope).tolist() == expected


def test_a_scope_is_the_same_where_many_memories_are_hidden(mixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "MOST_MAYBE_HIDDEN", 3)
    some = list(range(1, 61))
    with MemoryDatabase(mixed, embed=LetterEmbedder(), read_only=True) as db, closing(sqlite3.connect(mixed)) as plain:
        for moment in (NOW, "2023-06-01T00:00:00Z", NOW):
            for narrow in ({"project": "a", "only_project": True}, {"kinds": ("note",)}, {"since": "2020"}):
                scope = Scope(moment, **narrow)
                found = plain.execute(filters.SELECT_ELIGIBLE, scope.parameters()).fetchone()[0]
                expected = sorted(map(int, found.split(",")))
                assert eligible_among(db.conn, some, scope) == set(expected)
                assert eligible(db.conn, scope).tolist() == expected
                run = rows_read(db.conn, (filters.SELECT_ELIGIBLE_AMONG,))
                assert eligible_among(db.conn, some, scope) == set(expected)
                db.conn.set_trace_callback(None)
                assert run == []


def test_the_keys_of_a_scope_are_read_once_and_again_after_a_change(mixed: Path) -> None:
    scope = Scope(NOW, project="a", only_project=True)
    with MemoryDatabase(mixed, embed=LetterEmbedder(), read_only=True) as db:
        before = eligible(db.conn, scope).tolist()
        run = rows_read(db.conn, (filters.SELECT_ELIGIBLE_AMONG,))
        for moment in (NOW, "2025-05-05T00:00:00Z"):
            eligible(db.conn, Scope(moment, project="a", only_project=True))
            eligible_among(db.conn, [1, 2, 3], Scope(moment, project="a", only_project=True))
        assert run == []
        assert len(filters.unchanged(db.conn, "eligible", dict)) == 1, "whatever the moment"
        by_sql(mixed, "update memories set project = 'b' where key = ?", before[0])
        assert eligible(db.conn, scope).tolist() == before[1:]
        assert before[0] not in eligible_among(db.conn, before, scope)
        for kind in ("note", "fact", "turn", "other", "none"):
            eligible(db.conn, Scope(NOW, kinds=(kind,)))
        kept = filters.unchanged(db.conn, "eligible", dict)
        assert [one.kinds for one in kept] == [("fact",), ("turn",), ("other",), ("none",)], "the latest ones"


def test_the_best_of_a_fusion_are_the_first_of_all() -> None:
    from memkit.retrieval import fusion

    chance = np.random.default_rng(3)
    fused = {key: {"fulltext": float(chance.integers(0, 9)), "vector": 0.5} for key in chance.permutation(50).tolist()}
    for most in (0, 1, 7, 49, 50, 51):
        assert list(fusion.ranked(fused, most).items()) == list(fusion.ranked(fused).items())[:most]
