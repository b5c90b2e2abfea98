"""Neighbours: which memories stand beside each, and how long they are together, as the tables say it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from conftest import NOW, unguarded
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.retrieval.channels import neighbours
from memkit.storage import block_ranges, text_blocks

BESIDE = """
select m.key, n.key
from memories as m join memories as n
    on n.document_key = m.document_key and n.position between m.position - 2 and m.position + 2 and n.key <> m.key
order by m.key, n.key
"""
PLACE = st.tuples(st.sampled_from([None, 1, 2, 3]), st.none() | st.integers(-3, 12))
INSERT = """
insert into memories (id, text, document_key, position, created_at, updated_at, hash) values (?, ?, ?, ?, '', '', '')
"""


def beside(db: MemoryDatabase) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {row[0]: [] for row in db.conn.execute("select key from memories")}
    for key, other in db.conn.execute(BESIDE):
        found[key].append(other)
    return found


def check_neighbours(db: MemoryDatabase, near: neighbours.Neighbours | None = None) -> neighbours.Neighbours:
    """Asserts that neighbours and lengths are what the tables say."""
    near = near or neighbours.build(db.conn, None)
    expected = beside(db)
    assert {key: sorted(others) for key, others in near.beside().items()} == expected
    texts = {row[0]: row[1] for row in db.conn.execute("select key, text from memories")}
    heads = {key: len(text[:600].split()) for key, text in texts.items()}
    assert near.heads_by_key("fts") == pytest.approx(heads, abs=1)
    heads = near.heads_by_key("fts")
    assert near.lengths_by_key("fts") == {
        key: len(text.split()) + sum(heads[other] for other in expected[key]) for key, text in texts.items()
    }
    return near


def filled(db: MemoryDatabase, places: list[tuple[int | None, int | None]], texts: Any = None) -> None:
    for key in (1, 2, 3):
        db.conn.execute("insert into documents (key, id, source) values (?, ?, ?)", (key, f"d{key}", f"d{key}"))
    for n, (document, position) in enumerate(places):
        db.conn.execute(INSERT, (f"m{n}", "plum " * (1 + n % 4) if n % 9 else "a plum " * 200, document, position))


@settings(max_examples=80, deadline=None)
@given(st.lists(PLACE, max_size=40).filter(lambda places: max(Counter(places).values(), default=0) < 4))
def test_neighbours_are_those_of_the_same_document_within_two_positions(places: list[Any]) -> None:
    with MemoryDatabase(embed="none") as db:
        filled(db, places)
        check_neighbours(db)


def test_of_many_at_one_position_the_nearest_are_beside_each_other() -> None:
    with MemoryDatabase(embed="none") as db:
        filled(db, [(1, 0)] * 40)
        near = neighbours.build(db.conn, None)
        assert near.beside()[20] == [*range(12, 20), *range(21, 29)]
        assert near.mean_span < 17


def test_a_position_that_is_no_number_stands_alone() -> None:
    with MemoryDatabase(embed="none") as db:
        filled(db, [(1, n) for n in range(6)])
        with unguarded(db.conn):
            db.conn.execute("update memories set position = 'first' where key = 3")
            db.conn.execute("update memories set position = 9e300 where key = 4")
        db.conn.execute("update memories set position = 1 << 40 where key = 5")
        near = neighbours.build(db.conn, None)
        assert near.beside() == {1: [2], 2: [1], 3: [], 4: [], 5: [], 6: []}


def test_what_a_block_has_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_ranges, "ROWS", 16)
    monkeypatch.setattr(block_ranges, "LEAST", 5)
    read, read_block = [], text_blocks.read_block
    monkeypatch.setattr(text_blocks, "read_block", lambda conn, key: read.append(key) or read_block(conn, key))
    with MemoryDatabase(embed="none") as db:
        filled(db, [(1 + n % 3, n // 3) for n in range(50)])
        text_blocks.write(db.conn)
        assert [block[1:] for block in text_blocks.blocks(db.conn)][1:] == [(17, 32), (33, 48)]
        first = check_neighbours(db)
        db.conn.execute("update memories set text = 'plum plum plum' where key = 20")
        read.clear()
        second = check_neighbours(db, neighbours.build(db.conn, first))
        assert len(second.blocks) == 2
        assert read == []
        text_blocks.write(db.conn)
        third = check_neighbours(db, neighbours.build(db.conn, second))
        assert len(third.blocks) == 3
        assert read == [block[0] for block in third.blocks if block not in second.blocks]
        assert np.array_equal(third.texts.keys, np.arange(1, 51))


def test_blocks_of_many_documents_are_in_any_order() -> None:
    with MemoryDatabase(embed="none") as db:
        rows = [{"text": f"plum {n}", "session": f"s{n % 7}"} for n in range(60)] + [
            {"text": f"alone {n}"} for n in range(9)
        ]
        db.ingest(rows, now=NOW)
        near = check_neighbours(db)
        assert near.order is not None
        assert near.mean_span == pytest.approx(np.mean([1 + len(others) for others in beside(db).values()]))


def test_a_memory_that_comes_back_under_its_key_is_in_no_block_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_ranges, "LEAST", 5)
    with MemoryDatabase(embed="none") as db:
        filled(db, [(1, n) for n in range(20)])
        db.conn.execute("delete from memories where key = 9")
        text_blocks.write(db.conn)
        again = "insert into memories (key, id, text, document_key, position, created_at, updated_at, hash)"
        db.conn.execute(f"{again} values (9, 'again', 'a plum', 1, 8, '', '', '')")
        assert text_blocks.blocks(db.conn) == []
        check_neighbours(db)


NONE = {
    "too short": ("words", np.zeros(39, "<i4")),
    "lengths below zero": ("words", np.full(40, -1, "<i4")),
    "pairs below zero": ("pairs", np.full(40, -1, "<i4")),
    "keys that descend": ("keys", np.arange(20, 0, -1, "<i8")),
    "keys of others": ("keys", np.arange(1001, 1021, 1, "<i8")),
}


@pytest.mark.parametrize(("column", "array"), NONE.values(), ids=NONE)
def test_a_block_that_is_none_is_read_from_the_rows(
    monkeypatch: pytest.MonkeyPatch, column: str, array: np.ndarray
) -> None:
    monkeypatch.setattr(block_ranges, "LEAST", 5)
    with MemoryDatabase(embed="none") as db:
        filled(db, [(1, n) for n in range(20)])
        text_blocks.write(db.conn)
        db.conn.execute(f"update text_blocks set {column} = ?, last_key = 20", (array.tobytes(),))
        check_neighbours(db)
