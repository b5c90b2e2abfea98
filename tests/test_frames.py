"""Facts about DataFrames in and out, and about what values say of themselves."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib import import_module
from inspect import getmembers, signature
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import memkit
from memkit import STRATEGIES, MemoryDatabase
from memkit.core.errors import BadQuestion, BadSource, MemkitError
from memkit.retrieval.strategies import Strategy, part_of

DIARY = pd.DataFrame(
    {
        "body": ["Rosa planted the quince.", None, "Otto sold the boat."],
        "when": pd.to_datetime(["2019-03-08", "2020-01-01", "2021-06-01"], utc=True),
        "mood": [3.0, 2.0, float("nan")],
    }
)
PACKAGE = Path(memkit.__file__).parent
MINE = pd.DataFrame({"n": [1]})


@pytest.fixture
def diary(letters: Any) -> Any:
    """A database made of the diary."""
    with MemoryDatabase(embed=letters) as db:
        db.ingest(DIARY, text="body", timestamp="when")
        yield db


# ---------------------------------------------------------------------------------------------- in


def test_a_dataframe_is_taken_in_by_the_columns_that_are_named(diary: MemoryDatabase) -> None:
    hit = diary.recall("who planted the quince?")[0].memory
    assert (hit.text, hit.happened_at, hit.meta) == ("Rosa planted the quince.", "2019-03-08T00:00:00Z", {"mood": 3})
    assert diary.info().memories == 2


def test_a_row_without_a_text_is_reported(letters: Any) -> None:
    with MemoryDatabase(embed=letters) as db:
        report = db.ingest(DIARY, text="body")
    assert (report.added, [failure.line for failure in report.failures]) == (2, [2])


@pytest.mark.parametrize("options", [{}, {"text": "bdoy"}, {"text": "body", "timestamp": "day"}])
def test_a_column_that_is_not_there_is_refused_with_those_that_are(options: dict[str, str]) -> None:
    with MemoryDatabase(embed="none") as db:
        with pytest.raises(BadSource, match="body, mood, when"):
            db.ingest(DIARY, **options)
        assert db.info().memories == 0


def test_an_option_that_is_none_is_refused() -> None:
    with MemoryDatabase(embed="none") as db, pytest.raises(TypeError, match="'txt' is not a reading option"):
        db.ingest(DIARY, txt="body")


# ---------------------------------------------------------------------------------------------- out


def test_sql_gives_a_frame_with_times_as_timestamps(diary: MemoryDatabase) -> None:
    frame = diary.sql("select text, happened_at, importance from memories order by happened_at")
    assert list(frame.columns) == ["text", "happened_at", "importance"]
    assert frame["happened_at"].tolist() == DIARY["when"].drop(index=1).tolist()
    assert str(frame["importance"].dtype) == "float64"


def test_sql_without_rows_still_has_columns(diary: MemoryDatabase) -> None:
    frame = diary.sql("select id, created_at from memories where id = :id", {"id": "nobody"})
    assert (len(frame), list(frame.columns)) == (0, ["id", "created_at"])


def test_a_frame_is_a_table_for_one_query(diary: MemoryDatabase) -> None:
    mine = pd.DataFrame({"who": ["Rosa"], "Odd name": [[1, 2]], "day": pd.to_datetime(["2020-01-01"]), "n": [7]})
    found = diary.sql("select text, \"Odd name\", day, n from memories join mine on text like who || '%'", mine=mine)
    assert found.to_dict("records") == [
        {"text": "Rosa planted the quince.", "Odd name": "[1, 2]", "day": "2020-01-01T00:00:00Z", "n": 7}
    ]
    with pytest.raises(BadQuestion, match="no such table: mine"):
        diary.sql("select * from mine")


def test_sql_can_ask_for_a_recall(diary: MemoryDatabase) -> None:
    memkit.register_sql_functions(diary.conn)
    found = diary.sql("select value ->> 'text' as text from json_each(recall('planted quince', 1))")
    assert found["text"].tolist() == ["Rosa planted the quince."]


@pytest.mark.parametrize(
    "query",
    ["VALUES (1)", "-- one\n select 1", "/* one */\twith a as (select 1) select * from a", "explain select 1"],
)
def test_what_reads_gives_rows_however_it_is_written(diary: MemoryDatabase, query: str) -> None:
    assert len(diary.sql(query))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("delete from memories", "begin it with `select`"),
        ("select 1 frm memories", "syntax error"),
        (
            "with a as (select 1) delete from memories",
            "readonly|unsafe use",
        ),  # by the library: the write, or its trigger
        ("select 'unfinished", "unrecognized token"),
        ("", "begin it with `select`"),
        ("selct 1", "begin it with `select`"),
        ("begin", "begin it with `select`"),
        ("pragma user_version = 9", "begin it with `select`"),
        ("pragma foreign_keys = off", "begin it with `select`"),
        ("explain pragma foreign_keys = off", "begin it with `select`"),
        ("attach ':memory:' as other", "begin it with `select`"),
        ("/* select */ vacuum", "begin it with `select`"),
        ("-- select 1", "begin it with `select`"),
        ("/*" * 5000 + "*/" * 5000, "begin it with `select`"),
        ("/**/ -- " * 5000, "begin it with `select`"),
        ("select 1; select 2", "one statement"),
        ("select * from nowhere", "no such table"),
    ],
)
def test_sql_only_reads_and_says_why_not(diary: MemoryDatabase, query: str, message: str) -> None:
    pragmas = "select * from pragma_foreign_keys, pragma_user_version, pragma_query_only"
    before = tuple(diary.conn.execute(pragmas).fetchone())
    with pytest.raises(BadQuestion, match=message):
        diary.sql(query)
    assert not diary.conn.in_transaction
    assert tuple(diary.conn.execute(pragmas).fetchone()) == before
    diary.remember("Writing goes on.")
    assert diary.info().memories == 3


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        ({"memories": DIARY}, "a table 'memories' of its own"),
        ({"t": [1, 2]}, "not a DataFrame but a list"),
        ({"t": pd.DataFrame()}, "no columns"),
        ({"t": pd.DataFrame([[1, 2]], columns=["a", "A"])}, "the same name"),
        ({"t": pd.DataFrame({"n": [1, 2**70]})}, "'t' cannot be a table: .* too large"),
        ({"t": pd.DataFrame({"n": ["\ud800"]})}, "'t' cannot be a table: .* surrogates"),
        ({"t": pd.DataFrame([range(3000)])}, "'t' cannot be a table: too many columns"),
        ({"t": MINE, "T": MINE}, "'T' cannot be a table: .* already exists"),
        ({"t": MINE, "memories": DIARY}, "a table 'memories' of its own"),
    ],
)
def test_a_frame_that_can_be_no_table_is_refused_and_leaves_none(
    diary: MemoryDatabase, frames: Any, message: str
) -> None:
    with pytest.raises(BadQuestion, match=message):
        diary.sql("select 1", **frames)
    assert diary.sql("select n from t", t=MINE)["n"].tolist() == [1]


def test_a_temporary_table_of_ones_own_stays_as_it_is(diary: MemoryDatabase) -> None:
    diary.conn.execute("create temp table t as select 7 as n")
    with pytest.raises(BadQuestion, match="already exists"):
        diary.sql("select n from t", t=MINE)
    assert diary.sql("/* mine */ select n -- t\nfrom t")["n"].tolist() == [7]


def test_sql_reads_a_read_only_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as db:
        db.remember("Rosa planted the quince.")
    with MemoryDatabase(path, read_only=True) as db:
        mine = pd.DataFrame({"n": [1]})
        assert db.sql("select count(*) as c from memories, mine", mine=mine)["c"].tolist() == [1]
        with pytest.raises(MemkitError):
            db.sql("delete from memories")


# ---------------------------------------------------------------------------------------------- what values say


def test_a_database_says_what_is_in_it(tmp_path: Path) -> None:
    db = MemoryDatabase(tmp_path / "<garden>.db", embed="none")
    db.remember("Rosa planted the quince.", happened_at="2019-03-08")
    assert "garden>.db, 1 memory, " in repr(db)
    assert "2019-03-08 to 2019-03-08" in repr(db)
    assert "&lt;garden&gt;.db" in db._repr_html_()
    db.close()
    assert "closed" in repr(db)
    assert "closed" in db._repr_html_()


def test_a_strategy_says_what_it_is_and_what_was_changed() -> None:
    own = STRATEGIES["memkit"].replace(vector={"weight": 0.5}, graph=None)
    assert own.changes == {"vector.weight": 0.5, "graph": None}
    assert own.summary == "memkit, with vector.weight 0.5, graph off"
    assert STRATEGIES["kira"].changes == {}
    assert repr(own).splitlines()[0] == "Strategy memkit, with vector.weight 0.5, graph off"
    assert "graph     off" in repr(own)
    assert "<b>" not in Strategy(name="<b>")._repr_html_()
    assert json.loads(own.to_json())["vector"]["weight"] == 0.5


def test_a_part_of_a_strategy_can_be_had_by_name() -> None:
    assert part_of("vector") == Strategy().vector
    with pytest.raises(BadQuestion, match="'meaning' is not a part"):
        part_of("meaning")


# ---------------------------------------------------------------------------------------------- everything as a frame


def test_a_database_is_iterated_memory_by_memory(diary: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memkit.database.memory_database.ITERATED_AT_ONCE", 2)
    for n in range(3):
        diary.remember(f"Otto sold boat {n}.")
    diary.forget(diary.recall("boat 1", 1)[0].memory.id)
    assert [memory.text for memory in diary] == [
        "Rosa planted the quince.", "Otto sold the boat.", "Otto sold boat 0.", "Otto sold boat 2.",
    ]  # fmt: skip
    assert len(list(diary)) == len(diary)
    for memory in diary:  # it may write meanwhile
        diary.forget(memory.id)
    assert list(diary) == []


FRAMES = {
    "path": (lambda db: db.path("Rosa", "Theo"), lambda db: db.path("Rosa", "Otto"), "source"),
    "about": (lambda db: db.about("Rosa"), lambda db: replace(db.about("Rosa"), relations=(), history=()), "predicate"),
    "timeline": (lambda db: db.timeline("Rosa"), lambda db: db.timeline("Otto"), "kind"),
    "changes": (lambda db: db.maintenance(), lambda db: db.maintenance(run="none"), "step"),
    "proposals": (lambda db: db.proposals(), lambda db: db.proposals("refused"), "state"),
    "neighbors": (lambda db: db.neighbors("Rosa"), lambda db: db.neighbors("Rosa", fan_out=0), "name"),
    "day": (lambda db: db.on_this_day(now="2027-03-01"), lambda db: db.on_this_day(now="2027-05-05"), "text"),
    "sources": (lambda db: db.sources(), lambda db: MemoryDatabase().sources(), "path"),
}


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A database of which every report says something."""
    from memkit.maintenance.log import record
    from memkit.maintenance.proposals import propose

    folder = tmp_path_factory.mktemp("notes")
    (folder / "a.md").write_text("Then [[Otto]] planted the quince.")
    with MemoryDatabase(embed="none") as db:
        db.add_source(folder)
        db.sync()
        db.relate("Rosa", "sister_of", "Theo")
        db.relate("Rosa", "lives_in", "Lund", valid_from="2019-01-01")
        db.relate("Rosa", "lives_in", "Porto", valid_from="2024-01-01")
        db.remember("Rosa went to Lund.", happened_at="2026-03-01")
        two = [db.remember(text).id for text in ("Rosa likes pears.", "Rosa likes her pears.")]
        at = "2026-01-01T00:00:00Z"
        record(db.conn, run="r", step="episodes", action="made", memory_id=two[0], why="it was told", at=at)
        propose(db.conn, "merge", two, "They are one.", "alike", at)
        yield db


@pytest.mark.parametrize("name", FRAMES)
def test_every_report_is_a_frame_whose_columns_are_always_there(lived: MemoryDatabase, name: str) -> None:
    full, empty, column = FRAMES[name]
    some, none = full(lived).to_df(), empty(lived).to_df()
    assert len(some) > 0 == len(none)
    assert some[column].notna().all()
    assert list(some.columns) == list(none.columns)
    times = [one for one in some.columns if one in ("at", "valid_from", "created_at", "read_at")]
    assert all(str(some[one].dtype).endswith("UTC]") for one in times)


def test_whatever_is_called_a_report_a_card_a_path_or_a_log_is_a_frame() -> None:
    methods = [one for name, one in getmembers(MemoryDatabase, callable) if name[0] != "_"]
    returned = " ".join(str(signature(one).return_annotation) for one in methods)
    called = set(re.findall(r"\w*(?:Report|Card|Path|Changes|Proposals|Moments)\b", returned))
    assert len(called) > 15
    for name in called:
        files = (
            file for file in PACKAGE.rglob("*.py") if re.search(rf"^class {name}\b", file.read_text("utf-8"), re.M)
        )
        modules = (".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts) for file in files)
        assert any(hasattr(getattr(import_module(module), name), "to_df") for module in modules), name


ROWS = {
    "ingest": (lambda db, _: db.ingest([{"text": "Rosa likes figs."}, {"no": "text"}]), {"added": 1, "failures": 1}),
    "reindex": (lambda db, _: db.reindex(fts=True), {"vectors": 0}),
    "connect": (lambda db, _: db.extract(), {"unsure": {}}),
    "backup": (lambda db, folder: db.backup(folder / "copy.db"), {"older": 0}),
    "export": (lambda db, folder: db.export(folder / "all.jsonl"), {"format": "jsonl"}),
    "restore": (lambda db, folder: db.restore(db.export(folder / "some.jsonl").path, dry_run=True), {"added": 0}),
    "publish": (lambda db, folder: db.publish(folder / "out", kind="fact", dry_run=True), {"gone": 0}),
    "info": (lambda db, _: db.info(), {"model": None}),
    "graph": (lambda db, _: db.graph_stats(), {"conflicts": 0}),
}


@pytest.mark.parametrize("name", ROWS)
def test_every_report_of_numbers_is_a_row_that_can_be_put_below_others(
    lived: MemoryDatabase, name: str, tmp_path: Path
) -> None:
    report, known = ROWS[name]
    with MemoryDatabase(lived.backup(tmp_path / "mine.db").path, embed="none") as db:
        frame = report(db, tmp_path).to_df()
    assert len(pd.concat([frame, frame], ignore_index=True)) == 2
    assert {name: frame[name].iloc[0] for name in known} == known


def test_a_run_of_upkeep_is_a_frame_of_its_changes(lived: MemoryDatabase) -> None:
    made = lived.maintain(dry_run=True, only=["propose"])
    assert len(made.to_df()) == len(made.changes)
    assert list(made.to_df().columns) == list(lived.maintenance().to_df().columns)


def test_a_sync_is_a_frame_with_a_row_for_each_source(lived: MemoryDatabase) -> None:
    frame = lived.sync(again=True).to_df()
    assert frame["source"].tolist() == [one.path for one in lived.sources()]
    assert frame["unchanged"].tolist() == [1]
    with MemoryDatabase(embed="none") as nothing:
        assert list(nothing.sync().to_df().columns) == list(frame.columns)


def test_a_context_is_a_frame_of_what_is_shown_and_what_is_not(lived: MemoryDatabase) -> None:
    context = lived.context("what does Rosa like?", budget=60)
    frame = context.to_df()
    assert (frame["reason"].isna().sum(), len(frame)) == (len(context.shown), len(context.shown + context.left_out))
    assert list(lived.context("", budget=60).to_df().columns) == list(frame.columns)


def test_relations_that_were_ingested_are_counted_in_the_report(letters: Any) -> None:
    with MemoryDatabase(embed=letters) as db:
        samples = Path(__file__).parent.parent / "samples"
        report = db.ingest([samples / "facts.jsonl", samples / "relations.jsonl"])
    assert report.relations > 1
    assert ">relations</th>" in report._repr_html_()


def test_questions_for_an_evaluation_may_be_a_dataframe(diary: MemoryDatabase) -> None:
    id = diary.recall("who planted the quince?")[0].memory.id
    asked = [{"text": "who planted the quince?", "relevant": [id]}, {"text": "who sold it?", "relevant": []}]
    frame = pd.DataFrame(asked).assign(category=["garden", None], timestamp=pd.to_datetime(["2025-01-01", None]))
    report = diary.evaluate(frame)
    assert [answer.query.timestamp for answer in report.runs[0].answers] == ["2025-01-01T00:00:00Z", None]
    assert [answer.query.category for answer in report.runs[0].answers] == ["garden", None]
    for by in ("strategy", "category", "question", "stage"):  # whatever was asked
        assert list(report.to_df(by).columns) == list(diary.evaluate(asked[:1]).to_df(by).columns)
        assert list(report.to_df(by).columns) == list(diary.evaluate(asked[1:]).to_df(by).columns)


def test_the_frame_of_a_card_says_what_holds(lived: MemoryDatabase) -> None:
    frame = lived.about("Rosa").to_df().set_index("object")
    assert frame["holds"].to_dict() == {"Theo": True, "Porto": True, "pears": True, "Lund": False}
    assert frame.loc["Lund", "valid_until"] == pd.Timestamp("2024-01-01", tz="UTC")
