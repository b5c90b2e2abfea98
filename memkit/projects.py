"""Which project that which is read belongs to, where it does not say so itself.

A record belongs to the project that it names, else to the one that is named for this reading, else to the one it has,
else to its document's. A document that is new and names none belongs to the project that was last named for the nearest
folder or file above it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memkit import store
from memkit.types import GLOBAL, DocumentDraft

NAMED = "projects_of_paths"  # setting: path to the project that was last named for it


class Projects:
    """The projects of paths: named before, or `named` now (from absolute path to project)."""

    def __init__(self, conn: Any, named: Mapping[str, str]):
        self._named = named
        self._of_paths = {**store.setting(conn, NAMED, {}), **named}

    def of(self, draft: DocumentDraft, known: str | None) -> str:
        """The project of a document; `known` is the one it has, if it has been read before."""
        return draft.project or known or self._above(draft.file or draft.source) or GLOBAL

    def keep(self, conn: Any) -> None:
        """Notes what was named now, beside what others have named meanwhile; inside a transaction."""
        known = store.setting(conn, NAMED, {})
        if not self._named.items() <= known.items():
            store.set_setting(conn, NAMED, {**known, **self._named})

    def _above(self, place: str) -> str | None:
        """The project of the longest path that this place is at or below."""
        above = [path for path in self._of_paths if place == path or place.startswith((f"{path}/", f"{path}#"))]
        return self._of_paths[max(above, key=len)] if above else None
