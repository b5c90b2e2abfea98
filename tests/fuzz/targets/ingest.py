"""Ingest: any files go into a database with names, graph and vectors; it stays whole, and keeps each text as it was."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from fuzz import databases, soundness
from fuzz.targets import read
from memkit import MemkitError
from memkit.core.errors import BadSource
from memkit.core.types import Draft
from memkit.sources import ReadOptions
from memkit.sources import read as drafts

BLOCK = 20


def make(random: Random) -> Any:
    """A file, as for the readers, and how it is taken in."""
    case = read.make(random)
    if case["format"] == "memkit":
        case["format"] = None
    return {**case, "sync": random.random() < 0.1, "project": random.choice((None, None, "p", "global"))}


class World:
    """A folder, and a database with a few memories."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.db = databases.copy()

    def run(self, case: Any) -> None:
        """Takes the file in, twice; the second time nothing is new."""
        with read.written(self.folder, case) as path:
            self._ingest(path, case)

    def _ingest(self, path: Path, case: Any) -> None:
        how = {"format": case["format"], "project": case["project"], "now": databases.NOW, **case["options"]}
        try:
            self.db.ingest(path, sync=case["sync"], **how)
            again = self.db.ingest(path, **how)
            assert again.added == 0, again
            stored = {row[0] for row in self.db.conn.execute("select text from memories")}
            for one in drafts(path, format=case["format"], options=ReadOptions(**case["options"])):
                if isinstance(one, Draft) and one.text not in stored:
                    raise soundness.Harmed("a text is stored otherwise than it was given")
        except BadSource as error:
            soundness.must(str(error), "an error without words")
        except MemkitError as error:
            raise AssertionError(f"only BadSource is promised, not {type(error).__name__}: {error}") from error

    def check(self) -> None:
        """All rows fit together."""
        soundness.check(self.db.conn)

    def close(self) -> None:
        """Closes it."""
        self.db.close()
