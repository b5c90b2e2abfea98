"""HTML tokens: the tags and texts of a page, in time that grows with its length, whatever its shape.

Python's `html.parser` searches on to the end of the page for each comment, tag and quote that nothing closes, and in
the versions of Python that most people have, does so again at the next one: a megabyte of `<!--` would take hours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

# What nothing closes goes on to the end, so that no search begins twice.
_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<!\[CDATA\[(.*?)(?:\]\]>|\Z)"
    r"|<[!?][^>]*(?:>|\Z)"
    r"|<(/?)([a-zA-Z][^\s/>]*)((?:[^>=]|=\s*\"[^\"]*(?:\"|\Z)|=\s*'[^']*(?:'|\Z)|=)*)(?:>|\Z)"
    r"|([^<]+|<)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([^\s=/>\"']+)(?:\s*=\s*(?:\"([^\"]*)\"?|'([^']*)'?|([^\s>]+)))?")
# Their content is no HTML: it goes on to their own end tag.
_RAW = {name: re.compile(f"</{name}\\b", re.IGNORECASE) for name in ("script", "style", "textarea", "title", "xmp")}


@dataclass(frozen=True, slots=True)
class Token:
    """A start tag (`tag`, `attributes`), an end tag (`ends`), or a text (`tag` is empty). Names are in lower case."""

    tag: str = ""
    text: str = ""
    ends: bool = False
    attributes: dict[str, str] = field(default_factory=dict)


def html_tokens(html: str) -> Iterator[Token]:
    """The tags and texts of HTML in their order, without comments; character references are resolved."""
    at = 0
    while token := _TOKEN.match(html, at):
        at = token.end()
        cdata, ends, tag, attributes, text = token.groups()
        if tag:
            tag = tag.lower()
            yield Token(tag, ends=bool(ends), attributes={} if ends else _attributes(attributes))
            if tag in _RAW and not ends and not attributes.endswith("/"):
                end = found.start() if (found := _RAW[tag].search(html, at)) else len(html)
                yield Token(text=html[at:end] if tag in ("script", "style") else unescape(html[at:end]))
                at = end
        elif text or cdata:
            yield Token(text=cdata or unescape(text))


def _attributes(text: str) -> dict[str, str]:
    """The attributes in a start tag; of equal names the first, as in browsers."""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(text):
        found.setdefault(name.lower(), unescape(double or single or bare))
    return found
