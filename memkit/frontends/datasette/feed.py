"""A question as an Atom feed (RFC 4287): its answers, the newest memory first, so that a reader shows new ones."""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from datasette.utils.asgi import Response

from memkit.frontends.datasette.headers import NOT_FRAMED, POLICY, PRIVATE

TYPE = "application/atom+xml; charset=utf-8"
_NOT_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
_TIME = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?")
# A browser would run a script of XHTML in any XML. A feed needs nothing but itself.
HEADERS = {**PRIVATE, POLICY: f"default-src 'none'; {NOT_FRAMED[POLICY]}"}
EMPTY = "1970-01-01T00:00:00Z"  # a feed needs a time, also if nothing answers yet


def newest_first(hits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """These answers by the time at which they were remembered."""
    return sorted(hits, key=lambda hit: (hit["created_at"], hit["id"]), reverse=True)


def feed(datasette: Any, request: Any, question: str, page: str, hits: list[dict[str, Any]]) -> Response:
    """The feed of these answers, the newest first; `page` is the address of the page with the question."""
    here, there = (datasette.absolute_url(request, path) for path in (request.full_path, page))
    parts = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:base={_attribute(there)}>',
        f"<title>{_text(question)}</title>",
        f"<id>{_text(there)}</id>",
        f'<link rel="self" href={_attribute(here)}/>',
        f'<link rel="alternate" type="text/html" href={_attribute(there)}/>',
        f"<updated>{_time(hits[0]['created_at']) if hits else EMPTY}</updated>",
        "<author><name>memkit</name></author>",
        *(_entry(hit, datasette.absolute_url(request, hit["url"])) for hit in hits),
        "</feed>\n",
    ]
    return Response("\n".join(parts), headers=dict(HEADERS), content_type=TYPE)


def _entry(hit: dict[str, Any], url: str) -> str:
    shown = str(hit["html"]) or escape(hit["heading"])  # HTML either way: a reader takes the text for that
    return (
        f"<entry><title>{_text(hit['heading'])}</title><id>{_text(url)}</id>"
        f'<link rel="alternate" type="text/html" href={_attribute(url)}/>'
        f"<updated>{_time(hit['created_at'])}</updated>"
        f'<content type="html">{_text(shown)}</content></entry>'
    )


def _text(words: Any) -> str:
    return escape(_sound(words))


def _attribute(words: Any) -> str:
    return quoteattr(_sound(words))


def _sound(words: Any) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", str(words))


def _time(stored: Any) -> str:
    """A time as a feed has it; EMPTY for what is none, as a file from elsewhere may hold."""
    match = _TIME.fullmatch(str(stored))
    if match is None:
        return EMPTY
    return match[0] if match[1] else f"{match[0]}T00:00:00Z"
