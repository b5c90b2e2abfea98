"""A word that no memory has is read as the nearest one that some have, and the recall says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.retrieval.known_words import TOGETHER, KnownWords
from memkit.storage.filters import Scope
from memkit.widgets.hit_cards import cards as page

TEXTS = [
    ("Rosa planted the quince in March.", "garden"),
    ("The Nightshade is a restaurant on Quay Street.", "global"),
    ("My favourite colour is green.", "global"),
    ("The analyze step organizes the files.", "work"),
    ("The database is backed up at night.", "work"),
    ("Der Schlüssel liegt im Gartenhaus.", "garden"),
    ("We ate marmelada with cheese.", "garden"),
    ("The hen house was packed with straw.", "garden"),
]


@pytest.fixture(scope="module")
def db() -> Iterator[MemoryDatabase]:
    with MemoryDatabase() as made:
        for text, project in TEXTS:
            made.remember(text, project=project)
        made.remember("The blomkvist plan is secret.", project="secret")
        yield made


def read(db: MemoryDatabase, question: str, **options: str | bool) -> dict[str, str]:
    said = [one.split("'") for one in db.recall(question, **options).warnings if one.startswith("Nothing has")]
    return {parts[1]: parts[3] for parts in said}


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("who planted the quinse?", {"quinse": "quince"}),
        ("who planted the qunice?", {"qunice": "quince"}),
        ("who planted the quinnce?", {"quinnce": "quince"}),
        ("where is Nightshde?", {"Nightshde": "Nightshade"}),
        ("favorite color", {"favorite": "favourite", "color": "colour"}),
        ("how do I analyse and organise the files?", {"analyse": "analyze", "organise": "organize"}),
        ("when is the data base backed up?", {"data base": "database"}),
        ("the henhouse", {"henhouse": "hen house"}),
        ("wo ist das Garten haus?", {"Garten haus": "gartenhaus"}),
        ("marmelade", {"marmelade": "marmelada"}),
    ],
)
def test_a_word_that_nothing_has_is_read_as_the_nearest(
    db: MemoryDatabase, question: str, wanted: dict[str, str]
) -> None:
    assert read(db, question) == wanted


@pytest.mark.parametrize(
    "question",
    [
        "who planted the quince?",
        "quinces",  # another form of a word that is there
        "where is Bo?",
        "green green",
        "who is Rosi?",  # a short name is another name
        "the biking tour",  # a word, only not one of these memories
        "What ever is planted?",  # `whatever` has the stem of no word that is there
        "quins",  # too short to say what is meant
        "https://example.org/quinse a@quinse.example quinse_dir #quinse",
        "剪定の覚え書き",
        "wer hat die quinse gesehen?",  # of other languages there is no dictionary
        "¿quién ha visto la quinse?",
        "Квинсе",
        "",
    ],
)
def test_what_is_there_or_is_a_word_is_left_as_it_is(db: MemoryDatabase, question: str) -> None:
    assert read(db, question) == {}


def test_the_question_finds_what_it_would_find_without_the_mistake(db: MemoryDatabase) -> None:
    right, wrong = db.recall("who planted the quince?"), db.recall("who planted the quinse?")
    assert [hit.memory.id for hit in right.hits] == [hit.memory.id for hit in wrong.hits]
    assert right.confidence == wrong.confidence
    assert (wrong.question, wrong.searched) == ("who planted the quinse?", "who planted the quince?")
    assert "<mark>quince</mark>" in page(wrong)
    assert right.searched == right.question


def test_a_question_learns_no_word_of_another_project(db: MemoryDatabase) -> None:
    assert read(db, "blomkvst plan") == {"blomkvst": "blomkvist"}
    assert read(db, "blomkvst plan", project="garden", only_project=True) == {}
    # A word that only others have is none here, so it is read as any other word that nothing has.
    db.remember("The blomkvisk is a fountain.", project="garden")
    assert read(db, "blomkvist", project="garden", only_project=True) == {"blomkvist": "blomkvisk"}


def test_a_forgotten_word_is_no_word() -> None:
    with MemoryDatabase() as db:
        key = db.remember("The blomkvist plan is secret.").id
        db.remember("The plan is public.")
        db.forget(key)
        assert read(db, "blomkvst plan") == {}


def test_at_most_three_words_are_read_otherwise(db: MemoryDatabase) -> None:
    assert len(read(db, "where is the quinse of the Nightshde in our favorite restaurent of all")) == 3


@given(st.text(st.characters(max_codepoint=0x2FF) | st.sampled_from("'’\"*:^()-+ "), max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_is_a_question(db: MemoryDatabase, question: str) -> None:
    assert db.recall(question).question == question


def test_candidates_that_no_memory_has_are_looked_for_together(db: MemoryDatabase) -> None:
    run: list[str] = []
    known = KnownWords(db.conn, Scope("2026-03-01T00:00:00Z"))
    unknown = [f"xq{letter}{other}" for letter in "abcdefgh" for other in "klmnopqr"]
    db.conn.set_trace_callback(run.append)
    try:
        assert known.best(unknown) is None
        assert sum("memories_fts match" in one for one in run) == len(unknown) / TOGETHER
        assert known.best([*unknown, "quince", "green"]) == "green", "as many memories have both"
    finally:
        db.conn.set_trace_callback(None)
