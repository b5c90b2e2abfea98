"""A person at the pages, in Chromium: asks, follows a name, walks the graph by keyboard, takes the SQL along.

Every test is one walk. It looks at the pages on its way in four windows, wide and narrow, light and dark: what has to
be seen is seen there, and what is clicked can be clicked there (`looks_right`, `click`). It runs on Datasette 0.65
and 1.0. Skipped where playwright or Chromium is missing; `.ci/browser` installs both.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from datasettes import SAMPLES, build_demo

from memkit import MemoryDatabase
from memkit.frontends.datasette.compat import IS_1
from memkit.frontends.datasette.connected_page import connected
from memkit.frontends.datasette.maintenance_page import feedback
from memkit.frontends.datasette.routes import ROUTES
from memkit.frontends.datasette.saved_page import save, unsave
from memkit.frontends.datasette.tables import FOR_MACHINES, VIEWS_FOR_MACHINES

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]

SERVER = """
import asyncio, sys, uvicorn
import memkit.storage.driver
from datasette.app import Datasette
from datasette.plugins import pm
from memkit.frontends import datasette as datasette_plugin
if not pm.is_registered(datasette_plugin):
    pm.register(datasette_plugin, name="memkit")
served = Datasette([sys.argv[1]])
served.root_enabled = True
loop = asyncio.new_event_loop()
loop.run_until_complete(served.invoke_startup())
print(served.sign({"a": {"id": "root"}}, "actor"), flush=True)
uvicorn.run(served.app(), host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
"""
# Addresses of every page of memkit's, the ids as names in braces; a test holds them against the routes.
PAGES = (
    "/recall?q=What+is+the+capital+of+Mongolia%3F",
    "/demo/-/recall?q=quince&since=never",
    "/demo/-/recall",
    "/demo/-/recall?q=who+planted+the+quince%3F&budget=500",
    "/demo/-/recall?q=quince&compare=engram&has=kind:passage",
    "/demo/-/entity/Jordann",
    "/demo/-/entity/Rosa",
    "/demo/-/entity/{mover}",
    "/demo/-/memory/{passage}",
    "/demo/-/memory/{turn}",
    "/demo/-/memory/{forgotten}",
    "/demo/-/document/{note}",
    "/demo/-/document/{chat}?memory={turn}",
    "/demo/-/time",
    "/demo/-/time/2025-03",
    "/demo/-/graph?from=Alice&to=quince",
    "/demo/-/graph?kind=person&undated=1",
    "/demo/-/remember",
    "/demo/-/forget/{passage}",
    "/demo/-/bring-back/{forgotten}",
    "/demo/-/correct/{passage}",
    "/demo/-/merge",
    "/demo/-/merge?kept=Rosa&merged=Hana+Mori",
    "/demo/-/unmerge/Rosa",
    "/demo/-/maintenance",
    "/demo/-/sources",
)
REFUSED = {"/demo/-/recall?q=quince&since=never": 400, "/demo/-/entity/Jordann": 404}
# Views that show no page of their own: they lead back to one, or are Datasette's.
PAGELESS = {feedback, save, unsave, connected}
ROUTED = {
    pattern: [path for path in PAGES if re.match(pattern, path.partition("?")[0])]
    for pattern, view in ROUTES
    if "(?:\\.(?P<format>" in pattern and view not in PAGELESS
}
ONE_OF_EACH = [paths[-1] for paths in ROUTED.values() if paths]
WIDTHS = {"wide": 1280, "narrow": 390}
AXE = Path(__file__).parent.parent / ".browser" / "package" / "axe.min.js"
QUERY = "/demo/-/query?sql=select+1" if IS_1 else "/demo?sql=select+1"
DATASETTES = ("/", "/demo", "/demo/memories", "/demo/memories/1", QUERY)
# A vault with a picture, a table and code, as people write them.
NOTE = """---
tags: [kitchen]
---
# Marmelo paste

![The pot](/img/pot.png) By [[Rosa]].

| part | weight |
|---|---|
| marmelo | 2 kg |

```python
if marmelo_ripe:
    boil()
```
"""
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A database with something to decide and something forgotten, and the ids that PAGES name."""
    folder = tmp_path_factory.mktemp("browser")
    path = build_demo(folder / "demo.db")
    for name, content in {".obsidian/app.json": b"{}", "img/pot.png": PNG, "notes/Paste.md": NOTE.encode()}.items():
        (folder / "vault" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "vault" / name).write_bytes(content)
    with MemoryDatabase(path) as memory:
        memory.ingest(folder / "vault" / "notes")
        memory.remember("I live in Leeds.", happened_at="2023-01-10")
        memory.remember("We finally moved last week.", happened_at="2023-06-05")
        memory.remember("The first figs were ripe.", happened_at=f"2020-{datetime.now(timezone.utc):%m-%d}")
        memory.maintain(only=["propose"])
        memory.add_source(SAMPLES / "notes", project="garden")
        memory.sync()
        memory.add_source(SAMPLES / "chats")
        passage = memory.recall("who planted the quince?", kinds=["passage"])[0].memory.id
        turn = memory.recall("How much pectin for the paste?", kinds=["turn"])[0].memory.id
        documents = {kind: memory.surroundings(id).document for kind, id in (("note", passage), ("chat", turn))}
        gone = memory.forget(memory.remember("The old ladder stands behind the shed.", project="garden").id).id
        for name in ("Marmelo Credential", "Marmelo Credentials"):
            memory.relate(name, "knows", "Rosa")
        mover = memory.about("Leeds").history[0].subject_id
    ids = {kind: document["id"] for kind, document in documents.items() if document}
    return path, {**ids, "passage": passage, "turn": turn, "forgotten": gone, "mover": mover}


@pytest.fixture(scope="module")
def server(demo: tuple[Path, dict[str, str]]) -> Iterator[tuple[str, str]]:
    """The address of a running server, and root's cookie."""
    with serving(demo[0]) as started:
        yield started


@contextmanager
def serving(path: Path) -> Iterator[tuple[str, str]]:
    """A server of one database that has answered a question: its address, and root's cookie."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(path), str(port)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent.parent,
    )
    assert process.stdout is not None
    cookie = process.stdout.readline().strip()
    address = f"http://127.0.0.1:{port}"
    for _ in range(100):
        try:
            urlopen(f"{address}/-/versions.json").close()
            break
        except OSError:
            time.sleep(0.1)
    for _ in range(20):  # the first question loads the model, which on a busy machine takes longer than a page may
        asked = Request(f"{address}/recall?q=quince", headers={"Cookie": f"ds_actor={cookie}"})
        with suppress(HTTPError), urlopen(asked) as answered:
            if b"This took more than" not in answered.read():
                break
    yield address, cookie
    process.terminate()
    process.wait()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A running Chromium."""
    with sync_api.sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


@contextmanager
def opened(server: tuple[str, str], browser: Any, width: int = 1280, colour: str = "light") -> Iterator[Any]:
    """A page of a new window in which root is logged in, and which asks nobody but the server."""
    address, cookie = server
    with browser.new_context(
        base_url=address,
        viewport={"width": width, "height": 900},
        color_scheme=colour,
        permissions=["clipboard-read", "clipboard-write"],
    ) as context:
        context.add_cookies([{"name": "ds_actor", "value": cookie, "url": address}])
        made = context.new_page()
        asked: list[str] = []
        trouble: list[str] = []
        made.on("request", lambda request: asked.append(request.url))
        made.on("pageerror", lambda error: trouble.append(str(error)))
        made.on("console", lambda said: trouble.append(said.text) if "Content Security Policy" in said.text else None)
        yield made
        assert [url for url in asked if not url.startswith(address)] == []
        assert trouble == []


@pytest.fixture
def page(server: tuple[str, str], browser: Any) -> Iterator[Any]:
    """A page of a new window."""
    with opened(server, browser) as page:
        yield page


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a published garden, served as its README says."""
    folder = tmp_path_factory.mktemp("published")
    with MemoryDatabase(build_demo(folder / "demo.db")) as memory:
        memory.publish(folder / "garden", entity="Quince", title="A year of a garden", license="CC BY 4.0")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "datasette", "serve", folder / "garden", "--port", str(port)]
    process = subprocess.Popen([str(part) for part in command], cwd=Path(__file__).parent.parent)
    for _ in range(200):
        try:
            urlopen(f"http://127.0.0.1:{port}/-/versions.json").close()
            break
        except OSError:
            time.sleep(0.1)
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait()


def says(shown: Any, text: str) -> None:
    """Waits until something shows this text, letter for letter. (`has_text` would pass over upper and lower case.)"""
    sync_api.expect(shown).to_contain_text(text, use_inner_text=True, timeout=30_000)


def windows(page: Any) -> Iterator[str]:
    """Shows the page in each width and colour, one after the other: `390 dark`. The last one stays."""
    for width in WIDTHS.values():
        page.set_viewport_size({"width": width, "height": 900})
        for colour in ("light", "dark"):
            page.emulate_media(color_scheme=colour)
            yield f"{width} {colour}"


def looks_right(page: Any, *shown: Any) -> None:
    """Looks in each window: all of this is seen, the page is as wide as the window, and as dark as it."""
    page.wait_for_load_state()  # a page is seen before its style sheet is there
    for window in windows(page):
        for one in shown:
            sync_api.expect(one).to_be_visible(timeout=30_000)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (window, page.url)
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert all((int(part) < 60) is ("dark" in window) for part in re.findall(r"\d+", paper)[:3]), (window, page.url)


def click(page: Any, what: Any) -> None:
    """Clicks something that can be clicked in each window."""
    for _ in windows(page):
        what.click(trial=True)
    what.click()


def test_somebody_asks_follows_a_name_and_walks_the_graph(page: Any) -> None:
    page.goto("/recall")
    page.locator("#q:focus").wait_for()  # on a busy machine it comes after the page
    page.keyboard.type("who planted the quince?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/recall?q=*")
    assert page.locator(".mk-status").inner_text().startswith("10 memories")
    assert "quince" in page.locator("mark").first.inner_text() or "planted" in page.locator("mark").first.inner_text()
    page.locator(".mk-hit a").first.click()
    page.wait_for_url("**/-/memory/*")
    page.locator(".mk-this a", has_text="Rosa").first.click()
    page.wait_for_url("**/-/entity/*")
    assert page.locator("h1").inner_text() == "Rosa"
    page.locator(".mk-drawing").focus()
    page.keyboard.press("ArrowRight")
    first = page.evaluate("document.activeElement.getAttribute('aria-label')")
    for key in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    second = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert first
    assert second
    name = page.evaluate("document.activeElement.querySelector('text').textContent")
    page.keyboard.press("Enter")
    page.locator("h1", has_text=re.compile(f"^{re.escape(name.rstrip('…'))}")).wait_for()


@pytest.mark.skipif(IS_1, reason="the pictures are of Datasette 0.65")
def test_the_walk_of_the_docs_can_be_taken_and_shows_what_it_says(tmp_path: Path) -> None:
    root = Path(__file__).parent.parent
    subprocess.run([sys.executable, root / "docs" / "walk.py", tmp_path], check=True, timeout=180)
    shown = re.findall(r"images/(walk-.*?\.png)", (root / "docs" / "walk.md").read_text("utf-8"))
    assert sorted(shown) == sorted(path.name for path in tmp_path.iterdir())


# ---------------------------------------------------------------------------------------------- the numbered points


def test_1_a_facet_counts_what_a_click_shows_several_are_chosen_and_unknown_limits_are_said(page: Any) -> None:
    page.goto("/demo/-/recall?q=who+planted+the+quince%3F")
    for value in ("fact", "passage"):
        row = page.locator(".mk-narrow li", has_text=value).first
        before = page.locator(".mk-status").inner_text()
        count = int(row.locator("span").inner_text().lstrip("+"))
        click(page, row.locator("a"))
        page.wait_for_url(f"**{value}*")
        more = int(re.search(r"of (\d+) memories", before)[1]) if "of " in before else 0  # type: ignore[index]
        assert f"of {more + count} memories" in page.locator(".mk-status").inner_text()
    looks_right(page, page.locator(".mk-narrow"), page.locator(".mk-chosen").nth(0), page.locator(".mk-chosen").nth(1))
    assert page.locator(".mk-hit .mk-place span", has_text=re.compile("^turn$")).count() == 0
    for left in (1, 0):
        click(page, page.locator(".mk-chosen a").first)
        page.wait_for_url(lambda url, left=left: url.count("has=") == left)
    page.locator(".mk-options summary").click()
    page.locator("#project").fill("garden")
    page.get_by_label("only this project, and memories of no project").check()
    page.get_by_role("button", name="Recall", exact=True).click()
    looks_right(page, page.get_by_role("link", name="project: garden, and memories of no project"))
    page.goto("/demo/-/recall?q=quince&project=nowhere&kind=poem")
    looks_right(
        page,
        page.get_by_text("No memory belongs to the project 'nowhere'"),
        page.get_by_text("No memory is of kind 'poem'"),
    )


def test_2_what_datasette_searches_finds_memories_and_a_table_has_a_question(page: Any) -> None:
    table = page.locator("table.rows-and-columns")
    for words in ("quince", "林伟送给我们一块福鼎白茶", "白茶"):  # the last one within what is written without spaces
        page.goto("/demo/memories")
        page.locator("[name=_search]").fill(words)
        page.keyboard.press("Enter")
        page.wait_for_url("**_search=*")
        says(table, words)
        looks_right(page, table)
    every = page.goto("/demo/memories") and table.locator("tbody tr").count()
    page.get_by_label("Ask these memories").fill("who planted the quince?")
    click(page, page.get_by_role("button", name="Recall", exact=True))
    page.wait_for_url("**_recall=*")
    looks_right(page, page.get_by_text("Best first."), page.get_by_label("Ask these memories"))
    assert 0 < table.locator("tbody tr").count() <= every
    assert "quince" in table.locator("tbody tr").first.inner_text().lower()
    page.goto("/demo/memories?_recall=What+is+the+capital+of+Mongolia%3F")
    looks_right(page, page.get_by_text("Nothing here seems to answer this."))
    if IS_1:
        for typed, name in (("hana", "Hana Mori"), ("paste that", "Quince paste that sets")):  # an entity, a document
            page.goto("/demo")
            page.keyboard.press("/")
            page.keyboard.type(typed)
            says(page.locator("navigation-search"), name)


def test_3_what_was_forgotten_comes_back_and_two_names_that_became_one_are_two_again(page: Any) -> None:
    page.goto("/demo/-/recall?q=who+planted+the+quince%3F")
    click(page, page.locator(".mk-hit h2 a").first)
    click(page, page.get_by_role("link", name="Forget"))
    click(page, page.get_by_role("button", name="Forget"))
    says(page.locator("body"), "Forgotten: ")
    looks_right(page, page.get_by_role("button", name="Bring back"))
    click(page, page.get_by_role("button", name="Bring back"))
    says(page.locator("body"), "It is back: ")
    page.goto("/demo/-/merge")
    page.locator("[name=kept]").press_sequentially("Quince Ya")
    page.wait_for_function("() => [...document.querySelectorAll('#names option')].some(o => o.value === 'Quince Yard')")
    page.locator("[name=kept]").fill("Quince Yard")
    page.locator("[name=merged]").fill("Ferry Lane")
    click(page, page.get_by_role("button", name="Show both"))
    says(page.locator("main, .mk").first, "Are these two the same?")
    looks_right(page, page.locator("article.mk-box").nth(0), page.locator("article.mk-box").nth(1))
    click(page, page.get_by_role("button", name="They are one"))
    says(page.locator("body"), "Ferry Lane is Quince Yard now.")
    click(page, page.get_by_role("link", name="Undo a merge"))
    click(page, page.get_by_role("button", name="Make them two again"))
    says(page.locator("body"), "Quince Yard and Ferry Lane are two again.")


def test_3_upkeep_shows_what_it_would_do_and_what_was_decided_can_be_taken_back(page: Any) -> None:
    page.goto("/demo/-/maintenance")
    click(page, page.get_by_role("button", name="Show what would be done"))
    says(page.locator("body"), "What would be done")
    looks_right(page, page.get_by_role("button", name="Do it now"))
    page.goto("/demo/-/maintenance")
    click(page, page.get_by_role("button", name="This is true"))
    says(page.locator("body"), "Accepted: Rosa's rule")
    says(page.locator("body"), "There is nothing to decide")
    says(page.locator("body"), "Undo, below, takes it back.")
    click(page, page.get_by_role("button", name="Undo").first)
    says(page.locator("body"), "Undone: ")
    looks_right(page, page.get_by_role("button", name="Leave both"))
    click(page, page.get_by_role("button", name="Leave both"))
    says(page.locator("body"), "There is nothing to decide")
    click(page, page.get_by_text("What you refused (1)"))
    click(page, page.get_by_role("button", name="Ask again"))
    says(page.locator("body"), "It is to decide again.")
    looks_right(page, page.get_by_role("button", name="Leave both"))


def test_4_the_first_page_is_the_question_says_what_is_due_and_lists_no_table_for_machines(page: Any) -> None:
    page.goto("/")
    home = page.locator(".mk-home")
    for text in ("Often named", "What happened last", "to decide"):
        says(home, text)
    looks_right(page, home, page.get_by_label("What do you want to know?"))
    page.goto("/demo")
    looks_right(page, home)
    assert page.locator("h1").bounding_box()["y"] > home.bounding_box()["y"]
    assert not set(page.locator("h3, li a").all_inner_texts()) & {*FOR_MACHINES, *VIEWS_FOR_MACHINES}
    assert page.get_by_role("link", name="current_memories").count() == 1
    click(page, page.locator(".mk-home a", has_text="to decide"))
    page.wait_for_url("**/-/maintenance")
    if AXE.exists():
        assert serious(page) == {}
    page.goto("/demo/memories")
    columns = page.locator("dl.column-descriptions")
    assert not columns.is_visible()
    click(page, page.get_by_text("What the columns say"))
    looks_right(page, columns)


def test_5_a_hit_is_shown_as_it_was_written_with_code_tables_and_pictures(page: Any) -> None:
    page.goto("/demo/-/recall?q=marmelo+weight")
    hit = page.locator(".mk-hit", has_text="Marmelo paste").first
    looks_right(page, hit, hit.locator("td", has_text="2 kg"), hit.locator("img"))
    page.wait_for_function("() => document.querySelector('.mk-hit img').naturalWidth === 1")
    click(page, hit.locator("h2 a"))
    page.wait_for_url("**/-/memory/*")
    click(page, page.get_by_role("link", name="The whole note"))
    page.wait_for_url("**/-/document/**#here")
    whole = page.locator(".mk-whole")
    code = whole.locator("pre code")
    looks_right(page, page.locator("#here").first, whole.locator("table"), whole.locator("img"), code)
    assert "mono" in code.evaluate("one => getComputedStyle(one).fontFamily")
    assert "\n    boil()" in code.inner_text()
    assert not re.search(r"```|\|---|\[\[|tags:", whole.inner_text())
    assert page.get_by_role("link", name="Open in Obsidian").get_attribute("href").startswith("obsidian://open?path=")
    click(page, whole.locator("a", has_text="Rosa").first)
    page.wait_for_url("**/-/entity/*")
    page.goto("/demo/-/recall?q=who+planted+the+quince%3F")
    titles = page.evaluate(
        "[...document.querySelectorAll('.mk-hit h2 a')].map((one) => one.lastChild.textContent.trim())"
    )
    assert len(titles) > 5
    assert "Fact" not in titles


def test_5_a_whole_conversation_opens_at_the_memory_and_leads_back(page: Any) -> None:
    page.goto("/demo/-/recall?q=How+much+pectin+for+the+paste%3F&has=kind:turn")
    click(page, page.locator(".mk-hit h2 a").first)
    source = page.get_by_role("link", name="The chat where it was")
    looks_right(page, source, page.locator(".mk-beside a").first)  # its neighbours
    assert source.get_attribute("href").startswith("https://chatgpt.com/c/")
    click(page, page.get_by_role("link", name="The whole conversation"))
    page.wait_for_url("**/-/document/**#here")
    here = page.locator("#here")
    looks_right(page, here)
    assert here.get_attribute("aria-label") == "The memory that you came from"
    assert page.locator(".mk-turns article").count() > 3
    here.locator("header a").click()
    page.wait_for_url("**/-/memory/*")


def test_6_speakers_are_no_names(page: Any) -> None:
    page.goto("/demo/-/graph?n=150")
    looks_right(page, page.locator(".mk-drawing svg"))
    names = page.locator(".mk-drawing svg").text_content()
    assert "Rosa" in names
    assert not re.search(r"\b(assistant|system|tool)\b", names, re.IGNORECASE)
    for role in ("assistant", "system", "tool"):
        assert page.goto(f"/demo/-/entity/{role}").status == 404


def test_7_what_nothing_answers_is_said_what_hardly_does_too_and_undated_stays_undated(
    page: Any, demo: tuple[Path, dict[str, str]]
) -> None:
    page.goto("/demo/-/recall?q=What+is+the+capital+of+Mongolia%3F")
    says(page.locator(".mk-status"), "Nothing here seems to answer this")
    assert not page.locator(".mk-hit").first.is_visible()
    click(page, page.locator(".mk-nearest > summary"))
    looks_right(page, page.locator(".mk-hit").first)
    page.goto("/demo/-/recall?q=do+I+know+anybody+who+speaks+Portuguese%3F")
    looks_right(page, page.get_by_text("perhaps none that answers this"))
    page.goto("/demo/-/recall?q=marmelo+weight")
    paste = page.locator(".mk-hit", has_text="Marmelo paste").first.locator(".mk-place")
    assert not re.search(r"\d{4}", paste.inner_text())
    page.goto("/demo/-/entity/{mover}".format(**demo[1]))
    doubtful = page.locator(".mk-time li", has_text="in doubt")
    looks_right(page, doubtful, doubtful.locator("i"))
    drawn = "one => getComputedStyle(one).backgroundImage"
    assert doubtful.locator("i").evaluate(drawn).startswith("repeating-linear-gradient")
    assert page.locator(".mk-time li", has_not_text="in doubt").locator("i").first.evaluate(drawn) == "none"


def test_7_what_is_searched_by_words_only_and_what_finds_nothing_is_said(browser: Any, tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "plain.db", embed="none") as memory:
        memory.ingest(SAMPLES / "notes")
    with serving(tmp_path / "plain.db") as started, opened(started, browser) as page:
        page.goto("/plain/-/recall?q=who+planted+the+quince%3F")
        looks_right(page, page.get_by_text("by words and connections, not by meaning"), page.locator(".mk-hit").first)
        page.goto("/plain/-/recall?q=zygomorphic")
        looks_right(page, page.locator(".mk-status", has_text="Nothing was found"))


PLACES_OF_ENDS = """one => {
    const words = document.createTreeWalker(one, NodeFilter.SHOW_TEXT), all = [];
    while (words.nextNode()) if (words.currentNode.data.trim()) all.push(words.currentNode);
    const place = (node, at) => {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        return range.getBoundingClientRect().x;
    };
    return [place(all[0], 0), place(all.at(-1), all.at(-1).data.trimEnd().length - 1)];
}"""  # how far to the right the first and the last character of a text stand


def test_what_is_in_hebrew_or_arabic_begins_on_the_right(browser: Any, tmp_path: Path) -> None:
    texts = {
        "חבוש": "דנה שתלה עץ חבוש ב-2024.",
        "السفرجل": "أحمد زرع شجرة السفرجل خلف البيت.",
        "ספסל": "ספסל from Rosa, 12 kg.",  # a word that is marked counts as any other for where its line begins
        "quince": "A quince grows here.",
    }
    with MemoryDatabase(tmp_path / "right.db", embed="none") as memory:
        memory.ingest([{"text": text, "title": "note"} for text in texts.values()])
    with serving(tmp_path / "right.db") as started, opened(started, browser) as page:
        for word in texts:
            page.goto(f"/right/-/recall?q={quote(word)}")
            shown = page.locator(".mk-hit .mk-prose").first
            first, last = shown.evaluate(PLACES_OF_ENDS)
            assert (last < first) == (word != "quince")
            direction = shown.evaluate("one => getComputedStyle(one).direction")  # where its lists have their bullets
            assert direction == ("ltr" if word == "quince" else "rtl")
            asked = page.locator(".mk-ask input[name=q]").first
            assert asked.evaluate("one => getComputedStyle(one).unicodeBidi") == "plaintext"
            looks_right(page, shown)


def test_7_a_heading_counts_what_holds(page: Any, demo: tuple[Path, dict[str, str]]) -> None:
    with MemoryDatabase(demo[0], read_only=True) as memory:
        holds = memory.info().current
        assert holds < memory.info().memories
    for path in ("recall", "graph"):
        page.goto(f"/demo/-/{path}")
        looks_right(page, page.get_by_text(f"{holds} memories"))


def test_8_the_way_is_drawn_the_drawing_is_made_larger_and_names_are_reached_by_keys(page: Any) -> None:
    page.goto("/demo/-/graph?from=Alice&to=quince")
    looks_right(page, page.locator(".mk-drawing svg"), page.locator(".mk-steps"))
    width = "document.querySelector('.mk-drawing svg').getBoundingClientRect().width"
    before = page.evaluate(width)
    assert page.locator(".mk-line.w").count() == 1
    click(page, page.get_by_role("button", name="Larger"))
    click(page, page.get_by_role("button", name="Larger"))
    assert page.evaluate(width) > 1.9 * before
    inside = """() => {
        const [box, name] = [".mk-drawing", ".mk-drawing a:focus circle"].map(
            (one) => document.querySelector(one).getBoundingClientRect());
        return name.left >= box.left - 1 && name.right <= box.right + 1;
    }"""
    for _ in windows(page):
        page.locator(".mk-drawing").focus()
        for _ in range(12):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        page.wait_for_function(inside)  # what has the focus is seen, also where the drawing is wider than the window
    page.keyboard.press("0")
    assert page.evaluate(width) <= page.evaluate("document.querySelector('.mk-drawing').clientWidth")


def test_8_the_graph_is_narrowed_and_names_alike_are_offered_for_merging(page: Any) -> None:
    page.goto("/demo/-/graph")
    click(page, page.locator(".mk-options summary"))
    every = page.locator(".mk-drawing svg a").count()
    page.get_by_label("person", exact=True).check()
    page.get_by_label("no names that are dates").check()
    page.locator("#project").fill("garden")
    page.get_by_label("Named since").fill("2025-01-01")
    click(page, page.get_by_role("button", name="Draw", exact=True))
    page.wait_for_url("**kind=person*")
    looks_right(page, page.locator(".mk-drawing svg"))
    assert 0 < page.locator(".mk-drawing svg a").count() < every
    page.goto("/demo/-/graph")
    click(page, page.locator(".mk-pairs a").first)
    page.wait_for_url("**/-/merge?*")
    looks_right(page, page.get_by_role("button", name="They are one"))


def test_9_pages_follow_one_another_print_the_question_and_lead_on_from_a_wrong_name(page: Any) -> None:
    page.goto("/demo/-/recall")
    page.locator("#q").fill("quince")
    click(page, page.locator(".mk-options summary"))
    page.get_by_label("Since").fill("2025")  # a year alone is a date
    page.get_by_label("Until").fill("2026")
    page.get_by_role("button", name="Recall", exact=True).click()
    page.wait_for_url("**since=2025*")
    assert not re.search(r"[?&]\w+=(&|$)", page.url)  # no field that was left empty
    looks_right(page, page.get_by_role("link", name="since 2025"), page.get_by_role("link", name="until 2026"))
    assert {one[:4] for one in page.locator(".mk-hit time").all_inner_texts()} <= {"2025"}
    click(page, page.get_by_role("link", name="Next page"))
    page.wait_for_url("**page=2*")
    previous, further = page.get_by_role("link", name="Previous page"), page.get_by_role("link", name="Next page")
    looks_right(page, page.locator("main"), previous, further)
    tops = "['prev', 'next'].map(rel => document.querySelector(`[rel=${rel}]`).getBoundingClientRect().y)"
    for _ in windows(page):
        before, after = page.evaluate(tops)  # at one moment: what comes later may move both
        assert abs(before - after) < 3
        facets, hits = page.locator(".mk-narrow").bounding_box(), page.locator(".mk-hits").bounding_box()
        if page.viewport_size["width"] < 400:
            assert facets["y"] + facets["height"] <= hits["y"]
    assert not re.search(r"[?&]\w+=(&|$)", page.url)
    page.emulate_media(media="print")
    assert page.locator("#q").is_visible()
    assert not page.locator(".mk-aside").is_visible()
    page.emulate_media(media="screen")
    with page.expect_download() as file:
        page.get_by_role("link", name="CSV").click()
    assert "quince" in Path(file.value.path()).read_text("utf-8")
    page.goto("/demo/-/entity/Jordann")
    click(page, page.get_by_role("link", name="Jordan", exact=True))
    assert page.locator("h1").inner_text() == "Jordan"


@pytest.mark.parametrize("where", ["recall", "merge", "graph"])
def test_9_every_name_is_offered_while_one_types(page: Any, demo: tuple[Path, dict[str, str]], where: str) -> None:
    """Of all names, ten of them that are named least, by a part of each."""
    with MemoryDatabase(demo[0], read_only=True) as memory:
        often = {name for name, _ in memory.choices().names}
        names = memory.tables.query("select name from entities where merged_into is null and kind <> 'value'")
        every = [one["name"] for one in names if one["name"] not in often and len(one["name"]) > 3]
    assert len(every) > 60
    page.goto(f"/demo/-/{where}")
    box = page.locator("input[data-begins]").first
    for name in every[-10:]:
        box.fill(name[:-1])
        page.wait_for_function(
            "(name) => [...document.querySelectorAll('datalist option')].some((one) => one.value === name)", arg=name
        )
    looks_right(page, box)


def test_9_datasettes_own_pages_have_the_look_of_memkits_and_ids_are_links(page: Any) -> None:
    canned = "/demo/recall?question=who+planted+the+quince%3F&k=3&options="
    for path in (*DATASETTES, canned, "/demo/contradictions", "/nowhere", "/demo/nowhere"):
        page.goto(path)
        looks_right(page)
    page.goto(canned)
    looks = page.locator("table.rows-and-columns td.col-id a").first
    click(page, looks)
    page.wait_for_url("**/-/memory/*")


def test_10_a_published_site_has_its_title_and_licence_on_every_page_and_nothing_of_its_owner(
    browser: Any, published: str
) -> None:
    garden = "/a-year-of-a-garden"
    query = f"{garden}/-/query?sql=select+1" if IS_1 else f"{garden}?sql=select+1"
    own = ("", "/memories", "/memories?_search=quince", "/memories/1", "/entities", "/search?words=quince", "/nowhere")
    memkits = ("recall?q=quince", "recall?q=quinze&page=2", "entity/Rosa", "entity/Rosaa", "graph", "time", "nowhere")
    with browser.new_context(base_url=published) as anybody:
        page = anybody.new_page()
        for path in ("/", "/about", "/recall", query, *(garden + path for path in own), "/nowhere"):
            page.goto(path)
            assert_site(page)
        for path in memkits:
            page.goto(f"{garden}/-/{path}")
            assert_site(page)
            if AXE.exists() and path != "nowhere":
                for _ in windows(page):
                    assert serious(page) == {}


def test_10_a_published_site_begins_with_a_front_page_and_says_what_it_is(browser: Any, published: str) -> None:
    with browser.new_context(base_url=published) as anybody:
        page = anybody.new_page()
        page.goto("/")
        assert page.locator("h1").inner_text() == "A year of a garden"
        looks_right(page, page.get_by_label("What do you want to know?"), page.get_by_text("What happened last"))
        looks_right(page, page.get_by_text(re.compile(r"[1-9]\d* relations?\b")))
        click(page, page.get_by_role("link", name="About this publication").first)
        page.wait_for_url("**/about")
        looks_right(page, page.get_by_text("What you may do with it"), page.get_by_text("How to read it"))
        click(page, page.get_by_role("link", name="The graph of names").first)
        page.wait_for_url("**/a-year-of-a-garden/-/graph")  # the database has the name of the site
        looks_right(page, page.locator(".mk-drawing svg"))
        page.goto("/a-year-of-a-garden/-/entity/Quince")
        linked = page.locator("section", has=page.get_by_role("heading", name="Linked with"))  # it has relations
        looks_right(page, linked.get_by_role("link", name="Rosa", exact=True))
        for path in ("upkeep", "maintenance", "remember", "sources", "merge"):
            assert page.goto(f"/a-year-of-a-garden/-/{path}").status in (400, 403, 404), path


def assert_site(page: Any) -> None:
    """Looks for the title and licence of the published site, in each window, and for nothing that is its owner's."""
    looks_right(page, page.get_by_text("A year of a garden").first, page.get_by_text("CC BY 4.0").first)
    text = page.locator("body").inner_text()
    assert not re.search("Upkeep|Remember something|Token budget|Compare with|recalled \\d|Strategy", text), page.url


# ---------------------------------------------------------------------------------------------- beyond


def test_days_months_and_years_are_browsed_and_this_day(page: Any) -> None:
    page.goto("/demo/-/time")
    today = page.locator("section", has=page.get_by_role("heading", name="On this day"))
    looks_right(page, today.get_by_text("The first figs were ripe."))
    click(page, page.locator(".mk-parts a", has_text="2025"))
    page.wait_for_url("**/time/2025")
    click(page, page.locator(".mk-parts a").first)
    page.wait_for_url(re.compile("/time/2025-[0-9]{2}$"))
    looks_right(page, page.locator(".mk-parts a").first)
    click(page, page.locator(".mk-parts a").first)
    page.wait_for_url(re.compile("/time/2025-[0-9]{2}-[0-9]{2}$"))
    looks_right(page, page.locator(".mk-hit h2 a").first)


def test_keys_go_from_hit_to_hit(page: Any) -> None:
    page.goto("/demo/-/recall?q=who+planted+the+quince%3F")
    for _ in windows(page):
        page.keyboard.press("/") if not IS_1 else page.locator("#q").focus()
        assert page.evaluate("document.activeElement.id") == "q"
        page.locator("#q").blur()
        page.keyboard.press("?")
        says(page.locator("#mk-keys"), "the next memory")
        page.keyboard.press("Escape")
    for key, place in (("j", 1), ("j", 2), ("j", 3), ("k", 2)):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.querySelector('.mk-rank').textContent") == str(place)
    page.keyboard.press("Enter")
    page.wait_for_url("**/-/memory/*")


def test_while_one_types_names_are_offered_and_earlier_questions_of_this_browser(page: Any) -> None:
    options = "[...document.querySelectorAll('#typed option')].map((one) => one.value)"
    page.goto("/recall")
    looks_right(page, page.locator("#q"))
    page.locator("#q").press_sequentially("what did han")
    page.wait_for_function(f"() => {options}.includes('what did Hana Mori')")
    page.keyboard.press("Control+a")
    page.keyboard.type("who planted the quince?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/recall?q=*")
    page.goto("/demo/-/recall")
    page.locator("#q").blur()
    page.locator("#q").focus()
    page.wait_for_function(f"() => {options}.includes('who planted the quince?')")


def test_the_first_page_asks_and_a_hit_says_why_in_a_picture(page: Any) -> None:
    page.goto("/")
    page.get_by_label("What do you want to know?").fill("who planted the quince?")
    click(page, page.get_by_role("button", name="Recall", exact=True))
    page.wait_for_url("**/recall?q=*")
    hit = page.locator(".mk-hit").first
    assert not hit.locator(".mk-flow").is_visible()
    hit.locator(".mk-why").focus()
    page.keyboard.press("Enter")
    picture = hit.locator(".mk-flow")
    says(picture, "It has words of your question")
    assert picture.locator("mark").count() > 0
    looks_right(page, picture, picture.locator(".mk-end").nth(0), picture.locator(".mk-end").nth(1))
    for _ in windows(page):
        ends = [picture.locator(".mk-end").nth(n).bounding_box() for n in range(2)]
        lines = picture.locator(".mk-ways").bounding_box()
        assert ends[0]["x"] + ends[0]["y"] < lines["x"] + lines["y"] < ends[1]["x"] + ends[1]["y"]  # beside or below
        if AXE.exists():
            assert serious(page) == {}


def test_a_question_is_saved_asked_again_and_saved_no_longer(page: Any) -> None:
    page.goto("/demo/-/recall?q=quince&has=kind:passage")
    page.get_by_label("Save this question as").fill("Quinces")
    click(page, page.get_by_role("button", name="Save", exact=True))
    says(page.locator("body"), "Saved: Quinces")
    page.goto("/")
    click(page, page.get_by_role("link", name="Quinces", exact=True))
    page.wait_for_url("**has=kind*")
    kept = page.locator(".mk-aside form", has=page.get_by_role("button", name="Save it no longer"))
    feed = kept.get_by_role("link", name="feed of new answers")
    looks_right(page, kept, feed)
    assert "<entry>" in page.request.get(feed.get_attribute("href")).text()
    click(page, kept.get_by_role("link", name="query", exact=True))
    says(page.locator("table.rows-and-columns"), "quince")
    page.go_back()
    click(page, page.get_by_role("button", name="Save it no longer"))
    says(page.locator("body"), "No longer saved: Quinces")


# ---------------------------------------------------------------------------------------------- more of the recall page


def test_the_slider_changes_what_a_model_would_read(page: Any) -> None:
    page.goto("/demo/-/recall?q=who+planted+the+quince%3F")
    shown = page.locator("#context")
    assert shown.is_hidden()
    page.locator("#budget").focus()
    page.keyboard.press("Home")
    shown.wait_for()
    small = shown.inner_text()
    page.keyboard.press("End")
    page.wait_for_function("length => document.querySelector('#context').textContent.length > length", arg=len(small))
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == shown.text_content()


def test_the_sql_that_one_takes_along_runs(page: Any) -> None:
    page.goto("/demo/-/recall?q=who+planted+the+quince%3F")
    page.locator("a.mk-sql").first.click()
    says(page.locator("table.rows-and-columns"), "Rosa planted the quince in 2019")


def test_the_headers_block_nothing_of_a_page_and_the_page_in_a_frame(
    page: Any, server: tuple[str, str], demo: tuple[Path, dict[str, str]]
) -> None:
    for path in (*(path.format(**demo[1]) for path in ONE_OF_EACH), *DATASETTES):
        page.goto(path)
        page.locator("details.nav-menu summary").click()
        page.locator("footer").click()  # Datasette's inline script closes the menu
        assert page.locator("details.nav-menu[open]").count() == 0
        with page.context.new_page() as stranger, stranger.expect_console_message() as said:
            stranger.set_content(f"<iframe src='{server[0]}{path}'></iframe>")
        assert "frame-ancestors" in said.value.text


@pytest.mark.parametrize("path", ONE_OF_EACH)
def test_no_script_runs_in_the_content_of_a_page(
    page: Any, server: tuple[str, str], demo: tuple[Path, dict[str, str]], path: str
) -> None:
    with page.context.new_page() as own, own.expect_console_message() as said:  # `page` has nothing to say
        own.goto(server[0] + path.format(**demo[1]))
        own.evaluate(
            """async () => {
                window.ran = [];
                const content = document.querySelector(".mk");
                content.innerHTML = `<img src="/x" onerror="window.ran.push('handler')">
                    <a href="javascript:void(window.ran.push('link'))">x</a>`;
                content.querySelector("a").click();
                await new Promise((done) => setTimeout(done, 300));
            }"""
        )
        assert own.evaluate("window.ran") == []
    assert "script-src" in said.value.text


def serious(page: Any) -> dict[str, Any]:
    """What axe finds serious or critical on a page, with the places."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    large = "rules: {'target-size': {enabled: true}}"  # links large enough to be met; axe does not ask for it itself
    found = page.evaluate(f"axe.run({{resultTypes: ['violations'], {large}}}).then(results => results.violations)")
    return {v["id"]: [n["html"][:200] for n in v["nodes"]] for v in found if v["impact"] in ("serious", "critical")}


def test_every_page_that_has_a_route_is_looked_at() -> None:
    assert [pattern for pattern, paths in ROUTED.items() if not paths] == []
    assert len(ROUTED) > 12


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_each_window_and_axe_finds_nothing_serious(
    page: Any, demo: tuple[Path, dict[str, str]], path: str
) -> None:
    found = {}
    assert page.goto(path.format(**demo[1])).status == REFUSED.get(path, 200)
    assert page.locator("main.mk").count() == 1
    for width in WIDTHS.values():
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), width
        for colour in ("light", "dark"):
            page.emulate_media(color_scheme=colour)
            found[f"{width} {colour}"] = serious(page) if AXE.exists() else {}
    assert not any(found.values()), json.dumps(found, indent=1)


def test_words_without_an_end_stay_in_the_window(browser: Any, tmp_path: Path) -> None:
    """A key as a title, a sender in 200 letters, a name that is one word: each is broken, the page keeps its width."""
    one = "Unbreakable" * 15
    with MemoryDatabase(path := tmp_path / "long.db", embed="none") as memory:
        rows = [{"text": f"Quince {one}", "title": one, "speaker": one, "category": one, "tags": [one], "session": one}]
        memory.ingest(rows)
        memory.relate(one, one, f"{one}s")
        memory_id = memory.recall("quince")[0].memory.id
        entity = memory.about(one).id
    paths = ["/recall?q=quince", f"/long/-/memory/{memory_id}", f"/long/-/entity/{entity}", "/long/-/graph"]
    with serving(path) as server, opened(server, browser, width=360) as page:
        for address in [*paths, f"/long/-/graph?a={one}&b={one}s"]:
            assert page.goto(address).status == 200, address
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), address
