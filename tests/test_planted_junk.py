"""Junk in a garden costs nothing: what real notes answer without it they answer with it, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit import MemoryDatabase

NOW = "2025-06-01T12:00:00Z"
PLANTS = "quince medlar cornel sorbus mulberry hazel almond loquat walnut citron".split()
PLACES = "Porto Ghent Tallinn Malmo Cadiz Bergen Turin Lugano Graz Trieste".split()
NOTES = {
    f"{plant}.md": f"# {plant.title()} notes\n\nThe {plant} came from {place} in spring,"
    f" and we planted it near the wall."
    f"\n\nIt needs work and water; in our life we never saw a {plant} that did not."
    for plant, place in zip(PLANTS, PLACES, strict=True)
}
QUESTIONS = [(f"where did the {plant} that we planted near the wall come from?", f"{plant}.md") for plant in PLANTS]
QUESTIONS += [(f"what needs work and water in life like the {plant} of the wall?", f"{plant}.md") for plant in PLANTS]
LINKS = "\n".join(f"- [[{Path(name).stem}]]" for name in NOTES)
FOOTER = '\n\n<a href="https://life.example/work/garden">Home</a> [me](https://people.example/@me/water)\n'
JUNK = {
    "alias": {"Film.md": "---\naliases: [work, life, spring, water, wall]\n---\n\nSeen in the back row.\n"},
    "title": {f"{word}.md": "More will come here.\n" for word in ("work", "life", "Wall", "water", "spring", "needs")},
    "hub": {"Hub.md": f"# Hub\n\n{LINKS}\n", "Index.md": f"up:: [[Hub]]\n\n{LINKS}\n"},
    "day": {"2023-03-14.md": LINKS, "2023-03-15.md": LINKS},
    "role": {"user.md": "---\naliases: [I, me, our]\n---\n\nA page.\n", "assistant.md": "See [[user]].\n"},
}


def answered(folder: Path, notes: dict[str, str]) -> list[bool]:
    """Which of the questions are answered by the first hit."""
    for name, text in notes.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    with MemoryDatabase() as db:
        db.ingest(folder, now=NOW)
        first = [db.recall(question, k=1, now=NOW) for question, _ in QUESTIONS]
        return [
            bool(hits) and (hits[0].memory.source or "").endswith(wanted)
            for hits, (_, wanted) in zip(first, QUESTIONS, strict=True)
        ]


@pytest.mark.parametrize("kind", [*JUNK, "footer", "all"])
def test_planted_junk_costs_no_answer(tmp_path: Path, kind: str) -> None:
    notes = {name: text + FOOTER * (kind in ("footer", "all")) for name, text in NOTES.items()}
    kinds = JUNK if kind == "all" else {kind} & JUNK.keys()
    planted = {f"planted/{name}": text for one in kinds for name, text in JUNK[one].items()}
    assert all(answered(tmp_path / "clean", NOTES))
    assert all(answered(tmp_path / "soiled", notes | planted))


def test_a_name_that_is_a_word_of_everybody_is_not_meant_where_no_note_uses_the_word(tmp_path: Path) -> None:
    film = "---\naliases: [garden]\n---\n\nA film of 1990.\n"
    for name, text in (NOTES | {"planted/Film.md": film}).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    with MemoryDatabase() as db:
        db.ingest(tmp_path, now=NOW)
        first = db.recall("where did the quince in our garden come from?", k=1, now=NOW)[0].memory
        assert (first.source or "").endswith("quince.md")
        assert db.recall("When was Garden made?", k=1, now=NOW)[0].memory.title == "Film"  # written as a name
