"""Spool: texts on the disk, so that any number of them can be gone over again without being held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memkit.storage import driver

CREATE_SAID = "create table said (text text)"
INSERT_SAID = "insert into said (text) values (?)"
SELECT_SAID = "select text from said order by rowid"


class Spool:
    """Texts in their order, without those that come again soon."""

    def __init__(self) -> None:
        self._conn = driver.connect(driver.NAMELESS)
        self._conn.execute(CREATE_SAID)

    def extend(self, texts: Iterable[str]) -> None:
        """Adds some texts, each once."""
        with driver.writing(self._conn):
            self._conn.executemany(INSERT_SAID, ((text,) for text in dict.fromkeys(texts)))

    def __iter__(self) -> Iterator[str]:
        """All texts, from the first."""
        return (row[0] for row in self._conn.execute(SELECT_SAID))

    def close(self) -> None:
        """Gives the room on the disk back."""
        self._conn.close()
