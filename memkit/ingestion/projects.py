"""Project assignment: the project of a record that does not name one itself.

A record belongs to the project that it names, else to the one given for this ingest, else to the one that it has
already, else to its document's. A new document without a project belongs to the project that was last given for the
nearest file or folder above it.
"""

from __future__ import annotations

from collections.abc import Mapping

from memkit.core.types import GLOBAL, DocumentDraft
from memkit.storage import store
from memkit.storage.connection import Connection

NAMED = "projects_of_paths"  # setting: from a path to the project that was last given for it


class Projects:
    """The projects of paths: stored by earlier ingests, or `named` now (from absolute path to project)."""

    def __init__(self, conn: Connection, named: Mapping[str, str]):
        self._named = named
        known = store.setting(conn, NAMED, {}).items()
        self._of_paths = {**{path: name for path, name in known if isinstance(name, str)}, **named}

    def of(self, draft: DocumentDraft, known: str | None) -> str:
        """The project of a document; `known` is the one that it has already, if it was ingested before."""
        return draft.project or known or self._above(draft.file or draft.source) or GLOBAL

    def keep(self, conn: Connection) -> None:
        """Stores the projects given now, beside those that others have stored meanwhile; in a transaction."""
        known = store.setting(conn, NAMED, {})
        if not self._named.items() <= known.items():
            store.set_setting(conn, NAMED, {**known, **self._named})

    def _above(self, place: str) -> str | None:
        """The project of the longest stored path that is this path or above it."""
        above = [path for path in self._of_paths if place == path or place.startswith((f"{path}/", f"{path}#"))]
        return self._of_paths[max(above, key=len)] if above else None
