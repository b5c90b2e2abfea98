"""Server: a memory database in the browser, with Datasette and memkit's own pages and SQLite library."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path

from memkit.core.errors import MemkitError, NotFound
from memkit.core.files import template_dir
from memkit.database.memory_database import MemoryDatabase  # chooses the SQLite library before Datasette does

HOST = "127.0.0.1"
PORT = 8001
PRIVATE = " is private. To log in, open this link, which works once:"


def serve(
    path: str,
    *,
    host: str = HOST,
    port: int | None = None,
    browser: bool = False,
    public: bool = False,
    extra: Iterable[str] = (),
    say: Callable[[str], object] = lambda text: None,
) -> None:
    """Serves a database until it is interrupted; `say` is called first with the address, and whose it is.

    Only the owner can see it, with a link that Datasette prints and that works once; with `public`, everybody who can
    reach the address. Without a `port`, it uses the first free one from PORT on. `extra` are more options of
    `datasette serve`. Raises NotFound if there is no such file, MemkitError if no port is free.
    """
    if public:
        os.environ["MEMKIT_PUBLIC"] = "1"
    if not Path(path).is_file():
        raise NotFound(f"There is no database {path!r}. To make it, run: memkit ingest {path} NOTES")
    MemoryDatabase(path).close()  # migrates the file and empties its write-ahead log
    chosen = port or free_port(host)
    extra = [*extra]
    say(f"http://{host}:{chosen}{base_path(extra)}/{Path(path).stem}" + ("" if public else PRIVATE))
    from datasette.cli import cli

    cli.main([*arguments(path, host, chosen, browser=browser), *extra], standalone_mode=False)


def arguments(path: str, host: str, port: int, *, browser: bool = False) -> list[str]:
    """The arguments for `datasette`. It finds the installed plugin by itself, but not memkit's page templates."""
    templates = ["--template-dir", str(template_dir())]
    return ["serve", path, "--host", host, "--port", str(port), "--root", *templates, *(["--open"] if browser else [])]


def base_path(options: Sequence[str]) -> str:
    """The path below which these options of `datasette serve` put its pages, as behind a proxy; empty for none."""
    threes = zip(options, options[1:], options[2:], strict=False)
    path = next((value for *setting, value in threes if setting == ["--setting", "base_url"]), "").strip("/")
    return f"/{path}" if path else ""


def free_port(host: str) -> int:
    """The first free port from PORT on. Raises MemkitError if a hundred are in use."""
    for port in range(PORT, PORT + 100):
        with closing(socket.socket()) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port
    raise MemkitError(f"No port from {PORT} to {PORT + 99} is free on {host}. Give one with --port.")
