"""Notes of Tomboy and its kin, and nodes of CherryTree, as XML and as a database."""

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from chat_files import ingests
from fuzz.samples import CHERRYTREE, TOMBOY

from memkit import MemoryDatabase
from memkit.sources import ReadOptions, detect, read
from memkit.sources.notes import tomboy


def test_a_note_of_tomboy_has_its_notebook_tags_and_times(tmp_path: Path) -> None:
    path = tmp_path / "5e74990a-e93e-4a11-aea2-0814a37fee1a.note"
    path.write_text(TOMBOY)
    note, work = read(path)
    assert detect(path) == "tomboy"
    assert (note.title, note.tags, note.happened_at) == ("Pear", ("old", "yard"), "2024-09-18T15:22:47Z")
    assert note.document.updated_at == "2024-09-19T13:22:47Z"
    assert (note.text, work.text) == ("See [[Quince]] & https://a.org", "## Work\n\n- prune\n- `dig`")
    assert note.document.source == "tomboy:5e74990a-e93e-4a11-aea2-0814a37fee1a"


def test_a_template_of_tomboy_is_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.note"
    path.write_text(TOMBOY.replace("<tag>old</tag>", "<tag>system:template</tag>"))
    skipped = Counter[str]()
    assert list(tomboy.read(path, replace(ReadOptions(), skipped=skipped), path.name)) == []
    assert skipped == {"templates": 1}


def database(path: Path) -> Path:
    """The document of CHERRYTREE as a database."""
    rich = CHERRYTREE[CHERRYTREE.index("<rich_text") : CHERRYTREE.index("<codebox")]
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute("create table node (node_id, name, txt, syntax, tags, ts_creation, ts_lastsave)")
        conn.execute("create table children (node_id, father_id, sequence)")
        conn.execute("create table codebox (node_id, offset, txt, syntax)")
        conn.execute("create table grid (node_id, offset, txt)")
        conn.execute("create table image (node_id, offset)")
        rows = [
            (1, "Trees", "", "custom-colors", "", 0, 0),
            (2, "Pear", f'<?xml version="1.0"?><node>{rich}</node>', "custom-colors", "old", 1683703170, 1719048207),
            (3, "Saw", "ls\n", "sh", "", 1683703170, None),
        ]
        conn.executemany("insert into node values (?, ?, ?, ?, ?, ?, ?)", rows)
        conn.executemany("insert into children values (?, ?, ?)", [(1, 0, 1), (2, 1, 1), (3, 1, 2)])
        conn.execute("insert into codebox values (2, 18, 'dig()', 'python3')")
        table = "<table><row><cell>1</cell></row><row><cell>head</cell></row></table>"
        conn.execute("insert into grid values (2, 22, ?)", (table,))
    return path


@pytest.mark.parametrize("name", ["garden.ctd", "garden.ctb"])
def test_each_node_of_cherrytree_is_a_note_in_the_folder_of_those_around_it(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name.endswith("b"):
        database(path)
    else:
        path.write_text(CHERRYTREE)
    pear, saw = read(path)
    assert detect(path) == "cherrytree"
    assert (pear.title, pear.tags, pear.happened_at) == ("Pear", ("old", "Trees"), "2023-05-10T07:19:30Z")
    assert pear.document.updated_at == "2024-06-22T09:23:27Z"
    assert pear.text == (
        "# Bark\nSee [[Saw]]. Now\n\n```python3\ndig()\n```\n\nand\n\n| head |\n| --- |\n| 1 |\n\n- one\n  - [x] done"
    )
    assert (saw.title, saw.text) == ("Saw", "```sh\nls\n```")


def test_a_node_that_is_changed_is_the_same_note(tmp_path: Path) -> None:
    later = CHERRYTREE.replace("one", "two")
    assert ingests(tmp_path / "garden.ctd", CHERRYTREE, CHERRYTREE, later) == [(2, 0, 0), (0, 0, 0), (0, 1, 0)]


def test_a_broken_node_fails_alone(tmp_path: Path) -> None:
    path = database(tmp_path / "garden.ctb")
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute("update node set txt = '<node><rich_text>' where node_id = 2")
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(path)
    assert (report.added, report.failed) == (1, 1)
    assert "the node 'Pear': broken XML" in report.failures[0].reason
