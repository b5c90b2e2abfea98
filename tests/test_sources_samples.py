"""Every real file in ../shared/samples is read without a failure, and gives as many memories as an own count says."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from memkit.core.errors import BadSource
from memkit.core.types import Failure, LeftOut, ReadWarning
from memkit.sources import read

SHARED = Path(__file__).resolve().parents[2] / "shared"
SAMPLES = SHARED / "samples"

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the real files are not here")


def first_parts(source):
    """The drafts of a source, of a long turn only the first part."""
    return [x for x in read(source) if x.meta.get("part", 1) == 1]


def files(pattern):
    return sorted(SAMPLES.glob(pattern)) if SAMPLES.is_dir() else []


def ids(path):
    return path.name


@pytest.mark.parametrize("path", files("chatgpt/*.json"), ids=ids)
def test_chatgpt_exports(path):
    """User and assistant messages, without the siblings that were edited away."""
    expected = 0
    for conversation in json.loads(path.read_text()):
        nodes = conversation["mapping"].values()
        edited = sum(max(0, len(node.get("children", [])) - 1) for node in nodes)
        roles = [(node.get("message") or {}).get("author", {}).get("role") for node in nodes]
        expected += sum(role in ("user", "assistant") for role in roles) - edited
    assert len(first_parts(path)) == expected


@pytest.mark.parametrize("path", [p for p in files("claude/*.json") if "projects" not in p.name], ids=ids)
def test_claude_exports(path):
    """These files have no edited branches, and no message without any text."""
    found = json.loads(path.read_text())
    expected = [m["uuid"] for c in (found if isinstance(found, list) else [found]) for m in c["chat_messages"]]
    assert [x.source_id for x in first_parts(path)] == expected


def test_claude_projects():
    assert [x.text for x in read(SAMPLES / "claude/context-carry_projects.json")] == ["A project about web development"]


@pytest.mark.parametrize("path", files("claude-code/*.jsonl"), ids=ids)
def test_claude_code_sessions(path):
    assert [x.source_id for x in first_parts(path)] == [json.loads(line)["uuid"] for line in path.open()]


@pytest.mark.parametrize("path", files("llm/*.db"), ids=ids)
def test_llm_logs(path):
    """Each exchange is a prompt and an answer."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as conn:
        tables = {name for (name,) in conn.execute("select name from sqlite_master")} & {"turns", "responses"}
        exchanges = sum(conn.execute(f"select count(*) from {table}").fetchone()[0] for table in tables)
    assert len(first_parts(path)) == 2 * exchanges


def test_the_vault():
    """All notes but templates and empty ones: their bodies, blanks aside; of notes that have none, every link."""
    vault = SAMPLES / "obsidian-kepano"
    bodies, links = {}, {}
    for path in vault.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        front, body = text.split("---\n", 2)[1:] if text.startswith("---\n") else ("", text)
        if path.parent.name != "Templates" and body.strip():
            bodies[path.as_posix()] = "".join(body.split())
        elif path.parent.name != "Templates" and yaml.safe_load(front):
            links[path.as_posix()] = re.findall(r"\[\[.+?\]\]", front)
    found = {}
    for draft in (x for x in read(vault) if not isinstance(x, LeftOut)):
        found[draft.document.source] = found.get(draft.document.source, "") + draft.text
    assert found.keys() == bodies.keys() | links.keys()
    assert {source: "".join(found[source].split()) for source in bodies} == bodies
    assert {source: re.findall(r"\[\[.+?\]\]", found[source]) for source in links} == links
    assert len(found) > 45


TEXT_FILES = files("**/*.md") + files("**/LICENSE")


@pytest.mark.parametrize("path", [p for p in TEXT_FILES if p.parent.name != "Templates"], ids=ids)
def test_every_text_file_can_be_read_by_its_own_name(path):
    assert all(x.text for x in read(path))


@pytest.mark.parametrize("path", files("obsidian-kepano/Templates/*.md"), ids=ids)
def test_a_template_named_itself_is_read_but_its_placeholders_are_no_front_matter(path):
    found = list(read(path))
    assert all(x.reason.startswith("front matter") for x in found if isinstance(x, ReadWarning))
    assert not [x for x in found if isinstance(x, Failure | LeftOut)]
    drafts = [x for x in found if not isinstance(x, ReadWarning)]
    assert all("{{" not in f"{x.document.fields} {x.document.tags} {x.document.created_at}" for x in drafts)


@pytest.mark.parametrize("path", files("**/*.sql"), ids=ids)
def test_a_schema_is_no_note_until_somebody_says_so(path):
    with pytest.raises(BadSource, match=r"looks like application/sql\. To read it"):
        list(read(path))
    assert "".join(x.text for x in read(path, format="markdown"))


def test_all_samples_together_have_no_failure():
    others = [x for x in read(SAMPLES) if not hasattr(x, "text")]
    assert all(isinstance(x, LeftOut) for x in others)
    assert sorted(Path(x.source).name for x in others) == [
        "LICENSE", "Templates", "out-of-control.jpg", "schema_pypi_0.27.1.sql", "schema_pypi_0.36.sql",
    ]  # fmt: skip


@pytest.mark.parametrize("path", sorted(SHARED.glob("eval/*/corpus.jsonl")), ids=lambda path: path.parent.name)
def test_every_row_of_the_evaluation_sets_is_a_memory(path):
    expected = [json.loads(line)["id"] for line in path.open(encoding="utf-8")]
    assert [x.source_id for x in first_parts(path)] == expected


def test_every_triple_is_read():
    path = SHARED / "eval/musique_kg/triples.jsonl"
    expected = [json.loads(line)["object"].strip() for line in path.open(encoding="utf-8")]
    assert [x.object for x in read(path)] == expected
