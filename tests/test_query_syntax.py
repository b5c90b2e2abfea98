"""Query syntax: phrases, exclusions and filters inside a question; they narrow, never widen, and are said."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.retrieval.query_syntax import operators


@pytest.fixture(scope="module")
def db():
    with MemoryDatabase() as made:
        made.remember("Rosa planted the quince.", project="garden", happened_at="2024-03-01")
        made.remember("The quince was planted\nby the wall.", project="home", happened_at="2025-03-01")
        made.remember("Mia drank tea below the quince.", speaker="Mia", kind="turn", happened_at="2025-04-01")
        made.remember("A rosary of quince stones.", project="home", happened_at="2025-05-01")
        made.remember("我住在杭州。", happened_at="2025-06-01")
        made.remember("我住在苏州。", happened_at="2025-06-02")
        yield made


ROSA, WALL, MIA, ROSARY = (
    "Rosa planted the quince.",
    "The quince was planted\nby the wall.",
    "Mia drank tea below the quince.",
    "A rosary of quince stones.",
)


def found(db, question, **options):
    return {hit.memory.text for hit in db.recall(question, 20, **options)} & {ROSA, WALL, MIA, ROSARY}


@pytest.mark.parametrize(
    ("question", "wanted", "said"),
    [
        ('"planted the quince"', {ROSA}, 'with "planted the quince"'),
        ('"Planted By the Wall"', {WALL}, 'with "Planted By the Wall"'),
        ("quince -rosa", {WALL, MIA, ROSARY}, "without 'rosa'"),
        ("quince -stone", {ROSA, WALL, MIA}, "without 'stone'"),
        ('quince -"planted by"', {ROSA, MIA, ROSARY}, "without 'planted by'"),
        ("quince project:Garden", {ROSA}, "project Garden"),
        ("quince speaker:mia", {MIA}, "speaker mia"),
        ("quince kind:turn", {MIA}, "kind turn"),
        ("quince before:2025", {ROSA}, "before 2025"),
        ("quince after:2025-04", {MIA, ROSARY}, "after 2025-04"),
        ("quince project:home -rosary", {WALL}, "project home; without 'rosary'"),
        ("quince project:home project:garden", set(), "project home; project garden"),
    ],
)
def test_operators_narrow_and_are_said(db, question, wanted, said):
    assert found(db, question) == wanted
    recall = db.recall(question)
    assert recall.question == question
    assert recall.warnings[0] == f"Read in the question: {said}."


@pytest.mark.parametrize(
    "question",
    [
        "a well-known quince",
        "quince at 10:30",
        "-5 degrees in the quince garden",
        'the "quince',
        'who planted "the quince"?',
        "git commit -m quince",
        "ls -la quince --all",
        "`quince -rosa`",
        "kind: quince",
        "https://example.org/quince -",
        "quince -- rosa",
        "Anna -the nurse- likes quince",
        "project:garden",
        "quince「планted」",
        "quince\n-rosa\n-wall",
        "x = quince -rosa",
    ],
)
def test_what_only_looks_like_it_keeps_its_plain_meaning(db, question):
    assert operators(question).rest == question
    assert not [one for one in db.recall(question).warnings if "Read in" in one]


def test_a_filter_that_names_nothing_is_searched_as_words_and_said(db):
    assert found(db, "planted project:quince") == {ROSA, WALL, MIA, ROSARY}
    said = "Read in the question: project:quince is none here, so searched as words."
    assert db.recall("planted project:quince").warnings[0] == said
    assert "before:noon is none here" in db.recall("quince before:noon").warnings[0]


def test_characters_are_left_out_as_they_stand(db):
    assert [hit.memory.text for hit in db.recall("我住在哪里 -杭州。")] != []
    assert "我住在杭州。" not in [hit.memory.text for hit in db.recall('我住在哪里 -"杭州"')]


def test_inside_a_project_another_one_is_as_unknown_as_one_that_does_not_exist(db):
    inside = {"project": "home", "only_project": True}
    for name in ("garden", "nowhere"):
        recall = db.recall(f"quince project:{name}", **inside)
        assert {hit.memory.project for hit in recall} <= {"home", "global"}
        assert recall.warnings[0] == f"Read in the question: project:{name} is none here, so searched as words."


PARTS = ["quince", "planted", "-rosa", '"the quince"', "project:garden", "project:home", "project:global", "kind:turn"]
PARTS += ["before:2025", "after:2024", "speaker:Mia", '"', "-", "project:", '-"planted by"', "kind:fact", "？", "?"]


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(PARTS), max_size=6).map(" ".join) | st.text(max_size=40),
    st.sampled_from(
        [
            {"project": "home", "only_project": True},
            {"kinds": "turn"},
            {"since": "2025-04"},
            {"until": "2025"},
            {"as_of": "2024-06"},
        ]
    ),
)
def test_a_question_never_leaves_the_filters_of_the_caller(db, question, within):
    allowed = set(db.recall("quince planted tea rosary 我住", 50, **within).ids)
    assert set(db.recall(question, 50, **within).ids) <= allowed
