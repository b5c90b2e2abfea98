"""Static files: stylesheet and script of the pages, at an address that changes with their contents."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Any

from datasette.utils.asgi import NotFound, Response

FOLDER = Path(__file__).parent / "static"
TYPES = {"memkit.css": "text/css; charset=utf-8", "memkit.js": "text/javascript; charset=utf-8"}
FILES = {name: (FOLDER / name).read_text("utf-8") for name in TYPES}
VERSION = blake2b("".join(FILES.values()).encode(), digest_size=4).hexdigest()


def address(datasette: Any, name: str) -> str:
    """Where a page finds one of the files."""
    return str(datasette.urls.path(f"/-/memkit/{VERSION}/{name}"))


async def asset(request: Any) -> Response:
    """One of the two files, which browsers may cache for a year. Raises NotFound for another name."""
    name = request.url_vars["file"]
    if name not in FILES:
        raise NotFound("There is no such file.")
    headers = {"cache-control": "public, max-age=31536000, immutable", "x-content-type-options": "nosniff"}
    return Response(FILES[name], content_type=TYPES[name], headers=headers)
