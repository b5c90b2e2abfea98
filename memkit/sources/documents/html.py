"""HTML loader: what a saved page says, under its headings, without menus, heads and feet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from pathlib import Path

from memkit.sources import encoding
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.html_markdown import Attributes, html_markdown
from memkit.sources.html_tokens import html_tokens
from memkit.sources.notes.note import Note, Record, drafts, without_pictures
from memkit.sources.notes.note_dates import date_value, day_of_name
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_HEAD = 200_000  # characters in which the page tells its title, author and date
_MAIN = (re.compile(r"<main\b", re.I), re.compile(r"<article\b", re.I))
_ENDS = ("</main", "</article")
_SHARE = 0.3  # of a page's words, from which on its main part stands for it
_AROUND = {"nav", "aside", "form", "button", "dialog", "header", "footer"}
_ROLES = {"navigation", "banner", "contentinfo", "search", "complementary", "dialog"}
# Classes by which pages say that something is for those who listen, or is no part of what is printed.
_BESIDE = {
    "noprint",
    "mw-editsection",
    "vector-menu",
    "vector-dropdown",
    "catlinks",
    "sr-only",
    "visually-hidden",
    "screen-reader-text",
}
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_SAVED = re.compile(r"<!--\s*saved from url=\(\d+\)(\S+)|Page saved with SingleFile\s+url:\s*(\S+)")
# In a page of Apple Journal: the day in words of the phone's language, and the title.
_JOURNAL_DAY = re.compile(r"""<div class=["']pageHeader["']>\s*([^<]{1,100})<""")
_JOURNAL_TITLE = re.compile(r"""<div class=["']title["']>\s*([^<]{1,300})<""")
# In the page of one post, as blogs and an export of Medium mark it (microformats2): when, who, and where it was.
_IN = r"[^<>]{0,500}"
_PUBLISHED = re.compile(rf"""<time\b(?={_IN}\bdt-published\b){_IN}\bdatetime\s*=\s*["']([^"'<>]{{4,60}})["']""")
_WRITTEN_BY = re.compile(rf"<(\w{{1,8}})\b{_IN}\bp-author\b{_IN}>((?:(?!</\1>).){{0,500}})</\1>", re.DOTALL)
_CANONICAL = re.compile(rf"""<a\b(?={_IN}\bp-canonical\b){_IN}\bhref\s*=\s*["']([^"'<>]{{1,2000}})["']""")
_TAG = re.compile(r"<[^<>]{0,2000}>")
_CREATED = ("article:published_time", "datepublished", "date", "dc.date", "dcterms.created", "citation_date")
_UPDATED = ("article:modified_time", "datemodified", "dcterms.modified", "last-modified")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The main part of a page, or all of it if that says little."""
    yield from drafts([page_note(decoded(whole(path, options, "note_size")), path, options)], path, options)


def page_note(html: str, path: Path, options: ReadOptions, url: str = "") -> Note:
    """The note of a page: its main part under its title. `url` is where it was, if the page does not say it."""
    about = {**_of_post(html), **_about(html[:_HEAD])}
    created = next((about[key] for key in _CREATED if key in about), None)
    day = date_value(unescape(found[1])) if (found := _JOURNAL_DAY.search(html)) else None
    named = _JOURNAL_TITLE.search(html) if day else None
    return Note(
        source=path.as_posix(),
        title=about.get("title", "") or (" ".join(unescape(named[1]).split()) if named else "") or path.stem,
        text=page_text(html),
        created=created,
        happened=None if created else day or day_of_name(path.stem, options.day_first),
        updated=next((about[key] for key in _UPDATED if key in about), None),
        aliases=[path.stem],
        author=about.get("author", ""),
        fields={"url": about.get("url") or url},
        kind="document",
    )


def decoded(data: bytes) -> str:
    """The text of a page, in UTF-8, in the encoding that it names, or in the one that it looks like."""
    named = _CHARSET.search(data[:4096])
    for name in (encoding.marked(data) or "utf-8", named[1].decode() if named else ""):
        with suppress(UnicodeDecodeError, LookupError):
            return data.decode(name)
    try:
        return encoding.decoded(data)
    except ValueError:
        return data.decode("utf-8", "replace")


def page_text(html: str) -> str:
    """The words of a page as Markdown: those of its main part, if it has one and that says enough."""
    everything = without_pictures(html_markdown(html, skipped=_is_around))
    for starts, ends in zip(_MAIN, _ENDS, strict=True):
        if found := starts.search(html):
            end = html.lower().rfind(ends)
            inner = html[found.start() : end if end > found.start() else len(html)]
            main = without_pictures(html_markdown(inner, skipped=lambda tag, some: _is_around(tag, some, "header")))
            if len(main) > _SHARE * len(everything):
                return main
    return everything


def _is_around(tag: str, attributes: Attributes, besides: str = "") -> bool:
    """Whether an element is about the site, and not what the page says; or is not shown."""
    hidden = "hidden" in attributes or attributes.get("aria-hidden") == "true"
    hidden = hidden or not _BESIDE.isdisjoint(attributes.get("class", "").split())
    return hidden or (tag in _AROUND and tag != besides) or attributes.get("role", "") in _ROLES


def _of_post(html: str) -> dict[str, str]:
    """What the marks in a page of one post tell: `date`, `author`, `url`. Of a page of several, nothing."""
    published = {found[1] for found in _PUBLISHED.finditer(html)}
    if len(published) != 1:
        return {}
    by, where = _WRITTEN_BY.search(html), _CANONICAL.search(html)
    told = {
        "date": published.pop(),
        "author": " ".join(unescape(_TAG.sub(" ", by[2])).split()) if by else "",
        "url": unescape(where[1]) if where else "",
    }
    return {name: value for name, value in told.items() if value}


def _about(html: str) -> dict[str, str]:
    """What the head of a page tells: `title`, `author`, `url`, and its `meta` elements by their names."""
    found: dict[str, str] = {}
    if saved := _SAVED.search(html):
        found["url"] = saved[1] or saved[2]
    inside = ""
    for token in html_tokens(html):
        if token.tag == "meta":
            name = token.attributes.get("property") or token.attributes.get("name") or token.attributes.get("itemprop")
            if name and (content := token.attributes.get("content", "").strip()):
                found.setdefault(name.lower(), content)
        elif token.tag == "link" and token.attributes.get("rel") == "canonical":
            found.setdefault("url", token.attributes.get("href", ""))
        elif token.tag in ("title", "body"):
            inside = "" if token.ends else token.tag
            if inside == "body":
                break
        elif inside == "title" and not token.tag:
            found.setdefault("title", " ".join(token.text.split()))
    return {**found, "title": found.get("og:title") or found.get("title", "")}


def _matches(sample: Sample) -> bool:
    if sample.suffix not in (
        ".html",
        ".htm",
        ".xhtml",
        ".doc",
        ".xls",
    ):  # the last ones of Office, as sites give it
        return False
    return (
        re.match(r"(?:<\?xml|<!doctype html|<!--|<html|<head|<body|<[a-z][\w-]*[\s>])", sample.text, re.I) is not None
    )


FORMAT = Format("html", "Web pages that were saved", read, _matches, ("*.html", "*.htm", "*.xhtml"))
