"""The graph after notes were edited and read again is that of a first reading of them as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit import MemoryDatabase

LINKS = """
select a.text, b.text, l.type, l.why from links as l
    join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key
where a.archived_at is null and b.archived_at is null
"""
MENTIONS = """
select m.text, e.name, x.role, x.surface from mentions as x
    join memories as m on m.key = x.memory_key join entities as e on e.key = x.entity_key
where m.archived_at is null
"""
RELATIONS = "select subject, predicate, object from current_relations"


def told(db: MemoryDatabase, query: str) -> list[tuple[str, ...]]:
    return sorted(map(tuple, db.conn.execute(query)))


def read_day_by_day(folder: Path, *days: dict[str, str | None]) -> MemoryDatabase:
    """A database of a folder that was read after each day on which these notes got new texts, or went."""
    db = MemoryDatabase(embed="none")
    for number, notes in enumerate(days, 1):
        for name, text in notes.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text, "utf-8")
        db.ingest(folder, sync=True, now=f"2026-03-{number:02}T10:00:00Z")
    return db


def check_as_if_new(db: MemoryDatabase, folder: Path) -> None:
    """Checks that links, mentions and relations are those of a first reading."""
    with MemoryDatabase(embed="none") as new:
        new.ingest(folder, sync=True, now="2026-03-20T10:00:00Z")
        for query in (LINKS, MENTIONS, RELATIONS):
            assert told(db, query) == told(new, query)


QUINCE = "---\nup: '[[Orchard]]'\n---\nThe quince stands near the wall."


@pytest.mark.parametrize(
    "orchard",
    ["# New\n\nIt was laid out anew.", "# Before all\n\nThere was a meadow.\n\n# Old\n\nMany trees."],
    ids=["another text", "a section before"],
)
def test_a_field_links_to_a_note_whose_beginning_was_written_anew(tmp_path: Path, orchard: str) -> None:
    """The link led to the passage that had been the first one, which is no more or stands further down."""
    before = {"Orchard.md": "# Old\n\nMany trees.", "Quince.md": QUINCE}
    db = read_day_by_day(tmp_path, before, {"Orchard.md": orchard})
    assert [link[2:] for link in told(db, LINKS)] == [("part_of", "front matter")]
    check_as_if_new(db, tmp_path)


def test_a_field_links_to_a_note_that_comes_later_and_not_to_one_that_went(tmp_path: Path) -> None:
    orchard = {"Orchard.md": "# Old\n\nMany trees."}
    db = read_day_by_day(tmp_path, {"Quince.md": QUINCE}, orchard)
    assert [link[2:] for link in told(db, LINKS)] == [("part_of", "front matter")]
    check_as_if_new(db, tmp_path)
    (tmp_path / "Orchard.md").unlink()
    db.ingest(tmp_path, sync=True)
    assert told(db, LINKS) == []


def test_a_folder_is_no_mention_of_its_note_however_often_a_note_in_it_is_read(tmp_path: Path) -> None:
    notes: dict[str, str | None] = {
        "Orchard/Orchard.md": "All of the trees.",
        "Orchard/Quince.md": "It stands near the wall.",
        "Orchard/Plum.md": "It bears fruit.",
    }
    again = {name: f"{text} It is old." for name, text in notes.items()}
    db = read_day_by_day(tmp_path, notes, again)
    check_as_if_new(db, tmp_path)


ENTITIES = "select name from entities where merged_into is null"


def test_a_name_that_was_taken_out_of_a_note_is_in_the_database_no_more(tmp_path: Path) -> None:
    """Names stayed for ever, were offered while a question was typed, and `about` knew them."""
    before = "We asked Zorbla Quint about the wall, and Zorbla Quint came."
    db = read_day_by_day(
        tmp_path,
        {"Quince.md": before, "Wall.md": "The wall is old."},
        {"Quince.md": "We asked nobody.", "Pear.md": "Hana Moreau prunes it with Hana Moreau's knife."},
    )
    assert ("Hana Moreau",) in told(db, ENTITIES)
    assert ("Zorbla Quint",) not in told(db, ENTITIES)
    assert db.completions("who is Zor") == []
    check_as_if_new(db, tmp_path)


def test_only_names_that_something_speaks_of_are_kept(tmp_path: Path) -> None:
    """Within a longer name, a shorter one that a text seemed to have is no mention, and was stored all the same."""
    (tmp_path / "Tools.md").write_text(
        "He met Anna Berg Olsen. Then Anna Berg Olsen left.\n\n- Berg Olsen, A.", "utf-8"
    )
    with MemoryDatabase(embed="none") as db:
        db.ingest(tmp_path)
        alone = "select name from entities where key not in (select entity_key from mentions)"
        last = "select name from entities order by key desc limit 1"
        assert set(told(db, alone)) <= set(told(db, last))


def test_what_a_person_said_of_a_name_stays_without_a_mention(tmp_path: Path) -> None:
    db = read_day_by_day(tmp_path, {"Quince.md": "Zorbla Quint came with Zorbla Quint's dog."})
    db.relate("Zorbla Quint", "knows", "Hana Moreau")
    db.me("Ines Falk", aliases=["Falkner"])
    (tmp_path / "Quince.md").write_text("Nobody came, as Pera Lund said to Pera Lund.", "utf-8")
    db.ingest(tmp_path, sync=True)
    names = {name for (name,) in told(db, ENTITIES)}
    assert {"Zorbla Quint", "Hana Moreau", "Ines Falk"} <= names


def test_a_note_with_another_title_is_where_its_links_lead(tmp_path: Path) -> None:
    """Links went on to lead to the old title, in notes that were read before and in those that came later."""
    days: tuple[dict[str, str | None], ...] = (
        {"orchard.md": "# The Old Orchard\n\nQuinces stand here.", "Diary.md": "I was in [[orchard]] all day."},
        {"orchard.md": "# Meadow Rise\n\nQuinces stand here."},
        {"Letter.md": "Come and see [[orchard]], it blooms."},
    )
    db = read_day_by_day(tmp_path, *days)
    links = [row for row in told(db, MENTIONS) if row[2] == "wikilink"]
    assert [row[1] for row in links] == ["Meadow Rise", "Meadow Rise"]
    assert db.names_beginning("The Old") == []
    check_as_if_new(db, tmp_path)


def test_a_note_that_went_takes_its_other_names_with_it_and_brings_them_back(tmp_path: Path) -> None:
    robert = "---\naliases: [Bobsy]\n---\nHe grows quinces."
    days: tuple[dict[str, str | None], ...] = (
        {"Robert Falk.md": robert, "Diary.md": "I saw Bobsy near the wall, and Bobsy waved."},
        {"Robert Falk.md": None},
    )
    db = read_day_by_day(tmp_path, *days)
    assert "Robert Falk" not in {row[1] for row in told(db, MENTIONS)}
    check_as_if_new(db, tmp_path)
    (tmp_path / "Robert Falk.md").write_text(robert, "utf-8")
    db.ingest(tmp_path, sync=True)
    assert ("I saw Bobsy near the wall, and Bobsy waved.", "Robert Falk", "text", "Bobsy") in told(db, MENTIONS)
    check_as_if_new(db, tmp_path)


def test_notes_are_called_after_their_files_while_others_have_their_title(tmp_path: Path) -> None:
    """The first note kept the title when a second one with it came, and that was called after its file ever after."""

    def called(db: MemoryDatabase) -> set[tuple[str, str]]:
        return {(row[1], row[3]) for row in told(db, MENTIONS) if row[2] in ("title", "wikilink")}

    harvest = "# Harvest\n\n{} was good."
    first: dict[str, str | None] = {"quinces.md": harvest.format("It"), "Diary.md": "See [[quinces]], [[pears]]."}
    second: dict[str, str | None] = {"pears.md": harvest.format("That")}
    db = read_day_by_day(tmp_path, first, second)
    both = {("quinces", "Harvest"), ("pears", "Harvest"), ("quinces", "quinces"), ("pears", "pears")}
    assert called(db) == {*both, ("Diary", "Diary")}
    (tmp_path / "quinces.md").unlink()
    db.ingest(tmp_path, sync=True)
    assert called(db) == {("Harvest", "Harvest"), ("Harvest", "pears"), ("quinces", "quinces"), ("Diary", "Diary")}
    again = db.ingest(tmp_path, sync=True)
    assert again.unchanged == again.total == 2


def test_a_copy_of_a_note_in_another_folder_leaves_it_its_title(tmp_path: Path) -> None:
    """Both were called after their file, which tells them apart no better: `2024-07-12-chickadee`."""
    note = "# Chickadee\n\nA small bird at the window."
    db = read_day_by_day(tmp_path, {"notes/2024-07-12-bird.md": note, "backup/2024-07-12-bird.md": note})
    assert {row[1] for row in told(db, MENTIONS) if row[2] == "title"} == {"Chickadee"}


DIARY: dict[str, str | None] = {
    "Diary.md": "I met Bobsy and Robsy near the wall. Robsy waved, Bobsy sang. See [[Rob]]."
}


def test_a_note_is_called_as_its_front_matter_says_now(tmp_path: Path) -> None:
    """Another alias had no effect as long as the text of the note was the same: the old one stayed for ever."""
    note = "---\naliases: [{}]\n---\nHe grows quinces."
    db = read_day_by_day(tmp_path, {**DIARY, "Robert Falk.md": note.format("Bobsy")})
    for name, notes in (
        ("Robsy", {"Robert Falk.md": note.format("Robsy")}),
        ("Rob", {"Robert Falk.md": note.format("Rob")}),
        (None, {"Robert Falk.md": "He grows quinces."}),
    ):
        for file, text in notes.items():
            (tmp_path / file).write_text(text, "utf-8")
        db.ingest(tmp_path, sync=True)
        said = {row[3] for row in told(db, MENTIONS) if row[1] == "Robert Falk" and row[2] != "title"}
        assert said == ({name} if name else set())
        check_as_if_new(db, tmp_path)


def test_a_link_by_the_new_name_of_a_file_leads_to_its_note(tmp_path: Path) -> None:
    """A note has its title in a heading; its file was renamed, and what linked to it was changed with it."""
    note = "# The Falk Orchard\n\nQuinces stand near the wall here, all in one row."
    link = {"Diary.md": "I was in [[orchard]]."}
    db = read_day_by_day(tmp_path, {"orchard.md": note, **link}, {"orchard.md": None, "trees.md": note, **link})
    assert db.conn.execute("select count(*) from documents").fetchone()[0] == 2
    (tmp_path / "Diary.md").write_text("I was in [[trees]].", "utf-8")
    db.ingest(tmp_path, sync=True)
    assert ("I was in [[trees]].", "The Falk Orchard", "wikilink", "trees") in told(db, MENTIONS)
    check_as_if_new(db, tmp_path)


def test_what_a_note_is_follows_its_front_matter(tmp_path: Path) -> None:
    """The first kind and description of a page stayed, whatever it said later."""
    note = "---\ntype: {}\ndescription: {}\n---\nIt stands at the river."
    db = read_day_by_day(tmp_path, {"Zorbla.md": note.format("person", "A baker in Lyon.")})
    assert (db.about("Zorbla").kind, db.about("Zorbla").description) == ("person", "A baker in Lyon.")
    (tmp_path / "Zorbla.md").write_text(note.format("place", "A mill in Metz."), "utf-8")
    db.ingest(tmp_path, sync=True)
    assert (db.about("Zorbla").kind, db.about("Zorbla").description) == ("place", "A mill in Metz.")
    (tmp_path / "Zorbla.md").write_text("It stands at the river.", "utf-8")
    db.ingest(tmp_path, sync=True)
    assert (db.about("Zorbla").kind, db.about("Zorbla").description) == ("thing", None)


def test_what_a_model_or_a_text_says_of_a_page_stays_when_the_page_says_nothing(tmp_path: Path) -> None:
    db = read_day_by_day(tmp_path, {"Zorbla.md": "It stands at the river.", "Talk.md": "---\ntype: x\n---\nYes."})
    db.conn.execute("update entities set kind = 'place', description = 'a mill' where name = 'Zorbla'")
    (tmp_path / "Zorbla.md").write_text("It stands at the river, still.", "utf-8")
    db.ingest(tmp_path, sync=True)
    assert (db.about("Zorbla").kind, db.about("Zorbla").description) == ("place", "a mill")


def test_a_new_name_is_found_in_older_notes_after_the_newest_names_were_deleted() -> None:
    """It got the key of a deleted name, up to which all names had been looked for."""
    with MemoryDatabase(embed="none") as db:
        db.remember("Quintara stood at the wall, and it was late.")
        newest = db.remember("We asked Zorbla Falk and Pera Lund, then Zorbla Falk and Pera Lund left.")
        db.forget(newest.id, hard=True)
        db.remember("Today Quintara came to see Quintara's mother.")
        named = {text for text, name, *_ in told(db, MENTIONS) if name == "Quintara"}
        assert len(named) == 2


@pytest.mark.parametrize("hard", [True, False], ids=["forgotten for good", "taken out of its note"])
def test_a_memory_that_comes_back_names_whom_it_named(tmp_path: Path, hard: bool) -> None:
    """Whom nothing else named any more was deleted, and what came back named nobody, or who came in his place."""
    db = read_day_by_day(tmp_path, {"Wall.md": "Zorbla Falk and Zorbla Falk's dog built the wall."})
    gone = db.remember("Zorbla Falk was late.", expires_at="2026-01-02T00:00:00Z", now="2026-01-01T00:00:00Z")
    db.maintain(only=["expire"], now="2026-02-01T00:00:00Z")
    assert db.get(gone.id) is None
    wall = next(memory for memory in db if "dog" in memory.text)
    if hard:
        db.forget(wall.id, hard=True)
    (tmp_path / "Wall.md").write_text("Pera Lund and Pera Lund's cat built it, not Hana Moreau.", "utf-8")
    db.ingest(tmp_path, sync=True)
    db.unprune(gone.id)
    assert {row[1] for row in told(db, MENTIONS) if row[0] == gone.text} == {"Zorbla Falk"}


@pytest.mark.parametrize("undone", [True, False], ids=["undo", "bring back"])
def test_a_forgotten_page_takes_its_names_along_and_brings_them_back(tmp_path: Path, undone: bool) -> None:
    """Its title, kind and aliases were told on, for another note links to its file, or they came back as text."""
    notes = {"rob.md": "---\naliases: [Robsy]\ntype: place\n---\n# Falk Orchard\n\nHe grows quinces."}
    db = read_day_by_day(tmp_path, {**notes, "Diary.md": "I was in [[rob]]."})
    before = told(db, MENTIONS)
    run = db.forget_source(tmp_path / "rob.md").run
    assert [row[1] for row in told(db, MENTIONS) if row[2] == "wikilink"] == ["rob"]
    assert told(db, "select alias from aliases where source in ('alias', 'file')") == []
    assert told(db, "select kind from entities where kind = 'place'") == []
    db.ingest(tmp_path, sync=True)
    if undone:
        db.undo(run)
    else:
        db.bring_back(tmp_path / "rob.md")
    db.ingest(tmp_path, sync=True)
    assert told(db, MENTIONS) == before
    assert db.about("Robsy").kind == "place"


def test_fields_are_those_of_the_first_passage_alone(tmp_path: Path) -> None:
    """What had been the first one kept them, too: a note said twice what its front matter says once."""
    head = "---\nup: '[[Orchard]]'\nauthor: '[[Ida Moss]]'\n---\n"
    quince = "## Wall\n\nThe quince stands near the wall."
    days = (
        {"Quince.md": head + quince, "Orchard.md": "Old."},
        {"Quince.md": f"{head}## Before\n\nSee here.\n\n{quince}"},
    )
    with read_day_by_day(tmp_path, *days) as db:
        check_as_if_new(db, tmp_path)
        assert db.conn.execute("select count(*) from evidence where method = 'field'").fetchone()[0] == 2


ROSA = {"Rosa Lind.md": "She cooks.", "Other.md": "Hanno Grell came by, and Hanno Grell sang."}
SHOWN = "We saw [[Rosa Lind|Hanno Grell]] today."


@pytest.mark.parametrize(
    "days",
    [
        ("We saw [[Rosa Lind]] and Hanno Grell today.",),
        ("We saw [[Rosa Lind|Hanno]] today, not Hanno Grell.",),
        (None,),
        (None, SHOWN),
        (f"{SHOWN} It was late.",),
        ("We saw [[Rosa Lind]] and [[Rosa Lind|Hanno Grell]] today.",),
    ],
    ids=["mended", "shown otherwise", "gone", "gone and back", "still there", "second there"],
)
def test_what_no_link_shows_any_more_is_no_name(tmp_path: Path, days: tuple[str | None, ...]) -> None:
    first = {**ROSA, "Link.md": SHOWN}
    with read_day_by_day(tmp_path, first, *({"Link.md": text} for text in days)) as db:
        check_as_if_new(db, tmp_path)
        shown = "|Hanno Grell]]" in (days[-1] or "")
        assert ("Hanno Grell" in db.about("Rosa Lind").aliases) == shown


def test_what_another_link_shows_stays_a_name(tmp_path: Path) -> None:
    first = {**ROSA, "Link.md": SHOWN, "More.md": f"{SHOWN} Again."}
    with read_day_by_day(tmp_path, first, {"Link.md": "Nothing."}) as db:
        check_as_if_new(db, tmp_path)
        assert "Hanno Grell" in db.about("Rosa Lind").aliases


def test_a_name_that_the_second_link_of_a_text_shows_is_not_taken_and_given_again(tmp_path: Path) -> None:
    """Whatever has the name was read again each time."""
    both = "We saw [[Rosa Lind]] and [[Rosa Lind|Hanno Grell]] today."
    key = "select key from aliases where alias = 'Hanno Grell' and source = 'wikilink'"
    with read_day_by_day(tmp_path, {**ROSA, "Link.md": both}) as db:
        before = told(db, key)
        (tmp_path / "Link.md").write_text(f"{both} It was late.")
        db.ingest(tmp_path, sync=True)
        assert told(db, key) == before != []
