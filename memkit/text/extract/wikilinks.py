"""Link parsing: `[[wikilinks]]` and Markdown links in notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from memkit.core.patterns import pattern
from memkit.text.link_places import places
from memkit.text.words import normal_name

_CODE = pattern(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`|<!--.*?(?:-->|\Z)|%%.*?(?:%%|\Z)", re.DOTALL)
_WIKI = pattern(r"(!?)\[\[([^\[\]\n|]*?)(?:\\?\|([^\[\]\n]*))?\]\]")
_MARKDOWN = pattern(
    r"(!?)\[([^\[\]\n]{0,300})\]\(\s*(?:<([^<>\n]{1,500})>|([^\s()<>]{1,500}))(?:\s+[\"'][^\"'\n]*[\"'])?\s*\)"
)
# Hugo's links to pages: `[plan]({{< relref "garden/plan.md#trees" >}})`.
_HUGO = pattern(
    r"(!?)\[([^\[\]\n]{0,300})\]\(\s*\{\{[<%]\s*(?:rel)?ref\s+[\"'`]?([^\s\"'`<>%{}]{1,500})[\"'`]?\s*[%>]\}\}\s*\)"
)
_BUNDLE = pattern(r"/(?:_?index)?\Z")  # a page that is a folder
_DOTTED = pattern(r"[a-z][\w-]*(?:\.[\w-]+)+")
_DOTTED_WORDS = pattern(r"[a-z][\w-]*(?:\.[\w-]+(?: [\w-]+)*)+")  # as the files of Dendron may be called
_CLASS = pattern(r":[a-z]+:")  # a class of signs in an expression: [[:space:]]
_PLACEHOLDER = pattern(r"\{\{|<%|\$\{")  # a template's: what stands there is known when a note is made of it
_NO_FOLDER = pattern(r"(?<![^\W_])[A-Z]{1,3}/[A-Z]{1,3}(?![^\W_])| / ")  # CI/CD, trees / shrubs
_SCHEME = pattern(r"[a-zA-Z][a-zA-Z0-9+.-]+:")
_NOTE = pattern(r"\.(?:md|markdown)\Z", re.IGNORECASE)


class WikiLink(NamedTuple):
    """A link to another note. `target` is its name or relative path without `.md`; `heading` a heading in it, or None.

    `text[start:end]` is the whole link, `display` the visible text. An `embed` shows the target in place of the link.
    A `dotted` one has a path of Dendron's as its target, which stands behind the words that are shown.
    """

    start: int
    end: int
    target: str
    display: str
    embed: bool = False
    heading: str | None = None
    dotted: bool = False

    @property
    def name(self) -> str:
        """The target without its folders; what is shown in place of a dotted path (`[[Ingress|k8s.ingress]]`)."""
        if self.dotted:
            return self.display
        folders = _NO_FOLDER.sub(lambda match: match[0].replace("/", "\0"), self.target)
        return folders.rsplit("/", 1)[-1].replace("\0", "/").strip()

    @property
    def names_section(self) -> bool:
        """Whether its words are the heading that it leads to: `[Rosa](People.md#Rosa)` is no name for `People`."""
        return self.heading is not None and normal_name(self.display) == normal_name(self.heading)


def find_links(text: str) -> list[WikiLink]:
    """The links to notes in a text, in order: `[[target#heading|display]]`, `![[embed]]`, `[display](note.md)`.

    Code, comments, web addresses and links within the same note are left out.
    """
    return list(_links(text)) if "[" in text else []


@lru_cache(
    maxsize=1 << 13
)  # the texts of one run: each is asked for its links when its words, names and links are read
def _links(text: str) -> tuple[WikiLink, ...]:
    text = _CODE.sub(lambda match: " " * len(match[0]), text)
    return tuple(sorted([*_wikilinks(text), *_markdown_links(text), *_hugo_links(text)]))


def _wikilinks(text: str) -> Iterator[WikiLink]:
    for match in _WIKI.finditer(text):
        target, heading = _split(match[2])
        if target and not _CLASS.fullmatch(target) and not _PLACEHOLDER.search(target):
            display = (match[3] or "").strip() or match[2].strip()
            dotted = bool(match[3]) and _is_dotted(display.partition("#")[0], target)
            if dotted:
                (target, heading), display = _split(display), match[2].strip()
            yield WikiLink(match.start(), match.end(), target, display, bool(match[1]), heading, dotted)


def _is_dotted(display: str, target: str) -> bool:
    """Whether what stands behind the sign is a path of Dendron's, and what stands before it is none."""
    form = _DOTTED if "." in target else _DOTTED_WORDS
    return form.fullmatch(display) is not None and not _DOTTED.fullmatch(target)


def _markdown_links(text: str) -> Iterator[WikiLink]:
    for match in _MARKDOWN.finditer(text):
        page, *headings = map(unquote, (match[3] or match[4]).split("#"))
        if _SCHEME.match(page) or not _NOTE.search(page):
            continue
        if target := _target(page):
            heading = _heading(headings)
            yield WikiLink(match.start(), match.end(), target, match[2].strip() or target, bool(match[1]), heading)


def _hugo_links(text: str) -> Iterator[WikiLink]:
    for match in _HUGO.finditer(text):
        page, *headings = match[3].split("#")
        if target := _BUNDLE.sub("", _target(page)).lstrip("/"):
            heading = _heading(headings)
            yield WikiLink(match.start(), match.end(), target, match[2].strip() or target, bool(match[1]), heading)


def _split(address: str) -> tuple[str, str | None]:
    """Target and heading of `folder/note.md#heading`."""
    page, *headings = places(address)
    return _target(page), _heading(headings)


def _target(page: str) -> str:
    """A page without `./` and `.md`."""
    return _NOTE.sub("", page.strip().removeprefix("./"))


def _heading(headings: list[str]) -> str | None:
    """The last of these headings; a block mark (`#^id`) is none."""
    heading = headings[-1].strip() if headings else ""
    return heading if heading and not heading.startswith("^") else None
