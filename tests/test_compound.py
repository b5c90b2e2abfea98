"""Compound questions: several questions in one text are each asked for themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.retrieval.compound import MOST_PARTS, parts
from memkit.text.words import is_question, says_anything

NOW = "2026-03-01T12:00:00Z"
TWO = "Which glaze is on the celadon teapot from Jingdezhen? And where are the spare keys?"


@pytest.fixture
def db() -> MemoryDatabase:
    """Six notes on a teapot, one on keys, and others; without vectors."""
    db = MemoryDatabase(embed="none")
    rows = [{"id": f"pot{n}", "text": f"The celadon teapot from Jingdezhen has glaze number {n}."} for n in range(6)]
    rows += [{"id": f"other{n}", "text": f"Day {n}: soup, and a walk where the sheep are."} for n in range(20)]
    rows += [{"id": "keys", "text": "The spare keys are under the third stone of the path that leads to the shed."}]
    db.ingest(rows, now=NOW)
    return db


def test_each_question_of_a_text_has_its_answer_among_the_first(db: MemoryDatabase) -> None:
    with db:
        plain = [hit.memory.source_id for hit in db.recall(TWO, 5, strategy={"fuse": {"compound": False}}, now=NOW)]
        assert "keys" not in plain[:2]
        found = db.recall(TWO, 5, now=NOW)
        assert {str(hit.memory.source_id)[:3] for hit in found[:2]} == {"pot", "key"}
        keys = next(hit for hit in found if hit.memory.source_id == "keys")
        assert keys.why["fulltext"].contribution > 0, "a hit that a part found says why"
        one = db.recall("Where are the spare keys?", 1, now=NOW)
        assert one[0].memory.source_id == "keys"


def test_a_part_finds_nothing_that_the_question_may_not_find() -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"id": "a", "text": "The keys are here."}], project="home", now=NOW)
        db.ingest([{"id": "b", "text": "The keys are there."}], project="work", now=NOW)
        found = db.recall("Which teapot is it? Where are the keys?", project="home", only_project=True, now=NOW)
        assert [hit.memory.source_id for hit in found] == ["a"]


def test_the_published_designs_ask_a_text_once(db: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr("memkit.retrieval.compound.parts", lambda text: seen.append(text) or [])
    with db:
        for name in ("construct", "kira", "slots", "membox", "engram"):
            db.recall(TWO, strategy=name, now=NOW)
        assert not seen
        db.recall(TWO, now=NOW)
        assert seen == [TWO]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Where is the kettle?", []),
        ("I moved to Oslo. Where is the kettle?", []),
        ("Where is the kettle? Or not?", []),
        ("Hi! Where is the kettle? Who has the keys?", ["Where is the kettle?", "Who has the keys?"]),
        (
            "舅舅的教育背景是怎样的呢？另外，我用的家电是啥呀？",
            ["舅舅的教育背景是怎样的呢？", "另外，我用的家电是啥呀？"],
        ),
        (" ".join(f"Where is kettle {n}?" for n in range(MOST_PARTS + 1)), []),
        ("", []),
    ],
)
def test_what_the_parts_of_a_text_are(text: str, asked: list[str]) -> None:
    assert parts(text) == asked


@given(
    st.lists(st.sampled_from(["Where is Oslo?", "Tea.", "？", "Why?", "谁？", "\n", "x?"]), max_size=8).map(" ".join)
)
def test_parts_are_questions_that_stand_in_the_text(text: str) -> None:
    found = parts(text)
    assert len(found) != 1
    assert len(found) <= MOST_PARTS
    assert all(one in text and is_question(one) and says_anything(one) for one in found)
