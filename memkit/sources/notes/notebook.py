"""Jupyter notebook loader: Markdown cells as passages, code cells with the beginning of their output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import DocumentDraft, Draft, Failure
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.json_file import load_json
from memkit.sources.notes.page_title import first_heading
from memkit.sources.options import ReadOptions
from memkit.sources.values import clean, readable
from memkit.text.chunking import LONGEST_CODE, parts, passages

Cell = dict[str, Any]

LONGEST_OUTPUT = 400  # characters
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | DocumentDraft | Failure]:
    """The cells of a notebook in order, or its document if all are empty.

    The `source_id` of a cell is the name of the notebook and the id (or number) of the cell.
    """
    cells = _cells(load_json(whole(path, options), options.limits))
    title = _title(cells) or path.stem
    document = DocumentDraft(source=path.as_posix(), kind="notebook", title=title, project=options.project)
    yield from list(_drafts(cells, document, name, options)) or [document]


def _drafts(
    cells: list[Cell], document: DocumentDraft, name: str, options: ReadOptions
) -> Iterator[Draft | DocumentDraft | Failure]:
    heading = ""
    for number, cell in enumerate(cells, 1):
        source_id = clean(f"{name}#{cell.get('id') or number}")
        try:
            found = list(_pieces(cell, options.max_tokens))
        except ValueError as error:
            yield Failure(document.source, f"cell {number} {error}")
            continue
        for text, above in found:
            heading = above or heading
            about = {"cell": number, "cell_type": clean(str(cell.get("cell_type"))), "heading": heading}
            yield Draft(
                text=text,
                document=document,
                source_id=source_id,
                title=document.title,
                project=options.project,
                meta=about,
            )


def _cells(found: Any) -> list[Cell]:
    if not isinstance(found, dict) or not isinstance(found.get("cells"), list):
        raise ValueError("not a notebook of format 4 (no 'cells'). Run: jupyter nbconvert --to notebook --nbformat 4")
    return [cell for cell in found["cells"] if isinstance(cell, dict)]


def _title(cells: list[Cell]) -> str | None:
    first = next((cell for cell in cells if cell.get("cell_type") == "markdown"), {})
    title = first_heading(_joined(first.get("source")))
    return clean(title) if title else None


def _pieces(cell: Cell, max_tokens: int) -> Iterator[tuple[str, str]]:
    """The texts of a cell, each with its heading; an empty heading means that the previous one still applies."""
    source = readable(_joined(cell.get("source")))
    if cell.get("cell_type") != "code":
        for span in passages(source, max_tokens=max_tokens):
            yield source[span.start : span.end], " > ".join(span.headings)
    elif source.strip():
        printed = _printed(cell.get("outputs"))
        *before, last = parts(source.strip(), LONGEST_CODE)
        yield from ((part, "") for part in before)
        yield (f"{last}\n\nOutput:\n{printed}" if printed else last), ""


def _printed(outputs: object) -> str:
    """The output of a code cell as text, at most LONGEST_OUTPUT characters."""
    texts = [_output(output) for output in outputs if isinstance(output, dict)] if isinstance(outputs, list) else []
    text = clean(_ANSI.sub("", "\n".join(text.strip() for text in texts if text.strip())))
    return text if len(text) <= LONGEST_OUTPUT else text[: LONGEST_OUTPUT - 1].rstrip() + "…"


def _output(output: dict[str, Any]) -> str:
    if output.get("output_type") == "stream":
        return _joined(output.get("text"))
    if output.get("output_type") == "error":
        return f"{output.get('ename')}: {output.get('evalue')}"
    data = output.get("data")
    return _joined(data.get("text/plain")) if isinstance(data, dict) else ""


def _joined(source: object) -> str:
    """The text of a notebook's value, which is one string or a list of lines."""
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


FORMAT = Format("notebook", "Jupyter notebooks", read, lambda sample: sample.has_keys("cells"), ("*.ipynb", "*.json"))
