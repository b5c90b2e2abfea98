"""What somebody tried who wanted to know more than was published: each way that once led somewhere leads nowhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import published_file
from growth import grows_in_proportion

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, MemkitError
from memkit.sharing.publish import Leaked, NotOurs
from memkit.sharing.publish.files import MARKER
from memkit.sharing.publish.staging import replacing
from memkit.storage.driver import sqlite3
from memkit.text.redact import Names, Redactor

NOW = "2026-03-10T12:34:56Z"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[MemoryDatabase]:
    """A garden, and a cellar that is nobody's business."""
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as made:
        made.remember("Rosa planted the quince in Lund.", project="garden", now=NOW)
        made.remember("Zebediah hides the walnuts.", project="cellar", now=NOW)
        yield made


def asked(file: Path, query: str) -> list[Any]:
    """The first column of a query of a database."""
    conn = sqlite3.connect(file)
    try:
        return [row[0] for row in conn.execute(query)]
    finally:
        conn.close()


def every_byte(folder: Path) -> bytes:
    """All files of a folder, and their names, in lower case."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return b"\n".join(part for path in paths for part in (str(path.name).encode(), path.read_bytes())).lower()


# ---------------------------------------------------------------------------------------------- numbers and times


def test_places_in_a_document_do_not_tell_how_many_passages_are_missing(tmp_path: Path) -> None:
    """Neighbours stay neighbours; what was two apart or more is out of reach, and no further."""
    with MemoryDatabase(embed="none") as db:
        said = "alpha pear beta pear pear gamma delta epsilon zeta pear"
        db.ingest([{"text": f"{word} {n}.", "session": "one"} for n, word in enumerate(said.split())], now=NOW)
        db.conn.execute("update memories set position = key - 1, document_key = 1")
        db.publish(tmp_path / "out", sql="select id from memories where text like 'pear%'", now=NOW)
    assert asked(published_file(tmp_path / "out"), "select position from memories order by key") == [0, 2, 3, 6]


def test_the_hour_of_publishing_is_in_no_table(db: MemoryDatabase, tmp_path: Path) -> None:
    """Its owner's habits are no reader's business: the day is all that is said."""
    db.publish(tmp_path / "out", project="garden", now=NOW)
    applied = asked(published_file(tmp_path / "out"), "select applied_at from _sqlite_migrations")
    assert set(applied) == {"2026-03-10T00:00:00Z"}


def test_counters_follow_from_what_is_published(db: MemoryDatabase, tmp_path: Path) -> None:
    for n in range(20):
        db.forget(db.remember(f"Cellar {n}.", now=NOW).id, hard=True, now=NOW)
    db.remember("Rosa watered it.", project="garden", now=NOW)
    db.publish(tmp_path / "out", project="garden", embed="none", now=NOW)
    assert asked(published_file(tmp_path / "out"), "select seq from sqlite_sequence") == [2]


def test_without_its_secret_a_database_is_not_published(db: MemoryDatabase, tmp_path: Path) -> None:
    """Ids made of nothing but what is known could be made by anybody who guesses a path."""
    db.conn.execute("delete from settings where name = 'database'")
    with pytest.raises(MemkitError, match="number of its own"):
        db.publish(tmp_path / "out", project="garden", now=NOW)


# ---------------------------------------------------------------------------------------------- names elsewhere


def test_a_project_that_bears_a_redacted_name_is_no_title(db: MemoryDatabase, tmp_path: Path) -> None:
    db.remember("Rosa's fig froze.", project="Rosa's garden", now=NOW)
    db.publish(tmp_path / "out", project="Rosa's garden", redact="Rosa", now=NOW)
    assert b"rosa" not in every_byte(tmp_path / "out")
    assert json.loads((tmp_path / "out" / MARKER).read_text("utf-8"))["about"]["title"] == "Person 1's garden"


def test_a_redacted_name_goes_from_what_the_owner_says_of_it_but_the_owners_address_stays(
    db: MemoryDatabase, tmp_path: Path
) -> None:
    about = {"title": "ROSA", "description": "Of Rosa.", "about": "Write to me@example.org about rosa."}
    db.publish(tmp_path / "out", project="garden", redact="Rosa", **about, now=NOW)
    assert b"rosa" not in every_byte(tmp_path / "out")
    assert b"me@example.org" in every_byte(tmp_path / "out")
    assert db.check_published(tmp_path / "out", redact="Rosa").sound


def test_a_folder_that_bears_a_redacted_name_is_refused(db: MemoryDatabase, tmp_path: Path) -> None:
    with pytest.raises(BadQuestion, match="'for-Rosa'"):
        db.publish(tmp_path / "for-Rosa", project="garden", title="A garden", redact="Rosa", now=NOW)


def test_a_redacted_name_goes_from_what_is_said_between_two(db: MemoryDatabase, tmp_path: Path) -> None:
    memory = db.remember("Rosa met Anna in Lund.", project="garden", now=NOW)
    db.relate("Anna", "told Rosa about", "Lund", memory=memory.id, now=NOW)
    db.publish(tmp_path / "out", project="garden", redact="Rosa", now=NOW)
    assert "told_person_1_about" in asked(published_file(tmp_path / "out"), "select predicate from relations")
    assert b"rosa" not in every_byte(tmp_path / "out")


def test_a_redacted_name_goes_from_slots_and_sources_though_two_become_the_same(
    db: MemoryDatabase, tmp_path: Path
) -> None:
    for n, key in enumerate(("Rosa", "ROSA", "colour")):
        db.remember(f"Blue {n}", slot="project", key=key, project="garden", now=NOW)
    db.remember("Red", slot="rosa", key="colour", project="garden", now=NOW)
    for name in ("Rosa", "ROSA"):
        (tmp_path / f"{name}.md").write_text(f"---\ntags: [note]\n---\nThe fig of {name}.", encoding="utf-8")
        db.ingest(tmp_path / f"{name}.md", project="garden", now=NOW)
    db.publish(tmp_path / "out", project="garden", keep="sources", redact="Rosa", now=NOW)
    assert b"rosa" not in every_byte(tmp_path / "out")
    slots = asked(
        published_file(tmp_path / "out"),
        "select slot || '/' || slot_key from memories where slot is not null order by key",
    )
    assert slots == ["project/Person 1", "project/Person 1 (2)", "project/colour", "Person 1/colour"]
    assert len(set(asked(published_file(tmp_path / "out"), "select source from documents"))) == 2


def test_the_settings_of_the_user_stay_however_their_slot_is_written(db: MemoryDatabase, tmp_path: Path) -> None:
    db.remember("Europe/Stockholm", slot="User", key="timezone", project="garden", now=NOW)
    assert db.publish(tmp_path / "out", project="garden", now=NOW).memories == 1


def test_a_number_in_a_front_matter_is_redacted_like_a_text(db: MemoryDatabase, tmp_path: Path) -> None:
    secret = {"card": 4111111111111111, "phone": [46701234567], "password": "hunter2", "pears": 12}
    db.remember("Figs.", project="garden", meta=secret, now=NOW)
    db.publish(tmp_path / "out", project="garden", keep="meta", now=NOW)
    metas = [json.loads(meta) for meta in asked(published_file(tmp_path / "out"), "select meta from memories")]
    assert metas[-1] == {"card": "[card]", "phone": ["[phone]"], "password": "[key]", "pears": 12}


@pytest.mark.parametrize("text", ["梅木\n花子", "梅木 花子さん", "梅\n木花子", "梅木花\r\n子"])
def test_a_name_without_spaces_is_found_over_line_breaks(db: MemoryDatabase, tmp_path: Path, text: str) -> None:
    """Such scripts break lines anywhere."""
    db.remember(f"庭で{text}は", project="garden", now=NOW)
    db.publish(tmp_path / "out", project="garden", redact="梅木花子", now=NOW)
    assert "花" not in "".join(asked(published_file(tmp_path / "out"), "select text from memories"))


# ---------------------------------------------------------------------------------------------- the machine


class Local:
    """A model from a folder of somebody's home."""

    id, version, dims = "model2vec:/private/ulrich/models/potion", "1", 4

    def encode(self, texts: Any) -> Any:
        """The same for everything."""
        import numpy as np

        return np.tile(np.array([1, 0, 0, 0], np.float32), (len(texts), 1))


def test_a_model_from_a_folder_is_no_model_for_readers(db: MemoryDatabase, tmp_path: Path) -> None:
    """They do not have it, and its name is a path."""
    with pytest.raises(BadQuestion, match="readers"):
        db.publish(tmp_path / "out", project="garden", embed=Local(), now=NOW)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "query",
    ["attach database '{0}/copy.db' as copy", "vacuum into '{0}/copy.db'", "pragma query_only = off", "begin"],
)
def test_a_query_of_ids_can_do_nothing_else(db: MemoryDatabase, tmp_path: Path, query: str) -> None:
    before = {path.name for path in tmp_path.iterdir()}
    with pytest.raises(BadQuestion, match="does not run"):
        db.publish(tmp_path / "out", sql=query.format(tmp_path), now=NOW)
    assert {path.name for path in tmp_path.iterdir()} == before
    assert [row[1] for row in db.conn.execute("pragma database_list")].count("copy") == 0
    assert not db.conn.in_transaction


def test_a_query_of_ids_may_read_whatever_it_likes(db: MemoryDatabase, tmp_path: Path) -> None:
    query = """
    with recursive n(x) as (select 1 union all select x + 1 from n where x < 3)
    select m.id from memories_fts as f join memories as m on m.key = f.rowid, n, pragma_table_info('memories') as t
    where memories_fts match 'quince' and lower(m.project) = 'garden'
    """
    assert db.publish(tmp_path / "out", sql=query, now=NOW).memories == 1
    db.remember("It may still be written.", now=NOW)


def test_leavings_of_a_folder_with_a_longer_name_are_not_ours(tmp_path: Path) -> None:
    """`.garden.v2.before.1` is of `garden.v2`: it must not appear as `garden`."""
    for kind in ("before", "building"):
        (tmp_path / f".garden.v2.{kind}.99999999").mkdir()
    with replacing(tmp_path / "garden") as made:
        (made / MARKER).write_text('{"files": []}', encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".garden.v2.before.99999999",
        ".garden.v2.building.99999999",
        "garden",
    ]


@pytest.mark.parametrize("where", ["memory.db", "deep/memory.db"])
def test_a_database_within_the_folder_is_not_published_with_it(tmp_path: Path, where: str) -> None:
    """Its folder would be put aside, and a copy without its log would take its place."""
    out = tmp_path / "out"
    with MemoryDatabase(embed="none") as first:
        first.remember("Rosa planted the quince.", project="garden", now=NOW)
        first.publish(out, project="garden", now=NOW)
    (out / where).parent.mkdir(exist_ok=True)
    with MemoryDatabase(out / where, embed="none") as db:
        db.remember("Rosa planted the quince.", project="garden", now=NOW)
        with pytest.raises(BadQuestion, match="Move it"):
            db.publish(out, project="garden", now=NOW)
        assert db.publish(tmp_path / "other", project="garden", now=NOW).memories == 1


@pytest.mark.parametrize("said", ['{"files": []}', '{"files": [], "name": 1, "keep": 2, "about": 3}'])
def test_a_folder_whose_marker_somebody_damaged_is_not_ours(db: MemoryDatabase, tmp_path: Path, said: str) -> None:
    db.publish(tmp_path / "out", project="garden", now=NOW)
    (tmp_path / "out" / MARKER).write_text(said, encoding="utf-8")
    with pytest.raises(NotOurs, match="damaged"):
        db.check_published(tmp_path / "out")


SLOW = {
    "blanks after tel": "tel" + " " * 100_000,
    "beginnings of tokens": "x" + "eyJ-" * 25_000,
    "names": "#rosa" * 20_000,
    "parts of an address": "a@" + "a." * 50_000,
}


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_no_text_that_somebody_sent_makes_redaction_slow(text: str) -> None:
    """A chat that was taken in can hold anything; twice the text takes twice the time, not four times."""
    redactor = Redactor([Names("Person 1", ("Rosa Lindqvist",))])
    assert grows_in_proportion(redactor.redact, text)


# ---------------------------------------------------------------------------------------------- what the proof sees


def test_the_proof_reads_the_names_of_files_and_where_links_lead(db: MemoryDatabase, tmp_path: Path) -> None:
    out = tmp_path / "out"
    db.publish(out, project="garden", now=NOW)
    (out / "Zebediah.txt").write_text("nothing", encoding="utf-8")
    (out / "walnuts").mkdir()
    (out / "lost").symlink_to("/nowhere/walnuts")
    found = {(leak.text, leak.form) for leak in db.check_published(out).leaks}
    assert found >= {("zebediah", "a file's name"), ("walnuts", "a file's name"), ("walnuts", "the target of a link")}


def test_a_link_out_of_the_folder_is_never_published(db: MemoryDatabase, tmp_path: Path) -> None:
    """Datasette would serve what it leads to, and that may be written after the proof: its log is not in it yet."""
    out = tmp_path / "out"
    db.publish(out, project="garden", now=NOW)
    (out / "ours.txt").symlink_to("README.md")
    assert db.publish(out, project="garden", now=NOW).memories == 1
    (out / "diary.db").symlink_to(tmp_path / "memory.db")
    with pytest.raises(Leaked, match="a link out of the folder"):
        db.publish(out, project="garden", now=NOW)
    (out / "diary.db").unlink()
    (out / "everything").symlink_to(tmp_path)
    assert [leak.file for leak in db.check_published(out).leaks] == ["everything"]


def test_the_proof_reads_columns_of_any_type(db: MemoryDatabase, tmp_path: Path) -> None:
    out = tmp_path / "out"
    db.publish(out, project="garden", now=NOW)
    conn = sqlite3.connect(out / "more.db")
    conn.execute("create table pages (name varchar(20), says)")
    conn.execute("insert into pages values ('a Zebediah', 'walnutty walnuts')")
    conn.commit()
    conn.close()
    assert {leak.text for leak in db.check_published(out).leaks} >= {"zebediah", "walnuts"}


def test_the_proof_finds_a_redacted_name_in_any_case(db: MemoryDatabase, tmp_path: Path) -> None:
    out = tmp_path / "out"
    db.publish(out, project="garden", redact="Rosa", now=NOW)
    (out / "notes.txt").write_text("by r%6Fsa, or ROSA_1", encoding="utf-8")
    assert not db.check_published(out, redact="Rosa").sound
