"""Whose words a memory is: what `I` means in chats, in notes, in quotations and on pages about people."""

from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.text.extract.patterns import find_statements
from memkit.text.extract.voice import quotations


@pytest.fixture
def db() -> MemoryDatabase:
    return MemoryDatabase(embed="none")


def facts(db: MemoryDatabase) -> set[str]:
    rows = db.conn.execute(
        "select s.name, r.predicate, o.name from relations as r join entities as s on s.key = r.subject_key"
        " join entities as o on o.key = r.object_key"
        " where r.expired_at is null and r.key in (select relation_key from evidence where method = 'pattern')"
    )
    return {f"{s} {p} {o}" for s, p, o in rows}


def note(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "> I live in Ghent.",
        "- > I live in Ghent.",
        "> [!quote] Edda\n> I live in Ghent.",
        "#+BEGIN_QUOTE\nI live in Ghent.\n#+END_QUOTE",
        "<blockquote>\nI live in Ghent.\n</blockquote>",
        "“I live in Ghent. It rains.”",
        'She said: "I live in Ghent."',
        "Edda Meulen: I live in Ghent.",
        "**Edda**: I live in Ghent.",
        "@edda: I live in Ghent.",
        "A: I live in Ghent.",
    ],
)
def test_the_i_of_a_quotation_is_not_the_speaker(text: str) -> None:
    assert find_statements(text) == []
    assert find_statements(f"{text}\n\nI work at Nordlys.")[0].object == "Nordlys"


@pytest.mark.parametrize(
    "text", ["> [!note] Home\n> Edda lives in Ghent.", "Update: I live in Ghent.", "a -> b. I live in Ghent."]
)
def test_a_callout_and_a_label_are_the_authors_words(text: str) -> None:
    assert [one.object for one in find_statements(text)] == ["Ghent"]


def test_the_title_of_a_work_in_quotation_marks_is_no_quotation() -> None:
    assert quotations("Edda wrote “The Long Way to a Small Planet”.") == []
    assert find_statements("Edda wrote “Stone Weather”.")[0].object == "Stone Weather"


def test_i_in_a_note_is_nobody_until_its_folder_is_in_the_users_own_voice(db: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path, "journal/a.md", "I live in Ghent. Edda Meulen works at Nordlys.")
    note(tmp_path, "clippings/b.md", "I live in Bath.")
    db.ingest(tmp_path)
    assert facts(db) == {"Edda Meulen works_at Nordlys"}
    db.ingest(tmp_path / "journal", own_voice=True)
    assert facts(db) == {"Edda Meulen works_at Nordlys", "user lives_in Ghent"}
    note(tmp_path, "journal/c.md", "I work at Nordlys.")
    db.ingest(tmp_path)  # it is remembered
    assert "user works_at Nordlys" in facts(db)
    db.ingest(tmp_path / "journal", own_voice=False)
    assert facts(db) == {"Edda Meulen works_at Nordlys"}


def test_the_nearest_folder_decides_whose_voice_it_is(db: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path, "a.md", "I live in Ghent.")
    note(tmp_path, "clippings/b.md", "I work at Nordlys.")
    db.ingest(tmp_path, own_voice=True)
    db.ingest(tmp_path / "clippings", own_voice=False)
    assert facts(db) == {"user lives_in Ghent"}


@pytest.mark.parametrize(
    "text",
    [
        "---\nauthor: Edda Meulen\n---\nI live in Ghent.",
        "---\nsource: https://example.com/interview\n---\nI live in Ghent.",
        "---\ntype: person\n---\nI live in Ghent.",
        "---\ntags: [people]\n---\nI live in Ghent.",
    ],
)
def test_an_article_and_a_page_about_a_person_are_not_the_users_words(
    db: MemoryDatabase, tmp_path: Path, text: str
) -> None:
    note(tmp_path, "Interview.md", text)
    db.ingest(tmp_path, own_voice=True)
    assert not any(fact.startswith("user") for fact in facts(db))


def test_a_page_in_a_folder_of_people_is_about_its_person(db: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path, "People/Edda Meulen.md", "# Edda Meulen\n\n- works at [[Nordlys]]\n- lives in Ghent\n\nI like tea.")
    note(tmp_path, "Wall.md", "# The Wall\n\nDesigned by Bo Ek.\n\n## Work\n\nWorks at Nordlys.")
    db.ingest(tmp_path, own_voice=True)
    assert facts(db) == {"Edda Meulen works_at Nordlys", "Edda Meulen lives_in Ghent", "Bo Ek designed The Wall"}


def test_who_says_his_name_is_the_i_of_his_text(db: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path, "Foro.md", "Soy Inés Pardo, vivo en Lima.")
    note(tmp_path, "Forum.md", "My name is Bo Ek. I work at Nordlys.")
    db.ingest(tmp_path)
    assert facts(db) >= {"Inés Pardo lives_in Lima", "Bo Ek works_at Nordlys"}


@pytest.mark.parametrize("role", ["user", "assistant", "system", "tool", "Human", "AI", "bot"])
def test_a_role_is_no_person(db: MemoryDatabase, role: str) -> None:
    db.ingest([{"text": "The quince tree has mildew.", "speaker": role, "session": "s"}])
    assert db.conn.execute("select count(*) from entities where lower(name) = ?", (role.lower(),)).fetchone()[0] == 0


@pytest.mark.parametrize(("role", "stated"), [("Human", {"user lives_in Ghent"}), ("ai", set()), ("system", set())])
def test_only_the_person_of_a_chat_speaks_of_the_user(db: MemoryDatabase, role: str, stated: set[str]) -> None:
    db.ingest([{"text": "I live in Ghent.", "speaker": role, "session": "s"}])
    assert facts(db) == stated


def test_labels_of_a_meeting_are_about_the_meeting(db: MemoryDatabase, tmp_path: Path) -> None:
    text = "# Garden Weekly\n\n- **Lead:** @edda\n- **Attendees:**\n  - @bo\n\n## Agenda\n\n- Author: Bo Ek\n"
    note(tmp_path, "weekly.md", text)
    db.ingest(tmp_path)
    assert facts(db) == {"Garden Weekly lead @edda"}


def test_a_heading_that_is_a_link_is_what_its_lines_are_about(db: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path, "books.md", "# Books\n\nMany.\n\n## [[Stone Weather]]\n\nAuthor: [[Edda Meulen]]\n")
    db.ingest(tmp_path)
    assert facts(db) == {"Stone Weather author Edda Meulen"}
