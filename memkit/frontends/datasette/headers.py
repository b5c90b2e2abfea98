"""HTTP headers that keep pages of private memories out of other sites' frames, and the owner's login from scripts."""

from __future__ import annotations

from typing import Any

from datasette.utils import tilde_decode

from memkit.frontends.datasette.compat import is_datasettes_own
from memkit.frontends.datasette.databases import holds_memories
from memkit.frontends.datasette.permissions import refuses

NOT_FRAMED = {
    "content-security-policy": "frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'self'",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",  # for browsers that do not know frame-ancestors
}
PRIVATE = {"cache-control": "private, no-store", **NOT_FRAMED}
POLICY = "content-security-policy"

Header = tuple[bytes, bytes]


def with_scripts_of_the_frame(html: str, edge: str, nonce: str) -> tuple[str, dict[str, str]]:
    """A page of memkit's on which only the scripts around its content run, and the header that says so.

    Datasette and its plugins write scripts into every page, before and after the content; those get the `nonce`, which
    nobody knows beforehand. What the content shows of memories would have none, whatever it is. `edge` stands where the
    content begins and ends; a template of the user's own may lack it, and is left as it is.
    """
    parts = html.split(edge)
    if len(parts) != 3:
        return html, {}
    before, content, after = parts
    before, after = (part.replace("<script", f'<script nonce="{nonce}"') for part in (before, after))
    policy = f"{NOT_FRAMED[POLICY]}; script-src 'nonce-{nonce}' 'strict-dynamic'"
    return f"{before}{content}{after}", {POLICY: policy}


def guarded(datasette: Any, app: Any) -> Any:
    """The ASGI application with NOT_FRAMED on all that shows private memories; a page's own headers have priority.

    Datasette itself says `no-store` to everybody who is logged in. Pages of other databases and of published files stay
    as they are.
    """

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        async def send_guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": await _guarded(datasette, scope, list(message.get("headers", [])))}
            await send(message)

        await app(scope, receive, send_guarded)

    return answer


async def _guarded(datasette: Any, scope: Any, headers: list[Header]) -> list[Header]:
    if any(map(_is_login, headers)) and await _any_memories(datasette):
        headers = [(name, value + b"; HttpOnly" * _is_login((name, value))) for name, value in headers]
    if await _shows_private(datasette, scope):
        own = {name.lower().decode("latin-1") for name, _ in headers}
        headers += [(name.encode(), value.encode()) for name, value in NOT_FRAMED.items() if name not in own]
    return headers


def _is_login(header: Header) -> bool:
    name, value = header
    return name.lower() == b"set-cookie" and value.startswith(b"ds_actor=") and b"httponly" not in value.lower()


async def _any_memories(datasette: Any) -> bool:
    return any([await holds_memories(database) is not False for database in datasette.databases.values()])


async def _shows_private(datasette: Any, scope: Any) -> bool:
    """Whether an address is one of a private database, or of none (`/`, `/-/logout`) where nothing else is served."""
    named = _database(datasette, scope)
    if named is not None:
        return await _is_private(datasette, named)
    owned = [database for database in datasette.databases.values() if not is_datasettes_own(database)]
    return bool(owned) and all([await _is_private(datasette, database) for database in owned])


async def _is_private(datasette: Any, database: Any) -> bool:
    """Whether a database holds memories that are not published: they can change, or not everybody may see them."""
    if await refuses(datasette, None, "execute-sql", database.name):
        return True
    return bool(database.is_mutable) and await holds_memories(database) is not False


def _database(datasette: Any, scope: Any) -> Any:
    """The database that an address names, read as Datasette reads it; None if it names none."""
    path = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1").partition("?")[0]
    base = datasette.setting("base_url")
    if base != "/" and path.startswith(base):
        path = "/" + path[len(base) :]
    try:
        return datasette.get_database(route=tilde_decode(path[1:].partition("/")[0].partition(".")[0]))
    except KeyError:
        return None
