"""What push and pull have in common: their report, and the marks by which a store knows a file again.

Both compare three states of each unit: now in the file, now in the store, and what both had when they last exchanged
it. So an old copy of a file must not pass for a new state: each exchange leaves the same mark in both, and a file
without the store's last mark only adds.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from memkit.core.formatting import html_table
from memkit.core.frames import OneRow
from memkit.sharing.postgres.server import Seen, Server
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

MARKS = "pushed"  # the setting with the marks of the last exchanges, by store

SELECT_MEMORIES = "select id, key from memories"


@dataclass
class ExchangeReport(OneRow):
    """What a push or pull did: the numbers of memories added, changed, forgotten and that `differ` on both sides.

    `differ` were changed here and there: each side keeps its own. `left_out` are memories that did not come because the
    other side has forgotten them, or has another value in their slot. `rows` counts all rows written.
    """

    direction: str
    added: int = 0
    changed: int = 0
    forgotten: int = 0
    differ: int = 0
    left_out: int = 0
    rows: int = 0

    @property
    def sentence(self) -> str:
        """The report in one line."""
        said = [
            f"{count:,} {name.replace('_', ' ')}" for name, count in self.to_dict().items() if name in SAID and count
        ]
        return f"{self.direction}: {', '.join(said) or 'nothing has changed'}"

    def to_dict(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
        return asdict(self)

    def __repr__(self) -> str:
        return f"<ExchangeReport {self.sentence}>"

    def _repr_html_(self) -> str:
        rows = [[name.replace("_", " "), str(getattr(self, name))] for name in SAID]
        return html_table(self.direction, ("memories", "how many"), rows)


SAID = ("added", "changed", "forgotten", "differ", "left_out", "rows")


def is_unfinished(conn: Connection, name: str) -> bool:
    """Whether the file's last exchange with this store was killed before its end."""
    return len(_marks(conn, name)) > 1


def _marks(conn: Connection, name: str) -> list[str]:
    given = store.setting(conn, MARKS, {}).get(name)
    return [one for one in given if isinstance(one, str)] if isinstance(given, list) else []


def begin(conn: Connection, server: Server, file: str, name: str) -> tuple[str, bool]:
    """A new mark, and whether the file is in the state of its last exchange or a later one.

    The mark is stored in the file before the store has it, so that a kill between the two makes no stranger of it.
    """
    mine, there, mark = _marks(conn, name), server.mark(file), uuid4().hex
    if there is None or there in mine:
        with writing(conn):
            store.set_setting(
                conn, MARKS, {**store.setting(conn, MARKS, {}), name: [*([there] if there else []), mark]}
            )
    return mark, there in mine


def end(conn: Connection, name: str, mark: str) -> None:
    """Stores in the file that an exchange was finished."""
    with writing(conn):
        store.set_setting(conn, MARKS, {**store.setting(conn, MARKS, {}), name: [mark]})


def is_same(one: Seen | None, other: Seen) -> bool:
    """Whether both are of the same hashes."""
    return one is not None and (one.mine, one.theirs) == (other.mine, other.theirs)
