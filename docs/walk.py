"""Walks through memkit's pages as a new user does, in a real browser, and takes the pictures of docs/walk.md.

    python docs/walk.py [PICTURES]

Without a folder, those of docs/images are written anew. Needs playwright and Chromium (`.ci/browser` installs both). A
step that does not work raises an error, so a test walks as well.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from PIL import Image

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "samples"
WINDOW = {"width": 1000, "height": 640}
COLOURS = 64  # of a picture: enough for text and marks, a third of the size
TRIES, TOO_SLOW = 3, "This took more than"
MEMKIT = [sys.executable, "-m", "memkit"]


def walk(pictures: Path) -> list[str]:
    """Takes the whole walk, writes its pictures, and returns their names in order."""
    from playwright.sync_api import sync_playwright

    pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        memory = Path(folder) / "memory.db"
        _run("ingest", memory, SAMPLES / "notes", SAMPLES / "chats")
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        with _served(*MEMKIT, "serve", memory) as link:
            owner = _Walker(browser, link, pictures)
            _as_owner(owner)
        site = Path(folder) / "garden"
        _run("publish", memory, site, "--entity", "Quince", "--title", "A year of a garden", "--license", "CC BY 4.0")
        with _served(sys.executable, "-m", "datasette", "serve", site) as link:
            visitor = _Walker(browser, link, pictures)
            _as_visitor(visitor)
        browser.close()
    return [*owner.taken, *visitor.taken]


class _Walker:
    """A window in which somebody walks, and takes pictures on the way."""

    def __init__(self, browser: Any, link: str, pictures: Path):
        self.page = browser.new_context(viewport=WINDOW).new_page()
        self.page.goto(link)
        self.taken: list[str] = []
        self._folder = pictures

    def see(self, *expected: str) -> None:
        """Looks whether these texts are on the page."""
        said = self.page.locator("body").inner_text()
        missing = [text for text in expected if text not in said]
        if missing:
            raise AssertionError(f"{self.page.url} lacks {missing}: {said[:500]}")

    def take(self, name: str, *expected: str) -> None:
        """Takes a picture of the page, on which these texts have to be."""
        self.see(*expected)
        self.taken.append(f"walk-{name}.png")
        shot = self.page.screenshot(animations="disabled")
        Image.open(BytesIO(shot)).quantize(COLOURS).save(self._folder / self.taken[-1], optimize=True)

    def ask(self, question: str) -> None:
        """Types a question and sends it; again if a busy machine could not load the model in time."""
        self.fill(q=question)
        with self._leaving():
            self.page.keyboard.press("Enter")
        for _ in range(TRIES):
            if TOO_SLOW not in self.page.locator("body").inner_text():
                break
            self.page.reload(wait_until="networkidle")

    def fill(self, **values: str) -> None:
        """Types into the fields of these names."""
        for name, value in values.items():
            self.page.locator(f"[name={name}]").first.fill(value)

    def follow(self, name: str) -> None:
        """Clicks the first link with this text."""
        with self._leaving():
            self.page.get_by_role("link", name=name).first.click()

    def open(self, name: str) -> None:
        """Opens the first part that is folded under this name, and shows it from the top of the window."""
        folded = self.page.locator("summary", has_text=name).first
        folded.click()
        folded.evaluate("one => one.closest('li').scrollIntoView()")

    def press(self, name: str) -> None:
        """Clicks the first button with this text."""
        with self._leaving():
            self.page.locator(f"main input[value='{name}'], main button:has-text('{name}')").first.click()

    def _leaving(self) -> Any:
        """Waits at the end of the block for the next page; the one that is left may be idle still."""
        return self.page.expect_navigation(wait_until="networkidle")


def _as_owner(walker: _Walker) -> None:
    walker.take("first", "What do you want to know?", "Often named", "Quince Yard")
    walker.ask("who planted the quinse?")
    walker.take("ask", "read as 'quince'", "Rosa planted it in 2019")
    walker.open("Why?")
    walker.take("why", "Your question", "It has words of your question", "This memory")
    walker.fill(name="The quince")
    walker.press("Save")
    walker.page.locator("#save").evaluate("one => one.scrollIntoView({block: 'center'})")
    walker.take("again", "Saved: The quince", "feed of new answers", "Save it no longer")
    walker.follow("Quince")
    walker.take("memory", "The whole note", "It names", "Forget")
    walker.follow("Rosa")
    walker.take("name", "What holds", "Who is near", "landlady")
    walker.page.go_back()
    walker.follow("Correct")
    walker.fill(
        text="The quince at the end of the path, variety Vranja. Rosa planted it in 2018.", why="She found the bill."
    )
    walker.press("Correct")
    walker.take("correct", "Corrected. It now says", "replaces", "She found the bill.")
    walker.follow("Forget")
    walker.press("Forget")
    walker.take("forget", "Forgotten: The quince", "Bring back")
    walker.press("Bring back")
    walker.see("It is back: The quince")
    walker.follow("home")
    walker.follow("Merge two names")
    walker.fill(kept="Quince Yard", merged="Ferry Lane")
    walker.press("Show both")
    walker.take("merge", "Are these two the same?", "2 memories name it")
    walker.press("They are one")
    walker.see("Ferry Lane is Quince Yard now.", "Also known as the garden, the yard, Ferry Lane")
    walker.follow("Undo a merge")
    walker.press("Make them two again")
    walker.see("Quince Yard and Ferry Lane are two again.")


def _as_visitor(walker: _Walker) -> None:
    walker.take("visit", "A year of a garden", "Licence: CC BY 4.0", "What happened last")
    walker.ask("when does the quince flower?")
    walker.see("first blossom on 3 May")


# ---------------------------------------------------------------------------------------------- commands


def _run(*command: object) -> str:
    done = subprocess.run([*MEMKIT, *map(str, command)], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise SystemExit(done.stderr or done.stdout)
    return done.stdout


@contextmanager
def _served(*command: object) -> Iterator[str]:
    """A running server, and the link to it that it prints: the one that logs in, if there is one."""
    with tempfile.TemporaryFile("w+") as said:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = ["--port", str(probe.getsockname()[1])]
        process = subprocess.Popen([*map(str, command), *port], stdout=said, stderr=subprocess.STDOUT, cwd=ROOT)
        try:
            yield _link(process, said)
        finally:
            process.terminate()
            process.wait()


def _link(process: subprocess.Popen[bytes], said: IO[str]) -> str:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        said.seek(0)
        output = said.read()
        if "Uvicorn running" in output:
            links = re.findall(r"http://[^\s)]+", output)
            return next((link for link in links if "auth-token" in link), links[0])
        time.sleep(0.1)
    raise SystemExit(f"The server did not start: {output}")


def _chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


if __name__ == "__main__":
    walk(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
