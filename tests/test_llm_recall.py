"""Memory in front of a message: fragments, templates and the commands that find, through the real `llm`."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from llm_running import out, process, run

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion
from memkit.frontends.cli.main import cli as memkit
from memkit.frontends.llm.options import split
from memkit.retrieval.context.values import HOW_TO_USE
from memkit.retrieval.registry import STRATEGIES

QUINCE = "Rosa planted the quince in 2019."


@pytest.fixture
def memories(home: Path) -> Path:
    """The usual database with three memories."""
    path = home / "memory.db"
    with MemoryDatabase(path) as memory:
        memory.remember(QUINCE, project="garden")
        memory.remember("Theo moved to Porto in August 2025.", tags=["family"])
        memory.remember("The shed key hangs behind the clock.", project="house")
        memory.relate("Rosa", "sister_of", "Theo")
    return path


# ---------------------------------------------------------------------------------------------- commands


def test_before_there_is_a_database_memory_is_empty_and_none_is_made(home: Path) -> None:
    assert out("memory", "recall", "quince", "--format", "json") == "[]\n"
    assert "0" in out("memory", "info")
    assert (
        out("-m", "echo", "-t", "memory:default", "who planted the quince?")
        == f"who planted the quince?\nSYSTEM {HOW_TO_USE}\n"
    )
    assert "Nothing in memory" in out("-m", "echo", "-f", "memory:quince", "hello")
    assert not (home / "memory.db").exists()


def test_remembering_makes_the_database_and_recall_finds_it(home: Path) -> None:
    out("memory", "remember", QUINCE)
    assert (home / "memory.db").exists()
    (found,) = json.loads(out("memory", "recall", "who planted the quince?", "--format", "json"))
    assert found["text"] == QUINCE


def test_every_command_of_memkit_is_there_but_the_demo() -> None:
    listed = out("memory", "--help").partition("Commands:")[2]
    names = {line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "}
    assert names == {*memkit.commands} - {"demo"} | {"watch"}


def test_what_keeps_the_memory_is_there_too(memories: Path) -> None:
    assert "[episodes]" in out("memory", "policy")
    assert json.loads(out("memory", "maintain", "--dry-run", "--json"))["dry_run"] is True
    assert out("memory", "graph", "stats").strip()
    out("memory", "feedback", out("memory", "recall", "shed key", "-k", "1", "--format", "ids").strip(), "--useful")
    out("memory", "export", memories.with_name("all.jsonl"))
    assert QUINCE in memories.with_name("all.jsonl").read_text("utf-8")


def test_what_would_write_into_no_database_is_refused(home: Path) -> None:
    for command in (("relate", "Rosa", "sister_of", "Theo"), ("policy", "--set", "episodes.raw_days=10")):
        done = run("memory", *command)
        assert (done.exit_code, "There is no database" in done.stderr) == (1, True)


def test_where_the_database_would_be_is_said_with_the_command_that_makes_it(home: Path, tmp_path: Path) -> None:
    done = run("memory", "info")
    assert done.exit_code == 0
    assert done.stdout.startswith(f"file       {home / 'memory.db'}, 0 ")
    assert json.loads(out("memory", "info", "-d", tmp_path / "x.db", "--format", "json"))["path"] == str(
        tmp_path / "x.db"
    )
    assert done.stderr == f"There is no database {home / 'memory.db'} yet. To make it: llm memory ingest\n"
    other = tmp_path / "the other.db"
    assert run("memory", "export", "-d", other, "-").stderr == (
        f"Error: There is no database {other} yet. To make it: llm memory ingest --database '{other}'\n"
    )
    assert not other.exists()


def test_the_commands_are_memkits_own(memories: Path) -> None:
    assert QUINCE in out("memory", "context", "who planted the quince?")
    assert "Theo" in out("memory", "about", "Rosa")
    assert "sister of" in out("memory", "path", "Rosa", "Theo")
    assert json.loads(out("memory", "info", "--format", "json"))["memories"] == 3
    assert "relations" in out("memory", "extract", "--format", "json")
    id = out("memory", "recall", "shed key", "-k", "1", "--format", "ids").strip()
    out("memory", "forget", id)
    assert id not in out("memory", "recall", "shed key", "--format", "ids")


def test_another_database_is_named_by_option_or_variable(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = tmp_path / "other.db"
    out("memory", "remember", QUINCE, "-d", other)
    assert out("memory", "recall", "quince", "--format", "ids") == ""
    monkeypatch.setenv("MEMKIT_DATABASE", str(other))
    assert QUINCE in out("memory", "recall", "quince")
    assert QUINCE in out("-m", "echo", "-f", "memory:quince", "hello")


def test_what_is_no_memory_database_is_refused_in_a_sentence_and_left_alone(home: Path) -> None:
    path = home / "memory.db"
    conn = sqlite3.connect(path)
    conn.execute("create table accounts (name text)")
    conn.commit()
    conn.close()
    before = path.read_bytes()
    for arguments in (["memory", "recall", "x"], ["memory", "remember", "x"], ["-m", "echo", "-f", "memory:x", "hi"]):
        done = run(*arguments)
        assert done.exit_code == 1
        assert "no memory database" in done.output
        assert "Traceback" not in done.output
    assert path.read_bytes() == before


def test_two_shells_may_remember_at_once(home: Path) -> None:
    import subprocess
    import sys

    out("memory", "remember", "The first one.")
    code = (
        "from memkit.frontends.agents.tools import Tools\nimport sys\n"
        "for n in range(20): Tools(sys.argv[1]).remember(f'Shell {sys.argv[2]} says {n}.')"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, str(home / "memory.db"), name]) for name in ("one", "two")]
    assert [shell.wait() for shell in both] == [0, 0]
    assert json.loads(out("memory", "info", "--format", "json"))["memories"] == 41


# ---------------------------------------------------------------------------------------------- fragments


def test_a_fragment_puts_a_fenced_page_in_front_of_the_message(memories: Path) -> None:
    said = out("-m", "echo", "-f", "memory:quince", "When was that?")
    assert said.startswith("<memkit-context>")
    assert QUINCE in said
    assert said.rstrip().endswith("When was that?")
    assert "SYSTEM" not in said


def test_a_fragment_takes_options_after_a_question_mark(memories: Path) -> None:
    said = out("-m", "echo", "-f", "memory:who planted the quince?budget=300&strategy=construct", "hi")
    assert QUINCE in said
    assert "As of" not in said
    assert out("-m", "echo", "-f", "memory:quince?budget=0&strategy=kira", "hi") == "hi\n"


@pytest.mark.parametrize(
    ("options", "says"),
    [("budgte=3", "Did you mean 'budget'"), ("strategy=kirra", "Did you mean 'kira'"), ("budget=much", "a number")],
)
def test_an_option_that_makes_no_sense_is_an_error_that_says_so(memories: Path, options: str, says: str) -> None:
    done = run("-m", "echo", "-f", f"memory:quince?{options}", "hi")
    assert done.exit_code == 1
    assert says in done.output


@pytest.mark.parametrize("question", ["who?", "what is a=b?", "why? because", "x?y=1?", "", "?", "a?=b"])
def test_a_question_mark_alone_makes_no_options(question: str) -> None:
    assert split(question) == (question, {})


def test_options_are_typed() -> None:
    asked = "trip?budget=800&kinds=fact,note&only_project=yes&project=the+garden"
    assert split(asked) == (
        "trip",
        {"budget": 800, "kinds": ["fact", "note"], "only_project": True, "project": "the garden"},
    )
    with pytest.raises(BadQuestion, match="'nonsense' is not a setting"):
        split("trip?nonsense=1")


def test_a_fragment_about_somebody_is_a_fenced_card(memories: Path) -> None:
    said = out("-m", "echo", "-f", "memory-about:Rosa", "hi")
    assert said.startswith("<memkit-context>")
    assert "sister of" in said
    done = run("-m", "echo", "-f", "memory-about:Rossa", "hi")
    assert done.exit_code == 1
    assert "Rosa" in done.output


# ---------------------------------------------------------------------------------------------- templates


@pytest.mark.parametrize("name", ["default", *STRATEGIES])
def test_C15_each_template_puts_memories_before_the_message_and_into_the_system_prompt_how_to_use_them(
    memories: Path, name: str
) -> None:
    said = out("-m", "echo", "-t", f"memory:{name}", "Who planted the quince?", "-s", "Be brief.")
    page, message = said.split("</memkit-context>")
    assert page.startswith("<memkit-context>")
    assert "quince" in page
    assert "Who planted the quince?" in message
    assert said.rstrip().endswith("SYSTEM Be brief.")  # the user's own words win
    for question in ("Who planted the quince?", "Where is the key?"):
        said = out("-m", "echo", "-t", f"memory:{name}", question)
        assert said.rstrip().endswith(f"SYSTEM {HOW_TO_USE}")  # the same, whatever is recalled


def test_small_talk_is_not_looked_up(memories: Path) -> None:
    assert out("-m", "echo", "-t", "memory:default", "ok thanks!") == f"ok thanks!\nSYSTEM {HOW_TO_USE}\n"


def test_a_template_takes_options_and_parameters(memories: Path) -> None:
    for how in (["-t", "memory:default?project=house&only_project=1"],):
        said = out("-m", "echo", *how, "what did Rosa plant, and where is the key?")
        assert "behind the clock" in said
        assert "quince in 2019" not in said
    said = out("-m", "echo", "-t", "memory:default", "-p", "project", "house", "-p", "only_project", "1", "the quince?")
    assert "quince in 2019" not in said


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("budgt", "800", "Error: 'budgt' is not a setting. Did you mean 'budget'? There are: as_of, "),
        ("stratgy", "kira", "Did you mean 'strategy'?"),
        ("strategy", "kiraa", "Error: 'kiraa' is not a strategy. Did you mean 'kira'?"),
        ("budget", "much", "Error: budget must be a number of tokens, not 'much'."),
        ("since", "someday", "someday"),
    ],
)
def test_a_wrong_parameter_of_a_template_is_told_in_a_sentence(
    memories: Path, name: str, value: str, said: str
) -> None:
    for start, asked in ((["-m", "echo"], ["the quince?"]), (["chat", "-m", "echo"], [])):
        done = run(*start, "-t", "memory:default", "-p", name, value, *asked, stdin="the quince?\nquit\n")
        assert done.exit_code == 1
        assert isinstance(done.exception, SystemExit)  # no traceback
        assert said in done.stderr


def test_a_parameter_of_another_template_is_its_own_and_one_like_a_setting_is_told(memories: Path, home: Path) -> None:
    (home / "templates").mkdir(exist_ok=True)
    (home / "templates" / "ask.yaml").write_text("prompt: 'In $language: $input'")
    given = ["-m", "echo", "-t", "ask", "-t", "memory:default", "-p", "language", "German"]
    done = run(*given, "the quince?")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "In German: the quince?" in done.stdout
    done = run(*given, "-p", "budgt", "9", "the quince?")
    assert "No setting of the memory template is called 'budgt'. Did you mean 'budget'?" in done.stderr


def test_a_fragment_of_nobody_names_the_command_to_paste(memories: Path) -> None:
    done = run("-m", "echo", "-f", "memory-about:Nobody", "hi")
    assert "There is nothing called 'Nobody'. `llm memory extract` finds names" in done.stderr


def test_an_unknown_template_names_the_ones_there_are(home: Path) -> None:
    done = run("-m", "echo", "-t", "memory:kirra", "hi")
    assert done.exit_code == 1
    assert "Did you mean 'kira'" in done.output


def test_a_chat_with_a_template_follows_and_does_not_repeat_itself(memories: Path) -> None:
    said = out(
        "chat", "-m", "echo", "-t", "memory:default", stdin="Who planted the quince?\nand when was that?\nquit\n"
    )
    assert said.count("Who planted the quince?") >= 1
    assert said.count(QUINCE) == 1
    assert "and when was that?" in said


# ---------------------------------------------------------------------------------------------- the embedding model


def test_the_built_in_model_is_one_of_llms(home: Path) -> None:
    from memkit.embedding import load_embedder

    vector = json.loads(out("embed", "-m", "memkit", "-c", "a quince"))
    assert vector == pytest.approx(load_embedder().encode(["a quince"])[0].tolist(), abs=1e-6)
    out("embed-multi", "fruit", "-m", "memkit", "--store", "-", stdin='[{"id": "1", "text": "quince"}]')
    assert json.loads(out("similar", "fruit", "-c", "quince"))["score"] == pytest.approx(1.0)


# ---------------------------------------------------------------------------------------------- llm itself


def test_llm_itself_behaves_as_without_the_plugin(home: Path) -> None:
    out("-m", "echo", "the quince is ripe")
    assert "the quince is ripe" in out("logs", "-q", "quince")
    done = run("logs", "-q", '"unbalanced')
    assert done.exit_code == 1
    assert "Invalid search query" in done.output
    assert json.loads(out("logs", "--json"))[0]["prompt"] == "the quince is ripe"


def test_starting_llm_brings_in_little_of_memkit(home: Path) -> None:
    """Two small modules and the packages that they are in: a few milliseconds."""
    import subprocess
    import sys

    code = "import llm.cli, sys; print(sorted(name for name in sys.modules if name.startswith('memkit')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(eval(done.stdout)) == {
        "memkit",
        "memkit.frontends",
        "memkit.frontends.llm",
        "memkit.frontends.llm.group",
    }


def test_a_process_of_its_own_does_the_same(memories: Path) -> None:
    done = process(
        "llm", "memory", "recall", "quince", "-k", "1", "--format", "context", home=memories.parent, input=""
    )
    assert done.returncode == 0, done.stderr
    assert QUINCE in done.stdout
