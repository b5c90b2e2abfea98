"""The report of an ingest: what was added, changed, left out or could not be read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from html import escape

from memkit.core.formatting import counted, html_table
from memkit.core.frames import OneRow
from memkit.core.types import WITHOUT_TEXT, Failure, LeftOut, ReadWarning

SHOWN_KINDS = 12  # of what was left out


@dataclass
class IngestReport(OneRow):
    """The result of an ingest: how many memories were added, updated, unchanged and removed.

    `failures` are the records that could not be read, with the reason. `warnings` name what could not be read of
    records that were. `left_out` are the files that were not read, and those without text. `relations` counts the given
    triples that were stored, and `passed_over` the files that are as they were when they were last read (`sync()`).
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    failures: list[Failure] = field(default_factory=list)
    warnings: list[ReadWarning] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    dry_run: bool = False
    relations: int = 0
    passed_over: int = 0

    @property
    def failed(self) -> int:
        """How many records could not be read."""
        return len(self.failures)

    @property
    def total(self) -> int:
        """How many records the source had."""
        return self.added + self.updated + self.unchanged + self.failed

    @property
    def left_out_text(self) -> str:
        """What was left out, by kind and reason, most first: `3 .pdf (no format that memkit reads), 1 without text`.

        Of a folder with dozens of kinds, the most frequent ones, and how many more there are.
        """
        counts = Counter((one.kind, one.reason) for one in self.left_out)
        empty = sum(count for (_, reason), count in counts.items() if reason == WITHOUT_TEXT)
        told = [(count, f"{kind} ({reason})") for (kind, reason), count in counts.items() if reason != WITHOUT_TEXT]
        told += [(empty, WITHOUT_TEXT)] if empty else []
        told.sort(key=lambda one: (-one[0], one[1]))
        shown = [f"{count:,} {what}" for count, what in told[:SHOWN_KINDS]]
        if more := told[SHOWN_KINDS:]:
            shown.append(f"{sum(count for count, _ in more):,} of {counted(len(more), 'other kinds')}")
        return ", ".join(shown)

    def __repr__(self) -> str:
        names = ("added", "updated", "unchanged", "removed", "failed")
        counts = ", ".join(f"{getattr(self, name)} {name}" for name in names)
        counts += f", {counted(self.relations, 'relations')}" if self.relations else ""
        counts += f", {len(self.warnings)} warnings" if self.warnings else ""
        counts += f", left out: {self.left_out_text}" if self.left_out else ""
        return f"<IngestReport {'(dry run) ' if self.dry_run else ''}{counts}>"

    def _repr_html_(self) -> str:
        names = ("added", "updated", "unchanged", "removed", "failed")
        caption = "What would happen" if self.dry_run else "Ingested"
        shown = [*names, *(["relations"] if self.relations else [])]
        table = html_table(caption, shown, [[str(getattr(self, name)) for name in shown]])
        told = [*self.failures, *self.warnings][:20]
        lines = [f"Left out: {self.left_out_text}"] if self.left_out else []
        items = "".join(f"<li>{escape(line)}</li>" for line in [*lines, *map(str, told)])
        return table + (f"<ul>{items}</ul>" if items else "")
