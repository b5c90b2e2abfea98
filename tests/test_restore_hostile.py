"""An export that a stranger wrote is restored to a sound database, or refused; and nothing restores it unasked."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlite_utils
from click.testing import CliRunner
from conftest import NOW, LetterEmbedder
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from test_export_lines import LATER, image, lines, write

import memkit
from memkit import MemkitError, MemoryDatabase
from memkit.core.errors import BadQuestion, BadSource
from memkit.frontends.cli.main import cli
from memkit.sharing.export import WouldOverwrite
from memkit.storage.doctor import doctor
from memkit.storage.row_rules import COLUMNS

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export of a small database in which something of everything has happened."""
    folder = tmp_path_factory.mktemp("export")
    with MemoryDatabase(folder / "small.db", embed=LetterEmbedder()) as db:
        db.ingest([{"text": "Rosa planted the quince.", "tags": ["garden"]}, {"text": "Ada lives in Porto."}], now=NOW)
        db.remember("green", slot="user", key="colour", now=NOW)
        db.remember("blue", slot="user", key="colour", now=LATER)
        db.relate("Rosa", "lives_in", "Porto", now=NOW)
        db.relate("Rosa", "lives_in", "Lisbon", valid_from="2026-03-01", now=LATER)
        db.merge("Rosa", "Ada", now=LATER)
        db.recall("who planted the quince?", track=True, ledger=True, now=LATER)
        db.feedback(db.memories().index[0], True, "who?", now=LATER)
        for n in range(3):
            db.remember(f"note {n}", slot="agent", key=f"key{n}", now="2020-01-01T00:00:00Z")
        db.set_policy(settings={"prune.agent.cap": "1", "prune.agent.min_age_days": "0"})
        db.prune(apply=True, now=LATER)
        db.export(folder / "all.jsonl")
        counts = {name: len(rows) for name, rows in image(db).items()}
    for name in ("pruned", "maintenance", "merges", "feedback", "access", "links", "relations", "settings"):
        assert counts[name], name
    return folder / "all.jsonl"


def numbered(rows: Rows) -> Rows:
    """The lines with a last line that counts them."""
    told: dict[str, int] = {}
    for row in rows[1:-1]:
        name = next(iter(row), "")
        told[name] = told.get(name, 0) + 1
    return [*rows[:-1], {"end": told}]


def changed(export: Path, folder: Path, table: str, **values: Any) -> Path:
    """The export with other values in the first row of a table."""
    rows = lines(export)
    next(row[table] for row in rows if table in row).update(values)
    path = folder / "changed.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def with_rows(export: Path, folder: Path, *more: dict[str, Any]) -> Path:
    """The export with further rows at its end."""
    rows = lines(export)
    return write(folder / "more.jsonl", numbered([*rows[:-1], *more, rows[-1]]))


# ---------------------------------------------------------------------------------------------- never a side effect


@pytest.mark.parametrize("name", ["all.jsonl", "diary.md.json", "notes.txt", "x.json"])
def test_an_export_among_notes_is_named_and_left_out(export: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / name).write_text(export.read_text("utf-8"), "utf-8")
    (tmp_path / "notes" / "quince.md").write_text("The quince is in bloom.")
    with MemoryDatabase(tmp_path / "new.db", embed="none") as db:
        for how in ({}, {"sync": True}, {"dry_run": True}):
            report = db.ingest(tmp_path / "notes", **how)
            assert [one.reason for one in report.failures] == [
                f"left out, because it is an export of a memory database. To restore it: memkit restore DATABASE {name}"
            ]
        assert [memory.text for memory in map(db.memory, db.memories().index)] == ["The quince is in bloom."]
        assert not image(db)["settings"]


def test_an_export_that_is_named_as_a_source_is_not_restored_either(export: Path, tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "new.db", embed="none") as db:
        for source, format in ((export, None), ([export], None), (export, "memkit"), (export.parent, "memkit")):
            assert "To restore it: memkit restore" in db.ingest(source, format=format).failures[-1].reason
        assert len(db) == 0


def test_the_commands_restore_it_only_when_asked(export: Path, tmp_path: Path) -> None:
    def run(*words: str, code: int = 0) -> str:
        done = CliRunner().invoke(cli, list(words))
        assert done.exit_code == code, done.output
        return done.output

    path = str(tmp_path / "new.db")
    assert "To restore it: memkit restore DATABASE all.jsonl" in run("ingest", path, str(export), "--no-embed", code=1)
    assert "Would be: 5 added" in run("restore", path, str(export), "--dry-run")
    shown = run("restore", path, str(export), "--no-embed", "--with", "policy")
    assert "5 added, 0 updated" in shown
    assert "Left out: the setting slot_predicates: to take it, too, name it (--with slot_predicates" in shown
    assert "prune.agent" in run("policy", path)
    assert "5 unchanged" in run("restore", path, str(export))
    other = str(changed(export, tmp_path, "memories", text="Rosa felled the quince."))
    refused = run("restore", path, other, code=1)
    assert "text: Rosa planted the quince. -> Rosa felled the quince." in refused
    assert "would overwrite what is in the database already: 1 memory. Nothing was restored." in refused
    assert "1 updated" in run("restore", path, other, "--yes")
    assert "Nothing was restored" in run("restore", path, str(tmp_path / "new.db"), code=1)
    assert "'templates' is not a setting that a restore can take" in run(
        "restore", path, str(export), "--with", "templates", code=1
    )


def test_a_sqlite_utils_database_takes_an_export_beside_its_tables(export: Path, tmp_path: Path) -> None:
    own = sqlite_utils.Database(tmp_path / "own.db")
    own["shops"].insert({"name": "seeds"})
    assert memkit.restore(own, export, dry_run=True).added == 5
    assert own.table_names() == ["shops"]
    assert memkit.restore(own, export).added == 5
    assert memkit.restore(tmp_path / "by_path.db", export).added == 5
    with pytest.raises(BadSource, match="is not complete"):
        memkit.restore(own, write(tmp_path / "cut.jsonl", lines(export)[:-1]))


# ---------------------------------------------------------------------------------------------- what it may bring


def test_settings_come_only_by_name(export: Path, tmp_path: Path) -> None:
    told = [("templates", '"/tmp/evil"'), ("me", '"Mallory"'), ("maintainer", '{"until": "9999-12-31T00:00:00Z"}')]
    path = with_rows(export, tmp_path, *({"settings": {"name": name, "value": value}} for name, value in told))
    with MemoryDatabase(tmp_path / "new.db", embed="none") as db:
        report = db.restore(path)
        assert image(db)["settings"] == []
        assert [one.split(":")[0] for one in report.left_out] == [
            *(f"the setting {name}" for name in ("policy", "slot_predicates", "me"))
        ]
        assert db.restore(path, take="policy").overwritten == []
        assert [row[0] for row in image(db)["settings"]] == ["policy"]
        with pytest.raises(BadQuestion, match="'templates' is not a setting that a restore can take"):
            db.restore(path, take=["templates"])
        db.set_policy("kira")
        with pytest.raises(WouldOverwrite, match="1 setting"):
            db.restore(path, take=["policy"])


@pytest.mark.parametrize(
    ("name", "value"), [("policy", '"steps = [5]"'), ("policy", "5"), ("single_valued", '"likes"'), ("me", "[]")]
)
def test_a_setting_that_memkit_would_not_write_is_refused(export: Path, tmp_path: Path, name: str, value: str) -> None:
    rows = [row for row in lines(export) if row.get("settings", {}).get("name") != name]
    path = write(tmp_path / "bad.jsonl", numbered([*rows[:-1], {"settings": {"name": name, "value": value}}, rows[-1]]))
    with MemoryDatabase(embed="none") as db:
        with pytest.raises(BadSource, match=rf"bad.jsonl:{len(rows)} is not a value of the setting {name}"):
            db.restore(path, take=[name])
        assert len(db) == 0
        assert db.restore(path).added == 5  # nobody asked for it


@pytest.mark.parametrize(
    ("table", "values", "reason"),
    [
        ("memories", {"key": 2**63 - 1}, "key must be a whole number"),
        ("memories", {"key": 0}, "key must be a whole number"),
        ("memories", {"meta": "{not json"}, "meta must be a JSON object"),
        ("memories", {"meta": "[1]"}, "meta must be a JSON object"),
        ("memories", {"meta": "[" * 1500 + "]" * 1500}, "meta must be a JSON object"),
        ("memories", {"tags": '{"a": 1}'}, "tags must be a JSON list of texts"),
        ("memories", {"happened_at": "yesterday"}, "happened_at must be a time"),
        ("memories", {"created_at": "2026-02-30"}, "created_at must be a time"),
        ("memories", {"importance": 1e300}, "importance must be a number from 1 to 10"),
        ("memories", {"confidence": float("nan")}, "confidence must be a number from 0 to 1"),
        ("memories", {"text": "a\0b"}, "text must be text without NUL"),
        ("memories", {"text": None}, "text must be text"),
        ("memories", {"title": "\ud800"}, "title must be text"),
        ("memories", {"compression": "zipped"}, "compression must be one of raw"),
        ("memories", {"id": "../x"}, "id must be an id"),
        ("memories", {"document_key": "1"}, "document_key must be a whole number"),
        ("links", {"type": "eats"}, "type must be one of"),
        ("pruned", {"rows": "[]"}, "rows must be the JSON of a pruned memory"),
        ("merges", {"moved": "{}"}, "moved must be the JSON of a merge"),
        ("settings", {"value": "policy"}, "value must be JSON"),
        ("access", {"memory_key": 999}, "refers to a row of memories with the key 999"),
    ],
)
def test_a_row_that_breaks_a_rule_is_named_and_nothing_is_restored(
    export: Path, tmp_path: Path, table: str, values: dict[str, Any], reason: str
) -> None:
    path = changed(export, tmp_path, table, **values)
    number = next(number for number, row in enumerate(lines(path), 1) if table in row)
    with MemoryDatabase(embed="none") as db:
        before = image(db)
        with pytest.raises(BadSource, match=f"changed.jsonl:{number} .*{re.escape(reason)}.*Nothing was restored"):
            db.restore(path)
        assert image(db) == before


def test_a_key_that_leaves_no_room_gets_another(export: Path, tmp_path: Path) -> None:
    rows = json.loads(json.dumps(lines(export)).replace('"memory_key": 1,', '"memory_key": 9007199254740991,'))
    next(row["memories"] for row in rows if row.get("memories", {}).get("key") == 1)["key"] = 2**53 - 1
    with MemoryDatabase(tmp_path / "new.db", embed="none") as db:
        db.restore(write(tmp_path / "high.jsonl", rows))
        assert max(row[0] for row in image(db)["memories"]) < 1000
        assert db.remember("Later.").key < 1000


def test_rows_in_a_circle_are_refused(export: Path, tmp_path: Path) -> None:
    rows = lines(export)
    one, other = [row["entities"] for row in rows if "entities" in row][:2]
    one["merged_into"], other["merged_into"] = other["key"], one["key"]
    with MemoryDatabase(embed="none") as db, pytest.raises(BadSource, match=r"entities\.merged_into goes in a circle"):
        db.restore(write(tmp_path / "circle.jsonl", rows))


def test_saved_rows_that_name_others_by_key_come_only_into_an_empty_database(export: Path, tmp_path: Path) -> None:
    """What undo and unprune would write back could be written over the rows of the owner."""
    with MemoryDatabase(embed="none") as db:
        mine = [db.remember(f"mine {n}", now=NOW) for n in range(9)]
        report = db.restore(export)
        assert db.restorable() == []
        assert not any(change.undoable for change in db.maintenance())
        assert "2 saved rows of pruned" in " ".join(report.left_out)
        assert [db.memory(one.id).text for one in mine] == [one.text for one in mine]


def test_a_pruned_memory_keeps_its_key_from_being_given_away(export: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.restore(export)
        made = [db.remember(f"later {n}", now=LATER) for n in range(9)]
        for row in db.restorable():
            assert db.unprune(row["memory_id"], now=LATER).text == row["text"]
        assert [db.memory(one.id).text for one in made] == [f"later {n}" for n in range(9)]


# ---------------------------------------------------------------------------------------------- anything at all


def used(db: MemoryDatabase, folder: Path) -> None:
    """Everything that people do with a database."""
    for question in ("who planted the quince?", "Rosa", "when?"):
        str(db.recall(question, now=LATER))
        str(db.context(question, now=LATER))
    repr(db.info())
    db.ingest([{"text": "Rosa planted the quince.", "tags": ["garden"]}, {"text": "Hana lives in Lisbon."}], now=LATER)
    made = db.remember("yellow", slot="user", key="colour", now=LATER)
    db.maintain(now="2027-01-01T00:00:00Z")
    db.maintain(now="2027-01-01T00:00:00Z", only="promote")
    db.forget(made.id, now=LATER)
    db.restorable()
    db.maintenance()
    db.proposals()
    db.export(folder / "again.jsonl")
    db.export(folder / "vault", format="markdown")


HOSTILE = [
    None, True, 0, -1, 1, 2.5, 2**40, 2**53, 2**63 - 1, 2**63, 10**400, 1e300, float("nan"), float("inf"),
    "", "x", "\0", "\ud800", "not json {", "[]", "{}", "[1]", '{"a": NaN}', '{"fields": 5}', "[" * 1500 + "]" * 1500,
    '{"fields": {"a": 1}, "aliases": 5, "tags": 7}', '{"promote": "x", "feedback": "x", "archived_because": 5}',
    '{"memories": [{"key": 1}]}', '{"before": {}}', "yesterday", "2026-99-99", "9999-12-31T23:59:59Z", "0001-01-01",
    "../../etc/passwd", [], {}, [1], {"a": 1},
]  # fmt: skip


def mutated(rows: Rows, random: Random) -> Rows:
    """An export with some rows dropped, doubled, retyped, moved, or put into other tables."""
    rows = json.loads(json.dumps(rows))
    for _ in range(random.choice([1, 1, 1, 2, 5])):
        at = random.randrange(1, len(rows) - 1)
        how = random.choice(["drop", "double", "value", "value", "value", "column", "table", "move", "other"])
        (name, row), *_ = rows[at].items()
        if how == "drop":
            rows.pop(at)
        elif how == "double":
            rows.insert(random.randrange(1, len(rows) - 1), json.loads(json.dumps(rows[at])))
        elif how == "move":
            rows.insert(random.randrange(1, len(rows) - 1), rows.pop(at))
        elif how == "table":
            rows[at] = {random.choice([*COLUMNS, "sqlite_master", "models"]): row}
        elif how == "column" and row:
            row.pop(random.choice(list(row)))
        elif how == "other" and row:  # a value of another row of the same table: doubled ids, circles, wrong ends
            column = random.choice(list(row))
            others = [one[name] for one in rows if name in one and column in one[name]]
            row[column] = random.choice(others)[column]
        elif row:
            row[random.choice(list(row))] = random.choice(HOSTILE)
        if len(rows) < 4:
            break
    return numbered(rows) if random.random() < 0.9 else rows


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32), into=st.sampled_from(["empty", "mine"]), overwrite=st.booleans())
@example(seed=594909, into="mine", overwrite=False)  # a line without one of the columns by which it is known
def test_any_export_gives_a_sound_database_or_changes_nothing(
    export: Path, tmp_path_factory: pytest.TempPathFactory, seed: int, into: str, overwrite: bool
) -> None:
    folder = tmp_path_factory.mktemp("hostile")
    path = folder / "bad.jsonl"
    rows = mutated(lines(export), Random(seed))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with MemoryDatabase(folder / "new.db", embed="none") as db:
        if into == "mine":
            db.ingest([{"text": "Rosa planted the quince.", "tags": ["garden"]}], now=NOW)
            db.remember("red", slot="user", key="food", now=NOW)
        before = image(db)
        try:
            db.restore(path, overwrite=overwrite, take=["slot_predicates", "policy"])
        except MemkitError:
            assert image(db) == before
            return
        assert [check for check in doctor(folder / "new.db").checks if check.state == "broken"] == []
        used(db, folder)
    assert [check for check in doctor(folder / "new.db").checks if check.state == "broken"] == []
