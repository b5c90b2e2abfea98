"""Facts about the notebooks: they run from a clean kernel and the built wheel, and show what they are saved with."""

from __future__ import annotations

import copy
import json
import re
import runpy
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from difflib import SequenceMatcher
from html import unescape
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = ROOT / "notebooks"
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
ALIKE = 0.85  # the share of words that a saved output has in common with a new one
WITH_WIDGETS = ("01", "02", "03", "04", "05")


@pytest.fixture(scope="module")
def run() -> SimpleNamespace:
    """notebooks/run.py, which is no package."""
    return SimpleNamespace(**runpy.run_path(str(NOTEBOOKS / "run.py")))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in which the wheel is installed, apart from the checkout, for all kernels to come."""
    folder = tmp_path_factory.mktemp("installed")
    backend = "from sys import argv; from hatchling.build import build_wheel; build_wheel(argv[1])"
    subprocess.run([sys.executable, "-c", backend, str(folder)], cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder / "site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder / "site"))
        yield folder / "site"


@pytest.fixture(scope="module")
def executed(run: SimpleNamespace, installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Each notebook as it is after a run outside the checkout, which happens once."""
    import nbformat

    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "notebooks").mkdir()
    (folder / "samples").symlink_to(ROOT / "samples", target_is_directory=True)
    done: dict[Path, Any] = {}

    def of(path: Path) -> Any:
        if path not in done:
            notebook = saved(path)
            notebook.cells.append(nbformat.v4.new_code_cell("import memkit; print(memkit.__file__)"))
            copy = folder / "notebooks" / path.name
            nbformat.write(notebook, copy)
            done[path] = run.executed(copy)
            assert done[path].cells.pop().outputs[0].text.startswith(str(installed))
        return done[path]

    return of


def saved(path: Path) -> Any:
    """The notebook as it lies there."""
    import nbformat

    return nbformat.read(path, as_version=4)


def test_there_are_seven() -> None:
    assert [path.name[:2] for path in PATHS] == ["01", "02", "03", "04", "05", "06", "07"]


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_is_saved_with(path: Path, run: SimpleNamespace, executed: Any) -> None:
    """Nearly the same words in every notebook: times, scores and ids differ, and rankings may a little."""
    now, then = run.told(run.still(copy.deepcopy(executed(path)))), run.told(saved(path))
    assert [len(cell) for cell in now] == [len(cell) for cell in then]
    whole = [[word for cell in cells for shown in cell for word in shown.split()] for cells in (now, then)]
    alike = SequenceMatcher(None, *whole, autojunk=False).ratio()
    assert alike > ALIKE, f"notebooks/{path.name} is out of date: python notebooks/run.py {path.name[:2]}"


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in PATHS if path.name[:2] in WITH_WIDGETS], ids=lambda path: path.stem)
def test_in_a_kernel_a_widget_is_live(path: Path, run: SimpleNamespace, executed: Any) -> None:
    notebook = executed(path)
    state = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"].state
    live = [
        output.data[run.LIVE].model_id
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if run.LIVE in output.get("data", {})
    ]
    assert live
    assert set(live) <= set(state)
    models = {model["model_name"] for model in state.values()}
    assert {"HTMLModel", "VBoxModel"} <= models
    assert models & {"TextModel", "ComboboxModel"}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_saved_notebook_can_be_read_without_a_kernel(path: Path) -> None:
    notebook = saved(path)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = [output for cell in code for output in cell.outputs]
    assert not [output for output in shown if output.output_type == "error"]
    assert code[-1].outputs or code[-2].outputs
    assert "widgets" not in notebook.metadata
    for output in shown:
        if output.output_type in ("execute_result", "display_data"):
            assert "text/plain" in output.data
            assert not re.search(r"<script|https?://(?!www\.w3\.org)", output.data.get("text/html", ""))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_begins_with_what_its_reader_will_have(path: Path) -> None:
    first = saved(path).cells[0]
    assert first.cell_type == "markdown"
    assert first.source.startswith("# ")
    assert "At the end of this page you" in first.source


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_no_notebook_opens_a_second_sqlite(path: Path) -> None:
    source = "\n".join(cell.source for cell in saved(path).cells if cell.cell_type == "code")
    assert not re.search(r"\bsqlite3\b|read_sql|api_key|get_key", source)


def test_notebooks_lead_to_one_another() -> None:
    for path, following in pairwise(PATHS):
        assert f"]({following.name})" in json.loads(path.read_text("utf-8"))["cells"][-1]["source"][-1]


@pytest.fixture(scope="module")
def exporter() -> Any:
    """What `nbconvert --to html` does."""
    return pytest.importorskip("nbconvert").HTMLExporter()


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_as_html_shows_every_result(path: Path, exporter: Any) -> None:
    page, _ = exporter.from_filename(str(path))
    said = words(page)
    results = [output for cell in saved(path).cells for output in cell.get("outputs", ())]
    assert results
    for output in results:
        data = output.get("data", {})
        if "text/html" in data:
            assert words(data["text/html"]) in said
        elif "image/png" in data:
            assert "".join(data["image/png"].split()) in page
        else:
            assert " ".join((data["text/plain"] if data else output.text).split()) in said


def words(html: str) -> str:
    """What a page says, without its tags and styles."""
    shown = re.sub(r"<(style|script)\b.*?</\1>", "", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", shown)).split())
