"""Wiki loader: pages of Vimwiki and MediaWiki in files `.wiki` and `.mediawiki`; Markdown in place of their marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from memkit.core.patterns import pattern
from memkit.sources.format import Format
from memkit.sources.html_markdown import tidy, web_link
from memkit.sources.notes.html_marks import without_tags
from memkit.sources.notes.markdown import note_text
from memkit.sources.notes.note import Note, Record, drafts, wikilink
from memkit.sources.notes.note_dates import note_dates
from memkit.sources.notes.page_title import page_title
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

# Code of Vimwiki: between lines that begin with `{{{` and `}}}`; formulas stand between `{{$` and `}}$`.
_CODE = pattern(
    r"^[ \t]*\{\{[{$](?P<given>[^\n{}]*)\n(?P<code>(?:(?![ \t]*\}\}[}$])[^\n]*\n)*)[ \t]*\}\}[}$][ \t]*$"
    r"|`[^`\n]+`|<(?P<tag>pre|code|nowiki|syntaxhighlight|source)\b[^<>\n]*>[^<]*</(?P=tag)>",
    re.MULTILINE,
)
_PLACEHOLDER = pattern(r"^%(title|date|template|nohtml)\b[ \t]*([^\n]*)\n?", re.MULTILINE)
_COMMENT = pattern(r"^[ \t]*%%(?!\+)[^\n]*\n?|%%\+(?:(?!%%\+|\+%%).)*\+%%|<!--(?:(?!<!--|-->).)*-->", re.M | re.S)
_TAGS = pattern(r"^[ \t]*(:(?:[^\s:]+:)+)[ \t]*$", re.MULTILINE)
_EMBED = pattern(r"\{\{[^{}]*\}\}")
_LINK = pattern(r"\[\[(?P<target>[^\[\]|\n]+)(?:\|(?P<words>[^\[\]\n]+))?\]\]")
_WEB = pattern(r"(?<!\[)\[(?P<target>https?://[^\s\[\]]+)(?:[ \t]+(?P<words>[^\[\]\n]+))?\](?!\()")
_PREFIX = pattern(r"\A(?:(?:wiki\d+|wn\.[^:]+|diary):|/+)")
_FILE = pattern(r"(?:local|file):|(?:File|Image|Category|Media):", re.IGNORECASE)
_HEADING = pattern(r"^[ \t]*(={1,6})[ \t]*(\S[^\n]*?)[ \t]*\1[ \t]*$", re.MULTILINE)
_IS_MARKDOWN = pattern(r"^(?:##+[ \t]+\S|```)", re.MULTILINE)  # Vimwiki can be told to write it
_ITEM = pattern(r"^([ \t]*)([*#]+)[ \t]+", re.MULTILINE)
_STATE = pattern(r"^([ \t]*(?:[-*]|1\.)[ \t]+)\[[.oO-]\]", re.MULTILINE)
_QUOTES = pattern(r"'{2,5}")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The page, without comments, embedded files and templates. A page of a diary is dated by its name."""
    text = note_text(path, options)
    given = dict(_PLACEHOLDER.findall(text))
    tags = [tag for found in _TAGS.findall(text) for tag in found.strip(":").split(":")]
    fields = {key: given[key] for key in ("title", "date") if given.get(key)}
    yield from page(path, path.stem, wiki_markdown(text), fields, tags, options)


def page(
    path: Path, name: str, body: str, fields: dict[str, Any], tags: Iterable[str], options: ReadOptions
) -> Iterator[Record]:
    """The drafts of a page in Markdown. `name` is its path, which may tell its day; `fields` are as in front matter."""
    title = page_title(path, body, fields) or path.stem
    dates = note_dates(PurePosixPath(name).with_suffix("").as_posix(), body, fields, None, options.day_first)
    note = Note(
        source=path.as_posix(),
        title=title,
        text=body,
        created=dates.created_at or dates.happened_at,
        happened=dates.happened_at,
        tags=tags,
        aliases=[path.stem],
    )
    yield from drafts([note], path, options)


def wiki_markdown(text: str) -> str:
    """Vimwiki or wikitext of MediaWiki as Markdown: headings, lists, links and code. Markdown stays as it is."""
    if _IS_MARKDOWN.search(text) and not _HEADING.search(text):
        return tidy(text)
    parts, at = [], 0
    for code in _CODE.finditer(text):
        parts += [_marks(text[at : code.start()]), _code(code)]
        at = code.end()
    return tidy("".join([*parts, _marks(text[at:])]))


def _code(found: re.Match[str]) -> str:
    if found["code"] is None:
        return found[0]
    language = found["given"].strip()  # or what a browser is told: `class="brush: python"`
    return f"```{language if language.isalnum() else ''}\n{found['code']}```"


def _marks(text: str) -> str:
    text = _EMBED.sub("", _TAGS.sub("", _PLACEHOLDER.sub("", _COMMENT.sub("", text))))
    text = _ITEM.sub(_item, _LINK.sub(_link, text))
    text = _WEB.sub(lambda link: web_link(link["target"], link["words"] or link["target"]), text)
    text = _HEADING.sub(lambda heading: f"{'#' * len(heading[1])} {heading[2]}", text)
    return without_tags(_QUOTES.sub(_emphasis, _STATE.sub(r"\1[ ]", text)))


def _item(found: re.Match[str]) -> str:
    return f"{found[1]}{'  ' * (len(found[2]) - 1)}{'-' if found[2][-1] == '*' else '1.'} "


def _emphasis(quotes: re.Match[str]) -> str:
    return {2: "*", 3: "**"}.get(len(quotes[0]), "***")


def _link(found: re.Match[str]) -> str:
    """A link to a page by its name, without the wiki that it is in; files are pictures, or named by their words."""
    target, words = found["target"].strip(), (found["words"] or "").strip()
    if re.match(r"https?:|mailto:", target):
        return web_link(target, words) if words else target
    if _FILE.match(target):
        return words if not re.match(r"(?:file|image|category|media):", target, re.IGNORECASE) else ""
    page, _, place = _PREFIX.sub("", target, count=1).partition("#")
    return wikilink(page.rpartition("/")[2], words or place) if page else words or place


def _matches(sample: Sample) -> bool:
    return sample.suffix in (".wiki", ".mediawiki") and not sample.is_zip


FORMAT = Format("wiki", "Pages of Vimwiki and MediaWiki", read, _matches, ("*.wiki", "*.mediawiki"))
