"""The full-text tables follow the memories, whoever writes them and however."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from conftest import NOW, check_indexes
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from memkit import MemoryDatabase
from memkit.retrieval.channels import neighbours
from memkit.storage import block_ranges, store, text_blocks
from memkit.storage.driver import sqlite3, writing

TEXT = st.sampled_from(["the quince", "a plum tree", "北京のコーヒー", "iPhone13を買った", "", "x" * 700, "plum 梅"])
ID = st.sampled_from("abcdefgh")
DOCUMENT = st.sampled_from([None, 1, 2])
POSITION = st.none() | st.integers(0, 8)
SLOT = st.sampled_from([(None, None), ("user", "name"), ("user", "home")])
ROW = st.fixed_dictionaries(
    {"id": ID, "text": TEXT, "title": st.none() | TEXT, "document_key": DOCUMENT, "position": POSITION, "slot": SLOT}
)
INSERT = """
into memories (id, text, title, document_key, position, slot, slot_key, created_at, updated_at, hash)
values (:id, :text, :title, :document_key, :position, :slot, :slot_key, '', '', '')
"""


class PlainWrites(RuleBasedStateMachine):
    """Another program's writes, with and without the pragmas that memkit sets."""

    def __init__(self) -> None:
        super().__init__()
        self.db = MemoryDatabase(embed="none")
        self.conn = self.db.conn

    @initialize(recursive=st.booleans(), keys=st.booleans())
    def begin(self, recursive: bool, keys: bool) -> None:
        self.least, block_ranges.LEAST = block_ranges.LEAST, 1
        self.conn.execute(f"pragma recursive_triggers = {recursive}")
        self.conn.execute(f"pragma foreign_keys = {keys}")
        for key in (1, 2):
            self.conn.execute("insert into documents (key, id, source) values (?, ?, ?)", (key, f"d{key}", f"d{key}"))

    def run(self, sql: str, parameters: dict[str, Any]) -> None:
        with suppress(sqlite3.IntegrityError):
            self.conn.execute(sql, parameters)

    @rule(row=ROW, verb=st.sampled_from(["insert", "insert or replace", "insert or ignore"]))
    def insert(self, row: dict[str, Any], verb: str) -> None:
        slot, key = row["slot"]
        self.run(verb + INSERT, {**row, "slot": slot, "slot_key": key})

    @rule(row=ROW)
    def upsert(self, row: dict[str, Any]) -> None:
        slot, key = row["slot"]
        update = "on conflict (id) do update set text = excluded.text, position = excluded.position"
        self.run(f"insert {INSERT} {update}", {**row, "slot": slot, "slot_key": key})

    @rule(id=ID, text=TEXT)
    def change_text(self, id: str, text: str) -> None:
        self.run("update memories set text = :text where id = :id", {"id": id, "text": text})

    @rule(id=ID, document=DOCUMENT, position=POSITION)
    def move(self, id: str, document: int | None, position: int | None) -> None:
        parameters = {"id": id, "document": document, "position": position}
        self.run("update memories set document_key = :document, position = :position where id = :id", parameters)

    @rule(id=ID, key=st.integers(50, 60))
    def give_another_key(self, id: str, key: int) -> None:
        self.run("update memories set key = :key where id = :id", {"id": id, "key": key})

    @rule(document=DOCUMENT)
    def shift(self, document: int | None) -> None:
        self.run("update memories set position = position + 1 where document_key = :document", {"document": document})

    @rule(id=ID)
    def delete(self, id: str) -> None:
        self.run("delete from memories where id = :id", {"id": id})

    @rule(id=ID)
    def archive(self, id: str) -> None:
        keys = [row[0] for row in self.conn.execute("select key from memories where id = ?", (id,))]
        with writing(self.conn):
            store.archive(self.conn, keys, NOW, "forgotten")

    @rule(id=ID)
    def undo(self, id: str) -> None:
        with suppress(ZeroDivisionError), writing(self.conn):
            self.delete(id)
            with suppress(KeyError), writing(self.conn), store.index_paused(self.conn):
                self.conn.execute("delete from memories")
                raise KeyError
            raise ZeroDivisionError

    @rule()
    def store_blocks(self) -> None:
        text_blocks.write(self.conn)

    @invariant()
    def the_index_is_as_if_made_afresh(self) -> None:
        check_indexes(self.db)

    @invariant()
    def blocks_say_what_the_rows_say(self) -> None:
        read = neighbours.build(self.conn, None).texts
        for name, array in (
            text_blocks.read_rows(self.conn, text_blocks.FIRST_KEY, block_ranges.LAST_KEY)._asdict().items()
        ):
            assert getattr(read, name).tolist() == array.tolist()

    def teardown(self) -> None:
        block_ranges.LEAST = self.least
        self.db.close()


PlainWrites.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestPlainWrites = PlainWrites.TestCase


def test_a_deleted_document_leaves_its_memories_without_neighbours(mem: MemoryDatabase) -> None:
    mem.ingest([{"text": f"turn {n}", "session": "s"} for n in range(5)])
    mem.conn.execute("delete from documents")
    assert list(neighbours.build(mem.conn, None).beside().values()) == [[]] * 5
    check_indexes(mem)


def test_a_key_is_never_given_twice(mem: MemoryDatabase) -> None:
    first = mem.remember("one")
    mem.conn.execute("pragma foreign_keys = off")  # as in the sqlite3 shell: the vector stays
    mem.conn.execute("delete from memories")
    assert mem.remember("two").key > first.key


def test_a_text_changed_by_another_program_has_no_vector_until_reindex(mem: MemoryDatabase) -> None:
    kept, changed = mem.remember("alpha"), mem.remember("beta")
    mem.conn.execute("update memories set text = 'gamma' where key = ?", (changed.key,))
    assert [row[0] for row in mem.conn.execute("select memory_key from embeddings")] == [kept.key]


@pytest.mark.parametrize("table", ["memories_fts", "memories_cjk"])
def test_memkit_and_the_triggers_write_the_same(mem: MemoryDatabase, table: str) -> None:
    rows = [{"text": f"{n} plum 梅の木{n}", "title": f"題{n}", "speaker": "Rosa", "session": "s"} for n in range(6)]
    mem.ingest(rows)
    before = [tuple(row) for row in mem.conn.execute(f"select * from {table}")]
    mem.conn.execute("update memories set text = text")
    assert [tuple(row) for row in mem.conn.execute(f"select * from {table}")] == before
    check_indexes(mem)
