"""EPUB loader: the chapters of a book in the order in which they are read."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from memkit.core.types import LeftOut
from memkit.sources.authors import authors
from memkit.sources.contents import opened
from memkit.sources.documents.document import timed
from memkit.sources.documents.html import decoded
from memkit.sources.format import Format
from memkit.sources.html_markdown import Attributes, html_markdown
from memkit.sources.html_tokens import html_tokens
from memkit.sources.limits import OverLimit
from memkit.sources.notes.note import Note, Record, Section, drafts, without_pictures
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.zips import opened_zip, unpacked

_CONTAINER = "META-INF/container.xml"
_SEEN_OR_HEARD = ("image/", "audio/", "video/")  # as pages of their own
_PLACED = ("dc:title", "dc:creator", "dc:date", "dc:publisher", "dc:subject")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The chapters. A book whose text is encrypted is a Failure."""
    with opened(path, options) as stream, opened_zip(stream, options.limits) as archive:
        if "META-INF/rights.xml" in archive.namelist() or _is_locked(archive, options):
            yield LeftOut(path.as_posix(), "encrypted books (DRM)")
            return
        about, chapters = _package(archive, options)
        sections = tuple(_sections(archive, chapters, options))
    note = Note(
        source=path.as_posix(),
        title=_first(about, "dc:title") or path.stem,
        text="",
        sections=sections,
        created=_first(about, "dc:date"),
        tags=about.get("dc:subject", ()),
        aliases=[path.stem],
        author=", ".join(name for one in about.get("dc:creator", ()) for name in authors(one)),
        fields={"publisher": _first(about, "dc:publisher")},
        kind="document",
    )
    yield from drafts([note], path, options)


def _first(about: dict[str, list[str]], key: str) -> str:
    return next(iter(about.get(key, [])), "")


def _is_locked(archive: zipfile.ZipFile, options: ReadOptions) -> bool:
    """Whether more is encrypted than fonts."""
    if "META-INF/encryption.xml" not in archive.namelist():
        return False
    text = _text(archive, "META-INF/encryption.xml", options)
    return re.search(r'URI="[^"]+\.(?:x?html?|htm)"', text, re.IGNORECASE) is not None


def _text(archive: zipfile.ZipFile, name: str, options: ReadOptions) -> str:
    try:
        return decoded(unpacked(archive, archive.getinfo(name), options.limits))
    except KeyError:
        raise ValueError(f"the book has no {name!r}") from None


def _package(archive: zipfile.ZipFile, options: ReadOptions) -> tuple[dict[str, list[str]], list[str]]:
    """What the book says of itself, and the names of its chapters in their order."""
    roots = [one.attributes for one in html_tokens(_text(archive, _CONTAINER, options)) if one.tag.endswith("rootfile")]
    package = next((root["full-path"] for root in roots if "full-path" in root), "content.opf")
    about: dict[str, list[str]] = {}
    files: dict[str, str] = {}
    spine: list[str] = []
    inside = ""
    for token in html_tokens(_text(archive, package, options)):
        tag, given = token.tag.removeprefix("opf:"), token.attributes
        if tag == "item" and "href" in given and not given.get("media-type", "").startswith(_SEEN_OR_HEARD):
            files[given.get("id", "")] = posixpath.join(posixpath.dirname(package), unquote(given["href"]))
        elif tag == "itemref" and given.get("linear") != "no":
            spine.append(given.get("idref", ""))
        elif tag in _PLACED:
            inside = "" if token.ends else tag
        elif inside and not tag and token.text.strip():
            about.setdefault(inside, []).append(token.text.strip())
    return about, [posixpath.normpath(files[id]) for id in dict.fromkeys(spine) if id in files]


def _sections(archive: zipfile.ZipFile, chapters: list[str], options: ReadOptions) -> Iterator[Section]:
    present, total = set(archive.namelist()), 0
    for number, name in enumerate(timed(chapters, options), 1):
        if name not in present:
            continue
        html = _text(archive, name, options)
        total += len(html)
        if total > options.limits.file_size:
            raise OverLimit("file_size", options.limits, "bytes when it is unpacked")
        text = without_pictures(html_markdown(html, skipped=_is_menu)).strip()
        if text:
            yield Section(text, "" if text.startswith("#") else f"chapter {number}", id=name, meta={"chapter": number})


def _is_menu(tag: str, attributes: Attributes) -> bool:
    return tag == "nav"


def _matches(sample: Sample) -> bool:
    return sample.is_zip and _CONTAINER in sample.entries


FORMAT = Format("epub", "Books as EPUB", read, _matches, ("*.epub",))
