"""WordPress loader: the posts and pages of an export (WXR), with their comments."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from memkit.core.instants import from_clocks
from memkit.core.types import Failure
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.notes.blog import Comment, comment_drafts, title_of
from memkit.sources.notes.note import Found, Note, Record, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.xml_records import Element, xml_records

_POSTS = ("post", "page")
# What a site keeps beside them; other kinds are its plugins' (a shop's orders, forms that others filled).
_FILES, _PARTS = "attachment", re.compile(r"nav_menu_item|wp_\w+|custom_css|customize_changeset|oembed_cache|revision")
_THROWN_AWAY = ("trash", "auto-draft")
_TAGS = ("", "category", "tag", "post_tag")  # a format of posts, a language and a menu are such terms, too
_NO_CATEGORY = "uncategorized"
_BEGIN = 10_000  # characters, in which a long comment on how to import it comes first
_NEVER = "0000"  # the year in which a draft came out
# Posts of before 2018, and those of the old editor since, have line breaks in place of elements.
_BLOCKS = "<!-- wp:"
_AS_IT_IS = re.compile(r"(</?(?:pre|script|style)\b[^<>]*>|\[/?(?:source)?code\b[^\[\]\n]*\])", re.IGNORECASE)
_ELEMENT = (
    r"</?(?:address|article|aside|blockquote|br|center|dd|details|div|dl|dt|fig\w+|footer|form|h[1-6]|header|hr|li|ol|p"
    r"|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)\b[^<>]*>"
)
_BREAK = re.compile(rf"({_ELEMENT})?\n(\n*)(?=({_ELEMENT})?)", re.IGNORECASE)
# Short codes, in place of which a site shows something else. A word in brackets is none, unless something ends it.
_VALUE = r"""\s+[\w-]+=(?:"[^"\[\n]*"|'[^'\[\n]*'|[^\s\[\]"']+)"""
_SHORT_CODE = re.compile(rf"\[(/?)([a-z][\w-]*)((?:{_VALUE})*)\s*/?\]", re.IGNORECASE)
_CORE = {"audio", "caption", "embed", "gallery", "playlist", "video", "wp_caption"}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """Each post and page, also those that nobody else can see; then what was said below them."""
    comments: list[Comment] = []
    yield from drafts(_notes(path, options, comments), path, options)
    yield from comment_drafts(comments, path, options)


def _notes(path: Path, options: ReadOptions, comments: list[Comment]) -> Iterator[Found]:
    names: dict[str, str] = {}  # of authors, by what they log in with
    for one in xml_records(path, options, ("item", "wp:author")):
        if isinstance(one, Failure):
            yield one
        elif one.tag == "wp:author":
            names[one.first("wp:author_login")] = one.first("wp:author_display_name")
        elif left_out := _left_out(one):
            options.skip(left_out)
        else:
            note = _note(one, names, options)
            yield note
            comments += _comments(one, note, options)


def _left_out(item: Element) -> str:
    """Why an entry is not read; empty for what is."""
    kind, status = item.first("wp:post_type"), item.first("wp:status")
    if kind == _FILES:
        return "files of a site, such as pictures"
    if _PARTS.fullmatch(kind):
        return "parts of a site, such as menus"
    if kind not in _POSTS:
        return f"entries of the kind {kind!r}, which is a plugin's"
    return "posts in the trash, or never saved" if status in _THROWN_AWAY else ""


def _note(item: Element, names: dict[str, str], options: ReadOptions) -> Note:
    login, status = item.first("dc:creator"), item.first("wp:status")
    terms = [one for one in item.all("category") if one.attributes.get("domain", "") in _TAGS]
    about = {"url": item.first("link"), "excerpt": html_markdown(item.first("excerpt:encoded"))}
    return Note(
        source=f"wordpress:{item.first('guid') or item.first('link') or item.first('wp:post_id')}",
        title=title_of(item.first("title")),
        text=_text(item.first("content:encoded")),
        created=_moment(item, "wp:post_date", options),
        updated=_moment(item, "wp:post_modified", options),
        tags=[html.unescape(one.text) for one in terms if one.text.casefold() != _NO_CATEGORY],
        author=names.get(login) or login,
        fields={**about, "status": "" if status == "publish" else status},
    )


def _moment(item: Element, name: str, options: ReadOptions) -> str | None:
    """A time of an entry, in UTC if it is known so: a draft has only that of its site's clock."""
    in_utc = item.first(f"{name}_gmt")
    if in_utc and not in_utc.startswith(_NEVER):
        return in_utc
    with suppress(ValueError, OverflowError):
        return from_clocks(datetime.fromisoformat(item.first(name)), options.timezone)
    return None


def _comments(item: Element, note: Note, options: ReadOptions) -> Iterator[Comment]:
    for one in item.all("wp:comment"):
        if one.first("wp:comment_approved") not in ("", "1"):
            options.skip("comments without approval")
        elif one.first("wp:comment_type") not in ("", "comment"):
            options.skip("notices of other sites among comments")
        else:
            said = _broken(one.first("wp:comment_content"))
            at = _moment(one, "wp:comment_date", options) or ""
            id, by = one.first("wp:comment_id"), html.unescape(one.first("wp:comment_author"))
            yield Comment(note.source, note.title, id, by, at, said)


def _text(written: str) -> str:
    """A post as Markdown, of whichever editor. Code in it stays as it is."""
    written = written.replace("\r\n", "\n")
    ended = {found[2].lower() for found in _SHORT_CODE.finditer(written) if found[1]} | _CORE
    parts, inside = [], ""  # the code that the place is in: `</pre>`, `[/code]`
    for part in _AS_IT_IS.split(written):
        if not inside and _AS_IT_IS.fullmatch(part) and part[1] != "/":
            inside = re.sub(r"\W*(\w+).*", r"\1", part, flags=re.DOTALL).lower()
            parts.append("<pre>" if part[0] == "[" else part)
        elif inside and part.lower().startswith((f"</{inside}", f"[/{inside}]")):
            parts.append("</pre>" if part[0] == "[" else part)
            inside = ""
        elif inside:
            parts.append(html.escape(html.unescape(part), quote=False) if inside.endswith("code") else part)
        else:
            said = _SHORT_CODE.sub(lambda found: "" if found[3] or found[2].lower() in ended else found[0], part)
            parts.append(said if _BLOCKS in written else _broken(said))
    return html_markdown("".join(parts))


def _broken(text: str) -> str:
    """HTML with elements in place of the line breaks in it."""
    return _BREAK.sub(_break, "\n".join(line.strip(" \t") for line in text.split("\n")))


def _break(found: re.Match[str]) -> str:
    before, more, after = (part or "" for part in found.groups())
    return f"{before}<p>" if more else f"{before}\n" if before or after else "<br>"


def _matches(sample: Sample) -> bool:
    begin = sample.text[:_BEGIN]
    return begin.startswith("<") and "<rss" in begin and "wordpress.org/export/" in begin


FORMAT = Format("wordpress", "Posts and pages of WordPress: an export (WXR)", read, _matches, ("*.xml",))
