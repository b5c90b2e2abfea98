"""What there is, or a part of it, written to a file or a folder in one of three formats."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from memkit.errors import BadQuestion, MemkitError, one_of
from memkit.export.lines import lines
from memkit.export.vault import write_vault
from memkit.graph.export import to_graphml
from memkit.publish.options import named, options
from memkit.publish.selection import Selection
from memkit.render import counted, html_table

SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".graphml": "graphml", ".xml": "graphml", "": "markdown"}
CHOICES = ("project", "kind", "slot", "tag", "document", "entity", "since", "until", "sql")


@dataclass(frozen=True)
class ExportReport:
    """What was written: where, in which format, and how many rows of which table, or files of which kind."""

    path: Path
    format: str
    counts: Mapping[str, int]

    @property
    def sentence(self) -> str:
        """What was written, in words."""
        told = ", ".join(counted(count, name) for name, count in self.counts.items() if count)
        return f"{self.path}: {told or 'nothing'}"

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-able values."""
        return {"path": self.path.as_posix(), "format": self.format, "counts": dict(self.counts)}

    def __repr__(self) -> str:
        return f"<ExportReport {self.sentence}>"

    def _repr_html_(self) -> str:
        return html_table(
            f"Exported to {self.path}",
            ("what", "how many"),
            [[name, str(count)] for name, count in self.counts.items()],
        )


def export(conn: Any, path: str | os.PathLike[str], format: str | None, selection: Selection, now: str) -> ExportReport:
    """Writes everything, or the selected memories and what hangs on them, as `jsonl`, `markdown` or `graphml`.

    Without a format the path's ending says it, and a path without one is a folder of notes. A file is replaced only
    when the new one is whole; a folder must be empty. Raises MemkitError for a path or a format that will not do.
    """
    file = Path(path)
    chosen = format or SUFFIXES.get(file.suffix.lower(), file.suffix.lstrip("."))
    if chosen not in FORMATS:
        raise BadQuestion(one_of("format of an export", chosen, FORMATS))
    if not file.absolute().parent.is_dir():
        raise BadQuestion(f"There is no folder {str(file.parent)!r} to write {file.name} into.")
    return ExportReport(file, chosen, FORMATS[chosen](conn, file, selection, now))


def selected(given: Mapping[str, Any]) -> Selection:
    """The selection that keyword arguments make, one value or several each. Raises TypeError for any other one."""
    for name in given:
        if name not in CHOICES:
            raise TypeError(one_of("choice of what to export", name, CHOICES))
    return options("", named(given)).selection


def _write_lines(conn: Any, file: Path, selection: Selection, now: str) -> dict[str, int]:
    counts: Counter[str] = Counter()

    def counted() -> Iterator[str]:
        for table, line in lines(conn, selection, now):
            counts[table] += 1
            yield line + "\n"

    with _as_now(conn):
        _write(file, counted())
    del counts[""]
    return dict(counts)


def _write_graph(conn: Any, file: Path, selection: Selection, now: str) -> dict[str, int]:
    if selection:
        raise BadQuestion("A graph is exported whole. Select memories for the formats jsonl and markdown.")
    text = to_graphml(conn)
    _write(file, [text])
    return {"nodes": text.count("<node "), "edges": text.count("<edge ")}


def _write_notes(conn: Any, folder: Path, selection: Selection, now: str) -> dict[str, int]:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadQuestion(f"{str(folder)!r} is not an empty folder. Give the path of a new one.")
    with _as_now(conn):
        return write_vault(conn, folder, selection, now)


FORMATS: Mapping[str, Callable[[Any, Path, Selection, str], dict[str, int]]] = {
    "jsonl": _write_lines,
    "markdown": _write_notes,
    "graphml": _write_graph,
}


@contextmanager
def _as_now(conn: Any) -> Iterator[None]:
    """Within this block the database is seen as it is at its beginning, whatever others write."""
    if conn.in_transaction:
        yield
        return
    conn.execute("begin")
    try:
        yield
    finally:
        conn.execute("rollback")


def _write(file: Path, parts: Iterable[str]) -> None:
    """A file of these parts, in place of the one before as soon as it is whole."""
    if file.is_dir():
        raise BadQuestion(f"{str(file)!r} is a folder. Give the path of a file.")
    made = None
    try:
        with NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=file.absolute().parent, prefix=f".{file.name}.", delete=False
        ) as stream:
            made = stream.name
            stream.writelines(parts)
        os.replace(made, file)
        made = None
    except OSError as error:
        raise MemkitError(f"{file} cannot be written: {error.strerror or error}.") from error
    finally:
        if made is not None:
            Path(made).unlink(missing_ok=True)
