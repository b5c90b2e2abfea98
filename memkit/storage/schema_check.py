"""Schema check: what stands in a file's schema that memkit did not make there.

A file from somebody else may have triggers that run when memkit writes, and views, generated columns or checks under
the names of memkit's own. What people add for themselves is not meant: tables, views and triggers of their own tables,
further columns, and indexes of columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from memkit.core.classes import dataclass
from memkit.core.patterns import pattern
from memkit.storage.connection import Connection

SELECT_OBJECTS = "select type, name, tbl_name, sql from sqlite_master where sql is not null"
MIGRATIONS = "_sqlite_migrations"  # sqlite-utils makes it, and memkit's migrations write to it

_TOKEN = pattern(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?(?:\*/|$)|\s+|\w+|.", re.S)
_SHADOW = pattern(r"memories_(?:fts|cjk)_(?:data|idx|content|docsize|config)")  # tables that FTS5 makes for its own
_COMPUTES = pattern(r"\b(?:check|generated|as|collate)\b|\bdefault ?\(")


@dataclass(frozen=True)
class Oddity:
    """An object of the schema that memkit did not make, or made otherwise; whether it is `ours` by its name."""

    type: str
    name: str
    table: str
    ours: bool

    @property
    def read(self) -> bool:
        """Whether it may change what is read, too: a trigger and an index only matter to those who write."""
        return self.type in ("table", "view")

    def __str__(self) -> str:
        return f"{self.type} {self.name!r}" + (f" on {self.table}" if self.type in ("trigger", "index") else "")


def oddities(conn: Connection, made: Mapping[str, str]) -> list[Oddity]:
    """What memkit did not make in this file. `made` is the SQL of what it makes, by name, as SQLite stores it."""
    return [
        Oddity(type, name, table, name in made)
        for type, name, table, sql in conn.execute(SELECT_OBJECTS).fetchall()
        if not _is_fine(type, name, table.lower(), sql, made)
    ]


def _is_fine(type: str, name: str, table: str, sql: str, made: Mapping[str, str]) -> bool:
    if name in made:
        return sql == made[name] or _RULES[type](tokens(sql), tokens(made[name]))
    if name.lower() in made:  # SQLite means the same by Memories and memories
        return False
    if name == MIGRATIONS or (type == "table" and _SHADOW.fullmatch(name)):
        return not _COMPUTES.search(tokens(sql))
    if table not in made and table != MIGRATIONS and not _SHADOW.fullmatch(table):
        return True
    # An index of a person's own is one of columns. SQLite would compute anything else at each write.
    return type == "index" and tokens(sql).count("(") == 1 and not _COMPUTES.search(tokens(sql))


def tokens(sql: str) -> str:
    """A statement in lower case, without comments, with one space for any other."""
    return "".join(_words(sql)).strip(" ;")


def _words(sql: str) -> Iterator[str]:
    space = ""
    for token in _TOKEN.findall(sql):
        if token.isspace() or token.startswith(("--", "/*")):
            space = " "
        else:
            yield space + (token if token[0] in "'\"`[" else token.lower())
            space = ""


def _same(found: str, made: str) -> bool:
    return found == made


def _with_columns(found: str, made: str) -> bool:
    """Whether a table is memkit's, perhaps with columns that were added later and compute nothing."""
    if " virtual " in made:
        return found == made
    columns, _, rest = made.rpartition(")")
    if not (found.startswith(columns.rstrip()) and found.endswith(rest)):
        return False
    return not _COMPUTES.search(found.removeprefix(columns.rstrip()))


_RULES: Mapping[str, Callable[[str, str], bool]] = {
    "table": _with_columns,
    "view": _same,
    "index": _same,
    "trigger": _same,
}
