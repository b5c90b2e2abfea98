"""Export reader: the rows of an export, each held to the rules of its table, as if a stranger had written it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from memkit.core.errors import BadSource
from memkit.sharing.export.tables import BY_NAME
from memkit.sources.jsonl_lines import lines
from memkit.sources.memkit_export import EXPORT_VERSION, MARK
from memkit.storage.row_rules import COLUMNS, problem
from memkit.storage.schema import VERSION

LONGEST = 1 << 30  # bytes of a line
UPGRADE = "Run: pip install --upgrade datasette-memkit"
NOTHING = "Nothing was restored."

Row = dict[str, Any]


SMALL = 4_000_000  # bytes of an export whose rows are kept after they were read
FEW = 20_000  # the same for the lines of one that is given


class Line(NamedTuple):
    """A row of an export: the number of its line, its table, its columns."""

    number: int
    table: str
    row: Row


class Export:
    """An export in a file. Raises BadSource, with the line, for what is no export, is damaged, or breaks a rule.

    `given` are the objects of its lines, if they come from elsewhere; then `path` is only a name.
    """

    def __init__(self, path: Path, given: Sequence[Row] | None = None):
        if given is None and not path.is_file():
            raise BadSource(f"There is no file {str(path)!r} to restore.")
        self.path, self._given = path, given
        _, head = next(self._objects(), (1, {}))
        for name, known in ((MARK, EXPORT_VERSION), ("schema", VERSION)):
            if not isinstance(head.get(name), int) or isinstance(head[name], bool):
                raise BadSource(f"{path.name} is not an export of memkit: its first line has no {name!r}.")
            if head[name] > known:
                newer = f"was written by a newer memkit ({name} {head[name]}, this one knows {known})"
                raise BadSource(f"{path.name} {newer}. {UPGRADE}")
        self.part = bool(head.get("part"))
        self._kept: list[Line] | None = None  # of a small export, which is read twice

    def rows(self) -> Iterator[Line]:
        """The rows, one at a time. Raises BadSource at the end if rows or the last line are missing."""
        if self._kept is not None or not self._is_small():
            yield from self._read() if self._kept is None else self._kept
            return
        kept = []
        for line in self._read():
            kept.append(line)
            yield line
        self._kept = kept

    def _is_small(self) -> bool:
        return self.path.stat().st_size <= SMALL if self._given is None else len(self._given) <= FEW

    def _read(self) -> Iterator[Line]:
        found = self._objects()
        next(found)
        counts: Counter[str] = Counter()
        told = None
        for number, given in found:
            (table, row), *more = given.items()
            if told is not None or more or not isinstance(row, dict):
                raise self.wrong(number, "is not a row of an export")
            if table == "end":
                told = row
            else:
                yield Line(number, table, self._checked(number, table, row))
                counts[table] += 1
        if told is None or {name: count for name, count in told.items() if count} != counts:
            raise BadSource(f"{self.path.name} is not complete: rows or the last line are missing. {NOTHING}")

    def wrong(self, number: int, what: str) -> BadSource:
        """The error for a line."""
        return BadSource(f"{self.path.name}:{number} {what}. {NOTHING}")

    def _checked(self, number: int, name: str, row: Row) -> Row:
        if name not in BY_NAME:
            raise self.wrong(number, f"is of a table {name!r}, which memkit does not have")
        table = BY_NAME[name]
        needed = {name for name, rule in COLUMNS[name].items() if not rule.nullable or name in table.references}
        if strange := sorted(row.keys() - set(table.columns)) or sorted(needed - row.keys()):
            raise self.wrong(number, f"is not a row of {name} (see: {', '.join(strange)})")
        if found := problem(name, row):
            raise self.wrong(number, f"is not a row of {name}: {found}")
        return row

    def _objects(self) -> Iterator[tuple[int, Row]]:
        """The lines with their numbers, from 1. Raises BadSource for a line that is not a JSON object."""
        if self._given is not None:
            yield from enumerate(self._given, 1)
            return
        with self.path.open("rb") as stream:
            for number, line in lines(stream, LONGEST):
                try:
                    found = json.loads(line or b"")
                except (ValueError, RecursionError) as error:
                    raise self.wrong(number, f"is not JSON: {error}") from error
                if not isinstance(found, dict) or not found:
                    raise self.wrong(number, "is not a row of an export")
                yield number, found
