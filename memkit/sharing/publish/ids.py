"""Pseudonymous ids for publications. The private ids come from paths and names, which readers could guess."""

from __future__ import annotations

from dataclasses import dataclass

from memkit.core.errors import MemkitError
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.text.words import short_id


@dataclass(frozen=True, slots=True)
class Ids:
    """Ids that stay the same for one database and folder name, and reveal nothing else."""

    secret: str
    name: str

    @classmethod
    def of(cls, conn: Connection, name: str) -> Ids:
        """The ids for a folder name. Their secret is the number that each database gets when it is created.

        Raises MemkitError if the database has lost it, because then anybody could compute ids from guessed paths.
        """
        secret = store.setting(conn, "database")
        if not secret:
            raise MemkitError("This database has no number of its own in `settings`, so it cannot be published.")
        return cls(str(secret), name)

    def new(self, kind: str, id: str) -> str:
        """The public id for a private one."""
        return short_id("published", self.secret, self.name, kind, id)
