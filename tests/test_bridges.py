"""Bridges: what shares a rare name with a good hit, and has the words of the question that this hit lacks."""

from __future__ import annotations

from typing import Any

import pytest
from published_helpers import ids

from memkit import STRATEGIES, MemoryDatabase
from memkit.retrieval.channels.bridge import MOST_NAMES, SELECT_SHARED
from memkit.retrieval.strategies import Bridge

NOW = "2026-03-01T12:00:00Z"
QUESTION = "Who is the sister of the singer of the Harbour Song?"
SONG = "The Harbour Song was first sung by Ada Brandt, and was a success of that winter."
SISTER = "Fado nights: Ada Brandt came, and her sister Mona played the guitar."
OTHERS = [f"The boat number {n} was painted by Otto Ferro in spring." for n in range(8)]
SISTERS = [f"A sister {n}." for n in range(4)]


def database(*rows: Any) -> MemoryDatabase:
    """These texts, without vectors; what they name is known by hand, so that nothing is left to guesses."""
    db = MemoryDatabase(embed="none")
    made = [row if isinstance(row, dict) else {"text": row} for row in rows]
    db.ingest([{"id": f"m{n}", **row} for n, row in enumerate(made, 1)], now=NOW)
    return db


@pytest.fixture
def db() -> Any:
    with database(SONG, SISTER, *SISTERS, *OTHERS) as db:
        yield db


def bridged(db: MemoryDatabase, question: str = QUESTION, **change: Any) -> dict[str, float]:
    """What bridges contribute, by source id; the best hit without them is 1."""
    found = db.recall(question, 20, strategy=STRATEGIES["memkit"].replace(graph=None, **change), now=NOW)
    return {
        hit.memory.source_id: round(hit.why["bridge"].score, 3) for hit in found if hit.why.get("bridge") is not None
    }


def test_a_name_in_the_best_hit_leads_to_what_else_the_question_asks(db: MemoryDatabase) -> None:
    places = []
    for bridge in (None, {}):
        found = db.recall(QUESTION, 20, strategy={"bridge": bridge, "graph": None}, now=NOW)
        places.append(ids(found).index("m2"))
    assert places[0] > places[1] == 1
    (hit,) = (hit for hit in found if hit.memory.source_id == "m2")
    assert hit.why["bridge"].contribution > 0
    assert [step.target for step in hit.path] == ["Ada Brandt", hit.path[-1].target]
    assert hit.path[0].source.startswith("The Harbour Song")
    assert hit.path[1].target.startswith("Fado nights")
    assert found.channels["bridge"] == "ran"


def test_a_name_in_the_question_or_in_too_many_memories_leads_nowhere(db: MemoryDatabase) -> None:
    assert "m2" in bridged(db)
    assert "m2" not in bridged(db, "Ada Brandt's Harbour Song and her sister?")
    assert "m2" not in bridged(db, bridge={"most": 1})
    assert bridged(db, "who painted the boat number 3?", bridge={"most": 7}) == {}


def test_the_score_falls_with_the_memories_that_share_the_name_and_grows_with_new_words() -> None:
    few = database(SONG, SISTER)
    many = database(SONG, SISTER, *[f"Ada Brandt bought stamp {n}." for n in range(5)])
    plain = database(SONG, "Fado nights: Ada Brandt came.")
    assert bridged(few)["m2"] > bridged(many)["m2"] > 0
    assert bridged(few)["m2"] > bridged(plain)["m2"] > 0
    assert bridged(plain, bridge={"base": 0.0}) == {}


def test_two_memories_of_one_conversation_are_no_bridge() -> None:
    rows = [{"text": text, "session": "one"} for text in (SONG, SISTER)]
    assert "m2" not in bridged(database(*rows))
    rows[1]["session"] = "two"
    assert "m2" in bridged(database(*rows))


def test_a_list_of_names_is_no_bridge() -> None:
    names = "Ada Brandt, " + ", ".join(f"Otto F{chr(97 + n // 26)}{chr(97 + n % 26)}ro" for n in range(MOST_NAMES + 1))
    with database(SONG, SISTER) as few, database(f"{SONG} {names}", SISTER) as many:
        for db in (few, many):
            db.relate("Ada Brandt", "is", "singer", now=NOW)
        counted = "select count(distinct entity_key) from mentions where memory_key = 1"
        assert many.conn.execute(counted).fetchone()[0] > MOST_NAMES
        assert "m2" in bridged(few)
        assert "m2" not in bridged(many)


def test_each_name_is_counted_once(db: MemoryDatabase) -> None:
    """A plan with a subquery for each row would take a second where names are many."""
    given = {"sources": "[1]", "most": 30, "most_names": MOST_NAMES}
    plan = [row[3] for row in db.conn.execute(f"explain query plan {SELECT_SHARED}", given)]
    assert sum("CORRELATED" in step for step in plan) == 1


def test_the_weight_multiplies_and_none_switches_it_off(db: MemoryDatabase) -> None:
    def contribution(weight: float) -> float:
        found = db.recall(QUESTION, 20, strategy={"graph": None, "bridge": {"weight": weight}}, now=NOW)
        return {hit.memory.source_id: hit.why["bridge"].contribution for hit in found if "bridge" in hit.why}["m2"]

    assert contribution(2.0) == pytest.approx(2 * contribution(1.0))
    assert bridged(db, bridge=None) == {}
    assert "bridge" not in db.recall(QUESTION, strategy={"bridge": None}, now=NOW).channels


def test_a_narrow_question_tells_nothing_of_another_project() -> None:
    rows = [{"text": SONG, "project": "songs"}, {"text": SISTER, "project": "diary"}]
    with database(*rows) as db:
        found = db.recall(QUESTION, 5, project="songs", only_project=True, now=NOW)
        assert ids(found) == ["m1"]
        assert "Mona" not in str(found)


def test_only_memkits_own_strategy_has_bridges() -> None:
    assert STRATEGIES["memkit"].bridge == Bridge()
    assert [name for name, one in STRATEGIES.items() if one.bridge is not None] == ["memkit"]


def test_a_database_without_names_and_a_question_without_words_are_answered() -> None:
    with database("nothing", "to see") as db:
        assert db.recall("nothing", now=NOW).channels["bridge"] == "ran"
        assert db.recall("…", now=NOW).channels["bridge"] == "nothing was found to begin at"
