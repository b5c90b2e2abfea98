"""What calls do with arguments that make no sense: they say what to pass, and change nothing."""

from __future__ import annotations

import inspect
import os
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW
from hypothesis import example, given, settings
from hypothesis import strategies as st

import memkit
from memkit import MemoryDatabase
from memkit.core import arguments
from memkit.core.errors import BadArgument, Closed, MemkitError

HISTORY = [{"role": "user", "content": "Rosa planted the quince."}]
PATHS = {"path", "out"}  # any text is a path, and would be written to
# Every public method, with arguments that it takes.
CALLS: dict[str, dict[str, Any]] = {
    "about": {"name": "Rosa", "as_of": NOW, "known_at": NOW, "project": "global", "now": NOW},
    "accept": {"id": "x", "text": "said", "now": NOW},
    "add_source": {"path": "notes", "format": None, "project": "global"},
    "alike_names": {"most": 10},
    "backup": {"path": "copy.db", "keep": 2, "now": NOW},
    "bring_back": {"source": "/nowhere", "title": "Rome", "now": NOW},
    "check_published": {"out": "out", "redact": ["Rosa"], "patterns": {"a": "b"}, "common": True},
    "choices": {},
    "close": {},
    "compact": {"messages": HISTORY, "budget": 1000, "project": "global", "model": None, "now": NOW},
    "context": {
        "message": "quince",
        "history": HISTORY,
        "budget": 100,
        "strategy": "memkit",
        "project": "global",
        "only_project": False,
        "since": None,
        "until": None,
        "as_of": None,
        "kinds": ["fact"],
        "now": NOW,
        "channel": "mail",
        "timezone": "UTC",
        "tokens": len,
        "layout": "memkit",
        "templates": None,
        "fenced": True,
        "offset": 0,
        "window": 1000,
        "reserve": 10,
    },
    "correct": {"id": "x", "text": "Rosa likes pears.", "why": "", "now": NOW, "kind": "fact"},
    "document": {"id": "x", "memory": "y", "page": 1},
    "due": {"now": NOW},
    "entity_ids": {"names": ["Rosa"]},
    "evaluate": {
        "queries": [{"text": "quince", "relevant": ["a"]}],
        "strategies": ["memkit"],
        "k": 3,
        "bootstrap": False,
        "tune": False,
        "progress": None,
    },
    "expand_summary": {"id": "x"},
    "export": {
        "path": "all.jsonl",
        "format": "jsonl",
        "now": NOW,
        "project": "global",
        "since": NOW,
        "sql": "select 1",
    },
    "export_graph": {"path": "graph.json", "format": "json", "memories": True},
    "extract": {
        "model": None,
        "limit": 1,
        "dry_run": True,
        "retry": False,
        "progress": None,
        "now": NOW,
        "batch": 1,
        "at_once": 1,
        "template": None,
    },
    "feedback": {"id": "x", "useful": True, "question": "quince", "now": NOW},
    "filter_warnings": {"kinds": ["fact"], "project": "global"},
    "fill_slots": {"now": NOW},
    "fitting": {"message": "rain?", "described": {"weather": "rain and sun"}, "k": 2, "least": 0.2},
    "forget": {"id": "x", "hard": False, "now": NOW},
    "forget_source": {"source": "/nowhere", "title": "Rome", "hard": False, "dry_run": True, "now": NOW},
    "forgotten_memories": {},
    "forgotten_sources": {},
    "get": {"id": "x"},
    "graph_stats": {"most": 3},
    "info": {},
    "ingest": {
        "source": [{"text": "Otto is Rosa's neighbour.", "id": "o"}],
        "project": "garden",
        "format": None,
        "sync": False,
        "dry_run": False,
        "client": None,
        "progress": None,
        "now": NOW,
        "text": "text",
        "id_column": "id",
        "table": None,
        "sql": None,
        "max_tokens": 100,
        "include_tools": False,
    },
    "last_merge": {"name": "Rosa"},
    "link": {"one": "x", "other": "y", "type": "relates_to", "weight": 1.0, "why": "", "now": NOW},
    "maintain": {"only": ["expire"], "dry_run": True, "model": None, "now": NOW},
    "maintenance": {"memory": None, "run": None, "step": None, "limit": 10},
    "memories": {
        "kind": ["fact"],
        "project": "global",
        "since": None,
        "until": None,
        "as_of": None,
        "everything": False,
        "now": NOW,
    },
    "memory": {"id": "x"},
    "likely_me": {},
    "me": {"name": "Sam Reed", "aliases": ["Sam"]},
    "merge": {"kept": "Rosa", "merged": "Otto", "now": NOW},
    "names_beginning": {"typed": "Ro", "most": 8},
    "completions": {"question": "who is Ro", "most": 8},
    "neighborhood": {
        "name": "Rosa",
        "depth": 1,
        "limit": 3,
        "as_of": NOW,
        "project": "global",
        "kinds": ["person"],
        "since": NOW,
        "until": NOW,
        "dates": False,
        "also": ["Rosa"],
    },
    "neighbors": {"name": "Rosa", "depth": 2, "fan_out": 3, "as_of": NOW},
    "on_this_day": {"most": 3, "now": NOW},
    "period": {"when": "2025-03", "now": NOW},
    "observe": {
        "messages": HISTORY,
        "session": "s",
        "title": "t",
        "project": "global",
        "document": None,
        "threshold": 1000,
        "model": None,
        "now": NOW,
    },
    "path": {"a": "Rosa", "b": "Otto", "max_depth": 3, "as_of": NOW, "project": "global"},
    "policy": {},
    "proposals": {"state": "open", "kind": "merge"},
    "proposed": {"id": "x"},
    "prune": {"apply": False, "now": NOW},
    "publish": {
        "out": "out",
        "embed": "none",
        "review": None,
        "dry_run": True,
        "anew": True,
        "now": NOW,
        "project": "global",
        "since": NOW,
        "title": "t",
        "cache": 1,
        "redact": "Rosa",
        "keep": ["times"],
    },
    "recall": {
        "question": "quince",
        "k": 3,
        "strategy": "memkit",
        "project": "global",
        "only_project": True,
        "since": None,
        "until": None,
        "as_of": None,
        "kinds": ["fact"],
        "now": NOW,
        "everything": False,
        "track": False,
        "ledger": False,
    },
    "pull": {"url": "postgresql://127.0.0.1:1/x", "overwrite": False, "now": NOW},
    "push": {"url": "postgresql://127.0.0.1:1/x", "project": None, "overwrite": False, "now": NOW},
    "reflect": {"project": None, "threshold": 1000, "model": None, "now": NOW},
    "refuse": {"id": "x", "now": NOW},
    "reindex": {"model": None, "fts": True, "client": None, "progress": None, "now": NOW},
    "relate": {
        "subject": "Rosa",
        "predicate": "knows",
        "object": "Otto",
        "memory": None,
        "quote": "q",
        "confidence": 0.5,
        "valid_from": NOW,
        "valid_until": None,
        "now": NOW,
    },
    "remember": {
        "text": "Rosa likes figs.",
        "now": NOW,
        "kind": "fact",
        "title": "t",
        "tags": ["a"],
        "importance": 5,
        "happened_at": NOW,
        "slot": "user",
        "key": "k",
        "meta": {"a": 1},
    },
    "restorable": {},
    "remove_source": {"path": "notes"},
    "restore": {"path": "all.jsonl", "take": ["policy"], "overwrite": False, "dry_run": True, "now": NOW},
    "save_question": {"question": "quince", "name": "trees", "has": {"kind": ["fact"]}, "project": "garden"},
    "saved_questions": {},
    "set_strategy": {"given": {"vector": {"weight": 0.5}}},
    "strategy": {"given": None},
    "set_policy": {"preset": "memkit", "toml": None, "settings": {"episodes.raw_days": "10"}},
    "sources": {},
    "table_sizes": {},
    "sql": {"query": "select :a", "parameters": {"a": 1}},
    "supersede": {"old": "x", "new": "y", "why": "", "now": NOW},
    "surroundings": {"id": "x"},
    "sync": {"again": False, "progress": None, "now": NOW},
    "timeline": {"name": "Rosa", "project": "global", "kinds": ["fact"]},
    "to_networkx": {"memories": True},
    "triggers": {"message": "quince", "history": HISTORY, "budget": 100},
    "turning_days": {},
    "undo": {"id": "x", "now": NOW},
    "unmerge": {"name": "Rosa", "now": NOW},
    "unprune": {"id": "x", "now": NOW},
    "unsave_question": {"name": "trees"},
    "vacuum": {"now": NOW},
}
LOOKING_ELSEWHERE_FIRST = {
    "add_source",
    "check_published",
    "restore",
    "to_networkx",
}  # into a folder or file, for a package
PLACES = [(method, name) for method, call in CALLS.items() for name in call]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.sampled_from(["", "\ud800"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryDatabase]:
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("here"))
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"id": "a", "text": "Rosa planted the quince."}, {"id": "b", "text": "Otto knows Rosa."}], now=NOW)
        yield db
    os.chdir(before)


def contents(db: MemoryDatabase) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, but for the number of the next run of upkeep: none is given twice."""
    names = [row[0] for row in db.conn.execute("select name from sqlite_master where type = 'table' order by name")]
    rows = {name: [tuple(row) for row in db.conn.execute(f"select * from {name}")] for name in names}
    return {**rows, "settings": [row for row in rows["settings"] if row[0] != "maintenance_runs"]}


def said_by_memkit(error: BaseException) -> bool:
    """Whether memkit itself raised it, and not what it called."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return Path(last.filename).is_relative_to(Path(memkit.__file__).parent) and last.line.lstrip().startswith("raise")


def test_every_public_method_is_called_here() -> None:
    methods = {name for name, _ in inspect.getmembers(MemoryDatabase, inspect.isfunction) if not name.startswith("_")}
    assert methods == set(CALLS)


def test_every_annotation_of_a_public_method_is_a_rule() -> None:
    for name, method in inspect.getmembers(MemoryDatabase, inspect.isfunction):
        for parameter in inspect.signature(method).parameters.values() if not name.startswith("_") else ():
            wanted = str(parameter.annotation).removesuffix(" | None")
            free = wanted == "Any" or parameter.kind is parameter.VAR_KEYWORD or parameter.name == "self"
            assert free or wanted in arguments.RULES, f"{name}: {parameter}"


@settings(max_examples=400)
@given(place=st.sampled_from(PLACES), value=VALUES)
@example(("recall", "k"), "3")
@example(("recall", "kinds"), 5)
@example(("path", "b"), None)
@example(("remember", "slot"), "")
def test_any_value_of_any_argument_gives_a_result_or_a_sentence_and_an_error_changes_nothing(
    db: MemoryDatabase, place: tuple[str, str], value: Any
) -> None:
    method, name = place
    if (name in PATHS and isinstance(value, str)) or (place == ("ingest", "source") and isinstance(value, str)):
        return
    before = contents(db)
    try:
        getattr(db, method)(**{**CALLS[method], name: value})
        failed = None
    except (MemkitError, ValueError, TypeError) as error:
        failed = error
    if failed is not None:
        assert said_by_memkit(failed), "".join(traceback.format_exception(failed))
        assert str(failed)
        assert contents(db) == before


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda db: db.about(None), r"about\(\): name must be a text, not None\."),
        (lambda db: db.remember(5), r"remember\(\): text must be a text, not 5\."),
        (lambda db: db.remember("a", colour="red"), "'colour' is not a field of a memory"),
        (lambda db: db.recall(None), r"recall\(\): question must be a text, not None\."),
        (lambda db: db.recall("x", k="3"), r"recall\(\): k must be a whole number, 0 or more, not '3'\."),
        (lambda db: db.recall("x", k=True), "k must be a whole number, 0 or more, not True"),
        (lambda db: db.recall("x", kinds=5), r"recall\(\): kinds must be a text, or a list of them, not 5\."),
        (lambda db: db.recall("x", now="soon"), r"recall\(\): now must be a time: ISO 8601 text, a date or a datetime"),
        (lambda db: db.context("x", budget=-1), r"context\(\): budget must be a whole number, 0 or more, not -1\."),
        (lambda db: db.context("x", colour=1), "'colour' is not a parameter"),
        (lambda db: db.path("a", None), r"path\(\): b must be a text, not None\."),
        (lambda db: db.about("\ud800"), r"name must be a text, not '\\ud800'"),
        (lambda db: db.forget("x", hard="no"), r"forget\(\): hard must be True or False, not 'no'\."),
        (lambda db: db.ingest([], max_tokens="many"), r"ingest\(\): max_tokens must be a whole number"),
        (lambda db: db.export("x.jsonl", since=5), "since must be a time: ISO 8601 text, a date or a datetime, not 5"),
        (lambda db: MemoryDatabase(None), r"MemoryDatabase\(\): path must be a path, not None\."),
    ],
)
def test_what_is_no_value_for_a_parameter_is_said_with_what_to_pass(
    db: MemoryDatabase, call: Callable[[MemoryDatabase], Any], message: str
) -> None:
    with pytest.raises(BadArgument, match=message):
        call(db)


@pytest.mark.parametrize("source", [None, 5, {"text": "one row"}, b"bytes", ""])
def test_what_is_no_source_is_said(db: MemoryDatabase, source: Any) -> None:
    """The empty text is no path: it would be the folder that one happens to be in."""
    with pytest.raises(MemkitError, match=r"A source must be a path|There is no file or folder ''"):
        db.ingest(source)


def test_a_wrong_argument_is_a_type_error_too(db: MemoryDatabase) -> None:
    with pytest.raises(TypeError):
        db.about(None)


def test_now_may_be_any_way_to_write_a_time(db: MemoryDatabase) -> None:
    there = datetime(2026, 3, 1, 14, 0, tzinfo=timezone(timedelta(hours=2)))
    for now in ("2026-03-01T12:00:00Z", "2026-03-01 14:00+02:00", there):
        assert db.remember("Rosa likes figs.", now=now).created_at == "2026-03-01T12:00:00Z"
    assert db.recall("figs", now=date(2026, 3, 1)).now == "2026-03-01T00:00:00Z"


def test_numbers_of_numpy_are_stored_as_numbers(db: MemoryDatabase) -> None:
    """As bytes they would be read by nothing any more."""
    import numpy as np

    db.relate("Rosa", "likes", "figs", confidence=np.float32(0.5), now=NOW)
    assert {row[0] for row in db.conn.execute("select typeof(confidence) from evidence")} == {"real"}
    assert db.maintenance(limit=np.int64(3)) == []
    assert len(db.recall("quince", k=np.int64(1), everything=np.bool_(True), now=NOW)) == 1
    assert db.recall("quince", now=np.datetime64("2026-03-01")).now == "2026-03-01T00:00:00Z"
    assert len(db.neighbors("Rosa", np.int64(2), fan_out=np.int32(1))) == 1


def test_what_can_be_read_only_once_is_read_once(db: MemoryDatabase) -> None:
    found = db.recall("quince", kinds=iter(["passage"]), now=NOW)
    assert found.to_dicts() == db.recall("quince", kinds=["passage"], now=NOW).to_dicts() != []
    assert db.maintain(only=iter(["prune"]), now=NOW).counts == {}
    with pytest.raises(MemkitError, match="'prun' is not a maintenance step"):
        db.maintain(only=iter(["prun"]), now=NOW)
    assert db.compact((one for one in HISTORY), 1000, now=NOW).messages == HISTORY
    assert db.triggers("quince", iter(["Rosa planted the quince."]))


def test_lists_of_any_kind_are_lists(db: MemoryDatabase) -> None:
    row = db.conn.execute("select 1, 2").fetchone()
    for pair in ((1, 2), deque([1, 2]), range(1, 3), row):
        assert db.sql("select ? as a, ? as b", pair).iloc[0].tolist() == [1, 2]


def test_a_flag_may_be_a_number(db: MemoryDatabase) -> None:
    one, true = (db.recall("quince", everything=everything, now=NOW) for everything in (1, True))
    assert one.to_dicts() == true.to_dicts()
    with pytest.raises(BadArgument, match="everything must be True or False, not 2"):
        db.recall("quince", everything=2)


@pytest.mark.parametrize("since", ["2026", "2026-03-01", date(2026, 3, 1), datetime(2026, 3, 1, tzinfo=timezone.utc)])
def test_what_is_exported_begins_at_any_way_to_write_a_time(db: MemoryDatabase, since: Any) -> None:
    db.remember("The quince was sown in June.", happened_at="2026-06-01")
    assert db.export("since.jsonl", since=since, until="2030").path.exists()
    with pytest.raises(BadArgument, match="until must be a time: ISO 8601 text, a date or a datetime, not 'soon'"):
        db.export("since.jsonl", until="soon")


def test_a_signature_is_seen_as_it_is_written() -> None:
    assert list(inspect.signature(MemoryDatabase.about).parameters)[:2] == ["self", "name"]
    assert MemoryDatabase.about.__doc__


@pytest.mark.parametrize("method", sorted({*CALLS} - {"close"} - LOOKING_ELSEWHERE_FIRST))
def test_a_database_that_was_closed_says_so_whatever_it_is_asked(method: str, tmp_path: Path, monkeypatch: Any) -> None:
    with MemoryDatabase(tmp_path / "garden.db", embed="none") as db:
        pass
    db.close()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Closed, match=r"garden\.db was closed\. Open it again"):
        getattr(db, method)(**CALLS[method])
    assert [file.name for file in tmp_path.iterdir()] == ["garden.db"]
