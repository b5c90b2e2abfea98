"""New ids for what is published: an id made of a path or a name would let somebody find out what it was made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memkit import store
from memkit.errors import MemkitError
from memkit.text import short_id


@dataclass(frozen=True, slots=True)
class Ids:
    """Ids that are the same whenever this database is published into a folder of this name, and tell nothing else."""

    secret: str
    name: str

    @classmethod
    def of(cls, conn: Any, name: str) -> Ids:
        """The ids for a folder; their secret is the number that every database is given when it is made.

        Raises MemkitError for a database that has lost it: whoever guesses a path could make its ids.
        """
        secret = store.setting(conn, "database")
        if not secret:
            raise MemkitError("This database has no number of its own in `settings` any more, and cannot be published.")
        return cls(str(secret), name)

    def new(self, kind: str, id: str) -> str:
        """The id under which this one is published."""
        return short_id("published", self.secret, self.name, kind, id)
