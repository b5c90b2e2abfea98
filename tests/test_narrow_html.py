"""What widgets and reports show fits into a narrow cell of a notebook: nothing stands out, whatever memories say."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from memkit import MemoryDatabase
from memkit.widgets import CompareBox, ContextPreview, GraphView, ProposalBox, RecallBox, StrategyLab, Timeline

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")

WIDTH = 400  # of a cell's output where JupyterLab's window has 520 pixels
LINK = "https://example.org/" + "a-long-way/" * 9 + "x" * 70
QUESTION = "what does the quince want?"

# A page around HTML as ipywidgets has it: its lines have the height of an input.
PAGE = """<body style="margin:0"><div id="cell" style="width:{}px;line-height:28px">{}</div></body>"""
STANDS_OUT = """() => {
  const right = document.getElementById("cell").getBoundingClientRect().right + 1;
  const scrolls = (one) => one.parentElement.closest("pre, [role=region]");
  return [...document.querySelectorAll("#cell *")]
    .filter((one) => one.getBoundingClientRect().right > right && !scrolls(one))
    .map((one) => `${one.tagName} ${one.getBoundingClientRect().right - right} ${one.outerHTML.slice(-120)}`);
}"""
SMALLEST = '() => Math.min(...[...document.querySelectorAll("text")].map((one) => one.getBoundingClientRect().height))'
LINE = """() => {
  const style = getComputedStyle(document.querySelector("td, li, p, label"));
  return parseFloat(style.lineHeight) / parseFloat(style.fontSize);
}"""


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    """A page of a browser."""
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": 1000, "height": 900})
        browser.close()


@pytest.fixture(scope="module")
def links() -> Iterator[MemoryDatabase]:
    """A database whose memories have links that no line can hold."""
    with MemoryDatabase() as db:
        for n in range(4):
            text = f"The quince wants water, says {LINK}{n} in its tenth chapter, and so does Rosa."
            db.remember(text, title=f"Quince {n}", happened_at=f"2025-0{n + 1}-04T17:45:00Z", kind="fact")
        for n in range(2):
            db.remember(f"Rosa has {LINK} pinned to the quince{'.' * n}", kind="preference")
        db.relate("Rosa", "lives_in", "Quince Yard", valid_from="2024-01-01")
        db.relate("Rosa", "sister_of", "Theo")
        db.maintain(only=["propose"])
        yield db


SHOWN = {
    "recall": lambda db: RecallBox(db, QUESTION).out.value,
    "table": lambda db: RecallBox(db, QUESTION, view="table").still,
    "lab": lambda db: StrategyLab(db, question=QUESTION).out.value,
    "compare": lambda db: CompareBox(db, "kira", "memkit", question=QUESTION).out.value,
    "graph": lambda db: GraphView(db, "Rosa", goal="Theo").still,
    "timeline": lambda db: Timeline(db).out.value,
    "context": lambda db: ContextPreview(db, QUESTION, budget=300).out.value,
    "proposal": lambda db: ProposalBox(db).out.value,
    "about": lambda db: db.about("Rosa")._repr_html_(),
    "found": lambda db: db.recall(QUESTION)._repr_html_(),
    "told": lambda db: db.context(QUESTION)._repr_html_(),
    "info": lambda db: db.info()._repr_html_(),
}


@pytest.mark.parametrize("name", SHOWN)
def test_nothing_stands_out_of_a_narrow_cell(name: str, page: Any, links: MemoryDatabase) -> None:
    html = SHOWN[name](links)
    assert html.count(" ") > 20
    page.set_content(PAGE.format(WIDTH, html))
    assert page.evaluate(STANDS_OUT) == []


@pytest.mark.parametrize("name", ["timeline", "context", "proposal", "graph"])
def test_the_lines_of_an_answer_are_as_near_to_each_other_as_in_a_text(
    name: str, page: Any, links: MemoryDatabase
) -> None:
    box = {"timeline": Timeline, "context": ContextPreview, "proposal": ProposalBox, "graph": GraphView}[name](links)
    page.set_content(PAGE.format(WIDTH, box.out.value))
    assert page.evaluate(LINE) < 1.6


def test_a_timeline_can_be_read_in_a_narrow_cell(page: Any, links: MemoryDatabase) -> None:
    page.set_content(PAGE.format(WIDTH, Timeline(links).out.value))
    assert page.evaluate(SMALLEST) >= 12
    page.set_content(PAGE.format(900, Timeline(links).out.value))
    assert page.evaluate(SMALLEST) >= 12


LINES_OF_IDS = """() => [...document.querySelectorAll("tbody tr > td:last-child")].map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return range.getClientRects().length;
})"""


def test_dates_and_ids_are_not_broken(page: Any, links: MemoryDatabase) -> None:
    page.set_content(PAGE.format(260, Timeline(links).out.value))
    days = '[...document.querySelectorAll("tbody tr > td:first-child")].map((one) => one.firstElementChild)'
    assert page.evaluate(f"() => {days}.map((one) => one.innerText)")[:4] == [f"2025-0{n}-04" for n in range(1, 5)]
    assert set(page.evaluate(f"() => {days}.map((one) => one.getClientRects().length)")) == {1}
    assert set(page.evaluate(LINES_OF_IDS)) == {1}
