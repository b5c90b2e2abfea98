"""Answers to requests: a page or its JSON, and failures as pages with a sentence."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import wraps
from hashlib import md5
from typing import Any

from datasette import Forbidden
from datasette.utils import add_cors_headers
from datasette.utils.asgi import NotFound, Response

from memkit import errors
from memkit.datasette_plugin.compat import one_page
from memkit.datasette_plugin.permissions import kept_seconds
from memkit.render import short

STATUS = {
    errors.NotFound: 404,
    errors.BadQuestion: 400,
    errors.Busy: 503,
    errors.ReadOnly: 403,
    errors.NotAMemoryDatabase: 503,  # it was one when it was looked up
}
PRIVATE = {"cache-control": "private, no-store", "x-content-type-options": "nosniff", "referrer-policy": "same-origin"}


def is_json(request: Any) -> bool:
    """Whether the JSON of a page is asked for."""
    return request.url_vars.get("format") == "json"


async def answer(datasette: Any, request: Any, template: str, values: dict[str, Any], *, status: int = 200) -> Response:
    """A page, or as JSON what it shows. Names that begin with _ are for the template alone."""
    if is_json(request):
        shown = {name: value for name, value in values.items() if not name.startswith("_")}
        return Response(
            json.dumps({"ok": status < 400, **shown}, ensure_ascii=False, default=str),
            status=status,
            content_type="application/json; charset=utf-8",
            headers=_headers(datasette, request, values, status) | _others(datasette),
        )
    own = {"_style": _style(datasette), "_color": md5((values.get("database") or "").encode()).hexdigest()[:6]}
    html = await datasette.render_template(template, {**values, **own}, request=request)
    # Datasette 0.65 does not say which language its pages are in; a screen reader has to know.
    return Response.html(
        html.replace("<html>", '<html lang="en">', 1),
        status=status,
        headers=_headers(datasette, request, values, status),
    )


def _headers(datasette: Any, request: Any, values: dict[str, Any], status: int) -> dict[str, str]:
    """A page is for one reader alone, unless it is nobody's in particular, about files that never change."""
    names = [values["database"]] if values.get("database") else values.get("databases") or []
    seconds = min((kept_seconds(datasette, name) for name in names), default=0)
    if request.actor or status != 200 or not seconds:
        return PRIVATE
    return {**PRIVATE, "cache-control": f"public, max-age={seconds}", "vary": "Cookie"}


def _others(datasette: Any) -> dict[str, str]:
    """The headers that let other sites read it, where the server does that (`--cors`)."""
    headers: dict[str, str] = {}
    if datasette.cors:
        add_cors_headers(headers)
    return headers


def _style(datasette: Any) -> dict[str, str]:
    from memkit.datasette_plugin.assets import VERSION

    return {name: datasette.urls.path(f"/-/memkit/{VERSION}/memkit.{name}") for name in ("css", "js")}


View = Callable[[Any, Any], Awaitable[Response]]


def page(view: View) -> View:
    """A view whose failures become pages: what a person can do something about is said, with its status."""

    @wraps(view)
    async def guarded(datasette: Any, request: Any) -> Response:
        with one_page():
            try:
                return await view(datasette, request)
            except Forbidden:
                raise
            except NotFound as error:
                return await failed(datasette, request, str(error), 404)
            except errors.MemkitError as error:
                status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)
                return await failed(datasette, request, str(error), status)

    return guarded


async def failed(datasette: Any, request: Any, sentence: str, status: int) -> Response:
    """A page that says what is wrong."""
    values = {"error": short(sentence, 600), "status": status}
    return await answer(datasette, request, "memkit_error.html", values, status=status)
