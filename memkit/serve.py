"""A memory database in the browser: Datasette, started so that it uses memkit's SQLite library and finds its pages."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from memkit._files import template_dir
from memkit.database import MemoryDatabase  # chooses the SQLite library, before Datasette would
from memkit.errors import MemkitError, NotFound

HOST = "127.0.0.1"
PORT = 8001


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
    """Serves a database until it is interrupted; `say` is told the address first.

    Only its owner sees it, by the link that Datasette prints next and that works once; with `public`, everybody who
    reaches the address. Without a port the first free one from PORT on is taken. `extra` are further options of
    `datasette serve`. Raises NotFound.
    """
    if public:
        os.environ["MEMKIT_PUBLIC"] = "1"
    if not Path(path).is_file():
        raise NotFound(f"There is no database {path!r}. This makes it: memkit ingest {path} NOTES")
    MemoryDatabase(path).close()  # migrated, and nothing left in the log
    chosen = port or free_port(host)
    say(f"http://{host}:{chosen}/{Path(path).stem}")
    from datasette.cli import cli

    cli.main([*arguments(path, host, chosen, browser=browser), *extra], standalone_mode=False)


def arguments(path: str, host: str, port: int, *, browser: bool = False) -> list[str]:
    """What `datasette` is called with. The plugin comes by itself, as an installed one; the page overrides do not."""
    templates = ["--template-dir", str(template_dir())]
    return ["serve", path, "--host", host, "--port", str(port), "--root", *templates, *(["--open"] if browser else [])]


def free_port(host: str, first: int = PORT) -> int:
    """The first port from here on that nobody listens on. Raises MemkitError if a hundred are taken."""
    for port in range(first, first + 100):
        with closing(socket.socket()) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port
    raise MemkitError(f"No port from {first} to {first + 99} is free on {host}. Give one with --port.")
