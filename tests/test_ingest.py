"""How memories get in: again and again, in part, changed, moved, vanished, broken."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import NOW, LetterEmbedder, check_indexes, indexed, texts, vectors_by_id
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import VectorsMissing
from memkit.core.types import DocumentDraft, Draft, Failure
from memkit.ingestion import parts, writer
from memkit.ingestion.report import IngestReport
from memkit.retrieval.channels import neighbours
from memkit.storage import driver, store
from memkit.storage.driver import writing

LATER = "2026-03-02T12:00:00Z"


def counts(report: IngestReport) -> tuple[int, int, int, int, int]:
    """Added, updated, unchanged, removed, failed."""
    return report.added, report.updated, report.unchanged, report.removed, report.failed


def note(folder: Path, name: str, *paragraphs: str) -> Path:
    """A note whose every paragraph is a passage: each is too long to share one."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("\n\n".join(long(paragraph) for paragraph in paragraphs), "utf-8")
    return path


def long(paragraph: str) -> str:
    return f"{paragraph}: " + "so it was written there. " * 34


def jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def rows_of(db: MemoryDatabase) -> list[tuple[Any, ...]]:
    """Every row of every table, but for when it was written."""
    tables = ("documents", "memories", "memories_fts", "memories_cjk", "embeddings", "links", "access")
    return [tuple(row) for table in tables for row in db.conn.execute(f"select * from {table}")]


def order(db: MemoryDatabase, end: str) -> list[str]:
    """The texts of the document whose source ends like this, in its order."""
    sql = """
    select m.text from memories as m join documents as d on d.key = m.document_key
    where d.source like '%' || ? and m.position is not null order by m.position
    """
    return [row[0] for row in db.conn.execute(sql, (end,))]


def ids(db: MemoryDatabase) -> dict[str, str]:
    """Text up to the first colon to id, of what is not archived."""
    rows = db.conn.execute("select text, id from memories where archived_at is null")
    return {row[0].split(":")[0].removeprefix("# H\n\n"): row[1] for row in rows}


# ---------------------------------------------------------------------------------------------- the same again


def test_the_same_twice_changes_nothing(mem: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path / "notes", "a.md", "one", "two", "two")
    rows = jsonl(tmp_path / "r.jsonl", [{"text": "x"}, {"text": "x"}, {"id": 1, "text": "y"}, {"id": 1, "text": "y"}])
    sources = [tmp_path / "notes", rows]
    assert counts(mem.ingest(sources, now=NOW)) == (7, 0, 0, 0, 0)
    before = rows_of(mem)
    assert counts(mem.ingest(sources, now=LATER)) == (0, 0, 7, 0, 0)
    assert rows_of(mem) == before


def test_the_same_input_gives_the_same_ids_everywhere(tmp_path: Path) -> None:
    found = []
    for _ in range(2):
        with MemoryDatabase(embed="none") as db:
            db.ingest([{"text": "x"}, {"text": "x"}, {"id": "7", "text": "y", "session": "s"}])
            found.append([row[0] for row in db.conn.execute("select id from memories order by key")])
    assert found[0] == found[1]
    assert len(set(found[0])) == 3


def test_texts_of_an_iterable_are_memories(mem: MemoryDatabase) -> None:
    assert counts(mem.ingest(text for text in ("one", "two"))) == (2, 0, 0, 0, 0)
    assert texts(mem) == ["one", "two"]


def test_nothing_is_nothing(mem: MemoryDatabase) -> None:
    assert repr(mem.ingest([])) == "<IngestReport 0 added, 0 updated, 0 unchanged, 0 removed, 0 failed>"


# ---------------------------------------------------------------------------------------------- what changed


def test_a_changed_note_keeps_ids_access_and_links_of_what_says_the_same(mem: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path / "n", "a.md", "# H\n\nfirst", "one", "two", "three", "four")
    mem.ingest(tmp_path / "n", now=NOW)
    before = ids(mem)
    keys = {text: mem.memory(id).key for text, id in before.items()}
    with writing(mem.conn):
        mem.conn.execute("insert into access (memory_key, count) values (?, 5)", (keys["three"],))
        store.link(mem.conn, keys["three"], keys["four"], "relates_to", NOW)
    note(tmp_path / "n", "a.md", "# H\n\nfirst", "new", "one", "three", "other", "four")
    assert counts(mem.ingest(tmp_path / "n", now=LATER)) == (1, 1, 4, 0, 0)
    after = ids(mem)
    assert {text: after[text] for text in ("one", "three", "four")} == {
        text: before[text] for text in ("one", "three", "four")
    }
    assert mem.conn.execute("select memory_key, count from access").fetchone()[:] == (keys["three"], 5)
    links = [tuple(row) for row in mem.conn.execute("select from_key, to_key from links where type = 'relates_to'")]
    assert (keys["three"], keys["four"]) in links
    assert after["new"] == before["two"]  # what changed takes the place of what has gone
    assert [text.split(":")[0] for text in order(mem, "a.md")][1:] == ["new", "one", "three", "other", "four"]
    check_indexes(mem)


def test_a_renamed_heading_keeps_the_ids_below_it(mem: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path / "n", "a.md", "# Old\n\none", "two", "three")
    mem.ingest(tmp_path / "n")
    before = ids(mem)
    note(tmp_path / "n", "a.md", "# New\n\none", "two", "three")
    mem.ingest(tmp_path / "n")
    assert {name: ids(mem)[name] for name in ("two", "three")} == {name: before[name] for name in ("two", "three")}


def test_offsets_that_move_are_no_change_but_are_brought_up_to_date(mem: MemoryDatabase, tmp_path: Path) -> None:
    path = note(tmp_path / "n", "a.md", "one", "two")
    mem.ingest(tmp_path / "n", now=NOW)
    note(tmp_path / "n", "a.md", "zero", "one", "two")
    assert counts(mem.ingest(tmp_path / "n", now=LATER)) == (1, 0, 2, 0, 0)
    said = path.read_text("utf-8")
    for text, meta in mem.conn.execute("select text, meta from memories"):
        assert said[json.loads(meta)["start"] : json.loads(meta)["end"]] == text


def test_a_row_with_an_id_changes_in_place(mem: MemoryDatabase, tmp_path: Path) -> None:
    path = jsonl(tmp_path / "r.jsonl", [{"id": "a", "text": "plum"}, {"id": "b", "text": "quince"}])
    mem.ingest(path)
    before = ids(mem)
    jsonl(path, [{"id": "a", "text": "pear"}, {"id": "b", "text": "quince", "importance": 9}])
    assert counts(mem.ingest(path)) == (0, 2, 0, 0, 0)
    assert ids(mem) == {"pear": before["plum"], "quince": before["quince"]}
    assert mem.memory(before["quince"]).importance == 9
    words_only = {"vector": None, "graph": None}
    assert mem.recall("plum", strategy=words_only).ids == []
    assert mem.recall("pear", strategy=words_only).ids == [before["plum"]]
    check_indexes(mem)


def test_a_row_without_an_id_is_known_by_its_text(mem: MemoryDatabase, tmp_path: Path) -> None:
    path = jsonl(tmp_path / "r.jsonl", [{"text": "plum"}, {"text": "quince"}])
    mem.ingest(path)
    before = ids(mem)
    jsonl(path, [{"text": "pear"}, {"text": "quince", "kind": "fact"}])
    assert counts(mem.ingest(path)) == (1, 1, 0, 0, 0)
    assert ids(mem)["quince"] == before["quince"]
    assert texts(mem) == ["pear", "plum", "quince"]  # what a file of rows no longer has stays


def test_parts_of_a_long_row_share_its_id_and_change_one_by_one(mem: MemoryDatabase, tmp_path: Path) -> None:
    sentences = [f"Sentence {n} of this long row says something about the matter. " * 20 for n in range(9)]
    path = jsonl(tmp_path / "r.jsonl", [{"id": "a", "text": "".join(sentences)}])
    added = mem.ingest(path).added
    assert added > 2
    before = {row[0] for row in mem.conn.execute("select id from memories")}
    jsonl(path, [{"id": "a", "text": "".join(sentences).replace("Sentence 8", "Phrase 8")}])
    report = mem.ingest(path)
    assert (report.added, report.unchanged + report.updated) == (0, added)
    assert report.updated < added
    assert {row[0] for row in mem.conn.execute("select id from memories")} == before
    assert {row[0] for row in mem.conn.execute("select source_id from memories")} == {"a"}


def test_two_rows_with_one_id_are_two_memories_in_any_batch(file: MemoryDatabase, monkeypatch: Any) -> None:
    monkeypatch.setattr(writer, "BATCH", 2)
    rows = [{"id": "a", "text": "one"}, {"id": "b", "text": "x"}, {"id": "c", "text": "y"}, {"id": "a", "text": "two"}]
    assert counts(file.ingest(rows)) == (4, 0, 0, 0, 0)
    before = ids(file)
    assert counts(file.ingest(rows)) == (0, 0, 4, 0, 0)
    rows[3]["text"] = "three"
    assert counts(file.ingest(rows)) == (0, 1, 3, 0, 0)
    assert ids(file)["three"] == before["two"]
    assert ids(file)["one"] == before["one"]


@pytest.mark.parametrize("batch", [1, 2, 1000])
def test_a_row_that_has_become_shorter_says_no_longer_what_it_said(
    mem: MemoryDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(writer, "BATCH", batch)
    said = {name: f"{name}: " + "so it was written there. " * 150 for name in "ABCDEF"}

    def read(names: str, *, dry_run: bool = False) -> tuple[int, int]:
        rows = [{"id": "1", "text": "\n\n".join(said.get(name, name) for name in names)},
                {"id": "2", "text": f"{said['E']}\n\n{said['F']}"}]  # fmt: skip
        report = mem.ingest(jsonl(tmp_path / "rows.jsonl", rows), dry_run=dry_run)
        return report.added, report.removed

    def stand() -> list[str]:
        return sorted(text[0] for text in texts(mem))

    assert (read("ABCD"), stand()) == ((6, 0), list("ABCDEF"))
    assert (read("BC", dry_run=True), stand()) == ((0, 2), list("ABCDEF"))
    assert (read("BC"), stand()) == ((0, 2), list("BCEF"))
    assert (read("X"), stand()) == ((0, 1), list("EFX"))
    assert read("X") == (0, 0)
    assert (read("ABCD")[1], stand()) == (0, list("ABCDEF"))
    check_indexes(mem)


def test_the_same_text_in_two_files_is_two_memories(mem: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path / "n", "a.md", "one")
    note(tmp_path / "n", "b.md", "one")
    assert counts(mem.ingest(tmp_path / "n")) == (2, 0, 0, 0, 0)


def test_a_file_given_twice_is_read_as_once(mem: MemoryDatabase, tmp_path: Path) -> None:
    path = note(tmp_path / "n", "a.md", "one", "two")
    note(tmp_path / "n", "b.md", "three")
    mem.ingest([tmp_path / "n", path, path])
    assert [text.split(":")[0] for text in order(mem, "a.md")] == ["one", "two"]
    assert len(texts(mem)) == 3
    check_indexes(mem)


def test_without_a_model_a_changed_text_loses_its_old_vector(tmp_path: Path, letters: LetterEmbedder) -> None:
    path, rows = tmp_path / "m.db", [{"id": "a", "text": "alpha"}, {"id": "b", "text": "beta"}]
    with MemoryDatabase(path, embed=letters) as db:
        db.ingest(rows)
    with MemoryDatabase(path, embed="none") as db:
        db.ingest([{"id": "a", "text": "gamma"}, {"id": "b", "text": "beta"}])
        assert set(vectors_by_id(db)) == {ids(db)["beta"]}


# ---------------------------------------------------------------------------------------------- sessions


def test_interleaved_sessions_keep_their_order_and_their_neighbours(mem: MemoryDatabase, tmp_path: Path) -> None:
    turns = [{"id": f"{s}{n}", "session": s, "text": f"{s}{n}"} for n in range(5) for s in ("one", "two")]
    path = jsonl(tmp_path / "chat.jsonl", turns[:6])
    mem.ingest(path)
    jsonl(path, turns)  # the chats went on
    assert counts(mem.ingest(path)) == (4, 0, 6, 0, 0)
    assert order(mem, "#one") == [f"one{n}" for n in range(5)]
    assert order(mem, "#two") == [f"two{n}" for n in range(5)]
    keys = {row[0]: row[1] for row in mem.conn.execute("select text, key from memories")}
    beside = neighbours.build(mem.conn, None).beside()[keys["one2"]]
    assert sorted(text for text, key in keys.items() if key in beside) == ["one0", "one1", "one3", "one4"]
    check_indexes(mem)


def test_rows_without_a_session_are_nobodys_neighbours(mem: MemoryDatabase) -> None:
    mem.ingest([{"text": f"row {n}"} for n in range(4)])
    assert list(neighbours.build(mem.conn, None).beside().values()) == [[]] * 4


# ---------------------------------------------------------------------------------------------- what is gone


def test_a_vanished_passage_is_archived_and_comes_back_as_itself(mem: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path / "n", "a.md", "one", "two", "three")
    mem.ingest(tmp_path / "n")
    before = ids(mem)
    note(tmp_path / "n", "a.md", "one", "three")
    assert counts(mem.ingest(tmp_path / "n")) == (0, 0, 2, 1, 0)
    assert sorted(ids(mem)) == ["one", "three"]
    assert mem.memory(before["two"]).archived_at
    check_indexes(mem)
    note(tmp_path / "n", "a.md", "one", "two", "three")
    assert counts(mem.ingest(tmp_path / "n")) == (0, 1, 2, 0, 0)
    assert ids(mem) == before
    assert "archived_because" not in mem.memory(before["two"]).meta
    check_indexes(mem)


def test_a_forgotten_memory_stays_forgotten(mem: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path / "n", "a.md", "one", "two", "three")
    mem.ingest(tmp_path / "n")
    mem.forget(ids(mem)["two"])
    assert counts(mem.ingest(tmp_path / "n")) == (0, 0, 3, 0, 0)
    note(tmp_path / "n", "a.md", "zero", "one", "two", "three")  # elsewhere in its note it is the same passage
    assert counts(mem.ingest(tmp_path / "n")) == (1, 0, 3, 0, 0)
    assert sorted(ids(mem)) == ["one", "three", "zero"]
    check_indexes(mem)


def test_a_forgotten_row_stays_forgotten_when_only_its_fields_change(mem: MemoryDatabase) -> None:
    mem.ingest([{"id": "a", "text": "secret"}])
    mem.forget(ids(mem)["secret"])
    mem.ingest([{"id": "a", "text": "secret", "title": "New title"}])
    assert texts(mem) == []


def test_sync_archives_what_vanished_below_the_folder_only(mem: MemoryDatabase, tmp_path: Path) -> None:
    inside, beside = tmp_path / "notes [old]", tmp_path / "notes [old]er"
    for folder in (inside, beside):
        note(folder, "a.md", f"{folder.name} a")
        note(folder, "b.md", f"{folder.name} b")
    mem.ingest([inside, beside])
    (inside / "a.md").unlink()
    (beside / "a.md").unlink()
    assert counts(mem.ingest(inside)) == (0, 0, 1, 0, 0)  # without sync nothing goes
    assert counts(mem.ingest(inside, sync=True)) == (0, 0, 1, 1, 0)
    assert sorted(ids(mem)) == ["notes [old] b", "notes [old]er a", "notes [old]er b"]
    note(inside, "a.md", f"{inside.name} a")
    assert counts(mem.ingest(inside, sync=True)) == (0, 1, 1, 0, 0)
    archived = mem.conn.execute("select count(*) from documents where archived_at is not null").fetchone()[0]
    assert archived == 0
    check_indexes(mem)


def test_sync_keeps_what_cannot_be_read_now(mem: MemoryDatabase, tmp_path: Path) -> None:
    path = note(tmp_path / "n", "a.md", "one")
    mem.ingest(tmp_path / "n")
    path.write_bytes(b"\xff\xfe broken")
    assert counts(mem.ingest(tmp_path / "n", sync=True)) == (0, 0, 0, 0, 1)
    assert sorted(ids(mem)) == ["one"]


def test_what_an_emptied_note_said_is_archived_and_comes_back(mem: MemoryDatabase, tmp_path: Path) -> None:
    path = note(tmp_path / "n", "a.md", "one", "two")
    mem.ingest(path)
    whole = path.read_text("utf-8")
    for nothing in ("", "\n \n", "---\n---\n"):
        path.write_text(nothing, "utf-8")
        assert counts(mem.ingest(path, dry_run=True)) == (0, 0, 0, 2, 0)
        assert counts(mem.ingest(path)) == (0, 0, 0, 2, 0)
        assert counts(mem.ingest(path, sync=True)) == (0, 0, 0, 0, 0)
        assert mem.recall("one two").hits == ()
        check_indexes(mem)
        path.write_text(whole, "utf-8")
        assert counts(mem.ingest(path)) == (0, 2, 0, 0, 0)
        assert sorted(ids(mem)) == ["one", "two"]


def test_what_an_emptied_notebook_said_is_archived(mem: MemoryDatabase, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": "one"}]}), "utf-8")
    mem.ingest(path)
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": " "}]}), "utf-8")
    assert counts(mem.ingest(path)) == (0, 0, 0, 1, 0)
    assert texts(mem) == []


def test_an_empty_note_that_never_said_anything_is_no_document(mem: MemoryDatabase, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("", "utf-8")
    assert counts(mem.ingest(tmp_path)) == (0, 0, 0, 0, 0)
    assert mem.conn.execute("select count(*) from documents").fetchone()[0] == 0


def test_a_note_with_nothing_but_what_cannot_be_read_keeps_what_it_said(mem: MemoryDatabase, tmp_path: Path) -> None:
    path = note(tmp_path / "n", "a.md", "one")
    mem.ingest(path)
    path.write_text("---\ntags: [unclosed\n---\n", "utf-8")
    report = mem.ingest(path, sync=True)
    assert (counts(report), len(report.warnings)) == ((0, 0, 0, 0, 0), 1)
    assert sorted(ids(mem)) == ["one"]


def test_sync_archives_a_session_that_left_its_file(mem: MemoryDatabase, tmp_path: Path) -> None:
    path = jsonl(tmp_path / "r.jsonl", [{"text": "one", "session": "a"}, {"text": "two", "session": "b"}])
    mem.ingest(path)
    jsonl(path, [{"text": "two", "session": "b"}])
    assert counts(mem.ingest(path, sync=True)) == (0, 0, 1, 1, 0)
    assert texts(mem) == ["two"]


# ---------------------------------------------------------------------------------------------- a dry run


def test_a_dry_run_tells_what_a_real_one_does_and_does_nothing(file: MemoryDatabase, tmp_path: Path) -> None:
    folder = tmp_path / "n"
    note(folder, "a.md", "one", "two", "three")
    note(folder, "b.md", "four")
    rows = jsonl(folder / "r.jsonl", [{"id": "a", "text": "x"}, {"id": "b", "text": "y", "slot": "user", "key": "k"}])
    file.ingest(folder)
    note(folder, "a.md", "zero", "one", "three")
    (folder / "b.md").unlink()
    note(folder, "c.md", "five")
    jsonl(rows, [{"id": "a", "text": "z"}, {"id": "c", "text": "w", "slot": "user", "key": "k"}, {}])
    before, size = rows_of(file), (tmp_path / "memory.db").read_bytes()
    log = (tmp_path / "memory.db-wal").read_bytes()
    told = file.ingest(folder, sync=True, dry_run=True)
    assert rows_of(file) == before
    assert (tmp_path / "memory.db").read_bytes() == size
    assert (tmp_path / "memory.db-wal").read_bytes() == log
    assert repr(told) == "<IngestReport (dry run) 2 added, 2 updated, 2 unchanged, 1 removed, 1 failed>"
    assert counts(file.ingest(folder, sync=True)) == counts(told)


def test_a_dry_run_needs_no_right_to_write(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        db.ingest([{"text": "one"}])
    with MemoryDatabase(tmp_path / "m.db", read_only=True) as db:
        assert counts(db.ingest([{"text": "one"}, {"text": "two"}], dry_run=True)) == (1, 0, 1, 0, 0)


# ---------------------------------------------------------------------------------------------- streams and failures


def drafts(n: int, whole: bool = False) -> Iterator[Draft]:
    document = DocumentDraft("stream", whole=whole)
    return (Draft(f"row {i}", document, sequential=whole) for i in range(n))


@pytest.mark.slow
def test_a_long_stream_is_never_in_memory_at_once(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        waiting = most = taken = 0
        length = 20 * writer.BATCH

        def stream() -> Iterator[Draft]:
            nonlocal waiting, most
            document = DocumentDraft("stream", whole=False)
            for n in range(length):
                waiting += 1
                most = max(most, waiting)
                yield Draft(f"row {n}", document, source_id=str(n), sequential=False)

        def progress(done: int) -> None:
            nonlocal waiting, taken
            waiting -= done
            taken += done

        report = writer.ingest(db.conn, stream(), None, NOW, progress=progress)
        assert (report.added, taken) == (length, length)
        assert most <= writer.BATCH + 1


def test_a_whole_document_larger_than_a_batch_is_one(mem: MemoryDatabase, monkeypatch: Any) -> None:
    monkeypatch.setattr(writer, "BATCH", 10)
    for again in range(2):
        report = writer.ingest(mem.conn, drafts(35, whole=True), LetterEmbedder(), NOW)
        assert counts(report) == ((0, 0, 35, 0, 0) if again else (35, 0, 0, 0, 0))
    assert order(mem, "") == [f"row {i}" for i in range(35)]
    check_indexes(mem)


def test_rows_without_ids_are_found_in_any_batch(mem: MemoryDatabase, monkeypatch: Any) -> None:
    monkeypatch.setattr(writer, "BATCH", 3)
    rows = [{"text": text} for text in ("ok", "no", "ok", "yes", "ok", "ok", "no")]
    assert counts(mem.ingest(rows)) == (7, 0, 0, 0, 0)
    assert counts(mem.ingest(rows)) == (0, 0, 7, 0, 0)
    assert counts(mem.ingest([*rows, {"text": "ok"}])) == (1, 0, 7, 0, 0)


def test_a_reader_that_breaks_leaves_whole_batches(file: MemoryDatabase, monkeypatch: Any) -> None:
    monkeypatch.setattr(writer, "BATCH", 10)

    def breaking() -> Iterator[str]:
        for n in range(25):
            yield f"row {n}"
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        file.ingest(breaking())
    assert len(texts(file)) == 20
    assert file.conn.execute("select count(*) from index_paused").fetchone()[0] == 0
    check_indexes(file)
    assert counts(file.ingest(f"row {n}" for n in range(25))) == (5, 0, 20, 0, 0)


def test_an_embedder_that_breaks_leaves_its_batch_without_vectors(tmp_path: Path) -> None:
    class Broken(LetterEmbedder):
        def encode(self, texts: Any) -> np.ndarray:
            if any("bad" in text for text in texts):
                raise ValueError("no")
            return super().encode(texts)

    with MemoryDatabase(tmp_path / "m.db", embed=Broken()) as db:
        db.ingest(["good"])
        with pytest.warns(VectorsMissing, match=r"'letters' failed \(ValueError\)"):
            db.ingest(["better", "bad"])
        assert texts(db) == ["bad", "better", "good"]
        assert db.info().without_vector == 2
        check_indexes(db)
        assert db.remember("best").text == "best"


def test_a_bad_record_is_reported_and_the_rest_goes_in(mem: MemoryDatabase, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'{"text": "one"}\nbroken\n{"text": ""}\n{"text": "a\\u0000b"}\n\xff\n{"text": "two"}\n')
    report = mem.ingest(path)
    assert counts(report) == (2, 0, 0, 0, 4)
    assert [failure.line for failure in report.failures] == [2, 3, 4, 5]
    assert report.total == 6


def test_progress_is_told_of_every_record(mem: MemoryDatabase, monkeypatch: Any) -> None:
    monkeypatch.setattr(writer, "BATCH", 4)
    told: list[int] = []
    mem.ingest([f"row {n}" for n in range(10)], progress=told.append)
    assert told == [4, 4, 2]


def test_a_report_prints_and_escapes(mem: MemoryDatabase) -> None:
    report = IngestReport(added=1, failures=[Failure("<script>", "no & text", 3)])
    assert "<script>" not in report._repr_html_()
    assert "&lt;script&gt;:3: no &amp; text" in report._repr_html_()


# ---------------------------------------------------------------------------------------------- edits, and afresh

PARAGRAPH = st.sampled_from(["one", "two", "three", "four", "five", "# H\n\nsix", "# I\n\nseven", "八つの木"])
NOTE = st.lists(PARAGRAPH, max_size=7)
EDITS = st.lists(st.fixed_dictionaries({"a.md": NOTE | st.none(), "b.md": NOTE | st.none()}), min_size=1, max_size=5)


def edit(folder: Path, files: dict[str, list[str] | None]) -> None:
    """Writes these notes, and removes those that have no paragraphs any more."""
    folder.mkdir(exist_ok=True)
    for name, paragraphs in files.items():
        (folder / name).unlink(missing_ok=True)
        if paragraphs is not None:
            note(folder, name, *paragraphs)


def state(db: MemoryDatabase) -> tuple[list[Any], list[Any], np.ndarray]:
    """What can be searched: rows, full-text rows and vectors of what is not archived, by document and order."""
    live = db.conn.execute("""
    select d.source, m.position, m.text, m.title, m.kind, m.source_id, m.meta, m.hash, m.id, m.key
    from memories as m join documents as d on d.key = m.document_key
    where m.archived_at is null order by d.source, m.position
    """).fetchall()
    fts, cjk = ({row[0]: row[1:] for row in rows} for rows in indexed(db).values())
    vectors = vectors_by_id(db)
    rows = [(*row[:6], json.loads(row["meta"]), row["hash"]) for row in live]
    return rows, [(fts[row["key"]], cjk.get(row["key"])) for row in live], [vectors[row["id"]] for row in live]


@settings(max_examples=25)
@given(edits=EDITS, batch=st.sampled_from([2, 1000]))
def test_any_edits_end_as_if_the_last_state_had_been_read_afresh(
    edits: list[dict[str, list[str] | None]], batch: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("notes") / "n"
    whole = writer.BATCH
    writer.BATCH = batch
    try:
        with MemoryDatabase(embed=LetterEmbedder()) as edited, MemoryDatabase(embed=LetterEmbedder()) as afresh:
            for files in edits:
                edit(folder, files)
                told = edited.ingest(folder, sync=True, dry_run=True)
                assert counts(edited.ingest(folder, sync=True)) == counts(told)
                check_indexes(edited)
            afresh.ingest(folder)
            one, two = state(edited), state(afresh)
            assert one[:2] == two[:2]
            assert np.allclose(one[2], two[2], atol=1e-6)
            total = len(two[0])
            assert counts(edited.ingest(folder, sync=True)) == (0, 0, total, 0, 0)
    finally:
        writer.BATCH = whole


@settings(max_examples=40)
@given(
    sizes=st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab")), max_size=12),
    changed=st.sets(st.integers(0, 11)),
    batch=st.sampled_from([2, 1000]),
)
def test_sessions_that_grow_and_change_end_as_if_read_afresh(
    sizes: list[tuple[int, str]], changed: set[int], batch: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    turns = [
        {"id": f"t{n}", "session": session, "text": f"{'xyz'[size % 3]} {size}"}
        for n, (size, session) in enumerate(sizes)
    ]
    final = [{**turn, "text": turn["text"] + " changed"} if n in changed else turn for n, turn in enumerate(turns)]
    path = tmp_path_factory.mktemp("rows") / "r.jsonl"
    whole = writer.BATCH
    writer.BATCH = batch
    try:
        with MemoryDatabase(embed=LetterEmbedder()) as edited, MemoryDatabase(embed=LetterEmbedder()) as afresh:
            for rows in (turns[: len(turns) // 2], turns, final):
                edited.ingest(jsonl(path, rows))
                check_indexes(edited)
            afresh.ingest(path)
            one, two = state(edited), state(afresh)
            assert one[:2] == two[:2]
            assert np.allclose(one[2], two[2], atol=1e-6)
    finally:
        writer.BATCH = whole


def test_an_ingest_leaves_the_connection_and_the_collector_as_they_were(tmp_path: Path) -> None:
    thresholds = gc.get_threshold()
    with MemoryDatabase(tmp_path / "memory.db") as db:
        pages = db.conn.execute("pragma wal_autocheckpoint").fetchone()[0]
        db.ingest(["one", "two"])
        assert db.conn.execute("pragma wal_autocheckpoint").fetchone()[0] == pages
    assert gc.get_threshold() == thresholds


def test_a_large_ingest_holds_few_pages_while_it_lasts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(parts, "MANY_CHARACTERS", 3 * len("Row 1 of a list."))
    monkeypatch.setattr(writer, "BATCH", 2)
    held = []
    with MemoryDatabase(tmp_path / "memory.db") as db:

        def look(_: int) -> None:
            held.append(db.conn.execute("pragma cache_size").fetchone()[0])

        usual = db.conn.execute("pragma cache_size").fetchone()[0]
        db.ingest(["Row 1 of a list.", "Row 2 of a list."], progress=look)
        assert set(held) == {usual}
        db.ingest([f"Row {n} of the list." for n in range(9)], progress=look)
        assert held[-1] == driver.WHILE_LOADING > usual
        assert db.conn.execute("pragma cache_size").fetchone()[0] == usual


@pytest.mark.parametrize("usual", [(700, 10, 10), (900_000, 5, 5), (0, 10, 10)])
def test_ingests_that_overlap_leave_the_collector_as_it_was(usual: tuple[int, int, int]) -> None:
    thresholds = gc.get_threshold()
    gc.set_threshold(*usual)
    try:
        with MemoryDatabase() as one, MemoryDatabase() as other:
            first, second = driver.loading(one.conn), driver.loading(other.conn)
            first.__enter__()
            second.__enter__()
            first.__exit__(None, None, None)
            assert gc.get_threshold()[0] == (usual[0] and max(usual[0], driver.LOADING_OBJECTS))
            second.__exit__(None, None, None)
        assert gc.get_threshold() == usual
    finally:
        gc.set_threshold(*thresholds)


def test_a_document_has_another_hash_when_its_file_has_changed(tmp_path: Path) -> None:
    note = tmp_path / "quince.md"
    hashes = []
    with MemoryDatabase(tmp_path / "memory.db") as db:
        for text in ("It blooms.", "It blooms.", "It blooms in May."):
            note.write_text(text)
            db.ingest(note)
            hashes.append(db.conn.execute("select hash from documents").fetchone()[0])
    assert hashes[0] == hashes[1] != hashes[2]
    assert all(hashes)
