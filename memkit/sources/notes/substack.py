"""Substack loader: the posts of a newsletter, as its export has them: a table of posts, and a page for each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path, PurePosixPath

from memkit.sources.chat import whole_records
from memkit.sources.documents.html import decoded
from memkit.sources.format import Format
from memkit.sources.html_markdown import Attributes, html_markdown
from memkit.sources.members import members
from memkit.sources.notes.note import Found, Note, Record, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import Row, rows_of
from memkit.sources.sample import Sample

_TABLE = "posts.csv"
_PAGE = r"\d+(?:\.[^/]+)?\.html"  # `123.first-letter.html`
_OTHERS = r"email_list\..+\.csv|.+\.(?:opens|delivers)\.csv"  # who reads it, and when
_OWN = rf"posts\.csv|posts/(?:{_PAGE})|(?:posts/)?(?:{_OTHERS})"
_COLUMNS = ("post_id", "post_date", "is_published", "audience")
_BUTTONS = {"button-wrapper", "subscription-widget-wrap", "subscription-widget-wrap-editor", "subscription-widget"}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """Each post with its title and subtitle, also the drafts. Who reads them is left out."""
    yield from drafts(_notes(path, options), path, options)


def _notes(path: Path, options: ReadOptions) -> Iterator[Found]:
    about: dict[str, Row] = {}
    pages: dict[str, bytes] = {}
    for file, data in members(path, options, rf"posts\.csv|{_PAGE}|{_OTHERS}"):
        name = PurePosixPath(file).name
        if name == _TABLE:
            for row in (yield from whole_records(rows_of(BytesIO(data), path.as_posix(), options))):
                about[row.get("post_id", "")] = row
        elif name.endswith(".html"):
            pages[name.removesuffix(".html")] = data
        else:
            options.skip("tables of readers")
    for id, data in pages.items():
        yield _note(id, decoded(data), about.get(id, {}))
    for id, row in about.items():
        if id not in pages and (row.get("title") or row.get("subtitle")):
            yield _note(id, "", row)


def _note(id: str, page: str, row: Row) -> Note:
    is_draft = row.get("is_published", "true").lower() == "false"
    text = [row.get("subtitle", ""), html_markdown(page, skipped=_is_button)]
    return Note(
        source=f"substack:{id}",
        title=row.get("title", ""),
        text="\n\n".join(filter(None, text)),
        created=row.get("post_date"),
        fields={"status": "draft" if is_draft else ""},
    )


def _is_button(tag: str, attributes: Attributes) -> bool:
    """What a page shows to have readers subscribe or share."""
    return not _BUTTONS.isdisjoint(attributes.get("class", "").split())


def _is_folder(path: Path, names: frozenset[str]) -> bool:
    if not {_TABLE, "posts"} <= names or not (path / _TABLE).is_file():
        return False
    with (path / _TABLE).open("rb") as stream:
        return _is_header(stream.readline(1000).decode("utf-8", "replace"))


def _is_header(line: str) -> bool:
    return {*_COLUMNS} <= {*re.split(r'["\s,\ufeff]+', line)}


def _matches(sample: Sample) -> bool:
    return sample.is_zip and any(_is_header(one.text.split("\n", 1)[0]) for one in sample.inside(r"posts\.csv"))


FORMAT = Format(
    "substack", "Posts of Substack: the zip of an export, or unpacked", read, _matches, ("*.zip",), _is_folder, _OWN
)
