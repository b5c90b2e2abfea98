"""Rows that come back from a log: each with its own key, or with a new one that none of the others has."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.storage.json_rows import insert_rows
from memkit.storage.row_rules import COLUMNS, RULES
from memkit.storage.store import dumps

KEYS = st.lists(st.integers(1, 9), unique=True)


@given(KEYS, KEYS)
def test_rows_come_back_whatever_keys_others_have_by_now(present: list[int], saved: list[int]) -> None:
    conn = sqlite3.connect(":memory:")
    conn.execute("create table things (key integer primary key, name text)")
    conn.executemany("insert into things values (?, 'there')", [(key,) for key in present])
    conn.execute(
        insert_rows("things", "key name", free_keys=True),
        {"rows": dumps([{"key": key, "name": f"{key}"} for key in saved])},
    )
    rows = conn.execute("select key, name from things").fetchall()
    assert {key for key, name in rows if name == "there"} == set(present)
    assert sorted(name for _, name in rows if name != "there") == sorted(map(str, saved))
    assert all(key == int(name) for key, name in rows if name != "there" and int(name) not in present)


def test_without_free_keys_a_key_that_is_taken_is_an_error() -> None:
    conn = sqlite3.connect(":memory:")
    conn.execute("create table things (key integer primary key, name text)")
    conn.execute("insert into things values (1, 'there')")
    with pytest.raises(sqlite3.IntegrityError):
        conn.execute(insert_rows("things", "key name"), {"rows": dumps([{"key": 1, "name": "back"}])})


@pytest.mark.parametrize("rows", [[{"errRr": "x"}], [{"key": 1, "id": "a", "errRr": "x"}], [{}], ["key"], {"key": 1}])
@pytest.mark.parametrize("table", COLUMNS)
def test_rows_with_other_columns_are_none_that_come_back(table: str, rows: object) -> None:
    """As a damaged or received file may have them: this is said of them, and raises nothing."""
    assert not RULES["before"].holds(dumps({table: rows}))
