"""An export comes back the same: ids, graph, history; and nothing comes back where that cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, SAMPLES, LetterEmbedder

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, BadSource
from memkit.sharing.export.settings import ASKABLE
from memkit.sharing.export.tables import LEFT_OUT, TABLES, is_own

SHARED = Path(__file__).parent.parent.parent / "shared" / "samples" / "obsidian-kepano"
LATER = "2026-04-01T12:00:00Z"
USER_TABLES = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"
ALL = {"all": True, **dict.fromkeys(("memories", "documents", "entities", "relations"), "[]")}


def image(db: MemoryDatabase) -> dict[str, list[tuple[Any, ...]]]:
    """Every row that an export holds, by table."""
    rows = {table.name: [tuple(row) for row in db.conn.execute(table.select, ALL)] for table in TABLES}
    rows["settings"] = [row for row in rows["settings"] if not is_own(row[0])]
    return rows


def lived_in(path: Path) -> MemoryDatabase:
    """A database of the samples in which something of everything has happened."""
    db = MemoryDatabase(path, embed=LetterEmbedder())
    db.ingest([SAMPLES / "notes", SAMPLES / "facts.jsonl", SAMPLES / "relations.jsonl", SAMPLES / "chats"], now=NOW)
    db.remember("green", slot="user", key="colour", now=NOW)
    db.remember("blue", slot="user", key="colour", now=LATER)
    db.forget(db.remember("Nobody needs this.", now=NOW).id, now=LATER)
    db.forget(db.remember("Nobody may read this.", now=NOW).id, hard=True)
    db.relate("Rosa", "lives_in", "Porto", valid_from="2026-03-01", now=LATER)
    db.merge("Rosa", "Quince Yard", now=LATER)
    db.recall("who planted the quince?", track=True, ledger=True, now=LATER)
    db.ingest([], now=LATER)  # names that came last are looked for in what came before
    return db


@pytest.fixture
def full(tmp_path: Path) -> Any:
    """Such a database, for one test."""
    with lived_in(tmp_path / "full.db") as db:
        yield db


def restored(path: Path, export: Path, embed: Any = "none") -> MemoryDatabase:
    """A new database, made of an export."""
    db = MemoryDatabase(path, embed=embed)
    db.restore(export, take=list(ASKABLE))
    return db


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines of an export."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    """An export of these lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


# ---------------------------------------------------------------------------------------------- the same again


def test_everything_comes_back_as_it_was(full: MemoryDatabase, tmp_path: Path) -> None:
    report = full.export(tmp_path / "all.jsonl")
    before = image(full)
    for table in ("access", "links", "merges", "recalls", "recall_hits", "evidence", "extractions"):
        assert before[table], table
    assert report.counts == {name: len(rows) for name, rows in before.items() if rows}
    with restored(tmp_path / "new.db", tmp_path / "all.jsonl", LetterEmbedder()) as new:
        assert image(new) == before
        assert new.export(tmp_path / "again.jsonl", now=NOW).counts == report.counts
        first, again = lines(tmp_path / "all.jsonl"), lines(tmp_path / "again.jsonl")
        assert first[1:] == again[1:]


def test_what_is_made_anew_finds_the_same(full: MemoryDatabase, tmp_path: Path) -> None:
    full.export(tmp_path / "all.jsonl")
    with restored(tmp_path / "new.db", tmp_path / "all.jsonl", LetterEmbedder()) as new:
        assert new.conn.execute("select count(*) from embeddings").fetchone()[0] == len(image(full)["memories"])
        for question in ("who planted the quince?", "剪定", "Nightshade", "what colour does the user like?"):
            found, before = new.recall(question, now=LATER), full.recall(question, now=LATER)
            assert [hit.memory.id for hit in found] == [hit.memory.id for hit in before]
        assert new.about("Rosa", now=LATER).to_dict() == full.about("Rosa", now=LATER).to_dict()


def test_a_merge_that_came_along_can_be_taken_back(full: MemoryDatabase, tmp_path: Path) -> None:
    full.export(tmp_path / "all.jsonl")
    with restored(tmp_path / "new.db", tmp_path / "all.jsonl") as new:
        names = [card.name for card in new.unmerge("Rosa", now=LATER)]
        assert names == [card.name for card in full.unmerge("Rosa", now=LATER)]
        tables = ("entities", "aliases", "mentions", "relations", "evidence")
        assert [image(new)[name] for name in tables] == [image(full)[name] for name in tables]


@pytest.mark.parametrize("where", ["where it is from", "where it went"])
def test_the_same_export_again_changes_nothing(full: MemoryDatabase, tmp_path: Path, where: str) -> None:
    full.export(tmp_path / "all.jsonl")
    with full if where == "where it is from" else restored(tmp_path / "new.db", tmp_path / "all.jsonl") as db:
        before = image(db)
        report = db.restore(tmp_path / "all.jsonl")
        assert (report.added, report.updated, report.unchanged) == (0, 0, len(before["memories"]))
        assert image(db) == before


@pytest.mark.slow
def test_a_real_vault_comes_back_as_it_was(tmp_path: Path) -> None:
    if not SHARED.is_dir():
        pytest.skip("there is no shared sample here")
    with MemoryDatabase(tmp_path / "kepano.db", embed="none") as db:
        db.ingest(SHARED)
        db.export(tmp_path / "all.jsonl")
        with restored(tmp_path / "new.db", tmp_path / "all.jsonl") as new:
            assert image(new) == image(db)
            assert len(image(db)["memories"]) > 50


def test_every_table_and_column_is_exported_or_left_out_for_a_reason() -> None:
    with MemoryDatabase(embed="none") as db:
        names = {row[0] for row in db.conn.execute(USER_TABLES)}
        own = {name for name in names if not name.startswith(("_", "memories_fts", "memories_cjk"))}
        assert own == {table.name for table in TABLES} | LEFT_OUT
        for table in TABLES:
            columns = [row[0] for row in db.conn.execute("select name from pragma_table_info(?)", [table.name])]
            assert list(table.columns) == columns, table.name


# ---------------------------------------------------------------------------------------------- beside what is there


def test_rows_whose_keys_are_taken_get_others_and_stay_connected(full: MemoryDatabase, tmp_path: Path) -> None:
    full.export(tmp_path / "all.jsonl")
    with MemoryDatabase(tmp_path / "other.db", embed="none") as other:
        mine = other.remember("Ada lives in Porto.", now=NOW)
        report = other.restore(tmp_path / "all.jsonl")
        assert report.added == len(image(full)["memories"])
        assert other.memory(mine.id).text == "Ada lives in Porto."
        assert [one.split(":")[0] for one in report.left_out] == [
            "1 aliases that are here already, and differ",
            "1 saved rows of merges",
            "1 saved rows of maintenance",
            "the setting slot_predicates",
        ]
        ids = "select m.id, e.id, x.role from mentions as x join memories as m on m.key = x.memory_key"
        ids += " join entities as e on e.key = x.entity_key where m.id <> ? order by 1, 2, 3"
        assert [*map(tuple, other.conn.execute(ids, [mine.id]))] == [*map(tuple, full.conn.execute(ids, [mine.id]))]
        before = image(other)
        assert other.restore(tmp_path / "all.jsonl").added == 0
        assert image(other) == before


def test_a_memory_with_the_same_id_is_brought_up_to_date(full: MemoryDatabase, tmp_path: Path) -> None:
    full.export(tmp_path / "all.jsonl")
    rows = lines(tmp_path / "all.jsonl")
    one = next(row["memories"] for row in rows if "memories" in row)
    one["text"] = "Quokkas do not live here."
    with restored(tmp_path / "new.db", tmp_path / "all.jsonl", LetterEmbedder()) as new:
        report = new.restore(write(tmp_path / "changed.jsonl", rows), overwrite=True)
        assert (report.added, report.updated) == (0, 1)
        assert new.memory(one["id"]).text == "Quokkas do not live here."
        assert new.recall("quokkas")[0].memory.id == one["id"]
        vectors = new.conn.execute("select count(*) from embeddings").fetchone()[0]
        assert vectors == report.updated + report.unchanged


def test_two_documents_of_one_source_are_refused_and_nothing_is_taken_in(full: MemoryDatabase, tmp_path: Path) -> None:
    full.export(tmp_path / "all.jsonl")
    rows = lines(tmp_path / "all.jsonl")
    next(row["documents"] for row in rows if "documents" in row)["id"] = "another"
    with restored(tmp_path / "new.db", tmp_path / "all.jsonl") as new:
        before = image(new)
        with pytest.raises(BadSource, match=r"cannot be restored: UNIQUE .*documents.source"):
            new.restore(write(tmp_path / "changed.jsonl", rows))
        assert image(new) == before


def test_a_dry_run_counts_and_writes_nothing(full: MemoryDatabase, tmp_path: Path) -> None:
    full.export(tmp_path / "all.jsonl")
    with MemoryDatabase(tmp_path / "new.db", embed="none") as new:
        before = image(new)
        assert new.restore(tmp_path / "all.jsonl", dry_run=True).added == len(image(full)["memories"])
        assert image(new) == before


# ---------------------------------------------------------------------------------------------- bad input


def spoiled(rows: list[dict[str, Any]], how: str) -> list[dict[str, Any]]:
    """An export with something wrong in it."""
    if how == "cut off":
        return rows[:-1]
    if how == "a row less":
        return [*rows[:5], *rows[6:]]
    if how == "a strange table":
        return [*rows[:5], {"sqlite_master": {"name": "x"}}, *rows[5:]]
    if how == "a strange column":
        return [rows[0], {"documents": {**rows[1]["documents"], "key) values (1); --": 1}}, *rows[2:]]
    if how == "a key that is none":
        return [rows[0], {"documents": {**rows[1]["documents"], "key": "1"}}, *rows[2:]]
    if how == "a newer format":
        return [{**rows[0], "memkit_export": 99}, *rows[1:]]
    return [{**rows[0], "schema": 99}, *rows[1:]]


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("cut off", "is not complete: rows or the last line are missing"),
        ("a row less", "is not complete"),
        ("a strange table", "is of a table 'sqlite_master', which memkit does not have"),
        ("a strange column", r"is not a row of documents \(see: key\) values"),
        ("a key that is none", "is not a row of documents: key must be a whole number"),
        ("a newer format", "was written by a newer memkit"),
        ("a newer schema", "was written by a newer memkit"),
    ],
)
def test_a_broken_export_is_refused_whole(full: MemoryDatabase, tmp_path: Path, how: str, reason: str) -> None:
    full.export(tmp_path / "all.jsonl")
    path = write(tmp_path / "bad.jsonl", spoiled(lines(tmp_path / "all.jsonl"), how))
    with MemoryDatabase(tmp_path / "new.db", embed="none") as new:
        before = image(new)
        with pytest.raises(BadSource, match=reason):
            new.restore(path)
        assert image(new) == before


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"memkit_export": 1, "schema": 1}\n{"documents": \n')
    with MemoryDatabase(embed="none") as db, pytest.raises(BadSource, match=r"bad.jsonl:2 is not JSON"):
        db.restore(path)


def test_a_file_is_only_replaced_by_a_whole_one(full: MemoryDatabase, tmp_path: Path) -> None:
    out = tmp_path / "all.jsonl"
    out.write_text("before")
    with pytest.raises(BadQuestion, match="does not run"):
        full.export(out, sql="select no")
    assert out.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".all")] == []


# ---------------------------------------------------------------------------------------------- a part


def test_a_part_brings_what_hangs_on_it_and_no_more(full: MemoryDatabase, tmp_path: Path) -> None:
    full.export(tmp_path / "part.jsonl", tag="garden")
    chosen = {row["memories"]["id"] for row in lines(tmp_path / "part.jsonl") if "memories" in row}
    tagged = "select id from memories where exists (select 1 from json_each(tags) where value = 'garden')"
    assert chosen == {row[0] for row in full.conn.execute(tagged)}
    with restored(tmp_path / "new.db", tmp_path / "part.jsonl") as new:
        rows = image(new)
        assert {row[1] for row in rows["memories"]} == chosen
        assert rows["mentions"]
        assert rows["recalls"] == rows["merges"] == rows["settings"] == []
        assert new.conn.execute("pragma foreign_key_check").fetchall() == []


def test_a_part_that_comes_back_takes_nothing_away(full: MemoryDatabase, tmp_path: Path) -> None:
    full.export(tmp_path / "part.jsonl", tag="garden")
    before = image(full)
    assert full.restore(tmp_path / "part.jsonl").updated == 0
    assert image(full) == before


def test_what_cannot_be_chosen_is_told(full: MemoryDatabase, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"'tags' is not a condition of an export. Did you mean 'tag'"):
        full.export(tmp_path / "part.jsonl", tags="garden")
    with pytest.raises(BadQuestion, match="'docx' is not a format of an export"):
        full.export(tmp_path / "part.docx")
    with pytest.raises(BadQuestion, match="There is no folder"):
        full.export(tmp_path / "nowhere" / "part.jsonl")


def test_a_whole_export_says_that_what_was_forgotten_is_in_it(tmp_path: Path) -> None:
    with lived_in(tmp_path / "m.db") as db:
        whole = db.export(tmp_path / "all.jsonl", now=LATER)
        assert "Nobody needs this." in (tmp_path / "all.jsonl").read_text()
        assert whole.sentence.endswith(". Forgotten, but still in it: 1 memory (`memkit forget --hard` deletes)")
        for name, choice in (("part.jsonl", {"project": "global"}), ("notes", {}), ("graph.graphml", {})):
            report = db.export(tmp_path / name, now=LATER, **choice)
            files = (file for file in (tmp_path / name, *(tmp_path / name).rglob("*")) if file.is_file())
            assert "Nobody needs this." not in "".join(file.read_text() for file in files)
            assert (report.forgotten, "Forgotten" in report.sentence) == (0, False)
