"""The widgets in a real JupyterLab, with a real browser, by keyboard. Skipped where one of them is not installed."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SAMPLES = Path(__file__).parent.parent / "samples"
CELLS = (
    """
from memkit import MemoryDatabase
from memkit.widgets import GraphView, RecallBox, StrategyLab
db = MemoryDatabase()
db.ingest([f"samples/{name}" for name in ("notes", "chats", "facts.jsonl", "relations.jsonl")])
box = RecallBox(db, k=3)
box""",
    'lab = StrategyLab(db, question="who planted the quince?", k=3)\nlab',
    'view = GraphView(db, "Otto")\nview',
    'print("KEPT", box.found.question, "|", lab.strategy.summary, "|", view.selected.name)',
)

pytestmark = pytest.mark.slow


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """The address of a JupyterLab with one notebook."""
    pytest.importorskip("jupyterlab")
    pytest.importorskip("anywidget")
    nbformat = pytest.importorskip("nbformat").v4
    cells = [nbformat.new_code_cell(source.strip()) for source in CELLS]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = nbformat.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    (tmp_path / "asking.ipynb").write_text(nbformat.writes(notebook), "utf-8")
    (tmp_path / "samples").symlink_to(SAMPLES.resolve())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--allow-root", "--no-browser", f"--port={port}"]
    command += ["--IdentityProvider.token=", f"--ServerApp.root_dir={tmp_path}", "--LabApp.news_url="]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        for _ in range(120):
            time.sleep(0.5)
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=5).close()
                break
            except OSError:
                continue
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_a_person_types_turns_a_knob_and_walks_by_keyboard_and_nothing_leaves_the_machine(lab: str) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    expect = playwright.expect
    expect.set_options(timeout=30_000)
    elsewhere: list[str] = []
    own = re.compile(rf"(http|ws)://{re.escape(lab[7:])}|data:|blob:")
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1250, "height": 1100})
        page.set_default_timeout(90_000)
        page.on("request", lambda request: None if own.match(request.url) else elsewhere.append(request.url))
        page.goto(f"{lab}/lab/tree/asking.ipynb?reset", wait_until="domcontentloaded")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_timeout(4000)
        if (dialog := page.locator(".jp-Dialog button.jp-mod-accept")).count():
            dialog.first.click()
        page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]")  # there is a kernel
        page.get_by_role("menuitem", name="Run", exact=True).first.click()
        page.get_by_text("Run All Cells", exact=True).first.click()
        cells = page.locator(".jp-Cell")

        page.get_by_label("Question").first.click()
        page.keyboard.type("who planted the quince?", delay=30)
        page.wait_for_selector("mark")

        cells.nth(1).get_by_label("Knobs of").select_option("Meaning")
        handle = cells.nth(1).locator(".widget-vbox .widget-vbox .noUi-handle:visible").first
        handle.focus()
        for _ in range(10):
            page.keyboard.press("ArrowRight")

        cells.nth(2).get_by_role("button", name="Alice", exact=True).first.focus()
        page.keyboard.press("Enter")
        middle = cells.nth(2).locator("svg [data-entity]").first
        expect(middle).to_contain_text("Alice")
        cells.nth(2).locator("svg [data-entity]", has_text="Rosa").focus()
        page.keyboard.press("Enter")
        expect(middle).to_contain_text("Rosa")
        expect(middle).to_be_focused()
        cells.nth(2).locator("svg [data-entity]", has_text="Quince Yard").locator("circle").first.click()
        expect(middle).to_contain_text("Quince Yard")

        cells.nth(3).locator(".jp-InputArea").click()
        page.keyboard.press("Shift+Enter")
        expect(cells.nth(3)).to_contain_text(
            "KEPT who planted the quince? | memkit, with vector.weight 0.8 | Quince Yard"
        )
        browser.close()
    assert elsewhere == []
