"""The examples that the five designs publish, each asked in its own strategy: what the page says is found comes first.

The memory is the year of one person (samples/) where that holds what the page names; its questions are those of
`samples/questions.jsonl`. Else it is what the page names, with the built-in model, and as a user would write it down.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from published_helpers import SAMPLES, ids, matches

from memkit import STRATEGIES, MemoryDatabase
from memkit.retrieval.published.engram import ADVISE
from memkit.retrieval.results import Recall

pytestmark = pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not here")

NOW = "2026-03-01T12:00:00Z"


def question(name: str) -> dict:
    lines = (SAMPLES / "questions.jsonl").read_text("utf-8").splitlines()
    return next(row for row in map(json.loads, lines) if row["id"] == name)


def asked(year: MemoryDatabase, name: str, strategy: object) -> tuple[list[str], list[str]]:
    """What a strategy finds for a question of the samples, and what is right."""
    row = question(name)
    found = year.recall(row["text"], strategy=strategy, now=row.get("timestamp", NOW))
    return ids(found), row["relevant"]


def memory(*rows: str | dict) -> MemoryDatabase:
    """A database with the built-in model, in which a person has noted this."""
    db = MemoryDatabase()
    given = [{"text": row} if isinstance(row, str) else row for row in rows]
    db.ingest([{"id": f"m{n}", **row} for n, row in enumerate(given, 1)], now="2026-01-01T00:00:00Z")
    return db


def relate(db: MemoryDatabase, *triples: tuple[str, str, str, str]) -> None:
    """Relations, each with the memory that says so."""
    for subject, predicate, object, source_id in triples:
        found = db.conn.execute("select id from memories where source_id = ?", [source_id]).fetchone()
        db.relate(subject, predicate, object, memory=found[0], now="2026-01-01T00:00:00Z")


THE_SAMPLES = [
    ("construct", "partner"),  # the (fact) of the sample block: "User's partner is named Jordan"
    ("construct", "portuguese-learning"),  # and its (note)
    ("kira", "kira-deploy"),
    ("kira", "last-week-kira"),
    ("slots", "timezone"),
    ("slots", "package-manager"),
    ("membox", "users-table"),
    ("engram", "sync"),
    ("engram", "pruning"),
    ("engram", "swift"),
    (ADVISE, "storage"),
]


@pytest.mark.parametrize(("strategy", "name"), THE_SAMPLES)
def test_on_the_samples_the_published_example_comes_first(year, strategy, name) -> None:
    found, right = asked(year, name, strategy)
    assert found[0] in right


# ---------------------------------------------------------------------------------------------- Construct


def test_C38_do_i_know_any_good_restaurants() -> None:
    db = memory("Alice introduced me to Nightshade", "Prefers dark-roast coffee", "Enjoys fado music")
    relate(db, ("Alice", "introduced to", "Nightshade", "m1"))
    db.relate("Nightshade", "is a", "restaurant")
    found = db.recall("do I know any good restaurants?", strategy="construct", now=NOW)
    assert matches(found) == {"m1": "graph"}
    assert "restaurant" in found[0].path_text


def test_C38_on_the_samples_words_come_before_the_graph_which_brings_the_evening_first(year) -> None:
    """`know`, `any` and `good` stand in other memories; the page's own waterfall puts words first (C28)."""
    found = year.recall("do I know any good restaurants?", strategy="construct", now=NOW)
    by_graph = [hit.memory for hit in found if hit.match == "graph"]
    assert by_graph[0].source_id == "Daily/2025-03-29.md#"
    assert by_graph[1].source_id == "fact-nightshade"
    assert "Nightshade" not in by_graph[0].text + str(found[0].memory.text)


def test_C39_my_dentist_is_known_by_name() -> None:
    db = memory("Cleaning with Dr. Martinez moved to 14 November", "Alice sings", "Dr. Martinez is Reed's dentist.")
    found = db.recall("my dentist", strategy="construct", now=NOW)
    assert matches(found) == {"m3": "fulltext", "m1": "graph"}


def test_C39_on_the_samples_my_dentist_is_first_by_words_and_what_names_her_comes_by_the_graph(year) -> None:
    found = year.recall("my dentist", strategy="construct", now=NOW)
    assert matches(found)["People/Dr. Martinez.md#"] == "fulltext"
    assert ids(found)[0] == "People/Dr. Martinez.md#"
    assert matches(found)["People/Dr. Martinez.md#Notes"] == "graph"


def test_C28_the_new_gym_routine_stands_before_the_weights_that_mean_the_same() -> None:
    db = memory("I've been doing weights three times a week", "I started a new gym routine", "The ferry was late")
    found = db.recall("gym routine", strategy="construct", now=NOW)
    assert list(matches(found).items())[:2] == [("m2", "fulltext"), ("m1", "vector")]


def test_C22_running_and_ran_both_match_a_query_for_run() -> None:
    db = memory("We run at noon", "Running is fun", "He ran home", "A dog")
    words = STRATEGIES["construct"].replace(vector=None)
    assert set(ids(db.recall("run", strategy=words, now=NOW))) == {"m1", "m2", "m3"}
    assert set(ids(db.recall("ran", strategy=words, now=NOW))) == {"m1", "m2", "m3"}


def test_C02_before_the_message_about_portugal_fado_is_the_first_of_the_relevant(year) -> None:
    message = question("fado-live")["text"]
    page = year.context(message, strategy="construct", now="2025-07-20T18:00:00Z")
    first = page.sections["relevant"][0]
    assert year.conn.execute("select source_id from memories where id = ?", [first.id]).fetchone()[0] == "pref-fado"


# ---------------------------------------------------------------------------------------------- Kira

OTHER_THINGS = (
    "The dog is afraid of umbrellas",
    "User prefers dark-roast coffee in the morning",
    "User's partner is named Jordan",
    "User is learning Portuguese via Duolingo",
    "User visited Lisbon in 2023",
    "User enjoys fado music",
    "Alice introduced me to Nightshade",
    "Cleaning with Dr. Martinez moved to 14 November",
    "I started a new gym routine",
    "We prune the quince in late winter",
    "Swift actors are reentrant",
)


def test_K13_how_to_ship_the_product_means_the_deployment_pipeline() -> None:
    found = memory(*OTHER_THINGS, "The deployment pipeline has four stages").recall(
        "How to ship the product", k=12, strategy="kira", now=NOW
    )
    assert ids(found)[0] == "m12"
    assert set(found[0].why) == {"vector"}, "no word of the question is in it"


def test_K13_on_the_samples_only_what_says_ship_and_otto_come_before_it(year) -> None:
    """The built-in model takes docker for a harbour, and so nearer to a ship than a pipeline."""
    found = year.recall("How to ship the product", strategy="kira", now=NOW)
    said, otto, nadia, pipeline = found[:4]
    assert [said.memory.source_id, otto.memory.source_id] == ["ep-ship-onboarding", "fact-otto-docker"]
    assert nadia.memory.text.startswith("## What Nadia said")
    assert pipeline.memory.source_id == "fact-deployment-pipeline"
    assert pipeline.why["fulltext"].rank == 1, "the first of the facts that words find"
    assert otto.score > nadia.score > pipeline.score, "no tie decides what comes before it"


def test_K13_the_question_of_the_samples_has_the_pipeline_among_its_first_five(year) -> None:
    found, _ = asked(year, "pipeline", "kira")
    assert "fact-deployment-pipeline" in found[:5]


# ---------------------------------------------------------------------------------------------- the three slots


def test_S07_how_do_i_schedule_a_task() -> None:
    db = memory(
        {"text": "schedule with `at`, not with cron", "slot": "agent", "key": "jobs"},
        {"text": "Europe/Stockholm", "slot": "user", "key": "timezone"},
        {"text": "on the calendar, all day", "slot": "agent", "key": "appointments"},
    )
    assert ids(db.recall("How do I schedule a task?", strategy="slots", now=NOW)) == ["m1"]


def test_S04_the_second_timezone_takes_the_place_of_the_first() -> None:
    db = MemoryDatabase()
    for value in ("Europe/Stockholm", "America/New_York"):
        db.remember(value, slot="user", key="timezone", now="2026-01-01T00:00:00Z")
    found = db.recall("which timezone?", strategy="slots", now=NOW)
    assert [hit.memory.text for hit in found] == ["America/New_York"]


# ---------------------------------------------------------------------------------------------- membox


@pytest.mark.parametrize(
    "asks",
    [
        "what are the exact fields of the users table?",
        "what are the exact fields in the users table in that SQL schema?",
    ],
)
def test_M02_the_exact_fields_are_in_the_packed_text(year, asks) -> None:
    """Not only that the schema was discussed, which is all that a triple would say."""
    fields = """id email display_name password_hash locale timezone plan streak_days last_seen_at marketing_ok
        created_at deleted_at""".split()
    page = year.context(asks, strategy="membox", now=NOW)
    places = ids(year.recall(asks, strategy="membox", now=NOW))
    assert places.index("Kira/Database schema.md#Tables") <= 1, "at most what says that the schema was discussed"
    excerpt = next(line for line in str(page).splitlines() if "create table users" in line)
    assert [field for field in fields if f" {field} " not in excerpt] == []


def test_M02_what_did_the_head_of_a_firm_say_about_a_project() -> None:
    db = memory(
        "Nadia is the new CEO of Acme",
        "Nadia spoke for an hour: Borealis stops at the second milestone",
        "The CEO of another firm said much about a project yesterday",
        "The project was late",
    )
    relate(db, ("Acme", "has CEO", "Nadia", "m1"), ("Nadia", "discussed", "Borealis", "m2"))
    message = "what did Acme's CEO say about Borealis?"
    assert set(ids(db.recall(message, strategy="membox", now=NOW))[:2]) == {"m1", "m2"}
    assert lines(db.context(message, strategy="membox", now=NOW))[:3] == [
        "Acme: ceo Nadia",
        "Nadia: ceo of Acme",  # read from what m1 says
        "Nadia: discussed Borealis",
    ]


def test_M02_on_the_samples_what_the_head_of_the_firm_said_is_in_the_packed_text(year) -> None:
    """A question counts if what answers it is in the packed text, whatever its place (M16)."""
    page = str(year.context(question("ceo-lattice")["text"], strategy="membox", now=NOW))
    assert "Nadia Okafor: ceo of Brightwater" in page.splitlines(), "the edge of the chain, read from her note"
    assert "Nadia Okafor is the CEO of Brightwater." in page
    assert "no mobile client, no live cursors, but an offline mode that really holds" in page


def lines(page: object) -> list[str]:
    return str(page).splitlines()


# ---------------------------------------------------------------------------------------------- Engram


def via(found: Recall) -> Sequence[tuple[str, str | None]]:
    return [(hit.memory.source_id, hit.via) for hit in found]


def test_E08_the_sync_architecture_brings_its_parts(year) -> None:
    found = year.recall("sync architecture", k=1, strategy=ADVISE, now=NOW)
    hub, *parts = via(found)
    assert hub == ("Engram/Sync architecture.md#", None)
    assert set(parts) >= {(f"Engram/{name}.md#", "part_of") for name in ("Logical clocks", "Merge rule", "Wire format")}


def test_E09_of_the_decisions_on_storage_the_latest_stands_first(year) -> None:
    found = year.recall("how does Engram store notes?", k=5, strategy=ADVISE, now=NOW)
    notes = [name for name in ids(found) if name.startswith("Engram/Storage")]
    assert notes[0] == ids(found)[0] == "Engram/Storage in plain tables.md#"


def test_E10_the_opposite_rule_stands_beside_the_one_that_matches(year) -> None:
    found = year.recall("when should the quince be pruned?", strategy=ADVISE, now=NOW)
    assert set(ids(found)[:2]) == {"Garden/Pruning after harvest.md#", "Garden/Pruning in late winter.md#"}


@pytest.mark.parametrize("here", ["Engram", "Lattice"])
def test_E12_the_lesson_about_swift_is_found_in_the_other_project_just_below(year, here) -> None:
    found = year.recall(question("swift")["text"], strategy="engram", project=here, now=NOW)
    there = {"Engram": "Lattice", "Lattice": "Engram"}[here]
    assert ids(found)[:2] == [f"fact-swift-{here.lower()}", f"fact-swift-{there.lower()}"]
