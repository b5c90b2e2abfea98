"""What coding agents are told: the advise hook, and the MCP server with a real client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from llm_running import ROOT

from memkit import MemoryDatabase
from memkit.core.errors import NeedsPackage
from memkit.core.version import __version__
from memkit.frontends.agents.hook import (
    Advice,
    advise,
    age,
    project_of,
    quickest_first,
    read_hook,
    says_something,
    within,
)
from memkit.frontends.cli.main import cli
from memkit.retrieval.registry import STRATEGIES

QUINCE = "Rosa planted the quince in 2019."
PATIENT = ("--deadline", "60000")  # the machines that run this are shared


@pytest.fixture
def memories(tmp_path: Path) -> Path:
    """A database with memories of two projects."""
    path = tmp_path / "memory.db"
    with MemoryDatabase(path) as memory:
        memory.remember(QUINCE, project="garden")
        memory.remember("The deploy script wants the release key.", project="website")
        memory.relate("Rosa", "sister_of", "Theo")
    return path


def hooked(stdin: str | bytes, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """`memkit advise`, run as an agent runs it."""
    return subprocess.run(
        [sys.executable, "-m", "memkit", "advise", *arguments],
        input=stdin if isinstance(stdin, bytes) else stdin.encode(),
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        timeout=120,
    )


# ---------------------------------------------------------------------------------------------- advise


def test_a_prompt_gets_a_fenced_page(memories: Path) -> None:
    hook = {"prompt": "who planted the quince?", "cwd": "/somewhere/garden", "session_id": "s1"}
    done = hooked(json.dumps(hook), str(memories), *PATIENT)
    assert done.returncode == 0
    said = done.stdout.decode()
    assert said.startswith("<memkit-context>")
    assert QUINCE in said
    assert said.endswith("</memkit-context>\n")
    assert done.stderr == b""


def test_as_json_it_is_what_hooks_return(memories: Path) -> None:
    hook = {"prompt": "who planted the quince?", "hook_event_name": "BeforeAgent"}
    told = json.loads(hooked(json.dumps(hook), str(memories), *PATIENT, "--json").stdout)
    assert told["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"
    assert QUINCE in told["hookSpecificOutput"]["additionalContext"]
    assert Advice().as_json() == "{}"


def test_the_usual_database_is_asked_and_none_is_made(tmp_path: Path, memories: Path) -> None:
    prompt = json.dumps({"prompt": "who planted the quince?"})
    assert QUINCE.encode() in hooked(prompt, *PATIENT, MEMKIT_DATABASE=str(memories)).stdout
    done = hooked(prompt, *PATIENT, MEMKIT_DATABASE=str(tmp_path / "none.db"))
    assert (done.returncode, done.stdout) == (0, b"")
    assert not (tmp_path / "none.db").exists()


def test_without_a_memory_the_hook_is_through_before_it_has_loaded_recall(tmp_path: Path) -> None:
    code = """
import sys
from memkit.frontends.agents.hook import advise
assert list(advise({"prompt": "who planted the quince?"}, sys.argv[1])) == []
print(*sorted({"numpy", "sqlite_utils", "memkit.retrieval.context.build"} & sys.modules.keys()))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "none.db"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "stdin",
    [b"", b"not json", b'{"prompt": "who pla', b"[]", b"null", b"\xff\xfe\x00", b"[" * 100_000],
    ids=["nothing", "text", "cut off", "list", "null", "bytes", "deep"],
)
def test_a_broken_hook_never_fails_the_prompt(memories: Path, stdin: bytes) -> None:
    done = hooked(stdin, str(memories), *PATIENT)
    assert done.returncode == 0
    assert done.stdout == b""
    assert done.stderr.startswith(b"memkit: no memories this time: ")
    assert b"Traceback" not in done.stderr


def test_a_broken_database_never_fails_the_prompt(tmp_path: Path) -> None:
    path = tmp_path / "broken.db"
    path.write_bytes(b"this is no database " * 200)
    done = hooked(json.dumps({"prompt": "the quince?"}), str(path), *PATIENT)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"no memories this time" in done.stderr


def test_input_that_never_ends_does_not_hold_the_prompt_up(memories: Path) -> None:
    agent = subprocess.Popen(
        [sys.executable, "-m", "memkit", "advise", str(memories), "--deadline", "300"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert agent.wait(timeout=60) == 0
    said, notice = agent.communicate()
    assert (said, notice) == (b"", b"memkit: no memories this time: looking took longer than 300 ms.\n")


def test_what_takes_too_long_is_given_up_and_said() -> None:
    never = threading.Event()

    def stuck() -> Iterator[Advice]:
        never.wait()
        yield Advice("late")

    found = within(0.05, stuck, "50 ms")
    assert (found.text, found.notice) == ("", "memkit: no memories this time: looking took longer than 50 ms.")
    assert json.loads(found.as_json()) == {"systemMessage": found.notice}
    never.set()


def test_at_the_deadline_what_the_words_have_found_is_told() -> None:
    never, told = threading.Event(), threading.Event()

    def slow() -> Iterator[Advice]:
        yield Advice("by words")
        told.set()
        never.wait()
        yield Advice("late")

    found = within(0.5, slow, "500 ms")
    assert told.is_set()
    assert (found.text, found.notice) == ("by words", "memkit: found by words only: looking took longer than 500 ms.")
    assert json.loads(found.as_json())["hookSpecificOutput"]["additionalContext"] == "by words"
    never.set()


@pytest.mark.parametrize("left", [0, -0.3])
def test_after_the_deadline_nothing_is_waited_for_even_if_it_is_there(left: float) -> None:
    begun = threading.Event()

    def quick() -> Iterator[Advice]:
        begun.set()
        yield Advice("by words")

    found = within(left, quick, "1 ms")
    assert found == Advice("", "memkit: no memories this time: looking took longer than 1 ms.")
    assert not begun.wait(0.1)


def test_in_time_the_last_answer_is_told_without_a_notice() -> None:
    assert within(60, lambda: iter([Advice("by words"), Advice("whole")])) == Advice("whole")
    assert within(60, lambda: iter(())) == Advice()


def test_whatever_goes_wrong_is_a_notice() -> None:
    def broken() -> Iterator[Advice]:
        yield Advice("by words")
        raise RuntimeError("a bug")

    assert within(60, broken) == Advice("by words", "memkit: found by words only: a bug")
    assert within(60, lambda: iter([][0])).notice == "memkit: no memories this time: list index out of range"


def test_the_words_are_looked_for_before_anything_is_loaded() -> None:
    quick, whole = quickest_first(STRATEGIES["memkit"])
    assert whole == STRATEGIES["memkit"]
    assert (quick.fulltext, quick.vector, quick.sentence, quick.graph) == (whole.fulltext, None, None, None)
    assert list(quickest_first(quick)) == [quick]
    vectors_only = whole.replace(fulltext=None)
    assert list(quickest_first(vectors_only)) == [vectors_only]


def test_the_deadline_counts_from_when_the_process_began(memories: Path) -> None:
    done = hooked(json.dumps({"prompt": "who planted the quince?"}), str(memories), "--deadline", "1")
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"longer than 1 ms" in done.stderr
    assert 0 <= age() < 60


@pytest.mark.parametrize(
    "prompt", ["", "ok", "thanks!", "好的", "/clear", "yes, and then?", "Hello", "…", None, 5, ["x"]]
)
def test_small_talk_and_what_is_no_prompt_are_not_looked_up(memories: Path, prompt: Any) -> None:
    assert list(advise({"prompt": prompt}, str(memories))) == []


def test_what_says_something_is_looked_up() -> None:
    assert says_something("fix the parser")
    assert says_something("/review the quince patch")
    assert says_something("修一下解析器")


def test_the_directory_is_the_project(tmp_path: Path, memories: Path) -> None:
    deep = tmp_path / "garden" / "src" / "beds"
    deep.mkdir(parents=True)
    (tmp_path / "garden" / ".git").mkdir()
    assert project_of(str(deep)) == "garden"
    assert project_of("/no/such/folder") == "folder"
    assert project_of("") is None
    assert project_of("/") is None


def test_what_belongs_to_the_directorys_project_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with MemoryDatabase(path) as memory:
        for name in ("garden", "website"):
            memory.remember("The release wants a key.", project=name)
    for name, other in (("garden", "website"), ("website", "garden")):
        hook = {"prompt": "what does the release want?", "cwd": str(tmp_path / name), "session_id": "s1"}
        said = [advice.text for advice in advise(hook, str(path))]
        assert said
        assert all(text.index(name) < text.index(other) for text in said)


def test_a_database_of_an_older_memkit_is_brought_up_to_date_by_the_first_question(memories: Path) -> None:
    with MemoryDatabase(memories) as memory:
        memory.conn.execute("pragma user_version = 0")
    *_, last = advise({"prompt": "who planted the quince?"}, str(memories))
    assert QUINCE in last.text


def test_a_hook_is_an_object() -> None:
    assert read_hook('{"prompt": "x"}') == {"prompt": "x"}
    with pytest.raises(ValueError, match="not a JSON object"):
        read_hook("3")


# ---------------------------------------------------------------------------------------------- MCP


def test_without_the_library_the_message_installs_it(memories: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memkit.frontends.agents.mcp_server import server
    from memkit.frontends.agents.tools import Tools

    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    with pytest.raises(NeedsPackage, match=r"pip install 'datasette-memkit\[mcp\]'"):
        server(Tools(str(memories)))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--strategy", "nope"], "'nope' is not a strategy"),
        (["--strategy", '{"graph": {"wait": 1}}'], "wait"),
        (["--budget", "much"], "not a valid integer"),
    ],
)
def test_a_server_that_could_answer_nothing_is_not_started(memories: Path, options: list[str], said: str) -> None:
    done = CliRunner().invoke(cli, ["mcp", str(memories), *options])
    assert done.exit_code == (2 if "--budget" in options else 1)
    assert said in done.stderr


def test_a_server_of_what_is_no_memory_database_is_not_started(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Rosa planted the quince.")
    done = CliRunner().invoke(cli, ["mcp", str(tmp_path / "notes.txt")])
    assert done.exit_code == 1
    assert "notes.txt" in done.stderr


# How a client begins, and the protocol that they agree on: with a handshake, and the one without a session.
PROTOCOLS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


def client(memories: Path, *options: str, mode: str = "legacy") -> Any:
    """A real client of a server in a process of its own."""
    mcp = pytest.importorskip("mcp")
    from mcp.client.stdio import stdio_client

    how = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "memkit", "mcp", str(memories), *options],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return mcp.Client(stdio_client(how, errlog=sys.__stderr__), mode=mode)


async def talk(memories: Path, *options: str, calls: list[tuple[str, dict[str, Any]]]) -> tuple[set[str], list[str]]:
    """The tools' names that a real client sees, and what it is answered."""
    async with client(memories, *options) as session:
        names = {tool.name for tool in (await session.list_tools()).tools}
        return names, [(await session.call_tool(name, given)).content[0].text for name, given in calls]


async def test_a_real_client_recalls_asks_and_remembers(memories: Path) -> None:
    names, (found, about, path, kept, again, wrong) = await talk(
        memories,
        calls=[
            ("memory_recall", {"query": "who planted the quince?"}),
            ("memory_about", {"name": "Rosa"}),
            ("memory_path", {"a": "Rosa", "b": "Theo"}),
            ("memory_remember", {"text": "The medlar wants to be bletted."}),
            ("memory_recall", {"query": "medlar", "limit": 1}),
            ("memory_about", {"name": "Nobody"}),
        ],
    )
    assert names == {"memory_recall", "memory_about", "memory_path", "memory_remember", "memory_feedback"}
    assert QUINCE in found
    assert found.startswith("<memkit-context>")
    assert "sister of" in about
    assert "sister of" in path
    assert kept.startswith("Remembered: ")
    assert "bletted" in again
    assert "There is nothing called 'Nobody'." in wrong


async def test_a_readonly_server_has_no_tool_that_writes(memories: Path) -> None:
    names, (found,) = await talk(
        memories, "--readonly", "--project", "website", calls=[("memory_recall", {"query": "deploy quince"})]
    )
    assert names == {"memory_recall", "memory_about", "memory_path"}
    assert "release key" in found
    assert QUINCE not in found


@pytest.mark.parametrize("mode", PROTOCOLS)
async def test_what_fails_is_a_failure_and_what_works_is_none(memories: Path, mode: str) -> None:
    async with client(memories, mode=mode) as session:
        assert session.protocol_version == PROTOCOLS[mode]
        assert (session.server_info.name, session.server_info.version) == ("memkit", __version__)
        fine = await session.call_tool("memory_about", {"name": "Rosa"})
        assert (fine.is_error, "sister of" in fine.content[0].text) == (False, True)
        for name, given, said in (
            ("memory_about", {"name": "Nobody"}, "There is nothing called"),
            ("memory_feedback", {"id": "zz", "useful": True}, "Ids are what memory_recall shows in square brackets."),
            ("memory_forget", {"id": "x"}, "Unknown tool: memory_forget"),
        ):
            wrong = await session.call_tool(name, given)
            assert (wrong.is_error, said in wrong.content[0].text) == (True, True), wrong


@pytest.mark.parametrize("mode", PROTOCOLS)
async def test_wrong_arguments_are_refused_by_the_schema_in_sentences(memories: Path, mode: str) -> None:
    from mcp import MCPError

    whole = "memory_recall: 'limit' must be a whole number from 1 to 50, not "
    async with client(memories, mode=mode) as session:
        for name, given, said in (
            ("memory_recall", {"query": "quince", "limit": "many"}, f"{whole}'many'."),
            ("memory_recall", {"query": "quince", "limit": 0}, f"{whole}0."),
            ("memory_recall", {"query": "quince", "limit": 51}, f"{whole}51."),
            ("memory_recall", {"query": ["quince"]}, "memory_recall: 'query' must be a text, not ['quince']."),
            ("memory_recall", {}, "memory_recall needs the argument 'query', a text."),
            ("memory_feedback", {"id": "x", "useful": "a bit"}, "'useful' must be true or false, not 'a bit'."),
            ("memory_path", {"a": 1}, "'a' must be a text, not 1. memory_path needs the argument 'b', a text."),
            (
                "memory_recall",
                {"query": "quince", "limt": 3},
                "'limt' is not a parameter. Did you mean 'limit'? There are: kind, limit, query.",
            ),
        ):
            wrong = await session.call_tool(name, given)
            assert (wrong.is_error, wrong.content[0].text.endswith(said)) == (True, True), wrong
            assert "\n" not in wrong.content[0].text
        for asked in ({}, {"question": "quince?", "other": "x"}):
            with pytest.raises(MCPError, match="with_memory takes one argument, 'question'"):
                await session.get_prompt("with_memory", asked)


async def test_a_tool_says_what_it_does_to_the_memory_and_refuses_other_arguments(memories: Path) -> None:
    async with client(memories) as session:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert {name: tool.annotations.read_only_hint for name, tool in tools.items()} == {
        "memory_recall": True, "memory_about": True, "memory_path": True,
        "memory_remember": False, "memory_feedback": False,
    }  # fmt: skip
    assert {tool.annotations.destructive_hint for tool in tools.values()} == {None, False}
    assert [name for name, tool in tools.items() if tool.annotations.idempotent_hint] == ["memory_remember"]
    assert not any(tool.input_schema["additionalProperties"] for tool in tools.values())
    assert all(one["description"] for tool in tools.values() for one in tool.input_schema["properties"].values())


@pytest.mark.parametrize("mode", PROTOCOLS)
async def test_memories_and_names_are_resources_and_a_question_is_a_prompt(memories: Path, mode: str) -> None:
    from mcp import MCPError

    with MemoryDatabase(memories, embed="none") as db:
        kept = {memory.text: memory.id for memory in map(db.memory, db.memories().index)}
    async with client(memories, "--project", "website", mode=mode) as session:
        listed = (await session.list_resource_templates()).resource_templates
        assert {one.uri_template for one in listed} == {"memory://{id}", "entity://{name}"}
        for text, id in kept.items():
            if "release" in text:
                (found,) = (await session.read_resource(f"memory://{id}")).contents
                assert text in found.text
                assert found.text.startswith("<memkit-context>")
        for address in (f"memory://{kept[QUINCE]}", "memory://nothing", "entity://Nobody"):
            with pytest.raises(MCPError, match=r"There is (no memory|nothing called)"):
                await session.read_resource(address)
        (message,) = (await session.get_prompt("with_memory", {"question": "what does the release want?"})).messages
        assert "release key" in message.content.text
        assert message.content.text.endswith("what does the release want?")
    async with client(memories, mode=mode) as session:
        (card,) = (await session.read_resource("entity://Rosa")).contents
        assert "sister of" in card.text
