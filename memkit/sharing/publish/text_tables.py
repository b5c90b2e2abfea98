"""Text tables: sets of texts on the disk, so that those of two databases can be compared, however many they are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from memkit.storage import driver
from memkit.storage.connection import Connection

CREATE_TEXTS = """
create table texts (name text, text text, place text, primary key (name, text)) without rowid
"""
INSERT_TEXTS = "insert or ignore into texts (name, text, place) values (?, ?, ?)"
SELECT_AMONG = """
select text, place from texts where name = :name and text in (select value from json_each(:texts))
"""
SELECT_PART = "select text, place from texts where name = :name and text > :after order by text limit :limit"
DELETE_AMONG = "delete from texts where name = :name and text in (select value from json_each(:texts))"

AT_ONCE = 100_000  # texts; as many are held in memory, some 30 MB


def new_tables() -> Connection:
    """A connection to a database without a name, for tables of texts."""
    conn = driver.connect(driver.NAMELESS)
    conn.execute(CREATE_TEXTS)
    return conn


class TextTable:
    """A set of texts under a name, each with the first place where it was found."""

    def __init__(self, conn: Connection, name: str):
        self._conn, self._name = conn, name
        self._new: dict[str, str] = {}

    def add(self, texts: Iterable[str], place: str = "") -> None:
        """Adds some texts from one place."""
        for text in texts:
            self._new.setdefault(text, place)
        if len(self._new) >= AT_ONCE:
            self._write()

    def update(self, texts: Mapping[str, str]) -> None:
        """Adds some texts, each with its place."""
        for text, place in texts.items():
            self.add((text,), place)

    def remove(self, texts: Iterable[str]) -> None:
        """Takes some texts out."""
        self._write()
        self._conn.execute(DELETE_AMONG, {"name": self._name, "texts": json.dumps(list(texts))})

    def among(self, texts: Iterable[str]) -> dict[str, str]:
        """Those of some texts that are in the table, each with its place."""
        self._write()
        asked = {"name": self._name, "texts": json.dumps(list(texts))}
        return {row["text"]: row["place"] for row in self._conn.execute(SELECT_AMONG, asked)}

    def parts(self) -> Iterator[dict[str, str]]:
        """All texts in order, each with its place, at most AT_ONCE together."""
        self._write()
        after = ""
        while True:
            asked = {"name": self._name, "after": after, "limit": AT_ONCE}
            part = {row["text"]: row["place"] for row in self._conn.execute(SELECT_PART, asked)}
            if not part:
                return
            yield part
            after = max(part)

    def _write(self) -> None:
        """Writes what is new, in order: rows beside each other stand on one page."""
        if not self._new:
            return
        with driver.writing(self._conn):
            self._conn.executemany(INSERT_TEXTS, ((self._name, text, self._new[text]) for text in sorted(self._new)))
        self._new.clear()
