"""Confidence: what a recall says of how likely its hits answer, and what stays away when they most likely do not."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import STRATEGIES, MemoryDatabase
from memkit.core.errors import BadQuestion
from memkit.frontends import demo
from memkit.frontends.agents.tools import Tools
from memkit.frontends.cli.main import cli
from memkit.retrieval.channels import coverage, fulltext
from memkit.retrieval.recall import WEAK
from memkit.retrieval.strategies import Fulltext

NOW = "2026-03-01T12:00:00Z"
NONSENSE = "zzxqv wqpfh"
ABROAD = "What is the capital of Mongolia?"
SELECT_ALL = "select key, coalesce(title, '') || ' ' || text as \"all\" from memories"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples as a file."""
    path = tmp_path_factory.mktemp("confidence") / "memory.db"
    with MemoryDatabase(path) as db:
        demo.build(db)
    return path


@pytest.fixture
def db(path: Path) -> Any:
    with MemoryDatabase(path) as db:
        yield db


def test_what_is_answered_has_more_confidence_than_what_is_not(db: MemoryDatabase) -> None:
    answered = [db.recall(question, now=NOW) for question in ("who planted the quince?", "who is my dentist?")]
    nothing = [db.recall(question, now=NOW) for question in (NONSENSE, ABROAD, "Who won the chess match in Reykjavik?")]
    assert min(found.confidence for found in answered) > 0.3 > max(found.confidence for found in nothing)
    assert [found.weak for found in (*answered, *nothing[:2])] == [False, False, True, True]
    for found in (*answered, *nothing):
        assert all(0 < hit.confidence <= found.confidence < 1 for hit in found)


def test_the_first_hit_of_a_clear_answer_carries_it(db: MemoryDatabase) -> None:
    found = db.recall("who planted the quince?", now=NOW)
    assert found[0].confidence > 4 * found[3].confidence
    assert found[0].to_dict()["confidence"] == round(found[0].confidence, 3)
    assert found.to_df()["confidence"].iloc[0] == round(found[0].confidence, 3)
    assert f"confidence {found.confidence:.2f}" in repr(found).splitlines()[0]
    assert f"confidence {found.confidence:.2f}" in found._repr_html_()


def test_a_weak_recall_says_so_and_gives_a_model_nothing(db: MemoryDatabase) -> None:
    found = db.recall(ABROAD, now=NOW)
    assert len(found) == 10
    assert WEAK in found.warnings
    page = db.context(ABROAD, now=NOW)
    assert not page.shown
    assert WEAK in page.warnings
    assert all(hit.memory.text[:40] not in str(page) for hit in found)
    assert all(hit.memory.text[:40] not in found.context() for hit in found)


def test_the_bound_is_the_callers(db: MemoryDatabase) -> None:
    assert db.context(ABROAD, min_confidence=0, now=NOW).shown
    assert db.context("who planted the quince?", now=NOW).shown
    assert not db.context("who planted the quince?", min_confidence=0.99, now=NOW).shown
    whole = db.recall("who planted the quince?", now=NOW)
    some = db.recall("who planted the quince?", min_confidence=0.2, now=NOW)
    assert list(some.ids) == [hit.memory.id for hit in whole if hit.confidence >= 0.2]
    assert 0 < len(some) < len(whole)
    assert {left.reason for left in some.left_out} >= {"below the cut"}
    for wrong in (-0.1, 1.5, "much"):
        with pytest.raises(BadQuestion, match=r"min_confidence|least_confidence"):
            db.recall("who?", min_confidence=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "question",
    ["what did I do yesterday?", "what happened in March 2025?", "what do you know about me?", "who are you?", "why?"],
)
def test_questions_of_time_and_without_words_of_their_own_are_never_called_weak(
    db: MemoryDatabase, question: str
) -> None:
    assert not db.recall(question, now=NOW).weak


def test_a_time_in_a_question_may_be_all_that_it_asks_for(db: MemoryDatabase) -> None:
    bound = {"pack": {"least_confidence": 0.1}}
    found = [db.recall(asked, strategy=bound, now=NOW) for asked in (NONSENSE, f"{NONSENSE} yesterday")]
    assert max(one.confidence for one in found) < 0.1
    assert [one.weak for one in found] == [True, False]


def test_a_model_that_may_know_better_than_words_is_never_called_weak(tmp_path: Path) -> None:
    class Slow:
        """An embedding model that finds every text near every question."""

        id, version, dims, batch = "slow", "1", 8, 100

        def encode(self, texts: Any) -> Any:
            import numpy as np

            return np.full((len(texts), 8), 8**-0.5, np.float32)

    with MemoryDatabase(tmp_path / "memory.db", embed=Slow()) as db:
        db.ingest([f"Rosa lives in Lisbon, at number {n}." for n in range(30)], now=NOW)
        found = db.recall(NONSENSE)
        assert found.confidence < 0.02
        assert not found.weak
        assert db.recall(NONSENSE, strategy={"vector": None, "sentence": None}).weak


def test_a_memory_of_three_is_believed_like_one_of_thousands(tmp_path: Path) -> None:
    """The rarity of a word depends on the number of memories; whether it answers does not."""
    with MemoryDatabase(tmp_path / "memory.db") as db:
        for text in ("Rosa lives in Lisbon.", "I like green tea.", "The bike is in the cellar."):
            db.remember(text)
        assert db.recall("Where does Rosa live?").confidence > 0.5
        assert db.recall("Where is the bike?").confidence > 0.3
        assert db.recall("Who is Max?").confidence < 0.05
        half = db.recall("Where is the tea from the harbour market in Bristol?")
        assert half.measures["ahead"] == 2.5  # the others have nothing of it: that says little where there are two
        assert half.confidence < 0.5
        assert db.context("Where does Rosa live?").shown


def test_the_only_memory_is_believed_and_no_question_to_few_is_called_weak() -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember("The key of the shed hangs behind the clock.")
        assert db.recall("where is the shed key?").confidence > 0.5
        assert not db.recall(NONSENSE).weak


def test_every_strategy_has_a_confidence_and_only_memkits_own_stays_silent(db: MemoryDatabase) -> None:
    for name in STRATEGIES:
        sure = db.recall("who planted the quince?", strategy=name, now=NOW)
        unsure = db.recall(NONSENSE + " " + ABROAD, strategy=name, now=NOW)
        assert sure.confidence > unsure.confidence, name
        assert unsure.weak == (name == "memkit"), name


def test_nothing_found_is_nothing_believed(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        found = db.recall("anything")
        assert (len(found), found.confidence <= 0.001) == (0, True)
        db.remember("Rosa lives in Lisbon.")
        assert db.recall("").confidence <= 0.001


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_any_question_has_a_confidence_in_range(path: Path, question: str) -> None:
    with MemoryDatabase(path) as db:
        found = db.recall(question, 3, now=NOW)
        assert 0 < found.confidence < 1
        assert all(0 < hit.confidence < 1 for hit in found)


def test_other_doors_know_it(path: Path) -> None:
    run = CliRunner()
    asked = ["recall", str(path), "who planted the quince?", "--now", NOW]
    all_hits = json.loads(run.invoke(cli, [*asked, "--format", "json"]).stdout)
    sure = json.loads(run.invoke(cli, [*asked, "--min-confidence", "0.2", "--format", "json"]).stdout)
    assert sure == [hit for hit in all_hits if hit["confidence"] >= 0.2] != []
    silent = run.invoke(cli, ["context", str(path), ABROAD, "--now", NOW])
    assert WEAK in silent.stderr
    loud = run.invoke(cli, ["context", str(path), ABROAD, "--now", NOW, "--min-confidence", "0"])
    assert len(loud.stdout) > len(silent.stdout)
    assert Tools(str(path)).recall(ABROAD) == "No memories match this."
    assert "quince" in Tools(str(path)).recall("who planted the quince?")


def test_sql_has_it(path: Path) -> None:
    with MemoryDatabase(path) as db:
        options = json.dumps({"min_confidence": 0.2, "now": NOW})
        query = "select value->>'confidence' as c from json_each(recall(:q, 10, :options))"
        from memkit.frontends.sql_functions import register_sql_functions

        register_sql_functions(db.conn)
        found = [row["c"] for row in db.conn.execute(query, {"q": "who planted the quince?", "options": options})]
    assert found
    assert min(found) >= 0.2


def test_widgets_fold_what_is_weak(path: Path) -> None:
    pytest.importorskip("ipywidgets")
    from memkit.widgets.hit_cards import cards

    with MemoryDatabase(path) as db:
        assert "<details><summary>What is nearest" in cards(db.recall(ABROAD, now=NOW))
        assert "<details>" not in cards(db.recall("who planted the quince?", now=NOW))


def test_in_a_memory_of_quinces_a_question_about_quinces_is_not_off_topic() -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"id": f"{n}", "text": f"The quince of year {n} was yellow."} for n in range(40)], now=NOW)
        found = db.recall("Where does the quince grow?", now=NOW)
        assert found
        assert not found.weak
        assert db.recall("Where is the zeppelin of Friedrichshafen?", now=NOW).weak


def test_what_only_another_project_knows_is_not_known_here() -> None:
    """The words of a question are looked for in the memories that may answer, not in the whole database."""
    with MemoryDatabase(embed="none") as db:
        for project, thing in (("garden", "quince"), ("workshop", "lathe")):
            db.ingest([f"The {thing} of year {n} stood by gate {n}." for n in range(30)], project=project, now=NOW)
        here, there = (
            db.recall("which lathe stood by a gate?", project=project, only_project=True)
            for project in ("workshop", "garden")
        )
        assert here.measures["known"] == pytest.approx(1.0)
        assert there.measures["known"] < 0.5
        assert here.confidence > there.confidence


def test_the_shares_of_a_questions_words_are_those_that_reading_finds(db: MemoryDatabase) -> None:
    words = ("quince", "portuguese", "zeppelin", "dentist")
    texts = {row["key"]: row["all"].casefold() for row in db.conn.execute(SELECT_ALL)}
    here = np.array(sorted(key for key, text in texts.items() if "quince" in text))
    terms = fulltext.term_postings(db.conn, words, (), Fulltext(), within=here)
    has = {one.term: set(one.keys.tolist()) for one in terms}
    inside = {term: len(keys & set(here.tolist())) for term, keys in has.items()}
    assert has["quince"] >= set(here.tolist()) != set()
    rarity = {
        term: (fulltext.rarity(len(keys), len(texts)) + fulltext.rarity(inside[term], len(here))) / 2
        for term, keys in has.items()
    }
    total = sum(rarity.values())
    keys = sorted(texts)[:40]
    shares = coverage.shares(terms, keys)
    assert shares.each == pytest.approx([sum(rarity[term] for term in has if key in has[term]) / total for key in keys])
    assert shares.here == pytest.approx(sum(rarity[term] for term in has if has[term] & set(here.tolist())) / total)
    assert shares.nowhere == pytest.approx(rarity["zeppelin"] / total)
    terms = fulltext.term_postings(db.conn, words, (), Fulltext())
    everywhere = coverage.shares(terms, keys)
    assert everywhere.each == coverage.covered(terms, keys)
    whole = {term: fulltext.rarity(len(keys), len(texts)) for term, keys in has.items()}
    assert everywhere.here == pytest.approx(1 - whole["zeppelin"] / sum(whole.values()))
    nothing = coverage.shares([], keys)
    assert (nothing.here, nothing.nowhere, set(nothing.each)) == (0, 0, {0.0})


def test_what_somebody_says_before_the_question_counts_a_quarter(db: MemoryDatabase) -> None:
    terms = fulltext.term_postings(db.conn, ("quince", "zeppelin"), (), Fulltext())
    quince, zeppelin = (one.rarity for one in terms)
    keys = terms[0].keys[:1].tolist()
    for aside in ("zeppelin", '"zeppelin"'):  # as full-text search has it
        shares = coverage.shares(terms, keys, asides=frozenset({aside}))
        assert shares.each == pytest.approx([quince / (quince + zeppelin / 4)])
        assert shares.nowhere == pytest.approx(zeppelin / 4 / (quince + zeppelin / 4))
    asked = "I just came home from the zeppelin museum. It was loud. Who planted the quince?"
    assert db.recall(asked, now=NOW).confidence > 0.3 > db.recall(asked.replace(".", ","), now=NOW).confidence


def test_what_happened_in_the_time_that_a_question_names_need_not_say_it() -> None:
    with MemoryDatabase() as db:
        rows = [
            {"id": f"{day}", "text": f"We pruned pear {day}.", "timestamp": f"2025-{1 + day % 12:02}-12T10:00:00Z"}
            for day in range(40)
        ]
        db.ingest([*rows, {"id": "quince", "text": "We pruned the quince.", "timestamp": "2025-04-12T11:00:00Z"}])
        then, before = (
            db.recall(f"Which quince did we prune on 12 {month} 2025?", now=NOW) for month in ("April", "May")
        )
        assert [found[0].memory.source_id for found in (then, before)] == ["quince", "quince"]
        assert then.measures["covered"] == pytest.approx(1)
        assert before.measures["covered"] < 0.9
        assert then.confidence > before.confidence


def test_a_word_is_as_rare_as_in_the_index_where_more_memories_have_it() -> None:
    """The index of scripts without spaces holds few memories here, and knows nothing of the others' words."""
    with MemoryDatabase(embed="none") as db:
        db.ingest([f"The quince of row {n} is ripe." for n in range(40)] + ["园丁", "果园"])
        terms = fulltext.term_postings(db.conn, ("quince",), ('"quince"',), Fulltext())
        terms += fulltext.term_postings(db.conn, ("zeppelin",), (), Fulltext())
        in_words, in_pairs, zeppelin = (one.rarity for one in terms)
        assert in_pairs > in_words
        keys = terms[0].keys[:1].tolist()
        assert coverage.covered(terms, keys) == pytest.approx([in_words / (in_words + zeppelin)])


def test_meaning_and_the_walk_have_a_say_in_the_first_hit(db: MemoryDatabase) -> None:
    found = db.recall("who planted the quince?", now=NOW)
    assert {"walked", "meant"} <= set(found.measures)
    words = db.recall("who planted the quince?", now=NOW, strategy={"vector": None})
    assert words.measures["meant"] == pytest.approx(math.log(31))  # as if it were behind all that are looked at
    assert 0.3 < words.confidence < found.confidence
