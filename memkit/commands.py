"""memkit's commands, defined once and mounted on any command line: on `memkit`, and on `llm memory`.

A command is a function whose first argument is the opened database; its options are the keyword arguments of the call
that it makes. How the file is named on the command line is the host's business: `mount` adds that.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

from memkit.errors import MemkitError, NotFound

SHOWN_FAILURES = 20


@dataclass(frozen=True)
class Host:
    """A command line that commands are mounted on.

    `program` is what people type before the command. Without `database` the file is every command's first argument;
    with it the file is the option --database, and this function gives its default.
    """

    program: str = "memkit"
    database: Callable[[], str] | None = None

    def parameter(self, required: bool) -> click.Parameter:
        """How the file is given here."""
        if self.database is None:
            return click.Argument(["database"], type=click.Path(dir_okay=False), required=required)
        return click.Option(
            ["-d", "--database"],
            type=click.Path(dir_okay=False),
            default=self.database,
            help="The memory database, if not the usual one.",
        )

    def line(self, example: str) -> str:
        """An example as it is typed here."""
        return example.format(run=self.program, db="memory.db " if self.database is None else "")


@dataclass(frozen=True)
class Definition:
    """A command without a host: `opens` makes of the file's path what the function gets."""

    command: click.Command
    example: str
    opens: Callable[..., Any]
    required: bool = True

    @property
    def name(self) -> str:
        """The command's name."""
        return str(self.command.name)

    def on(self, host: Host) -> click.Command:
        """The command as this host has it."""
        mounted = copy.copy(self.command)
        mounted.params = [host.parameter(self.required), *self.command.params]
        text = cleandoc(self.command.help or "")
        mounted.help = f"{text}\n\n\b\nExample:\n  {host.line(self.example)}"
        mounted.short_help = text.splitlines()[0]
        mounted.callback = self._run
        return mounted

    def _run(self, database: str, embed: str | None = None, **options: Any) -> None:
        assert self.command.callback is not None
        with _plain_failures(database), self.opens(database, embed) as opened:
            self.command.callback(opened, **options)


@contextmanager
def _plain_failures(database: str | None) -> Iterator[None]:
    """What a person can do something about is said in a sentence; a bug keeps its traceback."""
    try:
        yield
    except MemkitError as error:
        raise click.ClickException(str(error)) from error
    except UnicodeEncodeError as error:
        raise click.ClickException(f"This is not valid UTF-8: {error.object[:60]!r}") from error
    except Exception as error:
        from memkit.driver import sqlite3

        if not isinstance(error, sqlite3.Error):
            raise
        hint = f" Run: memkit doctor {database}" if database else ""
        raise click.ClickException(f"SQLite could not do it: {error}.{hint}") from error


# ---------------------------------------------------------------------------------------------- opening


@contextmanager
def making(path: str, embed: str | None) -> Iterator[Any]:
    """The database in this file, which is made if there is none."""
    from memkit.database import MemoryDatabase

    if not Path(path).absolute().parent.is_dir():
        raise NotFound(f"There is no folder {str(Path(path).parent)!r} to make {Path(path).name} in.")
    with MemoryDatabase(path, embed=embed) as memory:
        yield memory


@contextmanager
def existing(path: str, embed: str | None) -> Iterator[Any]:
    """The database in this file, for reading only where the file may not be written to."""
    import os

    from memkit.database import MemoryDatabase

    if not Path(path).is_file():
        raise NotFound(f"There is no database {path!r}. This makes it: memkit ingest {path} NOTES")
    with MemoryDatabase(path, embed=embed, read_only=not os.access(path, os.W_OK)) as memory:
        yield memory


@contextmanager
def path_only(path: str | None, _embed: str | None) -> Iterator[str | None]:
    """The path, for commands that open the file in their own way."""
    yield path


# ---------------------------------------------------------------------------------------------- defining

COMMANDS: dict[str, Definition] = {}


def command(example: str, opens: Callable[..., Any], *, required: bool = True) -> Callable[[Callable[..., Any]], Any]:
    """Makes a command of a function: its docstring is the help, its name the name."""

    def define(function: Callable[..., Any]) -> Definition:
        definition = Definition(click.command(function.__name__)(function), example, opens, required)
        COMMANDS[definition.name] = definition
        return definition

    return define


def mount(group: click.Group, host: Host, names: Collection[str] | None = None) -> None:
    """Adds these commands (all, if none are named) to a group."""
    for name in names or COMMANDS:
        group.add_command(COMMANDS[name].on(host))


def say(text: str, *, err: bool = False) -> None:
    """Prints text for a person. Control characters out of memories never reach the terminal."""
    click.echo("".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text), err=err)


def say_json(value: Any) -> None:
    """Prints a value as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def show(found: Any, values: Any, format: str) -> None:
    """Prints a value as it looks in Python, or its parts as JSON."""
    if format == "json":
        say_json(values)
    else:
        say(repr(found))


def output(*formats: str) -> Callable[[Any], Any]:
    """The option --format with these choices; the first is the default."""
    chosen = click.Choice(formats)
    return click.option("--format", type=chosen, default=formats[0], show_default=True, help="How to print it.")


def embedding(function: Any) -> Any:
    """The options that choose the model for new vectors: one value, given in one of two ways."""
    no = click.option("--no-embed", "embed", flag_value="none", help="Make no vectors.")
    return click.option("--embed", metavar="MODEL", help="Embedding model, if not the file's own.")(no(function))


# ---------------------------------------------------------------------------------------------- in


@command("{run} ingest {db}notes/ conversations.json --project garden", making)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option("--project", help="The project that it belongs to, where the source names none.")
@click.option("--format", help="What it is, where that is not seen: markdown, chatgpt, claude, jsonl, csv, sqlite, ...")
@click.option("--sync", is_flag=True, help="Archive what has vanished from the folders given.")
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@embedding
@click.option("--table", help="Of a SQLite database: the table to read.")
@click.option("--sql", help="Of a SQLite database: the query to read.")
@click.option("--text-column", help="The column that holds the text, if it is not called that.")
@click.option("--id-column", help="The column that holds the id.")
@click.option("--title-column", help="The column that holds the title.")
@click.option("--timestamp-column", help="The column that holds the time.")
@click.option("--session-column", help="The column that says which rows are one conversation.")
@click.option("--speaker-column", help="The column that says who speaks.")
@click.option("--include-tools", is_flag=True, default=None, help="Of chats: what tools were asked and said, too.")
@click.option("--include-system", is_flag=True, default=None, help="Of chats: system prompts, too.")
@click.option("--include-thinking", is_flag=True, default=None, help="Of chats: what the model thought, too.")
@click.option(
    "--max-tokens", type=click.IntRange(min=1), metavar="N", help="The longest passage that a note is cut into."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def ingest(memory: Any, paths: tuple[Path, ...], as_json: bool, **options: Any) -> None:
    """Take in notes, chats, logs, notebooks and tables.

    What they are is seen from their content. The same again changes nothing; what changed is updated.
    """
    from memkit.progress import bar, expected

    given = {name: value for name, value in options.items() if value is not None}
    with bar(expected(paths)) as progress:
        report = memory.ingest(list(paths), progress=progress, **given)
    _show_report(report, as_json)


def _show_report(report: Any, as_json: bool) -> None:
    """Counts on stdout, failures on stderr; exit code 1 if there are any."""
    if as_json:
        failures = [asdict(failure) for failure in report.failures]
        say_json({**_counts(report), "failures": failures, "dry_run": report.dry_run})
    else:
        say(report_text(report))
    for failure in report.failures[:SHOWN_FAILURES]:
        say(str(failure), err=True)
    if report.failed:
        more = report.failed - SHOWN_FAILURES
        say(f"{report.failed:,} failed" + (f", {more:,} more than are shown" if more > 0 else "") + ".", err=True)
        click.get_current_context().exit(1)


def _counts(report: Any) -> dict[str, int]:
    return {name: getattr(report, name) for name in ("added", "updated", "unchanged", "removed", "failed")}


def report_text(report: Any) -> str:
    """An ingest report in one line."""
    told = ", ".join(f"{count:,} {name}" for name, count in _counts(report).items())
    return f"Would be: {told}" if report.dry_run else told


@command('{run} remember {db}"Rosa planted the quince in 2019." --tag garden', making)
@click.argument("text")
@click.option("--kind", default="fact", show_default=True, help="fact, preference, procedure, episode, observation...")
@click.option("--title", help="What it is about.")
@click.option("--speaker", help="Who said it.")
@click.option("--category", help="Any word of your own.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be given several times.")
@click.option("--project", help="The project that it belongs to.")
@click.option("--slot", type=click.Choice(["user", "project", "agent"]), help="Whose setting it is; needs --key.")
@click.option("--key", help="The setting's name: a new value takes the place of the one before.")
@click.option("--importance", type=click.FloatRange(1, 10), metavar="N", help="1 to 10; 5 if it is not given.")
@click.option("--confidence", type=click.FloatRange(0, 1), metavar="N", help="0 to 1; 1 if it is not given.")
@click.option("--happened-at", metavar="TIME", help="When it happened, as 2025-03-01 or 2025-03-01T12:00:00Z.")
@click.option("--valid-from", metavar="TIME", help="Since when it is true.")
@click.option("--valid-until", metavar="TIME", help="Until when it is true.")
@click.option("--expires-at", metavar="TIME", help="When it may be forgotten.")
@embedding
@output("table", "json", "ids")
def remember(memory: Any, text: str, format: str, **fields: Any) -> None:
    """Add one memory. TEXT may be - for what comes on standard input."""
    if fields["key"] and not fields["slot"]:
        raise click.UsageError("--key names a setting of a slot: give --slot user, project or agent, too.")
    text = sys.stdin.read() if text == "-" else text
    given = {name: value for name, value in fields.items() if value not in (None, ())}
    show_memory(memory.remember(text, **given), format)


@command("{run} forget {db}c6h2z3v2re", existing)
@click.argument("id")
@click.option("--hard", is_flag=True, help="Delete it for good, from every page of the file.")
@output("table", "json", "ids")
def forget(memory: Any, id: str, hard: bool, format: str) -> None:
    """Hide a memory from recall, or delete it."""
    show_memory(memory.forget(id, hard=hard), format)


def show_memory(found: Any, format: str) -> None:
    """Prints one memory."""
    from memkit.render import short

    if format == "json":
        say_json(asdict(found))
    else:
        say(found.id if format == "ids" else f"{found.id}  {found.kind}  {short(found.text, 100)}")


# ---------------------------------------------------------------------------------------------- out


@command('{run} recall {db}"who planted the quince?" -k 5', existing)
@click.argument("question")
@click.option("-k", default=10, show_default=True, type=click.IntRange(min=0), metavar="N", help="How many memories.")
@click.option("--strategy", help="How to look: a strategy's name, or JSON.")
@click.option("--project", help="Prefer what belongs to this project.")
@click.option("--only-project", is_flag=True, help="Leave other projects out.")
@click.option("--since", metavar="TIME", help="Only what happened at this time or later.")
@click.option("--until", metavar="TIME", help="Only what happened before this time.")
@click.option("--as-of", metavar="TIME", help="What held then.")
@click.option("--kind", "kinds", multiple=True, help="Only this kind; may be given several times.")
@click.option("--everything", is_flag=True, help="Also what is archived or no longer true.")
@click.option("--now", metavar="TIME", help="When the question is asked, if not now.")
@click.option(
    "--budget", type=click.IntRange(min=0), metavar="N", help="Of the format context: how many tokens at most."
)
@output("table", "json", "context", "ids")
def recall(memory: Any, question: str, format: str, budget: int | None, kinds: tuple[str, ...], **asked: Any) -> None:
    """Find memories by words, meaning and connection, each with its reasons."""
    found = memory.recall(question, kinds=kinds or None, **asked)
    if format == "json":
        say_json(found.to_dicts())
    elif format == "context":
        say(found.context(budget))
    elif found or format == "table":
        say("\n".join(found.ids) if format == "ids" else repr(found))


# ---------------------------------------------------------------------------------------------- measuring it


@command("{run} eval {db}questions.jsonl --strategy memkit --strategy kira", existing)
@click.argument("queries", type=click.Path(dir_okay=False), metavar="QUERIES.jsonl")
@click.option("--strategy", "strategies", multiple=True, help="A strategy to measure; may be given several times.")
@click.option("-k", default=30, show_default=True, type=click.IntRange(min=1), metavar="N", help="How many hits count.")
@click.option("--by-category", is_flag=True, help="A row for each category, too.")
@click.option("--changed", is_flag=True, help="The questions in which the strategies differ most from the first one.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def eval(
    memory: Any, queries: str, strategies: tuple[str, ...], k: int, by_category: bool, changed: bool, as_json: bool
) -> None:
    """Measure how well strategies find what answers your own questions.

    A line of QUERIES.jsonl is {"text": "...", "relevant": ["id", ...]}, with "id", "group" (a project), "category" and
    "timestamp" (when it is asked) where you have them. An empty list says that nothing answers the question.
    """
    from memkit.progress import bar

    with bar(unit="answers") as progress:
        report = memory.evaluate(queries, list(strategies) or None, k=k, progress=progress)
    if as_json:
        say_json(report.to_dict())
        return
    say(report.to_text(by_category=by_category))
    for run in report.runs[1:] if changed else ():
        say(f"\n{report.difference(run.name, report.runs[0].name)!r}")


# ---------------------------------------------------------------------------------------------- looking after it


@command("{run} info {db}--format json", existing)
@output("table", "json")
def info(memory: Any, format: str) -> None:
    """Say what is in a database: counts, times, its model, its size."""
    found = memory.info()
    show(found, found.to_dict(), format)


@command("{run} doctor {db}", path_only, required=False)
@output("table", "json")
def doctor(path: str | None, format: str) -> None:
    """Check this machine and, if one is given, a database. Exit code 1 if something is broken."""
    from memkit.doctor import doctor as examine

    found = examine(path)
    show(found, found.to_dicts(), format)
    click.get_current_context().exit(1 if found.broken else 0)


@command("{run} reindex {db}--model memkit", existing)
@click.option("--model", help="The embedding model to change to. Without one, missing vectors are made.")
@click.option("--fts", is_flag=True, help="Make the full-text rows anew instead.")
def reindex(memory: Any, model: str | None, fts: bool) -> None:
    """Make vectors with another model and change to it, or mend an index.

    The old vectors are used until all new ones are there. Interrupted, the same command goes on.
    """
    from memkit.progress import bar

    with bar() as progress:
        report = memory.reindex(model, fts=fts, progress=progress)
    say(report.sentence)


# ---------------------------------------------------------------------------------------------- showing it


def serving(function: Any) -> Any:
    """Where to listen, and whether to open a browser."""
    function = click.option("--open", "browser", is_flag=True, help="Open a browser.")(function)
    function = click.option(
        "--port", type=click.IntRange(1, 65535), metavar="N", help="If not given, a free one from 8001 on."
    )(function)
    return click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")(function)


@command("{run} serve {db}--port 8001", path_only)
@click.argument("extra", nargs=-1, type=click.UNPROCESSED, metavar="[-- DATASETTE-OPTION...]")
@serving
def serve(path: str, **where: Any) -> None:
    """Show a database in the browser, with Datasette."""
    from memkit.serve import serve as start

    start(path, say=say, **where)


@command("{run} demo demo.db --no-serve", path_only, required=False)
@click.option("--no-serve", is_flag=True, help="Stop after the recalls.")
@serving
def demo(path: str | None, no_serve: bool, **where: Any) -> None:
    """Build a database of an invented person's year, ask it three questions, and serve it."""
    from memkit.demo import ask, build
    from memkit.serve import serve as start

    path = path or "demo.db"
    with making(path, None) as memory:
        say(f"{path}: {report_text(build(memory))}")
        for found in ask(memory):
            say(f"\n{found!r}")
    if not no_serve:
        start(path, say=lambda text: say(f"\nServing at {text} (stop with Ctrl-C)"), **where)
