"""Likely mistakes on a command line, and the line that was meant: arguments in another order, words without quotes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import click

from memkit.core.addresses import is_server
from memkit.core.errors import MemkitError
from memkit.core.formatting import printable

# What other programs call what is called otherwise here, if the command has it.
OPTIONS = {
    "--output": "--format",
    "--from": "--since",
    "--after": "--since",
    "--start": "--since",
    "--to": "--until",
    "--before": "--until",
    "--end": "--until",
    "--type": "--kind",
    "--all": "--everything",
    "--dry": "--dry-run",
    **dict.fromkeys(("--limit", "--top", "--top-k", "--count", "--number", "-n"), "-k"),
}
COMMANDS = {
    **dict.fromkeys(("search", "find", "ask", "query", "grep"), "recall"),
    **dict.fromkeys(("add", "note", "save", "store"), "remember"),
    **dict.fromkeys(("import", "load", "index", "init", "create", "new"), "ingest"),
    **dict.fromkeys(("delete", "remove", "rm"), "forget"),
    **dict.fromkeys(("list", "ls", "status", "stats"), "info"),
    **dict.fromkeys(("show", "entity", "who", "whois"), "about"),
    **dict.fromkeys(("web", "ui", "browse", "open", "start", "run", "server"), "serve"),
    **dict.fromkeys(("check", "repair", "fix"), "doctor"),
    **dict.fromkeys(("update", "refresh"), "sync"),
    "dump": "export",
    "help": "--help",
    "version": "--version",
}
WORDS = ("question", "message", "text", "name")  # arguments that are written in words
ENDINGS = (".db", ".sqlite", ".sqlite3")


class Command(click.Command):
    """A command that says what was probably meant where it cannot do what was typed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments that are left. Raises UsageError, with the line that was meant if there is a likely one."""
        given = self._as_json(list(args))
        try:
            rest = super().parse_args(ctx, list(given))
        except click.UsageError as error:
            if meant := self._meant(ctx, given, error):
                told = error.message if isinstance(error, click.NoSuchOption) else error.format_message()
                raise click.UsageError(f"{told.rstrip('.')}. {printable(meant)}", ctx) from error
            raise
        if meant := self._in_order(ctx, given, str(ctx.params.get("database") or "")):
            raise click.UsageError(printable(meant), ctx)
        return rest

    def _as_json(self, args: list[str]) -> list[str]:
        """The arguments with JSON asked for as this command has it: `--json` and `--format json` are one everywhere."""
        choices = {name: getattr(one.type, "choices", ()) for one in self.params for name in one.opts}
        ours, theirs = ["--json"], ["--format", "json"]
        if "--json" in choices and "--format" not in choices:
            ours, theirs = theirs, ours
        elif "--json" in choices or "json" not in choices.get("--format", ()):
            return args
        at = next((n for n in range(len(args)) if args[n : n + len(ours)] == ours), None)
        return args if at is None or "--" in args[:at] else [*args[:at], *theirs, *args[at + len(ours) :]]

    def _meant(self, ctx: click.Context, given: Sequence[str], error: click.UsageError) -> str:
        if isinstance(error, click.NoSuchOption):
            return self._option(error.option_name)
        if isinstance(error, click.BadParameter) and getattr(error.param, "name", "") == "database":
            return self._in_order(ctx, given, next((word for word in given if not word.startswith("-")), ""))
        extra = re.search(r"unexpected extra arguments? \((.*)\)", error.format_message())
        return self._quoted(ctx, extra[1]) if extra else ""

    def _option(self, typed: str) -> str:
        meant = OPTIONS.get(typed, "")
        if typed in ("--database", "--db"):
            return "The database comes first, without an option."
        known = {name for one in self.params for name in one.opts}
        return f"Here it is {meant}." if meant.split(" ")[0] in known else ""

    def _in_order(self, ctx: click.Context, given: Sequence[str], first: str) -> str:
        """The same words with the database before them, if what stands first is no database."""
        if not any(one.name == "database" and isinstance(one, click.Argument) for one in self.params):
            return ""
        if not first or first not in given or not _is_no_database(first):
            return ""
        others = [word for word in given if not word.startswith("-") and word != first]
        database = next(filter(_holds_memories, others), "")
        if not database and Path(first).is_dir():
            takes_paths = any(one.nargs == -1 for one in self.params)
            new = "memory.db" if takes_paths else ""
            database = next((word for word in others if word.endswith(ENDINGS)), new)
        rest = [word for word in given if word != database]
        return f"The database comes first: {_line(ctx, [database, *rest])}" if database else ""

    def _quoted(self, ctx: click.Context, extra: str) -> str:
        """The line with its last words as one argument, if that is one of words."""
        arguments = [one for one in self.params if isinstance(one, click.Argument)]
        if not arguments or arguments[-1].name not in WORDS or arguments[-1].nargs != 1:
            return ""
        *before, last = arguments
        values = [str(ctx.params.get(one.name or "")) for one in before]
        return f"Put the words in quotes: {_line(ctx, [*values, f'{ctx.params.get(last.name or str())} {extra}'])}"


Resolved = tuple[str | None, click.Command | None, list[str]]


class Group(click.Group):
    """A group that says what a command is called here, if another name was typed."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Resolved:
        """The command and its arguments. Raises UsageError."""
        return resolved(super().resolve_command, ctx, args, self.list_commands(ctx))


def resolved(
    resolve: Callable[[click.Context, list[str]], Resolved], ctx: click.Context, args: list[str], known: Sequence[str]
) -> Resolved:
    """What a group resolves these arguments to. Raises UsageError, with the command that was meant if it is known."""
    try:
        return resolve(ctx, args)
    except click.UsageError as error:
        meant = COMMANDS.get(args[0], "")
        if meant in known or meant.startswith("-"):
            told = f"No such command {args[0]!r}. Here it is: {ctx.command_path} {meant}"
            raise click.UsageError(told, ctx) from error
        raise


def _line(ctx: click.Context, words: Sequence[str]) -> str:
    return " ".join([ctx.command_path, *map(shlex.quote, words)])


def _is_no_database(path: str) -> bool:
    """Whether no database can be meant: a folder, a file of something else, or words."""
    file = Path(path)
    try:
        if is_server(path) or not file.exists():
            return not is_server(path) and not path.endswith(ENDINGS)
        return file.is_dir() or not _begins_as_sqlite(file)
    except (OSError, ValueError):  # words may be too long for a path
        return True


def _begins_as_sqlite(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(15) in (b"", b"SQLite format 3")


def _holds_memories(path: str) -> bool:
    from memkit.retrieval.limits import is_memory_database
    from memkit.storage.driver import connect, sqlite3

    file = Path(path)
    try:
        if not file.is_file() or not _begins_as_sqlite(file):
            return False
        with closing(connect(file, read_only=True)) as conn:
            return is_memory_database(conn)
    except (OSError, ValueError, MemkitError, sqlite3.Error):
        return False
