"""Bookmarks loader: the HTML that all browsers and bookmark services export, and the JSON of Firefox and Chrome."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text, time_or_none
from memkit.sources.contents import whole
from memkit.sources.documents.html import decoded
from memkit.sources.epochs import since_1601
from memkit.sources.format import Format
from memkit.sources.html_tokens import Token, html_tokens
from memkit.sources.json_file import is_json, load_json
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import Item, drafts, joined, link
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

_DOCTYPE = re.compile(r"<!doctype netscape-bookmark-file", re.IGNORECASE)
_LINK = re.compile(r"<dt>\s*<a\s[^>]{0,5000}\badd_date=", re.IGNORECASE)
_NO_PAGE = ("place:", "javascript:", "data:", "about:", "chrome:", "edge:")  # queries, buttons and settings
_FOLDER = '"text/x-moz-place-container"'
_TAGS = "tagsFolder"  # where Firefox keeps a second copy of each bookmark under each of its tags
_OWN = {"personal_toolbar_folder", "unfiled_bookmarks_folder"}  # folders of the browser's own
_DESCRIPTION = "bookmarkProperties/description"


@dataclass
class Bookmark:
    """A page that was marked, where and when (as a file tells it)."""

    url: str
    title: str = ""
    at: object = None
    folders: tuple[str, ...] = ()
    tags: list[str] = field(default_factory=list)
    about: str = ""
    keyword: str = ""


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each marked page as a link with its description, tags and folders. Queries and buttons are left out."""
    data = whole(path, options)
    found = _of_json(load_json(data, options.limits)) if is_json(data) else _of_page(decoded(data))
    yield from drafts(_items(found, options), path, options)


def _items(found: Iterator[Bookmark], options: ReadOptions) -> Iterator[Item]:
    """An address may be marked in several folders: it is known by when that was."""
    ids = RecordIds()
    for one in found:
        url, title = one.url.strip(), " ".join(one.title.split())
        if not url or url.lower().startswith(_NO_PAGE):
            options.skip("bookmarks of no page")
            continue
        at = time_or_none(one.at) if str(one.at).strip("0") else None
        yield Item(
            source="bookmarks", document="Bookmarks", text=joined(link(title, url), one.about),
            id=ids.next("", at or "", url), title=title or url, kind="bookmark", at=at,
            tags=[tag.strip() for tag in (*one.tags, *one.folders)],
            meta={"url": url, "folder": " / ".join(one.folders), "keyword": one.keyword},
        )  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- HTML


def _of_page(html: str) -> Iterator[Bookmark]:
    """The links of the HTML of Netscape, in which most tags are never closed.

    A heading names the list after it. What `<dd>` says belongs to the link before it, and ends where any tag of the
    list begins.
    """
    folders: list[str] = []
    inside, heading = "", ""
    last: Bookmark | None = None
    for token in html_tokens(html):
        if not token.tag:
            if inside == "h3":
                heading += token.text
            elif last and inside == "a":
                last.title += token.text
            elif last and inside == "dd":
                last.about += token.text
        elif token.tag == "dl":
            if token.ends:
                folders[-1:] = []
            else:
                folders.append(" ".join(heading.split()))
            inside, heading = "", ""
        elif token.tag == "br" and last and inside == "dd":
            last.about += "\n"
        elif token.ends:
            inside = inside if token.tag != inside else ""
        elif token.tag == "dd" and last is None:
            inside = ""  # of a folder
        elif token.tag in ("a", "h3", "dt", "dd", "hr") and not (token.tag == "a" and inside == "dd"):
            inside = token.tag if _OWN.isdisjoint(token.attributes) else ""
            if token.tag == "dd":
                continue
            if last:
                yield last
            last = _marked(token, folders) if token.tag == "a" else None
            heading = ""
    if last:
        yield last


def _marked(token: Token, folders: list[str]) -> Bookmark:
    about = token.attributes
    return Bookmark(
        about.get("href", ""),
        at=about.get("add_date"),
        folders=tuple(name for name in folders if name),
        tags=(about.get("tags") or about.get("labels") or "").split(","),
        about=about.get("description", ""),
        keyword=about.get("shortcuturl", ""),
    )


# -------------------------------------------------------------------------------------------------------------- JSON


def _of_json(top: Any) -> Iterator[Bookmark]:
    """The links of a tree of folders, in its order: of Firefox, or of Chrome and its kin."""
    roots = [{**as_dict(one), "root": name} for name, one in as_dict(as_dict(top).get("roots")).items()]
    waiting: list[tuple[Mapping[str, Any], tuple[str, ...]]] = [(one, ()) for one in reversed(roots or [as_dict(top)])]
    while waiting:
        node, folders = waiting.pop()
        children = as_list(node.get("children"))
        if not children:
            yield from _of_node(node, folders)
        elif node.get("root") != _TAGS:
            name = "" if node.get("root") else as_text(node.get("name")) or as_text(node.get("title"))
            within = (*folders, name) if name else folders
            waiting += [(as_dict(child), within) for child in reversed(children)]


def _of_node(node: Mapping[str, Any], folders: tuple[str, ...]) -> Iterator[Bookmark]:
    if url := as_text(node.get("uri")):  # Firefox
        notes = [as_dict(one) for one in as_list(node.get("annos"))]
        about = next((as_text(one.get("value")) for one in notes if one.get("name") == _DESCRIPTION), "")
        tags = as_text(node.get("tags")).split(",")
        yield Bookmark(
            url, as_text(node.get("title")), node.get("dateAdded"), folders, tags, about, as_text(node.get("keyword"))
        )
    elif url := as_text(node.get("url")):
        yield Bookmark(url, as_text(node.get("name")), since_1601(node.get("date_added")), folders)


def _matches(sample: Sample) -> bool:
    if sample.text.startswith("{"):
        is_chrome = sample.has_keys("roots") and '"bookmark_bar"' in sample.text[:4000]
        return is_chrome or (sample.has_keys("type", "children") and _FOLDER in sample.text[:4000])
    if sample.suffix not in (".html", ".htm"):
        return _DOCTYPE.match(sample.text) is not None
    return _DOCTYPE.search(sample.text[:2000]) is not None or _LINK.search(sample.text[:20_000]) is not None


FORMAT = Format(
    "bookmarks", "Bookmarks: HTML, or Firefox's and Chrome's JSON", read, _matches,
    ("*.html", "*.htm", "*.json", "bookmarks", "bookmarks.bak"),
)  # fmt: skip
