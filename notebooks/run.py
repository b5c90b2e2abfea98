"""Runs the notebooks and keeps their outputs: `python notebooks/run.py [NAME ...]` (all of them if none is named).

What is kept is what can be read without a kernel: widgets leave the plain HTML of their last answer.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
NOTEBOOKS = sorted(HERE.glob("0*.ipynb"))
LIVE = "application/vnd.jupyter.widget-view+json"
SECONDS = 300  # for one cell, on a busy machine

# What may differ between two runs: numbers (times, scores), ids, and where a file lies.
_CHANGING = re.compile(r"\b[0-9a-hjkmnp-tv-z]{10}\b|[-+]?\d[\d.,]*(?:e-?\d+)?|0x[0-9a-f]+|\s+")
_SHOWN = ("text/plain", "text/markdown")


def executed(path: Path) -> Any:
    """The notebook, run from a clean kernel in its own folder, widgets live. Raises what a cell raises."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    return notebook


def still(notebook: Any) -> Any:
    """The notebook without what needs a kernel, or changes with every run and says nothing."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not _is_noise(output)]
            for output in cell.outputs:
                output.get("data", {}).pop(LIVE, None)
    return notebook


def _is_noise(output: Any) -> bool:
    """Whether it is a warning, or the place of a progress bar that is done."""
    if output.output_type == "stream":
        return bool(output.name == "stderr")
    return output.output_type == "display_data" and output.data == {"text/plain": ""}


def told(notebook: Any) -> list[list[str]]:
    """What each code cell shows, as words: without numbers, ids and layout."""
    return [[_words(output) for output in cell.outputs] for cell in notebook.cells if cell.cell_type == "code"]


def _words(output: Any) -> str:
    if output.output_type == "stream":
        shown = output.text
    elif output.output_type == "error":
        shown = f"{output.ename}: {output.evalue}"
    else:
        shown = next((output.data[kind] for kind in _SHOWN if kind in output.data), "")
    return _CHANGING.sub(" ", shown).strip()


def main(names: list[str]) -> None:
    """Runs the notebooks whose file begins with one of the names, and writes them back."""
    for path in NOTEBOOKS:
        if not names or any(path.name.startswith(name) for name in names):
            nbformat.write(still(executed(path)), path)


if __name__ == "__main__":
    main(sys.argv[1:])
