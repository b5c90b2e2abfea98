"""Datasette: any query string and any form on every page of memkit gets an answer, never 500, and nothing unescaped."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote_from_bytes

from datasette.utils import tilde_encode
from datasettes import datasette

from fuzz import databases, soundness, values
from memkit.frontends.datasette.compat import IS_1

BLOCK = 100
PAGES = {
    "/recall": "q k page strategy compare project only kind speaker year since until as_of everything budget",
    "/mem/-/recall": "q k page strategy compare project only kind speaker year since until as_of everything budget",
    "/mem/-/entity/": "depth page nodes",
    "/mem/-/memory/": "",
    "/mem/-/graph": "nodes from to",
    "/mem/-/remember": "text kind title project speaker happened_at valid_from importance tags",
    "/mem/-/forget/": "",
    "/mem/-/correct/": "text why happened_at valid_from",
    "/mem/-/merge": "kept merged",
    "/mem/-/maintenance": "memory limit do id text",
    "/mem/-/feedback/": "useful question",
    "/mem/memories": "_recall",
    "/mem/current_memories": "_recall",
}
FORMS = [page for page in PAGES if page.rsplit("/", 2)[-2 if page.endswith("/") else -1] in
         ("remember", "forget", "correct", "merge", "maintenance", "feedback")]  # fmt: skip
MARK = "<xss7"  # must never come back as it is
USEFUL = {
    "strategy": ("kira", "memkit", '{"graph": null}', '{"fulltext": {"k": 1e9}}'),
    "compare": ("kira",),
    "do": ("accept", "refuse", "undo", "maintain"),
    "useful": ("0", "1"),
    "from": ("Rosa", "Otto"),
    "to": ("the quince", "Lund"),
    "kept": ("Rosa", "Otto"),
    "merged": ("the quince", "Lund"),
    "q": ("who planted the quince?", "Rosa since 2024", "剪定"),
    "_recall": ("quince",),
}


def make(random: Random) -> Any:
    """A request: a page, the name at its end, and its fields."""
    page = random.choice([*PAGES, *FORMS])
    post = page in FORMS and random.random() < 0.7
    fields = []
    for name in PAGES[page].split():
        if name == "q" or random.random() < 0.4:
            fields.append([name, field(random, name)])
    for _ in range(random.choice((0, 0, 0, 1, 3))):
        fields.append([random.choice((*PAGES[page].split(), "_format", values.text(random, 2))), values.text(random)])
    return {
        "page": page,
        "end": random.choice((0, 0, 0, 1, 1, values.text(random, 3))) if page.endswith("/") else "",
        "json": random.random() < 0.25 and page.rstrip("/").rsplit("/", 1)[-1] not in ("memories", "current_memories"),
        "post": post,
        "fields": fields,
    }


def field(random: Random, name: str) -> str:
    """What somebody might give for a field."""
    if name in USEFUL and random.random() < 0.6:
        return random.choice(USEFUL[name])
    if random.random() < 0.1:
        return f"{values.text(random, 2)}{random.choice(('', chr(34), chr(39)))}>{MARK}>"
    return random.choice((values.text(random, 6), str(random.choice(values.NUMBERS)), random.choice(values.TIMES)))


class World:
    """A Datasette that serves a database to its owner."""

    def __init__(self, folder: Path):
        self.file = folder / "mem.db"
        with databases.copy(self.file) as db:
            self.ids = [row[0] for row in db.conn.execute("select id from memories order by key limit 2")]
            self.names = [row[0] for row in db.conn.execute("select name from entities order by key limit 2")]
        self.loop = asyncio.new_event_loop()
        self.served = datasette(self.file)
        self.loop.run_until_complete(self.served.invoke_startup())
        self.app = self.served.app()
        self.cookie = f"ds_actor={self.served.sign({'a': {'id': 'root'}}, 'actor')}"
        self.token = ""
        if not IS_1:
            said = self.loop.run_until_complete(self.ask("GET", "/mem/-/remember", b""))
            self.token = next(
                value.decode().split("ds_csrftoken=")[1].split(";")[0]
                for name, value in said[2]
                if name == b"set-cookie" and b"ds_csrftoken=" in value
            )
            self.cookie += f"; ds_csrftoken={self.token}"

    async def ask(self, method: str, path: str, query: bytes, body: bytes = b"") -> tuple[int, bytes, Any]:
        """Status, body and headers of the answer."""
        said: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            said.append(message)

        headers = [(b"host", b"localhost"), (b"cookie", self.cookie.encode())]
        if method == "POST":
            headers.append((b"content-type", b"application/x-www-form-urlencoded"))
        raw = quote_from_bytes(path.encode("utf-8", "surrogatepass"), safe="/~%")
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "headers": headers,
            "path": path,
            "raw_path": raw.encode(),
            "query_string": query,
            "client": ("127.0.0.1", 1),
            "server": ("localhost", 80),
            "asgi": {"version": "3.0"},
        }
        await self.app(scope, receive, send)
        start = next(message for message in said if "status" in message)
        found = b"".join(message.get("body", b"") for message in said if message["type"] == "http.response.body")
        return start["status"], found, start["headers"]

    def run(self, case: Any) -> None:
        """Asks, and looks at the answer."""
        end = case["end"]
        if isinstance(end, int):
            end = (self.names if "/entity/" in case["page"] else self.ids)[end]
        path = case["page"] + tilde_encode(end.encode("utf-8", "replace").decode())
        path = (path[:-1] if path.endswith("/") else path) + (".json" if case["json"] else "")
        fields = [*case["fields"], *([["csrftoken", self.token]] if case["post"] and self.token else [])]
        encoded = "&".join("=".join(map(_encoded, pair)) for pair in fields).encode()
        method = "POST" if case["post"] else "GET"
        asked = (b"", encoded) if case["post"] else (encoded, b"")
        status, body, headers = self.loop.run_until_complete(self.ask(method, path, *asked))
        text = body.decode()
        soundness.must(status < 500, f"{status} from {method} {case['page']}: {text[-1500:]}")
        kind = dict(headers).get(b"content-type", b"")
        soundness.must(b"html" not in kind or MARK not in text, "something in a page is not escaped")

    def check(self) -> None:
        """What was written is whole."""
        with databases.opened(self.file) as db:
            soundness.check(db.conn)

    def close(self) -> None:
        """Ends it and its threads."""
        for one in self.served.databases.values():
            one.close()
        self.served.executor.shutdown()
        self.loop.close()


def _encoded(text: str) -> str:
    return quote_from_bytes(text.encode("utf-8", "surrogatepass"))
