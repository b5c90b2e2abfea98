"""Publish command: a part of a memory as a folder for others."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from click.decorators import FC

from memkit.core.errors import MemkitError
from memkit.frontends.cli.hosting import command, existing, path_only
from memkit.frontends.cli.output import output, say, show

FOLDER = click.Path(file_okay=False, path_type=Path)
IN_OUT = "-"  # the value of --check without a folder: it means OUT


def choosing(function: FC) -> FC:
    """The options that select memories. A memory is chosen if it has, for each given option, one of its values."""
    several = {
        "entity": ("NAME", "What names this person, place or thing."),
        "document": ("TITLE", "What is part of this document (its title, id or source)."),
        "tag": ("TAG", "What has this tag."),
        "slot": ("SLOT", "What is kept in this slot: project or agent."),
        "kind": ("KIND", "What is of this kind: fact, passage, turn, ..."),
        "project": ("NAME", "What belongs to this project."),
    }
    function = click.option("--sql", metavar="QUERY", help="The memories whose ids this query gives.")(function)
    function = click.option("--until", metavar="TIME", help="What happened before then.")(function)
    function = click.option("--since", metavar="TIME", help="What happened since then.")(function)
    for name, (metavar, text) in several.items():
        function = click.option(f"--{name}", multiple=True, metavar=metavar, help=text)(function)
    return function


def redacting(function: FC) -> FC:
    """The options for redaction."""
    function = click.option(
        "--common/--no-common", default=None, help="Take out, or leave in, e-mail addresses, numbers and keys."
    )(function)
    function = click.option(
        "--region", "regions", multiple=True, metavar="CC", help="Find telephone numbers as written in this country."
    )(function)
    function = click.option(
        "--pattern", "patterns", multiple=True, metavar="NAME=REGEX", help="Replace what this matches by [NAME]."
    )(function)
    function = click.option("--spare", multiple=True, metavar="TEXT", help="Keep this text, whatever rule finds it.")(
        function
    )
    function = click.option(
        "--everywhere", multiple=True, metavar="NAME", help="Take out this name even where it may be a common word."
    )(function)
    return click.option(
        "--redact", multiple=True, metavar="NAME", help='This person becomes "Person 1", the next one "Person 2".'
    )(function)


def describing(function: FC) -> FC:
    """The options for the description of a publication and the rights of its readers."""
    flags = {
        "--cors/--no-cors": "Let other sites read it, or not.",
        "--robots/--no-robots": "Let search engines in, or not.",
        "--allow-sql/--no-sql": "Let readers write queries of their own, or not.",
        "--download/--no-download": "Let readers download the database, or not.",
    }
    for names, text in flags.items():
        function = click.option(names, default=None, help=text)(function)
    texts = {
        "name": "What its database is called, in addresses (otherwise after the title).",
        "about": "A longer text, in paragraphs.",
        "license-url": "The address of the licence's text.",
        "license": "The licence's name.",
        "description": "A sentence about it.",
        "title": "What it is called.",
    }
    for name, text in texts.items():
        function = click.option(f"--{name}", metavar="TEXT", help=text)(function)
    return function


@command("{run} publish {db}garden/ --project garden --redact Rosa", path_only, required=False)
@click.argument("out", type=FOLDER, required=False)
@choosing
@describing
@redacting
@click.option(
    "--keep", multiple=True, metavar="WHAT", help="Publish this, too: history, user_slots, sources, times, ..."
)
@click.option("--embed", "model", metavar="MODEL", help="The embedding model, if not the built-in one.")
@click.option("--no-embed", "model", flag_value="none", help="Make no vectors.")
@click.option("--review", is_flag=True, help="Ask about each text that would be taken out.")
@click.option("--dry-run", is_flag=True, help="Only say what would be published and taken out.")
@click.option("--anew", is_flag=True, help="Forget how this folder was published before.")
@click.option(
    "--check",
    type=FOLDER,
    is_flag=False,
    flag_value=IN_OUT,
    metavar="[OUT]",
    help="Prove again that nothing private is in this folder.",
)
@click.option(
    "--against",
    type=click.Path(dir_okay=False),
    metavar="DATABASE",
    help="With --check: the database that it was published from.",
)
@output("table", "json")
def publish(
    path: str | None, out: Path | None, check: Path | None, against: str | None, format: str, **how: Any
) -> None:
    """Write a part of a memory into a folder for others to read, and prove that nothing else is in it.

    Say what is published: nothing is chosen by itself. OUT becomes a folder with a database of its own, its settings,
    and how to serve it with Datasette. Publishing into the same folder again replaces it as a whole; options that you
    do not give are those of the last time. --check only looks at a folder: give DATABASE in front, or --against.
    """
    if check is not None and str(check) == IN_OUT:
        check = out
        if out is None:
            raise click.UsageError("Give the folder, as in: memkit publish memory.db garden/ --check")
    if check is not None:
        _check(check, against or path, how, format)
    elif path is None or out is None:
        raise click.UsageError("Give the database and the folder, as in: memkit publish memory.db garden/")
    else:
        _publish(path, out, how, format)


def _publish(path: str, out: Path, how: dict[str, Any], format: str) -> None:
    from memkit.sharing.publish import Ambiguous

    asked = {name: how.pop(name) for name in ("dry_run", "anew")} | {"review": _ask if how.pop("review") else None}
    given = _given({"embed": how.pop("model"), **how})
    with existing(path, None) as memory:
        while True:
            try:
                report = memory.publish(out, **asked, **given)
                break
            except Ambiguous as error:
                if not _at_a_terminal():
                    raise
                for name in error.names:
                    goes = click.confirm(f"{name!r} is a name and a common word. Redact it everywhere?")
                    given.setdefault("everywhere" if goes else "spare", []).append(name)
    show(report, report.to_dict(), format)


def _at_a_terminal() -> bool:
    """Whether a user can be asked."""
    return sys.stdin.isatty()


def _check(folder: Path, database: str | None, how: dict[str, Any], format: str) -> None:
    if database is None:
        raise click.UsageError("Give the database from which it was published: --against memory.db")
    names = ("redact", "everywhere", "spare", "patterns", "regions", "common")
    without = {name: value for name, value in _given(how).items() if value is not False}
    if other := [name for name in without if name not in names]:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in other)
        raise click.UsageError(
            f"--check proves a folder as it is: leave out {named}. To publish anew, leave out --check."
        )
    with existing(database, None) as memory:
        report = memory.check_published(folder, **without)
    show(report, report.to_dict(), format)
    if not report.sound:
        click.get_current_context().exit(1)


def _given(how: dict[str, Any]) -> dict[str, Any]:
    """The given options as keyword arguments of the library."""
    each = {name: list(value) if isinstance(value, tuple) else value for name, value in how.items()}
    given = {name: value for name, value in each.items() if value is not None and value != []}
    if "patterns" in given:
        given["patterns"] = dict(map(_pattern, given["patterns"]))
    return given


def _pattern(given: str) -> tuple[str, str]:
    name, equals, pattern = given.partition("=")
    if not (name and equals and pattern):
        raise MemkitError(f"--pattern takes a name and a regular expression, such as badge='B-[0-9]+', not {given!r}.")
    return name, pattern


def _ask(replaced: Any) -> bool:
    """Asks the user whether a text should be redacted."""
    one = replaced.replacement
    say(f"\n{one.rule}, in {replaced.column}: {' '.join(one.context.split())}")
    return click.confirm(f"Redact {one.original!r}?", default=True)
