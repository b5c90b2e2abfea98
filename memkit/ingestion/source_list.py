"""Source list: the files and folders that belong to a database. To show it, no reader of files is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memkit.core.formatting import html_table, when_text
from memkit.core.frames import Framed
from memkit.core.terminal_text import table
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.json_columns import object_in
from memkit.storage.row_rules import RULES

SOURCES = "sources"  # setting: the sources, by path


@dataclass(frozen=True)
class Source:
    """A file or folder that belongs to a database. `options` are those of `ingest()`; `read_at` is its last sync.

    `files` and `failed` count what that sync found, `left_out` says what it did not read.
    """

    path: str
    format: str | None = None
    project: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    read_at: str | None = None
    files: int = 0
    failed: int = 0
    left_out: str = ""


class Sources(Framed, tuple[Source, ...]):
    """The sources of a database. In a notebook it is a table."""

    __slots__ = ()
    KIND = Source
    HEADINGS = ("path", "project", "last read", "files", "failed", "left out")

    @property
    def rows(self) -> list[list[str]]:
        """A row for each source, as texts."""
        return [
            [
                one.path,
                one.project or "",
                when_text(one.read_at) or "never",
                f"{one.files:,}",
                f"{one.failed:,}",
                one.left_out,
            ]
            for one in self
        ]

    def _repr_html_(self) -> str:
        return html_table("Sources", self.HEADINGS, self.rows)

    def __repr__(self) -> str:
        return table([self.HEADINGS, *self.rows]) if self else "No sources yet"


def sources(conn: Connection) -> Sources:
    """The sources of this database, in the order in which they were added."""
    found = store.setting(conn, SOURCES, {})
    return Sources(_stored(path, about) for path, about in found.items() if isinstance(about, dict))


def _stored(path: str, about: Mapping[str, Any]) -> Source:
    """A source from its setting, of which a file from elsewhere may hold anything."""
    fine = {name: about[name] for name, rule in _RULES.items() if rule.holds(about.get(name))}
    return Source(path, options=object_in(about, "options"), **fine)


_RULES = {
    **dict.fromkeys(("format", "project", "left_out"), RULES["text"]),
    **dict.fromkeys(("files", "failed"), RULES["count"]),
    "read_at": RULES["time"],
}
