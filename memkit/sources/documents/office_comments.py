"""Comments on slides and sheets: what readers wrote beside them, which the libraries that read the rest pass over."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from io import BytesIO
from zipfile import ZipFile

from memkit.sources.documents.document import remark
from memkit.sources.html_tokens import html_tokens
from memkit.sources.options import ReadOptions
from memkit.sources.zips import opened_zip, unpacked

_LINKS = re.compile(r"((?:ppt/slides|xl/worksheets)/)_rels/([^/]+)\.rels")  # what hangs on a slide or a sheet
_AUTHORS = ("ppt/commentAuthors.xml", "ppt/authors.xml", "xl/persons/person.xml")
_COMMENTS = {"cm", "comment", "threadedcomment", "reply"}
_OLD_COPY = "[Threaded comment]"  # of a newer comment, for programs that do not know it


def comments_in(stream: BytesIO, options: ReadOptions) -> dict[str, list[str]]:
    """The comments of a file of Office by the slide or sheet that they hang on: `Comment of Rosa: ...`."""
    found: dict[str, list[str]] = defaultdict(list)
    with opened_zip(stream, options.limits) as archive:
        names = set(archive.namelist())
        people = dict(one for part in _AUTHORS if part in names for one in _people(_text(archive, part, options)))
        for links in filter(None, map(_LINKS.fullmatch, sorted(names))):
            for target in _targets(_text(archive, links[0], options)):
                part = posixpath.normpath(posixpath.join(links[1], target)).lstrip("/")
                if part in names:
                    found[links[1] + links[2]] += _comments(_text(archive, part, options), people)
    stream.seek(0)
    return found


def _text(archive: ZipFile, part: str, options: ReadOptions) -> str:
    return unpacked(archive, archive.getinfo(part), options.limits).decode("utf-8-sig", "replace")


def _targets(links: str) -> Iterator[str]:
    """The parts with comments among those that a slide or a sheet leads to."""
    for token in html_tokens(links):
        if token.attributes.get("type", "").rsplit("/", 1)[-1].lower() in ("comments", "threadedcomment"):
            yield token.attributes.get("target", "")


def _people(text: str) -> Iterator[tuple[str, str]]:
    """Who wrote, by their ids."""
    for token in html_tokens(text):
        name = token.attributes.get("name") or token.attributes.get("displayname")
        if name and "id" in token.attributes:
            yield token.attributes["id"], name


def _comments(text: str, people: Mapping[str, str]) -> list[str]:
    """The comments of a part, answers behind what they answer. Authors of a sheet's stand first."""
    found: list[tuple[str, str, list[str]]] = []  # who wrote, on which cell, and what
    within: list[list[str]] = []  # the words of the comment that is read, and of those around it
    authors: list[str] = []
    inside = ""
    for token in html_tokens(text):
        tag, about = token.tag.rpartition(":")[2], token.attributes
        if tag in _COMMENTS and not token.ends:
            found.append((about.get("authorid") or about.get("personid", ""), about.get("ref", ""), []))
            within.append(found[-1][2])
        elif tag in _COMMENTS:
            within = within[:-1]
        elif tag in ("t", "text", "author"):
            inside = "" if token.ends else tag
        elif inside == "author" and not tag:
            authors.append(token.text.strip())
        elif within and (tag == "p" or (inside and not tag)):
            within[-1].append(token.text or "\n")
    known = {**people, **{str(place): name for place, name in enumerate(authors)}}
    return [said for by, cell, words in found if (said := _said(known.get(by, ""), cell, "".join(words)))]


def _said(author: str, cell: str, text: str) -> str:
    """A comment with its author, whom Excel writes above it, too. Empty if it says nothing."""
    words = " ".join(text.strip().removeprefix(f"{author}:").split())
    if not words or words.startswith(_OLD_COPY):
        return ""
    return remark(words, "" if author == "Author" else author, on=cell)
