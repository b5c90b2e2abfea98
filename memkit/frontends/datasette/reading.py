"""The text of a memory as a page shows it: Markdown as HTML, with a heading that says something."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote

from markupsafe import Markup

from memkit.core.formatting import short
from memkit.core.types import Memory
from memkit.text.link_places import places
from memkit.text.markdown import parts
from memkit.text.markdown_html import Around, html, seen
from memkit.text.prose import section
from memkit.text.words import normal_name

HEADING = 80  # characters of the text, where a memory has no title
_PRINTED = "\n\nOutput:\n"  # of a cell of a notebook


def heading(text: str) -> str:
    """The heading at the start of a text, without its marks of Markdown; empty if it has none."""
    said = section(text)[0]
    return " ".join(seen(f"# {said}").split()) if said else ""


def headed(one: Memory) -> str:
    """What a memory is called: its title, the heading in it, who said it, or how it begins."""
    found = one.title or heading(one.text)
    return found or (f"{one.speaker} said" if one.speaker else begins(one.text, HEADING))


def file_name(source: str) -> str:
    """What a source without a title is called: the name of its file, `rows` for rows that came from Python."""
    return source.rpartition("/")[2].rstrip(":")


def begins(text: str, most: int) -> str:
    """The beginning of a text in one line, without its marks of Markdown."""
    above, rest = heading(text), section(text)[1]
    words = seen(rest[: 4 * most + 400])
    return short(" ".join((f"{above}: {words}" if above else words).split()), most)


def says_it_all(one: Memory) -> bool:
    """Whether the heading is the whole text, so that it need not be shown again."""
    return not (one.title or one.speaker) and headed(one) == " ".join(one.text.split())


def text(one: Memory, around: Around, *, whole: bool = False) -> Markup:
    """The text of a memory as HTML; without its heading, which stands above it, unless `whole`."""
    return html(shown(one, whole=whole), around)


def shown(one: Memory, *, whole: bool = False) -> str:
    """The text of a memory as Markdown; without its heading, unless `whole`."""
    return _markdown(one) if whole else section(_markdown(one))[1]


def _markdown(one: Memory) -> str:
    """The text; a cell of code as blocks of code."""
    if one.meta.get("cell_type") != "code":
        return one.text
    longest = max((len(run) for run in re.findall("`+", one.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n\n".join(f"{fence}\n{part}\n{fence}" for part in one.text.split(_PRINTED, 1))


def by_name(urls: Mapping[str, str]) -> dict[str, str]:
    """Addresses under the names as links are compared."""
    return {normal_name(name): url for name, url in urls.items()}


def named(target: str, urls: Mapping[str, str]) -> str | None:
    """The address of what a wikilink or a link to a file names: `Quince`, `../Garden/Quince.md#Yield`."""
    name = unquote(places(target)[0])
    last = name.rpartition("/")[2].removesuffix(".md")
    return urls.get(normal_name(name)) or urls.get(normal_name(last))


def targets(markdown: str) -> set[str]:
    """What the links of a text lead to within its own notes, as a name."""
    found = (part.target for part in parts(markdown) if part.kind == "link" and ":" not in part.target[:12])
    return {unquote(places(one)[0]).rpartition("/")[2].removesuffix(".md") for one in found}
