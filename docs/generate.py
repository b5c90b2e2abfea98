"""Writes what follows from the code: schema.md, cli.md, examples in context.md, a list in formats.md, metadata.yml.

Run by `make docs`; a test compares the files with what this makes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import click
import yaml

from memkit import MemoryDatabase
from memkit.frontends.cli.main import cli
from memkit.sources import FORMATS, Format
from memkit.storage import driver, schema

DOCS = Path(__file__).parent
SCHEMA = [DOCS.parent / "memkit" / "storage" / name for name in ("schema.sql", *schema.LATER)]
SAMPLES = DOCS.parent / "samples"

TABLE = re.compile(r"create (?:virtual )?table (\w+)[^-]*(?:-- (.*))?$")
VIEW = re.compile(r"create view (\w+)")
COLUMN = re.compile(r"    (\w+)\s+(text|integer|real|blob)\b[^-]*(?:-- (.*))?$")
ADDED = re.compile(r"alter table (\w+) add column (\w+)\b[^-]*(?:-- (.*))?$")
HEADING = re.compile(r"-- -{20,} (.*)$")

# Columns that SQLite adds to a full-text table for its own queries.
HIDDEN = {"memories_fts": {"memories_fts", "rank"}, "memories_cjk": {"memories_cjk", "rank"}}


# ---------------------------------------------------------------------------------------------- schema.md


def schema_page() -> str:
    """docs/schema.md: each table and column of the schema, in the words of schema.sql."""
    lines = [
        "# The database",
        "",
        "This page lists every table, view and column of the file. You need it to write SQL of your own. Begin with",
        "the views `current_memories` and `current_relations`: they leave out what is archived or holds no longer.",
        "",
        "Times are ISO 8601 text in UTC. A column `key` is an integer, for joins and full-text rowids; a column `id`",
        "is a text, which people see and which stays the same.",
        "",
        "`make docs` writes the page from `memkit/storage/schema.sql` and the files beside it: change it there.",
    ]
    return (
        "\n".join([*lines, *_tables([line for file in SCHEMA for line in file.read_text("utf-8").splitlines()])]) + "\n"
    )


def _tables(script: list[str]) -> Iterator[str]:
    columns = _columns()
    said: list[str] = []  # the comment above what comes next
    for number, line in enumerate(script):
        if match := HEADING.match(line):
            yield from ("", f"## {_sentence(match[1])[:-1]}")
        elif match := TABLE.match(line):
            words = _words(script[number + 1 :]) | _added(script, match[1])
            yield from _table(match[1], match[2] or " ".join(said), columns, words)
        elif (match := VIEW.match(line)) and not match[1].startswith("index_"):
            names = ", ".join(f"`{name}`" for name in columns[match[1]])
            yield from (
                "",
                f"### `{match[1]}` (view)",
                "",
                *filter(None, [_sentence(" ".join(said))]),
                f"Columns: {names}.",
            )
        said = [*said, line.removeprefix("-- ")] if line.startswith("-- ") and not HEADING.match(line) else []


def _table(name: str, words: str, columns: dict[str, list[str]], said: dict[str, str]) -> Iterator[str]:
    yield from ("", f"### `{name}`", "", _sentence(words), "")
    shown = [column for column in columns[name] if column not in HIDDEN.get(name, ())]
    if name in HIDDEN:
        yield f"Full-text columns: {', '.join(f'`{column}`' for column in shown)}; the rowid is a memory's key."
        return
    yield from ("| column | holds |", "|---|---|")
    yield from (f"| `{column}` | {_sentence(said.get(column, ''))} |" for column in shown)


def _words(script: list[str]) -> dict[str, str]:
    """What is said of the columns of the table whose body begins here."""
    end = next(number for number, line in enumerate(script) if line.startswith(")"))
    matches = filter(None, map(COLUMN.match, script[:end]))
    return {match[1]: match[3] or "" for match in matches}


def _added(script: list[str], table: str) -> dict[str, str]:
    """What is said of the columns that a migration has added to a table."""
    matches = filter(None, map(ADDED.match, script))
    return {match[2]: match[3] or "" for match in matches if match[1] == table}


def _columns() -> dict[str, list[str]]:
    """The columns of every table and view as SQLite has them."""
    conn = driver.connect()
    schema.ensure(conn, "docs")
    names = [row[0] for row in conn.execute("select name from sqlite_master where type in ('table', 'view')")]
    return {name: [row["name"] for row in conn.execute(f"pragma table_info({name})")] for name in names}


def _sentence(words: str) -> str:
    text = words.strip().replace("|", "\\|")
    first, end = text[:1], "" if text.endswith((".", "?")) else "."
    named = re.match(r"\w+_\w", text)  # an identifier is written as it is
    return f"{first if named else first.upper()}{text[1:]}{end}" if text else ""


# ---------------------------------------------------------------------------------------------- metadata.yml

TABLE_HEADING = re.compile(r"### `(\w+)`")
COLUMN_ROW = re.compile(r"\| `(\w+)` \| (.*) \|$")


def metadata_file() -> str:
    """metadata.yml, in which tables and columns are described in the words of docs/schema.md."""
    text = (DOCS.parent / "metadata.yml").read_text("utf-8")
    tables = yaml.safe_load(text)["databases"]["demo"]["tables"]
    for name, (words, columns) in _described().items():
        if name in tables:
            tables[name] |= {"description": words} if words else {}
            tables[name] |= {"columns": columns} if columns else {}
    written = yaml.dump({"tables": tables}, allow_unicode=True, sort_keys=False, width=112)
    return text.partition("    tables:\n")[0] + indent(written, "    ")


def _described() -> dict[str, tuple[str, dict[str, str]]]:
    """What docs/schema.md says of each table, and of each of its columns."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for part in re.split(r"^(?=### `)", schema_page(), flags=re.MULTILINE)[1:]:
        heading, _, words, *rows = part.splitlines()
        if match := TABLE_HEADING.match(heading):
            columns = dict(match.groups() for match in map(COLUMN_ROW.match, rows) if match)
            found[match[1]] = "" if words.startswith("Columns: ") else words, columns
    return found


# ---------------------------------------------------------------------------------------------- cli.md


def cli_page() -> str:
    """docs/cli.md: every command with its arguments, options and example."""
    lines = [
        "# The command line",
        "",
        "This page lists every command with its arguments and options, as `memkit COMMAND --help` does. Look up here",
        "what a command can do; for a first look, read the [README](../README.md) instead.",
        "",
        "The database is the first argument: `memkit COMMAND DATABASE ...`. An error is a sentence on stderr, and the",
        "exit code is 1; it is 2 if the command line itself is wrong, as by an option that there is not. For pipes",
        "there is `--format json`, which loses no character whatever the encoding of standard output is. What a",
        "command reads from standard input (`-`) is UTF-8, or else in the encoding of the terminal.",
        "",
        'Tab completes commands and options after `eval "$(_MEMKIT_COMPLETE=bash_source memkit)"` in `~/.bashrc`, the',
        "same with `zsh_source` in `~/.zshrc`, or `_MEMKIT_COMPLETE=fish_source memkit | source` in fish's settings.",
        "",
        "`make docs` writes the page from the commands: change it there.",
    ]
    return "\n".join([*lines, *(line for name in cli.commands for line in _command([name], cli.commands[name]))]) + "\n"


def _command(path: list[str], command: click.Command) -> Iterator[str]:
    text, _, example = (command.help or "").partition("\n\n\b\nExample:\n")
    arguments = [_argument(p) for p in command.params if isinstance(p, click.Argument)]
    name = " ".join(path)
    yield from ("", f"## {name}", "", text)
    if isinstance(command, click.Group):
        for sub in command.commands.values():
            yield from _command([*path, str(sub.name)], sub)
        return
    yield from ("", "```text", " ".join(["memkit", name, "[OPTIONS]", *arguments]), "```", "")
    yield from (f"Example: `{example.strip()}`", "")
    options = [p for p in command.params if isinstance(p, click.Option)]
    if options:
        yield from ("| option | what it does |", "|---|---|", *map(_option, options))


def _argument(parameter: click.Argument) -> str:
    name = parameter.metavar or str(parameter.name).upper()
    return name if parameter.required or name.startswith("[") else f"[{name}]"


def _option(option: click.Option) -> str:
    kind = option.type
    value = "\\|".join(kind.choices) if isinstance(kind, click.Choice) else option.metavar or kind.name.upper()
    takes = "" if option.is_flag or "--no-embed" in option.opts else f" {value}"
    default = f" Default: {option.default}." if option.show_default else ""
    return f"| `{', '.join([*option.opts, *option.secondary_opts])}{takes}` | {option.help}{default} |"


# ---------------------------------------------------------------------------------------------- context.md

EXAMPLE = re.compile(r"^<!-- (\{[^\n]*\}) -->\n(?:\n````text\n.*?^````\n)?", re.DOTALL | re.MULTILINE)
DURING = "2025-12-31T12:00:00Z"


def context_page() -> str:
    """docs/context.md with what each of its examples gives on the samples today."""
    page = (DOCS / "context.md").read_text("utf-8")
    with MemoryDatabase() as year:
        year.ingest([SAMPLES / name for name in ("notes", "chats", "facts.jsonl")], now="2025-01-01T00:00:00Z")
        year.ingest(SAMPLES / "relations.jsonl", now="2025-01-01T00:00:00Z")
        return EXAMPLE.sub(
            lambda match: f"{match[0].splitlines()[0]}\n\n````text\n{_example(year, match[1])}\n````\n", page
        )


def _example(year: MemoryDatabase, asked: str) -> str:
    """The context asked for. Ids follow from where a file lies, so that they are other ones on other machines."""
    how = {"now": DURING, **json.loads(asked)}
    message, budget, k = how.pop("message"), how.pop("budget"), how.pop("recall", None)
    if k is None:
        text = str(year.context(message, budget=budget, **how))
    else:
        text = year.recall(message, k, **how).context(budget)
    known = {row["id"] for row in year.conn.execute("select id from memories")}
    shown = [id for id in dict.fromkeys(re.findall(r"\b\w{10}\b", text)) if id in known]
    for number, id in enumerate(shown, 1):
        text = text.replace(id, f"id-of-mem{number}")
    return text


# ---------------------------------------------------------------------------------------------- formats.md

LISTED = re.compile(r"(?<=<!-- memkit formats -->\n).*?(?=\n<!-- end -->)", re.DOTALL)


def formats_page() -> str:
    """docs/formats.md with the list of memkit's own formats as the registry has them; what is around it stays."""
    heading = ["| format | what it is | files in a folder | needs |", "|---|---|---|---|"]
    listed = "\n".join(["", *heading, *map(_format, FORMATS.values()), ""])
    return LISTED.sub(lambda _: listed, (DOCS / "formats.md").read_text("utf-8"))


def _format(one: Format) -> str:
    needs = f"`{one.package}`" if one.package else ""
    return f"| `{one.name}` | {_sentence(one.about)[:-1]} | {' '.join(f'`{name}`' for name in one.files)} | {needs} |"


PAGES = {
    "schema.md": schema_page,
    "cli.md": cli_page,
    "context.md": context_page,
    "formats.md": formats_page,
    "../metadata.yml": metadata_file,
}

if __name__ == "__main__":
    for name, make in PAGES.items():
        (DOCS / name).write_text(make(), encoding="utf-8")
