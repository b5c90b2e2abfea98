"""Blogger loader: the posts and pages of a blog, as Google Takeout has them (`feed.atom`), or a backup of before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Failure
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.notes.blog import Comment, comment_drafts, title_of
from memkit.sources.notes.note import Found, Note, Record, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.xml_records import Element, xml_records

_POSTS, _COMMENT = ("post", "page"), "comment"
_KIND = "#kind"  # how the scheme of the category ends that says what an entry is, in a backup of before
_LIVE = ("live", "published", "")
_BEGIN = 10_000  # characters


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """Each post and page, also those that nobody else can see; then what was said below them."""
    comments: list[Element] = []
    titles: dict[str, str] = {}
    yield from drafts(_notes(path, options, titles, comments), path, options)
    yield from comment_drafts((_comment(one, titles) for one in comments), path, options)


def _notes(path: Path, options: ReadOptions, titles: dict[str, str], comments: list[Element]) -> Iterator[Found]:
    for one in xml_records(path, options, ("entry",)):
        if isinstance(one, Failure):
            yield one
            continue
        kind = _kind(one)
        if one.first("blogger:trashed") or "trash" in _status(one):
            options.skip("entries in the trash")
        elif kind in _POSTS:
            note = _note(one)
            titles[one.first("id")] = note.title
            yield note
        elif kind != _COMMENT:
            options.skip("parts of a blog, such as its settings")
        elif _status(one) in _LIVE:
            comments.append(one)
        else:
            options.skip("comments without approval")


def _kind(entry: Element) -> str:
    terms = (one.attributes for one in entry.all("category"))
    old = next((one.get("term", "") for one in terms if one.get("scheme", "").endswith(_KIND)), "")
    return entry.first("blogger:type").lower() or old.rpartition("#")[2]


def _status(entry: Element) -> str:
    old = "draft" if any(one.first("app:draft") == "yes" for one in entry.all("app:control")) else ""
    return entry.first("blogger:status").lower() or old


def _note(entry: Element) -> Note:
    status = _status(entry)
    terms = (one.attributes for one in entry.all("category"))
    links = (one.attributes for one in entry.all("link"))
    return Note(
        source=f"blogger:{entry.first('id')}",
        title=title_of(entry.first("title")),
        text=html_markdown(entry.first("content")),
        created=entry.first("published") or entry.first("blogger:created"),
        updated=entry.first("updated"),
        tags=[one.get("term", "") for one in terms if not one.get("scheme", "").endswith(_KIND)],
        author=_author(entry),
        fields={
            "url": next((one.get("href", "") for one in links if one.get("rel") == "alternate"), ""),
            "place": next((one.first("blogger:name") for one in entry.all("blogger:location")), ""),
            "status": "" if status in _LIVE else status,
        },
    )


def _author(entry: Element) -> str:
    return next((one.first("name") for one in entry.all("author")), "")


def _comment(entry: Element, titles: dict[str, str]) -> Comment:
    answered = next((one.attributes.get("ref", "") for one in entry.all("thr:in-reply-to")), "")
    post = entry.first("blogger:parent") or answered
    at, said = entry.first("published"), entry.first("content")
    return Comment(f"blogger:{post}", titles.get(post, "a blog"), entry.first("id"), _author(entry), at, said)


def _matches(sample: Sample) -> bool:
    begin = sample.text[:_BEGIN]
    of_blogger = "schemas.google.com/blogger/" in begin or "tag:blogger.com,1999:" in begin
    return of_blogger and begin.startswith("<") and "<feed" in begin


FORMAT = Format(
    "blogger", "Posts and pages of Blogger: `feed.atom` of Google Takeout", read, _matches, ("*.atom", "*.xml")
)
