"""A person at the pages, in Chromium: asks, follows a name, walks the graph by keyboard, takes the SQL along.

Skipped where playwright or Chromium is missing; `.ci/browser` installs both.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from datasettes import SAMPLES, build_demo

from memkit import MemoryDatabase
from memkit.frontends.datasette.compat import IS_1
from memkit.frontends.datasette.connected_page import connected
from memkit.frontends.datasette.maintenance_page import feedback
from memkit.frontends.datasette.routes import ROUTES
from memkit.frontends.datasette.saved_page import save, unsave

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
DATASETTES = ("/", "/demo", "/demo/memories", "/demo/-/query" if IS_1 else "/demo?sql=select+1")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A database with something to decide and something forgotten, and the ids that PAGES name."""
    path = build_demo(tmp_path_factory.mktemp("browser") / "demo.db")
    with MemoryDatabase(path) as memory:
        memory.maintain(only=["propose"])
        memory.add_source(SAMPLES / "notes", project="garden")
        memory.sync()
        memory.add_source(SAMPLES / "chats")
        passage = memory.recall("who planted the quince?", kinds=["passage"])[0].memory.id
        turn = memory.recall("How much pectin for the paste?", kinds=["turn"])[0].memory.id
        documents = {kind: memory.surroundings(id).document for kind, id in (("note", passage), ("chat", turn))}
        gone = memory.forget(memory.remember("The old ladder stands behind the shed.", project="garden").id).id
    ids = {kind: document["id"] for kind, document in documents.items() if document}
    return path, {**ids, "passage": passage, "turn": turn, "forgotten": gone}


@pytest.fixture(scope="module")
def server(demo: tuple[Path, dict[str, str]]) -> Iterator[tuple[str, str]]:
    """The address of a running server, and root's cookie."""
    path, _ = demo
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
    yield address, cookie
    process.terminate()
    process.wait()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A running Chromium."""
    with sync_api.sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


@pytest.fixture(params=[f"{width} {colour}" for width in WIDTHS for colour in ("light", "dark")])
def page(server: tuple[str, str], browser: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page of a new window of each width in each colour."""
    width, colour = request.param.split()
    with opened(server, browser, width=WIDTHS[width], colour=colour) as page:
        yield page


@pytest.fixture
def any_page(server: tuple[str, str], browser: Any) -> Iterator[Any]:
    """A page of a new window, for what does not depend on the window."""
    with opened(server, browser) as page:
        yield page


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


def is_dark(page: Any) -> bool:
    """Whether a window is dark."""
    return bool(page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"))


def says(shown: Any, text: str) -> None:
    """Waits until something shows this text, letter for letter. (`has_text` would pass over upper and lower case.)"""
    sync_api.expect(shown).to_contain_text(text, use_inner_text=True, timeout=30_000)


def test_somebody_asks_follows_a_name_and_walks_the_graph(page: Any) -> None:
    page.goto("/recall")
    page.keyboard.type("who planted the quince?")  # the field has the focus
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


def test_keys_go_from_hit_to_hit(page: Any) -> None:
    page.goto("/demo/-/recall?q=who+planted+the+quince%3F")
    for key, place in (("j", 1), ("j", 2), ("j", 3), ("k", 2)):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.querySelector('.mk-rank').textContent") == str(place)
    page.keyboard.press("?")
    says(page.locator("#mk-keys"), "the next memory")
    page.keyboard.press("Escape")
    page.locator(".mk-hit h2 a").nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/-/memory/*")


def test_a_click_on_a_facet_shows_as_many_as_it_says(page: Any) -> None:
    page.goto("/demo/-/recall?q=who+planted+the+quince%3F")
    fact = page.locator(".mk-narrow li", has_text="fact").first
    count = fact.locator("span").inner_text()
    fact.locator("a").click()
    page.wait_for_url("**has=kind*")
    assert f"of {count} memories" in page.locator(".mk-status").inner_text()
    page.locator(".mk-chosen a").click()
    page.wait_for_url(lambda url: "has=" not in url)


def test_a_drawing_is_made_larger_and_moved_and_its_names_are_reached_by_keys(page: Any) -> None:
    page.goto("/demo/-/graph?from=Alice&to=quince")
    width = "document.querySelector('.mk-drawing svg').getBoundingClientRect().width"
    before = page.evaluate(width)
    assert page.locator(".mk-line.w").count() == 1
    page.get_by_role("button", name="Larger").click()
    page.get_by_role("button", name="Larger").click()
    assert page.evaluate(width) > 1.9 * before
    page.locator(".mk-drawing").focus()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    inside = """() => {
        const [box, name] = [".mk-drawing", ".mk-drawing a:focus circle"].map(
            (one) => document.querySelector(one).getBoundingClientRect());
        return name.left >= box.left - 1 && name.right <= box.right + 1;
    }"""
    page.wait_for_function(inside)  # what has the focus is seen, also where the drawing is wider than the window
    page.keyboard.press("0")
    assert page.evaluate(width) <= page.evaluate("document.querySelector('.mk-drawing').clientWidth")


def test_while_one_types_names_are_offered_and_earlier_questions_of_this_browser(page: Any) -> None:
    options = "[...document.querySelectorAll('#typed option')].map((one) => one.value)"
    page.goto("/recall")
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


def test_a_whole_conversation_opens_at_the_memory_and_leads_back(page: Any) -> None:
    page.goto("/demo/-/recall?q=How+much+pectin+for+the+paste%3F&has=kind:turn")
    page.locator(".mk-hit h2 a").first.click()
    page.get_by_role("link", name="The whole conversation").click()
    page.wait_for_url("**/-/document/**#here")
    here = page.locator("#here")
    assert here.get_attribute("aria-label") == "The memory that you came from"
    assert page.locator(".mk-turns article").count() > 3
    here.locator("header a").click()
    page.wait_for_url("**/-/memory/*")


def test_the_first_page_asks_and_a_hit_says_why_in_a_picture(page: Any) -> None:
    page.goto("/")
    page.get_by_label("What do you want to know?").fill("who planted the quince?")
    page.get_by_role("button", name="Recall").click()
    page.wait_for_url("**/recall?q=*")
    hit = page.locator(".mk-hit").first
    assert not hit.locator(".mk-flow").is_visible()
    hit.locator(".mk-why").focus()
    page.keyboard.press("Enter")
    picture = hit.locator(".mk-flow")
    says(picture, "It has words of your question")
    assert picture.locator("mark").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    ends = [picture.locator(".mk-end").nth(n).bounding_box() for n in range(2)]
    lines = picture.locator(".mk-ways").bounding_box()
    assert ends[0]["x"] + ends[0]["y"] < lines["x"] + lines["y"] < ends[1]["x"] + ends[1]["y"]  # beside or below
    if AXE.exists():
        assert serious(page) == {}


def test_the_first_page_says_what_is_due_and_lists_no_table_for_machines(page: Any) -> None:
    page.goto("/")
    for text in ("Often named", "What happened last", "to decide"):
        says(page.locator(".mk-home"), text)
    page.goto("/demo")
    assert page.locator("h1").bounding_box()["y"] > page.locator(".mk-home").bounding_box()["y"]
    listed = page.locator("body").inner_text()
    assert not re.search("_sqlite_migrations|fingerprints|index_paused", listed)
    page.locator(".mk-home a", has_text="to decide").click()
    page.wait_for_url("**/-/maintenance")
    page.get_by_role("button", name="Show what would be done").click()
    says(page.locator("body"), "What would be done")
    assert page.get_by_role("button", name="Do it now").is_visible()
    if AXE.exists():
        assert serious(page) == {}


def test_days_months_and_years_are_browsed_and_this_day(page: Any) -> None:
    page.goto("/demo/-/time")
    page.locator(".mk-parts a", has_text="2025").click()
    page.wait_for_url("**/time/2025")
    page.locator(".mk-parts a").first.click()
    page.wait_for_url(re.compile("/time/2025-[0-9]{2}$"))
    page.locator(".mk-parts a").first.click()
    page.wait_for_url(re.compile("/time/2025-[0-9]{2}-[0-9]{2}$"))
    assert page.locator(".mk-hit h2 a").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.goto("/demo/-/graph?n=150")
    names = page.locator(".mk-drawing").inner_text().split("\n")
    assert not {"assistant", "user", "system", "tool"} & {name.lower() for name in names}


def test_a_question_is_saved_asked_again_and_saved_no_longer(page: Any) -> None:
    page.goto("/demo/-/recall?q=quince&has=kind:passage")
    page.get_by_label("Save this question as").fill("Quinces")
    page.get_by_role("button", name="Save", exact=True).click()
    says(page.locator("body"), "Saved: Quinces")
    page.goto("/")
    page.get_by_role("link", name="Quinces", exact=True).click()
    page.wait_for_url("**has=kind*")
    kept = page.locator(".mk-aside form", has=page.get_by_role("button", name="Save it no longer"))
    assert kept.get_by_role("link", name="feed of new answers").get_attribute("href").startswith("/demo/-/recall.atom?")
    kept.get_by_role("link", name="query", exact=True).click()
    says(page.locator("table.rows-and-columns"), "quince")
    page.go_back()
    page.get_by_role("button", name="Save it no longer").click()
    says(page.locator("body"), "No longer saved: Quinces")


def test_what_datasette_searches_finds_memories(page: Any) -> None:
    page.goto("/demo/memories?_search=quince")
    says(page.locator("table.rows-and-columns"), "quince")
    every = page.goto("/demo/memories") and page.locator("table.rows-and-columns tbody tr").count()
    page.goto("/demo/memories?_recall=who+planted+the+quince%3F")
    assert 0 < page.locator("table.rows-and-columns tbody tr").count() <= every
    if IS_1:
        page.keyboard.press("/")
        page.keyboard.type("hana")
        says(page.locator("navigation-search"), "Hana Mori")


def test_what_was_forgotten_comes_back_and_two_names_that_became_one_are_two_again(page: Any) -> None:
    page.goto("/demo/-/recall?q=who+planted+the+quince%3F")
    page.locator(".mk-hit h2 a").first.click()
    page.get_by_role("link", name="Forget").click()
    page.get_by_role("button", name="Forget").click()
    says(page.locator("body"), "Forgotten: ")
    page.get_by_role("button", name="Bring back").click()
    says(page.locator("body"), "It is back: ")
    page.goto("/demo/-/merge")
    page.locator("[name=kept]").fill("Quince Yard")
    page.locator("[name=merged]").fill("Ferry Lane")
    page.get_by_role("button", name="Show both").click()
    says(page.locator("main, .mk").first, "Are these two the same?")
    assert page.locator("article.mk-box").count() == 2
    page.get_by_role("button", name="They are one").click()
    says(page.locator("body"), "Ferry Lane is Quince Yard now.")
    page.get_by_role("link", name="Undo a merge").click()
    page.get_by_role("button", name="Make them two again").click()
    says(page.locator("body"), "Quince Yard and Ferry Lane are two again.")


def test_a_whole_note_is_shown_as_it_was_written_with_its_hit_marked(page: Any) -> None:
    page.goto("/demo/-/recall?q=who+planted+the+quince%3F&has=kind:passage")
    page.locator(".mk-hit h2 a", has_text="Quince").first.click()
    page.get_by_role("link", name="The whole note").click()
    page.wait_for_url("**/-/document/**#here")
    assert page.locator("#here").count() == 1
    text = page.locator(".mk-whole").inner_text()
    assert "---" not in text
    assert "[[" not in text
    assert page.locator(".mk-whole a").count() > 0


def test_what_nothing_answers_is_said_and_the_nearest_is_folded_away(page: Any) -> None:
    page.goto("/demo/-/recall?q=What+is+the+capital+of+Mongolia%3F")
    says(page.locator(".mk-status"), "Nothing here seems to answer this")
    assert not page.locator(".mk-hit").first.is_visible()
    page.locator(".mk-nearest > summary").click()
    assert page.locator(".mk-hit").first.is_visible()
    undated = page.locator(".mk-hit").filter(has_not=page.locator("time"))
    assert (
        undated.count() == 0 or re.search(r"20\d\d-\d\d-\d\d", undated.first.locator(".mk-place").inner_text()) is None
    )


def test_pages_follow_one_another_print_the_question_and_lead_on_from_a_wrong_name(page: Any) -> None:
    page.goto("/demo/-/recall?q=quince")
    page.get_by_role("link", name="Next page").click()
    page.wait_for_url("**page=2*")
    tops = "['prev', 'next'].map(rel => document.querySelector(`[rel=${rel}]`).getBoundingClientRect().y)"
    previous, further = page.evaluate(tops)  # at one moment: what comes later may move both
    assert abs(previous - further) < 3
    assert not re.search(r"[?&]\w+=(&|$)", page.url)
    page.emulate_media(media="print")
    assert page.locator("#q").is_visible()
    assert not page.locator(".mk-aside").is_visible()
    page.emulate_media(media="screen")
    page.goto("/demo/-/entity/Jordann")
    page.get_by_role("link", name="Jordan", exact=True).click()
    assert page.locator("h1").inner_text() == "Jordan"


def test_a_published_site_is_read_by_anybody(page: Any, published: str) -> None:
    with page.context.browser.new_context(
        base_url=published, viewport=page.viewport_size, color_scheme="dark" if is_dark(page) else "light"
    ) as anybody:
        shown = anybody.new_page()
        garden = "/a-year-of-a-garden"
        pages = ("/-/recall?q=quince", "/-/entity/Rosa", "/-/graph", "/-/time")
        for path in ("/", garden, *(garden + page for page in pages)):
            shown.goto(path)
            text = shown.locator("body").inner_text()
            assert "A year of a garden" in text + shown.title(), path
            assert "CC BY 4.0" in text, path
            assert not re.search("Upkeep|Remember something|Token budget|Compare with", text), path
            assert shown.evaluate("document.documentElement.scrollWidth <= window.innerWidth") or path == garden
            if AXE.exists() and "/-/" in path:
                assert serious(shown) == {}
        shown.goto("/about")
        says(shown.locator("body"), "A year of a garden")


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


def test_what_was_decided_on_the_page_can_be_taken_back_there(page: Any) -> None:
    page.goto("/demo/-/maintenance")
    page.get_by_role("button", name="This is true").click()
    says(page.locator("body"), "Accepted: Rosa's rule")
    says(page.locator("body"), "There is nothing to decide")
    page.get_by_role("button", name="Undo").first.click()
    says(page.locator("body"), "Undone: ")
    assert page.get_by_role("button", name="Leave both").is_visible()


def test_the_headers_block_nothing_of_a_page_and_the_page_in_a_frame(
    any_page: Any, server: tuple[str, str], demo: tuple[Path, dict[str, str]]
) -> None:
    page = any_page
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
    any_page: Any, server: tuple[str, str], demo: tuple[Path, dict[str, str]], path: str
) -> None:
    with any_page.context.new_page() as own, own.expect_console_message() as said:  # `any_page` has nothing to say
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
    found = page.evaluate("axe.run({resultTypes: ['violations']}).then(results => results.violations)")
    return {v["id"]: [n["html"][:200] for n in v["nodes"]] for v in found if v["impact"] in ("serious", "critical")}


def test_every_page_that_has_a_route_is_looked_at() -> None:
    assert [pattern for pattern, paths in ROUTED.items() if not paths] == []
    assert len(ROUTED) > 12


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_each_window_and_axe_finds_nothing_serious(
    any_page: Any, demo: tuple[Path, dict[str, str]], path: str
) -> None:
    page, found = any_page, {}
    assert page.goto(path.format(**demo[1])).status == REFUSED.get(path, 200)
    assert page.locator("main.mk").count() == 1
    for width in WIDTHS.values():
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), width
        for colour in ("light", "dark"):
            page.emulate_media(color_scheme=colour)
            found[f"{width} {colour}"] = serious(page) if AXE.exists() else {}
    assert not any(found.values()), json.dumps(found, indent=1)
