"""The samples are what they say: valid, linked, answerable, and counted right. They are read here without memkit."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from datetime import date, datetime
from functools import cache
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml

SAMPLES = Path(__file__).parent.parent / "samples"
NOTES = SAMPLES / "notes"
CHATS = SAMPLES / "chats"
MISSING = {"Brightwater", "Harbor Museum", "Kingsferry Music School", "Lisbon", "Porto"}  # links to notes not written
KINDS = {"fact", "preference", "procedure", "episode", "observation", "note", "turn"}
PROJECTS = {"garden", "portugal", "Kira", "Engram", "Lattice"}
FRONT = re.compile(r"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
WIKILINK = re.compile(r"\[\[([^\]|#]+)(?:#([^\]|]+))?(?:\|[^\]]+)?\]\]")


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def note_paths() -> list[Path]:
    return [path for path in sorted(NOTES.rglob("*.md")) if "Templates" not in path.parts]


def parse_note(path: Path) -> tuple[dict, dict[str, str]]:
    """A note's front matter, and its text by heading ("" for what stands before the first)."""
    text = path.read_text(encoding="utf-8")
    found = FRONT.match(text)
    sections, heading, fenced = {"": ""}, "", False
    for line in text[found.end() if found else 0 :].splitlines(keepends=True):
        fenced ^= line.startswith("```")
        if not fenced and (title := re.match(r"#+ (.+)", line)):
            heading = title[1].strip()
            assert heading not in sections, f"{path} says {heading!r} twice"
            sections[heading] = ""
        else:
            sections[heading] += line
    return yaml.safe_load(found[1]) if found else {}, sections


@cache
def sections() -> dict[str, str]:
    """Every passage's source_id and text."""
    return {
        f"{path.relative_to(NOTES).as_posix()}#{heading}": text.strip()
        for path in note_paths()
        for heading, text in parse_note(path)[1].items()
        if text.strip()
    }


@cache
def chatgpt() -> dict[str, str]:
    """What the current branches of the ChatGPT export say, by message id."""
    found = {}
    for chat in json.loads((CHATS / "chatgpt_conversations.json").read_text(encoding="utf-8")):
        node = chat["mapping"][chat["current_node"]]
        while node:
            message = node["message"]
            if message and message["author"]["role"] in ("user", "assistant") and message["recipient"] == "all":
                found[message["id"]] = " ".join(part for part in message["content"]["parts"] if isinstance(part, str))
            node = chat["mapping"].get(node["parent"])
    return found


@cache
def claude() -> dict[str, str]:
    """What the Claude export says, by message uuid."""
    chats = json.loads((CHATS / "claude_conversations.json").read_text(encoding="utf-8"))
    return {message["uuid"]: message["text"] for chat in chats for message in chat["chat_messages"]}


@cache
def claude_code() -> dict[str, str]:
    """What was said in the Claude Code session, by line uuid: no tool calls, no tool results."""
    found = {}
    for line in rows(CHATS / "claude_code_session.jsonl"):
        if line["type"] != "summary":
            content = line["message"]["content"]
            said = content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)
            found[line["uuid"]] = said
    return {uuid: text for uuid, text in found.items() if text}


def open_logs() -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(CHATS / 'logs.db'))}?mode=ro&immutable=1", uri=True)


@cache
def llm_log() -> dict[str, str]:
    """What the llm log says, by the turn's id and who speaks."""
    conn = open_logs()
    turns = conn.execute("select turn_id, prompt, response from turn_search").fetchall()
    conn.close()
    said = {f"{turn}:user": prompt for turn, prompt, _ in turns} | {
        f"{turn}:assistant": text for turn, _, text in turns
    }
    return {source_id: text for source_id, text in said.items() if text}


@cache
def source_ids() -> frozenset[str]:
    facts = {row["id"] for row in rows(SAMPLES / "facts.jsonl")}
    chats = (chatgpt(), claude(), claude_code(), llm_log())
    return frozenset(facts | sections().keys()).union(*chats)


# ------------------------------------------------------------------------------------------------------------ notes


def test_every_wikilink_leads_to_a_note_or_is_known_to_be_missing():
    names = {path.stem for path in note_paths()} | {path.name for path in (NOTES / "Attachments").iterdir()}
    targets = {target for path in note_paths() for target, _ in WIKILINK.findall(path.read_text(encoding="utf-8"))}
    assert targets - names == MISSING


def test_links_to_a_heading_find_it():
    for path in note_paths():
        for target, heading in WIKILINK.findall(path.read_text(encoding="utf-8")):
            if heading:
                assert any(key.endswith(f"{target}.md#{heading}") for key in sections()), (path, target, heading)


def test_note_names_and_aliases_are_unique_but_for_the_two_mercuries():
    names = Counter(path.stem for path in note_paths())
    assert max(names.values()) == 1
    aliases = Counter(alias for path in note_paths() for alias in parse_note(path)[0].get("aliases", ()))
    assert max(aliases.values()) == 1
    assert {path.stem for path in note_paths() if path.stem.startswith("Mercury")} == {
        "Mercury (planet)",
        "Mercury (boat)",
    }


@pytest.mark.parametrize("path", note_paths(), ids=lambda path: path.stem)
def test_front_matter_is_a_mapping_with_lists_where_lists_belong(path):
    fields, _ = parse_note(path)
    assert all(isinstance(fields.get(name, []), list) for name in ("aliases", "tags", "people", "locations"))
    assert fields.get("project", "garden") in PROJECTS


def test_daily_notes_are_named_by_days_of_2025():
    days = [date.fromisoformat(path.stem) for path in (NOTES / "Daily").glob("*.md")]
    assert {day.year for day in days} == {2025}


def test_the_vault_holds_what_a_reader_must_leave_out():
    assert (NOTES / ".obsidian" / "app.json").exists()
    assert (NOTES / "Attachments" / "quince.png").read_bytes().startswith(b"\x89PNG")
    assert any("{{" in path.read_text(encoding="utf-8") for path in (NOTES / "Templates").glob("*.md"))


def test_one_passage_is_a_long_schema_with_the_fields_of_the_users_table():
    schema = sections()["Kira/Database schema.md#Tables"]
    assert len(schema) / 4 > 250
    assert "streak_days" in schema.partition("create table topics")[0]


# ------------------------------------------------------------------------------------------------------------ chats


def test_an_edited_branch_says_what_the_current_one_does_not():
    everything = (CHATS / "chatgpt_conversations.json").read_text(encoding="utf-8")
    assert "Jordan planted a quince" in everything
    assert not any("Jordan planted" in text for text in chatgpt().values())
    assert any("Rosa planted a quince" in text for text in chatgpt().values())


def test_chatgpt_trees_are_whole():
    for chat in json.loads((CHATS / "chatgpt_conversations.json").read_text(encoding="utf-8")):
        tree = chat["mapping"]
        assert [key for key, node in tree.items() if node["parent"] is None] == [next(iter(tree))]
        assert all(tree[child]["parent"] == key for key, node in tree.items() for child in node["children"])
        assert not tree[chat["current_node"]]["children"]


def test_chats_hold_system_tool_and_thinking_parts_that_readers_leave_out():
    roles = {
        node["message"]["author"]["role"]
        for chat in json.loads((CHATS / "chatgpt_conversations.json").read_text(encoding="utf-8"))
        for node in chat["mapping"].values()
        if node["message"]
    }
    assert roles == {"system", "user", "assistant", "tool"}
    text = (CHATS / "claude_conversations.json").read_text(encoding="utf-8")
    assert all(f'"type": "{kind}"' in text for kind in ("text", "thinking", "tool_use", "tool_result"))


def test_the_llm_log_is_small_and_sound():
    assert (CHATS / "logs.db").stat().st_size < 300_000
    conn = open_logs()
    assert conn.execute("pragma integrity_check").fetchone() == ("ok",)
    assert conn.execute("pragma freelist_count").fetchone() == (0,)
    conn.close()


def test_the_llm_log_is_its_sql_in_the_schema_of_llm(tmp_path):
    """`llm_logs.sql`, loaded into an empty log of llm, gives the rows of `logs.db`, and llm finds them consistent."""
    sqlite_utils, migrations = pytest.importorskip("sqlite_utils"), pytest.importorskip("llm.migrations")
    log_store = pytest.importorskip("llm.logs", reason="llm before 0.36 has no threads").LogStore
    made = sqlite_utils.Database(tmp_path / "logs.db")
    migrations.migrate(made)
    made.conn.executescript((CHATS / "llm_logs.sql").read_text(encoding="utf-8"))
    assert log_store(made).verify() == []
    shipped = open_logs()
    for table in ("messages", "parts", "threads", "turns", "tools", "turn_tools", "turn_search"):
        columns = [row[1] for row in shipped.execute(f"pragma table_info({table})")]
        query = f"select {', '.join(map(json.dumps, columns))} from {table} order by 1, 2"
        assert made.execute(query).fetchall() == shipped.execute(query).fetchall() != []
    made.close()
    shipped.close()


# ---------------------------------------------------------------------------------------- facts, relations, questions


def test_facts_have_unique_ids_known_kinds_and_dates_of_2025():
    facts = rows(SAMPLES / "facts.jsonl")
    assert len({row["id"] for row in facts}) == len(facts)
    assert {row["kind"] for row in facts} == KINDS
    assert {datetime.fromisoformat(row["timestamp"].replace("Z", "+00:00")).year for row in facts} == {2025}
    assert {row["project"] for row in facts if "project" in row} == PROJECTS
    assert all(row["text"].strip() == row["text"] != "" for row in facts)


def test_only_the_timezone_has_two_values_in_its_slot():
    facts = rows(SAMPLES / "facts.jsonl")
    keys = Counter((row["slot"], row["key"]) for row in facts if "slot" in row)
    assert [key for key, count in keys.items() if count > 1] == [("user", "timezone")]
    assert {slot for slot, _ in keys} == {"user", "project", "agent"}


def test_preferences_have_category_and_key_and_procedures_have_steps():
    facts = rows(SAMPLES / "facts.jsonl")
    assert all(row["category"] and row["key"] for row in facts if row["kind"] == "preference")
    assert all(" → " in row["text"] and row["title"] for row in facts if row["kind"] == "procedure")


def test_only_the_graph_can_tell_that_nightshade_is_a_restaurant():
    """The memory that names Nightshade lacks the word; another one has it, and a given relation joins Alice to it."""
    facts = {row["id"]: row["text"] for row in rows(SAMPLES / "facts.jsonl")}
    assert "Nightshade" in facts["fact-nightshade"]
    assert "restaurant" not in facts["fact-nightshade"].lower()
    assert sections()["Places/Nightshade.md#"].startswith("Nightshade is a restaurant")
    given = [row for row in rows(SAMPLES / "relations.jsonl") if row["object"] == "Nightshade"]
    assert [(row["subject"], row["predicate"], row["passage_id"]) for row in given] == [
        ("Alice", "introduced to", "fact-nightshade")
    ]


def test_relations_name_passages_that_exist_and_have_their_fields():
    needed, optional = {"passage_id", "subject", "predicate", "object", "confidence"}, {"valid_from", "valid_until"}
    for row in rows(SAMPLES / "relations.jsonl"):
        assert needed <= row.keys() <= needed | optional
        assert row["passage_id"] in source_ids()
        assert 0 <= row["confidence"] <= 1


def test_every_question_can_be_answered_by_memories_that_exist():
    questions = rows(SAMPLES / "questions.jsonl")
    assert len({row["id"] for row in questions}) == len(questions)
    for row in questions:
        assert row.keys() - {"timestamp"} == {"id", "text", "relevant", "category"}
        assert row["relevant"]
        assert len(set(row["relevant"])) == len(row["relevant"])
        assert set(row["relevant"]) <= source_ids(), row["id"]


# ------------------------------------------------------------------------------------------------------- the readme


def test_the_readme_counts_right():
    kinds = Counter(row["kind"] for row in rows(SAMPLES / "facts.jsonl"))
    counted = {
        "notes": len(note_paths()),
        "sections of notes": len(sections()),
        "ChatGPT messages": len(chatgpt()),
        "Claude messages": len(claude()),
        "Claude Code messages": len(claude_code()),
        "llm prompts and responses": len(llm_log()),
        "questions": len(rows(SAMPLES / "questions.jsonl")),
        "given relations": len(rows(SAMPLES / "relations.jsonl")),
        **{f"rows of kind `{kind}`": kinds[kind] for kind in KINDS},
    }
    counted["memories"] = sum(
        counted[name] for name in counted if name not in ("notes", "questions", "given relations")
    )
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    said = {name: int(number) for name, number in re.findall(r"^\| ([^|]+?) \| (\d+) \|$", readme, re.MULTILINE)}
    assert said == counted


def test_the_readme_lists_the_missing_notes_and_every_category():
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    assert set(WIKILINK.findall(readme)) == {(name, "") for name in MISSING}
    for category in {row["category"] for row in rows(SAMPLES / "questions.jsonl")}:
        assert f"`{category}`" in readme


def test_the_readme_names_situations_by_ids_that_exist():
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    table = readme.partition("## Situations")[2].partition("## Questions")[0]
    named = re.findall(r"`([^`]+)`", table)
    assert len(named) > 50
    assert set(named) <= source_ids()


def test_samples_hold_no_machine_path_and_only_example_addresses():
    for path in SAMPLES.rglob("*"):
        if path.is_file() and path.suffix in (".md", ".json", ".jsonl", ".sql"):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"/(home|root|tmp|Users|work)/", text), path
            assert set(re.findall(r"[\w.]+@([\w.]+\w)", text)) <= {"example.org"}, path
