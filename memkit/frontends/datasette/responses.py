"""HTTP responses: a page or its JSON; an error becomes a page with a sentence."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from hashlib import md5
from secrets import token_urlsafe
from typing import Any

from datasette import Forbidden
from datasette.utils import add_cors_headers, tilde_encode
from datasette.utils.asgi import NotFound, Response

from memkit.core import errors
from memkit.core.formatting import short
from memkit.frontends.datasette.compat import is_datasettes_own, one_page, site
from memkit.frontends.datasette.headers import PRIVATE, with_scripts_of_the_frame
from memkit.frontends.datasette.permissions import kept_seconds

STATUS = {
    errors.NotFound: 404,
    errors.BadQuestion: 400,
    errors.Busy: 503,
    errors.ReadOnly: 403,
    errors.NotAMemoryDatabase: 503,  # it was a memory database when it was looked up
}


def is_json(request: Any) -> bool:
    """Whether the request is for the JSON of a page."""
    return bool(request.url_vars.get("format") == "json")


async def answer(datasette: Any, request: Any, template: str, values: dict[str, Any], *, status: int = 200) -> Response:
    """A page, or its values as JSON. Names that begin with _ are only for the template."""
    if is_json(request):
        shown = {name: value for name, value in values.items() if not name.startswith("_")}
        return Response(
            json.dumps({"ok": status < 400, **shown}, ensure_ascii=False, default=str),
            status=status,
            content_type="application/json; charset=utf-8",
            headers=_headers(datasette, request, values, status) | _others(datasette),
        )
    nonce = token_urlsafe(16)
    edge = f"<!-- {token_urlsafe(16)} -->"
    own = {
        "_style": _style(datasette),
        "_edge": edge,
        "metadata": await site(datasette),
        "_alone": sum(not is_datasettes_own(one) for one in datasette.databases.values()) == 1,
        "_color": md5((values.get("database") or "").encode()).hexdigest()[:6],
    }
    html = await datasette.render_template(template, {**values, **own}, request=request)
    html, policy = with_scripts_of_the_frame(html, edge, nonce)
    # Datasette 0.65 does not state the language of its pages, which screen readers need.
    return Response.html(
        html.replace("<html>", '<html lang="en">', 1),
        status=status,
        headers=_headers(datasette, request, values, status) | policy,
    )


async def done(datasette: Any, request: Any, template: str, values: dict[str, Any], where: str) -> Response:
    """After a form that wrote: the values as JSON, or their message and warnings on the page `where`."""
    if is_json(request):
        return await answer(datasette, request, template, values)
    datasette.add_message(request, values["message"])
    for warning in values["warnings"]:
        datasette.add_message(request, warning, datasette.WARNING)
    return Response.redirect(where)


def _headers(datasette: Any, request: Any, values: dict[str, Any], status: int) -> dict[str, str]:
    """The caching headers: private, except for pages without an actor about immutable files."""
    names = [values["database"]] if values.get("database") else values.get("databases") or []
    seconds = min((kept_seconds(datasette, name) for name in names), default=0)
    if request.actor or status != 200 or not seconds:
        return PRIVATE
    return {**PRIVATE, "cache-control": f"public, max-age={seconds}", "vary": "Cookie"}


def _others(datasette: Any) -> dict[str, str]:
    """The headers that let other sites read the JSON, if the server allows that (`--cors`)."""
    headers: dict[str, str] = {}
    if datasette.cors:
        add_cors_headers(headers)
    return headers


def _style(datasette: Any) -> dict[str, str]:
    from memkit.frontends.datasette.assets import address

    return {name: address(datasette, f"memkit.{name}") for name in ("css", "js")}


def similar(datasette: Any, request: Any, near: Sequence[str]) -> list[dict[str, str]]:
    """Links to these names in the database of the request."""
    where = datasette.urls.path(f"/{request.url_vars.get('database')}/-/entity/")
    return [{"name": short(name, 60), "url": where + tilde_encode(name)} for name in near]


View = Callable[[Any, Any], Awaitable[Response]]


def page(view: View) -> View:
    """A view for which NotFound, MemkitError and, as JSON, Forbidden become an error page with the fitting status."""

    @wraps(view)
    async def guarded(datasette: Any, request: Any) -> Response:
        with one_page():
            try:
                return await view(datasette, request)
            except Forbidden as error:
                if not is_json(request):
                    raise  # Datasette's page, or what a plugin for logging in shows instead
                return await failed(datasette, request, str(error), 403)
            except NotFound as error:
                return await failed(datasette, request, str(error), 404)
            except errors.MemkitError as error:
                status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)
                return await failed(datasette, request, str(error), status, getattr(error, "near", ()))

    return guarded


async def failed(datasette: Any, request: Any, sentence: str, status: int, near: Sequence[str] = ()) -> Response:
    """The error page with a sentence, a status, and links to names with a similar spelling."""
    values = {"error": short(sentence, 600), "status": status, "_near": similar(datasette, request, near)}
    return await answer(datasette, request, "memkit_error.html", values, status=status)
