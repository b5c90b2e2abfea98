"""Restore report: what a restore wrote, what it would overwrite, and what it left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any, NamedTuple

from memkit.core.errors import BadSource
from memkit.core.formatting import counted, html_table, short
from memkit.core.frames import OneRow

SHOWN = 20


class Overwritten(NamedTuple):
    """A row that is in the database already and that the export would change: what its columns are and would be."""

    table: str
    name: str
    before: dict[str, Any]
    after: dict[str, Any]

    def __str__(self) -> str:
        changes = (
            f"{column}: {short(str(was), 40)} -> {short(str(self.after[column]), 40)}"
            for column, was in self.before.items()
        )
        return f"{self.table} {self.name}: {'; '.join(changes)}"


@dataclass
class RestoreReport(OneRow):
    """The result of a restore: how many memories were added, updated and unchanged.

    `overwritten` are the rows of any table that were there already and that the export changes. `left_out` says what
    the restore did not take, and why: settings that nobody asked for, history that refers to other keys.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    overwritten: list[Overwritten] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    dry_run: bool = False

    @property
    def sentence(self) -> str:
        """The report in one line."""
        counts = ", ".join(f"{getattr(self, name):,} {name}" for name in ("added", "updated", "unchanged"))
        return f"Would be: {counts}" if self.dry_run else counts

    @property
    def overwrites(self) -> str:
        """The overwritten rows, counted by table: `2 memories, 1 entity`."""
        counts = Counter(one.table for one in self.overwritten)
        return ", ".join(counted(count, table.replace("_", " ")) for table, count in counts.items())

    def to_dict(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
        return {**asdict(self), "overwritten": [one._asdict() for one in self.overwritten]}

    def __repr__(self) -> str:
        return f"<RestoreReport {self.sentence}{f'; overwritten: {self.overwrites}' if self.overwritten else ''}>"

    def _repr_html_(self) -> str:
        rows = [[name, str(getattr(self, name))] for name in ("added", "updated", "unchanged")]
        table = html_table("What would be restored" if self.dry_run else "Restored", ("memories", "how many"), rows)
        notes = [*map(str, self.overwritten[:SHOWN]), *self.left_out]
        return table + (f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul>" if notes else "")


class WouldOverwrite(BadSource):
    """The export would change rows that are in the database already. Attribute: `report`, which lists them."""

    def __init__(self, name: str, report: RestoreReport):
        self.report = report
        super().__init__(
            f"{name} would overwrite what is in the database already: {report.overwrites}. Nothing was restored. "
            "To see it: dry_run=True (memkit restore --dry-run). To allow it: overwrite=True (memkit restore --yes)."
        )
