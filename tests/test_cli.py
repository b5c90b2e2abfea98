"""The command line, through click and as a process."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from conftest import texts

from memkit import MemoryDatabase
from memkit.core.files import data_dir
from memkit.frontends import demo
from memkit.frontends.cli import COMMANDS, Host, mount
from memkit.frontends.cli.main import cli
from memkit.frontends.serve import base_path

SAMPLES = data_dir("samples")
FACTS = SAMPLES / "facts.jsonl"


def run(*arguments: object, stdin: str | None = None) -> Result:
    """What `memkit ARGUMENTS` does."""
    return CliRunner().invoke(cli, [str(one) for one in arguments], input=stdin)


def output(*arguments: object, stdin: str | None = None) -> str:
    """What `memkit ARGUMENTS` prints, if all is well."""
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with two memories and no vectors."""
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as memory:
        memory.remember("Rosa planted the quince in 2019.", project="garden")
        memory.remember("The piano went out of the window.", kind="episode")
    return path


# ---------------------------------------------------------------------------------------------- in


def test_ingest_counts_what_it_did_and_the_same_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    first = output("ingest", path, FACTS, "--no-embed")
    count = int(first.split()[0])
    assert first == f"{count} added, 0 updated, 0 unchanged, 0 removed, 0 failed\n"
    assert output("ingest", path, FACTS, "--no-embed").startswith(f"0 added, 0 updated, {count} unchanged")


def test_ingest_says_what_failed_and_its_exit_code_says_so_too(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "good"}\n' + "{broken\n" * 25)
    result = run("ingest", tmp_path / "memory.db", rows, "--no-embed")
    assert result.exit_code == 1
    assert result.stdout == "1 added, 0 updated, 0 unchanged, 0 removed, 25 failed\n"
    said = result.stderr.splitlines()
    assert len(said) == 21
    assert f"{rows.as_posix()}:2: " in said[0]
    assert said[-1] == "25 failed, 5 more than are shown."


def test_ingest_prints_its_report_as_json(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "good"}\n{"no": "text"}\n')
    result = run("ingest", tmp_path / "memory.db", rows, "--no-embed", "--json")
    report = json.loads(result.stdout)
    assert (report["added"], report["failed"], report["dry_run"]) == (1, 1, False)
    assert report["failures"][0]["line"] == 2


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    assert output("ingest", path, FACTS, "--no-embed", "--dry-run").startswith("Would be: ")
    assert not path.exists()
    MemoryDatabase(path).close()
    assert output("ingest", path, FACTS, "--no-embed", "--dry-run").startswith("Would be: ")
    assert json.loads(output("info", path, "--format", "json"))["memories"] == 0


def test_sync_archives_what_has_vanished(tmp_path: Path) -> None:
    notes, path = tmp_path / "notes", tmp_path / "memory.db"
    notes.mkdir()
    for name in ("Quince", "Piano"):
        (notes / f"{name}.md").write_text(f"# {name}\n\nThe {name.lower()} stands by the wall.\n")
    output("ingest", path, notes, "--no-embed")
    (notes / "Piano.md").unlink()
    assert "1 removed" in output("ingest", path, notes, "--no-embed", "--sync")


def test_ingest_reads_a_table_of_another_database_with_the_columns_it_is_told(tmp_path: Path) -> None:
    import sqlite_utils

    other = tmp_path / "other.db"
    sqlite_utils.Database(other)["log"].insert_all(
        [{"n": 1, "body": "The gate squeaks."}, {"n": 2, "body": "It rains."}]
    )
    output(
        "ingest",
        tmp_path / "memory.db",
        other,
        "--table",
        "log",
        "--text-column",
        "body",
        "--id-column",
        "n",
        "--no-embed",
    )
    assert "gate squeaks" in output("recall", tmp_path / "memory.db", "squeaking gate")


def test_remember_then_recall(path: Path) -> None:
    id = output("remember", path, "The shed key hangs behind the clock.", "--no-embed", "--format", "ids").strip()
    found = json.loads(output("recall", path, "where is the shed key?", "-k", 1, "--format", "json"))
    assert [hit["id"] for hit in found] == [id]
    assert found[0]["why"]["fulltext"]["rank"] == 1


def test_remember_takes_every_field(path: Path) -> None:
    made = json.loads(
        output(
            *("remember", path, "Black, no sugar", "--no-embed", "--format", "json"),
            *("--kind", "preference", "--tag", "coffee", "--tag", "morning", "--project", "home", "--importance", 8),
            *("--confidence", 0.9, "--title", "Coffee", "--speaker", "Reed", "--category", "food"),
            *("--happened-at", "2025-03-01T08:00:00Z"),
        )
    )
    assert made["tags"] == ["coffee", "morning"]
    given = {
        name: made[name] for name in ("kind", "project", "importance", "confidence", "title", "speaker", "category")
    }
    assert given == {
        "kind": "preference",
        "project": "home",
        "importance": 8,
        "confidence": 0.9,
        "title": "Coffee",
        "speaker": "Reed",
        "category": "food",
    }


def test_remember_reads_a_text_from_standard_input(path: Path) -> None:
    assert "two\tlines" in output("remember", path, "-", "--no-embed", "--format", "json", stdin="two\tlines").replace(
        "\\t", "\t"
    )


def test_a_second_value_for_a_slots_key_takes_the_place_of_the_first(path: Path) -> None:
    for zone in ("Europe/Stockholm", "America/New_York"):
        output("remember", path, "--slot", "user", "--key", "timezone", zone, "--no-embed")
    found = json.loads(output("recall", path, "timezone", "--format", "json", "-k", 1))
    assert [hit["text"] for hit in found] == ["America/New_York"]


def test_a_slot_without_a_key_is_refused(path: Path) -> None:
    result = run("remember", path, "--slot", "user", "Europe/Stockholm")
    assert result.exit_code == 2
    assert "--slot needs --key" in result.stderr


def test_a_key_without_a_slot_is_refused(path: Path) -> None:
    result = run("remember", path, "--key", "timezone", "Europe/Stockholm")
    assert result.exit_code == 2
    assert "also give --slot" in result.stderr


@pytest.mark.parametrize("hard", [[], ["--hard"]])
def test_what_is_forgotten_is_not_recalled(path: Path, hard: list[str]) -> None:
    id = output("recall", path, "quince", "-k", 1, "--format", "ids").strip()
    assert id in output("forget", path, id, *hard)
    assert "quince" not in output("recall", path, "quince", "--format", "json")
    assert (b"planted the quince" in path.read_bytes()) == (not hard)


def test_restoring_the_id_of_a_forgotten_memory_brings_it_back(path: Path, tmp_path: Path) -> None:
    gone = output("forget", path, output("recall", path, "quince", "--format", "ids").split()[0]).split()[0]
    assert output("recall", path, "quince", "--format", "ids") == ""
    assert "nothing to overwrite" in run("restore", path, gone, "--dry-run").output
    assert output("restore", path, gone) == f"{gone}  Rosa planted the quince in 2019.\n"
    assert output("recall", path, "quince", "--format", "ids").split() == [gone]
    for wrong in (gone, "c6h2z3v2re"):
        result = run("restore", path, wrong)
        assert result.exit_code == 1
        assert wrong in result.output
    assert "does not exist" in run("restore", path, "garden.jsonl").output
    assert run("restore", tmp_path / "new.db", gone).exit_code == 1
    assert not (tmp_path / "new.db").exists()


def test_forgetting_says_how_it_is_taken_back(path: Path) -> None:
    id = output("recall", path, "quince", "-k", 1, "--format", "ids").strip()
    said = output("forget", path, id).splitlines()[-1]
    program, _, line = said.partition("To take it back: ")[2].partition(" ")
    assert program
    output(*shlex.split(line))
    assert id in output("recall", path, "quince", "--format", "ids")
    assert "To take it back" not in output("forget", path, id, "--hard")


# ---------------------------------------------------------------------------------------------- out


def test_recall_prints_a_list_with_the_reasons(path: Path) -> None:
    hit = json.loads(output("recall", path, "quince", "--format", "json"))[0]
    fields = {"id", "source_id", "score", "text", "kind", "title", "happened_at", "project", "why", "path"}
    assert fields <= hit.keys()
    assert {"rank", "score", "contribution"} == hit["why"]["fulltext"].keys()


def test_recall_filters_by_kind_and_project(path: Path) -> None:
    assert (
        output("recall", path, "quince piano", "--kind", "episode", "--format", "json").count('"kind": "episode"') == 1
    )
    only = json.loads(
        output("recall", path, "quince piano", "--project", "garden", "--only-project", "--format", "json")
    )
    assert {hit["project"] for hit in only} <= {"garden", "global"}


@pytest.mark.parametrize("question", ["C++?", "a AND", 'foo"bar', "NEAR(", "*", "🦔", "", "x" * 100_000, "it's -- ;"])
def test_any_text_is_a_question(path: Path, question: str) -> None:
    assert json.loads(output("recall", path, "--format", "json", "--", question)) is not None


def test_nothing_found_is_no_error_and_prints_no_id(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    MemoryDatabase(path, embed="none").close()
    assert output("recall", path, "quince", "--format", "ids") == ""
    assert output("recall", path, "quince", "--format", "json") == "[]\n"
    assert "0 memories" in output("recall", path, "quince")


def test_control_characters_of_a_memory_do_not_reach_the_terminal(path: Path) -> None:
    output("remember", path, "red \x1b[31m\x07alarm", "--no-embed")
    assert "\x1b" not in output("recall", path, "alarm")
    assert (
        json.loads(output("recall", path, "alarm", "--format", "json", "-k", 1))[0]["text"] == "red \x1b[31m\x07alarm"
    )


def test_a_file_that_may_not_be_written_to_can_be_recalled_from(path: Path) -> None:
    with MemoryDatabase(path) as memory:
        memory.conn.execute("pragma journal_mode = delete")
    path.chmod(0o444)
    assert "quince" in output("recall", path, "quince")


@pytest.mark.parametrize(
    "command", ["remember FILE x", "ingest FILE FILE.md", "forget FILE x", "relate FILE Ada knows Bo", "maintain FILE"]
)
def test_where_nothing_may_be_written_it_is_said_so_and_what_to_do(path: Path, command: str) -> None:
    path.with_name(f"{path.name}.md").write_text("Ida planted the quince.")
    run = [sys.executable, "-c", READ_ONLY, str(path.parent), *command.replace("FILE", str(path)).split()]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"Error: {path} cannot be written to, or its folder cannot. To write, copy the file")


READ_ONLY = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from disturbances import only_my_rights, read_only_folder
from memkit.frontends.cli.main import cli
only_my_rights()
with read_only_folder(Path(sys.argv.pop(1))):
    cli()
"""


# ---------------------------------------------------------------------------------------------- the graph


@pytest.fixture
def graph(path: Path) -> Path:
    """The database with two things said by hand."""
    output("relate", path, "Alice", "introduced to", "Nightshade", "--quote", "She took us there.")
    output("relate", path, "Nightshade", "is a", "restaurant")
    return path


def test_about_says_what_holds(graph: Path) -> None:
    assert "Nightshade" in output("about", graph, "Alice")
    card = json.loads(output("about", graph, "Alice", "--format", "json"))
    assert card["name"] == "Alice"
    assert [relation["object"] for relation in card["relations"]] == ["Nightshade"]


def test_path_shows_the_steps_with_their_words(graph: Path) -> None:
    told = output("path", graph, "Alice", "restaurant")
    assert "Nightshade" in told
    assert "She took us there." in told
    assert len(json.loads(output("path", graph, "Alice", "restaurant", "--format", "json"))["steps"]) == 2


def test_merge_and_unmerge_are_inverses(graph: Path) -> None:
    def dump() -> list[tuple[object, ...]]:
        with MemoryDatabase(graph) as memory:
            query = "select subject, predicate, object from current_relations order by 1, 2, 3"
            return [tuple(row) for row in memory.conn.execute(query)]

    before = dump()
    output("relate", graph, "Alicia", "knows", "Otto")
    apart = dump()
    output("merge", graph, "Alice", "Alicia")
    assert dump() not in (before, apart)
    output("unmerge", graph, "Alice")
    assert dump() == apart


def test_a_superseded_memory_is_not_recalled(path: Path) -> None:
    old = output("recall", path, "quince", "-k", 1, "--format", "ids").strip()
    new = output("remember", path, "Rosa planted the quince in 2018.", "--no-embed", "--format", "ids").strip()
    output("supersede", path, old, new)
    assert old not in output("recall", path, "quince", "--format", "ids").split()


def test_the_graph_is_counted_and_written(graph: Path, tmp_path: Path) -> None:
    assert json.loads(output("graph", "stats", graph, "--format", "json"))["relations"] == 2
    for name in ("graph.json", "graph.graphml"):
        output("graph", "export", graph, tmp_path / name, "--no-memories")
        assert "Nightshade" in (tmp_path / name).read_text("utf-8")


def test_what_is_exported_goes_to_standard_output_for_a_dash(
    graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    lines = output("export", graph, "-").splitlines()
    output("export", graph, tmp_path / "all.jsonl")
    written = (tmp_path / "all.jsonl").read_text("utf-8").splitlines()
    assert lines[1:] == written[1:]  # the first one has the time
    for format in ("graphml", "json"):
        output("graph", "export", graph, tmp_path / f"graph.{format}", "--format", format)
        assert output("graph", "export", graph, "-", "--format", format) == (tmp_path / f"graph.{format}").read_text(
            "utf-8"
        )
    assert "Give the path of a new folder".lower() in run("export", graph, "-", "--as", "markdown").stderr.lower()
    assert {path.name for path in {*tmp_path.iterdir()} - before} == {"all.jsonl", "graph.graphml", "graph.json"}


@pytest.mark.parametrize("command", ["backup", "recover"])
def test_a_database_goes_to_standard_output_for_a_dash(
    command: str, graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = run(command, graph, "-")
    assert (done.exit_code, list(Path().iterdir())) == (0, [])
    Path("copy.db").write_bytes(done.stdout_bytes)
    with MemoryDatabase("copy.db") as copy, MemoryDatabase(graph) as db:
        assert [memory.text for memory in copy] == [memory.text for memory in db] != []
        card, copied = (one.about("Nightshade", as_of="2026-03-01").to_dict() for one in (db, copy))
        assert card == copied
        assert db.info().backup is None  # nobody knows where it went
    assert "memkit-" not in done.stderr  # no folder that is gone


def test_whatever_command_writes_a_file_takes_a_dash() -> None:
    written = {"copy", "new", "out", "file"}
    for name, definition in COMMANDS.items():
        for one in definition.command.params:
            if (
                isinstance(one, click.Argument)
                and one.name in written
                and isinstance(one.type, click.Path)
                and one.type.file_okay
            ):
                assert one.type.allow_dash or one.type.exists, (name, one.name)


def test_extract_without_a_model_has_been_done_by_ingesting(graph: Path) -> None:
    assert output("extract", graph).startswith("0 memories")
    assert run("extract", graph, "--dry-run").exit_code == 2


# ---------------------------------------------------------------------------------------------- failures


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["recall", "nowhere.db", "x"], "There is no database 'nowhere.db'"),
        (["ingest", "no/such/folder/m.db", "."], "There is no folder"),
        (["ingest", "new.db", "nothing-here"], "There is no file or folder 'nothing-here'"),
        (["ingest", "new.db", "page.html", "--format", "scroll"], "'scroll' is not a format"),
        (["remember", "new.db", "  "], "There is nothing to remember"),
        (["remember", "new.db", "text", "--embed", "nonsense"], "'nonsense' is not a known embedding model"),
        (["recall", "page.html", "x"], "is not a SQLite database"),
        (["forget", "made.db", "nobody"], "There is no memory with the id 'nobody'"),
        (["recall", "made.db", "x", "--strategy", "guess"], "'guess' is not a strategy"),
    ],
)
def test_a_failure_is_a_sentence_on_stderr(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text("<p>" + 100 * "no database ")
    MemoryDatabase("made.db", embed="none").close()
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_bytes_that_are_no_text_are_refused(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memkit", "remember", path, b"bad \xff byte", "--no-embed"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert b"not valid UTF-8" in done.stderr


def test_what_a_terminal_cannot_show_becomes_question_marks(path: Path) -> None:
    output("remember", path, "梅は花が終わったら切る", "--no-embed")
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(
        [sys.executable, "-m", "memkit", "recall", path, "梅"], capture_output=True, check=False, env=environment
    )
    assert done.returncode == 0
    assert b"????" in done.stdout


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_json_loses_no_character_where_the_terminal_has_not_all(path: Path, encoding: str) -> None:
    output("remember", path, "El camión de Ñuñoa: 梅 \U0001fa77", "--no-embed")
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "memkit", "recall", path, "camión", "-k", "1", "--json"]
    done = subprocess.run(command, capture_output=True, check=True, env=environment)
    assert json.loads(done.stdout.decode(encoding))[0]["text"] == "El camión de Ñuñoa: 梅 \U0001fa77"


@pytest.mark.parametrize("given", ["utf-8", "utf-8-sig", "cp1252"])
def test_standard_input_is_utf8_or_in_the_encoding_of_the_terminal(path: Path, given: str) -> None:
    """A file in UTF-8 that was piped in on Windows was stored as `camiÃ³n`, which nobody finds."""
    command = [sys.executable, "-m", "memkit", "remember", path, "-", "--no-embed", "--json"]
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    text = "el camión de Ñuñoa\r\ny más".encode(given)
    done = subprocess.run(command, input=text, capture_output=True, check=True, env=environment)
    assert json.loads(done.stdout.decode("cp1252"))["text"] == "el camión de Ñuñoa\ny más"


def test_no_progress_bar_where_nobody_watches(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memkit", "ingest", tmp_path / "memory.db", FACTS]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stderr == b""


# ---------------------------------------------------------------------------------------------- looking after it


def test_info_counts(path: Path) -> None:
    told = json.loads(output("info", path, "--format", "json"))
    assert (told["memories"], told["current"], told["kinds"]) == (2, 2, {"episode": 1, "fact": 1})
    assert "2 current" in output("info", path)


def test_reindex_makes_the_vectors_that_are_missing(path: Path) -> None:
    assert output("reindex", path) == "2 vectors of 'memkit'\n"
    assert output("reindex", path) == "0 vectors of 'memkit'\n"
    assert json.loads(output("info", path, "--format", "json"))["vectors"] == 2


def test_reindex_fts_mends_what_doctor_finds(path: Path) -> None:
    with MemoryDatabase(path) as memory:
        memory.conn.execute("delete from memories_fts where rowid = 1")
    broken = run("doctor", path)
    assert broken.exit_code == 1
    assert f"memkit reindex {path} --fts" in broken.stdout
    assert output("reindex", path, "--fts") == "2 full-text rows\n"
    assert output("doctor", path).count("broken") == 0


def test_doctor_looks_at_the_machine_without_a_database() -> None:
    checks = json.loads(output("doctor", "--format", "json"))
    assert {"driver", "sqlite", "sqlite-vec", "model"} <= {check["name"] for check in checks}


def test_doctor_says_of_a_file_that_is_no_database_that_it_is_none(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>" + 100 * "no database ")
    result = run("doctor", page)
    assert result.exit_code == 1
    assert "is not a SQLite database" in result.stdout


# ---------------------------------------------------------------------------------------------- the demo


def test_the_demos_recalls_are_right(tmp_path: Path) -> None:
    """By words, by meaning without a common word, and by a name that the graph knows."""
    with MemoryDatabase(tmp_path / "demo.db") as memory:
        assert demo.build(memory).failed == 0
        words, meaning, graph = demo.ask(memory)
    assert words[0].memory.source_id in ("fact-quince-planted", "Garden/Quince.md#")
    assert "fulltext" in words[0].why
    assert {hit.memory.source_id for hit in meaning[:2]} == {
        "fact-jordan-walnuts",
        "People/Jordan.md#Things to remember",
    }
    assert not any("fulltext" in hit.why for hit in meaning)
    assert graph[0].memory.source_id == "People/Dr. Martinez.md#"
    unsaid = [hit for hit in graph if "dentist" not in hit.memory.text]
    assert any("graph" in hit.why and "fulltext" not in hit.why for hit in unsaid)


def test_the_demo_twice_is_the_demo_once(tmp_path: Path) -> None:
    path = tmp_path / "demo.db"
    first, second = (output("demo", path, "--no-serve") for _ in range(2))
    assert " 0 unchanged" in first
    assert " 0 added, 0 updated" in second
    assert first.splitlines()[1:] == second.splitlines()[1:]


@contextmanager
def served(*arguments: object) -> Iterator[tuple[str, str]]:
    """The address and the owner's link that `memkit serve` prints."""
    command = [sys.executable, "-u", "-m", "memkit", "serve", *map(str, arguments)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    watchdog = threading.Timer(90, server.kill)
    watchdog.start()
    try:
        assert server.stdout is not None
        yield server.stdout.readline().split()[0], server.stdout.readline().strip()
    finally:
        watchdog.cancel()
        server.send_signal(signal.SIGINT)
        server.wait(20)


def status(url: str, opener: urllib.request.OpenerDirector) -> int:
    """The status of the answer, once there is one."""
    for _ in range(300):
        try:
            with opener.open(url, timeout=10) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"{url} does not answer")


@pytest.mark.slow
def test_serve_makes_no_database_of_a_mistyped_name(tmp_path: Path) -> None:
    result = run("serve", tmp_path / "nowhere.db")
    assert result.exit_code == 1
    assert "There is no database" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ([], ""),
        (["--setting", "base_url", "/x/"], "/x"),
        (["more.db", "--setting", "base_url", "x/y", "--cors"], "/x/y"),
        (["--setting", "base_url", "/"], ""),
        (["--setting", "sql_time_limit_ms", "base_url"], ""),
    ],
)
def test_the_address_that_serve_prints_is_below_base_url(options: list[str], path: str) -> None:
    assert base_path(options) == path


def test_serve_shows_the_database_to_its_owner_alone(path: Path) -> None:
    with served(path) as (address, link):
        assert address.startswith("http://127.0.0.1:")
        assert address.endswith("/memory")
        stranger = urllib.request.build_opener()
        owner = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert status(f"{address}/memories.json", stranger) in (403, 404)
        assert status(link, owner) == 200
        assert status(f"{address}/memories.json", owner) == 200


@pytest.mark.slow
def test_serve_public_shows_it_to_everybody(path: Path) -> None:
    with served(path, "--public") as (address, _):
        assert status(f"{address}/memories.json", urllib.request.build_opener()) == 200


# ---------------------------------------------------------------------------------------------- the commands themselves


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_one_example(name: str) -> None:
    text = output(*name.split(), "--help")
    assert text.count("Example:") == 1
    assert f"memkit {name} " in text


def test_another_host_mounts_the_same_commands_with_a_database_of_its_own(path: Path) -> None:
    group = click.Group("memory")
    mount(group, Host("llm memory", lambda: str(path), commands=["recall", "remember"]))
    assert list(group.commands) == ["remember", "recall"]
    made = CliRunner().invoke(group, ["remember", "A swallow in the shed.", "--no-embed"])
    assert made.exit_code == 0
    found = CliRunner().invoke(group, ["recall", "swallow"])
    assert "A swallow in the shed." in found.stdout
    text = CliRunner().invoke(group, ["recall", "--help"]).stdout
    assert 'llm memory recall "who planted the quince?"' in text
    assert "--database" in text


def test_mounting_twice_leaves_the_first_host_as_it_was() -> None:
    mount(click.Group("memory"), Host("llm memory", lambda: "x.db"))
    assert 'memkit recall memory.db "who' in output("recall", "--help")


# ---------------------------------------------------------------------------------------------- what is not made


@pytest.mark.parametrize("source", ["nowhere", "broken.jsonl"])
def test_a_first_ingest_that_fails_leaves_no_file_behind(tmp_path: Path, source: str) -> None:
    (tmp_path / "broken.jsonl").write_text('{"text": ""}\n')
    done = run("ingest", tmp_path / "new.db", tmp_path / source)
    assert done.exit_code == 1
    assert [file.name for file in tmp_path.iterdir()] == ["broken.jsonl"]


def test_a_failed_ingest_leaves_what_is_there(tmp_path: Path) -> None:
    path, rows = tmp_path / "memory.db", tmp_path / "rows.jsonl"
    rows.write_text('{"text": "one"}\n{"text": ""}\n')
    assert run("ingest", path, rows, "--no-embed").exit_code == 1  # one of two is in: the file stays
    assert run("ingest", path, tmp_path / "nowhere").exit_code == 1
    with MemoryDatabase(path) as db:
        assert texts(db) == ["one"]
    MemoryDatabase(tmp_path / "empty.db").close()
    assert run("ingest", tmp_path / "empty.db", tmp_path / "nowhere").exit_code == 1
    assert (tmp_path / "empty.db").exists()


def test_a_file_that_another_process_has_opened_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, others = tmp_path / "new.db", []
    before = MemoryDatabase.ingest

    def meanwhile(self: MemoryDatabase, *arguments: Any, **options: Any) -> Any:
        others.append(MemoryDatabase(path, embed="none"))
        return before(self, *arguments, **options)

    monkeypatch.setattr(MemoryDatabase, "ingest", meanwhile)
    assert run("ingest", path, tmp_path / "nowhere").exit_code == 1
    others[0].remember("It blooms.")
    others[0].close()
    with MemoryDatabase(path) as db:
        assert texts(db) == ["It blooms."]


def test_the_completion_that_the_docs_name_knows_the_commands(tmp_path: Path) -> None:
    environment = {**os.environ, "COMP_WORDS": "memkit rec", "COMP_CWORD": "1", "_MEMKIT_COMPLETE": "bash_complete"}
    done = subprocess.run([sys.executable, "-m", "memkit"], capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["plain,recall", "plain,recover"]


def test_slots_that_nothing_fills_are_told(path: str) -> None:
    assert output("fill-slots", path) == "No slot was filled: nothing new is said for one.\n"
