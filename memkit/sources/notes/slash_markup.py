"""Slash markup: the marks that Zim, DokuWiki and RedNotebook (txt2tags) share, `//so//`, become Markdown.

They write headings between equals signs, emphasis between two slashes, two stars or two underscores. What differs
(which heading is the highest, how code, links and lists look) is in a `Dialect`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from memkit.core.patterns import pattern
from memkit.sources.html_markdown import tidy, web_link
from memkit.sources.notes.html_marks import without_tags
from memkit.sources.notes.note import wikilink

Rule = tuple[re.Pattern[str], "str | Callable[[re.Match[str]], str]"]

_HEADING = pattern(r"^[ \t]*(={1,6})[ \t]*([^\s=](?:[^\n]*[^\s=])?)[ \t]*={1,6}[ \t]*$", re.MULTILINE)
_RAW = ("raw", "plain", "shown")
_KEPT = pattern(r"\0(\d+)\0")  # a note has no such character: where code stood
_MARKDOWN_HEADING = pattern(r"^#{1,6}[ \t]+\S", re.MULTILINE)
_ITALIC = pattern(r"(?<![:/\w\\])//(?=[^\s/])((?:(?!//)[^\n])+?)(?<=\S)//(?![\w/])")
_UNDERLINED = pattern(r"(?<![\w.])__(?=[^\s_])((?:(?!__)[^\n])+?)(?<=\S)__(?![\w(])")  # not `__init__()`
_WEB = re.compile(r"(?:https?|ftp):|mailto:|www\.", re.IGNORECASE)
_MAIL = pattern(r"\A[\w.+-]+@[\w-]+\.[\w.-]+\Z")


@dataclass(frozen=True)
class Dialect:
    """What one program writes.

    `code` finds what is not read as marks: its group `code` is a block (`given` may name its language), `line` stands
    inside a line, `raw`, `plain` and `shown` are words that only look like marks. `rules` say what stands in place of
    other marks, in their order. Of headings `======` is the highest if they are `falling`.
    """

    code: re.Pattern[str]
    rules: tuple[Rule, ...]
    falling: bool = True


def slash_markdown(text: str, dialect: Dialect) -> str:
    """The text as Markdown. What is Markdown already, as Zim lets people write it, stays as it is."""
    if _MARKDOWN_HEADING.search(text) and not _HEADING.search(text):
        return tidy(text)
    kept: list[str] = []

    def keep(code: re.Match[str]) -> str:
        kept.append(_code(code.groupdict()))
        return f"\0{len(kept) - 1}\0"

    marked = _marks(dialect.code.sub(keep, text), dialect)
    return tidy(_KEPT.sub(lambda found: kept[int(found[1])], marked))


def _code(found: dict[str, str | None]) -> str:
    if (block := found.get("code")) is not None:
        language = (found.get("given") or "").strip()
        lines = block.strip("\n")
        return f"\n```{language if language.isalnum() else ''}\n{lines}\n```\n"
    line = found.get("line")
    return f"`{line.strip()}`" if line is not None else next(filter(None, map(found.get, _RAW)), "")


def _marks(text: str, dialect: Dialect) -> str:
    for form, instead in dialect.rules:
        text = form.sub(instead, text)
    text = _HEADING.sub(lambda found: f"{'#' * _level(len(found[1]), dialect)} {found[2]}", text)
    return without_tags(_ITALIC.sub(r"*\1*", _UNDERLINED.sub(r"\1", text)))


def _level(signs: int, dialect: Dialect) -> int:
    return max(1, 7 - signs if dialect.falling else signs)


def page_link(found: re.Match[str]) -> str:
    """A link between brackets, `[[a:page|its words]]`: to a page by its name, without the path to it."""
    target, _, words = found[1].partition("|")
    target, words = target.strip(), words.strip()
    if _WEB.match(target) or _MAIL.match(target):
        return web_link(target, words) if words else target.removeprefix("mailto:")
    page, _, place = target.partition("#")
    name = re.split(r"[:/\\>?]", page.strip(":/+. "))[-1].replace("_", " ") if "?" not in page else page
    return wikilink(name, words) if name else words or place
