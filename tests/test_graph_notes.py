"""What notes call themselves and what they mention: no dates, no ids, no addresses, no words of everybody."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit import MemoryDatabase

NOW = "2025-06-01T12:00:00Z"


def garden(db: MemoryDatabase, folder: Path, notes: dict[str, str]) -> MemoryDatabase:
    for name, text in notes.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    db.ingest(folder, now=NOW)
    return db


def entities(db: MemoryDatabase) -> set[str]:
    return {name for (name,) in db.conn.execute("select name from entities where merged_into is null")}


def mentions(db: MemoryDatabase, name: str) -> int:
    """How many memories mention this name in their text."""
    rows = (
        "select count(*) from mentions as m join entities as e on e.key = m.entity_key where e.name = ? and m.role = ?"
    )
    count: int = db.conn.execute(rows, (name, "text")).fetchone()[0]
    return count


def test_a_date_and_an_id_are_no_entities(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {
        "2024-05-31.md": "We planted the [[Quince]].",
        "7Hd68M5niADEkip4CdU85.md": "The [[Quince]] flowers, see [[2024-05-31]].",
        "Quince.md": "---\naliases: ['2019-04-02']\n---\nA tree, planted 2019-04-02.",
    }
    assert entities(garden(db, tmp_path, notes)) == {"Quince"}
    assert db.about("Quince", now=NOW).mentioned == 3


def test_a_link_to_a_day_states_no_relation_and_makes_no_entity(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {"2024-05-31.md": "It rained.", "Plan.md": "See [[2024-05-31]] and [[Quince]]."}
    assert entities(garden(db, tmp_path, notes)) == {"Plan", "Quince"}
    assert [(one.predicate, one.object) for one in db.about("Plan", now=NOW).relations] == [("mentions", "Quince")]


def test_several_notes_with_one_heading_are_several_things(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {f"{name}.md": f"# Overview\n\nAbout the {name.lower()}." for name in ("Quince", "Medlar")}
    garden(db, tmp_path, {**notes, "Plan.md": "See [[Quince]]."})
    assert entities(db) == {"Quince", "Medlar", "Plan"}
    assert db.recall("quince", now=NOW)[0].memory.title == "Overview"  # it is still shown as it is written


@pytest.mark.parametrize(
    "text",
    [
        "See https://example.org/Otto/page and [this](../people/Otto.html).",
        "![[people/Otto.png|200]] ![Otto](Otto.jpg)",
        "```\nprint(Otto)\n```\nand `Otto`",
        "<!-- Otto --> %%Otto%% {{embed Otto}} <a href='Otto'>here</a>",
        "In $Otto + 1$ and \\(Otto\\) and $$Otto$$.",
        "It lies in /home/Otto/notes and in [[people/Otto/Plan|the plan]].",
        "Otto:: true",
    ],
    ids=["address", "picture", "code", "comment", "formula", "path", "property"],
)
def test_what_is_no_prose_mentions_nobody(db: MemoryDatabase, tmp_path: Path, text: str) -> None:
    garden(db, tmp_path, {"a.md": "We saw Otto.", "b.md": f"Here it is:\n\n{text}"})
    assert mentions(db, "Otto") == 1


def test_a_note_that_is_shown_inside_another_is_linked(db: MemoryDatabase, tmp_path: Path) -> None:
    garden(db, tmp_path, {"Plan.md": "![[B3#The quince needs no pruning]]\n\n![[sketch.png]]"})
    assert entities(db) == {"Plan", "B3"}
    assert db.about("The quince needs no pruning", now=NOW).name == "B3"


def test_a_title_of_two_chinese_characters_is_a_name_where_it_is_linked(db: MemoryDatabase, tmp_path: Path) -> None:
    """A film note's alias was the word for "we", and every question with it led there."""
    talk = {f"{n}.md": f"今天我们去公园，我们很高兴，第{n}次。" for n in range(9)}
    notes = {"影片.md": "---\naliases: [我们]\n---\n一部电影。", "看.md": "昨天看了[[我们]]。", "重构.md": "改代码。"}
    garden(db, tmp_path, {**talk, **notes, "笔记.md": "关于重构的笔记，[[重构]]很好。"})
    assert mentions(db, "影片") == 0
    assert db.about("影片", now=NOW).mentioned == 2  # its own note, and the link
    assert {hit.memory.text for hit in db.recall("我们去哪里", k=3, now=NOW)} <= set(talk.values())
    assert db.about("重构", now=NOW).mentioned == 2


def test_an_alias_that_comes_later_is_no_name_in_earlier_notes_where_it_is_a_word(
    db: MemoryDatabase, tmp_path: Path
) -> None:
    garden(db, tmp_path, {f"{n}.md": f"今天我们去公园，我们很高兴，第{n}次。" for n in range(9)})
    garden(db, tmp_path, {"影片.md": "---\naliases: [我们]\n---\n一部电影。"})
    assert mentions(db, "影片") == 0


def test_the_pages_of_logseq_are_called_as_people_call_them(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {
        "pages/Garden___Trees.md": "alias:: 果树, orchard\n\n- up:: [[Garden]]\n- # [[Quince]]\n",
        "pages/std%3A%3Aget.md": "- a function",
        "journals/2024_05_31.md": "- We saw the [[orchard]].",
    }
    garden(db, tmp_path, notes)
    assert {"Garden/Trees", "std::get"} <= entities(db)
    card = db.about("orchard", now=NOW)
    assert (card.name, card.mentioned) == ("Garden/Trees", 2)
    assert ("up", "Garden") in {(one.predicate, one.object) for one in card.relations}
