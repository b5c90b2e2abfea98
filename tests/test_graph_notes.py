"""What notes call themselves and what they mention: no dates, no ids, no addresses, no words of everybody."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.ingestion.front_matter import READER
from memkit.storage import store

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


def test_the_front_matter_of_a_day_links_notes_and_makes_no_entity(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {
        "2024-05-31.md": "---\nup: '[[2024-05]]'\nauthor: '[[Rosa Tamsin]]'\ndescription: A day\n---\nWe planted it.",
        "2024-05.md": "---\nrelated: '[[Quince]]'\n---\nThe month of May.",
        "Quince.md": "---\nrelated: '[[2024-05-31]]'\n---\nA tree.",
    }
    garden(db, tmp_path, notes)
    assert not {name for name in entities(db) if name[0].isdigit()}
    rows = """
        select a.title, l.type, b.title from links as l join memories as a on a.key = l.from_key
            join memories as b on b.key = l.to_key where l.why = 'front matter' order by 1
    """
    assert [tuple(row) for row in db.conn.execute(rows)] == [
        ("2024-05", "relates_to", "Quince"),
        ("2024-05-31", "part_of", "2024-05"),
        ("Quince", "relates_to", "2024-05-31"),
    ]
    waiting = "select count(*) from extractions where extractor = ? and hash = ''"
    assert db.conn.execute(waiting, (READER,)).fetchone()[0] == 0  # so that no run reads them again


LECTURE = {"Lecture.md": "---\ncourse: cpsc304\n---\nTables and keys."}
COURSE = {"Term.md": "This term I take [[CPSC304]] with Ines."}


def test_what_a_field_names_is_known_whenever_its_name_came(db: MemoryDatabase, tmp_path: Path) -> None:
    """A vault grows: the second day says what a first reading of all would say."""
    garden(db, tmp_path, LECTURE)
    garden(db, tmp_path, COURSE)
    assert relations(db, "Lecture") == {("course", "CPSC304")}
    assert db.ingest(tmp_path, now=NOW).relations == 0


def test_what_a_field_named_stays_said_when_the_name_is_merged(db: MemoryDatabase, tmp_path: Path) -> None:
    garden(db, tmp_path, LECTURE | COURSE)
    assert relations(db, "Lecture") == {("course", "CPSC304")}
    db.relate("Databases", "is a", "course", now=NOW)
    db.merge("Databases", "CPSC304", now=NOW)
    db.ingest(tmp_path, now=NOW)
    assert relations(db, "Lecture") == {("course", "Databases")}


def test_the_fields_of_one_note_make_known_what_those_of_another_name(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {
        "A.md": "---\ncourse: Ida Moss\n---\nTables and keys.",
        "B.md": "---\nauthor: Ida Moss\n---\nQuinces and medlars.",
    }
    assert ("course", "Ida Moss") in relations(garden(db, tmp_path, notes), "A")


def test_a_field_is_read_once_while_what_it_names_is_the_same(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {f"{n}.md": f"---\nauthor: Ida Moss{n % 3}\nstage: Budding\n---\nText {n}." for n in range(9)}
    garden(db, tmp_path, notes)
    before = db.conn.execute("select * from extractions order by 1, 2").fetchall()
    later = "2025-07-01T12:00:00Z"
    db.ingest(tmp_path, now=later)
    db.extract(now=later)
    assert db.conn.execute("select * from extractions order by 1, 2").fetchall() == before


def test_several_notes_with_one_heading_are_several_things(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {f"{name}.md": f"# Overview\n\nAbout the {name}." for name in ("quince", "medlar")}
    garden(db, tmp_path, {**notes, "Plan.md": "See [[quince]]."})
    assert entities(db) == {"quince", "medlar", "Plan"}
    assert db.recall("quince", now=NOW)[0].memory.title == "Overview"  # it is still shown as it is written


def test_what_only_texts_call_so_is_meant_where_they_write_it_so(db: MemoryDatabase, tmp_path: Path) -> None:
    small = {f"day {n}.md": "It was a nice tide, and we said so of each nice tide." for n in range(3)}
    garden(db, tmp_path, {**small, "gig.md": "We heard the band Nice Tide play in Quell."})
    assert mentions(db, "Nice Tide") == 1
    garden(db, tmp_path, {"Nice Tide.md": "They play on glasses."})  # with a page, it is a subject of the garden
    assert mentions(db, "Nice Tide") == 4


def test_the_day_and_the_way_of_a_page_are_nothing_that_it_says(db: MemoryDatabase, tmp_path: Path) -> None:
    head = "---\npublished: {}\nsource: {}\n---\nIt is high at noon."
    notes = {
        "Tides.md": head.format("2025-03-04T00:00:00Z", "web-clipper"),
        "Waves.md": head.format("2025-03-04", "[[Rosa]]"),
        "The sea.md": head.format("spring 1999", "Nordlys"),
    }
    garden(db, tmp_path, notes)
    assert relations(db, "Tides") == set()
    assert relations(db, "Waves") == {("source", "Rosa")}
    assert relations(db, "The sea") == {("published", "spring 1999"), ("source", "Nordlys")}


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
        "See ((Otto-57d2-4b11-b1ec)).",
        "![a](a.png){:height 200, :Otto 300}",
        "At otto.example.com, and mp.otto.example.com",
    ],
    ids=["address", "picture", "code", "comment", "formula", "path", "property", "reference", "size", "host"],
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


def relations(db: MemoryDatabase, name: str) -> set[tuple[str, str]]:
    """What the front matter of a note of this name says."""
    return {(one.predicate, one.object) for one in db.about(name, now=NOW).relations if one.predicate != "mentions"}


def test_a_value_of_front_matter_is_a_relation_if_it_links_is_known_or_its_key_is_knowledge(
    db: MemoryDatabase, tmp_path: Path
) -> None:
    note = """---
author: Nadia Ferro, Otto Brandt
genre: [fable, satire]
planted_by: "[[Rosa]]"
tool: Quince
mood: fine
see-also: "[[Quince]]"
rating: 7
cover: "[[cover.png]]"
seen: "[[2024-05-31]]"
order-list-type: number
doc_type: Reference
desc: A story of winter (eg. Quince, Winter, etc)
excerpt: Read about Rosa, Quince, and more.
byline: Ida Lund
publisher: winter.example.com
language: en-GB
ref: see [[Quince]] for what the fields mean
---
It is short."""
    garden(db, tmp_path, {"Winter.md": note, "Quince.md": "A tree."})
    assert relations(db, "Winter") == {
        *(("author", name) for name in ("Nadia Ferro", "Otto Brandt", "Ida Lund")),
        *(("genre", name) for name in ("fable", "satire")),
        ("planted_by", "Rosa"),
        ("tool", "Quince"),
    }


def test_a_value_that_is_an_everyday_word_of_the_texts_is_no_relation(db: MemoryDatabase, tmp_path: Path) -> None:
    """`stage: Budding` said something of every note, since one text had the word with a capital."""
    notes = {
        f"{name}.md": "---\nstage: Budding\ntool: Obelion\n---\nIt is short." for name in ("Winter", "Spring tide")
    }
    notes["Talk.md"] = "We asked the Budding and the Obelion people."
    garden(db, tmp_path, notes)
    assert relations(db, "Winter") == {("tool", "Obelion")}


def test_what_stands_on_the_card_of_a_person_is_knowledge(db: MemoryDatabase, tmp_path: Path) -> None:
    card = "born: 1969-03-01\nphone: +49 170 1234567\nE-mail: ana@example.org\n"
    card += "allergies: [peanuts, pollen]\nGeburtstag: 1.3."
    garden(db, tmp_path, {"Ana Ferro.md": f"---\n{card}\n---\nWe met in Porto."})
    assert relations(db, "Ana Ferro") == {
        ("born", "1969-03-01"), ("phone", "+49 170 1234567"), ("e_mail", "ana@example.org"),
        ("allergies", "peanuts"), ("allergies", "pollen"), ("geburtstag", "1.3."),
    }  # fmt: skip


def test_the_setting_knowledge_fields_adds_keys(db: MemoryDatabase, tmp_path: Path) -> None:
    store.set_setting(db.conn, "knowledge_fields", ["Mood", "status"])
    garden(db, tmp_path, {"Winter.md": "---\nmood: fine\nstatus: kept\nrating: seven\n---\nIt is short."})
    assert relations(db, "Winter") == {("mood", "fine"), ("status", "kept")}


def test_a_value_is_not_torn_inside_its_brackets(db: MemoryDatabase, tmp_path: Path) -> None:
    garden(db, tmp_path, {"Pump.md": "---\nlocation: Tessel Harbour (north, dry), Ashby\n---\nIt is old."})
    assert relations(db, "Pump") == {("location", "Tessel Harbour (north, dry)"), ("location", "Ashby")}


def test_a_note_called_after_a_day_states_nothing_of_the_day(db: MemoryDatabase, tmp_path: Path) -> None:
    garden(db, tmp_path, {"2024-05-31.md": "---\nauthor: Nadia Ferro\npeople: ['[[Rosa]]']\n---\nIt rained."})
    assert entities(db) == {"Rosa"}
    assert db.about("Rosa", now=NOW).mentioned == 1


def test_a_line_that_stands_in_a_third_of_the_notes_of_a_folder_mentions_nobody(
    db: MemoryDatabase, tmp_path: Path
) -> None:
    words = "amber birch cedar dune ember fjord".split()
    template = "Asked by Otto Brandt for the Kestrel Institute.\n\n[[Home]]\n\n```\nkestrel()\n```\n"
    notes = {f"log/{word}.md": f"{template}\nWe saw the {word} of Otto Brandt." for word in words[:2]}
    notes |= {f"log/{word}.md": f"{template}\nWe saw the {word}." for word in words[2:]}
    garden(db, tmp_path, {**notes, "Home.md": "See the Kestrel Institute."})
    assert mentions(db, "Otto Brandt") == 2
    assert mentions(db, "Kestrel Institute") == 1
    assert db.about("Home", now=NOW).mentioned == 1
    later = {"log/grove.md": f"{template}\nWe saw the grove."}  # what is boilerplate is known for later notes
    assert mentions(garden(db, tmp_path, later), "Otto Brandt") == 2


def test_a_line_added_to_five_notes_of_many_is_said_in_each(db: MemoryDatabase, tmp_path: Path) -> None:
    """Only the changed notes were counted, so that what five of them had in common was all that was left out."""
    notes = {f"log/{n}.md": f"Number {n} was a quiet day." for n in range(30)}
    garden(db, tmp_path, notes)
    added = "On Friday Otto Brandt repaired the pump."
    garden(db, tmp_path, {name: f"{text}\n\n{added}" for name, text in list(notes.items())[:5]})
    assert mentions(db, "Otto Brandt") == 5


def test_lines_of_a_few_notes_or_of_chats_are_no_boilerplate(db: MemoryDatabase, tmp_path: Path) -> None:
    garden(db, tmp_path, {f"{word}.md": f"We saw Otto.\n\nThe {word}." for word in ("amber", "birch", "cedar", "dune")})
    db.ingest([{"text": "We saw Otto."} for _ in range(9)], now=NOW)
    assert mentions(db, "Otto") == 13


def test_the_heading_that_a_link_leads_to_is_no_name_for_its_page(db: MemoryDatabase, tmp_path: Path) -> None:
    """Each of the persons of one page was the page, and could not be asked for."""
    notes = {
        "People.md": "# People\n\n## Otto Brandt\nHe keeps bees.\n\n## Nadia Ferro\nShe has a boat.",
        "Pond.md": "We met [Otto Brandt](People.md#Otto%20Brandt), and [2. The old pond](People.md#ponds) was dry.",
        "Weg.md": "Dort hat [Hamid ben Seyr](People.md#hamid-ben-seyr) gesessen, siehe [Setup](People.md#setup).",
        "Lake.md": "Later [[People#Nadia Ferro|Nadia Ferro]] came. [Otto](People.md#Otto%20Brandt) did not.",
    }
    garden(db, tmp_path, notes)
    assert (db.about("Otto Brandt", now=NOW).name, db.about("Nadia Ferro", now=NOW).name) == (
        "Otto Brandt",
        "Nadia Ferro",
    )
    assert {"Hamid ben Seyr", "Setup"} & entities(db) == {"Hamid ben Seyr"}
    said = db.about("Pond", now=NOW).relations
    assert [one.object for one in said] == ["People"]
    (quote,) = db.conn.execute("select quote from evidence where quote like '%pond%'").fetchone()
    assert quote == notes["Pond.md"]


def test_the_words_of_links_to_several_notes_name_none_of_them(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {f"part {n}.md": f"It was late.\n\n[[part {n + 1}|Siguiente Capítulo]]" for n in range(3)}
    garden(db, tmp_path, {**notes, "Plan.md": "See [[part 1|The Long Road]], and read the Siguiente Capítulo."})
    assert db.about("The Long Road", now=NOW).name == "part 1"
    assert db.about("part 1", now=NOW).mentioned == 3  # its own note, and two links


def test_a_word_that_only_orders_notes_is_meant_where_it_is_linked(db: MemoryDatabase, tmp_path: Path) -> None:
    garden(db, tmp_path, {"A.md": "- [[TODO]]\n- [[Rosa]]", "B.md": "- TODO ask Rosa", "C.md": "- TODO water it"})
    assert (mentions(db, "TODO"), mentions(db, "Rosa")) == (0, 1)  # in the text; the link is one, too


def test_a_link_to_the_page_of_a_folder_or_to_a_file_makes_no_entity(db: MemoryDatabase, tmp_path: Path) -> None:
    garden(db, tmp_path, {"Plan.md": "[Home](index.md) [[README]] [[toc]] [[sketch.png]] [[letter.pdf|the letter]]"})
    assert entities(db) == {"Plan"}


def test_a_handle_or_a_name_is_no_person_without_a_reason(db: MemoryDatabase, tmp_path: Path) -> None:
    garden(db, tmp_path, {"Plan.md": "We like React and GitHub, and ask @React about `@mixin`."})
    assert {kind for (kind,) in db.conn.execute("select kind from entities")} == {"thing"}


def test_a_kind_is_the_word_and_no_link(db: MemoryDatabase, tmp_path: Path) -> None:
    garden(db, tmp_path, {"Quince.md": "---\ntype: '[[Tree]]'\n---\nIt is old."})
    assert db.conn.execute("select kind from entities where name = 'Quince'").fetchone()[0] == "tree"


def test_a_few_memories_know_what_is_linked_elsewhere(db: MemoryDatabase, tmp_path: Path) -> None:
    """In a small ingest, the statistics of links were missing: a note that is linked counted as an everyday word."""
    notes = {f"{n}.md": f"We saw [[quince]] on day {n}." for n in range(4)}
    garden(db, tmp_path, {**notes, "quince.md": "A tree.", "x.md": "We ate quince, and quince again, and quince."})
    garden(db, tmp_path, {"y.md": "They ate quince."})
    assert mentions(db, "quince") == 2


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


def names(db: MemoryDatabase, name: str) -> set[str]:
    """All names of the entity that this name means first."""
    rows = db.conn.execute(
        "select alias from aliases where entity_key = ("
        " select min(e.key) from aliases as a join entities as e on e.key = a.entity_key"
        " where a.alias = ? and e.merged_into is null)",
        [name],
    )
    return {alias for (alias,) in rows}


@pytest.mark.parametrize("later", [False, True], ids=["at once", "the page comes later"])
def test_what_texts_and_links_call_by_a_pages_alias_is_the_page(
    db: MemoryDatabase, tmp_path: Path, later: bool
) -> None:
    """`[[Pome]]` was an entity of its own beside the note `Quince` with the alias Pome, with half of the mentions."""
    page = {"Quince.md": "---\naliases: [Pome, Quitte]\n---\nA tree."}
    others = {"a.md": "I saw the Quitte in bloom.", "b.md": "See [[Pome]]."}
    garden(db, tmp_path, others if later else {**page, **others})
    if later:
        garden(db, tmp_path, page)
    assert entities(db) == {"Quince", "a", "b"}
    assert names(db, "Quince") == {"Quince", "Pome", "Quitte"}
    said = db.conn.execute(
        "select count(*) from mentions as m join entities as e on e.key = m.entity_key where e.name = 'Quince'"
    )
    assert said.fetchone()[0] == 3
    assert len(db.about("Pome").relations) == 1


def test_an_alias_of_two_pages_is_taken_by_neither(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {f"{name}.md": f"---\naliases: [Pome]\n---\nThe {name.lower()}." for name in ("Quince", "Medlar")}
    garden(db, tmp_path, {"a.md": "We saw the [[Pome]]."})
    garden(db, tmp_path, notes)
    assert entities(db) == {"a", "Pome", "Quince", "Medlar"}


def test_a_title_comes_before_an_alias_of_another_page(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {
        "How to use Obelion.md": "---\naliases: [Obelion]\n---\nOpen it.",
        "obelion.md": "A program.",
        "a.md": "I opened Obelion.",
    }
    garden(db, tmp_path, notes)
    assert names(db, "obelion") == {"obelion"}
    assert mentions(db, "obelion") == 1


def test_what_is_said_of_a_thing_does_not_speak_of_the_article_about_it(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {
        "posts/wharfinger.md": "# Wharfinger explained\n\nHow it works.",
        "a.md": "We moved to Wharfinger, see [[posts/wharfinger|Wharfinger]].",
        "b.md": "I like Wharfinger.",
    }
    garden(db, tmp_path, notes)
    assert {"Wharfinger", "Wharfinger explained"} <= entities(db)
    assert mentions(db, "Wharfinger") == 2
    assert mentions(db, "Wharfinger explained") == 0
    assert [str(one.object) for one in db.about("a").relations if one.predicate == "mentions"] == [
        "Wharfinger explained"
    ]


def test_a_link_to_a_page_in_a_namespace_leads_to_it(db: MemoryDatabase, tmp_path: Path) -> None:
    """`[[Garden/Trees]]` made an entity `Trees` beside the page `Garden/Trees`."""
    notes = {
        "pages/Garden___Trees.md": "- They stand there.",
        "pages/Wood___Trees.md": "- Others.",
        "pages/a.md": "- See [[Wood/Trees]].",
        "pages/b.md": "- See [[folder/Quince]].",
    }
    garden(db, tmp_path, notes)
    assert entities(db) == {"Garden/Trees", "Wood/Trees", "a", "b", "Quince"}
    linked = db.conn.execute(
        "select e.name from mentions as m join entities as e on e.key = m.entity_key where m.role = 'wikilink'"
        " order by e.name"
    )
    assert [name for (name,) in linked] == ["Quince", "Wood/Trees"]


def test_the_acronym_in_a_title_is_a_name_of_the_page(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {"Quince Tree Register (QTR).md": "A list.", "Medlar (tree).md": "One.", "a.md": "We asked the QTR today."}
    garden(db, tmp_path, notes)
    assert names(db, "QTR") == {"QTR", "Quince Tree Register", "Quince Tree Register (QTR)"}
    assert "tree" not in names(db, "Medlar (tree)")
    assert mentions(db, "Quince Tree Register (QTR)") == 1


def test_who_made_a_work_is_a_relation_without_a_sentence(db: MemoryDatabase, tmp_path: Path) -> None:
    garden(db, tmp_path, {"Shelf.md": "Read twice: _Stone Weather_ by Edda Meulen."})
    assert ("by", "Edda Meulen") in relations(db, "Stone Weather")


def test_a_file_that_is_called_by_a_word_of_everybody_is_meant_where_it_is_linked(
    db: MemoryDatabase, tmp_path: Path
) -> None:
    """`elemente.md` about the elements of the DOM was mentioned wherever somebody wrote of elements."""
    page = {"beete.md": "# Beete im Nordgarten\n\nEs sind sechs."}
    others = {f"{name}.md": "Wir haben die Beete nicht gegossen, und die Beete sind trocken." for name in "ab"}
    garden(db, tmp_path, {**page, **others, "c.md": "Es geht um [[beete]]."})
    said = "select d.title from mentions as m join memories as y on y.key = m.memory_key"
    said += " join documents as d on d.key = y.document_key join entities as e on e.key = m.entity_key"
    assert {title for (title,) in db.conn.execute(f"{said} where e.name = 'Beete im Nordgarten'")} == {
        "Beete im Nordgarten",
        "c",
    }


def test_fields_under_a_heading_of_metadata_are_about_the_note(db: MemoryDatabase, tmp_path: Path) -> None:
    rest = "\n\n# Summary\n\nA long walk.\n\n# Further reading\n\n- Author: [[Bo Ek]]"
    told = "It is about walls that were built without mortar, and about those who built them. " * 20
    garden(
        db,
        tmp_path,
        {"Stone Weather.md": f"# Stone Weather\n\n{told}\n\n# Metadata\n\n- Author: [[Edda Meulen]]{rest}"},
    )
    stated = [(one.predicate, one.object) for one in db.about("Stone Weather").relations]
    assert [one for one in stated if one[0] != "mentions"] == [("author", "Edda Meulen")]


def test_a_memory_without_words_is_not_recalled_above_words(db: MemoryDatabase, tmp_path: Path) -> None:
    db.remember("![Quince tree](quince.png)")
    db.remember("A quince tree needs sun, and water in summer, says the neighbour who has two.")
    assert [hit.memory.text[:7] for hit in db.recall("quince tree")][:2] == ["A quinc", "![Quinc"]


def test_a_note_of_front_matter_alone_is_words_and_no_yaml(db: MemoryDatabase, tmp_path: Path) -> None:
    garden(
        db, tmp_path, {"Ana.md": "---\nid: 664f6887-8f02-4b40-844d-14dde9dec922\npublish: true\nmood: [fine]\n---\n"}
    )
    assert [text for (text,) in db.conn.execute("select text from memories")] == ["mood: fine"]


def test_a_page_that_is_called_by_a_small_word_is_meant_where_it_is_written_so(
    db: MemoryDatabase, tmp_path: Path
) -> None:
    """`[[IF]]` stood once, and the page was mentioned in 80 passages that began with "If"."""
    notes = {"a.md": "We have an [[IF]].", "b.md": "**If** it rains, we stay.", "c.md": "Note (If not, we go) | If so."}
    garden(db, tmp_path, {**notes, "d.md": "They asked the IF again."})
    assert mentions(db, "IF") == 1


def test_a_link_to_a_number_or_to_a_part_of_a_site_makes_no_entity(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {"Plan.md": "See [[29]], [[mp.example.com]] and [[192.0.2.7]].", "b.md": "There are 29 of mp.example.com."}
    assert entities(garden(db, tmp_path, notes)) == {"Plan", "b"}


def test_a_dotted_path_is_not_mentioned_in_longer_ones(db: MemoryDatabase, tmp_path: Path) -> None:
    notes = {"garden.trees.md": "Some.", "garden.trees.quince.md": "One.", "a.md": "In garden.trees.pear, says Otto."}
    garden(db, tmp_path, {**notes, "b.md": "In garden.trees."})
    assert mentions(db, "garden.trees") == 1


@pytest.mark.parametrize("title", ["为什么", "园艺（精华版）"])
def test_a_chinese_title_that_is_a_word_is_meant_where_it_is_linked(
    db: MemoryDatabase, tmp_path: Path, title: str
) -> None:
    """A note called "why" was mentioned by each passage that asked why; one called 管理（精华版） by each 管理."""
    word = title.partition("（")[0]
    talk = {f"{n}.md": f"人们{word}喜欢这里，{word}很多，第{n}次。" for n in range(9)}
    garden(db, tmp_path, {**talk, f"{title}.md": "一篇笔记。", "看.md": f"见[[{title}]]。"})
    assert mentions(db, title) == 0
    assert db.about(title, now=NOW).mentioned == 2


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ("Harsha Lindqvist", True),
        ("Obrafemi", True),
        ("Staff Writer", False),
        ("Bo's favourites of the week", False),
        ("unknown", False),
        ("Unknown", False),
    ],
)
def test_who_made_something_is_a_name_if_it_is_written_as_one(
    db: MemoryDatabase, tmp_path: Path, value: str, named: bool
) -> None:
    garden(db, tmp_path, {"Stone Weather.md": f'---\nauthor: "{value}"\n---\nIt rains stones.'})
    kinds = dict(db.conn.execute("select name, kind from entities").fetchall())
    assert (kinds.get(value) == "thing") is named


@pytest.mark.parametrize("value", ["{{author}}", "<% tp.user.author() %>"])
def test_what_a_template_fills_in_is_no_author(db: MemoryDatabase, tmp_path: Path, value: str) -> None:
    garden(db, tmp_path, {"Stone Weather.md": f'---\nauthor: "{value}"\n---\nIt rains stones.'})
    assert entities(db) == {"Stone Weather"}


@pytest.mark.parametrize(
    ("value", "authors"),
    [
        ("Harsha Lindqvist and Edda Meulen", {"Harsha Lindqvist", "Edda Meulen"}),
        ("Harsha Lindqvist und Edda Meulen, Bo Ek", {"Harsha Lindqvist", "Edda Meulen", "Bo Ek"}),
        ("Ernst & Young", {"Ernst & Young"}),
        ("Harsha R. Lindqvist", {"Harsha R. Lindqvist"}),
        ("Lindqvist, Harsha R.", {"Harsha R. Lindqvist"}),
        ("Lindqvist, Martin", {"Martin Lindqvist"}),
        ("Lindqvist, Harsha / Obrafemi, Bo", {"Harsha Lindqvist", "Bo Obrafemi"}),
        ("Quince, Medlar", {"Quince", "Medlar"}),
        ("Lindqvist, H.; Obrafemi, Bo A.", {"H. Lindqvist", "Bo A. Obrafemi"}),
        ("@stoneweather on Twitter", {"@stoneweather"}),
        ("The Walls and Gardens Office", {"The Walls and Gardens Office"}),
    ],
)
def test_people_whom_a_word_joins_are_several_authors(
    db: MemoryDatabase, tmp_path: Path, value: str, authors: set[str]
) -> None:
    garden(db, tmp_path, {"Stone Weather.md": f'---\nauthor: "{value}"\n---\nIt rains stones.'})
    assert {
        str(one.object) for one in db.about("Stone Weather", now=NOW).relations if one.predicate == "author"
    } == authors


def test_a_key_of_another_language_says_who_made_something(db: MemoryDatabase, tmp_path: Path) -> None:
    garden(db, tmp_path, {"Stone Weather.md": '---\nautor: "Lindqvist, Martin / Obrafemi, Bo"\n---\nIt rains stones.'})
    stated = {str(one.object) for one in db.about("Stone Weather", now=NOW).relations if one.predicate == "autor"}
    assert stated == {"Martin Lindqvist", "Bo Obrafemi"}


def test_labels_under_a_heading_that_is_a_link_are_about_what_it_leads_to(db: MemoryDatabase, tmp_path: Path) -> None:
    books = (
        "#### [Cloud Forms](books/Cloud%20Forms.md)\n*Author*: Bo Ek\n\n#### [[Stone Weather]]\n*Author*: Edda Meulen\n"
    )
    garden(db, tmp_path, {"Books of 2023.md": books, "Cloud Forms.md": "Clouds.", "Stone Weather.md": "Stones."})
    authors = {
        title: [str(one.object) for one in db.about(title, now=NOW).relations if one.predicate == "author"]
        for title in ("Books of 2023", "Cloud Forms", "Stone Weather")
    }
    assert authors == {"Books of 2023": [], "Cloud Forms": ["Bo Ek"], "Stone Weather": ["Edda Meulen"]}


@pytest.mark.parametrize("folder", ["Templates", "99 - Templates", "📋 - Vorlagen", "Meta/模板", "_templates"])
def test_a_template_is_not_what_texts_speak_of(db: MemoryDatabase, tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir(parents=True)
    garden(db, tmp_path, {f"{folder}/Person.md": "Name: {{name}}", "Walls.md": "For each Person here a Wall of Stone."})
    assert "Person" not in entities(db)
    garden(db, tmp_path, {"Links.md": "See [[Person]]."})
    assert "Person" in entities(db)


def test_the_sort_of_an_entry_in_a_list_of_sources_is_no_knowledge(db: MemoryDatabase, tmp_path: Path) -> None:
    page = "item-type:: [[journalArticle]]\nauthors:: [[Bo Ek]]\n\nIt rains stones."
    garden(db, tmp_path, {"@Stone Weather.md": page})
    told = {(one.predicate, str(one.object)) for one in db.about("@Stone Weather", now=NOW).relations}
    assert ("author", "Bo Ek") in told
    assert not {predicate for predicate, _ in told} & {"item_type", "item-type"}
