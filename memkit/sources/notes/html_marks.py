"""HTML in notes: colours, sizes, frames and line breaks are no words. Addresses, pictures and what is struck stay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memkit.core.patterns import pattern

_VALUE = r"\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=`]+)"
_SWITCH = r"(?:(?:webkit|moz)?allowfullscreen|open|hidden|controls|checked|disabled|autoplay|loop|muted|async|defer)"
# The content of the first three is no text. An attribute has a value or is a known switch: `a <b and c>` is no tag.
_TAG = pattern(
    r"<(?P<raw>style|script|svg)\b[^<>]*>(?:[^<]|<(?!/?(?P=raw)\b))*</(?P=raw)\s*>"
    rf"|<(?P<ends>/?)(?P<name>[a-z][a-z0-9]*)(?P<given>(?:\s+(?:{_SWITCH}(?=[\s/>])|[\w:@.-]+{_VALUE}))*)\s*/?>",
    re.IGNORECASE,
)
_GIVEN = pattern(r"([\w:@.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>=`]+))")
_ALONE = frozenset("br hr img wbr input embed source".split())
_MEDIA = frozenset("iframe video audio embed source".split())
_INLINE = frozenset("span font mark u small big abbr kbd tt samp q cite dfn label ins bdi bdo nobr button a".split())
_BLOCKS = frozenset(
    """div p center table thead tbody tfoot tr td th caption colgroup ul ol li dl dt dd h1 h2 h3 h4 h5 h6 details
    summary figure figcaption section article aside header footer nav main blockquote form fieldset picture""".split()
)
_AS_MARKDOWN = {"b": "**", "strong": "**", "i": "*", "em": "*", "s": "~~", "del": "~~", "strike": "~~", "code": "`"}
_IN_ADDRESS = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "\n": ""})
Cut = tuple[int, int, str]


def html_cuts(text: str, start: int) -> Iterator[Cut]:
    """The spans of tags in a text from `start` on, with what stands instead.

    A tag that must be closed counts only if the text has one that closes it: `cp <source> <summary>` has none. Signs
    above and below a line (`10<sup>6</sup>`) stay, since the words without them say something else.
    """
    tags = list(_TAG.finditer(text, start))
    closed = {tag["name"].lower() for tag in tags if tag["ends"]}
    links: list[tuple[re.Match[str], str]] = []
    for tag in tags:
        name = (tag["name"] or "").lower()
        given = _attributes(tag["given"] or "")
        if tag["raw"]:
            yield *tag.span(), ""
        elif name == "a" and not tag["ends"] and given.get("href"):
            links.append((tag, given["href"]))
        elif name == "a" and tag["ends"] and links:
            opens, address = links.pop()
            yield *opens.span(), "["
            yield *tag.span(), f"]({address})"
        elif name in closed or (name in _ALONE and not tag["ends"]):
            instead = _instead(tag, name, given)
            if instead is not None:
                yield *tag.span(), instead


def without_tags(text: str) -> str:
    """A text that is no Markdown yet, without its tags."""
    kept, at = [], 0
    for first, last, instead in sorted(html_cuts(text, 0)) if "<" in text else ():
        kept += [text[at:first], instead]
        at = last
    return "".join([*kept, text[at:]])


def _instead(tag: re.Match[str], name: str, given: dict[str, str]) -> str | None:
    """What stands for a tag; None if it stays."""
    if name == "img":
        address = given.get("src", "")
        return f"![{given.get('alt') or given.get('title') or ''}]({address})" if address else None
    if name in _MEDIA:
        address, title = given.get("src", ""), given.get("title", "")
        if not address and name in ("embed", "source"):
            return None  # the name of something that is to be filled in
        return f"[{title}]({address})" if address and title else address
    if name == "br":
        return " " if _line_before(tag).startswith(("|", "#")) else "\n"
    if name in _BLOCKS:
        return "\n" if _line_before(tag) and not _ends_line(tag) else ""
    if name in _INLINE or (name in _ALONE and (name != "input" or given)):
        return ""
    return _AS_MARKDOWN.get(name)


def _attributes(text: str) -> dict[str, str]:
    found = {name.lower(): double or single or bare for name, double, single, bare in _GIVEN.findall(text)}
    for key in found.keys() & {"href", "src"}:  # as Markdown writes an address
        found[key] = found[key].translate(_IN_ADDRESS)
    return found


def _line_before(tag: re.Match[str]) -> str:
    return tag.string[tag.string.rfind("\n", 0, tag.start()) + 1 : tag.start()].lstrip()


def _ends_line(tag: re.Match[str]) -> bool:
    end = tag.string.find("\n", tag.end())
    return not tag.string[tag.end() : None if end < 0 else end].strip()
