"""Reading the graph: cards, ways, neighbours, exports; alike names; links; extraction with a model, kept."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from contextlib import suppress

import llm
import pytest

from memkit import MemkitError, MemoryDatabase
from memkit.core.errors import NeedsPackage, NotFound
from memkit.graph import duplicates
from memkit.graph import name_similarity as likeness_module
from memkit.graph.duplicates import likeness
from memkit.graph.entities import by_names, ensure
from memkit.graph.name_similarity import KnownNames
from memkit.storage import store
from memkit.storage.driver import writing

NOW = "2025-06-01T12:00:00Z"
LATER = "2025-07-01T12:00:00Z"
NASTY = "<script>alert('x')</script> Kofi Abara works at Siemens & Sons \x00\x0b."


# ---------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize("count", [1, 200])
def test_a_name_that_only_ever_begins_a_sentence_is_found_and_no_other_word_there(
    db: MemoryDatabase, count: int
) -> None:
    db.ingest([{"text": f"Anna went to the market and bought {n} pears."} for n in range(count)], now=NOW)
    db.ingest([{"text": text} for text in ("Tomorrow went badly.", "Work went well.", "Pears were cheap.")], now=NOW)
    assert [row[0] for row in db.conn.execute("select name from entities")] == ["Anna"]
    assert len(db.about("Anna", now=NOW).memories) > 0


# ---------------------------------------------------------------------------------------------- cards and ways


def test_a_card_prints_everywhere_and_its_text_stays_text(db: MemoryDatabase) -> None:
    db.ingest([{"text": NASTY}], now=NOW)
    db.relate("Kofi Abara", "likes", "<b>tea</b>", now=NOW)
    card = db.about("kofi abara", now=NOW)
    assert "<script>" not in card._repr_html_()
    assert "<b>" not in card._repr_html_()
    assert "\\<b\\>" in card._repr_markdown_()
    assert card.to_dict()["relations"][0]["subject"] == "Kofi Abara"
    json.dumps(card.to_dict())


def test_who_is_not_known_is_named_with_the_nearest(db: MemoryDatabase) -> None:
    db.remember("We saw Kofi Abara.", now=NOW)
    with pytest.raises(NotFound, match="Kofi Abara"):
        db.about("Kofi Abra")


def test_a_name_of_a_few_letters_is_not_offered_in_place_of_a_long_one(db: MemoryDatabase) -> None:
    for name in ("d", "No", "Eno", "Noboda"):
        db.relate(name, "knows", "Otto", now=NOW)
    with pytest.raises(NotFound, match=r"Similar names: Noboda\.$"):
        db.about("nobody")
    with pytest.raises(NotFound, match="Eno"):
        db.about("Ena")


def test_a_way_goes_over_relations_and_common_memories_with_their_words(db: MemoryDatabase) -> None:
    memory = db.remember("We met Rosa and Kofi Abara in the yard. It rained.", now=NOW)
    db.relate("Kofi Abara", "owns", "Mercury", now=NOW)
    path = db.path("Rosa", "Mercury")
    assert str(path) == "Rosa -named with-> Kofi Abara -owns-> Mercury"
    assert (path.steps[0].memory_id, path.steps[0].quote) == (memory.id, "We met Rosa and Kofi Abara in the yard.")
    assert str(db.path("Mercury", "Rosa")) == "Mercury <-owns- Kofi Abara -named with-> Rosa"
    assert json.loads(json.dumps(path.to_dict()))["text"] == str(path)
    assert "<td" in path._repr_html_()


def test_the_way_to_oneself_is_short_and_to_a_stranger_there_is_none(db: MemoryDatabase) -> None:
    db.relate("A", "knows", "B", now=NOW)
    db.relate("C", "knows", "D", now=NOW)
    assert (bool(db.path("A", "A")), len(db.path("A", "A"))) == (True, 0)
    assert not db.path("A", "D")
    assert str(db.path("A", "D")) == "no path from A to D within 4 steps"


def test_the_shortest_way_is_found_in_a_circle(db: MemoryDatabase) -> None:
    for one, other in zip("ABCDEF", "BCDEFA", strict=True):
        db.relate(one, "part of", other, now=NOW)
    assert len(db.path("A", "C")) == 2
    assert len(db.path("A", "E")) == 2
    assert len(db.neighbors("A", 6)) == 5


def test_a_hub_does_not_drown_the_rest(db: MemoryDatabase) -> None:
    db.ingest([{"text": f"Rosa is here, as on day {n}."} for n in range(300)], now=NOW)
    db.relate("Rosa", "knows", "Otto", now=NOW)
    card = db.about("Rosa", now=NOW)
    assert card.mentioned == 300
    assert len(card.memories) == 50
    assert str(db.path("Otto", "Rosa")) == "Otto <-knows- Rosa"


# ---------------------------------------------------------------------------------------------- exports


def test_the_graph_is_exported_whole_and_valid(db: MemoryDatabase, tmp_path) -> None:
    db.ingest([{"text": NASTY, "id": "a"}], now=NOW)
    db.relate("Kofi \x01Abara", "says", "<b>&\x02", now=NOW)
    found = json.loads(db.export_graph(tmp_path / "graph.json").read_text("utf-8"))
    tree = ElementTree.parse(db.export_graph(tmp_path / "graph.graphml"))
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    assert len(tree.findall(".//g:node", space)) == len(found["nodes"])
    assert len(tree.findall(".//g:edge", space)) == len(found["edges"]) > 0
    ids = {node["id"] for node in found["nodes"]}
    assert all({edge["source"], edge["target"]} <= ids for edge in found["edges"])
    with pytest.raises(MemkitError, match="'txt' is not a format"):
        db.export_graph(tmp_path / "graph.txt")


def test_networkx_has_the_same_graph_or_says_how_to_get_it(db: MemoryDatabase) -> None:
    db.relate("A", "knows", "B", now=NOW)
    try:
        graph = db.to_networkx(memories=False)
    except NeedsPackage as error:
        assert "pip install 'datasette-memkit[networkx]'" in str(error)  # noqa: PT017
    else:
        assert (len(graph), graph.size()) == (2, 1)


def test_the_counts_of_the_graph_are_those_of_its_tables(db: MemoryDatabase) -> None:
    db.relate("A", "knows", "B", now=NOW)
    stats = db.graph_stats()
    assert (stats.entities, stats.relations, dict(stats.predicates)) == (2, 1, {"knows": 1})
    assert "relations" in repr(stats)
    assert "<td" in stats._repr_html_()


# ---------------------------------------------------------------------------------------------- alike names


def test_a_slip_of_the_pen_is_another_spelling_of_a_known_name(db: MemoryDatabase) -> None:
    db.remember("We met Ursula Brandtner in Kingsferry.", now=NOW)
    db.remember("Then Ursula Brandtenr came by.", now=LATER)
    assert db.about("Ursula Brandtenr").id == db.about("Ursula Brandtner").id
    assert db.about("Ursula Brandtner").mentioned == 2


def test_where_two_are_close_neither_is_taken_and_that_is_said(db: MemoryDatabase) -> None:
    made = ensure(db.conn, {"Maria Theersia": "person", "Maria Thereisa": "person"}, NOW, source="text")
    known = KnownNames(db.conn)
    found = ensure(db.conn, {"Maria Theresia": "person"}, NOW, source="text", likeness=known)
    assert found["Maria Theresia"] not in made.values()
    assert list(known.unsure) == ["Maria Theresia"]


def test_names_are_never_alike_across_kinds(db: MemoryDatabase) -> None:
    ensure(db.conn, {"Brightwater Ltd": "organisation"}, NOW, source="text")
    ensure(db.conn, {"Brightwaters": "person"}, NOW, source="text", likeness=KnownNames(db.conn))
    assert len(by_names(db.conn, ["Brightwaters"])["brightwaters"]) == 1
    assert db.graph_stats().entities == 2


def test_known_names_are_read_once_and_then_only_new_ones(db: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    db.ingest([{"text": f"We saw Ursula Number{chr(97 + n)}."} for n in range(26)], now=NOW)
    db.remember("We saw Kofi Abara.", now=NOW)
    filed: list[str] = []
    plain = likeness_module._file
    monkeypatch.setattr(likeness_module, "_file", lambda blocks, *name: filed.append(name[1]) or plain(blocks, *name))
    db.remember("We saw Priya Bodo.", now=NOW)
    assert set(filed) == {"Kofi Abara", "Priya Bodo"}


def test_a_name_of_a_write_that_was_undone_is_not_known(db: MemoryDatabase) -> None:
    ensure(db.conn, {"Rosa Grizan": "person"}, NOW, source="text")
    known = KnownNames(db.conn)
    with suppress(ZeroDivisionError), writing(db.conn):
        ensure(db.conn, {"Margareta Theresia": "person"}, NOW, source="text", likeness=known)
        assert KnownNames(db.conn).resolve("Margareta Theersia", "person") is not None
        raise ZeroDivisionError
    assert KnownNames(db.conn).resolve("Margareta Theersia", "person") is None
    assert KnownNames(db.conn).resolve("Rosa Girzan", "person") is not None


# ---------------------------------------------------------------------------------------------- links


def test_a_memory_that_is_superseded_ends_where_the_new_one_begins(db: MemoryDatabase) -> None:
    old = db.remember("The key hangs behind the third pot.", now=NOW)
    new = db.remember("The key hangs on the nail.", now=LATER)
    db.supersede(old.id, new.id, now=LATER)
    assert db.memory(old.id).valid_until == LATER
    assert db.memory(new.id).valid_until is None
    with pytest.raises(MemkitError, match=r"cannot supersede .* already"):
        db.supersede(new.id, old.id)


def test_a_memory_that_is_superseded_in_future_holds_until_then(db: MemoryDatabase) -> None:
    old = db.remember("The office is in Lund.", now=NOW)
    new = db.remember("The office is in Malmö.", valid_from="2040-01-01", now=NOW)
    db.supersede(old.id, new.id, now=LATER)
    found = {year: db.recall("office", as_of=f"{year}-06-01", now=LATER).ids for year in (2039, 2041)}
    assert found == {2039: [old.id], 2041: [new.id]}


def test_a_memory_that_a_supersession_finds_ended_ends_no_later(db: MemoryDatabase) -> None:
    old = db.remember("The office is in Lund.", valid_until="2020-01-01", now=NOW)
    db.supersede(old.id, db.remember("The office is in Malmö.", now=NOW).id, now=LATER)
    assert db.memory(old.id).valid_until == "2020-01-01"


def test_a_memory_that_began_after_the_one_that_supersedes_it_never_held(db: MemoryDatabase) -> None:
    old = db.remember("The office is in Lund.", valid_from="2020-01-01", now=NOW)
    new = db.remember("The office is in Malmö.", valid_from="2015-01-01", now=NOW)
    db.supersede(old.id, new.id, now=LATER)
    assert db.recall("office", as_of="2021-01-01", now=LATER).ids == [new.id]


@pytest.mark.parametrize(
    ("fields", "said"), [({"type": "likes"}, "not a type of link"), ({"weight": 7}, "between 0 and 1")]
)
def test_a_link_that_cannot_be_is_refused(db: MemoryDatabase, fields, said: str) -> None:
    one, other = db.remember("one", now=NOW), db.remember("other", now=NOW)
    with pytest.raises(MemkitError, match=said):
        db.link(one.id, other.id, **fields)
    with pytest.raises(MemkitError, match="linked to itself"):
        db.link(one.id, one.id)


LESSON = "Swift actors are reentrant: state that was read before an await may be stale after it. Seen in "


LOG = "log line {}: the server answered the request of the client in good time and closed the connection"


@pytest.mark.parametrize("number", [str, lambda n: f"{chr(97 + n % 26)}{chr(97 + n // 26)}"], ids=["digits", "letters"])
def test_the_thousandth_near_duplicate_costs_as_much_as_the_second(
    db: MemoryDatabase, monkeypatch: pytest.MonkeyPatch, number: Callable[[int], str]
) -> None:
    """Each memory is compared with at most one other for each of its fingerprints, and linked to at most three."""
    compared: list[tuple[str, str]] = []
    monkeypatch.setattr(
        duplicates, "likeness", lambda one, other: compared.append((one, other)) or likeness(one, other)
    )
    counts = []
    for first in (0, 300, 600):
        compared.clear()
        db.ingest([LOG.format(number(n)) for n in range(first, first + 300)], now=NOW)
        counts.append(len(compared))
    assert max(counts) <= 300 * duplicates.BANDS
    assert counts[2] < 1.2 * counts[0]
    made = db.conn.execute("select count(*) from links group by from_key").fetchall()
    assert all(count <= duplicates.MOST_LINKS for (count,) in made)


def test_what_nearly_equals_it_is_found_by_an_index(db: MemoryDatabase) -> None:
    plan = db.conn.execute(
        f"explain query plan {duplicates.SELECT_SHARING}", {"bands": "[1]", "first": 1, "last": 2}
    ).fetchall()
    steps = [row["detail"] for row in plan]
    assert any(step.startswith("SEARCH o USING PRIMARY KEY (band=? AND memory_key<?)") for step in steps), steps
    assert not [step for step in steps if step.startswith(("SCAN f", "SCAN o"))]


def test_near_duplicates_are_linked_once_and_kept(db: MemoryDatabase) -> None:
    db.ingest(
        [{"id": str(n), "text": LESSON + name} for n, name in enumerate(("Engram.", "Lattice.", "Kira."))], now=NOW
    )
    rows = db.conn.execute("select from_key, to_key, why from links order by 1, 2").fetchall()
    assert [tuple(row) for row in rows] == [(2, 1, "near duplicate"), (3, 2, "near duplicate")]
    db.ingest([{"id": "1", "text": "Something else altogether, without any likeness to the lesson that stood here."}])
    assert [tuple(row)[:2] for row in db.conn.execute("select from_key, to_key from links")] == [(3, 2)]


@pytest.mark.parametrize("text", ["Thanks, Evan! Your support means a lot.", "我的手机是苹果的。"])
def test_short_texts_are_alike_by_chance_and_not_linked(db: MemoryDatabase, text: str) -> None:
    db.ingest([{"id": "a", "text": text}, {"id": "b", "text": text}], now=NOW)
    assert db.graph_stats().links == 0


def test_texts_with_other_numbers_say_other_things() -> None:
    assert likeness("Bed 7 holds tomatoes under glass", "Bed 8 holds tomatoes under glass") == 0
    assert likeness("Bed 7 holds tomatoes under glass", "Bed 7 holds tomatoes under glass!") == 1


# ---------------------------------------------------------------------------------------------- with a model


class Answers(llm.Model):
    """Answers what the script says, in turn, or raises it."""

    model_id = "memkit-answers"
    supports_schema = True

    def __init__(self, *script):
        self.script, self.asked = list(script), 0

    def execute(self, prompt, stream, response, conversation):
        self.asked += 1
        answer = self.script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        yield json.dumps(answer)


def answer(**lists) -> dict:
    return {name: lists.get(name, []) for name in ("entities", "relations", "facts", "preferences", "procedures")}


TEXT = "Priya joined the crew at Siemens in spring; she swears by dark roast."
FOUND = answer(
    entities=[{"memory": 1, "name": "Priya", "kind": "person", "description": "engineer"}],
    relations=[
        {
            "memory": 1,
            "subject": "Priya",
            "predicate": "works at",
            "object": "Siemens",
            "confidence": 0.8,
            "valid_from": "2025-03-01",
            "valid_until": None,
            "quote": "Priya joined the crew at Siemens",
        },
        {
            "memory": 1,
            "subject": "Priya",
            "predicate": "knows",
            "object": "Siemens",
            "confidence": 1,
            "valid_from": None,
            "valid_until": None,
            "quote": "this was never said",
        },
    ],
    preferences=[{"memory": 1, "text": "Priya prefers dark roast.", "quote": "she swears by dark roast"}],
)


def test_what_a_model_finds_is_kept_with_its_quote(db: MemoryDatabase) -> None:
    memory = db.remember(TEXT, now=NOW)
    report = db.extract(Answers(FOUND), now=LATER)
    assert (report.memories, report.relations, report.texts, report.dropped) == (1, 1, 1, 1)
    card = db.about("Priya", now=LATER)
    assert (card.kind, card.description) == ("person", "engineer")
    works = next(one for one in card.relations if one.predicate == "works_at")
    assert (works.method, works.evidence[0].memory_id) == ("model", memory.id)
    assert works.evidence[0].quote in TEXT
    made = db.conn.execute("select id, kind from memories where text = 'Priya prefers dark roast.'").fetchone()
    assert made["kind"] == "preference"
    links = db.conn.execute("select type from links").fetchall()
    assert [row[0] for row in links] == ["derived_from"]


def test_what_was_asked_is_not_asked_again(db: MemoryDatabase) -> None:
    db.remember(TEXT, now=NOW)
    assert db.extract(Answers(FOUND), now=LATER).memories == 1
    assert db.extract(Answers(), now=LATER).memories == 0


def preferring(text: str) -> dict:
    """An answer of one preference."""
    return answer(preferences=[{**FOUND["preferences"][0], "text": text}])


@pytest.mark.parametrize("again", [answer(), preferring("Priya likes it.")], ids=["nothing", "something else"])
def test_texts_of_a_model_that_says_them_no_more_are_archived(db: MemoryDatabase, again: dict) -> None:
    db.ingest([{"id": "a", "text": TEXT}], now=NOW)
    db.extract(Answers(preferring("Priya lives in Malmö.")), now=NOW)
    db.ingest([{"id": "a", "text": TEXT + " And by rye bread."}], now=LATER)
    db.extract(Answers(RuntimeError("busy"), RuntimeError("busy")), now=LATER)  # which says nothing about it
    assert "Priya -lives in-> Malmö" in map(str, db.about("Priya", now=LATER).relations)
    db.extract(Answers(again), retry=True, now=LATER)
    texts = db.conn.execute("select text from current_memories where source_id is null")
    assert [row[0] for row in texts] == [one["text"] for one in again["preferences"]]
    held = db.conn.execute("select subject, object from current_relations where predicate = 'lives_in'")
    assert held.fetchall() == []


def test_a_failed_answer_is_recorded_and_asked_again_only_when_wanted(db: MemoryDatabase) -> None:
    db.remember(TEXT, now=NOW)
    report = db.extract(Answers(RuntimeError("busy"), RuntimeError("busy")), now=NOW)
    assert (report.failed, report.errors) == (1, ("RuntimeError: busy",))
    assert db.extract(Answers(), now=NOW).memories == 0
    assert db.extract(Answers(FOUND), retry=True, now=LATER).relations == 1


def test_a_dry_run_counts_calls_and_asks_nobody(db: MemoryDatabase) -> None:
    db.ingest([{"text": f"{TEXT} {n}"} for n in range(20)], now=NOW)
    model = Answers()
    report = db.extract(model, dry_run=True)
    assert (report.memories, report.calls, model.asked) == (20, 3, 0)
    assert report.tokens > 100
    assert "dry run" in repr(report)


def test_a_limit_is_kept_and_the_next_run_goes_on(db: MemoryDatabase) -> None:
    db.ingest([{"text": f"{TEXT} {n}"} for n in range(5)], now=NOW)
    assert db.extract(Answers(answer()), limit=3, now=NOW).memories == 3
    assert db.extract(Answers(answer()), now=NOW).memories == 2


def test_a_models_quote_holds_as_long_as_it_stands_in_the_text(db: MemoryDatabase) -> None:
    db.ingest([{"id": "a", "text": TEXT}], now=NOW)
    db.extract(Answers(FOUND), now=NOW)
    db.ingest([{"id": "a", "text": TEXT + " And by rye bread."}], now=LATER)
    assert "Priya -works at-> Siemens" in map(str, db.about("Priya", now=LATER).relations)
    db.ingest([{"id": "a", "text": "Nothing of it was true."}], now=LATER)
    assert "Priya -works at-> Siemens" not in map(str, db.about("Priya", now=LATER).relations)


@pytest.mark.parametrize("subject", ["user", "I", "me", "speaker", "User"])
@pytest.mark.parametrize(("speaker", "who"), [("user", "user"), ("Otto Brandt", "Otto Brandt"), ("assistant", None)])
def test_whom_a_model_calls_the_user_is_who_speaks_or_nobody(
    db: MemoryDatabase, subject: str, speaker: str, who: str | None
) -> None:
    one = {"memory": 1, "subject": subject, "predicate": "lives in", "object": "Boston", "confidence": 0.8}
    said = answer(
        entities=[{"memory": 1, "name": subject, "kind": "person", "description": "somebody"}],
        relations=[{**one, "valid_from": None, "valid_until": None, "quote": "They moved and live in Boston"}],
    )
    db.ingest([{"text": "They moved and live in Boston by the sea.", "speaker": speaker, "session": "s"}], now=NOW)
    db.extract(Answers(said), now=NOW)
    rows = db.conn.execute(
        "select s.name, r.predicate, o.name from current_relations as r join entities as s on s.name = r.subject"
        " join entities as o on o.name = r.object"
    ).fetchall()
    assert {tuple(row) for row in rows} == ({(who, "lives_in", "Boston")} if who else set())


def test_the_setting_me_says_who_i_am(db: MemoryDatabase) -> None:
    store.set_setting(db.conn, "me", "Reed")
    db.remember("I live in Boston.", now=NOW)
    assert "Reed -lives in-> Boston" in map(str, db.about("Reed", now=LATER).relations)


# ---------------------------------------------------------------------------------------------- descriptions


def test_what_a_sentence_says_of_somebody_describes_him_as_long_as_one_says_it(db: MemoryDatabase) -> None:
    def description() -> str | None:
        return db.about("Mia", now=NOW).description

    db.ingest([{"text": "My sister Mia lives in Ghent.", "id": "1"}, {"text": "We met Mia.", "id": "2"}], now=NOW)
    assert description() == "user's sister"
    db.ingest([{"text": "My friend Mia lives in Ghent.", "id": "1"}], now=LATER)
    assert description() == "user's friend"
    db.ingest([{"text": "It rains.", "id": "1"}], now=LATER)
    assert description() is None
    db.ingest([{"text": "Mia is Bo Ek's dentist.", "id": "3"}], now=LATER)
    assert description() == "Bo Ek's dentist"
    db.forget(source_id_of(db, "3"))
    assert description() is None


def test_a_second_sentence_that_says_it_keeps_a_description(db: MemoryDatabase) -> None:
    for n in ("1", "2"):
        db.ingest([{"text": f"My sister Mia lives here, {n} streets away.", "id": n}], now=NOW)
    db.ingest([{"text": "It rains.", "id": "1"}], now=LATER)
    assert db.about("Mia", now=LATER).description == "user's sister"


def source_id_of(db: MemoryDatabase, source_id: str) -> str:
    found: str = db.conn.execute("select id from memories where source_id = ?", (source_id,)).fetchone()[0]
    return found
