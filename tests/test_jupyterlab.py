"""The widgets in a real JupyterLab and Notebook, with a real browser. Skipped where one of them is not installed."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from memkit.widgets.timeline_drawing import LEFT, RIGHT
from memkit.widgets.tooltips import TOOLTIPS

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

EVERY_WIDGET = (
    """
from memkit import MemoryDatabase
from memkit.widgets import *
db = MemoryDatabase()
db.ingest([f"samples/{name}" for name in ("notes", "facts.jsonl", "relations.jsonl")])
for _ in range(2):
    db.remember("Otto likes figs a lot.", kind="preference")
db.maintain(only=["propose"])
RecallBox(db, k=3)""",
    'StrategyLab(db, question="who planted the quince?", k=3)',
    'CompareBox(db, "kira", "memkit", question="who planted the quince?", k=3)',
    'GraphView(db, "Otto")',
    "Timeline(db)",
    'ContextPreview(db, "who planted the quince?")',
    "ProposalBox(db)",
)

# What each of them shows at the end: words that a viewer of HTML shows as well, scripts and styles or not.
ASKED = "who planted the quince?"
PLANTED = "Rosa planted the quince in 2019"
SHOWN_LAST = (
    (f"RecallBox '{ASKED}': 3 found", PLANTED),
    (f"StrategyLab memkit; '{ASKED}'", PLANTED),
    (f"CompareBox '{ASKED}': kira 3, memkit 3", PLANTED),
    ("Otto", "Kira", "Quince Yard"),
    ("Timeline ", " facts"),
    (f"ContextPreview '{ASKED}'", "<memkit-context>", PLANTED),
    ("ProposalBox 2 to decide", "Otto likes figs a lot."),
)
PICTURES = os.environ.get("MEMKIT_PICTURES", "")  # a folder for pictures of the notebook that was opened again

A_TABLE = (
    """
from memkit import MemoryDatabase
from memkit.widgets import RecallBox
db = MemoryDatabase()
db.ingest([f"samples/{name}" for name in ("notes", "chats", "facts.jsonl")])
box = RecallBox(db, "who planted the quince?", k=8, view="table")
box""",
    'print("KEPT", box.selected.ids == [box.found.ids[1]], box.table.sort, box.table.descending)',
)

# What stands out of its widget on the right.
CLIPPED = """() => [...document.querySelectorAll(".jp-OutputArea-output > .widget-vbox")].flatMap((widget) => {
  const right = widget.getBoundingClientRect().right;
  return [...widget.querySelectorAll("input, select, textarea, button, .widget-readout, svg, table, p, li")]
    .filter((one) => one.getBoundingClientRect().width && one.getBoundingClientRect().right > right + 1)
    .map((one) => one.outerHTML.slice(0, 200));
})"""

# What a slider says beside itself and does not show in full.
CUT_SHORT = """() => [...document.querySelectorAll(".widget-vbox .widget-readout")]
  .filter((one) => one.getBoundingClientRect().width && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 200))"""

# Words that stand on two lines in the cell with a ContextPreview, though one line has room for them.
BROKEN = """() => {
  const cell = document.querySelectorAll(".jp-Cell")[5].querySelector(".widget-vbox");
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const broken = [];
  while (texts.nextNode()) {
    for (const { 0: word, index } of texts.currentNode.data.matchAll(/[\\p{L}\\p{N}]{2,20}/gu)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      if (new Set([...range.getClientRects()].map((one) => Math.round(one.top))).size > 1) broken.push(word);
    }
  }
  return broken;
}"""

# What can be moved or written in and has no name that a screen reader could say.
NAMELESS = """() => [...document.querySelectorAll(".widget-vbox :is([role=slider], [contenteditable=true])")]
  .filter((one) => one.getBoundingClientRect().width && !one.ariaLabel)
  .map((one) => one.outerHTML.slice(0, 200))"""

# How far, in pixels, the handles of a timeline's slider are from the ends of its axis.
OFF_THE_AXIS = """([left, right]) => {
  const cell = document.querySelectorAll(".jp-Cell")[4];
  const { x, width } = cell.querySelector(".widget-vbox svg").getBoundingClientRect();
  const ends = [x + width * left / 100, x + width * (100 - right) / 100];
  return [...cell.querySelectorAll(".noUi-handle")].map((one, n) => {
    const handle = one.getBoundingClientRect();
    return Math.abs(handle.x + handle.width / 2 - ends[n]);
  });
}"""

# The height of the smallest name in a graph that is seen, in pixels.
SMALLEST_NAME = """() => Math.min(...[...document.querySelectorAll(".widget-vbox svg")]
  .filter((one) => one.viewBox.baseVal && one.getBoundingClientRect().width && one.querySelector("[data-entity]"))
  .map((one) => one.getAttribute("font-size") * one.getBoundingClientRect().width / one.viewBox.baseVal.width))"""

pytestmark = pytest.mark.slow


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """The address of a JupyterLab with one notebook."""
    with served(tmp_path, "jupyterlab", CELLS) as address:
        yield address


@contextmanager
def served(tmp_path: Path, program: str, sources: Sequence[str]) -> Iterator[str]:
    """The address of a program of Jupyter with one notebook of these cells."""
    pytest.importorskip(program)
    pytest.importorskip("anywidget")
    nbformat = pytest.importorskip("nbformat").v4
    cells = [nbformat.new_code_cell(source.strip()) for source in sources]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = nbformat.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    (tmp_path / "asking.ipynb").write_text(nbformat.writes(notebook), "utf-8")
    (tmp_path / "samples").symlink_to(SAMPLES.resolve())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", program, "--allow-root", "--no-browser", f"--port={port}"]
    command += ["--IdentityProvider.token=", f"--ServerApp.root_dir={tmp_path}", "--LabApp.news_url="]
    command += ["--ServerApp.disable_check_xsrf=True"]  # a test ends the kernel from outside
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
    expect.set_options(timeout=120_000)
    elsewhere: list[str] = []
    own = re.compile(rf"(http|ws)://{re.escape(lab[7:])}|data:|blob:")
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1250, "height": 1100})
        page.set_default_timeout(240_000)  # of a busy machine
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
        handle = cells.nth(1).get_by_role("slider", name="weight").locator("visible=true")
        expect(handle).to_have_attribute("aria-description", TOOLTIPS["weight"])
        handle.focus()
        for _ in range(10):
            page.keyboard.press("ArrowRight")
        expect(handle).to_have_attribute("aria-valuetext", "0.80")

        assert page.evaluate(NAMELESS) == []
        cells.nth(2).get_by_role("button", name="Alice", exact=True).first.focus()
        page.keyboard.press("Enter")
        middle = cells.nth(2).locator(".widget-vbox svg [data-entity]:visible").first
        expect(middle).to_contain_text("Alice")
        cells.nth(2).locator(".widget-vbox svg [data-entity]:visible", has_text="Rosa").focus()
        page.keyboard.press("Enter")
        expect(middle).to_contain_text("Rosa")
        expect(middle).to_be_focused()
        cells.nth(2).locator(".widget-vbox svg [data-entity]:visible", has_text="Quince Yard").locator(
            "circle"
        ).first.click()
        expect(middle).to_contain_text("Quince Yard")

        cells.nth(3).locator(".jp-InputArea").click()
        page.keyboard.press("Shift+Enter")
        expect(cells.nth(3)).to_contain_text(
            "KEPT who planted the quince? | memkit, with vector.weight 0.8 | Quince Yard"
        )
        browser.close()
    assert elsewhere == []


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize(
    ("program", "address"), [("jupyterlab", "/lab/tree/asking.ipynb?reset"), ("notebook", "/notebooks/asking.ipynb")]
)
def test_a_saved_notebook_shows_what_it_showed_last_and_comes_to_life_cell_by_cell(
    program: str, address: str, tmp_path: Path
) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    expect = playwright.expect
    with served(tmp_path, program, EVERY_WIDGET) as host, playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = opened(browser, host + address)
        menu(page, "Run", "Run All Cells")
        page.locator(".widget-vbox", has_text="to decide").first.wait_for()
        page.get_by_label("Question").first.click()
        page.keyboard.type("who planted the quince?", delay=30)
        page.wait_for_selector("mark")
        assert [shown(page, n) for n in range(len(EVERY_WIDGET))] == ["live"] * len(EVERY_WIDGET)
        assert page.evaluate(CUT_SHORT) == []
        assert page.evaluate(NAMELESS) == []
        if program == "jupyterlab":
            upper = page.get_by_role("slider", name="Span, to")
            last = upper.get_attribute("aria-valuetext") or ""
            upper.press("ArrowLeft")
            expect(upper).to_have_attribute("aria-valuetext", re.compile(rf"^(?!{last})\d{{4}}-\d\d-\d\d$"))
            upper.press("ArrowRight")
            expect(upper).to_have_attribute("aria-valuetext", last)
            page.locator(".jp-SideBar .lm-TabBar-tab.lm-mod-current").first.click()  # closes the list of files
        page.set_viewport_size({"width": 520, "height": 1100})
        page.wait_for_timeout(1000)
        assert page.evaluate(CLIPPED) == []
        assert page.evaluate(CUT_SHORT) == []
        assert page.evaluate(BROKEN) == []
        assert 10 < page.evaluate(SMALLEST_NAME) < 20
        assert max(page.evaluate(OFF_THE_AXIS, [LEFT, RIGHT])) < 5
        page.set_viewport_size({"width": 1250, "height": 1100})
        page.wait_for_timeout(1000)
        menu(page, "File", "Save Notebook")
        page.wait_for_timeout(3000)
        page.close()
        with urllib.request.urlopen(f"{host}/api/sessions") as sessions:
            for one in json.load(sessions):
                kernel = f"{host}/api/sessions/{one['id']}"
                urllib.request.urlopen(urllib.request.Request(kernel, method="DELETE")).close()

        page = opened(browser, host + address)
        assert [shown(page, n) for n in range(len(EVERY_WIDGET))] == ["html"] * len(EVERY_WIDGET)
        assert shown(page, 0) == "html"  # and again in view: the texts of other cells are not drawn
        page.set_viewport_size({"width": 1000, "height": 2000})  # room for the largest
        for n, words in enumerate(SHOWN_LAST):
            still = page.locator(".jp-Cell").nth(n).locator(".memkit-still")
            still.scroll_into_view_if_needed()
            assert all(word in still.inner_text() for word in words), still.inner_text()
            assert colours(still.screenshot(path=PICTURES and f"{PICTURES}/{program}-{n}.png")) > 20
        assert page.locator("mark:visible").count()
        page.locator(".jp-Cell .jp-InputArea-editor").first.click()
        page.keyboard.press("Shift+Enter")
        page.locator(".jp-Cell").first.locator(".widget-vbox").first.wait_for()
        assert [shown(page, n) for n in range(len(EVERY_WIDGET))] == ["live", *["html"] * (len(EVERY_WIDGET) - 1)]
        page.close()

        for rendered in (by_nbconvert, by_github):
            (tmp_path / "page.html").write_text(rendered(tmp_path / "asking.ipynb"), "utf-8")
            page = browser.new_context(java_script_enabled=False, offline=True).new_page()
            page.goto(f"file://{tmp_path}/page.html", wait_until="domcontentloaded")
            stills = page.locator(".jp-RenderedHTML > div")
            assert stills.count() == len(SHOWN_LAST)
            for still, words in zip(stills.all(), SHOWN_LAST, strict=True):
                assert all(word in still.inner_text() for word in words), still.inner_text()
            assert "model not found" not in page.inner_text("body").lower()
        browser.close()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_a_person_sorts_filters_opens_and_selects_in_the_table_of_hits(tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    expect = playwright.expect
    expect.set_options(timeout=120_000)
    with served(tmp_path, "jupyterlab", A_TABLE) as host, playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = opened(browser, f"{host}/lab/tree/asking.ipynb?reset")
        menu(page, "Run", "Run All Cells")
        table = page.locator(".widget-vbox .memkit-hits").first
        expect(table.get_by_role("status")).to_have_text("8 of 8 hits, 0 selected")
        table.get_by_role("button", name="when", exact=True).click()
        expect(table.get_by_role("columnheader", name="when")).to_have_attribute("aria-sort", "descending")
        first = table.locator("[data-row]").first
        expect(first).to_contain_text("2025-10-26")
        first.locator("td").nth(2).click()  # anywhere in a row
        expect(table.get_by_role("region")).to_contain_text("Source: ")

        second = table.get_by_label("Choose hit 2")
        second.focus()
        page.keyboard.press("Space")
        expect(table.get_by_role("status")).to_have_text("8 of 8 hits, 1 selected")
        expect(second).to_be_focused()  # though the table was drawn again
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(table.locator('[aria-expanded="true"]')).to_be_focused()
        page.get_by_role("textbox", name="Filter").fill("2025")
        expect(table.get_by_role("status")).to_have_text("4 of 8 hits, 1 selected")

        page.locator(".jp-Cell").nth(1).locator(".jp-InputArea").click()
        page.keyboard.press("Shift+Enter")
        expect(page.locator(".jp-Cell").nth(1)).to_contain_text("KEPT True when True")
        browser.close()


def opened(browser: Any, address: str) -> Any:
    """A page with a notebook that has a kernel."""
    page = browser.new_page(viewport={"width": 1250, "height": 1100})
    page.set_default_timeout(240_000)  # of a busy machine
    page.goto(address, wait_until="domcontentloaded")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    page.wait_for_timeout(5000)
    if (dialog := page.locator(".jp-Dialog button.jp-mod-accept")).count():
        dialog.first.click()
    page.add_style_tag(content=".Toastify { display: none; }")  # Jupyter's news, which may lie over a widget
    return page


def menu(page: Any, name: str, item: str) -> None:
    """Chooses an item of a menu."""
    page.get_by_role("menuitem", name=name, exact=True).first.click()
    page.get_by_text(item).first.click()


def by_nbconvert(notebook: Path) -> str:
    """The page that `nbconvert --to html` makes of a notebook."""
    page: str = pytest.importorskip("nbconvert").HTMLExporter().from_filename(str(notebook))[0]
    return page


def by_github(notebook: Path) -> str:
    """The HTML of each output by the rules of GitHub: elements of text and tables, without styles and scripts."""
    made = []
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        for output in cell["outputs"]:
            if html := output.get("data", {}).get("text/html"):
                sanitizer = Sanitizer()
                sanitizer.feed("".join(html))
                made.append(f'<section class="jp-RenderedHTML"><div>{"".join(sanitizer.left)}</div></section>')
    return f"<!doctype html><meta charset=utf-8>{''.join(made)}"


class Sanitizer(HTMLParser):
    """Leaves the elements that GitHub allows, without attributes, and the words of the others."""

    ALLOWED = frozenset(
        "h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p ol ul table thead tbody tfoot "
        "blockquote dl dt dd kbd q samp var hr ruby rt rp li tr td th s strike summary details caption figure "
        "figcaption abbr bdo cite dfn mark small span time wbr".split()
    )
    HIDDEN = ("script", "style")

    def __init__(self) -> None:
        super().__init__()
        self.left: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.hidden += tag in self.HIDDEN
        self.left += [f"<{tag}>"] if tag in self.ALLOWED else []

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in self.HIDDEN
        self.left += [f"</{tag}>"] if tag in self.ALLOWED else []

    def handle_data(self, data: str) -> None:
        self.left += [escape(data)] if not self.hidden else []


def colours(picture: bytes) -> int:
    """How many colours a picture has: one or two, if nothing is to be seen."""
    image = pytest.importorskip("PIL.Image")
    return len(image.open(io.BytesIO(picture)).convert("RGB").getcolors(1 << 24))


def shown(page: Any, n: int) -> str:
    """What is seen of the outputs of a cell: `live` (a widget), `html` (what was saved), `error`, or several."""
    cell = page.locator(".jp-Cell").nth(n)
    cell.scroll_into_view_if_needed()
    cell.locator(".memkit-still").first.wait_for(state="attached")
    page.wait_for_timeout(500)
    kinds = {"live": ".widget-vbox", "html": ".memkit-still", "error": "text=model not found"}
    return " ".join(kind for kind, where in kinds.items() if cell.locator(where).locator("visible=true").count())
