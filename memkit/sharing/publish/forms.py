"""Forms: private texts as they may stand in the bytes of a file, in every encoding, on the disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from mmap import mmap
from typing import NamedTuple

from memkit.sharing.publish.byte_search import LONG, LONGEST, SHORTEST, Needles
from memkit.sharing.publish.public_texts import encoded
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

CREATE_FORMS = """
create table forms (
    long integer, form blob, encoding text, text text, origin text, alone integer, primary key (long, form)
) without rowid
"""
INSERT_FORM = "insert or ignore into forms (long, form, encoding, text, origin, alone) values (?, ?, ?, ?, ?, ?)"
SELECT_ALL = "select form from forms"
SELECT_STARTING = "select form from forms where long = :long and form between :start and :end"
SELECT_FORM = "select text, encoding, origin, alone from forms where long = :long and form = :form"
ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")


class Found(NamedTuple):
    """A private text that was found in some bytes: where, in which encoding, and from where it is."""

    at: int
    form: bytes
    text: str
    encoding: str
    origin: str
    alone: bool  # it counts only if it stands alone, because it is a single word


class Forms:
    """The texts to look for."""

    def __init__(self, tables: Connection):
        """They are kept in `tables`, a connection of `text_tables`."""
        self._conn = tables
        tables.execute(CREATE_FORMS)

    def add(self, texts: Mapping[str, str], *, alone: bool) -> None:
        """Adds some texts with the origin of each, unless there is one with the same form."""
        with writing(self._conn):
            for encoding in ENCODINGS:
                forms = ((encoded(text, encoding)[:LONGEST], text, origin) for text, origin in texts.items())
                self._conn.executemany(
                    INSERT_FORM,
                    (
                        (len(form) >= LONG, form, encoding, text, origin, alone)
                        for form, text, origin in forms
                        if len(form) >= SHORTEST
                    ),
                )

    def needles(self) -> Needles:
        """A search for all of them."""
        return Needles((row[0] for row in self._conn.execute(SELECT_ALL)), self._starting)

    def found_in(self, needles: Needles, data: bytes | mmap) -> Iterator[Found]:
        """Those that `needles` finds in some bytes."""
        for at, form in needles.found_in(data):
            row = self._conn.execute(SELECT_FORM, {"long": len(form) >= LONG, "form": form}).fetchone()
            yield Found(at, form, row["text"], row["encoding"], row["origin"], bool(row["alone"]))

    def _starting(self, start: bytes) -> list[bytes]:
        asked = {"long": len(start) >= LONG, "start": start, "end": start + b"\xff" * LONGEST}
        return [row[0] for row in self._conn.execute(SELECT_STARTING, asked)]
