"""Narrowed to one project, no door of memkit says a word of another one, and none of its tools changes another one.

Three projects share the names of people and places. Everything else in them is a word planted for that project: texts,
titles, headings, aliases, relations, speakers, tags, kinds, sources, notes that upkeep made. The tests walk the tables
of tools and the signatures, so that what is added later is tried without a change here.
"""

from __future__ import annotations

import inspect
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import NOW, Secrets

from memkit import MemoryDatabase
from memkit.core.errors import MemkitError, NotFound
from memkit.core.types import GLOBAL
from memkit.frontends.agents.tools import TOOLS, Tools
from memkit.frontends.cli.main import cli
from memkit.frontends.llm.options import KNOWN
from memkit.frontends.sql_functions import ABOUT_A_DATABASE, register_sql_functions
from memkit.retrieval.registry import STRATEGIES

PROJECTS = ("garden", "diary", "website")
NOBODYS = "nobody's"  # what was stated by hand, without a memory: it belongs to no project that anybody knows
NAMES = ("Rosa", "Theo", "Lund", "Harbour Mill", "Porto")
STRANGE = (
    "' or 1=1 --",
    "1; drop table memories",
    '{"project": null}',
    "*",
    "%",
    "project:diary",
    "global",
    "",
    "\0",
    "a" * 300,
)


class Planted:
    """A database in which three projects speak of the same names, and the words of each."""

    def __init__(self, folder: Path):
        self.folder, self.path = folder, folder / "memory.db"
        self.words: dict[str, list[str]] = {}
        self._new = Secrets()
        with MemoryDatabase(self.path) as db:
            made = {project: self._live(db, project) for project in (*PROJECTS, GLOBAL)}
            self._tie(db, made)
            for project in PROJECTS:
                self._notes(db, project)
            self._more_names(db)
            db.maintain(now="2026-06-01T12:00:00Z")
            db.recall("Rosa", track=True, ledger=True, now=NOW)
            self.keys = [str(row[0]) for row in db.conn.execute("select key from memories")]
            self.ids = {
                project: [row[0] for row in db.conn.execute("select id from memories where project = ?", (project,))]
                for project in (*PROJECTS, GLOBAL)
            }
            self.entities = [row[0] for row in db.conn.execute("select id from entities")]
            self.relations = [row[0] for row in db.conn.execute("select id from relations")]

    def new(self, project: str) -> str:
        """One more word of a project."""
        self.words.setdefault(project, []).append(self._new.new())
        return self.words[project][-1]

    def others(self, project: str) -> list[str]:
        """The words that a tool narrowed to a project must not say."""
        return [word for name, words in self.words.items() if name not in (project, GLOBAL) for word in words]

    def said_of_others(self, project: str, answer: str, *asked: object) -> set[str]:
        """The words of other projects in an answer, without those of the question that it repeats."""
        given, low = repr(asked).lower(), answer.lower()
        found = {word for word in self.others(project) if word in low and word not in given}
        others = {id for name, ids in self.ids.items() if name not in (project, GLOBAL) for id in ids}
        return found | {id for id in others if id in answer and id not in given}

    def _live(self, db: MemoryDatabase, project: str) -> list[Any]:
        def new() -> str:
            return self.new(project).title()

        rosa = f"Rosa works at {new()}. Rosa met Theo in Lund and liked {new()}."
        kept = [
            db.remember(rosa, project=project, title=new(), speaker=new(), tags=[new()], category=new(), now=NOW),
            db.remember(f"Theo lives in {new()}.", project=project, kind=new(), now=NOW),
            db.remember(f"The password of Harbour Mill is {new()}, says Theo.", project=project, now=NOW),
            db.remember(f"Rosa and Theo met {new()} in Porto in 2019.", kind="episode", project=project, now=NOW),
            db.remember(f"{new()}", slot="user", key="city", project=project, now=NOW),
            db.remember(f"{new()}", slot="agent", key=new(), project=project, now=NOW),
            db.remember("Rosa works with Theo at the old Harbour Mill", project=project, meta={new(): new()}, now=NOW),
        ]
        db.relate("Rosa", new(), "Theo", memory=kept[0].id, quote=f"as {new()} says", now=NOW)
        db.relate("Rosa", "knows", new(), memory=kept[1].id, now=NOW)
        db.ingest(
            [
                {"text": f"{new()}: shall Rosa prune the quince?", "session": "shared", "speaker": new()},
                {"text": f"Yes, says Theo of {new()}, and so does Rosa.", "session": "shared"},
                {"text": f"We talked about {new()} and Lund.", "session": f"own {new()}", "id": new()},
            ],
            project=project,
            now=NOW,
        )
        days = [f"2025-04-{day}T10:00:00Z" for day in (12, 13)]
        dated = [{"text": f"Rosa drew {new()}, and Theo {new()}.", "timestamp": day, "title": new()} for day in days]
        db.ingest(dated, project=project, now=NOW)
        messages = [
            {"role": "user", "content": f"I like {new()} more than Rosa likes {new()} in Lund. I prefer {new()}."},
            {"role": "assistant", "content": f"Noted: {new()}, and Theo."},
        ]
        db.observe(messages=messages * 3, session=f"chat {project}", project=project, threshold=1, now=NOW)
        db.save_question(f"Rosa {new()}", name=new(), project=project, only_project=True)
        return kept

    def _tie(self, db: MemoryDatabase, made: dict[str, list[Any]]) -> None:
        """Links, versions and contradictions between the projects."""
        chain = [*PROJECTS, GLOBAL, PROJECTS[0]]
        for one, other in pairwise(chain):
            for type in ("relates_to", "contradicts", "derived_from", "summarized_by", "part_of"):
                for mine in made[one][:4]:
                    with suppress(MemkitError):
                        db.link(mine.id, made[other][0].id, type, why=self.new(NOBODYS), now=NOW)
        for one, other in (("garden", "diary"), ("diary", "website"), (GLOBAL, "garden")):
            db.supersede(made[one][6].id, made[other][6].id, why=self.new(NOBODYS), now=NOW)

    def _notes(self, db: MemoryDatabase, project: str) -> None:
        """Notes with front matter: other names, fields, headings and links."""

        def new() -> str:
            return self.new(project).title()

        folder = self.folder / project
        folder.mkdir()
        (folder / f"{new()}.md").write_text(
            f"---\naliases: [{new()}]\ntype: {new()}\nowner: {new()}\n---\n# {new()}\n\nRosa knows [[{new()}]].\n\n"
            f"## {new()}\n\nTheo was born in Lund, and [[Rosa|{new()}]] was not.\n",
            encoding="utf-8",
        )
        (folder / "Rosa.md").write_text(
            f"---\naliases: [{new()}]\nlives_in: {new()}\ntype: {new()}\n---\nRosa, called {new()}, is a friend.\n",
            encoding="utf-8",
        )
        kind = f"---\ntype: {new()}\n---\nTheo knows it.\n"
        (folder / f"{NAMES[2 + PROJECTS.index(project)]}.md").write_text(kind, encoding="utf-8")
        db.ingest(folder, project=project, now=NOW)

    def _more_names(self, db: MemoryDatabase) -> None:
        """Relations that were stated without a memory, and entities merged under a name of another project."""
        db.relate(self.new(NOBODYS).title(), self.new(NOBODYS), "Rosa", quote=self.new(NOBODYS), now=NOW)
        db.relate("Rosa", "met in", "Lund", quote=self.new(NOBODYS), now=NOW)
        for project in PROJECTS:
            secret = self.new(project).title()
            kept = db.remember(f"{secret} is a city.", project=project, now=NOW)
            db.relate(secret, "is a", "city", memory=kept.id, now=NOW)
        for kept, merged in (("diary", "Theo"), ("website", "Harbour Mill"), ("garden", "Porto")):
            db.merge(self.words[kept][-1].title(), merged, now=NOW)
        with db.conn:
            words = self.new(NOBODYS), self.new(NOBODYS)
            db.conn.execute("update entities set description = ?, kind = ? where name = 'Rosa'", words)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    """The database, made once."""
    return Planted(tmp_path_factory.mktemp("narrowed"))


def own(planted: Planted, project: str) -> list[tuple[Any, ...]]:
    """All rows of the memories of the other projects, and the links between them."""
    with MemoryDatabase(planted.path, read_only=True) as db:
        rows = db.conn.execute("select * from memories where project not in (?, 'global') order by key", (project,))
        return [tuple(row) for row in rows]


def arguments(work: Callable[..., Any], planted: Planted, random: Random, skip: tuple[str, ...] = ()) -> dict[str, Any]:
    """Arguments for a call: names, words and ids of any project, and what is none of these."""
    words = [word for some in planted.words.values() for word in some]
    sentences = [f"Rosa works with Theo at the old Harbour Mill {random.choice(words)}", "Rosa works with Theo"]
    ids = [id for some in planted.ids.values() for id in some]
    texts = [
        *NAMES * 4,
        *PROJECTS,
        *STRANGE,
        *sentences,
        "who knows Rosa in Lund?",
        "Rosa and Theo: Porto, Harbour Mill?",
    ]
    pools = {
        "str": [random.choice(texts), random.choice(words), random.choice(ids), random.choice(planted.entities)],
        "int": [0, 1, 10, 50, -3],
        "bool": [True, False],
    }
    pools["str"] += [random.choice(words)[:7], random.choice(planted.keys), random.choice(texts), random.choice(NAMES)]
    given = {}
    for name, parameter in inspect.signature(work).parameters.items():
        if name in ("self", *skip) or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        kind = next((kind for kind in pools if kind in str(parameter.annotation)), "str")
        if parameter.default is parameter.empty or random.random() < 0.3:
            given[name] = random.choice(pools[kind])
    return given


# ---------------------------------------------------------------------------------------------- the tools of agents


@pytest.mark.parametrize("name", TOOLS)
@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), project=st.sampled_from(PROJECTS))
def test_no_tool_says_a_word_of_another_project_or_changes_it(
    planted: Planted, name: str, seed: int, project: str
) -> None:
    random = Random(seed)
    asked = arguments(TOOLS[name].work, planted, random)
    before = own(planted, project) if TOOLS[name].writes else []
    with _kept_as_it_was(planted, TOOLS[name].writes):
        strategy = random.choice([None, *STRATEGIES])
        answer = TOOLS[name].work(Tools(str(planted.path), project=project, strategy=strategy), **asked)
        assert planted.said_of_others(project, answer, asked) == set()
        assert (own(planted, project) if TOOLS[name].writes else []) == before


@contextmanager
def _kept_as_it_was(planted: Planted, writes: bool) -> Iterator[None]:
    """The file is as before after the block, if something may write in it."""
    if not writes:
        yield
        return
    with MemoryDatabase(planted.path) as db:
        db.conn.execute("pragma wal_checkpoint(truncate)")
    copy = planted.path.with_suffix(".copy")
    shutil.copy(planted.path, copy)
    try:
        yield
    finally:
        for suffix in ("-wal", "-shm"):
            Path(f"{planted.path}{suffix}").unlink(missing_ok=True)
        shutil.copy(copy, planted.path)


def test_the_memory_of_another_project_and_one_that_does_not_exist_are_answered_alike(planted: Planted) -> None:
    tools = Tools(str(planted.path), project="garden")
    for work, more in ((tools.forget, ()), (tools.feedback, (True,))):
        foreign = planted.ids["diary"][0]
        assert work(foreign, *more).replace(foreign, "ID") == work("no-such-id", *more).replace("no-such-id", "ID")
    for id in (planted.ids["diary"][0], "no-such-id"):
        with pytest.raises(NotFound, match=f"There is no memory '{id}' in the project 'garden'"):
            tools.memory(id)


def test_remembering_what_another_project_says_keeps_it_and_does_not_tell(planted: Planted) -> None:
    with MemoryDatabase(planted.path) as db:
        text = db.memory(planted.ids["diary"][2]).text
    with _kept_as_it_was(planted, writes=True):
        answer = Tools(str(planted.path), project="garden").remember(text)
        assert answer.startswith("Remembered: ")
        assert planted.said_of_others("garden", answer, text) == set()
        answer = Tools(str(planted.path), project="garden").remember(text + " Really.")
        assert "It resembles" in answer
        assert planted.said_of_others("garden", answer, text) == set()


def test_a_memory_from_which_another_project_made_one_is_not_forgotten_by_a_narrowed_tool(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as db:
        mine, theirs = (db.remember(f"Quinces, says {name}.", project=name, now=NOW) for name in ("garden", "diary"))
        db.link(theirs.id, mine.id, "derived_from", now=NOW)
        assert "other projects" in Tools(str(path), project="garden").forget(mine.id)
        assert len(db) == 2
        assert Tools(str(path), project="diary").forget(theirs.id) == f"Forgotten: {theirs.id}."
        with pytest.raises(MemkitError, match="hard=True"):
            db.forget(mine.id, hard=True, project="garden")


# ---------------------------------------------------------------------------------------------- Python


def narrowing() -> Iterator[str]:
    """The methods of a database that can be narrowed to a project, and only read."""
    for name, method in inspect.getmembers(MemoryDatabase, inspect.isfunction):
        if (
            name[0] != "_"
            and "project" in inspect.signature(method).parameters
            and name
            not in (
                "ingest",
                "observe",
                "reflect",
                "compact",
            )
        ):
            yield name


def test_these_methods_are_narrowed() -> None:
    known = {"about", "context", "filter_warnings", "memories", "path", "recall", "timeline"}
    assert known <= set(narrowing())


def shown(found: Any) -> str:
    """Everything that a value says: its fields, its views, its text for a model."""
    views = [repr(found), str(found)]
    for name in ("_repr_html_", "_repr_markdown_", "to_json", "to_dict", "to_dicts", "context", "to_csv"):
        if callable(view := getattr(found, name, None)):
            views.append(str(view()))
    if (fields := getattr(found, "__dataclass_fields__", None)) is not None:
        views += [repr(getattr(found, field)) for field in fields]
    return "\n".join(views)


@pytest.mark.parametrize("name", sorted(narrowing()))
@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), project=st.sampled_from(PROJECTS))
def test_no_method_shows_a_word_of_another_project(planted: Planted, name: str, seed: int, project: str) -> None:
    random = Random(seed)
    with MemoryDatabase(planted.path, read_only=True) as db:
        method = getattr(db, name)
        skip = (
            "project",
            "only_project",
            "since",
            "until",
            "as_of",
            "known_at",
            "now",
            "kinds",
            "kind",
            "strategy",
            "history",
            "track",
            "ledger",
            "layout",
        )
        asked = arguments(method, planted, random, skip)
        taken = inspect.signature(method).parameters
        if "only_project" in taken or name == "filter_warnings":
            asked["only_project"] = True
        if "strategy" in taken:
            asked["strategy"] = random.choice([None, *STRATEGIES])
        if name == "context":
            asked["layout"] = random.choice([None, *STRATEGIES])
            asked["budget"] = random.choice([None, 300, 100_000])
        if kinds := next((one for one in ("kinds", "kind") if one in taken and random.random() < 0.3), None):
            asked[kinds] = [random.choice(planted.words["diary"]), "fact", "passage"]
        try:
            answer = shown(method(**asked, project=random.choice([project] * 9 + ["gardn"])))
        except MemkitError as error:
            answer = str(error)
        assert planted.said_of_others(project, answer, asked) == set()


WHEN = ("on 12 April", "in April 2025", "last year", "since April 2025", "letzten April", "el 13 de abril de 2025", "")


def misspelt(word: str, random: Random) -> str:
    """The word with two letters in each other's place, and a capital."""
    at = random.randrange(1, len(word) - 2)
    return f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}".title()


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), project=st.sampled_from(PROJECTS))
def test_no_time_and_no_name_that_is_misspelt_tells_of_another_project(
    planted: Planted, seed: int, project: str
) -> None:
    """Neither what happened then, nor the nearest sentences, nor which name may have been meant."""
    random = Random(seed)
    name, when = misspelt(random.choice(planted.others(project)), random), random.choice(WHEN)
    asked = random.choice([f"What happened {when}?", f"What did {name} draw {when}?", f"Rosa drew {name} {when}", name])
    with MemoryDatabase(planted.path, read_only=True) as db:
        for strategy in (None, random.choice([*STRATEGIES])):
            found = db.recall(asked, project=project, only_project=True, strategy=strategy, now=NOW)
            assert planted.said_of_others(project, shown(found) + str(found.warnings), asked) == set()
        for answer in (lambda: db.about(name, project=project), lambda: db.path(name, "Rosa", project=project)):
            try:
                told = shown(answer())
            except MemkitError as error:
                told = str(error)
            assert planted.said_of_others(project, told, name) == set()


# ---------------------------------------------------------------------------------------------- the command line

QUESTION = ["Rosa and Theo in Lund: Harbour Mill, Porto?"]
READ = {"recall": QUESTION, "context": QUESTION, "about": ["Rosa"], "path": ["Rosa", "Lund"]}
WRITE = {
    "ingest",
    "sources",
    "remember",
    "observe",
    "reflect",
    "compact",
    "export",
    "push",
    "publish",
    "check-published",
    "mcp",
    "advise",
    "watch",
}


def commands() -> Iterator[str]:
    for name, command in cli.commands.items():
        if any("--project" in option.opts for option in command.params):
            yield name


def test_every_command_with_a_project_is_known_here() -> None:
    assert set(commands()) <= READ.keys() | WRITE


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("project", PROJECTS)
def test_no_command_prints_a_word_of_another_project(planted: Planted, name: str, project: str) -> None:
    command = cli.commands[name]
    only = ["--only-project"] if any("--only-project" in option.opts for option in command.params) else []
    formats = next(option.type.choices for option in command.params if option.name == "format")
    for format in formats:
        for strategy in [None, *STRATEGIES] if only else [None]:
            how = ["--format", format, *(["--strategy", strategy] if strategy else [])]
            done = CliRunner().invoke(cli, [name, str(planted.path), *READ[name], "--project", project, *only, *how])
            assert done.exit_code == 0, done.output
            assert planted.said_of_others(project, done.output) == set()
    done = CliRunner().invoke(cli, [name, str(planted.path), *READ[name], "--project", "gardn", *only])
    assert [word for word in (*PROJECTS[1:], *planted.others("garden")) if word in done.output] == []


# ---------------------------------------------------------------------------------------------- SQL and llm

OPTIONS = [name for name, (_, counts) in ABOUT_A_DATABASE.items() if 3 in counts]


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("project", PROJECTS)
def test_no_sql_function_returns_a_word_of_another_project(planted: Planted, name: str, project: str) -> None:
    with MemoryDatabase(planted.path, read_only=True) as db:
        register_sql_functions(db.conn)
        for strategy in STRATEGIES:
            options = json.dumps({"project": project, "only_project": True, "strategy": strategy})
            query = f"select group_concat({name}(:q, 2000, :options)) from (select 1 from memories limit 3)"
            query = query.replace("2000", "50") if name == "recall" else query
            answer = db.conn.execute(query, {"q": QUESTION[0], "options": options}).fetchone()[0]
            assert "error" not in answer
            assert planted.said_of_others(project, answer) == set()


def test_fragments_and_templates_of_llm_narrow_by_the_same_options() -> None:
    assert {"project", "only_project"} <= KNOWN.keys()
