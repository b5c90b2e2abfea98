"""Hints: the commands that messages name, as they are typed on this command line, with the database that was typed.

The library says `memkit doctor garden.db`. Who typed `llm memory recall` may not have that command on the path, and who
typed `../garden.db` is in another folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from memkit.core.patterns import alternatives
from memkit.frontends.cli.host import Host

# The names of memkit's commands, and whether each of them takes a database; filled where commands are defined.
NAMES: dict[str, bool] = {}

KEY = "memkit.typed"
# A database in a hint: what stands for any, a file by its ending, or something in quotes.
ANY_DATABASE = ("DATABASE", "FILE", "...")
A_DATABASE = r"'[^'\n]+'|[^\s'`,;]+\.(?:db|sqlite3?)\b(?![\w.])"


class Typed(NamedTuple):
    """The command line that runs, and the database on which it runs (empty if there is none)."""

    host: Host
    database: str


def begin(host: Host, database: str) -> None:
    """Keeps for this command which command line it was typed on, and on which database."""
    if context := click.get_current_context(silent=True):
        context.meta[KEY] = Typed(host, database)


def typed(command: str, *words: str, database: str | None = None) -> str:
    """Another command with these words after it, on the same database or this one, as typed on this command line."""
    host, own = _here()
    return " ".join([host.typed(command, own if database is None else database), *words])


def database() -> str:
    """The database that was typed, or that is the usual one; empty if there is none."""
    return _here().database


def here(message: str) -> str:
    """A message in which each command of memkit is as typed on this command line, with the database that was typed.

    What stands in quotes is somebody's own words and stays.
    """
    spelt = _here()
    if "memkit " not in message or not NAMES:
        return message
    return _hint(spelt.database).sub(lambda found: _replaced(found, spelt), message)


def _here() -> Typed:
    context = click.get_current_context(silent=True)
    found = context.meta.get(KEY) if context else None
    return found or Typed(Host(), "")


def _hint(database: str) -> re.Pattern[str]:
    """What a hint looks like where this database was typed."""
    commands = alternatives(map(re.escape, NAMES))
    files = "|".join([*map(re.escape, [*_spellings(database), *ANY_DATABASE]), A_DATABASE])
    after = rf"(?P<file> (?:{files})(?![\w'-]))|(?P<end>(?=[`.,;:)]|\s--|$))"
    return re.compile(rf"(?<![\w'\"./-])memkit (?P<command>{commands})(?![\w'-])(?:{after})?")


def _spellings(database: str) -> Iterator[str]:
    """How a message may name this file: whole, or without its folder, as strangers may read it."""
    if database:
        yield from sorted({database, Path(database).name, repr(database)}, key=len, reverse=True)


def _replaced(found: re.Match[str], spelt: Typed) -> str:
    command, file = found["command"], found["file"]
    own = spelt.database if NAMES[command] else ""
    if file is not None:
        name = file[1:]
        if name in (*ANY_DATABASE, *_spellings(own)):
            return spelt.host.typed(command, own) if own else found[0]
        return spelt.host.typed(command, name.strip("'"))
    return spelt.host.typed(command, own if found["end"] is not None else "")
