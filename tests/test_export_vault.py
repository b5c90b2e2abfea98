"""Memories as notes again, as a graph, and from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from conftest import NOW, SAMPLES

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion
from memkit.frontends.cli.main import cli


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """The samples as a vault."""
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.ingest([SAMPLES / "notes", SAMPLES / "facts.jsonl", SAMPLES / "chats"], now=NOW)
        db.forget(db.remember("Nobody needs this.", now=NOW).id)
        db.remember("blue: [x] #1", slot="user", key="colour", now=NOW)
        db.export(tmp_path / "vault", now=NOW)
    return tmp_path / "vault"


def body(path: Path) -> str:
    """A note without its front matter and the blank lines in it."""
    text = path.read_text("utf-8")
    text = text.split("---\n", 2)[2] if text.startswith("---\n") else text
    return " ".join(text.split())


def test_each_note_is_where_it_was_with_its_words(vault: Path) -> None:
    notes = [path.relative_to(SAMPLES / "notes") for path in (SAMPLES / "notes").rglob("*.md")]
    notes = [path for path in notes if path.parts[0] != "Templates"]
    assert len(notes) > 30
    for path in notes:
        assert body(vault / path) == body(SAMPLES / "notes" / path), path


def test_front_matter_comes_back(vault: Path) -> None:
    text = (vault / "Daily" / "2025-03-01.md").read_text("utf-8")
    assert text.startswith("---\ntags:\n- daily\n- move\nlocation: Kingsferry\npeople:\n- '[[Jordan]]'\n")


def test_loose_memories_are_lists_with_links_and_ids(vault: Path) -> None:
    facts = (vault / "Facts.md").read_text("utf-8")
    planted = "- [[Rosa]] planted [[Quince|the quince]] in 2019, the year she stopped teaching. *2025-03-08* #garden"
    assert re.search(re.escape(planted) + r" .*\^[0-9a-z]{10}\n", facts)
    assert "- **colour**: blue: [x] #1" in facts
    assert "Nobody needs this" not in facts


def test_a_conversation_is_one_file_with_who_spoke_and_when(vault: Path) -> None:
    text = (vault / "Chats" / "A first telescope for impatient people.md").read_text("utf-8")
    assert "**user** · 2025-06-28T20:31:15Z\n\nThis is the view from the water tower" in text


def test_a_kind_that_is_a_plural_already_names_its_folder_as_it_is(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.observe([{"role": "user", "content": "I bought a used bicycle for 700 euro."}], threshold=1, now=NOW)
        db.export(tmp_path / "vault", now=NOW)
    assert [path.name for path in (tmp_path / "vault").iterdir()].count("Observations") == 1


def test_the_vault_can_be_taken_in_again(vault: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(vault)
        assert report.failures == []
        assert "quince" in db.recall("who planted the quince?")[0].memory.text.lower()


@pytest.mark.parametrize("title", ["../../etc/passwd", "a/b\\c:d|e", "con", "", "x" * 500, "..", "#[[^]]"])
def test_a_title_is_never_a_path(tmp_path: Path, title: str) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": "Hello.", "session": "1", "title": title, "speaker": "A"}])
        db.export(tmp_path / "vault")
    (found,) = (tmp_path / "vault").rglob("*.md")
    assert found.parent == tmp_path / "vault" / "Chats"
    assert len(found.name.encode()) < 200


def test_two_documents_of_one_title_are_two_files(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest(
            [{"text": f"Hello {n}.", "session": str(n), "title": title} for n, title in enumerate(["Tea", "tea"])]
        )
        db.export(tmp_path / "vault")
    assert sorted(path.name for path in (tmp_path / "vault").rglob("*.md")) == ["Tea.md", "tea 2.md"]


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with MemoryDatabase(embed="none") as db, pytest.raises(BadQuestion, match="is not an empty folder"):
        db.export(tmp_path, format="markdown")


def test_a_graph_is_graphml_and_always_whole(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember("Rosa lives in Porto.", now=NOW)
        report = db.export(tmp_path / "graph.graphml")
        root = ElementTree.parse(tmp_path / "graph.graphml").getroot()
        assert len(root.findall(".//{*}node")) == report.counts["nodes"] > 0
        with pytest.raises(BadQuestion, match="A graph is exported whole"):
            db.export(tmp_path / "graph.graphml", kind="fact")


def test_the_command_line_exports_and_takes_back(tmp_path: Path) -> None:
    first, second, out = (str(tmp_path / name) for name in ("first.db", "second.db", "all.jsonl"))
    with MemoryDatabase(first, embed="none") as db:
        one = db.remember("Rosa lives in Porto.", project="garden", now=NOW)
        db.remember("Otto lives in Lund.", now=NOW)
    run = CliRunner().invoke
    done = run(cli, ["export", first, out, "--project", "garden", "--format", "json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["counts"]["memories"] == 1
    assert run(cli, ["restore", second, out, "--no-embed"]).exit_code == 0
    assert one.id in run(cli, ["recall", second, "Rosa", "--format", "ids"]).output
    done = run(cli, ["export", first, str(tmp_path / "x.docx")])
    assert done.exit_code == 1
    assert "'docx' is not a format of an export" in done.output
