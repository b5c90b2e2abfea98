"""Names with signs: C, C++ and C# are three, in pages, links, texts and questions, and in files of an older memkit."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.core.source_files import file_of
from memkit.frontends.datasette.vault import image
from memkit.storage.doctor import doctor
from memkit.text.prose import unlinked

PAGES = {
    "C.md": "# C\n\nAn old language.",
    "C++.md": "# C++\n\nIts templates.",
    "pages/C%23.md": "Its events.",  # as Logseq calls the page C#
    "Vela.md": "# Vela\n\nA company.",
    "Vela+.md": "# Vela+\n\nIts network.",
    "Day.md": "# A day\n\nI read [[C#]]. Rosa Lind prefers C++ to C#. The network of Vela+ is shut, Vela goes on.",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    for name, text in PAGES.items():
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "notes"


def mentioned_in(db: MemoryDatabase) -> dict[str, set[str]]:
    """The titles of the memories that mention each entity."""
    found = defaultdict(set)
    for name, title in db.conn.execute(
        "select e.name, m.title from mentions as x join entities as e on e.key = x.entity_key"
        " join memories as m on m.key = x.memory_key"
    ):
        found[name].add(title)
    return found


def test_a_name_with_a_sign_is_another_name(notes: Path) -> None:
    """`Rosa prefers C++ to C#` was that she prefers C#: all three languages were one entity."""
    with MemoryDatabase(embed="none") as db:
        db.ingest(notes)
        named = mentioned_in(db)
        assert {name: named[name] for name in ("C", "C++", "C#", "Vela", "Vela+")} == {
            "C": {"C"},
            "C++": {"C++", "A day"},
            "C#": {"C#", "A day"},
            "Vela": {"Vela", "A day"},
            "Vela+": {"Vela+", "A day"},
        }
        stated = db.about("Rosa Lind").to_dict()["relations"]
        assert [(one["predicate"], one["object"]) for one in stated] == [("prefers", "C++")]
        assert db.about("c#").name == "C#"
        assert db.recall("Who prefers C++?", k=1).hits[0].memory.title == "A day"


@pytest.mark.parametrize("end", ["C#.", "C++!", "Vela+", "**C#**."])
def test_a_sign_at_the_end_of_a_sentence_belongs_to_what_it_states(end: str) -> None:
    """`Rosa likes C#.` was that she likes C."""
    with MemoryDatabase(embed="none") as db:
        db.remember(f"Rosa Lind likes {end}")
        (stated,) = db.about("Rosa Lind").relations
        assert stated.object == end.strip("*.!")
        assert stated.evidence[0].quote == f"Rosa Lind likes {end}".replace("**.", "")


def test_ai_is_the_side_of_a_chat_and_what_people_write_of() -> None:
    """It was a name that nothing mentioned."""
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": "We talked about AI."}, {"text": "J'ai dit oui."}, {"text": "Yes.", "speaker": "AI"}])
        rows = db.conn.execute("select m.text, x.role from mentions as x join memories as m on m.key = x.memory_key")
        assert [tuple(row) for row in rows] == [("We talked about AI.", "text")]


def test_names_that_an_older_memkit_stored_without_their_signs_are_mended(notes: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with MemoryDatabase(path, embed="none") as db:
        db.ingest(notes / "C++.md")
        for table in ("entities", "aliases"):
            db.conn.execute(f"update {table} set normal = 'c' where normal = 'c++'")
        db.conn.commit()
    assert "compared anew: 2 names" in [one.text for one in doctor(path, fix=True).checks]
    with MemoryDatabase(path, embed="none") as db:
        assert db.about("C++").name == "C++"


def test_a_sign_in_a_link_is_shown_and_a_heading_stands_behind_its_page() -> None:
    assert unlinked("[[C#]], [[F# scripts]], [[Quince#Yield#Autumn]]") == "C#, F# scripts, Quince › Yield › Autumn"


def test_a_sign_in_the_name_of_a_folder_is_no_place_in_a_file(tmp_path: Path) -> None:
    """The pictures of notes in a folder called `C#` were not shown."""
    folder = tmp_path / "C#"
    folder.mkdir()
    (folder / "Events.md").write_text("![plan](plan.png)", "utf-8")
    (folder / "plan.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(8))
    note = f"{folder}/Events.md"
    assert file_of(f"{note}#4") == file_of(note) == note
    assert file_of(f"{folder}/Gone.md#4") == ""
    assert image(note, "plan.png", [str(tmp_path)]) == (folder / "plan.png").resolve()
