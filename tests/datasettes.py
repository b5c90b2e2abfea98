"""Datasettes for tests: memkit's plugin on whichever version is installed, asked as root or as nobody."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from datasette.app import Datasette
from datasette.plugins import pm

from memkit import MemoryDatabase
from memkit.frontends import datasette as datasette_plugin
from memkit.frontends.datasette.compat import IS_1

SAMPLES = Path(__file__).parent.parent / "samples"

# Found in the private memories of `private`, and nowhere else.
SECRET = "xylophonequartz"
NASTY = "<script>alert(1)</script> <svg onload=alert(2)> [x](javascript:alert(3)) \"quoted\" & 'single'"

if not pm.is_registered(datasette_plugin):  # a checkout that is not installed
    pm.register(datasette_plugin, name="memkit")


def datasette(*files: Path | str, config: dict[str, Any] | None = None, **options: Any) -> Datasette:
    """A Datasette over these files; `config` is what the owner wrote, in the place where this version reads it."""
    if config is not None:
        options["config" if IS_1 else "metadata"] = config
    made = Datasette([str(file) for file in files], **options)
    if IS_1:
        made.root_enabled = True
        made.app = cache(made.app)  # its client would make the whole application anew for every request
    return made


class Browser:
    """Somebody who asks a Datasette for pages: root, nobody, or another actor."""

    def __init__(self, served: Datasette, actor: dict[str, Any] | None = None):
        self.served = served
        self.cookies = {"ds_actor": served.sign({"a": actor}, "actor")} if actor else {}

    async def get(self, path: str) -> Any:
        """The response to a path."""
        return await self.served.client.get(path, cookies=self.cookies)

    async def page(self, path: str, status: int = 200) -> str:
        """The text of a page, which has this status."""
        response = await self.get(path)
        assert response.status_code == status, (path, response.status_code, response.text[:2000])
        return str(response.text)

    async def json(self, path: str, status: int = 200) -> Any:
        """The JSON at a path."""
        return json.loads(await self.page(path, status))

    async def post(self, path: str, **fields: str) -> Any:
        """The response to a form, sent as a browser would: with the token that the page had."""
        cookies = dict(self.cookies)
        form = await self.served.client.get(path, cookies=cookies)
        if "ds_csrftoken" in form.cookies:
            cookies["ds_csrftoken"] = form.cookies["ds_csrftoken"]
            fields = {**fields, "csrftoken": form.cookies["ds_csrftoken"]}
        return await self.served.client.post(path, data=fields, cookies=cookies)


def root(served: Datasette) -> Browser:
    """The owner."""
    return Browser(served, {"id": "root"})


def nobody(served: Datasette) -> Browser:
    """Anybody who comes by."""
    return Browser(served)


@asynccontextmanager
async def running(served: Datasette) -> AsyncIterator[Datasette]:
    """A Datasette that a server runs: datasette-mcp answers only then."""
    await served.invoke_startup()
    events: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    begun, ended = asyncio.Event(), asyncio.Event()

    async def send(message: dict[str, Any]) -> None:
        (begun if "startup" in message["type"] else ended).set()

    life = asyncio.create_task(served.app()({"type": "lifespan", "asgi": {"version": "3.0"}}, events.get, send))
    await events.put({"type": "lifespan.startup"})
    await begun.wait()
    try:
        yield served
    finally:
        await events.put({"type": "lifespan.shutdown"})
        await ended.wait()
        await life


class OverMcp:
    """datasette-mcp over HTTP, as an agent calls it; another browser may come with the id of the session."""

    def __init__(self, browser: Browser):
        self.browser = browser
        self._session: dict[str, str] = {}

    async def ask(self, method: str, *, by: Browser | None = None, **params: Any) -> Any:
        """The answer to a call."""
        if not self._session and method != "initialize":
            who = {"name": "test", "version": "1"}
            await self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=who)
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"accept": "application/json, text/event-stream", **self._session}
        browser = by or self.browser
        response = await browser.served.client.post("/-/mcp", json=asked, headers=headers, cookies=browser.cookies)
        if "mcp-session-id" in response.headers:
            self._session = {"mcp-session-id": response.headers["mcp-session-id"]}
        return json.loads(response.text)

    async def call(self, tool: str, *, by: Browser | None = None, **arguments: Any) -> str:
        """What a tool answers."""
        return json.dumps(await self.ask("tools/call", by=by, name=tool, arguments=arguments), ensure_ascii=False)


def build_demo(path: Path) -> Path:
    """The samples' year as a database."""
    with MemoryDatabase(path) as memory:
        memory.ingest([SAMPLES / name for name in ("notes", "chats", "facts.jsonl")], now="2026-01-01T12:00:00Z")
        memory.ingest(SAMPLES / "relations.jsonl", now="2026-01-01T12:00:00Z")
    return path


def build_private(path: Path) -> Path:
    """A few memories with a secret word and with text that would do harm if it were HTML."""
    with MemoryDatabase(path, embed="none") as memory:
        now = "2026-01-01T12:00:00Z"
        memory.remember(f"The {SECRET} lies under the third flagstone.", title=f"{SECRET} cellar", now=now)
        memory.remember(f"Zebediah keeps {NASTY} in a jar.", title=NASTY, project="p<b>", tags=[NASTY], now=now)
        memory.relate("Zebediah", "keeps", SECRET, now=now)
        memory.relate(NASTY, "knows", "Zebediah", now=now)
    return path


async def raw(browser: Browser, path: str, query: bytes) -> tuple[int, bytes]:
    """Status and body of a request that no browser would send: any bytes, of any length."""
    said: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "headers": [(b"host", b"localhost"), (b"cookie", cookies.encode())],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }
    await browser.served.invoke_startup()
    await browser.served.app()(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in said if message["type"] == "http.response.body")
    return next(message["status"] for message in said if "status" in message), body
