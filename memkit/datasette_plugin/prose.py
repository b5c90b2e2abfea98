"""Notes as they are read rather than typed: a heading apart, and links by the words that they show."""

from __future__ import annotations

import re

_HEADING = re.compile(r"\s*#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*(?:\n+|\Z)")
_LINK = re.compile(r"!?\[\[(?P<target>[^\[\]|]{1,200})(?:\|(?P<shown>[^\[\]]{1,200}))?\]\]")


def section(text: str) -> tuple[str, str]:
    """The heading that a passage begins with, or an empty one, and what follows it."""
    match = _HEADING.match(text)
    return (match[1], text[match.end() :]) if match and text[match.end() :].strip() else ("", text)


def unlinked(text: str) -> str:
    """The text with its wikilinks as the words that they show: `[[Rosa Tamsin|Rosa]]` is `Rosa`."""
    return _LINK.sub(lambda match: match["shown"] or match["target"].replace("#", " › "), text)


def plain(text: str) -> str:
    """A passage in a line: its heading, and the text without marks."""
    heading, rest = section(text)
    return unlinked(f"{heading}: {rest}" if heading else rest)


def linked(text: str) -> list[tuple[str, str]]:
    """The text in pieces of (shown, target): the target of a wikilink, or an empty one for what stands between."""
    pieces: list[tuple[str, str]] = []
    at = 0
    for match in _LINK.finditer(text):
        pieces += [(text[at : match.start()], ""), (unlinked(match[0]), match["target"].split("#")[0])]
        at = match.end()
    return [piece for piece in [*pieces, (text[at:], "")] if piece[0]]
