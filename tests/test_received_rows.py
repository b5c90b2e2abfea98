"""A file from elsewhere may hold rows that memkit never writes: one of them stops nothing."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import LetterEmbedder, unguarded
from test_export_lines import LATER
from test_restore_hostile import export, used

from memkit import MemkitError, MemoryDatabase
from memkit.core.errors import DamagedRows
from memkit.storage import store
from memkit.storage.doctor import BROKEN, doctor
from memkit.storage.row_rules import COLUMNS, RULES

__all__ = ["export"]

JSON = {RULES[name].words for name in ("object", "texts", "json", "before", "pruned", "merge")}
PLACES = [(table, name) for table, rules in COLUMNS.items() for name, rule in rules.items() if rule.words in JSON]
NO_JSON = [
    "{not json", "", "[]", "{}", "5", "null", "[1, null]", '{"a": NaN}', '{"a": "\\ud800"}', "[" * 1500 + "]" * 1500,
    '{"fields": 5, "aliases": 5, "tags": 7}', '{"fields": {"a": {"b": 1}}, "aliases": [1, null]}',
    '{"promote": "x", "feedback": "x", "archived_because": 5, "session": [1]}', '{"promote": {"own": "x", "level": 5}}',
    '{"memories": ["x"]}', '{"memories": [{"key": 1}]}', b"\0\xff", '[[], {"a": 1}, "mood"]',
    '{"/dev/null": {"files": "x", "read_at": "2024-xx", "options": 5, "project": {}, "left_out": [], "by": 7}}',
    '{"/dev/null": {"options": {"colour": "red"}, "format": "x", "files": {"/dev/null": [1]}}}',
]  # fmt: skip
SETTINGS = """
policy me single_valued slot_predicates projects_of_paths published maintainer maintained_at names_looked_for unscrubbed
own_voice boilerplate knowledge_fields sources file_states pushed strategy
""".split()


@pytest.fixture(scope="module")
def sound(export: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound file with something of everything."""
    path = tmp_path_factory.mktemp("sound") / "sound.db"
    with MemoryDatabase(path, embed="none") as db:
        db.restore(export, take=["policy", "slot_predicates"])
        db.conn.execute("pragma wal_checkpoint(truncate)")
    return path


def received(sound: Path, folder: Path, statement: str, *values: object) -> Path:
    """A copy of a file, changed by another program."""
    path = folder / "received.db"
    if path != sound:
        shutil.copy(sound, path)
    with sqlite3.connect(path) as conn, unguarded(conn):
        conn.execute(statement, values)
    conn.close()
    return path


def asked(path: Path) -> None:
    """What people ask a database, by every layout."""
    with MemoryDatabase(path, embed="none") as db:
        for strategy in ("memkit", "kira", "engram", "membox", "construct", "slots"):
            assert len(db.recall("who planted the quince?", strategy=strategy, now=LATER)) > 0
            str(db.context("who planted the quince?", strategy=strategy, now=LATER))
        repr(db.info())
        db.about("Rosa")


def lived_with(path: Path, folder: Path) -> None:
    """Asked and used; what cannot be done is refused in words."""
    asked(path)
    (folder / "fig.md").write_text("---\nmood: calm\nauthor: Rosa\n---\n\nI planted the fig.\n")
    with MemoryDatabase(path, embed="none") as db, suppress(MemkitError):
        db.ingest(folder / "fig.md", now=LATER)
        repr(db.sources())
        repr(db.sync(now=LATER))
        used(db, folder)


@pytest.mark.parametrize("place", PLACES, ids=".".join)
def test_a_column_that_is_no_json_is_read_as_empty(sound: Path, tmp_path: Path, place: tuple[str, str]) -> None:
    table, column = place
    lived_with(received(sound, tmp_path, f"update {table} set {column} = '{{not json'"), tmp_path)


@pytest.mark.parametrize("value", NO_JSON, ids=lambda value: repr(value)[:20])
@pytest.mark.parametrize("column", ["meta", "tags", "sources", "before", "rows", "moved"])
def test_json_of_another_shape_is_read_as_empty(sound: Path, tmp_path: Path, column: str, value: object) -> None:
    path = sound
    for table in (table for table, name in PLACES if name == column):
        path = received(path, tmp_path, f"update {table} set {column} = ?", value)
    lived_with(path, tmp_path)


@pytest.mark.parametrize("value", NO_JSON, ids=lambda value: repr(value)[:20])
def test_a_setting_of_another_shape_counts_as_none(sound: Path, tmp_path: Path, value: object) -> None:
    path = sound
    for name in SETTINGS:
        path = received(path, tmp_path, "insert or replace into settings (name, value) values (?, ?)", name, value)
    lived_with(path, tmp_path)


def test_a_memory_with_broken_columns_says_what_it_can(sound: Path, tmp_path: Path) -> None:
    path = received(sound, tmp_path, "update memories set meta = '{', tags = '[1, \"a\"]'")
    with MemoryDatabase(path, embed="none") as db:
        found = db.recall("who planted the quince?")[0].memory
        assert (found.text, found.tags, found.meta) == ("Rosa planted the quince.", ("a",), {})
        assert store.setting(db.conn, "database", 0) == 0  # it is text


# ---------------------------------------------------------------------------------------------- doctor


def seen(path: Path, *, fix: bool = False) -> list[str]:
    """What doctor finds broken in a file."""
    return [check.text for check in doctor(path, fix=fix).checks if check.state == BROKEN]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("update memories set meta = '{'", "memories.meta must be a JSON object (5)"),
        ("update memories set tags = '5'", "memories.tags must be a JSON list of texts (5)"),
        ("update memories set happened_at = 'yesterday'", "memories.happened_at must be a time"),
        ("update memories set created_at = '2026-02-30'", "memories.created_at must be a time"),
        ("update memories set importance = 1e300", "memories.importance must be a number from 1 to 10"),
        ("update memories set confidence = 'x'", "memories.confidence must be a number from 0 to 1"),
        ("update memories set text = x'00ff' where key = 2", "memories.text must be text without NUL"),
        ("update memories set title = cast(x'61ff' as text)", "memories.title must be text without NUL"),
        ("update memories set meta = cast(x'61ff' as text)", "memories.meta must be a JSON object"),
        ("update entities set name = cast(x'61ff' as text)", "entities.name must be text without NUL"),
        ("update memories set happened_at = cast(x'61ff' as text)", "memories.happened_at must be a time"),
        ("update memories set title = 'a' || char(0)", "memories.title must be text without NUL"),
        ("update memories set compression = 'zipped'", "memories.compression must be one of raw"),
        ("update documents set id = 'a b'", "documents.id must be an id"),
        ("update entities set meta = '[]'", "entities.meta must be a JSON object"),
        ("update maintenance set before = '{'", "maintenance.before must be the JSON of saved rows"),
        ("update pruned set rows = '[]'", "pruned.rows must be the JSON of a pruned memory"),
        ("update merges set moved = '{}'", "merges.moved must be the JSON of a merge"),
        ("update settings set value = '{' where name = 'policy'", "settings.value must be JSON (1)"),
        ("update memories set key = 9223372036854775807 where key = 1", "memories.key must be a whole number"),
        ("update maintenance set key = 9223372036854775807 where key = 1", "maintenance.key must be a whole number"),
        ("update sqlite_sequence set seq = 9223372036854775807", "no key is left for new rows"),
        (
            "update entities set merged_into = (select min(key) from entities as e where e.key <> entities.key)",
            "entities.merged_into goes in a circle",
        ),
    ],
)
def test_doctor_names_what_memkit_does_not_write_and_mends_it(
    sound: Path, tmp_path: Path, statement: str, said: str
) -> None:
    path = received(sound, tmp_path, "pragma foreign_keys = off")
    with sqlite3.connect(path) as conn, unguarded(conn):
        conn.execute(statement)
        for column in ("memory_key", "from_key", "to_key"):  # as who sends such a key would do
            for table in (table for table, columns in COLUMNS.items() if column in columns):
                if "memories set key" in statement:
                    conn.execute(f"update {table} set {column} = 9223372036854775807 where {column} = 1")
    conn.close()
    assert any(said in text for text in seen(path)), seen(path)
    doctor(path, fix=True)
    with MemoryDatabase(path, embed="none") as db:
        db.reindex(fts=True)
    assert seen(path) == []
    asked(path)
    with MemoryDatabase(path, embed="none") as db:
        used(db, tmp_path)
    assert seen(path) == []


def test_peoples_own_tables_follow_a_key_that_is_given_anew(sound: Path, tmp_path: Path) -> None:
    path = received(sound, tmp_path, "create table visits (at text, memory_key integer references memories)")
    for table in ("memories", *(table for table, columns in COLUMNS.items() if "memory_key" in columns)):
        column = "key" if table == "memories" else "memory_key"
        received(path, tmp_path, f"update {table} set {column} = 9223372036854775807 where {column} = 1")
    for column in ("from_key", "to_key"):
        received(path, tmp_path, f"update links set {column} = 9223372036854775807 where {column} = 1")
    received(path, tmp_path, "insert into visits select 'noon', key from memories where key > 1000000")
    doctor(path, fix=True)
    with MemoryDatabase(path, embed="none") as db:
        query = "select text from visits join memories on key = memory_key where key < 1000000"
        assert [row[0] for row in db.conn.execute(query)] == ["Rosa planted the quince."]


def test_what_was_mended_is_kept_beside_the_file(sound: Path, tmp_path: Path) -> None:
    path = received(sound, tmp_path, "update memories set meta = '{\"a\": 1' where key = 1")
    (told,) = [check.text for check in doctor(path, fix=True).checks if check.name == "fixed"]
    (kept,) = tmp_path.glob("*.before-*.jsonl")
    assert told == f"1 values of memories.meta mended (as they were: {kept.name})"
    assert json.loads(kept.read_text())["memories"]["meta"] == '{"a": 1'
    assert kept.stat().st_mode & 0o077 == 0
    assert not [check for check in doctor(path, fix=True).checks if check.name == "fixed"]


def test_doctor_names_the_settings_that_decide_what_is_done(sound: Path, tmp_path: Path) -> None:
    path = received(sound, tmp_path, "insert into settings (name, value) values ('templates', '\"/tmp/evil\"')")
    told = {check.name: (check.state, check.text) for check in doctor(path).checks}
    assert told["settings"] == ("ok", "this file has its own policy (what upkeep does: memkit policy)")
    assert told["templates"][0] == "degraded"


# ---------------------------------------------------------------------------------------------- values of other types


@pytest.mark.parametrize(
    "statement",
    [
        "update relations set subject_key = 'x'",
        "update relations set confidence = 9e999",
        "update mentions set confidence = null",
        "update links set to_key = 'x'",
        "insert into conflicts values (1, 77, '2026-01-01')",
        "delete from sqlite_sequence",
        "update sqlite_sequence set name = 'x'",
        "update settings set value = '2.5' where name = 'graph_version'",
    ],
)
def test_rows_that_no_rule_is_needed_for_stop_nothing(sound: Path, tmp_path: Path, statement: str) -> None:
    path = received(sound, tmp_path, "pragma foreign_keys = off")
    with sqlite3.connect(path) as conn, unguarded(conn), suppress(sqlite3.IntegrityError):
        conn.execute(statement)
    conn.close()
    asked(path)
    with MemoryDatabase(path, embed="none") as db:
        kept = db.remember("Rosa planted a medlar.", now=LATER)
        assert db.memory(kept.id).text == "Rosa planted a medlar."
        used(db, tmp_path)


def test_what_stumbles_over_a_row_says_which_one_and_what_to_do(sound: Path, tmp_path: Path) -> None:
    path = received(sound, tmp_path, "insert or replace into access values (1, 'often', 'x'), (2, 'often', 'x')")
    with MemoryDatabase(path, embed="none") as db:
        with pytest.raises(DamagedRows, match=r"access.count must be .* Run: memkit doctor received.db --fix") as error:
            db.recall("who planted the quince?", strategy="engram", now=LATER)
        assert str(tmp_path) not in str(error.value)
    doctor(path, fix=True)
    asked(path)


def test_a_bug_stays_a_bug(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise TypeError("a bug")

    monkeypatch.setattr("memkit.storage.info.info", fail)
    monkeypatch.setattr("memkit.storage.store.memories", fail)
    path = received(sound, tmp_path, "pragma foreign_keys = off")
    with MemoryDatabase(path, embed="none") as db, pytest.raises(TypeError, match="a bug"):
        db.recall("who planted the quince?", now=LATER)


def test_doctor_mends_an_orphan_in_a_row_that_is_wrong_in_other_ways_too(sound: Path, tmp_path: Path) -> None:
    path = received(sound, tmp_path, "update entities set merged_into = 'x', updated_at = x'00'")
    assert len(seen(path)) == 2
    doctor(path, fix=True)
    assert seen(path) == []


def test_doctor_mends_a_time_that_no_row_but_one_may_lack(sound: Path, tmp_path: Path) -> None:
    with MemoryDatabase(path := shutil.copy(sound, tmp_path / "slots.db"), embed="none") as db:
        for day in (1, 2):
            db.remember(f"Lund {day}", slot="user", key="home", now=f"2026-05-0{day}")
    received(path, tmp_path, "update memories set valid_until = '' where slot_key = 'home' and valid_until is not null")
    path = tmp_path / "received.db"
    doctor(path, fix=True)
    assert seen(path) == []
    with MemoryDatabase(path, embed="none") as db:
        assert {row[0] for row in db.conn.execute("select text from memories")} >= {"Lund 1", "Lund 2"}


# ---------------------------------------------------------------------------------------------- the graph's vectors


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """A file with the vectors of two entities."""
    path = tmp_path / "described.db"
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        db.remember("Lisbet is Otto's dentist.", now=LATER)
        db.remember("Kofi is Otto's lawyer.", now=LATER)
        assert db.conn.execute("select count(*) from entity_embeddings").fetchone()[0] == 2
    return path


@pytest.mark.parametrize(
    "statement",
    [
        "update entity_embeddings set vector = zeroblob(8)",
        "update entity_embeddings set vector = 'x'",
        "update entity_embeddings set vector = 5",
        "update entity_embeddings set vector = vector || vector",
        "update entity_embeddings set vector = cast(substr(vector, 1, 100) || x'0000807f' as blob)",
        "update entity_embeddings set vector = x'" + "0000803f" * 26 + "'",
        "update entity_embeddings set vector = cast(x'ff' as text)",
        "update models set dims = 13",
        "update models set dims = 'x'",
        "update models set dims = 1e300",
        "insert into entity_embeddings select 77, model_key, vector from entity_embeddings limit 1",
    ],
)
def test_doctor_names_a_vector_of_the_graph_that_is_none_and_reindex_makes_it(described: Path, statement: str) -> None:
    with sqlite3.connect(described) as conn, unguarded(conn):
        conn.execute(statement)
    conn.close()
    with MemoryDatabase(described, embed=LetterEmbedder()) as db:
        for strategy in ("memkit", "construct", "kira"):
            assert len(db.recall("my dentist", strategy=strategy, now=LATER)) > 0
    broken = [check.text for check in doctor(described).checks if check.state == BROKEN and check.name != "model"]
    assert len(broken) == 1
    assert "graph" in broken[0] or "entity_embeddings" in broken[0]
    doctor(described, fix=True)  # it does not know the model of this test, but it knows the rows
    with MemoryDatabase(described, embed=LetterEmbedder()) as db:
        db.reindex()
        assert db.conn.execute("select count(*) from entity_embeddings").fetchone()[0] == 2
    assert [check.text for check in doctor(described).checks if check.state == BROKEN and check.name != "model"] == []
