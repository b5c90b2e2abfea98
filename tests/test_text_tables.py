"""Tables of texts on the disk: sets that hold what Python's dicts would hold, however little is in memory."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.core.batches import batched
from memkit.sharing.publish.spool import Spool
from memkit.sharing.publish.text_tables import TextTable, new_tables
from memkit.storage import driver

TEXTS = st.text("ab\U0001f332梅", min_size=1, max_size=3)


@given(st.lists(st.tuples(TEXTS, TEXTS)), st.lists(TEXTS), st.lists(TEXTS))
def test_a_table_is_a_set_with_the_first_place_of_each_text(
    added: list[tuple[str, str]], removed: list[str], asked: list[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch, closing(new_tables()) as tables:
        patch.setattr("memkit.sharing.publish.text_tables.AT_ONCE", 3)
        table, other = TextTable(tables, "one"), TextTable(tables, "other")
        expected: dict[str, str] = {}
        for text, place in added:
            table.add([text], place)
            other.update({text: "elsewhere"})
            expected.setdefault(text, place)
        table.remove(removed)
        for text in removed:
            expected.pop(text, None)
        assert table.among(asked) == {text: expected[text] for text in asked if text in expected}
        parts = list(table.parts())
        assert [each for part in parts for each in part.items()] == sorted(expected.items())
        assert all(len(part) <= 3 for part in parts)


def test_batches() -> None:
    assert list(batched("abcde", 2)) == [["a", "b"], ["c", "d"], ["e"]]
    assert list(batched([], 2)) == []


def test_a_spool_gives_texts_in_their_order_as_often_as_they_are_asked_for() -> None:
    with closing(Spool()) as spool:
        spool.extend(["quince", "", "a\0b", "quince", "梅"])
        spool.extend(["quince"])
        assert [list(spool), list(spool)] == [["quince", "", "a\0b", "梅", "quince"]] * 2


def test_a_database_without_a_name_outgrows_the_memory_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(driver.connect(driver.NAMELESS)) as conn:
        conn.execute("create table texts (text)")
        for _ in range(60):
            conn.execute("insert into texts values (hex(randomblob(500000)))")
        assert driver.file_of(conn) == ""
        assert conn.execute("select sum(length(text)) from texts").fetchone()[0] == 60_000_000
    assert list(tmp_path.iterdir()) == []
