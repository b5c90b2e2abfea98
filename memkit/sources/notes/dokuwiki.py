"""DokuWiki loader: the pages of a wiki of DokuWiki, text files in its folder `data/pages`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memkit.core.patterns import pattern
from memkit.sources.format import Format
from memkit.sources.html_markdown import web_link
from memkit.sources.notes.markdown import note_text
from memkit.sources.notes.note import Record
from memkit.sources.notes.slash_markup import Dialect, page_link, slash_markdown
from memkit.sources.notes.wiki import page
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_TAGS = pattern(r"\{\{tag>([^{}\n]*)\}\}")
_TAG = pattern(r"\"([^\"]+)\"|([^\s\"]+)")
_CODE = pattern(
    r"<(?P<tag>code|file|html|HTML|php|PHP)\b(?P<given>[ \t]+[\w-]+)?[^<>\n]*>"
    r"(?P<code>(?:(?!</?(?P=tag)\b).)*)</(?P=tag)>|''(?:%%|<nowiki>)?(?P<line>(?:(?!''|%%|</nowiki>)[^\n])+)"
    r"(?:%%|</nowiki>)?''|<nowiki>(?P<raw>(?:(?!</?nowiki>).)*)</nowiki>|%%(?P<plain>(?:(?!%%).)+)%%"
    r"|(?P<shown>^(?:  |\t)[ \t]*(?![ \t*-])[^\n]+)",
    re.DOTALL | re.MULTILINE,
)
_RULES = (
    (pattern(r"~~[A-Z]+(?:[:>][^~\n]*)?~~"), ""),  # what tells the program how to show the page
    (pattern(r"\{\{([^{}\n]*)\}\}"), lambda found: _file(found)),
    (pattern(r"\[\[([^\[\]\n]+)\]\]"), page_link),
    (pattern(r"^[|^][^\n]*[|^][ \t]*$", re.MULTILINE), lambda found: _row(found)),
    (pattern(r"\\\\(?:[ \t]|$)", re.MULTILINE), "\n"),
    (pattern(r"(?<!\s)\(\(((?:(?!\(\(|\)\))[^\n])+)\)\)"), r" (\1)"),  # a footnote
    (pattern(r"^((?:  |\t)+)([*-])[ \t]*(?=[^\s*-])", re.MULTILINE), lambda found: _item(found)),
    (
        pattern(r"</?(?:WRAP|wrap|note|box|hidden|color|fs|fc|block|grid|col|btn|panel|callout|accordion)\b[^<>\n]*>"),
        "",
    ),
)
DIALECT = Dialect(_CODE, _RULES)
_SEPARATOR = pattern(r"[|^](?![^\[\]|^\n]*\]\])")  # not in a link


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The page; pictures, and what plugins are told, are left out."""
    text = note_text(path, options)
    tags = [long or short for given in _TAGS.findall(text) for long, short in _TAG.findall(given)]
    yield from page(path, name, slash_markdown(text, DIALECT), {}, tags, options)


def _file(found: re.Match[str]) -> str:
    """A file by its words, if it has any of its own."""
    target, _, words = found[1].partition("|")
    return web_link(target.strip(), words.strip()) if ">" not in target else ""


def _row(found: re.Match[str]) -> str:
    """A row of a table. Below one of headings stands a rule, as in Markdown."""
    cells = [cell.strip() for cell in _SEPARATOR.split(found[0].strip().replace("\\\\ ", " "))[1:-1]]
    row = f"| {' | '.join(cells)} |"
    is_heading = found[0].count("^") > 1 and "|" not in _LINK_WORDS.sub("", found[0])
    return f"{row}\n|{' --- |' * len(cells)}" if is_heading else row


_LINK_WORDS = pattern(r"\[\[[^\[\]\n]*\]\]|\[[^\[\]\n]*\]\([^()\n]*\)")


def _item(found: re.Match[str]) -> str:
    depth = len(found[1].replace("\t", "  ")) // 2 - 1
    return f"{'  ' * depth}{'-' if found[2] == '*' else '1.'} "


def _matches(sample: Sample) -> bool:
    if sample.suffix == ".txt" and not (sample.path.as_posix().rpartition(_PAGES)[1] or _TITLE.match(sample.text)):
        return False
    return sample.suffix in (".txt", ".doku", ".dokuwiki") and b"\0" not in sample.head


_PAGES = "/data/pages/"  # where DokuWiki keeps them
_TITLE = pattern(
    r"(?:(?:~~[A-Z]+(?:[:>][^~\n]*)?~~|\{\{[^{}\n]*\}\})\s*)*={4,6}[ \t]*[^\s=][^\n=]*={4,6}[ \t]*(?:\n|\Z)"
)

FORMAT = Format("dokuwiki", "Pages of DokuWiki", read, _matches, ("*.txt", "*.doku", "*.dokuwiki"))
