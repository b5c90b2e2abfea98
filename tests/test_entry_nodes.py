"""Where a walk over the graph begins: a name in a question leads only as far as its words are a name here."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.core.instants import parse_iso
from memkit.retrieval.entry_nodes import MOST_NAMED, MOST_USES, USES, EntryNodes, entry_nodes
from memkit.retrieval.strategies import MEMKIT, Graph
from memkit.retrieval.understanding import understand

NOW = "2026-01-01T00:00:00.000Z"
FILM = "Seen in the back row."


def garden(folder: Path, notes: dict[str, str]) -> MemoryDatabase:
    folder.mkdir(exist_ok=True)
    for name, text in notes.items():
        (folder / f"{name}.md").write_text(text)
    db = MemoryDatabase(str(folder.parent / "memory.db"))
    db.ingest(folder, now=NOW)
    return db


def film(alias: str) -> str:
    return f"---\naliases: [{alias}]\n---\n\n{FILM}\n"


def entries(db: MemoryDatabase, text: str, found: dict[int, float] | None = None) -> EntryNodes:
    conn = db.tables.conn
    question = understand(conn, text, None, MEMKIT.replace(vector=None), parse_iso(NOW))
    return entry_nodes(conn, question, {key: {"fulltext": score} for key, score in (found or {}).items()}, Graph())


def uses(count: int) -> dict[str, str]:
    """Notes that use the word `ferry`, and one that says that something is a ferry: the word becomes a concept."""
    return {**{f"Day {n}": f"The ferry of day {n} was late." for n in range(count)}, "Boat": "Aurora is a ferry."}


@pytest.mark.parametrize(
    ("alias", "said", "question"),
    [
        ("last week", "Sowed beans in bed {n} last week, and it rained.", "what did I sow last week?"),
        ("有时候", "有时候下雨, 第{n}块地种了豆子。", "有时候下雨种什么？"),
    ],
)
def test_a_note_whose_alias_everybody_says_pushes_nothing_out(
    tmp_path: Path, alias: str, said: str, question: str
) -> None:
    notes = {f"Bed {n}": said.format(n=n) for n in range(150)}
    db = garden(tmp_path / "notes", {**notes, "Film": film(alias)})
    found = db.recall(question, 10)
    assert len(found) == 10
    assert all(FILM not in hit.memory.text for hit in found)


def test_a_note_with_a_common_name_is_not_reached_over_what_was_found(tmp_path: Path) -> None:
    notes = {f"Bed {n}": f"Sowed bed {n} last week, with beans." for n in range(150)}
    db = garden(tmp_path / "notes", {**notes, "Film": film("last week")})
    found = db.recall("where are the beans?", 10)
    assert len(found) == 10
    assert all(FILM not in hit.memory.text for hit in found)


def test_a_name_counts_by_the_share_of_its_uses_that_are_mentions(tmp_path: Path) -> None:
    db = garden(tmp_path / "notes", uses(19))
    (weight,) = entries(db, "was the ferry late?").entities.values()
    assert weight == pytest.approx(Graph().entities * USES * 1 / 20)


def test_a_word_that_is_hardly_ever_a_name_leads_nowhere(tmp_path: Path) -> None:
    assert not entries(garden(tmp_path / "notes", uses(MOST_USES)), "was the ferry late?").entities


def test_a_name_that_is_mostly_a_mention_counts_in_full(tmp_path: Path) -> None:
    db = garden(tmp_path / "notes", {"A": "The Quince Society met.", "B": "Nothing else."})
    (weight,) = entries(db, "when did the quince society meet?").entities.values()
    assert weight == Graph().entities


def test_a_capital_inside_a_sentence_says_that_a_name_is_meant(tmp_path: Path) -> None:
    (weight,) = entries(garden(tmp_path / "notes", uses(19)), "who directed Ferry?").entities.values()
    assert weight == Graph().entities


def test_a_german_noun_is_no_name_by_its_capital(tmp_path: Path) -> None:
    (weight,) = entries(garden(tmp_path / "notes", uses(19)), "Ist das die Ferry, und ist sie gut?").entities.values()
    assert weight == pytest.approx(Graph().entities * USES * 1 / 20)


def test_a_title_that_many_memories_mention_weighs_less(tmp_path: Path) -> None:
    notes = {f"Bed {n}": f"The Quince Society saw bed {n}." for n in range(2 * MOST_NAMED - 1)}
    db = garden(tmp_path / "notes", {**notes, "Quince Society": "It met."})
    key = db.tables.conn.execute("select key from memories where title = 'Quince Society'").fetchone()[0]
    assert entries(db, "who is in the Quince Society?", {key: 1.0}).titled == {key: Graph().titled / 2}


def test_a_title_that_neither_words_nor_meaning_found_weighs_less(tmp_path: Path) -> None:
    db = garden(tmp_path / "notes", {"Quince Society": "It met.", "B": "Nothing else."})
    keys = dict(db.tables.conn.execute("select title, key from memories").fetchall())
    society, other = keys["Quince Society"], keys["B"]
    asked = "when did the Quince Society meet?"
    assert entries(db, asked, {society: 1.0, other: 0.5}).titled == {society: Graph().titled}
    assert entries(db, asked, {society: 0.5, other: 1.0}).titled == {society: Graph().titled}
    assert entries(db, asked, {society: 0.2, other: 1.0}).titled == {society: pytest.approx(Graph().titled * 0.4)}
    assert entries(db, asked, {other: 1.0}).titled == {society: 0.0}


def test_the_sections_of_a_note_bear_its_title_together_and_so_each_the_less(tmp_path: Path) -> None:
    note = "Founded in 1901.\n\n## Meetings\n\nIt met in May.\n"
    db = garden(tmp_path / "notes", {"Quince Society": note, "B": "Nothing else."})
    keys = [key for (key,) in db.tables.conn.execute("select key from memories where title = 'Quince Society'")]
    titled = entries(db, "when did the Quince Society meet?", dict.fromkeys(keys, 1.0)).titled
    assert titled == dict.fromkeys(keys, pytest.approx(Graph().titled / 2**2 / 2))
    assert len(keys) == 2


def test_found_memories_have_their_score_to_the_power_of_sharpness(tmp_path: Path) -> None:
    db = garden(tmp_path / "notes", {"A": "One.", "B": "Two."})
    assert entries(db, "anything", {1: 2.0, 2: 1.0}).found == {1: 1.0, 2: 0.5 ** Graph().sharpness}
