"""Export run: writes everything, or a selection, to a file or folder in one of three formats."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memkit.core.errors import BadQuestion, MemkitError, one_of
from memkit.core.files import expanded, open_to_write, replacing
from memkit.core.formatting import counted, html_table
from memkit.core.frames import OneRow
from memkit.graph.export import to_graphml
from memkit.ingestion.forgotten import FORGOTTEN
from memkit.sharing.export.lines import lines
from memkit.sharing.export.vault import write_vault
from memkit.sharing.publish.options import named, options
from memkit.sharing.selection import Selection
from memkit.storage.connection import Connection
from memkit.storage.driver import reading
from memkit.storage.json_columns import or_empty

SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".graphml": "graphml", ".xml": "graphml", "": "markdown"}
COUNT_FORGOTTEN = f"""
select count(*) from memories
where archived_at is not null and json_extract({or_empty("meta")}, '$.archived_because') = :forgotten
"""
CHOICES = ("project", "kind", "slot", "tag", "document", "entity", "since", "until", "sql")


@dataclass(frozen=True)
class ExportReport(OneRow):
    """What was exported: the path, the format, and the number of rows by table or of files by kind.

    `forgotten` is how many of the memories are hidden, because they were forgotten: they are only in a whole export.
    """

    path: Path
    format: str
    counts: Mapping[str, int]
    forgotten: int = 0

    @property
    def sentence(self) -> str:
        """The report in one line."""
        told = ", ".join(counted(count, name) for name, count in self.counts.items() if count)
        hidden = f". Forgotten, but still in it: {counted(self.forgotten, 'memories')} (`memkit forget --hard` deletes)"
        return f"{self.path}: {told or 'nothing'}{hidden if self.forgotten else ''}"

    def to_dict(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
        return {
            "path": self.path.as_posix(),
            "format": self.format,
            "counts": dict(self.counts),
            "forgotten": self.forgotten,
        }

    def __repr__(self) -> str:
        return f"<ExportReport {self.sentence}>"

    def _repr_html_(self) -> str:
        return html_table(
            f"Exported to {self.path}",
            ("what", "how many"),
            [[name, str(count)] for name, count in self.counts.items()],
        )


def export(
    conn: Connection, path: str | os.PathLike[str], format: str | None, selection: Selection, now: str
) -> ExportReport:
    """The report of an export to `path`, as `jsonl`, `markdown` or `graphml`.

    Exports everything, or the selected memories and the rows that belong to them. Without a format, the suffix of the
    path decides; a path without a suffix is a folder of notes. An existing file is replaced only when the new one is
    complete; a folder must be empty. Raises BadQuestion for an unsuitable path or format, MemkitError if writing fails.
    """
    file = expanded(path)
    chosen = format or SUFFIXES.get(file.suffix.lower(), file.suffix.lstrip("."))
    if chosen not in FORMATS:
        raise BadQuestion(one_of("format of an export", chosen, FORMATS))
    if not file.absolute().parent.is_dir():
        raise BadQuestion(f"There is no folder {str(file.parent)!r} for {file.name}. Create it first.")
    with reading(conn):
        counts = FORMATS[chosen](conn, file, selection, now)
        is_whole = chosen == "jsonl" and not selection
        forgotten = conn.execute(COUNT_FORGOTTEN, {"forgotten": FORGOTTEN}).fetchone()[0] if is_whole else 0
    return ExportReport(file, chosen, counts, forgotten)


def selected(given: Mapping[str, Any]) -> Selection:
    """The selection from keyword arguments (CHOICES), each with one value or several. Raises TypeError for others."""
    for name in given:
        if name not in CHOICES:
            raise TypeError(one_of("condition of an export", name, CHOICES))
    return options("", named(given)).selection


def _write_lines(conn: Connection, file: Path, selection: Selection, now: str) -> dict[str, int]:
    counts: Counter[str] = Counter()

    def counted() -> Iterator[str]:
        for table, line in lines(conn, selection, now):
            counts[table] += 1
            yield line + "\n"

    _write(file, counted())
    del counts[""]
    return dict(counts)


def _write_graph(conn: Connection, file: Path, selection: Selection, now: str) -> dict[str, int]:
    if selection:
        raise BadQuestion("A graph is exported whole. To select memories, use the format jsonl or markdown.")
    text = to_graphml(conn)
    _write(file, [text])
    return {"nodes": text.count("<node "), "edges": text.count("<edge ")}


def _write_notes(conn: Connection, folder: Path, selection: Selection, now: str) -> dict[str, int]:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadQuestion(f"{str(folder)!r} is not an empty folder. Give the path of a new folder.")
    return write_vault(conn, folder, selection, now)


FORMATS: Mapping[str, Callable[[Any, Path, Selection, str], dict[str, int]]] = {
    "jsonl": _write_lines,
    "markdown": _write_notes,
    "graphml": _write_graph,
}


def _write(file: Path, parts: Iterable[str]) -> None:
    """Writes a file from these parts. It replaces an older one only when it is complete."""
    if file.is_dir():
        raise BadQuestion(f"{str(file)!r} is a folder. Give the path of a file.")
    try:
        with replacing(file) as made, open_to_write(made) as stream:
            stream.writelines(parts)
    except OSError as error:
        raise MemkitError(f"{file} cannot be written: {error.strerror or error}.") from error
