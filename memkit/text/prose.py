"""Markdown notes as readable text: the heading is separated, and links become the words that they show."""

from __future__ import annotations

from memkit.core.patterns import pattern
from memkit.text.link_places import shown

_HEADING = pattern(r"\s*#{1,6}[ \t]+(.+?)(?:[ \t]+\{#[^{}\s]+\})?[ \t]*#*[ \t]*(?:\n+|\Z)")
_LINK = pattern(r"!?\[\[(?P<target>[^\[\]|]{1,200})(?:\|(?P<shown>[^\[\]]{1,200}))?\]\]")


def section(text: str) -> tuple[str, str]:
    """The heading at the start of a passage (empty if it has none), and the text after it."""
    match = _HEADING.match(text)
    return (match[1], text[match.end() :]) if match and text[match.end() :].strip() else ("", text)


def unlinked(text: str) -> str:
    """The text with wikilinks replaced by the words that they show: `[[Rosa Tamsin|Rosa]]` becomes `Rosa`."""
    return _LINK.sub(lambda match: match["shown"] or shown(match["target"]), text)


def plain(text: str) -> str:
    """A passage as `heading: text`, with wikilinks replaced by the words that they show."""
    heading, rest = section(text)
    return unlinked(f"{heading}: {rest}" if heading else rest)


# What a text shows without words: pictures, embedded files, where links lead, tags of HTML.
_SHOWN = pattern(
    r"!\[\[[^\[\]\n]*\]\]|!\[[^\[\]\n]*\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\]\([^()\n]*\)"
    r"|<[/!a-zA-Z][^<>]*>"
)


LONGEST_WORDLESS = 300  # characters; a longer text has words


def has_words(text: str) -> bool:
    """Whether a text has a letter or digit outside of pictures, embedded files, targets of links and HTML tags.

    An address that stands for itself has words: who sent nothing but a link is asked for that link.
    """
    return len(text) > LONGEST_WORDLESS or any(character.isalnum() for character in _SHOWN.sub(" ", text))
